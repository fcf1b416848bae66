/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads and writes capacities and measurement errors in topology files. */
#include "topo/topo_measured.h"

#include <limits.h>
#include <math.h>

static int read_origin(const json_place_t *measured, berth_origin_t *origin)
{
  int rc = json_get_string(measured, "date", JSON_OPTIONAL, &origin->date);
  if (!rc) rc = json_get_string(measured, "mpi", JSON_OPTIONAL, &origin->mpi);
  if (!rc) rc = json_get_string(measured, "transport", JSON_OPTIONAL, &origin->transport);
  return rc;
}

/* Finds a list with a value for each of n points. *list's node is NULL if the file lacks it. */
static int find_list(const json_place_t *measured, const char *key, size_t n, json_place_t *list)
{
  int rc = json_get_array(measured, key, JSON_OPTIONAL, list);
  if (rc || !list->node) return rc;
  size_t found = (size_t)cJSON_GetArraySize(list->node);
  if (found == n) return BERTH_OK;
  return json_fail(list, "found %zu values, expected %zu, one for each point", found, n);
}

static int read_counts(const json_place_t *measured, berth_curve_t *curve, int *counts)
{
  json_place_t list;
  int rc = find_list(measured, "samples", curve->n, &list);
  if (rc || !list.node) return rc;
  curve->samples = counts;
  for (json_place_t at = json_first(&list); at.node && !rc; json_step(&at)) {
    uint64_t count = 0;
    rc = json_as_u64(&at, 1, INT_MAX, &count);
    counts[at.index] = (int)count;
  }
  return rc;
}

static int read_spreads(const json_place_t *measured, berth_curve_t *curve, double *spreads)
{
  json_place_t list;
  int rc = find_list(measured, "spread", curve->n, &list);
  if (rc || !list.node) return rc;
  curve->spread = spreads;
  for (json_place_t at = json_first(&list); at.node; json_step(&at)) {
    bool is_null = cJSON_IsNull(at.node);
    if (!cJSON_IsNumber(at.node) && !is_null) return json_unexpected(&at, "a number");
    if (at.node->valuedouble < 0) return json_unexpected(&at, "a number of at least 0");
    spreads[at.index] = is_null ? BERTH_UNKNOWN_SPREAD : at.node->valuedouble;
  }
  return BERTH_OK;
}

int topo_read_measured(const json_place_t *at, berth_curve_t *curve, double *spreads, int *counts)
{
  json_place_t measured;
  int rc = json_get_object(at, "measured", JSON_OPTIONAL, &measured);
  if (rc || !measured.node) return rc;
  rc = read_origin(&measured, &curve->origin);
  if (!rc) rc = read_counts(&measured, curve, counts);
  if (!rc) rc = read_spreads(&measured, curve, spreads);
  return rc;
}

/* Reads how one capacity was measured: samples, and a spread if there are several. */
static int read_samples(const json_place_t *measured, double *spread, int *samples,
                        berth_origin_t *origin)
{
  int rc = json_get_int(measured, "samples", JSON_OPTIONAL, 1, INT_MAX, samples);
  *spread = BERTH_UNKNOWN_SPREAD;
  if (!rc) rc = json_get_number(measured, "spread", JSON_OPTIONAL, 0, 0, spread);
  if (!rc && *samples == 0) *spread = 0;
  if (!rc) rc = read_origin(measured, origin);
  return rc;
}

int topo_read_capacity(const json_place_t *type, berth_type_t *out)
{
  json_place_t measured;
  int rc = json_get_number(type, "max_bandwidth", JSON_OPTIONAL, 0, 1, &out->capacity);
  if (!rc) rc = json_get_object(type, "max_bandwidth_measured", JSON_OPTIONAL, &measured);
  if (rc || !measured.node) return rc;
  return read_samples(&measured, &out->spread, &out->samples, &out->origin);
}

/* Reads the member "out" or "in" of a port's measurements; without it, the measurement of both. */
static int read_port_samples(const json_place_t *measured, const char *key, berth_port_dir_t *dir)
{
  json_place_t one;
  int rc = json_get_object(measured, key, JSON_OPTIONAL, &one);
  if (rc) return rc;
  return read_samples(one.node ? &one : measured, &dir->spread, &dir->samples, &dir->origin);
}

int topo_read_capacities(const json_place_t *at, berth_port_t *port)
{
  json_place_t both = json_member(at, "max_bandwidth"), measured;
  int rc;
  if (cJSON_IsObject(both.node)) {
    rc = json_get_number(&both, "out", JSON_OPTIONAL, 0, 1, &port->out.capacity);
    if (!rc) rc = json_get_number(&both, "in", JSON_OPTIONAL, 0, 1, &port->in.capacity);
  } else {
    rc = json_get_number(at, "max_bandwidth", JSON_OPTIONAL, 0, 1, &port->out.capacity);
    port->in.capacity = port->out.capacity;
  }
  if (!rc) rc = json_get_object(at, "max_bandwidth_measured", JSON_OPTIONAL, &measured);
  if (rc || !measured.node) return rc;
  rc = read_port_samples(&measured, "out", &port->out);
  if (!rc) rc = read_port_samples(&measured, "in", &port->in);
  return rc;
}

static bool is_origin(const berth_origin_t *o) { return *o->date || *o->mpi || *o->transport; }

static void put_origin(json_out_t *j, const berth_origin_t *o)
{
  if (*o->date) json_put_string(j, "date", o->date);
  if (*o->mpi) json_put_string(j, "mpi", o->mpi);
  if (*o->transport) json_put_string(j, "transport", o->transport);
}

void topo_put_measured(json_out_t *j, const berth_curve_t *c)
{
  if (!is_origin(&c->origin) && !c->samples && !c->spread) return;
  json_open(j, "measured", '{', JSON_ONE_LINE);
  put_origin(j, &c->origin);
  if (c->samples) {
    json_open(j, "samples", '[', JSON_ONE_LINE);
    for (size_t i = 0; i < c->n; i++) json_put_u64(j, NULL, (uint64_t)c->samples[i]);
    json_close(j);
  }
  if (c->spread) {
    json_open(j, "spread", '[', JSON_ONE_LINE);
    for (size_t i = 0; i < c->n; i++)
      json_put_number(j, NULL, c->spread[i] < 0 ? NAN : c->spread[i]); /* NAN is written as null */
    json_close(j);
  }
  json_close(j);
}

void topo_put_samples(json_out_t *j, const char *key, double spread, int samples,
                      const berth_origin_t *origin)
{
  if (samples == 0 && !is_origin(origin)) return;
  json_open(j, key, '{', JSON_ONE_LINE);
  put_origin(j, origin);
  if (samples > 0) {
    json_put_u64(j, "samples", (uint64_t)samples);
    if (spread >= 0) json_put_number(j, "spread", spread);
  }
  json_close(j);
}

static bool same_samples(const berth_port_dir_t *a, const berth_port_dir_t *b)
{
  return a->samples == b->samples && a->spread == b->spread &&
         topo_same_origin(&a->origin, &b->origin);
}

/* Whether a reader would derive the same capacity from the curve. */
static bool is_implied(const berth_topo_t *t, const berth_port_dir_t *dir)
{
  return dir->capacity == (dir->curve < 0 ? 0 : topo_largest_bandwidth(t, dir->curve));
}

void topo_put_capacities(json_out_t *j, const berth_topo_t *t, const berth_port_t *port)
{
  const berth_port_dir_t *out = &port->out, *in = &port->in;
  if (out->capacity == in->capacity) {
    json_put_number(j, "max_bandwidth", out->capacity);
  } else if (!is_implied(t, out) || !is_implied(t, in)) {
    json_open(j, "max_bandwidth", '{', JSON_ONE_LINE);
    if (out->capacity > 0) json_put_number(j, "out", out->capacity);
    if (in->capacity > 0) json_put_number(j, "in", in->capacity);
    json_close(j);
  }
  if (same_samples(out, in)) {
    topo_put_samples(j, "max_bandwidth_measured", out->spread, out->samples, &out->origin);
    return;
  }
  json_open(j, "max_bandwidth_measured", '{', JSON_ONE_LINE);
  topo_put_samples(j, "out", out->spread, out->samples, &out->origin);
  topo_put_samples(j, "in", in->spread, in->samples, &in->origin);
  json_close(j);
}
