/* SPDX-License-Identifier: BSD-3-Clause */
#include "cost/dense/dense_count.h"

#include <string.h>

/* --- all-to-alls: by how many members each part of the machine has --- */

static void add_members(const berth_cost_t *c, const dense_phase_t *d, int v, int64_t n,
                        dense_node_t *node)
{
  int64_t pairs;
  dense_node_t load = dense_members(c, d, v, n, &pairs);
  dense_add(&node[v], &load, 1);
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
  for (int i = 0; i < d->size; i++) {
    int from = dense_rank(ranks, i), to = dense_rank(ranks, dense_target(d, i));
    if (from == to) continue;
    dense_way(c, with_pus, c->node_of_rank[from], c->node_of_rank[to], 1, node);
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
}
