/* SPDX-License-Identifier: BSD-3-Clause */
/* The tree of switches that a Slurm topology.conf describes. */
#ifndef BERTH_TOPO_SLURM_H
#define BERTH_TOPO_SLURM_H

#include "topo/topo_hostlist.h"
#include "topo/topo_names.h"

typedef struct slurm_switch {
  const char *name;
  long line;                   /* of its SwitchName in the file */
  size_t first, n;             /* its hosts in `hosts` */
  size_t first_below, n_below; /* names of the switches below it in `below` */
  int parent;                  /* number of the switch above it, -1 at a root */
  int child, sibling; /* numbers of the first one below it, the next one beside it; -1 for none */
} slurm_switch_t;

struct berth_slurm {
  char *path;
  arena_t arena;
  slurm_switch_t *switches; /* in the order of the file */
  size_t n, cap;
  name_list_t hosts, below; /* of all switches */
  int *switch_of_host;      /* the switch that hosts.names[i] hangs on */
  name_list_t in_order;     /* the hosts in the order of the tree */
  name_table_t switch_of_name, host_of_name;
};

/* The number in `hosts` of a host of that name, with or without a domain; -1 when there is none. */
int slurm_find_host(const berth_slurm_t *s, const char *name);

#endif
