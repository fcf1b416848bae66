/* SPDX-License-Identifier: BSD-3-Clause */
/* What an agent does between two looks at its clock: it takes its ranks' orders, goes on with
 * calls, and hears of other agents. */
#include <stdlib.h>

#include "agent/process/call.h"

bool agent_work_begin(agent_t *a)
{
  const desk_t *d = a->desk;
  a->rank = calloc((size_t)d->ranks, sizeof *a->rank);
  a->structure = calloc(DESK_STRUCTURES, sizeof *a->structure);
  a->lost = calloc((size_t)d->agents, sizeof *a->lost);
  a->last_ready = &a->ready;
  return a->rank && a->structure && a->lost;
}

void agent_work_end(agent_t *a)
{
  free(a->rank);
  free(a->structure);
  free(a->lost);
}

/* --- other agents --- */

static bool begun(void *with, const wire_key_t *k)
{
  agent_t *a = with;
  structure_t *s = structure_of(a, k->own);
  if (!s || s->failed) return false;
  if (k->stream) return true;
  for (int h = 0; h < s->hosts; h++) {
    if (s->agent[h] != k->agent) continue;
    call_heard(a, s, h, k->call);
    return true;
  }
  return false;
}

/* Structures fail between two looks at the network, not within one. */
static void given_up(void *with, uint32_t structure)
{
  agent_t *a = with;
  structure_t *s = structure_of(a, structure);
  if (s) s->given_up = a->any_lost = true;
}

static void lost(void *with, int agent)
{
  agent_t *a = with;
  a->lost[agent] = a->any_lost = true;
}

wire_user_t agent_work_user(agent_t *a) { return (wire_user_t){a, begun, given_up, lost}; }

static void fail_lost(agent_t *a)
{
  a->any_lost = false;
  for (int i = 0; i < a->desk->agents; i++) {
    if (!a->lost[i]) continue;
    a->lost[i] = false;
    a->desk->lost = i + 1;
    structure_fail_agent(a, i);
  }
  for (int i = 0; i < DESK_STRUCTURES; i++)
    if (a->structure[i].open && a->structure[i].given_up)
      structure_fail(a, &a->structure[i], false);
}

/* --- orders --- */

/* Tells the rank that an order about a structure is done. */
static void answer(agent_t *a, int rank, const desk_order_t *o, int code, uint32_t number)
{
  desk_channel_t *c = &a->rank[rank].desk->channel[o->channel];
  c->code = code;
  c->with.out = number;
  desk_channel_end(c);
}

static void obey(agent_t *a, int rank, const desk_order_t *o)
{
  uint32_t number = 0;
  int rc;
  if (o->channel >= DESK_CHANNELS) return;
  switch (o->kind) {
  case DESK_OPEN:
    rc = structure_open(a, rank, o, &number);
    answer(a, rank, o, rc, number);
    break;
  case DESK_PEERS:
    answer(a, rank, o, structure_peers(a, rank, o), 0);
    break;
  case DESK_CALL:
    rc = call_order(a, rank, o);
    if (rc) answer(a, rank, o, rc, 0);
    break;
  case DESK_TAKEN:
    call_taken(a, o);
    break;
  default:
    structure_close(a, o);
  }
}

static bool take_orders(agent_t *a)
{
  bool any = false;
  for (int i = 0; i < a->desk->ranks; i++) {
    desk_rank_t *r = a->rank[i].desk;
    uint32_t head = atomic_load_explicit(&r->head, memory_order_relaxed);
    while (head != atomic_load(&r->tail)) {
      desk_order_t o = r->order[head % DESK_ORDERS];
      atomic_store_explicit(&r->head, ++head, memory_order_release);
      obey(a, i, &o);
      any = true;
    }
  }
  return any;
}

bool agent_work_has_orders(const agent_t *a)
{
  for (int i = 0; i < a->desk->ranks; i++) {
    desk_rank_t *r = a->rank[i].desk;
    if (atomic_load_explicit(&r->head, memory_order_relaxed) != atomic_load(&r->tail)) return true;
  }
  return false;
}

bool agent_work_once(agent_t *a)
{
  bool any = take_orders(a);
  any |= call_go_on(a);
  any |= wire_progress(a->wire);
  any |= call_go_on(a);
  if (!a->any_lost) return any;
  fail_lost(a);
  return true;
}
