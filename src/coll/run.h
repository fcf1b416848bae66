/* SPDX-License-Identifier: BSD-3-Clause */
/* Carries out a schedule (schedule/schedule.h) by messages between ranks of a communicator that
 * nobody else uses. */
#ifndef BERTH_COLL_RUN_H
#define BERTH_COLL_RUN_H

#include "coll/reduction.h"
#include "coll/space.h"
#include "schedule/schedule.h"

/* What one communicator's runs need again and again. */
typedef struct run {
  MPI_Comm comm;
  const int *world; /* its ranks in MPI_COMM_WORLD; borrowed */
  schedule_steps_t steps;
  MPI_Request *request;
  size_t n, cap;
  space_t scratch;
} run_t;

/* One call of some of its ranks. */
typedef struct run_call {
  const schedule_algorithm_t *algorithm;
  schedule_call_t call;
  int me;          /* this rank in the schedule */
  const int *peer; /* the schedule's ranks in the communicator */
  const void *in;
  void *out;
  size_t element;            /* bytes */
  const reduction_t *reduce; /* NULL: nothing is reduced */
} run_call_t;

/* Returns the MPI's code; MPI_ERR_NO_MEM: memory is out. */
int run_schedule(run_t *run, const run_call_t *c);

/* Messages beside schedules: any number of them begin, then run_finish waits for all. `peer` is a
 * rank of the communicator; run_finish names one that may be late. They return the MPI's code. */
int run_send(run_t *run, int peer, const void *data, int64_t count, MPI_Datatype type);
int run_receive(run_t *run, int peer, void *data, int64_t count, MPI_Datatype type);
int run_finish(run_t *run, int peer);
/* Bytes of any number, sent or received; the other rank does the same. */
int run_bytes(run_t *run, int peer, char *data, size_t bytes, bool sends);

void run_clear(run_t *run);

#endif
