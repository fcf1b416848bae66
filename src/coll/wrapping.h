/* SPDX-License-Identifier: BSD-3-Clause */
/* How the library's wrappers end. */
#ifndef BERTH_COLL_WRAPPING_H
#define BERTH_COLL_WRAPPING_H

#include "coll/calls.h"
#include "coll/job.h"
#include "interpose/wrap_some.h"

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
