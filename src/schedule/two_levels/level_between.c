/* SPDX-License-Identifier: BSD-3-Clause */
/* What one rank of each host does with those of the others, in the order of hosts' numbers. */
#include <stdlib.h>

#include "schedule/two_levels/levels.h"

/* The speakers, in the pieces' memory. */
static const int *list_speakers(levels_t *l)
{
  int *list = arena_alloc(&l->out->arena, (size_t)l->hosts->n * sizeof *list);
  for (int i = 0; list && i < l->hosts->n; i++) list[i] = levels_speaker_of(l, l->hosts->given[i]);
  l->lost |= !list;
  return list;
}

/* Agents send blocks directly, and may have trees. */
static const char *algorithm_of_agents(const levels_t *l, schedule_op_t op)
{
  switch (op) {
  case SCHEDULE_GATHER:
  case SCHEDULE_GATHERV:
  case SCHEDULE_SCATTER:
  case SCHEDULE_SCATTERV:
    return "linear";
  case SCHEDULE_ALLTOALLV:
    return "scattered";
  case SCHEDULE_BCAST:
  case SCHEDULE_REDUCE:
    return l->degree ? "knomial" : NULL;
  default:
    return NULL;
  }
}

static void put(levels_t *l, schedule_op_t op, int64_t n, int64_t element, const int64_t *counts)
{
  const schedule_hosts_t *h = l->hosts;
  level_stage_t s = {.among = SCHEDULE_SPEAKERS,
                     .rank = list_speakers(l),
                     .n = h->n,
                     .op = op,
                     .algorithm = l->agents ? algorithm_of_agents(l, op) : NULL,
                     .degree = l->degree,
                     .element = element,
                     .count = n,
                     .counts = counts};
  if (l->lost || h->n == 1) return;
  for (int i = 0; l->root >= 0 && i < h->n; i++)
    if (h->given[i] == h->of_rank[l->root]) s.root = i;
  levels_add(l, l->out->steps, &s);
}

int64_t levels_overlap(const levels_t *l) { return l->largest > 1 ? l->overlap : 0; }

void levels_between(levels_t *l, schedule_op_t op, int64_t n, int64_t element)
{
  put(l, op, n, element, NULL);
}

static int ranks_of(const schedule_hosts_t *h, int host)
{
  return h->first[host + 1] - h->first[host];
}

void levels_between_blocks(levels_t *l, schedule_op_t equal, schedule_op_t unequal,
                           const share_t *s)
{
  const schedule_hosts_t *h = l->hosts;
  if (equal != unequal && l->equal && !s->of_rank) {
    put(l, equal, ranks_of(h, 0) * s->n, s->element, NULL);
    return;
  }
  int64_t *counts = calloc((size_t)h->n, sizeof *counts);
  for (int i = 0; counts && i < h->n; i++)
    for (int k = h->first[h->given[i]]; k < h->first[h->given[i] + 1]; k++)
      counts[i] += share_at(s, h->rank[k]);
  if (counts) put(l, unequal, 0, s->element, counts);
  l->lost |= !counts;
  free(counts);
}

void levels_between_pairs(levels_t *l, const share_t *s)
{
  const schedule_hosts_t *h = l->hosts;
  size_t n = (size_t)h->n;
  if (l->equal) {
    put(l, SCHEDULE_ALLTOALL, (int64_t)ranks_of(h, 0) * ranks_of(h, 0) * s->n, s->element, NULL);
    return;
  }
  int64_t *counts = malloc(n * n * sizeof *counts);
  for (size_t i = 0; counts && i < n * n; i++)
    counts[i] = (int64_t)ranks_of(h, h->given[i / n]) * ranks_of(h, h->given[i % n]) * s->n;
  if (counts) put(l, SCHEDULE_ALLTOALLV, 0, s->element, counts);
  l->lost |= !counts;
  free(counts);
}

void levels_between_sums(levels_t *l, const int64_t *counts, int64_t element)
{
  const schedule_hosts_t *h = l->hosts;
  size_t n = (size_t)h->n;
  int64_t *given = malloc(n * n * sizeof *given);
  for (size_t i = 0; given && i < n * n; i++)
    given[i] = counts[(size_t)h->given[i / n] * n + (size_t)h->given[i % n]];
  if (given) put(l, SCHEDULE_ALLTOALLV, 0, element, given);
  l->lost |= !given;
  free(given);
}
