/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers distinct byte strings. */
#include "spool/assemble/intern.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"

static void put_slot(intern_t *set, size_t item)
{
  size_t i = set->items[item].hash & (set->n_slots - 1);
  while (set->slots[i]) i = (i + 1) & (set->n_slots - 1);
  set->slots[i] = (uint32_t)item + 1;
}

static bool grow_slots(intern_t *set)
{
  if (set->n * 2 < set->n_slots) return true;
  size_t n = set->n_slots ? set->n_slots * 2 : 64;
  uint32_t *slots = calloc(n, sizeof *slots);
  if (!slots) return false;
  free(set->slots);
  set->slots = slots;
  set->n_slots = n;
  for (size_t i = 0; i < set->n; i++) put_slot(set, i);
  return true;
}

long intern(intern_t *set, const void *bytes, size_t n)
{
  if (!grow_slots(set)) return -1;
  uint64_t hash = hash_bytes(HASH_START, bytes, n);
  for (size_t i = hash & (set->n_slots - 1); set->slots[i]; i = (i + 1) & (set->n_slots - 1)) {
    const intern_item_t *item = &set->items[set->slots[i] - 1];
    if (item->hash == hash && item->n == n && memcmp(item->bytes, bytes, n) == 0)
      return (long)set->slots[i] - 1;
  }
  char *copy = malloc(n + 1);
  if (!copy || !ARRAY_GROW(&set->items, set->n, &set->cap)) {
    free(copy);
    return -1;
  }
  memcpy(copy, bytes, n);
  copy[n] = '\0';
  set->items[set->n] = (intern_item_t){copy, n, hash};
  put_slot(set, set->n++);
  return (long)set->n - 1;
}

void intern_clear(intern_t *set)
{
  for (size_t i = 0; i < set->n; i++) free(set->items[i].bytes);
  free(set->items);
  free(set->slots);
  *set = (intern_t){0};
}
