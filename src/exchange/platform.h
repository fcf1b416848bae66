/* SPDX-License-Identifier: BSD-3-Clause */
/* A SimGrid platform as its XML says it: hosts and routers, links, routes of one hop.
 * simgrid_read.c reads it, platform_tree.c makes a topology of it. */
#ifndef BERTH_EXCHANGE_PLATFORM_H
#define BERTH_EXCHANGE_PLATFORM_H

#include <berth/topo.h>
#include <stdbool.h>

#include "base/arena.h"
#include "topo/topo_names.h"

typedef struct platform_node {
  const char *id;
  long line;
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

typedef struct platform {
  const char *path;
  arena_t arena;
  platform_node_t *nodes;
  platform_link_t *links;
  platform_hop_t *hops;
  size_t n_nodes, n_links, n_hops, cap_nodes, cap_links, cap_hops;
  name_table_t node_of_id, link_of_id;
} platform_t;

int platform_fail(const platform_t *p, long line, berth_error_t *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* These return the number, or -1 with the error filled. Ids are copied. */
int platform_add_node(platform_t *p, const platform_node_t *node, berth_error_t *err);
int platform_add_link(platform_t *p, const platform_link_t *link, long line, berth_error_t *err);
/* Both return a code. The first marks a link used in a direction (1: down). A second use is an
 * error: nothing of a topology is shared so. */
int platform_use(platform_t *p, int link, int direction, long line, berth_error_t *err);
int platform_add_hop(platform_t *p, const platform_hop_t *hop, berth_error_t *err);
void platform_clear(platform_t *p);

/* The topology; NULL with the error filled where the platform is no tree. */
berth_topo_t *platform_tree(platform_t *p, const char *name, berth_error_t *err);

#endif
