/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BERTH_TRACE_TRACE_PLACE_H
#define BERTH_TRACE_TRACE_PLACE_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/* Every rank of the communicator writes its bytes to the empty file, one behind the other in the
 * order of ranks, by MPI-IO. True at all of them when the whole file is there for each of them;
 * nothing is known of the file else. */
bool place_frames(MPI_Comm comm, const char *path, const char *bytes, size_t n);

#endif
