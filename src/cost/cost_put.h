/* SPDX-License-Identifier: BSD-3-Clause */
/* Prices as JSON, members of an open object: docs/formats/cost.md. */
#ifndef BERTH_COST_PUT_H
#define BERTH_COST_PUT_H

#include <berth/uncertainty.h>

#include "base/json_out.h"

/* berth_resource_text however long names are, which the caller frees; NULL when memory is out. */
char *cost_resource_text(const berth_topo_t *t, berth_resource_t r);

/* topo_level_types, in the same way. */
char *cost_level_types(const berth_topo_t *t, int depth);

/* " ± 1.2%", how sure placement i's cost is, as a share of it; "" where nothing is known (u NULL)
 * and nothing is lost. Returns buf. */
enum { COST_MARGIN = 24 };
const char *cost_margin_text(const berth_uncertainty_t *u, size_t i, char buf[COST_MARGIN]);

void cost_put_resource(json_out_t *j, const berth_topo_t *t, berth_resource_t r);
void cost_put_bottleneck(json_out_t *j, const berth_topo_t *t, const berth_phase_cost_t *p);
void cost_put_phase(json_out_t *j, const berth_topo_t *t, const berth_phase_cost_t *p);
void cost_put_levels(json_out_t *j, const berth_topo_t *t, const berth_cost_result_t *r);

/* How sure costs are; nothing where u is NULL. The keys begin with `prefix`. */
void cost_put_interval(json_out_t *j, const berth_uncertainty_t *u, const char *prefix, size_t i);
void cost_put_comparison(json_out_t *j, const berth_uncertainty_t *u, size_t a, size_t b);
void cost_put_uncertainty(json_out_t *j, const berth_uncertainty_t *u);

/* One sentence on what estimates leave out of a pattern, which the caller frees; NULL where nothing
 * is left out (and where memory is out). */
char *cost_coverage_text(const berth_pattern_t *p);
void cost_put_coverage(json_out_t *j, const berth_pattern_t *p);

#endif
