/* SPDX-License-Identifier: BSD-3-Clause */
#include "cost/dense/dense_listed.h"

#include <stdlib.h>

#include "cost/cost_slot.h"

bool dense_rounds_init(dense_rounds_t *r, const berth_cost_t *c)
{
  size_t slots = (size_t)c->n_slots + 1;
  if (r->slot) return true;
  r->slot = calloc(slots, sizeof *r->slot);
  r->visited = malloc(slots * sizeof *r->visited);
  r->crossed = malloc(slots * sizeof *r->crossed);
  r->crossings = calloc((size_t)c->n_classes + 1, sizeof *r->crossings);
  return r->slot && r->visited && r->crossed && r->crossings;
}

void dense_rounds_clear(dense_rounds_t *r)
{
  free(r->slot);
  free(r->visited);
  free(r->crossed);
  free(r->crossings);
}

typedef struct walk {
  berth_cost_t *c;
  berth_model_t model;
  dense_rounds_t *r;
  double bytes; /* of the current message */
} walk_t;

static double time_of(const walk_t *w, int of_class)
{
  const cost_class_t *class = &w->c->class[of_class];
  return class->curve < 0 ? w->bytes / class->capacity
                          : berth_curve_time(berth_topo_curve(w->c->topo, class->curve), w->bytes);
}

static void visit(walk_t *w, int from, int to, int64_t round, int64_t rank)
{
  dense_rounds_t *r = w->r;
  for (int s = from; s < to; s++) {
    dense_slot_t *slot = &r->slot[s];
    if (slot->round != round) {
      *slot = (dense_slot_t){
          .round = round, .rank = -1, .touched = slot->touched, .total = slot->total};
      r->crossed[r->n_crossed++] = s;
    }
    if (slot->rank != rank) {
      slot->rank = rank;
      slot->rank_bytes = slot->rank_time = 0;
      r->visited[r->n_visited++] = s;
    }
    slot->rank_bytes += w->bytes;
    slot->rank_time += time_of(w, w->c->slot[s].class);
    r->crossings[w->c->slot[s].class] += w->c->slot[s].resource[1] < 0 ? 1 : 2;
  }
}

static void visit_way(walk_t *w, const dense_message_t *m, int64_t round)
{
  const cost_node_t *node = w->c->node;
  int pus = w->c->n_switches;
  int a = pus + w->c->pu_of_rank[m->src], b = pus + w->c->pu_of_rank[m->dst];
  visit(w, node[a].first, node[a].in, round, m->src);
  visit(w, node[b].self, node[b].end, round, m->src);
  a = node[a].parent;
  b = node[b].parent;
  while (a != b) {
    int da = node[a].depth, db = node[b].depth;
    if (da >= db) {
      visit(w, node[a].first, node[a].in, round, m->src);
      a = node[a].parent;
    }
    if (db >= da) {
      visit(w, node[b].self, node[b].end, round, m->src);
      b = node[b].parent;
    }
  }
  visit(w, node[a].self, node[a].in, round, m->src);
}

/* The time of the current message on all resources that it crosses. It doesn't depend on their
 * order, so that placements with equal ways have equal sums. */
static double take_time(walk_t *w)
{
  double sum = 0;
  for (int i = 0; i < w->c->n_classes; i++) {
    if (w->r->crossings[i]) sum += w->r->crossings[i] * time_of(w, i);
    w->r->crossings[i] = 0;
  }
  return sum;
}

/* Adds what the current rank puts on its slots to that of the ranks before it. */
static void add_rank(walk_t *w)
{
  dense_rounds_t *r = w->r;
  for (int i = 0; i < r->n_visited; i++) {
    dense_slot_t *slot = &r->slot[r->visited[i]];
    double capacity = w->c->class[w->c->slot[r->visited[i]].class].capacity;
    slot->cost =
        cost_port_step(capacity, slot->cost, slot->bytes, slot->rank_time, slot->rank_bytes);
    slot->bytes += slot->rank_bytes;
    if (w->model == BERTH_MODEL_SUM)
      slot->time += slot->rank_time;
    else if (slot->rank_time > slot->time)
      slot->time = slot->rank_time;
  }
  r->n_visited = 0;
}

static double cost_of(const walk_t *w, int slot)
{
  const dense_slot_t *load = &w->r->slot[slot];
  if (w->model == BERTH_MODEL_SUM) return load->time;
  if (w->model != BERTH_MODEL_BOUND) return load->cost;
  double full = load->bytes / w->c->class[w->c->slot[slot].class].capacity;
  return full > load->time ? full : load->time;
}

/* Adds a round's costs and bytes to those of its slots. Returns the round's cost. */
static double end_round(walk_t *w, double times, double unit)
{
  berth_cost_t *c = w->c;
  double max = 0;
  for (int i = 0; i < w->r->n_crossed; i++) {
    int s = w->r->crossed[i];
    double cost = cost_of(w, s);
    if (!w->r->slot[s].touched) {
      w->r->slot[s].touched = true;
      c->touched[c->n_touched++] = s;
      c->load[s].bytes = 0;
    }
    w->r->slot[s].total += times * cost;
    c->load[s].bytes += (int64_t)(times * w->r->slot[s].bytes / unit);
    max = cost > max ? cost : max;
  }
  w->r->n_crossed = 0;
  return max;
}

double dense_listed_cost(berth_cost_t *c, berth_model_t model, size_t k, dense_rounds_t *r)
{
  double cost = 0;
  walk_t w = {c, model, r, 0};
  const dense_list_t *list = &cost_dense(c, k)->list;
  c->n_touched = 0;
  for (size_t i = 0; i < list->n_rounds; i++) {
    const dense_message_t *m = list->message + list->first[i],
                          *end = list->message + list->first[i + 1];
    double sum = 0;
    r->stamp++;
    for (; m < end; m++) {
      w.bytes = (double)m->bytes;
      visit_way(&w, m, r->stamp);
      sum += take_time(&w);
      if (m + 1 == end || m[1].src != m->src) add_rank(&w);
    }
    double times = (double)list->times[i];
    double max = end_round(&w, times, c->unit[k * (size_t)c->n_columns]);
    cost += times * (model == BERTH_MODEL_SUM ? sum : max);
  }
  for (int i = 0; i < c->n_touched; i++) {
    c->load[c->touched[i]].cost = r->slot[c->touched[i]].total;
    r->slot[c->touched[i]].total = 0;
    r->slot[c->touched[i]].touched = false;
  }
  return cost;
}
