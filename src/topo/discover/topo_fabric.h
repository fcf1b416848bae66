/* SPDX-License-Identifier: BSD-3-Clause */
/* An InfiniBand fabric as ibnetdiscover lists it: nodes and cables. topo_fabric.c reads it,
 * topo_fabric_tree.c makes a tree of it. */
#ifndef BERTH_TOPO_DISCOVER_TOPO_FABRIC_H
#define BERTH_TOPO_DISCOVER_TOPO_FABRIC_H

#include <stdint.h>

#include "topo/discover/topo_network.h"

typedef enum { FABRIC_SWITCH, FABRIC_HOST, FABRIC_OTHER } fabric_kind_t;

typedef struct fabric_node {
  fabric_kind_t kind;
  const char *id;          /* "S-0002c9…" */
  const char *description; /* of a host: its name only */
  long line;
  int as;    /* the node that represents it: the first adapter of a host */
  int level; /* from fabric_set_levels; -1: unknown, or no host reaches it */
} fabric_node_t;

/* One end of a cable. The other end is an arc, too. */
typedef struct fabric_arc {
  int from, to;                /* nodes; to is -1 until it is known */
  const char *port, *far_port; /* "S-0002c9…[3]" */
  double rate;                 /* bytes per second */
  long line;
} fabric_arc_t;

typedef struct fabric {
  berth_network_t *net; /* its path and arena */
  fabric_node_t *nodes;
  size_t n_nodes, cap_nodes;
  fabric_arc_t *arcs;
  size_t n_arcs, cap_arcs;
  name_table_t node_of_id, host_of_name, arc_of_port;
} fabric_t;

/* Gives hosts level 0, and switches one level more than the lowest node that they are cabled to.
 * Single hosts on switches above the leaves are ignored. Returns the highest level, -1 when memory
 * is out. */
int fabric_set_levels(fabric_t *f);

/* The leader of a node's set. leader[i] is a node of i's set that is nearer to the leader. */
int fabric_find(int *leader, int node);

/* Fills the network with a tree of the nodes. Their levels may still be unknown. */
int fabric_make_tree(fabric_t *f, berth_error_t *err);

#endif
