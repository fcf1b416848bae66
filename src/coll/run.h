/* SPDX-License-Identifier: BSD-3-Clause */
/* Carries out a schedule (schedule/schedule.h) by messages between ranks of a communicator. Each
 * rank chooses a tag by which it receives messages of this communicator, so that those of all
 * communicators can go through a single one of the MPI's. */
#ifndef BERTH_COLL_RUN_H
#define BERTH_COLL_RUN_H

#include "base/spans.h"
#include "coll/space.h"
#include "job/reduction.h"
#include "schedule/schedule.h"

/* What one communicator's runs need again and again. */
typedef struct run {
  MPI_Comm comm;    /* of all ranks of MPI_COMM_WORLD */
  const int *world; /* the ranks of the communicator there; borrowed */
  const int *tag;   /* by which each of these ranks receives; borrowed */
  int own_tag;
  schedule_steps_t steps;
  MPI_Request *request; /* of the messages that are under way */
  size_t *sent;         /* the bytes of each; 0: it is received */
  size_t n, cap, sent_cap;
  space_t scratch;
} run_t;

/* What a rank does while messages are under way. Functions return the MPI's code. */
typedef struct run_beside {
  void *with;
  bool in_place;                        /* `out` may be the memory of what `need` reads */
  int64_t total;                        /* elements of `out` */
  int (*need)(void *with, span_t part); /* makes a part of `in`; NULL: all of it is there */
  int (*have)(void *with, span_t part); /* a part of `out` is as it stays; NULL: nobody asks */
  int (*pass_on)(void *with);           /* called in each round */
} run_beside_t;

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
  size_t overlap;            /* bytes of the parts that are passed on within the host (overlap.h) */
  const run_beside_t *beside; /* NULL: nothing */
} run_call_t;

/* Returns the MPI's code; MPI_ERR_NO_MEM: memory is out. */
int run_schedule(run_t *run, const run_call_t *c);

/* Messages beside schedules: any number of them begin, then run_finish waits for all. `peer` is a
 * rank of the communicator; who waits names one that may be late. They return the MPI's code. */
int run_send(run_t *run, int peer, const void *data, int64_t count, MPI_Datatype type,
             size_t bytes);
int run_receive(run_t *run, int peer, void *data, int64_t count, MPI_Datatype type);
int run_finish(run_t *run, int peer);
/* Waits until the messages that this rank sends have at most so many bytes together. */
int run_wait_sent(run_t *run, int peer, size_t bytes);
/* Bytes of any number, sent or received; the other rank does the same. */
int run_bytes(run_t *run, int peer, char *data, size_t bytes, bool sends);

void run_clear(run_t *run);

#endif
