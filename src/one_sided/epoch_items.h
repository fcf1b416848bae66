/* SPDX-License-Identifier: BSD-3-Clause */
/* The one-sided operations of a pattern, by the epochs that they are in. */
#ifndef BERTH_ONE_SIDED_EPOCH_ITEMS_H
#define BERTH_ONE_SIDED_EPOCH_ITEMS_H

#include <berth/pattern.h>

#include "one_sided/epoch_rules.h"

/* Operations of one size from one line of a pattern to one target. */
typedef struct epoch_item {
  int phase, win, comm;
  const char *sync;
  int src, dst, site;
  const epoch_operation_t *op;
  uint64_t size, count, epochs; /* in one occurrence of the phase */
  uint64_t begin; /* the first of the epochs that have one operation more than others */
  size_t line;    /* its index in berth_pattern_rmas */
} epoch_item_t;

/* Items of one phase, window and kind of synchronisation. Each rank's epochs are numbered from 0,
 * and an item takes part in the first ones, as many as it has. So ranks with fewer epochs are idle
 * in the last ones. If an item's operations aren't a multiple of its epochs, some epochs have one
 * more: those that follow the ones where the line's last item has one more, and so on in a circle.
 * So an epoch of a line is only empty if the line has more epochs than operations. */
typedef struct epoch_group {
  const epoch_item_t *item;
  size_t n;
  /* Where epochs change: those from edge[i] to edge[i + 1] - 1 are alike. */
  uint64_t *edge;
  size_t n_edges;
} epoch_group_t;

/* The items of the operations that the rules know, sorted by group, then by pair, *n of them.
 * NULL: memory is out. The caller frees them. */
epoch_item_t *epoch_items(const berth_pattern_t *p, const epoch_rules_t *rules, size_t *n);

/* The group that begins with item[0] of n. Free its `edge`. False: memory is out. */
bool epoch_group_of(const epoch_item_t *item, size_t n, epoch_group_t *out);

/* How many operations of the item are in an epoch. */
uint64_t epoch_item_operations(const epoch_item_t *i, uint64_t epoch);

#endif
