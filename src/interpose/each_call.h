/* SPDX-License-Identifier: BSD-3-Clause */
/* Includes calls.def with the macros that were defined before, in all forms of this MPI, and
 * undefines them. It has no guard, because it is included several times. */

/* Macros that weren't defined default to more general ones. */
#ifndef SEND_SHORT
#define SEND_SHORT SEND
#endif
#ifndef SEND_INIT
#define SEND_INIT SEND
#endif
#ifndef COLL_V
#define COLL_V COLL
#endif
#ifndef TIMED
#define TIMED SEND
#endif
#ifndef TIMED_SHORT
#define TIMED_SHORT TIMED
#endif
#ifndef RMA
#define RMA(name, parameters, arguments, ...) SEND_SHORT(name, parameters, arguments, )
#endif
#ifndef NEIGHBOUR
#define NEIGHBOUR(name, iname, init, parameters, arguments, size, layouts)                         \
  COLL_V(name, iname, init, parameters, arguments, size, NO_ROOT, layouts)
#endif
#ifndef PARTITIONED
#define PARTITIONED(name, parameters, ...) SEND_INIT(name, parameters, __VA_ARGS__)
#endif
#ifndef READY
#define READY(name, parameters, arguments, ...) TIMED_SHORT(name, parameters, arguments)
#endif
#ifndef UNMODELLED
#define UNMODELLED(name, parameters, arguments) TIMED(name, parameters, arguments)
#endif
#ifndef FILE_IO
#define FILE_IO(name, parameters, arguments) UNMODELLED(name, parameters, arguments)
#endif
#ifndef TIMED_WAIT
#define TIMED_WAIT(name, parameters, arguments) TIMED(name, parameters, arguments)
#endif
#ifndef SEND_REQUEST
#define SEND_REQUEST SEND_SHORT
#endif
#ifndef SENDRECV
#define SENDRECV(name, parameters, arguments, count, type, ...)                                    \
  SEND(name, parameters, arguments, count, type)
#endif
#ifndef SENDRECV_REQUEST
#define SENDRECV_REQUEST(name, parameters, arguments, count, type, ...)                            \
  SEND_REQUEST(name, parameters, arguments, count, type)
#endif
#ifndef RECEIVE
#define RECEIVE(name, parameters, arguments, ...) TIMED_WAIT(name, parameters, arguments)
#endif
#ifndef RECEIVE_REQUEST
#define RECEIVE_REQUEST(name, parameters, arguments, ...) TIMED_SHORT(name, parameters, arguments)
#endif
#ifndef RECEIVE_INIT
#define RECEIVE_INIT(name, parameters, arguments, ...) TIMED(name, parameters, arguments)
#endif
#ifndef WAIT
#define WAIT(name, parameters, arguments, ...) TIMED_WAIT(name, parameters, arguments)
#endif
#ifndef TEST
#define TEST(name, parameters, arguments, ...) TIMED_SHORT(name, parameters, arguments)
#endif
#ifndef PROBE
#define PROBE(name, parameters, arguments, probed) TIMED_WAIT(name, parameters, arguments)
#endif
#ifndef PROBE_SHORT
#define PROBE_SHORT(name, parameters, arguments, probed) TIMED_SHORT(name, parameters, arguments)
#endif
#ifndef CANCEL
#define CANCEL(name, parameters, arguments) TIMED_SHORT(name, parameters, arguments)
#endif
#ifndef APART
#define APART(name, parameters, arguments) TIMED(name, parameters, arguments)
#endif
#ifndef SYNC
#define SYNC(name, parameters, arguments, ...) TIMED(name, parameters, arguments)
#endif

#define CALLS_ONCE
#define COUNT      int
#define DISPL      int
#define FORM(name) name
#include "interpose/calls.def"
#undef CALLS_ONCE
#undef COUNT
#undef DISPL
#undef FORM

#if MPI_VERSION >= 4
#define COUNT      MPI_Count
#define DISPL      MPI_Aint
#define FORM(name) name##_c
#include "interpose/calls.def"
#undef COUNT
#undef DISPL
#undef FORM
#endif

#undef SEND
#undef SEND_SHORT
#undef SEND_INIT
#undef COLL
#undef COLL_V
#undef TIMED
#undef TIMED_SHORT
#undef TIMED_WAIT
#undef NEIGHBOUR
#undef PARTITIONED
#undef READY
#undef RMA
#undef SYNC
#undef UNMODELLED
#undef FILE_IO
#undef APART
#undef SEND_REQUEST
#undef SENDRECV
#undef SENDRECV_REQUEST
#undef RECEIVE
#undef RECEIVE_REQUEST
#undef RECEIVE_INIT
#undef WAIT
#undef TEST
#undef PROBE
#undef PROBE_SHORT
#undef CANCEL
