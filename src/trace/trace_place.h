/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes all ranks' bytes to one file. */
#ifndef BERTH_TRACE_TRACE_PLACE_H
#define BERTH_TRACE_TRACE_PLACE_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/* Writes each rank's bytes to the empty file, one after another in the order of ranks.
 * Collective over the communicator. Returns true at all ranks if each of them sees the whole
 * file. Otherwise the file's content is undefined. */
bool place_frames(MPI_Comm comm, const char *path, const char *bytes, size_t n);

#endif
