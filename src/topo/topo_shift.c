/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes variants of a topology in which one measured number is off by its spread. */
#include "topo/topo_shift.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "topo/topo_internal.h"

/* A capacity of a type: its value and origin. */
typedef struct capacity {
  double value, spread;
  int samples;
  const berth_origin_t *origin;
} capacity_t;

typedef struct number {
  int curve;    /* -1: the number is a capacity */
  bool unknown; /* measured, but with an unknown spread */
  capacity_t capacity;
} number_t;

struct topo_shift {
  const berth_topo_t *t;
  berth_topo_t shifted; /* a copy of t with own curves and types */
  double *bandwidth;    /* the shifted curve's points */
  number_t *number;
  size_t n, cap;
};

enum { UP_OUT, UP_IN, DOWN_OUT, DOWN_IN, SELF, N_CAPACITIES };

/* The direction that has the i-th capacity of a type. NULL: the capacity of the switch itself. */
static berth_port_dir_t *direction(berth_type_t *type, int i)
{
  berth_port_dir_t *dir[N_CAPACITIES] = {&type->up.out, &type->up.in, &type->down.out,
                                         &type->down.in, NULL};
  return dir[i];
}

static capacity_t capacity_of(berth_type_t *type, int i)
{
  const berth_port_dir_t *dir = direction(type, i);
  return dir ? (capacity_t){dir->capacity, dir->spread, dir->samples, &dir->origin}
             : (capacity_t){type->capacity, type->spread, type->samples, &type->origin};
}

static double *value_of(berth_type_t *type, int i)
{
  berth_port_dir_t *dir = direction(type, i);
  return dir ? &dir->capacity : &type->capacity;
}

static int compare_capacities(const capacity_t *a, const capacity_t *b)
{
  if (a->value != b->value) return a->value < b->value ? -1 : 1;
  if (a->spread != b->spread) return a->spread < b->spread ? -1 : 1;
  if (a->samples != b->samples) return a->samples < b->samples ? -1 : 1;
  int text = strcmp(a->origin->date, b->origin->date);
  if (!text) text = strcmp(a->origin->mpi, b->origin->mpi);
  return text ? text : strcmp(a->origin->transport, b->origin->transport);
}

static int by_capacity(const void *a, const void *b)
{
  return compare_capacities(&((const number_t *)a)->capacity, &((const number_t *)b)->capacity);
}

static bool add_number(topo_shift_t *s, number_t number)
{
  if (!ARRAY_ADD(&s->number, &s->n, &s->cap, number)) return false;
  return true;
}

/* A point's spread; 0 if it wasn't measured. */
static double spread_of(const berth_curve_t *c, size_t i)
{
  if (c->spread) return c->spread[i];
  return c->samples ? BERTH_UNKNOWN_SPREAD : 0;
}

static bool has_spread(const berth_curve_t *c, bool unknown)
{
  for (size_t i = 0; i < c->n; i++)
    if (unknown ? spread_of(c, i) < 0 : spread_of(c, i) > 0) return true;
  return false;
}

/* Adds the curves that ports use and that have known or unknown spreads. False when memory is
 * out. */
static bool add_curves(topo_shift_t *s)
{
  const berth_topo_t *t = s->t;
  bool *used = calloc(t->n_curves + 1, sizeof *used), ok = used != NULL;
  for (size_t k = 0; ok && k < t->n_types; k++)
    for (int i = 0; i < SELF; i++) {
      int curve = direction(&t->types[k], i)->curve;
      if (curve >= 0) used[curve] = true;
    }
  for (size_t k = 0; ok && k < 2 * t->n_curves; k++)
    if (used[k / 2] && has_spread(&t->curves[k / 2], k % 2))
      ok = add_number(s, (number_t){.curve = (int)(k / 2), .unknown = k % 2});
  free(used);
  return ok;
}

static bool add_capacities(topo_shift_t *s)
{
  size_t first = s->n, kept = s->n;
  for (size_t k = 0; k < s->t->n_types; k++)
    for (int i = 0; i < N_CAPACITIES; i++) {
      capacity_t capacity = capacity_of(&s->t->types[k], i);
      bool unknown = capacity.spread < 0;
      if (capacity.value > 0 && capacity.spread != 0 &&
          !add_number(s, (number_t){.curve = -1, .unknown = unknown, .capacity = capacity}))
        return false;
    }
  if (s->n > first) qsort(s->number + first, s->n - first, sizeof *s->number, by_capacity);
  for (size_t i = first; i < s->n; i++)
    if (kept == first || by_capacity(&s->number[kept - 1], &s->number[i]) != 0)
      s->number[kept++] = s->number[i];
  s->n = kept;
  return true;
}

static bool own_numbers(topo_shift_t *s)
{
  size_t points = 1;
  for (size_t k = 0; k < s->t->n_curves; k++)
    if (s->t->curves[k].n > points) points = s->t->curves[k].n;
  s->shifted = *s->t;
  s->shifted.curves = malloc((s->t->n_curves + 1) * sizeof *s->shifted.curves);
  s->shifted.types = malloc((s->t->n_types + 1) * sizeof *s->shifted.types);
  s->bandwidth = malloc(points * sizeof *s->bandwidth);
  return s->shifted.curves && s->shifted.types && s->bandwidth;
}

topo_shift_t *topo_shift_new(const berth_topo_t *t, berth_error_t *err)
{
  topo_shift_t *s = calloc(1, sizeof *s);
  if (s) {
    s->t = t;
    if (own_numbers(s) && add_curves(s) && add_capacities(s)) return s;
  }
  topo_shift_free(s);
  return no_memory_null(err);
}

void topo_shift_free(topo_shift_t *s)
{
  if (!s) return;
  free(s->shifted.curves);
  free(s->shifted.types);
  free(s->bandwidth);
  free(s->number);
  free(s);
}

size_t topo_shift_count(const topo_shift_t *s) { return s->n; }

bool topo_shift_is_known(const topo_shift_t *s, size_t k) { return !s->number[k].unknown; }

static double shift(double value, double spread, bool up)
{
  if (spread < 0) spread = 1;
  return up ? value * (1 + spread) : value / (1 + spread);
}

/* Shifts the points with a known spread, or those with an unknown one. */
static void shift_curve(topo_shift_t *s, int curve, bool unknown, bool up)
{
  berth_curve_t *c = &s->shifted.curves[curve];
  double before = topo_largest_bandwidth(s->t, curve);
  for (size_t i = 0; i < c->n; i++) {
    double spread = spread_of(c, i);
    bool moves = (spread < 0) == unknown;
    s->bandwidth[i] = moves ? shift(c->bandwidth[i], spread, up) : c->bandwidth[i];
  }
  c->bandwidth = s->bandwidth;
  double after = topo_largest_bandwidth(&s->shifted, curve);
  for (size_t k = 0; k < s->t->n_types; k++)
    for (int i = 0; i < SELF; i++) {
      berth_port_dir_t *dir = direction(&s->shifted.types[k], i);
      if (dir->curve == curve && dir->samples == 0 && dir->capacity == before)
        dir->capacity = after;
    }
}

static void shift_capacity(topo_shift_t *s, const capacity_t *capacity, bool up)
{
  for (size_t k = 0; k < s->t->n_types; k++)
    for (int i = 0; i < N_CAPACITIES; i++) {
      capacity_t here = capacity_of(&s->shifted.types[k], i);
      if (compare_capacities(&here, capacity) == 0)
        *value_of(&s->shifted.types[k], i) = shift(here.value, here.spread, up);
    }
}

const berth_topo_t *topo_shift(topo_shift_t *s, size_t k, bool up)
{
  const number_t *number = &s->number[k];
  for (size_t i = 0; i < s->t->n_curves; i++) s->shifted.curves[i] = s->t->curves[i];
  for (size_t i = 0; i < s->t->n_types; i++) s->shifted.types[i] = s->t->types[i];
  if (number->curve >= 0)
    shift_curve(s, number->curve, number->unknown, up);
  else
    shift_capacity(s, &number->capacity, up);
  return &s->shifted;
}
