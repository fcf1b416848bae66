/* SPDX-License-Identifier: BSD-3-Clause */
/* What flows get that share ports and switches: the prediction. */
#ifndef BERTH_CALIB_NETWORK_CALIB_SHARE_H
#define BERTH_CALIB_NETWORK_CALIB_SHARE_H

#include "calib/calib_internal.h"

/* Rates of flows that share ports and switches max-min fairly, by what is known of these. `free` is
 * a port taken for infinitely fast, NULL for none; with `limits` switches are as they were found,
 * with `both_ways` what goes one way takes its part of the other. `cap` bounds each flow, 0 for no
 * bound. False when memory is out. */
typedef struct sharing {
  const port_t *free;
  bool hope; /* ports that aren't sound are free, too */
  bool limits, both_ways;
  int but;          /* the switch whose limit is left out, -1 for none */
  double but_limit; /* taken for it instead, 0 for none */
} sharing_t;
bool share_rates(const berth_calib_t *c, const sharing_t *s, const berth_calib_flow_t *flows,
                 size_t n, const double *cap, double *rate);
/* The slowest port on the way of one flow; INFINITY when none is known. */
double share_path(const berth_calib_t *c, berth_calib_flow_t f);
/* The ports above hosts that a flow goes through: those it leaves first, both from the PU upwards.
 * Room for 2 * BERTH_MAX_DEPTH. */
typedef struct step {
  int element, direction;
} step_t;
size_t share_path_find(const berth_calib_t *c, berth_calib_flow_t f, step_t *steps);

#endif
