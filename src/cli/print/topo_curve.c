/* SPDX-License-Identifier: BSD-3-Clause */
/* A curve as a picture of characters: size to the right, bandwidth upwards, both logarithmic. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/print/screen.h"
#include "cli/print/topo_view.h"

/* BESIDE: columns of the labels. LABEL: a size below the axis, and a blank. */
enum { ROWS = 7, COLUMNS = 61, BESIDE = 17, LABEL = 11 };

typedef struct picture {
  int columns, room;     /* of the picture, and those that there are for sizes below it */
  double x0, x1, y0, y1; /* logarithms of the least and the largest size and bandwidth */
  char cell[ROWS][COLUMNS + 1];
} picture_t;

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
  if (!pictures) return;
  puts("  both axes logarithmic; * is a point of the curve");
  if (ranges) puts("  | above and below a point: nine of ten of its samples, where they span rows");
}

static int column_of(const picture_t *p, double size)
{
  return (int)lround((log(size) - p->x0) / (p->x1 - p->x0) * (p->columns - 1));
}

/* From 0, the lowest. What lies beyond is at the edge. */
static int row_of(const picture_t *p, double bandwidth)
{
  double y = (log(fmax(bandwidth, 1e-300)) - p->y0) / (p->y1 - p->y0) * (ROWS - 1);
  return (int)lround(fmin(fmax(y, 0), ROWS - 1));
}

static void set_axes(picture_t *p, const berth_curve_t *c)
{
  double min = c->bandwidth[0], max = min;
  for (size_t i = 1; i < c->n; i++) {
    min = fmin(min, c->bandwidth[i]);
    max = fmax(max, c->bandwidth[i]);
  }
  int room = screen_columns() > 0 ? screen_columns() - BESIDE : COLUMNS + TEXT_NUMBER;
  *p = (picture_t){.columns = room < COLUMNS ? room : COLUMNS,
                   .room = room,
                   .x0 = log(c->size[0]),
                   .x1 = log(c->size[c->n - 1]),
                   .y0 = log(min),
                   .y1 = log(max)};
  if (p->x1 - p->x0 < 1e-9) p->x1 = p->x0 + 1;
  if (p->y1 - p->y0 < 1e-9) p->y1 = p->y0 + 1;
  for (int r = 0; r < ROWS; r++) memset(p->cell[r], ' ', (size_t)p->columns);
}

/* Points over the range of their samples, where that is wider than a row. */
static void draw(picture_t *p, const berth_curve_t *c)
{
  for (size_t i = 0; i < c->n; i++) {
    int x = column_of(p, c->size[i]);
    double spread = c->spread ? fmax(c->spread[i], 0) : 0;
    int low = row_of(p, c->bandwidth[i] * (1 - fmin(spread, 1)));
    int high = row_of(p, c->bandwidth[i] * (1 + spread));
    for (int r = low; r <= high; r++)
      if (p->cell[r][x] == ' ') p->cell[r][x] = '|';
  }
  for (size_t i = 0; i < c->n; i++)
    p->cell[row_of(p, c->bandwidth[i])][column_of(p, c->size[i])] = '*';
}

/* How many parts the axis has between sizes below it: up to 4, as many as leave room for all. */
static int parts_of_axis(const picture_t *p, int last)
{
  int n = 4;
  while (n > 1 && ((p->columns - 1) / n < LABEL || (p->columns - 1) * (n - 1) / n + LABEL > last))
    n--;
  return n;
}

/* Sizes below the axis, each where its column begins; the last one ends where the terminal does, if
 * it is too long. */
static void print_sizes(const picture_t *p)
{
  char line[COLUMNS + TEXT_NUMBER + 1], size[TEXT_NUMBER];
  memset(line, ' ', sizeof line);
  text_bytes(round(exp(p->x1)), size);
  int last = p->room - (int)strlen(size);
  if (last > p->columns - 1) last = p->columns - 1;
  memcpy(line + last, size, strlen(size));
  for (int k = 0, parts = parts_of_axis(p, last); k < parts; k++) {
    double bytes = exp(p->x0 + (p->x1 - p->x0) * k / parts);
    text_bytes(bytes >= 2 ? exp2(round(log2(bytes))) : round(bytes), size);
    memcpy(line + (p->columns - 1) * k / parts, size, strlen(size));
  }
  size_t n = sizeof line;
  while (n > 0 && line[n - 1] == ' ') n--;
  printf("%*s%.*s\n", BESIDE, "", (int)n, line);
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
  picture_t p;
  printf("  %s%s%s%s\n", c->name, *c->source ? " (" : "", c->source, *c->source ? ")" : "");
  set_axes(&p, c);
  draw(&p, c);
  for (int r = ROWS; r-- > 0;) {
    bool labelled = r % 2 == 0;
    double bandwidth = exp(p.y0 + (p.y1 - p.y0) * r / (ROWS - 1));
    for (int n = p.columns; n > 0 && p.cell[r][n - 1] == ' '; n--) p.cell[r][n - 1] = '\0';
    printf("    %11s %c%s\n", labelled ? text_bandwidth(bandwidth, label) : "",
           labelled ? '+' : '|', p.cell[r]);
  }
  print_sizes(&p);
  print_origin(c);
}
