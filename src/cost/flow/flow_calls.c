/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists what ranks send in collective operations, and makes items of it. */
#include "cost/flow/flow_calls.h"

#include <stdlib.h>

#include "base/no_memory.h"
#include "base/order.h"

ORDER_BY(by_connection, flow_piece_t, RISING(src) RISING(call) RISING(dst) RISING(member))
ORDER_POINTERS_BY(by_src, flow_piece_t, RISING(src) RISING(call) RISING(member) RISING(dst))
ORDER_POINTERS_BY(by_dst, flow_piece_t, RISING(dst) RISING(call) RISING(member) RISING(src))

static int played(const flow_piece_t *p)
{
  return flow_rounds_played(p->phase->rounds, FLOW_ROUNDS);
}

size_t flow_calls_messages(const berth_pattern_t *pattern, const flow_call_t *call, int n)
{
  size_t here, sum = 0;
  for (int i = 0; i < n; i++)
    for (int k = 0; k < call[i].n_members; k++) {
      berth_pattern_messages(pattern, call[i].first_phase + (size_t)k, &here);
      sum += here;
    }
  return sum;
}

static void collect(flow_calls_t *calls, const berth_pattern_t *pattern, int call)
{
  size_t n;
  const flow_call_t *of = &calls->call[call];
  const berth_phase_t *phase = berth_pattern_phases(pattern, &n) + of->first_phase;
  for (int k = 0; k < of->n_members; k++) {
    const berth_message_t *m = berth_pattern_messages(pattern, of->first_phase + (size_t)k, &n);
    for (size_t i = 0, end; i < n; i = end) {
      for (end = i + 1; end < n && m[end].src == m[i].src && m[end].dst == m[i].dst;) end++;
      calls->piece[calls->n_pieces++] = (flow_piece_t){.call = call,
                                                       .src = m[i].src,
                                                       .dst = m[i].dst,
                                                       .phase = phase + k,
                                                       .m = m + i,
                                                       .n = end - i,
                                                       .member = k};
    }
  }
}

static bool same_connection(const flow_piece_t *a, const flow_piece_t *b)
{
  return a->src == b->src && a->call == b->call && a->dst == b->dst;
}

/* Counts the items of each connection. */
static void count_items(flow_calls_t *calls)
{
  for (size_t i = 0, end; i < calls->n_pieces; i = end) {
    int items = 0;
    for (end = i; end < calls->n_pieces && same_connection(&calls->piece[i], &calls->piece[end]);) {
      calls->piece[end].before = items;
      items += played(&calls->piece[end++]);
    }
    for (size_t k = i; k < end; k++) calls->piece[k].each = items;
  }
}

static int make(flow_calls_t *calls, const berth_pattern_t *pattern, berth_error_t *err)
{
  size_t most = flow_calls_messages(pattern, calls->call, calls->n);
  calls->piece = malloc((most + 1) * sizeof *calls->piece);
  calls->by_src = malloc((most + 1) * sizeof *calls->by_src);
  calls->by_dst = malloc((most + 1) * sizeof *calls->by_dst);
  if (!calls->piece || !calls->by_src || !calls->by_dst) return no_memory(err);
  for (int i = 0; i < calls->n; i++) collect(calls, pattern, i);
  qsort(calls->piece, calls->n_pieces, sizeof *calls->piece, by_connection);
  count_items(calls);
  for (size_t i = 0; i < calls->n_pieces; i++)
    calls->by_src[i] = calls->by_dst[i] = &calls->piece[i];
  qsort(calls->by_src, calls->n_pieces, sizeof *calls->by_src, by_src);
  qsort(calls->by_dst, calls->n_pieces, sizeof *calls->by_dst, by_dst);
  return BERTH_OK;
}

int flow_calls_make(flow_calls_t *calls, const berth_pattern_t *pattern, flow_call_t *call, int n,
                    berth_error_t *err)
{
  *calls = (flow_calls_t){.n = n, .call = call};
  int rc = make(calls, pattern, err);
  if (rc) flow_calls_clear(calls);
  return rc;
}

void flow_calls_clear(flow_calls_t *calls)
{
  free(calls->call);
  free(calls->piece);
  free(calls->by_src);
  free(calls->by_dst);
  *calls = (flow_calls_t){0};
}

/* --- what one rank does --- */

/* Pieces that a rank sends or receives in a call, by round. */
typedef struct pieces {
  flow_piece_t *const *at;
  size_t n;
} pieces_t;

static pieces_t sent_by(const flow_calls_t *calls, int call, int rank)
{
  flow_piece_t *const *p = calls->by_src;
  LOWER_BOUND(first, 0, calls->n_pieces,
              p[middle]->src < rank || (p[middle]->src == rank && p[middle]->call < call));
  size_t end = first;
  while (end < calls->n_pieces && p[end]->src == rank && p[end]->call == call) end++;
  return (pieces_t){p + first, end - first};
}

static pieces_t received_by(const flow_calls_t *calls, int call, int rank)
{
  flow_piece_t *const *p = calls->by_dst;
  LOWER_BOUND(first, 0, calls->n_pieces,
              p[middle]->dst < rank || (p[middle]->dst == rank && p[middle]->call < call));
  size_t end = first;
  while (end < calls->n_pieces && p[end]->dst == rank && p[end]->call == call) end++;
  return (pieces_t){p + first, end - first};
}

double flow_calls_items(const flow_calls_t *calls, int call, int rank)
{
  double items = 0;
  pieces_t out = sent_by(calls, call, rank), in = received_by(calls, call, rank);
  for (size_t i = 0; i < out.n; i++) items += 2 * played(out.at[i]);
  for (size_t i = 0; i < in.n; i++) items += played(in.at[i]);
  return items;
}

double flow_calls_bytes(const flow_calls_t *calls, int call, int rank)
{
  double bytes = 0;
  pieces_t out = sent_by(calls, call, rank);
  for (size_t i = 0; i < out.n; i++)
    for (size_t k = 0; k < out.at[i]->n; k++)
      bytes += (double)out.at[i]->phase->rounds *
               (double)(out.at[i]->m[k].bytes + out.at[i]->m[k].count);
  return bytes;
}

void flow_calls_add_kinds(flow_chain_builder_t *b, flow_calls_t *calls, int rank, bool of_round)
{
  flow_chain_t *chain = b->chain;
  LOWER_BOUND(i, 0, calls->n_pieces, calls->piece[middle].src < rank);
  for (size_t first = i; i < calls->n_pieces && calls->piece[i].src == rank; i++) {
    flow_piece_t *p = &calls->piece[i];
    if (i == first || !same_connection(p - 1, p)) flow_chain_add_connection(b);
    p->kind = chain->n_kinds;
    p->connection = chain->n_connections - 1;
    flow_chain_add_kind(b, p->m, p->n, of_round ? p->member : 0);
    if (!of_round) chain->kind[p->kind].messages = 0;
  }
}

static void add_wait(flow_chain_builder_t *b, const flow_calls_t *calls, const flow_piece_t *p,
                     int before, int round)
{
  flow_chain_add_item(b, (flow_item_t){.kind = FLOW_CALL_WAIT,
                                       .connection = (int)(p - calls->piece),
                                       .delivered = before * p->each + p->before + round + 1});
}

/* The pieces of one round. */
static pieces_t of_round(const pieces_t *all, size_t first, int member)
{
  size_t end = first;
  while (end < all->n && all->at[end]->member == member) end++;
  return (pieces_t){all->at + first, end - first};
}

/* A round of a rank: what it sends, then waits for that and for what it receives. */
static void add_round(flow_chain_builder_t *b, const flow_calls_t *calls, pieces_t out, pieces_t in,
                      int before, double times)
{
  const flow_piece_t *any = out.n ? out.at[0] : in.at[0];
  int rounds = played(any);
  double longer = times * (double)any->phase->rounds / rounds;
  for (int round = 0; round < rounds; round++) {
    for (size_t i = 0; i < out.n; i++) flow_chain_add_send(b, out.at[i]->kind, longer, false);
    for (size_t i = 0; i < out.n; i++) add_wait(b, calls, out.at[i], before, round);
    for (size_t i = 0; i < in.n; i++) add_wait(b, calls, in.at[i], before, round);
  }
}

void flow_calls_add_visit(flow_chain_builder_t *b, const flow_calls_t *calls, int call, int rank,
                          int before, double times)
{
  pieces_t out = sent_by(calls, call, rank), in = received_by(calls, call, rank);
  for (size_t o = 0, i = 0; o < out.n || i < in.n;) {
    int member = o < out.n ? out.at[o]->member : in.at[i]->member;
    if (i < in.n && in.at[i]->member < member) member = in.at[i]->member;
    pieces_t here = of_round(&out, o, member), there = of_round(&in, i, member);
    add_round(b, calls, here, there, before, times);
    o += here.n;
    i += there.n;
  }
}

void flow_calls_resolve(flow_chain_t *chain, const flow_calls_t *calls)
{
  for (int i = 0; i < chain->n_items; i++) {
    flow_item_t *item = &chain->item[i];
    if (item->kind != FLOW_CALL_WAIT) continue;
    item->kind = FLOW_WAIT;
    item->connection = calls->piece[item->connection].connection;
  }
}
