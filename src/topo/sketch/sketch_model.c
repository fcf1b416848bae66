/* SPDX-License-Identifier: BSD-3-Clause */
/* Holds the levels of a host against those of its model. */
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "topo/sketch/sketch_internal.h"

static int count_type(const berth_topo_t *t, const char *type)
{
  const berth_element_t *host = berth_topo_element(t, berth_topo_host(t, 0)->element);
  size_t length = strlen(type);
  int n = 0, top = berth_topo_host(t, 0)->element;
  for (int e = top; e < top + host->size; e++) {
    int number = berth_topo_element(t, e)->type;
    const char *name = number < 0 ? "" : berth_topo_type(t, number)->name;
    n += strncmp(name, type, length) == 0 && (!name[length] || name[length] == '-');
  }
  return n;
}

static int by_value(const void *a, const void *b)
{
  return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

/* How many cores the first host has; -1 if memory is out. */
static int count_cores(const berth_topo_t *t)
{
  const berth_element_t *host = berth_topo_element(t, berth_topo_host(t, 0)->element);
  int n = 0, *core = malloc((size_t)host->n_pus * sizeof *core);
  if (!core) return -1;
  for (int i = 0; i < host->n_pus; i++) core[i] = berth_topo_pu(t, host->first_pu + i)->core;
  qsort(core, (size_t)host->n_pus, sizeof *core, by_value);
  for (int i = 0; i < host->n_pus; i++) n += i == 0 || core[i] != core[i - 1];
  free(core);
  return n;
}

/* How many elements of that level a model's host has. Levels of one member aren't in it. */
static int count_in(const berth_topo_t *t, const sketch_level_t *l)
{
  const berth_element_t *host = berth_topo_element(t, berth_topo_host(t, 0)->element);
  if (l->kind == SKETCH_THREAD) return host->n_pus;
  if (l->kind == KIND_CORE) return count_cores(t);
  int n = count_type(t, l->type);
  if (n == 0 && l->kind == KIND_NUMA) n = count_type(t, "package");
  return n == 0 ? 1 : n;
}

/* Holds the levels stated for a host against its model. */
int sketch_check_model(const berth_sketch_t *s, int level, const sketch_setting_t *like,
                       berth_error_t *err)
{
  uint64_t expected = 1;
  for (int c = s->levels[level].child; c >= 0; c = s->levels[c].child) {
    const sketch_level_t *l = &s->levels[c];
    if (l->sibling >= 0 || l->n_counts > 1)
      return sketch_fail(l->word, err, "found it beside like=%s, expected the same count in each",
                         like->path);
    expected *= l->counts[0];
    int found = count_in(like->model, l);
    if (found < 0) return no_memory(err);
    if ((uint64_t)found != expected)
      return sketch_fail(l->word, err, "found %d in a host like %s, expected %d or no %s", found,
                         like->path, (int)expected, l->stem);
  }
  return BERTH_OK;
}
