/* SPDX-License-Identifier: BSD-3-Clause */
/* The struct behind berth_topo_t, and functions that the module's files share. */
#ifndef BERTH_TOPO_INTERNAL_H
#define BERTH_TOPO_INTERNAL_H

#include <berth/topo.h>
#include <stdint.h>

#include "base/arena.h"
#include "topo/topo_names.h"

/* Limits far above real machines: sizes in bytes and bandwidths in B/s, relative spreads and
 * errors. They keep sums finite and printed numbers short. */
#define TOPO_MAX_AMOUNT 1e18
#define TOPO_MAX_SPREAD 1000.0

typedef struct topo_model_error {
  const char *model;
  double error;
} topo_model_error_t;

struct berth_topo {
  const char *name;
  arena_t arena; /* owns all names and points of curves */
  berth_curve_t *curves;
  berth_type_t *types;
  berth_element_t *elements;
  const char **element_names; /* one for each element; NULL for a PU */
  berth_pu_t *pus;
  berth_host_t *hosts;
  size_t n_curves, n_types, n_elements, n_pus, n_hosts;
  size_t cap_curves, cap_types, cap_elements, cap_names, cap_pus, cap_hosts;
  int distances; /* 1: capacities are distances */
  topo_model_error_t *model_errors;
  size_t n_model_errors, cap_model_errors;
  berth_node_t **nodes; /* those of types */
  size_t n_nodes, cap_nodes;
  name_table_t curve_of_name, type_of_name, host_of_name;
  /* While building: the path from the root to the last element, by depth; and for each os_index,
   * the last host (plus 1) that has it. */
  int path[BERTH_MAX_DEPTH];
  int *host_of_os_index;
  size_t cap_os_index;
};

enum { TOPO_MAX_CURVES = 1 << 20, TOPO_MAX_TYPES = 1 << 20 };

/* The maximum over the curve's points. */
double topo_largest_bandwidth(const berth_topo_t *t, int curve);
int topo_same_origin(const berth_origin_t *a, const berth_origin_t *b);

/* Limits for what a file expands to. */
typedef struct topo_limits {
  uint64_t pus, elements;
  uint64_t text; /* bytes of all element and host names */
} topo_limits_t;

/* Reads a topology from n bytes of text. `file` is for errors. If `limits` is NULL, the limits of
 * berth/topo.h apply, and 1 GiB of names. */
berth_topo_t *topo_parse(const char *text, size_t n, const char *file, const topo_limits_t *limits,
                         berth_error_t *err);

#endif
