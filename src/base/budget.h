/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory budgets of a thread that reads a file. Between budget_begin and budget_end, growable
 * arrays, arenas, JSON documents and callers of budget_take count against the limit. Outside,
 * nothing is counted. A refusal looks like an allocation that failed; budget_end then says the
 * real reason. */
#ifndef BERTH_BASE_BUDGET_H
#define BERTH_BASE_BUDGET_H

#include <berth/error.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct budget {
  size_t limit, used;
  size_t document;      /* the part of `used` for the last JSON document */
  size_t refused;       /* what `used` would have become; 0: nothing was refused */
  struct budget *outer; /* the thread's budget before this one */
} budget_t;

void budget_begin(budget_t *b);

/* Ends the budget. Returns rc if nothing was refused. Otherwise fills *err and returns
 * BERTH_MISSING. */
int budget_end(budget_t *b, const char *file, int rc, berth_error_t *err);

/* Counts n bytes more, or less. Returns false and counts nothing if they don't fit. */
bool budget_take(size_t n);
void budget_give(size_t n);

/* Fails with BERTH_MISSING if a reader wouldn't be allowed so many bytes for `what`. */
int budget_allows(double bytes, const char *what, berth_error_t *err);

/* Counts a JSON document of n bytes in place of the last one. */
bool budget_document(size_t n);

/* calloc and malloc that count. Nothing gives the bytes back: use them for results of the
 * reader. */
void *budget_calloc(size_t n, size_t size);
void *budget_malloc(size_t n, size_t size);

#endif
