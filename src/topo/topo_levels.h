/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts about a topology as a whole, and texts for people. */
#ifndef BERTH_TOPO_LEVELS_H
#define BERTH_TOPO_LEVELS_H

#include <berth/topo.h>
#include <stdbool.h>

#include "base/text.h"

/* Whether a curve's source says that it wasn't measured. */
bool topo_is_unmeasured(const berth_topo_t *t);

/* Whether some curves are measured and others aren't. */
bool topo_is_mixed(const berth_topo_t *t);

/* A cost for people: "3.25 ms", or without a unit if capacities are distances. */
const char *topo_text_cost(const berth_topo_t *t, double cost, char buf[TEXT_NUMBER]);

/* The length of a type's name without the number that tells it from others of that name: 4 for
 * "host-2". */
size_t topo_type_length(const char *type);

/* The types of n elements, each once, as "host+switch"; PUs are "pu". Written to buf. */
const char *topo_types(const berth_topo_t *t, const int *elements, int n, char *buf, size_t size);

/* The types of the elements at a depth. */
const char *topo_level_types(const berth_topo_t *t, int depth, char *buf, size_t size);

#endif
