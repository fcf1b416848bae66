/* SPDX-License-Identifier: BSD-3-Clause */
/* Carries out schedules: in a round, local steps as they come, and messages all at once until the
 * next local step. */
#include "coll/run.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "coll/coll_wait.h"

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

static int do_round(run_t *run, const run_call_t *c, int64_t round, size_t own)
{
  int rc = MPI_SUCCESS, peer = 0;
  run->steps.n = 0;
  schedule_steps(c->algorithm, &c->call, c->me, round, &run->steps);
  if (run->steps.lost) return MPI_ERR_NO_MEM;
  for (size_t i = 0; i < run->steps.n && rc == MPI_SUCCESS; i++) {
    const schedule_step_t *s = &run->steps.step[i];
    if (s->kind == STEP_SEND || s->kind == STEP_RECV) {
      peer = c->peer[s->peer];
      rc = begin_message(run, c, s);
    } else {
      rc = run_finish(run, peer);
      if (rc == MPI_SUCCESS) rc = local_step(run, c, s, own);
    }
  }
  int code = run_finish(run, peer);
  return rc == MPI_SUCCESS ? code : rc;
}

int run_schedule(run_t *run, const run_call_t *c)
{
  size_t own = (size_t)schedule_scratch(c->algorithm, &c->call, c->me) * c->element;
  size_t more = c->reduce && !c->reduce->commutative ? (size_t)c->call.count * c->element : 0;
  if (!space_take(&run->scratch, own + more)) return MPI_ERR_NO_MEM;
  int64_t rounds = c->algorithm->rounds(&c->call);
  int rc = MPI_SUCCESS;
  for (int64_t round = 0; round < rounds && rc == MPI_SUCCESS; round++)
    rc = do_round(run, c, round, own);
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
