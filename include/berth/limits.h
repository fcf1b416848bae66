/* SPDX-License-Identifier: BSD-3-Clause */
/* Limits that several formats share. */
#ifndef BERTH_LIMITS_H
#define BERTH_LIMITS_H

#include <stdint.h>

/* The largest job, in ranks. */
enum { BERTH_MAX_RANKS = 1 << 24 };

/* The largest amount of a pattern (bytes, messages, calls): doubles hold whole numbers up to it. */
#define BERTH_MAX_AMOUNT ((uint64_t)1 << 53)

#endif
