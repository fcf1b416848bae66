/* SPDX-License-Identifier: BSD-3-Clause */
/* `best`: the cheapest of all other mappers under the objective. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "map/map_internal.h"

typedef struct candidate {
  const berth_mapper_t *mapper;
  int *pu_of_rank;
  double cost;
  int rc;
  berth_error_t err;
} candidate_t;

static int work_out(const berth_map_problem_t *problem, candidate_t *c)
{
  const char *name;
  c->pu_of_rank = malloc((size_t)berth_pattern_ranks(problem->pattern) * sizeof *c->pu_of_rank);
  if (!c->pu_of_rank) return map_no_memory(&c->err);
  int rc = berth_map_run(problem, c->mapper, c->pu_of_rank, &name, &c->err);
  if (rc) return rc;
  berth_cost_t *cost = berth_cost_new(problem->pattern, problem->topo, &c->err);
  if (!cost) return c->err.code;
  c->cost = berth_cost_evaluate(cost, problem->options.objective, c->pu_of_rank);
  berth_cost_free(cost);
  return BERTH_OK;
}

/* The first of the cheapest, or linear, which leads the list, where that gains too little: less than
 * what predictions are known to miss is no reason to move ranks. */
static const candidate_t *cheapest(const candidate_t *c, size_t n, double min_gain)
{
  const candidate_t *best = &c[0];
  for (size_t i = 1; i < n; i++)
    if (c[i].cost < best->cost) best = &c[i];
  return best->cost < (1 - min_gain) * c[0].cost ? best : &c[0];
}

int map_best(const berth_map_problem_t *problem, int *pu_of_rank, const char **chosen,
             berth_error_t *err)
{
  size_t n_mappers, n = 0;
  const berth_mapper_t *mappers = berth_mappers(&n_mappers);
  candidate_t *c = calloc(n_mappers, sizeof *c);
  if (!c) return map_no_memory(err);
  for (size_t i = 0; i < n_mappers; i++)
    if (mappers[i].map != map_best) c[n++].mapper = &mappers[i];
#pragma omp parallel for num_threads(problem->options.threads) schedule(dynamic, 1)
  for (size_t i = 0; i < n; i++) c[i].rc = work_out(problem, &c[i]);
  int rc = BERTH_OK;
  for (size_t i = 0; i < n && !rc; i++)
    if (c[i].rc) rc = berth_fail(err, c[i].rc, "%s: %s", c[i].mapper->name, c[i].err.text);
  if (!rc) {
    const candidate_t *best = cheapest(c, n, problem->options.min_gain);
    memcpy(pu_of_rank, best->pu_of_rank,
           (size_t)berth_pattern_ranks(problem->pattern) * sizeof *pu_of_rank);
    *chosen = best->mapper->name;
  }
  for (size_t i = 0; i < n; i++) free(c[i].pu_of_rank);
  free(c);
  return rc;
}
