/* SPDX-License-Identifier: BSD-3-Clause */
/* Records phases of MPI_Pcontrol, and the rank's program in each one's first occurrence.
 *
 * Phases are in a sparse array by identity: only the pages in use exist. The only thread that takes
 * steps in an occurrence records them. Meanwhile tracer.watch makes every send come here. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "trace/program_order.h"
#include "trace/record.h"

enum { DEFAULT_EAGER = 64 << 10 };

typedef struct phase {
  spool_phase_t *record;   /* NULL before the first occurrence */
  thread_t *_Atomic taker; /* the thread whose steps the program has */
  _Atomic bool over;       /* the program is complete or was given up */
} phase_t;

static phase_t first, *others; /* phase 0; the others by identity */
static phase_t *_Atomic now;
static spool_block_t *phase_block;
static bool wanted, automatic; /* BERTH_TRACE_PHASES: by MPI_Pcontrol; automatic ones */
static bool lost_request;      /* access needs the lock */

static void set_watch(unsigned bits)
{
  atomic_store_explicit(&tracer.watch, bits, memory_order_relaxed);
}

/* Makes the record of a phase that begins for the first time. Returns false if there is no room. */
static bool add_record(phase_t *p, uint32_t id)
{
  const spool_phase_t r = {.id = id, .order = tracer.steps ? SPOOL_ORDER_KEPT : SPOOL_ORDER_NONE};
  p->record = memory_add(&phase_block, SPOOL_PHASES, &r, sizeof r);
  if (p->record) p->over = !tracer.steps;
  return p->record;
}

/* The program of this phase isn't complete. Needs the lock. */
static void give_up(phase_t *p, spool_order_t why)
{
  if (p->over) return;
  p->record->order = why;
  p->over = true;
}

/* Moves the rank into this phase. */
static void enter(phase_t *p, uint32_t id)
{
  if (lost_request) give_up(p, SPOOL_ORDER_NO_ROOM);
  atomic_store(&now, p);
  atomic_store(&tracer.phase_key, spool_key(0, id, 0));
  set_watch(p->over ? 0 : WATCH_ORDER);
}

void phase_setup(void)
{
  tracer.steps = tracer_word("BERTH_TRACE_ORDER", (const char *[]){"0", "1", NULL}) == 1;
  /* orders need phases of the program */
  const char *words[] = {tracer.steps ? "pcontrol" : "auto", tracer.steps ? "auto" : "pcontrol",
                         "off", NULL};
  const char *how = words[tracer_word("BERTH_TRACE_PHASES", words)];
  wanted = strcmp(how, "off") != 0;
  automatic = strcmp(how, "auto") == 0;
  tracer.eager = tracer_number("BERTH_TRACE_EAGER", INT_MAX, DEFAULT_EAGER);
  if (wanted) others = memory_alloc(SPOOL_MAX_PHASES * sizeof *others);
  if (add_record(&first, 0))
    first.record->begun = 1;
  else
    first.over = true;
  enter(&first, 0);
}

void phase_begin(thread_t *t)
{
  if (automatic) segment_setup(t);
}

static phase_t *find(uint32_t id)
{
  phase_t *p = others ? &others[id] : NULL;
  return p && (p->record || add_record(p, id)) ? p : NULL;
}

/* Begins an occurrence. If there is no room for another phase, phase 0 takes its messages. */
static void begin(uint32_t id)
{
  phase_t *p = find(id);
  if (!p) {
    enter(&first, 0);
    return;
  }
  if (p->record->begun++) p->over = true;
  enter(p, id);
}

/* Ends the program of a phase that the rank leaves, if it is this thread's. */
static void leave(const thread_t *t, const phase_t *p)
{
  if (p->record && !p->over && p->taker == t) order_end(t, p->record);
}

void phase_control(const thread_t *t, int level)
{
  if (!wanted || level < 0 || level >= SPOOL_MAX_PHASES) return;
  if (level >= 2) segment_give_up(SPOOL_AUTO_PCONTROL);
  tracer_lock();
  const phase_t *before = atomic_load(&now);
  if (before != &first) leave(t, before);
  if (level == 0)
    set_watch(WATCH_STOPPED);
  else if (level == 1)
    enter(&first, 0);
  else
    begin((uint32_t)level);
  tracer_unlock();
}

void phase_end(const thread_t *t)
{
  leave(t, &first);
  if (atomic_load(&now) != &first) leave(t, atomic_load(&now));
}

void phase_lose_request(void)
{
  tracer_lock();
  lost_request = true;
  give_up(atomic_load(&now), SPOOL_ORDER_NO_ROOM);
  if (watched() == WATCH_ORDER) set_watch(0);
  tracer_unlock();
}

/* Whether a call's number is that of a function or of its large-count form. */
#if MPI_VERSION >= 4
#define IS(op, name) ((op) == OP_##name || (op) == OP_##name##_c)
#else
#define IS(op, name) ((op) == OP_##name)
#endif

/* Whether the call sends point-to-point messages. */
static const bool is_send[OP_PARTITION + 1] = {
#define SEND_(name)     [OP_##name] = true,
#define SEND_NAME(name) SEND_(name)
#define SEND(name, ...) SEND_NAME(FORM(name))
#define COLL(...)
#define UNMODELLED(...)
#define TIMED(...)
#include "interpose/each_call.h"
    [OP_Start] = true};

/* The mode of a send: whether its message goes after the receive was posted, and whether the call
 * then returns only after it has gone. MPI_Sendrecv begins to receive before it waits for that. */
static uint16_t mode_of(op_t op, uint64_t size)
{
  bool waits = IS(op, Ssend) || IS(op, Issend) || (size >= tracer.eager && is_send[op]);
  if (!waits) return 0;
  bool blocks = IS(op, Ssend) || IS(op, Send) || IS(op, Rsend);
  return SPOOL_SEND_NEEDS_RECEIVE | (blocks ? SPOOL_SEND_BLOCKS : 0);
}

bool phase_waits_for(op_t op, uint64_t size)
{
  if (IS(op, Issend) || IS(op, Ssend_init)) return true;
  return size >= tracer.eager && !IS(op, Ibsend) && !IS(op, Bsend_init);
}

/* Several threads may be here at once. */
static void end_order(phase_t *p, spool_order_t why)
{
  tracer_lock();
  give_up(p, why);
  if (atomic_load(&now) == p && watched() == WATCH_ORDER) set_watch(0);
  tracer_unlock();
}

/* The first step of a program. Returns why there is no program, or SPOOL_ORDER_KEPT. */
static __attribute__((noinline)) spool_order_t first_step(phase_t *p, thread_t *t)
{
  thread_t *none = NULL;
  if (!atomic_compare_exchange_strong(&p->taker, &none, t)) return SPOOL_ORDER_THREADS;
  return order_begin(t, p->record) ? SPOOL_ORDER_KEPT : SPOOL_ORDER_NO_ROOM;
}

static inline void take_step(thread_t *t, const spool_step_t *s)
{
  phase_t *p = s->phase ? &others[s->phase] : &first;
  if (p->over) return;
  spool_order_t state = SPOOL_ORDER_KEPT;
  if (UNLIKELY(atomic_load_explicit(&p->taker, memory_order_relaxed) != t))
    state = first_step(p, t);
  order_t *o = order_of(t, p->record);
  if (LIKELY(state == SPOOL_ORDER_KEPT)) state = o ? order_add(o, s) : SPOOL_ORDER_THREADS;
  if (UNLIKELY(state != SPOOL_ORDER_KEPT)) end_order(p, state);
}

bool phase_watch(thread_t *t, op_t op, uint64_t key, uint64_t size)
{
  if (watched() & WATCH_STOPPED) {
    add_missed(&missed()->stopped, 1);
    return false;
  }
  const spool_step_t s = {.phase = spool_key_phase(key),
                          .kind = SPOOL_STEP_SEND,
                          .mode = mode_of(op, size),
                          .peer = spool_key_dst(key),
                          .size = size,
                          .times = 1};
  if (!phase_expects(t, &s)) take_step(t, &s);
  return true;
}

void phase_step_slow(thread_t *t, spool_step_kind_t kind, uint32_t peer)
{
  const spool_step_t s = {.phase = spool_key_phase(phase_key()),
                          .kind = (uint16_t)kind,
                          .peer = peer,
                          .times = 1};
  take_step(t, &s);
}

void phase_step_of(thread_t *t, spool_step_t s)
{
  if (watched() != WATCH_ORDER) return;
  s.phase = spool_key_phase(phase_key());
  if (!phase_expects(t, &s)) take_step(t, &s);
}

void phase_came(thread_t *t, uint32_t source)
{
  if (watched() != WATCH_ORDER) return;
  spool_step_t s = phase_first(source);
  s.phase = spool_key_phase(phase_key());
  if (phase_expects(t, &s)) return;
  phase_step(t, SPOOL_STEP_RECEIVE, SPOOL_ANY_RANK);
  order_t *o = t->orders[s.phase != 0];
  if (o) o->program.came = source;
}
