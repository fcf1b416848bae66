/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds which switches can be the most expensive of a phase, from their bytes alone.
 *
 * In model port, a resource costs at least bytes / C if no message is faster than C. It costs at
 * most bytes / C + K, where K is the maximum over ranks of the sum of T - B / C. Proof: available,
 * max(0, C * cost - bytes), is at most C * K at each step of the recurrence. Either it shrinks by
 * B, or cost grows by (B - available) / B * T, which leaves (1 - available / B) * (C * T - B). In
 * model bound, the bytes leave open only the slowest rank. Both K are taken over everything that a
 * rank sends, so that they don't depend on the placement.
 *
 * The bytes that leave and enter a switch need one addition for each pair at its receiver, and one
 * where it turns round: a switch carries what its subtree sends and gets, minus what stays
 * inside. */
#include <stdlib.h>

#include "base/no_memory.h"
#include "cost/cost_internal.h"
#include "cost/cost_slot.h"

enum { MAX_CLASSES = 64 }; /* with more classes, nothing is pruned */

/* Rounding errors add up to less than 2^-24 of a cost in 2^24 steps. */
static const double slack = 1 + 1e-7;

/* Computes both K of a sender, whose pairs are [i, end), on one class. */
static void see_sender(const berth_cost_t *c, size_t k, const cost_class_t *class, size_t i,
                       size_t end, cost_spread_t *spread)
{
  size_t n = (size_t)c->n_columns;
  double unit = c->unit[k * n + (size_t) class->column] * class->seconds, over = 0, time = 0;
  double byte = c->unit[k * n] / class->capacity;
  for (; i < end; i++) {
    double t = (double)c->value[i * n + (size_t) class->column] * unit;
    double b = (double)c->value[i * n] * byte;
    over += t > b ? t - b : 0;
    time += t;
    if (t * slack < b) spread->some_faster = true;
  }
  if (over > spread->over[BERTH_MODEL_PORT]) spread->over[BERTH_MODEL_PORT] = over;
  if (time > spread->over[BERTH_MODEL_BOUND]) spread->over[BERTH_MODEL_BOUND] = time;
}

static int subtree_sizes(berth_cost_t *c, berth_error_t *err)
{
  size_t nodes = (size_t)c->n_switches;
  c->node_size = malloc(nodes * sizeof *c->node_size);
  c->carried = calloc(nodes, sizeof *c->carried);
  c->next_in = calloc(nodes, sizeof *c->next_in);
  c->next_out = calloc(nodes, sizeof *c->next_out);
  if (!c->node_size || !c->carried || !c->next_in || !c->next_out) return no_memory(err);
  for (int i = 0; i < c->n_switches; i++) c->node_size[i] = 1;
  for (int i = c->n_switches - 1; i > 0; i--) c->node_size[c->node[i].parent] += c->node_size[i];
  return BERTH_OK;
}

int cost_lay_out_limits(berth_cost_t *c, berth_error_t *err)
{
  size_t classes = (size_t)c->n_classes;
  int rc = subtree_sizes(c, err);
  if (rc || classes > MAX_CLASSES || classes == 0) return rc;
  c->spread = calloc(c->n_phases * classes, sizeof *c->spread);
  if (!c->spread) return no_memory(err);
  for (size_t k = 0; k < c->n_phases; k++) {
    size_t i = cost_first_pair(c, k);
    for (size_t s = c->phase[k].first_sender; s < c->phase[k + 1].first_sender; s++) {
      size_t end = i + (size_t)c->sender[s].n_pairs;
      for (size_t j = 0; j < classes; j++)
        see_sender(c, k, &c->class[j], i, end, &c -> spread[k * classes + j]);
      i = end;
    }
  }
  return BERTH_OK;
}

double cost_at_least(const berth_cost_t *c, berth_model_t model, size_t k, int class, int64_t bytes)
{
  const cost_spread_t *spread = &c->spread[k * (size_t)c->n_classes + (size_t) class];
  double full = cost_slot_bytes(c, k, bytes) / c->class[class].capacity;
  if (model == BERTH_MODEL_BOUND) return full;
  return spread->some_faster ? 0 : full / slack;
}

double cost_at_most(const berth_cost_t *c, berth_model_t model, size_t k, int class, int64_t bytes)
{
  double over = c->spread[k * (size_t)c->n_classes + (size_t) class].over[model];
  double full = cost_slot_bytes(c, k, bytes) / c->class[class].capacity;
  if (bytes == 0 && over == 0) return 0;
  if (model == BERTH_MODEL_BOUND) return over * slack > full ? over * slack : full;
  return (full + over) * slack;
}

/* Adds each pair's bytes where it starts, where it ends and where it turns round. `even` is
 * c->even_depth. */
static inline void add_pairs(berth_cost_t *c, size_t k, bool even)
{
  const cost_sender_t *sender = c->sender + c->phase[k].first_sender;
  const cost_sender_t *end = c->sender + c->phase[k + 1].first_sender;
  const int *dst = c->dst + cost_first_pair(c, k), *node_of_rank = c->node_of_rank;
  const int *above = c->above;
  const cost_node_t *node = c->node;
  size_t stride = (size_t)c->n_columns;
  const int64_t *value = c->value + cost_first_pair(c, k) * stride;
  cost_carried_t *carried = c->carried;
  for (; sender < end; sender++) {
    int from = node_of_rank[sender->rank];
    int64_t sent = 0;
    for (int i = 0; i < sender->n_pairs; i++, dst++, value += stride) {
      int a = from, b = node_of_rank[*dst];
      sent += *value;
      carried[b].in += *value;
      while (!even && node[a].depth > node[b].depth) a = above[a];
      while (!even && node[b].depth > node[a].depth) b = above[b];
      while (a != b) {
        a = above[a];
        b = above[b];
      }
      carried[a].turned += *value;
    }
    carried[from].out += sent;
  }
}

/* Computes the bytes that leave and enter each switch, and that turn round there. */
static void add_up_bytes(berth_cost_t *c, size_t k)
{
  cost_carried_t *carried = c->carried;
  for (int i = 0; i < c->n_switches; i++) carried[i] = (cost_carried_t){0, 0, 0};
  if (c->even_depth)
    add_pairs(c, k, true);
  else
    add_pairs(c, k, false);
  for (int i = c->n_switches - 1; i > 0; i--) {
    cost_carried_t *parent = &carried[c->above[i]];
    carried[i].out -= carried[i].turned;
    carried[i].in -= carried[i].turned;
    parent->out += carried[i].out;
    parent->in += carried[i].in;
  }
  carried[0].out = carried[0].in = 0;
}

static double limit_slots(const berth_cost_t *c, berth_model_t model, size_t k, int from, int to,
                          int64_t bytes, bool max)
{
  double limit = 0;
  for (int s = from; s < to; s++) {
    int class = c->slot[s].class;
    double one =
        max ? cost_at_most(c, model, k, class, bytes) : cost_at_least(c, model, k, class, bytes);
    if (one > limit) limit = one;
  }
  return limit;
}

double cost_prune(berth_cost_t *c, berth_model_t model, size_t k, bool *any_left)
{
  double at_least = c->phase[k].leaf[model];
  add_up_bytes(c, k);
  for (int i = 0; i < c->n_switches; i++) {
    const cost_node_t *n = &c->node[i];
    const cost_carried_t *b = &c->carried[i];
    double out = limit_slots(c, model, k, n->first, n->self, b->out, false);
    double in = limit_slots(c, model, k, n->in, n->end, b->in, false);
    double self = limit_slots(c, model, k, n->self, n->in, b->out + b->in + b->turned, false);
    if (out > at_least) at_least = out;
    if (in > at_least) at_least = in;
    if (self > at_least) at_least = self;
  }
  *any_left = c->turns_left = false;
  for (int i = 0; i < c->n_switches; i++) {
    const cost_node_t *n = &c->node[i];
    const cost_carried_t *b = &c->carried[i];
    int64_t all = b->out + b->in + b->turned;
    bool self = limit_slots(c, model, k, n->self, n->in, all, true) > at_least;
    bool out = self || limit_slots(c, model, k, n->first, n->self, b->out, true) > at_least;
    bool in = self || limit_slots(c, model, k, n->in, n->end, b->in, true) > at_least;
    if (n->self < n->in)
      out = in = out || in; /* a switch's own slot needs both directions or none */
    c->next_out[i] = i == 0 ? 0 : out ? i : c->next_out[n->parent];
    c->next_in[i] = i == 0 ? 0 : in ? i : c->next_in[n->parent];
    c->turns_left |= self;
    *any_left |= out || in;
  }
  return at_least;
}
