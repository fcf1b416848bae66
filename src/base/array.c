/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool array_reserve(void *items, size_t *cap, size_t need, size_t size)
{
  if (need <= *cap) return true;
  size_t want = *cap < 8 ? 8 : *cap;
  while (want < need) {
    if (want > SIZE_MAX / 2) return false;
    want *= 2;
  }
  if (want > PTRDIFF_MAX / size) return false;
  void *old, *grown;
  memcpy(&old, items, sizeof old); /* items is a T **: no aliasing through void ** */
  grown = realloc(old, want * size);
  if (!grown) return false;
  memcpy(items, &grown, sizeof grown);
  *cap = want;
  return true;
}
