/* SPDX-License-Identifier: BSD-3-Clause */
/* Which call sites' messages the MPI packs, and what that costs. */
#ifndef BERTH_CLI_PRINT_PACKING_VIEW_H
#define BERTH_CLI_PRINT_PACKING_VIEW_H

#include <berth/packing.h>
#include <stdio.h>

#include "base/json_out.h"
#include "cli/options/inputs.h"

/* A table of the call sites that pack longest, if any does; and how many messages have no known
 * cost. */
void packing_view_print(FILE *to, const inputs_t *in, const int *pu_of_rank, berth_model_t model);
/* The member `packing` of an open object: all of them. */
void packing_view_put(json_out_t *j, const inputs_t *in, const int *pu_of_rank,
                      berth_model_t model);

#endif
