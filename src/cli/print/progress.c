/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/print/progress.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int columns_of_stderr(void)
{
  struct winsize size;
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

void progress(const char *what, const char *name)
{
  static int shown; /* something stands on the line now */
  if (!isatty(STDERR_FILENO) || (!what && !shown)) return;
  fflush(stderr);
  dprintf(STDERR_FILENO, "\r\033[K"); /* ECMA-48: to the line's start, erase to its end */
  if (what) {
    char line[512]; /* one that is longer than the terminal is wide can't be taken away */
    int columns = columns_of_stderr();
    snprintf(line, sizeof line, "berth: %s%s%s...", what, name ? " " : "", name ? name : "");
    fprintf(stderr, "%.*s", columns > 0 ? columns - 1 : (int)sizeof line, line);
  }
  fflush(stderr);
  shown = what != NULL;
}

void progress_parts(const char *what, size_t done, size_t of, const char *name)
{
  char text[512];
  double share = of > 0 ? 100 * (double)done / (double)of : 100;
  snprintf(text, sizeof text, "%s, %.0f%% (%zu of %zu)", what, share, done, of);
  progress(text, name);
}
