/* SPDX-License-Identifier: BSD-3-Clause */
/* A made-up machine that does experiments: its flows share links and switches max-min fairly. */
#ifndef BERTH_TESTS_MACHINE_H
#define BERTH_TESTS_MACHINE_H

#include <math.h>

#include "calib/calib.h"

#include "harness.h"

enum { MAX_ELEMENTS = 256, MAX_FLOWS = 1024, MAX_PATH = 64 };

typedef struct machine {
  const berth_topo_t *t;
  double link[2][MAX_ELEMENTS]; /* bytes/s of the link above an element: out, in */
  double limit[MAX_ELEMENTS];   /* of a switch in all, INFINITY for none */
  double latency, noise;        /* seconds; relative */
  uint64_t random;
  int experiments;
} machine_t;

/* Resources: links out, links in, switches. */
static int path_of(const berth_topo_t *t, int src, int dst, int *path)
{
  int a = berth_topo_pu(t, src)->element, b = berth_topo_pu(t, dst)->element, n = 0;
  while (a != b) {
    bool up = berth_topo_element(t, a)->depth >= berth_topo_element(t, b)->depth;
    int *e = up ? &a : &b;
    path[n++] = (up ? 0 : MAX_ELEMENTS) + *e;
    if (berth_topo_element(t, *e)->type >= 0) path[n++] = 2 * MAX_ELEMENTS + *e;
    *e = berth_topo_element(t, *e)->parent;
  }
  path[n++] = 2 * MAX_ELEMENTS + a;
  return n;
}

static double capacity_of(const machine_t *m, int resource)
{
  int e = resource % MAX_ELEMENTS, kind = resource / MAX_ELEMENTS;
  return kind < 2 ? m->link[kind][e] : m->limit[e];
}

/* Progressive filling: the resource that gives its flows the least is full first. */
static void share(const machine_t *m, const calib_experiment_t *e, double *rate)
{
  static int path[MAX_FLOWS][MAX_PATH], length[MAX_FLOWS];
  static double left[3 * MAX_ELEMENTS];
  size_t open = e->n_flows;
  assert_true(e->n_flows <= MAX_FLOWS);
  for (int r = 0; r < 3 * MAX_ELEMENTS; r++) left[r] = capacity_of(m, r);
  for (size_t f = 0; f < e->n_flows; f++) {
    length[f] = path_of(m->t, e->flows[f].src, e->flows[f].dst, path[f]);
    rate[f] = 0;
  }
  while (open > 0) {
    int users[3 * MAX_ELEMENTS] = {0}, full = -1;
    for (size_t f = 0; f < e->n_flows; f++)
      for (int i = 0; rate[f] <= 0 && i < length[f]; i++) users[path[f][i]]++;
    for (int r = 0; r < 3 * MAX_ELEMENTS; r++)
      if (users[r] && (full < 0 || left[r] / users[r] < left[full] / users[full])) full = r;
    double each = left[full] / users[full];
    for (size_t f = 0; f < e->n_flows; f++) {
      bool stops = false;
      for (int i = 0; rate[f] <= 0 && i < length[f]; i++) stops |= path[f][i] == full;
      if (!stops) continue;
      rate[f] = each;
      open--;
      for (int i = 0; i < length[f]; i++) left[path[f][i]] -= each;
    }
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

static void machine_do(machine_t *m, const calib_experiment_t *e, double *seconds)
{
  double rate[MAX_FLOWS];
  share(m, e, rate);
  m->experiments++;
  for (size_t f = 0; f < e->n_flows; f++) {
    assert_true(e->flows[f].src != e->flows[f].dst);
    double stream = ((double)e->size + 20) / rate[f];
    seconds[f] = e->mode == CALIB_PINGPONG ? m->latency + stream : stream;
    seconds[f] *= 1 + m->noise * random_part(m);
  }
}

/* Links of 3 MB/s between hosts and 1 GB/s inside them, no limits. */
static void machine_init(machine_t *m, const berth_topo_t *t)
{
  *m = (machine_t){.t = t, .latency = 20e-6, .random = 88172645463325252u};
  assert_true(berth_topo_n_elements(t) <= MAX_ELEMENTS);
  for (int e = 0; e < MAX_ELEMENTS; e++) {
    bool inside = e > 0 && e < berth_topo_n_elements(t) &&
                  berth_topo_element(t, berth_topo_element(t, e)->parent)->host >= 0;
    m->link[0][e] = m->link[1][e] = inside ? 1e9 : 3e6;
    m->limit[e] = INFINITY;
  }
}

static int element_of(const berth_topo_t *t, const char *name)
{
  for (int e = 0; e < berth_topo_n_elements(t); e++)
    if (berth_topo_element(t, e)->type >= 0 && strcmp(berth_topo_element_name(t, e), name) == 0)
      return e;
  fail_msg("no element %s", name);
  return -1;
}

#endif
