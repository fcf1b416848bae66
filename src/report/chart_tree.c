/* SPDX-License-Identifier: BSD-3-Clause */
/* Draws the machine's tree with the loads of its ports.
 * Each level is a row; elements are as wide as their number of PUs. Above a row is a band for each
 * port of its links, filled in proportion to the port's load. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "base/text.h"
#include "cost/cost_put.h"
#include "report/report_internal.h"
#include "report/svg.h"
#include "topo/topo_levels.h"

enum {
  LEFT = 100,
  SIDE = SVG_WIDTH - LEFT - 4,
  BAND = 18,
  NAMES = 20,
  SPACE = 8,
  PERCENT = 40,
  NAME = 12
};

/* Explains the names of bands. */
static const char foot[] =
    "Above an element are the ports of its link, at its parent and at its own end: ↑ uplink, "
    "↓ downlink. A band is as high as its port is loaded.";

typedef struct tree {
  const berth_report_t *r;
  out_file_t *out;
  const loads_t *loads;
  double *share;  /* of the most expensive resource's cost, by element and kind */
  bool *has_band; /* by depth and kind: some resource there has a load, before or after */
  const berth_phase_cost_t *phase; /* the bottleneck's phase */
} tree_t;

/* The maximum of both placements, so that their pictures have the same scale. */
static double find_max(tree_t *t)
{
  double max = 0;
  const size_t shown[] = {t->r->options.before, t->r->options.after};
  for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
    const loads_t *loads = report_loads(t->r, &t->r->placement[shown[i]]);
    for (size_t k = 0; k < loads->n; k++) {
      const berth_load_t *l = &loads->load[k];
      int depth = berth_topo_element(t->r->topo, l->resource.element)->depth;
      t->has_band[depth * BERTH_N_RESOURCE_KINDS + (int)l->resource.kind] = true;
      max = fmax(max, l->cost_s);
    }
  }
  return max;
}

static double share_of(const tree_t *t, int element, int kind)
{
  return t->share[(size_t)element * BERTH_N_RESOURCE_KINDS + (size_t)kind];
}

static double left_of(const tree_t *t, int element)
{
  const berth_element_t *e = berth_topo_element(t->r->topo, element);
  return LEFT + (double)SIDE * e->first_pu / berth_topo_n_pus(t->r->topo);
}

static double width_of(const tree_t *t, int element)
{
  const berth_element_t *e = berth_topo_element(t->r->topo, element);
  return (double)SIDE * e->n_pus / berth_topo_n_pus(t->r->topo);
}

static void put_filling(const tree_t *t, double x, double width, double y, double share)
{
  char class[8];
  double height = fmax((BAND - 2) * share, 0.5);
  if (share <= 0) return;
  snprintf(class, sizeof class, "c%d", svg_colour(share));
  svg_rect(t->out, class, x, y + BAND - 1 - height, width, height);
}

/* Elements that are narrower than a pixel column share it; it shows their maximum. */
static void put_narrow(const tree_t *t, int depth, int kind, double y)
{
  double column[SIDE] = {0};
  for (int e = 0; e < berth_topo_n_elements(t->r->topo); e++) {
    if (berth_topo_element(t->r->topo, e)->depth != depth || width_of(t, e) >= 3) continue;
    int at = (int)(left_of(t, e) - LEFT);
    column[at] = fmax(column[at], share_of(t, e, kind));
  }
  for (int i = 0, end; i < SIDE; i = end) {
    for (end = i + 1; end < SIDE && column[end] == column[i]; end++) continue;
    put_filling(t, LEFT + i, end - i, y, column[i]);
  }
}

/* Writes the percentage in the middle of its band: above the filling, within it, or on a plate of
 * its own where the edge of the filling would cross it. */
static void put_percent(const tree_t *t, double x, double y, double share)
{
  char percent[16];
  snprintf(percent, sizeof percent,
           share < 0.001 ? "<0.1%%"
           : share < 0.1 ? "%.1f%%"
                         : "%.0f%%",
           100 * share);
  double room = SVG_LETTER * (double)strlen(percent) + 8;
  if (share > 0.15 && share < 0.88) svg_rect(t->out, "paper", x - room / 2, y + 2, room, BAND - 4);
  svg_text(t->out, share < 0.88 ? "middle" : "middle within", x, y + 13.5, percent);
}

static void put_band(const tree_t *t, int depth, int kind, double y)
{
  static const char *const names[] = {"↑ at parent", "↓ at parent", "↑ own end", "↓ own end",
                                      "switch"};
  svg_text(t->out, "soft right", LEFT - 8, y + 13, names[kind]);
  svg_rect(t->out, "band", LEFT, y + 1, SIDE, BAND - 2);
  put_narrow(t, depth, kind, y);
  for (int e = 0; e < berth_topo_n_elements(t->r->topo); e++) {
    double width = width_of(t, e), x = left_of(t, e), share = share_of(t, e, kind);
    if (berth_topo_element(t->r->topo, e)->depth != depth || width < 3) continue;
    put_filling(t, x + 0.5, width - 1, y, share);
    if (share > 0 && width >= PERCENT) put_percent(t, x + width / 2, y, share);
  }
  const berth_resource_t *b = &t->phase->bottleneck;
  if (!t->phase->has_bottleneck || (int)b->kind != kind) return;
  if (berth_topo_element(t->r->topo, b->element)->depth == depth)
    svg_rect(t->out, "mark", left_of(t, b->element) - 1, y, fmax(width_of(t, b->element) + 2, 4),
             BAND);
}

/* An element's name; a PU's number. */
static const char *name_of(const tree_t *t, int element, char buf[TEXT_NUMBER])
{
  const berth_element_t *e = berth_topo_element(t->r->topo, element);
  if (e->type >= 0) return berth_topo_element_name(t->r->topo, element);
  snprintf(buf, TEXT_NUMBER, "%d", e->first_pu);
  return buf;
}

static bool is_at(const tree_t *t, int element, int depth)
{
  return berth_topo_element(t->r->topo, element)->depth == depth;
}

/* The elements of a level. */
typedef struct row {
  int depth, n;
  int step;      /* if names are wider than elements, every second, fourth … has a name */
  bool distinct; /* names tell elements apart */
  bool narrow;   /* elements are narrower than their borders */
} row_t;

static row_t find_row(const tree_t *t, int depth)
{
  char buf[TEXT_NUMBER], first[NAME + 1] = "";
  row_t row = {.depth = depth, .step = 1, .distinct = true};
  size_t letters = 0;
  double width = SIDE;
  for (int e = 0; e < berth_topo_n_elements(t->r->topo); e++) {
    if (!is_at(t, e, depth)) continue;
    const char *name = name_of(t, e, buf);
    size_t n = strlen(name);
    if (row.n++ == 0)
      snprintf(first, sizeof first, "%s", name);
    else if (strncmp(first, name, NAME) == 0)
      row.distinct = false;
    letters = n > letters ? n : letters;
    width = fmin(width, width_of(t, e));
  }
  double wanted = 4 + SVG_LETTER * (double)(letters < NAME ? letters : NAME);
  while (row.step * width < wanted) row.step *= 2;
  row.narrow = width < 3;
  return row;
}

static void put_boxes(const tree_t *t, const row_t *row, double y)
{
  char buf[TEXT_NUMBER];
  for (int e = 0; e < berth_topo_n_elements(t->r->topo); e++) {
    if (!is_at(t, e, row->depth)) continue;
    double x = left_of(t, e), width = width_of(t, e);
    svg_rect(t->out, "box", x + 0.5, y + 1, width - 1, NAMES - 2);
    svg_label(t->out, "middle", x + width / 2, y + 14, name_of(t, e, buf),
              (size_t)((width - 4) / SVG_LETTER));
  }
}

/* A ruler: a tick where an element begins, and names beside some of them. */
static void put_ruler(const tree_t *t, const row_t *row, double y)
{
  char buf[TEXT_NUMBER];
  int n = 0;
  svg_line(t->out, "axis", LEFT, y + 1, LEFT + SIDE, y + 1);
  for (int e = 0; e < berth_topo_n_elements(t->r->topo); e++) {
    if (!is_at(t, e, row->depth)) continue;
    const char *name = name_of(t, e, buf);
    double x = left_of(t, e), room = row->step * width_of(t, e);
    bool named = row->distinct && n++ % row->step == 0;
    if (x + room > LEFT + SIDE + 1)
      named = named && x + 4 + SVG_LETTER * (double)strlen(name) < LEFT + SIDE;
    if (named || !row->narrow) svg_line(t->out, "axis", x, y + 1, x, y + (named ? NAMES - 1 : 5));
    if (named) svg_label(t->out, "", x + 3, y + 15, name, (size_t)((room - 4) / SVG_LETTER));
  }
  if (row->distinct) return;
  snprintf(buf, sizeof buf, "%d of them", row->n);
  svg_text(t->out, "soft middle", LEFT + SIDE / 2.0, y + 15, buf);
}

static void put_names(const tree_t *t, int depth, double y)
{
  row_t row = find_row(t, depth);
  char *types = cost_level_types(t->r->topo, depth);
  svg_label(t->out, "head right", LEFT - 8, y + 14, types, (LEFT - 8) / SVG_BOLD);
  free(types);
  if (row.step == 1)
    put_boxes(t, &row, y);
  else
    put_ruler(t, &row, y);
}

/* The height of the bands. */
static int height_of(const tree_t *t)
{
  int depths = berth_topo_element(t->r->topo, 0)->height + 1, height = depths * (NAMES + SPACE);
  for (int i = 0; i < depths * BERTH_N_RESOURCE_KINDS; i++) height += t->has_band[i] ? BAND : 0;
  return height;
}

/* The bottleneck, with its phase unless the heading has that. NULL when memory is out. */
static char *bottleneck_text(const tree_t *t)
{
  const berth_report_t *r = t->r;
  char phase[48] = "", seconds[TEXT_NUMBER], bytes[TEXT_NUMBER];
  if (report_phase(r) == BERTH_REPORT_ALL_PHASES && r->summary.n_phases > 1)
    snprintf(phase, sizeof phase, ", in phase %d, the most expensive", t->phase->id);
  char *where = cost_resource_text(r->topo, t->phase->bottleneck);
  char *text = where ? text_printf("bottleneck: %s, %s, %s%s", where,
                                   topo_text_cost(r->topo, t->phase->cost_s, seconds),
                                   text_bytes(t->phase->bottleneck_bytes, bytes), phase)
                     : NULL;
  free(where);
  return text;
}

/* Writes the heading: placement, scale and bottleneck. Returns the number of lines; with out NULL
 * it only counts them. */
static int put_head(const tree_t *t, out_file_t *out, const rated_t *p, double max)
{
  enum { X = 4, Y = 16, BOLD = SVG_WIDTH / SVG_BOLD, LETTERS = (SVG_WIDTH - X) / SVG_LETTER };
  char seconds[TEXT_NUMBER], *phase = report_phase_text(t->r);
  char *label = report_role_label(t->r, (size_t)(p - t->r->placement));
  char *scale = phase ? text_printf("loads of ports as time, %s; 100%% is %s", phase,
                                    topo_text_cost(t->r->topo, max, seconds))
                      : NULL;
  int lines = svg_lines(out, "head", X, Y, label, BOLD);
  lines += svg_lines(out, "soft", X, Y + lines * SVG_LINE, scale, LETTERS);
  if (!label || !scale) out_lose_memory(t->out); /* also when lines are only counted */
  free(label);
  free(phase);
  free(scale);
  if (!t->phase->has_bottleneck) return lines;
  char *bottleneck = bottleneck_text(t);
  if (!bottleneck) out_lose_memory(t->out);
  lines += svg_lines(out, "marked", X, Y + lines * SVG_LINE, bottleneck, BOLD);
  free(bottleneck);
  return lines;
}

static void put_tree(const tree_t *t, const rated_t *p, double max)
{
  /* rows nearer to the root are above; a switch's own resource belongs to its row */
  enum { LETTERS = (SVG_WIDTH - 4) / SVG_LETTER };
  double y = SPACE + SVG_LINE * put_head(t, NULL, p, max) + SPACE;
  int depths = berth_topo_element(t->r->topo, 0)->height + 1;
  int feet = svg_lines(NULL, "", 0, 0, foot, LETTERS) * SVG_LINE;
  svg_open(t->out, "The machine's tree with the loads of its ports", (int)y + height_of(t) + feet,
           true);
  put_head(t, t->out, p, max);
  for (int depth = 0; depth < depths; depth++, y += SPACE) {
    for (int kind = 0; kind < BERTH_N_RESOURCE_KINDS; kind++) {
      if (!t->has_band[depth * BERTH_N_RESOURCE_KINDS + kind]) continue;
      put_band(t, depth, kind, y);
      y += BAND;
    }
    put_names(t, depth, y);
    y += NAMES;
  }
  svg_lines(t->out, "soft", 4, y + 8, foot, LETTERS);
  svg_close(t->out);
}

int report_chart_tree(const berth_report_t *r, const rated_t *placement, out_file_t *out,
                      berth_error_t *err)
{
  size_t elements = (size_t)berth_topo_n_elements(r->topo), phase = report_phase(r);
  if (phase == BERTH_REPORT_ALL_PHASES) phase = placement->cost->max_cost_phase;
  size_t depths = (size_t)berth_topo_element(r->topo, 0)->height + 1;
  tree_t t = {.r = r,
              .out = out,
              .loads = report_loads(r, placement),
              .share = calloc(elements * BERTH_N_RESOURCE_KINDS, sizeof *t.share),
              .has_band = calloc(depths * BERTH_N_RESOURCE_KINDS, sizeof *t.has_band),
              .phase = &placement->cost->phases[phase]};
  int rc = t.share && t.has_band ? BERTH_OK : no_memory(err);
  if (!rc) {
    double max = find_max(&t);
    for (size_t i = 0; i < t.loads->n; i++) {
      const berth_load_t *l = &t.loads->load[i];
      t.share[(size_t)l->resource.element * BERTH_N_RESOURCE_KINDS + (size_t)l->resource.kind] =
          max > 0 ? l->cost_s / max : 0;
    }
    put_tree(&t, placement, max);
  }
  free(t.share);
  free(t.has_band);
  return rc;
}
