/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts and facts about a topology as a whole. */
#ifndef BERTH_TOPO_LEVELS_H
#define BERTH_TOPO_LEVELS_H

#include <berth/topo.h>
#include <stdbool.h>

#include "base/text.h"

/* True when a curve of the topology says that nobody measured it. */
bool topo_is_unmeasured(const berth_topo_t *t);

/* True when that holds for some curves, and not for others. */
bool topo_is_mixed(const berth_topo_t *t);

/* A cost for people: "3.25 ms", or without a unit where capacities stand for distances. */
const char *topo_text_cost(const berth_topo_t *t, double cost, char buf[TEXT_NUMBER]);

/* The names of the types of n elements, each once, as "host+switch", "pu" among them, in buf. */
const char *topo_types(const berth_topo_t *t, const int *elements, int n, char *buf, size_t size);

/* Those of the elements at a depth. */
const char *topo_level_types(const berth_topo_t *t, int depth, char *buf, size_t size);

#endif
