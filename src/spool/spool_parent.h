/* SPDX-License-Identifier: BSD-3-Clause */
/* The folder in which spool folders are made. A header, because the tracer isn't linked with
 * berth. */
#ifndef BERTH_SPOOL_PARENT_H
#define BERTH_SPOOL_PARENT_H

#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns $TMPDIR if files can be made there, else "/tmp". The string belongs to the
 * environment. */
static inline const char *spool_parent(void)
{
  const char *tmp = getenv("TMPDIR");
  struct stat st;
  bool usable =
      tmp && *tmp && stat(tmp, &st) == 0 && S_ISDIR(st.st_mode) && access(tmp, W_OK | X_OK) == 0;
  return usable ? tmp : "/tmp";
}

#endif
