/* SPDX-License-Identifier: BSD-3-Clause */
/* Phases, when all ranks have been added and their calls merged. */
#ifndef BERTH_SPOOL_ASSEMBLE_ASSEMBLE_PHASE_H
#define BERTH_SPOOL_ASSEMBLE_ASSEMBLE_PHASE_H

#include "spool/assemble/assemble_internal.h"

/* Works out how often each phase occurred. */
int phases_settle(assembly_t *a, int rc, berth_error_t *err);
/* How often one occurred. */
uint64_t phases_repeats(const assembly_t *a, uint32_t id);
/* Adds their lines to the pattern. */
int phases_add(const assembly_t *a, berth_pattern_t *to, berth_error_t *err);
/* Writes what there is to say of them, "" for nothing. */
void phases_note(const assembly_t *a, char *text, size_t size);

#endif
