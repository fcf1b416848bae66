/* SPDX-License-Identifier: BSD-3-Clause */
/* A hash table from numbers to indices, with open addressing. */
#include "base/id_table.h"

#include <stdlib.h>

#include "base/budget.h"
#include "base/hash.h"

struct id_slot {
  uint64_t id;
  size_t place; /* index + 1; 0: the slot is free */
};

/* The slot that holds the number, or the free slot to put it in. */
static struct id_slot *slot_of(const id_table_t *table, uint64_t id)
{
  uint64_t h = hash_bytes(HASH_START, &id, sizeof id);
  size_t i = (h ^ h >> 32) & (table->n_slots - 1);
  while (table->slots[i].place && table->slots[i].id != id) i = (i + 1) & (table->n_slots - 1);
  return &table->slots[i];
}

bool id_table_find(const id_table_t *table, uint64_t id, size_t *place)
{
  const struct id_slot *slot = table->n_slots ? slot_of(table, id) : NULL;
  if (!slot || !slot->place) return false;
  *place = slot->place - 1;
  return true;
}

static bool grow(id_table_t *table)
{
  id_table_t bigger = {.n = table->n, .n_slots = table->n_slots ? 2 * table->n_slots : 16};
  bigger.slots = budget_calloc(bigger.n_slots, sizeof *bigger.slots);
  if (!bigger.slots) return false;
  for (size_t i = 0; i < table->n_slots; i++)
    if (table->slots[i].place) *slot_of(&bigger, table->slots[i].id) = table->slots[i];
  free(table->slots);
  budget_give(table->n_slots * sizeof *table->slots);
  *table = bigger;
  return true;
}

bool id_table_add(id_table_t *table, uint64_t id, size_t place)
{
  if (2 * (table->n + 1) > table->n_slots && !grow(table)) return false;
  *slot_of(table, id) = (struct id_slot){id, place + 1};
  table->n++;
  return true;
}

void id_table_clear(id_table_t *table)
{
  free(table->slots);
  *table = (id_table_t){0};
}
