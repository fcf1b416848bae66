/* SPDX-License-Identifier: BSD-3-Clause */
/* What ranks of a host copy from each other's memory, as messages. All copies of a step are made at
 * once. Vectors that are reduced in slices take two steps: each rank reads its slice of all others'
 * vectors, then who gets the result reads the slices. */
#include <stdlib.h>

#include "schedule/two_levels/levels.h"
#include "schedule/two_levels/two_levels_limits.h"

/* The ranks of a host and what they do. */
typedef struct host_part {
  levels_t *l;
  const int *rank;
  int n, speaker, step;
} host_part_t;

/* `counts`: the elements of each rank's block, if they differ, else NULL: all have n. */
static void put_stage(const host_part_t *p, int later, schedule_op_t op, int64_t n, int64_t element,
                      const int64_t *counts)
{
  const level_stage_t s = {.among = SCHEDULE_HOSTS,
                           .rank = p->rank,
                           .n = p->n,
                           .root = p->speaker,
                           .op = op,
                           .algorithm = "linear",
                           .element = element,
                           .count = n,
                           .counts = counts};
  levels_add(p->l, p->step + later, &s);
}

static void put(const host_part_t *p, int later, schedule_op_t op, int64_t n, int64_t element)
{
  put_stage(p, later, op, n, element, NULL);
}

/* Blocks of the ranks, which differ if the operation says so. */
static void put_blocks(const host_part_t *p, schedule_op_t equal, schedule_op_t unequal,
                       const share_t *s)
{
  if (!s->of_rank) {
    put(p, 0, equal, s->n, s->element);
    return;
  }
  int64_t *counts = malloc((size_t)p->n * sizeof *counts);
  for (int i = 0; counts && i < p->n; i++) counts[i] = s->of_rank[p->rank[i]];
  if (counts) put_stage(p, 0, unequal, 0, s->element, counts);
  p->l->lost |= !counts;
  free(counts);
}

static void put_reduction(const host_part_t *p, const share_t *s, bool each)
{
  int64_t bytes = s->n * s->element, slice = (s->n + p->n - 1) / p->n;
  bool whole = bytes <= TWO_LEVELS_WHOLE && (!each || p->n <= TWO_LEVELS_ALL);
  if (whole && each) {
    put(p, 0, SCHEDULE_ALLGATHER, s->n, s->element);
  } else if (bytes <= TWO_LEVELS_WHOLE || (!each && p->n == 2)) {
    put(p, 0, SCHEDULE_GATHER, s->n, s->element);
    if (each) put(p, 1, SCHEDULE_BCAST, s->n, s->element);
  } else {
    put(p, 0, SCHEDULE_ALLTOALL, slice, s->element);
    put(p, 1, each ? SCHEDULE_ALLGATHER : SCHEDULE_GATHER, slice, s->element);
  }
}

/* Short vectors: each rank reads those before it, for which all of them stand. Long ones go along
 * the ranks in pieces. */
static void put_scan(const host_part_t *p, const share_t *s)
{
  if (s->n * s->element <= TWO_LEVELS_WHOLE) {
    put(p, 0, SCHEDULE_ALLGATHER, s->n, s->element);
    return;
  }
  const level_stage_t stage = {.among = SCHEDULE_HOSTS,
                               .rank = p->rank,
                               .n = p->n,
                               .op = SCHEDULE_BCAST,
                               .algorithm = "pipeline",
                               .element = 1,
                               .count = s->n * s->element,
                               .segment = TWO_LEVELS_ROOM};
  levels_add(p->l, p->step, &stage);
}

static void put_part(const host_part_t *p, within_t what, const share_t *s)
{
  switch (what) {
  case WITHIN_ARRIVE:
    put(p, 0, SCHEDULE_GATHER, 0, 1);
    break;
  case WITHIN_RELEASE:
    put(p, 0, SCHEDULE_SCATTER, 0, 1);
    break;
  case WITHIN_MEET:
    put(p, 0, SCHEDULE_ALLGATHER, 0, 1);
    break;
  case WITHIN_BCAST:
    put(p, 0, SCHEDULE_BCAST, s->n, s->element);
    break;
  case WITHIN_GATHER:
    put_blocks(p, SCHEDULE_GATHER, SCHEDULE_GATHERV, s);
    break;
  case WITHIN_SCATTER:
    put_blocks(p, SCHEDULE_SCATTER, SCHEDULE_SCATTERV, s);
    break;
  case WITHIN_ALLGATHER:
    put_blocks(p, SCHEDULE_ALLGATHER, SCHEDULE_ALLGATHERV, s);
    break;
  case WITHIN_REDUCE:
  case WITHIN_REDUCE_EACH:
    put_reduction(p, s, what == WITHIN_REDUCE_EACH);
    break;
  case WITHIN_SCAN:
    put_scan(p, s);
    break;
  }
}

void levels_within_beside(levels_t *l, int step, bool up, int64_t n, int64_t part)
{
  const schedule_hosts_t *h = l->hosts;
  for (int host = 0; host < h->n && !l->lost; host++) {
    level_stage_t s = {.among = SCHEDULE_HOSTS,
                       .rank = h->rank + h->first[host],
                       .n = h->first[host + 1] - h->first[host],
                       .op = up ? SCHEDULE_REDUCE : SCHEDULE_BCAST,
                       .algorithm = "chain",
                       .degree = h->first[host + 1] - h->first[host] - 1, /* no rank passes it on */
                       .element = 1,
                       .count = n,
                       .segment = part};
    if (s.n == 1) continue;
    while (s.rank[s.root] != levels_speaker_of(l, host)) s.root++;
    levels_add(l, step, &s);
  }
}

void levels_within(levels_t *l, within_t what, const share_t *s)
{
  const schedule_hosts_t *h = l->hosts;
  host_part_t p = {.l = l, .step = l->out->steps};
  for (int host = 0; host < h->n && !l->lost; host++) {
    p.rank = h->rank + h->first[host];
    p.n = h->first[host + 1] - h->first[host];
    if (p.n == 1) continue;
    for (p.speaker = 0; p.rank[p.speaker] != levels_speaker_of(l, host);) p.speaker++;
    put_part(&p, what, s);
  }
}
