/* SPDX-License-Identifier: BSD-3-Clause */
/* Prediction of the rates of flows that share ports and switches. */
#ifndef BERTH_CALIB_NETWORK_CALIB_SHARE_H
#define BERTH_CALIB_NETWORK_CALIB_SHARE_H

#include "calib/calib_internal.h"

/* Predicts max-min fair rates from what is known so far. `free` is a port that counts as
 * infinitely fast, or NULL. With `limits`, switches have their known limits; with `both_ways`,
 * each direction costs the other its part. `cap` bounds each flow; 0 is no bound. Returns false
 * if memory is out. */
typedef struct sharing {
  const port_t *free;
  bool hope; /* ports that aren't sound are free, too */
  bool limits, both_ways;
  int but;          /* switch whose limit is ignored; -1: none */
  double but_limit; /* used as that switch's limit; 0: none */
} sharing_t;
bool share_rates(const berth_calib_t *c, const sharing_t *s, const berth_calib_flow_t *flows,
                 size_t n, const double *cap, double *rate);
/* The slowest port on a flow's path; INFINITY if none is known. */
double share_path(const berth_calib_t *c, berth_calib_flow_t f);
/* The ports above hosts on a flow's path: those that it leaves first, then those that it enters,
 * both from the PU upwards. Needs room for 2 * BERTH_MAX_DEPTH. */
typedef struct step {
  int element, direction;
} step_t;
size_t share_path_find(const berth_calib_t *c, berth_calib_flow_t f, step_t *steps);

#endif
