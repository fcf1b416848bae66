/* SPDX-License-Identifier: BSD-3-Clause */
/* Evaluates placements: walks over the pairs of a phase and sums up loads by slot.
 *
 * A rank's pairs are first summed by the depth of their lowest common ancestor. One climb from the
 * rank's node then gives each slot on the way up its share. Only the ways down to receivers are
 * added pair by pair. Ports of PUs without shared ranks are left out (cost_pairs.c). */
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "cost/cost_check.h"
#include "cost/cost_hosts.h"
#include "cost/cost_internal.h"
#include "cost/cost_slot.h"
#include "cost/dense/cost_dense.h"
#include "cost/flow/cost_flow.h"
#include "pattern/pattern_check.h"

enum { PRUNE_FROM = 32 }; /* number of pairs */

static const char *const model_names[BERTH_N_MODELS] = {"port", "bound", "sum", "flow"};

static bool is_model(berth_model_t model) { return (unsigned)model < BERTH_N_MODELS; }

const char *berth_model_name(berth_model_t model)
{
  return is_model(model) ? model_names[model] : "unknown";
}

int cost_check_model(berth_model_t model, const char *field, berth_error_t *err)
{
  if (is_model(model)) return BERTH_OK;
  return berth_fail(err, BERTH_USAGE, "%s: found number %d, expected 0 to %d", field, (int)model,
                    BERTH_N_MODELS - 1);
}

int cost_check_placement(const berth_pattern_t *p, const berth_topo_t *t, const int *pu_of_rank,
                         berth_error_t *err)
{
  for (int r = 0; r < berth_pattern_ranks(p); r++)
    if (pu_of_rank[r] < 0 || pu_of_rank[r] >= berth_topo_n_pus(t))
      return berth_fail(err, BERTH_BAD_INPUT,
                        "found rank %d on PU %d, expected 0 to %d, those of the topology", r,
                        pu_of_rank[r], berth_topo_n_pus(t) - 1);
  return BERTH_OK;
}

int berth_model_find(const char *name, berth_model_t *model)
{
  for (int i = 0; i < BERTH_N_MODELS; i++) {
    if (strcmp(name, model_names[i]) != 0) continue;
    *model = (berth_model_t)i;
    return BERTH_OK;
  }
  return BERTH_USAGE;
}

berth_cost_t *berth_cost_new(const berth_pattern_t *p, const berth_topo_t *t, berth_error_t *err)
{
  if (pattern_check_finished(p, err)) return NULL;
  berth_cost_t *c = calloc(1, sizeof *c);
  if (!c) return no_memory_null(err);
  c->pattern = p;
  c->topo = t;
  if (!cost_lay_out_topology(c, err) && !cost_lay_out_pattern(c, err) &&
      !cost_lay_out_limits(c, err) && !cost_lay_out_dense(c, err) && !cost_lay_out_hosts(c, err))
    return c;
  berth_cost_free(c);
  return NULL;
}

void berth_cost_free(berth_cost_t *c)
{
  if (!c) return;
  void *const owned[] = {c->element, c->resource,   c->pu_element, c->class,        c->node,
                         c->slot,    c->path_price, c->phase,      c->sender,       c->src,
                         c->dst,     c->value,      c->unit,       c->load,         c->visited,
                         c->touched, c->below,      c->sent,       c->node_of_rank, c->pu_taken,
                         c->spread,  c->node_size,  c->above,      c->carried,      c->next_in,
                         c->next_out};
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) free(owned[i]);
  cost_flow_free(c->flow);
  cost_dense_free(c->dense);
  cost_hosts_free(c->hosts);
  free(c);
}

/* --- the walk --- */

/* The state of a walk. Constants among its members are folded by the compiler. */
typedef struct walk {
  berth_cost_t *c;
  const cost_node_t *node;
  const cost_slot_t *slot;
  cost_load_t *load;
  int64_t rank, first_rank; /* stamps: of the current rank, and of the phase's first rank */
  int n_visited, n_columns;
} walk_t;

/* Whether a switch is in the subtree of switch e. */
static inline bool below(const berth_cost_t *c, int e, int node)
{
  return (unsigned)node - (unsigned)e < (unsigned)c->node_size[e];
}

static inline int common_ancestor(const cost_node_t *node, int a, int b)
{
  while (node[a].depth > node[b].depth) a = node[a].parent;
  while (node[b].depth > node[a].depth) b = node[b].parent;
  while (a != b) {
    a = node[a].parent;
    b = node[b].parent;
  }
  return a;
}

static inline void visit(walk_t *w, int from, int to, const int64_t *value)
{
  for (int s = from; s < to; s++) {
    cost_load_t *load = &w->load[s];
    bool fresh = load->rank != w->rank;
    w->c->visited[w->n_visited] = s;
    w->n_visited += fresh;
    load->rank = w->rank;
    load->rank_bytes = (fresh ? 0 : load->rank_bytes) + value[0];
    load->rank_time = (fresh ? 0 : load->rank_time) + value[w->slot[s].column];
  }
}

/* Adds the current rank's load on its slots to that of the ranks before it. */
static inline void add_rank(walk_t *w, berth_model_t model, size_t k)
{
  berth_cost_t *c = w->c;
  for (int i = 0; i < w->n_visited; i++) {
    int s = c->visited[i];
    cost_load_t *load = &w->load[s];
    bool first = load->phase < w->first_rank;
    c->touched[c->n_touched] = s;
    c->n_touched += first;
    load->phase = w->first_rank;
    int64_t bytes = first ? 0 : load->bytes, time = first ? 0 : load->time;
    if (model == BERTH_MODEL_PORT) {
      const cost_slot_t *slot = &w->slot[s];
      load->cost = cost_port_step(
          c->class[slot->class].capacity, first ? 0 : load->cost, cost_slot_bytes(c, k, bytes),
          cost_slot_time(c, k, slot, load->rank_time), cost_slot_bytes(c, k, load->rank_bytes));
    } else if (model == BERTH_MODEL_BOUND) {
      load->time = load->rank_time > time ? load->rank_time : time;
    } else {
      load->time = load->rank_time + time;
    }
    load->bytes = bytes + load->rank_bytes;
  }
  w->n_visited = 0;
}

/* Adds a pair from node a to node b: visits the slots on its way down, and notes how far up it
 * goes. PUs are one level below their switches. Two ranks on one PU meet at its switch. */
static inline void add_pair(walk_t *w, int a, int b, const int64_t *value, bool even, bool with_pus)
{
  const cost_node_t *node = w->node;
  if (with_pus) {
    visit(w, node[b].in, node[b].end, value);
    a = node[a].parent;
    b = node[b].parent;
  }
  if (!even) {
    while (node[a].depth > node[b].depth) a = node[a].parent;
    while (node[b].depth > node[a].depth) {
      visit(w, node[b].self, node[b].end, value);
      b = node[b].parent;
    }
  }
  while (a != b) {
    visit(w, node[b].self, node[b].end, value);
    a = node[a].parent;
    b = node[b].parent;
  }
  int64_t *below = w->c->below + (size_t)node[a].depth * (size_t)(w->n_columns + 1);
  for (int j = 0; j < w->n_columns; j++) below[j] += value[j];
  below[w->n_columns]++;
}

/* Climbs from the rank's node with everything that it sends. Traffic stays at the level where it
 * turns round. */
static inline void climb(walk_t *w, int a, int64_t *sent)
{
  int n = w->n_columns;
  while (sent[n] > 0) {
    const cost_node_t *node = &w->node[a];
    int64_t *below = w->c->below + (size_t)node->depth * (size_t)(n + 1);
    visit(w, node->self, node->in, sent);
    for (int j = 0; j <= n; j++) {
      sent[j] -= below[j];
      below[j] = 0;
    }
    if (sent[n] > 0) visit(w, node->first, node->self, sent);
    a = node->parent;
  }
}

static inline void walk_phase(berth_cost_t *c, berth_model_t model, size_t k, int n_columns,
                              bool even, bool with_pus)
{
  walk_t w = {c, c->node, c->slot, c->load, c->stamp, c->stamp + 1, 0, n_columns};
  const cost_sender_t *sender = c->sender + c->phase[k].first_sender;
  const cost_sender_t *end = c->sender + c->phase[k + 1].first_sender;
  const int *dst = c->dst + cost_first_pair(c, k), *node_of_rank = c->node_of_rank;
  const int64_t *value = c->value + cost_first_pair(c, k) * (size_t)c->n_columns;
  int64_t *sent = c->sent;
  int stride = c->n_columns;
  c->n_touched = 0;
  for (; sender < end; sender++) {
    int a = node_of_rank[sender->rank];
    w.rank++;
    for (int j = 0; j < n_columns; j++) sent[j] = 0;
    for (int i = 0; i < sender->n_pairs; i++, dst++, value += stride) {
      for (int j = 0; j < n_columns; j++) sent[j] += value[j];
      add_pair(&w, a, node_of_rank[*dst], value, even, with_pus);
    }
    sent[n_columns] = sender->n_pairs;
    climb(&w, a, sent);
    add_rank(&w, model, k);
  }
  c->stamp = w.rank;
}

/* Visits the slots out of switch e with all pairs of a rank that leave its subtree. */
static inline void visit_leaving(walk_t *w, int e, int n_pairs, const int *dst,
                                 const int64_t *value, int stride)
{
  int64_t *sent = w->c->sent, leaving = 0;
  for (int j = 0; j < w->n_columns; j++) sent[j] = 0;
  for (int i = 0; i < n_pairs; i++, value += stride) {
    int64_t leaves = !below(w->c, e, w->c->node_of_rank[dst[i]]);
    for (int j = 0; j < w->n_columns; j++) sent[j] += value[j] & -leaves;
    leaving |= leaves;
  }
  if (leaving) visit(w, w->node[e].first, w->node[e].in, sent);
}

/* Like walk_phase, but only for the slots that cost_prune left. A switch's subtree is the node_size
 * numbers from its own on. The root has all ranks below it, so it ends each way up. */
static inline void walk_left(berth_cost_t *c, berth_model_t model, size_t k, int n_columns)
{
  walk_t w = {c, c->node, c->slot, c->load, c->stamp, c->stamp + 1, 0, n_columns};
  const cost_sender_t *sender = c->sender + c->phase[k].first_sender;
  const cost_sender_t *end = c->sender + c->phase[k + 1].first_sender;
  const int *dst = c->dst + cost_first_pair(c, k), *node_of_rank = c->node_of_rank;
  const int64_t *value = c->value + cost_first_pair(c, k) * (size_t)c->n_columns;
  const cost_node_t *node = c->node;
  int stride = c->n_columns;
  c->n_touched = 0;
  for (; sender < end; sender++) {
    int a = node_of_rank[sender->rank];
    w.rank++;
    for (int e = c->next_out[a]; e > 0; e = c->next_out[node[e].parent])
      visit_leaving(&w, e, sender->n_pairs, dst, value, stride);
    for (int i = 0; i < sender->n_pairs; i++, dst++, value += stride) {
      int b = node_of_rank[*dst];
      for (int e = c->next_in[b]; !below(c, e, a); e = c->next_in[node[e].parent])
        visit(&w, node[e].self, node[e].end, value);
      if (c->turns_left) {
        int e = common_ancestor(node, a, b);
        if (c->next_out[e] == e) visit(&w, node[e].self, node[e].in, value);
      }
    }
    add_rank(&w, model, k);
  }
  c->stamp = w.rank;
}

/* Instantiates the walk for each combination of constants that is worth it. */
static void walk(berth_cost_t *c, berth_model_t model, size_t k, bool with_pus)
{
  bool fast = c->even_depth && !with_pus;
  if (fast && c->n_switch_columns == 2 && model == BERTH_MODEL_PORT)
    walk_phase(c, BERTH_MODEL_PORT, k, 2, true, false);
  else if (fast && c->n_switch_columns == 2 && model == BERTH_MODEL_BOUND)
    walk_phase(c, BERTH_MODEL_BOUND, k, 2, true, false);
  else if (fast && c->n_switch_columns == 1)
    walk_phase(c, model, k, 1, true, false);
  else
    walk_phase(c, model, k, c->n_columns, c->even_depth, with_pus);
}

/* --- costs --- */

static inline double pair_price(const berth_cost_t *c, const int64_t *value, const double *unit,
                                int from, int to)
{
  double price = 0;
  for (int s = from; s < to; s++) {
    size_t column = (size_t)c->slot[s].column;
    price += (double)value[column] * unit[column] * c->slot[s].weight;
  }
  return price;
}

static double way_price(const berth_cost_t *c, const int64_t *value, const double *unit, int a,
                        int b)
{
  const cost_node_t *node = c->node;
  double price = pair_price(c, value, unit, node[a].first, node[a].in) +
                 pair_price(c, value, unit, node[b].self, node[b].end);
  a = node[a].parent;
  b = node[b].parent;
  while (a != b) {
    bool up_from_a = node[a].depth >= node[b].depth;
    int *at = up_from_a ? &a : &b;
    price += up_from_a ? pair_price(c, value, unit, node[a].first, node[a].in)
                       : pair_price(c, value, unit, node[b].self, node[b].end);
    *at = node[*at].parent;
  }
  return price + pair_price(c, value, unit, node[a].self, node[a].in);
}

static inline double level_price(const berth_cost_t *c, const int64_t *value, const double *unit,
                                 int a, int b)
{
  while (a != b) {
    a = c->above[a];
    b = c->above[b];
  }
  const double *seconds = c->path_price + (size_t)c->node[a].depth * (size_t)c->n_columns;
  double price = 0;
  for (int j = 0; j < c->n_columns; j++) price += (double)value[j] * unit[j] * seconds[j];
  return price;
}

int64_t cost_pair_sum(const berth_cost_t *c, size_t k, size_t i, int a, int b)
{
  const int64_t *value = c->value + i * (size_t)c->n_columns;
  const double *unit = c->unit + k * (size_t)c->n_columns;
  double price =
      c->path_price ? level_price(c, value, unit, a, b) : way_price(c, value, unit, a, b);
  return (int64_t)(price / c->phase[k].sum_unit + 0.5);
}

double cost_phase_sum(berth_cost_t *c, size_t k)
{
  if (cost_dense(c, k)) return cost_dense_phase(c, BERTH_MODEL_SUM, k, !c->path_price);
  int64_t total = 0;
  for (size_t i = cost_first_pair(c, k); i < cost_first_pair(c, k + 1); i++)
    total += cost_pair_sum(c, k, i, c->node_of_rank[c->src[i]], c->node_of_rank[c->dst[i]]);
  return (double)total * c->phase[k].sum_unit;
}

static double max_cost_touched(berth_cost_t *c, berth_model_t model, size_t k, double max_cost)
{
  for (int i = 0; i < c->n_touched; i++) {
    int s = c->touched[i];
    cost_load_t *load = &c->load[s];
    if (model == BERTH_MODEL_BOUND)
      load->cost = cost_slot_bound(c, k, &c->slot[s], load->bytes, load->time);
    else if (model == BERTH_MODEL_SUM)
      load->cost = cost_slot_time(c, k, &c->slot[s], load->time);
    if (load->cost > max_cost) max_cost = load->cost;
  }
  return max_cost;
}

/* Whether pruning by bytes can be expected to save time. */
static bool worth_pruning(const berth_cost_t *c, size_t k)
{
  size_t pairs = cost_first_pair(c, k + 1) - cost_first_pair(c, k);
  return c->spread && pairs >= PRUNE_FROM && pairs >= 2 * (size_t)c->n_switches;
}

static double cost_phase_pruned(berth_cost_t *c, berth_model_t model, size_t k)
{
  bool any_left;
  double at_least = cost_prune(c, model, k, &any_left);
  c->n_touched = 0;
  if (any_left) {
    if (c->n_switch_columns == 2)
      walk_left(c, model, k, 2);
    else
      walk_left(c, model, k, c->n_columns);
  }
  double max_cost = model == BERTH_MODEL_BOUND ? at_least : c->phase[k].leaf[model];
  return max_cost_touched(c, model, k, max_cost);
}

double cost_phase(berth_cost_t *c, berth_model_t model, size_t k, bool with_pus)
{
  if (cost_dense(c, k)) return cost_dense_phase(c, model, k, with_pus);
  walk(c, model, k, with_pus);
  double max_cost = with_pus || model == BERTH_MODEL_SUM ? 0 : c->phase[k].leaf[model];
  return max_cost_touched(c, model, k, max_cost);
}

bool cost_place(berth_cost_t *c, const int *pu_of_rank, bool with_pus)
{
  int ranks = berth_pattern_ranks(c->pattern);
  const cost_node_t *pus = c->node + c->n_switches;
  if (++c->n_taken == 0) {
    memset(c->pu_taken, 0, (size_t)berth_topo_n_pus(c->topo) * sizeof *c->pu_taken);
    c->n_taken = 1;
  }
  c->pu_of_rank = pu_of_rank;
  if (c->leaves_cost && !c->leaves_alike) with_pus = true;
  for (int r = 0; r < ranks && c->leaves_cost && !with_pus; r++) {
    uint32_t *taken = &c->pu_taken[pu_of_rank[r]];
    with_pus = *taken == c->n_taken;
    *taken = c->n_taken;
  }
  for (int r = 0; r < ranks; r++)
    c->node_of_rank[r] = with_pus ? c->n_switches + pu_of_rank[r] : pus[pu_of_rank[r]].parent;
  return with_pus;
}

void cost_place_for_sum(berth_cost_t *c, const int *pu_of_rank)
{
  int ranks = berth_pattern_ranks(c->pattern);
  c->pu_of_rank = pu_of_rank;
  for (int r = 0; r < ranks; r++)
    c->node_of_rank[r] = c->path_price ? c->node[c->n_switches + pu_of_rank[r]].parent
                                       : c->n_switches + pu_of_rank[r];
}

static double evaluate_sum(berth_cost_t *c, const int *pu_of_rank)
{
  double cost = 0;
  cost_place_for_sum(c, pu_of_rank);
  for (size_t k = 0; k < c->n_phases; k++) cost += c->phase[k].repeats * cost_phase_sum(c, k);
  return cost;
}

int berth_cost_ran_out(const berth_cost_t *c, berth_error_t *err)
{
  return c->failed.code ? berth_fail(err, c->failed.code, "%s", c->failed.text) : BERTH_OK;
}

/* Models port and bound. */
static double evaluate_ports(berth_cost_t *c, berth_model_t model, const int *pu_of_rank)
{
  double cost = 0;
  bool with_pus = cost_place(c, pu_of_rank, false);
  for (size_t k = 0; k < c->n_phases; k++)
    cost += c->phase[k].repeats * (!with_pus && worth_pruning(c, k)
                                       ? cost_phase_pruned(c, model, k)
                                       : cost_phase(c, model, k, with_pus));
  return cost;
}

double berth_cost_evaluate(berth_cost_t *c, berth_model_t model, const int *pu_of_rank)
{
  double cost = model == BERTH_MODEL_SUM    ? evaluate_sum(c, pu_of_rank)
                : model == BERTH_MODEL_FLOW ? cost_flow_evaluate(c, pu_of_rank)
                                            : evaluate_ports(c, model, pu_of_rank);
  return c->hosts ? cost + cost_hosts_evaluate(c, model, pu_of_rank) : cost;
}
