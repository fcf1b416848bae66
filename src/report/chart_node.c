/* SPDX-License-Identifier: BSD-3-Clause */
/* Draws the main curves of a node: copies, memory as cores are added, messages in blocks. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "base/text.h"
#include "report/data_node.h"
#include "report/svg.h"

/* A plot is below its head and a line of names, beside values of LEFT pixels; sizes are below it.
 */
enum { LEFT = 92, RIGHT = 30, HEAD = 50, PLOT = 150, BELOW = 44, HEIGHT = HEAD + PLOT + BELOW };
enum { MAX_LINES = 4, MAX_POINTS = 1000 };

typedef struct line {
  const char *name;
  size_t n;
  double x[MAX_POINTS], y[MAX_POINTS], spread[MAX_POINTS];
} line_t;

typedef const char *text_t(double value, char buf[TEXT_NUMBER]);

typedef struct plot {
  out_file_t *out;
  double top;            /* of the plot that is drawn next */
  double x0, x1, y0, y1; /* the ranges, as logarithms if `log` */
  bool log;              /* both axes are logarithmic; else both begin at 0 */
  text_t *x_text, *y_text;
  size_t n;
  line_t line[MAX_LINES];
} plot_t;

static const char *const classes[MAX_LINES] = {"l0", "l1", "l2", "l3"};

static line_t *add_line(plot_t *p, const char *name)
{
  line_t *line = &p->line[p->n++];
  line->name = name;
  line->n = 0;
  return line;
}

/* Nothing has a place at 0 on a logarithmic axis. */
static void add_point(const plot_t *p, line_t *line, double x, double y, double spread)
{
  if (line->n == MAX_POINTS || !(x > 0 || (!p->log && x >= 0)) || !(y > 0)) return;
  line->x[line->n] = x;
  line->y[line->n] = y;
  line->spread[line->n++] = spread;
}

static void add_curve(const plot_t *p, line_t *line, const berth_node_curve_t *c)
{
  for (size_t i = 0; i < c->n; i++) add_point(p, line, c->x[i], c->y[i], c->spread[i]);
}

/* --- places --- */

static double scaled(const plot_t *p, double v) { return p->log ? log(fmax(v, 1e-300)) : v; }

static double at_x(const plot_t *p, double x)
{
  return LEFT + 6 + (scaled(p, x) - p->x0) / (p->x1 - p->x0) * (SVG_WIDTH - LEFT - RIGHT - 12);
}

/* What is beyond the plot is at its edge. */
static double at_y(const plot_t *p, double y)
{
  double share = (scaled(p, y) - p->y0) / (p->y1 - p->y0);
  return p->top + HEAD + PLOT - fmin(fmax(share, 0), 1) * PLOT;
}

static void set_ranges(plot_t *p)
{
  double x0 = INFINITY, x1 = 0, y0 = INFINITY, y1 = 0;
  for (size_t k = 0; k < p->n; k++)
    for (size_t i = 0; i < p->line[k].n; i++) {
      x0 = fmin(x0, p->line[k].x[i]);
      x1 = fmax(x1, p->line[k].x[i]);
      y0 = fmin(y0, p->line[k].y[i]);
      y1 = fmax(y1, p->line[k].y[i]);
    }
  p->x0 = p->log ? log(x0) : 0;
  p->x1 = scaled(p, x1);
  p->y0 = p->log ? log(y0 / 1.2) : 0;
  p->y1 = p->log ? log(y1 * 1.2) : y1 * 1.05;
  if (p->x1 - p->x0 < 1e-9) p->x1 = p->x0 + 1;
}

/* --- axes --- */

/* A number of an axis without zeros behind the point: "64 KiB" of "64.00 KiB". */
static const char *trimmed(text_t *text, double value, char buf[TEXT_NUMBER])
{
  char whole[TEXT_NUMBER];
  text(value, whole);
  size_t digits = strspn(whole, "0123456789."), keep = digits;
  if (memchr(whole, '.', digits)) {
    while (whole[keep - 1] == '0') keep--;
    if (whole[keep - 1] == '.') keep--;
  }
  snprintf(buf, TEXT_NUMBER, "%.*s%s", (int)keep, whole, whole + digits);
  return buf;
}

static void put_tick_x(const plot_t *p, double x)
{
  char text[TEXT_NUMBER];
  double bottom = p->top + HEAD + PLOT;
  svg_line(p->out, "axis", at_x(p, x), bottom, at_x(p, x), bottom + 4);
  svg_text(p->out, "soft middle", at_x(p, x), bottom + 17, trimmed(p->x_text, x, text));
}

static void put_tick_y(const plot_t *p, double y)
{
  char text[TEXT_NUMBER];
  svg_line(p->out, "axis", LEFT, at_y(p, y), SVG_WIDTH - RIGHT, at_y(p, y));
  svg_text(p->out, "soft right", LEFT - 6, at_y(p, y) + 4, trimmed(p->y_text, y, text));
}

/* Powers of 2, at most 5 of them; or whole numbers. */
static void put_ticks_x(const plot_t *p)
{
  if (!p->log) {
    double step = fmax(1, ceil(p->x1 / 6));
    for (double x = step; x <= p->x1 + 1e-9; x += step) put_tick_x(p, x);
    return;
  }
  double from = ceil(p->x0 / M_LN2 - 1e-9), to = floor(p->x1 / M_LN2 + 1e-9);
  double step = fmax(1, ceil((to - from + 1) / 5));
  for (double k = from; k <= to; k += step) put_tick_x(p, exp2(k));
}

/* At each power of 10, and at 2 and 5 times that if there are few; or at 1, 2 or 5 times one. */
static void put_ticks_y(const plot_t *p)
{
  static const double factors[] = {1, 2, 5};
  double decades = (p->y1 - p->y0) / M_LN10;
  if (p->log) {
    for (double k = floor(p->y0 / M_LN10); k <= ceil(p->y1 / M_LN10); k++)
      for (int f = 0; f < (decades < 2.5 ? 3 : 1); f++) {
        double y = factors[f] * pow(10, k);
        if (log(y) >= p->y0 && log(y) <= p->y1) put_tick_y(p, y);
      }
    return;
  }
  double step = pow(10, floor(log10(p->y1 / 2)));
  while (p->y1 / step > 5) step *= p->y1 / step > 10 ? 5 : 2;
  for (double y = 0; y <= p->y1; y += step) put_tick_y(p, y);
}

/* --- lines --- */

static void put_way(const plot_t *p, const line_t *line, const char *class)
{
  out_printf(p->out, "<path class=\"%s\" d=\"", class);
  for (size_t i = 0; i < line->n; i++)
    out_printf(p->out, "%s%.6g %.6g", i ? "L" : "M", at_x(p, line->x[i]), at_y(p, line->y[i]));
  out_text(p->out, "\"/>\n");
  if (line->n == 1) svg_rect(p->out, "b1", at_x(p, *line->x) - 3, at_y(p, *line->y) - 3, 6, 6);
}

/* Spreads of more than 5%. */
static void put_spreads(const plot_t *p, const line_t *line, const char *class)
{
  for (size_t i = 0; i < line->n; i++) {
    double spread = line->spread[i];
    if (spread <= 0.05) continue;
    svg_line(p->out, class, at_x(p, line->x[i]), at_y(p, line->y[i] * fmax(0, 1 - spread)),
             at_x(p, line->x[i]), at_y(p, line->y[i] * (1 + spread)));
  }
}

static void put_lines(const plot_t *p)
{
  double x = 2;
  for (size_t k = 0; k < p->n; k++) {
    char class[32];
    svg_line(p->out, classes[k], x, p->top + 33, x + 26, p->top + 33);
    svg_text(p->out, "label", x + 31, p->top + 37, p->line[k].name);
    x += 46 + SVG_LETTER * (double)strlen(p->line[k].name);
    snprintf(class, sizeof class, "spread %s", classes[k]);
    put_spreads(p, &p->line[k], class);
    put_way(p, &p->line[k], classes[k]);
  }
}

/* Draws the lines and begins the next plot, unless there is nothing to draw. */
static void put_plot(plot_t *p, const char *head, const char *x_name)
{
  size_t points = 0;
  for (size_t k = 0; k < p->n; k++) points += p->line[k].n;
  if (points > 0) {
    set_ranges(p);
    svg_label(p->out, "head", 2, p->top + 15, head, (SVG_WIDTH - 2) / SVG_BOLD);
    put_ticks_y(p);
    put_ticks_x(p);
    svg_text(p->out, "soft right", SVG_WIDTH - 2, p->top + HEAD + PLOT + 34, x_name);
    put_lines(p);
  } else {
    svg_label(p->out, "soft", 2, p->top + 15, head, (SVG_WIDTH - 2) / SVG_LETTER);
    svg_text(p->out, "soft", LEFT, p->top + 60, "nothing was measured");
  }
  p->top += HEIGHT;
  p->n = 0;
}

/* --- what is drawn --- */

static void put_copies(plot_t *p, const berth_node_t *n, const char *state)
{
  char head[80];
  const berth_node_curve_t *plain = berth_node_find(n, BERTH_NODE_COPY, "memcpy", state, 0, 0);
  p->log = true;
  p->x_text = text_bytes;
  p->y_text = text_bandwidth;
  line_t *best = add_line(p, "the fastest kernel");
  for (size_t i = 0; plain && i < plain->n; i++) {
    const berth_node_curve_t *c = NULL;
    double x = plain->x[i], rate = berth_node_best_copy(n, state, 0, 0, x, &c);
    bool measured = c && i < c->n && c->x[i] == x;
    add_point(p, best, x, rate, measured ? c->spread[i] : BERTH_UNKNOWN_SPREAD);
  }
  if (plain) add_curve(p, add_line(p, "memcpy"), plain);
  snprintf(head, sizeof head, "copies by one core, %s buffers", state);
  put_plot(p, head, "bytes of a copy");
}

static void put_memory(plot_t *p, const berth_node_t *n)
{
  const berth_node_curve_t *close = berth_node_find(n, BERTH_NODE_MEMORY, "copy", "close", -1, -1);
  const berth_node_curve_t *far = berth_node_find(n, BERTH_NODE_MEMORY, "copy", "spread", -1, -1);
  p->log = false;
  p->x_text = text_count;
  p->y_text = text_bandwidth;
  if (close) add_curve(p, add_line(p, "neighbours first"), close);
  if (far) add_curve(p, add_line(p, "far ones first"), far);
  if (close && close->x[0] >= 1) {
    line_t *linear = add_line(p, "n times one");
    for (size_t i = 0; i < close->n; i++)
      add_point(p, linear, close->x[i], close->y[0] / close->x[0] * close->x[i], 0);
  }
  put_plot(p, "copies by several cores", "busy cores");
}

static const char *times_text(double ratio, char buf[TEXT_NUMBER])
{
  return text_number(ratio, 3, buf);
}

/* Times of messages of the middle size, by who packs the data that are sent. */
static void put_packing(plot_t *p, const berth_node_t *n)
{
  static const berth_packer_t who[] = {BERTH_PACKER_TYPE, BERTH_PACKER_HAND, BERTH_PACKER_MEMCPY,
                                       BERTH_PACKER_PACK};
  static const char *const names[] = {"datatype", "by hand", "memcpy", "MPI_Pack"};
  const berth_strided_t *base = berth_node_exchanges(n, 0);
  char head[400], size[TEXT_NUMBER];
  p->log = true;
  p->x_text = text_bytes;
  p->y_text = times_text;
  size_t middle = base ? base->n / 2 : 0;
  for (int k = 0; base && k < 4; k++) {
    line_t *line = add_line(p, names[k]);
    const berth_strided_t *t = berth_node_find_strided(n, base->mpi, who[k], BERTH_SIDE_SEND, 1, 0);
    for (size_t i = 0; t && i < t->n; i++)
      if (t->bytes[i] == base->bytes[middle])
        add_point(p, line, t->block[i], t->seconds[i] / base->seconds[middle], t->spread[i]);
  }
  if (base)
    snprintf(head, sizeof head, "%.100s: %s in blocks, times a contiguous one", base->mpi,
             text_bytes(base->bytes[middle], size));
  put_plot(p, base ? head : "messages in blocks", "bytes of a block");
}

int report_chart_node(const berth_report_t *r, const rated_t *placement, out_file_t *out,
                      berth_error_t *err)
{
  (void)placement;
  plot_t *p = calloc(1, sizeof *p);
  if (!p) return no_memory(err);
  const berth_node_t *n = berth_topo_type(r->topo, report_node_type(r))->node;
  p->out = out;
  svg_open(out, "What was measured of a node", 4 * HEIGHT, true);
  put_copies(p, n, "hot");
  put_copies(p, n, "cold");
  put_memory(p, n);
  put_packing(p, n);
  svg_close(out);
  free(p);
  return BERTH_OK;
}
