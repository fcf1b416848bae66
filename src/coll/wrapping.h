/* SPDX-License-Identifier: BSD-3-Clause */
/* How the library's wrappers begin and end. */
#ifndef BERTH_COLL_WRAPPING_H
#define BERTH_COLL_WRAPPING_H

#include "coll/calls.h"
#include "coll/job.h"

/* Begins a function: what follows is only for calls that the application makes. WRAP is for
 * MPI_name, WRAP_NAMED for a function of any name; `name` is that of the table
 * (interpose/mpi_table.h). */
#define WRAP(name, parameters, arguments)     WRAP_MPI(name, parameters, arguments)
#define WRAP_MPI(name, parameters, arguments) WRAP_NAMED(MPI_##name, name, parameters, arguments)
#define WRAP_NAMED(...)                       WRAP_AS(__VA_ARGS__)
#define WRAP_AS(function, name, parameters, arguments)                                             \
  WRAP_ALIAS(P##function, function, parameters)                                                    \
  EXPORT int function parameters                                                                   \
  {                                                                                                \
    mpi_table_load();                                                                              \
    if (UNLIKELY(berth_interpose_own)) return mpi.name arguments;
#define WRAP_ALIAS(pmpi, function, parameters)                                                     \
  EXPORT int pmpi parameters __attribute__((alias(#function)));

/* Counts a call. False: it has to be passed on. */
static inline bool wrapping_ended(coll_way_t way, coll_function_t function, MPI_Comm comm, int rc)
{
  coll_count_t *count = &coll_counts[way][function];
  _Atomic uint64_t *to = rc == PASS_ON ? &count->passed : &count->served;
  atomic_fetch_add_explicit(to, 1, memory_order_relaxed);
  if (UNLIKELY(rc != PASS_ON && rc != MPI_SUCCESS)) mpi.Comm_call_errhandler(comm, rc);
  return rc != PASS_ON;
}

#endif
