/* SPDX-License-Identifier: BSD-3-Clause */
/* Search under model sum: known optima, and what holds on any machine. */
#include "map/search_sum/search_sum.h"
#include "random_instance.h"

static const berth_quality_t qualities[] = {BERTH_QUALITY_FAST, BERTH_QUALITY_ECO,
                                            BERTH_QUALITY_STRONG};

/* A tree of 2 x 4 hosts with so many PUs; way lengths 1, 10, 100 as in the public instances. */
static berth_topo_t *tree(int pus)
{
  berth_topo_t *t = berth_topo_new("tree", NULL);
  berth_port_dir_t none = {-1, 0}, bus = {-1, 2}, link = {-1, 2 / 9.0}, trunk = {-1, 2 / 90.0};
  berth_type_t host = {"host", {link, link}, {bus, bus}, 0};
  berth_type_t rack = {"rack", {trunk, trunk}, {none, none}, 0};
  berth_type_t top = {"top", {none, none}, {none, none}, 0};
  int h = berth_topo_add_type(t, &host, NULL), r = berth_topo_add_type(t, &rack, NULL);
  int root = berth_topo_add_switch(t, -1, berth_topo_add_type(t, &top, NULL), "top", NULL, NULL);
  for (int i = 0, below = 0; i < 8; i++) {
    char name[8];
    snprintf(name, sizeof name, "n%d", i);
    if (i % 4 == 0) below = berth_topo_add_switch(t, root, r, i ? "r1" : "r0", NULL, NULL);
    int e = berth_topo_add_switch(t, below, h, name, name, NULL);
    for (int k = 0; k < pus; k++) berth_topo_add_pu(t, e, k, k, NULL);
  }
  assert_int_equal(berth_topo_finish(t, NULL), BERTH_OK);
  return t;
}

/* A stencil of nx x ny x nz ranks, shuffled by a multiplication modulo the number of ranks. */
static berth_pattern_t *stencil(int nx, int ny, int nz, int shuffle)
{
  int n = nx * ny * nz, step[] = {1, nx, nx * ny}, side[] = {nx, ny, nz};
  berth_pattern_t *p = berth_pattern_new(n, NULL);
  for (int i = 0; i < n; i++)
    for (int d = 0; d < 3; d++) {
      if (i / step[d] % side[d] + 1 == side[d]) continue;
      int a = i * shuffle % n, b = (i + step[d]) * shuffle % n;
      berth_message_t m = {.src = a, .dst = b, .size = 1, .count = 1, .bytes = 1};
      assert_int_equal(berth_pattern_add_message(p, &m, NULL), BERTH_OK);
    }
  assert_int_equal(berth_pattern_finish(p, NULL), BERTH_OK);
  return p;
}

/* Places by linear, then searches; returns the cost. */
static double search(berth_map_problem_t *problem, int *pus)
{
  const char *chosen;
  assert_int_equal(berth_mapper_find("linear")->map(problem, pus, &chosen, NULL), BERTH_OK);
  assert_int_equal(search_sum(problem, pus, NULL), BERTH_OK);
  berth_cost_t *c = berth_cost_new(problem->pattern, problem->topo, NULL);
  double cost = berth_cost_evaluate(c, BERTH_MODEL_SUM, pus);
  berth_cost_free(c);
  return cost;
}

/* Blocks of a grid that fill hosts and racks; edges inside a host cost 1, a rack 10, else 100. */
static void optima_are_found(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    int nx, ny, nz, shuffle, pus;
    double host, rack, top; /* edges that cost so much */
  } known[] = {
      {"a line", 32, 1, 1, 13, 4, 24, 6, 1},
      {"a plane", 8, 8, 1, 27, 8, 8 * 10, 24, 8},
      {"a cube", 4, 4, 4, 37, 8, 8 * 12, 32, 16},
      {"a box with free PUs", 4, 4, 2, 5, 8, 4 * 12, 16, 0},
  };
  for (size_t i = 0; i < COUNT(known); i++)
    for (size_t q = 1; q < COUNT(qualities); q++)
      for (uint64_t seed = 1; seed <= 3; seed++) {
        berth_topo_t *t = tree(known[i].pus);
        berth_pattern_t *p = stencil(known[i].nx, known[i].ny, known[i].nz, known[i].shuffle);
        berth_map_options_t o = berth_map_defaults();
        o.objective = BERTH_MODEL_SUM;
        o.quality = qualities[q];
        o.seed = seed;
        berth_map_problem_t problem;
        int pus[64];
        assert_int_equal(berth_map_problem_init(&problem, p, t, &o, NULL), BERTH_OK);
        double cost = search(&problem, pus);
        double least = known[i].host + 10 * known[i].rack + 100 * known[i].top;
        if (cost > least * (1 + 1e-9))
          FAIL_ROW(known[i].name, "seed %d: %.17g instead of %g", (int)seed, cost, least);
        berth_map_problem_clear(&problem);
        berth_pattern_free(p);
        berth_topo_free(t);
      }
}

/* Pins some ranks where linear has them, or none. */
static void pin(dice_t *d, const berth_map_problem_t *problem, int *pinned)
{
  int ranks = berth_pattern_ranks(problem->pattern), some = roll(d, 2);
  for (int r = 0; r < ranks; r++)
    pinned[r] = some && roll(d, 3) == 0 ? problem->pus[r % problem->n_pus] : -1;
}

/* Searches with 1, 2 and 8 threads: the same result, not dearer than linear's, with pins kept. */
static void check_search(berth_map_problem_t *problem, const char *name)
{
  int ranks = berth_pattern_ranks(problem->pattern);
  const char *chosen;
  int *first = malloc((size_t)ranks * sizeof *first), *pus = malloc((size_t)ranks * sizeof *pus);
  int *uses = calloc((size_t)berth_topo_n_pus(problem->topo), sizeof *uses);
  for (int threads = 1; threads <= 8; threads *= threads == 1 ? 2 : 4) {
    problem->options.threads = threads;
    double cost = search(problem, threads == 1 ? first : pus);
    if (threads > 1 && memcmp(first, pus, (size_t)ranks * sizeof *pus) != 0)
      FAIL_ROW(name, "%d threads change the result", threads);
    assert_int_equal(berth_mapper_find("linear")->map(problem, pus, &chosen, NULL), BERTH_OK);
    berth_cost_t *c = berth_cost_new(problem->pattern, problem->topo, NULL);
    if (cost > berth_cost_evaluate(c, BERTH_MODEL_SUM, pus)) FAIL_ROW(name, "dearer than linear");
    berth_cost_free(c);
  }
  for (int r = 0; r < ranks; r++)
    if (problem->options.pinned && problem->options.pinned[r] >= 0 && first[r] != pus[r])
      FAIL_ROW(name, "rank %d left its PU", r);
  for (int i = 0; i < problem->n_pus; i++) uses[problem->pus[i]]++;
  for (int r = 0; r < ranks; r++)
    if (uses[first[r]]-- == 0) FAIL_ROW(name, "rank %d on PU %d, which has no room", r, first[r]);
  free(first);
  free(pus);
  free(uses);
}

static void rules_hold_on_any_tree(void **state)
{
  (void)state;
  dice_t d = {99};
  for (int round = 0; round < rounds_of(200); round++) {
    berth_topo_t *t = random_topology(&d);
    berth_pattern_t *p = random_pattern(&d, 1 + roll(&d, berth_topo_n_pus(t)));
    berth_map_options_t o = berth_map_defaults();
    o.objective = BERTH_MODEL_SUM;
    o.seed = (uint64_t)round;
    o.quality = qualities[round % 3];
    o.iterations = round % 3 == 2 ? 20000 : 0; /* strong, for its restarts */
    berth_map_problem_t problem;
    char name[32];
    snprintf(name, sizeof name, "round %d", round);
    if (berth_map_problem_init(&problem, p, t, &o, NULL) == BERTH_OK) {
      int *pinned = malloc((size_t)berth_pattern_ranks(p) * sizeof *pinned);
      pin(&d, &problem, pinned);
      problem.options.pinned =
          pinned; /* where linear has them, which knows of none; freed with it */
      check_search(&problem, name);
      berth_map_problem_clear(&problem);
    }
    berth_pattern_free(p);
    berth_topo_free(t);
  }
}

/* However hasty, what lowers the sum within blocks doesn't raise it, and leaves each rank in its
 * block: a host. */
static void blocks_never_get_dearer(void **state)
{
  (void)state;
  dice_t d = {7};
  for (int round = 0; round < rounds_of(200); round++) {
    berth_topo_t *t = random_topology(&d);
    berth_pattern_t *p = random_pattern(&d, 1 + roll(&d, berth_topo_n_pus(t)));
    berth_map_options_t o = berth_map_defaults();
    berth_map_problem_t problem;
    const char *name;
    o.seed = (uint64_t)round;
    assert_int_equal(berth_map_problem_init(&problem, p, t, &o, NULL), BERTH_OK);
    int ranks = berth_pattern_ranks(p);
    int *pus = malloc((size_t)ranks * sizeof *pus), *start = malloc((size_t)ranks * sizeof *start);
    int *block = malloc((size_t)problem.n_pus * sizeof *block);
    for (int i = 0; i < problem.n_pus; i++) block[i] = berth_topo_pu(t, problem.pus[i])->host;
    const berth_mapper_t *mapper = berth_mapper_find(roll(&d, 2) ? "random" : "multilevel");
    assert_int_equal(berth_map_run(&problem, mapper, start, &name, NULL), BERTH_OK);
    memcpy(pus, start, (size_t)ranks * sizeof *pus);
    assert_int_equal(search_sum_in_blocks(&problem, block, 1 + roll(&d, 2000), pus, NULL),
                     BERTH_OK);
    berth_cost_t *c = berth_cost_new(p, t, NULL);
    double before = berth_cost_evaluate(c, BERTH_MODEL_SUM, start);
    double after = berth_cost_evaluate(c, BERTH_MODEL_SUM, pus);
    if (after > before) FAIL_ROW("blocks", "round %d: %.17g, from %.17g", round, after, before);
    for (int r = 0; r < ranks; r++)
      assert_int_equal(berth_topo_pu(t, pus[r])->host, berth_topo_pu(t, start[r])->host);
    berth_cost_free(c);
    free(pus);
    free(start);
    free(block);
    berth_map_problem_clear(&problem);
    berth_pattern_free(p);
    berth_topo_free(t);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(optima_are_found),
      cmocka_unit_test(rules_hold_on_any_tree),
      cmocka_unit_test(blocks_never_get_dearer),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
