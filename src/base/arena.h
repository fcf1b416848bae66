/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that lives as long as its owner: many small pieces, freed together. */
#ifndef BERTH_BASE_ARENA_H
#define BERTH_BASE_ARENA_H

#include <stddef.h>

typedef struct arena {
  struct arena_block *last; /* NULL in an empty arena: zero-initialise */
} arena_t;

/* n bytes, aligned for any type, not cleared. NULL when memory is out. */
void *arena_alloc(arena_t *a, size_t n);
void *arena_copy(arena_t *a, const void *data, size_t n);
char *arena_strdup(arena_t *a, const char *s);
/* A copy of n strings in an array. */
const char **arena_strings(arena_t *a, size_t n, const char *const *strings);

void arena_free(arena_t *a);

#endif
