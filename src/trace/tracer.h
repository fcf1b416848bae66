/* SPDX-License-Identifier: BSD-3-Clause */
/* The tracer's state, of the process and of each thread, and the way in and out of a call.
 *
 * Each thread counts in its own tables, so that a message needs no lock or allocation. The lock
 * is for rare events: a new thread, communicator or call site. */
#ifndef BERTH_TRACE_TRACER_H
#define BERTH_TRACE_TRACER_H

#include <stdatomic.h>

#include "interpose/mpi_table.h"
#include "spool/spool_record.h"
#include "trace/frame.h"
#include "trace/memory.h"
#include "trace/trace_clock.h"

enum {
  SHORT_SEND = 4096, /* bytes that a send hands over without waiting, about the same in all MPIs */
  TIMED_ONE_IN = 32, /* of short calls */
  NESTED = 64,       /* size of the cache of nested calls' places, in pairs */
  HANDLE_CACHE = 8,  /* communicators and datatypes that a thread remembers */
  MEMOS = 32,        /* kinds of messages that a thread remembers */
  LAST_COLLS = 16,   /* and of collective calls */
  MAX_DEPTH = 16     /* frames of a call site */
};

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

/* A kind of small messages to ranks of MPI_COMM_WORLD that was met lately (quick.h). */
typedef struct memo {
  uint64_t key; /* NO_KEY: none */
  int64_t count;
  MPI_Datatype type; /* a predefined one */
  spool_message_t *message;
} memo_t;
#define NO_KEY UINT64_MAX

/* A path to a call that was met lately (context.h): its caller, and the steps from there to the
 * callers' return addresses. */
enum { PATH_SETS = 32, PATH_STEPS = 7 };
typedef struct path_step {
  uintptr_t pc;       /* where it leads to */
  frame_rule_t frame; /* of the frame that it leaves */
} path_step_t;
typedef struct path {
  const void *caller; /* NULL: none */
  int32_t site;
  uint16_t op, n;
  path_step_t step[PATH_STEPS];
} path_t;

/* Which waiting calls are timed (wait.c). */
typedef struct waits {
  uint32_t pause;     /* calls until the next timed one */
  uint32_t skipped;   /* calls between the last timed one and that one */
  bool timed;         /* the current call is one of them */
  uint64_t end;       /* of the last timed one, in ticks */
  uint64_t quick;     /* length of the current run of quick calls, timed or not */
  uint64_t usual;     /* ticks from one to the next while some aren't timed; 0: unknown */
  uint64_t inside;    /* sixteenths of ticks that these take */
  uint64_t core_wait; /* of the time since the last timed one, in others without a core: ticks */
  int64_t paid;       /* credit for timing quick calls, in eighths of a call; below 1: none */
  uint64_t passed;    /* credit in ticks, for calls that are far apart */
  uint64_t needed;    /* run length from which some calls aren't timed */
  uint64_t seen_inside, seen_outside, missed; /* ticks of long calls, of long times between calls,
                                                 and of long times that may be either */
} waits_t;

/* The last look at the thread's waiting for a core (core_wait.h). */
typedef struct core_wait {
  uint64_t switches; /* how often the thread had left its core */
  int64_t seen_ns;   /* waited until then; -1: the system doesn't tell */
} core_wait_t;

/* The place of a nested call: one that another MPI call made. */
typedef struct nested {
  const void *caller;
  uintptr_t below; /* bytes from the outer call's frame down to the nested one's */
} nested_t;

/* Blocks of a collective call whose data aren't contiguous (blocks.h). */
typedef struct blocks {
  struct block *list;
  uint32_t n, room;
  uint64_t lost; /* number of blocks that there was no memory for */
} blocks_t;

typedef struct thread {
  uintptr_t inside;       /* frame address of the MPI call that is being recorded, or 0 */
  void *caller;           /* where that call returns to */
  uint64_t begin;         /* when that call began, in ticks; 0: not timed */
  uint32_t weight;        /* number of calls that its time stands for */
  uint32_t pause, random; /* short calls until the next timed one */
  uint32_t seen_pause;    /* the same when a call was last timed */
  waits_t waits;
  core_wait_t core_wait;
  spool_thread_t *times;
  memo_t memos[MEMOS];
  index_t messages, colls, operations, lines, rows, spent, packed;
  spool_coll_t *last_colls[LAST_COLLS];  /* by call site and function */
  spool_spent_t *last_spent[LAST_COLLS]; /* the same of all timed calls */
  spool_packed_t *last_packed[2];        /* sent and received, met last */
  struct {
    uint64_t *bytes; /* to each rank, for the current call; usually n is 0 */
    uint32_t n, room;
  } row;
  blocks_t blocks;         /* of the current call, if it has any */
  struct order *orders[2]; /* the program of phase 0, and of another phase (program_order.h) */
  struct {
    struct noted *request;
    uint32_t n, room;
  } awaited; /* what the current call waits for (awaited.h) */
  struct {
    MPI_Comm comm;
    int source; /* its rank there; MPI_ANY_SOURCE: unknown */
    bool any, first;
  } probed; /* any: the last probe that found a message, on `comm`, was for any rank's; first:
               the current receive is for the message that it found */
  struct {
    MPI_Comm comm;
    bool known;  /* not for a matched message */
  } from;        /* communicator of the current receive, if it is for any rank */
  bool segments; /* this thread's counts are told apart by segment */
  group_t *groups;
  uint32_t n_groups, group_slots;
  uint32_t *rest; /* messages without room of their own: places in the region, by destination */
  spool_block_t *rest_block;
  struct site **sites; /* call sites that this thread met, by hash */
  uint32_t n_sites, site_slots;
  path_t paths[PATH_SETS][2];
  struct context **contexts; /* calling contexts, by the innermost address */
  struct context_nodes *context_nodes;
  unsigned site_epoch, comm_epoch, window_epoch, type_epoch;
  struct {
    MPI_Comm handle;
    struct comm *comm;
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
  } types[HANDLE_CACHE]; /* predefined ones without gaps */
  struct {
    MPI_Datatype handle;
    uint64_t word;         /* type_layout.c */
  } layouts[HANDLE_CACHE]; /* of other datatypes, as long as none is freed */
  struct {
    MPI_Fint handle;
    MPI_Datatype type;
  } fortran_types[HANDLE_CACHE]; /* as `types` */
  struct {
    uint64_t element; /* as in spool_coll_t */
    uint16_t flags;   /* SPOOL_COLL_… */
    uint16_t derived; /* 1: its bytes are of a datatype that isn't type_is_plain's */
  } nature;           /* of the current collective call */
  nested_t nested[NESTED];
  struct thread *next_idle;
} thread_t;

typedef enum tracer_state { TRACER_OFF, TRACER_ON, TRACER_DONE } tracer_state_t;

/* What a message needs besides counting. WATCH_STOPPED: nothing is recorded. WATCH_ORDER: the
 * rank's program is recorded. */
enum { WATCH_STOPPED = 1, WATCH_ORDER = 2 };

typedef struct tracer {
  _Atomic int state; /* tracer_state_t */
  bool joined;       /* takes part in the joint work in MPI_Finalize */
  bool multiple;     /* MPI_THREAD_MULTIPLE */
  int depth;         /* frames of a call site; 0: none */
  bool spawned;      /* by another job, with MPI_Comm_spawn */
  bool steps;        /* programs are recorded in some phases, so requests are followed in all */
  uint32_t rank, ranks;
  uint64_t eager;             /* bytes from which a message waits for its receive */
  _Atomic uint32_t watch;     /* WATCH_… bits; usually 0 */
  _Atomic uint64_t phase_key; /* spool_key of the rank's current phase */
  uint64_t job;
  MPI_Comm comm; /* a duplicate of MPI_COMM_WORLD for the tracer's own messages */
  int comm_keyval, topology_keyval, window_keyval, type_keyval;
  _Atomic unsigned comm_epoch;   /* number of communicators freed so far */
  _Atomic unsigned window_epoch; /* number of windows freed so far */
  _Atomic unsigned type_epoch;   /* number of datatypes with a known layout freed so far */
  clock_mark_t begin;
} tracer_t;

extern tracer_t tracer;

/* Keys in phases differ from those in phase 0 in these bits. */
static inline uint64_t phase_key(void)
{
  return atomic_load_explicit(&tracer.phase_key, memory_order_relaxed);
}

static inline unsigned watched(void)
{
  return atomic_load_explicit(&tracer.watch, memory_order_relaxed);
}

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
