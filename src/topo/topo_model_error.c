/* SPDX-License-Identifier: BSD-3-Clause */
/* Stores, reads and writes the errors of cost models. */
#include "topo/topo_measured.h"

#include <string.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "base/text.h"

enum { MAX_MODEL_ERRORS = 64 }; /* far more than there are models */

static topo_model_error_t *find(const berth_topo_t *t, const char *model)
{
  for (size_t i = 0; i < t->n_model_errors; i++)
    if (strcmp(t->model_errors[i].model, model) == 0) return &t->model_errors[i];
  return NULL;
}

double berth_topo_model_error(const berth_topo_t *t, const char *model)
{
  const topo_model_error_t *known = find(t, model);
  return known ? known->error : 0;
}

int berth_topo_n_model_errors(const berth_topo_t *t) { return (int)t->n_model_errors; }

const char *berth_topo_model_error_name(const berth_topo_t *t, int i)
{
  return t->model_errors[i].model;
}

int berth_topo_set_model_error(berth_topo_t *t, const char *model, double error, berth_error_t *err)
{
  if (strlen(model) > BERTH_MAX_NAME || !text_utf8_valid(model, strlen(model), NULL) ||
      text_has_control(model))
    return berth_fail(err, BERTH_BAD_INPUT,
                      "found model \"%.60s\", expected UTF-8 text of at most %d bytes without "
                      "control characters",
                      model, BERTH_MAX_NAME);
  if (!(error >= 0 && error <= TOPO_MAX_SPREAD))
    return berth_fail(err, BERTH_BAD_INPUT, "found %g, expected a number from 0 to %g", error,
                      TOPO_MAX_SPREAD);
  topo_model_error_t *known = find(t, model);
  if (known) {
    known->error = error;
    return BERTH_OK;
  }
  if (t->n_model_errors >= MAX_MODEL_ERRORS)
    return berth_fail(err, BERTH_BAD_INPUT, "found errors of more than %d models, the most taken",
                      MAX_MODEL_ERRORS);
  const char *copy = arena_strdup(&t->arena, model);
  if (!copy || !ARRAY_GROW(&t->model_errors, t->n_model_errors, &t->cap_model_errors))
    return no_memory(err);
  t->model_errors[t->n_model_errors++] = (topo_model_error_t){copy, error};
  return BERTH_OK;
}

int topo_read_model_errors(berth_topo_t *t, const json_place_t *root)
{
  json_place_t object;
  int rc = json_get_object(root, "model_error", JSON_OPTIONAL, &object);
  if (rc || !object.node) return rc;
  for (const cJSON *node = object.node->child; node && !rc; node = node->next) {
    if (cJSON_IsNull(node)) continue;
    double error = 0;
    berth_error_t why;
    json_place_t at = {object.source, &object, node->string, 0, node};
    rc = json_get_number(&object, node->string, JSON_OPTIONAL, 0, 0, &error);
    if (!rc && berth_topo_set_model_error(t, node->string, error, &why))
      rc = json_fail(&at, "%s", why.text);
  }
  return rc;
}

void topo_put_model_errors(json_out_t *j, const berth_topo_t *t)
{
  if (!t->n_model_errors) return;
  json_open(j, "model_error", '{', JSON_ONE_LINE);
  for (size_t i = 0; i < t->n_model_errors; i++)
    json_put_number(j, t->model_errors[i].model, t->model_errors[i].error);
  json_close(j);
}
