/* SPDX-License-Identifier: BSD-3-Clause */
/* Gives programs their room in the mapped file. */
#include "trace/program_order.h"

#include <stdatomic.h>

enum { FIRST_ROOM = (SPOOL_BLOCK_SIZE - sizeof(spool_block_t)) / sizeof(spool_step_t) };

/* All programs together take at most half of the tables. */
static size_t max_bytes(void) { return memory_region.limit / 2; }
static _Atomic size_t n_bytes;

static spool_block_t *new_block(uint32_t room)
{
  size_t bytes = sizeof(spool_block_t) + room * sizeof(spool_step_t);
  if (atomic_fetch_add(&n_bytes, bytes) + bytes > max_bytes()) return NULL;
  return memory_region_block(SPOOL_STEPS, room * sizeof(spool_step_t));
}

static spool_step_t *records_of(spool_block_t *b) { return (spool_step_t *)(b + 1); }

static uint32_t room_of(const spool_block_t *b)
{
  return (uint32_t)((b->bytes - sizeof *b) / sizeof(spool_step_t));
}

/* Makes that many records of the program visible to readers. */
static void publish(order_t *o, uint32_t n)
{
  __atomic_store_n(&o->block->used, (o->first + n) * sizeof(spool_step_t), __ATOMIC_RELEASE);
}

bool order_begin(thread_t *t, spool_phase_t *phase)
{
  order_t **place = &t->orders[phase->id != 0], *o = *place;
  if (!o) *place = o = memory_alloc(sizeof *o);
  if (!o) return false;
  o->phase = NULL;
  if (!o->block || o->block->used == room_of(o->block) * sizeof(spool_step_t)) {
    spool_block_t *block = new_block(FIRST_ROOM);
    if (!block) return false;
    o->block = block;
  }
  o->first = (uint32_t)(o->block->used / sizeof(spool_step_t));
  uint32_t room = room_of(o->block) - o->first;
  program_begin(&o->program, records_of(o->block) + o->first, room, &phase->pending);
  o->phase = phase;
  return true;
}

/* Moves the program to a larger block. */
static spool_order_t grow(order_t *o)
{
  program_t *p = &o->program;
  if (p->room >= SPOOL_MAX_STEPS) return SPOOL_ORDER_LONG;
  uint32_t room = p->room < FIRST_ROOM ? FIRST_ROOM : p->room * 2;
  if (room > SPOOL_MAX_STEPS) room = SPOOL_MAX_STEPS;
  spool_block_t *block = new_block(room);
  if (!block) return SPOOL_ORDER_NO_ROOM;
  memcpy(records_of(block), p->step, p->n * sizeof *p->step);
  publish(o, 0);
  o->block = block;
  o->first = 0;
  publish(o, p->n);
  program_move(p, records_of(block));
  p->room = room_of(block) < SPOOL_MAX_STEPS ? room_of(block) : SPOOL_MAX_STEPS;
  return SPOOL_ORDER_KEPT;
}

spool_order_t order_add_slow(order_t *o, const spool_step_t *s)
{
  spool_order_t state = SPOOL_ORDER_KEPT;
  while (!program_add(&o->program, s) && state == SPOOL_ORDER_KEPT) state = grow(o);
  publish(o, state == SPOOL_ORDER_KEPT ? o->program.n : 0);
  return state;
}

void order_end(const thread_t *t, const spool_phase_t *phase)
{
  order_t *o = order_of(t, phase);
  if (!o) return;
  program_end(&o->program);
  publish(o, o->program.n);
}
