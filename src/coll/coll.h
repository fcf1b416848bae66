/* SPDX-License-Identifier: BSD-3-Clause */
/* What all parts of the collective library know: the job, and what each communicator has. */
#ifndef BERTH_COLL_COLL_H
#define BERTH_COLL_COLL_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "coll/host/host.h"
#include "coll/run.h"
#include "interpose/mpi_table.h"
#include "job/job_hosts.h"
#include "job/say.h"

/* Whether the job has a table of choices (tuned.h), or measures them. */
typedef enum coll_tuning { COLL_UNTUNED, COLL_TUNED, COLL_MEASURES } coll_tuning_t;

/* What all ranks do alike: rank 0 reads it from the environment. */
typedef struct coll_settings {
  coll_tuning_t tuning; /* BERTH_TUNING, BERTH_TUNE: rank 0 has their values */
  bool active, report, one_copy, reproducible;
  bool tune_only, tune_all;      /* BERTH_TUNE_ONLY, BERTH_TUNE_ALL */
  bool keeps;                    /* BERTH_TUNING_KEEP: what calls settle for goes to the file */
  double patience, tune_seconds; /* seconds; 0: no limit */
  int first_call;                /* of a communicator that is served, from 1 */
  bool agents;                   /* BERTH_AGENTS */
  int agents_degree;             /* BERTH_AGENTS_DEGREE; 0: as agents choose */
  bool agents_all;               /* BERTH_AGENTS_CALLS: they carry out blocking calls, too */
} coll_settings_t;

/* The job, from MPI_Init on. */
typedef struct coll_job {
  coll_settings_t settings;
  bool ready;  /* collective calls can be served */
  int rank, n; /* in MPI_COMM_WORLD */
  job_hosts_t hosts;
  MPI_Group world;
  MPI_Comm own;           /* all ranks, for berth's messages (coll_tags.h) */
  double half, bandwidth; /* of the network (network.h) */
  bool forced;            /* every call has the same choice (tuned.h) */
} coll_job_t;

extern coll_job_t coll_job;

/* What agents have of a communicator. */
typedef struct comm_agent {
  bool open;        /* all of its hosts' agents know it */
  bool freed;       /* by the program; calls may be under way */
  uint32_t number;  /* of its structure on this host */
  uint32_t calls;   /* that agents have carried out, in the ranks' order */
  uint32_t streams; /* persistent requests that there were */
  _Atomic int under_way;
} comm_agent_t;

/* What a communicator has. Ranks are its own. A communicator's hosts are those that have members.
 * They are in the order of their lowest members, which lead them, or in that of the job's groups.
 */
typedef struct coll_comm {
  bool served; /* false: all of its calls go to the MPI, and what follows is empty */
  int early;   /* the call, from 1, that sets it up if no long one comes before; 0: none does */
  int rank, size;
  int n_hosts, my_host;
  bool in_order;    /* host by host, ranks follow one another */
  int *world;       /* of each rank: its rank in MPI_COMM_WORLD */
  int *tag;         /* by which each rank receives this communicator's messages (coll_tags.h) */
  int *host;        /* of each rank */
  int *within;      /* of each rank: its place among the host's members */
  int *by_host;     /* the ranks, host by host, in the order of their places there */
  bool equal_hosts; /* with as many members */
  int largest;      /* the number of members of the largest host */
  int *leader;      /* of each host */
  int *first;    /* of each host: how many members the hosts before it have; n_hosts + 1 numbers */
  int *peer;     /* of each host, for one call: its leader, or the root */
  int *member;   /* of each member of this host: its rank in MPI_COMM_WORLD */
  host_t memory; /* of this host's members */
  run_t run;     /* messages between hosts, if there are several */
  comm_agent_t agent;
  /* For one call each. */
  bool begun;                  /* calls within it aren't tuned */
  const struct chosen *choice; /* what is done for it (tuned.h); NULL: as choose.h says */
  struct tuned_comm *tuned;    /* cells of this communicator; NULL: none */
  space_t scratch;             /* blocks of all ranks */
  space_t lists;               /* numbers of all ranks */
  space_t packed;              /* blocks of this host */
  space_t ordered;             /* what is reduced in the order of ranks */
  space_t copy;                /* the input of a call in place */
  space_t numbers;             /* numbers that a call needs beside those in `lists` */
  struct coll_comm *next;      /* all that are there */
  struct coll_comm **from;
} coll_comm_t;

/* What a communicator has, for a call that all of its ranks make. NULL: pass the call on. If the
 * communicator is early, the call has to be told to coll_start. */
coll_comm_t *coll_find(MPI_Comm handle);
/* Counts a call of so many bytes on an early communicator, the same number on all ranks. A long
 * call sets it up, or one that has its turn. NULL: pass the call on. */
coll_comm_t *coll_start(coll_comm_t *c, MPI_Comm handle, size_t bytes);

/* Sets up a communicator that has just been made, if there are agents: the first call on it may be
 * one that doesn't wait for others. All of its ranks call it. */
void coll_open(MPI_Comm handle);
/* A call of agents on it is over. */
void coll_comm_call_over(coll_comm_t *c);

void coll_comms_begin(void);
/* Does it for all that are there; false: it failed for one. */
bool coll_comms_each(bool (*does)(coll_comm_t *c));
/* The segments of all communicators are unmapped; their calls go to the MPI from now on. */
void coll_comms_end(void);

#endif
