/* SPDX-License-Identifier: BSD-3-Clause */
/* The curves of links: a picture of each, and what is known of its measurement. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/print/text_chart.h"
#include "cli/print/topo_view.h"

void topo_print_samples(double spread, int samples)
{
  char percent[TEXT_NUMBER];
  if (samples > 0 && spread < 0)
    printf(" (%d sample%s, spread unknown)", samples, samples == 1 ? "" : "s");
  else if (samples > 0)
    printf(" (+-%s%%, %d samples)", text_number(100 * spread, 2, percent), samples);
}

/* What the pictures' marks mean, where there is a picture. */
void topo_show_legend(const berth_topo_t *t)
{
  bool pictures = false, ranges = false;
  for (int k = 0; k < berth_topo_n_curves(t); k++) {
    const berth_curve_t *c = berth_topo_curve(t, k);
    pictures |= !berth_curve_is_default(c);
    ranges |= !berth_curve_is_default(c) && c->spread;
  }
  if (pictures) chart_print_legend(ranges);
}

static int by_value(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void print_spread(const berth_curve_t *c)
{
  char size[TEXT_NUMBER], median[TEXT_NUMBER], most[TEXT_NUMBER];
  size_t worst = 0, n = 0;
  double *sorted = cli_checked(malloc(c->n * sizeof *sorted));
  if (!sorted) return;
  for (size_t i = 0; i < c->n; i++) {
    if (c->spread[i] >= 0) sorted[n++] = c->spread[i];
    if (c->spread[i] > c->spread[worst]) worst = i;
  }
  qsort(sorted, n, sizeof *sorted, by_value);
  if (n > 0)
    printf(", spread +-%s%% (median), +-%s%% at %s", text_number(100 * sorted[n / 2], 2, median),
           text_number(100 * c->spread[worst], 2, most), text_bytes(c->size[worst], size));
  if (n < c->n) printf(", spread unknown at %zu point%s", c->n - n, c->n - n == 1 ? "" : "s");
  free(sorted);
}

static void print_origin(const berth_curve_t *c)
{
  const berth_origin_t *o = &c->origin;
  int min = 0, max = 0;
  printf("    %zu point%s", c->n, c->n == 1 ? "" : "s");
  for (size_t i = 0; c->samples && i < c->n; i++) {
    if (i == 0 || c->samples[i] < min) min = c->samples[i];
    if (c->samples[i] > max) max = c->samples[i];
  }
  if (max > min)
    printf(" of %d to %d samples", min, max);
  else if (max > 0)
    printf(" of %d sample%s", max, max == 1 ? "" : "s");
  if (c->spread) print_spread(c);
  if (*o->mpi) printf(", %s", o->mpi);
  if (*o->transport) printf(", %s", o->transport);
  if (*o->date) printf(", %s", o->date);
  putchar('\n');
}

void topo_show_curve(const berth_curve_t *c)
{
  char low[TEXT_NUMBER], high[TEXT_NUMBER], label[TEXT_NUMBER];
  if (berth_curve_is_default(c)) {
    size_t last = c->n - 1;
    printf("  %s (%s): %s at %s B", c->name, c->source, text_bandwidth(c->bandwidth[0], low),
           text_number(c->size[0], 6, label));
    printf(" to %s at %s\n", text_bandwidth(c->bandwidth[last], high),
           text_bytes(c->size[last], label));
    return;
  }
  printf("  %s%s%s%s\n", c->name, *c->source ? " (" : "", c->source, *c->source ? ")" : "");
  chart_print(&(chart_t){.n = c->n,
                         .x = c->size,
                         .y = c->bandwidth,
                         .spread = c->spread,
                         .x_text = text_bytes,
                         .y_text = text_bandwidth});
  print_origin(c);
}
