/* SPDX-License-Identifier: BSD-3-Clause */
/* What a thread may allocate while it reads a file. Between budget_begin and budget_end growable
 * arrays, arenas and documents of JSON count against the limit, and whatever says so by itself;
 * nothing is counted otherwise. A refusal looks like memory that is out: budget_end says what it
 * was. */
#ifndef BERTH_BASE_BUDGET_H
#define BERTH_BASE_BUDGET_H

#include <berth/error.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct budget {
  size_t limit, used;
  size_t document;      /* of `used`: for the last document of JSON, which is counted once */
  size_t refused;       /* what `used` would have been, 0 so far */
  struct budget *outer; /* what the thread counts against otherwise */
} budget_t;

void budget_begin(budget_t *b);

/* Ends it. Returns rc, unless something was refused: then rc is a failure, and BERTH_MISSING with
 * one line is what it becomes. */
int budget_end(budget_t *b, const char *file, int rc, berth_error_t *err);

/* Counts n bytes more, or less. False: there is no room, and nothing is counted. */
bool budget_take(size_t n);
void budget_give(size_t n);

/* Counts the document that takes the place of the last one. */
bool budget_document(size_t n);

/* calloc and malloc that count, of what lives as long as what is read. */
void *budget_calloc(size_t n, size_t size);
void *budget_malloc(size_t n, size_t size);

#endif
