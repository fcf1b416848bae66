/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of MPI that the library takes. The MPIs' Fortran libraries call these, too. */
#include "coll/block_calls.h"
#include "coll/calls.h"
#include "coll/job.h"
#include "coll/packing.h"
#include "coll/pair_calls.h"
#include "coll/reduced_blocks.h"
#include "coll/tuning/tuned.h"
#include "coll/varied_calls.h"

/* Begins a function: what follows is only for calls that the application makes. */
#define WRAP(name, parameters, arguments) WRAP_AS(name, parameters, arguments)
#define WRAP_AS(name, parameters, arguments)                                                       \
  EXPORT int PMPI_##name parameters __attribute__((alias("MPI_" #name)));                          \
  EXPORT int MPI_##name parameters                                                                 \
  {                                                                                                \
    mpi_table_load();                                                                              \
    if (UNLIKELY(berth_interpose_own)) return mpi.name arguments;

#define COLL_NAME(name)    COLL_NAME_AS(name)
#define COLL_NAME_AS(name) "MPI_" #name

/* A collective function of a communicator: berth's own, if it serves the call. */
#define COLLECTIVE(function, name, parameters, arguments, bytes, own)                              \
  WRAP(name, parameters, arguments)                                                                \
  coll_comm_t *c = coll_find(comm);                                                                \
  if (UNLIKELY(c && c->early)) c = coll_start(c, comm, bytes);                                     \
  int rc = PASS_ON;                                                                                \
  if (LIKELY(c != NULL)) {                                                                         \
    chain_own_begin();                                                                             \
    c->begun = false;                                                                              \
    wait_call = (wait_call_t){COLL_NAME(name), CALLER, c->member};                                 \
    rc = own;                                                                                      \
    chain_own_end();                                                                               \
  }                                                                                                \
  if (!ended(function, comm, rc)) rc = mpi_next.name arguments;                                    \
  if (UNLIKELY(c && c->tuned)) tuned_stop_clock(c);                                                \
  return rc;                                                                                       \
  }

/* Counts a call. False: it has to be passed on. */
static inline bool ended(coll_function_t function, MPI_Comm comm, int rc)
{
  coll_count_t *count = &coll_counts[function];
  _Atomic uint64_t *to = rc == PASS_ON ? &count->passed : &count->served;
  atomic_fetch_add_explicit(to, 1, memory_order_relaxed);
  if (UNLIKELY(rc != PASS_ON && rc != MPI_SUCCESS)) mpi.Comm_call_errhandler(comm, rc);
  return rc != PASS_ON;
}

/* The forms with large counts (MPI 4) are those with ints, with other types. */
COLLECTIVE(COLL_BARRIER, Barrier, (MPI_Comm comm), (comm), 0, coll_barrier(c))
#define COUNT      int
#define DISPL      int
#define FORM(name) name
#define LIST(list) ((amounts_t){.narrow = (list)})
#include "coll/collectives.def"
#if MPI_VERSION >= 4
#define COUNT      MPI_Count
#define DISPL      MPI_Aint
#define FORM(name) name##_c
#define LIST(list) ((amounts_t){.wide = (list)})
#include "coll/collectives.def"
#endif

WRAP(Init, (int *argc, char ***argv), (argc, argv))
int rc = mpi_next.Init(argc, argv);
if (rc == MPI_SUCCESS) coll_job_begin();
return rc;
}

WRAP(Init_thread, (int *argc, char ***argv, int required, int *provided),
     (argc, argv, required, provided))
int rc = mpi_next.Init_thread(argc, argv, required, provided);
if (rc == MPI_SUCCESS) coll_job_begin();
return rc;
}

WRAP(Finalize, (void), ())
coll_job_end();
return mpi_next.Finalize();
}
