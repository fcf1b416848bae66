/* SPDX-License-Identifier: BSD-3-Clause */
/* C wrappers of every function, for a library that does the same around each call. Define
 * BEGINS(name) and ENDED(name) before you include this once. Kinds of calls.def that you define
 * before keep your definition. It has no guard, because it makes functions. */
#include "interpose/inside.h"
#include "interpose/mpi_table.h"

#define WRAPPED_(function, name, parameters, arguments)                                            \
  EXPORT int function parameters                                                                   \
  {                                                                                                \
    mpi_table_load();                                                                              \
    if (!inside_enter(&inside_self, FRAME, CALLER)) return mpi_passed_on()->name arguments;        \
    BEGINS(#function)                                                                              \
    int rc = mpi_next.name arguments;                                                              \
    ENDED(#function)                                                                               \
    inside_leave(&inside_self);                                                                    \
    return rc;                                                                                     \
  }                                                                                                \
  WRAPPED_ALIAS(P##function, function)
/* Programs that define MPI's names themselves call PMPI's. */
#define WRAPPED_ALIAS(pmpi, function)                                                              \
  EXPORT __typeof__(function) pmpi __attribute__((alias(#function)));
#define WRAPPED_NAMED(...) WRAPPED_(__VA_ARGS__)
#define WRAPPED_MPI_(name, parameters, arguments)                                                  \
  WRAPPED_NAMED(MPI_##name, name, parameters, arguments)
#define WRAPPED(name, parameters, arguments, ...) WRAPPED_MPI_(name, parameters, arguments)
#if HAS_PERSISTENT
#define WRAPPED_INIT_(name, parameters, arguments)                                                 \
  WRAPPED_NAMED(PERSISTENT_NAME(name), name, parameters, arguments)
#define WRAPPED_INIT(name, parameters, arguments) WRAPPED_INIT_(name, parameters, arguments)
#else
#define WRAPPED_INIT(name, parameters, arguments)
#endif

#ifndef SEND
#define SEND(name, ...) WRAPPED(FORM(name), __VA_ARGS__, )
#endif
#ifndef SEND_SHORT
#define SEND_SHORT(name, ...) WRAPPED(FORM(name), __VA_ARGS__, )
#endif
#ifndef SEND_INIT
#define SEND_INIT(name, ...) WRAPPED(FORM(name), __VA_ARGS__, )
#endif
#ifndef TIMED
#define TIMED(name, ...) WRAPPED(FORM(name), __VA_ARGS__, )
#endif
#ifndef TIMED_SHORT
#define TIMED_SHORT(name, ...) WRAPPED(FORM(name), __VA_ARGS__, )
#endif
#ifndef COLL
#define COLL(name, iname, init, parameters, arguments, ...)                                        \
  WRAPPED(FORM(name), parameters, arguments, )                                                     \
  WRAPPED(FORM(iname), (UNPACK parameters, MPI_Request * request), (UNPACK arguments, request), )  \
  WRAPPED_INIT(FORM(init), (UNPACK parameters, MPI_Info info, MPI_Request * request),              \
               (UNPACK arguments, info, request))
#endif
#include "interpose/each_call.h"
MPI_BY_HAND(WRAPPED)
