/* SPDX-License-Identifier: BSD-3-Clause */
/* The struct behind berth_node_t. */
#ifndef BERTH_NODE_INTERNAL_H
#define BERTH_NODE_INTERNAL_H

#include <berth/node.h>

#include "base/arena.h"

/* Far more than a machine has. */
enum { NODE_MAX_CURVES = 1 << 16, NODE_MAX_POINTS = 1 << 16, NODE_MAX_NOISE = 1 << 16 };

struct berth_node {
  arena_t arena; /* owns all texts and points */
  const char *date, *processor;
  int steps, complete;
  berth_node_curve_t *curves;
  size_t n_curves, cap_curves;
  berth_node_noise_t *noise;
  size_t n_noise, cap_noise;
};

#endif
