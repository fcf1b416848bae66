/* SPDX-License-Identifier: BSD-3-Clause */
/* Starts the measuring program by a launcher of the user's. */
#ifndef BERTH_CLI_MEASURING_LAUNCH_H
#define BERTH_CLI_MEASURING_LAUNCH_H

#include "calib/job/measuring_job.h"
#include "launch/launch.h"

typedef struct measuring_launch {
  const char *program;           /* for messages */
  char **command;                /* the launcher's words, ended by NULL; no program behind them */
  launch_mpi_t mpi, default_mpi; /* as the user says, and as the project file does; else 0 */
} measuring_launch_t;

/* Which MPI the launcher starts, Open MPI where it doesn't tell: then *assumed is true. Refuses a
 * program behind the launcher. */
int measuring_launch_mpi(const measuring_launch_t *l, launch_mpi_t *mpi, bool *assumed,
                         berth_error_t *err);

/* Starts it. The caller ends the job if *started is true, also after a failure. */
int measuring_launch_start(const measuring_launch_t *l, job_t *job, bool *started,
                           berth_error_t *err);

#endif
