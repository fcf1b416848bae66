/* SPDX-License-Identifier: BSD-3-Clause */
/* Where moves have a price, subtrees that are alike change places: the placement costs the same to
 * the bit, and the fewest ranks move that can be. */
#include <math.h>

#include "placed_instance.h"

static void deal(placed_instance_t *in, dice_t *d, int most)
{
  in->topo = small_topology(d, most);
  int pus = berth_topo_n_pus(in->topo), ranks = 1 + roll(d, pus);
  in->pattern = random_pattern(d, ranks);
  in->pinned = random_pins(d, ranks, pus, 1);
  random_from(d, in->from, ranks, pus, 6);
  in->options = berth_map_defaults();
  in->options.any_thread = 1;
  in->options.seed = d->state;
  in->options.pinned = roll(d, 3) ? NULL : in->pinned;
}

static void place(const placed_instance_t *in, const char *mapper, bool moves_cost, int *pus)
{
  berth_map_problem_t problem;
  const char *chosen;
  berth_map_options_t o = in->options;
  o.from = moves_cost ? in->from : NULL;
  o.move_price_s = moves_cost ? 1e-9 : 0;
  assert_int_equal(berth_map_problem_init(&problem, in->pattern, in->topo, &o, NULL), BERTH_OK);
  assert_int_equal(berth_map_run(&problem, berth_mapper_find(mapper), pus, &chosen, NULL),
                   BERTH_OK);
  berth_map_problem_clear(&problem);
}

static int count_moves(const placed_instance_t *in, const int *pus, const int *renamed)
{
  int moves = 0;
  for (int r = 0; r < berth_pattern_ranks(in->pattern); r++) {
    int pu = renamed ? renamed[pus[r]] : pus[r];
    moves += in->from[r] >= 0 && in->from[r] != pu;
  }
  return moves;
}

static bool respects_pins(const placed_instance_t *in, const int *pus)
{
  for (int r = 0; in->options.pinned && r < berth_pattern_ranks(in->pattern); r++)
    if (in->pinned[r] >= 0 && in->pinned[r] != pus[r]) return false;
  return true;
}

static const char *const mappers[] = {"random", "greedy", "metis", "round-robin"};

/* Larger machines: the same cost, not more moves, pins kept; and now and then fewer moves. */
static void costs_the_same(void **state)
{
  (void)state;
  dice_t d = {1};
  int fewer = 0, rounds = rounds_of(400);
  for (int i = 0; i < rounds; i++) {
    placed_instance_t in;
    int before[MOST], after[MOST];
    const char *mapper = mappers[i % (int)COUNT(mappers)];
    deal(&in, &d, MOST);
    place(&in, mapper, false, before);
    place(&in, mapper, true, after);
    berth_cost_t *cost = berth_cost_new(in.pattern, in.topo, NULL);
    for (int m = 0; m < BERTH_N_MODELS; m++) {
      double x = berth_cost_evaluate(cost, (berth_model_t)m, before);
      double y = berth_cost_evaluate(cost, (berth_model_t)m, after);
      bool same = m == BERTH_MODEL_FLOW ? fabs(x - y) <= 1e-6 * x : x == y;
      if (!same) FAIL_ROW(mapper, "round %d, model %d: %.17g, before %.17g", i, m, y, x);
    }
    int moves = count_moves(&in, after, NULL), moved = count_moves(&in, before, NULL);
    if (moves > moved || !respects_pins(&in, after))
      FAIL_ROW(mapper, "round %d: %d moves, before %d", i, moves, moved);
    fewer += moves < moved;
    berth_cost_free(cost);
    drop(&in);
  }
  if (fewer < rounds / 4) FAIL_ROW("all", "fewer moves in %d of %d rounds", fewer, rounds);
}

/* The ancestor of a PU at a depth; its own element where that is higher up. */
static int ancestor(const berth_topo_t *t, int pu, int depth)
{
  int e = berth_topo_pu(t, pu)->element;
  while (berth_topo_element(t, e)->depth > depth) e = berth_topo_element(t, e)->parent;
  return e;
}

/* Whether a permutation of PUs is one of the tree: what is together stays together, and goes to
 * what has its type. */
static bool is_renaming(const placed_instance_t *in, const int *to)
{
  const berth_topo_t *t = in->topo;
  int pus = berth_topo_n_pus(t);
  for (int r = 0; in->options.pinned && r < berth_pattern_ranks(in->pattern); r++)
    if (in->pinned[r] >= 0 && to[in->pinned[r]] != in->pinned[r]) return false;
  for (int p = 0; p < pus; p++) {
    int depth = berth_topo_element(t, berth_topo_pu(t, p)->element)->depth;
    if (berth_topo_element(t, berth_topo_pu(t, to[p])->element)->depth != depth) return false;
    for (int k = 0; k < depth; k++) {
      int e = ancestor(t, p, k), f = ancestor(t, to[p], k);
      if (berth_topo_element(t, e)->type != berth_topo_element(t, f)->type) return false;
      for (int q = 0; q < p; q++)
        if ((ancestor(t, q, k) == e) != (ancestor(t, to[q], k) == f)) return false;
    }
  }
  return true;
}

/* The fewest moves over all permutations that go on from the first n PUs'. */
static int fewest(const placed_instance_t *in, const int *pus, int *to, bool *taken, int n)
{
  int all = berth_topo_n_pus(in->topo), least = MOST;
  if (n == all) return is_renaming(in, to) ? count_moves(in, pus, to) : MOST;
  for (int p = 0; p < all; p++) {
    if (taken[p]) continue;
    taken[p] = true;
    to[n] = p;
    int found = fewest(in, pus, to, taken, n + 1);
    taken[p] = false;
    if (found < least) least = found;
  }
  return least;
}

static void moves_the_fewest(void **state)
{
  (void)state;
  dice_t d = {2};
  int rounds = rounds_of(150);
  for (int i = 0; i < rounds; i++) {
    placed_instance_t in;
    int before[MOST], after[MOST], to[MOST];
    bool taken[MOST] = {false};
    deal(&in, &d, FEW);
    place(&in, "random", false, before);
    place(&in, "random", true, after);
    int least = fewest(&in, before, to, taken, 0), found = count_moves(&in, after, NULL);
    if (found != least)
      FAIL_ROW("random", "round %d: %d moves, the fewest are %d", i, found, least);
    drop(&in);
  }
}

static double price(const placed_instance_t *in, const char *mapper, uint64_t iterations,
                    double each)
{
  berth_map_problem_t problem;
  const char *chosen;
  int pus[MOST];
  berth_map_report_t report;
  berth_map_options_t o = in->options;
  o.from = in->from;
  o.move_price_s = each;
  o.iterations = iterations;
  assert_int_equal(berth_map_problem_init(&problem, in->pattern, in->topo, &o, NULL), BERTH_OK);
  problem.report = &report;
  assert_int_equal(berth_map_run(&problem, berth_mapper_find(mapper), pus, &chosen, NULL),
                   BERTH_OK);
  berth_map_problem_clear(&problem);
  return report.candidate[report.chosen].price;
}

/* A search compares what it starts from after renaming: it finds nothing dearer than any of that.
 */
static void searches_compare_renamed(void **state)
{
  (void)state;
  static const char *const starts[] = {"greedy", "metis", "geometric", "stay"};
  dice_t d = {3};
  int worse = 0, rounds = rounds_of(150);
  for (int i = 0; i < rounds; i++) {
    placed_instance_t in;
    deal(&in, &d, MOST);
    double each = 0.02 * (1 + roll(&d, 50)), found = price(&in, "refine", 1, each),
           least = INFINITY;
    for (size_t k = 0; k < COUNT(starts); k++) least = fmin(least, price(&in, starts[k], 1, each));
    worse += found > least * (1 + 1e-12);
    drop(&in);
  }
  if (worse) FAIL_ROW("refine", "in %d of %d rounds a start is cheaper", worse, rounds);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(costs_the_same),
      cmocka_unit_test(moves_the_fewest),
      cmocka_unit_test(searches_compare_renamed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
