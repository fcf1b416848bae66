/* SPDX-License-Identifier: BSD-3-Clause */
/* Calibrations of made-up machines find what these are made of, blind. */
#include <berth/calib.h>
#include <limits.h>

#include "machine.h"

#define DOC(root)                                                                                  \
  "{\"format\":\"berth-topology\",\"version\":1,\"curves\":{\"old\":{\"points\":[[1,5],[9,7]]}},"  \
  "\"types\":{\"host\":{\"up\":{\"out\":\"old\",\"in\":\"old\"},\"shared_core_slowdown\":1.5},"    \
  "\"switch\":{\"up\":{\"out\":\"old\",\"in\":\"old\"},\"down\":{\"out\":\"old\",\"in\":\"old\"}}" \
  ","                                                                                              \
  "\"core\":{},\"top\":{\"down\":{\"out\":\"old\",\"in\":\"old\"},\"max_bandwidth\":77}},"         \
  "\"root\":" root "}"
#define PUS           "\"children\":[{\"pu\":0,\"core\":0},{\"pu\":1,\"core\":1}]"
#define HOSTS(n)      "{\"type\":\"host\",\"host\":\"h%d\",\"repeat\":" #n "," PUS "}"
#define SWITCH(s, of) "{\"type\":\"switch\",\"name\":\"" s "\",\"children\":[" of "]}"
#define TOP(of)       "{\"type\":\"top\",\"name\":\"C\",\"children\":[" of "]}"
#define TESTBED       DOC(TOP(SWITCH("A", HOSTS(5)) "," SWITCH("B", HOSTS(3))))
#define DEEP                                                                                       \
  DOC(TOP("{\"type\":\"switch\",\"name\":\"L\",\"children\":[" SWITCH("L0", HOSTS(4)) "," SWITCH(  \
      "L1", HOSTS(4)) "," SWITCH("L2",                                                             \
                                 HOSTS(4)) "]},{\"type\":\"switch\",\"name\":\"R\","               \
                                           "\"children\":[" SWITCH("R0", HOSTS(4)) "," SWITCH(     \
                                               "R1", HOSTS(4)) "," HOSTS(2) "]}"))
#define BIG_HOST                                                                                   \
  DOC("{\"type\":\"host\",\"host\":\"n\",\"children\":[{\"type\":\"core\",\"name\":\"c0\","        \
      "\"children\":[{\"pu\":0,\"core\":0},{\"pu\":1,\"core\":1},{\"pu\":2,\"core\":2}]},"         \
      "{\"type\":\"core\",\"name\":\"c1\",\"children\":[{\"pu\":3,\"core\":3},{\"pu\":4,"          \
      "\"core\":4},{\"pu\":5,\"core\":5}]}]}")

enum { OUT, IN, ALL };

/* What differs from machine_init's, and what must be found: 0 for the same. */
typedef struct special {
  const char *element;
  int what; /* OUT, IN: of the link above; ALL: of the switch */
  double value;
  double found; /* where it can't be told apart: what is written instead; 0 for value */
} special_t;

typedef struct calibration {
  const char *name, *text;
  special_t specials[4];
  double noise;
  const char *no_ranks; /* a host or switch without */
} calibration_t;

static void make(machine_t *m, const berth_topo_t *t, const calibration_t *c, unsigned char *ranks)
{
  machine_init(m, t);
  m->noise = c->noise;
  for (const special_t *s = c->specials; s->element; s++) {
    int e = element_of(t, s->element);
    if (s->what == ALL)
      m->limit[e] = s->value;
    else
      m->link[s->what][e] = s->value;
  }
  memset(ranks, 1, (size_t)berth_topo_n_pus(t));
  if (!c->no_ranks) return;
  const berth_element_t *e = berth_topo_element(t, element_of(t, c->no_ranks));
  memset(ranks + e->first_pu, 0, (size_t)e->n_pus);
}

static berth_topo_t *run(machine_t *m, const unsigned char *ranks, int most, berth_calib_t **calib)
{
  return run_for(m, ranks, most, 1e5, calib);
}

static bool is_close(double found, double expected, double tolerance)
{
  return fabs(found - expected) <= tolerance * expected;
}

static double expected_of(const calibration_t *c, const machine_t *m, int element, int what)
{
  for (const special_t *s = c->specials; s->element; s++)
    if (s->what == what && element_of(m->t, s->element) == element)
      return s->found > 0 ? s->found : s->value;
  return what == ALL ? 0 : 3e6;
}

static void check_found(const calibration_t *c, const machine_t *m, const berth_topo_t *fitted)
{
  for (int e = 0; e < berth_topo_n_elements(fitted); e++) {
    const berth_element_t *x = berth_topo_element(fitted, e);
    if (x->type < 0 || (x->host >= 0 && berth_topo_host(fitted, x->host)->element != e)) continue;
    const berth_type_t *type = berth_topo_type(fitted, x->type);
    const char *name = berth_topo_element_name(fitted, e);
    double found[] = {type->up.out.capacity, type->up.in.capacity, type->capacity};
    for (int what = OUT; what <= ALL; what++) {
      double expected = expected_of(c, m, e, what);
      if ((what != ALL && e == 0) || (what == ALL && x->host >= 0)) continue;
      if (!is_close(found[what], expected, what == ALL ? 0.05 : 0.03))
        FAIL_ROW(c->name, "%s %s: found %g, expected %g", name,
                 what == OUT  ? "out"
                 : what == IN ? "in"
                              : "all",
                 found[what], expected);
    }
  }
}

static const calibration_t calibrations[] = {
    {"all alike", TESTBED, {{0}}, 0, NULL},
    {"noise", TESTBED, {{0}}, 0.02, NULL},
    {"a switch carries less", TESTBED, {{"A", ALL, 4.8e6}}, 0.005, NULL},
    {"the switch at the top carries less", TESTBED, {{"C", ALL, 4e6}}, 0.005, NULL},
    {"two switches carry less", TESTBED, {{"A", ALL, 7e6}, {"B", ALL, 5e6}}, 0.005, NULL},
    {"a slow host", TESTBED, {{"h3", OUT, 1.2e6}, {"h3", IN, 1.2e6}}, 0.005, NULL},
    {"the first host is slow", TESTBED, {{"h0", OUT, 1.2e6}}, 0.005, NULL},
    {"one direction", TESTBED, {{"h6", IN, 2e6}}, 0.005, NULL},
    {"a slow host and a limit", TESTBED, {{"h2", IN, 1.2e6}, {"A", ALL, 5e6}}, 0.005, NULL},
    {"a fast host", TESTBED, {{"h1", OUT, 6e6}}, 0.005, NULL},
    {"deep", DEEP, {{"L1", ALL, 8e6}, {"h17", IN, 1e6}}, 0.005, NULL},
    {"a slow trunk of many", DEEP, {{"L2", OUT, 1e6}}, 0.005, NULL},
    {"a switch without ranks", DEEP, {{"L0", ALL, 5e6}}, 0.005, "L2"},
};

static void machines_are_found_blind(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(calibrations); i++) {
    const calibration_t *c = &calibrations[i];
    unsigned char ranks[MAX_ELEMENTS];
    static machine_t m;
    berth_calib_t *calib;
    berth_topo_t *t = parse(c->text);
    make(&m, t, c, ranks);
    berth_topo_t *fitted = run(&m, ranks, INT_MAX, &calib);
    check_found(c, &m, fitted);
    assert_int_equal(berth_calib_findings(calib)->n_unmeasured, 0);
    berth_topo_free(fitted);
    berth_calib_free(calib);
    berth_topo_free(t);
  }
}

/* Where every value comes from, and what it looks like. */
static void values_say_where_they_come_from(void **state)
{
  (void)state;
  unsigned char ranks[MAX_ELEMENTS];
  static machine_t m;
  berth_calib_t *calib;
  berth_topo_t *t = parse(TESTBED);
  make(&m, t, &calibrations[1], ranks);
  berth_topo_t *fitted = run(&m, ranks, INT_MAX, &calib);
  assert_int_equal(berth_topo_n_curves(fitted), 3); /* the old one is gone */
  for (int i = 0; i < 3; i++) {
    const berth_curve_t *curve = berth_topo_curve(fitted, i);
    assert_int_equal(curve->n, 43);
    assert_true(curve->size[0] == 1 && curve->size[42] == 4194304);
    assert_string_equal(curve->origin.date, "D");
    assert_string_equal(curve->origin.transport, strcmp(curve->name, "host-pu") ? "net" : "mem");
    for (size_t k = 0; k < curve->n; k++) {
      assert_true(curve->samples[k] >= 2 && curve->spread[k] >= 0 && curve->spread[k] < 0.03);
      double latency = curve->size[k] / curve->bandwidth[k];
      assert_true(latency > 0.95 * m.latency); /* a message is never faster than half a trip */
    }
  }
  const berth_type_t *host = berth_topo_type(fitted, 0);
  assert_true(host->up.out.samples >= 2 && host->up.out.spread < 0.03);
  berth_topo_free(fitted);
  berth_calib_free(calib);
  berth_topo_free(t);
}

/* However early it ends, the result is a sound topology: what isn't measured is as it was. */
static void any_end_leaves_a_topology(void **state)
{
  (void)state;
  unsigned char ranks[MAX_ELEMENTS];
  static machine_t m;
  for (int most = 0; most < 400; most += most < 60 ? 1 : 37) {
    berth_calib_t *calib;
    berth_topo_t *t = parse(TESTBED);
    make(&m, t, &calibrations[5], ranks);
    berth_topo_t *fitted = run(&m, ranks, most, &calib);
    assert_int_equal(berth_topo_n_elements(fitted), berth_topo_n_elements(t));
    const berth_type_t *host = berth_topo_type(fitted, 0);
    const berth_curve_t *curve = berth_topo_curve(fitted, host->up.out.curve);
    assert_true(strcmp(curve->name, "old") == 0 || curve->n >= 12);
    assert_true((strcmp(curve->name, "old") == 0) == !*curve->origin.mpi);
    assert_true(host->n_slowdowns == 1 && host->slowdown[0] == 1.5);
    if (most == 0) {
      assert_true(berth_topo_type(fitted, 3)->capacity == 77);
      assert_int_equal(berth_calib_findings(calib)->n_unmeasured, 3 + 1); /* and the comparison */
    }
    berth_topo_free(fitted);
    berth_calib_free(calib);
    berth_topo_free(t);
  }
}

/* How many points of curves were measured once; a spread is known where there are two samples. */
static int count_single(const berth_topo_t *t)
{
  int n = 0;
  for (int k = 0; k < berth_topo_n_curves(t); k++) {
    const berth_curve_t *c = berth_topo_curve(t, k);
    for (size_t i = 0; c->samples && i < c->n; i++) {
      n += c->samples[i] == 1;
      assert_true((c->samples[i] == 1) == (c->spread[i] < 0));
    }
  }
  return n;
}

/* One sample makes no limit and no type, and has no spread; where time is short, what was begun is
 * measured twice before more is begun. */
static void one_sample_is_no_certainty(void **state)
{
  (void)state;
  unsigned char ranks[MAX_ELEMENTS];
  static machine_t m;
  int most_single = 0;
  for (int at = 0; at < 60; at++) {
    bool by_time = at % 2;
    berth_calib_t *calib;
    berth_topo_t *t = parse(TESTBED);
    make(&m, t, &calibrations[5], ranks);
    berth_topo_t *fitted =
        by_time ? run_for(&m, ranks, 1 << 20, 3 + at, &calib) : run(&m, ranks, 10 * at, &calib);
    int single = count_single(fitted);
    const berth_calib_findings_t *f = berth_calib_findings(calib);
    if (!by_time && single > most_single) most_single = single;
    if (by_time && at >= 48 && single > 2) /* all curves are there by then */
      FAIL_ROW("short", "%d s: %d points of one sample", 3 + at, single);
    for (size_t i = 0; i < f->n_switches; i++)
      assert_true(!f->switches[i].limited || f->switches[i].total.samples > 1);
    berth_topo_free(fitted);
    berth_calib_free(calib);
    berth_topo_free(t);
  }
  assert_true(most_single >= 10); /* an interruption leaves such */
}

static void what_no_two_ranks_reach_stays(void **state)
{
  (void)state;
  unsigned char ranks[MAX_ELEMENTS];
  static machine_t m;
  berth_calib_t *calib;
  berth_topo_t *t = parse(TESTBED);
  calibration_t c = {"half", TESTBED, .no_ranks = "B"};
  make(&m, t, &c, ranks);
  berth_topo_t *fitted = run(&m, ranks, INT_MAX, &calib);
  const berth_calib_findings_t *f = berth_calib_findings(calib);
  assert_int_equal(f->n_unmeasured, 1);
  assert_string_equal(f->unmeasured[0], "links top-switch: no pair of ranks has one on its path");
  const berth_type_t *s = berth_topo_type(fitted, 1), *top = berth_topo_type(fitted, 3);
  assert_string_equal(berth_topo_curve(fitted, s->up.out.curve)->name, "old");
  assert_string_equal(berth_topo_curve(fitted, s->down.out.curve)->name, "switch-host");
  assert_true(top->capacity == 77); /* nothing crossed it */
  berth_topo_free(fitted);
  berth_calib_free(calib);
  berth_topo_free(t);
}

/* A host whose parts carry less than their PUs could. */
static void insides_have_limits(void **state)
{
  (void)state;
  unsigned char ranks[MAX_ELEMENTS];
  static machine_t m;
  berth_calib_t *calib;
  berth_topo_t *t = parse(BIG_HOST);
  calibration_t c = {"host", BIG_HOST, {{"c0", ALL, 2e9}, {"c1", ALL, 2e9}, {"n", ALL, 1.5e9}}};
  make(&m, t, &c, ranks);
  for (int e = 0; e < berth_topo_n_elements(t); e++) m.link[OUT][e] = m.link[IN][e] = 1e9;
  berth_topo_t *fitted = run(&m, ranks, INT_MAX, &calib);
  assert_true(is_close(berth_topo_type(fitted, 2)->capacity, 2e9, 0.01));
  assert_true(berth_topo_type(fitted, 0)->capacity > 1.5e9); /* rings inside a part add to it */
  const berth_calib_findings_t *f = berth_calib_findings(calib);
  int scattered = 0, compact = 0;
  for (size_t i = 0; i < f->n_switches; i++)
    if (strstr(f->switches[i].name, "scattered"))
      scattered++;
    else
      compact++;
  assert_int_equal(scattered, 3); /* 2, 3, 4 of 6 PUs */
  assert_int_equal(compact, 4 + 2);
  berth_topo_free(fitted);
  berth_calib_free(calib);
  berth_topo_free(t);
}

static const berth_type_t *type_of(const berth_topo_t *t, const char *element)
{
  return berth_topo_type(t, berth_topo_element(t, element_of(t, element))->type);
}

/* Noise inside hosts makes no types and no limits, however it falls. */
static void noise_inside_splits_no_types(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    double noise, drift;
  } cases[] = {
      {"as links", 0.01, 0},         {"some", 0.1, 0}, {"much", 0.5, 0}, {"more", 1.5, 0},
      {"moods", 0.02, 0.6}, /* each sample is like the one before, and unlike one a while later */
      {"noise and moods", 0.3, 0.5},
  };
  unsigned char ranks[MAX_ELEMENTS];
  static machine_t m;
  for (size_t i = 0; i < COUNT(cases); i++)
    for (uint64_t seed = 1; seed <= (uint64_t)rounds_of(25); seed++) {
      berth_calib_t *calib;
      berth_topo_t *t = parse(TESTBED);
      make(&m, t, &(calibration_t){.name = "", .text = TESTBED, .noise = 0.005}, ranks);
      m.noise_inside = cases[i].noise;
      m.drift_inside = cases[i].drift;
      m.random *= seed;
      berth_topo_t *fitted = run(&m, ranks, INT_MAX, &calib);
      const berth_calib_findings_t *f = berth_calib_findings(calib);
      if (f->n_types > 0 || berth_topo_n_types(fitted) != berth_topo_n_types(t))
        FAIL_ROW(cases[i].name, "seed %d: found type %s", (int)seed,
                 f->n_types ? f->types[0].name : "none");
      const berth_type_t *host = type_of(fitted, "h0");
      if (host->capacity > 0 && host->spread > 0.25)
        FAIL_ROW(cases[i].name, "seed %d: a limit of %g +-%g", (int)seed, host->capacity,
                 host->spread);
      if (host->down.out.samples > 0 && host->down.out.spread > 0.25)
        FAIL_ROW(cases[i].name, "seed %d: a port of %g +-%g", (int)seed, host->down.out.capacity,
                 host->down.out.spread);
      berth_topo_free(fitted);
      berth_calib_free(calib);
      berth_topo_free(t);
    }
}

/* A host whose memory is slower indeed is found, confirmed and named; those alike share a type. */
static void slow_memory_is_found(void **state)
{
  (void)state;
  unsigned char ranks[MAX_ELEMENTS];
  static machine_t m;
  for (uint64_t seed = 1; seed <= (uint64_t)rounds_of(25); seed++) {
    berth_calib_t *calib;
    berth_topo_t *t = parse(TESTBED);
    make(&m, t, &(calibration_t){.name = "", .text = TESTBED, .noise = 0.005}, ranks);
    m.noise_inside = 0.05;
    m.random *= seed;
    m.limit[element_of(t, "h2")] = 1.0e9;
    m.limit[element_of(t, "h5")] = 1.05e9;
    berth_topo_t *fitted = run(&m, ranks, INT_MAX, &calib);
    const berth_calib_findings_t *f = berth_calib_findings(calib);
    assert_int_equal(f->n_types, 1);
    assert_string_equal(f->types[0].name, "host (h2)");
    assert_string_equal(f->types[0].usual, "host");
    assert_string_equal(f->types[0].elements, "h2 and 1 more");
    assert_int_equal(f->types[0].n_differences, 1);
    assert_string_equal(f->types[0].difference[0].what, "all together");
    assert_true(is_close(f->types[0].difference[0].value, 1e9, 0.06));
    assert_true(f->types[0].difference[0].usual == 0);
    assert_string_equal(type_of(fitted, "h5")->name, "host (h2)");
    assert_string_equal(type_of(fitted, "h0")->name, "host");
    berth_topo_free(fitted);
    berth_calib_free(calib);
    berth_topo_free(t);
  }
}

/* What acknowledgements take is found at a pair that no limited switch has below it, if there is
 * one. */
static void reverse_traffic_is_found_beside_limits(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    special_t specials[4];
    const char *at; /* where that of hosts is found, NULL for nowhere */
    bool trunks;    /* that of the switches' links, too */
  } cases[] = {
      {"no limit", {{0}}, "", true},
      {"a limit", {{"A", ALL, 4.65e6}}, "B", false},
      {"a limit and a slow host", {{"A", ALL, 4.65e6}, {"h3", IN, 1.2e6}}, "B", false},
      {"another limit", {{"B", ALL, 4e6}}, "A", false},
      {"both", {{"A", ALL, 5e6}, {"B", ALL, 4e6}}, NULL, false},
      {"a limit at the top", {{"C", ALL, 4e6}}, "", false},
  };
  unsigned char ranks[MAX_ELEMENTS];
  static machine_t m;
  for (size_t i = 0; i < COUNT(cases); i++) {
    berth_calib_t *calib;
    berth_topo_t *t = parse(TESTBED);
    calibration_t c = {.name = cases[i].name, .text = TESTBED, .noise = 0.002};
    memcpy(c.specials, cases[i].specials, sizeof c.specials);
    make(&m, t, &c, ranks);
    m.reverse = 0.022;
    berth_topo_t *fitted = run(&m, ranks, INT_MAX, &calib);
    double host = type_of(fitted, "h0")->up.reverse, trunk = type_of(fitted, "A")->up.reverse;
    bool found = host > 0.018 && host<0.026, trunk_found = trunk> 0.018 && trunk < 0.026;
    if (found != (cases[i].at != NULL) || (!found && host > 0))
      FAIL_ROW(cases[i].name, "hosts: found %g", host);
    if (trunk_found != cases[i].trunks || (!trunk_found && trunk > 0))
      FAIL_ROW(cases[i].name, "trunks: found %g", trunk);
    const berth_calib_findings_t *f = berth_calib_findings(calib);
    for (size_t k = 0; k < f->n_links; k++) {
      const berth_calib_link_t *l = &f->links[k];
      if (strcmp(l->name, "switch-host") != 0) continue;
      assert_true(l->has_reverse && !l->reverse_at == !cases[i].at);
      if (!cases[i].at || !*cases[i].at) continue;
      int parent = berth_topo_element(t, element_of(t, l->reverse_at))->parent;
      assert_string_equal(berth_topo_element_name(t, parent), cases[i].at);
    }
    berth_topo_free(fitted);
    berth_calib_free(calib);
    berth_topo_free(t);
  }
}

/* Four minutes are enough for a machine of two slow switches, all that is odd about it included: by
 * the estimates of its experiments. */
static void four_minutes_are_enough(void **state)
{
  (void)state;
  unsigned char ranks[MAX_ELEMENTS];
  static machine_t m;
  berth_calib_t *calib;
  berth_topo_t *t = parse(TESTBED);
  calibration_t c = {"", TESTBED, {{"A", ALL, 4.65e6}, {"h3", IN, 1.2e6}}, .noise = 0.01};
  make(&m, t, &c, ranks);
  m.noise_inside = 0.7;
  m.reverse = 0.022;
  berth_topo_t *fitted = run_for(&m, ranks, INT_MAX, 240, &calib);
  const berth_calib_findings_t *f = berth_calib_findings(calib);
  assert_int_equal(f->n_unmeasured, 0);
  assert_int_equal(f->n_types, 2);
  assert_string_equal(f->types[0].name, "host (h3)");
  assert_string_equal(f->types[1].name, "switch (A)");
  assert_true(type_of(fitted, "h0")->up.reverse > 0.01);
  for (int i = 0; i < berth_topo_n_curves(fitted); i++) {
    const berth_curve_t *curve = berth_topo_curve(fitted, i);
    assert_int_equal(curve->n, 43);
    for (size_t k = 0; k < curve->n; k++) assert_true(curve->samples[k] >= 2);
  }
  berth_topo_free(fitted);
  berth_calib_free(calib);
  berth_topo_free(t);
}

/* A size that seems faster than both neighbours is measured again, though its samples agree. */
static void peaks_are_doubted(void **state)
{
  (void)state;
  unsigned char ranks[MAX_ELEMENTS];
  static machine_t m;
  static const size_t sizes[] = {65536, 1 << 20, 2 << 20};
  for (size_t i = 0; i < COUNT(sizes); i++) {
    berth_calib_t *calib;
    berth_topo_t *t = parse(TESTBED);
    make(&m, t, &(calibration_t){.name = "", .text = TESTBED, .noise = 0.0005}, ranks);
    m.fluke_size = sizes[i];
    m.flukes = 3;
    berth_topo_t *fitted = run(&m, ranks, INT_MAX, &calib);
    const berth_type_t *host = type_of(fitted, "h0");
    const berth_curve_t *curve = berth_topo_curve(fitted, host->down.out.curve);
    for (size_t k = 0; k < curve->n; k++)
      if (curve->bandwidth[k] > 1.1e9)
        fail_msg("%g B: found %g, expected 1e9", curve->size[k], curve->bandwidth[k]);
    assert_true(m.flukes < 0);
    assert_true(host->down.out.capacity < 1.1e9);
    berth_topo_free(fitted);
    berth_calib_free(calib);
    berth_topo_free(t);
  }
}

static void wrong_results_are_refused(void **state)
{
  (void)state;
  const berth_calib_options_t options = {
      .size = sizeof options, .time_s = 1e5, .spread = 0.01, .max_samples = 8};
  unsigned char ranks[MAX_ELEMENTS];
  berth_error_t err = {0};
  berth_calib_experiment_t e;
  double seconds[MAX_FLOWS] = {0};
  berth_topo_t *t = parse(TESTBED);
  memset(ranks, 1, sizeof ranks);
  berth_calib_t *calib = berth_calib_new(t, ranks, &options, &err);
  assert_int_equal(berth_calib_take(calib, seconds, &err), BERTH_BAD_INPUT);
  assert_string_equal(err.text, "found a result of no experiment");
  assert_true(berth_calib_next(calib, 1e5, &e));
  assert_int_equal(berth_calib_take(calib, seconds, &err), BERTH_BAD_INPUT);
  assert_non_null(strstr(err.text, "found 0 s per message, expected more than 0"));
  assert_false(berth_calib_next(calib, 0, &e)); /* no time left */
  berth_calib_free(calib);
  berth_topo_free(t);
}

static void wrong_options_are_refused(void **state)
{
  (void)state;
  static const struct {
    struct {
      double time_s, spread;
      int max_samples;
    } is;
    const char *error;
  } cases[] = {{{0, 0.01, 8}, "time_s: found 0, expected more than 0"},
               {{NAN, 0.01, 8}, "time_s: found nan, expected more than 0"},
               {{9, -1, 8}, "spread: found -1, expected at least 0"},
               {{9, 0.01, 0}, "max_samples: found 0, expected at least 1"}};
  unsigned char ranks[MAX_ELEMENTS];
  berth_topo_t *t = parse(TESTBED);
  memset(ranks, 1, sizeof ranks);
  for (size_t i = 0; i < COUNT(cases); i++) {
    berth_error_t err = {0};
    berth_calib_options_t options = berth_calib_defaults();
    options.time_s = cases[i].is.time_s;
    options.spread = cases[i].is.spread;
    options.max_samples = cases[i].is.max_samples;
    assert_null(berth_calib_new(t, ranks, &options, &err));
    assert_int_equal(err.code, BERTH_USAGE);
    assert_string_equal(err.text, cases[i].error);
  }
  berth_topo_free(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(machines_are_found_blind),
      cmocka_unit_test(values_say_where_they_come_from),
      cmocka_unit_test(any_end_leaves_a_topology),
      cmocka_unit_test(one_sample_is_no_certainty),
      cmocka_unit_test(what_no_two_ranks_reach_stays),
      cmocka_unit_test(insides_have_limits),
      cmocka_unit_test(noise_inside_splits_no_types),
      cmocka_unit_test(slow_memory_is_found),
      cmocka_unit_test(reverse_traffic_is_found_beside_limits),
      cmocka_unit_test(four_minutes_are_enough),
      cmocka_unit_test(peaks_are_doubted),
      cmocka_unit_test(wrong_results_are_refused),
      cmocka_unit_test(wrong_options_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
