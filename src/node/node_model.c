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

static const double GAIN = 1.05;

/* How many times as fast as memcpy a kernel is at least at x, in all states and places; 0 if it or
 * memcpy wasn't measured in one of these. */
static double least_gain(const berth_node_t *n, const char *kernel, double x)
{
  double least = INFINITY;
  for (size_t i = 0; i < n->n_curves; i++) {
    const berth_node_curve_t *plain = &n->curves[i];
    if (plain->what != BERTH_NODE_COPY || strcmp(plain->name, "memcpy") != 0) continue;
    const berth_node_curve_t *c = berth_node_find(n, BERTH_NODE_COPY, kernel, plain->state,
                                                  plain->core_numa, plain->memory_numa);
    if (!c) return 0;
    least = fmin(least, berth_node_at(c, x) / berth_node_at(plain, x));
  }
  return isinf(least) ? 0 : least;
}

/* The sum of the logarithms of its gains from *from on, the smallest size from which it gains at
 * all larger ones. */
static double total_gain(const berth_node_t *n, const berth_node_curve_t *c, double *from)
{
  double sum = 0;
  for (size_t i = c->n; i-- > 0;) {
    double gain = least_gain(n, c->name, c->x[i]);
    if (gain < GAIN) break;
    sum += log(gain);
    *from = c->x[i];
  }
  return sum;
}

const char *berth_node_large_copy(const berth_node_t *n, double *from)
{
  const char *best = NULL;
  double most = 0;
  for (size_t i = 0; i < n->n_curves; i++) {
    const berth_node_curve_t *c = &n->curves[i];
    double here = 0, gain = c->what == BERTH_NODE_COPY ? total_gain(n, c, &here) : 0;
    if (gain <= most) continue;
    most = gain;
    best = c->name;
    *from = here;
  }
  return best;
}
