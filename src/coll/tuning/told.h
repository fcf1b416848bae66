/* SPDX-License-Identifier: BSD-3-Clause */
/* Algorithms of the MPI itself, which it takes if it is told to: by parameters of Open MPI's
 * component tuned or by variables of MPICH. They are set through the MPI's tool interface (MPI_T).
 * Open MPI reads them when a communicator is made, MPICH at each call. */
#ifndef BERTH_COLL_TOLD_H
#define BERTH_COLL_TOLD_H

#include <berth/tuning.h>

#include "interpose/mpi_table.h"
#include "schedule/settings/settings.h"

/* The rules of the MPI that this library is for. */
extern const char told_rules[];

/* Whether the MPI takes what the tool interface tells it of an operation. Open MPI does so in jobs
 * with coll_tuned_use_dynamic_rules. Cells of reduce_scatter are of two functions, which the MPIs
 * tell apart: so it is left out. */
bool told_possible(schedule_op_t op);

/* Whether this job was told algorithms of an operation, as `berth tune settings` writes them: by
 * rank 0's environment. */
bool told_job(const char *operation);

/* One algorithm that is being tried. */
enum { TOLD_VARIABLES = 3 };
typedef struct told {
  int n;
  struct {
    char name[SCHEDULE_VARIABLE];
    int value; /* what is swapped with the variable's value */
  } variable[TOLD_VARIABLES];
  MPI_Comm comm; /* whose calls take it */
} told_t;

/* Makes t->comm, a copy of a communicator; its ranks call it together. False: the MPI can't be
 * told. End it in both cases. */
bool told_begin(told_t *t, schedule_op_t op, const berth_tuned_choice_t *choice, MPI_Comm comm);
void told_end(told_t *t);

/* Calls of t->comm take the algorithm between these. */
void told_enter(told_t *t);
void told_leave(told_t *t);

#endif
