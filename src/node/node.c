/* SPDX-License-Identifier: BSD-3-Clause */
/* The record: its rules, and its parts. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/no_memory.h"
#include "base/text.h"
#include "node/node_internal.h"
#include "node/node_json.h"

enum { MAX_TEXT = 255 };

static const char *const what_names[BERTH_NODE_WHATS] = {
    [BERTH_NODE_COPY] = "copy",       [BERTH_NODE_MEMORY] = "memory",
    [BERTH_NODE_CORE] = "core",       [BERTH_NODE_BESIDE] = "beside",
    [BERTH_NODE_SENDING] = "sending", [BERTH_NODE_GRANULES] = "granules",
    [BERTH_NODE_TIMER] = "timer"};

const char *berth_node_what_name(berth_node_what_t what)
{
  return what >= 0 && what < BERTH_NODE_WHATS ? what_names[what] : NULL;
}

#define FAIL(...) berth_fail(err, BERTH_BAD_INPUT, __VA_ARGS__)

int node_check_text(const char *what, const char *text, berth_error_t *err)
{
  if (strlen(text) <= MAX_TEXT && text_utf8_valid(text, strlen(text), NULL) &&
      !text_has_control(text))
    return BERTH_OK;
  return FAIL("%s: found \"%.60s\", expected at most %d bytes of UTF-8 without control characters",
              what, text, MAX_TEXT);
}

static bool is_from(double v, double min) { return v >= min && v <= NODE_MAX_VALUE; }

int node_check_measured(double spread, int samples, size_t i, berth_error_t *err)
{
  if (!is_from(spread, 0) && spread != -1)
    return FAIL("spread[%zu]: found %g, expected a number from 0 to 1e18", i, spread);
  if (samples < 1) return FAIL("samples[%zu]: found %d, expected at least 1", i, samples);
  return BERTH_OK;
}

static int check_point(const berth_node_curve_t *c, size_t i, berth_error_t *err)
{
  if (!is_from(c->x[i], i > 0 ? nextafter(c->x[i - 1], INFINITY) : 0))
    return FAIL("points[%zu]: found %g, expected a number from 0 to 1e18 above those before it", i,
                c->x[i]);
  if (!is_from(c->y[i], nextafter(0, 1)))
    return FAIL("points[%zu]: found value %g, expected a number above 0, at most 1e18", i, c->y[i]);
  return node_check_measured(c->spread[i], c->samples[i], i, err);
}

static int check_curve(const berth_node_curve_t *c, berth_error_t *err)
{
  if (!berth_node_what_name(c->what)) return FAIL("what: found %d, expected a curve", (int)c->what);
  if (!*c->name) return FAIL("name: found an empty text, expected a name");
  if (c->n == 0 || c->n > NODE_MAX_POINTS)
    return FAIL("points: found %zu, expected 1 to %d", c->n, NODE_MAX_POINTS);
  if (c->core_numa < -1 || c->memory_numa < -1)
    return FAIL("found NUMA node %d, expected at least 0",
                c->core_numa < -1 ? c->core_numa : c->memory_numa);
  int rc = node_check_text("name", c->name, err);
  if (!rc) rc = node_check_text("state", c->state, err);
  for (size_t i = 0; i < c->n && !rc; i++) rc = check_point(c, i, err);
  return rc;
}

static int check_bins(const berth_node_noise_t *z, berth_error_t *err)
{
  if (z->n > BERTH_NODE_BINS)
    return FAIL("interruptions: found %zu, expected at most %d", z->n, BERTH_NODE_BINS);
  for (size_t i = 0; i < z->n; i++)
    if (!is_from(z->at_least_s[i], i > 0 ? nextafter(z->at_least_s[i - 1], INFINITY) : 0) ||
        !is_from(z->count[i], 0) || z->count[i] != floor(z->count[i]))
      return FAIL("interruptions[%zu]: found [%g, %g], expected a longer time than before it and a "
                  "whole number",
                  i, z->at_least_s[i], z->count[i]);
  return BERTH_OK;
}

static int check_noise(const berth_node_noise_t *z, berth_error_t *err)
{
  const struct {
    const char *name;
    double value, max;
  } values[] = {{"quantum", z->quantum_s, NODE_MAX_VALUE},
                {"seconds", z->seconds, NODE_MAX_VALUE},
                {"lost", z->lost, 1},
                {"longest", z->longest_s, NODE_MAX_VALUE},
                {"period", z->period_s, NODE_MAX_VALUE}};
  if (z->pu < 0) return FAIL("pu: found %d, expected at least 0", z->pu);
  if (z->idle < -1) return FAIL("idle: found %d, expected at least 0", z->idle);
  for (size_t i = 0; i < sizeof values / sizeof *values; i++)
    if (!(values[i].value >= 0 && values[i].value <= values[i].max))
      return FAIL("%s: found %g, expected a number from 0 to %g", values[i].name, values[i].value,
                  values[i].max);
  return check_bins(z, err);
}

berth_node_t *berth_node_new(const char *date, const char *processor, berth_error_t *err)
{
  if (node_check_text("date", date, err) || node_check_text("processor", processor, err))
    return NULL;
  berth_node_t *n = calloc(1, sizeof *n);
  if (!n) return no_memory_null(err);
  n->date = arena_strdup(&n->arena, date);
  n->processor = arena_strdup(&n->arena, processor);
  if (n->date && n->processor) return n;
  berth_node_free(n);
  return no_memory_null(err);
}

void berth_node_free(berth_node_t *n)
{
  if (!n) return;
  arena_free(&n->arena);
  id_table_clear(&n->curve_at);
  id_table_clear(&n->noise_at);
  id_table_clear(&n->strided_at);
  free(n->curves);
  free(n->noise);
  free(n->strided);
  free(n);
}

berth_node_t *berth_node_copy(const berth_node_t *n, berth_error_t *err)
{
  berth_node_t *copy = berth_node_new(n->date, n->processor, err);
  int rc = copy ? BERTH_OK : BERTH_MISSING;
  for (size_t i = 0; i < n->n_curves && !rc; i++)
    rc = berth_node_add_curve(copy, &n->curves[i], err);
  for (size_t i = 0; i < n->n_noise && !rc; i++) rc = berth_node_add_noise(copy, &n->noise[i], err);
  for (size_t i = 0; i < n->n_strided && !rc; i++)
    rc = berth_node_add_strided(copy, &n->strided[i], err);
  if (copy) berth_node_set_progress(copy, n->steps, n->complete);
  if (!rc) return copy;
  berth_node_free(copy);
  return NULL;
}

static bool is_curve(const berth_node_curve_t *c, berth_node_what_t what, const char *name,
                     const char *state, int core_numa, int memory_numa)
{
  return c->what == what && strcmp(c->name, name) == 0 && strcmp(c->state, state) == 0 &&
         c->core_numa == core_numa && c->memory_numa == memory_numa;
}

static uint64_t curve_id(berth_node_what_t what, const char *name, const char *state, int core_numa,
                         int memory_numa)
{
  const int numbers[] = {what, core_numa, memory_numa};
  uint64_t h = hash_bytes(HASH_START, numbers, sizeof numbers);
  return hash_bytes(hash_bytes(h, name, strlen(name) + 1), state, strlen(state));
}

static berth_node_curve_t *find(const berth_node_t *n, berth_node_what_t what, const char *name,
                                const char *state, int core_numa, int memory_numa)
{
  size_t at;
  uint64_t id = curve_id(what, name, state, core_numa, memory_numa);
  if (!id_table_find(&n->curve_at, id, &at)) return NULL;
  if (is_curve(&n->curves[at], what, name, state, core_numa, memory_numa)) return &n->curves[at];
  for (size_t i = 0; i < n->n_curves; i++)
    if (is_curve(&n->curves[i], what, name, state, core_numa, memory_numa)) return &n->curves[i];
  return NULL;
}

const berth_node_curve_t *berth_node_find(const berth_node_t *n, berth_node_what_t what,
                                          const char *name, const char *state, int core_numa,
                                          int memory_numa)
{
  return find(n, what, name, state, core_numa, memory_numa);
}

int node_put_place(id_table_t *table, uint64_t id, size_t place)
{
  size_t before;
  return id_table_find(table, id, &before) || id_table_add(table, id, place);
}

int node_copy_points(berth_node_t *n, size_t points, const double **const *values,
                     const int **samples)
{
  bool memory = true;
  for (; *values && memory; values++) {
    **values = arena_copy(&n->arena, **values, points * sizeof ***values);
    memory = **values != NULL;
  }
  *samples = memory ? arena_copy(&n->arena, *samples, points * sizeof **samples) : NULL;
  return *samples != NULL;
}

int berth_node_add_curve(berth_node_t *n, const berth_node_curve_t *curve, berth_error_t *err)
{
  int rc = check_curve(curve, err);
  if (rc) return rc;
  berth_node_curve_t copy = *curve;
  const double **const values[] = {&copy.x, &copy.y, &copy.spread, NULL};
  copy.name = arena_strdup(&n->arena, curve->name);
  copy.state = arena_strdup(&n->arena, curve->state);
  if (!copy.name || !copy.state || !node_copy_points(n, copy.n, values, &copy.samples))
    return no_memory(err);
  berth_node_curve_t *old =
      find(n, curve->what, curve->name, curve->state, curve->core_numa, curve->memory_numa);
  if (old) {
    *old = copy;
    return BERTH_OK;
  }
  if (n->n_curves == NODE_MAX_CURVES)
    return FAIL("curves: found more than %d, expected at most as many", NODE_MAX_CURVES);
  uint64_t id = curve_id(copy.what, copy.name, copy.state, copy.core_numa, copy.memory_numa);
  bool memory = ARRAY_ADD(&n->curves, &n->n_curves, &n->cap_curves, copy) &&
                node_put_place(&n->curve_at, id, n->n_curves - 1);
  return memory ? BERTH_OK : no_memory(err);
}

int berth_node_add_noise(berth_node_t *n, const berth_node_noise_t *noise, berth_error_t *err)
{
  int rc = check_noise(noise, err);
  if (rc) return rc;
  berth_node_noise_t copy = *noise;
  size_t bytes = noise->n * sizeof *noise->count, at;
  uint64_t id = (uint64_t)(uint32_t)noise->pu << 32 | (uint32_t)noise->idle;
  copy.at_least_s = arena_copy(&n->arena, noise->at_least_s, bytes);
  copy.count = arena_copy(&n->arena, noise->count, bytes);
  if (!copy.at_least_s || !copy.count) return no_memory(err);
  if (id_table_find(&n->noise_at, id, &at)) {
    n->noise[at] = copy;
    return BERTH_OK;
  }
  if (n->n_noise == NODE_MAX_NOISE)
    return FAIL("noise: found more than %d, expected at most as many", NODE_MAX_NOISE);
  bool memory = ARRAY_ADD(&n->noise, &n->n_noise, &n->cap_noise, copy) &&
                node_put_place(&n->noise_at, id, n->n_noise - 1);
  return memory ? BERTH_OK : no_memory(err);
}

void berth_node_set_progress(berth_node_t *n, int steps, int complete)
{
  n->steps = steps;
  n->complete = complete != 0;
}

int berth_node_steps(const berth_node_t *n) { return n->steps; }
int berth_node_is_complete(const berth_node_t *n) { return n->complete; }
const char *berth_node_date(const berth_node_t *n) { return n->date; }
const char *berth_node_processor(const berth_node_t *n) { return n->processor; }
size_t berth_node_n_curves(const berth_node_t *n) { return n->n_curves; }
size_t berth_node_n_noise(const berth_node_t *n) { return n->n_noise; }

const berth_node_curve_t *berth_node_curve_at(const berth_node_t *n, size_t i)
{
  return &n->curves[i];
}

const berth_node_noise_t *berth_node_noise_at(const berth_node_t *n, size_t i)
{
  return &n->noise[i];
}

static bool same_curve(const berth_node_curve_t *a, const berth_node_curve_t *b)
{
  size_t bytes = a->n * sizeof *a->x;
  return is_curve(a, b->what, b->name, b->state, b->core_numa, b->memory_numa) && a->n == b->n &&
         memcmp(a->x, b->x, bytes) == 0 && memcmp(a->y, b->y, bytes) == 0 &&
         memcmp(a->spread, b->spread, bytes) == 0 &&
         memcmp(a->samples, b->samples, a->n * sizeof *a->samples) == 0;
}

static bool same_noise(const berth_node_noise_t *a, const berth_node_noise_t *b)
{
  size_t bytes = a->n * sizeof *a->count;
  return a->pu == b->pu && a->idle == b->idle && a->quantum_s == b->quantum_s &&
         a->seconds == b->seconds && a->lost == b->lost && a->longest_s == b->longest_s &&
         a->period_s == b->period_s && a->n == b->n &&
         memcmp(a->at_least_s, b->at_least_s, bytes) == 0 && memcmp(a->count, b->count, bytes) == 0;
}

int node_same(const berth_node_t *a, const berth_node_t *b)
{
  if (a == b) return 1;
  bool same = a && b && strcmp(a->date, b->date) == 0 && strcmp(a->processor, b->processor) == 0 &&
              a->complete == b->complete && a->steps == b->steps && a->n_curves == b->n_curves &&
              a->n_noise == b->n_noise && a->n_strided == b->n_strided;
  for (size_t i = 0; same && i < a->n_curves; i++) same = same_curve(&a->curves[i], &b->curves[i]);
  for (size_t i = 0; same && i < a->n_noise; i++) same = same_noise(&a->noise[i], &b->noise[i]);
  for (size_t i = 0; same && i < a->n_strided; i++)
    same = node_same_strided(&a->strided[i], &b->strided[i]);
  return same;
}
