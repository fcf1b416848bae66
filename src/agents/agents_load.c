/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the parameters of hosts and agents (docs/formats/agents.md). */
#include <stdlib.h>
#include <string.h>

#include "agents/agents_internal.h"
#include "base/budget.h"
#include "base/json.h"
#include "base/no_memory.h"

enum { MOST_POINTS = 1000, MOST_BYTES = 1 << 10 };
#define MOST_AMOUNT 1e15

static const char *keep(berth_agents_t *a, const char *text)
{
  return arena_strdup(&a->arena, text);
}

/* Points [[amount, seconds], …], of rising amounts. */
static int read_points(const json_place_t *object, const char *key, berth_agents_t *a, size_t *n,
                       const berth_time_point_t **out)
{
  json_place_t list;
  int rc = json_get_array(object, key, JSON_NEEDED, &list);
  if (rc) return rc;
  int size = cJSON_GetArraySize(list.node);
  if (size < 1 || size > MOST_POINTS) return json_unexpected(&list, "1 to 1000 points");
  berth_time_point_t *points = arena_alloc(&a->arena, (size_t)size * sizeof *points);
  if (!points) return no_memory(list.source->err);
  *n = 0;
  for (json_place_t at = json_first(&list); at.node; json_step(&at)) {
    const cJSON *amount = cJSON_GetArrayItem(at.node, 0), *time = cJSON_GetArrayItem(at.node, 1);
    if (!cJSON_IsArray(at.node) || cJSON_GetArraySize(at.node) != 2 || !cJSON_IsNumber(amount) ||
        !cJSON_IsNumber(time))
      return json_unexpected(&at, "an amount and a time, as in [8, 4.2e-7]");
    points[*n] = (berth_time_point_t){amount->valuedouble, time->valuedouble};
    if (!(points[*n].amount > (*n ? points[*n - 1].amount : -1) &&
          points[*n].amount <= MOST_AMOUNT))
      return json_fail(&at, "found the amount %g, expected %s and at most 1e15", points[*n].amount,
                       *n ? "more than before" : "at least 0");
    if (!(points[*n].seconds >= 0 && points[*n].seconds <= MOST_AMOUNT))
      return json_fail(&at, "found %g seconds, expected 0 to 1e15", points[*n].seconds);
    ++*n;
  }
  *out = points;
  return BERTH_OK;
}

static int read_compute(const json_place_t *at, berth_agents_t *a, const berth_executor_t *e,
                        berth_compute_t *c)
{
  if (!cJSON_IsObject(at->node)) return json_unexpected(at, "an object");
  int rc = json_get_string(at, "operation", JSON_NEEDED, &c->operation);
  if (!rc) rc = json_get_string(at, "type", JSON_NEEDED, &c->type);
  if (!rc) rc = json_get_int(at, "element_bytes", JSON_NEEDED, 1, MOST_BYTES, &c->bytes);
  if (!rc) rc = read_points(at, "elements_s", a, &c->n, &c->points);
  if (rc) return rc;
  for (size_t i = 0; i < e->n_compute; i++)
    if (strcmp(e->compute[i].operation, c->operation) == 0 &&
        strcmp(e->compute[i].type, c->type) == 0)
      return json_fail(at, "found %.40s of %.40s again", c->operation, c->type);
  c->operation = keep(a, c->operation);
  c->type = keep(a, c->type);
  return c->operation && c->type ? BERTH_OK : no_memory(at->source->err);
}

static int read_executor(const json_place_t *root, const char *name, berth_agents_t *a,
                         berth_executor_t *e)
{
  json_place_t at, list;
  int rc = json_get_object(root, name, JSON_NEEDED, &at);
  e->name = name;
  if (!rc) rc = json_get_number(&at, "latency_s", JSON_NEEDED, 0, 0, &e->latency_s);
  if (!rc) rc = json_get_number(&at, "start_s", JSON_NEEDED, 0, 0, &e->start_s);
  if (!rc) rc = read_points(&at, "receive_bytes_s", a, &e->n_receive, &e->receive);
  if (!rc) rc = json_get_array(&at, "compute", JSON_NEEDED, &list);
  if (rc) return rc;
  int n = cJSON_GetArraySize(list.node);
  if (n > MOST_POINTS) return json_unexpected(&list, "at most 1000 operations");
  berth_compute_t *compute = arena_alloc(&a->arena, ((size_t)n + 1) * sizeof *compute);
  if (!compute) return no_memory(list.source->err);
  e->compute = compute;
  for (json_place_t one = json_first(&list); one.node && !rc; json_step(&one)) {
    compute[e->n_compute] = (berth_compute_t){0};
    rc = read_compute(&one, a, e, &compute[e->n_compute]);
    e->n_compute++;
  }
  return rc;
}

/* Operations of both must have elements of the same size. */
static int check_sizes(const json_place_t *root, const berth_agents_t *a)
{
  for (size_t i = 0; i < a->host.n_compute; i++)
    for (size_t k = 0; k < a->agent.n_compute; k++) {
      const berth_compute_t *h = &a->host.compute[i], *g = &a->agent.compute[k];
      if (strcmp(h->type, g->type) == 0 && h->bytes != g->bytes)
        return json_fail(root, "found elements of %d and %d bytes for %.40s, expected one size",
                         h->bytes, g->bytes, h->type);
    }
  return BERTH_OK;
}

/* Takes over the document; NULL: the error is there already. */
static berth_agents_t *read_document(cJSON *doc, const json_source_t *source)
{
  if (!doc) return NULL;
  berth_agents_t *a = calloc(1, sizeof *a);
  json_place_t root = json_root(source, doc);
  const char *name = "";
  int rc = a ? json_check_header(&root, "berth-agents", 1) : no_memory(source->err);
  if (!rc) rc = json_get_string(&root, "name", JSON_OPTIONAL, &name);
  if (!rc && !(a->name = keep(a, name))) rc = no_memory(source->err);
  if (!rc) rc = read_executor(&root, "host", a, &a->host);
  if (!rc) rc = read_executor(&root, "agent", a, &a->agent);
  if (!rc) rc = check_sizes(&root, a);
  cJSON_Delete(doc);
  if (!rc) return a;
  berth_agents_free(a);
  return NULL;
}

berth_agents_t *agents_parse(const char *text, size_t n, const char *name, berth_error_t *err)
{
  json_source_t source = {name, 0, err, "a description of agents"};
  return read_document(json_parse(text, n, &source), &source);
}

berth_agents_t *berth_agents_load(const char *path, berth_error_t *err)
{
  berth_error_t local = {0};
  budget_t budget;
  if (!err) err = &local;
  json_source_t source = {path, 0, err, "a description of agents"};
  budget_begin(&budget);
  berth_agents_t *a = read_document(json_parse_file(path, &source), &source);
  if (budget_end(&budget, path, a ? BERTH_OK : err->code, err) == BERTH_OK) return a;
  berth_agents_free(a);
  return NULL;
}

void berth_agents_free(berth_agents_t *a)
{
  if (!a) return;
  arena_free(&a->arena);
  free(a);
}

const char *berth_agents_name(const berth_agents_t *a) { return a->name; }
const berth_executor_t *berth_agents_host(const berth_agents_t *a) { return &a->host; }
const berth_executor_t *berth_agents_agent(const berth_agents_t *a) { return &a->agent; }
