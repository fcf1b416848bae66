/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known of the cheapest placement, on machines so small that it can be found: `exact`
 * against all placements, the lower bound and the other mappers against `exact`. */
#include <math.h>

#include "random_instance.h"

typedef struct instance {
  berth_map_problem_t problem;
  berth_map_report_t report;
  berth_cost_t *cost;
  double cost_share, sum_share; /* of each in the price: the same when linear's counts */
} instance_t;

static berth_map_options_t random_options(dice_t *d, int ranks, int pus, int **pinned, int **from)
{
  berth_map_options_t o = berth_map_defaults();
  o.objective = (berth_model_t)roll(d, BERTH_N_MODELS);
  o.ranks_per_pu = ranks > pus ? (ranks - 1) / pus + 1 : 1 + roll(d, 2);
  o.any_thread = roll(d, 2);
  o.sum_share = roll(d, 3) ? 0 : 0.25 * roll(d, 5);
  o.seed = (uint64_t)roll(d, 1000);
  o.quality = BERTH_QUALITY_STRONG;
  *pinned = random_pins(d, ranks, pus, o.ranks_per_pu);
  *from = malloc((size_t)ranks * sizeof **from);
  for (int r = 0; r < ranks; r++) (*from)[r] = roll(d, pus + 2) - 1; /* nowhere, or gone, too */
  o.pinned = roll(d, 4) ? NULL : *pinned;
  o.from = roll(d, 4) ? NULL : *from;
  o.move_price_s = o.from && roll(d, 3) ? 10.0 * roll(d, 10) : 0;
  o.stable = o.from && roll(d, 3) == 0;
  return o;
}

static void begin(instance_t *in, dice_t *d, int least_ranks, int most_ranks, int most_pus)
{
  berth_topo_t *t = small_topology(d, most_pus);
  int pus = berth_topo_n_pus(t), ranks = least_ranks + roll(d, most_ranks - least_ranks + 1);
  berth_pattern_t *p = random_pattern(d, ranks);
  int *pinned, *from;
  berth_map_options_t o = random_options(d, ranks, pus, &pinned, &from);
  assert_int_equal(berth_map_problem_init(&in->problem, p, t, &o, NULL), BERTH_OK);
  free(pinned);
  free(from);
  in->problem.report = &in->report;
  in->cost = berth_cost_new(p, t, NULL);
  const char *name;
  int linear[64];
  berth_map_run(&in->problem, berth_mapper_find("linear"), linear, &name, NULL);
  double cost = berth_cost_evaluate(in->cost, o.objective, linear);
  double sum = berth_cost_evaluate(in->cost, BERTH_MODEL_SUM, linear);
  in->sum_share = o.objective == BERTH_MODEL_SUM ? 0 : o.sum_share;
  in->cost_share = 1 - in->sum_share;
  if (cost > 0 && sum > 0) in->sum_share *= cost / sum;
}

static void end(instance_t *in)
{
  berth_pattern_t *p = (berth_pattern_t *)(uintptr_t)in->problem.pattern;
  berth_topo_t *t = (berth_topo_t *)(uintptr_t)in->problem.topo;
  berth_cost_free(in->cost);
  berth_map_problem_clear(&in->problem);
  berth_pattern_free(p);
  berth_topo_free(t);
}

/* The price as map.h says it is made, apart from the mappers' own. */
static double price(instance_t *in, const int *pus)
{
  const berth_map_options_t *o = &in->problem.options;
  double price = 0;
  for (int r = 0; r < berth_pattern_ranks(in->problem.pattern) && o->from; r++)
    price += o->from[r] >= 0 && o->from[r] != pus[r] ? o->move_price_s : 0;
  if (in->cost_share > 0)
    price += in->cost_share * berth_cost_evaluate(in->cost, o->objective, pus);
  if (in->sum_share > 0)
    price += in->sum_share * berth_cost_evaluate(in->cost, BERTH_MODEL_SUM, pus);
  return price;
}

/* The least price with the ranks from r on anywhere; `taken` has a mark for each place. */
static double least(instance_t *in, int *pus, char *taken, int r)
{
  const berth_map_problem_t *p = &in->problem;
  double best = INFINITY;
  if (r == berth_pattern_ranks(p->pattern)) return price(in, pus);
  for (int i = 0; i < p->n_pus; i++) {
    bool pinned = p->options.pinned && p->options.pinned[r] >= 0;
    bool same = i > 0 && p->pus[i] == p->pus[i - 1] && !taken[i - 1]; /* as the place before */
    if (taken[i] || same || (pinned && p->options.pinned[r] != p->pus[i])) continue;
    taken[i] = 1;
    pus[r] = p->pus[i];
    best = fmin(best, least(in, pus, taken, r + 1));
    taken[i] = 0;
  }
  return best;
}

static double run(instance_t *in, const char *mapper, int *pus)
{
  const char *name;
  berth_error_t err = {0};
  int rc = berth_map_run(&in->problem, berth_mapper_find(mapper), pus, &name, &err);
  if (rc) FAIL_ROW(mapper, "%s", err.text);
  return price(in, pus);
}

static void exact_finds_the_cheapest(void **state)
{
  (void)state;
  dice_t d = {1};
  int tight = 0, rounds = rounds_of(3000);
  for (int round = 0; round < rounds; round++) {
    instance_t in = {0};
    begin(&in, &d, 1, 5, 7);
    char taken[64] = {0};
    int pus[16];
    double truth = least(&in, pus, taken, 0), found = run(&in, "exact", pus);
    if (fabs(found - truth) > 1e-9 * truth)
      FAIL_ROW("exact", "round %d: %.17g, the cheapest is %.17g (model %s)", round, found, truth,
               berth_model_name(in.problem.options.objective));
    run(&in, "linear", pus); /* whose report has the lower bound alone */
    if (in.report.lower_bound > truth || in.report.lower_bound < 0)
      FAIL_ROW("bound", "round %d: %.17g, the cheapest is %.17g (model %s)", round,
               in.report.lower_bound, truth, berth_model_name(in.problem.options.objective));
    tight += in.report.lower_bound >= truth / 2;
    end(&in);
  }
  print_message("lower bound: at least half the cheapest in %d of %d\n", tight, rounds);
  assert_true(tight > rounds / 2);
}

/* What best takes of several that cost the least: the lightest in the sum that it has seen, unless
 * ranks may as well stay as they are. */
static void best_takes_the_lightest(void **state)
{
  (void)state;
  dice_t d = {4};
  int lighter = 0;
  for (int round = 0; round < rounds_of(300); round++) {
    instance_t in = {0};
    begin(&in, &d, 2, 5, 7);
    in.problem.options.min_gain = 0;
    in.problem.options.iterations = 2000;
    int found[16], exact[16];
    double least = run(&in, "exact", exact), price = run(&in, "best", found);
    double sum = berth_cost_evaluate(in.cost, BERTH_MODEL_SUM, found);
    double other = berth_cost_evaluate(in.cost, BERTH_MODEL_SUM, exact);
    bool stays =
        in.report.chosen == 0 || strcmp(in.report.candidate[in.report.chosen].name, "stay") == 0;
    if (!stays && price == least && sum > other)
      FAIL_ROW("best", "round %d: sum %.17g, exact's %.17g", round, sum, other);
    lighter += !stays && price == least && sum < other;
    end(&in);
  }
  print_message("best: lighter than exact at the same price in %d\n", lighter);
  assert_true(lighter > 0 || !all_rounds());
}

/* best, which has no exact to help it with more than five ranks, and what its report says. */
static void best_finds_the_cheapest_mostly(void **state)
{
  (void)state;
  dice_t d = {2};
  int equal = 0, rounds = rounds_of(100);
  for (int round = 0; round < rounds; round++) {
    instance_t in = {0};
    begin(&in, &d, 6, 9, 9);
    in.problem.options.min_gain = 0;
    in.problem.options.iterations = 20000; /* of each search */
    int pus[16];
    double truth = run(&in, "exact", pus), found = run(&in, "best", pus);
    double bound = in.report.lower_bound, linear = in.report.candidate[0].price;
    if (found > linear || found < truth * (1 - 1e-9) || bound > truth ||
        fabs(in.report.candidate[in.report.chosen].price - found) > 1e-12 * found)
      FAIL_ROW("best", "round %d: %.17g, cheapest %.17g, linear %.17g, bound %.17g", round, found,
               truth, linear, bound);
    equal += found <= truth * (1 + 1e-9);
    end(&in);
  }
  print_message("best strong: the cheapest in %d of %d\n", equal, rounds);
  assert_true(equal * 100 >= rounds * 95);
}

/* Hosts have more places than ranks have partners: what the bound says then comes from who the
 * partners' partners are. A cube of 8 x 8 x 8 ranks on hosts of 8. */
static void bound_sees_what_parts_cut(void **state)
{
  (void)state;
  enum { SIDE = 8, RANKS = SIDE * SIDE * SIDE };
  berth_topo_t *t = berth_topo_new("hosts", NULL);
  berth_port_t none = {{-1, 0}, {-1, 0}}, link = {{-1, 10}, {-1, 10}};
  berth_type_t top = {"top", none, none, 0}, host = {"host", link, none, 0};
  berth_topo_add_type(t, &top, NULL);
  berth_topo_add_type(t, &host, NULL);
  berth_topo_add_switch(t, -1, 0, "top", NULL, NULL);
  for (int h = 0; h < RANKS / 8; h++) {
    char name[8];
    snprintf(name, sizeof name, "h%d", h);
    int e = berth_topo_add_switch(t, 0, 1, name, name, NULL);
    for (int i = 0; i < 8; i++) berth_topo_add_pu(t, e, i, i, NULL);
  }
  assert_int_equal(berth_topo_finish(t, NULL), BERTH_OK);
  berth_pattern_t *p = berth_pattern_new(RANKS, NULL);
  int cubes[RANKS], step[] = {SIDE * SIDE, SIDE, 1};
  for (int r = 0; r < RANKS; r++) {
    int at[] = {r / 64, r / 8 % 8, r % 8};
    cubes[r] = ((at[0] / 2 * 4 + at[1] / 2) * 4 + at[2] / 2) * 8 + at[0] % 2 * 4 + at[1] % 2 * 2 +
               at[2] % 2;
    for (int k = 0; k < 3; k++)
      for (int sign = -1; sign < 2; sign += 2) {
        berth_message_t m = {
            .src = r, .dst = r + sign * step[k], .size = 10, .count = 1, .bytes = 10};
        if (at[k] + sign >= 0 && at[k] + sign < SIDE) berth_pattern_add_message(p, &m, NULL);
      }
  }
  assert_int_equal(berth_pattern_finish(p, NULL), BERTH_OK);
  for (int m = 0; m < BERTH_N_MODELS; m++) {
    instance_t in = {.cost_share = 1};
    berth_map_options_t o = berth_map_defaults();
    o.objective = (berth_model_t)m;
    assert_int_equal(berth_map_problem_init(&in.problem, p, t, &o, NULL), BERTH_OK);
    in.problem.report = &in.report;
    in.cost = berth_cost_new(p, t, NULL);
    int pus[RANKS];
    run(&in, "linear", pus);
    double known = price(&in, cubes), bound = in.report.lower_bound;
    if (bound > known || bound < known / 4)
      FAIL_ROW(berth_model_name(o.objective), "%g, cubes are %g", bound, known);
    berth_cost_free(in.cost);
    berth_map_problem_clear(&in.problem);
  }
  berth_pattern_free(p);
  berth_topo_free(t);
}

/* A search never gives back something dearer than what it was given. */
static void refine_never_raises_a_price(void **state)
{
  (void)state;
  dice_t d = {3};
  for (int round = 0; round < rounds_of(1000); round++) {
    instance_t in = {0};
    begin(&in, &d, 1, 20, 16);
    in.problem.options.iterations = 1 + (uint64_t)roll(&d, 300);
    in.problem.options.quality = (berth_quality_t)roll(&d, 3);
    int start[64], pus[64];
    const int *const starts[] = {start};
    double before = run(&in, roll(&d, 2) ? "random" : "greedy", start);
    in.problem.starts = starts;
    in.problem.n_starts = 1;
    double after = run(&in, "refine", pus);
    if (after > before * (1 + 1e-12)) /* ranks go home at the same price, to rounding */
      FAIL_ROW("refine", "round %d: %.17g, from %.17g (model %s)", round, after, before,
               berth_model_name(in.problem.options.objective));
    end(&in);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bound_sees_what_parts_cut),
      cmocka_unit_test(refine_never_raises_a_price),
      cmocka_unit_test(exact_finds_the_cheapest),
      cmocka_unit_test(best_takes_the_lightest),
      cmocka_unit_test(best_finds_the_cheapest_mostly),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
