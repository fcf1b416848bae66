/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the meetings in orders, and how much it takes to play them. */
#include "cost/flow/flow_program.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "base/order.h"
#include "cost/flow/flow_turns.h"
#include "pattern/phase_find.h"

/* How often a rank comes to the calls of a meeting. */
typedef struct visit {
  int comm;
  berth_step_kind_t kind;
  int root;
  const char *op; /* "": not known */
  uint64_t size;
  bool later;
  int rank;
  double times;
} visit_t;

typedef struct visits {
  visit_t *items;
  size_t n, cap;
} visits_t;

ORDER_BY(same_calls, visit_t, RISING(comm) RISING(kind) RISING(root) RISING(size) RISING_TEXT(op))
ORDER_BY(by_meeting, visit_t, BY(same_calls) RISING(rank))

static const char *name_of(const berth_step_t *s) { return s->op ? s->op : ""; }

static int collect(visits_t *v, const berth_step_t *s, size_t n, int rank, double repeats,
                   berth_error_t *err)
{
  for (size_t i = 0; i < n; i++) {
    if (s[i].kind == BERTH_STEP_LOOP) {
      if (collect(v, s + i + 1, s[i].steps, rank, repeats * (double)s[i].times, err))
        return BERTH_MISSING;
      i += s[i].steps;
    } else if (s[i].kind >= BERTH_STEP_MEET && s[i].mode != BERTH_MEET_ENDS) {
      if (!ARRAY_GROW(&v->items, v->n, &v->cap)) return no_memory(err);
      v->items[v->n++] = (visit_t){s[i].peer, s[i].kind,
                                   s[i].root, name_of(&s[i]),
                                   s[i].size, s[i].mode == BERTH_MEET_BEGINS,
                                   rank,      repeats * (double)s[i].times};
    }
  }
  return BERTH_OK;
}

/* Adds up visits of one rank to one meeting. */
static void merge(visits_t *v)
{
  size_t kept = 0;
  if (v->n > 1) qsort(v->items, v->n, sizeof *v->items, by_meeting);
  for (size_t i = 0; i < v->n; i++) {
    visit_t *last = kept ? &v->items[kept - 1] : NULL;
    if (last && by_meeting(last, &v->items[i]) == 0)
      last->times += v->items[i].times;
    else
      v->items[kept++] = v->items[i];
  }
  v->n = kept;
}

/* Whether n visitors of a meeting are all its members, and each comes equally often. */
static bool all_come(const visit_t *v, size_t n, const flow_meeting_t *m, bool *is_member)
{
  bool all = n == (size_t)m->n;
  for (int i = 0; i < m->n; i++) is_member[flow_meeting_member(m, i)] = true;
  for (size_t i = 0; i < n; i++) all = all && is_member[v[i].rank] && v[i].times == v[0].times;
  for (int i = 0; i < m->n; i++) is_member[flow_meeting_member(m, i)] = false;
  return all;
}

/* Makes the meetings that have visits. */
static int make_meetings(flow_program_t *p, const berth_pattern_t *pattern, const visits_t *v,
                         bool *is_member, berth_error_t *err)
{
  p->meeting = malloc((v->n + 1) * sizeof *p->meeting);
  if (!p->meeting) return no_memory(err);
  for (size_t i = 0, end; i < v->n; i = end) {
    const visit_t *first = &v->items[i];
    for (end = i + 1; end < v->n && same_calls(first, &v->items[end]) == 0;) end++;
    const berth_comm_t *comm = first->comm ? pattern_comm(pattern, first->comm) : NULL;
    if (first->comm && !comm) continue;
    flow_meeting_t m = {first->comm,
                        first->kind,
                        first->root,
                        first->op,
                        first->size,
                        first->later,
                        -1,
                        first->times,
                        comm ? (int)comm->n_ranks : p->n_ranks,
                        comm ? comm->ranks : NULL,
                        flow_program_order(p, first->rank)};
    if (all_come(first, end - i, &m, is_member)) p->meeting[p->n_meetings++] = m;
  }
  return BERTH_OK;
}

/* Finds the orders of a phase. */
static void find_orders(flow_program_t *p, const berth_pattern_t *pattern, size_t phase)
{
  size_t n;
  int id = berth_pattern_phases(pattern, &n)[phase].id;
  const berth_order_t *order = berth_pattern_orders(pattern, &n);
  LOWER_BOUND(first, 0, n, order[middle].phase < id);
  LOWER_BOUND(end, first, n, order[middle].phase <= id);
  if (first == end) return;
  p->order = order + first;
  p->end = order + end;
}

/* Whether ranks wait for others. */
static bool any_waits(const flow_program_t *p)
{
  for (const berth_order_t *o = p->order; o < p->end; o++)
    for (size_t i = 0; i < o->n_steps; i++)
      if (o->steps[i].kind >= BERTH_STEP_RECEIVE && o->steps[i].kind < BERTH_STEP_LOOP) return true;
  return false;
}

/* Whether a rank takes the message that comes first. */
static bool any_serves(const flow_program_t *p)
{
  for (const berth_order_t *o = p->order; o < p->end; o++)
    for (size_t i = 0; i < o->n_steps; i++)
      if (flow_turns_in(o->steps + i, o->n_steps - i) > 0) return true;
  return false;
}

int flow_program_make(flow_program_t *p, const berth_pattern_t *pattern, size_t phase,
                      berth_error_t *err)
{
  size_t n;
  visits_t visits = {0};
  const berth_message_t *m = berth_pattern_messages(pattern, phase, &n);
  *p = (flow_program_t){.n_ranks = berth_pattern_ranks(pattern)};
  find_orders(p, pattern, phase);
  p->waits = any_waits(p);
  p->serves = any_serves(p);
  bool *is_member = calloc((size_t)p->n_ranks, sizeof *is_member);
  int rc = is_member ? BERTH_OK : no_memory(err);
  for (const berth_order_t *o = p->order; o < p->end && !rc; o++)
    rc = collect(&visits, o->steps, o->n_steps, o->src, (double)o->rounds, err);
  merge(&visits);
  if (!rc) rc = make_meetings(p, pattern, &visits, is_member, err);
  if (!rc) rc = flow_posts_make(&p->posts, p->order, p->end, m, n, err);
  free(visits.items);
  free(is_member);
  if (rc) flow_program_clear(p);
  return rc;
}

void flow_program_clear(flow_program_t *p)
{
  free(p->meeting);
  flow_calls_clear(&p->calls);
  flow_posts_clear(&p->posts);
  *p = (flow_program_t){0};
}

const berth_order_t *flow_program_order(const flow_program_t *p, int rank)
{
  size_t n = (size_t)(p->end - p->order);
  LOWER_BOUND(at, 0, n, p->order[middle].src < rank);
  return at < n && p->order[at].src == rank ? p->order + at : NULL;
}

ORDER_BY(by_calls, flow_meeting_t,
         RISING(comm) RISING(kind) RISING(root) RISING(size) RISING_TEXT(op))

static bool is_call(const berth_step_t *s)
{
  return s->kind >= BERTH_STEP_MEET && s->kind < BERTH_STEP_LOOP;
}

bool flow_meeting_counts(const flow_meeting_t *m)
{
  static const char *const scans[] = {"MPI_Scan", "MPI_Exscan", "MPI_Iscan", "MPI_Iexscan"};
  for (size_t i = 0; i < sizeof scans / sizeof *scans; i++)
    if (strcmp(m->op, scans[i]) == 0) return m->call >= 0;
  return true;
}

int flow_program_meeting(const flow_program_t *p, const berth_step_t *s)
{
  if (!is_call(s)) return -1;
  const flow_meeting_t key = {
      .comm = s->peer, .kind = s->kind, .root = s->root, .op = name_of(s), .size = s->size};
  const flow_meeting_t *at = bsearch(&key, p->meeting, (size_t)p->n_meetings, sizeof key, by_calls);
  return at && flow_meeting_counts(at) ? (int)(at - p->meeting) : -1;
}

/* Items of a rank's step: repeated sends, receives and calls are loops if that makes a difference.
 * A posted receive may be waited for by an item of its own. */
static double items_of_step(const flow_program_t *p, const berth_step_t *s, int rank, int rounds)
{
  int times = flow_rounds_played(s->times, rounds), h = flow_program_meeting(p, s);
  if (h >= 0 && p->meeting[h].call >= 0)
    return times * flow_calls_items(&p->calls, p->meeting[h].call, rank);
  if (s->kind == BERTH_STEP_SEND) return p->waits ? times : 1;
  if (s->kind == BERTH_STEP_RECEIVE) return (p->posts.n ? 2 * times : 1) + p->serves;
  return s->kind == BERTH_STEP_POSTED || s->kind >= BERTH_STEP_MEET ? 2 : 1;
}

/* Items of a rank, or of a meeting, which tells each of its members. */
static double count_items(const flow_program_t *p, const berth_step_t *s, size_t n, int rank,
                          int rounds, const flow_meeting_t *of)
{
  double items = 0;
  for (size_t i = 0; i < n; i++) {
    if (s[i].kind == BERTH_STEP_LOOP) {
      items += flow_rounds_played(s[i].times, rounds) *
               count_items(p, s + i + 1, s[i].steps, rank, rounds, of);
      i += s[i].steps;
    } else if (!of) {
      items += items_of_step(p, &s[i], rank, rounds);
    } else if (flow_program_meeting(p, &s[i]) == of - p->meeting) {
      items += 2.0 * of->n;
    }
  }
  return items;
}

double flow_program_items(const flow_program_t *p, int rounds)
{
  double items = 0;
  for (const berth_order_t *o = p->order; o < p->end; o++)
    items += flow_rounds_played(o->rounds, rounds) *
             count_items(p, o->steps, o->n_steps, o->src, rounds, NULL);
  for (const flow_meeting_t *m = p->meeting; m < p->meeting + p->n_meetings; m++)
    if (m->call < 0)
      items += flow_rounds_played(m->order->rounds, rounds) *
               count_items(p, m->order->steps, m->order->n_steps, m->order->src, rounds, m);
  return items;
}

/* Bytes that a sequence sends, and how much its loops are cut short, in bytes of an iteration. */
typedef struct shortened {
  double bytes, excess;
} shortened_t;

/* What excess is counted for: the steps of a rank. */
typedef struct cutting {
  const flow_program_t *p;
  int rank, rounds;
} cutting_t;

static shortened_t shortening_of_loop(const cutting_t *x, const berth_step_t *s, size_t n,
                                      uint64_t times);

/* Bytes of one of a step's sends or calls; an empty message counts as one. */
static double bytes_of(const cutting_t *x, const berth_step_t *s)
{
  int h = flow_program_meeting(x->p, s);
  if (s->kind == BERTH_STEP_SEND) return (double)s->size + 1;
  if (h < 0 || x->p->meeting[h].call < 0) return 0;
  return flow_calls_bytes(&x->p->calls, x->p->meeting[h].call, x->rank);
}

static shortened_t shortening(const cutting_t *x, const berth_step_t *s, size_t n)
{
  shortened_t sum = {0};
  for (size_t i = 0; i < n; i++) {
    shortened_t one = {0};
    if (s[i].kind == BERTH_STEP_LOOP) {
      one = shortening_of_loop(x, s + i + 1, s[i].steps, s[i].times);
      i += s[i].steps;
    } else {
      double times = (double)s[i].times, each = bytes_of(x, &s[i]);
      one.bytes = times * each;
      one.excess = (times / flow_rounds_played(s[i].times, x->rounds) - 1) * each;
    }
    sum.bytes += one.bytes;
    sum.excess += one.excess;
  }
  return sum;
}

static shortened_t shortening_of_loop(const cutting_t *x, const berth_step_t *s, size_t n,
                                      uint64_t times)
{
  shortened_t body = shortening(x, s, n);
  double all = (double)times, longer = all / flow_rounds_played(times, x->rounds);
  return (shortened_t){all * body.bytes, all * body.excess + (longer - 1) * body.bytes};
}

static double excess_of(const flow_program_t *p, int rounds)
{
  double sum = 0;
  for (const berth_order_t *o = p->order; o < p->end; o++) {
    const cutting_t x = {p, o->src, rounds};
    sum += shortening_of_loop(&x, o->steps, o->n_steps, o->rounds).excess;
  }
  return sum;
}

double flow_program_excess(const flow_program_t *p, int rounds)
{
  double now = excess_of(p, rounds), more = excess_of(p, rounds / 2);
  return more > now ? now / (more - now) : 0;
}
