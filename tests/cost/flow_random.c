/* SPDX-License-Identifier: BSD-3-Clause */
/* Model flow on random instances: properties, and the same costs as a slow simulation. */
#include <math.h>

#include "cost/flow/flow.h"
#include "cost/flow_machines.h"
#include "cost/slow_flow.h"

/* A pattern whose rank r is called name[r]. */
static berth_pattern_t *random_sends(uint64_t seed, const int *name, int ordered)
{
  dice_t d = {seed};
  berth_pattern_t *p = berth_pattern_new(RANKS, NULL);
  for (int s = 0; s < RANKS; s++) {
    berth_step_t sends[6];
    int n = 0;
    for (int i = roll(&d, 6); i > 0; i--) {
      berth_message_t m = {.src = name[s], .dst = name[roll(&d, RANKS)]};
      m.size = roll(&d, 4) ? (uint64_t)roll(&d, 2000) : 0;
      m.count = 1 + (uint64_t)roll(&d, 5);
      m.bytes = m.size * m.count;
      assert_int_equal(berth_pattern_add_message(p, &m, NULL), BERTH_OK);
      sends[n++] = (berth_step_t){m.dst, roll(&d, 2), m.size, m.count};
    }
    berth_order_t order = {0, name[s], 1, (size_t)n, sends};
    if (ordered && n && roll(&d, 3))
      assert_int_equal(berth_pattern_add_order(p, &order, NULL), BERTH_OK);
  }
  assert_int_equal(berth_pattern_finish(p, NULL), BERTH_OK);
  return p;
}

static void properties(void **state)
{
  (void)state;
  static const int other_names[RANKS] = {3, 6, 1, 0, 7, 4, 2, 5};
  int above = 0;
  for (uint64_t seed = 1; seed <= (uint64_t)rounds_of(400); seed++) {
    int pu_of_rank[RANKS], other[RANKS];
    char name[32];
    snprintf(name, sizeof name, "seed %d", (int)seed);
    berth_topo_t *t = random_machine(seed, 1), *faster = random_machine(seed, 4);
    berth_pattern_t *p = random_sends(seed, own_names, seed % 2);
    berth_pattern_t *renamed = random_sends(seed, other_names, seed % 2);
    random_placement(seed, t, own_names, pu_of_rank);
    random_placement(seed, t, other_names, other);
    double cost = cost_of(p, t, BERTH_MODEL_FLOW, pu_of_rank);
    double bound = cost_of(p, t, BERTH_MODEL_BOUND, pu_of_rank);
    if (cost < bound * (1 - 1e-9)) FAIL_ROW(name, "%.17g is less than bound, %.17g", cost, bound);
    above += cost > bound * 1.01;
    if (cost != cost_of(p, t, BERTH_MODEL_FLOW, pu_of_rank)) FAIL_ROW(name, "not repeatable");
    double scaled = cost_of(p, faster, BERTH_MODEL_FLOW, pu_of_rank);
    if (differ(scaled * 4, cost))
      FAIL_ROW(name, "four times as fast: %.17g of %.17g", scaled, cost);
    double again = cost_of(renamed, t, BERTH_MODEL_FLOW, other);
    if (differ(again, cost)) FAIL_ROW(name, "other names: %.17g, expected %.17g", again, cost);
    berth_pattern_free(p);
    berth_pattern_free(renamed);
    berth_topo_free(t);
    berth_topo_free(faster);
  }
  /* Else the instances show nothing that bound doesn't. */
  assert_true(above >= rounds_of(400) / 4);
}

static void a_slow_simulation_agrees(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= (uint64_t)rounds_of(300); seed++) {
    int pu_of_rank[RANKS];
    char name[32];
    snprintf(name, sizeof name, "seed %d", (int)seed);
    berth_topo_t *t = random_machine(seed, 1);
    berth_pattern_t *p = random_sends(seed, own_names, 0);
    random_placement(seed, t, own_names, pu_of_rank);
    double cost = cost_of(p, t, BERTH_MODEL_FLOW, pu_of_rank);
    double expected = slow_cost(p, t, pu_of_rank);
    if (differ(cost, expected)) FAIL_ROW(name, "found %.17g, expected %.17g", cost, expected);
    berth_pattern_free(p);
    berth_topo_free(t);
  }
}

enum { PHASES = 5 };

/* Rounds of a collective operation: up to three that are alike follow each other. */
static berth_pattern_t *random_rounds(uint64_t seed)
{
  dice_t d = {seed};
  berth_pattern_t *p = berth_pattern_new(RANKS, NULL);
  for (int k = 0; k < PHASES; k++) {
    uint64_t rounds = roll(&d, 3) ? 1 : 1 + (uint64_t)roll(&d, 3),
             calls = 1 + (uint64_t)roll(&d, 2);
    berth_phase_t phase = {.id = k,
                           .name = "",
                           .repeats = calls * rounds,
                           .collective = 1,
                           .stage = 1,
                           .rounds = rounds};
    assert_int_equal(berth_pattern_add_phase(p, &phase, NULL), BERTH_OK);
    for (int i = 1 + roll(&d, RANKS); i > 0; i--) {
      berth_message_t m = {.phase = k, .src = roll(&d, RANKS), .dst = roll(&d, RANKS), .count = 1};
      m.size = m.bytes = roll(&d, 5) ? (uint64_t)roll(&d, 2000) : 0;
      assert_int_equal(berth_pattern_add_message(p, &m, NULL), BERTH_OK);
    }
  }
  assert_int_equal(berth_pattern_finish(p, NULL), BERTH_OK);
  return p;
}

/* The parts that phases are explained with add up to what is evaluated. */
static void check_rounds(const char *name, const berth_pattern_t *p, const berth_topo_t *t,
                         const int *pu_of_rank)
{
  double expected[PHASES], sum = 0;
  berth_cost_result_t r;
  berth_cost_t *c = berth_cost_new(p, t, NULL);
  slow_rounds(p, t, pu_of_rank, expected);
  assert_int_equal(berth_cost_explain(c, BERTH_MODEL_FLOW, pu_of_rank, 0, &r, NULL), BERTH_OK);
  for (int k = 0; k < PHASES; k++) {
    if (differ(r.phases[k].cost_s + 1, expected[k] + 1))
      FAIL_ROW(name, "phase %d: found %.17g, expected %.17g", k, r.phases[k].cost_s, expected[k]);
    sum += r.phases[k].repeats * r.phases[k].cost_s;
  }
  double cost = berth_cost_evaluate(c, BERTH_MODEL_FLOW, pu_of_rank);
  if (cost != sum) FAIL_ROW(name, "found %.17g, expected the sum of phases, %.17g", cost, sum);
  for (size_t d = 0; d < r.n_levels; d++)
    if (r.levels[d].cost_s > cost * (1 + 1e-9))
      FAIL_ROW(name, "level %zu: %.17g of %.17g", d, r.levels[d].cost_s, cost);
  berth_cost_result_clear(&r);
  berth_cost_free(c);
}

static void rounds_of_a_collective_overlap(void **state)
{
  (void)state;
  int overlap = 0;
  for (uint64_t seed = 1; seed <= (uint64_t)rounds_of(200); seed++) {
    int pu_of_rank[RANKS];
    char name[32];
    double apart = 0;
    snprintf(name, sizeof name, "seed %d", (int)seed);
    berth_topo_t *t = random_machine(seed, 1);
    berth_pattern_t *p = random_rounds(seed);
    random_placement(seed, t, own_names, pu_of_rank);
    check_rounds(name, p, t, pu_of_rank);
    for (size_t k = 0; k < PHASES; k++) {
      const berth_pattern_t *alone = berth_pattern_of_phase(p, k, NULL);
      apart += cost_of(alone, t, BERTH_MODEL_FLOW, pu_of_rank);
      berth_pattern_of_phase_free(alone);
    }
    overlap += cost_of(p, t, BERTH_MODEL_FLOW, pu_of_rank) < apart * 0.99;
    berth_pattern_free(p);
    berth_topo_free(t);
  }
  /* Else the rounds could be one after the other as well. */
  assert_true(overlap >= rounds_of(200) / 2);
}

/* 320 ranks with 8 random destinations each on 20 hosts below one switch; those of odd number send
 * in order, blocking. */
static berth_pattern_t *many_sends(int ordered)
{
  dice_t d = {7};
  berth_pattern_t *p = berth_pattern_new(320, NULL);
  for (int s = 0; s < 320; s++) {
    berth_step_t sends[8];
    for (int i = 0; i < 8; i++) {
      berth_message_t m = {.src = s, .dst = (s + 1 + roll(&d, 319)) % 320, .count = 1};
      m.size = m.bytes = 1000 + (uint64_t)roll(&d, 1000000);
      assert_int_equal(berth_pattern_add_message(p, &m, NULL), BERTH_OK);
      sends[i] = (berth_step_t){m.dst, 1, m.size, 1};
    }
    berth_order_t order = {0, s, 1, 8, sends};
    if (ordered && s % 2) assert_int_equal(berth_pattern_add_order(p, &order, NULL), BERTH_OK);
  }
  assert_int_equal(berth_pattern_finish(p, NULL), BERTH_OK);
  return p;
}

static berth_topo_t *many_hosts(void)
{
  berth_topo_t *t = berth_topo_new("m", NULL);
  berth_type_t top = {.name = "top"}, host = {.name = "host"};
  top.up.out.curve = top.up.in.curve = top.down.out.curve = top.down.in.curve = -1;
  host.up = host.down = top.up;
  host.up.out.capacity = host.up.in.capacity = 1e8;
  host.down.out.capacity = host.down.in.capacity = 3e8;
  int s = berth_topo_add_type(t, &top, NULL), h = berth_topo_add_type(t, &host, NULL);
  int root = berth_topo_add_switch(t, -1, s, "top", NULL, NULL);
  for (int i = 0; i < 20; i++) {
    char name[8];
    snprintf(name, sizeof name, "n%d", i);
    int e = berth_topo_add_switch(t, root, h, name, name, NULL);
    for (int k = 0; k < 16; k++) berth_topo_add_pu(t, e, k, k, NULL);
  }
  assert_int_equal(berth_topo_finish(t, NULL), BERTH_OK);
  return t;
}

/* Time steps, taken when more than FLOW_EXACT flows are under way, keep their promise. */
static void steps_are_close(void **state)
{
  (void)state;
  int pu_of_rank[320];
  for (int r = 0; r < 320; r++) pu_of_rank[r] = r;
  berth_topo_t *t = many_hosts();
  for (int ordered = 0; ordered < 2; ordered++) {
    berth_pattern_t *p = many_sends(ordered);
    berth_cost_t *c = berth_cost_new(p, t, NULL);
    flow_plan_t plan;
    flow_net_t net;
    flow_run_t exact = {0}, steps = {0};
    assert_int_equal(flow_plan_make(&plan, c, NULL), BERTH_OK);
    assert_int_equal(flow_net_init(&net, c, NULL), BERTH_OK);
    for (int i = 0; i < 2; i++) {
      flow_run_t *run = i ? &steps : &exact;
      assert_int_equal(flow_net_build(&net, c, &plan, plan.chain, pu_of_rank, NULL), BERTH_OK);
      assert_int_equal(flow_start(run, &net, plan.chain, c->n_resources, NULL), BERTH_OK);
      flow_continue(run, &net, plan.chain, c->n_resources, 1, i ? 64 : INT32_MAX);
    }
    if (!(fabs(steps.time / exact.time - 1) < 1.0 / FLOW_STEPS) || exact.time < net.max)
      fail_msg("ordered %d: %.9g in steps, %.9g exact", ordered, steps.time, exact.time);
    assert_true(steps.steps < exact.steps);
    flow_run_clear(&exact);
    flow_run_clear(&steps);
    flow_net_clear(&net);
    flow_plan_clear(&plan);
    berth_cost_free(c);
    berth_pattern_free(p);
  }
  berth_topo_free(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(properties),
      cmocka_unit_test(a_slow_simulation_agrees),
      cmocka_unit_test(rounds_of_a_collective_overlap),
      cmocka_unit_test(steps_are_close),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
