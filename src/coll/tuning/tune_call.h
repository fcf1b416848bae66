/* SPDX-License-Identifier: BSD-3-Clause */
/* A call that is made for its time alone. */
#ifndef BERTH_COLL_TUNE_CALL_H
#define BERTH_COLL_TUNE_CALL_H

#include "coll/coll.h"
#include "schedule/schedule.h"
#include "schedule/two_levels/chosen.h"

typedef struct tune_call {
  schedule_op_t op;
  size_t bytes; /* of the vector, or of a rank's block */
  coll_comm_t *comm;
  MPI_Comm handle;
  MPI_Datatype type; /* doubles if they fit and are reduced, else bytes */
  MPI_Op reduce;
  int64_t count; /* of the type */
  char *in, *out;
  int *counts, *displs; /* of all ranks: the same for each */
} tune_call_t;

/* Gets memory for the calls of an operation; false: out of memory, or the blocks have more than a
 * GiB. End it in both cases. */
bool tune_call_begin(tune_call_t *t, coll_comm_t *c, MPI_Comm handle, schedule_op_t op,
                     size_t bytes);
void tune_call_end(tune_call_t *t);

/* The bytes that its vector, or all blocks of a rank, have. */
size_t tune_call_bytes(const tune_call_t *t);

/* Makes the call: the MPI's own, that of agents, or the library's. Returns the MPI's code. */
int tune_call(const tune_call_t *t, const chosen_t *by);
/* The same call of a part of its vector or blocks; not to be ended. */
tune_call_t tune_call_part(const tune_call_t *t, double share);
/* What ranks of a host do for it, alone. */
void tune_call_within(const tune_call_t *t);

#endif
