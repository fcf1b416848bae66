/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the cost of a phase's most expensive slot when some slots change.
 *
 * A slot's bytes give an upper limit of its cost (cost_prune.c). Its exact cost, which takes all
 * its ranks, is computed only while the limit is above the highest known cost: first for unchanged
 * slots, then for changed ones. Costs and limits are in a tournament. */
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "cost/cost_slot.h"
#include "cost/swap/cost_swap.h"
#include "cost/swap/swap_dense.h"

/* --- one slot --- */

/* Adds one more rank to a slot's cost. `time` and `bytes` are sums of the ranks before it. */
typedef struct sum_up {
  double cost;
  int64_t bytes, time;
} sum_up_t;

static inline void take_rank(const berth_swap_t *s, int phase, const cost_slot_t *slot,
                             sum_up_t *sum, int64_t bytes, int64_t time)
{
  const berth_cost_t *c = s->cost;
  size_t k = (size_t)phase;
  if (s->model == BERTH_MODEL_PORT)
    sum->cost =
        cost_port_step(c->class[slot->class].capacity, sum->cost, cost_slot_bytes(c, k, sum->bytes),
                       cost_slot_time(c, k, slot, time), cost_slot_bytes(c, k, bytes));
  else if (time > sum->time)
    sum->time = time;
  sum->bytes += bytes;
}

/* Collects a slot's changes in s->edit, summed by rank. Returns how many; -1 when memory is out. */
static int gather(berth_swap_t *s, const swap_slot_t *slot)
{
  int n = 0;
  for (int i = slot->first_change; i >= 0; i = s->change[i].next) {
    const rank_load_t *add = &s->change[i].load;
    if (!ARRAY_GROW(&s->edit, (size_t)n, &s->cap_edit)) return -1;
    int at = n;
    while (at > 0 && s->edit[at - 1].rank > add->rank) at--;
    if (at > 0 && s->edit[at - 1].rank == add->rank) {
      s->edit[at - 1].pairs += add->pairs;
      s->edit[at - 1].bytes += add->bytes;
      s->edit[at - 1].time += add->time;
      continue;
    }
    for (int j = n++; j > at; j--) s->edit[j] = s->edit[j - 1];
    s->edit[at] = *add;
  }
  return n;
}

/* The exact cost of a slot with its changes. */
static double exact_cost(berth_swap_t *s, int phase, int number)
{
  const cost_slot_t *slot = &s->cost->slot[number];
  swap_slot_t *state = &s->phase[phase].slot[number];
  sum_up_t sum = {0};
  int n = !state->changes || swap_detail(s, phase, number) ? gather(s, state) : -1, next = 0;
  state->first_change = -1;
  if (n < 0) {
    s->no_memory = true;
    return INFINITY;
  }
  for (int i = 0; i < state->ranks.n_parts; i++) {
    const rank_part_t *part = &state->ranks.part[i];
    for (const rank_load_t *r = part->items, *end = r + part->n; r < end; r++) {
      for (; next < n && s->edit[next].rank < r->rank; next++)
        if (s->edit[next].pairs > 0)
          take_rank(s, phase, slot, &sum, s->edit[next].bytes, s->edit[next].time);
      if (next < n && s->edit[next].rank == r->rank) {
        const rank_load_t *e = &s->edit[next++];
        if (r->pairs + e->pairs > 0)
          take_rank(s, phase, slot, &sum, r->bytes + e->bytes, r->time + e->time);
      } else {
        take_rank(s, phase, slot, &sum, r->bytes, r->time);
      }
    }
  }
  for (; next < n; next++)
    if (s->edit[next].pairs > 0)
      take_rank(s, phase, slot, &sum, s->edit[next].bytes, s->edit[next].time);
  return s->model == BERTH_MODEL_PORT
             ? sum.cost
             : cost_slot_bound(s->cost, (size_t)phase, slot, sum.bytes, sum.time);
}

/* The upper limit of the cost of a slot with so many bytes. *exact: it is the cost, which is common
 * in model bound. */
static double limit(const berth_swap_t *s, int phase, int number, int64_t bytes, bool *exact)
{
  const berth_cost_t *c = s->cost;
  int class = c->slot[number].class;
  *exact = swap_is_dense(s, phase);
  if (*exact)
    return cost_dense_slot(c, s->model, (size_t)phase, &c->slot[number],
                           swap_dense_load(s, phase, number));
  if (!c->spread) return INFINITY;
  double max = cost_at_most(c, s->model, (size_t)phase, class, bytes);
  if (s->model == BERTH_MODEL_BOUND)
    *exact = max == cost_at_least(c, s->model, (size_t)phase, class, bytes);
  return max;
}

/* --- the tournament: place i has the more expensive of the slots at 2i and 2i + 1; leaves are
 * slots --- */

static double cost_at(const berth_swap_t *s, const swap_phase_t *p, int place, int *slot)
{
  *slot = place < s->n_leaves ? p->winner[place] : place - s->n_leaves;
  return *slot < s->n_slots ? p->slot[*slot].cost : -1;
}

static void replay(const berth_swap_t *s, swap_phase_t *p, int place)
{
  int left, right;
  double a = cost_at(s, p, 2 * place, &left), b = cost_at(s, p, 2 * place + 1, &right);
  p->winner[place] = a >= b ? left : right;
}

static void update(const berth_swap_t *s, swap_phase_t *p, int slot)
{
  for (int place = (slot + s->n_leaves) / 2; place > 0; place /= 2) replay(s, p, place);
}

/* Raises *best to the highest cost of an unchanged slot below a place. */
static void find_unchanged(berth_swap_t *s, swap_phase_t *p, int place, int *best_slot,
                           double *best)
{
  int slot;
  if (cost_at(s, p, place, &slot) <= *best) return;
  if (!p->slot[slot].changes) {
    *best = p->slot[slot].cost;
    *best_slot = slot;
  } else if (place < s->n_leaves) {
    find_unchanged(s, p, 2 * place, best_slot, best);
    find_unchanged(s, p, 2 * place + 1, best_slot, best);
  }
}

/* The exact cost of the most expensive unchanged slot, if it is above `known`. */
static double max_cost_unchanged(berth_swap_t *s, int phase, double known)
{
  swap_phase_t *p = &s->phase[phase];
  for (;;) {
    int number = -1;
    double cost = known;
    find_unchanged(s, p, 1, &number, &cost);
    if (number < 0) return known;
    swap_slot_t *slot = &p->slot[number];
    if (slot->exact) return cost;
    slot->cost = exact_cost(s, phase, number);
    slot->exact = true;
    update(s, p, number);
  }
}

double swap_limits_cost(berth_swap_t *s, int phase)
{
  swap_phase_t *p = &s->phase[phase];
  if (swap_is_listed(s, phase)) return swap_dense_listed(s, phase);
  double leaf = s->with_pus ? 0 : s->cost->phase[phase].leaf[s->model];
  double max_cost = max_cost_unchanged(s, phase, leaf);
  for (int i = p->first_changed; i >= 0; i = p->slot[i].next_changed) {
    swap_slot_t *slot = &p->slot[i];
    slot->tried = limit(s, phase, i, slot->bytes + slot->change, &slot->tried_exact);
    if (slot->tried <= max_cost) continue;
    if (!slot->tried_exact) slot->tried = exact_cost(s, phase, i);
    slot->tried_exact = true;
    if (slot->tried > max_cost) max_cost = slot->tried;
  }
  return max_cost;
}

bool swap_limits_commit(berth_swap_t *s, int phase)
{
  swap_phase_t *p = &s->phase[phase];
  bool dense = swap_is_dense(s, phase);
  if (!dense && s->noting != NOTE_ALL && !swap_detail(s, -1, -1)) return false;
  for (int i = p->first_changed; i >= 0; i = p->slot[i].next_changed) {
    swap_slot_t *slot = &p->slot[i];
    for (int j = slot->first_change; j >= 0; j = s->change[j].next)
      if (s->change[j].load.pairs > 0 && !ranks_add(&slot->ranks, s->n_ranks, s->change[j].load))
        return false;
    for (int j = slot->first_change; j >= 0; j = s->change[j].next)
      if (s->change[j].load.pairs < 0 && !ranks_add(&slot->ranks, s->n_ranks, s->change[j].load))
        return false;
    slot->bytes += slot->change;
    slot->cost = slot->tried;
    slot->exact = slot->tried_exact;
    update(s, p, i);
  }
  return true;
}

void swap_limits_forget(berth_swap_t *s, int phase)
{
  swap_phase_t *p = &s->phase[phase];
  for (int i = p->first_changed, next; i >= 0; i = next) {
    next = p->slot[i].next_changed;
    p->slot[i].change = 0;
    p->slot[i].changes = false;
    p->slot[i].first_change = -1;
  }
  p->first_changed = -1;
}

/* --- setting up --- */

static bool allocate(berth_swap_t *s)
{
  size_t phases = s->cost->n_phases, slots = (size_t)s->n_slots;
  for (s->n_leaves = 1; s->n_leaves < s->n_slots;) s->n_leaves *= 2;
  s->slot = calloc(phases * slots + 1, sizeof *s->slot);
  s->winner = calloc(phases * (size_t)s->n_leaves, sizeof *s->winner);
  if (!s->slot || !s->winner) return false;
  for (size_t k = 0; k < phases; k++) {
    s->phase[k].slot = s->slot + k * slots;
    s->phase[k].winner = s->winner + k * (size_t)s->n_leaves;
    s->phase[k].first_changed = -1;
    for (size_t i = 0; i < slots; i++) s->phase[k].slot[i].first_change = -1;
  }
  return true;
}

/* Adds the pairs [first, end) of a phase to their slots. */
static bool add_pairs(berth_swap_t *s, int phase, size_t first, size_t end)
{
  const berth_cost_t *c = s->cost;
  for (int all = 0; all < 2; all++) {
    s->noting = all ? NOTE_ALL : NOTE_BYTES;
    for (size_t i = first; i < end; i++)
      swap_whole_way(s, phase, i, s->node_of_rank[c->src[i]], s->node_of_rank[c->dst[i]], 1);
  }
  bool room = !s->no_memory && swap_limits_commit(s, phase);
  swap_limits_forget(s, phase);
  s->n_changes = 0;
  s->noting = NOTE_BYTES;
  return room;
}

static bool start_phase(berth_swap_t *s, int phase)
{
  enum { BATCH = 1 << 14 };
  const berth_cost_t *c = s->cost;
  swap_phase_t *p = &s->phase[phase];
  size_t first = cost_first_pair(c, (size_t)phase), end = cost_first_pair(c, (size_t)phase + 1);
  for (size_t i = first; i < end; i += BATCH)
    if (!add_pairs(s, phase, i, end - i < BATCH ? end : i + BATCH)) return false;
  for (int i = 0; i < s->n_slots && !swap_is_listed(s, phase); i++) {
    p->slot[i].cost = limit(s, phase, i, p->slot[i].bytes, &p->slot[i].exact);
  }
  for (int place = s->n_leaves - 1; place > 0; place--) replay(s, p, place);
  return true;
}

int swap_limits_init(berth_swap_t *s, berth_error_t *err)
{
  bool room = allocate(s);
  for (int k = 0; room && k < (int)s->cost->n_phases; k++) {
    room = start_phase(s, k);
    if (room) s->phase[k].cost = swap_limits_cost(s, k);
  }
  return room && !s->no_memory ? BERTH_OK : no_memory(err);
}

void swap_limits_free(berth_swap_t *s)
{
  size_t n = s->slot ? s->cost->n_phases * (size_t)s->n_slots : 0;
  for (size_t i = 0; i < n; i++) ranks_clear(&s->slot[i].ranks);
  free(s->slot);
  free(s->winner);
  free(s->change);
  free(s->edit);
}
