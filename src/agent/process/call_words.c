/* SPDX-License-Identifier: BSD-3-Clause */
/* A call's messages, and what hosts know of one another's progress by them. */
#include "agent/process/call.h"

/* Calls in which a host may be sent to before it says a word; after how many messages it says one,
 * and after how many calls that it has begun.
 *
 * No host waits forever. Take the first call that some host can't end, and a host that waits in it
 * for leave to send. It sends in no later call yet, since an earlier one needs no leave. So it has
 * sent to the receiver in WINDOW calls before, of which that has said no word. The receiver has had
 * their messages and begun this call; it said a word of the latter, or of one less than BETWEEN
 * before it: when it began a call and owed a word, or when a message came by which it owed one. */
enum { WINDOW = 256, OWED = 64, BETWEEN = 32 };

static bool is_after(uint32_t a, uint32_t b) { return (int32_t)(a - b) > 0; }

bool call_may_send(const call_t *c, int host)
{
  const host_words_t *w = &c->s->words[host];
  return c->stream || !is_after(c->number, w->last) || w->unproved < WINDOW;
}

static wire_key_t key_of(const call_t *c, int host, uint32_t index)
{
  return (wire_key_t){c->s->agent[host], c->s->number, c->s->theirs[host],
                      c->stream,         c->number,    index};
}

/* Of ordinary calls. */
static void count_sent(const call_t *c, host_words_t *w)
{
  if (is_after(c->number, w->last)) {
    w->last = c->number;
    w->unproved += is_after(c->number, w->heard);
  }
  if (is_after(c->number, w->told)) w->told = c->number;
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

/* Says a word if one is owed, and there is news of so many calls. */
static void tell(agent_t *a, structure_t *s, int host, uint32_t news)
{
  host_words_t *w = &s->words[host];
  if (w->owed < OWED || s->begun - w->told < news) return;
  w->told = s->begun;
  if (!is_after(w->heard, s->begun)) w->owed = 0;
  wire_tell(a->wire, PACKET_BEGUN,
            &(wire_key_t){s->agent[host], s->number, s->theirs[host], 0, s->begun, 0});
}

void call_tell_begun(call_t *c)
{
  structure_t *s = c->s;
  if (c->stream) return;
  if (is_after(c->number, s->begun)) s->begun = c->number;
  for (int h = 0; h < s->hosts; h++) tell(c->a, s, h, BETWEEN);
}

void call_heard(agent_t *a, structure_t *s, int host, uint32_t number)
{
  host_words_t *w = &s->words[host];
  uint32_t behind = is_after(w->last, number) ? w->last - number : 0;
  bool waited = w->unproved >= WINDOW;
  if (w->unproved > behind) w->unproved = behind;
  if (is_after(number, w->heard)) w->heard = number;
  if (waited && w->unproved < WINDOW) call_wake_all(s);
  w->owed++;
  tell(a, s, host, 1);
}
