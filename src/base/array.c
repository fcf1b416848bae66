/* SPDX-License-Identifier: BSD-3-Clause */
/* Grows arrays. */
#include "base/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"

bool array_reserve(void *items, size_t *cap, size_t need, size_t size)
{
  if (need <= *cap) return true;
  size_t want = *cap < 8 ? 8 : *cap;
  while (want < need) {
    if (want > SIZE_MAX / 2) return false;
    want *= 2;
  }
  if (want > PTRDIFF_MAX / size) return false;
  if (!budget_take((want - *cap) * size)) { /* a smaller reserve may still fit */
    want = need < want - need / 8 ? need + need / 8 : want;
    if (!budget_take((want - *cap) * size)) return false;
  }
  void *old, *grown;
  memcpy(&old, items, sizeof old); /* items is a T **: no aliasing through void ** */
  grown = realloc(old, want * size);
  if (!grown) {
    budget_give((want - *cap) * size);
    return false;
  }
  memcpy(items, &grown, sizeof grown);
  *cap = want;
  return true;
}
