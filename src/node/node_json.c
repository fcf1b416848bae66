/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads and writes a node's record. */
#include "node/node_json.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "node/node_internal.h"

/* Gives an error that a record's rule made the place where it happened. */
static int located(const json_place_t *at, const berth_error_t *error)
{
  return error->code == BERTH_BAD_INPUT ? json_fail(at, "%s", error->text)
                                        : no_memory(at->source->err);
}

static int read_pair(const json_place_t *at, double *x, double *y)
{
  const cJSON *first = cJSON_IsArray(at->node) ? at->node->child : NULL;
  const cJSON *second = first ? first->next : NULL;
  if (!second || second->next || !cJSON_IsNumber(first) || !cJSON_IsNumber(second))
    return json_unexpected(at, "a pair of numbers");
  *x = first->valuedouble;
  *y = second->valuedouble;
  return BERTH_OK;
}

/* The array `key` with n values. */
static int find_list(const json_place_t *object, const char *key, size_t n, json_place_t *list)
{
  int rc = json_get_array(object, key, JSON_NEEDED, list);
  if (rc) return rc;
  size_t found = (size_t)cJSON_GetArraySize(list->node);
  if (found == n) return BERTH_OK;
  return json_fail(list, "found %zu values, expected %zu, one for each point", found, n);
}

static int read_measured(const json_place_t *object, size_t n, double *spread, int *samples)
{
  json_place_t list, at;
  int rc = find_list(object, "spread", n, &list);
  for (at = json_first(&list); !rc && at.node; json_step(&at)) {
    if (!cJSON_IsNumber(at.node) && !cJSON_IsNull(at.node))
      return json_unexpected(&at, "a number, or null");
    spread[at.index] = cJSON_IsNull(at.node) ? -1 : at.node->valuedouble;
    if (spread[at.index] < 0 && !cJSON_IsNull(at.node))
      return json_unexpected(&at, "a number of at least 0");
  }
  if (!rc) rc = find_list(object, "samples", n, &list);
  for (at = rc ? at : json_first(&list); !rc && at.node; json_step(&at)) {
    uint64_t count = 0;
    rc = json_as_u64(&at, 1, INT_MAX, &count);
    samples[at.index] = (int)count;
  }
  return rc;
}

static int read_what(const json_place_t *at, berth_node_what_t *what)
{
  const char *name = "";
  json_place_t member = json_member(at, "what");
  int rc = json_get_string(at, "what", JSON_NEEDED, &name);
  if (rc) return rc;
  for (*what = 0; *what < BERTH_NODE_WHATS; (*what)++)
    if (strcmp(name, berth_node_what_name(*what)) == 0) return BERTH_OK;
  return json_unexpected(&member, "copy, memory, core, beside, sending, granules or timer");
}

static int read_numa(const json_place_t *at, const char *key, int *numa)
{
  *numa = -1;
  return json_get_int(at, key, JSON_OPTIONAL, 0, INT_MAX, numa);
}

static int add_curve(berth_node_t *n, const json_place_t *at, berth_node_curve_t *c,
                     const json_place_t *points)
{
  double *values = malloc((3 * c->n + 1) * sizeof *values);
  int *samples = malloc((c->n + 1) * sizeof *samples);
  int rc = values && samples ? BERTH_OK : no_memory(at->source->err);
  for (json_place_t p = json_first(points); !rc && p.node; json_step(&p))
    rc = read_pair(&p, &values[p.index], &values[c->n + p.index]);
  if (!rc) rc = read_measured(at, c->n, values + 2 * c->n, samples);
  c->x = values;
  c->y = values + c->n;
  c->spread = values + 2 * c->n;
  c->samples = samples;
  berth_error_t error = {0};
  if (!rc && berth_node_add_curve(n, c, &error)) rc = located(at, &error);
  free(values);
  free(samples);
  return rc;
}

static int read_curve(berth_node_t *n, const json_place_t *at)
{
  berth_node_curve_t c = {.name = "", .state = ""};
  json_place_t points;
  if (!cJSON_IsObject(at->node)) return json_unexpected(at, "an object");
  int rc = read_what(at, &c.what);
  if (!rc) rc = json_get_string(at, "name", JSON_NEEDED, &c.name);
  if (!rc) rc = json_get_string(at, "state", JSON_OPTIONAL, &c.state);
  if (!rc) rc = read_numa(at, "core_numa", &c.core_numa);
  if (!rc) rc = read_numa(at, "memory_numa", &c.memory_numa);
  if (!rc) rc = json_get_array(at, "points", JSON_NEEDED, &points);
  if (rc) return rc;
  c.n = (size_t)cJSON_GetArraySize(points.node);
  return add_curve(n, at, &c, &points);
}

static int read_noise(berth_node_t *n, const json_place_t *at)
{
  double at_least[BERTH_NODE_BINS], count[BERTH_NODE_BINS];
  berth_node_noise_t z = {.idle = -1, .at_least_s = at_least, .count = count};
  json_place_t bins;
  if (!cJSON_IsObject(at->node)) return json_unexpected(at, "an object");
  int rc = json_get_int(at, "pu", JSON_NEEDED, 0, INT_MAX, &z.pu);
  if (!rc) rc = json_get_int(at, "idle", JSON_OPTIONAL, 0, INT_MAX, &z.idle);
  if (!rc) rc = json_get_number(at, "quantum", JSON_NEEDED, 0, 0, &z.quantum_s);
  if (!rc) rc = json_get_number(at, "seconds", JSON_NEEDED, 0, 0, &z.seconds);
  if (!rc) rc = json_get_number(at, "lost", JSON_NEEDED, 0, 0, &z.lost);
  if (!rc) rc = json_get_number(at, "longest", JSON_NEEDED, 0, 0, &z.longest_s);
  if (!rc) rc = json_get_number(at, "period", JSON_OPTIONAL, 0, 0, &z.period_s);
  if (!rc) rc = json_get_array(at, "interruptions", JSON_NEEDED, &bins);
  if (rc) return rc;
  z.n = (size_t)cJSON_GetArraySize(bins.node);
  if (z.n > BERTH_NODE_BINS)
    return json_fail(&bins, "found %zu, expected at most %d", z.n, BERTH_NODE_BINS);
  for (json_place_t p = json_first(&bins); !rc && p.node; json_step(&p))
    rc = read_pair(&p, &at_least[p.index], &count[p.index]);
  berth_error_t error = {0};
  if (!rc && berth_node_add_noise(n, &z, &error)) rc = located(at, &error);
  return rc;
}

int node_get_packer(const json_place_t *object, berth_packer_t *by)
{
  const char *name = "";
  json_place_t member = json_member(object, "by");
  int rc = json_get_string(object, "by", JSON_NEEDED, &name);
  if (rc) return rc;
  for (*by = 0; *by < BERTH_PACKERS; (*by)++)
    if (strcmp(name, berth_packer_name(*by)) == 0) return BERTH_OK;
  return json_unexpected(&member, "contiguous, hand, memcpy, touch, pack or type");
}

int node_get_side(const json_place_t *object, berth_side_t *side)
{
  const char *name = "";
  json_place_t member = json_member(object, "side");
  int rc = json_get_string(object, "side", JSON_NEEDED, &name);
  if (rc) return rc;
  for (*side = 0; *side < BERTH_SIDES; (*side)++)
    if (strcmp(name, berth_side_name(*side)) == 0) return BERTH_OK;
  return json_unexpected(&member, "send, receive or both");
}

static int read_strided_names(const json_place_t *at, berth_strided_t *t)
{
  bool exchange = false;
  int rc = json_get_string(at, "mpi", JSON_NEEDED, &t->mpi);
  if (!rc) rc = node_get_packer(at, &t->by);
  if (!rc) rc = node_get_side(at, &t->side);
  if (!rc) rc = json_get_bool(at, "exchange", JSON_OPTIONAL, &exchange);
  if (!rc) rc = json_get_number(at, "gap", JSON_OPTIONAL, 0, 0, &t->gap);
  t->exchange = exchange;
  return rc;
}

static int read_triple(const json_place_t *at, double *x, double *y, double *z)
{
  double *const to[3] = {x, y, z};
  int i = 0;
  for (const cJSON *v = cJSON_IsArray(at->node) ? at->node->child : NULL; v; v = v->next, i++) {
    if (i == 3 || !cJSON_IsNumber(v)) break;
    *to[i] = v->valuedouble;
  }
  bool is_triple = i == 3 && cJSON_GetArraySize(at->node) == 3;
  return is_triple ? BERTH_OK : json_unexpected(at, "three numbers: block, bytes, seconds");
}

static int read_strided(berth_node_t *n, const json_place_t *at)
{
  berth_strided_t t = {.mpi = ""};
  json_place_t points;
  berth_error_t error = {0};
  if (!cJSON_IsObject(at->node)) return json_unexpected(at, "an object");
  int rc = read_strided_names(at, &t);
  if (!rc) rc = json_get_array(at, "points", JSON_NEEDED, &points);
  if (rc) return rc;
  t.n = (size_t)cJSON_GetArraySize(points.node);
  double *values = malloc((4 * t.n + 1) * sizeof *values);
  int *samples = malloc((t.n + 1) * sizeof *samples);
  rc = values && samples ? BERTH_OK : no_memory(at->source->err);
  for (json_place_t p = json_first(&points); !rc && p.node; json_step(&p))
    rc = read_triple(&p, &values[p.index], &values[t.n + p.index], &values[2 * t.n + p.index]);
  if (!rc) rc = read_measured(at, t.n, values + 3 * t.n, samples);
  t.block = values;
  t.bytes = values + t.n;
  t.seconds = values + 2 * t.n;
  t.spread = values + 3 * t.n;
  t.samples = samples;
  if (!rc && berth_node_add_strided(n, &t, &error)) rc = located(at, &error);
  free(values);
  free(samples);
  return rc;
}

static int read_items(berth_node_t *n, const json_place_t *object, const char *key,
                      int (*read)(berth_node_t *, const json_place_t *))
{
  json_place_t list;
  int rc = json_get_array(object, key, JSON_OPTIONAL, &list);
  for (json_place_t at = json_first(&list); !rc && at.node; json_step(&at)) rc = read(n, &at);
  return rc;
}

int node_read(const json_place_t *at, berth_node_t **out)
{
  const char *date = "", *processor = "";
  bool complete = false;
  int steps = 0;
  berth_error_t error = {0};
  *out = NULL;
  if (!cJSON_IsObject(at->node)) return json_unexpected(at, "an object");
  int rc = json_get_string(at, "date", JSON_OPTIONAL, &date);
  if (!rc) rc = json_get_string(at, "processor", JSON_OPTIONAL, &processor);
  if (!rc) rc = json_get_int(at, "steps", JSON_OPTIONAL, 0, INT_MAX, &steps);
  if (!rc) rc = json_get_bool(at, "complete", JSON_OPTIONAL, &complete);
  if (rc) return rc;
  berth_node_t *n = berth_node_new(date, processor, &error);
  if (!n) return located(at, &error);
  rc = read_items(n, at, "curves", read_curve);
  if (!rc) rc = read_items(n, at, "noise", read_noise);
  if (!rc) rc = read_items(n, at, "strided", read_strided);
  berth_node_set_progress(n, steps, complete);
  if (!rc)
    *out = n;
  else
    berth_node_free(n);
  return rc;
}

static void put_pairs(json_out_t *j, const char *key, size_t n, const double *x, const double *y)
{
  json_open(j, key, '[', JSON_ONE_LINE);
  for (size_t i = 0; i < n; i++) {
    json_open(j, NULL, '[', JSON_ONE_LINE);
    json_put_number(j, NULL, x[i]);
    json_put_number(j, NULL, y[i]);
    json_close(j);
  }
  json_close(j);
}

static void put_measured(json_out_t *j, size_t n, const double *spread, const int *samples)
{
  json_put_ints(j, "samples", JSON_ONE_LINE, samples, n);
  json_open(j, "spread", '[', JSON_ONE_LINE);
  for (size_t i = 0; i < n; i++)
    json_put_number(j, NULL, spread[i] < 0 ? NAN : spread[i]); /* NAN is written as null */
  json_close(j);
}

static void put_curve(json_out_t *j, const berth_node_curve_t *c)
{
  json_open(j, NULL, '{', JSON_ONE_LINE);
  json_put_string(j, "what", berth_node_what_name(c->what));
  json_put_string(j, "name", c->name);
  if (*c->state) json_put_string(j, "state", c->state);
  if (c->core_numa >= 0) json_put_u64(j, "core_numa", (uint64_t)c->core_numa);
  if (c->memory_numa >= 0) json_put_u64(j, "memory_numa", (uint64_t)c->memory_numa);
  put_pairs(j, "points", c->n, c->x, c->y);
  put_measured(j, c->n, c->spread, c->samples);
  json_close(j);
}

static void put_noise(json_out_t *j, const berth_node_noise_t *z)
{
  json_open(j, NULL, '{', JSON_ONE_LINE);
  json_put_u64(j, "pu", (uint64_t)z->pu);
  if (z->idle >= 0) json_put_u64(j, "idle", (uint64_t)z->idle);
  json_put_number(j, "quantum", z->quantum_s);
  json_put_number(j, "seconds", z->seconds);
  json_put_number(j, "lost", z->lost);
  json_put_number(j, "longest", z->longest_s);
  if (z->period_s > 0) json_put_number(j, "period", z->period_s);
  put_pairs(j, "interruptions", z->n, z->at_least_s, z->count);
  json_close(j);
}

static void put_strided(json_out_t *j, const berth_strided_t *t)
{
  json_open(j, NULL, '{', JSON_ONE_LINE);
  json_put_string(j, "mpi", t->mpi);
  json_put_string(j, "by", berth_packer_name(t->by));
  json_put_string(j, "side", berth_side_name(t->side));
  if (t->exchange) json_put_bool(j, "exchange", true);
  if (t->gap > 0) json_put_number(j, "gap", t->gap);
  json_open(j, "points", '[', JSON_ONE_LINE);
  for (size_t i = 0; i < t->n; i++) {
    json_open(j, NULL, '[', JSON_ONE_LINE);
    json_put_number(j, NULL, t->block[i]);
    json_put_number(j, NULL, t->bytes[i]);
    json_put_number(j, NULL, t->seconds[i]);
    json_close(j);
  }
  json_close(j);
  put_measured(j, t->n, t->spread, t->samples);
  json_close(j);
}

void node_put(json_out_t *j, const char *key, const berth_node_t *n)
{
  json_open(j, key, '{', JSON_LINES);
  if (*n->date) json_put_string(j, "date", n->date);
  if (*n->processor) json_put_string(j, "processor", n->processor);
  json_put_u64(j, "steps", (uint64_t)n->steps);
  json_put_bool(j, "complete", n->complete);
  json_open(j, "curves", '[', JSON_LINES);
  for (size_t i = 0; i < n->n_curves; i++) put_curve(j, &n->curves[i]);
  json_close(j);
  json_open(j, "noise", '[', JSON_LINES);
  for (size_t i = 0; i < n->n_noise; i++) put_noise(j, &n->noise[i]);
  json_close(j);
  if (n->n_strided > 0) {
    json_open(j, "strided", '[', JSON_LINES);
    for (size_t i = 0; i < n->n_strided; i++) put_strided(j, &n->strided[i]);
    json_close(j);
  }
  json_close(j);
}
