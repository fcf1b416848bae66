/* SPDX-License-Identifier: BSD-3-Clause */
#include "cost/cost_levels.h"

#include "cost/dense/cost_dense.h"

void cost_levels_of_pair(const berth_cost_t *c, int src_pu, int dst_pu, int *top, int *deepest)
{
  int a = c->pu_element[src_pu], b = c->pu_element[dst_pu];
  *deepest = c->element[a].depth > c->element[b].depth ? c->element[a].depth : c->element[b].depth;
  *top = a == b ? *deepest : 0; /* ranks on one PU use only its link */
  while (a != b) {
    int *deeper = c->element[a].depth >= c->element[b].depth ? &a : &b;
    *deeper = c->element[*deeper].parent;
    *top = c->element[a].depth + 1;
  }
  if (*top == 1) *top = 0;
}

int cost_levels_of_phase(const berth_cost_t *c, size_t k, const int *pu_of_rank, int n_levels,
                         double *messages, double *bytes, berth_error_t *err)
{
  size_t n;
  if (cost_dense(c, k)) return cost_dense_levels(c, k, pu_of_rank, n_levels, messages, bytes, err);
  const berth_message_t *m = berth_pattern_messages(c->pattern, k, &n);
  for (const berth_message_t *end = m + n; m < end; m++) {
    int top, deepest;
    if (m->src == m->dst) continue;
    cost_levels_of_pair(c, pu_of_rank[m->src], pu_of_rank[m->dst], &top, &deepest);
    for (int d = top; d <= deepest; d++) {
      messages[d] += (double)m->count;
      bytes[d] += (double)m->bytes;
    }
  }
  return BERTH_OK;
}
