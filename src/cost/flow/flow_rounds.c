/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes the chain of a collective operation: each rank goes on to its next round as soon as all
 * messages that it sends and receives in the last one have been delivered.
 * A phase that stands for many equal rounds is played in at most FLOW_ROUNDS rounds. */
#include <stdlib.h>

#include "base/no_memory.h"
#include "base/order.h"
#include "cost/flow/flow_chain.h"

/* A pair's messages in a phase. */
typedef struct piece {
  int src, dst, member;
  const berth_message_t *m;
  size_t n;
  int kind, connection;
  int before; /* items of the connection before this one */
} piece_t;

typedef struct rounds {
  flow_chain_builder_t *b;
  const berth_phase_t *phase; /* by member */
  piece_t *piece;
  size_t n;
  const piece_t **by_src, **by_dst;
} rounds_t;

ORDER_BY(by_connection, piece_t, RISING(src) RISING(dst) RISING(member))
ORDER_POINTERS_BY(by_src, piece_t, RISING(src) RISING(member) RISING(dst))
ORDER_POINTERS_BY(by_dst, piece_t, RISING(dst) RISING(member) RISING(src))

static int played(const rounds_t *r, int member)
{
  return flow_rounds_played(r->phase[member].rounds, FLOW_ROUNDS);
}

static size_t count_messages(const flow_chain_t *chain, const berth_cost_t *c)
{
  size_t n, total = 0;
  for (int k = 0; k < chain->n_members; k++) {
    berth_pattern_messages(c->pattern, chain->first_phase + (size_t)k, &n);
    total += n;
  }
  return total;
}

static void collect_pieces(rounds_t *r, const berth_cost_t *c)
{
  size_t n;
  const flow_chain_t *chain = r->b->chain;
  for (int k = 0; k < chain->n_members; k++) {
    const berth_message_t *m =
        berth_pattern_messages(c->pattern, chain->first_phase + (size_t)k, &n);
    for (size_t i = 0, end; i < n; i = end) {
      for (end = i + 1; end < n && m[end].src == m[i].src && m[end].dst == m[i].dst;) end++;
      r->piece[r->n++] = (piece_t){m[i].src, m[i].dst, k, m + i, end - i, 0, 0, 0};
    }
  }
}

/* Reserves the maximum: each round of a piece is a send, and a wait at both ends. */
static int reserve(const rounds_t *r, size_t messages, berth_error_t *err)
{
  size_t items = 0, senders = 0;
  for (size_t i = 0; i < r->n; i++) {
    items += 3 * (size_t)played(r, r->piece[i].member);
    senders += i == 0 || r->piece[i].src != r->piece[i - 1].src;
  }
  return flow_chain_reserve(r->b, (size_t)r->b->chain->n_members, senders, items, messages, err);
}

static void add_kinds(rounds_t *r)
{
  const flow_chain_t *chain = r->b->chain;
  for (size_t i = 0; i < r->n; i++) {
    piece_t *p = &r->piece[i], *last = i ? p - 1 : NULL;
    bool sender = !last || last->src != p->src, connection = sender || last->dst != p->dst;
    if (sender) flow_chain_add_sender(r->b, p->src);
    if (connection) flow_chain_add_connection(r->b);
    p->before = connection ? 0 : last->before + played(r, last->member);
    p->kind = chain->n_kinds;
    p->connection = chain->n_connections - 1;
    flow_chain_add_kind(r->b, p->m, p->n, p->member);
    r->by_src[i] = r->by_dst[i] = p;
  }
}

static void add_wait(const rounds_t *r, const piece_t *p, int round)
{
  flow_chain_add_item(r->b, (flow_item_t){.kind = FLOW_WAIT,
                                          .connection = p->connection,
                                          .delivered = p->before + round + 1});
}

/* One round of a rank: what it sends, then waits for that and for what it receives. */
static void add_round(const rounds_t *r, const piece_t **out, size_t n_out, const piece_t **in,
                      size_t n_in, int round)
{
  for (size_t i = 0; i < n_out; i++) {
    int member = out[i]->member;
    double times = (double)r->phase[member].rounds / played(r, member);
    flow_chain_add_send(r->b, out[i]->kind, times, false);
  }
  for (size_t i = 0; i < n_out; i++) add_wait(r, out[i], round);
  for (size_t i = 0; i < n_in; i++) add_wait(r, in[i], round);
}

static size_t end_of_member(const piece_t **at, size_t i, size_t end, int member)
{
  while (i < end && at[i]->member == member) i++;
  return i;
}

/* All rounds of a rank. Waits after its last send delay nothing. */
static void add_program(const rounds_t *r, size_t out, size_t last_out, size_t in, size_t last_in)
{
  flow_chain_t *c = r->b->chain;
  while (out < last_out) {
    int member = r->by_src[out]->member;
    if (in < last_in && r->by_dst[in]->member < member) member = r->by_dst[in]->member;
    size_t end_out = end_of_member(r->by_src, out, last_out, member);
    size_t end_in = end_of_member(r->by_dst, in, last_in, member);
    for (int round = 0; round < played(r, member); round++)
      add_round(r, r->by_src + out, end_out - out, r->by_dst + in, end_in - in, round);
    out = end_out;
    in = end_in;
  }
  while (c->item[c->n_items - 1].kind < 0) c->n_items--;
}

static void add_programs(const rounds_t *r)
{
  size_t out = 0, in = 0;
  flow_chain_t *c = r->b->chain;
  for (int s = 0; s < c->n_senders; s++) {
    size_t end_out = out, end_in;
    int src = c->sender[s].src;
    while (end_out < r->n && r->by_src[end_out]->src == src) end_out++;
    while (in < r->n && r->by_dst[in]->dst < src) in++;
    for (end_in = in; end_in < r->n && r->by_dst[end_in]->dst == src;) end_in++;
    c->sender[s].first_item = c->n_items;
    add_program(r, out, end_out, in, end_in);
    out = end_out;
    in = end_in;
  }
}

static void set_rounds(const rounds_t *r)
{
  flow_chain_t *chain = r->b->chain;
  for (int k = 0; k < chain->n_members; k++)
    chain->member[k] =
        (flow_member_t){.rounds = (double)r->phase[k].rounds, .played = played(r, k)};
}

static int make(rounds_t *r, const berth_cost_t *c, berth_error_t *err)
{
  size_t messages = count_messages(r->b->chain, c);
  r->piece = malloc((messages + 1) * sizeof *r->piece);
  r->by_src = malloc((messages + 1) * sizeof(piece_t *));
  r->by_dst = malloc((messages + 1) * sizeof(piece_t *));
  if (!r->piece || !r->by_src || !r->by_dst) return no_memory(err);
  collect_pieces(r, c);
  qsort(r->piece, r->n, sizeof *r->piece, by_connection);
  if (reserve(r, messages, err)) return BERTH_MISSING;
  set_rounds(r);
  add_kinds(r);
  qsort(r->by_src, r->n, sizeof(piece_t *), by_src);
  qsort(r->by_dst, r->n, sizeof(piece_t *), by_dst);
  add_programs(r);
  flow_chain_finish(r->b);
  return BERTH_OK;
}

int flow_rounds_make(flow_chain_builder_t *b, const berth_cost_t *c, berth_error_t *err)
{
  size_t n;
  rounds_t r = {.b = b, .phase = berth_pattern_phases(c->pattern, &n) + b->chain->first_phase};
  int rc = make(&r, c, err);
  free(r.piece);
  free(r.by_src);
  free(r.by_dst);
  return rc;
}
