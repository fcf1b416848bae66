/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BERTH_TRACE_TRACE_TEAM_H
#define BERTH_TRACE_TRACE_TEAM_H

#include <berth/team.h>
#include <mpi.h>
#include <stdbool.h>

/* The ranks as a team, by messages over the tracer's own communicator. */
berth_team_t team_of_ranks(void);

/* Whether it is good at all ranks of a communicator. */
bool team_all(MPI_Comm comm, bool good);

#endif
