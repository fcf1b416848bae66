/* SPDX-License-Identifier: BSD-3-Clause */
/* Evaluates random placements of a problem.
 * They show how a mapper's result compares with all possible placements (the paper, section 9). */
#include <stdlib.h>

#include "base/no_memory.h"
#include "map/map_internal.h"

/* A thread's evaluator. Making it takes as long as evaluating some samples. */
typedef struct worker {
  map_pricer_t pricer;
  int *pu_of_rank;
} worker_t;

enum { SAMPLES_A_WORKER = 4 };

struct berth_map_sampler {
  const berth_map_problem_t *problem;
  worker_t *worker;
  int n;
};

/* Each sample has its own seed, so it doesn't matter which thread takes it. */
static int take_sample(berth_map_problem_t *problem, worker_t *w, uint64_t seed, double *price,
                       berth_error_t *err)
{
  const char *name;
  problem->options.seed = seed;
  int rc = berth_map_run(problem, berth_mapper_find("random"), w->pu_of_rank, &name, err);
  if (!rc) *price = map_price(&w->pricer, w->pu_of_rank);
  return map_pricer_verdict(&w->pricer, rc, err);
}

static uint64_t sample_seed(const berth_map_problem_t *problem, uint64_t number)
{
  uint64_t state = problem->options.seed;
  state = map_random_next(&state) + number;
  return map_random_next(&state);
}

/* Takes worker i's samples: every n-th one of n workers. */
static int take_samples(const berth_map_sampler_t *s, int i, uint64_t first, size_t n,
                        double *price, berth_error_t *err)
{
  int rc = BERTH_OK;
  berth_map_problem_t problem = *s->problem;
  problem.report = NULL;
  problem.options.team = NULL;
  for (size_t k = (size_t)i; k < n && !rc; k += (size_t)s->n)
    rc = take_sample(&problem, &s->worker[i], sample_seed(s->problem, first + k), &price[k], err);
  return rc;
}

static int worker_init(worker_t *w, const berth_map_problem_t *problem, berth_error_t *err)
{
  w->pu_of_rank = malloc((size_t)berth_pattern_ranks(problem->pattern) * sizeof *w->pu_of_rank);
  return w->pu_of_rank ? map_pricer_init(&w->pricer, problem, err) : no_memory(err);
}

berth_map_sampler_t *berth_map_sampler_new(const berth_map_problem_t *problem, size_t max_samples,
                                           berth_error_t *err)
{
  size_t busy = (max_samples + SAMPLES_A_WORKER - 1) / SAMPLES_A_WORKER;
  size_t threads = problem->options.threads > 1 ? (size_t)problem->options.threads : 1;
  if (busy < 1) busy = 1;
  berth_map_sampler_t *s = calloc(1, sizeof *s);
  if (s) *s = (berth_map_sampler_t){problem, NULL, (int)(busy < threads ? busy : threads)};
  if (s) s->worker = calloc((size_t)s->n, sizeof *s->worker);
  int rc = s && s->worker ? BERTH_OK : no_memory(err);
  for (int i = 0; !rc && i < s->n; i++) rc = worker_init(&s->worker[i], problem, err);
  if (!rc) return s;
  berth_map_sampler_free(s);
  return NULL;
}

void berth_map_sampler_free(berth_map_sampler_t *s)
{
  if (!s) return;
  for (int i = 0; s->worker && i < s->n; i++) {
    map_pricer_clear(&s->worker[i].pricer);
    free(s->worker[i].pu_of_rank);
  }
  free(s->worker);
  free(s);
}

int berth_map_sample(berth_map_sampler_t *s, uint64_t first, size_t n, double *price,
                     berth_error_t *err)
{
  int failed = BERTH_OK;
#pragma omp parallel for num_threads(s->n) schedule(static, 1)
  for (int i = 0; i < s->n; i++) {
    berth_error_t own = {0};
    int rc = take_samples(s, i, first, n, price, &own);
#pragma omp critical(berth_sample)
    if (rc && !failed) {
      failed = rc;
      if (err) *err = own;
    }
  }
  return failed;
}
