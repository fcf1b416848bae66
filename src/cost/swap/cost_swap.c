/* SPDX-License-Identifier: BSD-3-Clause */
/* Evaluates swaps of two ranks and moves of one: which pairs change, and the phases' costs. */
#include "cost/swap/cost_swap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "base/order.h"
#include "cost/cost_internal.h"
#include "cost/swap/swap_dense.h"

/* --- setting up --- */

/* Lists every pair at both of its ranks, by rank and phase. */
static bool link_ranks(berth_swap_t *s)
{
  const berth_cost_t *c = s->cost;
  size_t pairs = cost_first_pair(c, c->n_phases), ranks = (size_t)s->n_ranks;
  s->first_link = calloc(ranks + 2, sizeof *s->first_link);
  s->link = malloc((2 * pairs + 1) * sizeof *s->link);
  if (!s->first_link || !s->link) return false;
  size_t *at = s->first_link + 1; /* while filling: where a rank's next link goes */
  for (size_t i = 0; i < pairs; i++) {
    at[c->src[i] + 1]++;
    at[c->dst[i] + 1]++;
  }
  for (size_t r = 0; r < ranks; r++) at[r + 1] += at[r];
  for (size_t k = 0; k < c->n_phases; k++)
    for (size_t i = cost_first_pair(c, k); i < cost_first_pair(c, k + 1); i++) {
      int64_t bytes = c->value[i * (size_t)c->n_columns];
      s->link[at[c->src[i]]++] = (swap_link_t){c->dst[i], (int)k, i, bytes, true};
      s->link[at[c->dst[i]]++] = (swap_link_t){c->src[i], (int)k, i, bytes, false};
    }
  return true;
}

static bool place_ranks(berth_swap_t *s, const int *pu_of_rank)
{
  const berth_cost_t *c = s->cost;
  size_t ranks = (size_t)s->n_ranks, phases = c->n_phases;
  s->pu_of_rank = malloc(ranks * sizeof *s->pu_of_rank);
  s->node_of_rank = malloc(ranks * sizeof *s->node_of_rank);
  s->ranks_on_pu = calloc((size_t)berth_topo_n_pus(c->topo), sizeof *s->ranks_on_pu);
  s->phase = calloc(phases, sizeof *s->phase);
  s->changed_phase = malloc(phases * sizeof *s->changed_phase);
  if (!s->pu_of_rank || !s->node_of_rank || !s->ranks_on_pu || !s->phase || !s->changed_phase)
    return false;
  memcpy(s->pu_of_rank, pu_of_rank, ranks * sizeof *pu_of_rank);
  bool shared = s->may_share;
  for (size_t r = 0; r < ranks; r++) shared |= s->ranks_on_pu[pu_of_rank[r]]++ > 0;
  s->with_pus =
      s->model == BERTH_MODEL_SUM ? !c->path_price : c->leaves_cost && (shared || !c->leaves_alike);
  s->n_slots = s->with_pus ? c->n_slots : c->node[c->n_switches].first;
  for (size_t r = 0; r < ranks; r++) s->node_of_rank[r] = swap_node_of_pu(s, pu_of_rank[r]);
  return true;
}

static void start_sums(berth_swap_t *s)
{
  const berth_cost_t *c = s->cost;
  for (size_t k = 0; k < c->n_phases; k++) {
    swap_phase_t *p = &s->phase[k];
    for (size_t i = cost_first_pair(c, k); i < cost_first_pair(c, k + 1); i++)
      p->sum += cost_pair_sum(c, k, i, s->node_of_rank[c->src[i]], s->node_of_rank[c->dst[i]]);
    p->cost = swap_is_dense(s, (int)k) ? swap_dense_sum(s, (int)k)
                                       : (double)p->sum * c->phase[k].sum_unit;
  }
}

static double total(const berth_swap_t *s)
{
  double cost = 0;
  for (size_t k = 0; k < s->cost->n_phases; k++)
    cost += s->cost->phase[k].repeats * s->phase[k].tried_cost;
  return cost;
}

static int start(berth_swap_t *s, const int *pu_of_rank, berth_error_t *err)
{
  if (!place_ranks(s, pu_of_rank) || !link_ranks(s) || !swap_dense_init(s)) return no_memory(err);
  int rc = BERTH_OK;
  if (s->model == BERTH_MODEL_SUM)
    start_sums(s);
  else
    rc = swap_limits_init(s, err);
  for (size_t k = 0; k < s->cost->n_phases; k++) s->phase[k].tried_cost = s->phase[k].cost;
  s->total = total(s);
  return rc;
}

static berth_swap_t *swap_new(const berth_cost_t *c, berth_model_t model, const int *pu_of_rank,
                              bool may_share, berth_error_t *err)
{
  if (model != BERTH_MODEL_PORT && model != BERTH_MODEL_BOUND && model != BERTH_MODEL_SUM) {
    berth_fail(err, BERTH_USAGE, "found model %s, expected port, bound or sum for swaps",
               berth_model_name(model));
    return NULL;
  }
  berth_swap_t *s = calloc(1, sizeof *s);
  if (!s) return no_memory_null(err);
  s->cost = c;
  s->model = model;
  s->may_share = may_share;
  s->n_ranks = berth_pattern_ranks(c->pattern);
  if (start(s, pu_of_rank, err) == BERTH_OK) return s;
  berth_swap_free(s);
  return NULL;
}

berth_swap_t *berth_swap_new(const berth_cost_t *c, berth_model_t model, const int *pu_of_rank,
                             berth_error_t *err)
{
  return swap_new(c, model, pu_of_rank, false, err);
}

berth_swap_t *berth_swap_new_shared(const berth_cost_t *c, berth_model_t model,
                                    const int *pu_of_rank, berth_error_t *err)
{
  return swap_new(c, model, pu_of_rank, true, err);
}

void berth_swap_free(berth_swap_t *s)
{
  if (!s) return;
  swap_limits_free(s);
  swap_dense_free(s);
  free(s->pu_of_rank);
  free(s->node_of_rank);
  free(s->ranks_on_pu);
  free(s->phase);
  free(s->changed_phase);
  free(s->first_link);
  free(s->link);
  free(s);
}

const int *berth_swap_placement(const berth_swap_t *s) { return s->pu_of_rank; }

double berth_swap_cost(const berth_swap_t *s) { return s->total; }

/* --- trying --- */

static void forget(berth_swap_t *s)
{
  for (int i = 0; i < s->n_changed_phases; i++) {
    swap_phase_t *p = &s->phase[s->changed_phase[i]];
    if (s->model != BERTH_MODEL_SUM) swap_limits_forget(s, s->changed_phase[i]);
    if (swap_is_dense(s, s->changed_phase[i])) swap_dense_forget(s, s->changed_phase[i]);
    p->changes = false;
    p->tried_cost = p->cost;
  }
  s->n_changed_phases = 0;
  s->n_changes = 0;
  s->noting = NOTE_BYTES;
  s->tried = false;
}

void swap_note_phase(berth_swap_t *s, int phase)
{
  swap_phase_t *p = &s->phase[phase];
  if (p->changes) return;
  p->changes = true;
  p->tried_sum = p->sum;
  s->changed_phase[s->n_changed_phases++] = phase;
}

/* Notes the changed way of a pair between the two swapped ranks. */
static void note_both(berth_swap_t *s, const swap_move_t *m, const swap_link_t *link)
{
  int a = link->sends ? m->from : m->to, b = link->sends ? m->to : m->from;
  swap_whole_way(s, link->phase, link->pair, a, b, -1);
  swap_whole_way(s, link->phase, link->pair, b, a, 1);
}

static void note_sum(berth_swap_t *s, const swap_move_t *m, const swap_link_t *link, bool both)
{
  const berth_cost_t *c = s->cost;
  size_t k = (size_t)link->phase;
  int here = m->from, other = s->node_of_rank[link->other], there = m->to;
  if (!both && c->path_price && swap_is_far(s, m, other)) return;
  int other_there = both ? here : other;
  int64_t before = link->sends ? cost_pair_sum(c, k, link->pair, here, other)
                               : cost_pair_sum(c, k, link->pair, other, here);
  int64_t after = link->sends ? cost_pair_sum(c, k, link->pair, there, other_there)
                              : cost_pair_sum(c, k, link->pair, other_there, there);
  swap_note_phase(s, link->phase);
  s->phase[k].tried_sum += after - before;
}

/* Notes a rank's links in one phase. If only bytes are needed, far links are noted together. Links
 * to `partner`, the other rank of a swap, are included only if `with_partner`. */
static const swap_link_t *note_links(berth_swap_t *s, const swap_move_t *m, const swap_link_t *link,
                                     const swap_link_t *end, int partner, bool with_partner)
{
  int phase = link->phase;
  int64_t sent = 0, got = 0;
  int n_sent = 0, n_got = 0;
  for (; link < end && link->phase == phase; link++) {
    int other = s->node_of_rank[link->other];
    if (link->other == partner) {
      if (with_partner) note_both(s, m, link);
    } else if (s->noting == NOTE_BYTES && swap_is_far(s, m, other)) {
      sent += link->sends ? link->bytes : 0;
      got += link->sends ? 0 : link->bytes;
      n_sent += link->sends;
      n_got += !link->sends;
    } else {
      swap_way(s, m, link, other);
    }
  }
  if (s->noting != NOTE_BYTES) return link;
  swap_note_phase(s, phase);
  if (n_sent) swap_far_bytes(s, m, phase, true, sent);
  if (n_got) swap_far_bytes(s, m, phase, false, got);
  return link;
}

/* The rank's first link of a phase or of a later one. */
static const swap_link_t *find_links(const berth_swap_t *s, int rank, int phase)
{
  LOWER_BOUND(first, s->first_link[rank], s->first_link[rank + 1], s->link[middle].phase < phase)
  return s->link + first;
}

/* Notes a rank's links in all phases; if one slot's changes are noted, in its phase. */
static void note_rank(berth_swap_t *s, const swap_move_t *m, int rank, int partner,
                      bool with_partner)
{
  const swap_link_t *link = s->link + s->first_link[rank], *end = s->link + s->first_link[rank + 1];
  if (s->noting == NOTE_SLOT && s->cost->n_phases > 1) {
    link = find_links(s, rank, s->noted_phase);
    end = find_links(s, rank, s->noted_phase + 1);
  }
  while (link < end)
    if (s->model != BERTH_MODEL_SUM) {
      link = note_links(s, m, link, end, partner, with_partner);
    } else {
      if (link->other != partner || with_partner) note_sum(s, m, link, link->other == partner);
      link++;
    }
}

static double tried_total(berth_swap_t *s)
{
  for (int i = 0; i < s->n_changed_phases && !s->no_memory; i++) {
    int k = s->changed_phase[i];
    swap_phase_t *p = &s->phase[k];
    if (s->model != BERTH_MODEL_SUM)
      p->tried_cost = swap_limits_cost(s, k);
    else if (swap_is_dense(s, k))
      p->tried_cost = swap_dense_sum(s, k);
    else
      p->tried_cost = (double)p->tried_sum * s->cost->phase[k].sum_unit;
  }
  if (s->no_memory) {
    forget(s);
    s->no_memory = false;
    return INFINITY;
  }
  s->tried = true;
  s->tried_total = s->n_changed_phases ? total(s) : s->total;
  return s->tried_total;
}

/* Finds the children of m->top that are, or are above, m->from and m->to. */
static void find_near(const berth_swap_t *s, swap_move_t *m)
{
  const int end[] = {m->from, m->to};
  for (int i = 0; i < 2; i++) {
    int child = -1;
    for (int node = end[i]; node != m->top; node = s->cost->node[node].parent) child = node;
    bool some = child >= 0 && child < s->cost->n_switches;
    m->near[i] = some ? (unsigned)child : 0;
    m->n_near[i] = some ? (unsigned)s->cost->node_size[child] : 0;
  }
}

/* Notes the changes of the try s->a, s->b. */
static void note_try(berth_swap_t *s)
{
  int x = s->node_of_rank[s->a], y = swap_node_of_pu(s, s->pu_a);
  if (x == y) return;
  swap_move_t move = {.from = x, .to = y, .top = swap_meet(s, x, y)};
  find_near(s, &move);
  note_rank(s, &move, s->a, s->b, true);
  if (s->b < 0) return;
  move.from = y;
  move.to = x;
  find_near(s, &move);
  note_rank(s, &move, s->b, s->a, false);
}

bool swap_detail(berth_swap_t *s, int phase, int slot)
{
  s->noting = slot < 0 ? NOTE_ALL : NOTE_SLOT;
  s->noted_phase = phase;
  s->noted_slot = slot;
  s->n_changes = 0;
  note_try(s);
  return !s->no_memory;
}

static void note_dense(berth_swap_t *s)
{
  if (s->node_of_rank[s->a] != swap_node_of_pu(s, s->pu_a)) swap_dense_note(s);
}

double berth_swap_try(berth_swap_t *s, int a, int b)
{
  forget(s);
  s->a = a;
  s->b = b;
  s->pu_a = s->pu_of_rank[b];
  s->pu_b = s->pu_of_rank[a];
  note_try(s);
  note_dense(s);
  return tried_total(s);
}

double berth_swap_try_move(berth_swap_t *s, int rank, int pu)
{
  forget(s);
  bool taken = s->ranks_on_pu[pu] > 0 && pu != s->pu_of_rank[rank];
  if (taken && !s->may_share) return INFINITY;
  s->a = rank;
  s->b = -1;
  s->pu_a = pu;
  note_try(s);
  note_dense(s);
  return tried_total(s);
}

/* --- committing --- */

static void put_rank(berth_swap_t *s, int rank, int pu)
{
  s->ranks_on_pu[s->pu_of_rank[rank]]--;
  s->ranks_on_pu[pu]++;
  s->pu_of_rank[rank] = pu;
  s->node_of_rank[rank] = swap_node_of_pu(s, pu);
}

int berth_swap_commit(berth_swap_t *s, berth_error_t *err)
{
  if (!s->tried) return BERTH_OK;
  for (int i = 0; i < s->n_changed_phases; i++) {
    int k = s->changed_phase[i];
    swap_phase_t *p = &s->phase[k];
    if (s->model != BERTH_MODEL_SUM && !swap_limits_commit(s, k)) return no_memory(err);
    if (swap_is_dense(s, k) && !swap_dense_commit(s, k)) return no_memory(err);
    p->cost = p->tried_cost;
    p->sum = p->tried_sum;
  }
  s->total = s->tried_total;
  put_rank(s, s->a, s->pu_a);
  if (s->b >= 0) put_rank(s, s->b, s->pu_b);
  forget(s);
  return BERTH_OK;
}
