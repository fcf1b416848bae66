/* SPDX-License-Identifier: BSD-3-Clause */
/* A tree of network switches with hosts, as files of Slurm and of InfiniBand tools describe it. */
#ifndef BERTH_TOPO_DISCOVER_TOPO_NETWORK_H
#define BERTH_TOPO_DISCOVER_TOPO_NETWORK_H

#include "topo/topo_hostlist.h"
#include "topo/topo_names.h"

/* What goes up from a switch or a host, in each direction and in bytes per second: `capacity` is
 * that of all links together, `rate` that of one, which is what a pair can have. 0: not known. */
typedef struct network_link {
  double rate, capacity;
} network_link_t;

typedef struct network_switch {
  const char *name;
  long line;                   /* of the file, 0 where it stands in no single one */
  network_link_t link;         /* to the switch above */
  size_t first, n;             /* its hosts in `hosts` */
  size_t first_below, n_below; /* names of the switches below it in `below` */
  int parent;                  /* number of the switch above it, -1 at a root */
  int child, sibling; /* numbers of the first one below it, the next one beside it; -1 for none */
} network_switch_t;

struct berth_network {
  char *path;
  arena_t arena;
  network_switch_t *switches;
  size_t n, cap;
  name_list_t hosts, below;   /* of all switches */
  network_link_t *host_links; /* as many as hosts, NULL where the file doesn't say */
  int *switch_of_host;        /* the switch that hosts.names[i] hangs on */
  name_list_t in_order;       /* the hosts in the order of the tree */
  name_table_t switch_of_name, host_of_name;
};

/* An empty one; NULL with the error filled when memory is out. */
berth_network_t *network_new(const char *path, berth_error_t *err);

/* Fails with "FILE:LINE: ...". */
int network_fail(const berth_network_t *net, long line, berth_error_t *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* To be called when all switches have their hosts and hang below each other. Fails where a host
 * hangs on two switches or a switch below itself. */
int network_finish(berth_network_t *net, berth_error_t *err);

/* The number in `hosts` of a host of that name, with or without a domain; -1 when there is none. */
int network_find_host(const berth_network_t *net, const char *name);

#endif
