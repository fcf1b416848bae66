/* SPDX-License-Identifier: BSD-3-Clause */
/* What Open MPI 4.1 sends between hosts without RDMA: its component osc/pt2pt.
 *
 * Source: Open MPI 4.1.4, ompi/mca/osc/pt2pt. osc_pt2pt_header.h has the headers, which are aligned
 * to 8 bytes in fragments. osc_pt2pt_comm.c has the operations: a header, 8 bytes that describe a
 * predefined type, the data. osc_pt2pt_frag.h collects them (buffer_size 8192; 32 long operations).
 * osc_pt2pt_active_target.c has fence, post and complete, osc_pt2pt_passive_target.c locks: a lock
 * is asked for by a message without a fragment, also in lock_all, where only targets of operations
 * are locked. */
#include "one_sided/epoch_rules.h"

enum {
  TYPE = 8,
  PUT = 24 + TYPE,
  GET = 24 + TYPE,
  ACCUMULATE = 32 + TYPE,
  COMPARE = 16 + TYPE,
  COMPLETE = 8,
  POST = 2,
  LOCK = 16,
  LOCK_ACK = 16,
  UNLOCK = 24,
  UNLOCK_ACK = 16
};

static const epoch_operation_t operations[] = {
    {"MPI_Put", PUT, 1, -1, 0, ALONE_LONG, false},
    {"MPI_Rput", PUT, 1, -1, 0, ALONE_LONG, false},
    {"MPI_Accumulate", ACCUMULATE, 1, -1, 0, ALONE_NEVER, false},
    {"MPI_Raccumulate", ACCUMULATE, 1, -1, 0, ALONE_LONG, false},
    {"MPI_Get", GET, 0, 0, 1, ALONE_NEVER, false},
    {"MPI_Rget", GET, 0, 0, 1, ALONE_ALWAYS, false},
    {"MPI_Get_accumulate", ACCUMULATE, 1, 0, 1, ALONE_NEVER, false},
    {"MPI_Rget_accumulate", ACCUMULATE, 1, 0, 1, ALONE_ALWAYS, false},
    {"MPI_Fetch_and_op", ACCUMULATE, 1, 0, 1, ALONE_NEVER, false},
    {"MPI_Compare_and_swap", COMPARE, 2, 0, 1, ALONE_ALWAYS, false},
};

static const epoch_sync_t syncs[] = {
    {"fence", -1, -1, -1, -1, -1, false, true, true},
    {"pscw", POST, -1, -1, COMPLETE, -1, false, false, false},
    {"lock", -1, LOCK, LOCK_ACK, UNLOCK, UNLOCK_ACK, false, false, false},
    {"lock_all", -1, LOCK, LOCK_ACK, UNLOCK, UNLOCK_ACK, false, false, false},
    {"", -1, -1, -1, -1, -1, false, false, false},
};

const epoch_rules_t epoch_rules_openmpi = {
    .name = "openmpi-4.1",
    .fragment = 8192,
    .fragment_header = 16,
    .alignment = 8,
    .most_long = 32,
    .operations = operations,
    .n_operations = sizeof operations / sizeof *operations,
    .syncs = syncs,
    .n_syncs = sizeof syncs / sizeof *syncs,
};
