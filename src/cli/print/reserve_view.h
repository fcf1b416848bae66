/* SPDX-License-Identifier: BSD-3-Clause */
/* What `--reserve auto` found. */
#ifndef BERTH_CLI_PRINT_RESERVE_VIEW_H
#define BERTH_CLI_PRINT_RESERVE_VIEW_H

#include <berth/reserve.h>
#include <stdio.h>

#include "base/json_out.h"

/* Lines of notes: both times, and the verdict. */
void reserve_print(FILE *to, const berth_pattern_t *p, const berth_reserve_t *r);
/* The member "reserve_auto". */
void reserve_put(json_out_t *j, const berth_reserve_t *r);

#endif
