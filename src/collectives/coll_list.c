/* SPDX-License-Identifier: BSD-3-Clause */
#include "collectives/coll_list.h"

#include <berth/collectives.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "base/order.h"
#include "pattern/dense.h"

/* Rounds as they are found. */
typedef struct list {
  size_t *first, cap_first;
  uint64_t *times;
  size_t n, cap_times;
  dense_message_t *message;
  size_t n_messages, cap;
} list_t;

ORDER_BY(by_ranks, dense_message_t, RISING(src) RISING(dst))

/* Appends the messages of a round of all communicators. */
static bool append(coll_rounds_t *in, const coll_group_t *g, int64_t element, list_t *to)
{
  bool room = true;
  size_t begin = to->n_messages;
  for (size_t k = 0; k < g->n; k++) {
    const int *ranks = coll_comm_ranks(in->p, g->first[k].comm);
    for (size_t i = 0; i < in->round.n && room; i++) {
      const schedule_message_t *m = &in->round.message[i];
      dense_message_t own = {dense_rank(ranks, m->src), dense_rank(ranks, m->dst),
                             (uint64_t)(m->n * element)};
      room = ARRAY_ADD(&to->message, &to->n_messages, &to->cap, own);
    }
  }
  if (room) qsort(to->message + begin, to->n_messages - begin, sizeof *to->message, by_ranks);
  return room;
}

static bool collect(coll_rounds_t *in, const coll_group_t *g, const schedule_stage_t *s, list_t *to)
{
  schedule_walk_t walk;
  size_t n_first = 0;
  bool room = schedule_walk_begin(&walk, s);
  for (int64_t i = 0, times; i < walk.rounds && room; i += times) {
    times = schedule_alike(s->algorithm, &s->call, i);
    room = schedule_walk_messages(&walk, i, BERTH_MAX_ROUND_MESSAGES, &in->round);
    if (!room || in->round.n == 0) continue;
    room = ARRAY_ADD(&to->first, &n_first, &to->cap_first, to->n_messages) &&
           ARRAY_ADD(&to->times, &to->n, &to->cap_times, (uint64_t)times) &&
           append(in, g, s->element, to);
  }
  schedule_walk_clear(&walk);
  return room && ARRAY_ADD(&to->first, &n_first, &to->cap_first, to->n_messages);
}

static int add_messages(coll_rounds_t *in, const list_t *list)
{
  int rc = BERTH_OK;
  for (size_t k = 0; k < list->n; k++)
    for (size_t i = list->first[k]; i < list->first[k + 1] && !rc; i++) {
      const dense_message_t *own = &list->message[i];
      berth_message_t m = {.phase = (int)in->next_phase,
                           .src = own->src,
                           .dst = own->dst,
                           .size = own->bytes,
                           .count = list->times[k],
                           .bytes = own->bytes * list->times[k]};
      rc = berth_pattern_add_message(in->p, &m, in->err);
    }
  return rc;
}

int coll_list_add_stage(coll_rounds_t *in, const coll_group_t *g, const schedule_stage_t *s)
{
  list_t list = {0};
  int rc = collect(in, g, s, &list) ? BERTH_OK : no_memory(in->err);
  if (!rc && list.n > 0) {
    dense_phase_t dense = {.phase = (int)in->next_phase, .shape = DENSE_LISTED};
    dense.list = (dense_list_t){list.n, list.first, list.times, list.message};
    rc = pattern_add_dense(in->p, &dense, in->err);
    if (!rc) rc = add_messages(in, &list);
    if (!rc) rc = coll_rounds_name_phase(in, g, s, 0, 1);
  }
  free(list.first);
  free(list.times);
  free(list.message);
  return rc;
}
