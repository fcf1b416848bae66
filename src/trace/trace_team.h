/* SPDX-License-Identifier: BSD-3-Clause */
/* The job's ranks as a team (team/team.h). */
#ifndef BERTH_TRACE_TRACE_TEAM_H
#define BERTH_TRACE_TRACE_TEAM_H

#include <berth/team.h>
#include <mpi.h>
#include <stdbool.h>

/* The team sends its messages over the tracer's own communicator. */
berth_team_t team_of_ranks(void);

/* Whether `good` is true at all ranks of the communicator. Collective. */
bool team_all(MPI_Comm comm, bool good);

#endif
