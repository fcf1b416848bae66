/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs whose ranks waited for a core, because other processes or other ranks had it. */
#ifndef BERTH_PATTERN_PATTERN_CORE_WAIT_H
#define BERTH_PATTERN_PATTERN_CORE_WAIT_H

#include <berth/pattern.h>

/* The share of a rank's time outside of MPI calls that it waited for a core; `fallback` if that is
 * unknown. The rank's times are known. */
double pattern_core_wait_of(const berth_rank_info_t *info, double fallback);

/* A sentence for people, if a rank waited so long that the times of the run say little about an
 * undisturbed one. The caller frees it. NULL if none did, it is unknown, or memory is out. */
char *pattern_core_wait_text(const berth_pattern_t *p);

#endif
