/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll/tuning/tuned.h"

#include <berth/tuning.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "coll/agents/agents.h"
#include "coll/calls.h"
#include "coll/tuning/told.h"
#include "coll/tuning/tune.h"
#include "job/reader.h"

#define NEARLY 1.15 /* times the fastest: compared again while the application runs */

static struct {
  tuned_cell_t *cell;
  tuned_votes_t *votes; /* of each cell */
  size_t n;
  const chosen_t *forced;
} table;

void tuned_force(const chosen_t *choice)
{
  table.forced = choice;
  coll_job.forced = choice != NULL;
}

/* --- the table --- */

enum { DIGITS = 65, TRIES = 16, WARM = 2 };
#define WINS 0.97 /* times the first choice's: the second one is taken */

/* Two choices while they are compared. */
typedef struct trial {
  unsigned calls;
  bool settled, second_wins;
  int64_t ns[2]; /* of this rank */
} trial_t;

/* What a communicator has of the table. */
typedef struct tuned_comm {
  int16_t cell[SCHEDULE_OPS][DIGITS]; /* its number from 1; 0: none */
  trial_t *timed;                     /* the call that is being timed; NULL: none is */
  int which;                          /* its choice */
  double begin;
  trial_t trial[]; /* of each cell of the table */
} tuned_comm_t;

static _Atomic uint64_t compared, changed;

void tuned_counts(uint64_t counts[2])
{
  counts[0] = compared;
  counts[1] = changed;
}

const tuned_cell_t *tuned_table(tuned_votes_t **votes, size_t *n)
{
  *votes = table.votes;
  *n = table.n;
  return table.cell;
}

bool tuned_attach(coll_comm_t *c)
{
  bool any = false;
  for (size_t i = 0; i < table.n; i++)
    any |= table.cell[i].ranks == c->size && table.cell[i].hosts == c->n_hosts;
  tuned_detach(c);
  if (!any) return true;
  if (!(c->tuned = calloc(1, sizeof *c->tuned + table.n * sizeof *c->tuned->trial))) return false;
  for (size_t i = 0; i < table.n; i++) {
    const tuned_cell_t *cell = &table.cell[i];
    if (cell->ranks == c->size && cell->hosts == c->n_hosts && cell->digits < DIGITS)
      c->tuned->cell[cell->op][cell->digits] = (int16_t)(i + 1);
  }
  return true;
}

void tuned_detach(coll_comm_t *c)
{
  free(c->tuned);
  c->tuned = NULL;
}

/* All ranks add up their times of both choices. */
static void settle(coll_comm_t *c, trial_t *t)
{
  int64_t all[2] = {0, 0};
  const reduction_t sum = {.extent = sizeof all[0],
                           .commutative = true,
                           .exact = true,
                           .kernel = kernel_find(KERNEL_SUM, KERNEL_U64)};
  int rc = coll_allreduce_of(c, t->ns, all, 2, &sum);
  t->settled = true;
  t->second_wins = rc == MPI_SUCCESS && (double)all[1] < WINS * (double)all[0];
  compared++;
  changed += t->second_wins;
  if (c->rank == 0) table.votes[t - c->tuned->trial].choice[t->second_wins]++;
}

/* Which of two choices a call takes. Calls of a communicator have one order on all its ranks. */
static const chosen_t *try_one(coll_comm_t *c, const tuned_cell_t *cell, trial_t *t)
{
  if (!t->settled && t->calls == WARM + 2 * TRIES) settle(c, t);
  if (t->settled) return t->second_wins ? &cell->second : &cell->choice;
  c->tuned->which = (int)(t->calls % 2);
  if (t->calls++ >= WARM) {
    c->tuned->timed = t;
    c->tuned->begin = clock_s();
  }
  return c->tuned->which ? &cell->second : &cell->choice;
}

void tuned_stop_clock(coll_comm_t *c)
{
  trial_t *t = c->tuned->timed;
  if (!t) return;
  t->ns[c->tuned->which] += (int64_t)(1e9 * (clock_s() - c->tuned->begin));
  c->tuned->timed = NULL;
}

static const chosen_t *choice_of(coll_comm_t *c, schedule_op_t op, size_t bytes)
{
  if (table.forced || !c->tuned) return table.forced;
  int number = c->tuned->cell[op][berth_tuning_digits(bytes)];
  if (number == 0) return NULL;
  const tuned_cell_t *cell = &table.cell[number - 1];
  bool tries = cell->has_second && !schedule_reduces(op);
  return tries ? try_one(c, cell, &c->tuned->trial[number - 1]) : &cell->choice;
}

bool tuned_find(coll_comm_t *c, schedule_op_t op, size_t bytes)
{
  c->choice = NULL;
  if (c->begun) return false;
  c->begun = true;
  c->choice = choice_of(c, op, bytes);
  if (c->choice && c->choice->agents && !c->agent.open) c->choice = NULL;
  return c->choice && (c->choice->mpi || c->choice->agents);
}

/* A choice, and a cell, as they go to the other ranks: the algorithms by their numbers. */
typedef struct sent_choice {
  int32_t mpi, agents, direct, equal, varied, degree;
  int64_t segment;
  int64_t overlap;
} sent_choice_t;

typedef struct sent_cell {
  int32_t op, ranks, hosts, digits, place, has_second;
  sent_choice_t choice[2];
} sent_cell_t;

static int32_t number_of(const schedule_algorithm_t *a)
{
  size_t n;
  return a ? (int32_t)(a - schedule_algorithms(&n)) : -1;
}

static const schedule_algorithm_t *numbered(int32_t number)
{
  size_t n;
  const schedule_algorithm_t *list = schedule_algorithms(&n);
  return number < 0 ? NULL : &list[number];
}

static sent_choice_t sent(const chosen_t *h)
{
  return (sent_choice_t){
      h->mpi,    h->agents,  h->direct, number_of(h->equal), number_of(h->varied),
      h->degree, h->segment, h->overlap};
}

static chosen_t received(const sent_choice_t *h)
{
  return (chosen_t){.mpi = h->mpi,
                    .agents = h->agents,
                    .direct = h->direct,
                    .equal = numbered(h->equal),
                    .varied = numbered(h->varied),
                    .segment = h->segment,
                    .degree = h->degree,
                    .overlap = h->overlap};
}

static sent_cell_t sent_cell(const tuned_cell_t *c)
{
  return (sent_cell_t){.op = (int32_t)c->op,
                       .ranks = c->ranks,
                       .hosts = c->hosts,
                       .digits = c->digits,
                       .place = c->place,
                       .has_second = c->has_second,
                       .choice = {sent(&c->choice), sent(&c->second)}};
}

static tuned_cell_t received_cell(const sent_cell_t *c)
{
  return (tuned_cell_t){.op = (schedule_op_t)c->op,
                        .ranks = c->ranks,
                        .hosts = c->hosts,
                        .digits = c->digits,
                        .choice = received(&c->choice[0]),
                        .has_second = c->has_second,
                        .second = received(&c->choice[1]),
                        .place = c->place};
}

bool tuned_all_can(bool can)
{
  uint64_t able = can, all = 0;
  int rc = mpi.Allreduce(&able, &all, 1, mpi.uint64, mpi.min, mpi.comm_world);
  return rc == MPI_SUCCESS && all;
}

bool tuned_share(const tuned_cell_t *cell, size_t n)
{
  uint64_t cells = n;
  tuned_end();
  if (cells > INT16_MAX - 1) cells = INT16_MAX - 1;
  if (mpi.Bcast(&cells, 1, mpi.uint64, 0, mpi.comm_world) != MPI_SUCCESS || cells == 0) return true;
  sent_cell_t *list = malloc(cells * sizeof *list);
  table.cell = malloc(cells * sizeof *table.cell);
  table.votes = calloc(cells, sizeof *table.votes);
  bool done = tuned_all_can(list && table.cell && table.votes);
  for (size_t i = 0; done && coll_job.rank == 0 && i < cells; i++) list[i] = sent_cell(&cell[i]);
  size_t bytes = cells * sizeof *list;
  done = done && mpi.Bcast(list, (int)bytes, mpi.byte, 0, mpi.comm_world) == MPI_SUCCESS;
  for (size_t i = 0; done && i < cells; i++) table.cell[i] = received_cell(&list[i]);
  free(list);
  table.n = done ? cells : 0;
  done = done && tuned_all_can(coll_comms_each(tuned_attach));
  if (!done) tuned_end();
  return done;
}

void tuned_end(void)
{
  free(table.cell);
  free(table.votes);
  table.cell = NULL;
  table.votes = NULL;
  table.n = 0;
  coll_comms_each(tuned_attach); /* there is nothing to attach */
}

chosen_job_t tuned_job(const char *operation)
{
  return (chosen_job_t){.is_told = told_job(operation), .has_agents = coll_agents.active};
}

int tuned_second(const berth_tuned_cell_t *c, int k)
{
  schedule_op_t op;
  chosen_t second;
  char wrong[CHOSEN_WRONG];
  const chosen_job_t job = {.has_agents = coll_agents.active};
  int next = chosen_take(c, k + 1, job, &op, &second, wrong);
  if (next < 0 || c->choice[k].measured_s < 0 || c->choice[next].measured_s < 0) return -1;
  return c->choice[next].measured_s <= NEARLY * c->choice[k].measured_s ? next : -1;
}

tuned_cell_t *tuned_cells_of(const berth_tuning_t *t, const char *path, size_t *n)
{
  tuned_cell_t *list = malloc((t->n + 1) * sizeof *list);
  *n = 0;
  for (size_t i = 0; list && i < t->n; i++) {
    const berth_tuned_cell_t *c = &t->cell[i];
    tuned_cell_t *to = &list[*n];
    char wrong[CHOSEN_WRONG];
    *to = (tuned_cell_t){.ranks = c->ranks,
                         .hosts = c->hosts,
                         .digits = berth_tuning_digits(c->bytes),
                         .place = (int)i};
    int k = chosen_take(c, 0, tuned_job(c->operation), &to->op, &to->choice, wrong);
    if (*wrong) say_line("BERTH_TUNING: %s: cells[%zu].%s; the cell isn't used", path, i, wrong);
    if (k < 0) continue;
    int second = c->settled ? -1 : tuned_second(c, k);
    to->has_second = second >= 0 && chosen_of(to->op, &c->choice[second], &to->second);
    ++*n;
  }
  return list;
}

static void read_table(const char *path)
{
  berth_tuning_t t = {0};
  size_t n = 0;
  tuned_cell_t *list = NULL;
  if (coll_job.rank == 0 && reader_load_tuning("BERTH_TUNING", path, coll_job.n, &t)) {
    list = tuned_cells_of(&t, path, &n);
    reader_clear_tuning(&t);
  }
  tuned_share(list, n);
  free(list);
}

void tuned_begin(void)
{
  if (coll_job.settings.tuning == COLL_MEASURES) tune_job(getenv("BERTH_TUNE"));
  if (coll_job.settings.tuning == COLL_TUNED) read_table(getenv("BERTH_TUNING"));
}
