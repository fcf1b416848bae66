/* SPDX-License-Identifier: BSD-3-Clause */
/* Draws the communication matrix. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "base/text.h"
#include "report/report_internal.h"
#include "report/svg.h"

/* LEFT is for the axis title and names of up to NAME letters. */
enum { CELLS = 256, LEFT = 84, SIDE = SVG_WIDTH - LEFT - 12, TICKS = 8, NAME = 7, TICK_ROOM = 16 };

/* Bytes by row (sender) and column (receiver), for groups of ranks. */
typedef struct field {
  int group, n; /* ranks of a group; number of groups */
  double *bytes, min, max;
  int *position; /* by rank: its position in the order */
} field_t;

static void add_phase(const berth_report_t *r, size_t phase, double times, field_t *f)
{
  for (size_t i = 0; i < r->pairs[phase].n; i++) {
    const cell_t *c = &r->pairs[phase].cell[i];
    int row = f->position[c->src] / f->group, column = f->position[c->dst] / f->group;
    f->bytes[row * f->n + column] += times * c->bytes;
  }
}

static int fill(const berth_report_t *r, const rated_t *order, field_t *f, berth_error_t *err)
{
  size_t phase = report_phase(r);
  f->position = report_positions(r, order, err);
  if (!f->position) return err->code;
  f->group = report_group_size(r, CELLS);
  f->n = (berth_pattern_ranks(r->pattern) + f->group - 1) / f->group;
  f->bytes = calloc((size_t)f->n * (size_t)f->n, sizeof *f->bytes);
  if (!f->bytes) return no_memory(err);
  if (phase != BERTH_REPORT_ALL_PHASES) add_phase(r, phase, 1, f);
  for (size_t k = 0; phase == BERTH_REPORT_ALL_PHASES && k < r->summary.n_phases; k++)
    add_phase(r, k, (double)r->summary.phases[k].phase->repeats, f);
  for (int i = 0; i < f->n * f->n; i++) {
    if (f->bytes[i] > 0 && (f->min == 0 || f->bytes[i] < f->min)) f->min = f->bytes[i];
    f->max = fmax(f->max, f->bytes[i]);
  }
  return BERTH_OK;
}

static int colour_of(const field_t *f, double bytes)
{
  if (f->max <= f->min) return SVG_COLOURS - 1;
  return svg_colour(log(bytes / f->min) / log(f->max / f->min));
}

/* Draws all cells of a colour as one path; neighbours in a row are one rectangle. */
static void put_colour(out_file_t *out, const field_t *f, double top, int colour)
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
      out_printf(out, "M%.5g %.5gh%.4gv%.4gh-%.4gz", LEFT + column * size, top + row * size, width,
                 size, width);
    }
  if (any) out_text(out, "\"/>\n");
}

/* Where the cell of a position begins. */
static double offset_of(const field_t *f, int position)
{
  return (double)SIDE * position / ((double)f->n * f->group);
}

static void put_column_tick(out_file_t *out, double top, double at, const char *text)
{
  svg_line(out, "axis", LEFT + at, top - 5, LEFT + at, top);
  svg_label(out, "soft", LEFT + at + 1, top - 7, text, NAME);
}

static void put_row_tick(out_file_t *out, double top, double at, const char *text)
{
  svg_line(out, "axis", LEFT - 5, top + at, LEFT, top + at);
  svg_label(out, "soft right", LEFT - 7, top + at + 12, text, NAME);
}

static void put_ranks(out_file_t *out, const field_t *f, double top, int ranks)
{
  char text[32];
  int step = 1;
  while (ranks / step > TICKS) step *= 2;
  for (int rank = 0; rank < ranks; rank += step) {
    snprintf(text, sizeof text, "%d", rank);
    put_column_tick(out, top, offset_of(f, rank), text);
    put_row_tick(out, top, offset_of(f, rank), text);
  }
}

/* Lists the host at each position of the order. NULL when memory is out. */
static int *hosts_in_order(const berth_report_t *r, const rated_t *order, const field_t *f)
{
  int ranks = berth_pattern_ranks(r->pattern), *host = malloc((size_t)ranks * sizeof *host);
  for (int i = 0; host && i < ranks; i++)
    host[f->position[i]] = berth_topo_pu(r->topo, order->is.pu_of_rank[i])->host;
  return host;
}

/* Draws names of hosts if there is room, and their borders if these can be told apart. */
static int put_hosts(const berth_report_t *r, const rated_t *order, out_file_t *out,
                     const field_t *f, double top, berth_error_t *err)
{
  int ranks = berth_pattern_ranks(r->pattern), starts = 0;
  int *host = hosts_in_order(r, order, f);
  if (!host) return no_memory(err);
  double row = -SIDE, column = -SIDE; /* the last named ones */
  for (int i = 0; i < ranks; i++) starts += i == 0 || host[i] != host[i - 1];
  for (int i = 0; i < ranks; i++) {
    if (i && host[i] == host[i - 1]) continue;
    const char *name = berth_topo_host(r->topo, host[i])->name;
    size_t letters = strlen(name) < NAME ? strlen(name) : NAME;
    double at = offset_of(f, i), room = (double)letters * SVG_LETTER;
    if (i && (double)SIDE / starts >= 5) {
      svg_line(out, "border", LEFT + at, top, LEFT + at, top + SIDE);
      svg_line(out, "border", LEFT, top + at, LEFT + SIDE, top + at);
    }
    if (at - row >= TICK_ROOM && at <= SIDE - 14) put_row_tick(out, top, row = at, name);
    if (at < column || at + room > SIDE + 12) continue;
    put_column_tick(out, top, at, name);
    column = at + room + 6;
  }
  free(host);
  return BERTH_OK;
}

static void put_legend(out_file_t *out, const field_t *f, double y)
{
  char text[96], bytes[TEXT_NUMBER];
  double x = LEFT, step = 17;
  if (f->max <= 0) {
    svg_text(out, "soft", LEFT, y + 12, "no bytes are sent");
    return;
  }
  bool one = f->max <= f->min; /* all cells have one value and one colour */
  if (!one) {
    text_bytes(f->min, bytes);
    svg_text(out, "value", x, y + 12, bytes);
    x += (double)(strlen(bytes) + 1) * SVG_LETTER;
  }
  for (int i = one ? SVG_COLOURS - 1 : 0; i < SVG_COLOURS; i++, x += step) {
    char class[8];
    snprintf(class, sizeof class, "c%d", i);
    svg_rect(out, class, x, y, step, 14);
  }
  svg_text(out, "value", x + SVG_LETTER, y + 12, text_bytes(f->max, bytes));
  int used = snprintf(text, sizeof text, "%s", one ? "" : "logarithmic");
  if (f->group > 1)
    snprintf(text + used, sizeof text - (size_t)used, "%seach cell: %d × %d ranks", one ? "" : "; ",
             f->group, f->group);
  svg_text(out, "soft", LEFT, y + SVG_LINE + 14, text);
}

static void put_axes(out_file_t *out, double top, bool by_place)
{
  svg_text(out, "soft middle", LEFT + SIDE / 2.0, top - 24,
           by_place ? "to rank, at its host" : "to rank");
  svg_upwards(out, "soft middle", 13, top + SIDE / 2.0,
              by_place ? "from rank, at its host" : "from rank");
}

int report_chart_matrix(const berth_report_t *r, const rated_t *order, out_file_t *out,
                        berth_error_t *err)
{
  field_t f = {0};
  int rc = fill(r, order, &f, err);
  if (!rc) {
    size_t bold = SVG_WIDTH / SVG_BOLD, max = (SVG_WIDTH - 4) / SVG_LETTER;
    char *what = order ? report_role_label(r, (size_t)(order - r->placement))
                       : text_printf("ranks in the order of their numbers");
    char *phase = report_phase_text(r);
    char *bytes = phase ? text_printf("bytes between ranks, %s", phase) : NULL;
    int heads = svg_lines(NULL, "", 0, 0, what, bold);
    double top = 42 + SVG_LINE * (heads + svg_lines(NULL, "", 0, 0, bytes, max));
    svg_open(out, bytes, (int)top + SIDE + 52, true);
    svg_lines(out, "head", 4, 16, what, bold);
    svg_lines(out, "soft", 4, 16 + SVG_LINE * heads, bytes, max);
    svg_rect(out, "band", LEFT, top, SIDE, SIDE);
    for (int colour = 0; colour < SVG_COLOURS; colour++) put_colour(out, &f, top, colour);
    put_axes(out, top, order);
    if (order)
      rc = put_hosts(r, order, out, &f, top, err);
    else
      put_ranks(out, &f, top, berth_pattern_ranks(r->pattern));
    put_legend(out, &f, top + SIDE + 10);
    svg_close(out);
    free(what);
    free(phase);
    free(bytes);
  }
  free(f.bytes);
  free(f.position);
  return rc;
}
