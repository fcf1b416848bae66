/* SPDX-License-Identifier: BSD-3-Clause */
/* What the job does by measurements: a table of cells (berth/tuning.h), which rank 0 reads and all
 * ranks have. */
#ifndef BERTH_COLL_TUNED_H
#define BERTH_COLL_TUNED_H

#include <berth/tuning.h>

#include "coll/coll.h"
#include "schedule/two_levels/chosen.h"

typedef struct tuned_cell {
  schedule_op_t op;
  int ranks, hosts, digits; /* of a size (berth_tuning_digits) */
  chosen_t choice;
  bool has_second; /* a second choice was nearly as fast */
  chosen_t second;
  int place; /* in the file, from 0 */
} tuned_cell_t;

/* Reads the file that BERTH_TUNING names; or measures what the one of BERTH_TUNE asks for, and
 * writes the result there. All ranks call it when calls can be served. */
void tuned_begin(void);
void tuned_end(void);

/* The first choices of a file's cells that were measured; a line for each that can't be used. Free
 * them. NULL: out of memory. */
tuned_cell_t *tuned_cells_of(const berth_tuning_t *t, const char *path, size_t *n);
/* What this job has for choices. */
chosen_job_t tuned_job(const char *operation);
/* The choice of a cell that calls compare with choice number k: the next one that holds, if it was
 * nearly as fast. -1: none. */
int tuned_second(const berth_tuned_cell_t *c, int k);
/* Replaces the table of all ranks by rank 0's n cells. False: out of memory. */
bool tuned_share(const tuned_cell_t *cell, size_t n);

/* Whether all ranks of the job have the memory that they need. */
bool tuned_all_can(bool can);

/* Every choice is this one, until it is NULL. */
void tuned_force(const chosen_t *choice);

/* Finds the cells of a communicator, and forgets them. False: out of memory. */
bool tuned_attach(coll_comm_t *c);
void tuned_detach(coll_comm_t *c);

/* Begins a call, of a vector or blocks of so many bytes: finds what is to be done. True: it isn't
 * the ranks' to do, but the MPI's, or that of agents. A call within another one isn't tuned. */
bool tuned_find(coll_comm_t *c, schedule_op_t op, size_t bytes);

static inline bool tuned_away(coll_comm_t *c, schedule_op_t op, size_t bytes)
{
  return UNLIKELY(c->tuned || coll_job.forced) && tuned_find(c, op, bytes);
}

/* Whether agents are to carry out the call that was looked up. */
static inline bool tuned_to_agents(const coll_comm_t *c)
{
  return UNLIKELY(c->choice && c->choice->agents);
}

/* While the application runs, two choices that were nearly as fast are compared in its calls: each
 * takes turns for some, then all ranks add up their times and settle for one (dissertation, chapter
 * 5). Not of reductions, whose last bits would differ from run to run. */
void tuned_stop_clock(coll_comm_t *c);
/* How many pairs were compared by this rank, and how often the second choice won. */
void tuned_counts(uint64_t counts[2]);

/* For each choice of a cell: how many communicators settled for it, of those of which this is the
 * first rank. */
typedef struct tuned_votes {
  _Atomic int32_t choice[2];
} tuned_votes_t;
/* The n cells that this rank has, and their votes, which the table owns. */
const tuned_cell_t *tuned_table(tuned_votes_t **votes, size_t *n);

#endif
