/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts which levels of the machine the messages of dense phases cross. */
#include <stdlib.h>

#include "base/no_memory.h"
#include "cost/dense/cost_dense.h"

/* A message between two PUs' elements crosses the levels below their lowest common ancestor; the
 * root's level has those that turn round there. */
static void add_message(const berth_cost_t *c, int a, int b, double times, double *messages)
{
  const cost_element_t *e = c->element;
  int deepest = e[a].depth > e[b].depth ? e[a].depth : e[b].depth, top = a == b ? deepest : 0;
  while (a != b) {
    int *deeper = e[a].depth >= e[b].depth ? &a : &b;
    *deeper = e[*deeper].parent;
    top = e[a].depth + 1;
  }
  for (int d = top == 1 ? 0 : top; d <= deepest; d++) messages[d] += times;
}

/* Adds what n members below an element exchange with others, at its depth. So many members are on
 * PUs that are less deep: what they send is counted here, too. Ranks on one PU use its link. */
static void add_members(const berth_cost_t *c, const dense_phase_t *d, int element, int64_t n,
                        int64_t less_deep, double *messages)
{
  int depth = c->element[element].depth;
  bool is_pu = berth_topo_element(c->topo, element)->type < 0;
  double leaving = (double)(n * (is_pu ? d->size - 1 : d->size - n));
  if (depth == 0) return;
  messages[depth] += leaving + (double)(n * less_deep);
  if (depth == 1) messages[0] += leaving;
}

static void add_whole(const berth_cost_t *c, const dense_phase_t *d, const int *ranks,
                      const int *pu_of_rank, int *inside, int *touched, double *messages)
{
  int n = 0;
  int64_t less_deep[BERTH_MAX_DEPTH + 2] = {0};
  for (int i = 0; i < d->size; i++) {
    int e = c->pu_element[pu_of_rank[dense_rank(ranks, i)]];
    less_deep[c->element[e].depth + 1]++;
    for (; e >= 0; e = c->element[e].parent)
      if (inside[e]++ == 0) touched[n++] = e;
  }
  for (int k = 1; k < BERTH_MAX_DEPTH + 2; k++) less_deep[k] += less_deep[k - 1];
  for (int i = 0; i < n; i++) {
    int e = touched[i];
    add_members(c, d, e, inside[e], less_deep[c->element[e].depth], messages);
    inside[e] = 0;
  }
}

static void add_round(const berth_cost_t *c, const dense_phase_t *d, const int *ranks,
                      const int *pu_of_rank, double *messages)
{
  for (int m = 0; m < d->size; m++) {
    int from = dense_rank(ranks, m), to = dense_rank(ranks, dense_target(d, m));
    if (from == to) continue;
    add_message(c, c->pu_element[pu_of_rank[from]], c->pu_element[pu_of_rank[to]], 1, messages);
  }
}

/* The same with their bytes; these aren't equal. */
static void add_list(const berth_cost_t *c, const dense_list_t *list, const int *pu_of_rank,
                     double *messages, double *bytes)
{
  for (size_t k = 0; k < list->n_rounds; k++)
    for (size_t i = list->first[k]; i < list->first[k + 1]; i++) {
      const dense_message_t *m = &list->message[i];
      int a = c->pu_element[pu_of_rank[m->src]], b = c->pu_element[pu_of_rank[m->dst]];
      double times = (double)list->times[k];
      add_message(c, a, b, times, messages);
      add_message(c, a, b, times * (double)m->bytes, bytes);
    }
}

int cost_dense_levels(const berth_cost_t *c, size_t k, const int *pu_of_rank, int n_levels,
                      double *messages, double *bytes, berth_error_t *err)
{
  const dense_phase_t *d = cost_dense(c, k);
  size_t elements = (size_t)berth_topo_n_elements(c->topo);
  int *inside = calloc(elements, sizeof *inside), *touched = malloc(elements * sizeof *touched);
  bool room = inside && touched;
  for (size_t i = 0; room && i < d->n_comms; i++)
    if (dense_is_whole(d))
      add_whole(c, d, d->ranks[i], pu_of_rank, inside, touched, messages);
    else
      add_round(c, d, d->ranks[i], pu_of_rank, messages);
  for (int l = 0; l < n_levels; l++) bytes[l] = messages[l] * (double)d->bytes;
  if (d->shape == DENSE_LISTED) add_list(c, &d->list, pu_of_rank, messages, bytes);
  free(inside);
  free(touched);
  return room ? BERTH_OK : no_memory(err);
}
