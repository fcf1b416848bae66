/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/process/wire.h"

#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 4096, EAGER = 8192 /* bytes, fewer than a packet's */ };
static const double asks_after = 1.0; /* seconds without a word */
static const double doubts_after = 2.0;

/* A message that somebody here sends or waits for, or that came before anybody did. Words between
 * agents, without data, are messages that are sent at once, too. */
typedef struct message {
  packet_kind_t kind;
  wire_key_t key;
  bool sends;
  bool posted; /* whoever sends or receives it here has said so. If not: the message has come, or
                  its receiver has a place for it */
  char *data;  /* of who posted it; own memory if nobody has */
  size_t total, moved;
  wire_done_t *done;
  void *with;
  struct message *next;   /* in its bucket */
  struct message *behind; /* of those that are sent now */
} message_t;

typedef struct peer {
  double heard, asked; /* when */
  bool awaited;
} peer_t;

struct wire {
  wire_user_t user;
  fabric_t *fabric;
  double patience, now;
  int agents;
  peer_t *peer;
  message_t *bucket[BUCKETS];
  message_t *first, **last; /* what is sent now */
};

static message_t **bucket_of(wire_t *w, const wire_key_t *k, bool sends)
{
  uint64_t h = (uint64_t)k->own * 0x9e3779b97f4a7c15u ^ (uint64_t)k->call * 0xc2b2ae3d27d4eb4fu;
  h ^= (uint64_t)k->stream * 0x27d4eb2f165667c5u;
  h ^= ((uint64_t)k->index << 21 | (uint64_t)(unsigned)k->agent << 1 | sends) * 0x165667b19e3779f9u;
  return &w->bucket[(h ^ h >> 29) % BUCKETS];
}

/* Where the pointer to a message is; it points to NULL if there is none. */
static message_t **find(wire_t *w, const wire_key_t *k, bool sends)
{
  message_t **at = bucket_of(w, k, sends);
  for (; *at; at = &(*at)->next) {
    const wire_key_t *o = &(*at)->key;
    if (o->own == k->own && o->stream == k->stream && o->call == k->call && o->index == k->index &&
        o->agent == k->agent && (*at)->sends == sends)
      break;
  }
  return at;
}

static bool waits_for_place(const wire_key_t *k, size_t bytes)
{
  return bytes > EAGER || k->stream > 0;
}

static message_t *add(message_t **at, const wire_key_t *k, bool sends)
{
  message_t *m = calloc(1, sizeof *m);
  if (!m) return NULL;
  m->key = *k;
  m->sends = sends;
  *at = m;
  return m;
}

static void finish(message_t *m)
{
  wire_done_t *done = m->done;
  void *with = m->with;
  if (!m->posted) free(m->data);
  free(m);
  if (done) done(with);
}

/* Fills a packet with the next piece of a message, and sends it. Whether it was the last one. */
static bool send_piece(wire_t *w, message_t *m, packet_t *p)
{
  size_t rest = m->total - m->moved;
  size_t bytes = rest < PACKET_DATA_BYTES ? rest : PACKET_DATA_BYTES;
  p->head = (packet_head_t){.kind = m->kind,
                            .structure = m->key.theirs,
                            .stream = m->key.stream,
                            .call = m->key.call,
                            .index = m->key.index,
                            .bytes = (uint32_t)bytes,
                            .at = m->moved,
                            .total = m->total};
  if (bytes) memcpy(p->data, m->data + m->moved, bytes);
  m->moved += bytes;
  fabric_send(w->fabric, m->key.agent, p);
  return m->moved == m->total;
}

static bool send_now(wire_t *w)
{
  bool any = false;
  packet_t *p;
  while (w->first && (p = fabric_packet(w->fabric))) {
    message_t *m = w->first;
    any = true;
    if (!send_piece(w, m, p)) continue;
    w->first = m->behind;
    if (!w->first) w->last = &w->first;
    finish(m);
  }
  return any;
}

static void enqueue(wire_t *w, message_t *m)
{
  m->behind = NULL;
  *w->last = m;
  w->last = &m->behind;
}

void wire_tell(wire_t *w, packet_kind_t kind, const wire_key_t *k)
{
  message_t *m = calloc(1, sizeof *m);
  if (!m) return; /* a word may be lost: it is said again, or missed for the agent's patience */
  m->kind = kind;
  m->key = *k;
  enqueue(w, m);
  send_now(w);
}

bool wire_send(wire_t *w, const wire_key_t *k, const void *data, size_t bytes, wire_done_t *done,
               void *with)
{
  message_t **at = find(w, k, true), *m = *at;
  bool ready = m != NULL; /* its receiver was first */
  if (ready)
    *at = m->next;
  else
    m = calloc(1, sizeof *m);
  if (!m) return false;
  *m = (message_t){.kind = PACKET_DATA,
                   .key = *k,
                   .sends = true,
                   .posted = true,
                   .data = (char *)(uintptr_t)data,
                   .total = bytes,
                   .done = done,
                   .with = with};
  if (!ready && waits_for_place(k, bytes)) {
    *at = m;
    return true;
  }
  enqueue(w, m);
  send_now(w);
  return true;
}

bool wire_receive(wire_t *w, const wire_key_t *k, void *data, size_t bytes, wire_done_t *done,
                  void *with)
{
  message_t **at = find(w, k, false), *m = *at;
  if (m) { /* it was first */
    if (m->total) memcpy(data, m->data, m->total < bytes ? m->total : bytes);
    m->done = done;
    m->with = with;
    *at = m->next;
    finish(m);
    return true;
  }
  m = add(at, k, false);
  if (!m) return false;
  m->posted = true;
  m->data = data;
  m->total = bytes;
  m->done = done;
  m->with = with;
  if (waits_for_place(k, bytes)) wire_tell(w, PACKET_READY, k);
  return true;
}

static void receive_data(wire_t *w, const wire_key_t *k, const packet_t *p)
{
  message_t **at = find(w, k, false), *m = *at;
  if (!m) { /* nobody waits for it yet */
    m = add(at, k, false);
    if (!m) return;
    m->data = malloc(p->head.bytes);
    m->total = m->moved = m->data ? p->head.bytes : 0;
    if (m->total) memcpy(m->data, p->data, m->total);
    return;
  }
  if (!m->posted) return;
  if (p->head.bytes && p->head.at <= m->total && p->head.bytes <= m->total - p->head.at)
    memcpy(m->data + p->head.at, p->data, p->head.bytes);
  m->moved += p->head.bytes;
  if (m->moved < m->total && m->moved < p->head.total) return;
  *at = m->next;
  finish(m);
}

static void receiver_ready(wire_t *w, const wire_key_t *k)
{
  message_t **at = find(w, k, true), *m = *at;
  if (!m) add(at, k, true);
  if (!m || !m->posted) return;
  *at = m->next;
  enqueue(w, m);
  send_now(w);
}

static void received(void *with, const packet_t *p)
{
  wire_t *w = with;
  const wire_key_t k = {(int)p->head.from, p->head.structure, 0,
                        p->head.stream,    p->head.call,      p->head.index};
  w->peer[k.agent].heard = w->now;
  if (p->head.kind == PACKET_PING) {
    wire_tell(w, PACKET_PONG, &k);
  } else if (p->head.kind == PACKET_FAILED) {
    w->user.failed(w->user.with, k.own);
  } else if (p->head.kind <= PACKET_BEGUN && w->user.begun(w->user.with, &k)) {
    if (p->head.kind == PACKET_DATA) receive_data(w, &k, p);
    if (p->head.kind == PACKET_READY) receiver_ready(w, &k);
  }
}

static void unreachable(void *with, int agent)
{
  wire_t *w = with;
  w->user.lost(w->user.with, agent);
}

wire_t *wire_open(const char *provider, double patience, const wire_user_t *user, char *why)
{
  wire_t *w = calloc(1, sizeof *w);
  if (!w) return NULL;
  w->user = *user;
  w->patience = patience;
  w->last = &w->first;
  w->fabric = fabric_open(provider, &(fabric_user_t){w, received, unreachable}, why);
  if (w->fabric) return w;
  free(w);
  return NULL;
}

void wire_close(wire_t *w)
{
  if (!w) return;
  fabric_close(w->fabric);
  for (size_t i = 0; i < BUCKETS; i++)
    while (w->bucket[i]) {
      message_t *m = w->bucket[i];
      w->bucket[i] = m->next;
      m->done = NULL;
      finish(m);
    }
  for (message_t *m = w->first, *behind; m; m = behind) {
    behind = m->behind;
    free(m);
  }
  free(w->peer);
  free(w);
}

void wire_address(const wire_t *w, char *out) { fabric_address(w->fabric, out); }

bool wire_meet(wire_t *w, int agents, int own, const char *addresses, const unsigned char *secret,
               char *why)
{
  w->agents = agents;
  w->peer = calloc((size_t)agents, sizeof *w->peer);
  return w->peer && fabric_meet(w->fabric, agents, own, addresses, secret, why);
}

static bool is_of(const message_t *m, uint32_t structure)
{
  return m->kind == PACKET_DATA && m->key.own == structure;
}

void wire_forget(wire_t *w, uint32_t structure)
{
  for (size_t i = 0; i < BUCKETS; i++)
    for (message_t **at = &w->bucket[i]; *at;) {
      message_t *m = *at;
      if (!is_of(m, structure)) {
        at = &m->next;
        continue;
      }
      *at = m->next;
      m->done = NULL;
      finish(m);
    }
  w->last = &w->first;
  for (message_t *m; (m = *w->last);) {
    if (is_of(m, structure)) {
      *w->last = m->behind;
      free(m);
    } else {
      w->last = &m->behind;
    }
  }
}

bool wire_progress(wire_t *w)
{
  bool any = fabric_progress(w->fabric);
  return send_now(w) || any;
}

bool wire_may_sleep(wire_t *w, int *file) { return fabric_may_sleep(w->fabric, file); }

bool wire_is_quiet(const wire_t *w) { return !w->first; }

/* Asks an agent for a word, or gives it up. */
static void ask(wire_t *w, int agent, double now)
{
  peer_t *p = &w->peer[agent];
  if (!p->awaited || p->heard == 0) {
    p->heard = now;
  } else if (now - p->heard > w->patience ||
             (now - p->heard > doubts_after && fabric_is_gone(w->fabric, agent))) {
    p->heard = now;
    fabric_lose(w->fabric, agent);
  } else if (now - p->heard > asks_after && now - p->asked > asks_after) {
    p->asked = now;
    wire_tell(w, PACKET_PING, &(wire_key_t){.agent = agent});
  }
}

void wire_watch(wire_t *w, double now)
{
  w->now = now;
  for (int i = 0; i < w->agents; i++) w->peer[i].awaited = false;
  for (size_t i = 0; i < BUCKETS; i++)
    for (const message_t *m = w->bucket[i]; m; m = m->next)
      if (m->posted) w->peer[m->key.agent].awaited = true;
  for (int i = 0; i < w->agents; i++) ask(w, i, now);
}
