/* SPDX-License-Identifier: BSD-3-Clause */
/* Where placements stand among all that are possible, for people and for scripts. */
#ifndef BERTH_CLI_PRINT_EXPLORE_H
#define BERTH_CLI_PRINT_EXPLORE_H

#include "cli/options/inputs.h"

typedef struct explored {
  const char *name; /* of the mapper, or the file */
  const char *by;   /* the algorithm that made it; "" unknown */
  berth_mapping_t mapping;
  double cost_s;
  size_t above, equal; /* samples that cost more, and as much */
  const char *same_as; /* the name of one before it that is the same placement, or NULL */
} explored_t;

/* A mapper that doesn't serve the problem. */
typedef struct left_out {
  const char *name;
  berth_error_t why;
} left_out_t;

typedef struct explore_view {
  const inputs_t *in;
  size_t n_samples;
  double *sample;     /* costs in seconds, in the order of their numbers */
  double *sorted;     /* the same, increasing */
  double lower_bound; /* NAN: unknown */
  size_t n;
  explored_t *placement; /* the cheapest first */
  size_t n_left_out;
  left_out_t *left_out;
} explore_view_t;

/* How many samples are in each of `bins` equal parts of the way from the cheapest to the most
 * expensive one. */
void explore_histogram(const explore_view_t *v, size_t bins, size_t *count);

void explore_print(const explore_view_t *v);

/* The object of docs/formats/explore.md, and a line of values for each sample and placement. */
int explore_json(const explore_view_t *v, const char *path, berth_error_t *err);
int explore_csv(const explore_view_t *v, const char *path, berth_error_t *err);

#endif
