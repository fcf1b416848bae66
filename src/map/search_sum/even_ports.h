/* SPDX-License-Identifier: BSD-3-Clause */
/* Evens out the load of ports. Under model sum many placements cost the same, and in some of them
 * one port carries several times as much as in others. */
#ifndef BERTH_MAP_SEARCH_SUM_EVEN_PORTS_H
#define BERTH_MAP_SEARCH_SUM_EVEN_PORTS_H

#include <berth/map.h>
#include <stdbool.h>

/* Changes a placement so that its busiest ports carry less in model bound, at the same price (to
 * 1e-12 of it). `cost` is an evaluator of the problem. *changed says whether anything changed. */
int even_ports(const berth_map_problem_t *problem, berth_cost_t *cost, int *pu_of_rank,
               bool *changed, berth_error_t *err);

#endif
