/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/schedule_round.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/order.h"

static bool add_sends(const schedule_steps_t *steps, int rank, schedule_messages_t *out)
{
  bool added = !steps->lost;
  for (size_t i = 0; i < steps->n && added; i++) {
    const schedule_step_t *s = &steps->step[i];
    if (s->kind == STEP_SEND)
      added =
          ARRAY_ADD(&out->message, &out->n, &out->cap, (schedule_message_t){rank, s->peer, s->n});
  }
  return added;
}

/* Appends the messages of n ranks; without a list of them, of ranks 0 to n - 1. */
static bool add_ranks(const schedule_stage_t *s, int64_t round, const int *ranks, int n,
                      size_t most, schedule_messages_t *out)
{
  bool added = true;
  schedule_steps_t steps = {.messages_only = true};
  for (int i = 0; i < n && added && out->n <= most; i++) {
    int rank = ranks ? ranks[i] : i;
    steps.n = 0;
    schedule_steps(s->algorithm, &s->call, rank, round, &steps);
    added = add_sends(&steps, rank, out);
  }
  schedule_steps_clear(&steps);
  return added;
}

bool schedule_round_messages(const schedule_stage_t *s, int64_t round, size_t most,
                             schedule_messages_t *out)
{
  out->n = 0;
  return add_ranks(s, round, NULL, s->call.size, most, out);
}

/* --- steps of several pieces --- */

size_t schedule_step_find(const schedule_pieces_t *p, int step, size_t *first)
{
  LOWER_BOUND(low, 0, p->n, p->piece[middle].step < step);
  LOWER_BOUND(end, low, p->n, p->piece[middle].step <= step);
  *first = low;
  return end;
}

int64_t schedule_step_rounds(const schedule_pieces_t *p, int step)
{
  size_t first, end = schedule_step_find(p, step, &first);
  int64_t most = 0;
  for (size_t i = first; i < end; i++) {
    const schedule_stage_t *s = &p->piece[i].stage;
    int64_t rounds = s->algorithm->rounds(&s->call);
    if (rounds > most) most = rounds;
  }
  return most;
}

int64_t schedule_step_alike(const schedule_pieces_t *p, int step, int64_t round)
{
  size_t first, end = schedule_step_find(p, step, &first);
  int64_t least = INT64_MAX;
  for (size_t i = first; i < end; i++) {
    const schedule_stage_t *s = &p->piece[i].stage;
    if (round >= s->algorithm->rounds(&s->call)) continue;
    int64_t alike = schedule_alike(s->algorithm, &s->call, round);
    if (alike < least) least = alike;
  }
  return least < INT64_MAX ? least : 1;
}

/* Appends the messages of a piece's round. */
static bool add_piece(const schedule_piece_t *piece, int64_t round, size_t most,
                      schedule_messages_t *out)
{
  const schedule_stage_t *s = &piece->stage;
  size_t first = out->n;
  if (round >= s->algorithm->rounds(&s->call)) return true;
  bool added = add_ranks(s, round, NULL, s->call.size, most, out);
  for (size_t i = first; i < out->n; i++) {
    schedule_message_t *m = &out->message[i];
    if (piece->rank) m->src = piece->rank[m->src], m->dst = piece->rank[m->dst];
    m->n *= s->element;
  }
  return added;
}

bool schedule_step_messages(const schedule_pieces_t *p, int step, int64_t round, size_t most,
                            schedule_messages_t *out)
{
  size_t first, end = schedule_step_find(p, step, &first);
  bool added = true;
  out->n = 0;
  for (size_t i = first; i < end && added; i++) added = add_piece(&p->piece[i], round, most, out);
  return added;
}

/* --- walks --- */

enum { MOST_ROUNDS = 1 << 26 }; /* with more, all ranks are looked at in each */

/* Puts a rank where it may send from a round on. */
static void put(schedule_walk_t *w, int rank, int64_t round)
{
  int64_t next = schedule_next(w->stage->algorithm, &w->stage->call, rank, round);
  if (next >= w->rounds) return;
  w->next[rank] = w->first[next];
  w->first[next] = rank;
}

bool schedule_walk_begin(schedule_walk_t *w, const schedule_stage_t *s)
{
  *w = (schedule_walk_t){.stage = s, .rounds = s->algorithm->rounds(&s->call), .round = -1};
  size_t size = (size_t)s->call.size;
  if (!s->algorithm->next || w->rounds > MOST_ROUNDS) return true;
  w->first = malloc(((size_t)w->rounds + 1) * sizeof *w->first);
  w->next = malloc(size * sizeof *w->next);
  w->now = malloc(size * sizeof *w->now);
  if (!w->first || !w->next || !w->now) return false;
  for (int64_t i = 0; i <= w->rounds; i++) w->first[i] = -1;
  for (int rank = s->call.size - 1; rank >= 0; rank--) put(w, rank, 0);
  return true;
}

ORDER_VALUES(by_rank, int)

/* Goes on to a round: takes its ranks, and those of the rounds before that may send in it. */
static void go_on(schedule_walk_t *w, int64_t round)
{
  for (int i = 0; i < w->n_now; i++) put(w, w->now[i], round);
  for (int64_t k = w->round + 1; k < round; k++)
    for (int rank = w->first[k], next; rank >= 0; rank = next) {
      next = w->next[rank];
      put(w, rank, round);
    }
  bool sorted = true;
  w->n_now = 0;
  for (int rank = w->first[round]; rank >= 0; rank = w->next[rank]) {
    sorted &= w->n_now == 0 || w->now[w->n_now - 1] < rank;
    w->now[w->n_now++] = rank;
  }
  if (!sorted) qsort(w->now, (size_t)w->n_now, sizeof *w->now, by_rank);
  w->round = round;
}

bool schedule_walk_messages(schedule_walk_t *w, int64_t round, size_t most,
                            schedule_messages_t *out)
{
  if (!w->first) {
    w->looked += w->stage->call.size;
    return schedule_round_messages(w->stage, round, most, out);
  }
  go_on(w, round);
  w->looked += w->n_now;
  out->n = 0;
  return add_ranks(w->stage, round, w->now, w->n_now, most, out);
}

void schedule_walk_clear(schedule_walk_t *w)
{
  free(w->first);
  free(w->next);
  free(w->now);
  *w = (schedule_walk_t){0};
}
