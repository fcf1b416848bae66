/* SPDX-License-Identifier: BSD-3-Clause */
/* Intervals and verdicts against what was worked out by hand. Four hosts of two PUs below a switch:
 * a and b hang on links of one type, c and d on links of another. Capacities alone, so that the
 * time of n bytes is n / capacity. */
#include <berth/uncertainty.h>
#include <math.h>
#include <stdbool.h>

#include "harness.h"

/* A capacity in both directions, measured `samples` times. */
typedef struct link {
  double capacity, spread;
  int samples;
} link_t;

typedef struct setup {
  link_t first, second, bus;
  double model_error;
} setup_t;

static berth_port_t port(link_t l)
{
  berth_port_dir_t dir = {-1, l.capacity, .spread = l.spread, .samples = l.samples};
  return (berth_port_t){dir, dir};
}

static berth_topo_t *machine(const setup_t *s)
{
  berth_topo_t *t = berth_topo_new("t", NULL);
  berth_type_t types[] = {{"first", .up = port(s->first), .down = port(s->bus)},
                          {"second", .up = port(s->second), .down = port(s->bus)},
                          {"top", .up = port((link_t){0, 0, 0}), .down = port((link_t){0, 0, 0})}};
  for (size_t i = 0; i < COUNT(types); i++)
    assert_int_equal(berth_topo_add_type(t, &types[i], NULL), (int)i);
  int root = berth_topo_add_switch(t, -1, 2, "top", NULL, NULL);
  static const char *const names[] = {"a", "b", "c", "d"};
  for (int i = 0; i < 4; i++) {
    int e = berth_topo_add_switch(t, root, i / 2, names[i], names[i], NULL);
    for (int k = 0; k < 2; k++) berth_topo_add_pu(t, e, k, k, NULL);
  }
  if (s->model_error > 0) berth_topo_set_model_error(t, "port", s->model_error, NULL);
  assert_int_equal(berth_topo_finish(t, NULL), BERTH_OK);
  return t;
}

/* Rank 0 sends 100 bytes to rank 1 and 101 to rank 2. */
static berth_pattern_t *pattern(void)
{
  berth_pattern_t *p = berth_pattern_new(3, NULL);
  for (int dst = 1; dst < 3; dst++) {
    uint64_t size = 99 + (uint64_t)dst;
    berth_pattern_add_message(
        p, &(berth_message_t){.dst = dst, .size = size, .count = 1, .bytes = size}, NULL);
  }
  assert_int_equal(berth_pattern_finish(p, NULL), BERTH_OK);
  return p;
}

static berth_uncertainty_t *judge(const setup_t *s, berth_model_t model, size_t n,
                                  const int *const *pus)
{
  berth_topo_t *t = machine(s);
  berth_pattern_t *p = pattern();
  berth_uncertainty_t *u = berth_uncertainty_new(p, t, model, n, pus, NULL);
  assert_int_equal(berth_uncertainty_known(t, model),
                   berth_uncertainty_numbers(u) + berth_uncertainty_unknown_numbers(u) > 0 ||
                       berth_uncertainty_model_error(u) > 0);
  berth_pattern_free(p);
  berth_topo_free(t);
  return u;
}

#define LN_105 0.048790164169432 /* ln 1.05 */
#define LN_106 0.058268908123976 /* ln 1.06 */

/* 100 bytes from a to b, 101 inside a: the links take 1 s, the bus ports 0.2 s and less. */
static const struct {
  const char *name;
  setup_t setup;
  berth_model_t model;
  size_t numbers;
  double value, log_factor;
} costs[] = {
    {"nothing measured", {{100, 0, 0}, {100, 0, 0}, {1000, 0, 0}, 0}, BERTH_MODEL_PORT, 0, 1, 0},
    {"a link, measured exactly",
     {{100, 0, 9}, {100, 0, 0}, {1000, 0, 0}, 0},
     BERTH_MODEL_PORT,
     0,
     1,
     0},
    {"the bottleneck",
     {{100, 0.05, 5}, {99, 0, 0}, {1000, 0, 0}, 0},
     BERTH_MODEL_PORT,
     1,
     1,
     LN_105},
    /* one sample has no spread: the cost may be anything, unless it doesn't depend on it */
    {"the bottleneck, measured once",
     {{100, 0, 1}, {99, 0, 0}, {1000, 0.5, 5}, 0.06},
     BERTH_MODEL_PORT,
     1,
     1,
     INFINITY},
    {"another port, measured once",
     {{100, 0.05, 5}, {99, 0, 1}, {1000, 0, 1}, 0},
     BERTH_MODEL_PORT,
     1,
     1,
     LN_105},
    {"another port", {{100, 0, 0}, {99, 0, 0}, {1000, 0.5, 5}, 0}, BERTH_MODEL_PORT, 1, 1, 0},
    {"both", {{100, 0.05, 5}, {99, 0, 0}, {1000, 0.5, 5}, 0}, BERTH_MODEL_PORT, 2, 1, LN_105},
    /* sum: 1 + 1 + 0.201 + 0.1 + 0.101 = 2.402; the links' share up by 5%: + 0.1, the bus' share
     * up by 24.8756...%: + 0.1: two equal effects */
    {"two equal effects",
     {{100, 0.05, 5}, {99, 0, 0}, {1000, 0.1 / 0.402, 5}, 0},
     BERTH_MODEL_SUM,
     2,
     2.402,
     1.4142135623730951 * 0.04078868838692737} /* sqrt 2 * ln(2.502 / 2.402) */,
    {"a model's error alone",
     {{100, 0, 0}, {99, 0, 0}, {1000, 0, 0}, 0.06},
     BERTH_MODEL_PORT,
     0,
     1,
     LN_106},
    {"another model's error",
     {{100, 0, 0}, {99, 0, 0}, {1000, 0, 0}, 0.06},
     BERTH_MODEL_BOUND,
     0,
     1,
     0},
    /* sqrt(ln 1.05 ^ 2 + ln 1.06 ^ 2) */
    {"a spread and the model's error",
     {{100, 0.05, 5}, {99, 0, 0}, {1000, 0, 0}, 0.06},
     BERTH_MODEL_PORT,
     1,
     1,
     0.07599832743975664},
    /* the bus takes 1.005 s, the link 1 s, and 1.05 s when it is slower: ln(1.05 / 1.005) */
    {"a port that becomes the bottleneck",
     {{100, 0.05, 5}, {99, 0, 0}, {200, 0, 0}, 0},
     BERTH_MODEL_PORT,
     1,
     1.005,
     0.04380262265839284},
};

static void intervals_of_costs(void **state)
{
  (void)state;
  static const int pus[] = {0, 2, 1}, *const all[] = {pus};
  for (size_t i = 0; i < COUNT(costs); i++) {
    berth_uncertainty_t *u = judge(&costs[i].setup, costs[i].model, 1, all);
    berth_interval_t c = berth_uncertainty_cost(u, 0);
    if (berth_uncertainty_numbers(u) != costs[i].numbers)
      FAIL_ROW(costs[i].name, "%zu numbers", berth_uncertainty_numbers(u));
    if (fabs(c.value - costs[i].value) > 1e-12 ||
        fabs(fmin(log(c.factor), 1e9) - fmin(costs[i].log_factor, 1e9)) > 1e-12)
      FAIL_ROW(costs[i].name, "found %.17g, ln %.17g", c.value, log(c.factor));
    assert_true(c.low == c.value / c.factor && c.high == c.value * c.factor);
    berth_uncertainty_free(u);
  }
}

/* Placement 0 crosses from a to b with 100 bytes, 1 with 101, 2 from c to d with 100, 3 nothing. */
static const int across[] = {0, 2, 1}, dearer[] = {0, 1, 2}, others[] = {4, 6, 5},
                 inside[] = {0, 0, 0};
static const int *const placements[] = {across, dearer, others, inside};

static const struct {
  const char *name;
  setup_t setup;
  int a, b;
  berth_verdict_t verdict;
  double ratio, log_factor;
  berth_model_t model; /* port where it is left out */
} pairs[] = {
    /* their intervals overlap, but both use the links equally: 1% is a difference */
    {"a common error cancels",
     {{100, 0.05, 5}, {99, 0, 0}, {1000, 0, 0}, 0},
     0,
     1,
     BERTH_VERDICT_CHEAPER,
     100 / 101.,
     0},
    {"seen from the other",
     {{100, 0.05, 5}, {99, 0, 0}, {1000, 0, 0}, 0},
     1,
     0,
     BERTH_VERDICT_MORE_EXPENSIVE,
     1.01,
     0},
    /* one measurement for both kinds of links: 1% is a difference again */
    {"one measurement on both sides",
     {{100, 0.05, 5}, {100, 0.05, 5}, {1000, 0, 0}, 0},
     1,
     2,
     BERTH_VERDICT_MORE_EXPENSIVE,
     1.01,
     0},
    /* sqrt 2 * ln 1.05 = 0.0690 against ln(100 / 99) = 0.01005 and ln(100 / 90) = 0.105 */
    {"links of their own",
     {{100, 0.05, 5}, {99, 0.05, 5}, {1000, 0, 0}, 0},
     0,
     2,
     BERTH_VERDICT_NONE,
     0.99,
     1.4142135623730951 * LN_105},
    {"far enough apart",
     {{100, 0.05, 5}, {90, 0.05, 5}, {1000, 0, 0}, 0},
     0,
     2,
     BERTH_VERDICT_CHEAPER,
     0.9,
     1.4142135623730951 * LN_105},
    {"measured once",
     {{100, 0, 1}, {90, 0.05, 5}, {1000, 0, 0}, 0},
     0,
     2,
     BERTH_VERDICT_NONE,
     0.9,
     INFINITY},
    {"measured once, and common to both",
     {{100, 0, 1}, {99, 0, 0}, {1000, 0, 0}, 0},
     0,
     1,
     BERTH_VERDICT_CHEAPER,
     100 / 101.,
     0},
    {"one of them is sure",
     {{100, 0.05, 5}, {99, 0, 0}, {1000, 0, 0}, 0},
     2,
     0,
     BERTH_VERDICT_NONE,
     100 / 99.,
     LN_105},
    {"nothing measured",
     {{100, 0, 0}, {99.9, 0, 0}, {1000, 0, 0}, 0},
     0,
     2,
     BERTH_VERDICT_CHEAPER,
     0.999,
     0},
    {"the same", {{100, 0.05, 5}, {100, 0, 0}, {1000, 0, 0}, 0.5}, 0, 0, BERTH_VERDICT_EQUAL, 1, 0},
    {"the same cost elsewhere",
     {{100, 0.05, 5}, {100, 0.05, 6}, {1000, 0, 0}, 0},
     0,
     2,
     BERTH_VERDICT_NONE,
     1,
     1.4142135623730951 * LN_105},
    /* each placement has an error of the model: sqrt 2 * ln 1.06 = 0.0824, 0.0726 against it */
    {"within the model's error",
     {{100, 0, 0}, {93, 0, 0}, {1000, 0, 0}, 0.06},
     0,
     2,
     BERTH_VERDICT_NONE,
     0.93,
     1.4142135623730951 * LN_106},
    {"beyond the model's error",
     {{100, 0, 0}, {92, 0, 0}, {1000, 0, 0}, 0.06},
     0,
     2,
     BERTH_VERDICT_CHEAPER,
     0.92,
     1.4142135623730951 * LN_106},
    /* (2 + 0.402) / 0.402, the bus' share 0.402: a bus twice as fast does more to the ratio,
     * (2 + 0.201) / 0.201, than one half as fast, (2 + 0.804) / 0.804 */
    {"more from faster than from slower",
     {{100, 0, 0}, {100, 0, 0}, {1000, 1, 5}, 0},
     0,
     3,
     BERTH_VERDICT_MORE_EXPENSIVE,
     2.402 / 0.402,
     0.6057572594464782,
     BERTH_MODEL_SUM},
    /* a bus that costs nothing, however unsure the links are */
    {"nothing costs less than anything",
     {{100, 9, 5}, {99, 9, 5}, {0, 0, 0}, 9},
     3,
     0,
     BERTH_VERDICT_CHEAPER,
     0,
     -1},
    {"anything costs more than nothing",
     {{100, 9, 5}, {99, 9, 5}, {0, 0, 0}, 9},
     0,
     3,
     BERTH_VERDICT_MORE_EXPENSIVE,
     INFINITY,
     -1},
};

static void verdicts_of_pairs(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(pairs); i++) {
    berth_uncertainty_t *u = judge(&pairs[i].setup, pairs[i].model, 4, placements);
    berth_interval_t ratio;
    berth_verdict_t v =
        berth_uncertainty_compare(u, (size_t)pairs[i].a, (size_t)pairs[i].b, &ratio);
    bool value =
        isinf(pairs[i].ratio) ? isinf(ratio.value) : fabs(ratio.value - pairs[i].ratio) < 1e-12;
    double log_factor = log(ratio.factor);
    bool factor = pairs[i].log_factor < 0 || log_factor == pairs[i].log_factor ||
                  fabs(log_factor - pairs[i].log_factor) < 1e-12;
    if (v != pairs[i].verdict || !value || !factor)
      FAIL_ROW(pairs[i].name, "found %s, %.17g, ln %.17g", berth_verdict_name(v), ratio.value,
               log(ratio.factor));
    assert_int_equal(v, berth_uncertainty_compare(u, (size_t)pairs[i].a, (size_t)pairs[i].b, NULL));
    berth_uncertainty_free(u);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(intervals_of_costs),
      cmocka_unit_test(verdicts_of_pairs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
