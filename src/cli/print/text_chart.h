/* SPDX-License-Identifier: BSD-3-Clause */
/* A curve as a picture of characters, at most 80 columns wide without a terminal: x to the right, y
 * upwards, both logarithmic. */
#ifndef BERTH_CLI_PRINT_TEXT_CHART_H
#define BERTH_CLI_PRINT_TEXT_CHART_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

typedef const char *chart_text_t(double value, char buf[TEXT_NUMBER]);

typedef struct chart {
  size_t n;                      /* at least 1 */
  const double *x, *y;           /* above 0; x strictly increasing */
  const double *spread;          /* as in berth_curve_t; NULL: unknown */
  chart_text_t *x_text, *y_text; /* how values are written beside the axes */
} chart_t;

void chart_print(const chart_t *c);
/* What its marks mean; `ranges`: some points have spreads. */
void chart_print_legend(bool ranges);

#endif
