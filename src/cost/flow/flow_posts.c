/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds pairs whose messages need their receives, and whose receives are known. */
#include "cost/flow/flow_posts.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "base/order.h"

/* A pair while it is looked at. */
typedef struct candidate {
  int src, dst;
  double posted; /* receives for src */
  double open;   /* those that are posted and not waited for, if each loop has one iteration */
  bool ahead;
} candidate_t;

typedef struct candidates {
  candidate_t *items;
  size_t n, cap;
} candidates_t;

ORDER_BY(by_pair, candidate_t, RISING(dst) RISING(src))

/* Adds the destinations of a rank's sends that need receives. */
static bool add_sends(candidates_t *c, const berth_order_t *o)
{
  for (size_t i = 0; i < o->n_steps; i++) {
    const berth_step_t *s = &o->steps[i];
    if (s->kind != BERTH_STEP_SEND || !(s->mode & BERTH_SEND_NEEDS_RECEIVE)) continue;
    if (!ARRAY_ADD(&c->items, &c->n, &c->cap, ((candidate_t){.src = o->src, .dst = s->peer})))
      return false;
  }
  return true;
}

static void sort(candidates_t *c)
{
  size_t kept = 0;
  if (c->n > 1) qsort(c->items, c->n, sizeof *c->items, by_pair);
  for (size_t i = 0; i < c->n; i++)
    if (kept == 0 || by_pair(&c->items[kept - 1], &c->items[i]) != 0)
      c->items[kept++] = c->items[i];
  c->n = kept;
}

/* The candidates that send to one rank, and the receives that it posts for any rank. */
typedef struct receiver {
  candidate_t *from;
  size_t n;
  candidate_t any;
} receiver_t;

/* The candidate of a step about receives; NULL if nobody asks for its source. */
static candidate_t *find_source(receiver_t *r, const berth_step_t *s)
{
  if (s->peer == BERTH_ANY_RANK) return &r->any;
  const candidate_t key = {.src = s->peer, .dst = r->from->dst};
  return bsearch(&key, r->from, r->n, sizeof key, by_pair);
}

static void count_post(receiver_t *r, const berth_step_t *s, double repeats)
{
  bool posts = s->kind == BERTH_STEP_RECEIVE || s->kind == BERTH_STEP_POSTED;
  candidate_t *c = posts || s->kind == BERTH_STEP_ARRIVED ? find_source(r, s) : NULL;
  if (!c) return;
  if (posts) c->posted += repeats * (double)s->times;
  if (s->kind == BERTH_STEP_POSTED) c->open += (double)s->times;
  if (s->kind == BERTH_STEP_ARRIVED) c->open -= (double)s->times;
}

static void end_iteration(receiver_t *r)
{
  r->any.ahead = r->any.ahead || r->any.open > 0;
  for (size_t i = 0; i < r->n; i++) r->from[i].ahead = r->from[i].ahead || r->from[i].open > 0;
}

/* Counts the receives that the steps post. */
static void count_posts(receiver_t *r, const berth_step_t *s, size_t n, double repeats)
{
  for (size_t i = 0; i < n; i++) {
    if (s[i].kind != BERTH_STEP_LOOP) {
      count_post(r, &s[i], repeats);
      continue;
    }
    count_posts(r, s + i + 1, s[i].steps, repeats * (double)s[i].times);
    end_iteration(r);
    i += s[i].steps;
  }
}

static double count_messages(const berth_message_t *m, size_t n, const candidate_t *c)
{
  double sum = 0;
  LOWER_BOUND(at, 0, n,
              m[middle].src < c->src || (m[middle].src == c->src && m[middle].dst < c->dst));
  for (; at < n && m[at].src == c->src && m[at].dst == c->dst; at++) sum += (double)m[at].count;
  return sum;
}

/* Keeps the n_from candidates that send to one rank, if it posts enough receives. */
static void keep(flow_posts_t *p, candidate_t *from, size_t n_from, const berth_order_t *o,
                 const berth_message_t *m, size_t n)
{
  receiver_t r = {.from = from, .n = n_from};
  count_posts(&r, o->steps, o->n_steps, (double)o->rounds);
  end_iteration(&r);
  for (size_t i = 0; i < n_from; i++)
    if (from[i].posted + r.any.posted >= count_messages(m, n, &from[i]))
      p->pair[p->n++] = (flow_pair_t){from[i].src, from[i].dst, from[i].ahead || r.any.ahead};
}

static int make(flow_posts_t *p, candidates_t *c, const berth_order_t *order,
                const berth_order_t *end, const berth_message_t *m, size_t n, berth_error_t *err)
{
  for (const berth_order_t *o = order; o < end; o++)
    if (!add_sends(c, o)) return no_memory(err);
  sort(c);
  if (c->n == 0) return BERTH_OK;
  p->pair = malloc(c->n * sizeof *p->pair);
  if (!p->pair) return no_memory(err);
  const berth_order_t *o = order;
  for (size_t i = 0, last; i < c->n; i = last) {
    for (last = i; last < c->n && c->items[last].dst == c->items[i].dst;) last++;
    while (o < end && o->src < c->items[i].dst) o++;
    if (o < end && o->src == c->items[i].dst) keep(p, c->items + i, last - i, o, m, n);
  }
  return BERTH_OK;
}

int flow_posts_make(flow_posts_t *p, const berth_order_t *order, const berth_order_t *end,
                    const berth_message_t *m, size_t n, berth_error_t *err)
{
  candidates_t c = {0};
  *p = (flow_posts_t){0};
  int rc = make(p, &c, order, end, m, n, err);
  free(c.items);
  return rc;
}

void flow_posts_clear(flow_posts_t *p)
{
  free(p->pair);
  *p = (flow_posts_t){0};
}

/* The index of the first pair that isn't before these ends. */
static size_t find(const flow_posts_t *p, int src, int dst)
{
  LOWER_BOUND(at, 0, p->n,
              p->pair[middle].dst < dst ||
                  (p->pair[middle].dst == dst && p->pair[middle].src < src));
  return at;
}

const flow_pair_t *flow_posts_find(const flow_posts_t *p, int src, int dst)
{
  size_t at = find(p, src, dst);
  return at < p->n && p->pair[at].src == src && p->pair[at].dst == dst ? &p->pair[at] : NULL;
}

bool flow_posts_receives(const flow_posts_t *p, int dst)
{
  size_t at = find(p, 0, dst);
  return at < p->n && p->pair[at].dst == dst;
}
