/* SPDX-License-Identifier: BSD-3-Clause */
/* The tracer's wrappers of MPI's C functions: they pass arguments and results on unchanged. */
#include "trace/awaited.h"
#include "trace/packed.h"
#include "trace/quick.h"
#include "trace/request.h"
#include "trace/wait.h"
#include "trace/window.h"

const char *const wrap_op_names[N_OPS] = {
#define NAME_(name)                  [OP_##name] = #name,
#define NAME(name)                   NAME_(name)
#define SEND(name, ...)              NAME(FORM(name))
#define COLL(name, iname, init, ...) NAME(FORM(name)) NAME(FORM(iname)) NAME(FORM(init))
#define UNMODELLED(name, ...)        NAME(FORM(name))
#define TIMED(name, ...)             NAME(FORM(name))
#include "interpose/each_call.h"
    NAME(Comm_spawn) NAME(Comm_spawn_multiple) NAME(Start) NAME(Startall) NAME(Request_free)};

static MPI_Datatype same_type(thread_t *t, MPI_Datatype type)
{
  (void)t;
  return type;
}
DEFINE_AMOUNTS(, int, MPI_Datatype, same_type)
#if MPI_VERSION >= 4
DEFINE_AMOUNTS(_c, MPI_Count, MPI_Datatype, same_type)
#endif

#define MATCHED(message)         (*(message) == mpi.message_no_proc ? NOBODY : awaited_matched(t))
#define KNOWN(ignored, statuses) ((statuses) == (ignored) ? NULL : (statuses))
#define EVERY(yes, statuses)     awaited_every(t, yes, KNOWN(MPI_STATUSES_IGNORE, statuses))
#define ONE(yes, index, status)  awaited_one(t, yes, index, 0, KNOWN(MPI_STATUS_IGNORE, status))
#define SOME(n, indices, statuses)                                                                 \
  awaited_some(t, n, indices, 0, KNOWN(MPI_STATUSES_IGNORE, statuses))
#define PROBED(source, comm, found, status)                                                        \
  awaited_probed(t, source, comm, found, KNOWN(MPI_STATUS_IGNORE, status))

static void look(thread_t *t, int n, const MPI_Request *requests)
{
  awaited_begin(t, n);
  for (int i = 0; i < n; i++) awaited_look(t, requests[i]);
}

/* Defines a wrapper. `before` and `after` are around MPI's function, which is timed by `clock`. A
 * collective call's time is also its communicator's. */
#define DEFINE_CALL(begin, name, parameters, arguments, before, clock, after)                      \
  DEFINE_CALL_ON(SPOOL_NO_COMM, begin, name, parameters, arguments, before, clock, after)
#define DEFINE_CALL_ON(on, begin, name, parameters, arguments, before, clock, after)               \
  begin##name parameters                                                                           \
  {                                                                                                \
    thread_t *t = tracer_enter(FRAME, CALLER);                                                     \
    if (!t) return mpi_passed_on()->name arguments;                                                \
    before;                                                                                        \
    clock;                                                                                         \
    int rc = mpi_next.name arguments;                                                              \
    tracer_leave(t, OP_##name, on);                                                                \
    after;                                                                                         \
    return rc;                                                                                     \
  }
#define DEFINE_SEND(begin, name, parameters, arguments, count, type, clock)                        \
  DEFINE_CALL(begin, name, parameters, arguments,                                                  \
              posted_t p = record_send(t, OP_##name, count, type, dest, comm, CALLER), clock,      \
              if (UNLIKELY(rc != MPI_SUCCESS)) take_back(p))
/* Defines a wrapper for a frequent function. It does the usual work; in all other cases, it
 * calls `slowly` instead. `before` and `after` are around MPI's function. */
#define DEFINE_QUICK(begin, name, parameters, arguments, slowly, pause, before, after)             \
  begin##name parameters                                                                           \
  {                                                                                                \
    thread_t *t = tracer_self;                                                                     \
    if (UNLIKELY(!t || t->inside || t->pause == 0)) return slowly##name arguments;                 \
    before;                                                                                        \
    t->inside = FRAME;                                                                             \
    t->caller = CALLER;                                                                            \
    t->pause--;                                                                                    \
    int rc = mpi_next.name arguments;                                                              \
    t->inside = 0;                                                                                 \
    after;                                                                                         \
    return rc;                                                                                     \
  }
#define DEFINE_QUICK_SEND(begin, name, parameters, arguments, first, find)                         \
  DEFINE_QUICK(begin, name, parameters, arguments, slowly_, pause, first;                          \
               spool_message_t *m = find; if (UNLIKELY(!m)) return slowly_##name arguments;        \
               m->count++, if (UNLIKELY(rc != MPI_SUCCESS)) m->count--)
/* Sends that a program waits for: with a request, and with a receive. */
#define DEFINE_SEND_REQUEST(begin, name, parameters, arguments, count, type, clock)                \
  DEFINE_CALL(begin, name, parameters, arguments,                                                  \
              posted_t p = record_send(t, OP_##name, count, type, dest, comm, CALLER), clock,      \
              if (UNLIKELY(rc != MPI_SUCCESS)) take_back(p);                                       \
              else if (UNLIKELY(tracer.steps))                                                     \
                  awaited_add(t, *request, NOBODY, awaited_sent(OP_##name, p), false))
#define DEFINE_SENDRECV(name, parameters, arguments, count, type, rcount, rtype, from, clock,      \
                        followed)                                                                  \
  DEFINE_CALL(                                                                                     \
      EXPORT int MPI_, name, parameters, arguments, INCOMING(name, rcount, rtype, from);           \
      posted_t p = record_send(t, OP_##name, count, type, dest, comm, CALLER), clock,              \
      if (UNLIKELY(rc != MPI_SUCCESS)) take_back(p);                                               \
      else {                                                                                       \
        packed_count(incoming, 1);                                                                 \
        if (UNLIKELY(tracer.steps)) followed;                                                      \
      })
#define DEFINE_RECEIVE(begin, name, parameters, arguments, count, type, from, more, clock, after)  \
  DEFINE_CALL(                                                                                     \
      begin, name, parameters, arguments, INCOMING(name, count, type, from); more, clock,          \
      if (LIKELY(rc == MPI_SUCCESS)) {                                                             \
        packed_count(incoming, 1);                                                                 \
        if (UNLIKELY(tracer.steps)) after;                                                         \
      })
#define DEFINE_RECEIVE_INIT(name, parameters, arguments, count, type, from)                        \
  DEFINE_CALL(                                                                                     \
      EXPORT int MPI_, name, parameters, arguments, INCOMING_LATER(name, count, type, from),       \
      tracer_clock(t), if (LIKELY(rc == MPI_SUCCESS)) {                                            \
        if (packed) request_add(*request, what);                                                   \
        if (UNLIKELY(tracer.steps)) awaited_add(t, *request, whom, NOBODY, true);                  \
      })
/* Calls for any rank need a status, which says whose message it was. */
#define OWN_STATUS(any)                                                                            \
  MPI_Status own;                                                                                  \
  if (UNLIKELY(any) && status == MPI_STATUS_IGNORE) status = &own
#define RECEIVE_STATUS OWN_STATUS(tracer.steps && whom == SPOOL_ANY_RANK)
#define PROBE_STATUS   OWN_STATUS(tracer.steps && source == MPI_ANY_SOURCE)
/* Calls that complete requests. Afterwards their handles may be gone. */
#define DEFINE_WAIT(begin, name, parameters, arguments, n_requests, requests, done, clock)         \
  DEFINE_CALL(begin, name, parameters, arguments, bool followed = tracer.steps;                    \
              if (UNLIKELY(followed)) look(t, n_requests, requests), clock,                        \
              if (UNLIKELY(followed) && rc == MPI_SUCCESS) done)
#define DEFINE_SEND_INIT(name, parameters, arguments, count, type, is_partitioned)                 \
  DEFINE_CALL(                                                                                     \
      EXPORT int MPI_, name, parameters, arguments,                                                \
      started_t what = {.partitioned = is_partitioned};                                            \
      bool counted = send_key(t, OP_##name, dest, comm, CALLER, &what.key);                        \
      if (counted) packed_send_init(t, count, type, &what), tracer_clock(t),                       \
      if (counted && rc == MPI_SUCCESS) {                                                          \
        request_add(*request, what);                                                               \
        if (UNLIKELY(tracer.steps)) await_send_init(t, OP_##name, *request, &what);                \
      })
#define DEFINE_COLL_THEN(then, name, parameters, arguments, bytes, root, layouts, varies)          \
  DEFINE_CALL_ON(ITS_COMM, EXPORT int MPI_, name, parameters, arguments,                           \
                 CALL(name, bytes, root, varies) layouts spool_coll_t *counted =                   \
                     collective_count(t, &call),                                                   \
                 tracer_clock(t), COUNT_LAYOUTS(rc == MPI_SUCCESS);                                \
                 collective_end(t, &call, counted, rc != MPI_SUCCESS);                             \
                 then)
#define DEFINE_COLL(...) DEFINE_COLL_THEN(, __VA_ARGS__)
#define DEFINE_COLL_REQUEST(...)                                                                   \
  DEFINE_COLL_THEN(if (UNLIKELY(tracer.steps) && counted && rc == MPI_SUCCESS)                     \
                       meet_later(t, &call, *request), __VA_ARGS__)
#define DEFINE_INIT_OF_PLAN(begin, name, parameters, arguments, plan_it)                           \
  DEFINE_CALL_ON(ITS_COMM, begin, name, parameters, arguments, plan_it, tracer_clock(t),           \
                 keep_plan(rc == MPI_SUCCESS ? request : NULL, plan, &call))
#define DEFINE_COLL_INIT(name, parameters, arguments, bytes, root, layouts, varies)                \
  DEFINE_INIT_OF_PLAN(EXPORT int PERSISTENT_NAME(), name, parameters, arguments,                   \
                      CALL(name, bytes, root, varies) plan_t *plan = plan_new(call, 0);            \
                      layouts PLAN_LAYOUTS)
#define DEFINE_NEIGHBOUR(name, parameters, arguments, bytes, layouts)                              \
  DEFINE_CALL_ON(ITS_COMM, EXPORT int MPI_, name, parameters, arguments,                           \
                 CALL(name, 0, NO_ROOT, true) EDGES(post_edge(t, OP_##name, &call, key, bytes));   \
                 layouts spool_coll_t *counted = collective_count(t, &call),                       \
                 tracer_clock(t), bool refused = rc != MPI_SUCCESS;                                \
                 COUNT_LAYOUTS(!refused);                                                          \
                 if (UNLIKELY(refused) && counted)                                                 \
                     EDGES(take_back_message(t, key | phase, bytes));                              \
                 collective_end(t, &call, counted, refused))
#define DEFINE_NEIGHBOUR_INIT(name, parameters, arguments, bytes, layouts)                         \
  DEFINE_INIT_OF_PLAN(EXPORT int PERSISTENT_NAME(), name, parameters, arguments,                   \
                      CALL(name, 0, NO_ROOT, true) plan_t *plan =                                  \
                          plan_new(call, to_whom(t, &call, comm)->n);                              \
                      EDGES(plan_edge(plan, key, bytes)) layouts PLAN_LAYOUTS)
/* The quick wrapper of a function whose calls may be followed, which takes more registers: so that
 * is a function of its own. `before` and `after` are around MPI's function then. If `unusual` is
 * true, nothing is quick. */
#define QUICK_FOLLOWED(...)      QUICK_FOLLOWED_(false, __VA_ARGS__)
#define QUICK_RECEIVE(type, ...) QUICK_FOLLOWED_(!type_is_plain(t, type), __VA_ARGS__)
#define QUICK_FOLLOWED_(...)     QUICK_FOLLOWED__(__VA_ARGS__)
#define QUICK_FOLLOWED__(unusual, name, parameters, arguments, pause, before, after)               \
  static __attribute__((noinline)) int followed_##name parameters                                  \
  {                                                                                                \
    thread_t *t = tracer_self;                                                                     \
    if (UNLIKELY(!t || t->inside || t->pause == 0)) return slowly_##name arguments;                \
    t->inside = FRAME;                                                                             \
    t->caller = CALLER;                                                                            \
    before;                                                                                        \
    t->pause--;                                                                                    \
    int rc = mpi_next.name arguments;                                                              \
    t->inside = 0;                                                                                 \
    if (LIKELY(rc == MPI_SUCCESS)) after;                                                          \
    return rc;                                                                                     \
  }                                                                                                \
  DEFINE_QUICK(EXPORT int MPI_, name, parameters, arguments, slowly_, pause,                       \
               if (UNLIKELY(unusual)) return slowly_##name arguments;                              \
               if (UNLIKELY(tracer.steps)) return followed_##name arguments, )
#define ITEM(type) type
#define DEFINE_TIMED(begin, name, parameters, arguments, clock)                                    \
  DEFINE_CALL(begin, name, parameters, arguments, , clock, )
#define DEFINE_READY(name, parameters, arguments, n)                                               \
  DEFINE_CALL(EXPORT int MPI_, name, parameters, arguments, started_t what;                        \
              uint64_t phase = phase_key();                                                        \
              bool counted = count_ready(t, request, n, &what), tracer_clock_sometimes(t),         \
              for (int k = 0; rc != MPI_SUCCESS && counted && k < (n); k++)                        \
                  take_back_message(t, what.key | phase, what.size))
#define DEFINE_RMA(name, parameters, arguments, count, type)                                       \
  DEFINE_CALL(EXPORT int MPI_, name, parameters, arguments,                                        \
              operation_t o = record_operation(t, OP_##name, count, type, target, win, CALLER),    \
              tracer_clock_sometimes(t), if (UNLIKELY(rc != MPI_SUCCESS)) take_back_operation(o))
#define DEFINE_SYNC(name, parameters, arguments, change)                                           \
  EXPORT int MPI_##name parameters                                                                 \
  {                                                                                                \
    thread_t *t = tracer_enter(FRAME, CALLER);                                                     \
    if (!t) return mpi_passed_on()->name arguments;                                                \
    tracer_clock(t);                                                                               \
    int rc = mpi_next.name arguments;                                                              \
    if (rc == MPI_SUCCESS) change;                                                                 \
    tracer_leave(t, OP_##name, SPOOL_NO_COMM);                                                     \
    return rc;                                                                                     \
  }
#define DEFINE_SPAWN(name, parameters, arguments)                                                  \
  EXPORT int MPI_##name parameters                                                                 \
  {                                                                                                \
    thread_t *t = tracer_enter(FRAME, CALLER);                                                     \
    if (!t) return mpi_passed_on()->name arguments;                                                \
    tracer_clock(t);                                                                               \
    unmodelled(OP_##name);                                                                         \
    int rc = mpi_next.name arguments;                                                              \
    if (rc == MPI_SUCCESS) comm_spawned(t, comm, root, *inter);                                    \
    tracer_leave(t, OP_##name, SPOOL_NO_COMM);                                                     \
    return rc;                                                                                     \
  }
#define NEW(win)       (*(win))
#define NEW_COMM(comm) (*(comm))
/* Expands the names once more. */
#define SEND_FORM(...)       DEFINE_SEND(__VA_ARGS__)
#define INIT_FORM(...)       DEFINE_SEND_INIT(__VA_ARGS__)
#define COLL_FORM(...)       DEFINE_COLL(__VA_ARGS__)
#define COLL_REQUEST(...)    DEFINE_COLL_REQUEST(__VA_ARGS__)
#define TIMED_FORM(...)      DEFINE_TIMED(__VA_ARGS__)
#define QUICK_FORM(...)      DEFINE_QUICK(__VA_ARGS__)
#define QUICK_SEND_FORM(...) QUICK_SEND(__VA_ARGS__)
#define QUICK_SEND(name, parameters, arguments, count, type)                                       \
  DEFINE_QUICK_SEND(INSTEAD(with_site_), name, parameters, arguments, ,                            \
                    quick_message_of_site(t, OP_##name, count, type, dest, comm, FRAME, CALLER))   \
  DEFINE_QUICK_SEND(EXPORT int MPI_, name, parameters, arguments,                                  \
                    if (tracer.depth) return with_site_##name arguments,                           \
                    quick_message(t, OP_##name, 0, count, type, dest, comm))
#define INSTEAD(slowly_)      static __attribute__((noinline)) int slowly_
#define UNMODELLED_NAMED(...) UNMODELLED_FORM(__VA_ARGS__)
#define UNMODELLED_FORM(name, parameters, arguments, clock)                                        \
  DEFINE_TIMED(EXPORT int MPI_, name, parameters, arguments, (unmodelled(OP_##name), clock))
#define READY_FORM(...)     DEFINE_READY(__VA_ARGS__)
#define NEIGHBOUR_FORM(...) DEFINE_NEIGHBOUR(__VA_ARGS__)
#define RMA_FORM(...)       DEFINE_RMA(__VA_ARGS__)
#define SYNC_FORM(...)      DEFINE_SYNC(__VA_ARGS__)

#define SEND(name, ...) SEND_FORM(EXPORT int MPI_, FORM(name), __VA_ARGS__, tracer_clock_wait(t))
#define SEND_SHORT(name, parameters, arguments, count, type)                                       \
  SEND_FORM(INSTEAD(slowly_), FORM(name), parameters, arguments, count, type,                      \
            quick_from_now_on(t, p, count, type, comm);                                            \
            is_short(p) ? tracer_clock_sometimes(t) : tracer_clock(t))                             \
  QUICK_SEND_FORM(FORM(name), parameters, arguments, count, type)
#define SEND_REQUEST_FORM(...) DEFINE_SEND_REQUEST(__VA_ARGS__)
#define SEND_REQUEST(name, parameters, arguments, count, type)                                     \
  SEND_REQUEST_FORM(INSTEAD(slowly_), FORM(name), parameters, arguments, count, type,              \
                    quick_from_now_on(t, p, count, type, comm);                                    \
                    is_short(p) ? tracer_clock_sometimes(t) : tracer_clock(t))                     \
  QUICK_SEND_FORM(FORM(name), parameters, arguments, count, type)
#define SENDRECV_FORM(...) DEFINE_SENDRECV(__VA_ARGS__)
#define SENDRECV(name, ...)                                                                        \
  SENDRECV_FORM(FORM(name), __VA_ARGS__, tracer_clock_wait(t),                                     \
                exchanged(t, SENDRECV_OP(FORM(name)), p, whom))
#define SENDRECV_REQUEST(name, ...)                                                                \
  SENDRECV_FORM(FORM(name), __VA_ARGS__,                                                           \
                is_short(p) ? tracer_clock_sometimes(t) : tracer_clock(t),                         \
                awaited_add(t, *request, whom, awaited_sent(SENDRECV_OP(FORM(name)), p), false))
#define SENDRECV_OP(name)  SENDRECV_OP_(name)
#define SENDRECV_OP_(name) OP_##name
#define RECEIVE_FORM(...)  DEFINE_RECEIVE(__VA_ARGS__)
#define RECEIVE(name, parameters, arguments, count, type, from)                                    \
  RECEIVE_FORM(INSTEAD(slowly_), FORM(name), parameters, arguments, count, type, from,             \
               RECEIVE_STATUS, tracer_clock_wait(t),                                               \
               received(t, whom, KNOWN(MPI_STATUS_IGNORE, status)))                                \
  QUICK_RECEIVE(type, FORM(name), parameters, arguments, waits.pause, uint32_t whom = from;        \
                RECEIVE_STATUS, received(t, whom, KNOWN(MPI_STATUS_IGNORE, status)))
#define RECEIVE_REQUEST(name, parameters, arguments, count, type, from)                            \
  RECEIVE_FORM(INSTEAD(slowly_), FORM(name), parameters, arguments, count, type, from, ,           \
               tracer_clock_sometimes(t), awaited_add(t, *request, whom, NOBODY, false))           \
  QUICK_RECEIVE(type, FORM(name), parameters, arguments, pause, uint32_t whom = from,              \
                awaited_add(t, *request, whom, NOBODY, false))
#define RECEIVE_INIT_FORM(...)  DEFINE_RECEIVE_INIT(__VA_ARGS__)
#define RECEIVE_INIT(name, ...) RECEIVE_INIT_FORM(FORM(name), __VA_ARGS__)
#define WAIT_FORM(...)          DEFINE_WAIT(__VA_ARGS__)
#define WAIT(name, parameters, arguments, n_requests, requests, done)                              \
  WAIT_FORM(INSTEAD(slowly_), FORM(name), parameters, arguments, n_requests, requests, done,       \
            tracer_clock_wait(t))                                                                  \
  QUICK_FOLLOWED(FORM(name), parameters, arguments, waits.pause, look(t, n_requests, requests),    \
                 done)
#define TEST(name, parameters, arguments, n_requests, requests, done)                              \
  WAIT_FORM(INSTEAD(slowly_), FORM(name), parameters, arguments, n_requests, requests, done,       \
            tracer_clock_sometimes(t))                                                             \
  QUICK_FOLLOWED(FORM(name), parameters, arguments, pause, look(t, n_requests, requests), done)
#define DEFINE_PROBE(name, parameters, arguments, probed, clock, pause)                            \
  DEFINE_CALL(INSTEAD(slowly_), name, parameters, arguments, PROBE_STATUS, clock,                  \
              if (UNLIKELY(tracer.steps) && rc == MPI_SUCCESS) probed)                             \
  QUICK_FOLLOWED(name, parameters, arguments, pause, PROBE_STATUS, probed)
#define PROBE(name, parameters, arguments, probed)                                                 \
  DEFINE_PROBE(name, parameters, arguments, probed, tracer_clock_wait(t), waits.pause)
#define PROBE_SHORT(name, parameters, arguments, probed)                                           \
  DEFINE_PROBE(name, parameters, arguments, probed, tracer_clock_sometimes(t), pause)
#define CANCEL_FORM(...)                                                                           \
  DEFINE_CALL(EXPORT int MPI_, __VA_ARGS__, if (UNLIKELY(tracer.steps)) awaited_cancel(*request),  \
              tracer_clock_sometimes(t), )
#define CANCEL(name, ...)      CANCEL_FORM(FORM(name), __VA_ARGS__)
#define SEND_INIT(name, ...)   INIT_FORM(FORM(name), __VA_ARGS__, false)
#define PARTITIONED(name, ...) INIT_FORM(FORM(name), __VA_ARGS__, true)
#define READY(name, ...)       READY_FORM(FORM(name), __VA_ARGS__)
#define RMA(name, ...)         RMA_FORM(FORM(name), __VA_ARGS__)
#define SYNC(name, ...)        SYNC_FORM(FORM(name), __VA_ARGS__)
#define UNMODELLED(name, ...)  UNMODELLED_NAMED(FORM(name), __VA_ARGS__, tracer_clock(t))
#define FILE_IO(name, ...)     UNMODELLED_NAMED(FORM(name), __VA_ARGS__, tracer_no_clock(t))
#define TIMED(name, ...)       TIMED_FORM(EXPORT int MPI_, FORM(name), __VA_ARGS__, tracer_clock(t))
#define UNTIMED_FORM(...)      TIMED_FORM(EXPORT int MPI_, __VA_ARGS__, tracer_no_clock(t))
#define APART(name, ...)       UNTIMED_FORM(FORM(name), __VA_ARGS__)
#define TIMED_SHORT(name, ...)                                                                     \
  TIMED_FORM(INSTEAD(slowly_), FORM(name), __VA_ARGS__, tracer_clock_sometimes(t))                 \
  QUICK_FORM(EXPORT int MPI_, FORM(name), __VA_ARGS__, slowly_, pause, , )
#define TIMED_WAIT(name, ...)                                                                      \
  TIMED_FORM(INSTEAD(slowly_), FORM(name), __VA_ARGS__, tracer_clock_wait(t))                      \
  QUICK_FORM(EXPORT int MPI_, FORM(name), __VA_ARGS__, slowly_, waits.pause, , )
#define ALL_FORMS(form, request_form, init_form, name, iname, init, parameters, arguments, ...)    \
  form(FORM(name), parameters, arguments, __VA_ARGS__)                                             \
      request_form(FORM(iname), (UNPACK parameters, MPI_Request * request),                        \
                   (UNPACK arguments, request), __VA_ARGS__)                                       \
          init_form(FORM(init), (UNPACK parameters, MPI_Info info, MPI_Request * request),         \
                    (UNPACK arguments, info, request), __VA_ARGS__)
#if HAS_PERSISTENT
#define COLL_INIT_FORM(...)      DEFINE_COLL_INIT(__VA_ARGS__)
#define NEIGHBOUR_INIT_FORM(...) DEFINE_NEIGHBOUR_INIT(__VA_ARGS__)
#else
#define COLL_INIT_FORM(...)
#define NEIGHBOUR_INIT_FORM(...)
#endif
#define COLL(...)      ALL_FORMS(COLL_FORM, COLL_REQUEST, COLL_INIT_FORM, __VA_ARGS__, false)
#define COLL_V(...)    ALL_FORMS(COLL_FORM, COLL_REQUEST, COLL_INIT_FORM, __VA_ARGS__, true)
#define NEIGHBOUR(...) ALL_FORMS(NEIGHBOUR_FORM, NEIGHBOUR_FORM, NEIGHBOUR_INIT_FORM, __VA_ARGS__)
#include "interpose/each_call.h"

EXPORT int MPI_Start(MPI_Request *request)
{
  thread_t *t = tracer_enter(FRAME, CALLER);
  if (!t) return mpi_passed_on()->Start(request);
  started_t what;
  uint64_t phase = phase_key();
  bool found = request_find(*request, &what), stopped = watched() & WATCH_STOPPED;
  if (found) count_start(t, &what);
  tracer_clock_sometimes(t);
  int rc = mpi_next.Start(request);
  tracer_leave(t, OP_Start, SPOOL_NO_COMM);
  if (UNLIKELY(rc != MPI_SUCCESS) && found && !stopped) take_back_start(t, &what, phase);
  if (UNLIKELY(tracer.steps) && rc == MPI_SUCCESS) awaited_start(t, *request);
  return rc;
}

EXPORT int MPI_Startall(int count, MPI_Request *requests)
{
  thread_t *t = tracer_enter(FRAME, CALLER);
  if (!t) return mpi_passed_on()->Startall(count, requests);
  started_t what;
  uint64_t phase = phase_key();
  bool counted = !(watched() & WATCH_STOPPED);
  for (int i = 0; i < count; i++)
    if (request_find(requests[i], &what)) count_start(t, &what);
  tracer_clock(t);
  int rc = mpi_next.Startall(count, requests);
  tracer_leave(t, OP_Startall, SPOOL_NO_COMM);
  for (int i = 0; rc != MPI_SUCCESS && counted && i < count; i++)
    if (request_find(requests[i], &what)) take_back_start(t, &what, phase);
  for (int i = 0; tracer.steps && rc == MPI_SUCCESS && i < count; i++)
    awaited_start(t, requests[i]);
  return rc;
}

/* The MPI may reuse the handle at once, so forget it before. */
EXPORT int MPI_Request_free(MPI_Request *request)
{
  thread_t *t = tracer_enter(FRAME, CALLER);
  if (!t) return mpi_passed_on()->Request_free(request);
  request_remove(*request);
  if (UNLIKELY(tracer.steps)) awaited_forget(*request);
  tracer_clock(t);
  int rc = mpi_next.Request_free(request);
  tracer_leave(t, OP_Request_free, SPOOL_NO_COMM);
  return rc;
}

MPI_SPAWNS(DEFINE_SPAWN)

/* The arguments after the level aren't passed on: no MPI uses them. */
EXPORT int MPI_Pcontrol(const int level, ...)
{
  thread_t *t = tracer_enter(FRAME, CALLER);
  if (!t) return mpi_passed_on()->Pcontrol(level);
  phase_control(t, level);
  int rc = mpi_next.Pcontrol(level);
  t->inside = 0;
  return rc;
}

EXPORT int MPI_Init(int *argc, char ***argv)
{
  bool right = mpi_table_load();
  int rc = mpi_next.Init(argc, argv);
  if (right && rc == MPI_SUCCESS) tracer_start(mpi.comm_world);
  return rc;
}

EXPORT int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
  bool right = mpi_table_load();
  int rc = mpi_next.Init_thread(argc, argv, required, provided);
  if (right && rc == MPI_SUCCESS) tracer_start(mpi.comm_world);
  return rc;
}

EXPORT int MPI_Finalize(void)
{
  mpi_table_load();
  tracer_finish();
  return mpi_passed_on()->Finalize();
}

EXPORT int MPI_Abort(MPI_Comm comm, int code)
{
  mpi_table_load();
  tracer_abort(code);
  return mpi_passed_on()->Abort(comm, code);
}

#if MPI_VERSION >= 4
EXPORT int MPI_Session_init(MPI_Info info, MPI_Errhandler handler, MPI_Session *session)
{
  bool right = mpi_table_load();
  int rc = mpi_next.Session_init(info, handler, session);
  if (right && rc == MPI_SUCCESS) session_begun(*session);
  return rc;
}

EXPORT int MPI_Session_finalize(MPI_Session *session)
{
  if (mpi_table_load()) session_ends(*session);
  return mpi_passed_on()->Session_finalize(session);
}

EXPORT int MPI_Comm_create_from_group(MPI_Group group, const char *tag, MPI_Info info,
                                      MPI_Errhandler handler, MPI_Comm *comm)
{
  bool right = mpi_table_load();
  int rc = mpi_next.Comm_create_from_group(group, tag, info, handler, comm);
  if (right && rc == MPI_SUCCESS) session_comm(*comm);
  return rc;
}
#endif

/* The same functions under their PMPI names, for programs that define MPI's functions
 * themselves, such as a linked-in profiler (interposed.c). Calls by the MPI libraries are inside
 * another call. */
#define PMPI_TO(pmpi, name, target) EXPORT __typeof__(name) pmpi __attribute__((alias(target)));
#define PMPI_(name)                 PMPI_TO(PMPI_##name, MPI_##name, "MPI_" #name)
#define PMPI(name, ...)             PMPI_(name)
#if MPI_VERSION >= 4
#define PMPI_PERSISTENT PMPI
#elif HAS_PERSISTENT
#define PMPI_PERSISTENT_(name) PMPI_TO(PMPIX_##name, MPIX_##name, "MPIX_" #name)
#define PMPI_PERSISTENT(name)  PMPI_PERSISTENT_(name)
#else
#define PMPI_PERSISTENT(name)
#endif
#define SEND(name, ...)              PMPI(FORM(name))
#define COLL(name, iname, init, ...) PMPI(FORM(name)) PMPI(FORM(iname)) PMPI_PERSISTENT(FORM(init))
#include "interpose/each_call.h"
MPI_BY_HAND(PMPI)
