/* SPDX-License-Identifier: BSD-3-Clause */
/* The communication matrix as a picture. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "report/report_internal.h"
#include "report/svg.h"

enum { CELLS = 256, SIDE = 600, LEFT = 90, TOP = 54, FOOT = 66, RIGHT = 40, TICKS = 8 };

/* Bytes by row (from) and column (to), of groups of ranks. */
typedef struct field {
  int group, n; /* ranks of a group; groups */
  double *bytes, least, most;
} field_t;

static int fill(const berth_report_t *r, const rated_t *order, field_t *f, berth_error_t *err)
{
  int rc = BERTH_OK, *position = report_positions(r, order, err);
  if (!position) return err->code;
  f->group = report_group_size(r, CELLS);
  f->n = (berth_pattern_ranks(r->pattern) + f->group - 1) / f->group;
  f->bytes = calloc((size_t)f->n * (size_t)f->n, sizeof *f->bytes);
  if (!f->bytes) rc = berth_fail(err, BERTH_MISSING, "out of memory");
  for (size_t k = 0; k < r->summary.n_phases && !rc; k++) {
    double repeats = (double)r->summary.phases[k].phase->repeats;
    for (size_t i = 0; i < r->pairs[k].n; i++) {
      const cell_t *c = &r->pairs[k].cell[i];
      int row = position[c->src] / f->group, column = position[c->dst] / f->group;
      f->bytes[row * f->n + column] += repeats * c->bytes;
    }
  }
  free(position);
  for (int i = 0; !rc && i < f->n * f->n; i++) {
    if (f->bytes[i] > 0 && (f->least == 0 || f->bytes[i] < f->least)) f->least = f->bytes[i];
    f->most = fmax(f->most, f->bytes[i]);
  }
  return rc;
}

static int colour_of(const field_t *f, double bytes)
{
  if (f->most <= f->least) return SVG_COLOURS - 1;
  return svg_colour(log(bytes / f->least) / log(f->most / f->least));
}

/* All cells of a colour are one path, neighbours in a row one rectangle. */
static void put_colour(out_file_t *out, const field_t *f, int colour)
{
  bool any = false;
  double size = (double)SIDE / f->n;
  for (int row = 0; row < f->n; row++)
    for (int column = 0, end; column < f->n; column = end) {
      end = column + 1;
      const double *b = &f->bytes[row * f->n];
      if (b[column] <= 0 || colour_of(f, b[column]) != colour) continue;
      while (end < f->n && b[end] > 0 && colour_of(f, b[end]) == colour) end++;
      if (!any) out_printf(out, "<path class=\"c%d\" d=\"", colour);
      any = true;
      double width = (end - column) * size;
      out_printf(out, "M%.5g %.5gh%.4gv%.4gh-%.4gz", LEFT + column * size, TOP + row * size, width,
                 size, width);
    }
  if (any) out_text(out, "\"/>\n");
}

static void put_ticks(out_file_t *out, const field_t *f, int ranks)
{
  char text[32];
  int step = 1;
  while (ranks / step > TICKS) step *= 2;
  for (int rank = 0; rank < ranks; rank += step) {
    double at = (double)SIDE * rank / ((double)f->n * f->group);
    snprintf(text, sizeof text, "%d", rank);
    svg_line(out, "axis", LEFT + at, TOP - 5, LEFT + at, TOP);
    svg_text(out, "soft", LEFT + at + 2, TOP - 7, text);
    svg_line(out, "axis", LEFT - 5, TOP + at, LEFT, TOP + at);
    svg_text(out, "soft right", LEFT - 8, TOP + at + 11, text);
  }
}

static void put_legend(out_file_t *out, const field_t *f)
{
  char text[64], bytes[TEXT_NUMBER];
  double y = TOP + SIDE + 16, step = 26;
  if (f->most <= 0) {
    svg_text(out, "soft", LEFT, y + 12, "no bytes are sent");
    return;
  }
  text_bytes(f->least, bytes);
  snprintf(text, sizeof text, "%s", bytes);
  svg_text(out, "right", LEFT + 60, y + 12, text);
  for (int i = 0; i < SVG_COLOURS; i++) {
    char class[8];
    snprintf(class, sizeof class, "c%d", i);
    svg_rect(out, class, LEFT + 68 + i * step, y, step, 14);
  }
  snprintf(text, sizeof text, "%s, logarithmic", text_bytes(f->most, bytes));
  svg_text(out, "value", LEFT + 76 + SVG_COLOURS * step, y + 12, text);
  if (f->group > 1) {
    snprintf(text, sizeof text, "each cell: %d x %d ranks", f->group, f->group);
    svg_text(out, "soft", LEFT + 68, y + 32, text);
  }
}

int report_chart_matrix(const berth_report_t *r, const rated_t *order, out_file_t *out,
                        berth_error_t *err)
{
  char head[384];
  field_t f = {0};
  int rc = fill(r, order, &f, err);
  if (!rc) {
    snprintf(head, sizeof head, "bytes from (row) to (column), %s%s",
             order ? "ranks in the order of their places in " : "by rank",
             order ? report_short_name(order) : "");
    svg_open(out, head, LEFT + SIDE + RIGHT, TOP + SIDE + FOOT, true);
    svg_label(out, "head", LEFT, 20, head, 80);
    svg_rect(out, "band", LEFT, TOP, SIDE, SIDE);
    for (int colour = 0; colour < SVG_COLOURS; colour++) put_colour(out, &f, colour);
    put_ticks(out, &f, berth_pattern_ranks(r->pattern));
    put_legend(out, &f);
    svg_close(out);
  }
  free(f.bytes);
  return rc;
}
