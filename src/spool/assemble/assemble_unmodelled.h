/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that are known by name and number alone. */
#ifndef BERTH_SPOOL_ASSEMBLE_ASSEMBLE_UNMODELLED_H
#define BERTH_SPOOL_ASSEMBLE_ASSEMBLE_UNMODELLED_H

#include "spool/assemble/assemble_load.h"

int unmodelled_load(rank_load_t *load, const spool_unmodelled_t *u, berth_error_t *err);
/* Reserves room for the rank's calls, false when memory is out; then takes them over. */
bool unmodelled_reserve(const rank_load_t *load);
void unmodelled_take(const rank_load_t *load);
int unmodelled_add(const assembly_t *a, berth_pattern_t *to, berth_error_t *err);
/* Writes what there is to say of them in the finished pattern. */
void unmodelled_note(const berth_pattern_t *made, char *text, size_t size);

#endif
