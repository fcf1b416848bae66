/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll/tuning/tune_cell.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/order.h"
#include "coll/tuning/tune_call.h"
#include "coll/tuning/tuned.h"

/* Rounds in which every choice is measured once, at most, and if all are asked for; and calls of a
 * choice in a round. */
enum { ROUNDS = TUNE_ROUNDS, ROUNDS_OF_ALL = 5, LEAST_ROUNDS = 3, MOST_CALLS = 64 };
#define ROUND_S  4e-3  /* seconds of a choice in a round, unless a single call takes longer */
#define ENOUGH_S 0.1   /* seconds of a choice in all rounds; three are made */
#define CLOCK_S  1e-9  /* the least time that there is */
#define LONG_S   10e-3 /* from here on, the times of calls vary less */
/* How much longer than the fastest a choice may take after a round to be measured again. */
static const double slack[] = {0.6, 0.3, 0.15, 0.1};
static const double slack_of_long[] = {0.25, 0.1, 0.05, 0.05};

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

/* A barrier of the MPI stands before each call; only the call counts. One that fails on some rank
 * takes forever. */
static void time_calls(const tune_call_t *t, int (*call)(const tune_call_t *, const void *),
                       const void *with, int n, timed_t *out)
{
  double own[MOST_CALLS];
  for (int i = 0; i < n; i++) {
    mpi.Barrier(t->handle);
    double begin = clock_s();
    bool good = call(t, with) == MPI_SUCCESS;
    own[i] = good ? fmax(clock_s() - begin, CLOCK_S) : INFINITY;
  }
  out->n = n;
  mpi.Allreduce(own, out->of_call, n, mpi.c_double, mpi.max, t->handle);
}

static int call_choice(const tune_call_t *t, const void *with)
{
  const tune_tried_t *c = with;
  tune_call_t own = *t;
  if (c->choice.told) own.handle = c->told.comm;
  tuned_force(&c->choice);
  int rc = tune_call(&own, &c->choice);
  tuned_force(NULL);
  return rc;
}

static int call_within(const tune_call_t *t, const void *with)
{
  (void)with;
  tune_call_within(t);
  return MPI_SUCCESS;
}

/* Calls of a round, by what the first one took. */
static int calls_for(double seconds)
{
  double n = ROUND_S / fmax(seconds, 1e-7);
  return n < 1 ? 1 : n > MOST_CALLS ? MOST_CALLS : (int)n;
}

/* For the histogram; without memory there is none. */
static void keep_times(tune_tried_t *c, const timed_t *t)
{
  if (!c->call) c->call = malloc((size_t)TUNE_ROUNDS * MOST_CALLS * sizeof *c->call);
  if (c->call) memcpy(c->call + c->n_calls, t->of_call, (size_t)t->n * sizeof *c->call);
  if (c->call) c->n_calls += (size_t)t->n;
}

static bool has_failed(const timed_t *t)
{
  bool any = false;
  for (int i = 0; i < t->n; i++) any |= isinf(t->of_call[i]);
  return any;
}

/* A choice of which a call fails counts as not measured. */
static void measure_once(const tune_call_t *t, tune_tried_t *c)
{
  timed_t timed;
  double times[ROUNDS], begin = clock_s();
  if (c->choice.told) told_enter(&c->told);
  if (c->n == 0) {
    if (c->choice.agents) time_calls(t, call_choice, c, 1, &timed); /* theirs take long to make */
    time_calls(t, call_choice, c, 1, &timed);                       /* makes connections */
    c->typical = timed.of_call[0];
  }
  /* What connections take doesn't count in a long call. */
  if (c->n > 0 || c->typical < LONG_S) time_calls(t, call_choice, c, calls_for(c->typical), &timed);
  if (c->choice.told) told_leave(&c->told);
  if (has_failed(&timed)) {
    c->given_up = true;
    c->n = 0;
    c->n_calls = 0;
    return;
  }
  keep_times(c, &timed);
  c->time[c->n++] = median(timed.of_call, timed.n);
  memcpy(times, c->time, sizeof times);
  c->typical = median(times, c->n);
  c->spent += clock_s() - begin;
}

/* The standard error of the median, by the median: the rounds' median distance from it stands for
 * their deviation. Below 0: a single round says nothing. */
static double error_of(const tune_tried_t *c)
{
  double away[ROUNDS];
  if (c->n < 2) return -1;
  for (int i = 0; i < c->n; i++) away[i] = fabs(c->time[i] - c->typical);
  return 1.2533 * 1.4826 * median(away, c->n) / sqrt(c->n) / c->typical;
}

static double least_of(const tune_tried_t *c, int n)
{
  double least = INFINITY;
  for (int i = 0; i < n; i++)
    if (c[i].n > 0) least = fmin(least, c[i].typical);
  return least;
}

static void give_up(tune_tried_t *c, int n, int round)
{
  const int last = (int)(sizeof slack / sizeof *slack) - 1;
  double least = least_of(c, n);
  const double *may = least < LONG_S ? slack : slack_of_long;
  for (int i = 0; i < n; i++)
    c[i].given_up |= c[i].typical > (1 + may[round < last ? round : last]) * least;
}

static double deadline; /* on this rank's clock, if there is a limit */

void tune_start_clock(void) { deadline = clock_s() + coll_job.settings.tune_seconds; }

bool tune_time_left(void) { return coll_job.settings.tune_seconds <= 0 || clock_s() < deadline; }

/* Whether there is time for more, on all ranks. */
static bool time_left(const tune_call_t *t)
{
  uint64_t left, all = 0;
  if (coll_job.settings.tune_seconds <= 0) return true;
  left = tune_time_left();
  return mpi.Allreduce(&left, &all, 1, mpi.uint64, mpi.min, t->handle) == MPI_SUCCESS && all;
}

/* Whether more rounds may change what is chosen. All ranks find the same. */
static bool goes_on(const tune_call_t *t, const tune_tried_t *c, int n, int round)
{
  int left = 0;
  uint64_t more = 0, all = 0;
  bool everything = coll_job.settings.tune_all;
  if (everything || round == 0) return round < ROUNDS_OF_ALL;
  for (int i = 0; i < n; i++) {
    left += !c[i].given_up;
    more |= !c[i].given_up && c[i].spent < ENOUGH_S;
  }
  if (left < 2 || round >= ROUNDS) return false;
  if (round < LEAST_ROUNDS) return true;
  return mpi.Allreduce(&more, &all, 1, mpi.uint64, mpi.min, t->handle) == MPI_SUCCESS && all;
}

/* The choices in turns. Those that are clearly slower are given up after a round, unless all are
 * asked for. */
static void measure_choices(const tune_call_t *t, tune_tried_t *c, int n)
{
  for (int round = 0; goes_on(t, c, n, round); round++) {
    for (int i = 0; i < n; i++)
      if (!c[i].given_up && time_left(t)) measure_once(t, &c[i]);
    if (!coll_job.settings.tune_all) give_up(c, n, round);
  }
}

/* --- what the ranks of a host do --- */

enum { MOST_PARTS = 16 };

/* Times of parts of a call. */
typedef struct within {
  double share[MOST_PARTS], seconds[MOST_PARTS];
  int n;
} within_t;

static double within_part(const tune_call_t *t, double share, within_t *known)
{
  timed_t timed;
  const tune_call_t part = tune_call_part(t, share);
  if (share <= 0) return 0;
  for (int i = 0; i < known->n; i++)
    if (fabs(known->share[i] - share) < 1e-9) return known->seconds[i];
  time_calls(&part, call_within, NULL, 1, &timed);
  time_calls(&part, call_within, NULL, calls_for(timed.of_call[0]), &timed);
  double seconds = median(timed.of_call, timed.n);
  if (known->n < MOST_PARTS) {
    known->share[known->n] = share;
    known->seconds[known->n++] = seconds;
  }
  return seconds;
}

/* What hosts add to a choice: all of the call, or what is left when the last messages have come.
 * M.-S. Wu (2005), equation 4.4: the other parts are hidden behind messages. */
static double within_choice(const tune_call_t *t, const berth_tuned_choice_t *choice,
                            within_t *known)
{
  double all = (double)tune_call_bytes(t), overlap = (double)choice->overlap;
  if (overlap <= 0 || all <= 0) return within_part(t, 1, known);
  double last = fmin(overlap, all), left = 0;
  if (choice->segment > 0) left = fmax(0, all - last * ceil(all / (double)choice->segment));
  return within_part(t, last / all, known) + within_part(t, left / all, known);
}

/* --- the cell --- */

static void end_choice(tune_cell_t *m, int i)
{
  tune_tried_t *c = &m->tried[i];
  m->answer.of_choice[i] = c->n ? c->typical : -1;
  m->answer.error[i] = error_of(c);
  if (c->choice.told) told_end(&c->told);
  if (c->n_calls > 0) {
    qsort(c->call, c->n_calls, sizeof *c->call, by_value);
    m->answer.times[i] = berth_histogram_of(c->call, c->n_calls);
  }
  free(c->call);
}

/* What the MPI can't be told isn't measured. */
static void begin_told(tune_cell_t *m, MPI_Comm comm, schedule_op_t op)
{
  for (int i = 0; i < m->n; i++)
    if (m->tried[i].choice.told)
      m->tried[i].given_up = !told_begin(&m->tried[i].told, op, &m->choice[i], comm);
}

void tune_cell(tune_cell_t *m, MPI_Comm comm, schedule_op_t op, size_t bytes)
{
  tune_call_t t;
  within_t known = {.n = 0};
  coll_comm_t *c = coll_find(comm);
  if (c && c->early) c = coll_start(c, comm, SIZE_MAX);
  memset(m->tried, 0, sizeof m->tried);
  for (int i = 0; i < m->n; i++)
    m->answer.of_choice[i] = m->answer.error[i] = m->answer.hosts[i] = -1;
  m->answer.within = -1;
  memset(m->answer.times, 0, sizeof m->answer.times);
  uint64_t able = c && tune_call_begin(&t, c, comm, op, bytes), all = 0;
  for (int i = 0; able && i < m->n; i++) able = chosen_of(op, &m->choice[i], &m->tried[i].choice);
  mpi.Allreduce(&able, &all, 1, mpi.uint64, mpi.min, comm);
  if (all) {
    begin_told(m, comm, op);
    m->answer.within = within_part(&t, 1, &known);
    for (int i = 0; i < m->n; i++) m->answer.hosts[i] = within_choice(&t, &m->choice[i], &known);
    measure_choices(&t, m->tried, m->n);
    for (int i = 0; i < m->n; i++) end_choice(m, i);
  }
  if (c) tune_call_end(&t);
}
