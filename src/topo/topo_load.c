/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads topology files: docs/formats/topology.md. */
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/in_file.h"
#include "base/no_memory.h"
#include "node/node_json.h"
#include "topo/topo_measured.h"
#include "topo/topo_plan.h"

static size_t length(const cJSON *array) { return (size_t)cJSON_GetArraySize(array); }

/* Reads a curve's points to size[0 … n - 1] and bandwidth[0 … n - 1]. */
static int read_points(const json_place_t *points, double *size, double *bandwidth)
{
  for (json_place_t at = json_first(points); at.node; json_step(&at)) {
    const cJSON *node = at.node;
    if (!cJSON_IsArray(node)) return json_unexpected(&at, "a pair of numbers [size, bandwidth]");
    if (length(node) != 2)
      return json_fail(&at, "found a list of %zu, expected a pair of numbers [size, bandwidth]",
                       length(node));
    json_place_t pair[] = {json_item(&at, 0, node->child), json_item(&at, 1, node->child->next)};
    for (int k = 0; k < 2; k++)
      if (!cJSON_IsNumber(pair[k].node))
        return json_unexpected(&pair[k], k == 0 ? "a size in bytes" : "a bandwidth in B/s");
    size[at.index] = pair[0].node->valuedouble;
    bandwidth[at.index] = pair[1].node->valuedouble;
  }
  return BERTH_OK;
}

static int read_curve(berth_topo_t *t, const json_place_t *at)
{
  if (!cJSON_IsObject(at->node)) return json_unexpected(at, "an object");
  berth_curve_t curve = {.name = at->key, .source = ""};
  json_place_t points;
  int rc = json_get_string(at, "source", JSON_OPTIONAL, &curve.source);
  if (!rc) rc = json_get_array(at, "points", JSON_NEEDED, &points);
  if (rc) return rc;
  curve.n = length(points.node);
  double *values = malloc((3 * curve.n + 1) * sizeof *values);
  int *counts = malloc((curve.n + 1) * sizeof *counts);
  if (!values || !counts)
    rc = no_memory(at->source->err);
  else
    rc = read_points(&points, values, values + curve.n);
  curve.size = values;
  curve.bandwidth = values + curve.n;
  if (!rc) rc = topo_read_measured(at, &curve, values + 2 * curve.n, counts);
  berth_error_t error;
  if (!rc && berth_topo_add_curve(t, &curve, &error) < 0) rc = topo_located(at, &error);
  free(values);
  free(counts);
  return rc;
}

static int read_direction(const berth_topo_t *t, const json_place_t *port, const char *key,
                          berth_port_dir_t *dir)
{
  const char *name = NULL;
  int rc = json_get_string(port, key, JSON_OPTIONAL, &name);
  if (rc || !name) return rc;
  dir->curve = name_table_find(&t->curve_of_name, name);
  if (dir->curve >= 0) return BERTH_OK;
  json_place_t at = json_member(port, key);
  return json_unexpected(&at, "the name of one of the curves");
}

static int read_port(const berth_topo_t *t, const json_place_t *type, const char *key,
                     berth_port_t *port)
{
  *port = (berth_port_t){.out = {.curve = -1}, .in = {.curve = -1}};
  json_place_t at;
  int rc = json_get_object(type, key, JSON_OPTIONAL, &at);
  if (rc || !at.node) return rc;
  rc = topo_read_capacities(&at, port);
  if (!rc) rc = read_direction(t, &at, "out", &port->out);
  if (!rc) rc = read_direction(t, &at, "in", &port->in);
  if (!rc) rc = json_get_number(&at, "reverse_traffic", JSON_OPTIONAL, 0, 0, &port->reverse);
  return rc;
}

static int read_type(berth_topo_t *t, const json_place_t *at)
{
  if (!cJSON_IsObject(at->node)) return json_unexpected(at, "an object");
  berth_type_t type = {.name = at->key};
  double slowdown[BERTH_MAX_SLOWDOWNS];
  int rc = read_port(t, at, "up", &type.up);
  if (!rc) rc = read_port(t, at, "down", &type.down);
  if (!rc) rc = topo_read_capacity(at, &type);
  if (!rc) rc = topo_read_slowdown(at, slowdown, &type);
  berth_node_t *node = NULL;
  json_place_t measured = json_member(at, "node");
  if (!rc && measured.node && !cJSON_IsNull(measured.node)) rc = node_read(&measured, &node);
  type.node = node;
  berth_error_t error;
  if (!rc && berth_topo_add_type(t, &type, &error) < 0) rc = topo_located(at, &error);
  berth_node_free(node);
  return rc;
}

/* Calls `read` for each member of the object `key` of the document. */
static int read_members(berth_topo_t *t, const json_place_t *root, const char *key,
                        json_need_t need, int (*read)(berth_topo_t *, const json_place_t *))
{
  json_place_t object;
  int rc = json_get_object(root, key, need, &object);
  if (rc || !object.node) return rc;
  for (const cJSON *node = object.node->child; node && !rc; node = node->next) {
    json_place_t at = {object.source, &object, node->string, 0, node};
    rc = read(t, &at);
  }
  return rc;
}

static int read_unit(berth_topo_t *t, const json_place_t *root)
{
  const char *unit = NULL;
  int rc = json_get_string(root, "unit", JSON_OPTIONAL, &unit);
  if (rc || !unit || strcmp(unit, "second") == 0) return rc;
  json_place_t at = json_member(root, "unit");
  if (strcmp(unit, "distance") != 0) return json_unexpected(&at, "second or distance");
  berth_topo_set_distances(t);
  return BERTH_OK;
}

static const topo_limits_t default_limits = {BERTH_MAX_PUS, BERTH_MAX_ELEMENTS, 1 << 30};

static int read_document(berth_topo_t *t, const json_place_t *root, const topo_limits_t *limits)
{
  int rc = read_members(t, root, "curves", JSON_OPTIONAL, read_curve);
  if (!rc) rc = read_members(t, root, "types", JSON_NEEDED, read_type);
  if (!rc) rc = topo_read_model_errors(t, root);
  if (!rc) rc = read_unit(t, root);
  if (rc) return rc;
  plan_t plan = {.limits = limits ? *limits : default_limits};
  json_place_t tree = json_member(root, "root");
  rc = plan_read(&plan, t, &tree);
  if (!rc) rc = expand_plan(&plan, t, &tree);
  plan_clear(&plan);
  return rc;
}

/* Members that are read. Files may have others, which are ignored. */
static const json_known_t element_members[9];
static const json_known_t element_members[9] = {
    {"pu", NULL},   {"core", NULL}, {"repeat", NULL}, {"type", NULL},
    {"name", NULL}, {"host", NULL}, {"first", NULL},  {"children", element_members},
    {NULL, NULL}};
static const json_known_t port_members[] = {{"out", NULL},
                                            {"in", NULL},
                                            {"max_bandwidth", NULL},
                                            {"max_bandwidth_measured", NULL},
                                            {"reverse_traffic", NULL},
                                            {NULL, NULL}};
static const json_known_t type_members[] = {{"up", port_members},
                                            {"down", port_members},
                                            {"max_bandwidth", NULL},
                                            {"max_bandwidth_measured", NULL},
                                            {"shared_core_slowdown", NULL},
                                            {"node", NULL},
                                            {NULL, NULL}};
static const json_known_t curve_members[] = {
    {"source", NULL}, {"points", NULL}, {"measured", NULL}, {NULL, NULL}};
static const json_known_t curves[] = {{"*", curve_members}, {NULL, NULL}};
static const json_known_t types[] = {{"*", type_members}, {NULL, NULL}};
static const json_known_t members[] = {
    {"format", NULL},   {"version", NULL},         {"name", NULL},
    {"curves", curves}, {"types", types},          {"model_error", NULL},
    {"unit", NULL},     {"root", element_members}, {NULL, NULL}};

berth_topo_t *topo_parse(const char *text, size_t n, const char *file, const topo_limits_t *limits,
                         berth_error_t *err)
{
  json_source_t source = {file, 0, err, "a topology (from berth topo)"};
  cJSON *document = json_parse_known(text, n, members, &source);
  if (!document) return NULL;
  json_place_t root = json_root(&source, document);
  const char *name = "";
  berth_topo_t *t = NULL;
  if (json_check_header(&root, "berth-topology", 1) == BERTH_OK &&
      json_get_string(&root, "name", JSON_OPTIONAL, &name) == BERTH_OK)
    t = berth_topo_new(name, err);
  if (t && read_document(t, &root, limits)) {
    berth_topo_free(t);
    t = NULL;
  }
  cJSON_Delete(document);
  return t;
}

berth_topo_t *berth_topo_load(const char *path, berth_error_t *err)
{
  char *text = NULL;
  size_t n;
  budget_t budget;
  budget_begin(&budget);
  int rc = in_read_all(path, &text, &n, err);
  berth_topo_t *t = rc ? NULL : topo_parse(text, n, path, NULL, err);
  free(text);
  budget_end(&budget, path, t ? BERTH_OK : BERTH_BAD_INPUT, err);
  return t;
}
