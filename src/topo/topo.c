/* SPDX-License-Identifier: BSD-3-Clause */
/* Gives access to topologies: searches, cuts, times on curves. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "base/text.h"
#include "topo/topo_internal.h"

berth_topo_t *berth_topo_new(const char *name, berth_error_t *err)
{
  if (!text_utf8_valid(name, strlen(name), NULL) || text_has_control(name)) {
    berth_fail(err, BERTH_BAD_INPUT,
               "found topology name \"%.60s\", expected UTF-8 text without control characters",
               name);
    return NULL;
  }
  berth_topo_t *t = calloc(1, sizeof *t);
  if (t) t->name = arena_strdup(&t->arena, name);
  if (t && t->name) return t;
  berth_topo_free(t);
  return no_memory_null(err);
}

void berth_topo_free(berth_topo_t *t)
{
  if (!t) return;
  for (size_t i = 0; i < t->n_nodes; i++) berth_node_free(t->nodes[i]);
  free(t->nodes);
  free(t->curves);
  free(t->types);
  free(t->elements);
  free(t->element_names);
  free(t->pus);
  free(t->hosts);
  free(t->host_of_os_index);
  free(t->model_errors);
  name_table_clear(&t->curve_of_name);
  name_table_clear(&t->type_of_name);
  name_table_clear(&t->host_of_name);
  arena_free(&t->arena);
  free(t);
}

void berth_topo_set_distances(berth_topo_t *t) { t->distances = 1; }

int berth_topo_has_distances(const berth_topo_t *t) { return t->distances; }

const char *berth_topo_name(const berth_topo_t *t) { return t->name; }

int berth_topo_n_curves(const berth_topo_t *t) { return (int)t->n_curves; }

int berth_topo_n_types(const berth_topo_t *t) { return (int)t->n_types; }

int berth_topo_n_elements(const berth_topo_t *t) { return (int)t->n_elements; }

int berth_topo_n_pus(const berth_topo_t *t) { return (int)t->n_pus; }

int berth_topo_n_hosts(const berth_topo_t *t) { return (int)t->n_hosts; }

const berth_curve_t *berth_topo_curve(const berth_topo_t *t, int curve)
{
  return &t->curves[curve];
}

const berth_type_t *berth_topo_type(const berth_topo_t *t, int type) { return &t->types[type]; }

const berth_element_t *berth_topo_element(const berth_topo_t *t, int element)
{
  return &t->elements[element];
}

const berth_pu_t *berth_topo_pu(const berth_topo_t *t, int pu) { return &t->pus[pu]; }

const berth_host_t *berth_topo_host(const berth_topo_t *t, int host) { return &t->hosts[host]; }

const berth_node_t *berth_topo_host_node(const berth_topo_t *t, int host)
{
  return t->types[t->elements[t->hosts[host].element].type].node;
}

const char *berth_topo_element_name(const berth_topo_t *t, int element)
{
  return t->element_names[element];
}

int berth_topo_find_host(const berth_topo_t *t, const char *name)
{
  return name_table_find(&t->host_of_name, name);
}

int berth_topo_slowdown_type(const berth_topo_t *t, int pu)
{
  int e = t->elements[t->pus[pu].element].parent;
  while (e >= 0 && t->types[t->elements[e].type].n_slowdowns == 0) e = t->elements[e].parent;
  return e < 0 ? -1 : t->elements[e].type;
}

double berth_curve_time(const berth_curve_t *curve, double n)
{
  const double *size = curve->size, *bandwidth = curve->bandwidth;
  size_t last = curve->n - 1;
  if (n <= size[0]) return size[0] / bandwidth[0];
  if (n >= size[last]) return n / bandwidth[last];
  size_t low = 0,
         high = last; /* invariant: size[low] < n < size[high]; at the end high == low + 1 */
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (size[middle] <= n)
      low = middle;
    else
      high = middle;
  }
  double t0 = size[low] / bandwidth[low], t1 = size[high] / bandwidth[high];
  return t0 + (t1 - t0) * ((n - size[low]) / (size[high] - size[low]));
}

/* NULL and "" both mean unknown. */
static bool same_text(const char *a, const char *b) { return strcmp(a ? a : "", b ? b : "") == 0; }

int topo_same_origin(const berth_origin_t *a, const berth_origin_t *b)
{
  return same_text(a->date, b->date) && same_text(a->mpi, b->mpi) &&
         same_text(a->transport, b->transport);
}

int berth_topo_cut(const berth_topo_t *t, int height, int *elements)
{
  int n = 0, n_elements = (int)t->n_elements;
  for (int e = 0; e < n_elements;) {
    if (t->elements[e].height > height) {
      e++;
      continue;
    }
    elements[n++] = e;
    e += t->elements[e].size;
  }
  return n;
}
