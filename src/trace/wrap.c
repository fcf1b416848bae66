/* SPDX-License-Identifier: BSD-3-Clause */
/* The MPI functions that the application calls in place of the library's own. Each passes its
 * arguments on untouched and returns what the library returned. */
#include "trace/collective.h"

const char *const op_names[N_OPS] = {
#define NAME_(name)            [OP_##name] = #name,
#define NAME(name)             NAME_(name)
#define SEND(name, ...)        NAME(FORM(name))
#define SEND_INIT(name, ...)   NAME(FORM(name))
#define COLL(name, iname, ...) NAME(FORM(name)) NAME(FORM(iname))
#define COLL_V                 COLL
#define SEND_SHORT             SEND
#define TIMED(name, ...)
#define TIMED_SHORT TIMED
#include "trace/each_call.h"
};

static MPI_Datatype same_type(thread_t *t, MPI_Datatype type)
{
  (void)t;
  return type;
}
DEFINE_AMOUNTS(, int, MPI_Datatype, same_type)
#if MPI_VERSION >= 4
DEFINE_AMOUNTS(_c, MPI_Count, MPI_Datatype, same_type)
#endif

#define DEFINE_SEND(name, parameters, arguments, count, type, start_clock)                         \
  EXPORT int MPI_##name parameters                                                                 \
  {                                                                                                \
    thread_t *t = tracer_enter(FRAME, CALLER);                                                     \
    if (!t) return mpi.name arguments;                                                             \
    posted_t p = record_send(t, OP_##name, count, type, dest, comm, CALLER);                       \
    start_clock;                                                                                   \
    int rc = mpi.name arguments;                                                                   \
    tracer_leave(t);                                                                               \
    if (UNLIKELY(rc != MPI_SUCCESS)) take_back(p);                                                 \
    return rc;                                                                                     \
  }
#define DEFINE_SEND_INIT(name, parameters, arguments, count, type)                                 \
  EXPORT int MPI_##name parameters                                                                 \
  {                                                                                                \
    thread_t *t = tracer_enter(FRAME, CALLER);                                                     \
    if (!t) return mpi.name arguments;                                                             \
    started_t what = {0};                                                                          \
    bool counted = send_key(t, OP_##name, dest, comm, CALLER, &what.key);                          \
    what.size = counted ? amount(t, count, type) : 0;                                              \
    tracer_clock(t);                                                                               \
    int rc = mpi.name arguments;                                                                   \
    tracer_leave(t);                                                                               \
    if (counted && rc == MPI_SUCCESS) request_add(*request, what);                                 \
    return rc;                                                                                     \
  }
#define DEFINE_COLL(name, parameters, arguments, bytes, root, varies)                              \
  EXPORT int MPI_##name parameters                                                                 \
  {                                                                                                \
    thread_t *t = tracer_enter(FRAME, CALLER);                                                     \
    if (!t) return mpi.name arguments;                                                             \
    const comm_t *c = comm_find(t, comm);                                                          \
    spool_coll_t *counted = NULL;                                                                  \
    if (c && (root) != MPI_PROC_NULL) /* the root's neighbours on an intercommunicator */          \
      counted = record_coll(t, c, OP_##name, (uint64_t)(bytes), root, varies, CALLER);             \
    tracer_clock(t);                                                                               \
    int rc = mpi.name arguments;                                                                   \
    tracer_leave(t);                                                                               \
    end_coll(t, c, counted, rc != MPI_SUCCESS);                                                    \
    return rc;                                                                                     \
  }
#define DEFINE_TIMED(name, parameters, arguments, start_clock)                                     \
  EXPORT int MPI_##name parameters                                                                 \
  {                                                                                                \
    thread_t *t = tracer_enter(FRAME, CALLER);                                                     \
    if (!t) return mpi.name arguments;                                                             \
    start_clock;                                                                                   \
    int rc = mpi.name arguments;                                                                   \
    tracer_leave(t);                                                                               \
    return rc;                                                                                     \
  }
/* One more expansion, for the names. */
#define SEND_FORM(...)  DEFINE_SEND(__VA_ARGS__)
#define INIT_FORM(...)  DEFINE_SEND_INIT(__VA_ARGS__)
#define COLL_FORM(...)  DEFINE_COLL(__VA_ARGS__)
#define TIMED_FORM(...) DEFINE_TIMED(__VA_ARGS__)

#define SEND(name, ...) SEND_FORM(FORM(name), __VA_ARGS__, tracer_clock(t))
#define SEND_SHORT(name, ...)                                                                      \
  SEND_FORM(FORM(name), __VA_ARGS__, is_short(p) ? tracer_clock_sometimes(t) : tracer_clock(t))
#define SEND_INIT(name, ...)   INIT_FORM(FORM(name), __VA_ARGS__)
#define TIMED(name, ...)       TIMED_FORM(FORM(name), __VA_ARGS__, tracer_clock(t))
#define TIMED_SHORT(name, ...) TIMED_FORM(FORM(name), __VA_ARGS__, tracer_clock_sometimes(t))
#define BOTH(name, iname, parameters, arguments, bytes, root, varies)                              \
  COLL_FORM(FORM(name), parameters, arguments, bytes, root, varies)                                \
  COLL_FORM(FORM(iname), (UNPACK parameters, MPI_Request * request), (UNPACK arguments, request),  \
            bytes, root, varies)
#define COLL(...)   BOTH(__VA_ARGS__, false)
#define COLL_V(...) BOTH(__VA_ARGS__, true)
#include "trace/each_call.h"

EXPORT int MPI_Start(MPI_Request *request)
{
  thread_t *t = tracer_enter(FRAME, CALLER);
  if (!t) return mpi.Start(request);
  started_t what;
  posted_t p = {0};
  if (request_find(*request, &what)) p = post_in_phase(t, OP_START, what.key, what.size);
  tracer_clock_sometimes(t);
  int rc = mpi.Start(request);
  tracer_leave(t);
  if (UNLIKELY(rc != MPI_SUCCESS)) take_back(p);
  return rc;
}

EXPORT int MPI_Startall(int count, MPI_Request *requests)
{
  thread_t *t = tracer_enter(FRAME, CALLER);
  if (!t) return mpi.Startall(count, requests);
  started_t what;
  uint64_t phase = phase_key();
  bool counted = !(watched() & WATCH_STOPPED);
  for (int i = 0; i < count; i++)
    if (request_find(requests[i], &what)) post_in_phase(t, OP_START, what.key, what.size);
  tracer_clock(t);
  int rc = mpi.Startall(count, requests);
  tracer_leave(t);
  for (int i = 0; rc != MPI_SUCCESS && counted && i < count; i++)
    if (request_find(requests[i], &what))
      take_back((posted_t){message_find(t, what.key | phase, what.size), what.size});
  return rc;
}

/* The library may use the handle again at once, so it is forgotten before. */
EXPORT int MPI_Request_free(MPI_Request *request)
{
  thread_t *t = tracer_enter(FRAME, CALLER);
  if (!t) return mpi.Request_free(request);
  request_remove(*request);
  tracer_clock(t);
  int rc = mpi.Request_free(request);
  tracer_leave(t);
  return rc;
}

EXPORT int MPI_Comm_spawn(const char *command, char *argv[], int n, MPI_Info info, int root,
                          MPI_Comm comm, MPI_Comm *inter, int *codes)
{
  thread_t *t = tracer_enter(FRAME, CALLER);
  if (!t) return mpi.Comm_spawn(command, argv, n, info, root, comm, inter, codes);
  tracer_clock(t);
  int rc = mpi.Comm_spawn(command, argv, n, info, root, comm, inter, codes);
  if (rc == MPI_SUCCESS) comm_spawned(t, comm, root, *inter);
  tracer_leave(t);
  return rc;
}

EXPORT int MPI_Comm_spawn_multiple(int n, char *commands[], char **argv[], const int numbers[],
                                   const MPI_Info infos[], int root, MPI_Comm comm, MPI_Comm *inter,
                                   int *codes)
{
  thread_t *t = tracer_enter(FRAME, CALLER);
  if (!t)
    return mpi.Comm_spawn_multiple(n, commands, argv, numbers, infos, root, comm, inter, codes);
  tracer_clock(t);
  int rc = mpi.Comm_spawn_multiple(n, commands, argv, numbers, infos, root, comm, inter, codes);
  if (rc == MPI_SUCCESS) comm_spawned(t, comm, root, *inter);
  tracer_leave(t);
  return rc;
}

/* No MPI looks at what follows the level, which therefore isn't passed on. */
EXPORT int MPI_Pcontrol(const int level, ...)
{
  thread_t *t = tracer_enter(FRAME, CALLER);
  if (!t) return mpi.Pcontrol(level);
  phase_control(level);
  tracer_no_clock(t);
  int rc = mpi.Pcontrol(level);
  tracer_leave(t);
  return rc;
}

EXPORT int MPI_Init(int *argc, char ***argv)
{
  bool right = mpi_table_load();
  int rc = mpi.Init(argc, argv);
  if (right && rc == MPI_SUCCESS) tracer_start();
  return rc;
}

EXPORT int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
  bool right = mpi_table_load();
  int rc = mpi.Init_thread(argc, argv, required, provided);
  if (right && rc == MPI_SUCCESS) tracer_start();
  return rc;
}

EXPORT int MPI_Finalize(void)
{
  mpi_table_load();
  tracer_finish();
  return mpi.Finalize();
}

EXPORT int MPI_Abort(MPI_Comm comm, int code)
{
  mpi_table_load();
  tracer_abort(code);
  return mpi.Abort(comm, code);
}
