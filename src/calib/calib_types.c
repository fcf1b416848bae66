/* SPDX-License-Identifier: BSD-3-Clause */
/* What switches carry in all, and types of their own for elements that differ from theirs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "calib/calib_fit.h"

/* What a switch carries in all. Unknown: as it was; measured and more than its ports: none. */
static void set_limit(fit_t *f, berth_type_t *type, calib_stat_t limit, bool inside)
{
  type->capacity = fit_rounded(limit.median, 5);
  type->spread = limit.n ? fit_rounded(limit.spread, 3) : 0;
  type->samples = limit.n;
  type->origin = limit.n ? inside ? f->origins->inside : f->origins->between : (berth_origin_t){0};
}

/* The ring of an element, or of another of its type where it has none. */
static const ring_t *ring_of(const calib_t *c, int element)
{
  const ring_t *alike = NULL;
  int type = berth_topo_element(c->t, element)->type;
  for (size_t i = 0; i < c->n_rings; i++) {
    const ring_t *r = &c->rings[i];
    if (r->ports <= 0 || berth_topo_element(c->t, r->element)->type != type) continue;
    if (r->element == element) return r;
    if (!alike) alike = r;
  }
  return alike;
}

static void fit_limit(fit_t *f, int element, berth_type_t *type)
{
  calib_t *c = f->c;
  double ports;
  if (is_above_hosts(c, element)) {
    const ring_t *r = ring_of(c, element);
    if (!r) return;
    set_limit(f, type, r->limit > 0 ? probe_total(c, r->probe) : (calib_stat_t){0}, false);
    return;
  }
  calib_stat_t total = series_limit(c, berth_topo_element(c->t, element)->type, &ports);
  for (size_t i = 0; i < c->n_insides; i++)
    if (c->insides[i].element == element && inside_differs(c, &c->insides[i]).n > 0)
      total = inside_differs(c, &c->insides[i]);
  if (total.n == 0 || ports == 0) return;
  bool limited = total.median < 0.93 * ports;
  set_limit(f, type, limited ? total : (calib_stat_t){0}, true);
}

static bool same_direction(const berth_port_dir_t *a, const berth_port_dir_t *b)
{
  return a->curve == b->curve && a->capacity == b->capacity;
}

static bool close_limits(double a, double b) { return fabs(a - b) <= 0.05 * fmax(a, b); }

/* Whether elements of two fitted types of one old type may share one. */
static bool same_type(const berth_type_t *a, const berth_type_t *b)
{
  return same_direction(&a->up.out, &b->up.out) && same_direction(&a->up.in, &b->up.in) &&
         same_direction(&a->down.out, &b->down.out) && same_direction(&a->down.in, &b->down.in) &&
         close_limits(a->capacity, b->capacity);
}

/* The variants of one type: that of most elements keeps the name. */
typedef struct variant {
  berth_type_t type;
  int element, n, number;
} variant_t;

enum { MAX_VARIANTS = 256 };

static int find_variant(variant_t *v, int *n, const berth_type_t *type, int element)
{
  for (int i = 0; i < *n; i++)
    if (same_type(&v[i].type, type)) {
      v[i].n++;
      return i;
    }
  if (*n == MAX_VARIANTS) return MAX_VARIANTS - 1;
  v[*n] = (variant_t){*type, element, 1, -1};
  return (*n)++;
}

static void add_variants(fit_t *f, variant_t *v, int n)
{
  int most = 0;
  for (int i = 1; i < n; i++)
    if (v[i].n > v[most].n) most = i;
  for (int i = 0; i < n && !f->failed; i++) {
    char name[BERTH_MAX_NAME + 1];
    const char *base = v[i].type.name;
    if (i != most) {
      snprintf(name, sizeof name, "%.120s (%.120s)", base,
               element_label(f->c, &f->c->arena, v[i].element));
      v[i].type.name = name;
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

/* A type that no element has. */
static void keep_type(fit_t *f, int type)
{
  berth_type_t kept = *berth_topo_type(f->c->t, type);
  kept.up.out = fit_kept(f, kept.up.out);
  kept.up.in = fit_kept(f, kept.up.in);
  kept.down.out = fit_kept(f, kept.down.out);
  kept.down.in = fit_kept(f, kept.down.in);
  if (!f->failed) f->failed = berth_topo_add_type(f->out, &kept, f->err) < 0;
}

void fit_type(fit_t *f, int type)
{
  const berth_topo_t *t = f->c->t;
  variant_t *v = calloc(MAX_VARIANTS, sizeof *v);
  int n = 0;
  f->failed |= !v;
  for (int e = 0; e < berth_topo_n_elements(t) && !f->failed; e++) {
    if (berth_topo_element(t, e)->type != type) continue;
    berth_type_t new = fit_element(f, type, e);
    if (!f->failed) f->type_of[e] = find_variant(v, &n, &new, e);
  }
  if (n == 0 && !f->failed) keep_type(f, type);
  if (!f->failed) add_variants(f, v, n);
  for (int e = 0; e < berth_topo_n_elements(t) && !f->failed; e++)
    if (berth_topo_element(t, e)->type == type) f->type_of[e] = v[f->type_of[e]].number;
  free(v);
}
