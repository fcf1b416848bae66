/* SPDX-License-Identifier: BSD-3-Clause */
/* A SimGrid platform as its XML says it: zones, hosts and routers, links, routes.
 * simgrid_read.c reads it, platform_routes.c makes routes ways of one hop, platform_tree.c makes a
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
  int zone; /* -1: outside of all */
  bool is_host;
  int cores;
  const char *host; /* of a PU that berth wrote: its host's name; else NULL */
  int os_index, core;
  double capacity; /* of what crosses it, 0 for none */
  int inside;      /* the router that this is the outgoing side of, -1 for none */
} platform_node_t;

typedef struct platform_link {
  const char *id;
  double bandwidth, latency;
  bool is_free;    /* it costs nothing */
  bool is_duplex;  /* each direction is a link of its own */
  bool is_used[2]; /* in either direction; where it isn't duplex, the first one alone */
} platform_link_t;

typedef struct platform_hop {
  int from, to;
  int link[2]; /* -1 for none; in the order of the way */
  long line;
} platform_hop_t;

/* A part of the platform with routes of its own; clusters are zones, too. */
typedef struct platform_zone {
  const char *id;
  int parent;   /* -1 for the outermost */
  bool is_full; /* its routes lead from end to end and may share links */
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

/* These return the number, or -1 with the error filled. Ids are copied. */
int platform_add_node(platform_t *p, const platform_node_t *node, berth_error_t *err);
int platform_add_link(platform_t *p, const platform_link_t *link, long line, berth_error_t *err);
int platform_add_zone(platform_t *p, const platform_zone_t *zone, long line, berth_error_t *err);
/* These return a code. A route's uses are added behind it: those of the last one can be added. */
int platform_add_route(platform_t *p, const platform_route_t *route, berth_error_t *err);
int platform_add_use(platform_t *p, const platform_use_t *use, berth_error_t *err);
/* Both return a code. The first marks a link used in a direction (1: down), or in both where it
 * isn't duplex. A second use is an error: nothing of a topology is shared so. */
int platform_use(platform_t *p, int link, int direction, long line, berth_error_t *err);
int platform_add_hop(platform_t *p, const platform_hop_t *hop, berth_error_t *err);
void platform_clear(platform_t *p);

/* Makes hops of all routes. Those of one hop of at most two links are hops; those of more links get
 * routers between them. Where routes of a zone of full routing share links, all of its routes have
 * to be ways through one tree, which is made of the links. */
int platform_lay_routes(platform_t *p, berth_error_t *err);

/* The topology; NULL with the error filled where the platform is no tree. */
berth_topo_t *platform_tree(platform_t *p, const char *name, berth_error_t *err);

#endif
