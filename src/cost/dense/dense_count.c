/* SPDX-License-Identifier: BSD-3-Clause */
#include "cost/dense/dense_count.h"

#include <string.h>

static void add(dense_load_t *to, dense_load_t load)
{
  to->messages += load.messages;
  to->senders += load.senders;
}

/* --- all-to-alls: by how many members each part of the machine has --- */

/* Adds what n members of one communicator send and get. Ranks on one PU meet at its switch, so all
 * that a PU sends crosses its port. */
static void add_members(const berth_cost_t *c, const dense_phase_t *d, int v, int64_t n,
                        dense_node_t *node)
{
  if (v >= c->n_switches) {
    dense_load_t out = {n * (d->size - 1), n}, in = {out.messages, d->size - (n == 1)};
    add(&node[v].out, out);
    add(&node[v].in, in);
    return;
  }
  int64_t pairs = n * (n - 1);
  add(&node[v].out, dense_out(d, n));
  add(&node[v].in, dense_in(d, n));
  node[v].self.messages += pairs;
  node[v].self.senders += d->size;
  if (v > 0) node[c->node[v].parent].self.messages -= pairs;
}

static void count_members(const berth_cost_t *c, const dense_phase_t *d, const int *ranks,
                          dense_count_t *out)
{
  int n = 0;
  for (int i = 0; i < d->size; i++)
    for (int v = c->node_of_rank[dense_rank(ranks, i)]; v >= 0; v = c->node[v].parent)
      if (out->inside[v]++ == 0) out->touched[n++] = v;
  for (int i = 0; i < n; i++) {
    int v = out->touched[i];
    add_members(c, d, v, out->inside[v], out->node);
    out->inside[v] = 0;
  }
}

/* --- rounds: message by message --- */

static void count_round(const berth_cost_t *c, const dense_phase_t *d, const int *ranks,
                        bool with_pus, dense_node_t *node)
{
  const cost_node_t *tree = c->node;
  for (int i = 0; i < d->size; i++) {
    int to = dense_target(d, i);
    if (to == i) continue;
    int a = c->node_of_rank[dense_rank(ranks, i)], b = c->node_of_rank[dense_rank(ranks, to)];
    if (with_pus) {
      node[a].out.messages++;
      node[b].in.messages++;
      a = tree[a].parent;
      b = tree[b].parent;
    }
    while (a != b) {
      int da = tree[a].depth, db = tree[b].depth;
      if (da >= db) {
        node[a].out.messages++;
        a = tree[a].parent;
      }
      if (db >= da) {
        node[b].in.messages++;
        b = tree[b].parent;
      }
    }
    node[a].self.messages++;
  }
}

void dense_count(const berth_cost_t *c, const dense_phase_t *d, bool with_pus, int n,
                 dense_count_t *out)
{
  memset(out->node, 0, (size_t)n * sizeof *out->node);
  for (size_t k = 0; k < d->n_comms; k++)
    if (dense_is_whole(d))
      count_members(c, d, d->ranks[k], out);
    else
      count_round(c, d, d->ranks[k], with_pus, out->node);
  for (int v = 0; v < c->n_switches; v++)
    out->node[v].self.messages += out->node[v].out.messages + out->node[v].in.messages;
}
