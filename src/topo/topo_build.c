/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds topologies.
 * It checks the format's rules for single curves, types and elements, so that they hold for
 * topologies from every source. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "base/text.h"
#include "topo/topo_internal.h"
#include "topo/topo_measured.h"

#define FAIL(...) (berth_fail(err, BERTH_BAD_INPUT, __VA_ARGS__), -1)

static int check_text(const char *what, const char *text, berth_error_t *err)
{
  if (text_utf8_valid(text, strlen(text), NULL) && !text_has_control(text)) return 0;
  return FAIL("found %s \"%.60s\", expected UTF-8 text without control characters", what, text);
}

/* Names go to files and terminals, so control characters are refused. */
static int check_name(const char *what, const char *name, berth_error_t *err)
{
  if (strlen(name) > BERTH_MAX_NAME)
    return FAIL("found a %s of %zu bytes, expected at most %d", what, strlen(name), BERTH_MAX_NAME);
  return check_text(what, name, err);
}

/* An element's name must not look like one that repeats expand (%d). */
static int check_element_name(const char *what, const char *name, berth_error_t *err)
{
  if (check_name(what, name, err)) return -1;
  if (strstr(name, "%d"))
    return FAIL("found %s \"%s\", expected no %%d in it, which stands for a number", what, name);
  return 0;
}

static bool is_amount(double v) { return v > 0 && v <= TOPO_MAX_AMOUNT; }
static bool is_spread(double v)
{
  return (v >= 0 && v <= TOPO_MAX_SPREAD) || v == BERTH_UNKNOWN_SPREAD;
}

/* What errors expect instead of a number that is no valid amount. */
static const char *expected_amount(double v) { return v > 0 ? "at most 1e18" : "a number above 0"; }
static const char *expected_spread(double v)
{
  return v > 0 ? "at most 1000" : "a number of at least 0";
}

static int check_points(const berth_curve_t *c, berth_error_t *err)
{
  if (c->n == 0) return FAIL("found a curve without points, expected at least one");
  for (size_t i = 0; i < c->n; i++) {
    if (!is_amount(c->size[i]))
      return FAIL("points[%zu]: found size %g, expected %s", i, c->size[i],
                  expected_amount(c->size[i]));
    if (!is_amount(c->bandwidth[i]))
      return FAIL("points[%zu]: found bandwidth %g, expected %s", i, c->bandwidth[i],
                  expected_amount(c->bandwidth[i]));
    if (!isfinite(c->size[i] / c->bandwidth[i]))
      return FAIL("points[%zu]: found size %g at bandwidth %g, expected a finite time", i,
                  c->size[i], c->bandwidth[i]);
    if (i > 0 && c->size[i] <= c->size[i - 1])
      return FAIL("points[%zu]: found size %.16g after size %.16g, expected sizes to increase", i,
                  c->size[i], c->size[i - 1]);
  }
  return 0;
}

/* The points of the curve are already checked. */
static int check_measured(const berth_curve_t *c, berth_error_t *err)
{
  for (size_t i = 0; c->spread && i < c->n; i++)
    if (!is_spread(c->spread[i]))
      return FAIL("measured.spread[%zu]: found %g, expected %s", i, c->spread[i],
                  expected_spread(c->spread[i]));
  for (size_t i = 0; c->samples && i < c->n; i++)
    if (c->samples[i] < 1)
      return FAIL("measured.samples[%zu]: found %d, expected at least 1", i, c->samples[i]);
  return 0;
}

static int check_origin(const berth_origin_t *o, berth_error_t *err)
{
  return (o->date && check_name("date", o->date, err)) ||
         (o->mpi && check_name("MPI", o->mpi, err)) ||
         (o->transport && check_name("transport", o->transport, err));
}

static bool copy_origin(berth_topo_t *t, berth_origin_t *o)
{
  o->date = arena_strdup(&t->arena, o->date ? o->date : "");
  o->mpi = arena_strdup(&t->arena, o->mpi ? o->mpi : "");
  o->transport = arena_strdup(&t->arena, o->transport ? o->transport : "");
  return o->date && o->mpi && o->transport;
}

/* A single sample has no spread. */
static double known_spread(double spread, int samples)
{
  return samples == 1 ? BERTH_UNKNOWN_SPREAD : spread;
}

static bool copy_measured(berth_topo_t *t, berth_curve_t *copy)
{
  if (copy->spread) {
    double *spread = arena_copy(&t->arena, copy->spread, copy->n * sizeof *copy->spread);
    for (size_t i = 0; spread && copy->samples && i < copy->n; i++)
      spread[i] = known_spread(spread[i], copy->samples[i]);
    copy->spread = spread;
  }
  if (copy->samples)
    copy->samples = arena_copy(&t->arena, copy->samples, copy->n * sizeof *copy->samples);
  return copy_origin(t, &copy->origin);
}

static bool copy_curve(berth_topo_t *t, const berth_curve_t *curve, berth_curve_t *copy)
{
  size_t bytes = curve->n * sizeof *curve->size;
  *copy = *curve;
  if (!copy_measured(t, copy) || (curve->spread && !copy->spread) ||
      (curve->samples && !copy->samples))
    return false;
  copy->name = arena_strdup(&t->arena, curve->name);
  copy->source = arena_strdup(&t->arena, curve->source ? curve->source : "");
  copy->size = arena_copy(&t->arena, curve->size, bytes);
  copy->bandwidth = arena_copy(&t->arena, curve->bandwidth, bytes);
  return copy->name && copy->source && copy->size && copy->bandwidth;
}

int berth_topo_add_curve(berth_topo_t *t, const berth_curve_t *curve, berth_error_t *err)
{
  if (check_name("curve", curve->name, err) ||
      (curve->source && check_text("source", curve->source, err)) || check_points(curve, err) ||
      check_measured(curve, err) || check_origin(&curve->origin, err))
    return -1;
  if (name_table_find(&t->curve_of_name, curve->name) >= 0)
    return FAIL("found a second curve named \"%.60s\", expected different names", curve->name);
  if (t->n_curves >= TOPO_MAX_CURVES)
    return FAIL("found more than %d curves, the most that berth takes", TOPO_MAX_CURVES);
  berth_curve_t copy;
  if (!ARRAY_GROW(&t->curves, t->n_curves, &t->cap_curves) || !copy_curve(t, curve, &copy))
    return no_memory_index(err);
  t->curves[t->n_curves++] = copy;
  int number = (int)t->n_curves - 1;
  return name_table_add(&t->curve_of_name, copy.name, number) ? number : no_memory_index(err);
}

double topo_largest_bandwidth(const berth_topo_t *t, int curve)
{
  const berth_curve_t *c = &t->curves[curve];
  double largest = 0;
  for (size_t i = 0; i < c->n; i++) largest = fmax(largest, c->bandwidth[i]);
  return largest;
}

/* Checks one direction of a port. Derives its capacity if it has none. */
static int finish_direction(const berth_topo_t *t, berth_port_dir_t *dir, const char *port,
                            berth_error_t *err)
{
  if (dir->curve < -1 || dir->curve >= (int)t->n_curves)
    return FAIL("%s: found curve number %d, expected one below %zu", port, dir->curve, t->n_curves);
  if (dir->capacity != 0 && !is_amount(dir->capacity))
    return FAIL("%s.max_bandwidth: found %g, expected %s", port, dir->capacity,
                expected_amount(dir->capacity));
  if (dir->curve < 0) return 0;
  double largest = topo_largest_bandwidth(t, dir->curve);
  if (dir->capacity == 0) dir->capacity = largest;
  if (dir->capacity < largest)
    return FAIL("%s.max_bandwidth: found %.16g, expected at least %.16g, the largest bandwidth of "
                "curve \"%.60s\"",
                port, dir->capacity, largest, t->curves[dir->curve].name);
  return 0;
}

static int check_samples(const char *of, double spread, int samples, berth_error_t *err)
{
  if (samples < 0) return FAIL("%s: found %d samples, expected 0 or more", of, samples);
  if (!is_spread(spread) || (samples == 0 && spread != 0))
    return FAIL("%s: found spread %g of %d samples, expected %s, and 0 without samples", of, spread,
                samples, is_spread(spread) ? "a number of at least 0" : expected_spread(spread));
  return 0;
}

static int finish_port(const berth_topo_t *t, berth_port_t *port, const char *name,
                       berth_error_t *err)
{
  berth_port_dir_t *dirs[] = {&port->out, &port->in};
  for (int i = 0; i < 2; i++) {
    if (finish_direction(t, dirs[i], name, err) ||
        check_samples(name, dirs[i]->spread, dirs[i]->samples, err) ||
        check_origin(&dirs[i]->origin, err))
      return -1;
    dirs[i]->spread = known_spread(dirs[i]->spread, dirs[i]->samples);
  }
  if (!(port->reverse >= 0 && port->reverse < 1))
    return FAIL("%s.reverse_traffic: found %g, expected a number from 0 to below 1", name,
                port->reverse);
  return 0;
}

static bool copy_type(berth_topo_t *t, berth_type_t *copy)
{
  copy->name = arena_strdup(&t->arena, copy->name);
  size_t bytes = copy->n_slowdowns * sizeof *copy->slowdown;
  copy->slowdown = bytes ? arena_copy(&t->arena, copy->slowdown, bytes) : NULL;
  if (bytes && !copy->slowdown) return false;
  return copy->name && copy_origin(t, &copy->origin) && copy_origin(t, &copy->up.out.origin) &&
         copy_origin(t, &copy->up.in.origin) && copy_origin(t, &copy->down.out.origin) &&
         copy_origin(t, &copy->down.in.origin);
}

static const berth_node_t *add_node(berth_topo_t *t, const berth_node_t *node, berth_error_t *err)
{
  if (!ARRAY_GROW(&t->nodes, t->n_nodes, &t->cap_nodes)) return no_memory_null(err);
  berth_node_t *copy = berth_node_copy(node, err);
  if (copy) t->nodes[t->n_nodes++] = copy;
  return copy;
}

int berth_topo_add_type(berth_topo_t *t, const berth_type_t *type, berth_error_t *err)
{
  berth_type_t copy = *type;
  if (check_name("type", type->name, err)) return -1;
  if (finish_port(t, &copy.up, "up", err) || finish_port(t, &copy.down, "down", err)) return -1;
  if (copy.capacity != 0 && !is_amount(copy.capacity))
    return FAIL("max_bandwidth: found %g, expected %s", copy.capacity,
                expected_amount(copy.capacity));
  if (check_samples("max_bandwidth", copy.spread, copy.samples, err) ||
      check_origin(&copy.origin, err) || topo_check_slowdown(&copy, err))
    return -1;
  copy.spread = known_spread(copy.spread, copy.samples);
  if (name_table_find(&t->type_of_name, type->name) >= 0)
    return FAIL("found a second type named \"%.60s\", expected different names", type->name);
  if (t->n_types >= TOPO_MAX_TYPES)
    return FAIL("found more than %d types, the most that berth takes", TOPO_MAX_TYPES);
  if (!copy_type(t, &copy) || !ARRAY_GROW(&t->types, t->n_types, &t->cap_types))
    return no_memory_index(err);
  if (copy.node && !(copy.node = add_node(t, copy.node, err))) return -1;
  t->types[t->n_types++] = copy;
  int number = (int)t->n_types - 1;
  return name_table_add(&t->type_of_name, copy.name, number) ? number : no_memory_index(err);
}

/* Checks that an element may be added below `parent`: the tree is built depth first. */
static int check_parent(const berth_topo_t *t, int parent, berth_error_t *err)
{
  if (parent == -1) return t->n_elements == 0 ? 0 : FAIL("found a second root, expected one tree");
  if (parent < -1 || parent >= (int)t->n_elements || t->elements[parent].type < 0 ||
      t->elements[parent].depth > t->elements[t->n_elements - 1].depth ||
      t->path[t->elements[parent].depth] != parent)
    return FAIL("found parent %d, expected the last switch added or one above it", parent);
  if (t->elements[parent].depth + 1 >= BERTH_MAX_DEPTH)
    return FAIL("found a tree of more than %d levels, the most that berth takes", BERTH_MAX_DEPTH);
  return 0;
}

/* Appends an element. berth_topo_finish sets its size, height and n_pus. */
static int add_element(berth_topo_t *t, int parent, int type, int host, berth_error_t *err)
{
  if (t->n_elements >= BERTH_MAX_ELEMENTS)
    return FAIL("found more than %d elements, the most that berth takes", BERTH_MAX_ELEMENTS);
  if (!ARRAY_GROW(&t->elements, t->n_elements, &t->cap_elements) ||
      !ARRAY_GROW(&t->element_names, t->n_elements, &t->cap_names))
    return no_memory_index(err);
  int e = (int)t->n_elements++, depth = parent < 0 ? 0 : t->elements[parent].depth + 1;
  t->elements[e] = (berth_element_t){
      .parent = parent, .type = type, .depth = depth, .host = host, .first_pu = (int)t->n_pus};
  t->element_names[e] = NULL;
  t->path[depth] = e;
  if (parent >= 0) t->elements[parent].n_children++;
  return e;
}

static int check_host_name(const char *host, berth_error_t *err)
{
  if (check_element_name("host name", host, err)) return -1;
  if (!*host) return FAIL("found an empty host name, expected a name");
  for (const char *s = host; *s; s++)
    if ((unsigned char)*s <= ' ' || *s == 0x7f || *s == ',' || *s == '=')
      return FAIL("found host name \"%.60s\", expected no white space, ',' or '=' in it", host);
  return 0;
}

static int check_host(const berth_topo_t *t, int parent, const char *host, berth_error_t *err)
{
  if (check_host_name(host, err)) return -1;
  int above = parent < 0 ? -1 : t->elements[parent].host;
  if (above >= 0)
    return FAIL(
        "found host \"%.60s\" inside host \"%.60s\", expected one host between the root and a PU",
        host, t->hosts[above].name);
  if (name_table_find(&t->host_of_name, host) >= 0)
    return FAIL("found a second host named \"%.60s\", expected different names", host);
  return 0;
}

static int add_host(berth_topo_t *t, int element, const char *host, berth_error_t *err)
{
  const char *copy = arena_strdup(&t->arena, host);
  if (!copy || !ARRAY_GROW(&t->hosts, t->n_hosts, &t->cap_hosts)) return no_memory_index(err);
  t->hosts[t->n_hosts++] = (berth_host_t){copy, element};
  t->elements[element].host = (int)t->n_hosts - 1;
  return name_table_add(&t->host_of_name, copy, (int)t->n_hosts - 1) ? 0 : no_memory_index(err);
}

int berth_topo_add_switch(berth_topo_t *t, int parent, int type, const char *name, const char *host,
                          berth_error_t *err)
{
  if (check_parent(t, parent, err) || check_element_name("name", name, err) ||
      (host && check_host(t, parent, host, err)))
    return -1;
  if (type < 0 || type >= (int)t->n_types)
    return FAIL("found type number %d, expected one below %zu", type, t->n_types);
  bool inside = host || (parent >= 0 && t->elements[parent].host >= 0);
  if (!inside && t->types[type].n_slowdowns > 0)
    return FAIL("found type \"%.60s\" with shared_core_slowdown above the hosts, expected it on "
                "types of hosts and their parts",
                t->types[type].name);
  if (!host && t->types[type].node)
    return FAIL("found type \"%.60s\" with a node's measurements, expected them on types of hosts",
                t->types[type].name);
  const char *copy = arena_strdup(&t->arena, name);
  if (!copy) return no_memory_index(err);
  int e = add_element(t, parent, type, parent < 0 ? -1 : t->elements[parent].host, err);
  if (e < 0) return -1;
  t->element_names[e] = copy;
  return host && add_host(t, e, host, err) ? -1 : e;
}

/* Registers a host's PU index; fails if the host already has it. */
static int claim_os_index(berth_topo_t *t, int host, int os_index, berth_error_t *err)
{
  size_t known = t->cap_os_index, index = (size_t)os_index;
  if (!array_reserve(&t->host_of_os_index, &t->cap_os_index, index + 1, sizeof(int)))
    return no_memory_index(err);
  memset(t->host_of_os_index + known, 0, (t->cap_os_index - known) * sizeof(int));
  if (t->host_of_os_index[index] == host + 1)
    return FAIL("found pu %d a second time in host \"%.60s\", expected different ones", os_index,
                t->hosts[host].name);
  t->host_of_os_index[index] = host + 1;
  return 0;
}

static int check_pu(const berth_topo_t *t, int parent, int os_index, int core, berth_error_t *err)
{
  if (check_parent(t, parent, err)) return -1;
  if (os_index < 0 || os_index >= BERTH_MAX_PUS)
    return FAIL("found pu %d, expected one from 0 to %d", os_index, BERTH_MAX_PUS - 1);
  if (core < 0 || core >= BERTH_MAX_PUS)
    return FAIL("found core %d, expected one from 0 to %d", core, BERTH_MAX_PUS - 1);
  if (parent < 0 || t->elements[parent].host < 0)
    return FAIL("found a PU outside of a host, expected one host between the root and a PU");
  if (t->n_pus >= BERTH_MAX_PUS)
    return FAIL("found more than %d PUs, the most that berth takes", BERTH_MAX_PUS);
  return 0;
}

int berth_topo_add_pu(berth_topo_t *t, int parent, int os_index, int core, berth_error_t *err)
{
  if (check_pu(t, parent, os_index, core, err)) return -1;
  int host = t->elements[parent].host;
  if (claim_os_index(t, host, os_index, err)) return -1;
  if (!ARRAY_GROW(&t->pus, t->n_pus, &t->cap_pus)) return no_memory_index(err);
  int e = add_element(t, parent, -1, host, err);
  if (e >= 0) t->pus[t->n_pus++] = (berth_pu_t){e, host, os_index, core};
  return e;
}

int berth_topo_finish(berth_topo_t *t, berth_error_t *err)
{
  if (t->n_elements == 0) return berth_fail(err, BERTH_BAD_INPUT, "found a topology without PUs");
  for (size_t i = 0; i < t->n_elements; i++) {
    berth_element_t *e = &t->elements[i];
    bool is_pu = e->type < 0;
    if (!is_pu && e->n_children == 0)
      return berth_fail(err, BERTH_BAD_INPUT,
                        "found switch \"%.60s\" without children, expected a PU below it",
                        t->element_names[i]);
    e->size = 1;
    e->height = 0;
    e->n_pus = is_pu;
  }
  for (size_t i = t->n_elements; i-- > 1;) {
    const berth_element_t *e = &t->elements[i];
    berth_element_t *parent = &t->elements[e->parent];
    parent->size += e->size;
    parent->n_pus += e->n_pus;
    if (parent->height <= e->height) parent->height = e->height + 1;
  }
  free(t->host_of_os_index);
  t->host_of_os_index = NULL;
  t->cap_os_index = 0;
  return BERTH_OK;
}
