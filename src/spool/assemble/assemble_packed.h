/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages whose data aren't contiguous. They stay with their rank. */
#ifndef BERTH_SPOOL_ASSEMBLE_ASSEMBLE_PACKED_H
#define BERTH_SPOOL_ASSEMBLE_ASSEMBLE_PACKED_H

#include "spool/assemble/assemble_load.h"
#include "spool/assemble/assemble_team.h"

/* Loads a record of a rank image. */
int packed_load(rank_load_t *load, const spool_packed_t *x, berth_error_t *err);
/* packed_reserve makes room for the rank's layouts and returns false if memory is out. packed_take
 * then moves them into the assembly. */
bool packed_reserve(const rank_load_t *load);
void packed_take(const rank_load_t *load);
/* Marks the sites of layouts as used. */
void packed_mark_sites(const assembly_t *a, uint32_t *sites);
/* Adds layouts to the pattern, which adds up those of a rank's threads. */
int packed_add(const assembly_t *a, berth_pattern_t *to, const names_t *names, berth_error_t *err);

#endif
