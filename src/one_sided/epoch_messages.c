/* SPDX-License-Identifier: BSD-3-Clause */
#include "one_sided/epoch_messages.h"

#include <berth/collectives.h>

#include "base/array.h"

enum { ALIGNMENT = 8 };

/* The operations of a pair of ranks in an epoch. */
typedef struct pair {
  const epoch_rules_t *rules;
  const epoch_sync_t *sync;
  const epoch_item_t *item;
  size_t n;
  uint64_t epoch;
  int site; /* of all operations; 0: they have several */
  epoch_messages_t *out;
  /* The fragment that is being filled. */
  bool is_open;
  uint64_t used, longs;
} pair_t;

static void put(epoch_messages_t *out, epoch_message_t m)
{
  uint64_t bytes;
  if (m.count == 0) return;
  bool much = __builtin_mul_overflow(m.size, m.count, &bytes) ||
              __builtin_add_overflow(out->bytes, bytes, &out->bytes) ||
              __builtin_add_overflow(out->count, m.count, &out->count);
  if (much || out->bytes > BERTH_MAX_AMOUNT || out->count > BERTH_MAX_AMOUNT ||
      out->n == BERTH_MAX_ROUND_MESSAGES)
    out->too_much = true;
  else if (!ARRAY_ADD(&out->message, &out->n, &out->cap, m))
    out->lost = true;
}

static bool is_full(const epoch_messages_t *out) { return out->lost || out->too_much; }

static void put_forth(const pair_t *p, epoch_round_t round, uint64_t size, uint64_t count)
{
  put(p->out, (epoch_message_t){round, p->item->src, p->item->dst, p->site, size, count});
}

static void put_back(const pair_t *p, epoch_round_t round, uint64_t size, uint64_t count)
{
  put(p->out, (epoch_message_t){round, p->item->dst, p->item->src, p->site, size, count});
}

/* --- fragments --- */

static uint64_t aligned(uint64_t n) { return (n + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

static void put_fragments(const pair_t *p, uint64_t used, uint64_t count)
{
  put_forth(p, EPOCH_OPERATIONS, (uint64_t)p->rules->fragment_header + used, count);
}

static void close_fragment(pair_t *p)
{
  if (p->is_open) put_fragments(p, p->used, 1);
  p->is_open = false;
  p->used = p->longs = 0;
}

/* How many more parts of that length have room. */
static uint64_t room(const pair_t *p, uint64_t length, bool is_long)
{
  uint64_t parts = ((uint64_t)p->rules->fragment - p->used) / length;
  uint64_t most = (uint64_t)p->rules->most_long - p->longs;
  return is_long && most < parts ? most : parts;
}

/* Puts n parts of a length into fragments, each of which is sent when the next part has no room. */
static void fill_fragments(pair_t *p, uint64_t length, uint64_t n, bool is_long)
{
  uint64_t first = p->is_open ? room(p, length, is_long) : 0;
  if (first > n) first = n;
  p->used += first * length;
  p->longs += is_long ? first : 0;
  n -= first;
  if (n == 0) return;
  close_fragment(p);
  uint64_t each = room(p, length, is_long), full = (n - 1) / each;
  put_fragments(p, each * length, full);
  n -= full * each;
  p->is_open = true;
  p->used = n * length;
  p->longs = is_long ? n : 0;
}

/* --- operations --- */

/* Operations for which there are fragments. Those that are alone come behind the others: a pattern
 * doesn't say in which order they were. */
static void put_collected(pair_t *p, const epoch_item_t *i, uint64_t n, bool is_alone)
{
  const epoch_operation_t *o = i->op;
  uint64_t data = (uint64_t)o->carried * i->size, length = aligned((uint64_t)o->request + data);
  bool is_long = length > (uint64_t)p->rules->fragment;
  if (is_long) length = aligned((uint64_t)o->request);
  bool alone = o->alone == ALONE_ALWAYS || (o->alone == ALONE_LONG && is_long);
  if (alone != is_alone) return;
  if (alone) {
    close_fragment(p);
    put_fragments(p, length, n);
  } else {
    fill_fragments(p, length, n, is_long);
  }
  if (is_long) put_forth(p, EPOCH_OPERATIONS, data, n);
}

static void put_operations(pair_t *p, const epoch_item_t *i, bool is_alone)
{
  const epoch_operation_t *o = i->op;
  uint64_t n = epoch_item_operations(i, p->epoch);
  if (n == 0 || i->size == 0) return; /* nothing is sent for no bytes */
  if (p->rules->fragment > 0)
    put_collected(p, i, n, is_alone);
  else if (is_alone)
    put_forth(p, EPOCH_OPERATIONS, (uint64_t)o->request + (uint64_t)o->carried * i->size, n);
  if (is_alone && o->reply >= 0)
    put_back(p, EPOCH_REPLIES, (uint64_t)o->reply + (uint64_t)o->returned * i->size, n);
}

/* --- synchronisation --- */

static void put_close(pair_t *p)
{
  bool collected = p->rules->fragment > 0;
  if (collected && p->sync->close >= 0)
    fill_fragments(p, aligned((uint64_t)p->sync->close), 1, false);
  else if (p->sync->close >= 0)
    put_forth(p, EPOCH_CLOSE, (uint64_t)p->sync->close, 1);
  if (p->sync->closed >= 0)
    put_back(p, collected ? EPOCH_REPLIES : EPOCH_CLOSED, (uint64_t)p->sync->closed, 1);
}

static void put_open(const pair_t *p)
{
  const epoch_sync_t *s = p->sync;
  if (s->post >= 0) put_back(p, EPOCH_POST, (uint64_t)s->post, 1);
  if (s->lock >= 0) put_forth(p, EPOCH_LOCK, (uint64_t)s->lock, 1);
  if (s->grant >= 0) put_back(p, EPOCH_GRANT, (uint64_t)s->grant, 1);
}

/* What a rank sends to all ranks of the window, and gets back. */
static void put_with_all(const pair_t *p, const epoch_window_t *w)
{
  for (int i = 0; i < w->n && !is_full(p->out); i++) {
    epoch_item_t to = {.src = p->item->src, .dst = w->ranks ? w->ranks[i] : i};
    pair_t one = {.rules = p->rules, .sync = p->sync, .item = &to, .out = p->out};
    if (to.src == to.dst) continue;
    put_open(&one);
    put_close(&one);
  }
}

/* --- an epoch --- */

static bool is_active(const pair_t *p)
{
  size_t i = 0;
  while (i < p->n && epoch_item_operations(&p->item[i], p->epoch) == 0) i++;
  return i < p->n;
}

static void put_pair(pair_t *p)
{
  p->site = p->item[0].site;
  for (size_t i = 1; i < p->n; i++)
    if (p->item[i].site != p->site) p->site = 0;
  if (!p->sync->with_all) put_open(p);
  for (size_t i = 0; i < 2 * p->n; i++) put_operations(p, &p->item[i % p->n], i >= p->n);
  if (!p->sync->with_all) put_close(p);
  close_fragment(p);
}

void epoch_messages(const epoch_rules_t *rules, const epoch_group_t *g, const epoch_window_t *w,
                    uint64_t epoch, epoch_messages_t *out)
{
  int opened = -1; /* the last rank that sent to all */
  out->n = 0;
  out->bytes = out->count = 0;
  out->lost = out->too_much = false;
  for (size_t i = 0, end; i < g->n && !is_full(out); i = end) {
    const epoch_item_t *first = &g->item[i];
    for (end = i + 1;
         end < g->n && g->item[end].src == first->src && g->item[end].dst == first->dst;)
      end++;
    pair_t p = {.rules = rules,
                .sync = epoch_sync_find(rules, first->sync),
                .item = first,
                .n = end - i,
                .epoch = epoch,
                .out = out};
    if (!is_active(&p)) continue;
    if (p.sync->with_all && opened != first->src) put_with_all(&p, w);
    opened = first->src;
    if (first->src != first->dst) put_pair(&p);
  }
}
