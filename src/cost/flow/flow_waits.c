/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds what the waits of a chain are for: after which items ranks go on, which sends a posted
 * receive starts, and what announces a turn's message. */
#include <stdlib.h>

#include "base/no_memory.h"
#include "base/order.h"
#include "cost/flow/flow_program.h"

/* A connection, and how far waits for it have got. */
typedef struct way {
  bool of_call; /* it has no messages that a program counts */
  int src, dst, connection;
  int items, delivered; /* of all items, those that the last wait needs */
  int item;             /* the one after these */
  double messages;      /* of those */
} way_t;

ORDER_BY(by_ends, way_t, RISING(of_call) RISING(src) RISING(dst))

static way_t *list_ways(const flow_chain_t *c, const flow_calls_t *calls)
{
  size_t n = (size_t)c->n_connections;
  way_t *way = calloc(n + 1, sizeof *way);
  if (!way) return NULL;
  for (int s = 0; s < c->n_senders; s++) {
    for (int k = c->sender[s].first_kind; k < c->sender[s + 1].first_kind; k++) {
      int at = c->kind[k].connection;
      way[at].src = c->sender[s].src;
      way[at].dst = c->kind[k].dst;
      way[at].connection = at;
      way[at].item = c->connection[at].first_item;
    }
    for (int i = c->sender[s].first_item; i < c->sender[s + 1].first_item; i++)
      if (c->item[i].kind >= 0) way[c->item[i].connection].items++;
  }
  for (size_t i = 0; i < calls->n_pieces; i++) way[calls->piece[i].connection].of_call = true;
  qsort(way, n, sizeof *way, by_ends);
  return way;
}

/* Turns a wait for so many messages of a source into one for so many items of its connection. */
static void resolve_wait(const flow_chain_t *c, flow_item_t *wait, way_t *way)
{
  while (way->delivered < way->items) {
    const flow_item_t *item = &c->item[way->item];
    double messages = item->times * c->kind[item->kind].messages;
    bool enough = messages > 0
                      ? wait->times < way->messages + messages / 2
                      : wait->times <= way->messages * (1 + 1e-12); /* the next one's head */
    if (enough) break;
    way->messages += messages;
    way->delivered++;
    way->item = item->next;
  }
  wait->delivered = way->delivered;
}

/* Finds how many receives a connection's sends need. Half of an item's messages may be missing, as
 * in waits. */
static void resolve_receives(const flow_chain_t *c, const way_t *way)
{
  double messages = 0;
  for (int i = 0, at = c->connection[way->connection].first_item; i < way->items; i++) {
    flow_item_t *item = &c->item[at];
    double more = item->times * c->kind[item->kind].messages;
    if (item->receives > 0) item->receives = messages + more / 2;
    messages += more;
    at = item->next;
  }
}

/* Finds the connection that a rank waits for or posts receives for. If a turn waits there for its
 * message, finds what announces it. */
static void resolve_item(const flow_chain_t *c, flow_item_t *item, int rank, way_t *ways,
                         flow_turn_t *turn)
{
  bool of_rank =
      item->kind == FLOW_POST || (item->kind == FLOW_WAIT && item->delivered != FLOW_ALL);
  if (!of_rank || item->connection == FLOW_ANY) return;
  const way_t ends = {.src = item->connection, .dst = rank};
  way_t *way = bsearch(&ends, ways, (size_t)c->n_connections, sizeof ends, by_ends);
  item->connection = way ? way->connection : FLOW_NONE;
  if (turn && way && way->delivered < way->items) turn->announced = way->item;
  if (way && item->kind == FLOW_WAIT) resolve_wait(c, item, way);
}

int flow_waits_resolve(const flow_chain_t *c, const flow_calls_t *calls, berth_error_t *err)
{
  way_t *way = list_ways(c, calls);
  if (!way) return no_memory(err);
  flow_turn_t *turn = c->turn, *end = turn + c->n_turns;
  for (int s = 0; s < c->n_senders; s++)
    for (int i = c->sender[s].first_item; i < c->sender[s + 1].first_item; i++) {
      while (turn < end && turn->end_item <= i) turn++;
      bool begins = turn < end && turn->first_item <= i && c->item[i].kind == FLOW_WAIT;
      resolve_item(c, &c->item[i], c->sender[s].src, way, begins ? turn++ : NULL);
    }
  for (int i = 0; i < c->n_connections; i++) resolve_receives(c, &way[i]);
  free(way);
  return BERTH_OK;
}
