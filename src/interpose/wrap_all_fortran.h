/* SPDX-License-Identifier: BSD-3-Clause */
/* Fortran wrappers of every function, in all bindings, with the macros of wrap_all.h. */
#include "interpose/fortran_binding.h"
#include "interpose/inside.h"

#define WRAPPED_FORTRAN(symbol, pmpi_symbol, parameters, arguments, ...)                           \
  BEGIN(symbol, pmpi_symbol, parameters)                                                           \
  mpi_table_load();                                                                                \
  bool first = inside_enter(&inside_self, FRAME, CALLER);                                          \
  if (first) {                                                                                     \
    BEGINS(#symbol)                                                                                \
  }                                                                                                \
  pmpi arguments;                                                                                  \
  if (first) {                                                                                     \
    ENDED(#symbol)                                                                                 \
    inside_leave(&inside_self);                                                                    \
  }                                                                                                \
  }

#ifndef SEND
#define SEND WRAPPED_FORTRAN
#endif
#ifndef SEND_SHORT
#define SEND_SHORT WRAPPED_FORTRAN
#endif
#ifndef SEND_INIT
#define SEND_INIT WRAPPED_FORTRAN
#endif
#ifndef PARTITIONED
#define PARTITIONED WRAPPED_FORTRAN
#endif
#ifndef READY
#define READY WRAPPED_FORTRAN
#endif
#ifndef COLL
#define COLL WRAPPED_FORTRAN
#endif
#ifndef COLL_INIT
#define COLL_INIT WRAPPED_FORTRAN
#endif
#ifndef COLL_V
#define COLL_V WRAPPED_FORTRAN
#endif
#ifndef COLL_V_INIT
#define COLL_V_INIT WRAPPED_FORTRAN
#endif
#ifndef NEIGHBOUR
#define NEIGHBOUR WRAPPED_FORTRAN
#endif
#ifndef NEIGHBOUR_INIT
#define NEIGHBOUR_INIT WRAPPED_FORTRAN
#endif
#ifndef RMA
#define RMA WRAPPED_FORTRAN
#endif
#ifndef SYNC
#define SYNC WRAPPED_FORTRAN
#endif
#ifndef UNMODELLED
#define UNMODELLED WRAPPED_FORTRAN
#endif
#ifndef FILE_IO
#define FILE_IO WRAPPED_FORTRAN
#endif
#ifndef APART
#define APART WRAPPED_FORTRAN
#endif
#ifndef TIMED
#define TIMED WRAPPED_FORTRAN
#endif
#ifndef TIMED_SHORT
#define TIMED_SHORT WRAPPED_FORTRAN
#endif
#ifndef TIMED_WAIT
#define TIMED_WAIT WRAPPED_FORTRAN
#endif
#ifndef INIT
#define INIT WRAPPED_FORTRAN
#endif
#ifndef FINALIZE
#define FINALIZE WRAPPED_FORTRAN
#endif
#ifndef ABORT
#define ABORT WRAPPED_FORTRAN
#endif
#ifndef PCONTROL
#define PCONTROL WRAPPED_FORTRAN
#endif
#ifndef START
#define START WRAPPED_FORTRAN
#endif
#ifndef STARTALL
#define STARTALL WRAPPED_FORTRAN
#endif
#ifndef REQUEST_FREE
#define REQUEST_FREE WRAPPED_FORTRAN
#endif
#ifndef SPAWN
#define SPAWN WRAPPED_FORTRAN
#endif
#ifndef SESSION_INIT
#define SESSION_INIT WRAPPED_FORTRAN
#endif
#ifndef SESSION_FINALIZE
#define SESSION_FINALIZE WRAPPED_FORTRAN
#endif
#ifndef SESSION_COMM
#define SESSION_COMM WRAPPED_FORTRAN
#endif
#include "fortran_calls.h"
