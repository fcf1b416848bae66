/* SPDX-License-Identifier: BSD-3-Clause */
/* `linear`, `round-robin`, `random`: mappers that don't use the pattern. */
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "map/map_internal.h"

int map_linear(const berth_map_problem_t *problem, int *pu_of_rank, const char **chosen,
               berth_error_t *err)
{
  *chosen = "linear";
  memcpy(pu_of_rank, problem->pus,
         (size_t)berth_pattern_ranks(problem->pattern) * sizeof *pu_of_rank);
  return map_keep_pins(problem, pu_of_rank, err);
}

/* Round r places one rank on each host that has more than r usable PUs. */
int map_round_robin(const berth_map_problem_t *problem, int *pu_of_rank, const char **chosen,
                    berth_error_t *err)
{
  int hosts = berth_topo_n_hosts(problem->topo), ranks = berth_pattern_ranks(problem->pattern);
  int *next = malloc(((size_t)hosts + 1) * sizeof *next); /* a host's PUs are consecutive in pus */
  int *end = malloc(((size_t)hosts + 1) * sizeof *end);
  if (!next || !end) {
    free(next);
    free(end);
    return no_memory(err);
  }
  int n_hosts = 0;
  for (int i = 0, host = -1; i < problem->n_pus; i++) {
    int h = berth_topo_pu(problem->topo, problem->pus[i])->host;
    if (h != host) next[n_hosts++] = i;
    end[n_hosts - 1] = i + 1;
    host = h;
  }
  for (int rank = 0, h = 0; rank < ranks; h = (h + 1) % n_hosts)
    if (next[h] < end[h]) pu_of_rank[rank++] = problem->pus[next[h]++];
  free(next);
  free(end);
  *chosen = "round-robin";
  return BERTH_OK;
}

uint64_t map_random_below(uint64_t *state, uint64_t n)
{
  uint64_t limit = UINT64_MAX - UINT64_MAX % n, x;
  do x = map_random_next(state);
  while (x >= limit);
  return x % n;
}

int map_random(const berth_map_problem_t *problem, int *pu_of_rank, const char **chosen,
               berth_error_t *err)
{
  int *pus = malloc((size_t)problem->n_pus * sizeof *pus);
  if (!pus) return no_memory(err);
  memcpy(pus, problem->pus, (size_t)problem->n_pus * sizeof *pus);
  uint64_t state = problem->options.seed;
  int ranks = berth_pattern_ranks(problem->pattern);
  for (int r = 0; r < ranks; r++) { /* Fisher and Yates's shuffle, for the ranks only */
    int k = r + (int)map_random_below(&state, (uint64_t)(problem->n_pus - r)), pu = pus[k];
    pus[k] = pus[r];
    pu_of_rank[r] = pu;
  }
  free(pus);
  *chosen = "random";
  return BERTH_OK;
}
