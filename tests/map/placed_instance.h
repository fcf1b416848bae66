/* SPDX-License-Identifier: BSD-3-Clause */
/* Instances of tests about ranks that move. */
#ifndef BERTH_TESTS_PLACED_INSTANCE_H
#define BERTH_TESTS_PLACED_INSTANCE_H

#include "random_instance.h"

enum { FEW = 7, MOST = 64 }; /* ranks whose placements can all be looked at, and the most */

/* A small instance with ranks that are somewhere already. */
typedef struct placed_instance {
  berth_topo_t *topo;
  berth_pattern_t *pattern;
  int from[MOST], *pinned;
  berth_map_options_t options;
} placed_instance_t;

static inline void drop(placed_instance_t *in)
{
  berth_topo_free(in->topo);
  berth_pattern_free(in->pattern);
  free(in->pinned);
}

#endif
