/* SPDX-License-Identifier: BSD-3-Clause */
/* Values between measured points. */
#include <math.h>
#include <string.h>

#include "node/node_internal.h"

double berth_node_at(const berth_node_curve_t *c, double x)
{
  size_t i = 0;
  while (i < c->n && c->x[i] < x) i++;
  if (i == 0) return c->y[0];
  if (i == c->n) return c->y[c->n - 1];
  double low = log(fmax(c->x[i - 1], 1)), high = log(fmax(c->x[i], 1));
  double share = high > low ? (log(fmax(x, 1)) - low) / (high - low) : 1;
  return c->y[i - 1] + share * (c->y[i] - c->y[i - 1]);
}

double berth_node_best_copy(const berth_node_t *n, const char *state, int core_numa,
                            int memory_numa, double bytes, const berth_node_curve_t **best)
{
  double rate = 0;
  for (size_t i = 0; i < n->n_curves; i++) {
    const berth_node_curve_t *c = &n->curves[i];
    if (c->what != BERTH_NODE_COPY || strcmp(c->state, state) != 0 || c->core_numa != core_numa ||
        c->memory_numa != memory_numa)
      continue;
    double here = berth_node_at(c, bytes);
    if (here > rate && best) *best = c;
    rate = fmax(rate, here);
  }
  return rate;
}
