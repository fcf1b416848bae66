/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes topology files: docs/formats/topology.md. Repeats are written out. */
#include "node/node_json.h"
#include "topo/topo_measured.h"

static void save_curve(json_out_t *j, const berth_curve_t *c)
{
  json_open(j, c->name, '{', JSON_ONE_LINE);
  if (*c->source) json_put_string(j, "source", c->source);
  json_open(j, "points", '[', JSON_ONE_LINE);
  for (size_t i = 0; i < c->n; i++) {
    json_open(j, NULL, '[', JSON_ONE_LINE);
    json_put_number(j, NULL, c->size[i]);
    json_put_number(j, NULL, c->bandwidth[i]);
    json_close(j);
  }
  json_close(j);
  topo_put_measured(j, c);
  json_close(j);
}

static void save_port(json_out_t *j, const berth_topo_t *t, const char *key,
                      const berth_port_t *port)
{
  if (port->out.capacity == 0 && port->in.capacity == 0) return;
  json_open(j, key, '{', JSON_ONE_LINE);
  if (port->out.curve >= 0) json_put_string(j, "out", t->curves[port->out.curve].name);
  if (port->in.curve >= 0) json_put_string(j, "in", t->curves[port->in.curve].name);
  topo_put_capacities(j, t, port);
  if (port->reverse > 0) json_put_number(j, "reverse_traffic", port->reverse);
  json_close(j);
}

static void save_type(json_out_t *j, const berth_topo_t *t, const berth_type_t *type)
{
  json_open(j, type->name, '{', JSON_LINES);
  save_port(j, t, "up", &type->up);
  save_port(j, t, "down", &type->down);
  if (type->capacity > 0) json_put_number(j, "max_bandwidth", type->capacity);
  topo_put_samples(j, "max_bandwidth_measured", type->spread, type->samples, &type->origin);
  topo_put_slowdown(j, type);
  if (type->node) node_put(j, "node", type->node);
  json_close(j);
}

static void save_pu(json_out_t *j, const berth_pu_t *pu)
{
  json_open(j, NULL, '{', JSON_ONE_LINE);
  json_put_u64(j, "pu", (uint64_t)pu->os_index);
  json_put_u64(j, "core", (uint64_t)pu->core);
  json_close(j);
}

static void save_element(json_out_t *j, const berth_topo_t *t, int element, const char *key)
{
  const berth_element_t *e = &t->elements[element];
  if (e->type < 0) {
    save_pu(j, &t->pus[e->first_pu]);
    return;
  }
  json_open(j, key, '{', e->height == 1 ? JSON_ONE_LINE : JSON_LINES);
  json_put_string(j, "type", t->types[e->type].name);
  json_put_string(j, "name", t->element_names[element]);
  if (e->host >= 0 && t->hosts[e->host].element == element)
    json_put_string(j, "host", t->hosts[e->host].name);
  json_open(j, "children", '[', JSON_LINES);
  for (int child = element + 1; child < element + e->size; child += t->elements[child].size)
    save_element(j, t, child, NULL);
  json_close(j);
  json_close(j);
}

int berth_topo_save(const berth_topo_t *t, const char *path, berth_error_t *err)
{
  json_out_t j;
  if (t->n_elements == 0 || t->elements[0].n_pus == 0)
    return berth_fail(err, BERTH_BAD_INPUT,
                      "found a topology that isn't finished, expected berth_topo_finish after the "
                      "last element");
  int rc = json_begin(&j, path, "berth-topology", err);
  if (rc) return rc;
  json_put_string(&j, "name", t->name);
  if (t->distances) json_put_string(&j, "unit", "distance");
  topo_put_model_errors(&j, t);
  json_open(&j, "curves", '{', JSON_LINES);
  for (size_t i = 0; i < t->n_curves; i++) save_curve(&j, &t->curves[i]);
  json_close(&j);
  json_open(&j, "types", '{', JSON_LINES);
  for (size_t i = 0; i < t->n_types; i++) save_type(&j, t, &t->types[i]);
  json_close(&j);
  save_element(&j, t, 0, "root");
  json_close(&j);
  return out_commit(j.out, err);
}
