/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the libraries and programs for jobs of an MPI are. */
#ifndef BERTH_CLI_TRACE_LIBRARY_H
#define BERTH_CLI_TRACE_LIBRARY_H

#include "cli/options/option.h"
#include "launch/launch.h"

/* Finds the library to preload, beside this program: in the build tree and when installed. The
 * caller frees *path. A path that cannot be preloaded is refused. */
int mpi_library_tracer(launch_mpi_t mpi, char **path, berth_error_t *err);

option_take_t mpi_library_take; /* launch_mpi_t, by name */

/* Takes what the project file says of `mpi`, for jobs of which nothing else tells the MPI; 0
 * without one. */
void mpi_library_take_default(struct argp_state *state, launch_mpi_t *mpi);

/* Finds the collective library, likewise. */
int mpi_library_coll(launch_mpi_t mpi, char **path, berth_error_t *err);
int mpi_library_rma(launch_mpi_t mpi, char **path, berth_error_t *err);

/* Finds the program that `berth calibrate` starts on all ranks, likewise. */
int mpi_library_measure(launch_mpi_t mpi, char **path, berth_error_t *err);

/* Finds the library through which processes of a job form a team (team/mpi/team_mpi.h), likewise.
 */
int mpi_library_team(launch_mpi_t mpi, char **path, berth_error_t *err);

#endif
