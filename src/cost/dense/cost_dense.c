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
  dense_rounds_t rounds; /* NULL slots: no phase is listed round by round */
  int64_t *messages;     /* by class */
};

const dense_phase_t *cost_dense(const berth_cost_t *c, size_t k)
{
  return c->dense ? c->dense->phase[k] : NULL;
}

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
  free(dense->messages);
  dense_rounds_clear(&dense->rounds);
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
  d->messages = malloc((classes + 1) * sizeof *d->messages);
  return d->phase && d->counted && d->table && d->table_of && d->count.node && d->count.inside &&
         d->count.touched && d->messages;
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
  if (d && d->shape == DENSE_LISTED) return dense_rounds_init(&c->dense->rounds, c);
  for (int i = 0; d && room && i < c->n_classes; i++)
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

/* What each of PUs' ports that ranks don't share carries: each has one rank. */
static dense_load_t leaf_load(const dense_phase_t *d, bool out)
{
  int64_t others = d->size - 1;
  return (dense_load_t){dense_is_whole(d) ? others : 1, out ? 1 : others};
}

/* The cost of PUs' ports that ranks don't share. */
static void price_leaves(berth_cost_t *c, size_t k)
{
  const cost_node_t *pu = &c->node[c->n_switches];
  for (int s = pu->first; s < pu->end; s++)
    for (int model = BERTH_MODEL_PORT; model <= BERTH_MODEL_BOUND; model++) {
      dense_load_t load = leaf_load(c->dense->phase[k], s < pu->self);
      double cost = cost_dense_slot(c, (berth_model_t)model, k, &c->slot[s], load);
      if (cost > c->phase[k].leaf[model]) c->phase[k].leaf[model] = cost;
    }
}

int cost_lay_out_dense(berth_cost_t *c, berth_error_t *err)
{
  if (pattern_n_dense(c->pattern) == 0) return BERTH_OK;
  c->dense = calloc(1, sizeof *c->dense);
  bool room = c->dense && allocate(c->dense, c);
  for (size_t k = 0; room && k < c->n_phases; k++) room = fill_phase(c, k);
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

void cost_dense_messages(const berth_cost_t *c, int v, const dense_node_t *load, int sign,
                         int64_t *messages)
{
  const cost_node_t *node = &c->node[v];
  for (int s = node->first; s < node->end; s++) {
    const dense_load_t *own = s < node->self ? &load->out : s < node->in ? &load->self : &load->in;
    int n = c->slot[s].resource[1] < 0 ? 1 : 2;
    messages[c->slot[s].class] += sign * n * own->messages;
  }
}

void cost_dense_leaves(const berth_cost_t *c, size_t k, int64_t *messages)
{
  const dense_phase_t *d = c->dense->phase[k];
  int64_t members = (int64_t)d->n_comms * d->size;
  dense_load_t out = leaf_load(d, true), in = leaf_load(d, false);
  dense_node_t one = {out, in, {0, 0}};
  for (int i = 0; i < c->n_classes; i++) messages[i] = 0;
  if (c->leaves_cost) cost_dense_messages(c, c->n_switches, &one, 1, messages);
  for (int i = 0; i < c->n_classes; i++) messages[i] *= members;
}

double cost_dense_total(const berth_cost_t *c, size_t k, const int64_t *messages)
{
  double sum = 0;
  const size_t *table_of = c->dense->table_of + k * (size_t)c->n_classes;
  for (int i = 0; i < c->n_classes; i++)
    sum += (double)messages[i] * c->dense->table[table_of[i]].time;
  return sum;
}

/* Takes the costs of slots [from, to). Returns the highest. */
static double take_slots(berth_cost_t *c, berth_model_t model, size_t k, int from, int to,
                         dense_load_t load)
{
  double max = 0, unit = c->unit[k * (size_t)c->n_columns];
  for (int s = from; s < to && load.messages; s++) {
    double bytes = (double)load.messages * (double)c->dense->phase[k]->bytes;
    c->load[s].cost = cost_dense_slot(c, model, k, &c->slot[s], load);
    c->load[s].bytes = (int64_t)(bytes / unit);
    c->touched[c->n_touched++] = s;
    if (c->load[s].cost > max) max = c->load[s].cost;
  }
  return max;
}

static double take_node(berth_cost_t *c, berth_model_t model, size_t k, int v)
{
  const cost_node_t *node = &c->node[v];
  const dense_node_t *load = &c->dense->count.node[v];
  double out = take_slots(c, model, k, node->first, node->self, load->out);
  double self = take_slots(c, model, k, node->self, node->in, load->self);
  double in = take_slots(c, model, k, node->in, node->end, load->in), max = out > in ? out : in;
  return max > self ? max : self;
}

double cost_dense_phase(berth_cost_t *c, berth_model_t model, size_t k, bool with_pus)
{
  struct cost_dense *dense = c->dense;
  if (dense->phase[k]->shape == DENSE_LISTED) return dense_listed_cost(c, model, k, &dense->rounds);
  int n = with_pus ? c->n_switches + berth_topo_n_pus(c->topo) : c->n_switches;
  double max = with_pus || model == BERTH_MODEL_SUM ? 0 : c->phase[k].leaf[model];
  dense_count(c, dense->phase[k], with_pus, n, &dense->count);
  c->n_touched = 0;
  for (int v = 0; v < n; v++) {
    double cost = take_node(c, model, k, v);
    max = cost > max ? cost : max;
  }
  if (model != BERTH_MODEL_SUM) return max;
  for (int i = 0; i < c->n_classes; i++) dense->messages[i] = 0;
  if (!with_pus) cost_dense_leaves(c, k, dense->messages);
  for (int v = 0; v < n; v++) cost_dense_messages(c, v, &dense->count.node[v], 1, dense->messages);
  return cost_dense_total(c, k, dense->messages);
}
