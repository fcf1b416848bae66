/* SPDX-License-Identifier: BSD-3-Clause */
#include "one_sided/epoch_messages.h"

#include <berth/collectives.h>

#include "base/array.h"

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
  uint64_t used, longs, returned;
  bool acknowledged; /* an answer comes, whatever comes back */
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

/* Parts of fragments. */
typedef struct parts {
  uint64_t length, returned; /* of each */
  uint64_t n;
  bool are_long;
} parts_t;

static uint64_t aligned(const pair_t *p, uint64_t n)
{
  uint64_t to = (uint64_t)p->rules->alignment;
  return (n + to - 1) / to * to;
}

static void put_fragments(const pair_t *p, uint64_t used, uint64_t returned, uint64_t count)
{
  put_forth(p, EPOCH_OPERATIONS, (uint64_t)p->rules->fragment_header + used, count);
  if (returned > 0 || p->acknowledged)
    put_back(p, EPOCH_REPLIES, (uint64_t)p->rules->answer + returned, count);
}

static void close_fragment(pair_t *p)
{
  if (p->is_open) put_fragments(p, p->used, p->returned, 1);
  p->is_open = false;
  p->used = p->longs = p->returned = 0;
}

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* How many more parts of so many bytes there may be if `used` bytes are there: as there is room,
 * and up to the one with which they are enough. */
static uint64_t room_for(const epoch_rules_t *r, uint64_t bytes, uint64_t used)
{
  uint64_t most = (uint64_t)r->fragment, enough = (uint64_t)r->enough;
  if (bytes == 0) return UINT64_MAX;
  uint64_t parts = used < most ? (most - used) / bytes : 0;
  return enough > used ? least(parts, (enough - used + bytes - 1) / bytes) : parts;
}

static uint64_t room(const pair_t *p, const parts_t *parts)
{
  uint64_t n = least(room_for(p->rules, parts->length, p->used),
                     room_for(p->rules, parts->returned, p->returned));
  bool limited = parts->are_long && p->rules->most_long > 0;
  return limited ? least(n, (uint64_t)p->rules->most_long - p->longs) : n;
}

static bool is_enough(const pair_t *p)
{
  uint64_t enough = (uint64_t)p->rules->enough;
  return enough > 0 && (p->used >= enough || p->returned >= enough);
}

static void add_parts(pair_t *p, const parts_t *parts, uint64_t n)
{
  p->is_open = true;
  p->used += n * parts->length;
  p->returned += n * parts->returned;
  p->longs += parts->are_long ? n : 0;
  if (is_enough(p)) close_fragment(p);
}

/* Puts parts into fragments, each of which is sent when the next part has no room, or when it has
 * enough. */
static void fill_fragments(pair_t *p, parts_t parts)
{
  uint64_t first = p->is_open ? least(room(p, &parts), parts.n) : 0;
  if (first > 0) add_parts(p, &parts, first);
  parts.n -= first;
  if (parts.n == 0) return;
  close_fragment(p);
  uint64_t each = room(p, &parts), full = (parts.n - 1) / each;
  put_fragments(p, each * parts.length, each * parts.returned, full);
  add_parts(p, &parts, parts.n - full * each);
}

/* Whether some operations would be in several fragments: as soon as a fragment has enough, there
 * may be no room for a whole one. */
static bool is_divided(const epoch_rules_t *r, const parts_t *parts)
{
  return r->enough > 0 && !parts->are_long &&
         (parts->length > (uint64_t)(r->fragment - r->enough) ||
          parts->returned > (uint64_t)(r->fragment - r->enough));
}

/* Adds one operation, which fills fragments. What it sends and what comes back are as long, or one
 * of them is nothing. */
static void add_divided(pair_t *p, const parts_t *parts, uint64_t request)
{
  uint64_t most = (uint64_t)p->rules->fragment, sent = parts->length - request;
  bool sends = sent > 0, returns = parts->returned > 0;
  for (uint64_t left = sends ? sent : parts->returned; left > 0;) {
    uint64_t part = p->used + request < most ? most - p->used - request : 0;
    if (!sends && part > 0) part = left;
    if (returns) part = least(part, most - p->returned);
    part = least(part, left);
    if (part == 0) {
      close_fragment(p);
      continue;
    }
    p->is_open = true;
    p->used += request + (sends ? part : 0);
    p->returned += returns ? part : 0;
    left -= part;
  }
  if (is_enough(p)) close_fragment(p);
}

/* Puts operations into fragments that are filled. After a few, a fragment ends with an operation,
 * and then all is as at the beginning. */
static void fill_divided(pair_t *p, const parts_t *parts, uint64_t request)
{
  enum { MOST = 64 }; /* operations that are looked at */
  uint64_t n = parts->n, same = 0;
  for (int i = 0; i < MOST && n > 0 && p->is_open; i++, n--) add_divided(p, parts, request);
  if (n > 0) close_fragment(p);
  size_t first = p->out->n;
  for (; same < MOST && same < n && (same == 0 || p->is_open); same++)
    add_divided(p, parts, request);
  if (same == 0) return;
  uint64_t times = n / same, rest = n % same;
  if (times > 1 || rest > 0) close_fragment(p);
  for (size_t i = first, end = p->out->n; i < end && times > 1 && !is_full(p->out); i++) {
    epoch_message_t again = p->out->message[i];
    again.count *= times - 1;
    put(p->out, again);
  }
  for (; rest > 0; rest--) add_divided(p, parts, request);
}

/* --- operations --- */

static bool is_long(const epoch_rules_t *r, const epoch_item_t *i, uint64_t length)
{
  if (i->op->divided) return false;
  return r->long_from > 0 ? i->size >= (uint64_t)r->long_from : length > (uint64_t)r->fragment;
}

/* Operations for which there are fragments. Those that are alone come behind the others: a pattern
 * doesn't say in which order they were. */
static void put_collected(pair_t *p, const epoch_item_t *i, uint64_t n, bool is_alone)
{
  const epoch_operation_t *o = i->op;
  uint64_t data = (uint64_t)o->carried * i->size;
  uint64_t returned = p->rules->answers_together ? (uint64_t)o->returned * i->size : 0;
  parts_t parts = {aligned(p, (uint64_t)o->request + data), returned, n, false};
  parts.are_long = is_long(p->rules, i, parts.length);
  if (parts.are_long) parts.length = aligned(p, (uint64_t)o->request), parts.returned = 0;
  bool alone = o->alone == ALONE_ALWAYS || (o->alone == ALONE_LONG && parts.are_long);
  if (alone != is_alone) return;
  if (is_divided(p->rules, &parts)) {
    fill_divided(p, &parts, (uint64_t)o->request);
  } else if (alone) {
    close_fragment(p);
    put_fragments(p, parts.length, parts.returned, n);
  } else {
    fill_fragments(p, parts);
  }
  if (!parts.are_long) return;
  if (data > 0) put_forth(p, EPOCH_OPERATIONS, data, n);
  if (returned > 0) put_back(p, EPOCH_REPLIES, returned, n);
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
  if (is_alone && o->reply >= 0 && !p->rules->answers_together)
    put_back(p, EPOCH_REPLIES, (uint64_t)o->reply + (uint64_t)o->returned * i->size, n);
}

/* --- synchronisation --- */

static void put_close(pair_t *p)
{
  bool collected = p->rules->fragment > 0, together = p->rules->answers_together;
  if (collected && p->sync->close > 0)
    fill_fragments(p, (parts_t){aligned(p, (uint64_t)p->sync->close), 0, 1, false});
  else if (collected && p->sync->close == 0)
    p->is_open = true; /* a message without operations, if the last one is gone */
  else if (p->sync->close >= 0)
    put_forth(p, EPOCH_CLOSE, (uint64_t)p->sync->close, 1);
  if (together)
    p->acknowledged = p->sync->closed >= 0;
  else if (p->sync->closed >= 0)
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
