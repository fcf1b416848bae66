/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll/tuned.h"

#include <berth/tuning.h>
#include <stdlib.h>
#include <string.h>

#include "coll/reader.h"
#include "coll/tune.h"

static struct {
  tuned_cell_t *cell;
  size_t n;
  const tuned_choice_t *forced;
} table;

void tuned_force(const tuned_choice_t *choice)
{
  table.forced = choice;
  coll_job.tuned = choice || table.n > 0;
}

/* --- choices by name --- */

static schedule_op_t varied_op(schedule_op_t op)
{
  switch (op) {
  case SCHEDULE_GATHER:
    return SCHEDULE_GATHERV;
  case SCHEDULE_SCATTER:
    return SCHEDULE_SCATTERV;
  case SCHEDULE_ALLGATHER:
    return SCHEDULE_ALLGATHERV;
  case SCHEDULE_ALLTOALL:
    return SCHEDULE_ALLTOALLV;
  default:
    return op;
  }
}

/* Hosts of a scan do what they do for an exclusive one. */
static schedule_op_t op_of_hosts(schedule_op_t op)
{
  return op == SCHEDULE_SCAN ? SCHEDULE_EXSCAN : op;
}

bool tuned_choice_named(schedule_op_t op, const char *algorithm, int64_t segment, int degree,
                        tuned_choice_t *out)
{
  *out = (tuned_choice_t){.segment = segment, .degree = degree};
  if (strcmp(algorithm, "mpi") == 0) return out->mpi = true;
  if (strcmp(algorithm, "host") == 0) return true;
  if (strcmp(algorithm, "direct") == 0) return out->direct = op == SCHEDULE_ALLTOALL;
  out->equal = schedule_find(op_of_hosts(op), algorithm);
  out->varied = schedule_find(varied_op(op_of_hosts(op)), algorithm);
  return out->equal != NULL;
}

/* --- the table --- */

static int by_key(const void *a, const void *b)
{
  const tuned_cell_t *x = a, *y = b;
  const int keys[][2] = {
      {(int)x->op, (int)y->op}, {x->ranks, y->ranks}, {x->hosts, y->hosts}, {x->digits, y->digits}};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (keys[i][0] != keys[i][1]) return keys[i][0] < keys[i][1] ? -1 : 1;
  return 0;
}

bool tuned_find(coll_comm_t *c, schedule_op_t op, size_t bytes)
{
  c->choice = NULL;
  if (c->begun) return false;
  c->begun = true;
  c->choice = table.forced;
  if (!c->choice) {
    const tuned_cell_t key = {
        .op = op, .ranks = c->size, .hosts = c->n_hosts, .digits = berth_tuning_digits(bytes)};
    const tuned_cell_t *cell = bsearch(&key, table.cell, table.n, sizeof key, by_key);
    c->choice = cell ? &cell->choice : NULL;
  }
  return c->choice && c->choice->mpi;
}

/* A cell as it goes to the other ranks: the algorithms by their numbers. */
typedef struct sent_cell {
  int32_t op, ranks, hosts, digits, mpi, direct, equal, varied, degree;
  int64_t segment;
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

static sent_cell_t sent(const tuned_cell_t *c)
{
  const tuned_choice_t *h = &c->choice;
  return (sent_cell_t){
      (int32_t)c->op,       c->ranks,  c->hosts,  c->digits, h->mpi, h->direct, number_of(h->equal),
      number_of(h->varied), h->degree, h->segment};
}

static tuned_cell_t received(const sent_cell_t *c)
{
  return (tuned_cell_t){
      (schedule_op_t)c->op,
      c->ranks,
      c->hosts,
      c->digits,
      {c->mpi, c->direct, numbered(c->equal), numbered(c->varied), c->segment, c->degree}};
}

/* Whether all ranks have the memory. */
static bool all_can(bool can)
{
  uint64_t able = can, all = 0;
  int rc = mpi.Allreduce(&able, &all, 1, mpi.uint64, mpi.min, mpi.comm_world);
  return rc == MPI_SUCCESS && all;
}

bool tuned_share(const tuned_cell_t *cell, size_t n)
{
  uint64_t cells = n;
  tuned_end();
  if (mpi.Bcast(&cells, 1, mpi.uint64, 0, mpi.comm_world) != MPI_SUCCESS || cells == 0) return true;
  sent_cell_t *list = malloc(cells * sizeof *list);
  table.cell = malloc(cells * sizeof *table.cell);
  bool done = all_can(list && table.cell);
  for (size_t i = 0; done && coll_job.rank == 0 && i < n; i++) list[i] = sent(&cell[i]);
  size_t bytes = cells * sizeof *list;
  done = done && mpi.Bcast(list, (int)bytes, mpi.byte, 0, mpi.comm_world) == MPI_SUCCESS;
  for (size_t i = 0; done && i < cells; i++) table.cell[i] = received(&list[i]);
  free(list);
  table.n = done ? cells : 0;
  if (done) qsort(table.cell, cells, sizeof *table.cell, by_key);
  coll_job.tuned = table.n > 0;
  return done;
}

void tuned_end(void)
{
  free(table.cell);
  table.cell = NULL;
  table.n = 0;
  coll_job.tuned = false;
}

tuned_cell_t *tuned_cells_of(const berth_tuning_t *t, const char *path, size_t *n)
{
  tuned_cell_t *list = malloc((t->n + 1) * sizeof *list);
  *n = 0;
  for (size_t i = 0; list && i < t->n; i++) {
    const berth_tuned_cell_t *c = &t->cell[i];
    const berth_choice_t *best = c->choice;
    tuned_cell_t *to = &list[*n];
    *to = (tuned_cell_t){
        .ranks = c->ranks, .hosts = c->hosts, .digits = berth_tuning_digits(c->bytes)};
    if (c->n_choices == 0 || c->hosts == 0) continue;
    if (!schedule_op_find(c->operation, &to->op) ||
        !tuned_choice_named(to->op, best->algorithm, (int64_t)best->segment, best->degree,
                            &to->choice)) {
      coll_say(
          "BERTH_TUNING: %s: cells[%zu]: found %s for %s, expected an algorithm that berth knows; "
          "the cell isn't used",
          path, i, best->algorithm, c->operation);
      continue;
    }
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
  const char *plan = getenv("BERTH_TUNE"), *path = getenv("BERTH_TUNING");
  uint64_t what = plan && *plan ? 2 : path && *path ? 1 : 0;
  if (mpi.Bcast(&what, 1, mpi.uint64, 0, mpi.comm_world) != MPI_SUCCESS) return;
  if (what == 2) tune_job(plan);
  if (what == 1) read_table(path);
}
