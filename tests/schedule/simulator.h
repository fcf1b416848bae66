/* SPDX-License-Identifier: BSD-3-Clause */
/* Plays a schedule on values that know where they come from, and says what isn't right. */
#ifndef BERTH_TESTS_SIMULATOR_H
#define BERTH_TESTS_SIMULATOR_H

#include "harness.h"
#include "schedule/call_block.h"
#include "schedule/schedule.h"

enum { MOST_RANKS = 64, BUFFERS = 3 };

/* Element `index` of the input of one rank, or the reduction of those of several. first and last
 * are kept where the order of operands counts. ranks 0: nobody wrote here. */
typedef struct value {
  uint64_t ranks;
  int64_t index;
  int first, last;
} value_t;

typedef struct memory {
  value_t *at[BUFFERS];
  int64_t n[BUFFERS];
  uint64_t knows; /* ranks that have begun the call, as far as this one can know */
} memory_t;

typedef struct message {
  int from, to, next; /* next: of the same pair, -1: none */
  int64_t n;
  value_t *values;
  uint64_t knows;
  bool received, lost;
} message_t;

/* One step that is played otherwise. The last two tell whether anyone needs what it moves, or the
 * last element of that: then the result alone counts. */
typedef struct mistake {
  enum {
    NO_MISTAKE,
    LOSE_STEP,
    OTHER_PEER,
    OTHER_PLACE,
    FEWER,
    OTHER_SIDE,
    LOSE_DATA,
    LOSE_LAST
  } kind;
  int64_t at; /* the number of the step in the whole call */
} mistake_t;

typedef struct simulator {
  const schedule_algorithm_t *algorithm;
  const schedule_call_t *call;
  mistake_t mistake;
  void (*moment)(struct simulator *s, int64_t when); /* NULL, or called at each moment of
                                                        schedule_parts.h */
  int64_t steps;                                     /* so far */
  bool changed; /* the mistake was made, and moves other values */
  const schedule_step_t *spoiled;
  int64_t meant; /* where it should have read */
  memory_t rank[MOST_RANKS];
  schedule_steps_t list[MOST_RANKS]; /* of this round */
  message_t *message;
  int n, cap, head[MOST_RANKS][MOST_RANKS];
  char wrong[200]; /* "": nothing */
} simulator_t;

#define WRONG(s, ...)                                                                              \
  do {                                                                                             \
    if (!*(s)->wrong) snprintf((s)->wrong, sizeof(s)->wrong, __VA_ARGS__);                         \
  } while (0)

/* --- what a call begins and ends with --- */

static int64_t input_size(const schedule_call_t *c, int rank)
{
  switch (c->op) {
  case SCHEDULE_BARRIER:
  case SCHEDULE_BCAST:
    return 0;
  case SCHEDULE_SCATTER:
  case SCHEDULE_SCATTERV:
    return rank == c->root ? block_total(c) : 0;
  case SCHEDULE_ALLTOALL:
  case SCHEDULE_ALLTOALLV:
  case SCHEDULE_ALLTOALLW:
    return sent_first(c, rank, c->size);
  case SCHEDULE_REDUCE_SCATTER_BLOCK:
  case SCHEDULE_REDUCE_SCATTER:
    return block_total(c);
  case SCHEDULE_GATHERV:
  case SCHEDULE_ALLGATHERV:
    return block_size(c, rank);
  default:
    return c->count;
  }
}

static int64_t output_size(const schedule_call_t *c, int rank)
{
  switch (c->op) {
  case SCHEDULE_BARRIER:
    return 0;
  case SCHEDULE_REDUCE:
    return rank == c->root ? c->count : 0;
  case SCHEDULE_GATHER:
  case SCHEDULE_GATHERV:
    return rank == c->root ? block_total(c) : 0;
  case SCHEDULE_ALLGATHER:
  case SCHEDULE_ALLGATHERV:
    return block_total(c);
  case SCHEDULE_ALLTOALL:
  case SCHEDULE_ALLTOALLV:
  case SCHEDULE_ALLTOALLW:
    return got_first(c, c->size, rank);
  case SCHEDULE_SCATTERV:
  case SCHEDULE_REDUCE_SCATTER:
    return block_size(c, rank);
  default:
    return c->count;
  }
}

static uint64_t ranks_below(int n) { return n >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1; }

static value_t given(int rank, int64_t index)
{
  return (value_t){UINT64_C(1) << rank, index, rank, rank};
}

/* Whose block has element i of a rank's output, if that has one of each rank. */
static int giver(const schedule_call_t *c, int rank, int64_t i)
{
  int from = 0;
  bool pairs = c->op == SCHEDULE_ALLTOALL || schedule_block_kind(c->op) == SCHEDULE_PAIR_BLOCKS;
  while (from < c->size - 1 &&
         i >= (pairs ? got_first(c, from + 1, rank) : block_first(c, from + 1)))
    from++;
  return from;
}

/* What element i of a rank's output must be. */
static value_t expected(const schedule_call_t *c, int rank, int64_t i)
{
  int from = giver(c, rank, i);
  value_t all = {ranks_below(c->size), i, 0, c->size - 1};
  switch (c->op) {
  case SCHEDULE_BCAST:
    return given(c->root, i);
  case SCHEDULE_GATHER:
  case SCHEDULE_GATHERV:
  case SCHEDULE_ALLGATHER:
  case SCHEDULE_ALLGATHERV:
    return given(from, i - block_first(c, from));
  case SCHEDULE_SCATTER:
  case SCHEDULE_SCATTERV:
    return given(c->root, block_first(c, rank) + i);
  case SCHEDULE_ALLTOALL:
  case SCHEDULE_ALLTOALLV:
  case SCHEDULE_ALLTOALLW:
    return given(from, sent_first(c, from, rank) + i - got_first(c, from, rank));
  case SCHEDULE_REDUCE_SCATTER_BLOCK:
  case SCHEDULE_REDUCE_SCATTER:
    all.index = block_first(c, rank) + i;
    return all;
  case SCHEDULE_SCAN:
    return (value_t){ranks_below(rank + 1), i, 0, rank};
  case SCHEDULE_EXSCAN:
    return (value_t){ranks_below(rank), i, 0, rank - 1};
  default:
    return all;
  }
}

static void begin(simulator_t *s)
{
  memset(s->head, -1, sizeof s->head);
  for (int r = 0; r < s->call->size; r++) {
    memory_t *m = &s->rank[r];
    m->n[SCHEDULE_IN] = input_size(s->call, r);
    m->n[SCHEDULE_OUT] = output_size(s->call, r);
    m->n[SCHEDULE_SCRATCH] = schedule_scratch(s->algorithm, s->call, r);
    m->knows = UINT64_C(1) << r;
    for (int b = 0; b < BUFFERS; b++) m->at[b] = calloc((size_t)m->n[b] + 1, sizeof **m->at);
    for (int64_t i = 0; i < m->n[SCHEDULE_IN]; i++) m->at[SCHEDULE_IN][i] = given(r, i);
    bool source = s->call->op == SCHEDULE_BCAST && r == s->call->root;
    for (int64_t i = 0; source && i < m->n[SCHEDULE_OUT]; i++) m->at[SCHEDULE_OUT][i] = given(r, i);
  }
}

static void compare(simulator_t *s)
{
  const schedule_call_t *c = s->call;
  for (int r = 0; r < c->size; r++) {
    memory_t *m = &s->rank[r];
    if (c->op == SCHEDULE_BARRIER && m->knows != ranks_below(c->size))
      WRONG(s, "rank %d leaves before all have come", r);
    for (int64_t i = 0; i < m->n[SCHEDULE_OUT]; i++) {
      value_t want = expected(c, r, i), got = m->at[SCHEDULE_OUT][i];
      bool ordered = c->commutative || (want.first == got.first && want.last == got.last);
      if (want.ranks != got.ranks || (want.ranks && (want.index != got.index || !ordered)))
        WRONG(s, "rank %d: element %lld is %lld of ranks %llx, expected %lld of %llx", r,
              (long long)i, (long long)got.index, (unsigned long long)got.ranks,
              (long long)want.index, (unsigned long long)want.ranks);
    }
  }
}

/* --- steps --- */

/* n elements of a rank's memory; NULL if they aren't all there. */
static value_t *place(simulator_t *s, int rank, schedule_place_t p, int64_t n)
{
  memory_t *m = &s->rank[rank];
  if (p.first >= 0 && p.first + n <= m->n[p.buffer]) return m->at[p.buffer] + p.first;
  WRONG(s, "rank %d: elements %lld to %lld of buffer %d, which has %lld", rank, (long long)p.first,
        (long long)(p.first + n), p.buffer, (long long)m->n[p.buffer]);
  return NULL;
}

/* What a step reads. A mistake that reads the same values elsewhere is none. */
static value_t *readable(simulator_t *s, int rank, const schedule_step_t *step)
{
  value_t *from = place(s, rank, step->from, step->n);
  if (step != s->spoiled || s->mistake.kind != OTHER_PLACE || !from) return from;
  value_t *meant = s->rank[rank].at[step->from.buffer] + s->meant;
  if (memcmp(from, meant, (size_t)step->n * sizeof *from) == 0) s->changed = false;
  return from;
}

static value_t *writable(simulator_t *s, int rank, schedule_place_t p, int64_t n)
{
  if (p.buffer == SCHEDULE_IN && n > 0) WRONG(s, "rank %d: writes to its input", rank);
  return place(s, rank, p, n);
}

static value_t reduced(simulator_t *s, int rank, value_t left, value_t right)
{
  bool apart = (left.ranks & right.ranks) == 0, adjacent = left.last + 1 == right.first;
  value_t sum = {left.ranks | right.ranks, left.index, left.first, right.last};
  if (s->mistake.kind >= LOSE_DATA) return sum; /* the result alone counts */
  if (!left.ranks || !right.ranks) WRONG(s, "rank %d: reduces what nobody wrote", rank);
  if (left.index != right.index) WRONG(s, "rank %d: reduces different elements", rank);
  if (!apart) WRONG(s, "rank %d: reduces the same rank's element twice", rank);
  if (!s->call->commutative && !adjacent) WRONG(s, "rank %d: reduces in another order", rank);
  return sum;
}

static bool is_lost(const simulator_t *s, const schedule_step_t *step)
{
  return step == s->spoiled && s->mistake.kind == LOSE_DATA;
}

/* How many elements a local step moves. */
static int64_t moved(const simulator_t *s, const schedule_step_t *step)
{
  if (is_lost(s, step)) return 0;
  return step == s->spoiled && s->mistake.kind == LOSE_LAST ? step->n - 1 : step->n;
}

static void play_local(simulator_t *s, int rank, const schedule_step_t *step)
{
  value_t *to = writable(s, rank, step->to, step->n), *from = readable(s, rank, step);
  for (int64_t i = 0; to && from && i < moved(s, step); i++)
    to[i] = step->kind == STEP_COPY     ? from[i]
            : step->kind == STEP_REDUCE ? reduced(s, rank, to[i], from[i])
                                        : reduced(s, rank, from[i], to[i]);
}

static void send(simulator_t *s, int rank, const schedule_step_t *step)
{
  value_t *from = readable(s, rank, step);
  if (step->peer < 0 || step->peer >= s->call->size || step->peer == rank) {
    WRONG(s, "rank %d sends to %d", rank, step->peer);
    return;
  }
  if (!from) return;
  if (s->n == s->cap) {
    s->cap = s->cap ? 2 * s->cap : 64;
    s->message = realloc(s->message, (size_t)s->cap * sizeof *s->message);
  }
  message_t *m = &s->message[s->n];
  *m = (message_t){rank, step->peer,          -1,    step->n,
                   NULL, s->rank[rank].knows, false, is_lost(s, step)};
  m->values = malloc(((size_t)step->n + 1) * sizeof *m->values);
  memcpy(m->values, from, (size_t)step->n * sizeof *from);
  bool written = !(s->algorithm->needs & SCHEDULE_UNWRITTEN) && s->mistake.kind < LOSE_DATA;
  for (int64_t i = 0; i < step->n; i++)
    if (!from[i].ranks && written) WRONG(s, "rank %d sends what nobody wrote", rank);
  int *link = &s->head[rank][step->peer];
  while (*link >= 0) link = &s->message[*link].next;
  *link = s->n++;
}

static void receive(simulator_t *s, int rank, const schedule_step_t *step)
{
  value_t *to = writable(s, rank, step->to, step->n);
  bool valid = step->peer >= 0 && step->peer < s->call->size && step->peer != rank;
  int *link = valid ? &s->head[step->peer][rank] : NULL;
  if (!link || *link < 0) {
    WRONG(s, "rank %d waits for a message of %d", rank, step->peer);
    return;
  }
  message_t *m = &s->message[*link];
  *link = m->next;
  m->received = true;
  if (m->n != step->n)
    WRONG(s, "rank %d: %lld elements of %d, expected %lld", rank, (long long)m->n, m->from,
          (long long)step->n);
  else if (to && !m->lost && !is_lost(s, step))
    memcpy(to, m->values, (size_t)m->n * sizeof *to);
  s->rank[rank].knows |= m->knows;
}

static bool is_local(const schedule_step_t *step)
{
  return step->kind != STEP_SEND && step->kind != STEP_RECV;
}

/* --- mistakes --- */

static void spoil(simulator_t *s, schedule_step_t *step)
{
  schedule_place_t *read = step->kind == STEP_RECV ? &step->to : &step->from;
  switch (s->mistake.kind) {
  case OTHER_PEER:
    step->peer = is_local(step) ? step->peer : (step->peer + 1) % s->call->size;
    break;
  case OTHER_PLACE:
    read->first += read->first > 0 ? -1 : 1;
    break;
  case FEWER:
    step->n -= step->n > 0;
    break;
  case OTHER_SIDE:
    if (step->kind == STEP_REDUCE || step->kind == STEP_REDUCE_LEFT)
      step->kind = STEP_REDUCE + STEP_REDUCE_LEFT - step->kind;
    break;
  default:
    break;
  }
}

/* The steps of all ranks in a round, with the mistake if it is among them. */
static void take_steps(simulator_t *s, int64_t round)
{
  for (int r = 0; r < s->call->size; r++) {
    schedule_steps_t *l = &s->list[r];
    l->n = 0;
    schedule_steps(s->algorithm, s->call, r, round, l);
    for (size_t i = 0; i < l->n; i++) {
      if (s->steps++ != s->mistake.at || s->mistake.kind == NO_MISTAKE) continue;
      schedule_step_t before = l->step[i];
      s->spoiled = &l->step[i];
      s->meant = before.from.first;
      if (s->mistake.kind == LOSE_STEP)
        memmove(&l->step[i], &l->step[i + 1], (--l->n - i) * sizeof *l->step);
      else
        spoil(s, &l->step[i]);
      s->changed = s->mistake.kind == LOSE_STEP || memcmp(&before, &l->step[i], sizeof before) != 0;
    }
  }
}

/* --- a round --- */

static void play_round(simulator_t *s, int64_t round)
{
  int size = s->call->size;
  size_t after[MOST_RANKS];
  for (int r = 0; r < size; r++) {
    const schedule_steps_t *l = &s->list[r];
    size_t i = 0;
    for (; i < l->n && is_local(&l->step[i]); i++) play_local(s, r, &l->step[i]);
    for (; i < l->n && !is_local(&l->step[i]); i++)
      if (l->step[i].kind == STEP_SEND) send(s, r, &l->step[i]);
    after[r] = i;
  }
  for (int r = 0; r < size; r++)
    for (size_t i = 0; i < after[r]; i++)
      if (s->list[r].step[i].kind == STEP_RECV) receive(s, r, &s->list[r].step[i]);
  if (s->moment) s->moment(s, 2 * round + 1);
  for (int r = 0; r < size; r++)
    for (size_t i = after[r]; i < s->list[r].n; i++) {
      if (!is_local(&s->list[r].step[i])) WRONG(s, "rank %d: a message after local steps", r);
      play_local(s, r, &s->list[r].step[i]);
    }
  for (int i = 0; i < s->n; i++) {
    message_t *m = &s->message[i];
    if (!m->received) WRONG(s, "rank %d receives nothing of what %d sends", m->to, m->from);
    s->head[m->from][m->to] = -1;
    free(m->values);
  }
  s->n = 0;
}

/* Plays a call; s->wrong says what isn't right. */
static void play(simulator_t *s)
{
  const schedule_algorithm_t *a = s->algorithm;
  const schedule_call_t *c = s->call;
  begin(s);
  int64_t rounds = a->rounds(c);
  if (s->moment) s->moment(s, 0);
  for (int64_t round = 0; round < rounds && !*s->wrong; round++) {
    take_steps(s, round);
    play_round(s, round);
    s->spoiled = NULL;
    if (s->moment) s->moment(s, 2 * round + 2);
    if (*s->wrong) {
      size_t n = strlen(s->wrong);
      snprintf(s->wrong + n, sizeof s->wrong - n, ", in round %lld", (long long)round);
    }
  }
  if (!*s->wrong) compare(s);
  for (int r = 0; r < c->size; r++) {
    for (int b = 0; b < BUFFERS; b++) free(s->rank[r].at[b]);
    schedule_steps_clear(&s->list[r]);
  }
  free(s->message);
}

static void simulate(simulator_t *s, const schedule_algorithm_t *a, const schedule_call_t *c,
                     mistake_t mistake)
{
  *s = (simulator_t){.algorithm = a, .call = c, .mistake = mistake};
  play(s);
}

#endif
