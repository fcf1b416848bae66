/* SPDX-License-Identifier: BSD-3-Clause */
/* Model flow: closed forms, and properties on random instances, among them that a slow simulation
 * written apart from the model gives the same costs. */
#include "cost/flow.h"

#include <math.h>

#include "harness.h"
#include "map/random_instance.h"

enum { RANKS = 8, MOST_SENDS = 16 };

/* Hosts of one PU each, whose links carry link[i] in both directions, below one switch. PUs' own
 * ports cost nothing. With `half` the hosts stand in two racks of n / 2, whose up ports carry
 * `half`; else it is 0. */
typedef struct machine {
  int n;
  double link[RANKS];
  double half, core;
} machine_t;

static void add_host(berth_topo_t *t, int parent, int number, double link)
{
  char name[16];
  snprintf(name, sizeof name, "n%d", number);
  berth_type_t host = {.name = name};
  host.up.out.curve = host.up.in.curve = host.down.out.curve = host.down.in.curve = -1;
  host.up.out.capacity = host.up.in.capacity = link;
  int type = berth_topo_add_type(t, &host, NULL);
  berth_topo_add_pu(t, berth_topo_add_switch(t, parent, type, name, name, NULL), 0, 0, NULL);
}

static berth_topo_t *make_machine(const machine_t *m)
{
  berth_topo_t *t = berth_topo_new("m", NULL);
  berth_type_t core = {.name = "core", .capacity = m->core}, rack = {.name = "rack"};
  core.up.out.curve = core.up.in.curve = core.down.out.curve = core.down.in.curve = -1;
  rack.up = rack.down = core.up;
  rack.up.out.capacity = rack.up.in.capacity = m->half;
  int c = berth_topo_add_type(t, &core, NULL), r = berth_topo_add_type(t, &rack, NULL);
  int root = berth_topo_add_switch(t, -1, c, "core", NULL, NULL), parent = root;
  for (int i = 0; i < m->n; i++) {
    if (m->half > 0 && i % (m->n / 2) == 0)
      parent = berth_topo_add_switch(t, root, r, i ? "right" : "left", NULL, NULL);
    add_host(t, parent, i, m->link[i]);
  }
  assert_int_equal(berth_topo_finish(t, NULL), BERTH_OK);
  return t;
}

typedef struct send {
  int src, dst, size, count;
} send_t;

/* What one rank does, in order; {0} ends it. */
typedef struct sequence {
  int src, rounds;
  berth_send_t sends[4];
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
    while (o.n_sends < 4 && order->sends[o.n_sends].times) o.n_sends++;
    assert_int_equal(berth_pattern_add_order(p, &o, NULL), BERTH_OK);
  }
  berth_error_t err = {0};
  if (berth_pattern_finish(p, &err)) fail_msg("%s", err.text);
  return p;
}

static double cost_of(const berth_pattern_t *p, const berth_topo_t *t, berth_model_t model,
                      const int *pu_of_rank)
{
  berth_cost_t *c = berth_cost_new(p, t, NULL);
  double cost = berth_cost_evaluate(c, model, pu_of_rank);
  berth_cost_free(c);
  return cost;
}

static const int in_order[] = {0, 1, 2, 3, 4, 5, 6, 7};

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
    double cost = cost_of(p, t, BERTH_MODEL_FLOW, in_order);
    if (fabs(cost - cases[i].cost) > 1e-12 * cases[i].cost)
      FAIL_ROW(cases[i].name, "found %.17g, expected %.17g", cost, cases[i].cost);
    if (cost < cost_of(p, t, BERTH_MODEL_BOUND, in_order) * (1 - 1e-12))
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
    double cost = cost_of(p, t, BERTH_MODEL_FLOW, in_order);
    if (fabs(cost - curves[i].cost) > 1e-12)
      FAIL_ROW(curves[i].name, "found %.17g, expected %.17g", cost, curves[i].cost);
    berth_pattern_free(p);
    berth_topo_free(t);
  }
}

/* --- random instances ------------------------------------------------------------------------- */

/* A tree of up to three levels below the root, with curves or bare capacities, all of them times
 * `factor`. */
static berth_topo_t *random_machine(uint64_t seed, double factor)
{
  dice_t d = {seed};
  berth_topo_t *t = berth_topo_new("random", NULL);
  int type[4], hosts = 0;
  for (int i = 0; i < 2; i++) {
    double size[3] = {1, 100, 1000}, bandwidth[3];
    for (int k = 0; k < 3; k++) bandwidth[k] = factor * (1 + roll(&d, 100));
    char name[8];
    snprintf(name, sizeof name, "c%d", i);
    berth_curve_t c = {.name = name, .source = "", .n = 3, .size = size, .bandwidth = bandwidth};
    berth_topo_add_curve(t, &c, NULL);
  }
  for (int i = 0; i < 4; i++) {
    char name[8];
    snprintf(name, sizeof name, "t%d", i);
    berth_type_t one = {.name = name, .capacity = roll(&d, 2) ? factor * 150 : 0};
    berth_port_dir_t *dir[] = {&one.up.out, &one.up.in, &one.down.out, &one.down.in};
    for (int k = 0; k < 4; k++) {
      dir[k]->curve = roll(&d, 4) - 2;
      if (dir[k]->curve < 0) dir[k]->curve = -1;
      dir[k]->capacity = roll(&d, 5) ? factor * (100 + roll(&d, 200)) : 0;
      if (dir[k]->curve >= 0 && dir[k]->capacity == 0) dir[k]->capacity = factor * 100;
    }
    one.up.reverse = roll(&d, 2) ? 0.1 * roll(&d, 6) : 0;
    one.down.reverse = roll(&d, 2) ? 0.1 * roll(&d, 6) : 0;
    type[i] = berth_topo_add_type(t, &one, NULL);
  }
  int root = berth_topo_add_switch(t, -1, type[0], "root", NULL, NULL);
  for (int i = 1 + roll(&d, 3); i > 0; i--) {
    int rack = roll(&d, 3) ? berth_topo_add_switch(t, root, type[1], "r", NULL, NULL) : root;
    for (int k = 1 + roll(&d, 3); k > 0; k--)
      random_host(t, &d, rack, type[2 + roll(&d, 2)], hosts++);
  }
  berth_error_t err = {0};
  if (berth_topo_finish(t, &err)) fail_msg("%s", err.text);
  return t;
}

/* A pattern whose rank r is called name[r], and a placement of it; some ranks share a PU. */
static berth_pattern_t *random_sends(uint64_t seed, const int *name, int ordered)
{
  dice_t d = {seed};
  berth_pattern_t *p = berth_pattern_new(RANKS, NULL);
  for (int s = 0; s < RANKS; s++) {
    berth_send_t sends[6];
    int n = 0;
    for (int i = roll(&d, 6); i > 0; i--) {
      berth_message_t m = {.src = name[s], .dst = name[roll(&d, RANKS)]};
      m.size = roll(&d, 4) ? (uint64_t)roll(&d, 2000) : 0;
      m.count = 1 + (uint64_t)roll(&d, 5);
      m.bytes = m.size * m.count;
      assert_int_equal(berth_pattern_add_message(p, &m, NULL), BERTH_OK);
      sends[n++] = (berth_send_t){m.dst, roll(&d, 2), m.size, m.count};
    }
    berth_order_t order = {0, name[s], 1, (size_t)n, sends};
    if (ordered && n && roll(&d, 3))
      assert_int_equal(berth_pattern_add_order(p, &order, NULL), BERTH_OK);
  }
  assert_int_equal(berth_pattern_finish(p, NULL), BERTH_OK);
  return p;
}

static void random_placement(uint64_t seed, const berth_topo_t *t, const int *name, int *pu_of_rank)
{
  dice_t d = {seed + 1};
  for (int r = 0; r < RANKS; r++) pu_of_rank[name[r]] = roll(&d, berth_topo_n_pus(t));
}

/* A relative difference that is more than rounding. */
static bool differ(double a, double b) { return fabs(a - b) > 1e-9 * (fabs(a) + fabs(b)); }

static void properties(void **state)
{
  (void)state;
  static const int other_names[RANKS] = {3, 6, 1, 0, 7, 4, 2, 5};
  int above = 0;
  for (uint64_t seed = 1; seed <= 400; seed++) {
    int pu_of_rank[RANKS], other[RANKS];
    char name[32];
    snprintf(name, sizeof name, "seed %d", (int)seed);
    berth_topo_t *t = random_machine(seed, 1), *faster = random_machine(seed, 4);
    berth_pattern_t *p = random_sends(seed, in_order, seed % 2);
    berth_pattern_t *renamed = random_sends(seed, other_names, seed % 2);
    random_placement(seed, t, in_order, pu_of_rank);
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
  assert_in_range(above, 20, 400); /* else the instances show nothing that bound doesn't */
}

/* --- a slow simulation, from the definition ----------------------------------------------------
 */

enum { MOST_FLOWS = RANKS * RANKS, MOST_PATH = 24 };

typedef struct slow_flow {
  int src, dst, n;
  double bytes, volume, left, rate;
  int resource[MOST_PATH]; /* element * BERTH_N_RESOURCE_KINDS + kind */
  double time[MOST_PATH];  /* of all its messages */
  bool open;
} slow_flow_t;

static double slow_capacity(const berth_topo_t *t, int resource, int *curve)
{
  int e = resource / BERTH_N_RESOURCE_KINDS, kind = resource % BERTH_N_RESOURCE_KINDS;
  const berth_element_t *element = berth_topo_element(t, e);
  bool down = kind == BERTH_DOWN_OUT || kind == BERTH_DOWN_IN;
  int type = down ? berth_topo_element(t, element->parent)->type : element->type;
  const berth_type_t *y = berth_topo_type(t, type);
  const berth_port_t *port = down ? &y->down : &y->up;
  *curve = -1;
  if (kind == BERTH_SWITCH) return y->capacity;
  const berth_port_dir_t *dir =
      kind == BERTH_DOWN_OUT || kind == BERTH_UP_OUT ? &port->out : &port->in;
  *curve = dir->curve;
  return dir->capacity;
}

static void slow_cross(const berth_topo_t *t, slow_flow_t *f, int element, int kind)
{
  int resource = element * BERTH_N_RESOURCE_KINDS + kind, curve;
  if (slow_capacity(t, resource, &curve) <= 0 && curve < 0) return;
  assert_in_range(f->n, 0, MOST_PATH - 1);
  f->resource[f->n++] = resource;
}

static bool is_above(const berth_topo_t *t, int e, int below)
{
  while (below >= 0 && below != e) below = berth_topo_element(t, below)->parent;
  return below == e;
}

static void slow_path(const berth_topo_t *t, slow_flow_t *f, int from, int to)
{
  int a = berth_topo_pu(t, from)->element, b = berth_topo_pu(t, to)->element, top;
  if (f->src == f->dst) return;
  top = a == b ? berth_topo_element(t, a)->parent : a;
  while (!is_above(t, top, b)) top = berth_topo_element(t, top)->parent;
  for (int side = 0; side < 2; side++)
    for (int e = side ? b : a; e != top; e = berth_topo_element(t, e)->parent) {
      slow_cross(t, f, e, side ? BERTH_DOWN_IN : BERTH_DOWN_OUT);
      if (berth_topo_element(t, e)->type < 0) continue;
      slow_cross(t, f, e, BERTH_SWITCH);
      slow_cross(t, f, e, side ? BERTH_UP_IN : BERTH_UP_OUT);
    }
  slow_cross(t, f, top, BERTH_SWITCH);
}

static int slow_flows(const berth_pattern_t *p, const berth_topo_t *t, const int *pu_of_rank,
                      slow_flow_t *flow)
{
  size_t n_messages;
  int n = 0;
  double messages = 0;
  const berth_message_t *m = berth_pattern_messages(p, 0, &n_messages);
  for (size_t i = 0; i < n_messages; i++) {
    slow_flow_t *f = n ? &flow[n - 1] : NULL;
    if (!f || f->src != m[i].src || f->dst != m[i].dst) {
      f = &flow[n++];
      *f = (slow_flow_t){.src = m[i].src, .dst = m[i].dst};
      slow_path(t, f, pu_of_rank[f->src], pu_of_rank[f->dst]);
      messages = 0;
    }
    f->bytes += (double)m[i].bytes;
    messages += (double)m[i].count;
    for (int k = 0; k < f->n; k++) {
      int curve;
      double capacity = slow_capacity(t, f->resource[k], &curve), size = (double)m[i].size;
      f->time[k] +=
          (double)m[i].count *
          (curve < 0 ? size / capacity : berth_curve_time(berth_topo_curve(t, curve), size));
    }
    f->left = f->volume = f->bytes > 0 ? f->bytes : messages;
  }
  return n;
}

/* The other direction of a port, -1 for a switch or where it isn't a resource; *reverse is what
 * each byte adds there. */
static int slow_opposite(const berth_topo_t *t, int resource, double *reverse)
{
  int e = resource / BERTH_N_RESOURCE_KINDS, kind = resource % BERTH_N_RESOURCE_KINDS, curve;
  if (kind == BERTH_SWITCH) return -1;
  bool down = kind == BERTH_DOWN_OUT || kind == BERTH_DOWN_IN;
  const berth_element_t *element = berth_topo_element(t, e);
  int type = down ? berth_topo_element(t, element->parent)->type : element->type;
  const berth_type_t *y = berth_topo_type(t, type);
  *reverse = down ? y->down.reverse : y->up.reverse;
  int opposite = resource - kind + (kind ^ 1); /* out and in follow each other */
  return slow_capacity(t, opposite, &curve) > 0 && *reverse > 0 ? opposite : -1;
}

/* The level at which resource r, for all ranks or for one, is full; negative when no open flow
 * crosses it. */
static double slow_level(const berth_topo_t *t, const slow_flow_t *flow, int n, int r, int rank,
                         double capacity)
{
  double taken = 0, weight = 0, reverse = 0;
  int opposite = rank < 0 ? slow_opposite(t, r, &reverse) : -1;
  for (int i = 0; i < n; i++)
    for (int k = 0; k < flow[i].n; k++) {
      bool back = opposite >= 0 && flow[i].resource[k] == opposite;
      if ((flow[i].resource[k] != r && !back) || (rank >= 0 && flow[i].src != rank)) continue;
      double use = rank >= 0 ? flow[i].time[k] / flow[i].volume : flow[i].bytes > 0;
      if (back) use *= reverse;
      if (flow[i].open)
        weight += use;
      else
        taken += use * flow[i].rate;
    }
  return weight > 0 ? (capacity - taken) / weight : -1;
}

/* Rates of all flows that have something left: raise all open ones to the lowest level, close those
 * that the full limits hold back. */
static void slow_share(const berth_topo_t *t, slow_flow_t *flow, int n)
{
  for (int i = 0; i < n; i++) {
    flow[i].open = flow[i].left > 0;
    flow[i].rate = 0;
  }
  for (;;) {
    double lowest = -1, own[MOST_FLOWS] = {0};
    for (int i = 0; i < n; i++) {
      own[i] = -1;
      for (int k = 0; k < flow[i].n && flow[i].open; k++) {
        int curve, r = flow[i].resource[k];
        double capacity = slow_capacity(t, r, &curve);
        double all = slow_level(t, flow, n, r, -1, capacity), reverse;
        double rank = slow_level(t, flow, n, r, flow[i].src, 1);
        int opposite = slow_opposite(t, r, &reverse);
        double other =
            opposite < 0 ? -1
                         : slow_level(t, flow, n, opposite, -1, slow_capacity(t, opposite, &curve));
        if (other >= 0 && (all < 0 || other < all)) all = other;
        if (flow[i].bytes > 0 && all >= 0 && (own[i] < 0 || all < own[i])) own[i] = all;
        if (flow[i].time[k] > 0 && (own[i] < 0 || rank < own[i])) own[i] = rank;
      }
      if (own[i] >= 0 && (lowest < 0 || own[i] < lowest)) lowest = own[i];
    }
    if (lowest < 0) return;
    for (int i = 0; i < n; i++) {
      if (!flow[i].open || own[i] < 0 || own[i] > lowest * (1 + 1e-12)) continue;
      flow[i].rate = lowest;
      flow[i].open = false;
    }
  }
}

static double slow_cost(const berth_pattern_t *p, const berth_topo_t *t, const int *pu_of_rank)
{
  slow_flow_t flow[MOST_FLOWS];
  int n = slow_flows(p, t, pu_of_rank, flow);
  double time = 0;
  for (int i = 0; i < n; i++) {
    double most = 0;
    for (int k = 0; k < flow[i].n; k++) most += flow[i].time[k];
    if (most == 0) flow[i].left = 0; /* costs nothing */
  }
  for (;;) {
    double dt = -1;
    slow_share(t, flow, n);
    for (int i = 0; i < n; i++)
      if (flow[i].left > 0 && (dt < 0 || flow[i].left / flow[i].rate < dt))
        dt = flow[i].left / flow[i].rate;
    if (dt < 0) return time;
    time += dt;
    for (int i = 0; i < n; i++) {
      flow[i].left -= flow[i].left > 0 ? flow[i].rate * dt : 0;
      if (flow[i].left < 1e-12 * flow[i].volume) flow[i].left = 0;
    }
  }
}

static void a_slow_simulation_agrees(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= 300; seed++) {
    int pu_of_rank[RANKS];
    char name[32];
    snprintf(name, sizeof name, "seed %d", (int)seed);
    berth_topo_t *t = random_machine(seed, 1);
    berth_pattern_t *p = random_sends(seed, in_order, 0);
    random_placement(seed, t, in_order, pu_of_rank);
    double cost = cost_of(p, t, BERTH_MODEL_FLOW, pu_of_rank);
    double expected = slow_cost(p, t, pu_of_rank);
    if (differ(cost, expected)) FAIL_ROW(name, "found %.17g, expected %.17g", cost, expected);
    berth_pattern_free(p);
    berth_topo_free(t);
  }
}

/* --- many flows --------------------------------------------------------------------------------
 */

/* 320 ranks with 8 random destinations each on 20 hosts below one switch; those of odd number send
 * in order, blocking. */
static berth_pattern_t *many_sends(int ordered)
{
  dice_t d = {7};
  berth_pattern_t *p = berth_pattern_new(320, NULL);
  for (int s = 0; s < 320; s++) {
    berth_send_t sends[8];
    for (int i = 0; i < 8; i++) {
      berth_message_t m = {.src = s, .dst = (s + 1 + roll(&d, 319)) % 320, .count = 1};
      m.size = m.bytes = 1000 + (uint64_t)roll(&d, 1000000);
      assert_int_equal(berth_pattern_add_message(p, &m, NULL), BERTH_OK);
      sends[i] = (berth_send_t){m.dst, 1, m.size, 1};
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
      assert_int_equal(flow_net_build(&net, c, &plan, plan.phase, pu_of_rank, NULL), BERTH_OK);
      assert_int_equal(
          flow_run(i ? &steps : &exact, &net, plan.phase, c->n_resources, i ? 64 : INT32_MAX, NULL),
          BERTH_OK);
    }
    if (!(fabs(steps.time / exact.time - 1) < 1.0 / FLOW_STEPS) || exact.time < net.most)
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

/* --- reasons -----------------------------------------------------------------------------------
 */

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
  assert_int_equal(berth_cost_explain(c, BERTH_MODEL_FLOW, in_order, 8, &r, NULL), BERTH_OK);
  assert_true(r.cost_s == berth_cost_evaluate(c, BERTH_MODEL_FLOW, in_order));
  assert_true(fabs(r.cost_s - 3) < 1e-12);
  assert_string_equal(berth_resource_text(t, r.phases[0].bottleneck, text, sizeof text),
                      "n0: up port, in");
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
  assert_int_equal(berth_cost_explain(c, BERTH_MODEL_FLOW, in_order, 8, &r, NULL), BERTH_OK);
  assert_string_equal(berth_resource_text(t, r.phases[0].bottleneck, text, sizeof text),
                      "n1: up port, in");
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
      cmocka_unit_test(properties),
      cmocka_unit_test(a_slow_simulation_agrees),
      cmocka_unit_test(steps_are_close),
      cmocka_unit_test(bottlenecks),
      cmocka_unit_test(a_blocking_rank_is_held_back_by_its_slowest_send),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
