/* SPDX-License-Identifier: BSD-3-Clause */
/* The cores of this machine that experiments may use, and its memory, by hwloc. */
#ifndef BERTH_CALIB_NODE_MACHINE_H
#define BERTH_CALIB_NODE_MACHINE_H

#include <berth/error.h>
#include <stdbool.h>
#include <stddef.h>

/* The first usable PU of a core. */
typedef struct node_core {
  int pu;   /* os_index */
  int numa; /* logical number of its NUMA node, from 0 */
} node_core_t;

typedef struct node_machine {
  node_core_t *core; /* in hwloc's order, in which neighbours share most */
  int n_cores;
  int *spread; /* the same cores in another order, numbers into `core`: at each level of the machine
                  the next one is of the next member, so neighbours share least */
  int n_numas;
  size_t cache;  /* bytes of the largest cache of one core, shared or not; 0: unknown */
  size_t memory; /* bytes that are free now */
  char processor[128];
  void *hwloc; /* hwloc's topology */
} node_machine_t;

/* Fills *m. The caller clears it, also after a failure: BERTH_MISSING if hwloc can't read the
 * machine or memory is out. */
int node_machine_find(node_machine_t *m, berth_error_t *err);
void node_machine_clear(node_machine_t *m);

/* Binds the calling thread to a core. */
int node_machine_bind(const node_machine_t *m, int core, berth_error_t *err);

/* n bytes on a NUMA node (-1: wherever the thread is that first writes them), not yet touched. NULL
 * if memory is out. Return them with node_machine_return. */
void *node_machine_take(const node_machine_t *m, size_t n, int numa);
void node_machine_return(void *memory, size_t n);

#endif
