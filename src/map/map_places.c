/* SPDX-License-Identifier: BSD-3-Clause */
/* Assigns ranks to places: room for one rank on a PU, in the order of problem->pus. */
#include "base/order.h"
#include "map/map_internal.h"

/* The first place of a PU. */
static int first_place(const berth_map_problem_t *problem, int pu)
{
  LOWER_BOUND(low, 0, (size_t)problem->n_pus - 1, problem->pus[middle] < pu);
  return (int)low;
}

bool map_is_usable(const berth_map_problem_t *problem, int pu)
{
  return problem->n_pus > 0 && problem->pus[first_place(problem, pu)] == pu;
}

void map_count_places(const berth_map_problem_t *problem, int *places)
{
  const berth_topo_t *t = problem->topo;
  for (int i = 0; i < problem->n_pus; i++) places[berth_topo_pu(t, problem->pus[i])->element]++;
  for (int e = berth_topo_n_elements(t) - 1; e > 0; e--)
    places[berth_topo_element(t, e)->parent] += places[e];
}

void map_take_places(const berth_map_problem_t *problem, const int *pu_of_rank, int *place_of_rank,
                     int *rank_at)
{
  int ranks = berth_pattern_ranks(problem->pattern);
  for (int i = 0; i < problem->n_pus; i++) rank_at[i] = -1;
  for (int r = 0; r < ranks; r++) {
    int place = first_place(problem, pu_of_rank[r]);
    while (rank_at[place] >= 0) place++;
    rank_at[place] = r;
    place_of_rank[r] = place;
  }
}

berth_map_problem_t map_widened(const berth_map_problem_t *problem)
{
  berth_map_problem_t wide = *problem;
  if (!problem->any_pus) return wide;
  wide.linear_pus = problem->pus;
  wide.pus = problem->any_pus;
  wide.n_pus = problem->n_any_pus;
  wide.shares_cores = true;
  wide.any_pus = NULL;
  return wide;
}

bool map_uses_more(const berth_map_problem_t *problem, const int *pu_of_rank)
{
  int ranks = berth_pattern_ranks(problem->pattern);
  for (int r = 0; r < ranks; r++)
    if (!map_is_usable(problem, pu_of_rank[r])) return true;
  return false;
}
