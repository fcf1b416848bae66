/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/topo_levels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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
  snprintf(buf, TEXT_NUMBER, whole ? "%.0f" : "%.6g", cost);
  return buf;
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
