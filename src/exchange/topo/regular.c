/* SPDX-License-Identifier: BSD-3-Clause */
/* Converts between regular trees with distances and topologies. */
#include "exchange/topo/regular.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Limits of distances that capacities can express. */
static const double MIN_STEP = 1e-12, MAX_STEP = 1e12;

static int check(const regular_t *r, const char *file, berth_error_t *err)
{
  uint64_t pus = 1;
  for (int i = 0; i < r->n; i++) {
    double step = r->distance[i] - (i ? r->distance[i - 1] : 0);
    if (!(step >= 0))
      return berth_fail(
          err, BERTH_BAD_INPUT,
          "%s: distance of level %d: found %g, expected at least %g, that of the level inside",
          file, i + 1, r->distance[i], i ? r->distance[i - 1] : 0);
    if (step > MAX_STEP || (step > 0 && step < MIN_STEP))
      return berth_fail(err, BERTH_BAD_INPUT,
                        "%s: distance of level %d: found a step of %g, expected 0 or from %g to %g",
                        file, i + 1, step, MIN_STEP, MAX_STEP);
    pus *= (uint64_t)r->arity[i];
    if (pus > BERTH_MAX_PUS)
      return berth_fail(err, BERTH_BAD_INPUT,
                        "%s: found %llu PUs in %d levels, expected at most %d", file,
                        (unsigned long long)pus, i + 1, BERTH_MAX_PUS);
  }
  return BERTH_OK;
}

/* A way between two PUs that turns at or above a level crosses the ports below that level's
 * switches twice: up and down. */
static int add_types(const regular_t *r, berth_topo_t *t, berth_error_t *err)
{
  char name[32];
  for (int i = 0; i < r->n; i++) {
    double step = r->distance[i] - (i ? r->distance[i - 1] : 0);
    berth_port_dir_t free = {.curve = -1},
                     down = {.curve = -1, .capacity = step > 0 ? 2 / step : 0};
    berth_type_t type = {.name = name, .up = {.out = free, .in = free}};
    type.down = (berth_port_t){.out = down, .in = down};
    snprintf(name, sizeof name, "level %d", i + 1);
    if (berth_topo_add_type(t, &type, err) < 0) return -1;
  }
  return 0;
}

typedef struct builder {
  const regular_t *r;
  berth_topo_t *t;
  int hosts, pus; /* how many there are, and PUs in the last host */
  berth_error_t *err;
} builder_t;

/* Adds an element of a level (0: a PU) and everything below it. */
static int add(builder_t *b, int level, int parent)
{
  char name[32];
  if (level == 0) {
    int k = b->pus++;
    return berth_topo_add_pu(b->t, parent, k, k, b->err) < 0 ? -1 : 0;
  }
  bool is_host = level == (b->r->n > 1 ? b->r->n - 1 : 1);
  if (is_host) b->pus = 0;
  if (is_host)
    snprintf(name, sizeof name, "h%d", b->hosts++);
  else
    snprintf(name, sizeof name, "level %d", level);
  int e = berth_topo_add_switch(b->t, parent, level - 1, name, is_host ? name : NULL, b->err);
  for (int i = 0; i < b->r->arity[level - 1] && e >= 0; i++)
    if (add(b, level - 1, e)) return -1;
  return e < 0 ? -1 : 0;
}

berth_topo_t *regular_build(const regular_t *r, const char *file, const char *name,
                            berth_error_t *err)
{
  if (check(r, file, err)) return NULL;
  builder_t b = {.r = r, .t = berth_topo_new(name, err), .err = err};
  if (b.t && add_types(r, b.t, err) == 0 && add(&b, r->n, -1) == 0 &&
      berth_topo_finish(b.t, err) == BERTH_OK) {
    berth_topo_set_distances(b.t);
    return b.t;
  }
  berth_topo_free(b.t);
  return NULL;
}

static const char *name_of(const berth_topo_t *t, int element)
{
  const char *name = berth_topo_element_name(t, element);
  return name ? name : "a PU";
}

static bool same_capacities(const berth_type_t *a, const berth_type_t *b)
{
  return a->capacity == b->capacity && a->up.out.capacity == b->up.out.capacity &&
         a->up.in.capacity == b->up.in.capacity && a->down.out.capacity == b->down.out.capacity &&
         a->down.in.capacity == b->down.in.capacity;
}

/* Fails unless two elements of one depth are equal. */
static int compare(const berth_topo_t *t, int first, int other, berth_error_t *err)
{
  const berth_element_t *a = berth_topo_element(t, first), *b = berth_topo_element(t, other);
  if (a->n_children != b->n_children)
    return berth_fail(err, BERTH_BAD_INPUT,
                      "found %d children of %.60s and %d of %.60s, expected a regular tree",
                      a->n_children, name_of(t, first), b->n_children, name_of(t, other));
  if (a->type < 0 || a->type == b->type) return BERTH_OK;
  if (same_capacities(berth_topo_type(t, a->type), berth_topo_type(t, b->type))) return BERTH_OK;
  return berth_fail(err, BERTH_BAD_INPUT,
                    "found capacities of %.60s and %.60s that differ, expected a regular tree",
                    name_of(t, first), name_of(t, other));
}

static double seconds(double capacity) { return capacity > 0 ? 1 / capacity : 0; }

static double both_ways(const berth_port_t *port)
{
  return seconds(port->out.capacity) + seconds(port->in.capacity);
}

/* Adds the price of a byte on a level's switch, and on the ways down from there and up to it. */
static void add_level(const berth_topo_t *t, int element, regular_t *r, double *below)
{
  const berth_type_t *type = berth_topo_type(t, berth_topo_element(t, element)->type);
  double here = seconds(type->capacity), way = *below + both_ways(&type->down);
  r->arity[r->n] = berth_topo_element(t, element)->n_children;
  r->distance[r->n++] = way + here;
  *below = way + 2 * here + both_ways(&type->up);
}

int regular_of(const berth_topo_t *t, regular_t *r, berth_error_t *err)
{
  int first[BERTH_MAX_DEPTH], depth = berth_topo_element(t, 0)->height;
  if (depth > REGULAR_MAX_LEVELS)
    return berth_fail(err, BERTH_BAD_INPUT, "found %d levels, expected at most %d", depth,
                      REGULAR_MAX_LEVELS);
  memset(first, -1, sizeof first);
  for (int e = 0; e < berth_topo_n_elements(t); e++) {
    int d = berth_topo_element(t, e)->depth;
    if (first[d] < 0) first[d] = e;
    int rc = compare(t, first[d], e, err);
    if (rc) return rc;
  }
  double below = 0;
  r->n = 0;
  for (int d = depth - 1; d >= 0; d--) add_level(t, first[d], r, &below);
  return BERTH_OK;
}
