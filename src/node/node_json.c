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

/* An array of n numbers, which go to different lists. */
static int read_numbers(const json_place_t *at, int n, double *const *to, const char *expected)
{
  const cJSON *v = cJSON_IsArray(at->node) ? at->node->child : NULL;
  int i = 0;
  for (; v && i < n && cJSON_IsNumber(v); v = v->next) to[i++][at->index] = v->valuedouble;
  return i == n && !v ? BERTH_OK : json_unexpected(at, expected);
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

/* Measured points, one list for each of their numbers. */
typedef struct points {
  size_t n;
  double *value[3], *spread;
  int *samples;
} points_t;

/* Of `numbers` numbers each. points_free afterwards, also after a failure. */
static int read_points(const json_place_t *object, int numbers, const char *expected, points_t *p)
{
  json_place_t list;
  int rc = json_get_array(object, "points", JSON_NEEDED, &list);
  if (rc) return rc;
  p->n = (size_t)cJSON_GetArraySize(list.node);
  double *room = malloc(((size_t)numbers + 1) * (p->n + 1) * sizeof *room);
  p->samples = malloc((p->n + 1) * sizeof *p->samples);
  for (int i = 0; i < numbers && room; i++) p->value[i] = room + (size_t)(i + 1) * p->n;
  p->spread = room;
  rc = room && p->samples ? BERTH_OK : no_memory(object->source->err);
  for (json_place_t at = json_first(&list); !rc && at.node; json_step(&at))
    rc = read_numbers(&at, numbers, p->value, expected);
  return rc ? rc : read_measured(object, p->n, p->spread, p->samples);
}

static void points_free(const points_t *p)
{
  free(p->spread);
  free(p->samples);
}

static int read_curve(berth_node_t *n, const json_place_t *at)
{
  berth_node_curve_t c = {.name = "", .state = ""};
  berth_error_t error = {0};
  points_t p = {0};
  if (!cJSON_IsObject(at->node)) return json_unexpected(at, "an object");
  int rc = read_what(at, &c.what);
  if (!rc) rc = json_get_string(at, "name", JSON_NEEDED, &c.name);
  if (!rc) rc = json_get_string(at, "state", JSON_OPTIONAL, &c.state);
  if (!rc) rc = read_numa(at, "core_numa", &c.core_numa);
  if (!rc) rc = read_numa(at, "memory_numa", &c.memory_numa);
  if (!rc) rc = read_points(at, 2, "a pair of numbers", &p);
  c.n = p.n;
  c.x = p.value[0];
  c.y = p.value[1];
  c.spread = p.spread;
  c.samples = p.samples;
  if (!rc && berth_node_add_curve(n, &c, &error)) rc = located(at, &error);
  points_free(&p);
  return rc;
}

static int read_noise(berth_node_t *n, const json_place_t *at)
{
  double at_least[BERTH_NODE_BINS], count[BERTH_NODE_BINS], *const to[] = {at_least, count};
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
    rc = read_numbers(&p, 2, to, "a pair of numbers");
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

static int read_strided(berth_node_t *n, const json_place_t *at)
{
  berth_strided_t t = {.mpi = ""};
  berth_error_t error = {0};
  points_t p = {0};
  if (!cJSON_IsObject(at->node)) return json_unexpected(at, "an object");
  int rc = read_strided_names(at, &t);
  if (!rc) rc = read_points(at, 3, "three numbers: block, bytes, seconds", &p);
  t.n = p.n;
  t.block = p.value[0];
  t.bytes = p.value[1];
  t.seconds = p.value[2];
  t.spread = p.spread;
  t.samples = p.samples;
  if (!rc && berth_node_add_strided(n, &t, &error)) rc = located(at, &error);
  points_free(&p);
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
