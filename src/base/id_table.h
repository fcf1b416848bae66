/* SPDX-License-Identifier: BSD-3-Clause */
/* Hash tables from numbers to indices. */
#ifndef BERTH_BASE_ID_TABLE_H
#define BERTH_BASE_ID_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialise. */
typedef struct id_table {
  struct id_slot *slots;
  size_t n, n_slots;
} id_table_t;

bool id_table_find(const id_table_t *table, uint64_t id, size_t *place);
/* Adds a number that isn't in the table. Returns false if memory is out. */
bool id_table_add(id_table_t *table, uint64_t id, size_t place);
void id_table_clear(id_table_t *table);

#endif
