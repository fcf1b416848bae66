/* SPDX-License-Identifier: BSD-3-Clause */
/* The tracer's state, of the process and of each thread, and the way in and out of a call.
 *
 * Each thread counts in its own tables, so that a message needs no lock or allocation. The lock
 * is for rare events: a new thread, communicator or call site. */
#ifndef BERTH_TRACE_TRACER_H
#define BERTH_TRACE_TRACER_H

#include <stdatomic.h>

#include "interpose/mpi_table.h"
#include "trace/memory.h"
#include "trace/trace_clock.h"

enum {
  SHORT_SEND = 4096, /* bytes that a send hands over without waiting, about the same in all MPIs */
  TIMED_ONE_IN = 32, /* of short calls */
  NESTED = 64,       /* size of the cache of nested calls' places, in pairs */
  HANDLE_CACHE = 8,  /* communicators and datatypes that a thread remembers */
  MEMOS = 32,        /* kinds of messages that a thread remembers */
  MAX_DEPTH = 16     /* frames of a call site */
};

#define NOWHERE 0xffffffffu /* world rank of a process outside MPI_COMM_WORLD */

/* The functions' numbers, for call sites and collectives. */
typedef enum op {
#define OP_(name)                    OP_##name,
#define OP(name)                     OP_(name)
#define SEND(name, ...)              OP(FORM(name))
#define SEND_INIT(name, ...)         OP(FORM(name))
#define COLL(name, iname, init, ...) OP(FORM(name)) OP(FORM(iname)) OP(FORM(init))
#define COLL_V                       COLL
#define SEND_SHORT                   SEND
#define TIMED_SHORT                  TIMED
#define UNMODELLED(name, ...)        OP(FORM(name))
#define TIMED(name, ...)
#include "interpose/each_call.h"
  OP_Comm_spawn,
  OP_Comm_spawn_multiple,
  N_OPS,
  OP_START = N_OPS /* of persistent requests: has no sites and no collectives */
} op_t;
extern const char *const wrap_op_names[N_OPS]; /* "Send" */

/* A communicator. All handles with the same members in the same order share one; it lives for
 * ever. */
typedef struct comm {
  uint32_t id;      /* 0: the members of MPI_COMM_WORLD in its order */
  uint32_t n_dest;  /* number of possible destinations; for intercommunicators, ranks of the remote
                       group */
  uint32_t n_local; /* ranks of the own group */
  uint32_t n_list;  /* ranks in the trace's list: both groups */
  int rank;         /* own rank */
  bool inter, outside; /* outside: some members aren't in MPI_COMM_WORLD */
  bool everyone;       /* has all of MPI_COMM_WORLD, in any order, and nobody else */
  uint32_t dest_at;    /* index of the first destination in the list */
  uint32_t own_at;     /* index of the first rank of the own group */
  uint32_t *list;      /* world ranks; NULL: 0, 1, 2, … */
  uint64_t hash[2];
  uint32_t n_windows; /* made by its members; access needs the lock */
  struct comm *next;  /* in the same slot of the table of communicators */
} comm_t;

/* An index of records of one kind. Slots have a record's place in the region, in units of 32
 * bytes. */
typedef struct index {
  uint32_t *slots; /* 0: empty */
  uint32_t n_slots, n;
  bool full; /* no room for further records */
  spool_kind_t kind;
  spool_block_t *block; /* the last one */
} index_t;

/* Number of sizes of a (destination, site), or of a destination in a line of operations. */
typedef struct group {
  uint64_t key; /* of its messages */
  uint64_t sizes;
} group_t;

struct site;

/* A kind of small messages to ranks of MPI_COMM_WORLD that was met lately (quick.h). */
typedef struct memo {
  uint64_t key; /* NO_KEY: none */
  int64_t count;
  MPI_Datatype type; /* a predefined one */
  spool_message_t *message;
} memo_t;
#define NO_KEY UINT64_MAX

/* Which waiting calls are timed (wait.c). */
typedef struct waits {
  uint32_t pause;   /* calls until the next timed one */
  uint32_t skipped; /* calls between the last timed one and that one */
  bool timed;       /* the current call is one of them */
  uint64_t end;     /* of the last timed one, in ticks */
  uint64_t quick;   /* length of the current run of quick calls, timed or not */
  int64_t paid;     /* credit for timing quick calls, in eighths of a call; below 1: none */
  uint64_t needed;  /* run length from which some calls aren't timed */
  uint64_t seen_inside, seen_outside, missed; /* ticks of long calls, of long times between calls,
                                                 and of long times that may be either */
} waits_t;

/* The place of a nested call: one that another MPI call made. */
typedef struct nested {
  const void *caller;
  uintptr_t below; /* bytes from the outer call's frame down to the nested one's */
} nested_t;

typedef struct thread {
  uintptr_t inside;       /* frame address of the MPI call that is being recorded, or 0 */
  void *caller;           /* where that call returns to */
  uint64_t begin;         /* when that call began, in ticks; 0: not timed */
  uint32_t weight;        /* number of calls that its time stands for */
  uint32_t pause, random; /* short calls until the next timed one */
  waits_t waits;
  spool_thread_t *times;
  memo_t memos[MEMOS];
  index_t messages, colls, operations, lines, rows;
  struct {
    uint64_t *bytes; /* to each rank, for the current call; usually n is 0 */
    uint32_t n, room;
  } row;
  spool_block_t *send_block;
  bool segments; /* this thread's counts are told apart by segment */
  group_t *groups;
  uint32_t n_groups, group_slots;
  uint32_t *rest; /* messages without room of their own: places in the region, by destination */
  spool_block_t *rest_block;
  struct site **sites; /* call sites that this thread met, by hash */
  uint32_t n_sites, site_slots;
  struct context **contexts; /* calling contexts, by the innermost address */
  struct context_nodes *context_nodes;
  unsigned site_epoch, comm_epoch, window_epoch;
  struct {
    MPI_Comm handle;
    comm_t *comm;
  } comms[HANDLE_CACHE];
  struct {
    MPI_Comm handle;
    const struct neighbours *to;
  } topologies[HANDLE_CACHE];
  struct {
    MPI_Win handle;
    struct window *window;
  } windows[HANDLE_CACHE];
  struct {
    MPI_Datatype handle;
    uint64_t size;
  } types[HANDLE_CACHE]; /* predefined ones only: other handles are reused */
  struct {
    MPI_Fint handle;
    MPI_Datatype type;
  } fortran_types[HANDLE_CACHE]; /* as above */
  nested_t nested[NESTED];
  struct thread *next_idle;
} thread_t;

typedef enum tracer_state { TRACER_OFF, TRACER_ON, TRACER_DONE } tracer_state_t;

/* What a message needs besides counting. WATCH_STOPPED: nothing is recorded. WATCH_ORDER: the
 * order of sends is recorded. */
enum { WATCH_STOPPED = 1, WATCH_ORDER = 2 };

typedef struct tracer {
  _Atomic int state; /* tracer_state_t */
  bool joined;       /* takes part in the joint work in MPI_Finalize */
  bool multiple;     /* MPI_THREAD_MULTIPLE */
  int depth;         /* frames of a call site; 0: none */
  bool spawned;      /* by another job, with MPI_Comm_spawn */
  uint32_t rank, ranks;
  _Atomic uint32_t watch;     /* WATCH_… bits; usually 0 */
  _Atomic uint64_t phase_key; /* spool_key of the rank's current phase */
  uint64_t job;
  MPI_Comm comm; /* a duplicate of MPI_COMM_WORLD for the tracer's own messages */
  int comm_keyval, topology_keyval, window_keyval;
  _Atomic unsigned comm_epoch;   /* number of communicators freed so far */
  _Atomic unsigned window_epoch; /* number of windows freed so far */
  clock_mark_t begin;
} tracer_t;

extern tracer_t tracer;
extern __thread thread_t *tracer_self __attribute__((tls_model("initial-exec")));

void tracer_lock(void);
void tracer_unlock(void);

/* The way into a call; tracer_leave is the way out. Returns the calling thread if this call is
 * to be recorded. NULL if nothing is recorded, or inside another MPI call. `frame` and `caller`
 * are the wrapper's. */
thread_t *tracer_enter_slow(uintptr_t frame, void *caller);

static inline thread_t *tracer_enter(uintptr_t frame, void *caller)
{
  thread_t *t = tracer_self;
  if (UNLIKELY(!t || t->inside)) return tracer_enter_slow(frame, caller);
  t->inside = frame;
  t->caller = caller;
  return t;
}

static inline void tracer_clock(thread_t *t)
{
  t->weight = 1;
  t->waits.timed = false;
  t->begin = clock_ticks();
}

static inline void tracer_no_clock(thread_t *t) { t->begin = 0; }

/* Number of calls to skip: TIMED_ONE_IN - 1 on average. It is random, so that no rhythm of the
 * program affects it. */
static inline uint32_t tracer_pause(thread_t *t)
{
  t->random = t->random * 1664525u + 1013904223u;
  return (uint32_t)((uint64_t)t->random * (2 * TIMED_ONE_IN - 1) >> 32);
}

/* For calls that take about as long as two readings of the clock. Times one in TIMED_ONE_IN on
 * average, which stands for them. */
static inline void tracer_clock_sometimes(thread_t *t)
{
  t->begin = 0;
  if (LIKELY(t->pause > 0)) {
    t->pause--;
    return;
  }
  t->pause = tracer_pause(t);
  t->weight = TIMED_ONE_IN;
  t->waits.timed = false;
  t->begin = clock_ticks();
}

/* For calls that wait for a message. Times all of them, unless thousands in a row return at
 * once. */
static inline void tracer_clock_wait(thread_t *t)
{
  t->begin = 0;
  if (LIKELY(t->waits.pause > 0)) {
    t->waits.pause--;
    return;
  }
  t->waits.timed = true;
  t->begin = clock_ticks();
}
/* Adds the time of such a call, and chooses the next one to time. */
void wait_ended(thread_t *t, uint64_t now);

static inline void tracer_leave(thread_t *t)
{
  t->inside = 0;
  if (LIKELY(t->begin == 0)) return;
  uint64_t now = clock_ticks();
  t->times->last_tick = now;
  if (t->waits.timed) {
    wait_ended(t, now);
  } else {
    t->times->mpi_ticks += (now - t->begin) * t->weight;
    t->waits.end += now - t->begin; /* isn't part of the time between two waits */
  }
}

/* These are called before and after MPI starts and ends. `everyone` is MPI_COMM_WORLD or has the
 * same members. tracer_start returns true the first time only. */
bool tracer_start(MPI_Comm everyone);
void tracer_finish(void);
void tracer_abort(int code);

#if MPI_VERSION >= 4
/* For sessions (session.c): one was begun, one is about to end, a communicator was made of a
 * group. */
void session_begun(MPI_Session session);
void session_ends(MPI_Session session);
void session_comm(MPI_Comm comm);
#endif

/* The communicator or intercommunicator of a handle; NULL if the handle isn't valid. */
comm_t *comm_find(thread_t *t, MPI_Comm handle);
/* Counts the spawned processes. Only the root that asked for them does. */
void comm_spawned(thread_t *t, MPI_Comm comm, int root, MPI_Comm inter);
void comm_setup(void);
void comm_cleanup(void);

/* The destinations of this rank in neighbourhood collectives, in the order of its buffers: world
 * ranks, NOWHERE for others, NOBODY beyond the edge of a Cartesian grid. */
#define NOBODY 0xfffffffeu
typedef struct neighbours {
  uint32_t n;
  uint32_t dst[];
} neighbours_t;
/* Finds the neighbours for a communicator of comm_find. n is 0 if it has no topology or memory
 * is out. */
const neighbours_t *comm_neighbours(thread_t *t, const comm_t *c, MPI_Comm handle);

/* The world rank of a destination; may be NOWHERE. */
static inline uint32_t comm_world_rank(const comm_t *c, uint32_t dest)
{
  return c->list ? c->list[c->dest_at + dest] : dest;
}

/* Size of a datatype in bytes; 0 for the null datatype. */
uint64_t comm_type_size_slow(thread_t *t, MPI_Datatype type);

/* The identity of the function's call site; 0 if sites are off or used up. `caller` is the
 * wrapper's return address. */
uint32_t site_find(thread_t *t, op_t op, void *caller);
void site_setup(int depth);
extern _Atomic unsigned site_epoch; /* counts unloaded libraries */

/* The record for messages of a size under a key. If there is no room for it, the record for the
 * destination's rest. NULL if there is no room for that either. */
spool_message_t *tables_message_find_slow(thread_t *t, uint64_t key, uint64_t size);
/* The record for operations; NULL if there is no room. */
spool_message_t *tables_operation_find_slow(thread_t *t, uint64_t key, uint64_t size);
/* The record for operations like these; NULL if there is none. The index is the thread's, or the
 * shared one, which needs the lock. */
spool_rma_t *tables_rma_find(const index_t *x, const spool_rma_t *key);
/* The same if the calling thread knows none: finds a record of any thread or adds one. NULL if
 * there is no room. */
spool_rma_t *tables_rma_find_slow(thread_t *t, const spool_rma_t *key);
/* Adds a message record with count 0; NULL if there is no room. */
spool_message_t *tables_message_add(index_t *x, uint64_t key, uint64_t size, uint64_t excess);
/* The record of such calls, a new one with count 0 if needed; NULL if there is no room. */
spool_coll_t *tables_coll_find(index_t *x, const spool_coll_t *key);
/* Counts a collective call. Returns its record; NULL if there is no room. */
spool_coll_t *tables_coll_count(thread_t *t, const spool_coll_t *key);
/* What calls of a record send to an index of the communicator's list, by this thread or in a
 * class of segments. NULL if there is no room; the row's sum then shows that it is incomplete. */
spool_message_t *tables_row_find(thread_t *t, spool_coll_t *of, uint32_t place);
spool_message_t *tables_row_of_class(index_t *x, const spool_message_t *row, uint32_t number);
/* Makes room for n numbers in t->row. Returns false if memory is out. */
bool tables_row_room(thread_t *t, uint32_t n);

/* Counts a call by its name alone. */
void unmodelled(op_t op);

struct plan;

/* What a started persistent request sends. */
typedef struct started {
  uint64_t key, size;
  struct plan *plan; /* of a collective; else NULL */
  bool partitioned;  /* its partitions are counted, not its start */
} started_t;
void request_add(MPI_Request request, started_t what);
bool request_find(MPI_Request request, started_t *what);
void request_remove(MPI_Request request);

/* Phases (phase.c). phase_setup reads the environment and begins phase 0. */
void phase_setup(void);
/* Starts counting, in this thread. */
void phase_begin(thread_t *t);
/* MPI_Pcontrol(level): begins an occurrence of a phase, returns to phase 0, or stops recording. */
void phase_control(int level);
/* Called for a send with this key if tracer.watch isn't 0: records the order of sends. Returns
 * false if the send isn't to be counted. */
bool phase_watch(thread_t *t, op_t op, uint64_t key, uint64_t size);

/* Automatic phases (segment.c). From now on this thread's counts are told apart. */
void segment_setup(thread_t *t);
/* Call these before an untouched record of a thread with segments is counted up. */
void segment_touch(spool_message_t *m);
void segment_touch_row(spool_message_t *row);
void segment_touch_coll(spool_coll_t *c);
/* Ends a segment: after a collective call of all ranks, which was counted in `by` (or NULL), and
 * in MPI_Finalize. */
void segment_end(const thread_t *t, const spool_coll_t *by);
/* Ends automatic phases, for what follows or altogether. */
void segment_give_up(spool_auto_state_t why);

/* Writes the trace. All ranks call it; rank 0's path counts. Returns whether it was written. */
bool write_trace(const char *path);

/* Rank 0 prints a one-line message on standard error. */
void tracer_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The whole number in an environment variable, at most `max`; `fallback` if it is unset or
 * empty. If it is anything else, prints a message and returns `fallback`. */
uint64_t tracer_number(const char *name, uint64_t max, uint64_t fallback);

/* The index of an environment variable's value in a list of words, which NULL ends; 0 if it is
 * unset or empty. If it is anything else, prints a message and returns 0. */
size_t tracer_word(const char *name, const char *const *words);

#endif
