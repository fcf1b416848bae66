/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/topo_levels.h"

#include <stdio.h>
#include <stdlib.h>

bool topo_is_unmeasured(const berth_topo_t *t)
{
  for (int i = 0; i < berth_topo_n_curves(t); i++)
    if (berth_curve_is_default(berth_topo_curve(t, i))) return true;
  return false;
}

const char *topo_types(const berth_topo_t *t, const int *elements, int n, char *buf, size_t size)
{
  int n_types = berth_topo_n_types(t);
  bool *seen = calloc((size_t)n_types + 1, sizeof *seen);
  size_t used = 0;
  *buf = '\0';
  for (int i = 0; seen && i < n; i++) {
    int type = berth_topo_element(t, elements[i])->type;
    bool *known = &seen[type < 0 ? n_types : type];
    if (!*known && used < size)
      used += (size_t)snprintf(buf + used, size - used, "%s%s", used ? "+" : "",
                               type < 0 ? "pu" : berth_topo_type(t, type)->name);
    *known = true;
  }
  free(seen);
  return buf;
}

const char *topo_level_types(const berth_topo_t *t, int depth, char *buf, size_t size)
{
  int *elements = calloc((size_t)berth_topo_n_elements(t), sizeof *elements), n = 0;
  for (int e = 0; elements && e < berth_topo_n_elements(t); e++)
    if (berth_topo_element(t, e)->depth == depth) elements[n++] = e;
  topo_types(t, elements, n, buf, size);
  free(elements);
  return buf;
}
