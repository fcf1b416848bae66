/* SPDX-License-Identifier: BSD-3-Clause */
/* The processes of an MPI job as a team, in a shared library for each MPI. The program loads it
 * if that MPI's launcher started the program. */
#ifndef BERTH_TEAM_MPI_TEAM_MPI_H
#define BERTH_TEAM_MPI_TEAM_MPI_H

#include <berth/team.h>

/* Names of the library's functions. */
#define TEAM_MPI_JOIN  "team_mpi_join"
#define TEAM_MPI_LEAVE "team_mpi_leave"

/* Starts MPI and fills *team. Call it once. */
typedef void team_mpi_join_t(berth_team_t *team);
/* Ends MPI. Returns when all processes have called it. */
typedef void team_mpi_leave_t(void);

BERTH_API team_mpi_join_t team_mpi_join;
BERTH_API team_mpi_leave_t team_mpi_leave;

#endif
