/* SPDX-License-Identifier: BSD-3-Clause */
/* Model sum lowered within blocks: subtrees whose own ports carry the same whatever is done inside
 * them, so that a search of the busiest ports can leave their insides to this one. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "map/map_internal.h"
#include "map/search_sum.h"

static const double divide_share = 0.7; /* of the tries */

/* Blocks in the order of the layout's places. */
static int take_blocks(sum_layout_t *l, const int *block_of_place, berth_error_t *err)
{
  const berth_map_problem_t *p = l->problem;
  int *of_pu = malloc((size_t)berth_topo_n_pus(p->topo) * sizeof *of_pu);
  l->block = malloc((size_t)l->n_places * sizeof *l->block);
  bool some = of_pu && l->block;
  for (int i = 0; i < p->n_pus && some; i++) of_pu[p->pus[i]] = block_of_place[i];
  for (int i = 0; i < l->n_places && some; i++) l->block[i] = of_pu[l->pu_of_place[i]];
  free(of_pu);
  return some ? BERTH_OK : map_no_memory(err);
}

static int lower(const sum_layout_t *l, double tries, int *place_of_rank, int *rank_at,
                 int *pu_of_rank, berth_error_t *err)
{
  uint64_t random = l->problem->options.seed;
  sum_cooling_t cooling = {0.7, 0.1, (1 - divide_share) * tries};
  int rc = sum_layout_place(l, pu_of_rank, place_of_rank, rank_at, err);
  if (!rc) rc = sum_divide(l, divide_share * tries, &random, place_of_rank, err);
  if (rc) return rc;
  for (int i = 0; i < l->n_places; i++) rank_at[i] = -1;
  for (int r = 0; r < l->n_ranks; r++) rank_at[place_of_rank[r]] = r;
  rc = sum_anneal(l, &cooling, &random, place_of_rank, rank_at, err);
  for (int r = 0; r < l->n_ranks && !rc; r++) pu_of_rank[r] = l->pu_of_place[place_of_rank[r]];
  return rc;
}

int search_sum_in_blocks(const berth_map_problem_t *problem, const int *block_of_place,
                         double tries, int *pu_of_rank, berth_error_t *err)
{
  berth_error_t local;
  if (!err) err = &local;
  berth_cost_t *cost = berth_cost_new(problem->pattern, problem->topo, err);
  if (!cost) return err->code;
  sum_layout_t l;
  int rc = sum_layout_init(&l, problem, cost, err);
  berth_cost_free(cost);
  if (!rc && l.n_places > 0 && l.start[l.n_ranks] <= INT_MAX) {
    int *place_of_rank = malloc((size_t)l.n_ranks * sizeof *place_of_rank);
    int *rank_at = malloc((size_t)l.n_places * sizeof *rank_at);
    rc = place_of_rank && rank_at ? take_blocks(&l, block_of_place, err) : map_no_memory(err);
    if (!rc) rc = lower(&l, tries, place_of_rank, rank_at, pu_of_rank, err);
    free(place_of_rank);
    free(rank_at);
    free(l.block);
  }
  sum_layout_clear(&l);
  return rc;
}
