/* SPDX-License-Identifier: BSD-3-Clause */
/* Carries out schedules: in a round, local steps as they come, and messages all at once until the
 * next local step. */
#include "coll/run.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "job/job_wait.h"
#include "schedule/schedule_parts.h"

enum { LONGEST = 1 << 30 }; /* bytes of a message */

static char *address(const run_t *run, const run_call_t *c, schedule_place_t place)
{
  const char *base = place.buffer == SCHEDULE_IN    ? c->in
                     : place.buffer == SCHEDULE_OUT ? c->out
                                                    : run->scratch.data;
  return (char *)(uintptr_t)base + (size_t)place.first * c->element;
}

int run_finish(run_t *run, int peer)
{
  int rc = MPI_SUCCESS, done = run->n == 0;
  for (int turn = 0; !done && rc == MPI_SUCCESS; turn++) {
    double looked = wait_now();
    rc = mpi.Testall((int)run->n, run->request, &done, MPI_STATUSES_IGNORE);
    if (!done) wait_turn(turn, run->world[peer], looked);
  }
  run->n = 0;
  return rc;
}

/* The bytes of the messages that aren't complete. Forgets those that are. */
static size_t still_sent(run_t *run)
{
  size_t n = 0, bytes = 0;
  for (size_t i = 0; i < run->n; i++) {
    if (run->request[i] == mpi.request_null) continue;
    run->request[n] = run->request[i];
    run->sent[n] = run->sent[i];
    bytes += run->sent[n++];
  }
  run->n = n;
  return bytes;
}

int run_wait_sent(run_t *run, int peer, size_t bytes)
{
  int rc = MPI_SUCCESS;
  size_t sent = still_sent(run);
  for (int turn = 0; rc == MPI_SUCCESS && sent > bytes; turn++) {
    double looked = wait_now();
    for (size_t i = 0; i < run->n && rc == MPI_SUCCESS; i++) {
      int done;
      rc = mpi.Test(&run->request[i], &done, MPI_STATUS_IGNORE);
    }
    sent = still_sent(run);
    if (rc == MPI_SUCCESS && sent > bytes) wait_turn(turn, run->world[peer], looked);
  }
  return rc;
}

/* Where the request of the next message goes. NULL: out of memory. */
static MPI_Request *next_request(run_t *run)
{
  bool grown = ARRAY_GROW(&run->request, run->n, &run->cap) &&
               ARRAY_GROW(&run->sent, run->n, &run->sent_cap);
  return grown ? &run->request[run->n] : NULL;
}

int run_send(run_t *run, int peer, const void *data, int64_t count, MPI_Datatype type, size_t bytes)
{
  MPI_Request *request = next_request(run);
  if (!request) return MPI_ERR_NO_MEM;
  int to = run->world[peer], tag = run->tag[peer];
#if MPI_VERSION >= 4
  int rc = mpi.Isend_c(data, (MPI_Count)count, type, to, tag, run->comm, request);
#else
  int rc = mpi.Isend(data, (int)count, type, to, tag, run->comm, request);
#endif
  run->sent[run->n] = bytes;
  if (rc == MPI_SUCCESS) run->n++;
  return rc;
}

int run_receive(run_t *run, int peer, void *data, int64_t count, MPI_Datatype type)
{
  MPI_Request *request = next_request(run);
  if (!request) return MPI_ERR_NO_MEM;
  int from = run->world[peer];
#if MPI_VERSION >= 4
  int rc = mpi.Irecv_c(data, (MPI_Count)count, type, from, run->own_tag, run->comm, request);
#else
  int rc = mpi.Irecv(data, (int)count, type, from, run->own_tag, run->comm, request);
#endif
  run->sent[run->n] = 0;
  if (rc == MPI_SUCCESS) run->n++;
  return rc;
}

/* Long ones go in several messages. */
int run_bytes(run_t *run, int peer, char *data, size_t bytes, bool sends)
{
  size_t at = 0;
  int rc = MPI_SUCCESS;
  do {
    int64_t piece = bytes - at < LONGEST ? (int64_t)(bytes - at) : LONGEST;
    rc = sends ? run_send(run, peer, data + at, piece, mpi.byte, (size_t)piece)
               : run_receive(run, peer, data + at, piece, mpi.byte);
    at += (size_t)piece;
  } while (at < bytes && rc == MPI_SUCCESS);
  return rc;
}

static int begin_message(run_t *run, const run_call_t *c, const schedule_step_t *s)
{
  bool sends = s->kind == STEP_SEND;
  return run_bytes(run, c->peer[s->peer], address(run, c, sends ? s->from : s->to),
                   (size_t)s->n * c->element, sends);
}

/* Room that reduction_right needs is behind the schedule's own. */
static int local_step(run_t *run, const run_call_t *c, const schedule_step_t *s, size_t own)
{
  char *to = address(run, c, s->to), *from = address(run, c, s->from);
  size_t n = (size_t)s->n;
  if (n == 0) return MPI_SUCCESS;
  switch (s->kind) {
  case STEP_COPY:
    if (to != from) memmove(to, from, n * c->element);
    return MPI_SUCCESS;
  case STEP_REDUCE:
    return reduction_right(c->reduce, to, from, n, run->scratch.data + own);
  default:
    return reduction_left(c->reduce, from, to, n);
  }
}

/* A call with something beside it, while it is carried out. */
typedef struct course {
  const run_beside_t *beside;
  schedule_parts_t used, final;
  size_t n_used, n_final; /* that are done */
} course_t;

/* Parts up to a time, in half rounds, are made or told of. */
static int go_on(const schedule_parts_t *p, size_t *at, int64_t when,
                 int (*does)(void *with, span_t part), void *with)
{
  int rc = MPI_SUCCESS;
  for (; *at < p->n && p->part[*at].when <= when && rc == MPI_SUCCESS; ++*at)
    rc = does(with, p->part[*at].span);
  return rc;
}

static int need_until(course_t *course, int64_t when)
{
  if (!course->beside) return MPI_SUCCESS;
  return go_on(&course->used, &course->n_used, when, course->beside->need, course->beside->with);
}

/* The messages of a round are under way: what it will use, and what the next one begins with. */
static int meanwhile(course_t *course, int64_t round)
{
  const run_beside_t *b = course->beside;
  if (!b) return MPI_SUCCESS;
  int rc = go_on(&course->final, &course->n_final, 2 * round, b->have, b->with);
  if (rc == MPI_SUCCESS) rc = need_until(course, 2 * round + 2);
  return rc == MPI_SUCCESS ? b->pass_on(b->with) : rc;
}

static int do_round(run_t *run, const run_call_t *c, course_t *course, int64_t round, size_t own)
{
  int peer = 0;
  bool met = false; /* what happens meanwhile has */
  int rc = need_until(course, 2 * round);
  run->steps.n = 0;
  schedule_steps(c->algorithm, &c->call, c->me, round, &run->steps);
  if (run->steps.lost) return MPI_ERR_NO_MEM;
  for (size_t i = 0; i < run->steps.n && rc == MPI_SUCCESS; i++) {
    const schedule_step_t *s = &run->steps.step[i];
    if (s->kind == STEP_SEND || s->kind == STEP_RECV) {
      peer = c->peer[s->peer];
      rc = begin_message(run, c, s);
      continue;
    }
    if (run->n > 0 && !met) rc = meanwhile(course, round);
    met |= run->n > 0;
    if (rc == MPI_SUCCESS) rc = run_finish(run, peer);
    if (rc == MPI_SUCCESS) rc = local_step(run, c, s, own);
  }
  if (!met && rc == MPI_SUCCESS) rc = meanwhile(course, round);
  int code = run_finish(run, peer);
  return rc == MPI_SUCCESS ? code : rc;
}

/* Sees what will be used and what stays, when. False: out of memory. */
static bool look_ahead(const run_call_t *c, course_t *course)
{
  const run_beside_t *b = course->beside = c->beside;
  bool seen = true;
  if (b && b->need)
    seen = schedule_parts_used(c->algorithm, &c->call, c->me, b->in_place, &course->used);
  if (b && b->have && seen)
    seen = schedule_parts_final(c->algorithm, &c->call, c->me, b->total, &course->final);
  return seen;
}

int run_schedule(run_t *run, const run_call_t *c)
{
  size_t own = (size_t)schedule_scratch(c->algorithm, &c->call, c->me) * c->element;
  size_t more = c->reduce && !c->reduce->commutative ? (size_t)c->call.count * c->element : 0;
  if (!space_take(&run->scratch, own + more)) return MPI_ERR_NO_MEM;
  course_t course = {0};
  int64_t rounds = c->algorithm->rounds(&c->call);
  int rc = look_ahead(c, &course) ? MPI_SUCCESS : MPI_ERR_NO_MEM;
  for (int64_t round = 0; round < rounds && rc == MPI_SUCCESS; round++)
    rc = do_round(run, c, &course, round, own);
  if (rc == MPI_SUCCESS && c->beside && c->beside->have)
    rc = go_on(&course.final, &course.n_final, 2 * rounds, c->beside->have, c->beside->with);
  schedule_parts_clear(&course.used);
  schedule_parts_clear(&course.final);
  return rc;
}

void run_clear(run_t *run)
{
  schedule_steps_clear(&run->steps);
  free(run->request);
  free(run->sent);
  space_free(&run->scratch);
  *run = (run_t){.own_tag = -1};
}
