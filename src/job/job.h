/* SPDX-License-Identifier: BSD-3-Clause */
/* The processes of an MPI job as a team: a shared library for each MPI, which the program loads
 * when it was started by that MPI's launcher. */
#ifndef BERTH_JOB_H
#define BERTH_JOB_H

#include <berth/team.h>

/* The functions that the library has, under these names. */
#define JOB_JOIN  "job_join"
#define JOB_LEAVE "job_leave"

/* Starts MPI and fills *team; to be called once. */
typedef void job_join_t(berth_team_t *team);
/* Ends MPI when all processes have called it. */
typedef void job_leave_t(void);

BERTH_API job_join_t job_join;
BERTH_API job_leave_t job_leave;

#endif
