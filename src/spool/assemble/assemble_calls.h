/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective calls of the assembly. */
#ifndef BERTH_SPOOL_ASSEMBLE_ASSEMBLE_CALLS_H
#define BERTH_SPOOL_ASSEMBLE_ASSEMBLE_CALLS_H

#include "spool/assemble/assemble_load.h"
#include "spool/assemble/assemble_team.h"

/* Load one rank image: calls_load and calls_load_row its calls and their rows, calls_join_rows
 * then joins them. `phase` may be a segment class. */
int calls_load(rank_load_t *load, const spool_coll_t *c, uint32_t phase, berth_error_t *err);
int calls_load_row(rank_load_t *load, const spool_message_t *m, uint32_t phase, berth_error_t *err);
int calls_join_rows(rank_load_t *load, berth_error_t *err);

/* Separates the rows and merges the calls of all ranks. Call it between segments_settle and
 * phases_settle. */
int calls_merge(assembly_t *a, berth_error_t *err);
/* Limits the calls of automatic phases. In a team, the first member calls it; it has all calls
 * and `max_called`, both sorted. */
int calls_cap(assembly_t *a, berth_error_t *err);
/* Notes that the calls of rows got another phase or site. */
int calls_note_change(assembly_t *a, const changed_t *change, berth_error_t *err);
/* Adds the calls to the pattern. `names` has the pattern's numbers of sites and communicators. */
int calls_add(assembly_t *a, berth_pattern_t *to, const names_t *names, berth_error_t *err);

/* Bytes of consecutive ranks. Functions return false if memory is out. */
typedef struct shares {
  berth_share_t *items;
  size_t n, cap;
} shares_t;
bool calls_add_shares(shares_t *x, uint64_t bytes, uint64_t ranks);

#endif
