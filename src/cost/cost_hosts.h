/* SPDX-License-Identifier: BSD-3-Clause */
/* Phases whose messages depend on which ranks share a host (pattern/by_hosts.h). An evaluator of
 * their rounds is made for the hosts of a placement, and kept while placements have the same. */
#ifndef BERTH_COST_COST_HOSTS_H
#define BERTH_COST_COST_HOSTS_H

#include "cost/cost_internal.h"

/* Part of berth_cost_new. */
int cost_lay_out_hosts(berth_cost_t *c, berth_error_t *err);
void cost_hosts_free(struct cost_hosts *hosts);

/* Whether phase k is of this kind. */
bool cost_is_by_hosts(const berth_cost_t *c, size_t k);

/* The cost of all occurrences of these phases, of which there are some. Infinity after a failure;
 * berth_cost_ran_out tells which. */
double cost_hosts_evaluate(berth_cost_t *c, berth_model_t model, const int *pu_of_rank);

/* Adds their costs and reasons to those of the other phases. */
int cost_hosts_explain(berth_cost_t *c, berth_model_t model, const int *pu_of_rank,
                       size_t max_pairs, berth_cost_result_t *out, berth_error_t *err);

/* As cost_levels_of_phase, for such a phase. */
int cost_hosts_levels(berth_cost_t *c, size_t k, const int *pu_of_rank, int n_levels,
                      double *messages, double *bytes, berth_error_t *err);

/* As berth_cost_loads and berth_cost_pairs_on, for such a phase: sums of its rounds. */
int cost_hosts_loads(const berth_cost_t *c, berth_model_t model, size_t k, const int *pu_of_rank,
                     berth_load_t **out, size_t *n, berth_error_t *err);
int cost_hosts_pairs(const berth_cost_t *c, size_t k, const int *pu_of_rank,
                     berth_resource_t resource, berth_pair_load_t **out, size_t *n,
                     berth_error_t *err);

#endif
