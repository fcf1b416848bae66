/* SPDX-License-Identifier: BSD-3-Clause */
/* Communicators, and their ranks in MPI_COMM_WORLD. */
#ifndef BERTH_TRACE_COMM_H
#define BERTH_TRACE_COMM_H

#include "trace/tracer.h"

#define NOWHERE 0xffffffffu /* world rank of a process outside MPI_COMM_WORLD */

/* A communicator. All handles with the same members in the same order share one; it lives for
 * ever. */
typedef struct comm {
  uint32_t id;      /* 0: the members of MPI_COMM_WORLD in its order */
  uint32_t n_dest;  /* number of possible destinations; for intercommunicators, ranks of the remote
                       group */
  uint32_t n_local; /* ranks of the own group */
  uint32_t n_list;  /* ranks in the trace's list: both groups */
  int rank;         /* own rank */
  bool inter, outside; /* outside: some members aren't in MPI_COMM_WORLD */
  bool everyone;       /* has all of MPI_COMM_WORLD, in any order, and nobody else */
  uint32_t dest_at;    /* index of the first destination in the list */
  uint32_t own_at;     /* index of the first rank of the own group */
  uint32_t *list;      /* world ranks; NULL: 0, 1, 2, … */
  uint64_t hash[2];
  uint32_t n_windows; /* made by its members; access needs the lock */
  struct comm *next;  /* in the same slot of the table of communicators */
} comm_t;

/* The communicator or intercommunicator of a handle; NULL if the handle isn't valid. */
comm_t *comm_find(thread_t *t, MPI_Comm handle);
/* Counts the spawned processes. Only the root that asked for them does. */
void comm_spawned(thread_t *t, MPI_Comm comm, int root, MPI_Comm inter);
/* Rank 0 records a Cartesian grid that the program has made, if it has all ranks in the order of
 * MPI_COMM_WORLD. Grids of more than SPOOL_GRID_DIMS dimensions and those after the first few
 * aren't kept. */
void comm_grid_made(thread_t *t, MPI_Comm comm);
#define GRID_MADE(comm) comm_grid_made(t, comm) /* of calls.def, for the wrapper's thread t */

void comm_setup(void);
void comm_cleanup(void);

/* The destinations and sources of this rank in neighbourhood collectives, in the order of its
 * buffers: world ranks, NOWHERE for others, NOBODY beyond the edge of a Cartesian grid. */
#define NOBODY 0xfffffffeu
typedef struct neighbours {
  uint32_t n, n_from;
  uint32_t dst[]; /* n destinations, then n_from sources */
} neighbours_t;
/* Finds the neighbours for a communicator of comm_find. There are none if it has no topology or
 * memory is out. */
const neighbours_t *comm_neighbours(thread_t *t, const comm_t *c, MPI_Comm handle);

/* The world rank of a destination; may be NOWHERE. */
static inline uint32_t comm_world_rank(const comm_t *c, uint32_t dest)
{
  return c->list ? c->list[c->dest_at + dest] : dest;
}

/* SPOOL_COLL_USER and SPOOL_COLL_UNCOMMUTATIVE of a reduction's operation. */
uint16_t comm_op_flags(MPI_Op op);

#endif
