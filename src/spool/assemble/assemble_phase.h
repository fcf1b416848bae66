/* SPDX-License-Identifier: BSD-3-Clause */
/* Phases of all ranks. Use it after all ranks were added and their calls merged. */
#ifndef BERTH_SPOOL_ASSEMBLE_ASSEMBLE_PHASE_H
#define BERTH_SPOOL_ASSEMBLE_ASSEMBLE_PHASE_H

#include "spool/assemble/assemble_internal.h"

/* Finds how often each phase occurred. */
int phases_settle(assembly_t *a, int rc, berth_error_t *err);
/* How often phase `id` occurred. */
uint64_t phases_repeats(const assembly_t *a, uint32_t id);
/* Whether the phase has messages or calls of any rank. */
bool phases_is_used(const assembly_t *a, uint32_t id);
/* Adds the phases to the pattern. */
int phases_add(const assembly_t *a, berth_pattern_t *to, berth_error_t *err);
/* Writes a message about phases; "" if there is nothing to say. */
void phases_note(const assembly_t *a, char *text, size_t size);

#endif
