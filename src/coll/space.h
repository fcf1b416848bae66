/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory for one call at a time. It grows to what a call needs, and shrinks when a much smaller one
 * follows a very large one. */
#ifndef BERTH_COLL_SPACE_H
#define BERTH_COLL_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/* All zero is an empty one. */
typedef struct space {
  char *data;
  size_t bytes;
} space_t;

enum { SPACE_KEPT = 32 << 20 }; /* bytes that are kept, however few the next call needs */

/* That many bytes, aligned as by malloc. The bytes of the call before are lost. NULL: out of
 * memory. */
static inline char *space_take(space_t *s, size_t bytes)
{
  bool large = s->bytes > SPACE_KEPT && bytes < s->bytes / 4;
  if (s->data && bytes <= s->bytes && !large) return s->data;
  free(s->data);
  s->data = malloc(bytes);
  s->bytes = s->data ? bytes : 0;
  return s->data;
}

/* The next bytes of a space, aligned like its beginning: up to 15 more than asked for are gone. */
static inline char *space_divide(char **next, size_t bytes)
{
  char *taken = *next;
  *next += (bytes + 15) / 16 * 16;
  return taken;
}

static inline void space_free(space_t *s)
{
  free(s->data);
  *s = (space_t){0};
}

#endif
