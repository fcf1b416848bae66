/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads, one bound to each core, that do work side by side. */
#ifndef BERTH_CALIB_NODE_TEAM_H
#define BERTH_CALIB_NODE_TEAM_H

#include "calib/node/node_machine.h"

typedef struct node_team node_team_t;

/* A thread on each core of the machine, which must outlive the team. They sleep until they are
 * needed. The caller frees it. NULL with the error filled. */
node_team_t *node_team_new(const node_machine_t *m, berth_error_t *err);
void node_team_free(node_team_t *t);

/* Runs a function on n cores (numbers of the machine's cores) and waits for all. `all` is shared;
 * `seat` is the core's place in the list. */
typedef void node_work_t(void *all, int seat);
void node_team_run(node_team_t *t, const int *cores, int n, node_work_t *work, void *all);

/* A race: each seat does turn after turn for some seconds, all at the same time. A turn returns how
 * many bytes it has moved, and should take less than a millisecond. */
typedef double node_turn_t(void *own);
typedef struct node_racer {
  node_turn_t *turn;
  void *own;
  double rate; /* result: bytes per second */
} node_racer_t;
void node_team_race(node_team_t *t, const int *cores, int n, node_racer_t *racers, double seconds);

#endif
