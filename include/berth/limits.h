/* SPDX-License-Identifier: BSD-3-Clause */
/* Limits that patterns and mappings share. */
#ifndef BERTH_LIMITS_H
#define BERTH_LIMITS_H

/* The largest job, in ranks. */
enum { BERTH_MAX_RANKS = 1 << 24 };

#endif
