/* SPDX-License-Identifier: BSD-3-Clause */
/* What MPICH 4.0 sends between hosts by its device ch4:ucx.
 *
 * Source: MPICH 4.0.2, src/mpid/ch4. netmod/ucx/ucx_rma.h: MPI_Put and MPI_Get of contiguous data
 * are UCX's own put and get, which have no header of MPICH's; a get asks without data. All other
 * operations are active messages: 16 bytes of netmod/ucx/ucx_pre.h, a header of src/ch4_types.h,
 * the data. src/mpidig_rma.h has the requests, src/mpidig_rma_callbacks.c the replies.
 * src/mpidig_win.h has the synchronisation: a fence is a barrier, lock_all locks all ranks of the
 * window, and what closes an epoch waits for the replies. */
#include "one_sided/epoch_rules.h"

enum {
  ACTIVE = 16,
  ACCUMULATE = ACTIVE + 72,
  COMPARE = ACTIVE + 40,
  REPLY = ACTIVE + 8,
  CONTROL = ACTIVE + 16
};

static const epoch_operation_t operations[] = {
    {"MPI_Put", 0, 1, -1, 0, ALONE_ALWAYS, false},
    {"MPI_Rput", 0, 1, -1, 0, ALONE_ALWAYS, false},
    {"MPI_Get", 0, 0, 0, 1, ALONE_ALWAYS, false},
    {"MPI_Rget", 0, 0, 0, 1, ALONE_ALWAYS, false},
    {"MPI_Accumulate", ACCUMULATE, 1, REPLY, 0, ALONE_ALWAYS, false},
    {"MPI_Raccumulate", ACCUMULATE, 1, REPLY, 0, ALONE_ALWAYS, false},
    {"MPI_Get_accumulate", ACCUMULATE, 1, REPLY, 1, ALONE_ALWAYS, false},
    {"MPI_Rget_accumulate", ACCUMULATE, 1, REPLY, 1, ALONE_ALWAYS, false},
    {"MPI_Fetch_and_op", ACCUMULATE, 1, REPLY, 1, ALONE_ALWAYS, false},
    {"MPI_Compare_and_swap", COMPARE, 2, REPLY, 1, ALONE_ALWAYS, false},
};

static const epoch_sync_t syncs[] = {
    {"fence", -1, -1, -1, -1, -1, false, false, true},
    {"pscw", CONTROL, -1, -1, CONTROL, -1, false, false, false},
    {"lock", -1, CONTROL, CONTROL, CONTROL, CONTROL, false, false, false},
    {"lock_all", -1, CONTROL, CONTROL, CONTROL, CONTROL, true, false, false},
    {"", -1, -1, -1, -1, -1, false, false, false},
};

const epoch_rules_t epoch_rules_mpich = {
    .name = "mpich-4.0",
    .operations = operations,
    .n_operations = sizeof operations / sizeof *operations,
    .syncs = syncs,
    .n_syncs = sizeof syncs / sizeof *syncs,
};
