/* SPDX-License-Identifier: BSD-3-Clause */
/* Where folders of tables are made. In a header, as the tracer is linked with nothing of berth. */
#ifndef BERTH_SPOOL_PARENT_H
#define BERTH_SPOOL_PARENT_H

#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* $TMPDIR, if that is a folder in which files can be made, else /tmp. The environment's string. */
static inline const char *spool_parent(void)
{
  const char *tmp = getenv("TMPDIR");
  struct stat st;
  bool usable =
      tmp && *tmp && stat(tmp, &st) == 0 && S_ISDIR(st.st_mode) && access(tmp, W_OK | X_OK) == 0;
  return usable ? tmp : "/tmp";
}

#endif
