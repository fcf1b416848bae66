/* SPDX-License-Identifier: BSD-3-Clause */
/* A SimGrid platform as its XML describes it: zones, hosts and routers, links, routes.
 * simgrid_read.c reads it, platform_routes.c reduces routes to hops, platform_tree.c makes a
 * topology of these. */
#ifndef BERTH_EXCHANGE_TOPO_PLATFORM_H
#define BERTH_EXCHANGE_TOPO_PLATFORM_H

#include <berth/topo.h>
#include <stdbool.h>

#include "base/arena.h"
#include "topo/topo_names.h"

typedef struct platform_node {
  const char *id;
  long line;
  int zone; /* -1: in no zone */
  bool is_host;
  int cores;
  const char *host; /* of a PU that berth wrote: its host's name; else NULL */
  int os_index, core;
  double capacity; /* for all its traffic, 0: none */
  int inside;      /* the router of which this is the outgoing side, -1: none */
} platform_node_t;

typedef struct platform_link {
  const char *id;
  double bandwidth, latency;
  bool is_free;    /* has no cost */
  bool is_duplex;  /* each direction is a link of its own */
  bool is_used[2]; /* by direction; if it isn't duplex, only the first counts */
} platform_link_t;

typedef struct platform_hop {
  int from, to;
  int link[2]; /* -1: none; in the order of the way */
  long line;
} platform_hop_t;

/* A part of the platform with routes of its own. Clusters are zones, too. */
typedef struct platform_zone {
  const char *id;
  int parent;   /* -1: the outermost zone */
  bool is_full; /* routes lead from end to end and may share links */
} platform_zone_t;

typedef struct platform_use {
  int link;
  bool down; /* of a duplex link: its second direction */
} platform_use_t;

typedef struct platform_route {
  int from, to, zone;
  size_t first_use, n_uses; /* the links on the way, in platform_t.uses */
  long line;
} platform_route_t;

typedef struct platform {
  const char *path;
  arena_t arena;
  platform_node_t *nodes;
  platform_link_t *links;
  platform_hop_t *hops;
  platform_zone_t *zones;
  platform_route_t *routes;
  platform_use_t *uses;
  size_t n_nodes, n_links, n_hops, cap_nodes, cap_links, cap_hops;
  size_t n_zones, n_routes, n_uses, cap_zones, cap_routes, cap_uses;
  name_table_t node_of_id, link_of_id, zone_of_id;
} platform_t;

int platform_fail(const platform_t *p, long line, berth_error_t *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Return the number, or -1 with the error filled. Ids are copied. */
int platform_add_node(platform_t *p, const platform_node_t *node, berth_error_t *err);
int platform_add_link(platform_t *p, const platform_link_t *link, long line, berth_error_t *err);
int platform_add_zone(platform_t *p, const platform_zone_t *zone, long line, berth_error_t *err);
/* Return a code. Uses belong to the last route that was added. */
int platform_add_route(platform_t *p, const platform_route_t *route, berth_error_t *err);
int platform_add_use(platform_t *p, const platform_use_t *use, berth_error_t *err);
/* Return a code. platform_use marks a link as used in a direction (1: down), or in both if it isn't
 * duplex. A second use fails, because nothing in a topology is shared in this way. */
int platform_use(platform_t *p, int link, int direction, long line, berth_error_t *err);
int platform_add_hop(platform_t *p, const platform_hop_t *hop, berth_error_t *err);
void platform_clear(platform_t *p);

/* Reduces all routes to hops. Routes of one hop with at most two links are hops; more links get
 * routers between them. If a zone with full routing has routes that share links, all its routes
 * must be ways through one tree, which is made of these links. */
int platform_lay_routes(platform_t *p, berth_error_t *err);

/* Makes the topology. NULL with the error filled if the platform isn't a tree. */
berth_topo_t *platform_tree(platform_t *p, const char *name, berth_error_t *err);

#endif
