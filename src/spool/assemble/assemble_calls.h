/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective calls. */
#ifndef BERTH_SPOOL_ASSEMBLE_ASSEMBLE_CALLS_H
#define BERTH_SPOOL_ASSEMBLE_ASSEMBLE_CALLS_H

#include "spool/assemble/assemble_load.h"
#include "spool/assemble/assemble_team.h"

/* Loads the collective calls of one rank image, then their per-destination rows, then joins them.
 * `phase` may be a segment class. */
int calls_load(rank_load_t *load, const spool_coll_t *c, uint32_t phase, berth_error_t *err);
int calls_load_row(rank_load_t *load, const spool_message_t *m, uint32_t phase, berth_error_t *err);
int calls_join_rows(rank_load_t *load, berth_error_t *err);

/* Puts all ranks' rows aside and merges calls over ranks. Comes after segments_settle and before
 * phases_settle. */
int calls_merge(assembly_t *a, berth_error_t *err);
/* In a team, at the first member, which has all calls and `max_called`, both sorted. */
int calls_cap(assembly_t *a, berth_error_t *err);
/* Notes that calls with rows have another phase or site now. */
int calls_note_change(assembly_t *a, const changed_t *change, berth_error_t *err);
/* Adds calls to the pattern, in which sites and communicators have these numbers. */
int calls_add(assembly_t *a, berth_pattern_t *to, const names_t *names, berth_error_t *err);

/* Bytes of ranks that follow one another; false when memory is out. */
typedef struct shares {
  berth_share_t *items;
  size_t n, cap;
} shares_t;
bool calls_add_shares(shares_t *x, uint64_t bytes, uint64_t ranks);

#endif
