/* SPDX-License-Identifier: BSD-3-Clause */
/* Arenas: many small pieces of memory that live as long as their owner and are freed together. */
#ifndef BERTH_BASE_ARENA_H
#define BERTH_BASE_ARENA_H

#include <stddef.h>

typedef struct arena {
  struct arena_block *last; /* NULL in an empty arena: zero-initialise */
} arena_t;

/* Returns n bytes, aligned for any type and not cleared; NULL if memory is out. The arena owns
 * them. */
void *arena_alloc(arena_t *a, size_t n);
void *arena_copy(arena_t *a, const void *data, size_t n);
char *arena_strdup(arena_t *a, const char *s);
/* Copies an array of n strings and the strings. NULL if memory is out. */
const char **arena_strings(arena_t *a, size_t n, const char *const *strings);

void arena_free(arena_t *a);

#endif
