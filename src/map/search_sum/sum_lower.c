/* SPDX-License-Identifier: BSD-3-Clause */
/* Lowers model sum of a placement, as a step of other mappers; on request within blocks.
 * Blocks are subtrees whose own ports carry the same whatever happens inside them. So a search for
 * the busiest ports can leave their insides to this step. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "map/map_internal.h"
#include "map/search_sum/search_sum.h"

static const double divide_share = 0.7; /* of the tries */

/* Reorders the blocks by the layout's places. */
static int take_blocks(sum_layout_t *l, const int *block_of_place, berth_error_t *err)
{
  const berth_map_problem_t *p = l->problem;
  int *of_pu = malloc((size_t)berth_topo_n_pus(p->topo) * sizeof *of_pu);
  l->block = malloc((size_t)l->n_places * sizeof *l->block);
  bool some = of_pu && l->block;
  for (int i = 0; i < p->n_pus && some; i++) of_pu[p->pus[i]] = block_of_place[i];
  for (int i = 0; i < l->n_places && some; i++) l->block[i] = of_pu[l->pu_of_place[i]];
  free(of_pu);
  return some ? BERTH_OK : no_memory(err);
}

static int run_pass(const sum_layout_t *l, sum_pass_t work, int *pu_of_rank, berth_error_t *err)
{
  uint64_t random = l->problem->options.seed;
  int *place_of_rank = malloc((size_t)l->n_ranks * sizeof *place_of_rank);
  int *rank_at = malloc((size_t)l->n_places * sizeof *rank_at);
  int rc = place_of_rank && rank_at
               ? sum_pass(l, &work, &random, place_of_rank, rank_at, pu_of_rank, err)
               : no_memory(err);
  free(place_of_rank);
  free(rank_at);
  return rc;
}

static int lower(const berth_map_problem_t *problem, const int *block_of_place, sum_pass_t work,
                 int *pu_of_rank, berth_error_t *err)
{
  berth_error_t local;
  if (!err) err = &local;
  berth_cost_t *cost = berth_cost_new(problem->pattern, problem->topo, err);
  if (!cost) return err->code;
  sum_layout_t l;
  size_t bytes = (size_t)berth_pattern_ranks(problem->pattern) * sizeof *pu_of_rank;
  int *found = malloc(bytes);
  int rc = sum_layout_init(&l, problem, cost, err);
  if (!rc && !found) rc = no_memory(err);
  if (!rc && l.n_places > 0 && l.start[l.n_ranks] <= INT_MAX) {
    memcpy(found, pu_of_rank, bytes);
    l.is_step = !block_of_place;
    if (block_of_place) rc = take_blocks(&l, block_of_place, err);
    if (!rc) rc = run_pass(&l, work, found, err);
    if (!rc && berth_cost_evaluate(cost, BERTH_MODEL_SUM, found) <
                   berth_cost_evaluate(cost, BERTH_MODEL_SUM, pu_of_rank))
      memcpy(pu_of_rank, found, bytes);
    free(l.block);
  }
  free(found);
  sum_layout_clear(&l);
  berth_cost_free(cost);
  return rc;
}

int search_sum_in_blocks(const berth_map_problem_t *problem, const int *block_of_place,
                         double tries, int *pu_of_rank, berth_error_t *err)
{
  sum_pass_t work = {divide_share * tries, (1 - divide_share) * tries};
  return lower(problem, block_of_place, work, pu_of_rank, err);
}

int search_sum_anneal(const berth_map_problem_t *problem, double tries, int *pu_of_rank,
                      berth_error_t *err)
{
  return lower(problem, NULL, (sum_pass_t){0, tries}, pu_of_rank, err);
}
