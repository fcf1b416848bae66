/* SPDX-License-Identifier: BSD-3-Clause */
/* Swaps and moves against full evaluations, to the bit, for every model. */
#include <berth/cost.h>

#include "random_inputs.h"

static const struct {
  const char *name;
  int levels, width, even, degree, phases, share, spare, rounds, steps;
} cases[] = {
    {"one host", 1, 6, 0, 3, 1, 0, 1, 20, 50},      {"two levels", 2, 4, 0, 3, 2, 0, 3, 10, 60},
    {"uneven depths", 4, 3, 0, 2, 3, 0, 2, 10, 60}, {"shared PUs", 3, 3, 0, 2, 2, 1, 0, 10, 60},
    {"alike levels", 3, 3, 1, 2, 2, 0, 5, 10, 60},  {"alike, shared", 2, 4, 1, 2, 2, 1, 0, 10, 60},
    {"many phases", 2, 4, 1, 1, 20, 0, 4, 5, 100},  {"many ranks", 3, 6, 1, 8, 1, 0, 0, 1, 100},
    {"dense", 2, 5, 0, 20, 1, 0, 1, 10, 100},
};

/* The cost with the step's change, as a full evaluation finds it. */
static double full(berth_cost_t *c, berth_model_t model, const int *pu_of_rank, int ranks, int a,
                   int b, int pu)
{
  int *changed = malloc((size_t)ranks * sizeof *changed);
  memcpy(changed, pu_of_rank, (size_t)ranks * sizeof *changed);
  if (b >= 0) {
    changed[a] = pu_of_rank[b];
    changed[b] = pu_of_rank[a];
  } else {
    changed[a] = pu;
  }
  double cost = berth_cost_evaluate(c, model, changed);
  free(changed);
  return cost;
}

static bool is_free(const int *pu_of_rank, int ranks, int pu)
{
  for (int r = 0; r < ranks; r++)
    if (pu_of_rank[r] == pu) return false;
  return true;
}

/* Random tries, about half of them committed; moves to taken PUs only if they may be shared. */
static void walk(const char *name, berth_cost_t *c, berth_model_t model, int *start, int ranks,
                 int pus, int steps, bool shared)
{
  berth_swap_t *s =
      shared ? berth_swap_new_shared(c, model, start, NULL) : berth_swap_new(c, model, start, NULL);
  assert_non_null(s);
  for (int i = 0; i < steps; i++) {
    const int *now = berth_swap_placement(s);
    int a = (int)random_below((uint32_t)ranks), b = (int)random_below((uint32_t)ranks), pu = -1;
    if (random_below(3) == 0) {
      pu = (int)random_below((uint32_t)pus);
      b = -1;
    }
    double tried = b >= 0 ? berth_swap_try(s, a, b) : berth_swap_try_move(s, a, pu);
    if (b < 0 && !shared && !is_free(now, ranks, pu) && now[a] != pu) {
      assert_true(tried > 1e300);                             /* infinity */
      assert_int_equal(berth_swap_commit(s, NULL), BERTH_OK); /* does nothing */
      continue;
    }
    double expected = full(c, model, now, ranks, a, b, pu);
    if (tried != expected)
      FAIL_ROW(name, "model %s, step %d: found %.17g, expected %.17g", berth_model_name(model), i,
               tried, expected);
    if (random_below(2)) assert_int_equal(berth_swap_commit(s, NULL), BERTH_OK);
    expected = berth_cost_evaluate(c, model, berth_swap_placement(s));
    if (berth_swap_cost(s) != expected)
      FAIL_ROW(name, "model %s, after step %d: found %.17g, expected %.17g",
               berth_model_name(model), i, berth_swap_cost(s), expected);
  }
  berth_swap_free(s);
}

static void swaps_agree_with_full_evaluations(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(cases); i++)
    for (int round = 0; round < rounds_of(cases[i].rounds); round++) {
      random_state = 1000 * i + (uint64_t)round;
      berth_topo_t *t = random_machine(cases[i].levels, cases[i].width, cases[i].even);
      int pus = berth_topo_n_pus(t), ranks = cases[i].share ? pus + pus / 2 : pus - cases[i].spare;
      if (ranks < 1) ranks = 1;
      berth_pattern_t *p = random_pattern(ranks, cases[i].degree, cases[i].phases);
      berth_cost_t *c = berth_cost_new(p, t, NULL);
      int *start = random_placement(ranks, pus, cases[i].share);
      for (int m = 0; m <= BERTH_MODEL_SUM; m++)
        for (int shared = 0; shared < 2; shared++)
          walk(cases[i].name, c, (berth_model_t)m, start, ranks, pus, cases[i].steps, shared);
      free(start);
      berth_cost_free(c);
      berth_pattern_free(p);
      berth_topo_free(t);
    }
}

/* Many commits without a look in between don't drift. */
static void many_swaps_do_not_drift(void **state)
{
  (void)state;
  random_state = 7;
  berth_topo_t *t = random_machine(3, 4, 1);
  int ranks = berth_topo_n_pus(t);
  berth_pattern_t *p = random_pattern(ranks, 4, 2);
  berth_cost_t *c = berth_cost_new(p, t, NULL);
  int *start = random_placement(ranks, ranks, 0);
  for (int m = 0; m <= BERTH_MODEL_SUM; m++) {
    berth_swap_t *s = berth_swap_new(c, (berth_model_t)m, start, NULL);
    for (int i = 0; i < 5000; i++) {
      berth_swap_try(s, (int)random_below((uint32_t)ranks), (int)random_below((uint32_t)ranks));
      assert_int_equal(berth_swap_commit(s, NULL), BERTH_OK);
    }
    double expected = berth_cost_evaluate(c, (berth_model_t)m, berth_swap_placement(s));
    assert_true(berth_swap_cost(s) == expected);
    berth_swap_free(s);
  }
  free(start);
  berth_cost_free(c);
  berth_pattern_free(p);
  berth_topo_free(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(swaps_agree_with_full_evaluations),
                                     cmocka_unit_test(many_swaps_do_not_drift)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
