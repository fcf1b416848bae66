/* SPDX-License-Identifier: BSD-3-Clause */
/* A window that berth serves: what its ranks know of each other, and in which epochs this one is.
 *
 * The handle that the program has is that of a window of the MPI's with this rank alone: for names,
 * attributes, info and error handlers. Nobody communicates by it. */
#ifndef BERTH_RMA_RMA_WINDOW_H
#define BERTH_RMA_RMA_WINDOW_H

#include <stdatomic.h>

#include "rma/rma.h"
#include "rma/window_memory.h"

/* How an origin reaches a target's memory. */
typedef enum rma_way {
  WAY_MEMORY, /* it is mapped here */
  WAY_COPY,   /* the system copies from process to process */
  WAY_MESSAGE /* the target does what messages say */
} rma_way_t;

/* Of the origin's access epochs at a target. */
typedef enum lock_kind { LOCK_NONE, LOCK_SHARED, LOCK_EXCLUSIVE, LOCK_UNCHECKED } lock_kind_t;

/* What a rank knows of another one of the window, and does to it. */
typedef struct rma_target {
  char *memory; /* where its part of the window is mapped here; NULL: nowhere */
  void *mapped; /* what the window has mapped for it alone; NULL: nothing */
  size_t mapped_bytes;
  uint64_t address; /* in its own process */
  uint64_t size;    /* bytes */
  int64_t unit;     /* of displacements */
  rma_way_t way;
  int world;  /* its rank in MPI_COMM_WORLD */
  int window; /* its number of this window */
  int member; /* its place on this host, or -1 */
  /* This rank's access. */
  _Atomic unsigned ready; /* the epoch in which the target was found to be open; WINDOW_CLOSED: none
                           */
  _Atomic bool opening;   /* a thread is finding that out */
  lock_kind_t lock;       /* asked for by the program */
  bool held;              /* the lock is this rank's; of a target reached by messages: asked for, */
  bool granted;           /* and known to be this rank's */
  bool started;           /* MPI_Win_start has named it */
  uint32_t starts;        /* how often */
  struct copies *copies;  /* WAY_COPY: what isn't done yet; NULL: there was never any */
  struct stream *stream;  /* WAY_MESSAGE: what isn't sent yet, and what isn't complete */
} rma_target_t;

enum { WINDOW_CLOSED = 0 };

/* This rank's access epoch, apart from locks of single targets. */
typedef enum access_kind { ACCESS_NONE, ACCESS_STARTED, ACCESS_LOCKED_ALL } access_kind_t;

typedef struct rma_window {
  MPI_Win handle;
  int number;              /* this process's */
  int flavor;              /* MPI_WIN_FLAVOR_… */
  MPI_Aint size_attribute; /* what programs get pointers to */
  int unit_attribute, model_attribute;
  int rank, size;
  MPI_Group group;
  rma_target_t *target; /* of each rank */
  window_memory_t memory;
  bool messages; /* some targets of some ranks are reached by messages */
  int n_hosts, my_host;
  int *host;   /* of each rank */
  int *leader; /* of each host: its lowest rank */
  /* This rank's epochs. */
  unsigned epoch; /* from 1 on; changes when what is ready isn't ready any more */
  access_kind_t access;
  bool access_unchecked; /* MPI_MODE_NOCHECK */
  bool fenced;           /* the last fence opened an epoch, */
  bool fence_left;       /* which another one of this rank has ended */
  bool used;             /* there were some since the last fence */
  uint32_t fences;       /* that this rank has been through, */
  uint32_t barriers;     /* and those at which it waited for all */
  int locked;            /* targets that single locks are for */
  int *started;          /* ranks of the access epoch, n_started of them */
  int n_started;
  int *posted; /* ranks of the exposure epoch, n_posted of them; -1: there is none */
  int n_posted;
  uint32_t *posts;           /* of each rank: how often it was named by MPI_Win_post */
  struct arrivals *arrivals; /* what messages of others have brought; NULL: there are none */
  struct rma_window *next;
} rma_window_t;

/* Epochs of MPI_Win_lock and MPI_Win_lock_all that this process has open, of all windows. Only
 * whether there are others matters, so each changes it in one atomic step. */
extern int window_locks;

/* The window of a handle; NULL: the MPI serves it. */
rma_window_t *window_find(MPI_Win handle);
/* By its number; NULL: there is none, or no more. The caller has the lock of messages. */
rma_window_t *window_numbered(int number);

/* Makes a window; all ranks of the communicator call it. *base of MPI_Win_allocate… is set.
 * PASS_ON: the MPI makes it. */
enum { PASS_ON = -1 };
int window_make(int flavor, void **base, MPI_Aint size, MPI_Aint unit, MPI_Info info, MPI_Comm comm,
                MPI_Win *out);
/* Frees it; all ranks call it. Returns the MPI's code. */
int window_free(rma_window_t *w, MPI_Win *handle);
/* Does it for all that are there. */
void windows_each(void (*does)(rma_window_t *w));

#endif
