/* SPDX-License-Identifier: BSD-3-Clause */
/* Orders of sends. */
#ifndef BERTH_SPOOL_ASSEMBLE_ASSEMBLE_ORDER_H
#define BERTH_SPOOL_ASSEMBLE_ASSEMBLE_ORDER_H

#include "spool/assemble/assemble_load.h"

/* Takes those of a rank over. */
int orders_take(rank_load_t *load, berth_error_t *err);
/* Adds them to the pattern, which drops those that differ from its messages. */
int orders_add(const assembly_t *a, berth_pattern_t *to, berth_error_t *err);
/* Writes how many are missing in the finished pattern, and why. */
void orders_note(const assembly_t *a, char *text, size_t size);

#endif
