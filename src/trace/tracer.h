/* SPDX-License-Identifier: BSD-3-Clause */
/* The tracer's state: one of the process, one of each thread, and the way in and out of a call.
 *
 * A thread counts in tables of its own, so that nothing is locked or allocated on the way of a
 * message: the lock is for what happens once (a new thread, communicator, call site). */
#ifndef BERTH_TRACE_TRACER_H
#define BERTH_TRACE_TRACER_H

#include <stdatomic.h>

#include "interpose/mpi_table.h"
#include "trace/memory.h"
#include "trace/trace_clock.h"

enum {
  SHORT_SEND = 4096, /* bytes that a send hands over without waiting, in all MPIs about so many */
  TIMED_ONE_IN = 32, /* of short calls */
  NESTED = 64,       /* places where calls inside of calls come from, likewise, in pairs */
  HANDLE_CACHE = 8,  /* communicators and datatypes that a thread remembers */
  MEMOS = 32,        /* kinds of messages, likewise */
  MAX_DEPTH = 16     /* of call sites */
};

#define NOWHERE 0xffffffffu /* world rank of a process outside MPI_COMM_WORLD */

/* The functions as numbers, for call sites and collectives. */
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
  OP_START = N_OPS /* of persistent requests: no site and no collective is of it */
} op_t;
extern const char *const wrap_op_names[N_OPS]; /* "Send" */

/* A communicator by its members: equal ones share one of these, which lives for ever. */
typedef struct comm {
  uint32_t id;         /* 0 for the members of MPI_COMM_WORLD in its order */
  uint32_t n_dest;     /* ranks that may be sent to: of the remote group for intercommunicators */
  uint32_t n_local;    /* ranks of the own group */
  uint32_t n_list;     /* ranks that are listed in the trace: both groups */
  int rank;            /* own rank */
  bool inter, outside; /* outside: not all members are in MPI_COMM_WORLD */
  bool everyone;       /* all of MPI_COMM_WORLD, in any order, and nobody else */
  uint32_t dest_at;    /* where the destinations begin in the list, */
  uint32_t own_at;     /* and the own group */
  uint32_t *list;      /* world ranks; NULL where they are 0, 1, 2, … */
  uint64_t hash[2];
  uint32_t n_windows; /* that its members made; under the lock */
  struct comm *next;  /* of the same place in the table of communicators */
} comm_t;

/* An index over records of a kind: slots hold a record's place in the region in units of 32 bytes.
 */
typedef struct index {
  uint32_t *slots; /* 0 where empty */
  uint32_t n_slots, n;
  bool full; /* there is no room for further records */
  spool_kind_t kind;
  spool_block_t *block; /* the last one */
} index_t;

/* How many sizes a (destination, site) has, or a destination of a line of operations. */
typedef struct group {
  uint64_t key; /* of its messages */
  uint64_t sizes;
} group_t;

struct site;

/* A kind of small messages to ranks of MPI_COMM_WORLD that was met lately (quick.h). */
typedef struct memo {
  uint64_t key; /* NO_KEY where there is none */
  int64_t count;
  MPI_Datatype type; /* a predefined one */
  spool_message_t *message;
} memo_t;
#define NO_KEY UINT64_MAX

/* When the calls that wait for a message are timed (wait.c). */
typedef struct waits {
  uint32_t pause;   /* calls until the next that is timed */
  uint32_t skipped; /* calls between the last that was timed and that one */
  bool timed;       /* the call that is being recorded is one of them */
  uint64_t end;     /* of the last that was timed */
  uint64_t quick;   /* how many were quick, one after another, timed or not */
  int64_t paid;     /* for so many eighths of quick calls to be timed; below 1: for none */
  uint64_t needed;  /* how many that are before not all are timed */
  uint64_t seen_inside, seen_outside, missed; /* ticks of long calls, long times between them, and
                                                 those of which it isn't known which they are */
} waits_t;

/* Where a call came from inside another. */
typedef struct nested {
  const void *caller;
  uintptr_t below; /* bytes from the outer call's frame down to its own */
} nested_t;

typedef struct thread {
  uintptr_t inside;       /* address of the frame of the MPI call that is being recorded, or 0 */
  void *caller;           /* where that call returns to */
  uint64_t begin;         /* when that call began, in ticks; 0 when it isn't timed */
  uint32_t weight;        /* how many calls its time stands for */
  uint32_t pause, random; /* short calls until the next that is timed */
  waits_t waits;
  spool_thread_t *times;
  memo_t memos[MEMOS];
  index_t messages, colls, operations, lines, rows;
  struct {
    uint64_t *bytes; /* to each rank, of the call that is being recorded; 0 of them as a rule */
    uint32_t n, room;
  } row;
  spool_block_t *send_block;
  bool segments; /* what it counts is told apart by segment */
  group_t *groups;
  uint32_t n_groups, group_slots;
  uint32_t *rest; /* messages without room of their own: places in the region, by destination */
  spool_block_t *rest_block;
  struct site **sites; /* call sites that this thread has met, by hash */
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
  } types[HANDLE_CACHE]; /* predefined ones only: other handles are used again */
  struct {
    MPI_Fint handle;
    MPI_Datatype type;
  } fortran_types[HANDLE_CACHE]; /* likewise */
  nested_t nested[NESTED];
  struct thread *next_idle;
} thread_t;

typedef enum tracer_state { TRACER_OFF, TRACER_ON, TRACER_DONE } tracer_state_t;

/* What the way of a message has to look after besides counting. */
enum { WATCH_STOPPED = 1 /* nothing is recorded */, WATCH_ORDER = 2 /* sends are put down */ };

typedef struct tracer {
  _Atomic int state; /* tracer_state_t */
  bool joined;       /* takes part in what ranks do together in MPI_Finalize */
  bool multiple;     /* MPI_THREAD_MULTIPLE */
  int depth;         /* frames of a call site, 0 for none */
  bool spawned;      /* by another job, as MPI_Comm_spawn does */
  uint32_t rank, ranks;
  _Atomic uint32_t watch;     /* WATCH_… bits; 0 as a rule */
  _Atomic uint64_t phase_key; /* spool_key of the phase that the rank is in */
  uint64_t job;
  MPI_Comm comm; /* a duplicate of MPI_COMM_WORLD for the tracer's own messages */
  int comm_keyval, topology_keyval, window_keyval;
  _Atomic unsigned comm_epoch;   /* counts communicators that were freed */
  _Atomic unsigned window_epoch; /* and windows */
  clock_mark_t begin;
} tracer_t;

extern tracer_t tracer;
extern __thread thread_t *tracer_self __attribute__((tls_model("initial-exec")));

void tracer_lock(void);
void tracer_unlock(void);

/* The way in: the calling thread when this call is to be recorded; NULL when nothing is, or inside
 * another MPI call. The frame and return address are the wrapper's. The other half is tracer_leave.
 */
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

/* A number of calls, at random so that no rhythm of the program meets it: TIMED_ONE_IN - 1 on
 * average. */
static inline uint32_t tracer_pause(thread_t *t)
{
  t->random = t->random * 1664525u + 1013904223u;
  return (uint32_t)((uint64_t)t->random * (2 * TIMED_ONE_IN - 1) >> 32);
}

/* Of calls that are about as short as reading the clock twice, one in TIMED_ONE_IN is timed on
 * average, and stands for them. */
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

/* Calls that wait for a message are all timed, but where they return at once thousands of times. */
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
/* Adds the time of such a call to the thread's, and says when the next is timed. */
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
    t->waits.end += now - t->begin; /* counted: no part of what is between two waits */
  }
}

/* Before and after the MPI library starts and ends, with a communicator of all processes: that is
 * MPI_COMM_WORLD, or has the same members. A second start is none; true when it was the first. */
bool tracer_start(MPI_Comm everyone);
void tracer_finish(void);
void tracer_abort(int code);

#if MPI_VERSION >= 4
/* A session was begun or is about to end, and a communicator was made of a group (session.c). */
void session_begun(MPI_Session session);
void session_ends(MPI_Session session);
void session_comm(MPI_Comm comm);
#endif

/* What an intercommunicator's or communicator's handle stands for; NULL when it isn't valid. */
comm_t *comm_find(thread_t *t, MPI_Comm handle);
/* Counts the processes that were spawned at the root that asked for them. */
void comm_spawned(thread_t *t, MPI_Comm comm, int root, MPI_Comm inter);
void comm_setup(void);
void comm_cleanup(void);

/* Whom a neighbourhood collective's call of this rank sends to, in the order of its buffers: world
 * ranks, NOWHERE for others, NOBODY beyond the edge of a Cartesian grid. */
#define NOBODY 0xfffffffeu
typedef struct neighbours {
  uint32_t n;
  uint32_t dst[];
} neighbours_t;
/* Those of a communicator that comm_find has found; none where it has no topology, or memory is
 * out. */
const neighbours_t *comm_neighbours(thread_t *t, const comm_t *c, MPI_Comm handle);

/* The world rank of a destination; NOWHERE outside. */
static inline uint32_t comm_world_rank(const comm_t *c, uint32_t dest)
{
  return c->list ? c->list[c->dest_at + dest] : dest;
}

/* Bytes of count items: 0 for negative counts and the null datatype. */
uint64_t comm_type_size_slow(thread_t *t, MPI_Datatype type);

/* The identity of the site that called the function: 0 when sites are off or used up. `caller` is
 * the wrapper's return address. */
uint32_t site_find(thread_t *t, op_t op, void *caller);
void site_setup(int depth);
extern _Atomic unsigned site_epoch; /* counts libraries that were unloaded */

/* The counter of messages of a size under a key; where that finds no room, the one of all such
 * messages to the destination; NULL when there is no room for that either. */
spool_message_t *tables_message_find_slow(thread_t *t, uint64_t key, uint64_t size);
/* The counter of operations; NULL when there is no room. */
spool_message_t *tables_operation_find_slow(thread_t *t, uint64_t key, uint64_t size);
/* The record of operations like these, in an index of one thread's or, under the lock, of all;
 * NULL when there is none. */
spool_rma_t *tables_rma_find(const index_t *x, const spool_rma_t *key);
/* The same where the calling thread knows of none: of all threads, or a new one. NULL when there is
 * no room. */
spool_rma_t *tables_rma_find_slow(thread_t *t, const spool_rma_t *key);
/* Adds a message with count 0; NULL when there is no room. */
spool_message_t *tables_message_add(index_t *x, uint64_t key, uint64_t size, uint64_t excess);
/* The record of such calls, new ones with count 0; NULL when there is no room. */
spool_coll_t *tables_coll_find(index_t *x, const spool_coll_t *key);
/* Counts a collective call; returns its record, NULL when there is no room. */
spool_coll_t *tables_coll_count(thread_t *t, const spool_coll_t *key);
/* What calls of a record send to a place in the communicator's list: counted by this thread, or of
 * a class of segments. NULL when there is no room; a row that lacks something is known by its sum.
 */
spool_message_t *tables_row_find(thread_t *t, spool_coll_t *of, uint32_t place);
spool_message_t *tables_row_of_class(index_t *x, const spool_message_t *row, uint32_t number);
/* Room for n numbers in t->row; false when memory is out. */
bool tables_row_room(thread_t *t, uint32_t n);

/* Counts a call of which nothing else is recorded. */
void unmodelled(op_t op);

struct plan;

/* What a started persistent request sends. */
typedef struct started {
  uint64_t key, size;
  struct plan *plan; /* of a collective; else NULL */
  bool partitioned;  /* counted by partitions, not when it is started */
} started_t;
void request_add(MPI_Request request, started_t what);
bool request_find(MPI_Request request, started_t *what);
void request_remove(MPI_Request request);

/* Phases (phase.c). The settings are those of the environment; phase 0 begins. */
void phase_setup(void);
/* Counting begins, by this thread. */
void phase_begin(thread_t *t);
/* MPI_Pcontrol(level): begins an occurrence of a phase, goes back to phase 0, or stops. */
void phase_control(int level);
/* What is to be done about a send, of which `key` is the key, where tracer.watch says so: puts it
 * down in the order of sends. False when it isn't to be counted. */
bool phase_watch(thread_t *t, op_t op, uint64_t key, uint64_t size);

/* Automatic phases (segment.c). Tells apart what this thread counts from now on. */
void segment_setup(thread_t *t);
/* A record that isn't touched, of a thread with segments, is about to be counted up. */
void segment_touch(spool_message_t *m);
void segment_touch_row(spool_message_t *row);
void segment_touch_coll(spool_coll_t *c);
/* All ranks have made a collective call, which was counted in `by`, if it was, or are in
 * MPI_Finalize: a segment ends. */
void segment_end(const thread_t *t, const spool_coll_t *by);
/* There will be no automatic phases of what follows, or none at all. */
void segment_give_up(spool_auto_state_t why);

/* Writes the trace, all ranks together; rank 0's path is the file's. True when it was written. */
bool write_trace(const char *path);

/* A one-line message on standard error, by rank 0. */
void tracer_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The whole number up to `most` that an environment variable has: `fallback` where it is unset or
 * empty, and, with a line about it, where it has something else. */
uint64_t tracer_number(const char *name, uint64_t most, uint64_t fallback);

/* Which of the words, of which a NULL is the last, an environment variable is: the first where it
 * is unset or empty, and, with a line about it, where it is something else. */
size_t tracer_word(const char *name, const char *const *words);

#endif
