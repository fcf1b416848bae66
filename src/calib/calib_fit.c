/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes the measured topology.
 *
 * It has the given topology's tree, with new curves and capacities. Elements that differ from
 * their kind get types of their own. */
#include "calib/calib_fit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "calib/network/calib_network.h"
#include "topo/topo_copy.h"

/* Only the first digits of measured values mean something. */
double fit_rounded(double x, int digits)
{
  if (!(x > 0)) return 0;
  double unit = pow(10, floor(log10(x)) + 1 - digits);
  return unit < 1 ? round(x / unit) / round(1 / unit) : round(x / unit) * unit;
}

double fit_spread(calib_stat_t s)
{
  return s.n == 1 || isinf(s.spread) ? BERTH_UNKNOWN_SPREAD : fit_rounded(s.spread, 3);
}

static const berth_origin_t *origin_of(const fit_t *f, const line_t *l)
{
  return f->c->kinds[l->kind].inside ? &f->origins->inside : &f->origins->between;
}

/* Whether a curve of the new topology has the name, or one of the old topology that may stay. */
static bool curve_name_is_taken(const berth_topo_t *t, const char *name)
{
  for (int i = 0; i < berth_topo_n_curves(t); i++)
    if (strcmp(berth_topo_curve(t, i)->name, name) == 0) return true;
  return false;
}

/* A pair can't carry more than several pairs did: what is above that is noise. */
static double line_ceiling(const berth_calib_t *c, const line_t *l)
{
  const double noise = 0.03;
  calib_stat_t largest = line_largest(c, l);
  double ceiling = INFINITY;
  for (int d = OUT; d <= IN; d++) {
    double several = l->holds[d] ? line_several(c, l, d).median : 0;
    if (several > 0 && largest.median > several &&
        largest.median < several * (1 + fmax(noise, largest.spread)))
      ceiling = fmin(ceiling, several);
  }
  return ceiling;
}

static int add_points(fit_t *f, const line_t *l, berth_curve_t *curve)
{
  berth_calib_t *c = f->c;
  double *values = malloc(3 * calib_n_sizes * sizeof *values);
  int *samples = malloc(calib_n_sizes * sizeof *samples), number = -1;
  double ceiling = line_ceiling(c, l);
  double *bandwidth = values + calib_n_sizes, *spread = bandwidth + calib_n_sizes;
  for (size_t i = 0; values && samples && i < calib_n_sizes; i++) {
    calib_stat_t rate = line_rate(c, l, i);
    if (rate.n == 0) continue;
    values[curve->n] = (double)calib_size(i);
    bandwidth[curve->n] = fit_rounded(fmin(rate.median, ceiling), 5);
    spread[curve->n] = fit_spread(rate);
    samples[curve->n++] = rate.n;
  }
  curve->size = values;
  curve->bandwidth = bandwidth;
  curve->spread = spread;
  curve->samples = samples;
  if (values && samples) number = berth_topo_add_curve(f->out, curve, f->err);
  f->failed |= number < 0;
  free(values);
  free(samples);
  return number;
}

static int add_line_curve(fit_t *f, size_t line)
{
  const line_t *l = &f->c->lines[line];
  char name[BERTH_MAX_NAME + 1], source[BERTH_MAX_NAME + 1];
  if (f->curve_of_line[line] >= 0) return f->curve_of_line[line];
  int length = snprintf(name, sizeof name, "%.240s", pus_line_label(f->c, &f->c->arena, l));
  for (int k = 2; curve_name_is_taken(f->out, name) || curve_name_is_taken(f->c->t, name); k++)
    snprintf(name + length, sizeof name - (size_t)length, "-%d", k);
  snprintf(source, sizeof source, "berth calibrate, %.200s",
           pus_pair_label(f->c, &f->c->arena, l->pair));
  berth_curve_t curve = {.name = name, .source = source, .origin = *origin_of(f, l)};
  return f->curve_of_line[line] = add_points(f, l, &curve);
}

static int keep_curve(fit_t *f, int old)
{
  if (old < 0 || f->old_curve[old] >= 0) return old < 0 ? -1 : f->old_curve[old];
  f->old_curve[old] = berth_topo_add_curve(f->out, berth_topo_curve(f->c->t, old), f->err);
  f->failed |= f->old_curve[old] < 0;
  return f->old_curve[old];
}

static size_t largest_point(const berth_curve_t *c)
{
  size_t best = 0;
  for (size_t i = 1; i < c->n; i++)
    if (c->bandwidth[i] > c->bandwidth[best]) best = i;
  return best;
}

/* One direction as its line measured it. If only an uncertain best of a pair is known, the port
 * has no capacity but its curve's. */
static berth_port_dir_t measured_direction(fit_t *f, size_t line, int d)
{
  const line_t *l = &f->c->lines[line];
  berth_port_dir_t dir = {.curve = add_line_curve(f, line), .origin = *origin_of(f, l)};
  if (f->failed) return dir;
  calib_stat_t several = line_several(f->c, l, d);
  const berth_curve_t *curve = berth_topo_curve(f->out, dir.curve);
  size_t best = largest_point(curve);
  dir.capacity = fit_rounded(several.median, 5);
  dir.samples = several.n;
  dir.spread = fit_spread(several);
  if (dir.capacity >= curve->bandwidth[best]) return dir;
  dir.capacity = curve->bandwidth[best];
  dir.samples = curve->samples[best];
  dir.spread = curve->spread[best];
  if (dir.spread > calib_wide_spread || dir.spread < 0)
    dir = (berth_port_dir_t){.curve = dir.curve, .capacity = dir.capacity};
  return dir;
}

/* The line for a direction of an element's link; -1 if it isn't usable or the port is unknown. */
static int own_line(const berth_calib_t *c, int element, int d)
{
  const line_t *l = line_of_link(c, element, d);
  const port_t *p = port_find(c, element, d);
  if (!l || !line_is_usable(c, l) || (p && c->stage > STAGE_DOUBTS && port_doubt(c, p))) return -1;
  return (int)(l - c->lines);
}

/* The fastest line of a kind for a direction; -1 if none is usable. */
static int fastest_line(const berth_calib_t *c, int kind, int d)
{
  int found = -1;
  double best = 0;
  for (size_t i = 0; i < c->n_lines; i++) {
    const line_t *l = &c->lines[i];
    if (l->kind != kind || !l->holds[d] || !line_is_usable(c, l)) continue;
    double rate = line_link_rate(c, l->element[d], d).median;
    if (found >= 0 && rate <= best) continue;
    best = rate;
    found = (int)i;
  }
  return found;
}

/* Makes capacities equal that differ only by noise. */
static void even_out(berth_port_t *p)
{
  const double small = 0.01;
  double out = p->out.capacity, in = p->in.capacity, away = fabs(out - in) / fmax(out, in);
  bool both_measured = p->out.samples > 0 && p->in.samples > 0;
  if (!both_measured || p->out.spread < 0 || p->in.spread < 0) return;
  if (away > small && away > p->out.spread + p->in.spread) return;
  berth_port_dir_t *larger = out > in ? &p->out : &p->in, *other = out > in ? &p->in : &p->out;
  double mean = fit_rounded((out + in) / 2, 5);
  larger->capacity = other->capacity = mean;
  larger->spread = other->spread = fmax(larger->spread, other->spread);
  larger->samples = other->samples =
      larger->samples < other->samples ? larger->samples : other->samples;
}

/* Less than half a percent for acknowledgements counts as none. */
static void set_reverse(const berth_calib_t *c, const line_t *l, berth_port_t *port)
{
  calib_stat_t r = reverse_line(c, l);
  if (r.n == 0) return;
  port->reverse = r.median >= 0.005 && r.median < 0.5 ? fit_rounded(r.median, 2) : 0;
}

/* A curve mustn't exceed the capacity, whichever direction gave it. */
static void keep_above(const fit_t *f, berth_port_dir_t *dir)
{
  if (dir->curve < 0) return;
  const berth_curve_t *curve = berth_topo_curve(f->out, dir->curve);
  dir->capacity = fmax(dir->capacity, curve->bandwidth[largest_point(curve)]);
}

berth_port_dir_t fit_kept(fit_t *f, berth_port_dir_t dir)
{
  dir.curve = keep_curve(f, dir.curve);
  return dir;
}

berth_port_t fit_port(fit_t *f, int type, int element, bool down)
{
  berth_calib_t *c = f->c;
  const berth_type_t *old = berth_topo_type(c->t, type);
  berth_port_t port = down ? old->down : old->up;
  int best[2] = {-1, -1};
  double rate[2] = {0, 0};
  for (size_t k = 0; k < c->n_kinds; k++) {
    if ((down ? c->kinds[k].parent_type : c->kinds[k].child_type) != type) continue;
    if (!down && kind_of_link(c, element) != (int)k) continue;
    for (int d = OUT; d <= IN; d++) {
      int l = down ? fastest_line(c, (int)k, d) : own_line(c, element, d);
      double r = l < 0 ? 0 : line_link_rate(c, c->lines[l].element[d], d).median;
      if (l < 0 || (best[d] >= 0 && r <= rate[d])) continue;
      best[d] = l;
      rate[d] = r;
    }
  }
  port.out = best[OUT] >= 0 ? measured_direction(f, (size_t)best[OUT], OUT) : fit_kept(f, port.out);
  port.in = best[IN] >= 0 ? measured_direction(f, (size_t)best[IN], IN) : fit_kept(f, port.in);
  if (f->failed) return port;
  if (best[OUT] >= 0) set_reverse(c, &c->lines[best[OUT]], &port);
  even_out(&port);
  keep_above(f, &port.out);
  keep_above(f, &port.in);
  return port;
}

static int *numbers(size_t n)
{
  int *list = malloc((n + 1) * sizeof *list);
  for (size_t i = 0; list && i < n; i++) list[i] = -1;
  return list;
}

berth_topo_t *berth_calib_fit(berth_calib_t *c, const berth_calib_origins_t *origins,
                              berth_error_t *err)
{
  fit_t f = {
      .c = c, .origins = origins, .err = err, .out = berth_topo_new(berth_topo_name(c->t), err)};
  f.curve_of_line = numbers(c->n_lines);
  f.old_curve = numbers((size_t)berth_topo_n_curves(c->t));
  f.type_of = numbers((size_t)berth_topo_n_elements(c->t));
  if (!f.out || !f.curve_of_line || !f.old_curve || !f.type_of) {
    no_memory(err);
    f.failed = true;
  }
  c->n_types = 0;
  if (!f.failed) {
    ports_sum_up(c);
    rings_find_limits(c);
  }
  for (int i = 0; i < berth_topo_n_types(c->t) && !f.failed; i++) types_fit(&f, i);
  if (!f.failed) f.failed = topo_copy_tree(f.out, c->t, f.type_of, err) != BERTH_OK;
  if (!f.failed && findings_make(c, err)) f.failed = true;
  free(f.curve_of_line);
  free(f.old_curve);
  free(f.type_of);
  if (!f.failed) return f.out;
  berth_topo_free(f.out);
  return NULL;
}
