/* SPDX-License-Identifier: BSD-3-Clause */
/* Allocates small pieces of memory in large blocks, which are freed together. */
#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"

struct arena_block {
  struct arena_block *before;
  size_t used, size;
  max_align_t data[];
};

enum { BLOCK = 1 << 14 };

static struct arena_block *new_block(arena_t *a, size_t size)
{
  if (size > SIZE_MAX - sizeof(struct arena_block)) return NULL;
  struct arena_block *b = budget_take(sizeof *b + size) ? malloc(sizeof *b + size) : NULL;
  if (!b) return NULL;
  b->before = a->last;
  b->used = 0;
  b->size = size;
  a->last = b;
  return b;
}

void *arena_alloc(arena_t *a, size_t n)
{
  size_t align = alignof(max_align_t);
  if (n > SIZE_MAX - align) return NULL;
  n = (n + align - 1) / align * align;
  struct arena_block *b = a->last;
  if (!b || b->size - b->used < n) b = new_block(a, n > BLOCK ? n : BLOCK);
  if (!b) return NULL;
  void *p = (char *)b->data + b->used;
  b->used += n;
  return p;
}

void *arena_copy(arena_t *a, const void *data, size_t n)
{
  void *p = arena_alloc(a, n);
  if (p && n) memcpy(p, data, n);
  return p;
}

char *arena_strdup(arena_t *a, const char *s) { return arena_copy(a, s, strlen(s) + 1); }

const char **arena_strings(arena_t *a, size_t n, const char *const *strings)
{
  if (n > SIZE_MAX / sizeof *strings) return NULL;
  const char **out = arena_alloc(a, n * sizeof *out);
  for (size_t i = 0; out && i < n; i++)
    if (!(out[i] = arena_strdup(a, strings[i]))) return NULL;
  return out;
}

void arena_free(arena_t *a)
{
  while (a->last) {
    struct arena_block *before = a->last->before;
    free(a->last);
    a->last = before;
  }
}
