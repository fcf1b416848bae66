/* SPDX-License-Identifier: BSD-3-Clause */
#include "cost/dense/cost_dense.h"

#include <stdlib.h>

#include "base/no_memory.h"
#include "cost/cost_slot.h"
#include "cost/dense/dense_count.h"
#include "cost/dense/dense_listed.h"
#include "cost/dense/dense_table.h"
#include "pattern/phase_find.h"

/* What estimates of dense phases need. */
struct cost_dense {
  const dense_phase_t **phase; /* by phase; NULL: it isn't dense */
  bool *counted;               /* by phase */
  size_t n_tables;
  dense_table_t *table;
  size_t *table_of; /* [phase][class] */
  dense_count_t count;
  bool needs_pus; /* some phase is listed round by round */
  dense_rounds_t rounds;
};

const dense_phase_t *cost_dense(const berth_cost_t *c, size_t k)
{
  return c->dense ? c->dense->phase[k] : NULL;
}

bool cost_dense_needs_pus(const berth_cost_t *c) { return c->dense && c->dense->needs_pus; }

bool cost_is_counted(const berth_cost_t *c, size_t k) { return c->dense && c->dense->counted[k]; }

/* --- preparing --- */

void cost_dense_free(struct cost_dense *dense)
{
  if (!dense) return;
  for (size_t i = 0; i < dense->n_tables; i++) free(dense->table[i].cost);
  free(dense->phase);
  free(dense->counted);
  free(dense->table);
  free(dense->table_of);
  free(dense->count.node);
  free(dense->count.inside);
  free(dense->count.touched);
  free(dense->rounds.slot);
  free(dense->rounds.visited);
  free(dense->rounds.crossed);
  free(dense);
}

static bool allocate(struct cost_dense *d, const berth_cost_t *c)
{
  size_t dense = pattern_n_dense(c->pattern), classes = (size_t)c->n_classes;
  size_t nodes = (size_t)c->n_switches + (size_t)berth_topo_n_pus(c->topo);
  d->phase = calloc(c->n_phases, sizeof *d->phase);
  d->counted = calloc(c->n_phases, sizeof *d->counted);
  d->table = calloc(dense * classes + 1, sizeof *d->table);
  d->table_of = calloc(c->n_phases * classes + 1, sizeof *d->table_of);
  d->count.node = malloc(nodes * sizeof *d->count.node);
  d->count.inside = calloc(nodes, sizeof *d->count.inside);
  d->count.touched = malloc(nodes * sizeof *d->count.touched);
  return d->phase && d->counted && d->table && d->table_of && d->count.node && d->count.inside &&
         d->count.touched;
}

static bool allocate_rounds(const berth_cost_t *c)
{
  size_t slots = (size_t)c->n_slots + 1;
  dense_rounds_t *r = &c->dense->rounds;
  r->slot = calloc(slots, sizeof *r->slot);
  r->visited = malloc(slots * sizeof *r->visited);
  r->crossed = malloc(slots * sizeof *r->crossed);
  return r->slot && r->visited && r->crossed;
}

/* Finds or makes the table of a class for messages of so many bytes. */
static bool find_table(const berth_cost_t *c, const cost_class_t *class, double bytes, size_t *at)
{
  struct cost_dense *d = c->dense;
  double time = class->curve < 0 ? bytes / class->capacity
                                 : berth_curve_time(berth_topo_curve(c->topo, class->curve), bytes);
  for (*at = 0; *at < d->n_tables; ++*at) {
    const dense_table_t *t = &d->table[*at];
    if (t->time == time && t->bytes == bytes && t->capacity == class->capacity) return true;
  }
  size_t ranks = (size_t)berth_pattern_ranks(c->pattern);
  d->table[d->n_tables++] = dense_table_new(time, bytes, class->capacity, ranks);
  return d->table[*at].cost;
}

static bool fill_phase(berth_cost_t *c, size_t k)
{
  bool room = true;
  const dense_phase_t *d = c->dense->phase[k] = pattern_dense(c->pattern, k);
  size_t *of_class = c->dense->table_of + k * (size_t)c->n_classes;
  if (d && d->shape == DENSE_LISTED) c->dense->needs_pus = true;
  for (int i = 0; d && d->shape != DENSE_LISTED && room && i < c->n_classes; i++)
    room = find_table(c, &c->class[i], (double)d -> bytes, &of_class[i]);
  return room;
}

/* If a round of a call is dense, all rounds of the call are counted. */
static void mark_calls(berth_cost_t *c)
{
  size_t n, end;
  const berth_phase_t *phase = berth_pattern_phases(c->pattern, &n);
  for (size_t first = 0; first < n; first = end) {
    bool some = false;
    end = pattern_call_end(phase, first, n);
    for (size_t k = first; k < end; k++) some |= c->dense->phase[k] != NULL;
    for (size_t k = first; k < end; k++) c->dense->counted[k] = some;
  }
}

/* The cost of PUs' ports that ranks don't share: each has one rank. */
static void price_leaves(berth_cost_t *c, size_t k)
{
  const dense_phase_t *d = c->dense->phase[k];
  const cost_node_t *pu = &c->node[c->n_switches];
  int64_t others = d->size - 1;
  bool whole = dense_is_whole(d);
  dense_load_t out = {whole ? others : 1, 1}, in = {whole ? others : 1, others};
  for (int s = pu->first; s < pu->end; s++) {
    if (s >= pu->self && s < pu->in) continue;
    for (int model = BERTH_MODEL_PORT; model <= BERTH_MODEL_BOUND; model++) {
      double cost =
          cost_dense_slot(c, (berth_model_t)model, k, &c->slot[s], s < pu->self ? out : in);
      if (cost > c->phase[k].leaf[model]) c->phase[k].leaf[model] = cost;
    }
  }
}

int cost_lay_out_dense(berth_cost_t *c, berth_error_t *err)
{
  if (pattern_n_dense(c->pattern) == 0) return BERTH_OK;
  c->dense = calloc(1, sizeof *c->dense);
  bool room = c->dense && allocate(c->dense, c);
  for (size_t k = 0; room && k < c->n_phases; k++) room = fill_phase(c, k);
  if (room && c->dense->needs_pus) room = allocate_rounds(c);
  if (!room) return no_memory(err);
  mark_calls(c);
  for (size_t k = 0; k < c->n_phases && c->leaves_cost && c->leaves_alike; k++)
    if (c->dense->phase[k] && c->dense->phase[k]->shape != DENSE_LISTED) price_leaves(c, k);
  return BERTH_OK;
}

/* --- costs --- */

double cost_dense_slot(const berth_cost_t *c, berth_model_t model, size_t k,
                       const cost_slot_t *slot, dense_load_t load)
{
  const struct cost_dense *dense = c->dense;
  const dense_phase_t *d = dense->phase[k];
  const dense_table_t *t =
      &dense->table[dense->table_of[k * (size_t)c->n_classes + (size_t)slot->class]];
  if (load.messages == 0) return 0;
  double messages = (double)load.messages;
  if (model == BERTH_MODEL_SUM) return messages * t->time;
  double senders = d->shape == DENSE_AT_ONCE ? (double)load.senders : messages / (double)d->rounds;
  double each = d->shape == DENSE_AT_ONCE ? messages / senders : (double)d->rounds;
  if (model != BERTH_MODEL_BOUND) return each * dense_table_cost(t, senders);
  double full = senders * t->bytes / t->capacity;
  return each * (full > t->time ? full : t->time);
}

/* Takes the costs of slots [from, to). */
static void take_slots(berth_cost_t *c, berth_model_t model, size_t k, int from, int to,
                       dense_load_t load, double *max, double *sum)
{
  for (int s = from; s < to && load.messages; s++) {
    double cost = cost_dense_slot(c, model, k, &c->slot[s], load);
    double bytes = (double)load.messages * (double)c->dense->phase[k]->bytes;
    c->load[s].cost = cost;
    c->load[s].bytes = (int64_t)(bytes / c->unit[k * (size_t)c->n_columns]);
    c->touched[c->n_touched++] = s;
    *max = cost > *max ? cost : *max;
    *sum += cost * (c->slot[s].resource[1] < 0 ? 1 : 2);
  }
}

double cost_dense_phase(berth_cost_t *c, berth_model_t model, size_t k, bool with_pus)
{
  if (c->dense->phase[k]->shape == DENSE_LISTED)
    return dense_listed_cost(c, model, k, &c->dense->rounds);
  int n = with_pus ? c->n_switches + berth_topo_n_pus(c->topo) : c->n_switches;
  double max = with_pus || model == BERTH_MODEL_SUM ? 0 : c->phase[k].leaf[model], sum = 0;
  dense_count(c, c->dense->phase[k], with_pus, n, &c->dense->count);
  c->n_touched = 0;
  for (int v = 0; v < n; v++) {
    const cost_node_t *node = &c->node[v];
    const dense_node_t *load = &c->dense->count.node[v];
    take_slots(c, model, k, node->first, node->self, load->out, &max, &sum);
    take_slots(c, model, k, node->self, node->in, load->self, &max, &sum);
    take_slots(c, model, k, node->in, node->end, load->in, &max, &sum);
  }
  return model == BERTH_MODEL_SUM ? sum : max;
}

double cost_dense_sum(berth_cost_t *c, const int *pu_of_rank)
{
  double cost = 0;
  if (!c->dense) return 0;
  cost_place(c, pu_of_rank, true);
  for (size_t k = 0; k < c->n_phases; k++)
    if (c->dense->phase[k])
      cost += c->phase[k].repeats * cost_dense_phase(c, BERTH_MODEL_SUM, k, true);
  return cost;
}
