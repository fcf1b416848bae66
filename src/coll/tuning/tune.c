/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll/tuning/tune.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/order.h"
#include "base/terminal.h"
#include "coll/agents/agents.h"
#include "coll/coll_tags.h"
#include "coll/job.h"
#include "coll/tuning/tune_cell.h"
#include "coll/tuning/tune_choices.h"
#include "coll/tuning/tuned.h"
#include "job/reader.h"

/* What is to be measured, as it goes to all ranks. The choices follow, and the members, unless all
 * ranks are. */
typedef struct order {
  schedule_op_t op;
  int ranks, choices;
  bool is_world;
  uint64_t bytes;
} order_t;

/* Room for an order and what is found. */
typedef struct room {
  order_t order;
  tune_cell_t cell;
  int members[]; /* for all ranks */
} room_t;

/* --- all ranks --- */

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
  if (o->is_world || color == 0) tune_cell(&m->cell, comm, o->op, (size_t)o->bytes);
  if (!o->is_world && color == 0) mpi.Comm_free(&comm);
  if (!o->is_world) wait_quietly();
  if (lead == 0) return true;
  int bytes = (int)sizeof m->cell.answer;
  if (rank == lead) mpi.Send(&m->cell.answer, bytes, mpi.byte, 0, TAG_NETWORK, coll_job.own);
  if (rank == 0)
    mpi.Recv(&m->cell.answer, bytes, mpi.byte, lead, TAG_NETWORK, coll_job.own, MPI_STATUS_IGNORE);
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
    int host = coll_job.hosts.host[c->members ? c->members[i] : i];
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
    say_line("BERTH_TUNE: %s: cells[%zu].%s; it isn't measured", u->path, i, wrong);
  }
  c->n_choices = kept;
}

/* What a plan without choices leaves to the library. `room`: for as many as there may be. */
static void list_choices(berth_tuned_cell_t *c, const tune_shape_t *s, berth_tuned_choice_t *room)
{
  int n = tune_choices(s, coll_job.settings.tune_all, room);
  c->choice = malloc((size_t)n * sizeof *c->choice);
  if (c->choice) memcpy(c->choice, room, (size_t)n * sizeof *c->choice);
  c->n_choices = c->choice ? n : 0;
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
    say_line("BERTH_TUNE: %s: cells[%zu].operation: found %s, expected one that `berth schedule` "
             "lists; it isn't measured",
             u->path, i, c->operation);
  count_hosts(u, c, &largest);
  bool measures = c->ranks > 1 && known && !is_measured(&u->t, i);
  if (measures) {
    const tune_shape_t s = {op,
                            c->ranks,
                            c->hosts,
                            largest,
                            (int64_t)c->bytes,
                            wait_crowded,
                            coll_agents.active,
                            coll_job.half,
                            coll_job.bandwidth,
                            told_possible(op) ? told_rules : NULL};
    if (planned)
      check_choices(u, i, &s);
    else
      list_choices(c, &s, m->cell.choice);
  }
  if (!measures) c->n_choices = 0;
  if (c->n_choices == 0) return false;
  m->order = (order_t){op, c->ranks, c->n_choices, !c->members, c->bytes};
  memcpy(m->cell.choice, c->choice, (size_t)c->n_choices * sizeof *c->choice);
  if (c->members) memcpy(m->members, c->members, (size_t)c->ranks * sizeof *c->members);
  return true;
}

ORDER_BY(by_time, berth_tuned_choice_t, RISING(measured_s))

/* The library's own choice or the MPI's own call, the faster one, stands first where it is as good
 * as the fastest; else the other one if that is: within some percent, and the errors of both times.
 */
#define AS_GOOD 0.03

static bool is_as_good(const berth_tuned_choice_t *c, const berth_tuned_choice_t *best)
{
  return c->measured_s <=
         best->measured_s * (1 + AS_GOOD + fmax(c->error, 0) + fmax(best->error, 0));
}

/* The number of a choice; n_choices: it isn't there. */
static int place_of(const berth_tuned_cell_t *c, const berth_tuned_choice_t *wanted)
{
  int k = 0;
  while (k < c->n_choices && !tune_is_same(&c->choice[k], wanted)) k++;
  return k;
}

/* Puts a choice first if it is as good. */
static bool prefer(berth_tuned_cell_t *c, const berth_tuned_choice_t *wanted)
{
  int k = place_of(c, wanted);
  if (k == c->n_choices || !is_as_good(&c->choice[k], &c->choice[0])) return false;
  const berth_tuned_choice_t preferred = c->choice[k];
  memmove(c->choice + 1, c->choice, (size_t)k * sizeof *c->choice);
  c->choice[0] = preferred;
  return true;
}

static void take_answer(berth_tuned_cell_t *c, const room_t *m)
{
  int kept = 0;
  c->within_s = m->cell.answer.within;
  c->settled = false;
  for (int k = 0; k < c->n_choices; k++) {
    berth_tuned_choice_t *one = &c->choice[k];
    one->measured_s = m->cell.answer.of_choice[k];
    one->error = m->cell.answer.error[k];
    one->times = m->cell.answer.times[k];
    if (one->predicted_s >= 0 && m->cell.answer.hosts[k] >= 0)
      one->predicted_s += m->cell.answer.hosts[k];
  }
  const berth_tuned_choice_t own = c->choice[0];
  for (int k = 0; k < c->n_choices; k++)
    if (c->choice[k].measured_s >= 0) c->choice[kept++] = c->choice[k];
  c->n_choices = kept;
  qsort(c->choice, (size_t)kept, sizeof *c->choice, by_time);
  const berth_tuned_choice_t theirs = {.algorithm = "mpi"};
  if (kept == 0) return;
  bool own_first = place_of(c, &own) < place_of(c, &theirs); /* still by time */
  if (!prefer(c, own_first ? &own : &theirs)) prefer(c, own_first ? &theirs : &own);
}

/* --- all ranks --- */

static bool read_plan(tuner_t *u, const char *path)
{
  u->path = path;
  u->begin = clock_s();
  u->shows = terminal_takes_escapes(STDERR_FILENO);
  return reader_load_tuning("BERTH_TUNE", path, coll_job.n, &u->t);
}

/* The next order to all ranks; false: there is none. Rank 0 goes on from cell *i. */
static bool next_order(tuner_t *u, size_t *i)
{
  uint64_t more = 0;
  room_t *m = u->room;
  for (; coll_job.rank == 0 && !more && *i < u->t.n; ++*i) {
    if (u->shows) say_progress("measuring calls", *i + 1, u->t.n);
    more = tune_time_left() && give_order(u, *i);
  }
  if (mpi.Bcast(&more, 1, mpi.uint64, 0, mpi.comm_world) != MPI_SUCCESS || !more) return false;
  mpi.Bcast(&m->order, sizeof m->order, mpi.byte, 0, mpi.comm_world);
  m->cell.n = m->order.choices;
  mpi.Bcast(m->cell.choice, m->cell.n * (int)sizeof *m->cell.choice, mpi.byte, 0, mpi.comm_world);
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
    if (u->shows) say_progress("measured calls", u->t.n, u->t.n);
    mpi_version(u->t.mpi, sizeof u->t.mpi);
    u->t.agents = coll_agents.active;
    u->t.half = coll_job.half;
    u->t.bandwidth = coll_job.bandwidth;
    u->t.seconds = clock_s() - u->begin;
    kept = reader_save_tuning("BERTH_TUNE", u->path, &u->t, "what was measured");
    if (kept)
      say_line("%s: %zu kind%s of calls measured in %.1f s", u->path, measured,
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
  tune_start_clock();
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
