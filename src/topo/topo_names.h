/* SPDX-License-Identifier: BSD-3-Clause */
/* Names: storage that never moves, and tables that find a name's number. */
#ifndef BERTH_TOPO_NAMES_H
#define BERTH_TOPO_NAMES_H

#include <stddef.h>

/* Strings that live until the arena is cleared. Zero-initialise. */
typedef struct text_arena {
  struct text_block *blocks;
} text_arena_t;

/* A NUL-terminated copy of the n bytes at s; NULL when memory is out. */
const char *text_arena_add(text_arena_t *arena, const char *s, size_t n);
void text_arena_clear(text_arena_t *arena);

/* A hash table from names to numbers of at least 0. Keys are borrowed and must stay. */
typedef struct name_table {
  struct name_slot *slots;
  size_t n, n_slots;
} name_table_t;

/* The name's number, -1 when it isn't in the table. */
int name_table_find(const name_table_t *table, const char *name);
/* Adds a name that isn't in the table; 0 when memory is out. */
int name_table_add(name_table_t *table, const char *name, int number);
void name_table_clear(name_table_t *table);

#endif
