/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes texts about a topology: costs, names of types and levels. */
#include "topo/topo_levels.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int count_unmeasured(const berth_topo_t *t)
{
  int n = 0;
  for (int i = 0; i < berth_topo_n_curves(t); i++)
    n += berth_curve_is_default(berth_topo_curve(t, i)) != 0;
  return n;
}

bool topo_is_unmeasured(const berth_topo_t *t) { return count_unmeasured(t) > 0; }

bool topo_is_mixed(const berth_topo_t *t)
{
  int n = count_unmeasured(t);
  return n > 0 && n < berth_topo_n_curves(t);
}

const char *topo_text_cost(const berth_topo_t *t, double cost, char buf[TEXT_NUMBER])
{
  if (!berth_topo_has_distances(t)) return text_seconds(cost, buf);
  bool whole = cost == floor(cost) && fabs(cost) < 1e10;
  return whole ? text_count(cost, buf) : text_number(cost, 6, buf);
}

size_t topo_type_length(const char *type)
{
  const char *dash = strrchr(type, '-');
  bool numbered = dash && dash[1] && !dash[1 + strspn(dash + 1, "0123456789")];
  return numbered ? (size_t)(dash - type) : strlen(type);
}

enum { MAX_TYPES = 256 }; /* maximum of different types in a text */

/* A text of types that is being built. */
typedef struct type_list {
  const berth_topo_t *t;
  char *buf;
  size_t size, used;
  int type[MAX_TYPES], n;
} type_list_t;

static void add_type(type_list_t *l, int type)
{
  for (int i = 0; i < l->n; i++)
    if (l->type[i] == type) return;
  if (l->n == MAX_TYPES || l->used >= l->size) return;
  l->type[l->n++] = type;
  l->used += (size_t)snprintf(l->buf + l->used, l->size - l->used, "%s%s", l->used ? "+" : "",
                              type < 0 ? "pu" : berth_topo_type(l->t, type)->name);
}

const char *topo_types(const berth_topo_t *t, const int *elements, int n, char *buf, size_t size)
{
  type_list_t l = {.t = t, .buf = buf, .size = size};
  *buf = '\0';
  for (int i = 0; i < n; i++) add_type(&l, berth_topo_element(t, elements[i])->type);
  return buf;
}

const char *topo_level_types(const berth_topo_t *t, int depth, char *buf, size_t size)
{
  type_list_t l = {.t = t, .buf = buf, .size = size};
  *buf = '\0';
  for (int e = 0; e < berth_topo_n_elements(t); e++)
    if (berth_topo_element(t, e)->depth == depth) add_type(&l, berth_topo_element(t, e)->type);
  return buf;
}
