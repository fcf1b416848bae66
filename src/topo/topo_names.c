/* SPDX-License-Identifier: BSD-3-Clause */
/* Hash table from names to numbers. */
#include "topo/topo_names.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/hash.h"

struct name_slot {
  const char *name; /* NULL: the slot is free */
  int number;
};

static uint64_t hash(const char *s)
{
  uint64_t h = hash_bytes(HASH_START, s, strlen(s));
  return h ^ h >> 32;
}

/* The slot of a name, or the free slot for it. */
static struct name_slot *slot_of(const name_table_t *table, const char *name)
{
  size_t i = hash(name) & (table->n_slots - 1);
  while (table->slots[i].name && strcmp(table->slots[i].name, name) != 0)
    i = (i + 1) & (table->n_slots - 1);
  return &table->slots[i];
}

int name_table_find(const name_table_t *table, const char *name)
{
  if (table->n_slots == 0) return -1;
  const struct name_slot *slot = slot_of(table, name);
  return slot->name ? slot->number : -1;
}

static int grow(name_table_t *table)
{
  name_table_t bigger = {.n = table->n, .n_slots = table->n_slots ? 2 * table->n_slots : 16};
  bigger.slots = budget_calloc(bigger.n_slots, sizeof *bigger.slots);
  if (!bigger.slots) return 0;
  for (size_t i = 0; i < table->n_slots; i++)
    if (table->slots[i].name) *slot_of(&bigger, table->slots[i].name) = table->slots[i];
  free(table->slots);
  budget_give(table->n_slots * sizeof *table->slots);
  *table = bigger;
  return 1;
}

int name_table_add(name_table_t *table, const char *name, int number)
{
  if (2 * (table->n + 1) > table->n_slots && !grow(table)) return 0;
  *slot_of(table, name) = (struct name_slot){name, number};
  table->n++;
  return 1;
}

void name_table_clear(name_table_t *table)
{
  free(table->slots);
  *table = (name_table_t){0};
}
