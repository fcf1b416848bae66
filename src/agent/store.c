/* SPDX-License-Identifier: BSD-3-Clause */
/* Pieces have sizes of powers of two, and each size a list of free ones: a program's calls have few
 * sizes, again and again. */
#include "agent/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/array.h"

enum { HEAD = 4096, LEAST_CLASS = 6, GROWS_BY = 1 << 20, RETURNED = 1 << 22 };
static const uint64_t most_span = (uint64_t)1 << 36, least_span = (uint64_t)1 << 26;

/* As many addresses as the process may have. */
static char *map_own(store_name_t *name, uint64_t size)
{
  for (name->span = most_span; name->span >= least_span; name->span /= 2) {
    char *base = shared_file_map(&name->file, size, name->span);
    if (base || errno != ENOMEM) return base;
  }
  return NULL;
}

bool store_new(const char *name, store_t *out)
{
  *out = (store_t){.size = GROWS_BY, .used = HEAD};
  if (!shared_file_new(name, out->size, &out->name.file)) return false;
  out->base = map_own(&out->name, out->size);
  if (out->base) return true;
  int reason = errno;
  shared_file_close(&out->name.file);
  errno = reason;
  return false;
}

void store_free(store_t *s)
{
  if (!s->base) return;
  store_unmap(s->base, &s->name);
  shared_file_close(&s->name.file);
  for (int i = 0; i < STORE_CLASSES; i++) free(s->free[i]);
  *s = (store_t){0};
}

static int class_of(uint64_t bytes)
{
  int class = LEAST_CLASS;
  while (class < STORE_CLASSES && (uint64_t)1 << class < bytes) class ++;
  return class;
}

static bool grow_to(store_t *s, uint64_t end)
{
  if (end <= s->size) return true;
  uint64_t size = (end + s->size / 4 + GROWS_BY - 1) / GROWS_BY * GROWS_BY;
  if (size > s->name.span) size = s->name.span;
  if (end > size || !shared_file_grow(&s->name.file, size)) return false;
  s->size = size;
  return true;
}

uint64_t store_take(store_t *s, uint64_t bytes)
{
  int class = class_of(bytes);
  if (class >= STORE_CLASSES) return 0;
  if (s->n_free[class] > 0) return s->free[class][--s->n_free[class]];
  uint64_t at = s->used, end = at + ((uint64_t)1 << class);
  if (!grow_to(s, end)) return 0;
  s->used = end;
  return at;
}

void store_give(store_t *s, uint64_t at, uint64_t bytes)
{
  int class = class_of(bytes);
  if (at == 0) return;
  if (bytes >= RETURNED)
    fallocate(s->name.file.file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)at,
              (off_t)1 << class);
  if (ARRAY_GROW(&s->free[class], s->n_free[class], &s->cap_free[class]))
    s->free[class][s->n_free[class]++] = at;
}

char *store_map(const store_name_t *name) { return shared_file_map(&name->file, HEAD, name->span); }

void store_unmap(char *base, const store_name_t *name) { munmap(base, name->span); }
