/* SPDX-License-Identifier: BSD-3-Clause */
/* The MPI functions that Fortran programs call in place of the library's own. Open MPI's Fortran
 * library calls PMPI_ functions of C, and MPICH's some of C's MPI_ functions: so a call is recorded
 * here, where it is made, and tracer_enter keeps what is called inside from counting again.
 *
 * Arguments are passed on as they are to the PMPI function of the same binding, and only looked at
 * beside. fortran_calls.h, written by generate/fortran.c, has a line for each function. */
#include <dlfcn.h>
#include <link.h>

#include "trace/collective.h"
#include "trace/window.h"

/* A function of the MPI's Fortran library, found when it is first called. */
typedef struct function {
  _Atomic(void *) address;
  const char *name, *pmpi;
} function_t;

#ifdef OPEN_MPI
static const char *const libraries[] = {"libmpi_mpifh.so.40", "libmpi_usempif08.so.40"};
#else
static const char *const libraries[] = {"libmpichfort.so.12"};
#endif

/* The libraries that the process has loaded, perhaps out of sight; else what comes behind the
 * tracer. */
static void *find_symbol(const char *name)
{
  for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
    void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
    void *address = library ? dlsym(library, name) : NULL;
    if (address) return address;
  }
  return dlsym(RTLD_NEXT, name);
}

/* Without a PMPI function the name is somebody else's, as a library has it that stands in for MPI
 * in serial programs. */
static __attribute__((noinline)) void *find_slow(function_t *f)
{
  void *address = find_symbol(f->pmpi);
  if (!address) address = dlsym(RTLD_NEXT, f->name);
  atomic_store_explicit(&f->address, address, memory_order_relaxed);
  return address;
}

static inline void *find(function_t *f)
{
  void *address = atomic_load_explicit(&f->address, memory_order_relaxed);
  return LIKELY(address) ? address : find_slow(f);
}

/* A variable of which all share the copy of whoever was loaded first: the program, or the library
 * that brought MPI along. The dynamic loader is asked for each, since what it finds for the whole
 * process may be in a library that was moved into sight later. */
static __attribute__((noinline)) void *find_variable_slow(const char *name)
{
  void *process = dlopen(NULL, RTLD_LAZY), *address = NULL;
  struct link_map *map = NULL, *owner;
  Dl_info ignored;
  if (process) dlinfo(process, RTLD_DI_LINKMAP, &map);
  for (; map; map = map->l_next) {
    void *library = *map->l_name ? dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    void *found = dlsym(library ? library : process, name);
    if (library) dlclose(library);
    if (!found || !dladdr1(found, &ignored, (void **)&owner, RTLD_DL_LINKMAP)) continue;
    address = found;
    if (owner == map) break;
  }
  return address;
}

static inline void *find_variable(_Atomic(void *) *found, const char *name)
{
  void *address = atomic_load_explicit(found, memory_order_relaxed);
  if (LIKELY(address)) return address;
  address = find_variable_slow(name);
  atomic_store_explicit(found, address, memory_order_relaxed);
  return address;
}

static bool same_library(void *a, void *b)
{
  Dl_info of_a, of_b;
  return a && b && dladdr(a, &of_a) && dladdr(b, &of_b) && of_a.dli_fbase == of_b.dli_fbase;
}

static void nobody(void) {}

/* A function of the application's own that has a name such as mpi_send, of which C programmers
 * think, too; NULL where it is MPI's. */
static __attribute__((noinline)) void *find_other_slow(function_t *f)
{
  void *address = dlsym(RTLD_NEXT, f->name);
  if (!address || same_library(address, find_symbol(f->pmpi))) address = (void *)nobody;
  atomic_store_explicit(&f->address, address, memory_order_relaxed);
  return address;
}

static inline void *find_other(function_t *f)
{
  void *address = atomic_load_explicit(&f->address, memory_order_relaxed);
  if (UNLIKELY(!address)) address = find_other_slow(f);
  return address == (void *)nobody ? NULL : address;
}

#ifdef OPEN_MPI
static inline MPI_Comm fortran_comm(MPI_Fint handle) { return mpi.Comm_f2c(handle); }
static inline MPI_Request fortran_request(MPI_Fint handle) { return mpi.Request_f2c(handle); }
static inline MPI_Win fortran_win(MPI_Fint handle) { return mpi.Win_f2c(handle); }

/* Predefined types, which alone are in the cache of sizes, never change their handle. */
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

/* All bindings have one variable. */
static const void *in_place(void)
{
  static _Atomic(void *) address;
  return find_variable(&address, "mpi_fortran_in_place_");
}

static const void *in_place_f08(void) { return in_place(); }
static const void *address_f08(const void *buffer) { return buffer; }
#else
static inline MPI_Comm fortran_comm(MPI_Fint handle) { return handle; }
static inline MPI_Request fortran_request(MPI_Fint handle) { return handle; }
static inline MPI_Win fortran_win(MPI_Fint handle) { return handle; }
static inline MPI_Datatype fortran_type(thread_t *t, MPI_Fint handle)
{
  (void)t;
  return handle;
}

/* MPICH's library keeps the address in a variable, which its first Fortran call sets. */
static const void *in_place(void)
{
  static _Atomic(void *) variable;
  void **found = atomic_load_explicit(&variable, memory_order_relaxed);
  if (UNLIKELY(!found)) {
    found = find_symbol("MPIR_F_MPI_IN_PLACE");
    if (!found) return NULL;
    atomic_store_explicit(&variable, found, memory_order_relaxed);
  }
  if (UNLIKELY(!*found)) {
    void (*initialized)(MPI_Fint *, MPI_Fint *) = find_symbol("pmpi_initialized_");
    MPI_Fint flag, error;
    if (initialized) initialized(&flag, &error);
  }
  return *found;
}

static const void *in_place_f08(void)
{
  static _Atomic(void *) address;
  return find_variable(&address, "MPIR_F08_MPI_IN_PLACE");
}

/* Of a buffer's descriptor, whose first member it is (Fortran 2018, 18.5.3). */
static const void *address_f08(const void *descriptor) { return *(const void *const *)descriptor; }
#endif

static const void *choice(const void *buffer)
{
  return buffer == in_place() ? MPI_IN_PLACE : buffer;
}

static const void *choice_f08(const void *buffer)
{
  const void *address = address_f08(buffer);
  return address == in_place_f08() ? MPI_IN_PLACE : address;
}

DEFINE_AMOUNTS(, int, MPI_Fint, fortran_type)
#if MPI_VERSION >= 4
DEFINE_AMOUNTS(_c, MPI_Count, MPI_Fint, fortran_type)
#endif

/* C's arguments, of Fortran's. */
#define VALUE(type_t, name) const type_t name = *(const type_t *)f_##name;
#define LIST(type_t, name)  const type_t *name = f_##name;
#define TYPE(name)          MPI_Datatype name = fortran_type(t, *(const MPI_Fint *)f_##name);
#define COMM(name)          MPI_Comm name = fortran_comm(*(const MPI_Fint *)f_##name);
#define WIN(name)           MPI_Win name = fortran_win(*(const MPI_Fint *)f_##name);
#define REQUEST(name)       MPI_Request name = fortran_request(*(const MPI_Fint *)f_##name);
#define NEW(win)            fortran_win(*(win))
#define ITEM(type)          fortran_type(t, type)
#define CHOICE(name)        const void *name = choice(f_##name);
#define CHOICE_F08(name)    const void *name = choice_f08(f_##name);

/* mpi_f08's ierror may be missing: then MPI's answer goes where the tracer sees it. */
#define ERROR                                                                                      \
  MPI_Fint own_error = MPI_SUCCESS;                                                                \
  if (!f_ierror) f_ierror = &own_error
#define REFUSED UNLIKELY(*(const MPI_Fint *)f_ierror != MPI_SUCCESS)

/* The exported name is an alias, so that the other names of mpif.h can be aliases of the same, and
 * those of PMPI, which programs call that have MPI's names themselves. */
#define BEGIN(symbol, pmpi_symbol, parameters)                                                     \
  static function_t of_##symbol = {NULL, #symbol, #pmpi_symbol};                                   \
  typedef void symbol##t parameters;                                                               \
  EXPORT symbol##t symbol __attribute__((alias("body_" #symbol)));                                 \
  EXPORT symbol##t pmpi_symbol __attribute__((alias("body_" #symbol)));                            \
  static __attribute__((noinline, used)) void body_##symbol parameters                             \
  {                                                                                                \
    symbol##t *pmpi = find(&of_##symbol);

#define BEGIN_RECORDED(symbol, pmpi_symbol, parameters, arguments)                                 \
  BEGIN(symbol, pmpi_symbol, parameters)                                                           \
  thread_t *t = tracer_enter(FRAME, CALLER);                                                       \
  if (!t) {                                                                                        \
    pmpi arguments;                                                                                \
    return;                                                                                        \
  }

#define SEND_BODY(symbol, pmpi_symbol, parameters, arguments, name, count, type, locals,           \
                  start_clock)                                                                     \
  BEGIN_RECORDED(symbol, pmpi_symbol, parameters, arguments)                                       \
  ERROR;                                                                                           \
  locals posted_t p = record_send(t, OP_##name, count, type, dest, comm, CALLER);                  \
  start_clock;                                                                                     \
  pmpi arguments;                                                                                  \
  tracer_leave(t);                                                                                 \
  if (REFUSED) take_back(p);                                                                       \
  }

#define SEND(...) SEND_BODY(__VA_ARGS__, tracer_clock(t))
#define SEND_SHORT(...)                                                                            \
  SEND_BODY(__VA_ARGS__, is_short(p) ? tracer_clock_sometimes(t) : tracer_clock(t))

#define INIT_BODY(symbol, pmpi_symbol, parameters, arguments, name, count, type, locals,           \
                  is_partitioned)                                                                  \
  BEGIN_RECORDED(symbol, pmpi_symbol, parameters, arguments)                                       \
  ERROR;                                                                                           \
  locals started_t what = {.partitioned = is_partitioned};                                         \
  bool counted = send_key(t, OP_##name, dest, comm, CALLER, &what.key);                            \
  what.size = counted ? amount(t, count, type) : 0;                                                \
  tracer_clock(t);                                                                                 \
  pmpi arguments;                                                                                  \
  tracer_leave(t);                                                                                 \
  if (counted && !REFUSED) request_add(fortran_request(*(const MPI_Fint *)f_request), what);       \
  }

#define SEND_INIT(...)   INIT_BODY(__VA_ARGS__, false)
#define PARTITIONED(...) INIT_BODY(__VA_ARGS__, true)

#define COLL_BODY(symbol, pmpi_symbol, parameters, arguments, name, bytes, root, locals, varies)   \
  BEGIN_RECORDED(symbol, pmpi_symbol, parameters, arguments)                                       \
  ERROR;                                                                                           \
  locals CALL(name, bytes, root, varies)                                                           \
  spool_coll_t *counted = count_call(t, &call);                                                    \
  tracer_clock(t);                                                                                 \
  pmpi arguments;                                                                                  \
  tracer_leave(t);                                                                                 \
  end_coll(t, &call, counted, REFUSED);                                                            \
  }
#define COLL(...)   COLL_BODY(__VA_ARGS__, false)
#define COLL_V(...) COLL_BODY(__VA_ARGS__, true)

#define COLL_INIT_BODY(symbol, pmpi_symbol, parameters, arguments, name, bytes, root, locals,      \
                       varies)                                                                     \
  BEGIN_RECORDED(symbol, pmpi_symbol, parameters, arguments)                                       \
  ERROR;                                                                                           \
  locals CALL(name, bytes, root, varies)                                                           \
  plan_t *plan = plan_new(call, 0);                                                                \
  INIT_OF_PLAN(arguments)
#define COLL_INIT(...)   COLL_INIT_BODY(__VA_ARGS__, false)
#define COLL_V_INIT(...) COLL_INIT_BODY(__VA_ARGS__, true)

#define INIT_OF_PLAN(arguments)                                                                    \
  tracer_clock(t);                                                                                 \
  pmpi arguments;                                                                                  \
  tracer_leave(t);                                                                                 \
  MPI_Request made = REFUSED ? 0 : fortran_request(*(const MPI_Fint *)f_request);                  \
  keep_plan(REFUSED ? NULL : &made, plan, &call);                                                  \
  }

#define NEIGHBOUR(symbol, pmpi_symbol, parameters, arguments, name, bytes, locals)                 \
  BEGIN_RECORDED(symbol, pmpi_symbol, parameters, arguments)                                       \
  ERROR;                                                                                           \
  locals CALL(name, 0, NO_ROOT, true) EDGES(post_edge(t, OP_##name, &call, key, bytes))            \
      spool_coll_t *counted = count_call(t, &call);                                                \
  tracer_clock(t);                                                                                 \
  pmpi arguments;                                                                                  \
  tracer_leave(t);                                                                                 \
  if (REFUSED && counted) EDGES(take_back_message(t, key | phase, bytes))                          \
  end_coll(t, &call, counted, REFUSED);                                                            \
  }

#define NEIGHBOUR_INIT(symbol, pmpi_symbol, parameters, arguments, name, bytes, locals)            \
  BEGIN_RECORDED(symbol, pmpi_symbol, parameters, arguments)                                       \
  ERROR;                                                                                           \
  locals CALL(name, 0, NO_ROOT, true) plan_t *plan = plan_new(call, to_whom(t, &call, comm)->n);   \
  EDGES(plan_edge(plan, key, bytes))                                                               \
  INIT_OF_PLAN(arguments)

#define READY(symbol, pmpi_symbol, parameters, arguments, name, n, locals)                         \
  BEGIN_RECORDED(symbol, pmpi_symbol, parameters, arguments)                                       \
  ERROR;                                                                                           \
  locals started_t what;                                                                           \
  uint64_t phase = phase_key();                                                                    \
  bool counted = count_ready(t, request, n, &what);                                                \
  tracer_clock_sometimes(t);                                                                       \
  pmpi arguments;                                                                                  \
  tracer_leave(t);                                                                                 \
  for (int k = 0; REFUSED && counted && k < (n); k++)                                              \
    take_back_message(t, what.key | phase, what.size);                                             \
  }

#define RMA(symbol, pmpi_symbol, parameters, arguments, name, count, type, locals)                 \
  BEGIN_RECORDED(symbol, pmpi_symbol, parameters, arguments)                                       \
  ERROR;                                                                                           \
  locals operation_t o = record_operation(t, OP_##name, count, type, target, win, CALLER);         \
  tracer_clock_sometimes(t);                                                                       \
  pmpi arguments;                                                                                  \
  tracer_leave(t);                                                                                 \
  if (REFUSED) take_back_operation(o);                                                             \
  }

#define SYNC(symbol, pmpi_symbol, parameters, arguments, name, change, locals)                     \
  BEGIN_RECORDED(symbol, pmpi_symbol, parameters, arguments)                                       \
  ERROR;                                                                                           \
  tracer_clock(t);                                                                                 \
  pmpi arguments;                                                                                  \
  if (!REFUSED) {                                                                                  \
    locals change;                                                                                 \
  }                                                                                                \
  tracer_leave(t);                                                                                 \
  }

#define TIMED_BODY(symbol, pmpi_symbol, parameters, arguments, start_clock)                        \
  BEGIN_RECORDED(symbol, pmpi_symbol, parameters, arguments)                                       \
  start_clock;                                                                                     \
  pmpi arguments;                                                                                  \
  tracer_leave(t);                                                                                 \
  }
#define APART(...) TIMED_BODY(__VA_ARGS__, tracer_no_clock(t))
#define TIMED(...) TIMED_BODY(__VA_ARGS__, tracer_clock(t))
#define UNMODELLED(symbol, pmpi_symbol, parameters, arguments, name, clock, locals)                \
  TIMED_BODY(symbol, pmpi_symbol, parameters, arguments, (unmodelled(OP_##name), clock))
#define TIMED_SHORT(...) TIMED_BODY(__VA_ARGS__, tracer_clock_sometimes(t))
#define TIMED_WAIT(...)  TIMED_BODY(__VA_ARGS__, tracer_clock_wait(t))

#define START(symbol, pmpi_symbol, parameters, arguments)                                          \
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
  tracer_leave(t);                                                                                 \
  if (REFUSED && found && !stopped) take_back_start(t, &what, phase);                              \
  }

#define STARTALL(symbol, pmpi_symbol, parameters, arguments)                                       \
  BEGIN_RECORDED(symbol, pmpi_symbol, parameters, arguments)                                       \
  ERROR;                                                                                           \
  VALUE(int, count) LIST(MPI_Fint, requests) uint64_t phase = phase_key();                         \
  bool counted = !(watched() & WATCH_STOPPED);                                                     \
  started_t what;                                                                                  \
  for (int i = 0; i < count; i++)                                                                  \
    if (request_find(fortran_request(requests[i]), &what)) count_start(t, &what);                  \
  tracer_clock(t);                                                                                 \
  pmpi arguments;                                                                                  \
  tracer_leave(t);                                                                                 \
  for (int i = 0; REFUSED && counted && i < count; i++)                                            \
    if (request_find(fortran_request(requests[i]), &what)) take_back_start(t, &what, phase);       \
  }

/* The library may use the handle again at once, so it is forgotten before. */
#define REQUEST_FREE(symbol, pmpi_symbol, parameters, arguments)                                   \
  BEGIN_RECORDED(symbol, pmpi_symbol, parameters, arguments)                                       \
  request_remove(fortran_request(*(const MPI_Fint *)f_request));                                   \
  tracer_clock(t);                                                                                 \
  pmpi arguments;                                                                                  \
  tracer_leave(t);                                                                                 \
  }

#define SPAWN(symbol, pmpi_symbol, parameters, arguments, name, nothing, locals)                   \
  BEGIN_RECORDED(symbol, pmpi_symbol, parameters, arguments)                                       \
  ERROR;                                                                                           \
  unmodelled(OP_##name);                                                                           \
  VALUE(int, root) COMM(comm) tracer_clock(t);                                                     \
  pmpi arguments;                                                                                  \
  if (!REFUSED) comm_spawned(t, comm, root, fortran_comm(*(const MPI_Fint *)f_inter));             \
  tracer_leave(t);                                                                                 \
  }

#define PCONTROL(symbol, pmpi_symbol, parameters, arguments)                                       \
  BEGIN_RECORDED(symbol, pmpi_symbol, parameters, arguments)                                       \
  phase_control(*(const MPI_Fint *)f_level);                                                       \
  tracer_no_clock(t);                                                                              \
  pmpi arguments;                                                                                  \
  tracer_leave(t);                                                                                 \
  }

/* Handles of sessions are C's in MPICH, the one MPI here that has them. */
#define SESSION_INIT(symbol, pmpi_symbol, parameters, arguments)                                   \
  BEGIN(symbol, pmpi_symbol, parameters)                                                           \
  ERROR;                                                                                           \
  bool right = mpi_table_load();                                                                   \
  pmpi arguments;                                                                                  \
  if (right && !REFUSED) session_begun((MPI_Session) * (const MPI_Fint *)f_session);               \
  }
#define SESSION_FINALIZE(symbol, pmpi_symbol, parameters, arguments)                               \
  BEGIN(symbol, pmpi_symbol, parameters)                                                           \
  if (mpi_table_load()) session_ends((MPI_Session) * (const MPI_Fint *)f_session);                 \
  pmpi arguments;                                                                                  \
  }
#define SESSION_COMM(symbol, pmpi_symbol, parameters, arguments)                                   \
  BEGIN(symbol, pmpi_symbol, parameters)                                                           \
  ERROR;                                                                                           \
  bool right = mpi_table_load();                                                                   \
  pmpi arguments;                                                                                  \
  if (right && !REFUSED) session_comm(fortran_comm(*(const MPI_Fint *)f_made));                    \
  }

/* ierror, which may be missing, isn't asked whether MPI was started. */
#define INIT(symbol, pmpi_symbol, parameters, arguments)                                           \
  BEGIN(symbol, pmpi_symbol, parameters)                                                           \
  bool right = mpi_table_load();                                                                   \
  pmpi arguments;                                                                                  \
  int initialized = 0;                                                                             \
  if (right && mpi.Initialized(&initialized) == MPI_SUCCESS && initialized)                        \
    tracer_start(mpi.comm_world);                                                                  \
  }
#define FINALIZE(symbol, pmpi_symbol, parameters, arguments)                                       \
  BEGIN(symbol, pmpi_symbol, parameters)                                                           \
  mpi_table_load();                                                                                \
  tracer_finish();                                                                                 \
  pmpi arguments;                                                                                  \
  }
#define ABORT(symbol, pmpi_symbol, parameters, arguments)                                          \
  BEGIN(symbol, pmpi_symbol, parameters)                                                           \
  mpi_table_load();                                                                                \
  tracer_abort(*(const MPI_Fint *)f_code);                                                         \
  pmpi arguments;                                                                                  \
  }

/* What other compilers make of the names of mpif.h. The call at the end is a jump, so the function
 * isn't among the frames of a call site. */
#define NAMES(symbol, upper, twice, plain, parameters, arguments)                                  \
  EXPORT symbol##t upper __attribute__((alias("body_" #symbol)));                                  \
  EXPORT symbol##t twice __attribute__((alias("body_" #symbol)));                                  \
  EXPORT symbol##t P##upper __attribute__((alias("body_" #symbol)));                               \
  EXPORT symbol##t p##twice __attribute__((alias("body_" #symbol)));                               \
  EXPORT symbol##t plain;                                                                          \
  void plain parameters                                                                            \
  {                                                                                                \
    static function_t other = {NULL, #plain, #symbol};                                             \
    symbol##t *function = find_other(&other);                                                      \
    if (LIKELY(!function)) function = body_##symbol;                                               \
    function arguments;                                                                            \
  }

#include "fortran_calls.h"
