/* SPDX-License-Identifier: BSD-3-Clause */
/* What an MPI can be told of the algorithms of its collective operations. */
#ifndef BERTH_SCHEDULE_SETTINGS_H
#define BERTH_SCHEDULE_SETTINGS_H

#include "schedule/schedule.h"

/* An algorithm that an MPI can be told to take for an operation. Where several have one number, the
 * MPI takes the first that serves. */
typedef struct schedule_setting {
  schedule_op_t op;
  const char *algorithm;        /* as the rules or the list of algorithms call it */
  const char *number, *name;    /* what the MPI calls it; MPICH has names alone */
  bool has_segment, has_degree; /* it can be told the bytes of a segment, and a degree */
} schedule_setting_t;

/* The settings of the MPI whose rules have that name; *n is 0 if berth knows none. */
const schedule_setting_t *schedule_settings(const char *rules, size_t *n);

/* The number of an operation in Open MPI's file of dynamic rules; -1: it can't be told there
 * without harm. MPI_Gather and MPI_Scatter are looked up by what each rank gives, so a root with
 * MPI_IN_PLACE would take another algorithm than the others. MPI_Scan and MPI_Exscan are looked up
 * by the size of an element. MPI_Gatherv and MPI_Scatterv aren't tuned. */
int schedule_openmpi_number(schedule_op_t op);

/* MPICH's variable for an operation, named in any case: MPIR_CVAR_BCAST_INTRA_ALGORITHM. */
enum { SCHEDULE_VARIABLE = 96 };
void schedule_mpich_variable(const char *operation, char out[SCHEDULE_VARIABLE]);

#endif
