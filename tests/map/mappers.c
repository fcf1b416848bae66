/* SPDX-License-Identifier: BSD-3-Clause */
/* Properties that every mapper of the list has, on random machines and patterns. */
#include "random_instance.h"

/* A problem with random options; its inputs are freed by end_problem. */
static int begin_problem(dice_t *d, berth_map_problem_t *problem)
{
  berth_topo_t *t = roll(d, 4) ? small_topology(d, 24) : random_topology(d);
  int pus = berth_topo_n_pus(t);
  berth_map_options_t o = berth_map_defaults();
  o.ranks_per_pu = roll(d, 3) ? 1 : 1 + roll(d, 4);
  berth_pattern_t *p = random_pattern(d, 1 + roll(d, pus * o.ranks_per_pu));
  int *pinned = random_pins(d, berth_pattern_ranks(p), pus, o.ranks_per_pu);
  o.reserve = roll(d, 4) ? 0 : 1;
  o.any_thread = roll(d, 2);
  o.seed = (uint64_t)roll(d, 1000);
  o.iterations = 500;
  o.objective = (berth_model_t)roll(d, BERTH_N_MODELS);
  o.pinned = roll(d, 3) ? NULL : pinned;
  o.iterations = 500;
  int rc = berth_map_problem_init(problem, p, t, &o, NULL);
  free(pinned);
  if (!rc) return BERTH_OK;
  /* the reserve left too few, or took a pinned rank's place */
  assert_int_equal(rc, rc == BERTH_USAGE && o.pinned && o.reserve ? rc : BERTH_BAD_INPUT);
  berth_pattern_free(p);
  berth_topo_free(t);
  return rc;
}

static void end_problem(berth_map_problem_t *problem)
{
  berth_pattern_t *p = (berth_pattern_t *)(uintptr_t)problem->pattern;
  berth_topo_t *t = (berth_topo_t *)(uintptr_t)problem->topo;
  berth_map_problem_clear(problem);
  berth_pattern_free(p);
  berth_topo_free(t);
}

static double price(const berth_map_problem_t *problem, const int *pu_of_rank)
{
  berth_cost_t *c = berth_cost_new(problem->pattern, problem->topo, NULL);
  double cost = berth_cost_evaluate(c, problem->options.objective, pu_of_rank);
  berth_cost_free(c);
  return cost;
}

static void assert_feasible(const berth_map_problem_t *problem, const char *name, const int *pus)
{
  int ranks = berth_pattern_ranks(problem->pattern);
  const int *pinned = problem->options.pinned;
  int *places = calloc((size_t)berth_topo_n_pus(problem->topo), sizeof *places);
  for (int i = 0; i < problem->n_pus; i++) places[problem->pus[i]]++;
  for (int r = 0; r < ranks; r++) {
    if (pus[r] < 0 || pus[r] >= berth_topo_n_pus(problem->topo) || places[pus[r]]-- <= 0)
      FAIL_ROW(name, "rank %d of %d on PU %d, which has no place left", r, ranks, pus[r]);
    if (pinned && pinned[r] >= 0 && pus[r] != pinned[r])
      FAIL_ROW(name, "rank %d on PU %d, pinned to %d", r, pus[r], pinned[r]);
  }
  free(places);
}

/* Whether a mapper serves some problems only. */
static bool may_refuse(const char *name)
{
  return strcmp(name, "exact") == 0 || strcmp(name, "stay") == 0;
}

static void all_mappers_keep_to_the_rules(void **state)
{
  (void)state;
  size_t n;
  const berth_mapper_t *mappers = berth_mappers(&n);
  dice_t d = {12345};
  for (int round = 0; round < rounds_of(500); round++) {
    berth_map_problem_t problem;
    if (begin_problem(&d, &problem)) continue;
    if (problem.options.objective == BERTH_MODEL_FLOW && round % 16 != 0) {
      end_problem(&problem); /* refine takes half a second with it */
      continue;
    }
    size_t bytes = (size_t)berth_pattern_ranks(problem.pattern) * sizeof(int);
    int *one = malloc(bytes), *two = malloc(bytes);
    double cost = 0, linear = 0;
    berth_map_report_t report = {0};
    problem.report = &report;
    for (size_t i = 0; i < n; i++) {
      const char *chosen = NULL;
      problem.options.threads = 1;
      if (mappers[i].max_ranks && berth_pattern_ranks(problem.pattern) > mappers[i].max_ranks)
        continue; /* optimum.c has more of them */
      int rc = berth_map_run(&problem, &mappers[i], one, &chosen, NULL);
      assert_int_equal(rc, rc == BERTH_USAGE && may_refuse(mappers[i].name) ? rc : BERTH_OK);
      if (rc) continue;
      assert_feasible(&problem, mappers[i].name, one);
      problem.options.threads = round % 2 ? 2 : 8;
      assert_int_equal(berth_map_run(&problem, &mappers[i], two, &chosen, NULL), BERTH_OK);
      if (memcmp(one, two, bytes) != 0) FAIL_ROW(mappers[i].name, "threads change the result");
      assert_true(berth_mapper_find(chosen) || strcmp(chosen, "even-ports") == 0);
      cost = price(&problem, one);
      if (i == 0) linear = cost;
      if (report.candidate[report.chosen].price != cost || report.lower_bound > cost)
        FAIL_ROW(mappers[i].name, "%.17g, by the report %.17g, above %.17g", cost,
                 report.candidate[report.chosen].price, report.lower_bound);
    }
    if (cost > linear || 0.99 * cost > report.candidate[report.cheapest].price)
      FAIL_ROW("best", "%g, linear %g", cost, linear); /* which stands last in the list */
    free(one);
    free(two);
    end_problem(&problem);
  }
}

/* Machines of two racks of two hosts of `cores` cores, one PU each. */
static berth_topo_t *racks(int cores)
{
  berth_topo_t *t = berth_topo_new("racks", NULL);
  berth_port_dir_t bus = {-1, 1000}, link = {-1, 100}, trunk = {-1, 50};
  berth_type_t host = {"host", {link, link}, {bus, bus}, 0};
  berth_type_t rack = {"rack", {trunk, trunk}, {link, link}, 0};
  berth_type_t top = {"top", {{-1, 0}, {-1, 0}}, {trunk, trunk}, 0};
  int h = berth_topo_add_type(t, &host, NULL), r = berth_topo_add_type(t, &rack, NULL);
  int root = berth_topo_add_switch(t, -1, berth_topo_add_type(t, &top, NULL), "top", NULL, NULL);
  for (int i = 0; i < 4; i++) {
    char name[8];
    snprintf(name, sizeof name, "n%d", i);
    static int below;
    if (i % 2 == 0) below = berth_topo_add_switch(t, root, r, i ? "r1" : "r0", NULL, NULL);
    int e = berth_topo_add_switch(t, below, h, name, name, NULL);
    for (int k = 0; k < cores; k++) berth_topo_add_pu(t, e, k, k, NULL);
  }
  assert_int_equal(berth_topo_finish(t, NULL), BERTH_OK);
  return t;
}

/* Patterns whose right answer is known: pairs of ranks that must share a host or a rack. */
static const struct {
  const char *name;
  int cores, ranks;
  const char *options_hosts;
  int reserve;
  struct {
    int a, b, weight;
  } edges[12];
  struct {
    int a, b;
    char together; /* h: the same host, r: the same rack, n: different racks */
  } expect[8];
} known[] = {
    {"rungs of a ladder share a host",
     2,
     8,
     NULL,
     0,
     {{0, 4, 100},
      {1, 5, 100},
      {2, 6, 100},
      {3, 7, 100},
      {0, 1, 10},
      {1, 2, 9},
      {2, 3, 10},
      {4, 5, 10},
      {5, 6, 9},
      {6, 7, 10}},
     {{0, 4, 'h'}, {1, 5, 'h'}, {2, 6, 'h'}, {3, 7, 'h'}, {0, 1, 'r'}, {2, 3, 'r'}, {1, 2, 'n'}}},
    {"heavy clusters land in different subtrees",
     2,
     4,
     NULL,
     0,
     {{0, 2, 100}, {1, 3, 100}},
     {{0, 2, 'h'}, {1, 3, 'h'}, {0, 1, 'n'}}},
    {"fewer ranks than PUs stay together where they talk",
     2,
     3,
     NULL,
     0,
     {{0, 1, 100}, {1, 2, 10}},
     {{0, 1, 'h'}, {1, 2, 'r'}}},
    {"a set that spans clusters is split, next door",
     2,
     5,
     NULL,
     0,
     {{0, 1, 100}, {2, 3, 100}, {0, 4, 50}, {1, 4, 50}, {2, 4, 40}},
     {{0, 1, 'h'}, {2, 3, 'h'}, {0, 4, 'r'}}},
    {"reserved cores stay free",
     3,
     8,
     NULL,
     1,
     {{0, 7, 10}, {1, 6, 10}, {2, 5, 10}, {3, 4, 10}},
     {{0, 7, 'h'}, {1, 6, 'h'}, {2, 5, 'h'}, {3, 4, 'h'}}},
    {"only the hosts that were named",
     2,
     4,
     "n1,n2",
     0,
     {{0, 2, 100}, {1, 3, 100}, {0, 1, 1}},
     {{0, 2, 'h'}, {1, 3, 'h'}, {0, 1, 'n'}}},
};

static int rack_of(const berth_topo_t *t, int pu)
{
  const berth_host_t *h = berth_topo_host(t, berth_topo_pu(t, pu)->host);
  return berth_topo_element(t, h->element)->parent;
}

static void greedy_finds_what_is_obvious(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(known); i++) {
    berth_topo_t *t = racks(known[i].cores);
    berth_pattern_t *p = berth_pattern_new(known[i].ranks, NULL);
    for (size_t k = 0; k < COUNT(known[i].edges) && known[i].edges[k].weight; k++) {
      berth_message_t m = {.src = known[i].edges[k].a,
                           .dst = known[i].edges[k].b,
                           .size = (uint64_t)known[i].edges[k].weight,
                           .count = 1};
      m.bytes = m.size;
      berth_pattern_add_message(p, &m, NULL);
    }
    berth_pattern_finish(p, NULL);
    berth_map_options_t o = berth_map_defaults();
    o.reserve = known[i].reserve;
    o.hosts = known[i].options_hosts;
    berth_map_problem_t problem;
    int pus[8];
    const char *chosen;
    assert_int_equal(berth_map_problem_init(&problem, p, t, &o, NULL), BERTH_OK);
    assert_int_equal(berth_map_run(&problem, berth_mapper_find("greedy"), pus, &chosen, NULL),
                     BERTH_OK);
    for (size_t k = 0; k < COUNT(known[i].expect) && known[i].expect[k].together; k++) {
      int a = pus[known[i].expect[k].a], b = pus[known[i].expect[k].b];
      int host = berth_topo_pu(t, a)->host == berth_topo_pu(t, b)->host;
      int rack = rack_of(t, a) == rack_of(t, b);
      char want = known[i].expect[k].together;
      if ((want == 'h' && !host) || (want == 'r' && !rack) || (want == 'n' && rack))
        FAIL_ROW(known[i].name, "ranks %d and %d on PUs %d and %d", known[i].expect[k].a,
                 known[i].expect[k].b, a, b);
    }
    berth_map_problem_clear(&problem);
    berth_pattern_free(p);
    berth_topo_free(t);
  }
}

static void impossible_problems_are_refused(void **state)
{
  (void)state;
  static const struct {
    int ranks, reserve, code;
    const char *hosts, *error;
  } refused[] = {
      {9, 0, BERTH_BAD_INPUT, NULL,
       "found 9 ranks in the pattern, expected at most 8, the usable PUs of topology 'racks' (8 in "
       "all, `reserve` 0, `ranks_per_pu` 1)"},
      {8, 1, BERTH_BAD_INPUT, NULL,
       "found 8 ranks in the pattern, expected at most 4, the usable PUs of topology 'racks' (8 in "
       "all, `reserve` 1, `ranks_per_pu` 1)"},
      {4, 0, BERTH_BAD_INPUT, "n1",
       "found 4 ranks in the pattern, expected at most 2, the usable PUs of topology 'racks' (8 in "
       "all, `reserve` 0, `ranks_per_pu` 1, `hosts` n1)"},
      {4, 0, BERTH_OK, "n[1-2]", ""},
      {1, 0, BERTH_USAGE, "n[1", "`hosts`: found \"[1\", expected a ']' behind it"},
      {1, 0, BERTH_USAGE, "n1,x", "`hosts`: found 'x', expected a host of topology 'racks'"},
  };
  berth_topo_t *t = racks(2);
  for (size_t i = 0; i < COUNT(refused); i++) {
    berth_pattern_t *p = berth_pattern_new(refused[i].ranks, NULL);
    berth_pattern_finish(p, NULL);
    berth_map_options_t o = berth_map_defaults();
    o.reserve = refused[i].reserve;
    o.hosts = refused[i].hosts;
    berth_map_problem_t problem;
    berth_error_t err = {0};
    assert_int_equal(berth_map_problem_init(&problem, p, t, &o, &err), refused[i].code);
    assert_string_equal(err.text, refused[i].error);
    berth_map_problem_clear(&problem);
    berth_pattern_free(p);
  }
  berth_topo_free(t);
}

/* Errors name the library's fields; the program says its options (tests/cli/fields.sh). */
#define FOUR(threads_, quality_, per_pu, moves)                                                    \
  .size = sizeof(berth_map_options_t), .threads = threads_,                                        \
  .quality = (berth_quality_t)(quality_), .ranks_per_pu = per_pu, .max_moves = moves
static const int swapped[] = {1, 0, 2, 3}, stays[] = {1, -1, -1, -1}, leaves[] = {2, -1, -1, -1};
static const struct {
  berth_map_options_t options;
  const char *error; /* "" where they are right */
} wrong[] = {
    {{FOUR(0, 1, 1, -1)}, "`threads`: found 0, expected at least 1"},
    {{FOUR(4097, 1, 1, -1)}, "`threads`: found 4097, expected at most 4096"},
    {{FOUR(1, 7, 1, -1)}, "`quality`: found number 7, expected 0 to 2"},
    {{FOUR(1, 1, 0, -1)}, "`ranks_per_pu`: found 0, expected at least 1"},
    {{FOUR(1, 1, 1, -1), .reserve = -1}, "`reserve`: found -1, expected at least 0"},
    {{FOUR(1, 1, 1, -2)}, "`max_moves`: found -2, expected at least 0, or -1 for any number"},
    {{FOUR(1, 1, 1, -1), .time_limit_s = -1}, "`time_limit_s`: found -1 s, expected at least 0"},
    {{FOUR(1, 1, 1, -1), .min_gain = 2}, "`min_gain`: found 200%, expected 0 to 100"},
    {{FOUR(1, 1, 1, -1), .sum_share = -1}, "`sum_share`: found -100%, expected 0 to 100"},
    {{FOUR(1, 1, 1, -1), .move_price_s = -2},
     "`move_price_s`: found -2, expected a number of at least 0"},
    {{FOUR(1, 1, 1, 0), .from = swapped, .pinned = stays}, ""},
    {{FOUR(1, 1, 1, 1), .from = swapped, .pinned = leaves},
     "`max_moves`: found 1, expected at least 2, the ranks that must leave their PU in `from`"},
};

static void options_are_fields(void **state)
{
  (void)state;
  size_t n;
  const berth_mapper_t *mappers = berth_mappers(&n);
  berth_topo_t *t = racks(2);
  berth_pattern_t *p = berth_pattern_new(4, NULL);
  berth_pattern_finish(p, NULL);
  for (size_t i = 0; i < COUNT(wrong); i++) {
    berth_map_problem_t problem;
    berth_error_t err = {0};
    int rc = berth_map_problem_init(&problem, p, t, &wrong[i].options, &err);
    if (rc != (*wrong[i].error ? BERTH_USAGE : BERTH_OK) || strcmp(err.text, wrong[i].error) != 0)
      FAIL_ROW(wrong[i].error, "found code %d: %s", rc, err.text);
    berth_map_problem_clear(&problem);
  }
  for (size_t i = 0; i < n; i++)
    if (strstr(mappers[i].help, "--")) FAIL_ROW(mappers[i].name, "found '%s'", mappers[i].help);
  berth_pattern_free(p);
  berth_topo_free(t);
}

/* Which places there are on a host of three cores of two threads: PUs 0 and 1 are core 0. */
static const struct {
  const char *name;
  int ranks, ranks_per_pu, any_thread, reserve;
  int pinned[8], from[8]; /* PUs and one more, 0 is none */
  const char *places;     /* "" where the ranks don't fit */
  const char *error;
} places[] = {
    {"cores first", 1, 1, 0, 0, {0}, {0}, "024", ""},
    {"all cores", 3, 1, 0, 0, {0}, {0}, "024", ""},
    {"second threads when needed", 4, 1, 0, 0, {0}, {0}, "012345", ""},
    {"second threads at once", 1, 1, 1, 0, {0}, {0}, "012345", ""},
    {"a reserved core", 2, 1, 1, 1, {0}, {0}, "0123", ""},
    {"allowed to share, but alone", 6, 4, 0, 0, {0}, {0}, "012345", ""},
    {"no more than needed", 7, 4, 0, 0, {0}, {0}, "001122334455", ""},
    {"shared beside a reserve", 5, 2, 0, 1, {0}, {0}, "00112233", ""},
    {"a pinned thread leads its core", 3, 1, 0, 0, {0, 4}, {0}, "034", ""},
    {"two pinned threads of a core", 3, 1, 0, 0, {3, 4}, {0}, "0234", ""},
    {"two ranks pinned to a PU", 2, 2, 0, 0, {3, 3}, {0}, "0224", ""},
    {"a rank stays on its thread", 2, 1, 0, 0, {0}, {4, 1}, "034", ""},
    {"pins come before those", 2, 1, 0, 0, {3}, {0, 4}, "024", ""},
    {"too many",
     7,
     1,
     0,
     0,
     {0},
     {0},
     "",
     "found 7 ranks in the pattern, expected at most 6, the usable PUs of topology 'smt' (6 in "
     "all, "
     "`reserve` 0, `ranks_per_pu` 1)"},
    {"too many to share",
     9,
     2,
     0,
     1,
     {0},
     {0},
     "",
     "found 9 ranks in the pattern, expected at most 8, the usable places on PUs of topology 'smt' "
     "(6 in all, `reserve` 1, `ranks_per_pu` 2)"},
    {"two on one place",
     3,
     1,
     0,
     0,
     {0, 3, 3},
     {0},
     "",
     "`pinned`: found PU 2 for rank 2, which rank 1 has already, expected at most 1 there "
     "(`ranks_per_pu`)"},
    {"no such PU",
     2,
     1,
     0,
     0,
     {0, 8},
     {0},
     "",
     "`pinned`: found PU 7 for rank 1, expected one from 0 to 5 of topology 'smt'"},
    {"pinned to a reserved core",
     2,
     1,
     0,
     1,
     {0, 6},
     {0},
     "",
     "`pinned`: found PU 5 (h, core 2) for rank 1, expected one that `reserve` and `hosts` leave "
     "to ranks"},
};

static void places_are_dealt_by_the_rules(void **state)
{
  (void)state;
  berth_topo_t *t = berth_topo_new("smt", NULL);
  berth_type_t type = {"host", {{-1, 0}, {-1, 0}}, {{-1, 10}, {-1, 10}}, 0};
  int e = berth_topo_add_switch(t, -1, berth_topo_add_type(t, &type, NULL), "h", "h", NULL);
  for (int i = 0; i < 6; i++) berth_topo_add_pu(t, e, i, i / 2, NULL);
  assert_int_equal(berth_topo_finish(t, NULL), BERTH_OK);
  for (size_t i = 0; i < COUNT(places); i++) {
    int pinned[9] = {0}, from[9] = {0}, most = 0, run = 0;
    for (int r = 0; r < 8; r++) pinned[r] = places[i].pinned[r] - 1;
    for (int r = 0; r < 8; r++) from[r] = places[i].from[r] - 1;
    pinned[8] = from[8] = -1;
    berth_pattern_t *p = berth_pattern_new(places[i].ranks, NULL);
    berth_pattern_finish(p, NULL);
    berth_map_options_t o = berth_map_defaults();
    o.ranks_per_pu = places[i].ranks_per_pu;
    o.any_thread = places[i].any_thread;
    o.reserve = places[i].reserve;
    o.pinned = pinned;
    o.from = from;
    berth_map_problem_t problem;
    berth_error_t err = {0};
    char found[32] = "";
    int rc = berth_map_problem_init(&problem, p, t, &o, &err);
    for (int k = 0; k < problem.n_pus; k++) {
      found[k] = (char)('0' + problem.pus[k]);
      run = k && found[k] == found[k - 1] ? run + 1 : 1;
      most = run > most ? run : most;
    }
    if (strcmp(found, places[i].places) != 0 || strcmp(err.text, places[i].error) != 0 ||
        !rc != !*places[i].error || problem.max_on_pu != most)
      FAIL_ROW(places[i].name, "found '%s', most %d: %s", found, problem.max_on_pu, err.text);
    berth_map_problem_clear(&problem);
    berth_pattern_free(p);
  }
  berth_topo_free(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_mappers_keep_to_the_rules),
      cmocka_unit_test(greedy_finds_what_is_obvious),
      cmocka_unit_test(impossible_problems_are_refused),
      cmocka_unit_test(options_are_fields),
      cmocka_unit_test(places_are_dealt_by_the_rules),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
