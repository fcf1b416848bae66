/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll/tuning/settled.h"

#include <stdlib.h>

#include "coll/coll.h"
#include "coll/tuning/tuned.h"
#include "job/reader.h"

/* The votes of all ranks, two for each cell. */
static bool add_up(const tuned_votes_t *votes, size_t n, uint64_t *own, uint64_t *all)
{
  for (size_t i = 0; i < 2 * n; i++) own[i] = (uint64_t)votes[i / 2].choice[i % 2];
  return mpi.Reduce(own, all, (int)(2 * n), mpi.uint64, mpi.sum, 0, mpi.comm_world) == MPI_SUCCESS;
}

/* The two choices of a file's cell that were compared change places if the second one won. False:
 * the file is no longer the one that was read. */
static bool settle(berth_tuned_cell_t *c, const tuned_cell_t *by, bool second)
{
  schedule_op_t op;
  chosen_t choice;
  char wrong[CHOSEN_WRONG];
  int k = chosen_take(c, 0, tuned_job(c->operation), &op, &choice, wrong);
  int next = k < 0 ? -1 : tuned_second(c, k);
  bool same = next >= 0 && op == by->op && c->ranks == by->ranks && c->hosts == by->hosts &&
              berth_tuning_digits(c->bytes) == by->digits;
  if (!same) return false;
  if (second) {
    const berth_tuned_choice_t won = c->choice[next];
    c->choice[next] = c->choice[k];
    c->choice[k] = won;
  }
  c->settled = true;
  return true;
}

static void keep(const char *name, const tuned_cell_t *cell, const uint64_t *votes, size_t n)
{
  berth_tuning_t t;
  size_t settled = 0;
  const char *path = getenv(name);
  if (!path || !reader_load_tuning(name, path, coll_job.n, &t)) return;
  for (size_t i = 0; i < n; i++) {
    const uint64_t *of = votes + 2 * i;
    size_t place = (size_t)cell[i].place;
    if (of[0] + of[1] > 0 && place < t.n)
      settled += settle(&t.cell[place], &cell[i], of[1] > of[0]);
  }
  if (settled) reader_save_tuning(name, path, &t, "what calls settled for");
  reader_clear_tuning(&t);
}

static bool any(const uint64_t *votes, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (votes[i]) return true;
  return false;
}

void settled_keep(void)
{
  tuned_votes_t *votes;
  size_t n;
  const tuned_cell_t *cell = tuned_table(&votes, &n);
  if (n == 0) return;
  uint64_t *own = calloc(4 * n, sizeof *own), *all = own ? own + 2 * n : NULL;
  bool added = tuned_all_can(own != NULL) && add_up(votes, n, own, all);
  bool measured = coll_job.settings.tuning == COLL_MEASURES;
  if (added && coll_job.rank == 0 && any(all, 2 * n))
    keep(measured ? "BERTH_TUNE" : "BERTH_TUNING", cell, all, n);
  free(own);
}
