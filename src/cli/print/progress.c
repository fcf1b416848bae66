/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/print/progress.h"

#include <stdio.h>
#include <unistd.h>

void progress(const char *what, const char *name)
{
  static int shown; /* something stands on the line now */
  if (!isatty(STDERR_FILENO) || (!what && !shown)) return;
  fflush(stderr);
  dprintf(STDERR_FILENO, "\r\033[K"); /* ECMA-48: to the line's start, erase to its end */
  if (what) fprintf(stderr, "berth: %s%s%s...", what, name ? " " : "", name ? name : "");
  fflush(stderr);
  shown = what != NULL;
}
