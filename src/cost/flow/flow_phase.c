/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes the chain of a phase that isn't part of a collective operation.
 *
 * A rank without an order sends to all its destinations at once: it has one nonblocking item for
 * each pair. A rank with an order has its steps as items. A loop that is cut short has longer
 * steps: each stands for so many messages, also where a rank waits for them. Where the rounds of
 * both sides differ, a rank waits for the nearest end of an item. */
#include <math.h>
#include <stdlib.h>

#include "base/no_memory.h"
#include "base/order.h"
#include "base/text.h"
#include "cost/flow/flow_program.h"
#include "cost/flow/flow_turns.h"

typedef struct phase {
  flow_chain_builder_t *b;
  flow_program_t *p;
  int rounds;
  const berth_message_t *m;
  size_t n;
  /* Of the current sender: the messages that it has waited for, by source (ranks, then meetings)
   * and in all; the sources that it has waited for; its meetings. The receives that it has posted
   * and not waited for since there were none, by source, of which so many are left; whether some
   * are of any rank. `opened` lists the sources, which is_open marks. */
  double *waited, waited_in_all;
  int *source, n_sources;
  double *open, n_open;
  int *opened, n_opened;
  bool *is_open, open_any;
  int *last_turn; /* of the current service, by source (1 + rank; 0: unknown); -1: none */
  int *meets, n_meets;
  int *visited; /* by call: how often it has been played */
  bool *is_met; /* by meeting */
  /* Bytes of a message that go before its receive is posted; by kind, the first of the two kinds
   * that it was split into for that, 0: not yet; the end of the sender's kinds before any split. */
  double at_once;
  int *split, end_kind;
} phase_t;

/* Open MPI sends as much of a large message with its announcement as fits an eager one; the rest
 * waits for the receiver. That is 64 KiB between hosts (btl_tcp_rndv_eager_limit). MPICH announces
 * a message without data. */
static double bytes_at_once(const berth_pattern_t *p)
{
  enum { OPENMPI_AT_ONCE = 65536 };
  return text_starts(berth_pattern_mpi(p), "Open MPI ") ? OPENMPI_AT_ONCE : 0;
}

static int allocate(phase_t *x, const berth_pattern_t *pattern, berth_error_t *err)
{
  const flow_program_t *p = x->p;
  size_t sources = (size_t)p->n_ranks + (size_t)p->n_meetings, kinds = x->n;
  double items = flow_program_items(p, x->rounds) + (double)x->n;
  if (p->posts.n > 0) {
    kinds *= 3;
    items *= 2;
  }
  for (int h = 0; h < p->n_meetings; h++) kinds += 2 * (size_t)p->meeting[h].n;
  kinds += flow_calls_messages(pattern, p->calls.call, p->calls.n);
  x->waited = calloc(sources + 1, sizeof *x->waited);
  x->source = malloc((sources + 1) * sizeof *x->source);
  x->open = calloc((size_t)p->n_ranks + 1, sizeof *x->open);
  x->last_turn = malloc(((size_t)p->n_ranks + 1) * sizeof *x->last_turn);
  for (int i = 0; x->last_turn && i <= p->n_ranks; i++) x->last_turn[i] = -1;
  x->is_open = calloc((size_t)p->n_ranks + 1, sizeof *x->is_open);
  x->opened = malloc(((size_t)p->n_ranks + 1) * sizeof *x->opened);
  x->meets = malloc(((size_t)p->n_meetings + 1) * sizeof *x->meets);
  x->visited = malloc(((size_t)p->calls.n + 1) * sizeof *x->visited);
  x->is_met = calloc((size_t)p->n_meetings + 1, sizeof *x->is_met);
  x->split = calloc(kinds + 1, sizeof *x->split);
  bool enough = x->waited && x->source && x->open && x->is_open && x->last_turn && x->opened &&
                x->meets && x->visited && x->is_met && x->split;
  if (!enough || items > INT32_MAX) return no_memory(err);
  if (p->serves) {
    x->b->chain->turn = malloc(((size_t)items + 1) * sizeof *x->b->chain->turn);
    if (!x->b->chain->turn) return no_memory(err);
  }
  return flow_chain_reserve(x->b, 1, sources, (size_t)items, kinds, err);
}

/* No posted receive is open. */
static void close_all(phase_t *x)
{
  for (int i = 0; i < x->n_opened; i++) {
    x->open[x->opened[i]] = 0;
    x->is_open[x->opened[i]] = false;
  }
  x->n_opened = 0;
  x->n_open = 0;
  x->open_any = false;
}

static void begin_sender(phase_t *x, int src)
{
  flow_chain_add_sender(x->b, src);
  for (int i = 0; i < x->n_sources; i++) x->waited[x->source[i]] = 0;
  for (int i = 0; i < x->p->calls.n; i++) x->visited[i] = 0;
  x->n_sources = 0;
  x->waited_in_all = 0;
  close_all(x);
}

/* Finds the kind of the current sender's messages to a destination, of that size. Its kinds are
 * sorted by destination and size. -1 if it sends nothing there. */
static int find_kind(const phase_t *x, int dst, uint64_t size)
{
  const flow_chain_t *c = x->b->chain;
  const flow_plan_t *plan = x->b->plan;
  size_t first = (size_t)c->sender[c->n_senders - 1].first_kind, end = (size_t)x->end_kind;
  LOWER_BOUND(at, first, end,
              c->kind[middle].dst < dst ||
                  (c->kind[middle].dst == dst && c->kind[middle].volume > 0 &&
                   plan->size[c->part[c->kind[middle].first_part].size] < size));
  return at < end && c->kind[at].dst == dst ? (int)at : -1;
}

/* The rank waits for so many more messages. flow_waits.c finds the items that bring them. */
static void add_wait(phase_t *x, int source, double messages)
{
  if (x->waited[source] == 0) x->source[x->n_sources++] = source;
  x->waited[source] += messages;
  flow_chain_add_item(
      x->b, (flow_item_t){.kind = FLOW_WAIT, .connection = source, .times = x->waited[source]});
}

static void open_receives(phase_t *x, int source, double receives)
{
  x->n_open += receives;
  if (source == BERTH_ANY_RANK) {
    x->open_any = true;
    return;
  }
  if (!x->is_open[source]) x->opened[x->n_opened++] = source;
  x->is_open[source] = true;
  x->open[source] += receives;
}

/* So many of the posted receives of a source are over. */
static void close_receives(phase_t *x, int source, double receives)
{
  x->n_open -= receives;
  if (source != BERTH_ANY_RANK) x->open[source] = fmax(x->open[source] - receives, 0);
  if (x->n_open < 0.5 * receives) close_all(x);
}

/* Items of other ranks have about `item` messages, so half of that may be missing. */
static void add_arrival(phase_t *x, int source, double messages, double item)
{
  x->waited_in_all += messages;
  if (source != BERTH_ANY_RANK)
    add_wait(x, source, messages);
  else
    flow_chain_add_item(x->b, (flow_item_t){.kind = FLOW_WAIT,
                                            .connection = FLOW_ANY,
                                            .times = x->waited_in_all - item / 2});
}

/* Whether it matters when a rank posts receives for a source. */
static bool matters(const phase_t *x, int rank, int source)
{
  const flow_posts_t *p = &x->p->posts;
  return source == BERTH_ANY_RANK ? flow_posts_receives(p, rank)
                                  : flow_posts_find(p, source, rank) != NULL;
}

static void add_post(phase_t *x, int source, double receives)
{
  int connection = source == BERTH_ANY_RANK ? FLOW_ANY : source;
  flow_chain_add_item(
      x->b, (flow_item_t){.kind = FLOW_POST, .connection = connection, .times = receives});
}

/* The rank waits for messages whose receives it has posted. If these are of any rank, and no other
 * receives are open, it waits for those ranks: others may have sent it messages that it comes to
 * later. */
static void add_arrived(phase_t *x, int source, double messages, double item)
{
  bool all = source == BERTH_ANY_RANK && !x->open_any && fabs(x->n_open - messages) < messages / 2;
  for (int i = 0; i < x->n_opened && all; i++)
    if (x->open[x->opened[i]] > 0) add_wait(x, x->opened[i], x->open[x->opened[i]]);
  if (all)
    x->waited_in_all += messages;
  else
    add_arrival(x, source, messages, item);
  close_receives(x, source, messages);
}

/* Receives one after the other: each is posted when the last one is over. */
static void add_receives(phase_t *x, int rank, const berth_step_t *s, double times)
{
  bool posts = matters(x, rank, s->peer);
  int played = posts ? flow_rounds_played(s->times, x->rounds) : 1;
  double amount = times * (double)s->times / played;
  for (int i = 0; i < played; i++) {
    if (posts) add_post(x, s->peer, amount);
    add_arrival(x, s->peer, amount, times);
  }
}

/* A send that starts after its receive was posted, but for the bytes that go at once. */
static void add_needing_send(phase_t *x, int kind, double times, bool blocking)
{
  flow_chain_t *c = x->b->chain;
  double head = fmin(x->at_once, c->kind[kind].bytes - 1);
  if (head > 0) {
    if (!x->split[kind]) x->split[kind] = flow_chain_split_kind(x->b, kind, head);
    kind = x->split[kind];
    flow_chain_add_send(x->b, kind++, times, false);
  }
  flow_chain_add_send(x->b, kind, times, blocking);
  c->item[c->n_items - 1].receives = 1; /* flow_waits.c says how many */
}

/* Sends one after the other. If nobody waits, nobody sees where one ends. Where an item stands for
 * many messages, and receives are some messages ahead, these are posted in time. */
static void add_sends(phase_t *x, int rank, const berth_step_t *s, double times)
{
  int kind = find_kind(x, s->peer, s->size);
  int played = x->p->waits ? flow_rounds_played(s->times, x->rounds) : 1;
  double amount = times * (double)s->times / played;
  const flow_pair_t *to =
      s->mode & BERTH_SEND_NEEDS_RECEIVE ? flow_posts_find(&x->p->posts, rank, s->peer) : NULL;
  bool needs = to && !(to->ahead && amount > 1), blocks = s->mode & BERTH_SEND_BLOCKS;
  for (int i = 0; i < played; i++)
    if (needs)
      add_needing_send(x, kind, amount, blocks);
    else
      flow_chain_add_send(x->b, kind, amount, blocks);
}

static void add_sent(phase_t *x, int dst)
{
  int kind = find_kind(x, dst, 0);
  if (kind < 0) return;
  flow_chain_add_item(x->b, (flow_item_t){.kind = FLOW_WAIT,
                                          .connection = x->b->chain->kind[kind].connection,
                                          .delivered = FLOW_ALL});
}

/* Whether a member waits in a collective call. */
static bool is_told(berth_step_kind_t kind, bool is_root)
{
  return kind == BERTH_STEP_MEET || (kind == BERTH_STEP_FROM_ROOT) != is_root;
}

/* Calls one after the other, whose messages are played. */
static void play_calls(phase_t *x, int rank, int call, const berth_step_t *s, double times)
{
  int played = flow_rounds_played(s->times, x->rounds);
  for (int i = 0; i < played; i++)
    flow_calls_add_visit(x->b, &x->p->calls, call, rank, x->visited[call]++,
                         times * (double)s->times / played);
}

/* A member's part of collective calls. */
static void add_call(phase_t *x, int rank, const berth_step_t *s, double times)
{
  int h = flow_program_meeting(x->p, s);
  if (h < 0) return;
  if (x->p->meeting[h].call >= 0) {
    play_calls(x, rank, x->p->meeting[h].call, s, times);
    return;
  }
  int meeting = x->p->n_ranks + h;
  times *= (double)s->times;
  bool comes = s->mode != BERTH_MEET_ENDS, waits = s->mode != BERTH_MEET_BEGINS;
  if (comes && (s->kind != BERTH_STEP_FROM_ROOT || rank == s->root))
    flow_chain_add_send(x->b, find_kind(x, meeting, 0), times, false);
  if (waits && is_told(s->kind, rank == s->root)) add_wait(x, meeting, times);
}

static void add_steps(phase_t *x, int rank, const berth_step_t *s, size_t n, double times);

/* Messages of ranks that nobody knows: the rank doesn't wait for them between others. */
static void add_unknown_turn(phase_t *x, int rank, double messages)
{
  if (matters(x, rank, BERTH_ANY_RANK)) add_post(x, BERTH_ANY_RANK, messages);
  x->waited_in_all += messages;
}

static void add_turns(phase_t *x, int rank, const berth_step_t *s, size_t n, double times,
                      int service)
{
  flow_chain_t *c = x->b->chain;
  for (size_t i = 0, steps; i < n; i += steps) {
    steps = flow_turn_steps(s + i, n - i);
    if (s[i].kind == BERTH_STEP_LOOP) {
      int played = flow_rounds_played(s[i].times, x->rounds);
      for (int r = 0; r < played; r++)
        add_turns(x, rank, s + i + 1, s[i].steps, times * (double)s[i].times / played, service);
      continue;
    }
    flow_turn_t *turn = &c->turn[c->n_turns++];
    *turn = (flow_turn_t){.first_item = c->n_items,
                          .service = service,
                          .source = s[i].peer,
                          .announced = -1,
                          .next = -1};
    if (flow_turn_is_of_any(&s[i]))
      add_unknown_turn(x, rank, times * (double)s[i].times);
    else
      add_steps(x, rank, s + i, steps, times);
    turn->end_item = c->n_items;
  }
}

/* Finds each source's next turn. */
static void link_turns(phase_t *x, int first)
{
  const flow_chain_t *c = x->b->chain;
  for (int t = first; t < c->n_turns; t++) {
    int *last = &x->last_turn[1 + c->turn[t].source];
    c->turn[t].is_first = *last < 0;
    if (*last >= 0) c->turn[*last].next = t;
    *last = t;
  }
  for (int t = first; t < c->n_turns; t++) x->last_turn[1 + c->turn[t].source] = -1;
}

/* What a rank does in the order in which messages come. */
static void add_service(phase_t *x, int rank, const berth_step_t *s, size_t n, double times)
{
  flow_chain_t *c = x->b->chain;
  int at = c->n_items, first = c->n_turns;
  flow_chain_add_item(x->b,
                      (flow_item_t){.kind = FLOW_SERVE, .connection = FLOW_ANY, .next = first});
  add_turns(x, rank, s, n, times, at);
  c->item[at].delivered = c->n_turns - first;
  link_turns(x, first);
}

static void add_steps(phase_t *x, int rank, const berth_step_t *s, size_t n, double times)
{
  for (size_t i = 0, turns; i < n; i++) {
    double amount = times * (double)s[i].times;
    int played;
    if (x->p->serves && (turns = flow_turns_in(s + i, n - i)) > 0) {
      add_service(x, rank, s + i, turns, times);
      i += turns - 1;
      continue;
    }
    switch (s[i].kind) {
    case BERTH_STEP_SEND:
      add_sends(x, rank, &s[i], times);
      break;
    case BERTH_STEP_SENT:
      add_sent(x, s[i].peer);
      break;
    case BERTH_STEP_RECEIVE:
      add_receives(x, rank, &s[i], times);
      break;
    case BERTH_STEP_POSTED:
      if (matters(x, rank, s[i].peer)) add_post(x, s[i].peer, amount);
      open_receives(x, s[i].peer, amount);
      break;
    case BERTH_STEP_ARRIVED:
      add_arrived(x, s[i].peer, amount, times);
      break;
    case BERTH_STEP_LOOP:
      played = flow_rounds_played(s[i].times, x->rounds);
      for (int r = 0; r < played; r++) add_steps(x, rank, s + i + 1, s[i].steps, amount / played);
      i += s[i].steps;
      break;
    default:
      add_call(x, rank, &s[i], times);
    }
  }
}

ORDER_VALUES(by_number, int)

/* Lists the meetings in a rank's steps, sorted. */
static void list_meets(phase_t *x, const berth_order_t *o)
{
  x->n_meets = 0;
  for (size_t i = 0; o && i < o->n_steps; i++) {
    int h = flow_program_meeting(x->p, &o->steps[i]);
    if (h < 0 || x->is_met[h]) continue;
    x->is_met[h] = true;
    x->meets[x->n_meets++] = h;
  }
  for (int i = 0; i < x->n_meets; i++) x->is_met[x->meets[i]] = false;
  qsort(x->meets, (size_t)x->n_meets, sizeof *x->meets, by_number);
}

/* Waits after a sender's last send or posted receive hold nobody up. */
static void drop_last_waits(flow_chain_t *c)
{
  int first = c->sender[c->n_senders - 1].first_item;
  const flow_item_t *item = c->item;
  if (c->n_turns > 0 && c->turn[c->n_turns - 1].end_item > first)
    first = c->turn[c->n_turns - 1].end_item;
  while (c->n_items > first &&
         (item[c->n_items - 1].kind == FLOW_WAIT || item[c->n_items - 1].kind == FLOW_CALL_WAIT))
    c->n_items--;
}

static void add_rank(phase_t *x, int rank, const berth_message_t *m, size_t n)
{
  const berth_order_t *order = flow_program_order(x->p, rank);
  list_meets(x, order);
  if (n == 0 && x->n_meets == 0 && !flow_posts_receives(&x->p->posts, rank)) return;
  begin_sender(x, rank);
  for (size_t i = 0, end; i < n; i = end) {
    for (end = i + 1; end < n && m[end].dst == m[i].dst;) end++;
    flow_chain_add_connection(x->b);
    if (order) {
      flow_chain_add_kinds_by_size(x->b, m + i, end - i);
    } else {
      flow_chain_add_kind(x->b, m + i, end - i, 0);
      flow_chain_add_send(x->b, x->b->chain->n_kinds - 1, 1, false);
    }
  }
  for (int i = 0; i < x->n_meets; i++) {
    if (x->p->meeting[x->meets[i]].call >= 0) continue;
    flow_chain_add_connection(x->b);
    flow_chain_add_token(x->b, x->p->n_ranks + x->meets[i]);
  }
  x->end_kind = x->b->chain->n_kinds;
  flow_calls_add_kinds(x->b, &x->p->calls, rank, false);
  if (!order) return;
  int played = flow_rounds_played(order->rounds, x->rounds);
  for (int r = 0; r < played; r++)
    add_steps(x, rank, order->steps, order->n_steps, (double)order->rounds / played);
  drop_last_waits(x->b->chain);
}

/* What a meeting does in a collective call: it waits for those who come, and tells those who
 * wait. */
static void hold_call(phase_t *x, const flow_meeting_t *m, double times)
{
  flow_chain_t *c = x->b->chain;
  int first = c->sender[c->n_senders - 1].first_kind;
  for (int i = 0; i < m->n; i++) {
    int rank = flow_meeting_member(m, i);
    if (m->kind != BERTH_STEP_FROM_ROOT || rank == m->root) add_wait(x, rank, times);
  }
  for (int i = 0; i < m->n; i++)
    if (is_told(m->kind, flow_meeting_member(m, i) == m->root))
      flow_chain_add_send(x->b, first + i, times, false);
}

static void hold_calls(phase_t *x, const flow_meeting_t *m, const berth_step_t *s, size_t n,
                       double times)
{
  for (size_t i = 0; i < n; i++) {
    double amount = times * (double)s[i].times;
    if (s[i].kind == BERTH_STEP_LOOP) {
      int played = flow_rounds_played(s[i].times, x->rounds);
      for (int r = 0; r < played; r++) hold_calls(x, m, s + i + 1, s[i].steps, amount / played);
      i += s[i].steps;
    } else if (s[i].mode != BERTH_MEET_ENDS &&
               flow_program_meeting(x->p, &s[i]) == m - x->p->meeting) {
      hold_call(x, m, amount);
    }
  }
}

static void add_meeting(phase_t *x, int h)
{
  const flow_meeting_t *m = &x->p->meeting[h];
  const berth_order_t *o = m->order;
  begin_sender(x, x->p->n_ranks + h);
  for (int i = 0; i < m->n; i++) {
    flow_chain_add_connection(x->b);
    flow_chain_add_token(x->b, flow_meeting_member(m, i));
  }
  x->end_kind = x->b->chain->n_kinds;
  int played = flow_rounds_played(o->rounds, x->rounds);
  for (int r = 0; r < played; r++)
    hold_calls(x, m, o->steps, o->n_steps, (double)o->rounds / played);
}

static int make(phase_t *x, const berth_pattern_t *pattern, berth_error_t *err)
{
  size_t at = 0, end;
  if (allocate(x, pattern, err)) return BERTH_MISSING;
  x->b->chain->member[0] = (flow_member_t){.rounds = 1, .played = 1};
  for (int rank = 0; rank < x->p->n_ranks; rank++, at = end) {
    for (end = at; end < x->n && x->m[end].src == rank;) end++;
    add_rank(x, rank, x->m + at, end - at);
  }
  for (int h = 0; h < x->p->n_meetings; h++)
    if (x->p->meeting[h].call < 0 && flow_meeting_counts(&x->p->meeting[h])) add_meeting(x, h);
  flow_chain_finish(x->b);
  if (flow_waits_resolve(x->b->chain, &x->p->calls, err)) return BERTH_MISSING;
  flow_calls_resolve(x->b->chain, &x->p->calls);
  return BERTH_OK;
}

int flow_phase_make(flow_chain_builder_t *b, const berth_cost_t *c, flow_program_t *program,
                    int rounds, berth_error_t *err)
{
  phase_t x = {.b = b, .p = program, .rounds = rounds, .at_once = bytes_at_once(c->pattern)};
  x.m = berth_pattern_messages(c->pattern, b->chain->first_phase, &x.n);
  int rc = make(&x, c->pattern, err);
  free(x.waited);
  free(x.source);
  free(x.open);
  free(x.is_open);
  free(x.last_turn);
  free(x.opened);
  free(x.meets);
  free(x.visited);
  free(x.is_met);
  free(x.split);
  return rc;
}
