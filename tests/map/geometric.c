/* SPDX-License-Identifier: BSD-3-Clause */
/* The mapper `geometric`: grids on trees whose cheapest blocks are known, and what isn't a grid.
 *
 * Costs are J: each pair of neighbours once, its weight times 1, 10 or 100 for PUs of one host, of
 * one rack, of two racks. `sum` is twice that, since each pair sends both ways. */
#include <stdbool.h>

#include "random_instance.h"

/* How a rank's number follows from its place. */
typedef enum numbering { X_FIRST, Z_FIRST, SHUFFLED } numbering_t;

/* Racks that hold hosts of `pus` PUs: as many racks as there are numbers of hosts. */
typedef struct machine {
  int pus, hosts[16];
} machine_t;

static const machine_t cubes_of_8 = {8, {8, 8, 8, 8, 8, 8, 8, 8}};
static const machine_t cubes_of_16 = {
    16, {16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16}};

static berth_topo_t *build(const machine_t *m)
{
  berth_topo_t *t = berth_topo_new("tree", NULL);
  berth_port_dir_t none = {-1, 0}, pu = {-1, 2.0 / 1}, host = {-1, 2.0 / 9}, rack = {-1, 2.0 / 90};
  berth_type_t types[] = {{"root", {none, none}, {none, none}, 0},
                          {"rack", {rack, rack}, {none, none}, 0},
                          {"host", {host, host}, {pu, pu}, 0}};
  int type[3], number = 0;
  for (int i = 0; i < 3; i++) type[i] = berth_topo_add_type(t, &types[i], NULL);
  int root = berth_topo_add_switch(t, -1, type[0], "root", NULL, NULL);
  for (size_t r = 0; r < COUNT(m->hosts) && m->hosts[r]; r++) {
    int below = berth_topo_add_switch(t, root, type[1], "rack", NULL, NULL);
    for (int h = 0; h < m->hosts[r]; h++) {
      char name[16];
      snprintf(name, sizeof name, "n%d", number++);
      int e = berth_topo_add_switch(t, below, type[2], name, name, NULL);
      for (int k = 0; k < m->pus; k++) berth_topo_add_pu(t, e, k, k, NULL);
    }
  }
  assert_int_equal(berth_topo_finish(t, NULL), BERTH_OK);
  return t;
}

static void connect(berth_pattern_t *p, int a, int b, int weight)
{
  for (int way = 0; way < 2 && a != b; way++) {
    berth_message_t m = {.src = way ? a : b,
                         .dst = way ? b : a,
                         .size = (uint64_t)weight,
                         .count = 1,
                         .bytes = (uint64_t)weight};
    assert_int_equal(berth_pattern_add_message(p, &m, NULL), BERTH_OK);
  }
}

typedef struct grid {
  int size[3];
  numbering_t numbering;
  int weight[3]; /* of neighbours along an axis; or of faces, edges and corners */
  bool periodic, diagonal;
} grid_t;

static int number(const grid_t *g, const int *order, const int *at)
{
  const int *s = g->size;
  int cell = g->numbering == Z_FIRST ? (at[0] * s[1] + at[1]) * s[2] + at[2]
                                     : (at[2] * s[1] + at[1]) * s[0] + at[0];
  return order[cell];
}

/* The cell a step away, false where the grid ends. */
static bool step_to(const grid_t *g, const int *at, const int *step, int *to)
{
  for (int k = 0; k < 3; k++) {
    to[k] = at[k] + step[k];
    if (g->periodic) to[k] = (to[k] + g->size[k]) % g->size[k];
    if (to[k] < 0 || to[k] >= g->size[k]) return false;
  }
  return true;
}

static void connect_neighbours(berth_pattern_t *p, const grid_t *g, const int *order, const int *at)
{
  for (int i = 14; i < 27; i++) { /* half of all steps: the others are these turned round */
    const int step[3] = {i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1};
    int axes = abs(step[0]) + abs(step[1]) + abs(step[2]), to[3];
    if ((axes > 1 && !g->diagonal) || !step_to(g, at, step, to)) continue;
    int axis = step[0] ? 0 : step[1] ? 1 : 2;
    connect(p, number(g, order, at), number(g, order, to),
            g->weight[g->diagonal ? axes - 1 : axis]);
  }
}

static berth_pattern_t *stencil(const grid_t *g)
{
  dice_t d = {7};
  int n = g->size[0] * g->size[1] * g->size[2], at[3];
  int *order = malloc((size_t)n * sizeof *order);
  for (int i = 0; i < n; i++) {
    int k = g->numbering == SHUFFLED ? roll(&d, i + 1) : i;
    order[i] = order[k];
    order[k] = i;
  }
  berth_pattern_t *p = berth_pattern_new(n, NULL);
  for (at[0] = 0; at[0] < g->size[0]; at[0]++)
    for (at[1] = 0; at[1] < g->size[1]; at[1]++)
      for (at[2] = 0; at[2] < g->size[2]; at[2]++) connect_neighbours(p, g, order, at);
  free(order);
  assert_int_equal(berth_pattern_finish(p, NULL), BERTH_OK);
  return p;
}

/* J of the mapping that `mapper` finds, with each PU listed so many times. */
static double map_for_sum(const char *name, const char *mapper, const berth_pattern_t *p,
                          const berth_topo_t *t, berth_quality_t quality)
{
  berth_map_options_t o = berth_map_defaults();
  berth_map_problem_t problem;
  const char *chosen;
  o.objective = BERTH_MODEL_SUM;
  o.quality = quality;
  int ranks = berth_pattern_ranks(p), *pus = malloc((size_t)ranks * sizeof *pus);
  char *taken = calloc((size_t)berth_topo_n_pus(t), 1);
  assert_int_equal(berth_map_problem_init(&problem, p, t, &o, NULL), BERTH_OK);
  assert_int_equal(berth_mapper_find(mapper)->map(&problem, pus, &chosen, NULL), BERTH_OK);
  for (int r = 0; r < ranks; r++)
    if (taken[pus[r]]++) FAIL_ROW(name, "rank %d on PU %d, which is taken", r, pus[r]);
  berth_cost_t *c = berth_cost_new(p, t, NULL);
  double j = berth_cost_evaluate(c, BERTH_MODEL_SUM, pus) / 2;
  berth_cost_free(c);
  berth_map_problem_clear(&problem);
  free(taken);
  free(pus);
  return j;
}

#define UNIT                                                                                       \
  {                                                                                                \
    1, 1, 1                                                                                        \
  }

/* The cost of nested blocks, counted by hand where it is short: planes cut at each level. */
static const struct {
  const char *name;
  grid_t grid;
  machine_t machine; /* or the one of these numbers of PUs: */
  int cubes;
  double j;
} known[] = {
    {"8^3 along x first", {{8, 8, 8}, X_FIRST, UNIT, false, false}, {0}, 8, 23808},
    {"8^3 along z first", {{8, 8, 8}, Z_FIRST, UNIT, false, false}, {0}, 8, 23808},
    {"8^3 in any order", {{8, 8, 8}, SHUFFLED, UNIT, false, false}, {0}, 8, 23808},
    {"16^3 along x first", {{16, 16, 16}, X_FIRST, UNIT, false, false}, {0}, 16, 165888},
    {"16^3 in any order", {{16, 16, 16}, SHUFFLED, UNIT, false, false}, {0}, 16, 165888},
    /* 6 planes of 64 at the top; 3 planes of 16 in each of 8 racks; 768 links are left */
    {"8^3 periodic", {{8, 8, 8}, X_FIRST, UNIT, true, false}, {0}, 8, 43008},
    {"8^3 periodic in any order", {{8, 8, 8}, SHUFFLED, UNIT, true, false}, {0}, 8, 43008},
    /* the top cuts z in 4 and y in 2: 3 planes of 640, one of 1920; below y, z, and x last */
    {"8^3 with a heavy axis", {{8, 8, 8}, SHUFFLED, {100, 30, 10}, false, false}, {0}, 8, 558080},
    {"26 neighbours in any order",
     {{4, 4, 4}, SHUFFLED, {132297, 2907, 94}, false, true},
     {4, {4, 4, 4, 4}},
     0,
     524394432},
    /* slabs of 2, 5 and 2 layers: 2 planes of 4; 1, 4 and 1 planes within racks; 4 links a host */
    {"slabs for unequal racks",
     {{2, 2, 9}, SHUFFLED, UNIT, false, false},
     {4, {2, 5, 2}},
     0,
     2 * 4 * 100 + 6 * 4 * 10 + 9 * 4},
    /* blocks of 6 by 4 for racks, of 3 by 2 for hosts */
    {"12 by 8 on four racks",
     {{12, 8, 1}, SHUFFLED, UNIT, false, false},
     {6, {4, 4, 4, 4}},
     0,
     20 * 100 + 4 * 10 * 10 + 16 * 7},
    {"a chain", {{12, 1, 1}, SHUFFLED, UNIT, false, false}, {2, {3, 3}}, 0, 100 + 4 * 10 + 6},
    {"a ring", {{12, 1, 1}, X_FIRST, UNIT, true, false}, {2, {3, 3}}, 0, 200 + 4 * 10 + 6},
    /* packed into one rack, two hosts of it full: 4 links between them */
    {"half of the PUs", {{2, 2, 2}, SHUFFLED, UNIT, false, false}, {4, {2, 2}}, 0, 40 + 8},
};

static void grids_get_their_cheapest_blocks(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(known); i++) {
    const machine_t *m = known[i].cubes == 8    ? &cubes_of_8
                         : known[i].cubes == 16 ? &cubes_of_16
                                                : &known[i].machine;
    berth_topo_t *t = build(m);
    berth_pattern_t *p = stencil(&known[i].grid);
    for (int q = BERTH_QUALITY_FAST; q <= BERTH_QUALITY_STRONG; q++) {
      double j = map_for_sum(known[i].name, "geometric", p, t, (berth_quality_t)q);
      if (j > known[i].j * (1 + 1e-9) || j < known[i].j * (1 - 1e-9))
        FAIL_ROW(known[i].name, "J %.17g, expected %g", j, known[i].j);
    }
    berth_pattern_free(p);
    berth_topo_free(t);
  }
}

/* Patterns that are no grids: J at most that of linear, or less where `j` says what can be had. */
static berth_pattern_t *cliques(int n, int of)
{
  berth_pattern_t *p = berth_pattern_new(n, NULL);
  for (int a = 0; a < n; a++)
    for (int b = a + n / of; b < n; b += n / of) connect(p, a, b, 1);
  return p;
}

static berth_pattern_t *star(int n, int unused)
{
  (void)unused;
  berth_pattern_t *p = berth_pattern_new(n, NULL);
  for (int r = 1; r < n; r++) connect(p, 0, r, r);
  return p;
}

static berth_pattern_t *grid_without_corner(int side, int unused)
{
  (void)unused;
  berth_pattern_t *p = berth_pattern_new(side * side - 1, NULL);
  for (int r = 0; r < side * side - 1; r++) {
    if (r % side < side - 1 && r + 1 < side * side - 1) connect(p, r, r + 1, 1);
    if (r + side < side * side - 1) connect(p, r, r + side, 1);
  }
  return p;
}

static berth_pattern_t *silence(int n, int unused)
{
  (void)unused;
  return berth_pattern_new(n, NULL);
}

static const struct {
  const char *name;
  berth_pattern_t *(*make)(int, int);
  int n, of;
  machine_t machine;
  double j;
} others[] = {
    {"cliques of hosts, round robin", cliques, 32, 4, {4, {4, 4}}, 8 * 6},
    {"cliques of racks, round robin", cliques, 32, 16, {4, {4, 4}}, 2 * (4 * 6 + 96 * 10)},
    {"all to one", star, 24, 0, {4, {3, 3}}, 1e9},
    {"a grid with a corner off", grid_without_corner, 8, 0, {8, {4, 4}}, 1e9},
    {"nobody speaks", silence, 8, 0, {4, {1, 1}}, 0},
    {"one rank", silence, 1, 0, {4, {1, 1}}, 0},
};

static void others_are_no_worse_than_linear(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(others); i++) {
    berth_topo_t *t = build(&others[i].machine);
    berth_pattern_t *p = others[i].make(others[i].n, others[i].of);
    assert_int_equal(berth_pattern_finish(p, NULL), BERTH_OK);
    double linear = map_for_sum(others[i].name, "linear", p, t, BERTH_QUALITY_ECO);
    double most = linear < others[i].j ? linear : others[i].j;
    for (int q = BERTH_QUALITY_FAST; q <= BERTH_QUALITY_STRONG; q++) {
      double j = map_for_sum(others[i].name, "geometric", p, t, (berth_quality_t)q);
      if (j > most * (1 + 1e-9)) FAIL_ROW(others[i].name, "J %g, expected at most %g", j, most);
    }
    berth_pattern_free(p);
    berth_topo_free(t);
  }
}

/* A PU that stands in the list twice takes two ranks: pairs of neighbours share one. */
static void a_pu_listed_twice_takes_two(void **state)
{
  (void)state;
  static const machine_t m = {2, {1, 1}};
  static const grid_t g = {{8, 1, 1}, SHUFFLED, UNIT, false, false};
  berth_topo_t *t = build(&m);
  berth_pattern_t *p = stencil(&g);
  berth_map_options_t o = berth_map_defaults();
  o.objective = BERTH_MODEL_SUM;
  int pus[] = {0, 0, 1, 1, 2, 2, 3, 3}, pu_of_rank[8], ranks_on[4] = {0};
  berth_map_problem_t problem = {.pattern = p, .topo = t, .options = o, .n_pus = 8, .pus = pus};
  const char *chosen;
  assert_int_equal(berth_mapper_find("geometric")->map(&problem, pu_of_rank, &chosen, NULL),
                   BERTH_OK);
  for (int r = 0; r < 8; r++) ranks_on[pu_of_rank[r]]++;
  for (int k = 0; k < 4; k++) assert_int_equal(ranks_on[k], 2);
  berth_cost_t *c = berth_cost_new(p, t, NULL);
  /* one link between racks; the others, also those within a PU, cross ports of PUs twice */
  double j = berth_cost_evaluate(c, BERTH_MODEL_SUM, pu_of_rank) / 2;
  if (j < 106 - 1e-6 || j > 106 + 1e-6) FAIL_ROW("a PU listed twice", "J %.17g, expected 106", j);
  berth_cost_free(c);
  berth_pattern_free(p);
  berth_topo_free(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(grids_get_their_cheapest_blocks),
      cmocka_unit_test(others_are_no_worse_than_linear),
      cmocka_unit_test(a_pu_listed_twice_takes_two),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
