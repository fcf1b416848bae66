/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine's tree as a picture: a row for each level, in which elements are as wide as they have
 * PUs, and above it a band for each port of its links, filled as high as the port is loaded. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "report/report_internal.h"
#include "report/svg.h"
#include "topo/topo_levels.h"

enum {
  LEFT = 190,
  SIDE = 850,
  RIGHT = 12,
  TOP = 62,
  BAND = 18,
  NAMES = 20,
  SPACE = 8,
  LETTER = 7,
  PERCENT = 40
};

typedef struct tree {
  const berth_report_t *r;
  out_file_t *out;
  const loads_t *loads;
  double *share;  /* of the dearest resource's cost: by element and kind */
  bool *has_band; /* by depth and kind: some resource there is loaded under some placement */
  const berth_phase_cost_t *phase;
} tree_t;

/* Of all phases together where those of the phase aren't listed. */
static const loads_t *loads_of(const berth_report_t *r, const rated_t *p, size_t phase)
{
  size_t at = 0;
  while (at < r->n_load_phases && r->load_phase[at] != phase) at++;
  return &p->loads[at];
}

/* One scale for all placements, so that their pictures can be compared. */
static double find_most(tree_t *t, size_t phase)
{
  double most = 0;
  for (size_t i = 0; i < t->r->n; i++) {
    const loads_t *loads = loads_of(t->r, &t->r->placement[i], phase);
    for (size_t k = 0; k < loads->n; k++) {
      const berth_load_t *l = &loads->load[k];
      int depth = berth_topo_element(t->r->topo, l->resource.element)->depth;
      t->has_band[depth * BERTH_N_RESOURCE_KINDS + (int)l->resource.kind] = true;
      most = fmax(most, l->cost_s);
    }
  }
  return most;
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

/* Elements that are narrower than a column of the picture share one, which shows the largest. */
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

static void put_band(const tree_t *t, int depth, int kind, double y)
{
  static const char *const names[] = {"down port, out ↑", "down port, in ↓", "up port, out ↑",
                                      "up port, in ↓", "switch"};
  char percent[16];
  svg_text(t->out, "soft right", LEFT - 8, y + 13, names[kind]);
  svg_rect(t->out, "band", LEFT, y + 1, SIDE, BAND - 2);
  put_narrow(t, depth, kind, y);
  for (int e = 0; e < berth_topo_n_elements(t->r->topo); e++) {
    double width = width_of(t, e), x = left_of(t, e), share = share_of(t, e, kind);
    if (berth_topo_element(t->r->topo, e)->depth != depth || width < 3) continue;
    bool has_text = share > 0 && width >= 2 * PERCENT;
    put_filling(t, x + 0.5, width - 1 - (has_text ? PERCENT : 0), y, share);
    snprintf(percent, sizeof percent,
             share < 0.001 ? "<0.1%%"
             : share < 0.1 ? "%.1f%%"
                           : "%.0f%%",
             100 * share);
    if (has_text) svg_text(t->out, "right", x + width - 3, y + 13, percent);
  }
  const berth_resource_t *b = &t->phase->bottleneck;
  if (!t->phase->has_bottleneck || (int)b->kind != kind) return;
  if (berth_topo_element(t->r->topo, b->element)->depth == depth)
    svg_rect(t->out, "mark", left_of(t, b->element) - 1, y, fmax(width_of(t, b->element) + 2, 4),
             BAND);
}

static void put_names(const tree_t *t, int depth, double y)
{
  char types[256], label[300], name[64];
  topo_level_types(t->r->topo, depth, types, sizeof types);
  snprintf(label, sizeof label, "%s", types);
  svg_label(t->out, "head right", LEFT - 8, y + 14, label, 22);
  for (int e = 0; e < berth_topo_n_elements(t->r->topo); e++) {
    const berth_element_t *element = berth_topo_element(t->r->topo, e);
    double width = width_of(t, e);
    if (element->depth != depth || width < 3) continue;
    svg_rect(t->out, "box", left_of(t, e) + 0.5, y + 1, width - 1, NAMES - 2);
    snprintf(name, sizeof name, "%d", element->first_pu);
    const char *text = element->type < 0 ? name : berth_topo_element_name(t->r->topo, e);
    if (width >= 2 * LETTER + 4)
      svg_label(t->out, "middle", left_of(t, e) + width / 2, y + 14, text,
                (size_t)((width - 4) / LETTER));
  }
}

static int height_of(const tree_t *t)
{
  int depths = berth_topo_element(t->r->topo, 0)->height + 1;
  int height = TOP + depths * (NAMES + SPACE) + SPACE;
  for (int i = 0; i < depths * BERTH_N_RESOURCE_KINDS; i++) height += t->has_band[i] ? BAND : 0;
  return height;
}

static void put_head(const tree_t *t, const rated_t *p, double most)
{
  char text[512], where[256], seconds[TEXT_NUMBER], bytes[TEXT_NUMBER];
  snprintf(text, sizeof text, "%s, phase %d%s%.60s: loads of ports, 100%% is %s",
           report_short_name(p), t->phase->id, *t->phase->name ? " " : "", t->phase->name,
           text_seconds(most, seconds));
  svg_label(t->out, "head", 12, 20, text, 120);
  if (!t->phase->has_bottleneck) return;
  snprintf(text, sizeof text, "bottleneck: %s, %s, %s",
           berth_resource_text(t->r->topo, t->phase->bottleneck, where, sizeof where),
           text_seconds(t->phase->cost_s, seconds), text_bytes(t->phase->bottleneck_bytes, bytes));
  svg_label(t->out, "marked", 12, 42, text, 120);
}

static void put_tree(const tree_t *t, const rated_t *p, double most)
{
  /* what is nearer to the root above; the resource of a switch belongs to its own row */
  double y = TOP;
  int depths = berth_topo_element(t->r->topo, 0)->height + 1;
  svg_open(t->out, "The machine's tree with the loads of its ports", LEFT + SIDE + RIGHT,
           height_of(t), true);
  put_head(t, p, most);
  for (int depth = 0; depth < depths; depth++, y += SPACE) {
    for (int kind = 0; kind < BERTH_N_RESOURCE_KINDS; kind++) {
      if (!t->has_band[depth * BERTH_N_RESOURCE_KINDS + kind]) continue;
      put_band(t, depth, kind, y);
      y += BAND;
    }
    put_names(t, depth, y);
    y += NAMES;
  }
  svg_close(t->out);
}

int report_chart_tree(const berth_report_t *r, const rated_t *placement, out_file_t *out,
                      berth_error_t *err)
{
  size_t elements = (size_t)berth_topo_n_elements(r->topo), phase = report_phase(r);
  size_t depths = (size_t)berth_topo_element(r->topo, 0)->height + 1;
  tree_t t = {.r = r,
              .out = out,
              .loads = loads_of(r, placement, phase),
              .share = calloc(elements * BERTH_N_RESOURCE_KINDS, sizeof *t.share),
              .has_band = calloc(depths * BERTH_N_RESOURCE_KINDS, sizeof *t.has_band),
              .phase = &placement->cost.phases[phase]};
  int rc = t.share && t.has_band ? BERTH_OK : berth_fail(err, BERTH_MISSING, "out of memory");
  if (!rc) {
    double most = find_most(&t, phase);
    for (size_t i = 0; i < t.loads->n; i++) {
      const berth_load_t *l = &t.loads->load[i];
      t.share[(size_t)l->resource.element * BERTH_N_RESOURCE_KINDS + (size_t)l->resource.kind] =
          most > 0 ? l->cost_s / most : 0;
    }
    put_tree(&t, placement, most);
  }
  free(t.share);
  free(t.has_band);
  return rc;
}
