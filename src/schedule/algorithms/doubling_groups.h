/* SPDX-License-Identifier: BSD-3-Clause */
/* Doubling for any number of nodes: those 1, 2, 4, … apart exchange what their groups have. If the
 * last group is short of nodes, some of its first half have no partner. Those that have one relay
 * what they got, over half the distance, a quarter, and so on. Open MPI 4.1,
 * ompi_coll_base_bcast_intra_scatter_allgather; MPICH 4.0, wherever it doubles without pairs. */
#ifndef BERTH_SCHEDULE_DOUBLING_GROUPS_H
#define BERTH_SCHEDULE_DOUBLING_GROUPS_H

#include "schedule/put_steps.h"

/* A round: an exchange over a distance, or what follows it: relaying over a smaller one. */
typedef struct doubling {
  int distance, relay; /* relay 0: the exchange */
} doubling_t;

/* How many nodes of the last group's first half have a partner; 0: all or none. */
static inline int doubling_partners(const schedule_call_t *c, int distance)
{
  int partners = c->size % (2 * distance) - distance;
  return partners > 0 ? partners : 0;
}

static inline int doubling_relays(const schedule_call_t *c, int distance)
{
  return doubling_partners(c, distance) ? floor_log(distance) : 0;
}

static inline int64_t doubling_rounds(const schedule_call_t *c)
{
  int64_t rounds = 0;
  for (int distance = 1; distance < c->size; distance *= 2)
    rounds += 1 + doubling_relays(c, distance);
  return rounds;
}

static inline doubling_t doubling_at(const schedule_call_t *c, int64_t round)
{
  int distance = 1;
  for (; round > doubling_relays(c, distance); distance *= 2)
    round -= 1 + doubling_relays(c, distance);
  return (doubling_t){distance, round ? distance >> round : 0};
}

/* What a node does in a round: to whom it sends and from whom it gets (-1: nobody), and the first
 * nodes of the groups whose data that is. A group has `distance` nodes. */
typedef struct doubling_node {
  int to, from, sent, got;
} doubling_node_t;

static inline doubling_node_t doubling_node(const schedule_call_t *c, doubling_t at, int node)
{
  int own = node & -at.distance, others = own ^ at.distance;
  int peer = node ^ (at.relay ? at.relay : at.distance);
  if (!at.relay && peer < c->size) return (doubling_node_t){peer, peer, own, others};
  int partners = doubling_partners(c, at.distance), offset = node & (at.relay - 1);
  bool relays = at.relay && others + partners == c->size && offset < partners &&
                partners <= offset + at.relay;
  bool gets = node & at.relay;
  return (doubling_node_t){relays && !gets ? peer : -1, relays && gets ? peer : -1, others, others};
}

#endif
