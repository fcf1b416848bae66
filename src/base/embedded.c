/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds files that the build put into the program. */
#include "base/embedded.h"

#include <string.h>

const embedded_t *embedded_find(const embedded_t *list, const char *name, size_t n)
{
  while (list->name && (strlen(list->name) != n || strncmp(list->name, name, n) != 0)) list++;
  return list->name ? list : NULL;
}
