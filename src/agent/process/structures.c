/* SPDX-License-Identifier: BSD-3-Clause */
/* Communication structures: a communicator's hosts and members, kept under a number. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/process/agent_state.h"
#include "agent/process/call.h"

/* A number is a place, and how often it was used, so that late messages find nothing. */
structure_t *structure_of(agent_t *a, uint32_t number)
{
  structure_t *s = &a->structure[number % DESK_STRUCTURES];
  return s->open && s->number == number ? s : NULL;
}

static void release(structure_t *s)
{
  free(s->rank);
  free(s->member_of);
  free(s->agent);
  free(s->first);
  free(s->theirs);
  free(s->words);
  *s = (structure_t){.number = s->number};
}

static bool allocate(const agent_t *a, structure_t *s)
{
  size_t hosts = (size_t)s->hosts;
  s->rank = calloc((size_t)s->members, sizeof *s->rank);
  s->member_of = calloc((size_t)a->desk->ranks, sizeof *s->member_of);
  s->agent = calloc(hosts, sizeof *s->agent);
  s->first = calloc(hosts + 1, sizeof *s->first);
  s->theirs = calloc(hosts, sizeof *s->theirs);
  s->words = calloc(hosts, sizeof *s->words);
  return s->rank && s->member_of && s->agent && s->first && s->theirs && s->words;
}

static bool list(const agent_t *a, structure_t *s, const int32_t *lists)
{
  const int32_t *agents = lists + s->members, *members = agents + s->hosts;
  bool good = true;
  for (int i = 0; i < a->desk->ranks; i++) s->member_of[i] = -1;
  for (int i = 0; i < s->members; i++) {
    good = good && lists[i] >= 0 && lists[i] < a->desk->ranks;
    s->rank[i] = lists[i];
    if (good) s->member_of[lists[i]] = i;
  }
  s->equal = true;
  for (int h = 0; h < s->hosts; h++) {
    good = good && agents[h] >= 0 && agents[h] < a->desk->agents && members[h] > 0;
    s->agent[h] = agents[h];
    s->first[h + 1] = s->first[h] + members[h];
    s->equal &= members[h] == members[0];
  }
  return good && s->me >= 0 && s->me < s->hosts && members[s->me] == s->members;
}

/* A free place; NULL: there is none. */
static structure_t *find_free(agent_t *a)
{
  for (int i = 0; i < DESK_STRUCTURES; i++)
    if (!a->structure[i].open) return &a->structure[i];
  return NULL;
}

int structure_open(agent_t *a, int rank, const desk_order_t *o, uint32_t *number)
{
  const desk_structure_t *d = (const void *)(a->rank[rank].store + o->in);
  structure_t *s = find_free(a);
  if (!s) return ENOSPC;
  uint32_t times = s->number / DESK_STRUCTURES + 1, at = (uint32_t)(s - a->structure);
  *s = (structure_t){.number = times * DESK_STRUCTURES + at};
  s->members = d->members;
  s->hosts = d->hosts;
  s->me = d->own_host;
  s->half = d->half;
  if (s->members < 1 || s->members > a->desk->ranks || s->hosts < 1 || s->hosts > a->desk->agents)
    return EINVAL;
  int rc = !allocate(a, s) ? ENOMEM : !list(a, s, d->lists) ? EINVAL : 0;
  if (rc)
    release(s);
  else
    s->open = true;
  *number = s->number;
  return rc;
}

int structure_peers(agent_t *a, int rank, const desk_order_t *o)
{
  structure_t *s = structure_of(a, o->structure);
  if (!s) return EINVAL;
  memcpy(s->theirs, a->rank[rank].store + o->in, (size_t)s->hosts * sizeof *s->theirs);
  return 0;
}

void structure_end_if_closed(agent_t *a, structure_t *s)
{
  if (s->closed < s->members || s->calls) return;
  wire_forget(a->wire, s->number);
  release(s);
}

void structure_close(agent_t *a, const desk_order_t *o)
{
  structure_t *s = structure_of(a, o->structure);
  if (!s) return;
  s->closed++;
  structure_end_if_closed(a, s);
}

void structure_fail(agent_t *a, structure_t *s, bool tells)
{
  if (s->failed) return;
  s->failed = true;
  wire_forget(a->wire, s->number);
  for (int h = 0; h < s->hosts && tells; h++)
    if (h != s->me)
      wire_tell(a->wire, PACKET_FAILED,
                &(wire_key_t){.agent = s->agent[h], .own = s->number, .theirs = s->theirs[h]});
  call_fail_all(s);
}

void structure_fail_rank(agent_t *a, int rank)
{
  for (int i = 0; i < DESK_STRUCTURES; i++) {
    structure_t *s = &a->structure[i];
    if (!s->open || s->member_of[rank] < 0) continue;
    for (call_t *c = s->calls; c; c = c->next)
      if (c->error == 0) c->error = EOWNERDEAD;
    structure_fail(a, s, true);
  }
}

void structure_fail_agent(agent_t *a, int agent)
{
  for (int i = 0; i < DESK_STRUCTURES; i++) {
    structure_t *s = &a->structure[i];
    bool has = false;
    for (int h = 0; h < s->hosts && s->open; h++) has |= h != s->me && s->agent[h] == agent;
    if (has) structure_fail(a, s, true);
  }
}

int structure_host_of(const structure_t *s, int place)
{
  int low = 0, high = s->hosts - 1;
  while (low < high) {
    int middle = (low + high + 1) / 2;
    if (s->first[middle] <= place)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}
