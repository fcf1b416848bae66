/* SPDX-License-Identifier: BSD-3-Clause */
/* The struct behind berth_node_t. */
#ifndef BERTH_NODE_INTERNAL_H
#define BERTH_NODE_INTERNAL_H

#include <berth/strided.h>

#include "base/arena.h"
#include "base/id_table.h"

/* Far more than a machine has. */
enum { NODE_MAX_CURVES = 1 << 16, NODE_MAX_POINTS = 1 << 16, NODE_MAX_NOISE = 1 << 16 };
#define NODE_MAX_VALUE 1e18

struct berth_node {
  arena_t arena; /* owns all texts and points */
  const char *date, *processor;
  int steps, complete;
  berth_node_curve_t *curves;
  size_t n_curves, cap_curves;
  id_table_t curve_at; /* by a hash of what tells it from others; the first one with that hash */
  berth_node_noise_t *noise;
  size_t n_noise, cap_noise;
  id_table_t noise_at; /* by the numbers of both PUs */
  berth_strided_t *strided;
  size_t n_strided, cap_strided;
  id_table_t strided_at; /* as curve_at */
};

/* Rules that all parts share. Texts go to terminals. */
int node_check_text(const char *what, const char *text, berth_error_t *err);
int node_check_measured(double spread, int samples, size_t i, berth_error_t *err);
/* Notes the place of a part, unless an earlier part has this hash. Returns 0 if memory is out. */
int node_put_place(id_table_t *table, uint64_t id, size_t place);
/* Copies n points into the record: NULL ends the list of their values. Returns 0 if memory is
 * out. */
int node_copy_points(berth_node_t *n, size_t points, const double **const *values,
                     const int **samples);
/* Whether two tables say the same. */
int node_same_strided(const berth_strided_t *a, const berth_strided_t *b);

#endif
