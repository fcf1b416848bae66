/* SPDX-License-Identifier: BSD-3-Clause */
/* Stands in for project_toml.cpp in builds without toml++. */
#include "project/project_toml.h"

int project_toml_read(const char *text, size_t n, const char *path, project_toml_take_t *take,
                      void *to, berth_error_t *err)
{
  (void)text, (void)n, (void)take, (void)to;
  return berth_fail(err, BERTH_MISSING,
                    "%s: this berth was built without toml++ (BERTH_WITH_TOML); BERTH_PROJECT=none "
                    "ignores the file",
                    path);
}
