/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks what callers give to functions of estimates. */
#ifndef BERTH_COST_COST_CHECK_H
#define BERTH_COST_COST_CHECK_H

#include <berth/cost.h>

/* BERTH_USAGE, in the name of an option's field. */
int cost_check_model(berth_model_t model, const char *field, berth_error_t *err);
/* BERTH_BAD_INPUT if a rank has no PU of the topology. */
int cost_check_placement(const berth_pattern_t *p, const berth_topo_t *t, const int *pu_of_rank,
                         berth_error_t *err);

#endif
