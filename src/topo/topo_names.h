/* SPDX-License-Identifier: BSD-3-Clause */
/* A hash table from names to numbers of at least 0. */
#ifndef BERTH_TOPO_NAMES_H
#define BERTH_TOPO_NAMES_H

#include <stddef.h>

/* Names are borrowed and must outlive the table. Zero-initialise. */
typedef struct name_table {
  struct name_slot *slots;
  size_t n, n_slots;
} name_table_t;

/* The name's number; -1 if it isn't in the table. */
int name_table_find(const name_table_t *table, const char *name);
/* Adds a name that isn't in the table yet. 0 when memory is out. */
int name_table_add(name_table_t *table, const char *name, int number);
void name_table_clear(name_table_t *table);

#endif
