/* SPDX-License-Identifier: BSD-3-Clause */
/* Sorting, searching and merging lists of messages. */
#ifndef BERTH_PATTERN_MESSAGE_MERGE_H
#define BERTH_PATTERN_MESSAGE_MERGE_H

#include <berth/pattern.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* qsort order: by phase, source, destination, size and site. */
int message_order(const void *a, const void *b);

/* The index of the first message that isn't before the pair, in the sorted messages of one phase;
 * n if there is none. */
size_t message_find(const berth_message_t *m, size_t n, int src, int dst);

/* Sorts messages and merges those that differ in count and bytes only, as long as sums are at most
 * BERTH_MAX_AMOUNT. Returns how many are left. If several equal ones are left, only the last can
 * still grow. */
size_t message_merge(berth_message_t *m, size_t n);

/* Whether a merge pays: the list is full, and twice as long as after the last merge (`kept`). */
bool message_merge_is_due(size_t n, size_t cap, size_t kept);

#endif
