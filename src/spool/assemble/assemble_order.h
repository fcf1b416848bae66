/* SPDX-License-Identifier: BSD-3-Clause */
/* Orders: the steps that ranks took. */
#ifndef BERTH_SPOOL_ASSEMBLE_ASSEMBLE_ORDER_H
#define BERTH_SPOOL_ASSEMBLE_ASSEMBLE_ORDER_H

#include "spool/assemble/assemble_load.h"
#include "spool/assemble/assemble_team.h"

/* Moves a rank's orders into the assembly. */
int orders_take(rank_load_t *load, berth_error_t *err);
/* Adds the orders to the pattern. Those that disagree with its messages are dropped. `names` has
 * the pattern's numbers of communicators. */
int orders_add(assembly_t *a, berth_pattern_t *to, const names_t *names, berth_error_t *err);
/* Writes how many orders are missing in the finished pattern, and why. */
void orders_note(const assembly_t *a, char *text, size_t size);

#endif
