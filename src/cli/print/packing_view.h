/* SPDX-License-Identifier: BSD-3-Clause */
/* Which call sites' messages the MPI packs, and what that costs. */
#ifndef BERTH_CLI_PRINT_PACKING_VIEW_H
#define BERTH_CLI_PRINT_PACKING_VIEW_H

#include <berth/packing.h>
#include <stdio.h>

#include "base/json_out.h"

/* A table of the call sites that pack longest, if any does; and how many messages have no known
 * cost. */
void packing_view_print(FILE *to, const berth_packing_t *k, const berth_pattern_t *p,
                        const int *pu_of_rank);
/* The member `packing` of an open object: all of them. */
void packing_view_put(json_out_t *j, const berth_packing_t *k, const berth_pattern_t *p,
                      const int *pu_of_rank);

#endif
