/* SPDX-License-Identifier: BSD-3-Clause */
/* A tree of network switches with hosts, read from files of Slurm and of InfiniBand tools; and
 * Slurm's host ranges, such as rack[1-4,7]node[01-16]. */
#ifndef BERTH_TOPO_DISCOVER_TOPO_NETWORK_H
#define BERTH_TOPO_DISCOVER_TOPO_NETWORK_H

#include "base/arena.h"
#include "topo/discover/topo_defaults.h"
#include "topo/topo_names.h"

#include <berth/topo.h>

/* A growing list of names. The arena owns the names; free() frees the array. */
typedef struct name_list {
  const char **names;
  size_t n, cap;
} name_list_t;

/* Appends the names that a text expands to. As in Slurm, the last range varies fastest, and a lower
 * bound with a leading 0 sets the number of digits. The names are counted first: a list of more
 * than BERTH_MAX_PUS names is refused. Errors begin with "found". */
int hostlist_expand(const char *text, arena_t *arena, name_list_t *list, berth_error_t *err);

/* The uplink of a switch or a host: `capacity` is the sum of its cables, `rate` is that of one
 * cable, which is what one pair of ranks gets. A capacity of 0: unknown. */
typedef topo_figure_t network_link_t;

typedef struct network_switch {
  const char *name;
  const char *type;            /* of its element; NULL for the usual one */
  long line;                   /* of the file; 0 if no single line defines it */
  network_link_t link;         /* to the switch above */
  size_t first, n;             /* its hosts: indices into `hosts` */
  size_t first_below, n_below; /* names of the switches below it: indices into `below` */
  int parent;                  /* number of the switch above it, -1 at a root */
  int child, sibling;          /* numbers of its first child and next sibling, -1 for none */
} network_switch_t;

struct berth_network {
  char *path;
  arena_t arena;
  network_switch_t *switches;
  size_t n, cap;
  name_list_t hosts, below;   /* of all switches */
  network_link_t *host_links; /* one for each host; NULL if the file doesn't say */
  network_link_t usual_link;  /* of switches that state none */
  char *note;                 /* the first thing in the file that isn't used; NULL for none */
  int *switch_of_host;        /* of hosts.names[i]: the switch that it hangs on */
  name_list_t in_order;       /* the hosts in the order of the tree */
  name_table_t switch_of_name, host_of_name;
};

/* An empty network; NULL with the error filled when memory is out. */
berth_network_t *network_new(const char *path, berth_error_t *err);

/* Fails with BERTH_BAD_INPUT and "FILE:LINE: …". */
int network_fail(const berth_network_t *net, long line, berth_error_t *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Call this after all switches have their hosts and parents. Fails if a host hangs on two switches,
 * or a switch is below itself. */
int network_finish(berth_network_t *net, berth_error_t *err);

/* The index in `hosts` of the host of that name, with or without a domain; -1 if there is none. */
int network_find_host(const berth_network_t *net, const char *name);

#endif
