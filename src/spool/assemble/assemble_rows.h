/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows: what a rank sent to each destination in a collective call. They stay with their rank. */
#ifndef BERTH_SPOOL_ASSEMBLE_ASSEMBLE_ROWS_H
#define BERTH_SPOOL_ASSEMBLE_ASSEMBLE_ROWS_H

#include "spool/assemble/assemble_team.h"

/* merge_called for one rank's calls. Marks incomplete rows. */
size_t rows_merge(called_t *called, size_t n);
/* Moves all ranks' rows out of the calls. Each rank's part stays with the calls. */
int rows_put_aside(assembly_t *a, berth_error_t *err);
/* Applies to rows the n changes of their calls. Either all changes are `folded` or none. */
void rows_change(assembly_t *a, changed_t *change, size_t n);
/* Adds rows to the pattern. `names` has the pattern's numbers of sites and communicators. */
int rows_add(assembly_t *a, berth_pattern_t *to, const names_t *names, berth_error_t *err);

#endif
