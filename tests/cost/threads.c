/* SPDX-License-Identifier: BSD-3-Clause */
/* The same inputs give the same costs, to the bit, with any number of threads: evaluators of their
 * own, and swaps that share one. */
#include <berth/cost.h>
#include <pthread.h>

#include "random_inputs.h"

enum { PLACEMENTS = 16, MOST_THREADS = 8, STEPS = 50 };

typedef struct work {
  const berth_pattern_t *pattern;
  const berth_topo_t *topo;
  const berth_cost_t *shared;
  int *const *placement;
  int ranks, first, step;                    /* takes the placements first, first + step, … */
  double (*cost)[2 * (BERTH_MODEL_SUM + 1)]; /* of each placement: evaluated, after swaps */
} work_t;

static double swap_along(const berth_cost_t *c, berth_model_t model, const int *start, int ranks)
{
  berth_swap_t *s = berth_swap_new(c, model, start, NULL);
  for (int i = 0; s && i < STEPS; i++) {
    berth_swap_try(s, i * 7 % ranks, i * 13 % ranks);
    if (i % 3) berth_swap_commit(s, NULL);
  }
  double cost = s ? berth_swap_cost(s) : -1;
  berth_swap_free(s);
  return cost;
}

static void *work(void *arg)
{
  const work_t *w = arg;
  berth_cost_t *c = berth_cost_new(w->pattern, w->topo, NULL);
  for (int i = w->first; c && i < PLACEMENTS; i += w->step)
    for (int m = 0; m <= BERTH_MODEL_SUM; m++) {
      w->cost[i][2 * m] = berth_cost_evaluate(c, (berth_model_t)m, w->placement[i]);
      w->cost[i][2 * m + 1] = swap_along(w->shared, (berth_model_t)m, w->placement[i], w->ranks);
    }
  berth_cost_free(c);
  return NULL;
}

static void run(work_t base, int threads)
{
  pthread_t thread[MOST_THREADS];
  work_t of_thread[MOST_THREADS];
  for (int i = 0; i < threads; i++) {
    of_thread[i] = base;
    of_thread[i].first = i;
    of_thread[i].step = threads;
    assert_int_equal(pthread_create(&thread[i], NULL, work, &of_thread[i]), 0);
  }
  for (int i = 0; i < threads; i++) pthread_join(thread[i], NULL);
}

static void threads_agree_to_the_bit(void **state)
{
  (void)state;
  random_state = 11;
  for (int even = 0; even < 2; even++) {
    berth_topo_t *t = random_machine(3, 5, even);
    int ranks = berth_topo_n_pus(t);
    berth_pattern_t *p = random_pattern(ranks, 6, 2);
    berth_cost_t *shared = berth_cost_new(p, t, NULL);
    int *placement[PLACEMENTS];
    double cost[2][PLACEMENTS][2 * (BERTH_MODEL_SUM + 1)];
    memset(cost, 0xff, sizeof cost);
    for (int i = 0; i < PLACEMENTS; i++) placement[i] = random_placement(ranks, ranks, i % 4 == 0);
    run((work_t){p, t, shared, placement, ranks, 0, 1, cost[0]}, 1);
    assert_true(cost[0][0][0] > 0);
    for (int threads = 2; threads <= MOST_THREADS; threads *= 2) {
      memset(cost[1], 0xff, sizeof cost[1]);
      run((work_t){p, t, shared, placement, ranks, 0, 1, cost[1]}, threads);
      assert_memory_equal(cost[0], cost[1], sizeof cost[0]);
    }
    for (int i = 0; i < PLACEMENTS; i++) free(placement[i]);
    berth_cost_free(shared);
    berth_pattern_free(p);
    berth_topo_free(t);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(threads_agree_to_the_bit)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
