/* SPDX-License-Identifier: BSD-3-Clause */
/* What `berth map` says of the placements that it looked at. */
#ifndef BERTH_CLI_PRINT_MAP_REPORT_H
#define BERTH_CLI_PRINT_MAP_REPORT_H

#include <berth/map.h>
#include <stdio.h>

#include "base/json_out.h"

enum { MAP_REPORT_NAME = 128 };

/* What made candidate i: a mapper, and the phase alone that it saw. Returns buf. */
const char *map_report_name(const berth_map_report_t *r, size_t i, char buf[MAP_REPORT_NAME]);

/* The share of the chosen placement's price that lies between it and the lower bound: no placement
 * gains more. */
double map_report_gap(const berth_map_report_t *r);

/* Why the current order is kept, if it is; by_error: the gain that is asked for is the model's
 * error. */
void map_report_print_kept(FILE *to, const berth_map_report_t *r, const berth_topo_t *t,
                           int by_error);

/* What was tried, in lines of text; more_than_cost: prices are not only what the model says. */
void map_report_print(FILE *to, const berth_map_report_t *r, const berth_topo_t *t,
                      int more_than_cost);

/* The keys from candidates to left_as_it_is. */
void map_report_put(json_out_t *j, const berth_map_report_t *r);

#endif
