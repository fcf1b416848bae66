/* SPDX-License-Identifier: BSD-3-Clause */
/* What the processes of this machine do in a second, from /proc. */
#ifndef BERTH_CALIB_NODE_PROCESSES_H
#define BERTH_CALIB_NODE_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct node_process {
  int pid, pu;     /* pu: where it ran last */
  char name[32];   /* without control characters */
  double share;    /* of one core */
  int local_ranks; /* of a rank of an MPI: how many its job has on this host; else 0 */
  bool yields;     /* of such a rank: its MPI gives up the core while it waits */
  bool ours;       /* the caller, or one of its ancestors */
} node_process_t;

typedef struct node_processes {
  node_process_t *list; /* those that ran, the busiest first */
  size_t n;
  double runnable; /* mean number of threads that ran or waited for a core, without the caller */
} node_processes_t;

/* Watches for `seconds`. Without memory or /proc the list is empty. Free with
 * node_processes_clear. */
void node_processes_watch(node_processes_t *p, double seconds);
void node_processes_clear(node_processes_t *p);

#endif
