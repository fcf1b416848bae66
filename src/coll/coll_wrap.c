/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of MPI that the library takes. The MPIs' Fortran libraries call these, too. */
#include "coll/block_calls.h"
#include "coll/calls.h"
#include "coll/job.h"

/* Begins a function: what follows is only for calls that the application makes. */
#define WRAP(name, parameters, arguments)                                                          \
  EXPORT int PMPI_##name parameters __attribute__((alias("MPI_" #name)));                          \
  EXPORT int MPI_##name parameters                                                                 \
  {                                                                                                \
    mpi_table_load();                                                                              \
    if (UNLIKELY(berth_interpose_own)) return mpi.name arguments;

/* A collective function of a communicator: berth's own, if it serves the call. */
#define COLLECTIVE(function, name, parameters, arguments, own)                                     \
  WRAP(name, parameters, arguments)                                                                \
  coll_comm_t *c = coll_find(comm);                                                                \
  int rc = PASS_ON;                                                                                \
  if (LIKELY(c != NULL)) {                                                                         \
    chain_own_begin();                                                                             \
    wait_call = (wait_call_t){"MPI_" #name, CALLER, c->member};                                    \
    rc = own;                                                                                      \
    chain_own_end();                                                                               \
  }                                                                                                \
  return ended(function, comm, rc) ? rc : mpi_next.name arguments;                                 \
  }

/* Counts a call. False: it has to be passed on. */
static inline bool ended(coll_function_t function, MPI_Comm comm, int rc)
{
  coll_count_t *count = &coll_counts[function];
  _Atomic uint64_t *to = rc == PASS_ON ? &count->passed : &count->served;
  atomic_fetch_add_explicit(to, 1, memory_order_relaxed);
  if (UNLIKELY(rc == MPI_ERR_NO_MEM || rc == MPI_ERR_INTERN)) mpi.Comm_call_errhandler(comm, rc);
  return rc != PASS_ON;
}

COLLECTIVE(COLL_BARRIER, Barrier, (MPI_Comm comm), (comm), coll_barrier(c))
COLLECTIVE(COLL_BCAST, Bcast, (void *data, int count, MPI_Datatype type, int root, MPI_Comm comm),
           (data, count, type, root, comm), coll_bcast(c, data, count, type, root))
COLLECTIVE(COLL_REDUCE, Reduce,
           (const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, int root,
            MPI_Comm comm),
           (in, out, count, type, op, root, comm), coll_reduce(c, in, out, count, type, op, root))
COLLECTIVE(COLL_ALLREDUCE, Allreduce,
           (const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
           (in, out, count, type, op, comm), coll_allreduce(c, in, out, count, type, op))

#define BLOCKS_IN                                                                                  \
  const void *in, int in_count, MPI_Datatype in_type, void *out, int out_count,                    \
      MPI_Datatype out_type
#define BLOCKS in, in_count, in_type, out, out_count, out_type
#define FROM   ((block_data_t){(void *)(uintptr_t)in, in_count, in_type})
#define TO     ((block_data_t){out, out_count, out_type})
COLLECTIVE(COLL_GATHER, Gather, (BLOCKS_IN, int root, MPI_Comm comm), (BLOCKS, root, comm),
           coll_gather(c, FROM, TO, root))
COLLECTIVE(COLL_SCATTER, Scatter, (BLOCKS_IN, int root, MPI_Comm comm), (BLOCKS, root, comm),
           coll_scatter(c, FROM, TO, root))
COLLECTIVE(COLL_ALLGATHER, Allgather, (BLOCKS_IN, MPI_Comm comm), (BLOCKS, comm),
           coll_allgather(c, FROM, TO))

COLLECTIVE(COLL_REDUCE_BLOCK, Reduce_scatter_block,
           (const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
           (in, out, count, type, op, comm), coll_reduce_block(c, in, out, count, type, op))

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
