/* SPDX-License-Identifier: BSD-3-Clause */
/* The cost models against closed forms on a small machine: two hosts of two PUs below a switch.
 *
 *   switch S (capacity 300)
 *     host a: up/down link 100 B/s      host b: the same
 *       PU 0, PU 1 on a bus of 1000 B/s   PU 2, PU 3 */
#include <berth/cost.h>
#include <math.h>

#include "harness.h"

static berth_topo_t *machine(double link_capacity, double switch_capacity)
{
  berth_topo_t *t = berth_topo_new("small", NULL);
  berth_port_dir_t none = {-1, 0}, link = {-1, link_capacity}, bus = {-1, 1000};
  berth_type_t host = {"host", {link, link}, {bus, bus}, 0};
  berth_type_t top = {"switch", {none, none}, {none, none}, switch_capacity};
  int h = berth_topo_add_type(t, &host, NULL), s = berth_topo_add_type(t, &top, NULL);
  int root = berth_topo_add_switch(t, -1, s, "S", NULL, NULL);
  static const char *const names[] = {"a", "b"};
  for (int i = 0; i < 2; i++) {
    int e = berth_topo_add_switch(t, root, h, names[i], names[i], NULL);
    berth_topo_add_pu(t, e, 0, 0, NULL);
    berth_topo_add_pu(t, e, 1, 1, NULL);
  }
  assert_int_equal(berth_topo_finish(t, NULL), BERTH_OK);
  return t;
}

typedef struct send {
  int src, dst, size, count;
} send_t;

static berth_pattern_t *pattern(const send_t *s, size_t n)
{
  berth_pattern_t *p = berth_pattern_new(4, NULL);
  for (size_t i = 0; i < n; i++) {
    berth_message_t m = {.src = s[i].src,
                         .dst = s[i].dst,
                         .size = (uint64_t)s[i].size,
                         .count = (uint64_t)s[i].count,
                         .bytes = (uint64_t)s[i].size * (uint64_t)s[i].count};
    assert_int_equal(berth_pattern_add_message(p, &m, NULL), BERTH_OK);
  }
  assert_int_equal(berth_pattern_finish(p, NULL), BERTH_OK);
  return p;
}

static const struct {
  const char *name;
  send_t sends[4];
  int pu_of_rank[4];
  double switch_capacity;
  double port, bound, sum;
} cases[] = {
    {"nothing is sent", {{0, 1, 0, 0}}, {0, 1, 2, 3}, 0, 0, 0, 0},
    {"to itself", {{0, 0, 100, 1}}, {0, 1, 2, 3}, 0, 0, 0, 0},
    /* over the bus: out and in, 100 B at 1000 B/s each */
    {"inside a host", {{0, 1, 100, 1}}, {0, 1, 2, 3}, 0, 0.1, 0.1, 0.2},
    /* two links at 100 B/s and two bus ports */
    {"across", {{0, 2, 100, 1}}, {0, 1, 2, 3}, 0, 1, 1, 2.2},
    /* both directions at the same time */
    {"there and back", {{0, 2, 100, 1}, {2, 0, 100, 1}}, {0, 1, 2, 3}, 0, 1, 1, 4.4},
    /* two ranks share the link: the second finds nothing available */
    {"two over one link", {{0, 2, 100, 1}, {1, 3, 100, 1}}, {0, 1, 2, 3}, 0, 2, 2, 4.4},
    /* a large rank first leaves no room, 100 + 50 */
    {"unequal ranks", {{0, 2, 100, 1}, {1, 3, 50, 1}}, {0, 1, 2, 3}, 0, 1.5, 1.5, 3.3},
    /* the switch's aggregate: 200 B at 50 B/s */
    {"switch bounds", {{0, 2, 100, 1}, {2, 0, 100, 1}}, {0, 1, 2, 3}, 50, 4, 4, 8.4},
    /* ranks on one PU still cross the bus */
    {"one PU", {{0, 1, 100, 1}}, {0, 0, 2, 3}, 0, 0.1, 0.1, 0.2},
    {"many messages", {{0, 2, 10, 10}}, {0, 1, 2, 3}, 0, 1, 1, 2.2},
};

static void closed_forms(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(cases); i++) {
    berth_topo_t *t = machine(100, cases[i].switch_capacity);
    berth_pattern_t *p = pattern(cases[i].sends, COUNT(cases[i].sends));
    berth_cost_t *c = berth_cost_new(p, t, NULL);
    /* with one bottleneck flow is as dear as bound */
    double expected[] = {cases[i].port, cases[i].bound, cases[i].sum, cases[i].bound};
    for (int m = 0; m < BERTH_N_MODELS; m++) {
      double cost = berth_cost_evaluate(c, (berth_model_t)m, cases[i].pu_of_rank);
      if (fabs(cost - expected[m]) > 1e-12)
        FAIL_ROW(cases[i].name, "%s: found %.17g, expected %.17g",
                 berth_model_name((berth_model_t)m), cost, expected[m]);
    }
    berth_cost_free(c);
    berth_pattern_free(p);
    berth_topo_free(t);
  }
}

/* Zero bytes cost the time of a curve's first point, once for each message of a rank, but ranks do
 * not add up: nothing is carried. */
static void empty_messages_cost_time_only(void **state)
{
  (void)state;
  berth_topo_t *t = berth_topo_new("t", NULL);
  double size[] = {1}, bandwidth[] = {10};
  berth_curve_t curve = {"c", "", 1, size, bandwidth};
  int c = berth_topo_add_curve(t, &curve, NULL);
  berth_port_dir_t dir = {c, 10};
  berth_type_t host = {"host", {dir, dir}, {dir, dir}, 0};
  int e = berth_topo_add_switch(t, -1, berth_topo_add_type(t, &host, NULL), "h", "h", NULL);
  for (int i = 0; i < 4; i++) berth_topo_add_pu(t, e, i, i, NULL);
  assert_int_equal(berth_topo_finish(t, NULL), BERTH_OK);
  static const send_t sends[] = {{0, 3, 0, 5}, {1, 3, 0, 7}, {2, 3, 0, 6}};
  static const int in_order[] = {0, 1, 2, 3};
  berth_pattern_t *p = pattern(sends, COUNT(sends));
  berth_cost_t *cost = berth_cost_new(p, t, NULL);
  assert_true(fabs(berth_cost_evaluate(cost, BERTH_MODEL_PORT, in_order) - 0.7) < 1e-12);
  assert_true(fabs(berth_cost_evaluate(cost, BERTH_MODEL_BOUND, in_order) - 0.7) < 1e-12);
  berth_cost_free(cost);
  berth_pattern_free(p);
  berth_topo_free(t);
}

/* The reasons add up to the price. */
static void explanations_agree_with_the_cost(void **state)
{
  (void)state;
  berth_topo_t *t = machine(100, 300);
  static const send_t sends[] = {{0, 2, 100, 2}, {1, 3, 50, 1}, {0, 1, 10, 1}};
  static const int in_order[] = {0, 1, 2, 3};
  berth_pattern_t *p = pattern(sends, COUNT(sends));
  berth_cost_t *c = berth_cost_new(p, t, NULL);
  for (int m = 0; m < BERTH_N_MODELS; m++) {
    berth_cost_result_t r;
    assert_int_equal(berth_cost_explain(c, (berth_model_t)m, in_order, 1, &r, NULL), BERTH_OK);
    assert_true(r.cost_s == berth_cost_evaluate(c, (berth_model_t)m, in_order));
    assert_int_equal(r.n_phases, 1);
    assert_int_equal(r.n_levels, 3);
    char text[100];
    assert_string_equal(berth_resource_text(t, r.phases[0].bottleneck, text, sizeof text),
                        "uplink of a, own end");
    assert_true(r.phases[0].bottleneck_bytes == 250);
    assert_int_equal(r.phases[0].n_pairs, 2);
    assert_int_equal(r.phases[0].n_listed, 1);
    assert_int_equal(r.phases[0].pairs[0].src, 0);
    assert_true(r.phases[0].pairs[0].bytes == 200);
    assert_true(r.levels[1].bytes == 250); /* what crosses the hosts' links */
    assert_true(r.levels[2].bytes == 260); /* and the buses */
    assert_true(r.levels[2].messages == 4);
    double total = r.levels[0].cost_s + r.levels[1].cost_s + r.levels[2].cost_s;
    if (m == BERTH_MODEL_SUM) assert_true(fabs(total - r.cost_s) < 1e-12);
    berth_cost_result_clear(&r);
  }
  berth_cost_free(c);
  berth_pattern_free(p);
  berth_topo_free(t);
}

static void models_have_names(void **state)
{
  (void)state;
  berth_model_t m;
  assert_int_equal(berth_model_find("bound", &m), BERTH_OK);
  assert_int_equal(m, BERTH_MODEL_BOUND);
  assert_int_equal(berth_model_find("cheap", &m), BERTH_USAGE);
}

static void a_message_by_itself(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    int from, to, code;
    uint64_t bytes;
    double seconds;
  } rows[] = {
      {"inside a host", 0, 1, BERTH_OK, 100, 0.1},
      {"across", 0, 3, BERTH_OK, 100, 1},
      {"nothing", 0, 3, BERTH_OK, 0, 0},
      {"to itself", 2, 2, BERTH_OK, 100, 0.1},
      {"a PU below", -1, 0, BERTH_BAD_INPUT, 1, -1},
      {"a PU above", 0, 4, BERTH_BAD_INPUT, 1, -1},
      {"too large", 0, 1, BERTH_BAD_INPUT, BERTH_MAX_AMOUNT + 1, -1},
  };
  berth_topo_t *t = machine(100, 0);
  for (size_t i = 0; i < COUNT(rows); i++) {
    double seconds = -1;
    berth_error_t err = {0};
    int code = berth_message_time(t, rows[i].from, rows[i].to, rows[i].bytes, &seconds, &err);
    if (code != rows[i].code || err.code != code) FAIL_ROW(rows[i].name, "code %d", code);
    if (fabs(seconds - rows[i].seconds) > 1e-12) FAIL_ROW(rows[i].name, "%g s", seconds);
  }
  berth_topo_free(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(closed_forms),
      cmocka_unit_test(a_message_by_itself),
      cmocka_unit_test(empty_messages_cost_time_only),
      cmocka_unit_test(explanations_agree_with_the_cost),
      cmocka_unit_test(models_have_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
