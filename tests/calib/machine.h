/* SPDX-License-Identifier: BSD-3-Clause */
/* A made-up machine that does experiments: its flows share links and switches max-min fairly. */
#ifndef BERTH_TESTS_MACHINE_H
#define BERTH_TESTS_MACHINE_H

#include <berth/calib.h>
#include <math.h>
#include <stdbool.h>

#include "harness.h"
#include "topo/topo_internal.h"

enum { MAX_ELEMENTS = 256, MAX_FLOWS = 1024, MAX_PATH = 128, MAX_RESOURCES = 3 * MAX_ELEMENTS };

typedef struct machine {
  const berth_topo_t *t;
  double link[2][MAX_ELEMENTS]; /* bytes/s of the link above an element: out, in */
  double limit[MAX_ELEMENTS];   /* of a switch in all, INFINITY for none */
  double reverse;               /* what a byte adds in the other direction of links between hosts */
  double latency, noise;        /* seconds; relative */
  double noise_inside;          /* of experiments inside hosts, as a logarithm: factors to e^x */
  double drift_inside;          /* likewise, slowly up and down with the number of experiments */
  double disturbed;  /* share of experiments that something else slows, or one flow of them */
  size_t fluke_size; /* whose first few streams inside hosts seem three times as fast */
  int flukes;
  uint64_t random;
  int experiments;
} machine_t;

typedef struct path {
  int resource[MAX_PATH]; /* links out, links in, switches */
  bool back[MAX_PATH];    /* it is what acknowledges that goes there */
  int n;
} path_t;

static bool is_inside(const berth_topo_t *t, int element)
{
  int parent = berth_topo_element(t, element)->parent;
  return parent >= 0 && berth_topo_element(t, parent)->host >= 0;
}

static void path_add(path_t *p, int resource, bool back)
{
  assert_true(p->n < MAX_PATH);
  p->resource[p->n] = resource;
  p->back[p->n++] = back;
}

static void path_of(const machine_t *m, int src, int dst, path_t *path)
{
  const berth_topo_t *t = m->t;
  int a = berth_topo_pu(t, src)->element, b = berth_topo_pu(t, dst)->element;
  path->n = 0;
  while (a != b) {
    bool up = berth_topo_element(t, a)->depth >= berth_topo_element(t, b)->depth;
    int *e = up ? &a : &b;
    path_add(path, (up ? 0 : MAX_ELEMENTS) + *e, false);
    if (!is_inside(t, *e)) path_add(path, (up ? MAX_ELEMENTS : 0) + *e, true);
    if (berth_topo_element(t, *e)->type >= 0) path_add(path, 2 * MAX_ELEMENTS + *e, false);
    *e = berth_topo_element(t, *e)->parent;
  }
  path_add(path, 2 * MAX_ELEMENTS + a, false);
}

static double capacity_of(const machine_t *m, int resource)
{
  int e = resource % MAX_ELEMENTS, kind = resource / MAX_ELEMENTS;
  return kind < 2 ? m->link[kind][e] : m->limit[e];
}

static bool crosses(const path_t *p, int resource)
{
  for (int i = 0; i < p->n; i++)
    if (p->resource[i] == resource && !p->back[i]) return true;
  return false;
}

/* The resource that gives its open flows (those without a rate) the least, and how much. */
static int find_full(const path_t *path, const double *rate, size_t n, const double *left,
                     double *each)
{
  double users[MAX_RESOURCES] = {0};
  int full = -1;
  for (size_t f = 0; f < n; f++)
    for (int i = 0; rate[f] <= 0 && i < path[f].n; i++)
      users[path[f].resource[i]] += !path[f].back[i];
  for (int r = 0; r < MAX_RESOURCES; r++)
    if (users[r] > 0 && (full < 0 || left[r] / users[r] < *each)) {
      full = r;
      *each = left[r] / users[r];
    }
  return full;
}

/* Progressive filling: the resource that gives its flows the least is full first. */
static void fill(const path_t *path, size_t n, double *left, double *rate)
{
  for (size_t f = 0; f < n; f++) rate[f] = 0;
  for (size_t open = n; open > 0;) {
    double each = 0;
    int full = find_full(path, rate, n, left, &each);
    for (size_t f = 0; f < n; f++) {
      if (rate[f] > 0 || !crosses(&path[f], full)) continue;
      rate[f] = each;
      open--;
      for (int i = 0; i < path[f].n; i++)
        if (!path[f].back[i]) left[path[f].resource[i]] -= each;
    }
  }
}

/* What acknowledges goes first, and takes its part of what there is for messages. */
static void share(const machine_t *m, const berth_calib_experiment_t *e, double *rate)
{
  static path_t path[MAX_FLOWS];
  static double left[MAX_RESOURCES];
  assert_true(e->n_flows <= MAX_FLOWS);
  for (size_t f = 0; f < e->n_flows; f++) {
    path_of(m, e->flows[f].src, e->flows[f].dst, &path[f]);
    rate[f] = 0;
  }
  for (int round = 0; round < (m->reverse > 0 ? 5 : 1); round++) {
    for (int r = 0; r < MAX_RESOURCES; r++) left[r] = capacity_of(m, r);
    for (size_t f = 0; f < e->n_flows; f++)
      for (int i = 0; i < path[f].n; i++)
        if (path[f].back[i]) left[path[f].resource[i]] -= m->reverse * rate[f];
    fill(path, e->n_flows, left, rate);
  }
}

/* From -1 to 1, by xorshift64* (Vigna). */
static double random_part(machine_t *m)
{
  m->random ^= m->random >> 12;
  m->random ^= m->random << 25;
  m->random ^= m->random >> 27;
  return (double)(int64_t)(m->random * 0x2545f4914f6cdd1du) / 9223372036854775808.0;
}

/* What memory does beside what links and switches do: it is noisy, and has moods. */
static double memory_factor(machine_t *m, const berth_calib_experiment_t *e)
{
  const double period = 90;
  double factor = exp(m->noise_inside * random_part(m) +
                      m->drift_inside * sin(2 * 3.14159265 * m->experiments / period));
  bool fluke = e->mode == BERTH_CALIB_STREAM && e->n_flows == 1 && e->size == m->fluke_size;
  return fluke && m->flukes-- > 0 ? factor / 3 : factor;
}

/* What others on the machine do to an experiment: nothing mostly, else it or one of its flows is up
 * to half as fast again slower. The flow, -1 for all; *factor is 1 for none. */
static int disturb(machine_t *m, size_t n_flows, double *factor)
{
  double chance = (random_part(m) + 1) / 2, slower = 1.1 + 0.2 * (random_part(m) + 1);
  double which = (random_part(m) + 1) / 2 * (double)n_flows;
  *factor = chance < m->disturbed ? slower : 1;
  return chance < m->disturbed / 2 ? -1 : (int)fmin(which, (double)n_flows - 1);
}

static void machine_do(machine_t *m, const berth_calib_experiment_t *e, double *seconds)
{
  double rate[MAX_FLOWS];
  share(m, e, rate);
  m->experiments++;
  bool inside = true;
  for (size_t f = 0; f < e->n_flows; f++)
    inside &=
        berth_topo_pu(m->t, e->flows[f].src)->host == berth_topo_pu(m->t, e->flows[f].dst)->host;
  double factor = inside ? memory_factor(m, e) : 1, slower = 1;
  int slow_flow = m->disturbed > 0 ? disturb(m, e->n_flows, &slower) : -1;
  for (size_t f = 0; f < e->n_flows; f++) {
    assert_true(e->flows[f].src != e->flows[f].dst);
    double stream = ((double)e->size + 20) / rate[f] * factor;
    seconds[f] = e->mode == BERTH_CALIB_PINGPONG ? m->latency + stream : stream;
    seconds[f] *= 1 + m->noise * random_part(m);
    if (slow_flow < 0 || slow_flow == (int)f) seconds[f] *= slower;
  }
}

/* Links of 3 MB/s between hosts and 1 GB/s inside them, no limits. */
static void machine_init(machine_t *m, const berth_topo_t *t)
{
  *m = (machine_t){.t = t, .latency = 20e-6, .random = 88172645463325252u};
  assert_true(berth_topo_n_elements(t) <= MAX_ELEMENTS);
  for (int e = 0; e < MAX_ELEMENTS; e++) {
    bool inside = e < berth_topo_n_elements(t) && is_inside(t, e);
    m->link[0][e] = m->link[1][e] = inside ? 1e9 : 3e6;
    m->limit[e] = INFINITY;
  }
}

static inline int element_of(const berth_topo_t *t, const char *name)
{
  for (int e = 0; e < berth_topo_n_elements(t); e++)
    if (berth_topo_element(t, e)->type >= 0 && strcmp(berth_topo_element_name(t, e), name) == 0)
      return e;
  fail_msg("no element %s", name);
  return -1;
}

static berth_topo_t *parse(const char *text)
{
  berth_error_t err;
  berth_topo_t *t = topo_parse(text, strlen(text), "f", NULL, &err);
  if (!t) fail_msg("%s", err.text);
  return t;
}

/* Runs at most `most` experiments, and as many as fit into a time. */
static berth_topo_t *run_for(machine_t *m, const unsigned char *ranks, int most, double time_s,
                             berth_calib_t **calib)
{
  const berth_calib_options_t options = {
      .size = sizeof options, .time_s = time_s, .spread = 0.01, .max_samples = 8};
  const berth_calib_origins_t origins = {{"D", "M", "mem"}, {"D", "M", "net"}};
  static double seconds[MAX_FLOWS];
  berth_error_t err = {0};
  berth_calib_experiment_t e;
  *calib = berth_calib_new(m->t, ranks, &options, &err);
  assert_non_null(*calib);
  for (double left_s = time_s; m->experiments < most && berth_calib_next(*calib, left_s, &e);) {
    left_s -= e.estimate_s;
    for (size_t f = 0; f < e.n_flows; f++)
      assert_true(ranks[e.flows[f].src] && ranks[e.flows[f].dst]);
    assert_true(e.estimate_s > 0);
    machine_do(m, &e, seconds);
    assert_int_equal(berth_calib_take(*calib, seconds, &err), BERTH_OK);
  }
  berth_topo_t *fitted = berth_calib_fit(*calib, &origins, &err);
  if (!fitted) fail_msg("%s", err.text);
  return fitted;
}

#endif
