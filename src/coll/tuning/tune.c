/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll/tuning/tune.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/order.h"
#include "coll/coll_tags.h"
#include "coll/job.h"
#include "coll/reader.h"
#include "coll/tuning/tune_call.h"
#include "coll/tuning/tune_choices.h"
#include "coll/tuning/tuned.h"

/* Rounds in which every choice is measured once, at most, and if all are asked for; and calls of a
 * choice in a round. */
enum { ROUNDS = 16, ROUNDS_OF_ALL = 5, LEAST_ROUNDS = 3, MOST_CALLS = 64 };
#define ROUND_S  4e-3 /* seconds of a choice in a round, unless a single call takes longer */
#define ENOUGH_S 0.1  /* seconds of a choice in all rounds; three are made */
/* How much longer than the fastest a choice may take after a round to be measured again: the times
 * of long calls vary less. */
#define LONG_S 10e-3
static double deadline; /* on this rank's clock, if there is a limit */
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
  chosen_t choice;
  double time[ROUNDS]; /* medians of rounds */
  int n;
  double typical; /* their median */
  double spent;   /* seconds */
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
  double times[ROUNDS], begin = clock_s();
  if (c->n == 0) {
    time_calls(t, call_choice, c, 1, &timed); /* makes connections */
    c->typical = timed.of_call[0];
  }
  /* What connections take doesn't count in a long call. */
  if (c->n > 0 || c->typical < LONG_S) time_calls(t, call_choice, c, calls_for(c->typical), &timed);
  c->time[c->n++] = median(timed.of_call, timed.n);
  memcpy(times, c->time, sizeof times);
  c->typical = median(times, c->n);
  c->spent += clock_s() - begin;
}

/* The standard error of the median, by the median: the rounds' median distance from it stands for
 * their deviation. Below 0: a single round says nothing. */
static double error_of(const tried_t *c)
{
  double away[ROUNDS];
  if (c->n < 2) return -1;
  for (int i = 0; i < c->n; i++) away[i] = fabs(c->time[i] - c->typical);
  return 1.2533 * 1.4826 * median(away, c->n) / sqrt(c->n) / c->typical;
}

static double least_of(const tried_t *c, int n)
{
  double least = INFINITY;
  for (int i = 0; i < n; i++)
    if (c[i].n > 0) least = fmin(least, c[i].typical);
  return least;
}

static void give_up(tried_t *c, int n, int round)
{
  const int last = (int)(sizeof slack / sizeof *slack) - 1;
  double least = least_of(c, n);
  const double *may = least < LONG_S ? slack : slack_of_long;
  for (int i = 0; i < n; i++)
    c[i].given_up |= c[i].typical > (1 + may[round < last ? round : last]) * least;
}

/* Whether there is time for more, on all ranks. */
static bool time_left(const tune_call_t *t)
{
  uint64_t left, all = 0;
  if (coll_job.settings.tune_seconds <= 0) return true;
  left = clock_s() < deadline;
  return mpi.Allreduce(&left, &all, 1, mpi.uint64, mpi.min, t->handle) == MPI_SUCCESS && all;
}

/* Whether more rounds may change what is chosen. All ranks find the same. */
static bool goes_on(const tune_call_t *t, const tried_t *c, int n, int round)
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
static void measure_choices(const tune_call_t *t, tried_t *c, int n)
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
static double within_choice(const tune_call_t *t, const berth_choice_t *choice, within_t *known)
{
  double all = (double)tune_call_bytes(t), overlap = (double)choice->overlap;
  if (overlap <= 0 || all <= 0) return within_part(t, 1, known);
  double last = fmin(overlap, all), left = 0;
  if (choice->segment > 0) left = fmax(0, all - last * ceil(all / (double)choice->segment));
  return within_part(t, last / all, known) + within_part(t, left / all, known);
}

/* --- what rank 0 says of a cell --- */

/* What is to be measured, as it goes to all ranks. The choices follow, and the members, unless all
 * ranks are. */
typedef struct order {
  schedule_op_t op;
  int ranks, n;
  bool is_world;
  uint64_t bytes;
} order_t;

/* Room for an order and what is found. */
typedef struct room {
  order_t order;
  berth_choice_t choice[BERTH_MAX_CHOICES];
  tried_t tried[BERTH_MAX_CHOICES];
  /* What the lowest member answers, in seconds; below 0: not measured. */
  struct {
    double within, of_choice[BERTH_MAX_CHOICES], error[BERTH_MAX_CHOICES];
    double hosts[BERTH_MAX_CHOICES];
  } answer;
  int members[]; /* for all ranks */
} room_t;

static void measure_cell(room_t *m, MPI_Comm comm)
{
  tune_call_t t;
  within_t known = {.n = 0};
  const order_t *o = &m->order;
  coll_comm_t *c = coll_find(comm);
  memset(m->tried, 0, sizeof m->tried);
  for (int i = 0; i < o->n; i++)
    m->answer.of_choice[i] = m->answer.error[i] = m->answer.hosts[i] = -1;
  m->answer.within = -1;
  uint64_t able = c && tune_call_begin(&t, c, comm, o->op, (size_t)o->bytes), all = 0;
  for (int i = 0; able && i < o->n; i++)
    able = chosen_of(o->op, &m->choice[i], &m->tried[i].choice);
  mpi.Allreduce(&able, &all, 1, mpi.uint64, mpi.min, comm);
  if (all) {
    m->answer.within = within_part(&t, 1, &known);
    for (int i = 0; i < o->n; i++) m->answer.hosts[i] = within_choice(&t, &m->choice[i], &known);
    measure_choices(&t, m->tried, o->n);
    for (int i = 0; i < o->n; i++) {
      m->answer.of_choice[i] = m->tried[i].n ? m->tried[i].typical : -1;
      m->answer.error[i] = error_of(&m->tried[i]);
    }
  }
  if (c) tune_call_end(&t);
}

enum { NAP = 300 * 1000 }; /* ns */

/* Waits for all ranks. Those that have nothing to do leave their cores to the others. */
static void wait_quietly(void)
{
  const struct timespec nap = {.tv_nsec = NAP};
  MPI_Request request;
  int done = mpi.Ibarrier(coll_job.own, &request) != MPI_SUCCESS;
  while (!done && mpi.Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done)
    nanosleep(&nap, NULL);
}

/* All ranks of the job call it. Rank 0 gets the answer. */
static bool carry_out(room_t *m)
{
  MPI_Comm comm = mpi.comm_world;
  const order_t *o = &m->order;
  int rank = coll_job.rank, color = MPI_UNDEFINED, place = 0,
      lead = o->is_world ? 0 : m->members[0];
  for (int i = 0; !o->is_world && i < o->ranks; i++)
    if (m->members[i] == rank) color = 0, place = i;
  if (!o->is_world && mpi.Comm_split(mpi.comm_world, color, place, &comm) != MPI_SUCCESS)
    return false;
  if (o->is_world || color == 0) measure_cell(m, comm);
  if (!o->is_world && color == 0) mpi.Comm_free(&comm);
  if (!o->is_world) wait_quietly();
  if (lead == 0) return true;
  int bytes = (int)sizeof m->answer;
  if (rank == lead) mpi.Send(&m->answer, bytes, mpi.byte, 0, TAG_NETWORK, coll_job.own);
  if (rank == 0)
    mpi.Recv(&m->answer, bytes, mpi.byte, lead, TAG_NETWORK, coll_job.own, MPI_STATUS_IGNORE);
  return true;
}

/* --- rank 0 --- */

typedef struct tuner {
  const char *path;
  berth_tuning_t t;
  double begin; /* seconds */
  bool shows;
  room_t *room;
} tuner_t;

/* The hosts of a cell's ranks, and the ranks of the largest. */
static void count_hosts(const tuner_t *u, berth_tuned_cell_t *c, int *largest)
{
  int *n = u->room->members; /* not yet needed */
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

/* Leaves out the choices of a plan that can't be measured, with a line for each. */
static void check_choices(const tuner_t *u, size_t i, const tune_shape_t *s)
{
  berth_tuned_cell_t *c = &u->t.cell[i];
  int kept = 0;
  for (int k = 0; k < c->n_choices; k++) {
    schedule_op_t op;
    chosen_t choice;
    char wrong[CHOSEN_WRONG] = "";
    bool known = chosen_of_cell(c, k, &op, &choice, wrong);
    if (known && tune_serves(s, &c->choice[k])) {
      c->choice[kept++] = c->choice[k];
      continue;
    }
    if (known)
      snprintf(wrong, sizeof wrong,
               "choices[%d]: found %s, expected one that serves %s on %d hosts", k,
               c->choice[k].algorithm, c->operation, c->hosts);
    coll_say("BERTH_TUNE: %s: cells[%zu].%s; it isn't measured", u->path, i, wrong);
  }
  c->n_choices = kept;
}

/* What is to be measured of a cell: its choices, if the plan has some. False: nothing. */
static bool give_order(tuner_t *u, size_t i)
{
  berth_tuned_cell_t *c = &u->t.cell[i];
  room_t *m = u->room;
  schedule_op_t op;
  int largest;
  bool known = schedule_op_find(c->operation, &op), planned = c->n_choices > 0;
  if (!known)
    coll_say("BERTH_TUNE: %s: cells[%zu].operation: found %s, expected one that `berth schedule` "
             "lists; it isn't measured",
             u->path, i, c->operation);
  count_hosts(u, c, &largest);
  bool measures = c->ranks > 1 && known && !is_measured(&u->t, i);
  if (measures) {
    const tune_shape_t s = {
        op,           c->ranks,      c->hosts,          largest, (int64_t)c->bytes,
        wait_crowded, coll_job.half, coll_job.bandwidth};
    int n = planned ? 0 : tune_choices(&s, coll_job.settings.tune_all, m->choice);
    if (planned) check_choices(u, i, &s);
    if (!planned) c->choice = malloc((size_t)n * sizeof *c->choice);
    if (!planned && c->choice) memcpy(c->choice, m->choice, (size_t)n * sizeof *c->choice);
    if (!planned) c->n_choices = c->choice ? n : 0;
  }
  if (!measures) c->n_choices = 0;
  if (c->n_choices == 0) return false;
  m->order = (order_t){op, c->ranks, c->n_choices, !c->members, c->bytes};
  memcpy(m->choice, c->choice, (size_t)c->n_choices * sizeof *c->choice);
  if (c->members) memcpy(m->members, c->members, (size_t)c->ranks * sizeof *c->members);
  return true;
}

ORDER_BY(by_time, berth_choice_t, RISING(measured_s))

/* The library's own choice or the MPI's own call, the faster one, stands first where it is as good
 * as the fastest; else the other one if that is: within some percent, and the errors of both times.
 */
#define AS_GOOD 0.03

static bool is_as_good(const berth_choice_t *c, const berth_choice_t *best)
{
  return c->measured_s <=
         best->measured_s * (1 + AS_GOOD + fmax(c->error, 0) + fmax(best->error, 0));
}

/* The number of a choice; n_choices: it isn't there. */
static int place_of(const berth_tuned_cell_t *c, const berth_choice_t *wanted)
{
  int k = 0;
  while (k < c->n_choices && !tune_is_same(&c->choice[k], wanted)) k++;
  return k;
}

/* Puts a choice first if it is as good. */
static bool prefer(berth_tuned_cell_t *c, const berth_choice_t *wanted)
{
  int k = place_of(c, wanted);
  if (k == c->n_choices || !is_as_good(&c->choice[k], &c->choice[0])) return false;
  const berth_choice_t preferred = c->choice[k];
  memmove(c->choice + 1, c->choice, (size_t)k * sizeof *c->choice);
  c->choice[0] = preferred;
  return true;
}

static void take_answer(berth_tuned_cell_t *c, const room_t *m)
{
  int kept = 0;
  c->within_s = m->answer.within;
  for (int k = 0; k < c->n_choices; k++) {
    berth_choice_t *one = &c->choice[k];
    one->measured_s = m->answer.of_choice[k];
    one->error = m->answer.error[k];
    if (one->predicted_s >= 0 && m->answer.hosts[k] >= 0) one->predicted_s += m->answer.hosts[k];
  }
  const berth_choice_t own = c->choice[0];
  for (int k = 0; k < c->n_choices; k++)
    if (c->choice[k].measured_s >= 0) c->choice[kept++] = c->choice[k];
  c->n_choices = kept;
  qsort(c->choice, (size_t)kept, sizeof *c->choice, by_time);
  const berth_choice_t theirs = {.algorithm = "mpi"};
  if (kept == 0) return;
  bool own_first = place_of(c, &own) < place_of(c, &theirs); /* still by time */
  if (!prefer(c, own_first ? &own : &theirs)) prefer(c, own_first ? &theirs : &own);
}

/* --- all ranks --- */

static bool read_plan(tuner_t *u, const char *path)
{
  u->path = path;
  u->begin = clock_s();
  u->shows = isatty(STDERR_FILENO);
  return reader_load_tuning("BERTH_TUNE", path, coll_job.n, &u->t);
}

/* The next order to all ranks; false: there is none. Rank 0 goes on from cell *i. */
static bool next_order(tuner_t *u, size_t *i)
{
  uint64_t more = 0;
  room_t *m = u->room;
  for (; coll_job.rank == 0 && !more && *i < u->t.n; ++*i) {
    if (u->shows) coll_progress("measuring calls", *i + 1, u->t.n);
    more = (coll_job.settings.tune_seconds <= 0 || clock_s() < deadline) && give_order(u, *i);
  }
  if (mpi.Bcast(&more, 1, mpi.uint64, 0, mpi.comm_world) != MPI_SUCCESS || !more) return false;
  mpi.Bcast(&m->order, sizeof m->order, mpi.byte, 0, mpi.comm_world);
  mpi.Bcast(m->choice, m->order.n * (int)sizeof *m->choice, mpi.byte, 0, mpi.comm_world);
  if (!m->order.is_world)
    mpi.Bcast(m->members, m->order.ranks * (int)sizeof *m->members, mpi.byte, 0, mpi.comm_world);
  return true;
}

/* Keeps what was measured, for this job and for later ones. False: rank 0 can't write it. */
static bool keep(tuner_t *u, size_t measured)
{
  bool kept = true;
  size_t n = 0;
  tuned_cell_t *list = NULL;
  if (coll_job.rank == 0) {
    if (u->shows) coll_progress("measured calls", u->t.n, u->t.n);
    mpi_version(u->t.mpi, sizeof u->t.mpi);
    u->t.half = coll_job.half;
    u->t.bandwidth = coll_job.bandwidth;
    u->t.seconds = clock_s() - u->begin;
    kept = reader_save_tuning("BERTH_TUNE", u->path, &u->t);
    if (kept)
      coll_say("%s: %zu kind%s of calls measured in %.1f s", u->path, measured,
               measured == 1 ? "" : "s", u->t.seconds);
    list = tuned_cells_of(&u->t, u->path, &n);
  }
  tuned_share(list, n);
  free(list);
  return kept;
}

void tune_job(const char *path)
{
  tuner_t u = {0};
  size_t next = 0, measured = 0;
  u.room = malloc(sizeof *u.room + (size_t)coll_job.n * sizeof *u.room->members);
  deadline = clock_s() + coll_job.settings.tune_seconds;
  uint64_t able = u.room && (coll_job.rank > 0 || read_plan(&u, path)), all = 0;
  mpi.Allreduce(&able, &all, 1, mpi.uint64, mpi.min, mpi.comm_world);
  for (; all && next_order(&u, &next); measured++) {
    if (!carry_out(u.room)) break;
    if (coll_job.rank == 0) take_answer(&u.t.cell[next - 1], u.room);
  }
  bool kept = all && keep(&u, measured);
  if (coll_job.rank == 0) reader_clear_tuning(&u.t);
  free(u.room);
  if (coll_job.settings.tune_only) coll_job_leave(kept);
}
