/* SPDX-License-Identifier: BSD-3-Clause */
#include "cost/swap/swap_dense.h"

#include <stdlib.h>
#include <string.h>

/* A dense phase. */
struct swap_dense {
  dense_node_t *node, *tried; /* by node; tried is valid for changed ones */
  bool *changes;              /* by node */
  int *changed, n_changed;    /* nodes */
  int *comm, *member;         /* of each rank; comm -1: it is no member */
  uint64_t *key;              /* hash table: communicator and node, plus 1; 0: free */
  int *below;                 /* parallel to it: that communicator's members below that node */
  size_t n_keys, n_used;      /* n_keys: 0 or a power of 2 */
  int64_t *messages, *tried_messages; /* by class: model sum */
  berth_cost_t *evaluator;            /* of a phase that is listed: a copy with its own loads */
  dense_rounds_t rounds;
};

static const dense_phase_t *phase_of(const berth_swap_t *s, const swap_dense_t *d)
{
  return cost_dense(s->cost, (size_t)(d - s->dense));
}

static int n_nodes(const berth_swap_t *s)
{
  return s->cost->n_switches + (s->with_pus ? berth_topo_n_pus(s->cost->topo) : 0);
}

/* --- members below nodes --- */

/* The place of a number of members, or where it would be. The table must have room. */
static size_t find(const berth_swap_t *s, const swap_dense_t *d, int comm, int node)
{
  uint64_t key = (uint64_t)comm * (uint64_t)n_nodes(s) + (uint64_t)node + 1;
  size_t at = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (d->n_keys - 1);
  while (d->key[at] && d->key[at] != key) at = (at + 1) & (d->n_keys - 1);
  return at;
}

static bool reserve(swap_dense_t *d)
{
  if (2 * (d->n_used + 1) <= d->n_keys) return true;
  size_t n = d->n_keys ? 2 * d->n_keys : 64;
  uint64_t *key = calloc(n, sizeof *key);
  int *below = calloc(n, sizeof *below);
  if (!key || !below) {
    free(key);
    free(below);
    return false;
  }
  for (size_t i = 0; i < d->n_keys; i++) {
    if (!d->key[i]) continue;
    size_t at = (size_t)((d->key[i] * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (n - 1);
    while (key[at]) at = (at + 1) & (n - 1);
    key[at] = d->key[i];
    below[at] = d->below[i];
  }
  free(d->key);
  free(d->below);
  d->key = key;
  d->below = below;
  d->n_keys = n;
  return true;
}

static bool change_below(const berth_swap_t *s, swap_dense_t *d, int comm, int node, int by)
{
  if (!reserve(d)) return false;
  size_t at = find(s, d, comm, node);
  if (!d->key[at]) {
    d->key[at] = (uint64_t)comm * (uint64_t)n_nodes(s) + (uint64_t)node + 1;
    d->n_used++;
  }
  d->below[at] += by;
  return true;
}

static int members_below(const berth_swap_t *s, const swap_dense_t *d, int comm, int node)
{
  size_t at = find(s, d, comm, node);
  return d->key[at] ? d->below[at] : 0;
}

/* --- noting --- */

/* The node's loads with the changes so far, which may be changed further. */
static dense_node_t *change(berth_swap_t *s, swap_dense_t *d, int v)
{
  if (!d->changes[v]) {
    d->changes[v] = true;
    d->changed[d->n_changed++] = v;
    d->tried[v] = d->node[v];
    if (s->model != BERTH_MODEL_SUM)
      swap_note_slots(s, (int)(d - s->dense), s->cost->node[v].first, s->cost->node[v].end);
  }
  return &d->tried[v];
}

/* Notes that a node has one member more or less. */
static void note_member(berth_swap_t *s, swap_dense_t *d, int comm, int v, int by)
{
  int64_t before_pairs, after_pairs;
  int n = members_below(s, d, comm, v), above = s->cost->node[v].parent;
  const dense_phase_t *of = phase_of(s, d);
  dense_node_t before = dense_members(s->cost, of, v, n, &before_pairs);
  dense_node_t after = dense_members(s->cost, of, v, n + by, &after_pairs);
  dense_node_t *to = change(s, d, v);
  dense_add(to, &before, -1);
  dense_add(to, &after, 1);
  if (above >= 0) change(s, d, above)->self.messages -= after_pairs - before_pairs;
}

/* Notes a rank's move from node x to node y, below `top`. */
static void note_move(berth_swap_t *s, swap_dense_t *d, int rank, int x, int y, int top)
{
  int comm = d->comm[rank];
  if (comm < 0) return;
  for (int v = x; v != top; v = s->cost->node[v].parent) note_member(s, d, comm, v, -1);
  for (int v = y; v != top; v = s->cost->node[v].parent) note_member(s, d, comm, v, 1);
}

/* A message's ends. */
typedef struct ends {
  int from, to;
} ends_t;

/* The message that a rank sends or gets; false: none. */
static bool message_of(const berth_swap_t *s, const swap_dense_t *d, int rank, bool sends,
                       ends_t *out)
{
  const dense_phase_t *of = phase_of(s, d);
  if (rank < 0 || d->comm[rank] < 0) return false;
  dense_phase_t back = *of;
  if (of->shape == DENSE_AHEAD) back.distance = of->size - of->distance;
  int other = dense_target(sends ? of : &back, d->member[rank]);
  int partner = dense_rank(of->ranks[d->comm[rank]], other);
  *out = sends ? (ends_t){rank, partner} : (ends_t){partner, rank};
  return partner != rank;
}

/* Adds or removes a message on all nodes of its way. */
static void note_way(berth_swap_t *s, swap_dense_t *d, int a, int b, int sign)
{
  int meet = swap_meet(s, a, b);
  const cost_node_t *tree = s->cost->node;
  for (int v = a; v != meet; v = tree[v].parent) change(s, d, v);
  for (int v = b; v != meet; v = tree[v].parent) change(s, d, v);
  change(s, d, meet);
  dense_way(s->cost, s->with_pus, a, b, sign, d->tried);
}

/* Where a rank is after the try. */
static int node_after(const berth_swap_t *s, int rank)
{
  if (rank == s->a) return swap_node_of_pu(s, s->pu_a);
  if (rank == s->b) return swap_node_of_pu(s, s->pu_b);
  return s->node_of_rank[rank];
}

static void note_messages(berth_swap_t *s, swap_dense_t *d)
{
  int n = 0, rank[] = {s->a, s->a, s->b, s->b};
  ends_t message[4];
  for (int i = 0; i < 4; i++) {
    ends_t m;
    bool some = message_of(s, d, rank[i], i % 2 == 0, &m);
    for (int k = 0; k < n && some; k++) some = message[k].from != m.from;
    if (some) message[n++] = m;
  }
  for (int i = 0; i < n; i++) {
    note_way(s, d, s->node_of_rank[message[i].from], s->node_of_rank[message[i].to], -1);
    note_way(s, d, node_after(s, message[i].from), node_after(s, message[i].to), 1);
  }
}

static void note_phase(berth_swap_t *s, int phase)
{
  swap_dense_t *d = &s->dense[phase];
  const dense_phase_t *of = phase_of(s, d);
  int x = s->node_of_rank[s->a], y = swap_node_of_pu(s, s->pu_a);
  bool whole = dense_is_whole(of);
  if (whole && s->b >= 0 && d->comm[s->a] == d->comm[s->b]) return;
  swap_note_phase(s, phase);
  if (of->shape == DENSE_LISTED) return;
  if (!whole) {
    note_messages(s, d);
    return;
  }
  int top = swap_meet(s, x, y);
  note_move(s, d, s->a, x, y, top);
  if (s->b >= 0) note_move(s, d, s->b, y, x, top);
}

void swap_dense_note(berth_swap_t *s)
{
  for (size_t k = 0; s->dense && k < s->cost->n_phases; k++)
    if (swap_is_dense(s, (int)k)) note_phase(s, (int)k);
}

/* --- costs --- */

dense_load_t swap_dense_load(const berth_swap_t *s, int phase, int slot)
{
  const swap_dense_t *d = &s->dense[phase];
  int v = s->node_of_slot[slot];
  const cost_node_t *node = &s->cost->node[v];
  const dense_node_t *load = d->changes[v] ? &d->tried[v] : &d->node[v];
  return slot < node->self ? load->out : slot < node->in ? load->self : load->in;
}

double swap_dense_sum(berth_swap_t *s, int phase)
{
  const swap_dense_t *d = &s->dense[phase];
  size_t size = (size_t)s->cost->n_classes * sizeof *d->messages;
  if (swap_is_listed(s, phase)) return swap_dense_listed(s, phase);
  memcpy(d->tried_messages, d->messages, size);
  for (int i = 0; i < d->n_changed; i++) {
    int v = d->changed[i];
    cost_dense_messages(s->cost, v, &d->node[v], -1, d->tried_messages);
    cost_dense_messages(s->cost, v, &d->tried[v], 1, d->tried_messages);
  }
  return cost_dense_total(s->cost, (size_t)phase, d->tried_messages);
}

double swap_dense_listed(berth_swap_t *s, int phase)
{
  swap_dense_t *d = &s->dense[phase];
  int before[] = {s->a < 0 ? 0 : s->pu_of_rank[s->a], s->b < 0 ? 0 : s->pu_of_rank[s->b]};
  if (s->a >= 0) s->pu_of_rank[s->a] = s->pu_a;
  if (s->b >= 0) s->pu_of_rank[s->b] = s->pu_b;
  d->evaluator->pu_of_rank = s->pu_of_rank;
  double cost = dense_listed_cost(d->evaluator, s->model, (size_t)phase, &d->rounds);
  if (s->b >= 0) s->pu_of_rank[s->b] = before[1];
  if (s->a >= 0) s->pu_of_rank[s->a] = before[0];
  return cost;
}

/* --- making and forgetting changes --- */

static bool move_member(berth_swap_t *s, swap_dense_t *d, int rank, int x, int y)
{
  bool room = true;
  int comm = d->comm[rank];
  for (int v = x; v >= 0 && comm >= 0 && room; v = s->cost->node[v].parent)
    room = change_below(s, d, comm, v, -1);
  for (int v = y; v >= 0 && comm >= 0 && room; v = s->cost->node[v].parent)
    room = change_below(s, d, comm, v, 1);
  return room;
}

bool swap_dense_commit(berth_swap_t *s, int phase)
{
  swap_dense_t *d = &s->dense[phase];
  const dense_phase_t *of = phase_of(s, d);
  if (of->shape == DENSE_LISTED) return true;
  if (s->model == BERTH_MODEL_SUM)
    memcpy(d->messages, d->tried_messages, (size_t)s->cost->n_classes * sizeof *d->messages);
  for (int i = 0; i < d->n_changed; i++) d->node[d->changed[i]] = d->tried[d->changed[i]];
  if (!dense_is_whole(of)) return true;
  int x = s->node_of_rank[s->a], y = swap_node_of_pu(s, s->pu_a);
  return move_member(s, d, s->a, x, y) && (s->b < 0 || move_member(s, d, s->b, y, x));
}

void swap_dense_forget(berth_swap_t *s, int phase)
{
  swap_dense_t *d = &s->dense[phase];
  for (int i = 0; i < d->n_changed; i++) d->changes[d->changed[i]] = false;
  d->n_changed = 0;
}

/* --- setting up --- */

static bool allocate(berth_swap_t *s, swap_dense_t *d)
{
  size_t nodes = (size_t)n_nodes(s), ranks = (size_t)s->n_ranks;
  size_t classes = (size_t)s->cost->n_classes + 1;
  d->node = calloc(nodes, sizeof *d->node);
  d->tried = malloc(nodes * sizeof *d->tried);
  d->changes = calloc(nodes, sizeof *d->changes);
  d->changed = malloc(nodes * sizeof *d->changed);
  d->comm = malloc(ranks * sizeof *d->comm);
  d->member = malloc(ranks * sizeof *d->member);
  d->messages = calloc(classes, sizeof *d->messages);
  d->tried_messages = calloc(classes, sizeof *d->tried_messages);
  return d->node && d->tried && d->changes && d->changed && d->comm && d->member && d->messages &&
         d->tried_messages && reserve(d);
}

/* An evaluator for one listed phase: the swap's, with loads of its own. */
static bool copy_evaluator(const berth_swap_t *s, swap_dense_t *d)
{
  size_t slots = (size_t)s->cost->n_slots + 1;
  d->evaluator = malloc(sizeof *d->evaluator);
  if (!d->evaluator) return false;
  *d->evaluator = *s->cost;
  d->evaluator->load = calloc(slots, sizeof *d->evaluator->load);
  d->evaluator->touched = malloc(slots * sizeof *d->evaluator->touched);
  return d->evaluator->load && d->evaluator->touched && dense_rounds_init(&d->rounds, s->cost);
}

/* Adds all ranks where they are. */
static bool add_ranks(berth_swap_t *s, swap_dense_t *d)
{
  bool room = true;
  const dense_phase_t *of = phase_of(s, d);
  for (int r = 0; r < s->n_ranks; r++) d->comm[r] = -1;
  for (size_t k = 0; k < of->n_comms; k++)
    for (int i = 0; i < of->size && room; i++) {
      int rank = dense_rank(of->ranks[k], i);
      d->comm[rank] = (int)k;
      d->member[rank] = i;
      for (int v = s->node_of_rank[rank]; v >= 0 && room && dense_is_whole(of);
           v = s->cost->node[v].parent)
        room = change_below(s, d, (int)k, v, 1);
    }
  return room;
}

/* Fills the loads of all nodes. */
static bool add_up(berth_swap_t *s, swap_dense_t *d)
{
  size_t nodes = (size_t)n_nodes(s), phase = (size_t)(d - s->dense);
  berth_cost_t own = *s->cost; /* with the swap's placement */
  dense_count_t count = {d->node, calloc(nodes, sizeof(int)), malloc(nodes * sizeof(int))};
  bool room = count.inside && count.touched;
  own.node_of_rank = s->node_of_rank;
  if (room) dense_count(&own, phase_of(s, d), s->with_pus, (int)nodes, &count);
  free(count.inside);
  free(count.touched);
  if (!s->with_pus) cost_dense_leaves(s->cost, phase, d->messages);
  for (size_t v = 0; v < nodes && room; v++)
    cost_dense_messages(s->cost, (int)v, &d->node[v], 1, d->messages);
  return room;
}

bool swap_dense_init(berth_swap_t *s)
{
  const berth_cost_t *c = s->cost;
  int nodes = n_nodes(s);
  bool room = true;
  s->a = s->b = -1;
  if (!c->dense) return true;
  s->dense = calloc(c->n_phases, sizeof *s->dense);
  s->node_of_slot = malloc(((size_t)c->n_slots + 1) * sizeof *s->node_of_slot);
  if (!s->dense || !s->node_of_slot) return false;
  for (int v = 0; v < nodes; v++)
    for (int i = c->node[v].first; i < c->node[v].end; i++) s->node_of_slot[i] = v;
  for (size_t k = 0; k < c->n_phases && room; k++) {
    swap_dense_t *d = &s->dense[k];
    if (!swap_is_dense(s, (int)k)) continue;
    room = swap_is_listed(s, (int)k) ? copy_evaluator(s, d)
                                     : allocate(s, d) && add_ranks(s, d) && add_up(s, d);
  }
  return room;
}

void swap_dense_free(berth_swap_t *s)
{
  for (size_t k = 0; s->dense && k < s->cost->n_phases; k++) {
    swap_dense_t *d = &s->dense[k];
    void *const owned[] = {d->node,   d->tried, d->changes, d->changed,  d->comm,
                           d->member, d->key,   d->below,   d->messages, d->tried_messages};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) free(owned[i]);
    if (d->evaluator) {
      free(d->evaluator->load);
      free(d->evaluator->touched);
    }
    free(d->evaluator);
    dense_rounds_clear(&d->rounds);
  }
  free(s->dense);
  free(s->node_of_slot);
}
