/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll/tune.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/order.h"
#include "coll/coll_tags.h"
#include "coll/job.h"
#include "coll/reader.h"
#include "coll/tune_call.h"
#include "coll/tune_choices.h"
#include "coll/tuned.h"

/* Rounds in which every choice is measured once; and calls of a choice in a round. */
enum { ROUNDS = 5, MOST_CALLS = 64 };
#define ROUND_S 2e-3 /* seconds of a choice in a round, unless a single call takes longer */
/* How many times as long as the fastest a choice may take after a round to be measured again. */
static const double hopeless[ROUNDS] = {1.6, 1.3, 1.15, 1.15, 1.15};

/* --- one cell, on the ranks of its communicator --- */

ORDER_VALUES(by_value, double)

static double median(double *values, int n)
{
  qsort(values, (size_t)n, sizeof *values, by_value);
  return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/* Times of calls, as all ranks know them: those of the slowest rank. */
typedef struct timed {
  double of_call[MOST_CALLS];
  int n;
} timed_t;

/* A barrier of the MPI stands before each call; only the call counts. */
static void time_calls(const tune_call_t *t, void (*call)(const tune_call_t *, const void *),
                       const void *with, int n, timed_t *out)
{
  double own[MOST_CALLS];
  for (int i = 0; i < n; i++) {
    mpi.Barrier(t->handle);
    double begin = clock_s();
    call(t, with);
    own[i] = clock_s() - begin;
  }
  out->n = n;
  mpi.Allreduce(own, out->of_call, n, mpi.c_double, mpi.max, t->handle);
}

/* A choice while it is measured. */
typedef struct tried {
  bool given_up;
  tuned_choice_t choice;
  double time[ROUNDS]; /* medians of rounds */
  int n;
  double typical; /* their median */
} tried_t;

static void call_choice(const tune_call_t *t, const void *with)
{
  const tried_t *c = with;
  tuned_force(&c->choice);
  tune_call(t, c->choice.mpi);
  tuned_force(NULL);
}

static void call_within(const tune_call_t *t, const void *with)
{
  (void)with;
  tune_call_within(t);
}

/* Calls of a round, by what the first one took. */
static int calls_for(double seconds)
{
  double n = ROUND_S / fmax(seconds, 1e-7);
  return n < 1 ? 1 : n > MOST_CALLS ? MOST_CALLS : (int)n;
}

static void measure_once(const tune_call_t *t, tried_t *c)
{
  timed_t timed;
  double times[ROUNDS];
  if (c->n == 0) {
    time_calls(t, call_choice, c, 1, &timed); /* makes connections */
    c->typical = timed.of_call[0];
  }
  time_calls(t, call_choice, c, calls_for(c->typical), &timed);
  c->time[c->n++] = median(timed.of_call, timed.n);
  memcpy(times, c->time, sizeof times);
  c->typical = median(times, c->n);
}

static double least_of(const tried_t *c, int n)
{
  double least = INFINITY;
  for (int i = 0; i < n; i++) least = fmin(least, c[i].typical);
  return least;
}

/* The choices in turns. Those that are hopeless are given up after a round, unless all are asked
 * for. */
static void measure_choices(const tune_call_t *t, tried_t *c, int n)
{
  for (int round = 0; round < ROUNDS; round++) {
    for (int i = 0; i < n; i++)
      if (!c[i].given_up) measure_once(t, &c[i]);
    double least = least_of(c, n);
    for (int i = 0; i < n && !coll_job.settings.tune_all; i++)
      c[i].given_up |= c[i].typical > hopeless[round] * least;
  }
}

static double measure_within(const tune_call_t *t)
{
  timed_t timed;
  time_calls(t, call_within, NULL, 1, &timed);
  time_calls(t, call_within, NULL, calls_for(timed.of_call[0]), &timed);
  return median(timed.of_call, timed.n);
}

/* --- what rank 0 says of a cell --- */

/* What is to be measured, as it goes to all ranks. The members follow, unless all ranks are. */
typedef struct order {
  schedule_op_t op;
  int ranks, n;
  bool is_world;
  uint64_t bytes;
  berth_choice_t choice[BERTH_MAX_CHOICES];
} order_t;

/* What the lowest member answers: seconds. */
typedef struct answer {
  double within, seconds[BERTH_MAX_CHOICES]; /* below 0: not measured */
} answer_t;

static void measure_cell(const order_t *o, MPI_Comm comm, answer_t *out)
{
  tune_call_t t;
  static tried_t tried[BERTH_MAX_CHOICES];
  coll_comm_t *c = coll_find(comm);
  memset(tried, 0, sizeof tried);
  for (int i = 0; i < BERTH_MAX_CHOICES; i++) out->seconds[i] = -1;
  out->within = -1;
  uint64_t able = c && tune_call_begin(&t, c, comm, o->op, (size_t)o->bytes), all = 0;
  for (int i = 0; able && i < o->n; i++)
    able = tuned_choice_of(o->op, &o->choice[i], &tried[i].choice);
  mpi.Allreduce(&able, &all, 1, mpi.uint64, mpi.min, comm);
  if (all) {
    out->within = measure_within(&t);
    measure_choices(&t, tried, o->n);
    for (int i = 0; i < o->n; i++) out->seconds[i] = tried[i].typical;
  }
  if (c) tune_call_end(&t);
}

/* All ranks of the job call it. Rank 0 gets the answer. */
static bool carry_out(order_t *o, int *members, answer_t *out)
{
  MPI_Comm comm = mpi.comm_world;
  int rank = coll_job.rank, color = MPI_UNDEFINED, place = 0, lead = o->is_world ? 0 : members[0];
  for (int i = 0; !o->is_world && i < o->ranks; i++)
    if (members[i] == rank) color = 0, place = i;
  if (!o->is_world && mpi.Comm_split(mpi.comm_world, color, place, &comm) != MPI_SUCCESS)
    return false;
  if (o->is_world || color == 0) measure_cell(o, comm, out);
  if (!o->is_world && color == 0) mpi.Comm_free(&comm);
  if (lead == 0) return true;
  if (rank == lead) mpi.Send(out, sizeof *out, mpi.byte, 0, TAG_NETWORK, coll_job.own);
  if (rank == 0)
    mpi.Recv(out, sizeof *out, mpi.byte, lead, TAG_NETWORK, coll_job.own, MPI_STATUS_IGNORE);
  return true;
}

/* --- rank 0 --- */

typedef struct tuner {
  const char *path;
  berth_tuning_t t;
  double begin, limit; /* seconds */
  bool shows;
  int *members; /* room for all ranks */
} tuner_t;

/* The hosts of a cell's ranks, and the ranks of the largest. */
static void count_hosts(const tuner_t *u, berth_tuned_cell_t *c, int *largest)
{
  int *n = u->members; /* not yet needed */
  memset(n, 0, (size_t)coll_job.n * sizeof *n);
  c->hosts = *largest = 0;
  for (int i = 0; i < c->ranks; i++) {
    int host = coll_job.host[c->members ? c->members[i] : i];
    c->hosts += n[host]++ == 0;
    if (n[host] > *largest) *largest = n[host];
  }
}

/* Whether an earlier cell is the same one on other ranks. */
static bool is_measured(const berth_tuning_t *t, size_t i)
{
  const berth_tuned_cell_t *c = &t->cell[i];
  for (size_t k = 0; k < i; k++) {
    const berth_tuned_cell_t *other = &t->cell[k];
    if (other->n_choices > 0 && strcmp(other->operation, c->operation) == 0 &&
        other->ranks == c->ranks && other->hosts == c->hosts &&
        berth_tuning_digits(other->bytes) == berth_tuning_digits(c->bytes))
      return true;
  }
  return false;
}

/* What is to be measured of a cell. False: nothing. */
static bool give_order(tuner_t *u, size_t i, order_t *o)
{
  berth_tuned_cell_t *c = &u->t.cell[i];
  schedule_op_t op;
  int largest;
  c->n_choices = 0;
  count_hosts(u, c, &largest);
  if (c->ranks < 2 || !schedule_op_find(c->operation, &op) || is_measured(&u->t, i)) return false;
  const tune_shape_t s = {
      op, c->ranks, c->hosts, largest, (int64_t)c->bytes, coll_job.half, coll_job.bandwidth};
  c->n_choices = tune_choices(&s, coll_job.settings.tune_all, c->choice);
  *o = (order_t){op, c->ranks, c->n_choices, !c->members, c->bytes, {{""}}};
  memcpy(o->choice, c->choice, sizeof o->choice);
  if (c->members) memcpy(u->members, c->members, (size_t)c->ranks * sizeof *c->members);
  return true;
}

ORDER_BY(by_time, berth_choice_t, RISING(measured_s))

/* The library's own choice stands first where it is as good as measured: within some percent. */
#define AS_GOOD 1.03

static void take_answer(berth_tuned_cell_t *c, const answer_t *a)
{
  int kept = 0;
  c->within_s = a->within;
  for (int k = 0; k < c->n_choices; k++) {
    berth_choice_t *one = &c->choice[k];
    one->measured_s = a->seconds[k];
    if (one->predicted_s >= 0 && a->within >= 0) one->predicted_s += a->within;
  }
  const berth_choice_t own = c->choice[0];
  for (int k = 0; k < c->n_choices; k++)
    if (c->choice[k].measured_s >= 0) c->choice[kept++] = c->choice[k];
  c->n_choices = kept;
  qsort(c->choice, (size_t)kept, sizeof *c->choice, by_time);
  for (int k = kept - 1; k > 0; k--) {
    if (!tune_is_same(&c->choice[k], &own) || own.measured_s > AS_GOOD * c->choice[0].measured_s)
      continue;
    memmove(c->choice + 1, c->choice, (size_t)k * sizeof *c->choice);
    c->choice[0] = own;
    break;
  }
}

/* --- all ranks --- */

static bool read_plan(tuner_t *u, const char *path)
{
  u->path = path;
  u->begin = clock_s();
  u->limit = coll_job.settings.tune_seconds;
  u->shows = isatty(STDERR_FILENO);
  return reader_load_tuning("BERTH_TUNE", path, coll_job.n, &u->t);
}

/* The next order to all ranks; false: there is none. Rank 0 goes on from cell *i. */
static bool next_order(tuner_t *u, size_t *i, order_t *o)
{
  uint64_t more = 0;
  for (; coll_job.rank == 0 && !more && *i < u->t.n; ++*i) {
    if (u->shows) coll_progress("measuring calls", *i + 1, u->t.n);
    more = (u->limit <= 0 || clock_s() - u->begin < u->limit) && give_order(u, *i, o);
  }
  if (mpi.Bcast(&more, 1, mpi.uint64, 0, mpi.comm_world) != MPI_SUCCESS || !more) return false;
  mpi.Bcast(o, sizeof *o, mpi.byte, 0, mpi.comm_world);
  if (!o->is_world)
    mpi.Bcast(u->members, o->ranks * (int)sizeof *u->members, mpi.byte, 0, mpi.comm_world);
  return true;
}

/* Keeps what was measured, for this job and for later ones. */
static void keep(tuner_t *u, size_t measured)
{
  size_t n = 0;
  tuned_cell_t *list = NULL;
  if (coll_job.rank == 0) {
    if (u->shows) coll_progress("measured calls", u->t.n, u->t.n);
    mpi_version(u->t.mpi, sizeof u->t.mpi);
    u->t.half = coll_job.half;
    u->t.bandwidth = coll_job.bandwidth;
    u->t.seconds = clock_s() - u->begin;
    if (reader_save_tuning("BERTH_TUNE", u->path, &u->t))
      coll_say("%s: %zu kinds of calls were measured in %.1f s", u->path, measured, u->t.seconds);
    list = tuned_cells_of(&u->t, u->path, &n);
  }
  tuned_share(list, n);
  free(list);
}

void tune_job(const char *path)
{
  tuner_t u = {0};
  static order_t o;
  answer_t answer;
  size_t next = 0, measured = 0;
  u.members = malloc((size_t)coll_job.n * sizeof *u.members);
  uint64_t able = u.members && (coll_job.rank > 0 || read_plan(&u, path)), all = 0;
  mpi.Allreduce(&able, &all, 1, mpi.uint64, mpi.min, mpi.comm_world);
  for (; all && next_order(&u, &next, &o); measured++) {
    if (!carry_out(&o, u.members, &answer)) break;
    if (coll_job.rank == 0) take_answer(&u.t.cell[next - 1], &answer);
  }
  if (all) keep(&u, measured);
  if (coll_job.rank == 0) reader_clear_tuning(&u.t);
  free(u.members);
  if (coll_job.settings.tune_only) coll_job_leave();
}
