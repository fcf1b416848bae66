/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads, checks and writes slow-downs of shared cores. */
#include "topo/topo_measured.h"

#include <string.h>

static int read_list(const json_place_t *list, double *values, berth_type_t *out)
{
  json_place_t at = json_first(list);
  for (; at.node; json_step(&at)) {
    if (at.index == BERTH_MAX_SLOWDOWNS)
      return json_fail(list, "found more than %d numbers, expected at most as many",
                       BERTH_MAX_SLOWDOWNS);
    if (!cJSON_IsNumber(at.node)) return json_unexpected(&at, "a number of at least 1");
    values[at.index] = at.node->valuedouble;
  }
  if (at.index == 0)
    return json_fail(list, "found an empty list, expected a number for 2 busy PUs");
  out->n_slowdowns = at.index;
  return BERTH_OK;
}

int topo_read_slowdown(const json_place_t *type, double values[BERTH_MAX_SLOWDOWNS],
                       berth_type_t *out)
{
  json_place_t at = json_member(type, "shared_core_slowdown");
  if (!at.node || cJSON_IsNull(at.node)) return BERTH_OK;
  out->slowdown = values;
  if (cJSON_IsArray(at.node)) return read_list(&at, values, out);
  if (!cJSON_IsNumber(at.node)) return json_unexpected(&at, "a number of at least 1, or a list");
  values[0] = at.node->valuedouble;
  out->n_slowdowns = 1;
  return BERTH_OK;
}

void topo_put_slowdown(json_out_t *j, const berth_type_t *type)
{
  static const char key[] = "shared_core_slowdown";
  if (type->n_slowdowns == 1) json_put_number(j, key, type->slowdown[0]);
  if (type->n_slowdowns < 2) return;
  json_open(j, key, '[', JSON_ONE_LINE);
  for (size_t i = 0; i < type->n_slowdowns; i++) json_put_number(j, NULL, type->slowdown[i]);
  json_close(j);
}

int topo_check_slowdown(const berth_type_t *type, berth_error_t *err)
{
  if (type->n_slowdowns > BERTH_MAX_SLOWDOWNS || (type->n_slowdowns > 0 && !type->slowdown)) {
    berth_fail(err, BERTH_BAD_INPUT, "shared_core_slowdown: found %zu numbers, expected 0 to %d",
               type->n_slowdowns, BERTH_MAX_SLOWDOWNS);
    return -1;
  }
  for (size_t i = 0; i < type->n_slowdowns; i++) {
    double min = i > 0 ? type->slowdown[i - 1] : 1;
    if (type->slowdown[i] >= min && type->slowdown[i] <= TOPO_MAX_SPREAD) continue;
    berth_fail(err, BERTH_BAD_INPUT,
               "shared_core_slowdown: found %g for %zu busy PUs, expected a "
               "number from %g to %g",
               type->slowdown[i], i + 2, min, TOPO_MAX_SPREAD);
    return -1;
  }
  return 0;
}

int topo_same_slowdown(const berth_type_t *a, const berth_type_t *b)
{
  return a->n_slowdowns == b->n_slowdowns &&
         (a->n_slowdowns == 0 ||
          memcmp(a->slowdown, b->slowdown, a->n_slowdowns * sizeof *a->slowdown) == 0);
}
