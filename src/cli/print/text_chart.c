/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/print/text_chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/print/screen.h"

/* BESIDE: columns of the labels. LABEL: a value below the axis, and a blank. */
enum { ROWS = 7, COLUMNS = 61, BESIDE = 17, LABEL = 11 };

typedef struct picture {
  int columns, room;     /* of the picture, and those that there are for values below it */
  double x0, x1, y0, y1; /* logarithms of the minima and maxima */
  char cell[ROWS][COLUMNS + 1];
} picture_t;

void chart_print_legend(bool ranges)
{
  puts("  both axes logarithmic; * is a point of the curve");
  if (ranges) puts("  | above and below a point: nine of ten of its samples, where they span rows");
}

static int column_of(const picture_t *p, double x)
{
  return (int)lround((log(x) - p->x0) / (p->x1 - p->x0) * (p->columns - 1));
}

/* From 0, the lowest. What lies beyond is at the edge. */
static int row_of(const picture_t *p, double value)
{
  double y = (log(fmax(value, 1e-300)) - p->y0) / (p->y1 - p->y0) * (ROWS - 1);
  return (int)lround(fmin(fmax(y, 0), ROWS - 1));
}

static void set_axes(picture_t *p, const chart_t *c)
{
  double min = c->y[0], max = min;
  for (size_t i = 1; i < c->n; i++) {
    min = fmin(min, c->y[i]);
    max = fmax(max, c->y[i]);
  }
  int room = (screen_columns() > 0 ? screen_columns() : SCREEN_USUAL) - BESIDE;
  *p = (picture_t){.columns = room < COLUMNS ? room : COLUMNS,
                   .room = room,
                   .x0 = log(c->x[0]),
                   .x1 = log(c->x[c->n - 1]),
                   .y0 = log(min),
                   .y1 = log(max)};
  if (p->x1 - p->x0 < 1e-9) p->x1 = p->x0 + 1;
  if (p->y1 - p->y0 < 1e-9) p->y1 = p->y0 + 1;
  for (int r = 0; r < ROWS; r++) memset(p->cell[r], ' ', (size_t)p->columns);
}

/* Points over the range of their samples, where that is wider than a row. */
static void draw(picture_t *p, const chart_t *c)
{
  for (size_t i = 0; i < c->n; i++) {
    int x = column_of(p, c->x[i]);
    double spread = c->spread ? fmax(c->spread[i], 0) : 0;
    int low = row_of(p, c->y[i] * (1 - fmin(spread, 1)));
    int high = row_of(p, c->y[i] * (1 + spread));
    for (int r = low; r <= high; r++)
      if (p->cell[r][x] == ' ') p->cell[r][x] = '|';
  }
  for (size_t i = 0; i < c->n; i++) p->cell[row_of(p, c->y[i])][column_of(p, c->x[i])] = '*';
}

/* How many parts the axis has between sizes below it: up to 4, as many as leave room for all. */
static int parts_of_axis(const picture_t *p, int last)
{
  int n = 4;
  while (n > 1 && ((p->columns - 1) / n < LABEL || (p->columns - 1) * (n - 1) / n + LABEL > last))
    n--;
  return n;
}

/* Values below the axis, each where its column begins, unless the next one is the same. The last
 * one ends where the terminal does, if it is too long. */
static void print_values(const picture_t *p, chart_text_t *x_text)
{
  char line[COLUMNS + TEXT_NUMBER + 1], text[TEXT_NUMBER], next[TEXT_NUMBER];
  memset(line, ' ', sizeof line);
  x_text(round(exp(p->x1)), next);
  int last = p->room - (int)strlen(next);
  if (last > p->columns - 1) last = p->columns - 1;
  memcpy(line + last, next, strlen(next));
  int parts = parts_of_axis(p, last);
  for (int k = parts; k-- > 0;) {
    double x = exp(p->x0 + (p->x1 - p->x0) * k / parts);
    x_text(x >= 2 ? exp2(round(log2(x))) : round(x), text);
    bool same = strcmp(text, next) == 0;
    memcpy(next, text, sizeof text);
    if (k == 0 || !same) memcpy(line + (p->columns - 1) * k / parts, text, strlen(text));
  }
  size_t n = sizeof line;
  while (n > 0 && line[n - 1] == ' ') n--;
  printf("%*s%.*s\n", BESIDE, "", (int)n, line);
}

void chart_print(const chart_t *c)
{
  char label[TEXT_NUMBER];
  picture_t p;
  set_axes(&p, c);
  draw(&p, c);
  for (int r = ROWS; r-- > 0;) {
    bool labelled = r % 2 == 0;
    double y = exp(p.y0 + (p.y1 - p.y0) * r / (ROWS - 1));
    for (int n = p.columns; n > 0 && p.cell[r][n - 1] == ' '; n--) p.cell[r][n - 1] = '\0';
    printf("    %11s %c%s\n", labelled ? c->y_text(y, label) : "", labelled ? '+' : '|', p.cell[r]);
  }
  print_values(&p, c->x_text);
}
