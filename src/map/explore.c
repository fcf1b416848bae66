/* SPDX-License-Identifier: BSD-3-Clause */
/* What placements of a problem cost where nobody chose them: the question of the report's section
 * 9, how the mapper's result stands among all possible ones. */
#include <stdlib.h>

#include "map/map_internal.h"

/* Each sample has a seed of its own, so that it doesn't matter who takes it. */
static int take_sample(berth_map_problem_t *problem, map_pricer_t *pricer, uint64_t seed,
                       int *pu_of_rank, double *price, berth_error_t *err)
{
  const char *name;
  problem->options.seed = seed;
  int rc = berth_map_run(problem, berth_mapper_find("random"), pu_of_rank, &name, err);
  if (!rc) *price = map_price(pricer, pu_of_rank);
  return rc;
}

static uint64_t sample_seed(const berth_map_problem_t *problem, uint64_t number)
{
  uint64_t state = problem->options.seed;
  state = map_random_next(&state) + number;
  return map_random_next(&state);
}

/* Every `step`-th sample from `at` on. */
static int take_samples(const berth_map_problem_t *of, size_t at, size_t step, size_t n,
                        uint64_t first, double *price, berth_error_t *err)
{
  map_pricer_t pricer = {0};
  berth_map_problem_t problem = *of;
  problem.report = NULL;
  problem.options.team = NULL;
  int *pu_of_rank = malloc((size_t)berth_pattern_ranks(of->pattern) * sizeof *pu_of_rank);
  if (!pu_of_rank) return map_no_memory(err);
  int rc = map_pricer_init(&pricer, of, err);
  for (size_t i = at; i < n && !rc; i += step)
    rc = take_sample(&problem, &pricer, sample_seed(of, first + i), pu_of_rank, &price[i], err);
  map_pricer_clear(&pricer);
  free(pu_of_rank);
  return rc;
}

int berth_map_sample(const berth_map_problem_t *problem, uint64_t first, size_t n, double *price,
                     berth_error_t *err)
{
  int threads = problem->options.threads, failed = BERTH_OK;
  if (threads < 1) threads = 1;
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int t = 0; t < threads; t++) {
    berth_error_t own = {0};
    int rc = take_samples(problem, (size_t)t, (size_t)threads, n, first, price, &own);
#pragma omp critical(berth_sample)
    if (rc && !failed) {
      failed = rc;
      if (err) *err = own;
    }
  }
  return failed;
}
