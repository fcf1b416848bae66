/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs streams and ping-pongs between ranks.
 *
 * Receivers control streams. A sender starts with leave for `depth` batches. Each
 * acknowledgement of a batch gives leave for another one, until the receiver has timed enough.
 * So queues are empty when a stream ends, and the clock counts received messages only. */
#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "measure/measure.h"

enum { TAG_DATA = 100, TAG_LEAVE = 101, MAX_DEPTH = 2 };

/* One end of a stream. */
typedef struct end {
  int sends, peer, flow;
  int alone;    /* the rank has no other end, and its peer is on its host: it may wait in the
                   MPI, which takes less of what the cores share than testing does */
  char *buffer; /* measure_memory: a slot for each message in transit */
  MPI_Request *requests;  /* depth rows of `batch` */
  int pending[MAX_DEPTH]; /* whether a row is in transit */
  int row;                /* the next one */
  int done;
  /* Used by the sender. */
  MPI_Request leave_request;
  int leave;    /* the latest answer: go on, or not */
  long allowed; /* batches that may still be sent */
  int final;
  /* Used by the receiver. */
  long batches, first; /* received batches; their number when the clock started, or -1 */
  long posted;
  double start;
  long counted;          /* batches at the last look, of a stream in a window of time */
  double looked, before; /* when that was; batches when the window began */
  double *seconds;
} end_t;

static double now(void) { return MPI_Wtime(); }

static char *slot(const experiment_t *e, const end_t *x, int row, int i)
{
  return x->buffer + (size_t)(row * e->batch + i) * e->size;
}

static void post_receives(const experiment_t *e, end_t *x, int row)
{
  for (int i = 0; i < e->batch; i++)
    MPI_Irecv(slot(e, x, row, i), (int)e->size, MPI_BYTE, x->peer, TAG_DATA + 2 * x->flow,
              MPI_COMM_WORLD, &x->requests[row * e->batch + i]);
  x->pending[row] = 1;
  x->posted++;
}

static void post_sends(const experiment_t *e, end_t *x, int row)
{
  for (int i = 0; i < e->batch; i++)
    MPI_Isend(slot(e, x, row, i), (int)e->size, MPI_BYTE, x->peer, TAG_DATA + 2 * x->flow,
              MPI_COMM_WORLD, &x->requests[row * e->batch + i]);
  x->pending[row] = 1;
  x->allowed--;
}

static void post_leave(end_t *x)
{
  MPI_Irecv(&x->leave, 1, MPI_INT, x->peer, TAG_LEAVE + 2 * x->flow, MPI_COMM_WORLD,
            &x->leave_request);
}

static int row_complete(const experiment_t *e, end_t *x, int row)
{
  int complete = x->alone;
  MPI_Request *all = x->requests + row * e->batch;
  if (x->alone)
    MPI_Waitall(e->batch, all, MPI_STATUSES_IGNORE);
  else
    MPI_Testall(e->batch, all, &complete, MPI_STATUSES_IGNORE);
  if (complete) x->pending[row] = 0;
  return complete;
}

/* A step returns whether something happened. */
static int step_sender(const experiment_t *e, end_t *x)
{
  if (x->allowed > 0) {
    if (x->pending[x->row] && !row_complete(e, x, x->row)) return 0;
    post_sends(e, x, x->row);
    x->row = (x->row + 1) % e->depth;
    return 1;
  }
  if (!x->final) {
    int came = x->alone;
    if (x->alone)
      MPI_Wait(&x->leave_request, MPI_STATUS_IGNORE);
    else
      MPI_Test(&x->leave_request, &came, MPI_STATUS_IGNORE);
    if (!came) return 0;
    x->final = !x->leave;
    x->allowed += x->leave;
    if (!x->final) post_leave(x);
    return 1;
  }
  x->done = 1;
  for (int row = 0; row < e->depth; row++)
    if (x->pending[row] && !row_complete(e, x, row)) x->done = 0;
  return x->done;
}

/* Batches received until `at`, between the last look and t. */
static double batches_at(const end_t *x, double t, double at)
{
  return (double)x->counted +
         (double)(x->batches - x->counted) * (at - x->looked) / (t - x->looked);
}

/* Streams that are timed beside each other share one window: from warm_s to warm_s + time_s after
 * the start. Of a message that arrives at an end of it, a share counts. If each stream had a window
 * from one of its receipts to another, that of a slow one would end when others had ended, and what
 * it got then would be in the sum. */
static int window_over(const experiment_t *e, end_t *x, double t)
{
  double from = e->warm_s, to = from + e->time_s;
  if (x->looked < from && t >= from) x->before = batches_at(x, t, from);
  if (x->looked < to && t >= to)
    *x->seconds = e->time_s / ((batches_at(x, t, to) - x->before) * e->batch);
  x->looked = t;
  x->counted = x->batches;
  return t >= to && t >= e->hold_s;
}

/* Starts and stops the clock after a batch. */
static int count_over(const experiment_t *e, end_t *x)
{
  double t = now();
  if (x->first < 0) {
    if (x->batches < e->warm) return 0;
    x->first = x->batches;
    x->start = t;
    return 0;
  }
  long n = x->batches - x->first;
  if (n < e->count) return 0;
  *x->seconds = (t - x->start) / (double)(n * e->batch);
  return 1;
}

/* Looks at the clock at multiples of `depth` batches. Returns true if the stream may end. */
static int timed_enough(const experiment_t *e, end_t *x, double t0)
{
  if (x->batches % e->depth != 0) return 0;
  return e->time_s > 0 ? window_over(e, x, now() - t0) : count_over(e, x);
}

static int step_receiver(const experiment_t *e, end_t *x, double t0)
{
  if (!row_complete(e, x, x->row)) return 0;
  x->batches++;
  if (!x->final) {
    x->final = timed_enough(e, x, t0);
    int leave = !x->final;
    if (leave) post_receives(e, x, x->row);
    MPI_Send(&leave, 1, MPI_INT, x->peer, TAG_LEAVE + 2 * x->flow, MPI_COMM_WORLD);
  }
  x->row = (x->row + 1) % e->depth;
  x->done = x->final && x->batches == x->posted;
  return 1;
}

static int prepare(const experiment_t *e, end_t *x)
{
  size_t messages = (size_t)e->batch * (size_t)e->depth;
  x->buffer = measure_memory(messages * e->size);
  x->requests = malloc(messages * sizeof *x->requests);
  if (!x->buffer || !x->requests) return -1;
  x->allowed = e->depth;
  x->first = -1;
  if (x->sends)
    post_leave(x);
  else
    for (int row = 0; row < e->depth; row++) post_receives(e, x, row);
  return 0;
}

/* After a while without progress, the process sleeps in short naps. If ranks share cores, waiting
 * ranks would otherwise take time from working ones. Messages between hosts take longer than a nap.
 * Inside a host ranks copy them: a rank that slept would slow what it waits for. */
static void rest(int happened, int inside, double *idle_since)
{
  const double patience_s = 50e-6;
  double t = now();
  if (happened || *idle_since <= 0) {
    *idle_since = t;
  } else if (t - *idle_since > patience_s) {
    const struct timespec nap = {0, 20000};
    if (inside)
      sched_yield();
    else
      nanosleep(&nap, NULL);
  }
}

static void run_streams(const experiment_t *e, end_t *ends, int n)
{
  double t0 = now(), idle_since = 0;
  int left = n;
  for (int i = 0; i < n; i++)
    if (!ends[i].sends && e->warm == 0) {
      ends[i].first = 0;
      ends[i].start = t0;
    }
  while (left > 0) {
    int happened = left = 0, inside = 0;
    for (int i = 0; i < n; i++) {
      end_t *x = &ends[i];
      if (!x->done) happened |= x->sends ? step_sender(e, x) : step_receiver(e, x, t0);
      left += !x->done;
      inside |= !x->done && measure_is_near(x->peer);
    }
    rest(happened, inside, &idle_since);
  }
}

/* The receiver measures half a round trip. It sends first. */
static void run_pingpong(const experiment_t *e, const flow_t *f, int rank, char *buffer,
                         double *seconds)
{
  int peer = rank == f->dst ? f->src : f->dst, size = (int)e->size;
  double start = now();
  for (long i = 0; i < e->warm + e->count; i++) {
    if (i == e->warm) start = now();
    if (rank == f->dst) {
      MPI_Send(buffer, size, MPI_BYTE, peer, TAG_DATA, MPI_COMM_WORLD);
      MPI_Recv(buffer, size, MPI_BYTE, peer, TAG_DATA, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(buffer, size, MPI_BYTE, peer, TAG_DATA, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(buffer, size, MPI_BYTE, peer, TAG_DATA, MPI_COMM_WORLD);
    }
  }
  if (rank == f->dst) *seconds = (now() - start) / (2 * (double)e->count);
}

/* Finds the ends of flows at this rank. */
static int find_ends(const experiment_t *e, const flow_t *flows, int rank, end_t *ends,
                     double *seconds)
{
  int n = 0;
  for (int i = 0; i < e->n_flows; i++) {
    if (flows[i].src == rank) ends[n++] = (end_t){.sends = 1, .peer = flows[i].dst, .flow = i};
    if (flows[i].dst == rank)
      ends[n++] = (end_t){.peer = flows[i].src, .flow = i, .seconds = &seconds[i]};
  }
  return n;
}

int engine_run(const experiment_t *e, const flow_t *flows, int rank, void (*go)(void *),
               void *context, double *seconds)
{
  end_t *ends = calloc(2 * (size_t)e->n_flows, sizeof *ends);
  int n = ends ? find_ends(e, flows, rank, ends, seconds) : 0, failed = !ends;
  if (e->pingpong) {
    char *buffer = calloc(1, e->size + 1);
    if (buffer) go(context);
    if (buffer && n > 0) run_pingpong(e, flows, rank, buffer, seconds);
    failed |= !buffer;
    free(buffer);
  } else {
    for (int i = 0; i < n; i++) failed |= prepare(e, &ends[i]);
    if (n == 1) ends[0].alone = measure_is_near(ends[0].peer);
    if (!failed) {
      go(context);
      run_streams(e, ends, n);
    }
    for (int i = 0; i < n; i++) {
      measure_memory_free(ends[i].buffer);
      free(ends[i].requests);
    }
  }
  free(ends);
  return failed ? -1 : 0;
}
