/* SPDX-License-Identifier: BSD-3-Clause */
/* Orders of sends. */
#ifndef BERTH_SPOOL_ASSEMBLE_ASSEMBLE_ORDER_H
#define BERTH_SPOOL_ASSEMBLE_ASSEMBLE_ORDER_H

#include "spool/assemble/assemble_load.h"

/* Moves a rank's orders into the assembly. */
int orders_take(rank_load_t *load, berth_error_t *err);
/* Adds the orders to the pattern. Those that disagree with its messages are dropped. */
int orders_add(const assembly_t *a, berth_pattern_t *to, berth_error_t *err);
/* Writes how many orders are missing in the finished pattern, and why. */
void orders_note(const assembly_t *a, char *text, size_t size);

#endif
