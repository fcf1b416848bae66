/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a topology file's tree, and counts what its repeats expand to. */
#include "topo/topo_plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/no_memory.h"

static int no_room(const json_place_t *at) { return no_memory(at->source->err); }

/* What a subtree expands to. Sums and products are limited to UINT64_MAX. */
typedef struct extent {
  uint64_t elements, pus, text; /* text: maximum bytes of names */
} extent_t;

static uint64_t add(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

static uint64_t multiply(uint64_t a, uint64_t b)
{
  uint64_t product;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static int check_limit(const json_place_t *at, const char *what, uint64_t found, uint64_t limit)
{
  if (found <= limit) return BERTH_OK;
  return json_fail(at, "found %s%llu %s, expected at most %llu",
                   found == UINT64_MAX ? "more than " : "", (unsigned long long)found, what,
                   (unsigned long long)limit);
}

/* Adds a subtree to the sum of the siblings before it. */
static int count(const plan_t *plan, const json_place_t *at, extent_t *sum, const extent_t *one,
                 uint64_t repeat)
{
  sum->elements = add(sum->elements, multiply(one->elements, repeat));
  sum->pus = add(sum->pus, multiply(one->pus, repeat));
  sum->text = add(sum->text, multiply(one->text, repeat));
  int rc = check_limit(at, "PUs with all repeats", sum->pus, plan->limits.pus);
  if (!rc) rc = check_limit(at, "elements with all repeats", sum->elements, plan->limits.elements);
  if (!rc) rc = check_limit(at, "bytes of names with all repeats", sum->text, plan->limits.text);
  return rc;
}

/* Finds the counter of a pattern. All elements of the file with that pattern share it. */
static int find_counter(plan_t *plan, name_table_t *counters, plan_name_t *name,
                        const json_place_t *at)
{
  name->counter = name_table_find(counters, name->text);
  if (name->counter >= 0) return BERTH_OK;
  if (!ARRAY_GROW(&plan->next, plan->n_counters, &plan->cap_counters) ||
      !name_table_add(counters, name->text, (int)plan->n_counters))
    return no_room(at);
  name->counter = (int)plan->n_counters;
  plan->next[plan->n_counters++] = 0;
  return BERTH_OK;
}

static int read_name(plan_t *plan, name_table_t *counters, const json_place_t *element,
                     const char *key, plan_name_t *name)
{
  *name = (plan_name_t){NULL, -1, -1};
  json_place_t at = json_member(element, key);
  if (!at.node || cJSON_IsNull(at.node)) return BERTH_OK;
  int rc = json_as_string(&at, &name->text);
  if (rc) return rc;
  if (strlen(name->text) > BERTH_MAX_NAME)
    return json_fail(&at, "found a name of %zu bytes, expected at most %d", strlen(name->text),
                     BERTH_MAX_NAME);
  const char *percent = strstr(name->text, "%d");
  if (!percent) return BERTH_OK;
  name->percent = (int)(percent - name->text);
  if (strstr(percent + 2, "%d")) return json_unexpected(&at, "at most one %d");
  return find_counter(plan, counters, name, &at);
}

static int read_pu(const json_place_t *at, plan_element_t *e)
{
  static const char *const not_for_pus[] = {"type", "children", "host"};
  for (size_t i = 0; i < sizeof not_for_pus / sizeof *not_for_pus; i++)
    if (json_member(at, not_for_pus[i]).node)
      return json_fail(at, "found a PU with \"%s\", expected a PU or a switch", not_for_pus[i]);
  uint64_t repeat = 1;
  e->type = -1;
  int rc = json_get_u64(at, "repeat", JSON_OPTIONAL, 1, JSON_MAX_INT, &repeat);
  if (!rc) rc = json_get_int(at, "pu", JSON_NEEDED, 0, BERTH_MAX_PUS - 1, &e->is.pu.os_index);
  if (!rc) rc = json_get_int(at, "core", JSON_NEEDED, 0, BERTH_MAX_PUS - 1, &e->is.pu.core);
  if (!rc && repeat > 1)
    rc = json_fail(
        at, "found repeat %llu of a PU, expected 1: its host would have pu %d more than once",
        (unsigned long long)repeat, e->is.pu.os_index);
  return rc;
}

static int read_type(const berth_topo_t *t, const json_place_t *element, int *type)
{
  json_place_t at = json_member(element, "type");
  const char *name;
  int rc = json_as_string(&at, &name);
  if (rc) return rc;
  *type = name_table_find(&t->type_of_name, name);
  return *type >= 0 ? BERTH_OK : json_unexpected(&at, "the name of one of the types");
}

static int read_switch(plan_t *plan, const berth_topo_t *t, const json_place_t *at,
                       plan_element_t *e)
{
  e->is.box.repeat = 1;
  e->is.box.first = PLAN_NO_FIRST;
  int rc = read_type(t, at, &e->type);
  if (!rc) rc = read_name(plan, &plan->name_counters, at, "name", &e->is.box.name);
  if (!rc) rc = read_name(plan, &plan->host_counters, at, "host", &e->is.box.host);
  if (!rc) rc = json_get_u64(at, "repeat", JSON_OPTIONAL, 1, JSON_MAX_INT, &e->is.box.repeat);
  if (!rc) rc = json_get_u64(at, "first", JSON_OPTIONAL, 0, JSON_MAX_INT, &e->is.box.first);
  return rc;
}

static int read_element(plan_t *plan, const berth_topo_t *t, const json_place_t *at, int depth,
                        extent_t *sum);

static int read_children(plan_t *plan, const berth_topo_t *t, const json_place_t *at, int depth,
                         extent_t *sum)
{
  json_place_t children;
  int rc = json_get_array(at, "children", JSON_OPTIONAL, &children);
  if (rc) return rc;
  if (!children.node || !children.node->child)
    return json_fail(at, "found a switch without children, expected a PU (\"pu\") or \"children\"");
  for (json_place_t child = json_first(&children); child.node && !rc; json_step(&child))
    rc = read_element(plan, t, &child, depth + 1, sum);
  return rc;
}

/* Upper limit of the bytes of a name: its text, a number of 16 digits, the end, alignment. */
static uint64_t text_of_name(const plan_name_t *name)
{
  return name->text ? strlen(name->text) + 32 : 0;
}

/* The same for both names of a switch. Without a name it gets its host's or its type's. */
static uint64_t text_of(const plan_element_t *e)
{
  uint64_t name = text_of_name(&e->is.box.name), host = text_of_name(&e->is.box.host);
  return host + (name ? name : host ? host : BERTH_MAX_NAME + 1);
}

static int read_element(plan_t *plan, const berth_topo_t *t, const json_place_t *at, int depth,
                        extent_t *sum)
{
  if (!cJSON_IsObject(at->node)) return json_unexpected(at, "an object");
  if (depth >= BERTH_MAX_DEPTH)
    return json_fail(at, "found a tree of more than %d levels, expected at most as many",
                     BERTH_MAX_DEPTH);
  if (!ARRAY_GROW(&plan->elements, plan->n, &plan->cap)) return no_room(at);
  size_t self = plan->n++;
  plan_element_t *e = &plan->elements[self];
  *e = (plan_element_t){.n_all = 1};
  json_place_t pu = json_member(at, "pu");
  if (pu.node && !cJSON_IsNull(pu.node)) {
    int rc = read_pu(at, e);
    return rc ? rc : count(plan, at, sum, &(extent_t){1, 1, 0}, 1);
  }
  int rc = read_switch(plan, t, at, e);
  extent_t one = {1, 0, rc ? 0 : text_of(e)};
  if (!rc) rc = read_children(plan, t, at, depth, &one);
  e = &plan->elements[self]; /* the array may have moved */
  e->n_all = (int)(plan->n - self);
  return rc ? rc : count(plan, at, sum, &one, e->is.box.repeat);
}

int plan_read(plan_t *plan, const berth_topo_t *t, const json_place_t *root)
{
  extent_t all = {0, 0, 0};
  int rc = read_element(plan, t, root, 0, &all);
  if (!rc && plan->elements[0].type >= 0 && plan->elements[0].is.box.repeat > 1)
    rc = json_fail(root, "found repeat %llu of the root, expected 1",
                   (unsigned long long)plan->elements[0].is.box.repeat);
  return rc;
}

void plan_clear(plan_t *plan)
{
  free(plan->elements);
  free(plan->next);
  name_table_clear(&plan->name_counters);
  name_table_clear(&plan->host_counters);
}
