/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices of what ranks send to ranks, as lists of entries. */
#ifndef BERTH_EXCHANGE_PATTERN_SPARSE_H
#define BERTH_EXCHANGE_PATTERN_SPARSE_H

#include "exchange/pattern/traffic.h"

typedef struct sparse_entry {
  int src, dst;
  uint64_t value;
} sparse_entry_t;

/* Zero-initialise; free `entry`. */
typedef struct sparse {
  uint64_t ranks;
  sparse_entry_t *entry;
  size_t n, cap;
} sparse_t;

int sparse_add(sparse_t *m, int src, int dst, uint64_t value, berth_error_t *err);

/* Imports one matrix of bytes, or that and one of messages. The function reads a file's entries.
 * Fails if a place has two entries, numbers of ranks differ, or a pair has bytes without
 * messages. */
int sparse_import(const berth_import_t *in,
                  int (*read)(const char *path, sparse_t *m, berth_error_t *err), traffic_t *into,
                  berth_error_t *err);

#endif
