/* SPDX-License-Identifier: BSD-3-Clause */
/* Placements side by side, for people and for scripts. */
#ifndef BERTH_CLI_PRINT_COMPARE_H
#define BERTH_CLI_PRINT_COMPARE_H

#include <stdbool.h>

#include "cli/options/inputs.h"
#include "cli/options/placed.h"
#include "cli/print/verdict.h"

typedef struct compared {
  const placed_t *is;
  berth_estimate_t total[BERTH_N_MODELS]; /* those asked for */
  const berth_cost_result_t *cost;        /* of communication under the model that sorts */
  size_t place;                           /* in the assessment */
  const char *same_as; /* the name of a row above that is the same placement, or NULL */
} compared_t;

typedef struct compare_view {
  const inputs_t *in; /* the objective is the model that sorts */
  bool asked[BERTH_N_MODELS];
  placed_list_t placed; /* in the order in which they were named */
  size_t n;
  compared_t *row;                /* the cheapest first */
  size_t reference;               /* its row */
  berth_assessment_t *assessment; /* by the model that sorts */
} compare_view_t;

void compare_print(const compare_view_t *v);

/* The object of docs/formats/compare.md, and one line of values for each row. */
int compare_json(const compare_view_t *v, const char *path, berth_error_t *err);
int compare_csv(const compare_view_t *v, const char *path, berth_error_t *err);

#endif
