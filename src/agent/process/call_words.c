/* SPDX-License-Identifier: BSD-3-Clause */
/* A call's messages, and what hosts know of one another's progress by them. */
#include "agent/process/call.h"

/* Calls in which a host may be sent to before it says a word; and after how many it says one. */
enum { WINDOW = 256, OWED = 64, BETWEEN = 32 };

static bool is_after(uint32_t a, uint32_t b) { return (int32_t)(a - b) > 0; }

bool call_may_send(const call_t *c, int host)
{
  const host_words_t *w = &c->s->words[host];
  return c->stream || w->last == c->number || w->unproved < WINDOW;
}

static wire_key_t key_of(const call_t *c, int host, uint32_t index)
{
  return (wire_key_t){c->s->agent[host], c->s->number, c->s->theirs[host],
                      c->stream,         c->number,    index};
}

/* Of ordinary calls. */
static void count_sent(call_t *c, host_words_t *w)
{
  if (w->last != c->number) w->unproved++;
  if (is_after(c->number, w->last)) w->last = c->number;
  if (is_after(c->s->begun, w->told)) w->told = c->s->begun;
}

bool call_send(call_t *c, int host, const void *data, size_t bytes, wire_done_t *done, void *with)
{
  wire_key_t k = key_of(c, host, c->sent[host]++);
  if (c->stream == 0) count_sent(c, &c->s->words[host]);
  c->pending++;
  return wire_send(c->a->wire, &k, data, bytes, done, with);
}

bool call_receive(call_t *c, int host, void *data, size_t bytes, wire_done_t *done, void *with)
{
  wire_key_t k = key_of(c, host, c->received[host]++);
  c->pending++;
  return wire_receive(c->a->wire, &k, data, bytes, done, with);
}

void call_tell_begun(call_t *c)
{
  structure_t *s = c->s;
  if (c->stream) return;
  if (is_after(c->number, s->begun)) s->begun = c->number;
  for (int h = 0; h < s->hosts; h++) {
    host_words_t *w = &s->words[h];
    if (w->owed < OWED || s->begun - w->told < BETWEEN) continue;
    wire_key_t k = key_of(c, h, 0);
    k.call = w->told = s->begun;
    if (!is_after(w->heard, s->begun)) w->owed = 0;
    wire_tell(c->a->wire, PACKET_BEGUN, &k);
  }
}

void call_heard(structure_t *s, int host, uint32_t number)
{
  host_words_t *w = &s->words[host];
  uint32_t behind = is_after(w->last, number) ? w->last - number : 0;
  if (w->unproved > behind) w->unproved = behind;
  if (is_after(number, w->heard)) {
    w->heard = number;
    w->owed++;
  }
}
