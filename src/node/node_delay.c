/* SPDX-License-Identifier: BSD-3-Clause */
/* What interruptions add to an interval of work on the slowest of many cores. Interruptions of each
 * length come at random (a compound Poisson process, by the recursion of Panjer, 1981); those with
 * a period come once in each. The slowest of N ranks has the distribution of a maximum: the product
 * of the cores' distributions (as in Petrini, Kerbyson and Pakin, 2003). */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "node/node_internal.h"

enum { CELLS = 4096 };

/* The lengths of a core's interruptions, and how many come in the interval. */
typedef struct lengths {
  double length_s[BERTH_NODE_BINS], expected[BERTH_NODE_BINS];
  size_t n;
  double regular_s, times; /* those with a period: their length, and how many on average */
} lengths_t;

/* The mean length in bin i. The last bin ends at the longest interruption. */
static double middle(const berth_node_noise_t *z, size_t i)
{
  double low = z->at_least_s[i], high = i + 1 < z->n ? z->at_least_s[i + 1] : z->longest_s;
  return (low + fmax(high, low)) / 2;
}

/* Lengths are scaled so that all of them are the time that was lost. */
static double scale_of(const berth_node_noise_t *z)
{
  double sum = 0;
  for (size_t i = 0; i < z->n; i++) sum += z->count[i] * middle(z, i);
  return sum > 0 ? z->lost * z->seconds / sum : 0;
}

static size_t main_bin(const berth_node_noise_t *z)
{
  size_t best = 0;
  for (size_t i = 1; i < z->n; i++)
    if (z->count[i] * middle(z, i) > z->count[best] * middle(z, best)) best = i;
  return best;
}

/* `sigmas`: so many standard deviations of what was counted are added. */
static void take(const berth_node_noise_t *z, double work_s, double sigmas, lengths_t *out)
{
  double scale = scale_of(z);
  size_t regular = z->period_s > 0 && z->n > 0 ? main_bin(z) : z->n;
  *out = (lengths_t){0};
  for (size_t i = 0; i < z->n && z->seconds > 0; i++) {
    double count = fmax(z->count[i] + sigmas * sqrt(fmax(z->count[i], 1)), 0);
    double expected = count / z->seconds * work_s;
    if (i == regular) {
      out->regular_s = scale * middle(z, i);
      out->times = work_s / z->period_s;
    } else {
      out->length_s[out->n] = scale * middle(z, i);
      out->expected[out->n++] = expected;
    }
  }
}

static double mean_of(const lengths_t *l)
{
  double sum = l->times * l->regular_s;
  for (size_t i = 0; i < l->n; i++) sum += l->expected[i] * l->length_s[i];
  return sum;
}

static double variance_of(const lengths_t *l)
{
  double sum = 0;
  for (size_t i = 0; i < l->n; i++) sum += l->expected[i] * l->length_s[i] * l->length_s[i];
  return sum;
}

/* An end that nearly no sum exceeds. */
static double end_of(const lengths_t *l)
{
  double longest = l->regular_s;
  for (size_t i = 0; i < l->n; i++) longest = fmax(longest, l->length_s[i]);
  return mean_of(l) + 8 * sqrt(variance_of(l)) + 3 * longest;
}

/* The sum of what comes often, or is shorter than half a cell: nearly normal. */
typedef struct often {
  double mean, deviation; /* in cells */
} often_t;

static bool comes_often(const lengths_t *l, size_t i, double cell)
{
  const double many = 600; /* of all bins: exp(-many) is above 0 */
  return l->expected[i] > many / (double)l->n || l->length_s[i] < cell / 2;
}

static often_t sum_often(const lengths_t *l, double cell)
{
  double mean = 0, variance = 0;
  for (size_t i = 0; i < l->n; i++) {
    if (!comes_often(l, i, cell)) continue;
    mean += l->expected[i] * l->length_s[i];
    variance += l->expected[i] * l->length_s[i] * l->length_s[i];
  }
  return (often_t){mean / cell, sqrt(variance) / cell};
}

/* The probability that what comes often takes at most k cells. If it varies by less than a cell, it
 * takes its mean: one of two whole numbers of cells. */
static double at_most(const often_t *o, double k)
{
  const double least = 0.3;
  double whole = floor(o->mean);
  if (o->deviation < least) return k < whole ? 0 : k < whole + 1 ? 1 - (o->mean - whole) : 1;
  return 0.5 * erfc((o->mean - k - 0.5) / (o->deviation * sqrt(2)));
}

/* p[k]: the probability that what comes rarely takes k cells, by Panjer's recursion. */
static void distribute_rare(const lengths_t *l, double cell, double *p)
{
  double all = 0;
  size_t cells[BERTH_NODE_BINS] = {0};
  for (size_t i = 0; i < l->n; i++) {
    if (comes_often(l, i, cell)) continue;
    cells[i] = (size_t)floor(l->length_s[i] / cell + 0.5);
    all += l->expected[i];
  }
  p[0] = exp(-all);
  for (size_t k = 1; k < CELLS; k++) {
    double sum = 0;
    for (size_t i = 0; i < l->n; i++)
      if (cells[i] && cells[i] <= k) sum += l->expected[i] * (double)cells[i] * p[k - cells[i]];
    p[k] = sum / (double)k;
  }
}

/* below[k]: the probability that the irregular ones together take at most k cells. */
static void distribute(const lengths_t *l, double cell, double *below)
{
  double p[CELLS], before[CELLS];
  const often_t often = sum_often(l, cell);
  distribute_rare(l, cell, p);
  double sum = 0;
  for (size_t k = 0; k < CELLS; k++) before[k] = sum += p[k];
  /* sum over k of p[k] times the probability that the others take the rest */
  double low = floor(often.mean - 6 * fmax(often.deviation, 1)), high = 2 * often.mean - low;
  for (size_t k = 0; k < CELLS; k++) {
    double here = 0, last = 0;
    for (double j = fmax(low, 0); j <= high && j <= (double)k; j++) {
      double share = at_most(&often, j);
      here += (share - last) * before[k - (size_t)j];
      last = share;
    }
    below[k] = fmin(here, 1);
  }
}

static double at(const double *below, double cells)
{
  return cells < 0 ? 0 : below[cells < CELLS ? (size_t)cells : CELLS - 1];
}

/* Multiplies product[k] by the probability that `ranks` such cores all take at most k cells. */
static void multiply(const lengths_t *l, double cell, double ranks, double *product)
{
  double below[CELLS];
  distribute(l, cell, below);
  double least = floor(l->times), more = l->times - least;
  for (size_t k = 0; k < CELLS; k++) {
    double x = (double)k - least * l->regular_s / cell;
    double here = (1 - more) * at(below, x) + more * at(below, x - l->regular_s / cell);
    product[k] *= pow(here, ranks);
  }
}

/* The mean of the slowest: the sum over x of the probability that it takes longer. */
static double expected_maximum(const lengths_t *l, size_t n, double ranks)
{
  static const double nothing = 1e-12;
  double end = 0, sum = 0, *product = malloc(CELLS * sizeof *product);
  for (size_t i = 0; i < n; i++) end = fmax(end, end_of(&l[i]));
  if (!product || end < nothing) {
    free(product);
    return product ? 0 : NAN;
  }
  for (size_t k = 0; k < CELLS; k++) product[k] = 1;
  double each = floor(ranks / (double)n), more = ranks - each * (double)n;
  for (size_t i = 0; i < n; i++)
    multiply(&l[i], end / CELLS, each + ((double)i + 0.5 < more), product);
  for (size_t k = 0; k < CELLS; k++) sum += 1 - product[k];
  free(product);
  return sum * end / CELLS;
}

/* The cores that worked: with a PU left idle, or with none. */
static bool counts(const berth_node_noise_t *z, int idle) { return (z->idle >= 0) == (idle != 0); }

static double delay(const berth_node_t *n, int idle, double work_s, double ranks, double sigmas,
                    lengths_t *l)
{
  size_t cores = 0;
  for (size_t i = 0; i < n->n_noise; i++)
    if (counts(&n->noise[i], idle)) take(&n->noise[i], work_s, sigmas, &l[cores++]);
  return cores ? expected_maximum(l, cores, fmax(ranks, 1)) : 0;
}

int berth_node_noise_delay(const berth_node_t *n, int idle, double work_s, double ranks,
                           berth_node_delay_t *out, berth_error_t *err)
{
  lengths_t *l = malloc((n->n_noise + 1) * sizeof *l);
  if (!l) return no_memory(err);
  double mean = delay(n, idle, work_s, ranks, 0, l);
  *out = (berth_node_delay_t){mean, fmin(delay(n, idle, work_s, ranks, -2, l), mean),
                              fmax(delay(n, idle, work_s, ranks, 2, l), mean)};
  free(l);
  return isnan(out->mean_s) ? no_memory(err) : BERTH_OK;
}

int berth_node_has_noise(const berth_node_t *n, int idle)
{
  for (size_t i = 0; i < n->n_noise; i++)
    if (counts(&n->noise[i], idle)) return 1;
  return 0;
}
