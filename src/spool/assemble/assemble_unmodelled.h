/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that are known by name and count alone. */
#ifndef BERTH_SPOOL_ASSEMBLE_ASSEMBLE_UNMODELLED_H
#define BERTH_SPOOL_ASSEMBLE_ASSEMBLE_UNMODELLED_H

#include "spool/assemble/assemble_load.h"

int unmodelled_load(rank_load_t *load, const spool_unmodelled_t *u, berth_error_t *err);
/* unmodelled_reserve makes room for the rank's calls and returns false if memory is out.
 * unmodelled_take then moves them into the assembly. */
bool unmodelled_reserve(const rank_load_t *load);
void unmodelled_take(const rank_load_t *load);
int unmodelled_add(const assembly_t *a, berth_pattern_t *to, berth_error_t *err);
/* Writes a message about these calls of the finished pattern. */
void unmodelled_note(const berth_pattern_t *made, char *text, size_t size);

#endif
