/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads option structs of callers that were compiled with another version's headers. */
#include "base/options.h"

#include <string.h>

void options_init(void *to, size_t size, const void *defaults, size_t own)
{
  memset(to, 0, size);
  memcpy(to, defaults, size < own ? size : own);
  memcpy(to, &size, sizeof size);
}

int options_take(void *to, size_t own, const void *given, const char *init, berth_error_t *err)
{
  size_t size;
  memcpy(&size, given, sizeof size);
  if (size <= sizeof size || size > own)
    return berth_fail(err, BERTH_USAGE,
                      "options: found a size of %zu bytes, expected %zu to %zu, as %s sets it",
                      size, sizeof size + 1, own, init);
  memcpy(to, given, size);
  memcpy(to, &own, sizeof own);
  return BERTH_OK;
}
