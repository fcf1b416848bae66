/* SPDX-License-Identifier: BSD-3-Clause */
/* The life of a call: orders come, messages go, results are told. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/process/call.h"

bool call_make_out(call_t *c, size_t bytes)
{
  c->out_bytes = bytes;
  c->out_at = bytes ? store_take(&c->a->store, bytes) : 0;
  return bytes == 0 || c->out_at;
}

static void release(call_t *c)
{
  call_t **at = &c->s->calls;
  while (*at != c) at = &(*at)->next;
  *at = c->next;
  store_give(&c->a->store, c->out_at, c->out_bytes);
  course_clear(&c->course);
  bundles_free(c->bundles);
  free(c->in);
  free(c->part);
  free(c->sent);
  free(c);
}

/* A call that is queued stays until call_go_on has looked at it. */
static void enqueue(call_t *c)
{
  agent_t *a = c->a;
  if (c->queued || c->stage == CALL_GATHERS) return;
  c->queued = true;
  c->next_ready = NULL;
  *a->last_ready = c;
  a->last_ready = &c->next_ready;
}

void call_message_done(void *with)
{
  call_t *c = with;
  c->pending--;
  enqueue(c);
}

void call_wake_all(structure_t *s)
{
  for (call_t *c = s->calls; c; c = c->next)
    if (c->stage == CALL_RUNS) enqueue(c);
}

/* Tells a member that the call is over. */
static void tell(call_t *c, int member)
{
  part_t *p = &c->part[member];
  desk_channel_t *channel = &c->a->rank[c->s->rank[member]].desk->channel[p->channel];
  channel->code = c->stage == CALL_FAILED ? c->error : 0;
  channel->small = p->bytes <= DESK_SMALL;
  if (channel->code == 0 && channel->small && p->bytes)
    memcpy(channel->with.data, call_out(c) + p->at, p->bytes);
  if (channel->code == 0 && !channel->small) {
    channel->with.out = c->out_at + p->at;
    c->untaken++;
  }
  p->told = true;
  c->told++;
  desk_channel_end(channel);
}

static void release_if_over(call_t *c)
{
  structure_t *s = c->s;
  agent_t *a = c->a;
  if (c->told < s->members || c->untaken > 0 || c->queued) return;
  release(c);
  structure_end_if_closed(a, s);
}

static void end(call_t *c, call_stage_t stage, int error)
{
  if (c->stage == CALL_GATHERS || c->stage == CALL_RUNS) c->a->under_way--;
  c->stage = stage;
  c->error = error;
  for (int i = 0; i < c->s->members; i++)
    if (c->part[i].here && !c->part[i].told) tell(c, i);
}

/* A call that can't go on: nor can others of the structure, whose hosts would wait. */
static void give_up(call_t *c, int error)
{
  c->error = error;
  structure_fail(c->a, c->s, true);
}

void call_fail_all(structure_t *s)
{
  for (call_t *c = s->calls; c; c = c->next) {
    if (c->stage == CALL_DONE || c->stage == CALL_FAILED) continue;
    end(c, CALL_FAILED, c->error ? c->error : ECONNABORTED);
    enqueue(c);
  }
}

static void run(call_t *c)
{
  int over = c->bundles ? bundles_run(c) : course_run(c);
  if (over == 0) return;
  int rc = over < 0 ? ENOMEM : layout_end(c);
  if (rc)
    give_up(c, rc);
  else
    end(c, CALL_DONE, 0);
}

bool call_go_on(agent_t *a)
{
  call_t *c = a->ready;
  bool any = c != NULL;
  a->ready = NULL; /* what gets ready meanwhile is for the next time */
  a->last_ready = &a->ready;
  for (call_t *next; c; c = next) {
    next = c->next_ready;
    c->queued = false;
    if (c->stage == CALL_RUNS) run(c);
    release_if_over(c);
  }
  return any;
}

static call_t *call_new(agent_t *a, structure_t *s, const desk_order_t *o)
{
  call_t *c = calloc(1, sizeof *c);
  if (!c) return NULL;
  c->a = a;
  c->s = s;
  c->stream = o->stream;
  c->number = o->call;
  c->order = *o;
  c->part = calloc((size_t)s->members, sizeof *c->part);
  c->sent = calloc(2 * (size_t)s->hosts, sizeof *c->sent);
  c->received = c->sent ? c->sent + s->hosts : NULL;
  c->next = s->calls;
  s->calls = c;
  a->under_way++;
  if (c->part && c->sent) return c;
  a->under_way--;
  release(c);
  return NULL;
}

static call_t *find(structure_t *s, const desk_order_t *o)
{
  for (call_t *c = s->calls; c; c = c->next)
    if (c->number == o->call && c->stream == o->stream) return c;
  return NULL;
}

/* Begins if nobody is missing that it needs. */
static void begin_if_complete(call_t *c)
{
  structure_t *s = c->s;
  if (c->stage != CALL_GATHERS) return;
  for (int i = 0; i < s->members; i++)
    if (!c->part[i].here && layout_needs(c, i)) return;
  int rc = layout_plan(c);
  if (rc) {
    give_up(c, rc);
    return;
  }
  c->stage = CALL_RUNS;
  call_tell_begun(c);
  enqueue(c);
}

/* A member's part. */
static void arrive(call_t *c, int member, const desk_order_t *o)
{
  const rank_t *r = &c->a->rank[c->s->rank[member]];
  part_t *p = &c->part[member];
  p->here = true;
  p->channel = o->channel;
  p->in = o->flags & DESK_IN_LINE ? r->desk->channel[o->channel].with.data : r->store + o->in;
}

int call_order(agent_t *a, int rank, const desk_order_t *o)
{
  structure_t *s = structure_of(a, o->structure);
  int member = s ? s->member_of[rank] : -1;
  if (member < 0) return EINVAL;
  call_t *c = find(s, o);
  int rc = 0;
  if (!c) {
    c = call_new(a, s, o);
    if (!c) return ENOMEM;
    rc = s->failed ? ECONNABORTED : layout_take_call(c);
    if (rc && !s->failed) give_up(c, rc);
    if (rc) end(c, CALL_FAILED, rc);
  }
  arrive(c, member, o);
  begin_if_complete(c);
  if (c->stage == CALL_DONE || c->stage == CALL_FAILED) {
    if (!c->part[member].told) tell(c, member);
    release_if_over(c);
  }
  return 0;
}

void call_taken(agent_t *a, const desk_order_t *o)
{
  structure_t *s = structure_of(a, o->structure);
  call_t *c = s ? find(s, o) : NULL;
  if (!c || c->untaken == 0) return;
  c->untaken--;
  release_if_over(c);
}
