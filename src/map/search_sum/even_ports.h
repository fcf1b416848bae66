/* SPDX-License-Identifier: BSD-3-Clause */
/* Under model sum many placements cost the same, and some of them have a port that carries several
 * times what others' busiest port does. */
#ifndef BERTH_MAP_SEARCH_SUM_EVEN_PORTS_H
#define BERTH_MAP_SEARCH_SUM_EVEN_PORTS_H

#include <berth/map.h>
#include <stdbool.h>

/* Changes a placement so that its busiest ports carry less by model bound, at a price that stays
 * the same (to 1e-12 of it); `cost` is an evaluator of the problem's. *changed says whether
 * anything was found. */
int even_ports(const berth_map_problem_t *problem, berth_cost_t *cost, int *pu_of_rank,
               bool *changed, berth_error_t *err);

#endif
