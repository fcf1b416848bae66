/* SPDX-License-Identifier: BSD-3-Clause */
/* Records the MPI functions that Fortran programs call (interpose/fortran_binding.h). */
#include "interpose/fortran_binding.h"
#include "trace/awaited.h"
#include "trace/packed.h"
#include "trace/wait.h"
#include "trace/window.h"

#ifdef OPEN_MPI
/* Caches predefined types only: their handles never change. */
static inline MPI_Datatype fortran_type(thread_t *t, MPI_Fint handle)
{
  unsigned slot = (unsigned)handle % HANDLE_CACHE;
  if (LIKELY(t->fortran_types[slot].handle == handle && t->fortran_types[slot].type))
    return t->fortran_types[slot].type;
  MPI_Datatype type = mpi.Type_f2c(handle);
  if (type && t->types[handle_slot((uintptr_t)type)].handle == type) {
    t->fortran_types[slot].handle = handle;
    t->fortran_types[slot].type = type;
  }
  return type;
}
#else
static inline MPI_Datatype fortran_type(thread_t *t, MPI_Fint handle)
{
  (void)t;
  return handle;
}
#endif

DEFINE_AMOUNTS(, int, MPI_Fint, fortran_type)
#if MPI_VERSION >= 4
DEFINE_AMOUNTS(_c, MPI_Count, MPI_Fint, fortran_type)
#endif

#define TYPE(name) MPI_Datatype name = fortran_type(t, *(const MPI_Fint *)f_##name);
#define ITEM(type) fortran_type(t, type)

#define BEGIN_RECORDED(symbol, pmpi_symbol, parameters, arguments)                                 \
  BEGIN(symbol, pmpi_symbol, parameters)                                                           \
  thread_t *t = tracer_enter(FRAME, CALLER);                                                       \
  if (!t) {                                                                                        \
    pmpi arguments;                                                                                \
    return;                                                                                        \
  }
/* The function of that name with a base address of type C_PTR. */
#define OP_Win_allocate_cptr        OP_Win_allocate
#define OP_Win_allocate_shared_cptr OP_Win_allocate_shared

#define RECORDED(...) RECORDED_ON(SPOOL_NO_COMM, __VA_ARGS__)
#define RECORDED_ON(on, symbol, pmpi_symbol, parameters, arguments, name, before, clock, after)    \
  BEGIN_RECORDED(symbol, pmpi_symbol, parameters, arguments)                                       \
  before;                                                                                          \
  clock;                                                                                           \
  pmpi arguments;                                                                                  \
  tracer_leave(t, OP_##name, on);                                                                  \
  after;                                                                                           \
  }

#define SEND_BODY(symbol, pmpi_symbol, parameters, arguments, name, count, type, locals, clock)    \
  RECORDED(symbol, pmpi_symbol, parameters, arguments, name, ERROR;                                \
           locals posted_t p = record_send(t, OP_##name, count, type, dest, comm, CALLER), clock,  \
           if (REFUSED) take_back(p))
#define SEND(...) SEND_BODY(__VA_ARGS__, tracer_clock(t))
#define SEND_SHORT(...)                                                                            \
  SEND_BODY(__VA_ARGS__, is_short(p) ? tracer_clock_sometimes(t) : tracer_clock(t))

/* Fortran's statuses aren't looked at, so a receive that the program cancels counts as cancelled,
 * and a probe doesn't know whose message it found. */
#define EVERY(yes, statuses)       ((void)(statuses), awaited_every(t, yes, NULL))
#define ONE(yes, index, status)    ((void)(status), awaited_one(t, yes, index, 1, NULL))
#define SOME(n, indices, statuses) ((void)(statuses), awaited_some(t, n, indices, 1, NULL))
#define PROBED(source, comm, found, status)                                                        \
  ((void)(status), awaited_probed(t, source, comm, found, NULL))
#ifdef OPEN_MPI
enum { MESSAGE_NO_PROC = 1 };
#else
enum { MESSAGE_NO_PROC = MPI_MESSAGE_NO_PROC };
#endif
#define MATCHED(message) (*(message) == MESSAGE_NO_PROC ? NOBODY : awaited_matched(t))
#define MADE_REQUEST     fortran_request(*(const MPI_Fint *)f_request)

static void look(thread_t *t, int n, const MPI_Fint *requests)
{
  awaited_begin(t, n);
  for (int i = 0; i < n; i++) awaited_look(t, fortran_request(requests[i]));
}

#define SEND_REQUEST(symbol, pmpi_symbol, parameters, arguments, name, count, type, locals)        \
  RECORDED(symbol, pmpi_symbol, parameters, arguments, name, ERROR;                                \
           locals posted_t p = record_send(t, OP_##name, count, type, dest, comm, CALLER),         \
           is_short(p) ? tracer_clock_sometimes(t) : tracer_clock(t), if (REFUSED) take_back(p);   \
           else if (UNLIKELY(tracer.steps))                                                        \
               awaited_add(t, MADE_REQUEST, NOBODY, awaited_sent(OP_##name, p), false))
#define SENDRECV_BODY(symbol, pmpi_symbol, parameters, arguments, name, count, type, rcount,       \
                      rtype, from, locals, clock, followed)                                        \
  RECORDED(                                                                                        \
      symbol, pmpi_symbol, parameters, arguments, name, ERROR;                                     \
      locals INCOMING(name, rcount, rtype, from);                                                  \
      posted_t p = record_send(t, OP_##name, count, type, dest, comm, CALLER), clock,              \
      if (REFUSED) take_back(p);                                                                   \
      else {                                                                                       \
        packed_count(incoming, 1);                                                                 \
        if (UNLIKELY(tracer.steps)) followed(OP_##name);                                           \
      })
#define EXCHANGED(op)       exchanged(t, op, p, whom)
#define EXCHANGED_LATER(op) awaited_add(t, MADE_REQUEST, whom, awaited_sent(op, p), false)
#define SENDRECV(...)       SENDRECV_BODY(__VA_ARGS__, tracer_clock(t), EXCHANGED)
#define SENDRECV_REQUEST(...)                                                                      \
  SENDRECV_BODY(__VA_ARGS__, is_short(p) ? tracer_clock_sometimes(t) : tracer_clock(t),            \
                EXCHANGED_LATER)
#define RECEIVE_BODY(symbol, pmpi_symbol, parameters, arguments, name, count, type, from, locals,  \
                     clock, after)                                                                 \
  RECORDED(                                                                                        \
      symbol, pmpi_symbol, parameters, arguments, name, ERROR;                                     \
      locals INCOMING(name, count, type, from), clock,                                             \
      if (!REFUSED) {                                                                              \
        packed_count(incoming, 1);                                                                 \
        if (UNLIKELY(tracer.steps)) after;                                                         \
      })
#define RECEIVE(...) RECEIVE_BODY(__VA_ARGS__, tracer_clock_wait(t), received(t, whom, NULL))
#define RECEIVE_REQUEST(...)                                                                       \
  RECEIVE_BODY(__VA_ARGS__, tracer_clock_sometimes(t),                                             \
               awaited_add(t, MADE_REQUEST, whom, NOBODY, false))
#define RECEIVE_INIT(symbol, pmpi_symbol, parameters, arguments, name, count, type, from, locals)  \
  RECORDED(                                                                                        \
      symbol, pmpi_symbol, parameters, arguments, name, ERROR;                                     \
      locals INCOMING_LATER(name, count, type, from), tracer_clock(t),                             \
      if (!REFUSED) {                                                                              \
        if (packed) request_add(MADE_REQUEST, what);                                               \
        if (UNLIKELY(tracer.steps)) awaited_add(t, MADE_REQUEST, whom, NOBODY, true);              \
      })
#define WAIT_BODY(symbol, pmpi_symbol, parameters, arguments, name, n_requests, requests, done,    \
                  locals, clock)                                                                   \
  RECORDED(symbol, pmpi_symbol, parameters, arguments, name, ERROR;                                \
           locals bool followed = tracer.steps;                                                    \
           if (UNLIKELY(followed)) look(t, n_requests, requests), clock,                           \
           if (UNLIKELY(followed) && !REFUSED) done)
#define PROBE_BODY(symbol, pmpi_symbol, parameters, arguments, name, probed, locals, clock)        \
  RECORDED(symbol, pmpi_symbol, parameters, arguments, name, ERROR; locals, clock,                 \
           if (UNLIKELY(tracer.steps) && !REFUSED) probed)
#define CANCEL(symbol, pmpi_symbol, parameters, arguments, name)                                   \
  RECORDED(symbol, pmpi_symbol, parameters, arguments, name,                                       \
           if (UNLIKELY(tracer.steps)) awaited_cancel(MADE_REQUEST), tracer_clock_sometimes(t), )

#define INIT_BODY(symbol, pmpi_symbol, parameters, arguments, name, count, type, locals,           \
                  is_partitioned)                                                                  \
  RECORDED(                                                                                        \
      symbol, pmpi_symbol, parameters, arguments, name, ERROR;                                     \
      locals started_t what = {.partitioned = is_partitioned};                                     \
      bool counted = send_key(t, OP_##name, dest, comm, CALLER, &what.key);                        \
      if (counted) packed_send_init(t, count, type, &what), tracer_clock(t),                       \
      if (counted && !REFUSED) {                                                                   \
        request_add(MADE_REQUEST, what);                                                           \
        if (UNLIKELY(tracer.steps)) await_send_init(t, OP_##name, MADE_REQUEST, &what);            \
      })
#define SEND_INIT(...)   INIT_BODY(__VA_ARGS__, false)
#define PARTITIONED(...) INIT_BODY(__VA_ARGS__, true)

#define COLL_BODY(symbol, pmpi_symbol, parameters, arguments, name, bytes, root, layouts, locals,  \
                  varies, then)                                                                    \
  RECORDED_ON(ITS_COMM, symbol, pmpi_symbol, parameters, arguments, name, ERROR;                   \
              locals CALL(name, bytes, root, varies) layouts spool_coll_t *counted =               \
                  collective_count(t, &call),                                                      \
              tracer_clock(t), COUNT_LAYOUTS(!REFUSED);                                            \
              collective_end(t, &call, counted, REFUSED);                                          \
              then)
#define MEET_LATER                                                                                 \
  if (UNLIKELY(tracer.steps) && counted && !REFUSED) meet_later(t, &call, MADE_REQUEST)
#define COLL(...)           COLL_BODY(__VA_ARGS__, false, )
#define COLL_V(...)         COLL_BODY(__VA_ARGS__, true, )
#define COLL_REQUEST(...)   COLL_BODY(__VA_ARGS__, false, MEET_LATER)
#define COLL_V_REQUEST(...) COLL_BODY(__VA_ARGS__, true, MEET_LATER)

#define INIT_OF_PLAN(symbol, pmpi_symbol, parameters, arguments, name, plan_it)                    \
  RECORDED_ON(ITS_COMM, symbol, pmpi_symbol, parameters, arguments, name, ERROR;                   \
              plan_it, tracer_clock(t),                                                            \
              MPI_Request made = REFUSED ? 0 : fortran_request(*(const MPI_Fint *)f_request);      \
              keep_plan(REFUSED ? NULL : &made, plan, &call))
#define COLL_INIT_BODY(symbol, pmpi_symbol, parameters, arguments, name, bytes, root, layouts,     \
                       locals, varies)                                                             \
  INIT_OF_PLAN(symbol, pmpi_symbol, parameters, arguments, name,                                   \
               locals CALL(name, bytes, root, varies) plan_t *plan = plan_new(call, 0);            \
               layouts PLAN_LAYOUTS)
#define COLL_INIT(...)   COLL_INIT_BODY(__VA_ARGS__, false)
#define COLL_V_INIT(...) COLL_INIT_BODY(__VA_ARGS__, true)

#define NEIGHBOUR(symbol, pmpi_symbol, parameters, arguments, name, bytes, layouts, locals)        \
  RECORDED_ON(ITS_COMM, symbol, pmpi_symbol, parameters, arguments, name, ERROR;                   \
              locals CALL(name, 0, NO_ROOT, true)                                                  \
                  EDGES(post_edge(t, OP_##name, &call, key, bytes));                               \
              layouts spool_coll_t *counted = collective_count(t, &call), tracer_clock(t),         \
              COUNT_LAYOUTS(!REFUSED);                                                             \
              if (REFUSED && counted) EDGES(take_back_message(t, key | phase, bytes));             \
              collective_end(t, &call, counted, REFUSED))

#define NEIGHBOUR_INIT(symbol, pmpi_symbol, parameters, arguments, name, bytes, layouts, locals)   \
  INIT_OF_PLAN(symbol, pmpi_symbol, parameters, arguments, name,                                   \
               locals CALL(name, 0, NO_ROOT, true) plan_t *plan =                                  \
                   plan_new(call, to_whom(t, &call, comm)->n);                                     \
               EDGES(plan_edge(plan, key, bytes)) layouts PLAN_LAYOUTS)

#define READY(symbol, pmpi_symbol, parameters, arguments, name, n, locals)                         \
  RECORDED(symbol, pmpi_symbol, parameters, arguments, name, ERROR; locals started_t what;         \
           uint64_t phase = phase_key();                                                           \
           bool counted = count_ready(t, request, n, &what), tracer_clock_sometimes(t),            \
           for (int k = 0; REFUSED && counted && k < (n); k++)                                     \
               take_back_message(t, what.key | phase, what.size))

#define RMA(symbol, pmpi_symbol, parameters, arguments, name, count, type, locals)                 \
  RECORDED(symbol, pmpi_symbol, parameters, arguments, name, ERROR;                                \
           locals operation_t o =                                                                  \
               record_operation(t, OP_##name, count, type, target, win, CALLER),                   \
           tracer_clock_sometimes(t), if (REFUSED) take_back_operation(o))

#define SYNC(symbol, pmpi_symbol, parameters, arguments, name, change, locals)                     \
  BEGIN_RECORDED(symbol, pmpi_symbol, parameters, arguments)                                       \
  ERROR;                                                                                           \
  tracer_clock(t);                                                                                 \
  pmpi arguments;                                                                                  \
  if (!REFUSED) {                                                                                  \
    locals change;                                                                                 \
  }                                                                                                \
  tracer_leave(t, OP_##name, SPOOL_NO_COMM);                                                       \
  }

#define TIMED_BODY(symbol, pmpi_symbol, parameters, arguments, name, clock)                        \
  RECORDED(symbol, pmpi_symbol, parameters, arguments, name, , clock, )
#define APART(...) TIMED_BODY(__VA_ARGS__, tracer_no_clock(t))
#define TIMED(...) TIMED_BODY(__VA_ARGS__, tracer_clock(t))
#define UNMODELLED(symbol, pmpi_symbol, parameters, arguments, name, nothing, locals)              \
  TIMED_BODY(symbol, pmpi_symbol, parameters, arguments, name,                                     \
             (unmodelled(OP_##name), tracer_clock(t)))
#define FILE_IO(symbol, pmpi_symbol, parameters, arguments, name, nothing, locals)                 \
  TIMED_BODY(symbol, pmpi_symbol, parameters, arguments, name,                                     \
             (unmodelled(OP_##name), tracer_no_clock(t)))
#define TIMED_SHORT(...) TIMED_BODY(__VA_ARGS__, tracer_clock_sometimes(t))
#define TIMED_WAIT(...)  TIMED_BODY(__VA_ARGS__, tracer_clock_wait(t))
#define WAIT(...)        WAIT_BODY(__VA_ARGS__, tracer_clock_wait(t))
#define TEST(...)        WAIT_BODY(__VA_ARGS__, tracer_clock_sometimes(t))
#define PROBE(...)       PROBE_BODY(__VA_ARGS__, tracer_clock_wait(t))
#define PROBE_SHORT(...) PROBE_BODY(__VA_ARGS__, tracer_clock_sometimes(t))

#define START(symbol, pmpi_symbol, parameters, arguments, name)                                    \
  BEGIN_RECORDED(symbol, pmpi_symbol, parameters, arguments)                                       \
  ERROR;                                                                                           \
  LIST(MPI_Fint, request)                                                                          \
  started_t what;                                                                                  \
  uint64_t phase = phase_key();                                                                    \
  bool found = request_find(fortran_request(*request), &what);                                     \
  bool stopped = watched() & WATCH_STOPPED;                                                        \
  if (found) count_start(t, &what);                                                                \
  tracer_clock_sometimes(t);                                                                       \
  pmpi arguments;                                                                                  \
  tracer_leave(t, OP_##name, SPOOL_NO_COMM);                                                       \
  if (REFUSED && found && !stopped) take_back_start(t, &what, phase);                              \
  if (UNLIKELY(tracer.steps) && !REFUSED) awaited_start(t, fortran_request(*request));             \
  }

#define STARTALL(symbol, pmpi_symbol, parameters, arguments, name)                                 \
  BEGIN_RECORDED(symbol, pmpi_symbol, parameters, arguments)                                       \
  ERROR;                                                                                           \
  VALUE(int, count) LIST(MPI_Fint, requests) uint64_t phase = phase_key();                         \
  bool counted = !(watched() & WATCH_STOPPED);                                                     \
  started_t what;                                                                                  \
  for (int i = 0; i < count; i++)                                                                  \
    if (request_find(fortran_request(requests[i]), &what)) count_start(t, &what);                  \
  tracer_clock(t);                                                                                 \
  pmpi arguments;                                                                                  \
  tracer_leave(t, OP_##name, SPOOL_NO_COMM);                                                       \
  for (int i = 0; REFUSED && counted && i < count; i++)                                            \
    if (request_find(fortran_request(requests[i]), &what)) take_back_start(t, &what, phase);       \
  for (int i = 0; tracer.steps && !REFUSED && i < count; i++)                                      \
    awaited_start(t, fortran_request(requests[i]));                                                \
  }

/* The MPI may reuse the handle at once, so forget it before. */
#define REQUEST_FREE(symbol, pmpi_symbol, parameters, arguments, name)                             \
  RECORDED(symbol, pmpi_symbol, parameters, arguments, name, request_remove(MADE_REQUEST);         \
           if (UNLIKELY(tracer.steps)) awaited_forget(MADE_REQUEST), tracer_clock(t), )

#define SPAWN(symbol, pmpi_symbol, parameters, arguments, name, nothing, locals)                   \
  BEGIN_RECORDED(symbol, pmpi_symbol, parameters, arguments)                                       \
  ERROR;                                                                                           \
  unmodelled(OP_##name);                                                                           \
  VALUE(int, root) COMM(comm) tracer_clock(t);                                                     \
  pmpi arguments;                                                                                  \
  if (!REFUSED) comm_spawned(t, comm, root, fortran_comm(*(const MPI_Fint *)f_inter));             \
  tracer_leave(t, OP_##name, SPOOL_NO_COMM);                                                       \
  }

#define PCONTROL(symbol, pmpi_symbol, parameters, arguments, name)                                 \
  BEGIN_RECORDED(symbol, pmpi_symbol, parameters, arguments)                                       \
  phase_control(t, *(const MPI_Fint *)f_level);                                                    \
  pmpi arguments;                                                                                  \
  t->inside = 0;                                                                                   \
  }

/* MPICH is the only supported MPI with sessions; its Fortran handles are C's. */
#define SESSION_INIT(symbol, pmpi_symbol, parameters, arguments, name)                             \
  BEGIN(symbol, pmpi_symbol, parameters)                                                           \
  ERROR;                                                                                           \
  bool right = mpi_table_load();                                                                   \
  pmpi arguments;                                                                                  \
  if (right && !REFUSED) session_begun((MPI_Session) * (const MPI_Fint *)f_session);               \
  }
#define SESSION_FINALIZE(symbol, pmpi_symbol, parameters, arguments, name)                         \
  BEGIN(symbol, pmpi_symbol, parameters)                                                           \
  if (mpi_table_load()) session_ends((MPI_Session) * (const MPI_Fint *)f_session);                 \
  pmpi arguments;                                                                                  \
  }
#define SESSION_COMM(symbol, pmpi_symbol, parameters, arguments, name)                             \
  BEGIN(symbol, pmpi_symbol, parameters)                                                           \
  ERROR;                                                                                           \
  bool right = mpi_table_load();                                                                   \
  pmpi arguments;                                                                                  \
  if (right && !REFUSED) session_comm(fortran_comm(*(const MPI_Fint *)f_made));                    \
  }

/* Asks MPI whether it was started, because ierror may be missing. */
#define INIT(symbol, pmpi_symbol, parameters, arguments, name)                                     \
  BEGIN(symbol, pmpi_symbol, parameters)                                                           \
  bool right = mpi_table_load();                                                                   \
  pmpi arguments;                                                                                  \
  int initialized = 0;                                                                             \
  if (right && mpi.Initialized(&initialized) == MPI_SUCCESS && initialized)                        \
    tracer_start(mpi.comm_world);                                                                  \
  }
#define FINALIZE(symbol, pmpi_symbol, parameters, arguments, name)                                 \
  BEGIN(symbol, pmpi_symbol, parameters)                                                           \
  mpi_table_load();                                                                                \
  tracer_finish();                                                                                 \
  pmpi arguments;                                                                                  \
  }
#define ABORT(symbol, pmpi_symbol, parameters, arguments, name)                                    \
  BEGIN(symbol, pmpi_symbol, parameters)                                                           \
  mpi_table_load();                                                                                \
  tracer_abort(*(const MPI_Fint *)f_code);                                                         \
  pmpi arguments;                                                                                  \
  }

#include "fortran_calls.h"
