/* SPDX-License-Identifier: BSD-3-Clause */
/* Nearer communication against slower computation on shared cores: closed forms, and random small
 * machines where all placements can be looked at. */
#include <berth/sharing.h>
#include <math.h>

#include "random_instance.h"

/* --- closed forms --- */

/* Two hosts with links of 100 B/s; each has `cores` cores of two PUs, without ports below. */
static berth_topo_t *two_hosts(int cores, double slowdown, bool unmeasured)
{
  berth_topo_t *t = berth_topo_new("two", NULL);
  const double size = 100, bandwidth = 100;
  const berth_curve_t curve = {"link", unmeasured ? BERTH_DEFAULT_SOURCE : "", 1, &size,
                               &bandwidth};
  berth_port_dir_t none = {-1, 0}, link = {berth_topo_add_curve(t, &curve, NULL), 0};
  berth_type_t types[] = {{.name = "top", .up = {none, none}, .down = {none, none}},
                          {.name = "host",
                           .up = {link, link},
                           .down = {none, none},
                           .slowdown = &slowdown,
                           .n_slowdowns = slowdown > 0},
                          {.name = "core", .up = {none, none}, .down = {none, none}}};
  for (int i = 0; i < 3; i++) assert_int_equal(berth_topo_add_type(t, &types[i], NULL), i);
  int root = berth_topo_add_switch(t, -1, 0, "top", NULL, NULL);
  for (int h = 0; h < 2; h++) {
    const char *name = h ? "b" : "a";
    int host = berth_topo_add_switch(t, root, 1, name, name, NULL);
    for (int c = 0; c < cores; c++) {
      int core = berth_topo_add_switch(t, host, 2, "core", NULL, NULL);
      for (int i = 0; i < 2; i++) berth_topo_add_pu(t, core, 2 * c + i, c, NULL);
    }
  }
  assert_int_equal(berth_topo_finish(t, NULL), BERTH_OK);
  return t;
}

/* 0, 2, 1, 3, and so on. */
static int swapped(int r) { return r % 4 == 1 ? r + 1 : r % 4 == 2 ? r - 1 : r; }

/* A ring of messages of 100 bytes, in the order of ranks or crossed; each rank computes for so many
 * seconds, negative: unknown. */
static berth_pattern_t *ring(int ranks, double compute, bool crossed)
{
  berth_pattern_t *p = berth_pattern_new(ranks, NULL);
  for (int r = 0; r < ranks; r++) {
    int from = crossed ? swapped(r) : r, to = (r + 1) % ranks;
    berth_message_t m = {
        .src = from, .dst = crossed ? swapped(to) : to, .size = 100, .count = 1, .bytes = 100};
    berth_rank_info_t info = {"", -1, compute + 5, 5};
    assert_int_equal(berth_pattern_add_message(p, &m, NULL), BERTH_OK);
    if (compute >= 0) assert_int_equal(berth_pattern_set_rank(p, r, &info, NULL), BERTH_OK);
  }
  assert_int_equal(berth_pattern_finish(p, NULL), BERTH_OK);
  return p;
}

/* On both hosts the ring costs 1 s, on one nothing, but then all cores are shared. */
static const struct {
  const char *name;
  int ranks;
  double compute, slowdown;
  int any_thread, unmeasured;
  berth_model_t model;
  double price;
  int hosts; /* 1: on one of them, with second threads */
  bool crossed;
} trades[] = {
    {"communication is what counts", 4, 1, 1.6, 0, 0, BERTH_MODEL_PORT, 0.6, 1},
    {"computation is what counts", 4, 100, 1.6, 0, 0, BERTH_MODEL_PORT, 1, 2},
    {"threads as good as cores", 4, 100, 1, 0, 0, BERTH_MODEL_PORT, 0, 1},
    {"the first that pays", 4, 1.6, 1.6, 0, 0, BERTH_MODEL_PORT, 0.96, 1},
    {"less than --min-gain", 4, 1.66, 1.6, 0, 0, BERTH_MODEL_PORT, 1, 2},
    {"less than --min-gain over a core each", 4, 1.66, 1.6, 0, 0, BERTH_MODEL_PORT, 1, 2, true},
    {"more than that", 4, 1.6, 1.6, 0, 0, BERTH_MODEL_PORT, 0.96, 1, true},
    {"the user says so, who knows what it costs", 4, 100, 1.6, 1, 0, BERTH_MODEL_PORT, 1, 2},
    {"nobody says what it costs", 4, 1, 0, 0, 0, BERTH_MODEL_PORT, 1, 2},
    {"the user says so, who doesn't", 4, 1, 0, 1, 0, BERTH_MODEL_PORT, 0, 1},
    {"times are unknown", 4, -1, 1.6, 0, 0, BERTH_MODEL_PORT, 1, 2},
    {"nobody measured the ports", 4, 1, 1.6, 0, 1, BERTH_MODEL_PORT, 1, 2},
    {"the user says so, who knows better", 4, 1, 1.6, 1, 1, BERTH_MODEL_PORT, 0.6, 1},
    {"model flow", 4, 1, 1.6, 0, 0, BERTH_MODEL_FLOW, 0.6, 1},
    {"a sum isn't a time", 4, 1, 1.6, 0, 0, BERTH_MODEL_SUM, 4, 2},
    {"without exact: communication", 8, 1, 1.6, 0, 0, BERTH_MODEL_PORT, 0.6, 1},
    {"without exact: computation", 8, 100, 1.6, 0, 0, BERTH_MODEL_PORT, 1, 2},
    {"annealed: communication", 40, 1, 1.6, 0, 0, BERTH_MODEL_PORT, 0.6, 1},
    {"annealed: computation", 40, 100, 1.6, 0, 0, BERTH_MODEL_PORT, 1, 2},
};

static void best_trades(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(trades); i++) {
    const char *name;
    int ranks = trades[i].ranks, pus[64], on_a = 0;
    berth_topo_t *t = two_hosts(ranks / 2, trades[i].slowdown, trades[i].unmeasured);
    berth_pattern_t *p = ring(ranks, trades[i].compute, trades[i].crossed);
    berth_map_options_t o = berth_map_defaults();
    berth_map_problem_t problem;
    berth_map_report_t report;
    o.any_thread = trades[i].any_thread;
    o.objective = trades[i].model;
    o.iterations = 20000;
    assert_int_equal(berth_map_problem_init(&problem, p, t, &o, NULL), BERTH_OK);
    problem.report = &report;
    assert_int_equal(berth_map_run(&problem, berth_mapper_find("best"), pus, &name, NULL),
                     BERTH_OK);
    for (int r = 0; r < ranks; r++) on_a += pus[r] < ranks;
    double price = report.candidate[report.chosen].price, without = report.price_of_first_threads;
    if (fabs(price - trades[i].price) > 1e-12 || (on_a % ranks == 0 ? 1 : 2) != trades[i].hosts)
      FAIL_ROW(trades[i].name, "price %g with %d of %d ranks on a, expected %g", price, on_a, ranks,
               trades[i].price);
    if (report.lower_bound > price) FAIL_ROW(trades[i].name, "bound %g", report.lower_bound);
    bool more = trades[i].hosts == 1 && !trades[i].any_thread;
    if (more ? without != 1 : without >= 0) FAIL_ROW(trades[i].name, "%g without", without);
    berth_map_problem_clear(&problem);
    berth_pattern_free(p);
    berth_topo_free(t);
  }
}

/* Ranks that are on second threads may stay there where it is known what that costs; a move costs
 * more here than sharing. */
static void ranks_on_second_threads_may_stay(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    double slowdown;
    int stay;
  } rows[] = {{"what it costs is known", 1.6, 4}, {"nobody knows", 0, 2}};
  for (size_t i = 0; i < COUNT(rows); i++) {
    const char *name;
    int pus[4], from[] = {0, 1, 2, 3}, stay = 0;
    berth_topo_t *t = two_hosts(2, rows[i].slowdown, false);
    berth_pattern_t *p = ring(4, 4, false);
    berth_map_options_t o = berth_map_defaults();
    berth_map_problem_t problem;
    o.from = from;
    o.move_price_s = 10;
    assert_int_equal(berth_map_problem_init(&problem, p, t, &o, NULL), BERTH_OK);
    assert_int_equal(berth_map_run(&problem, berth_mapper_find("best"), pus, &name, NULL),
                     BERTH_OK);
    for (int r = 0; r < 4; r++) stay += pus[r] == from[r];
    if (stay != rows[i].stay) FAIL_ROW(rows[i].name, "%d stay, expected %d", stay, rows[i].stay);
    berth_map_problem_clear(&problem);
    berth_pattern_free(p);
    berth_topo_free(t);
  }
}

/* Six ranks on one host of four cores, whose PUs hang side by side: the two that compute long get
 * cores of their own, which costs nothing; linear and its like put both on the first core, for 6 s.
 */
static void searches_see_shared_cores(void **state)
{
  (void)state;
  const char *name;
  const double slowdown = 1.6;
  berth_topo_t *t = berth_topo_new("flat", NULL);
  berth_port_dir_t none = {-1, 0};
  berth_type_t type = {.name = "host",
                       .up = {none, none},
                       .down = {none, none},
                       .slowdown = &slowdown,
                       .n_slowdowns = 1};
  int pus[6];
  int host = berth_topo_add_switch(t, -1, berth_topo_add_type(t, &type, NULL), "a", "a", NULL);
  for (int i = 0; i < 8; i++) berth_topo_add_pu(t, host, i, i / 2, NULL);
  assert_int_equal(berth_topo_finish(t, NULL), BERTH_OK);
  berth_pattern_t *p = ring(6, -1, false);
  for (int r = 0; r < 6; r++) {
    berth_rank_info_t info = {"", -1, r < 2 ? 10 : 1, 0};
    assert_int_equal(berth_pattern_set_rank(p, r, &info, NULL), BERTH_OK);
  }
  assert_int_equal(berth_pattern_finish(p, NULL), BERTH_OK);
  berth_map_options_t o = berth_map_defaults();
  berth_map_problem_t problem;
  berth_map_report_t report;
  assert_int_equal(berth_map_problem_init(&problem, p, t, &o, NULL), BERTH_OK);
  problem.report = &report;
  assert_int_equal(berth_map_run(&problem, berth_mapper_find("refine"), pus, &name, NULL),
                   BERTH_OK);
  assert_true(fabs(report.candidate[0].price - 6) < 1e-12);
  assert_true(report.candidate[report.chosen].price == 0);
  assert_true(pus[0] / 2 != pus[1] / 2);
  berth_map_problem_clear(&problem);
  berth_pattern_free(p);
  berth_topo_free(t);
}

/* --- random machines --- */

/* Cores of one to three PUs: below switches of their own, or side by side with others, or with
 * their PUs in different parts of the host. */
static void add_cores(berth_topo_t *t, dice_t *d, int host, const int *type)
{
  int cores = 1 + roll(d, 2), pu = 0, way = roll(d, 3);
  int part = way == 2 ? berth_topo_add_switch(t, host, type[3], "left", NULL, NULL) : host;
  int threads = 1 + roll(d, 3);
  if (way == 0) {
    for (int c = 0; c < cores; c++) {
      int below = berth_topo_add_switch(t, host, type[2 + roll(d, 2)], "core", NULL, NULL);
      for (int i = 0; i < threads; i++) berth_topo_add_pu(t, below, pu++, c, NULL);
    }
    return;
  }
  for (int i = 0; i < threads; i++) {
    if (way == 2 && i == 1) part = berth_topo_add_switch(t, host, type[3], "right", NULL, NULL);
    for (int c = 0; c < cores; c++) berth_topo_add_pu(t, part, pu++, c, NULL);
  }
}

static berth_topo_t *machine(dice_t *d)
{
  berth_topo_t *t = berth_topo_new("random", NULL);
  int type[4];
  const char *const names[] = {"top", "host", "core", "part"};
  for (int i = 0; i < 4; i++) {
    double slowdown[2] = {1 + 0.25 * roll(d, 5), 3};
    berth_port_dir_t up = {-1, 10.0 * (1 + roll(d, 50))}, down = {-1, 10.0 * (1 + roll(d, 50))};
    berth_type_t one = {.name = names[i],
                        .up = {up, up},
                        .down = {down, down},
                        .slowdown = slowdown,
                        .n_slowdowns = i == 0 ? 0 : (size_t)roll(d, 3)};
    type[i] = berth_topo_add_type(t, &one, NULL);
  }
  int root = berth_topo_add_switch(t, -1, type[0], "top", NULL, NULL);
  for (int h = 1 + roll(d, 3); h > 0; h--) {
    char name[8];
    snprintf(name, sizeof name, "n%d", h);
    add_cores(t, d, berth_topo_add_switch(t, root, type[1], name, name, NULL), type);
  }
  assert_int_equal(berth_topo_finish(t, NULL), BERTH_OK);
  return t;
}

/* A random pattern whose ranks compute about as long as their messages take. */
static berth_pattern_t *pattern(dice_t *d, int ranks)
{
  berth_pattern_t *p = random_pattern(d, ranks);
  double longest = pow(10, roll(d, 3));
  for (int r = 0; r < ranks; r++) {
    berth_rank_info_t info = {"", -1, 1 + longest * roll(d, 5), 1};
    assert_int_equal(berth_pattern_set_rank(p, r, &info, NULL), BERTH_OK);
  }
  assert_int_equal(berth_pattern_finish(p, NULL), BERTH_OK);
  return p;
}

typedef struct instance {
  berth_map_problem_t problem;
  berth_map_report_t report;
  berth_cost_t *cost;
} instance_t;

static bool begin(instance_t *in, dice_t *d, int most_pus, int most_ranks)
{
  berth_topo_t *t = machine(d);
  int pus = berth_topo_n_pus(t), ranks = 1 + roll(d, most_ranks);
  berth_pattern_t *p = pattern(d, ranks);
  berth_map_options_t o = berth_map_defaults();
  o.objective = (berth_model_t)roll(d, BERTH_N_MODELS);
  o.ranks_per_pu = 1 + (ranks - 1) / pus;
  o.any_thread = roll(d, 4) == 0;
  o.min_gain = 0;
  o.iterations = 20000;
  o.quality = BERTH_QUALITY_STRONG;
  int *pinned = random_pins(d, ranks, pus, o.ranks_per_pu);
  if (roll(d, 4) == 0) o.pinned = pinned;
  *in = (instance_t){0};
  bool good = pus <= most_pus;
  if (good) {
    assert_int_equal(berth_map_problem_init(&in->problem, p, t, &o, NULL), BERTH_OK);
    in->problem.report = &in->report;
    in->cost = berth_cost_new(p, t, NULL);
  } else {
    berth_pattern_free(p);
    berth_topo_free(t);
  }
  free(pinned);
  return good;
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

/* By the definition, rank by rank. */
static double sharing_of(const instance_t *in, const int *pus)
{
  const berth_topo_t *t = in->problem.topo;
  int ranks = berth_pattern_ranks(in->problem.pattern);
  double longest = 0, alone = 0;
  for (int r = 0; r < ranks; r++) {
    const berth_rank_info_t *info = berth_pattern_rank(in->problem.pattern, r);
    const berth_pu_t *mine = berth_topo_pu(t, pus[r]);
    double compute = info->wall_s - info->mpi_s, slower = 1;
    int busy = 0, here = 0, first = -1;
    for (int pu = berth_topo_n_pus(t) - 1; pu >= 0; pu--) {
      const berth_pu_t *other = berth_topo_pu(t, pu);
      bool used = false;
      if (other->host != mine->host || other->core != mine->core) continue;
      first = pu;
      for (int s = 0; s < ranks; s++) used |= pus[s] == pu;
      busy += used;
    }
    for (int s = 0; s < ranks; s++) here += pus[s] == pus[r];
    int type = berth_topo_slowdown_type(t, first);
    if (type >= 0) {
      const berth_type_t *of = berth_topo_type(t, type);
      int last = (int)of->n_slowdowns + 1;
      slower = busy < 2 ? 1 : of->slowdown[(busy < last ? busy : last) - 2];
      if (busy > last) slower *= (double)busy / last;
      slower *= here;
    }
    longest = fmax(longest, compute * slower);
    alone = fmax(alone, compute);
  }
  return longest - alone;
}

static double price(instance_t *in, const int *pus)
{
  berth_model_t model = in->problem.options.objective;
  double sharing = model == BERTH_MODEL_SUM ? 0 : sharing_of(in, pus);
  return berth_cost_evaluate(in->cost, model, pus) + sharing;
}

/* The least price with the ranks from r on anywhere, second threads among the places. */
static double least(instance_t *in, int *pus, char *taken, int r)
{
  const berth_map_problem_t *p = &in->problem;
  int n = p->any_pus ? p->n_any_pus : p->n_pus;
  const int *places = p->any_pus ? p->any_pus : p->pus;
  double best = INFINITY;
  if (r == berth_pattern_ranks(p->pattern)) return price(in, pus);
  for (int i = 0; i < n; i++) {
    bool pinned = p->options.pinned && p->options.pinned[r] >= 0;
    bool same = i > 0 && places[i] == places[i - 1] && !taken[i - 1];
    if (taken[i] || same || (pinned && p->options.pinned[r] != places[i])) continue;
    taken[i] = 1;
    pus[r] = places[i];
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
  double found = price(in, pus), reported = in->report.candidate[in->report.chosen].price;
  if (fabs(reported - found) > 1e-9 * found)
    FAIL_ROW(mapper, "price %.17g, reported %.17g", found, reported);
  return found;
}

static void exact_finds_the_cheapest(void **state)
{
  (void)state;
  dice_t d = {1};
  int rounds = 0, shared = 0;
  while (rounds < rounds_of(2000)) {
    instance_t in;
    char taken[32] = {0};
    int pus[8];
    if (!begin(&in, &d, 7, 5)) continue;
    double truth = least(&in, pus, taken, 0), found = run(&in, "exact", pus);
    shared += in.report.price_of_first_threads >= 0;
    if (fabs(found - truth) > 1e-9 * truth)
      FAIL_ROW("exact", "round %d: %.17g, the cheapest is %.17g (model %s)", rounds, found, truth,
               berth_model_name(in.problem.options.objective));
    double best = rounds % 8 ? truth : run(&in, "best", pus); /* it takes ten times as long */
    if (fabs(best - truth) > 1e-9 * truth)
      FAIL_ROW("best", "round %d: %.17g, the cheapest is %.17g", rounds, best, truth);
    run(&in, "linear", pus); /* whose report has the lower bound alone */
    if (in.report.lower_bound > truth)
      FAIL_ROW("bound", "round %d: %.17g, the cheapest is %.17g", rounds, in.report.lower_bound,
               truth);
    rounds++;
    end(&in);
  }
  print_message("second threads where there were cores: in %d of %d\n", shared, rounds);
  assert_true(shared > rounds / 50);
}

/* Without exact to help it: searches see shared cores, too, and threads change nothing. */
static void best_finds_the_cheapest_mostly(void **state)
{
  (void)state;
  dice_t d = {2};
  int rounds = 0, equal = 0;
  while (rounds < rounds_of(40)) {
    instance_t in;
    int one[8], two[8];
    if (!begin(&in, &d, 12, 8)) continue;
    int ranks = berth_pattern_ranks(in.problem.pattern);
    if (ranks > 5) {
      double truth = run(&in, "exact", one), found = run(&in, "best", one);
      double linear = in.report.candidate[0].price;
      if (found > linear || found < truth * (1 - 1e-9))
        FAIL_ROW("best", "round %d: %.17g, cheapest %.17g, linear %.17g", rounds, found, truth,
                 linear);
      in.problem.options.threads = 2;
      run(&in, "best", two);
      assert_memory_equal(one, two, (size_t)ranks * sizeof *one);
      equal += found <= truth * (1 + 1e-9);
      rounds++;
    }
    end(&in);
  }
  print_message("best strong: the cheapest in %d of %d\n", equal, rounds);
  assert_true(equal * 100 >= rounds * 95);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(best_trades), cmocka_unit_test(ranks_on_second_threads_may_stay),
      cmocka_unit_test(searches_see_shared_cores), cmocka_unit_test(exact_finds_the_cheapest),
      cmocka_unit_test(best_finds_the_cheapest_mostly)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
