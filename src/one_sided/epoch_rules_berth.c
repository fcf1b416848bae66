/* SPDX-License-Identifier: BSD-3-Clause */
/* What berth's one-sided library sends between hosts (docs/rma.md) with its usual settings.
 *
 * Source: src/rma. mail.h has the head and the room of a message, rma_record.h how operations are
 * written in it: here with three bytes for their places, as in a window of a megabyte, and with the
 * rest for the first one of a message only, as if all were alike. Settings in
 * rma_job.c say when a message is enough, STREAM_LONG in stream_state.h which data travel alone. */
#include "one_sided/epoch_rules.h"

enum {
  HEAD = 28,
  ROOM = 16 * 1024 - 64 - 56, /* the longest record must fit */
  ENOUGH = 12 * 1024,
  LONG = 8 * 1024,
  FIRST = 4,    /* the bytes of its operations */
  PLACE = 1 + 3 /* kind, place */
};

static const epoch_operation_t operations[] = {
    {"MPI_Put", PLACE, 1, -1, 0, ALONE_LONG, false},
    {"MPI_Rput", PLACE, 1, -1, 0, ALONE_ALWAYS, false},
    {"MPI_Accumulate", PLACE, 1, -1, 0, ALONE_NEVER, true},
    {"MPI_Raccumulate", PLACE, 1, -1, 0, ALONE_ALWAYS, true},
    {"MPI_Get", PLACE, 0, 0, 1, ALONE_LONG, false},
    {"MPI_Rget", PLACE, 0, 0, 1, ALONE_ALWAYS, false},
    {"MPI_Get_accumulate", PLACE, 1, 0, 1, ALONE_NEVER, true},
    {"MPI_Rget_accumulate", PLACE, 1, 0, 1, ALONE_ALWAYS, true},
    {"MPI_Fetch_and_op", PLACE, 1, 0, 1, ALONE_NEVER, true},
    {"MPI_Compare_and_swap", PLACE, 2, 0, 1, ALONE_NEVER, true},
};

/* Requests, locks and ends are marks of messages, so they have no bytes. */
static const epoch_sync_t syncs[] = {
    {"fence", -1, -1, -1, -1, -1, false, true, false},
    {"pscw", -1, -1, -1, 0, -1, false, false, false},
    {"lock", -1, -1, -1, 0, 0, false, false, false},
    {"lock_all", -1, -1, -1, 0, 0, false, false, false},
    {"", -1, -1, -1, -1, -1, false, false, false},
};

const epoch_rules_t epoch_rules_berth = {
    .name = "berth",
    .fragment = ROOM,
    .fragment_header = HEAD + FIRST,
    .enough = ENOUGH,
    .long_from = LONG,
    .alignment = 1,
    .answer = HEAD,
    .answers_together = true,
    .by_hosts = true,
    .operations = operations,
    .n_operations = sizeof operations / sizeof *operations,
    .syncs = syncs,
    .n_syncs = sizeof syncs / sizeof *syncs,
};
