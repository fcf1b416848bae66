/* SPDX-License-Identifier: BSD-3-Clause */
/* Expands the plan of a topology file: repeats become elements. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "topo/topo_plan.h"

enum { NAME_SIZE = BERTH_MAX_NAME + 24 };

int topo_located(const json_place_t *at, const berth_error_t *error)
{
  if (error->code != BERTH_BAD_INPUT)
    return berth_fail(at->source->err, error->code, "%s", error->text);
  const char *what = text_starts(error->text, "found ") ? NULL : strstr(error->text, ": ");
  if (!what) return json_fail(at, "%s", error->text);
  char key[64]; /* a place of the builder, such as points[3], is appended to this one */
  snprintf(key, sizeof key, "%.*s", (int)(what - error->text), error->text);
  json_place_t inside = json_member(at, key);
  return json_fail(&inside, "%s", what + 2);
}

/* The name of the k-th repeat of an element, in buf if it has a number. */
static const char *expand_name(plan_t *plan, const plan_name_t *name, uint64_t first, uint64_t k,
                               char buf[NAME_SIZE])
{
  if (name->counter < 0) return name->text;
  uint64_t *next = &plan->next[name->counter];
  if (first != PLAN_NO_FIRST && k == 0) *next = first;
  snprintf(buf, NAME_SIZE, "%.*s%llu%s", name->percent, name->text, (unsigned long long)*next,
           name->text + name->percent + 2);
  (*next)++;
  return buf;
}

static int expand_element(plan_t *plan, berth_topo_t *t, const json_place_t *at, size_t self,
                          int parent);

static int expand_children(plan_t *plan, berth_topo_t *t, const json_place_t *at, size_t self,
                           int element)
{
  json_place_t children = json_member(at, "children");
  size_t child = self + 1;
  for (json_place_t place = json_first(&children); place.node; json_step(&place)) {
    int rc = expand_element(plan, t, &place, child, element);
    if (rc) return rc;
    child += (size_t)plan->elements[child].n_all;
  }
  return BERTH_OK;
}

/* An element without a name gets its host's name, or its type's. */
static int expand_once(plan_t *plan, berth_topo_t *t, const json_place_t *at, size_t self,
                       int parent, uint64_t k)
{
  char name_buf[NAME_SIZE], host_buf[NAME_SIZE];
  berth_error_t error;
  const plan_element_t *e = &plan->elements[self];
  const char *name = expand_name(plan, &e->is.box.name, e->is.box.first, k, name_buf);
  const char *host = expand_name(plan, &e->is.box.host, e->is.box.first, k, host_buf);
  if (!name) name = host ? host : t->types[e->type].name;
  int element = berth_topo_add_switch(t, parent, e->type, name, host, &error);
  return element < 0 ? topo_located(at, &error) : expand_children(plan, t, at, self, element);
}

static int expand_element(plan_t *plan, berth_topo_t *t, const json_place_t *at, size_t self,
                          int parent)
{
  const plan_element_t *e = &plan->elements[self];
  if (e->type < 0) {
    berth_error_t error;
    return berth_topo_add_pu(t, parent, e->is.pu.os_index, e->is.pu.core, &error) < 0
               ? topo_located(at, &error)
               : BERTH_OK;
  }
  int rc = BERTH_OK;
  for (uint64_t k = 0; k < e->is.box.repeat && !rc; k++)
    rc = expand_once(plan, t, at, self, parent, k);
  return rc;
}

int expand_plan(plan_t *plan, berth_topo_t *t, const json_place_t *root)
{
  berth_error_t error;
  int rc = expand_element(plan, t, root, 0, -1);
  if (rc) return rc;
  return berth_topo_finish(t, &error) ? topo_located(root, &error) : BERTH_OK;
}
