/* SPDX-License-Identifier: BSD-3-Clause */
/* Costs as JSON members of an open object (docs/formats/cost.md), and texts for people. */
#ifndef BERTH_COST_PUT_H
#define BERTH_COST_PUT_H

#include <berth/uncertainty.h>

#include "base/json_out.h"

/* Like berth_resource_text, for names of any length. The caller frees it. NULL when memory is
 * out. */
char *cost_resource_text(const berth_topo_t *t, berth_resource_t r);

/* Like topo_level_types. The caller frees it. NULL when memory is out. */
char *cost_level_types(const berth_topo_t *t, int depth);

/* The margin of placement i's cost, such as " ± 1.2%". "" if u is NULL or the cost is 0. Returns
 * buf. */
enum { COST_MARGIN = 24 };
const char *cost_margin_text(const berth_uncertainty_t *u, size_t i, char buf[COST_MARGIN]);

void cost_put_resource(json_out_t *j, const berth_topo_t *t, berth_resource_t r);
void cost_put_bottleneck(json_out_t *j, const berth_topo_t *t, const berth_phase_cost_t *p);
void cost_put_phase(json_out_t *j, const berth_topo_t *t, const berth_phase_cost_t *p);
void cost_put_levels(json_out_t *j, const berth_topo_t *t, const berth_cost_result_t *r);

/* Writes the interval of a cost. Keys begin with `prefix`. Nothing if u is NULL. */
void cost_put_interval(json_out_t *j, const berth_uncertainty_t *u, const char *prefix, size_t i);
void cost_put_comparison(json_out_t *j, const berth_uncertainty_t *u, size_t a, size_t b);
void cost_put_uncertainty(json_out_t *j, const berth_uncertainty_t *u);

/* Gives `note` each sentence that people need to judge costs: what margins cover (unless u is
 * NULL), what estimates leave out, what depends on the network, what curves are worth. */
typedef void cost_note_t(void *to, const char *sentence);
int cost_notes(const berth_topo_t *topo, const berth_pattern_t *p, const berth_uncertainty_t *u,
               cost_note_t *note, void *to, berth_error_t *err);
void cost_put_coverage(json_out_t *j, const berth_pattern_t *p);

#endif
