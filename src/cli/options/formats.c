/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/options/formats.h"

#include <stdio.h>
#include <string.h>

#include "cli/options/targets.h"

int formats_check_target(const char *output, size_t n, const char *const *files, berth_error_t *err)
{
  for (size_t i = 0; i < n; i++)
    if (target_is_same(output, files[i]))
      return berth_fail(err, BERTH_USAGE, "%s: found as input and output, expected two files",
                        output);
  return BERTH_OK;
}

void formats_add_name(char *names, size_t room, const char *name)
{
  size_t used = strlen(names);
  snprintf(names + used, room - used, "%s%s", used ? ", " : "", name);
}
