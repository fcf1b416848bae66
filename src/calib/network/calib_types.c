/* SPDX-License-Identifier: BSD-3-Clause */
/* Fits capacities of switches, and makes types for elements that differ from theirs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "calib/calib_fit.h"
#include "calib/network/calib_network.h"

static const calib_stat_t no_limit;

/* Sets a switch's capacity. If it is unknown, the old one stays; if it is at least its ports',
 * there is none. */
static void set_limit(fit_t *f, berth_type_t *type, calib_stat_t limit, bool inside)
{
  type->capacity = fit_rounded(limit.median, 5);
  type->spread = limit.n ? fit_spread(limit) : 0;
  type->samples = limit.n;
  type->origin = limit.n ? inside ? f->origins->inside : f->origins->between : (berth_origin_t){0};
}

/* The ring of an element, or of another element of its type if it has none. NULL if unknown. */
static const ring_t *ring_of(const berth_calib_t *c, int element)
{
  const ring_t *r = rings_switch_ring(c, element);
  int type = berth_topo_element(c->t, element)->type;
  for (size_t i = 0; i < c->n_rings && !r; i++)
    if (berth_topo_element(c->t, c->rings[i].element)->type == type && c->rings[i].ports > 0)
      r = rings_switch_ring(c, c->rings[i].element);
  return r && r->ports > 0 && r->verdict != LIMIT_UNSURE ? r : NULL;
}

/* Sets the limit of a host or a part of one: its own if that was confirmed, else its type's. */
static void fit_inside(fit_t *f, int element, berth_type_t *type)
{
  const berth_calib_t *c = f->c;
  double ports;
  calib_stat_t total, own, usual;
  limit_t limit = inside_series_limit(c, berth_topo_element(c->t, element)->type, &total, &ports);
  for (size_t i = 0; i < c->n_insides; i++)
    if (c->insides[i].element == element &&
        inside_judge(c, &c->insides[i], &own, &usual) == INSIDE_DIFFERS) {
      total = own;
      limit = own.median < (1 - calib_series_tolerance) * ports ? LIMIT_FOUND : LIMIT_NONE;
    }
  if (limit != LIMIT_UNSURE) set_limit(f, type, limit == LIMIT_FOUND ? total : no_limit, true);
}

static void fit_limit(fit_t *f, int element, berth_type_t *type)
{
  if (!pus_is_above_hosts(f->c, element)) {
    fit_inside(f, element, type);
    return;
  }
  const ring_t *r = ring_of(f->c, element);
  if (r)
    set_limit(f, type,
              r->limit > 0 ? probe_best(f->c, r->probe, 0, f->c->probes[r->probe].n_flows)
                           : no_limit,
              false);
}

static bool same_direction(const berth_port_dir_t *a, const berth_port_dir_t *b)
{
  return a->curve == b->curve && a->capacity == b->capacity;
}

/* Insides are compared as in inside_judge. */
static bool close_limits(double a, double b, bool inside)
{
  return fabs(a - b) <= (inside ? 0.15 : 0.05) * fmax(a, b);
}

/* Whether elements of two fitted types of one old type may share one. */
static bool same_type(const berth_type_t *a, const berth_type_t *b, bool inside)
{
  return same_direction(&a->up.out, &b->up.out) && same_direction(&a->up.in, &b->up.in) &&
         same_direction(&a->down.out, &b->down.out) && same_direction(&a->down.in, &b->down.in) &&
         close_limits(a->capacity, b->capacity, inside);
}

/* The variants of one type. The one with the most elements keeps the name. */
typedef struct variant {
  berth_type_t type;
  int element, n, number;
} variant_t;

enum { MAX_VARIANTS = 256 };

static int find_variant(const fit_t *f, variant_t *v, int *n, const berth_type_t *type, int element)
{
  for (int i = 0; i < *n; i++)
    if (same_type(&v[i].type, type, !pus_is_above_hosts(f->c, element))) {
      v[i].n++;
      return i;
    }
  if (*n == MAX_VARIANTS) return MAX_VARIANTS - 1;
  v[*n] = (variant_t){*type, element, 1, -1};
  return (*n)++;
}

/* The variant with the most elements; of equal ones, that without a limit of its own. */
static int usual_variant(const variant_t *v, int n)
{
  int usual = 0;
  for (int i = 1; i < n; i++) {
    bool freer = v[usual].type.capacity > 0 && v[i].type.capacity <= 0;
    if (v[i].n > v[usual].n || (v[i].n == v[usual].n && freer)) usual = i;
  }
  return usual;
}

static void note_difference(berth_calib_type_t *note, const char *what, double value, double usual)
{
  if (value == usual || note->n_differences == BERTH_CALIB_DIFFERENCES) return;
  note->difference[note->n_differences].what = what;
  note->difference[note->n_differences].value = value;
  note->difference[note->n_differences++].usual = usual;
}

/* Notes a new type and how it differs, for the findings. */
static void note_type(fit_t *f, const variant_t *v, const variant_t *usual, const char *name)
{
  berth_calib_t *c = f->c;
  char more[32] = "";
  const char *first = pus_element_label(c, &c->arena, v->element);
  if (v->n > 1) snprintf(more, sizeof more, " and %d more", v->n - 1);
  berth_calib_type_t note = {
      .name = pus_label(c, &c->arena, "%s", name),
      .usual = berth_topo_type(c->t, berth_topo_element(c->t, v->element)->type)->name,
      .elements = pus_label(c, &c->arena, "%.200s%s", first, more),
      .n_elements = v->n};
  const berth_type_t *a = &v->type, *b = &usual->type;
  note_difference(&note, "up out", a->up.out.capacity, b->up.out.capacity);
  note_difference(&note, "up in", a->up.in.capacity, b->up.in.capacity);
  note_difference(&note, "down out", a->down.out.capacity, b->down.out.capacity);
  note_difference(&note, "down in", a->down.in.capacity, b->down.in.capacity);
  note_difference(&note, "all together", a->capacity, b->capacity);
  if (!ARRAY_ADD(&c->types, &c->n_types, &c->cap_types, note)) c->failed = true;
}

static void add_variants(fit_t *f, variant_t *v, int n)
{
  int usual = usual_variant(v, n);
  for (int i = 0; i < n && !f->failed; i++) {
    char name[BERTH_MAX_NAME + 1];
    const char *base = v[i].type.name;
    if (i != usual) {
      snprintf(name, sizeof name, "%.120s (%.120s)", base,
               pus_element_label(f->c, &f->c->arena, v[i].element));
      v[i].type.name = name;
      note_type(f, &v[i], &v[usual], name);
    }
    v[i].number = berth_topo_add_type(f->out, &v[i].type, f->err);
    v[i].type.name = base;
    f->failed |= v[i].number < 0;
  }
}

/* The new type of one element of an old type. */
static berth_type_t fit_element(fit_t *f, int type, int element)
{
  berth_type_t new = *berth_topo_type(f->c->t, type);
  new.up = fit_port(f, type, element, false);
  new.down = fit_port(f, type, element, true);
  if (!f->failed) fit_limit(f, element, &new);
  return new;
}

/* Keeps a type that no element has. */
static void keep_type(fit_t *f, int type)
{
  berth_type_t kept = *berth_topo_type(f->c->t, type);
  kept.up.out = fit_kept(f, kept.up.out);
  kept.up.in = fit_kept(f, kept.up.in);
  kept.down.out = fit_kept(f, kept.down.out);
  kept.down.in = fit_kept(f, kept.down.in);
  if (!f->failed) f->failed = berth_topo_add_type(f->out, &kept, f->err) < 0;
}

void types_fit(fit_t *f, int type)
{
  const berth_topo_t *t = f->c->t;
  variant_t *v = calloc(MAX_VARIANTS, sizeof *v);
  int n = 0;
  f->failed |= !v;
  for (int e = 0; e < berth_topo_n_elements(t) && !f->failed; e++) {
    if (berth_topo_element(t, e)->type != type) continue;
    berth_type_t new = fit_element(f, type, e);
    if (!f->failed) f->type_of[e] = find_variant(f, v, &n, &new, e);
  }
  if (n == 0 && !f->failed) keep_type(f, type);
  if (!f->failed) add_variants(f, v, n);
  for (int e = 0; e < berth_topo_n_elements(t) && !f->failed; e++)
    if (berth_topo_element(t, e)->type == type) f->type_of[e] = v[f->type_of[e]].number;
  free(v);
}
