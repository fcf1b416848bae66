/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of this module share. */
#ifndef BERTH_TOPO_INTERNAL_H
#define BERTH_TOPO_INTERNAL_H

#include <berth/topo.h>
#include <stdint.h>

#include "base/arena.h"
#include "topo/topo_names.h"

/* Limits of numbers, far above what machines have: sizes in bytes and bandwidths in B/s, and the
 * relative spreads and errors. They keep sums finite and printed numbers legible. */
#define TOPO_MAX_AMOUNT 1e18
#define TOPO_MAX_SPREAD 1000.0

typedef struct topo_model_error {
  const char *model;
  double error;
} topo_model_error_t;

struct berth_topo {
  const char *name;
  arena_t arena; /* all names, the points of curves */
  berth_curve_t *curves;
  berth_type_t *types;
  berth_element_t *elements;
  const char **element_names; /* as many as elements; NULL for a PU */
  berth_pu_t *pus;
  berth_host_t *hosts;
  size_t n_curves, n_types, n_elements, n_pus, n_hosts;
  size_t cap_curves, cap_types, cap_elements, cap_names, cap_pus, cap_hosts;
  int distances;                    /* capacities stand for these */
  topo_model_error_t *model_errors; /* a handful */
  size_t n_model_errors, cap_model_errors;
  name_table_t curve_of_name, type_of_name, host_of_name;
  /* While building: the elements from the root to the last one added, by depth; and for each
   * os_index the last host (plus 1) that has it. */
  int path[BERTH_MAX_DEPTH];
  int *host_of_os_index;
  size_t cap_os_index;
};

enum { TOPO_MAX_CURVES = 1 << 20, TOPO_MAX_TYPES = 1 << 20 };

/* 0, or -1 with the error filled when the name can't be a host's. */
int topo_check_host_name(const char *host, berth_error_t *err);

/* The largest bandwidth of a curve's points. */
double topo_largest_bandwidth(const berth_topo_t *t, int curve);
int topo_same_origin(const berth_origin_t *a, const berth_origin_t *b);

/* What a file may ask for with its repeats expanded. */
typedef struct topo_limits {
  uint64_t pus, elements;
  uint64_t text; /* bytes of all element and host names */
} topo_limits_t;

/* Reads a topology from n bytes of text; `file` names it in errors. Without limits (NULL) those of
 * berth/topo.h hold, and 1 GiB of names. */
berth_topo_t *topo_parse(const char *text, size_t n, const char *file, const topo_limits_t *limits,
                         berth_error_t *err);

#endif
