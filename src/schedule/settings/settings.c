/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/settings/settings.h"

#include <string.h>

#include "schedule/settings/settings_internal.h"

const schedule_setting_t *schedule_settings(const char *rules, size_t *n)
{
  if (strcmp(rules, "openmpi-4.1") == 0) return settings_openmpi(n);
  if (strcmp(rules, "mpich-4.0") == 0) return settings_mpich(n);
  *n = 0;
  return NULL;
}
