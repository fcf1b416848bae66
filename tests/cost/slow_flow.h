/* SPDX-License-Identifier: BSD-3-Clause */
/* Model flow once more, slowly and from its definition in docs/formats/cost-models.md: for small
 * patterns without orders, one phase or the rounds of a collective operation. It knows topologies
 * by their public interface only, and every limit is looked at every time. */
#ifndef BERTH_TESTS_SLOW_FLOW_H
#define BERTH_TESTS_SLOW_FLOW_H

#include <berth/cost.h>
#include <stdbool.h>

#include "cost/flow_common.h"

enum { MOST_FLOWS = 512, MOST_PATH = 24 };

typedef struct slow_flow {
  int src, dst, n;
  double bytes, volume, left, rate;
  int resource[MOST_PATH]; /* element * BERTH_N_RESOURCE_KINDS + kind */
  double time[MOST_PATH];  /* of all its messages */
  bool open, held;         /* held: its rank hasn't issued it yet */
  bool unposted;           /* it waits for its receive */
  int phase, round;        /* of all phases together */
  double end;
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

static inline void slow_path(const berth_topo_t *t, slow_flow_t *f, int from, int to)
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

/* Adds messages to a flow. `messages` are those that it has then. */
static inline void slow_add(const berth_topo_t *t, slow_flow_t *f, double size, double count,
                            double bytes, double messages)
{
  f->bytes += bytes;
  for (int k = 0; k < f->n; k++) {
    int curve;
    double capacity = slow_capacity(t, f->resource[k], &curve);
    f->time[k] +=
        count * (curve < 0 ? size / capacity : berth_curve_time(berth_topo_curve(t, curve), size));
  }
  f->left = f->volume = f->bytes > 0 ? f->bytes : messages;
}

/* One message, which its rank hasn't issued yet. */
static inline slow_flow_t slow_message(const berth_topo_t *t, int src, int dst, double size,
                                       const int *pu_of_rank)
{
  slow_flow_t f = {.src = src, .dst = dst, .held = true};
  slow_path(t, &f, pu_of_rank[src], pu_of_rank[dst]);
  slow_add(t, &f, size, 1, size, 1);
  return f;
}

/* The flows of a phase, added to n others; their number. */
static inline int slow_flows(const berth_pattern_t *p, int phase, int round, const berth_topo_t *t,
                             const int *pu_of_rank, slow_flow_t *flow, int n)
{
  size_t n_messages;
  double messages = 0;
  const berth_message_t *m = berth_pattern_messages(p, (size_t)phase, &n_messages);
  for (size_t i = 0; i < n_messages; i++) {
    slow_flow_t *f = i ? &flow[n - 1] : NULL;
    if (!f || f->src != m[i].src || f->dst != m[i].dst) {
      assert_in_range(n, 0, MOST_FLOWS - 1);
      f = &flow[n++];
      *f = (slow_flow_t){.src = m[i].src, .dst = m[i].dst, .phase = phase, .round = round};
      slow_path(t, f, pu_of_rank[f->src], pu_of_rank[f->dst]);
      messages = 0;
    }
    messages += (double)m[i].count;
    slow_add(t, f, (double)m[i].size, (double)m[i].count, (double)m[i].bytes, messages);
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

/* Whether an earlier message of the pair is under way, or the flow's sender still has to do with
 * messages of an earlier round. */
static bool slow_waits(const slow_flow_t *flow, int n, const slow_flow_t *f)
{
  for (const slow_flow_t *e = flow; e < f; e++)
    if (e->left > 0 && e->src == f->src && e->dst == f->dst) return true;
  for (int i = 0; i < n; i++)
    if (flow[i].left > 0 && flow[i].round < f->round &&
        (flow[i].src == f->src || flow[i].dst == f->src))
      return true;
  return false;
}

/* Rates of all flows that have something left and don't wait: raise all open ones to the lowest
 * level, close those that the full limits hold back. */
static void slow_share(const berth_topo_t *t, slow_flow_t *flow, int n)
{
  for (int i = 0; i < n; i++) {
    flow[i].open =
        flow[i].left > 0 && !flow[i].held && !flow[i].unposted && !slow_waits(flow, n, &flow[i]);
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

/* Ends flows that cost nothing, as soon as they don't wait. */
static inline void slow_end_free(slow_flow_t *flow, int n, double time)
{
  for (int i = 0; i < n; i++) {
    double most = 0;
    for (int k = 0; k < flow[i].n; k++) most += flow[i].time[k];
    if (most > 0 || flow[i].left == 0 || flow[i].held || flow[i].unposted ||
        slow_waits(flow, n, &flow[i]))
      continue;
    flow[i].left = 0;
    flow[i].end = time;
    i = -1; /* others may have waited for it */
  }
}

/* Goes on to the next end of a flow. Returns false if none is under way. */
static inline bool slow_step(const berth_topo_t *t, slow_flow_t *flow, int n, double *time)
{
  double dt = -1;
  slow_share(t, flow, n);
  for (int i = 0; i < n; i++)
    if (flow[i].rate > 0 && (dt < 0 || flow[i].left / flow[i].rate < dt))
      dt = flow[i].left / flow[i].rate;
  if (dt < 0) return false;
  *time += dt;
  for (int i = 0; i < n; i++) {
    if (flow[i].rate == 0) continue;
    flow[i].left -= flow[i].rate * dt;
    if (flow[i].left < 1e-12 * flow[i].volume) flow[i].left = 0;
    flow[i].end = *time;
  }
  return true;
}

/* When the last flow ends; flow[].end is when each does. */
static inline double slow_run(const berth_topo_t *t, slow_flow_t *flow, int n)
{
  double time = 0;
  do slow_end_free(flow, n, time);
  while (slow_step(t, flow, n, &time));
  return time;
}

static inline double slow_cost(const berth_pattern_t *p, const berth_topo_t *t,
                               const int *pu_of_rank)
{
  slow_flow_t flow[MOST_FLOWS];
  return slow_run(t, flow, slow_flows(p, 0, 0, t, pu_of_rank, flow, 0));
}

/* The same for a pattern whose phases are rounds of one collective operation. cost[k] is that of
 * one round of phase k. */
static inline void slow_rounds(const berth_pattern_t *p, const berth_topo_t *t,
                               const int *pu_of_rank, double *cost)
{
  static slow_flow_t flow[MOST_FLOWS];
  size_t n_phases;
  int n = 0, rounds = 0;
  double before = 0, time = 0;
  const berth_phase_t *phase = berth_pattern_phases(p, &n_phases);
  for (int k = 0; k < (int)n_phases; k++)
    for (uint64_t i = 0; i < phase[k].rounds; i++)
      n = slow_flows(p, k, rounds++, t, pu_of_rank, flow, n);
  slow_run(t, flow, n);
  for (int k = 0; k < (int)n_phases; k++, before = time) {
    for (int i = 0; i < n; i++)
      if (flow[i].phase == k && flow[i].end > time) time = flow[i].end;
    cost[k] = (time - before) / (double)phase[k].rounds;
  }
}

#endif
