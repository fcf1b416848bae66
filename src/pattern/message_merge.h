/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BERTH_PATTERN_MESSAGE_MERGE_H
#define BERTH_PATTERN_MESSAGE_MERGE_H

#include <berth/pattern.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most that a count or a number of bytes may be: what the format holds exactly. */
#define MOST_AMOUNT ((uint64_t)1 << 53)

/* By phase, source, destination, size and site. */
int message_order(const void *a, const void *b);

/* Sorts messages and adds up those that differ in count and bytes only, as far as the sums are at
 * most MOST_AMOUNT. Returns how many are left; of those of one order only the last has room. */
size_t message_merge(berth_message_t *m, size_t n);

/* Whether it is worth it: a list is full that has doubled since `kept` were left. */
bool message_merge_is_due(size_t n, size_t cap, size_t kept);

#endif
