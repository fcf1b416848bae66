/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts the memory that readers of files allocate, and refuses more than their limit. */
#include "base/budget.h"

#include <berth/memory.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/text.h"

static _Atomic uint64_t limit = BERTH_DEFAULT_MEMORY;
static _Thread_local budget_t *current;

void berth_set_memory(uint64_t bytes) { limit = bytes; }

void budget_begin(budget_t *b)
{
  uint64_t max = limit;
  *b = (budget_t){.limit = max < SIZE_MAX ? (size_t)max : SIZE_MAX, .outer = current};
  current = b;
}

int budget_end(budget_t *b, const char *file, int rc, berth_error_t *err)
{
  char found[TEXT_NUMBER], max[TEXT_NUMBER];
  current = b->outer;
  if (!rc || !b->refused) return rc;
  return berth_fail(err, BERTH_MISSING,
                    "%s: found data for at least %s of memory, expected at most %s "
                    "(`berth_set_memory` allows more)",
                    file, text_bytes((double)b->refused, found), text_bytes((double)b->limit, max));
}

bool budget_take(size_t n)
{
  budget_t *b = current;
  if (!b) return true;
  if (n <= b->limit && b->used <= b->limit - n) {
    b->used += n;
    return true;
  }
  if (!b->refused) b->refused = n < SIZE_MAX - b->used ? b->used + n : SIZE_MAX;
  return false;
}

void budget_give(size_t n)
{
  if (current) current->used -= n < current->used ? n : current->used;
}

int budget_allows(double bytes, const char *what, berth_error_t *err)
{
  budget_t budget;
  budget_begin(&budget);
  bool fits = bytes < (double)SIZE_MAX && budget_take((size_t)bytes);
  return budget_end(&budget, what, fits ? BERTH_OK : BERTH_MISSING, err);
}

bool budget_document(size_t n)
{
  if (!current) return true;
  budget_give(current->document);
  current->document = 0;
  if (!budget_take(n)) return false;
  current->document = n;
  return true;
}

static bool take(size_t n, size_t size)
{
  size_t bytes;
  return !__builtin_mul_overflow(n, size, &bytes) && budget_take(bytes);
}

void *budget_calloc(size_t n, size_t size) { return take(n, size) ? calloc(n, size) : NULL; }

void *budget_malloc(size_t n, size_t size) { return take(n, size) ? malloc(n * size) : NULL; }
