/* SPDX-License-Identifier: BSD-3-Clause */
/* The parameters that the job had set for its MPI, and the header's member that has them. */
#include <string.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "pattern/pattern_check.h"
#include "pattern/pattern_internal.h"

int berth_pattern_add_parameter(berth_pattern_t *p, const berth_parameter_t *parameter,
                                berth_error_t *err)
{
  arena_t *a = &p->arena;
  size_t place = 0;
  int rc = pattern_check_text(parameter->name, "parameter", err);
  if (!rc) rc = pattern_check_text(parameter->value, "value", err);
  if (!rc && parameter->text) rc = pattern_check_any_text(parameter->text, "text", err);
  if (rc) return rc;
  const berth_parameter_t *all = p->parameters.items;
  while (place < p->parameters.n && strcmp(all[place].name, parameter->name) < 0) place++;
  if (place < p->parameters.n && strcmp(all[place].name, parameter->name) == 0)
    return berth_fail(err, BERTH_BAD_INPUT, "found the parameter %.100s a second time",
                      parameter->name);
  const berth_parameter_t copy = {arena_strdup(a, parameter->name),
                                  arena_strdup(a, parameter->value),
                                  parameter->text ? arena_strdup(a, parameter->text) : NULL};
  bool enough = copy.name && copy.value && (copy.text || !parameter->text);
  if (!enough || !ARRAY_GROW(&p->parameters.items, p->parameters.n, &p->parameters.cap))
    return no_memory(err);
  berth_parameter_t *at = &p->parameters.items[place];
  memmove(at + 1, at, (p->parameters.n++ - place) * sizeof *at);
  *at = copy;
  return BERTH_OK;
}

void berth_pattern_set_followed(berth_pattern_t *p, size_t parameter, int follows)
{
  p->parameters.items[parameter].unfollowed = !follows;
}

int pattern_read_parameters(const json_place_t *header, berth_pattern_t *p)
{
  json_place_t list;
  int rc = json_get_array(header, "parameters", JSON_OPTIONAL, &list);
  if (rc || !list.node) return rc;
  for (json_place_t at = json_first(&list); at.node && !rc; json_step(&at)) {
    berth_error_t why = {0};
    berth_parameter_t found = {0};
    json_place_t text = json_member(&at, "text");
    if (!cJSON_IsObject(at.node)) return json_unexpected(&at, "an object");
    rc = json_get_string(&at, "name", JSON_NEEDED, &found.name);
    if (!rc) rc = json_get_string(&at, "value", JSON_NEEDED, &found.value);
    if (!rc && text.node) rc = json_as_any_string(&text, &found.text);
    if (rc) return rc;
    rc = berth_pattern_add_parameter(p, &found, &why);
    if (rc == BERTH_MISSING) return no_memory(at.source->err);
    if (rc) return json_fail(&at, "%s", why.text);
  }
  return rc;
}

void pattern_put_parameters(json_out_t *j, const berth_pattern_t *p)
{
  if (p->parameters.n == 0) return;
  json_open(j, "parameters", '[', JSON_COMPACT);
  for (size_t i = 0; i < p->parameters.n; i++) {
    const berth_parameter_t *one = &p->parameters.items[i];
    json_open(j, NULL, '{', JSON_COMPACT);
    json_put_string(j, "name", one->name);
    json_put_string(j, "value", one->value);
    if (one->text) json_put_string(j, "text", one->text);
    json_close(j);
  }
  json_close(j);
}
