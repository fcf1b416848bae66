/* SPDX-License-Identifier: BSD-3-Clause */
/* Dense phases against the same calls with all messages listed: each algorithm, on random machines
 * and placements. */
#include <math.h>
#include <stdlib.h>

#include "collectives/coll_dense.h"
#include "collectives/coll_list.h"
#include "pattern/dense.h"
#include "random_inputs.h"

enum { MOST = 1 << 20 }; /* messages of a call that are listed */

/* Calls of one algorithm on communicators of equal size. */
typedef struct calls {
  int ranks, n_comms;
  schedule_stage_t stage;
} calls_t;

/* A pattern with communicators 1, 2, …, whose ranks are dealt at random. */
static berth_pattern_t *empty(const calls_t *x, uint64_t seed)
{
  uint64_t before = random_state;
  berth_pattern_t *p = berth_pattern_new(x->ranks, NULL);
  random_state = seed;
  int *ranks = random_placement(x->ranks, x->ranks, 0);
  random_state = before;
  for (int i = 0; i < x->n_comms; i++) {
    int size = x->stage.call.size;
    berth_comm_t comm = {i + 1, (size_t)size, ranks + i * size};
    assert_int_equal(berth_pattern_add_comm(p, &comm, NULL), BERTH_OK);
  }
  free(ranks);
  assert_int_equal(berth_pattern_finish(p, NULL), BERTH_OK);
  return p;
}

/* How rounds are added: a phase each; as dense phases where they follow a rule; all in one. */
typedef enum form { PHASES, RULES, ONE_LIST } form_t;

/* Adds the calls' rounds. NULL: they can't be added in that form. */
static berth_pattern_t *with_rounds(const calls_t *x, form_t form, uint64_t seed)
{
  bool added;
  coll_rounds_t in;
  berth_pattern_t *p = empty(x, seed);
  coll_class_t *class = calloc((size_t)x->n_comms, sizeof *class);
  for (int i = 0; i < x->n_comms; i++)
    class[i] = (coll_class_t){.comm = i + 1,
                              .op = "MPI_Any",
                              .calls = 3,
                              .request = {.call = x->stage.call, .element = x->stage.element}};
  coll_group_t g = {class, (size_t)x->n_comms};
  assert_int_equal(coll_rounds_begin(&in, p, NULL, NULL), BERTH_OK);
  added = true;
  int rc = form == RULES    ? coll_dense_add_call(&in, &g, 1, &x->stage, &added)
           : form == PHASES ? coll_rounds_add_call(&in, &g, 1, &x->stage, MOST, &added)
                            : coll_list_add_stage(&in, &g, &x->stage);
  assert_int_equal(rc, BERTH_OK);
  coll_rounds_end(&in);
  free(class);
  assert_int_equal(berth_pattern_finish(p, NULL), BERTH_OK);
  if (added) return p;
  berth_pattern_free(p);
  return NULL;
}

static bool near(double a, double b, double error) { return fabs(a - b) <= error * fmax(a, b); }

/* Costs of both, by model. Levels must have the same messages. */
static void estimate(const berth_pattern_t *p, const berth_topo_t *t, const int *pu_of_rank,
                     double cost[BERTH_MODEL_FLOW], berth_cost_result_t *out)
{
  berth_cost_t *c = berth_cost_new(p, t, NULL);
  assert_non_null(c);
  for (int model = 0; model < BERTH_MODEL_FLOW; model++) {
    cost[model] = berth_cost_evaluate(c, (berth_model_t)model, pu_of_rank);
    assert_int_equal(berth_cost_explain(c, (berth_model_t)model, pu_of_rank, 1, out, NULL), 0);
    assert_true(near(out->cost_s, cost[model], 1e-12));
    if (model + 1 < BERTH_MODEL_FLOW) berth_cost_result_clear(out);
  }
  berth_cost_free(c);
}

/* Tries and makes random changes: costs must be those of fresh evaluations, to the bit. */
static void change(const berth_pattern_t *p, const berth_topo_t *t, const int *pu_of_rank,
                   berth_model_t model, bool share)
{
  uint32_t ranks = (uint32_t)berth_pattern_ranks(p), pus = (uint32_t)berth_topo_n_pus(t);
  berth_cost_t *c = berth_cost_new(p, t, NULL);
  berth_swap_t *s = share ? berth_swap_new_shared(c, model, pu_of_rank, NULL)
                          : berth_swap_new(c, model, pu_of_rank, NULL);
  assert_non_null(s);
  for (int i = 0; i < 12; i++) {
    bool moves = random_below(2);
    double tried = moves ? berth_swap_try_move(s, (int)random_below(ranks), (int)random_below(pus))
                         : berth_swap_try(s, (int)random_below(ranks), (int)random_below(ranks));
    if (isinf(tried) || random_below(3) == 0) continue;
    assert_int_equal(berth_swap_commit(s, NULL), BERTH_OK);
    double fresh = berth_cost_evaluate(c, model, berth_swap_placement(s));
    if (berth_swap_cost(s) != fresh || tried != fresh)
      fail_msg("model %s: tried %.17g, made %.17g, evaluated %.17g", berth_model_name(model), tried,
               berth_swap_cost(s), fresh);
  }
  berth_swap_free(s);
  berth_cost_free(c);
}

/* The largest differences of all-to-alls: estimate / sum of listed rounds - 1. */
typedef struct spread {
  double low, high;
  int n;
} spread_t;

static void compare(const calls_t *x, const berth_topo_t *t, const int *pu_of_rank, uint64_t seed,
                    form_t form, bool share, spread_t spread[2])
{
  const char *name = x->stage.algorithm->name;
  double counted[BERTH_MODEL_FLOW], listed[BERTH_MODEL_FLOW];
  berth_cost_result_t a, b;
  berth_pattern_t *dense = with_rounds(x, form, seed), *list = with_rounds(x, PHASES, seed);
  bool whole = form == RULES && x->stage.algorithm->needs & SCHEDULE_EACH_PAIR;
  assert_non_null(list);
  if (dense) {
    estimate(dense, t, pu_of_rank, counted, &a);
    estimate(list, t, pu_of_rank, listed, &b);
    for (int m = 0; m < BERTH_MODEL_FLOW; m++) {
      if (whole && m != BERTH_MODEL_SUM) {
        double off = listed[m] > 0 ? counted[m] / listed[m] - 1 : 0;
        spread[m].low = fmin(spread[m].low, off);
        spread[m].high = fmax(spread[m].high, off);
        spread[m].n++;
      } else if (!near(counted[m], listed[m], 1e-9)) {
        fail_msg("%s %s, %d of %d ranks, %lld elements, model %s: counted %.12g, listed %.12g",
                 schedule_op_name(x->stage.call.op), name, x->stage.call.size, x->ranks,
                 (long long)x->stage.call.count, berth_model_name((berth_model_t)m), counted[m],
                 listed[m]);
      }
    }
    for (size_t d = 0; d < a.n_levels; d++)
      assert_true(near(a.levels[d].bytes, b.levels[d].bytes, 1e-9));
    berth_cost_result_clear(&a);
    berth_cost_result_clear(&b);
    for (int m = 0; m < BERTH_MODEL_FLOW; m++)
      change(dense, t, pu_of_rank, (berth_model_t)m, share);
  }
  berth_pattern_free(dense);
  berth_pattern_free(list);
}

static void each_algorithm(void **state)
{
  (void)state;
  size_t n;
  spread_t spread[2] = {{0}};
  static const int sizes[] = {2, 7, 16, 24};
  const schedule_algorithm_t *list = schedule_algorithms(&n);
  random_state = 16;
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < 2 * COUNT(sizes); k++) {
      int size = sizes[k / 2], n_comms = 1 + (int)k % 2;
      calls_t x = {size * n_comms, n_comms, {.algorithm = &list[i], .element = 8}};
      x.stage.call = (schedule_call_t){.op = list[i].op,
                                       .size = size,
                                       .count = (1 + (int)random_below(40)) * size,
                                       .degree = 3,
                                       .commutative = true};
      if (!schedule_serves(&list[i], &x.stage.call)) continue;
      int even = (int)random_below(3);
      berth_topo_t *t = random_machine(2, 6, even != 0);
      int *pu_of_rank = random_placement(x.ranks, berth_topo_n_pus(t), even == 2);
      compare(&x, t, pu_of_rank, k, RULES, even == 2, spread);
      compare(&x, t, pu_of_rank, k, ONE_LIST, even == 2, spread);
      free(pu_of_rank);
      berth_topo_free(t);
    }
  print_message("all-to-alls: port %+.3f to %+.3f, bound %+.3f to %+.3f in %d cases\n",
                spread[0].low, spread[0].high, spread[1].low, spread[1].high, spread[0].n);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_algorithm)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
