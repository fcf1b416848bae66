/* SPDX-License-Identifier: BSD-3-Clause */
/* A folder of the test's own, for group set-up and clean-up. */
#ifndef BERTH_TESTS_TEST_FOLDER_H
#define BERTH_TESTS_TEST_FOLDER_H

#include "harness.h"

static char dir[] = "/tmp/berth-test-XXXXXX";

static inline int make_dir(void **state)
{
  (void)state;
  return mkdtemp(dir) ? 0 : -1;
}

static inline int remove_dir(void **state)
{
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -r %s", dir);
  return system(command);
}

/* The path of a name in the folder, until the next call. */
static inline char *in_dir(const char *name)
{
  static char path[128];
  snprintf(path, sizeof path, "%s/%s", dir, name);
  return path;
}

#endif
