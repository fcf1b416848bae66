/* SPDX-License-Identifier: BSD-3-Clause */
/* Model flow: closed forms, and its reasons. */
#include <math.h>

#include "cost/flow_common.h"

enum { MOST_SENDS = 16 };

typedef struct send {
  int src, dst, size, count;
} send_t;

/* What one rank does, in order; {0} ends it. */
typedef struct sequence {
  int src, rounds;
  berth_step_t sends[4];
} sequence_t;

static berth_pattern_t *make_pattern(const send_t *s, size_t n, const sequence_t *order)
{
  berth_pattern_t *p = berth_pattern_new(RANKS, NULL);
  for (size_t i = 0; i < n && s[i].count; i++) {
    berth_message_t m = {.src = s[i].src, .dst = s[i].dst};
    m.size = (uint64_t)s[i].size;
    m.count = (uint64_t)s[i].count;
    m.bytes = m.size * m.count;
    assert_int_equal(berth_pattern_add_message(p, &m, NULL), BERTH_OK);
  }
  for (; order && order->rounds; order++) {
    berth_order_t o = {0, order->src, (uint64_t)order->rounds, 0, order->sends};
    while (o.n_steps < 4 && order->sends[o.n_steps].times) o.n_steps++;
    assert_int_equal(berth_pattern_add_order(p, &o, NULL), BERTH_OK);
  }
  berth_error_t err = {0};
  if (berth_pattern_finish(p, &err)) fail_msg("%s", err.text);
  return p;
}

#define EQUAL                                                                                      \
  {                                                                                                \
    100, 100, 100, 100, 100, 100, 100, 100                                                         \
  }
static const struct {
  const char *name;
  machine_t machine;
  send_t sends[MOST_SENDS];
  sequence_t order[3];
  double cost;
} cases[] = {
    {"nothing", {4, EQUAL, 0, 0}, {{0}}, {{0}}, 0},
    {"to itself", {4, EQUAL, 0, 0}, {{0, 0, 100, 1}}, {{0}}, 0},
    /* 300 bytes leave rank 0's link at 100 B/s */
    {"one to all", {4, EQUAL, 0, 0}, {{0, 1, 100, 1}, {0, 2, 100, 1}, {0, 3, 100, 1}}, {{0}}, 3},
    {"all to one", {4, EQUAL, 0, 0}, {{1, 0, 100, 1}, {2, 0, 100, 1}, {3, 0, 100, 1}}, {{0}}, 3},
    /* every link carries one flow each way */
    {"ring",
     {4, EQUAL, 0, 0},
     {{0, 1, 100, 1}, {1, 2, 100, 1}, {2, 3, 100, 1}, {3, 0, 100, 1}},
     {{0}},
     1},
    /* four flows each way over a bisection of 200 B/s, half of what the four links bring: 50 B/s */
    {"exchange over a bisection",
     {8, EQUAL, 200, 0},
     {{0, 4, 100, 1},
      {1, 5, 100, 1},
      {2, 6, 100, 1},
      {3, 7, 100, 1},
      {4, 0, 100, 1},
      {5, 1, 100, 1},
      {6, 2, 100, 1},
      {7, 3, 100, 1}},
     {{0}},
     2},
    /* 50 B/s each; the short one ends at 1 s, when the long one has 100 bytes left: 1 s at 100 B/s.
     * The link is never idle: 200 bytes at 100 B/s */
    {"two lengths on one link", {4, EQUAL, 0, 0}, {{1, 0, 50, 1}, {2, 0, 150, 1}}, {{0}}, 2},
    /* Into rank 0's link of 100 B/s come rank 1, whose own link gives 20 B/s, and rank 2, which
     * gets the other 80 B/s: 40 bytes take 2 s, 160 bytes 2 s */
    {"limited elsewhere",
     {4, {100, 20, 100, 100}, 0, 0},
     {{1, 0, 40, 1}, {2, 0, 160, 1}},
     {{0}},
     2},
    /* The same, longer: after 2 s rank 2 has its link to itself, 100 bytes at 100 B/s */
    {"limited elsewhere, then free",
     {4, {100, 20, 100, 100}, 0, 0},
     {{1, 0, 40, 1}, {2, 0, 260, 1}},
     {{0}},
     3},
    /* Parking lot. A long flow 0 -> 1 crosses three limits: rank 0's link out (100, with 0 -> 2),
     * the core (150, with all) and rank 1's link in (100, with 3 -> 1). The core of 150 gives each
     * of the three 50; the ends are then full, too: 100 bytes take 2 s. */
    {"parking lot, balanced",
     {4, EQUAL, 0, 150},
     {{0, 1, 100, 1}, {0, 2, 100, 1}, {3, 1, 100, 1}},
     {{0}},
     2},
    /* Parking lot, unequal. Links out of 0: 60, into 1: 100. 0 -> 1 and 0 -> 2 get 30 each; 3 -> 1
     * gets the 70 that 0 -> 1 leaves. 70 bytes from 3 end at 1 s. Then nothing changes for 0 -> 1,
     * limited at 0: 60 bytes end at 2 s, as do the 60 of 0 -> 2. */
    {"parking lot, unequal",
     {4, {60, 100, 100, 100}, 0, 0},
     {{0, 1, 60, 1}, {0, 2, 60, 1}, {3, 1, 70, 1}},
     {{0}},
     2},
    /* The same with 140 bytes from 3: 70 B/s for 2 s. All three end at 2 s; with 240 there are 100
     * left at 2 s, for which the link into 1 is free: 1 s more */
    {"parking lot, longer",
     {4, {60, 100, 100, 100}, 0, 0},
     {{0, 1, 60, 1}, {0, 2, 60, 1}, {3, 1, 240, 1}},
     {{0}},
     3},
    /* Rank 0 sends 100 bytes to rank 1, whose link takes 10 B/s, and 100 bytes to rank 2. At once:
     * 10 B/s and 90 B/s; the second ends long before the first, 10 s. */
    {"two destinations, no order",
     {4, {100, 10, 100, 100}, 0, 0},
     {{0, 1, 100, 1}, {0, 2, 100, 1}},
     {{0}},
     10},
    {"two destinations, not blocking",
     {4, {100, 10, 100, 100}, 0, 0},
     {{0, 1, 100, 1}, {0, 2, 100, 1}},
     {{0, 1, {{1, 0, 100, 1}, {2, 0, 100, 1}}}, {0}},
     10},
    /* The slow one first and blocking: 10 s, then 1 s */
    {"two destinations, blocking",
     {4, {100, 10, 100, 100}, 0, 0},
     {{0, 1, 100, 1}, {0, 2, 100, 1}},
     {{0, 1, {{1, 1, 100, 1}, {2, 1, 100, 1}}}, {0}},
     11},
    /* The slow one doesn't block, so that the other one goes beside it */
    {"slow one not blocking",
     {4, {100, 10, 100, 100}, 0, 0},
     {{0, 1, 100, 1}, {0, 2, 100, 1}},
     {{0, 1, {{1, 0, 100, 1}, {2, 1, 100, 1}}}, {0}},
     10},
    /* Blocking, two rounds: 10 + 1 + 10 + 1 */
    {"rounds",
     {4, {100, 10, 100, 100}, 0, 0},
     {{0, 1, 100, 2}, {0, 2, 100, 2}},
     {{0, 2, {{1, 1, 100, 1}, {2, 1, 100, 1}}}, {0}},
     22},
    /* 160 rounds are played as 16 of ten sends each: 160 * (1 + 0.1) */
    {"many rounds",
     {4, {100, 10, 100, 100}, 0, 0},
     {{0, 1, 10, 160}, {0, 2, 10, 160}},
     {{0, 160, {{1, 1, 10, 1}, {2, 1, 10, 1}}}, {0}},
     176},
    /* Each of two ranks sends to rank 2 first, blocking, then to its own partner. Both share rank
     * 2's link, 50 B/s, for 2 s; then 1 s for the partners. Without order 2 s: each rank's link is
     * full from start to end. */
    {"order makes ranks collide",
     {5, EQUAL, 0, 0},
     {{0, 2, 100, 1}, {0, 3, 100, 1}, {1, 2, 100, 1}, {1, 4, 100, 1}},
     {{0, 1, {{2, 1, 100, 1}, {3, 1, 100, 1}}}, {1, 1, {{2, 1, 100, 1}, {4, 1, 100, 1}}}, {0}},
     3},
    {"no order to collide in",
     {5, EQUAL, 0, 0},
     {{0, 2, 100, 1}, {0, 3, 100, 1}, {1, 2, 100, 1}, {1, 4, 100, 1}},
     {{0}},
     2},
    /* A rank's other messages of the pair wait on the same connection: 1 + 2 s to rank 1, in any
     * case; to rank 2, behind a blocking send, from 1 s on beside the second to rank 1: rank 0's
     * link is never idle, 100 + 200 + 100 bytes */
    {"one connection",
     {4, EQUAL, 0, 0},
     {{0, 1, 100, 1}, {0, 1, 200, 1}, {0, 2, 100, 1}},
     {{0, 1, {{1, 1, 100, 1}, {1, 0, 200, 1}, {2, 1, 100, 1}}}, {0}},
     4},
    /* Times in a row are one send that is so much longer */
    {"in a row",
     {4, EQUAL, 0, 0},
     {{0, 1, 10, 10}, {0, 2, 10, 10}},
     {{0, 1, {{1, 1, 10, 10}, {2, 1, 10, 10}}}, {0}},
     2},
};

static void closed_forms(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(cases); i++) {
    berth_topo_t *t = make_machine(&cases[i].machine);
    berth_pattern_t *p = make_pattern(cases[i].sends, MOST_SENDS, cases[i].order);
    double cost = cost_of(p, t, BERTH_MODEL_FLOW, in_order(t));
    if (fabs(cost - cases[i].cost) > 1e-12 * cases[i].cost)
      FAIL_ROW(cases[i].name, "found %.17g, expected %.17g", cost, cases[i].cost);
    if (cost < cost_of(p, t, BERTH_MODEL_BOUND, in_order(t)) * (1 - 1e-12))
      FAIL_ROW(cases[i].name, "less than bound");
    berth_pattern_free(p);
    berth_topo_free(t);
  }
}

/* A curve: 1 byte takes 0.1 s, 100 bytes take 2 s; all together 100 B/s. */
static berth_topo_t *slow_starter(void)
{
  berth_topo_t *t = berth_topo_new("t", NULL);
  double size[] = {1, 100}, bandwidth[] = {10, 50};
  berth_curve_t curve = {.name = "c", .source = "", .n = 2, .size = size, .bandwidth = bandwidth};
  int c = berth_topo_add_curve(t, &curve, NULL);
  berth_type_t host = {.name = "host"};
  host.up.out.curve = host.up.in.curve = host.down.out.curve = -1;
  host.down.in = (berth_port_dir_t){.curve = c, .capacity = 100};
  int e = berth_topo_add_switch(t, -1, berth_topo_add_type(t, &host, NULL), "h", "h", NULL);
  for (int i = 0; i < RANKS; i++) berth_topo_add_pu(t, e, i, i, NULL);
  assert_int_equal(berth_topo_finish(t, NULL), BERTH_OK);
  return t;
}

static const struct {
  const char *name;
  send_t sends[4];
  double cost;
} curves[] = {
    /* alone a pair is as slow as its curve says */
    {"one message", {{0, 1, 100, 1}}, 2},
    {"messages of a pair follow each other", {{0, 1, 100, 3}, {0, 1, 1, 5}}, 6.5},
    /* two pairs into one port have 50 B/s each, which is all that the curve gives them */
    {"two pairs", {{0, 2, 100, 1}, {1, 2, 100, 1}}, 2},
    /* four share 100 B/s */
    {"four pairs", {{0, 4, 100, 1}, {1, 4, 100, 1}, {2, 4, 100, 1}, {3, 4, 100, 1}}, 4},
    /* empty messages take time, but no bytes: 5 at 0.1 s beside 7 at 0.1 s */
    {"empty messages", {{0, 2, 0, 5}, {1, 2, 0, 7}}, 0.7},
    /* a rank's own follow each other on a resource: 2 s and 5 * 0.1 s to the same rank */
    {"empty and full", {{0, 2, 0, 5}, {0, 2, 100, 1}}, 2.5},
    /* different ports: 2 s; the empty ones elsewhere meanwhile */
    {"empty elsewhere", {{0, 2, 0, 5}, {0, 1, 100, 1}}, 2},
};

static void curves_limit_pairs(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(curves); i++) {
    berth_topo_t *t = slow_starter();
    berth_pattern_t *p = make_pattern(curves[i].sends, COUNT(curves[i].sends), NULL);
    double cost = cost_of(p, t, BERTH_MODEL_FLOW, in_order(t));
    if (fabs(cost - curves[i].cost) > 1e-12)
      FAIL_ROW(curves[i].name, "found %.17g, expected %.17g", cost, curves[i].cost);
    berth_pattern_free(p);
    berth_topo_free(t);
  }
}

/* Two ranks exchange 100 bytes over links of 100 B/s, where each byte adds a quarter in the other
 * direction: 80 B/s each way. One way alone has the whole link. */
static void acknowledgements_take_their_share(void **state)
{
  (void)state;
  static const send_t both[] = {{0, 1, 100, 1}, {1, 0, 100, 1}}, one[] = {{0, 1, 100, 1}};
  berth_topo_t *t = berth_topo_new("m", NULL);
  berth_type_t top = {.name = "top"}, host = {.name = "host"};
  top.up.out.curve = top.up.in.curve = top.down.out.curve = top.down.in.curve = -1;
  host.up = host.down = top.up;
  host.up.out.capacity = host.up.in.capacity = 100;
  host.up.reverse = 0.25;
  int s = berth_topo_add_type(t, &top, NULL), h = berth_topo_add_type(t, &host, NULL);
  int root = berth_topo_add_switch(t, -1, s, "top", NULL, NULL);
  static const char *const names[] = {"a", "b"};
  for (int i = 0; i < 2; i++)
    berth_topo_add_pu(t, berth_topo_add_switch(t, root, h, names[i], names[i], NULL), 0, 0, NULL);
  assert_int_equal(berth_topo_finish(t, NULL), BERTH_OK);
  berth_pattern_t *p = make_pattern(both, COUNT(both), NULL);
  assert_true(fabs(cost_of(p, t, BERTH_MODEL_FLOW, in_order(t)) - 1.25) < 1e-12);
  berth_pattern_free(p);
  p = make_pattern(one, COUNT(one), NULL);
  assert_true(fabs(cost_of(p, t, BERTH_MODEL_FLOW, in_order(t)) - 1) < 1e-12);
  berth_pattern_free(p);
  berth_topo_free(t);
}

/* Two ranks into rank 0's link: rank 1 is held back by its own link of 20 B/s for 2 s, rank 2 by
 * rank 0's for 2 s and then 1 s more. The last one's bottleneck is rank 0's link. */
static void bottlenecks(void **state)
{
  (void)state;
  static const machine_t m = {4, {100, 20, 100, 100}, 0, 0};
  static const send_t sends[] = {{1, 0, 40, 1}, {2, 0, 260, 1}};
  berth_topo_t *t = make_machine(&m);
  berth_pattern_t *p = make_pattern(sends, COUNT(sends), NULL);
  berth_cost_t *c = berth_cost_new(p, t, NULL);
  berth_cost_result_t r;
  char text[100];
  assert_int_equal(berth_cost_explain(c, BERTH_MODEL_FLOW, in_order(t), 8, &r, NULL), BERTH_OK);
  assert_true(r.cost_s == berth_cost_evaluate(c, BERTH_MODEL_FLOW, in_order(t)));
  assert_true(fabs(r.cost_s - 3) < 1e-12);
  assert_string_equal(berth_resource_text(t, r.phases[0].bottleneck, text, sizeof text),
                      "downlink of n0, own end");
  assert_true(r.phases[0].bottleneck_bytes == 300);
  assert_int_equal(r.phases[0].n_pairs, 2);
  assert_true(fabs(r.levels[1].cost_s - 3) < 1e-12);
  assert_true(r.levels[0].cost_s == 0);
  assert_true(r.levels[2].cost_s == 0);
  berth_cost_result_clear(&r);
  berth_cost_free(c);
  berth_pattern_free(p);
  berth_topo_free(t);
}

/* A rank that blocks: the last send takes 1 s, the one that it had to wait for 10 s. */
static void a_blocking_rank_is_held_back_by_its_slowest_send(void **state)
{
  (void)state;
  static const machine_t m = {4, {100, 10, 100, 100}, 0, 0};
  static const send_t sends[] = {{0, 1, 100, 1}, {0, 2, 100, 1}};
  static const sequence_t order[] = {{0, 1, {{1, 1, 100, 1}, {2, 1, 100, 1}}}, {0}};
  berth_topo_t *t = make_machine(&m);
  berth_pattern_t *p = make_pattern(sends, COUNT(sends), order);
  berth_cost_t *c = berth_cost_new(p, t, NULL);
  berth_cost_result_t r;
  char text[100];
  assert_int_equal(berth_cost_explain(c, BERTH_MODEL_FLOW, in_order(t), 8, &r, NULL), BERTH_OK);
  assert_string_equal(berth_resource_text(t, r.phases[0].bottleneck, text, sizeof text),
                      "downlink of n1, own end");
  berth_cost_result_clear(&r);
  berth_cost_free(c);
  berth_pattern_free(p);
  berth_topo_free(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(closed_forms),
      cmocka_unit_test(curves_limit_pairs),
      cmocka_unit_test(acknowledgements_take_their_share),
      cmocka_unit_test(bottlenecks),
      cmocka_unit_test(a_blocking_rank_is_held_back_by_its_slowest_send),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
