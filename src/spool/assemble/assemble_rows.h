/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows: what a rank sent to each in a collective call. They stay with their rank. */
#ifndef BERTH_SPOOL_ASSEMBLE_ASSEMBLE_ROWS_H
#define BERTH_SPOOL_ASSEMBLE_ASSEMBLE_ROWS_H

#include "spool/assemble/assemble_team.h"

/* merge_called of one rank's calls; marks rows that lack something. */
size_t rows_merge(called_t *called, size_t n);
/* Takes all ranks' rows out of the calls. What each rank gave in total stays there. */
int rows_put_aside(assembly_t *a, berth_error_t *err);
/* Does to rows what was done to their calls, in n changes. Either all of them are `folded` or none.
 */
void rows_change(assembly_t *a, changed_t *change, size_t n);
/* Adds rows to the pattern, in which sites and communicators have these numbers. */
int rows_add(assembly_t *a, berth_pattern_t *to, const names_t *names, berth_error_t *err);

#endif
