/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes max-min fair rates by progressive filling.
 *
 * All rates rise together. When a limit is full, its flows stop; the others continue to rise
 * (Bertsekas and Gallager, Data Networks, section 6.5.2).
 *
 * Limits are in a heap by the level at which they will be full. When flows stop elsewhere, that
 * level only rises. An outdated value is therefore a lower bound; it is updated when it reaches the
 * top. */
#include <stdlib.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "cost/flow/flow.h"

int flow_shares_init(flow_shares_t *s, const flow_net_t *net, berth_error_t *err)
{
  size_t flows = (size_t)net->n_flows + 1, limits = (size_t)net->n_limits + 1;
  bool enough = array_reserve(&s->rate, &s->cap[0], flows, sizeof *s->rate) &&
                array_reserve(&s->by, &s->cap[1], flows, sizeof *s->by) &&
                array_reserve(&s->state, &s->cap[2], flows, sizeof *s->state) &&
                array_reserve(&s->active, &s->cap[3], flows, sizeof *s->active) &&
                array_reserve(&s->weight, &s->cap[4], limits, sizeof *s->weight) &&
                array_reserve(&s->left, &s->cap[5], limits, sizeof *s->left) &&
                array_reserve(&s->open, &s->cap[6], limits, sizeof *s->open) &&
                array_reserve(&s->heap, &s->cap[7], limits, sizeof *s->heap) &&
                array_reserve(&s->full, &s->cap[8], limits, sizeof *s->full);
  if (!enough) return no_memory(err);
  for (int f = 0; f < net->n_flows; f++) {
    s->rate[f] = 0;
    s->by[f] = -1;
    s->state[f] = FLOW_IDLE;
  }
  for (int l = 0; l < net->n_limits; l++) s->open[l] = 0;
  s->n_active = 0;
  return BERTH_OK;
}

void flow_shares_clear(flow_shares_t *s)
{
  free(s->rate);
  free(s->by);
  free(s->state);
  free(s->active);
  free(s->weight);
  free(s->left);
  free(s->open);
  free(s->heap);
  free(s->full);
}

static bool lower(flow_level_t a, flow_level_t b)
{
  return a.level < b.level || (a.level == b.level && a.limit < b.limit);
}

static void sift_down(flow_shares_t *s, int at)
{
  flow_level_t moved = s->heap[at];
  for (int child; (child = 2 * at + 1) < s->n_heap; at = child) {
    if (child + 1 < s->n_heap && lower(s->heap[child + 1], s->heap[child])) child++;
    if (!lower(s->heap[child], moved)) break;
    s->heap[at] = s->heap[child];
  }
  s->heap[at] = moved;
}

static void drop_top(flow_shares_t *s)
{
  s->heap[0] = s->heap[--s->n_heap];
  if (s->n_heap) sift_down(s, 0);
}

/* Opens the active flows and puts their limits into the heap. */
static void open_all(const flow_net_t *net, flow_shares_t *s)
{
  s->n_heap = s->n_full = 0;
  for (int i = 0; i < s->n_active; i++) {
    int f = s->active[i];
    s->state[f] = FLOW_ACTIVE;
    for (int u = net->first_use[f]; u < net->first_use[f + 1]; u++) {
      int l = net->use[u].limit;
      if (s->open[l]++ == 0) {
        s->weight[l] = 0;
        s->left[l] = net->limit[l].capacity;
        s->heap[s->n_heap++].limit = l;
      }
      s->weight[l] += net->use[u].amount;
    }
  }
  for (int i = 0; i < s->n_heap; i++)
    s->heap[i].level = s->left[s->heap[i].limit] / s->weight[s->heap[i].limit];
  for (int i = s->n_heap / 2 - 1; i >= 0; i--) sift_down(s, i);
}

static void freeze(const flow_net_t *net, flow_shares_t *s, int f, double rate)
{
  s->rate[f] = rate;
  s->state[f] = FLOW_FROZEN;
  for (int u = net->first_use[f]; u < net->first_use[f + 1]; u++) {
    int l = net->use[u].limit;
    s->open[l]--;
    s->left[l] -= net->use[u].amount * rate;
    s->weight[l] -= net->use[u].amount;
  }
}

/* The level at which a limit is full, summed over its flows: without the digits that subtractions
 * lose. */
static double exact_level(const flow_net_t *net, const flow_shares_t *s, int l)
{
  const flow_limit_t *limit = &net->limit[l];
  const flow_entry_t *entry = net->entry + limit->first;
  double taken = 0, weight = 0;
  for (int i = 0; i < limit->n_active; i++) {
    int f = entry[i].flow;
    double amount = net->use[entry[i].use].amount;
    if (s->state[f] == FLOW_FROZEN)
      taken += amount * s->rate[f];
    else
      weight += amount;
  }
  return (limit->capacity - taken) / weight;
}

/* Stops the open flows of a full limit. */
static int fill(const flow_net_t *net, flow_shares_t *s, int l, double level)
{
  const flow_limit_t *limit = &net->limit[l];
  const flow_entry_t *entry = net->entry + limit->first;
  int stopped = 0;
  s->full[s->n_full++] = l;
  for (int i = 0; i < limit->n_active; i++) {
    if (s->state[entry[i].flow] != FLOW_ACTIVE) continue;
    s->by[entry[i].flow] = entry[i].use;
    freeze(net, s, entry[i].flow, level);
    stopped++;
  }
  return stopped;
}

/* Updates the top of the heap. True if it stays at the top. */
static bool refresh_top(const flow_net_t *net, flow_shares_t *s)
{
  int l = s->heap[0].limit;
  double old = s->heap[0].level, level = s->left[l] / s->weight[l];
  if (s->open[l] == 0) {
    drop_top(s);
    return false;
  }
  if (!(level > old)) return true;                     /* a lower value is due to rounding */
  if (level > 2 * old) level = exact_level(net, s, l); /* subtractions may have lost digits */
  s->heap[0].level = level;
  sift_down(s, 0);
  return s->heap[0].limit == l;
}

void flow_share(const flow_net_t *net, flow_shares_t *s, const flow_ceiling_t *ceiling,
                int n_ceilings)
{
  int to_do = s->n_active, next = 0;
  double level = 0;
  open_all(net, s);
  while (to_do > 0) {
    while (next < n_ceilings && s->state[ceiling[next].flow] == FLOW_FROZEN) next++;
    if (next < n_ceilings && (s->n_heap == 0 || ceiling[next].rate <= s->heap[0].level)) {
      freeze(net, s, ceiling[next].flow, ceiling[next].rate);
      next++;
      to_do--;
      continue;
    }
    if (s->n_heap == 0) break; /* a flow without limits; flow_run.c never starts one */
    if (!refresh_top(net, s)) continue;
    if (next < n_ceilings && ceiling[next].rate <= s->heap[0].level) continue;
    int l = s->heap[0].limit;
    double full = exact_level(net, s, l);
    if (full > level) level = full; /* levels rise; a lower one is due to rounding */
    drop_top(s);
    to_do -= fill(net, s, l, level);
  }
  for (int i = 0; i < s->n_heap; i++) s->open[s->heap[i].limit] = 0;
}
