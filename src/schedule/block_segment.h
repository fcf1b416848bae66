/* SPDX-License-Identifier: BSD-3-Clause */
/* The segments into which a call divides a block. */
#ifndef BERTH_SCHEDULE_BLOCK_SEGMENT_H
#define BERTH_SCHEDULE_BLOCK_SEGMENT_H

#include "schedule/schedule.h"

/* How many segments a block of n elements has: none if n is 0. */
int64_t segment_count(const schedule_call_t *c, int64_t n);

/* Where segment i begins, and its elements: 0 if there is no such segment. */
int64_t segment_first(const schedule_call_t *c, int64_t i);
int64_t segment_size(const schedule_call_t *c, int64_t n, int64_t i);

#endif
