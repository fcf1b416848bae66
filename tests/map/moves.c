/* SPDX-License-Identifier: BSD-3-Clause */
/* Few moves: the curve from where ranks are to the cheapest placement, against all placements of
 * small instances; and limits that are kept. */
#include <math.h>

#include "placed_instance.h"

static void deal(placed_instance_t *in, dice_t *d, int most, berth_model_t model)
{
  in->topo = small_topology(d, most);
  int pus = berth_topo_n_pus(in->topo);
  int ranks = most <= FEW + 1 ? (pus < FEW ? pus : FEW) - roll(d, 2) : 1 + roll(d, pus);
  in->pattern = random_pattern(d, ranks);
  in->pinned = random_pins(d, ranks, pus, 1);
  random_from(d, in->from, ranks, pus, 8);
  in->options = berth_map_defaults();
  in->options.objective = model;
  in->options.any_thread = 1;
  in->options.min_gain = 0;
  in->options.seed = d->state;
  in->options.from = in->from;
  in->options.max_moves = ranks;
  in->options.pinned = roll(d, 4) ? NULL : in->pinned;
}

static int place(const placed_instance_t *in, const char *mapper, int *pus,
                 berth_map_report_t *report)
{
  berth_map_problem_t problem;
  const char *chosen;
  int rc = berth_map_problem_init(&problem, in->pattern, in->topo, &in->options, NULL);
  problem.report = report;
  if (!rc) rc = berth_map_run(&problem, berth_mapper_find(mapper), pus, &chosen, NULL);
  berth_map_problem_clear(&problem);
  return rc;
}

static bool is_pinned(const placed_instance_t *in, int r)
{
  return in->options.pinned && in->pinned[r] >= 0;
}

static int count_moves(const placed_instance_t *in, const int *pus)
{
  int moves = 0;
  for (int r = 0; r < berth_pattern_ranks(in->pattern); r++)
    moves += in->from[r] >= 0 && in->from[r] != pus[r];
  return moves;
}

/* --- all placements --- */

typedef struct sweep {
  const placed_instance_t *in;
  berth_cost_t *cost;
  double least[MOST]; /* by the number of moves */
  int pus[MOST];
  bool taken[MOST];
} sweep_t;

static void place_next(sweep_t *s, int r)
{
  if (r == berth_pattern_ranks(s->in->pattern)) {
    double cost = berth_cost_evaluate(s->cost, s->in->options.objective, s->pus);
    int moves = count_moves(s->in, s->pus);
    s->least[moves] = fmin(s->least[moves], cost);
    return;
  }
  for (int p = 0; p < berth_topo_n_pus(s->in->topo); p++) {
    if (s->taken[p] || (is_pinned(s->in, r) && s->in->pinned[r] != p)) continue;
    s->taken[p] = true;
    s->pus[r] = p;
    place_next(s, r + 1);
    s->taken[p] = false;
  }
}

/* least[k]: the least cost with at most k moves. */
static void find_least(sweep_t *s, const placed_instance_t *in)
{
  *s = (sweep_t){.in = in, .cost = berth_cost_new(in->pattern, in->topo, NULL)};
  for (int k = 0; k < MOST; k++) s->least[k] = INFINITY;
  place_next(s, 0);
  for (int k = 1; k < MOST; k++) s->least[k] = fmin(s->least[k], s->least[k - 1]);
  berth_cost_free(s->cost);
}

typedef struct score {
  int points, inner, optimal;
} score_t;

static void check_curve(const char *name, const placed_instance_t *in, const sweep_t *s,
                        const berth_map_report_t *r, score_t *score)
{
  double all = s->least[MOST - 1], tiny = 1e-12 * all;
  if (r->n_points == 0) FAIL_ROW(name, "no points");
  for (size_t i = 0; i < r->n_points; i++) {
    const berth_move_point_t *p = &r->point[i], *before = i ? p - 1 : p;
    double least = s->least[p->max];
    bool end = i == 0 || i + 1 == r->n_points, reached = p->cost_s <= least + tiny;
    if (p->moved > p->max || p->cost_s > before->cost_s || (i && p->max <= before->max))
      FAIL_ROW(name, "point %zu: %d of %d moves, %g", i, p->moved, p->max, p->cost_s);
    if (p->cost_s < s->least[p->moved] - tiny)
      FAIL_ROW(name, "%d moves cost %g, at least %g", p->moved, p->cost_s, s->least[p->moved]);
    if (end && !reached)
      FAIL_ROW(name, "%d moves of %d ranks, an end: %.12g, %.12g is possible", p->max,
               berth_pattern_ranks(in->pattern), p->cost_s, least);
    score->points++;
    score->inner += !end;
    score->optimal += !end && reached;
  }
  if (r->point[r->n_points - 1].cost_s > all + tiny) FAIL_ROW(name, "the end isn't the optimum");
}

static const struct {
  const char *name;
  berth_model_t model;
  berth_quality_t quality;
} curves[] = {
    {"port, eco", BERTH_MODEL_PORT, BERTH_QUALITY_ECO},
    {"bound, eco", BERTH_MODEL_BOUND, BERTH_QUALITY_ECO},
    {"sum, eco", BERTH_MODEL_SUM, BERTH_QUALITY_ECO},
};

static void curves_reach_what_is_possible(void **state)
{
  (void)state;
  dice_t d = {25};
  score_t score = {0};
  for (size_t c = 0; c < COUNT(curves); c++)
    for (int i = 0, rounds = rounds_of(25); i < rounds; i++) {
      placed_instance_t in;
      sweep_t sweep;
      int pus[MOST];
      berth_map_report_t report = {0};
      deal(&in, &d, FEW + 1, curves[c].model);
      in.options.quality = curves[c].quality;
      assert_int_equal(place(&in, "best", pus, &report), BERTH_OK);
      assert_int_equal(report.moved, count_moves(&in, pus));
      find_least(&sweep, &in);
      check_curve(curves[c].name, &in, &sweep, &report, &score);
      drop(&in);
    }
  print_message("%d points; of %d between the ends %d are the least possible\n", score.points,
                score.inner, score.optimal);
  assert_true(score.optimal * 10 >= score.inner * 9);
}

/* --- limits --- */

static const char *const mappers[] = {"best",   "greedy", "metis", "linear",
                                      "refine", "random", "stay"};

/* Whether a rank has to move: a pin takes it away, or takes its PU for another rank. */
static bool must_move(const placed_instance_t *in, int r)
{
  if (in->from[r] < 0) return false;
  if (is_pinned(in, r)) return in->from[r] != in->pinned[r];
  for (int q = 0; q < berth_pattern_ranks(in->pattern); q++)
    if (is_pinned(in, q) && in->pinned[q] == in->from[r]) return true;
  return false;
}

static int least_moves(const placed_instance_t *in)
{
  int moves = 0;
  for (int r = 0; r < berth_pattern_ranks(in->pattern); r++) moves += must_move(in, r);
  return moves;
}

static void limits_are_kept(void **state)
{
  (void)state;
  dice_t d = {26};
  for (int i = 0, rounds = rounds_of(210); i < rounds; i++) {
    placed_instance_t in;
    int pus[MOST], again[MOST], taken[MOST] = {0};
    berth_map_report_t report = {0};
    const char *mapper = mappers[i % (int)COUNT(mappers)];
    deal(&in, &d, MOST, (berth_model_t)(i / 7 % 3));
    int ranks = berth_pattern_ranks(in.pattern), least = least_moves(&in);
    in.options.iterations = 2000;
    in.options.quality = i % 2 ? BERTH_QUALITY_FAST : BERTH_QUALITY_ECO;
    in.options.max_moves = roll(&d, ranks + 1);
    in.options.ranks_per_pu = 1 + roll(&d, 2);
    in.options.move_price_s = roll(&d, 2) ? 1e-3 : 0;
    int rc = place(&in, mapper, pus, &report);
    assert_int_equal(rc, in.options.max_moves < least ? BERTH_USAGE : BERTH_OK);
    for (int r = 0; r < ranks && !rc; r++) {
      if (taken[pus[r]]++) FAIL_ROW(mapper, "round %d: two ranks on PU %d", i, pus[r]);
      if (is_pinned(&in, r) && in.pinned[r] != pus[r]) FAIL_ROW(mapper, "round %d: a pin", i);
    }
    if (!rc && report.moved != count_moves(&in, pus))
      FAIL_ROW(mapper, "round %d: %d moves, %d said", i, count_moves(&in, pus), report.moved);
    if (!rc && count_moves(&in, pus) > in.options.max_moves)
      FAIL_ROW(mapper, "round %d: %d moves, at most %d are allowed", i, count_moves(&in, pus),
               in.options.max_moves);
    in.options.threads = 2;
    if (!rc) assert_int_equal(place(&in, mapper, again, NULL), BERTH_OK);
    if (!rc && memcmp(pus, again, (size_t)ranks * sizeof *pus) != 0)
      FAIL_ROW(mapper, "round %d: threads change the result", i);
    drop(&in);
  }
}

/* --stable moves those that must, and says how many these are. */
static void stable_moves_those_that_must(void **state)
{
  (void)state;
  dice_t d = {28};
  for (int i = 0, rounds = rounds_of(60); i < rounds; i++) {
    placed_instance_t in;
    int pus[MOST];
    berth_map_report_t report = {0};
    deal(&in, &d, MOST, BERTH_MODEL_PORT);
    in.options.max_moves = -1;
    in.options.stable = 1;
    in.options.quality = BERTH_QUALITY_FAST;
    assert_int_equal(place(&in, "best", pus, &report), BERTH_OK);
    int least = least_moves(&in), moved = count_moves(&in, pus);
    if (moved != least || report.moved != least)
      FAIL_ROW("best", "round %d: %d moves, %d said, %d have to", i, moved, report.moved, least);
    drop(&in);
  }
}

/* --- of equals the fewest moves --- */

static const double SAME = 1e-12;

static double cost_of(const placed_instance_t *in, const int *pus)
{
  berth_cost_t *cost = berth_cost_new(in->pattern, in->topo, NULL);
  double found = berth_cost_evaluate(cost, in->options.objective, pus);
  berth_cost_free(cost);
  return found;
}

/* What is asked for besides `from`. */
typedef struct equals_row {
  const char *name, *mapper;
  berth_model_t model;
  bool limit;
  double price;
} equals_row_t;

static const equals_row_t equals[] = {
    {"port, limit", "best", BERTH_MODEL_PORT, true, 0},
    {"bound, limit", "best", BERTH_MODEL_BOUND, true, 0},
    {"flow, limit", "best", BERTH_MODEL_FLOW, true, 0},
    {"sum, limit", "best", BERTH_MODEL_SUM, true, 0},
    {"port, price", "best", BERTH_MODEL_PORT, false, 1e-9},
    {"port, limit and price", "best", BERTH_MODEL_PORT, true, 1e-9},
    {"port, from alone", "best", BERTH_MODEL_PORT, false, 0},
    {"sum, from alone", "best", BERTH_MODEL_SUM, false, 0},
    {"greedy, limit", "greedy", BERTH_MODEL_PORT, true, 0},
    {"refine, limit", "refine", BERTH_MODEL_PORT, true, 0},
    {"refine, from alone", "refine", BERTH_MODEL_PORT, false, 0},
    {"exact, from alone", "exact", BERTH_MODEL_PORT, false, 0},
};

static void wish(placed_instance_t *in, const equals_row_t *row, dice_t *d, int most)
{
  deal(in, d, most, row->model);
  int ranks = berth_pattern_ranks(in->pattern), least = least_moves(in);
  in->options.quality = BERTH_QUALITY_FAST;
  in->options.max_moves = row->limit ? least + roll(d, ranks + 1 - least) : -1;
  in->options.move_price_s = row->price;
}

/* The curve says nothing that is as cheap with fewer moves, if these are allowed. */
static void no_point_is_as_good_with_fewer_moves(void **state)
{
  (void)state;
  dice_t d = {29};
  for (int i = 0, rounds = rounds_of(15); i < rounds; i++)
    for (size_t k = 0; k < COUNT(equals) && equals[k].mapper[0] == 'b'; k++) {
      placed_instance_t in;
      int pus[MOST];
      berth_map_report_t report = {0};
      wish(&in, &equals[k], &d, MOST);
      assert_int_equal(place(&in, "best", pus, &report), BERTH_OK);
      double cost = cost_of(&in, pus), each = in.options.move_price_s;
      int moves = count_moves(&in, pus);
      for (size_t p = 0; p < report.n_points; p++) {
        const berth_move_point_t *point = &report.point[p];
        double all = point->cost_s + each * point->moved;
        if (point->moved < moves && all <= (cost + each * moves) * (1 + SAME))
          FAIL_ROW(equals[k].name, "round %d: %d moves for %.17g s, the curve has %d for %.17g s",
                   i, moves, cost, point->moved, point->cost_s);
      }
      drop(&in);
    }
}

/* Counts how often no placement of the same cost has fewer moves. */
static void few_ranks_move_the_fewest(void **state)
{
  (void)state;
  dice_t d = {30};
  int all = 0, least = 0;
  for (size_t k = 0; k < COUNT(equals); k++) {
    int tries = 0, reached = 0, rounds = rounds_of(12);
    for (int i = 0; i < rounds; i++) {
      placed_instance_t in;
      sweep_t sweep;
      int pus[MOST], fewest = 0;
      wish(&in, &equals[k], &d, FEW + 1);
      assert_int_equal(place(&in, equals[k].mapper, pus, NULL), BERTH_OK);
      find_least(&sweep, &in);
      double cost = cost_of(&in, pus);
      while (sweep.least[fewest] > cost * (1 + SAME)) fewest++;
      tries++;
      reached += count_moves(&in, pus) == fewest;
      drop(&in);
    }
    if (reached < tries) print_message("%s: %d of %d\n", equals[k].name, reached, tries);
    all += tries;
    least += reached;
  }
  print_message("%d of %d have the fewest moves of equals\n", least, all);
  assert_true(least * 100 >= all * 95);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(curves_reach_what_is_possible),
      cmocka_unit_test(limits_are_kept),
      cmocka_unit_test(stable_moves_those_that_must),
      cmocka_unit_test(no_point_is_as_good_with_fewer_moves),
      cmocka_unit_test(few_ranks_move_the_fewest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
