/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory for one call at a time, which grows to the largest that a call has needed. */
#ifndef BERTH_COLL_SPACE_H
#define BERTH_COLL_SPACE_H

#include <stddef.h>
#include <stdlib.h>

/* All zero is an empty one. */
typedef struct space {
  char *data;
  size_t bytes;
} space_t;

/* That many bytes, aligned as by malloc. The bytes of the call before are lost. NULL: out of
 * memory. */
static inline char *space_take(space_t *s, size_t bytes)
{
  if (s->data && bytes <= s->bytes) return s->data;
  free(s->data);
  s->data = malloc(bytes);
  s->bytes = s->data ? bytes : 0;
  return s->data;
}

static inline void space_free(space_t *s)
{
  free(s->data);
  *s = (space_t){0};
}

#endif
