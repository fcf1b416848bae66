/* SPDX-License-Identifier: BSD-3-Clause */
/* Records phases of MPI_Pcontrol, and the order of sends in each one's first occurrence.
 *
 * Phases are in a sparse array by identity: only the pages in use exist. The only thread that
 * sends in an occurrence records the order. Meanwhile tracer.watch makes every send come here. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "trace/record.h"

enum { DEFAULT_EAGER = 64 << 10 };

typedef struct phase {
  spool_phase_t *record; /* NULL before the first occurrence */
  thread_t *_Atomic sender;
  spool_send_t *last; /* the latest record of the order */
  uint32_t n;         /* records of the order */
  _Atomic bool over;  /* the order is complete or was given up */
} phase_t;

static phase_t first, *others; /* phase 0; the others by identity */
static phase_t *_Atomic now;
static spool_block_t *phase_block;
static _Atomic uint32_t n_records; /* of all orders */
static bool wanted, automatic;     /* BERTH_TRACE_PHASES: by MPI_Pcontrol; automatic ones */
static bool keep_orders;
static uint64_t eager;

static void set_watch(unsigned bits)
{
  atomic_store_explicit(&tracer.watch, bits, memory_order_relaxed);
}

/* Makes the record of a phase that begins for the first time. Returns false if there is no room. */
static bool add_record(phase_t *p, uint32_t id)
{
  const spool_phase_t r = {.id = id, .order = keep_orders ? SPOOL_ORDER_KEPT : SPOOL_ORDER_NONE};
  p->record = memory_add(&phase_block, SPOOL_PHASES, &r, sizeof r);
  if (p->record) p->over = !keep_orders;
  return p->record;
}

/* Moves the rank into this phase. */
static void enter(phase_t *p, uint32_t id)
{
  atomic_store(&now, p);
  atomic_store(&tracer.phase_key, spool_key(0, id, 0));
  set_watch(p->over ? 0 : WATCH_ORDER);
}

void phase_setup(void)
{
  keep_orders = tracer_word("BERTH_TRACE_ORDER", (const char *[]){"0", "1", NULL}) == 1;
  /* orders need phases of the program */
  const char *words[] = {keep_orders ? "pcontrol" : "auto", keep_orders ? "auto" : "pcontrol",
                         "off", NULL};
  const char *how = words[tracer_word("BERTH_TRACE_PHASES", words)];
  wanted = strcmp(how, "off") != 0;
  automatic = strcmp(how, "auto") == 0;
  eager = tracer_number("BERTH_TRACE_EAGER", INT_MAX, DEFAULT_EAGER);
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

void phase_control(int level)
{
  if (!wanted || level < 0 || level >= SPOOL_MAX_PHASES) return;
  if (level >= 2) segment_give_up(SPOOL_AUTO_PCONTROL);
  tracer_lock();
  if (level == 0)
    set_watch(WATCH_STOPPED);
  else if (level == 1)
    enter(&first, 0);
  else
    begin((uint32_t)level);
  tracer_unlock();
}

/* Whether the call returns only after its message has gone. MPI_Sendrecv also waits for another
 * message, so nobody knows. */
static bool is_blocking(op_t op, uint64_t size)
{
  switch (op) {
  case OP_Ssend:
    return true;
  case OP_Send:
  case OP_Rsend:
    return size >= eager;
#if MPI_VERSION >= 4
  case OP_Ssend_c:
    return true;
  case OP_Send_c:
  case OP_Rsend_c:
    return size >= eager;
#endif
  default:
    return false;
  }
}

/* Gives up the order of this phase. Several threads may do so at once. */
static void end_order(phase_t *p, spool_order_t why)
{
  tracer_lock();
  if (p->record->order == SPOOL_ORDER_KEPT) p->record->order = why;
  p->over = true;
  if (atomic_load(&now) == p && watched() == WATCH_ORDER) set_watch(0);
  tracer_unlock();
}

/* All orders together take at most half of the tables. */
static size_t max_records(void) { return memory_region.limit / 2 / sizeof(spool_send_t); }

static spool_order_t put_down(phase_t *p, thread_t *t, const spool_send_t *send)
{
  spool_send_t *last = p->last;
  if (last && last->dst == send->dst && last->size == send->size &&
      last->blocking == send->blocking) {
    last->times++;
    return SPOOL_ORDER_KEPT;
  }
  if (p->n == SPOOL_MAX_SENDS) return SPOOL_ORDER_LONG;
  if (atomic_fetch_add(&n_records, 1) >= max_records()) return SPOOL_ORDER_NO_ROOM;
  spool_send_t *r = memory_add(&t->send_block, SPOOL_SENDS, send, sizeof *send);
  if (!r) return SPOOL_ORDER_NO_ROOM;
  p->last = r;
  p->n++;
  return SPOOL_ORDER_KEPT;
}

bool phase_watch(thread_t *t, op_t op, uint64_t key, uint64_t size)
{
  if (watched() & WATCH_STOPPED) {
    add_missed(&missed()->stopped, 1);
    return false;
  }
  uint32_t id = spool_key_phase(key);
  phase_t *p = id ? &others[id] : &first;
  if (p->over) return true;
  thread_t *none = NULL;
  spool_order_t state = SPOOL_ORDER_THREADS;
  if (atomic_compare_exchange_strong(&p->sender, &none, t) || none == t) {
    const spool_send_t send = {spool_key_dst(key), id, size, 1, is_blocking(op, size), 0};
    state = put_down(p, t, &send);
  }
  if (state != SPOOL_ORDER_KEPT) end_order(p, state);
  return true;
}
