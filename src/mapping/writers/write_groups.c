/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the groups for hierarchical collectives.
 * Ranks are in depth-first order of the tree. For each level, from the PUs upwards, its elements
 * divide the ranks into groups. */
#include <stdlib.h>
#include <string.h>

#include "base/json_out.h"
#include "base/no_memory.h"
#include "mapping/mapping_internal.h"
#include "topo/topo_levels.h"

typedef struct groups {
  const berth_mapping_t *m;
  const berth_topo_t *t;
  int *order;    /* ranks by PU */
  int *elements; /* the elements of the current cut */
  int n_elements;
  int *start; /* a level's groups: n_groups + 1 offsets into order */
  int n_groups;
  int *element_of; /* the element of each group */
} groups_t;

/* Sorts the ranks by PU, and ranks on one PU by number. */
static int sort_ranks(groups_t *g)
{
  int pus = berth_topo_n_pus(g->t);
  int *first = calloc((size_t)pus + 1, sizeof *first);
  if (!first) return BERTH_MISSING;
  for (int r = 0; r < g->m->ranks; r++) first[g->m->pu_of_rank[r] + 1]++;
  for (int p = 0; p < pus; p++) first[p + 1] += first[p];
  for (int r = 0; r < g->m->ranks; r++) g->order[first[g->m->pu_of_rank[r]]++] = r;
  free(first);
  return BERTH_OK;
}

/* Divides the order by the elements of the cut at a height. Elements without ranks make no
 * group. */
static void cut_groups(groups_t *g, int height)
{
  g->n_elements = berth_topo_cut(g->t, height, g->elements);
  g->n_groups = 0;
  for (int i = 0, e = 0; i < g->m->ranks;) {
    const berth_element_t *element = berth_topo_element(g->t, g->elements[e]);
    int end = element->first_pu + element->n_pus, from = i;
    while (i < g->m->ranks && g->m->pu_of_rank[g->order[i]] < end) i++;
    if (i > from) {
      g->element_of[g->n_groups] = g->elements[e];
      g->start[g->n_groups++] = from;
    }
    e++;
  }
  g->start[g->n_groups] = g->m->ranks;
}

static void put_level(json_out_t *j, const groups_t *g)
{
  char name[256];
  json_open(j, NULL, '{', JSON_LINES);
  json_put_string(j, "name", topo_types(g->t, g->element_of, g->n_groups, name, sizeof name));
  json_open(j, "groups", '[', JSON_LINES);
  for (int i = 0; i < g->n_groups; i++) {
    int coordinator = g->order[g->start[i]]; /* the lowest rank of a group is also the lowest of its
                                                group below */
    for (int k = g->start[i]; k < g->start[i + 1]; k++)
      if (g->order[k] < coordinator) coordinator = g->order[k];
    json_open(j, NULL, '{', JSON_ONE_LINE);
    json_put_u64(j, "coordinator", (uint64_t)coordinator);
    json_put_ints(j, "ranks", JSON_ONE_LINE, &g->order[g->start[i]],
                  (size_t)(g->start[i + 1] - g->start[i]));
    json_close(j);
  }
  json_close(j);
  json_close(j);
}

static void put_groups(json_out_t *j, groups_t *g)
{
  json_put_u64(j, "ranks", (uint64_t)g->m->ranks);
  json_put_ints(j, "order", JSON_ONE_LINE, g->order, (size_t)g->m->ranks);
  json_open(j, "levels", '[', JSON_LINES);
  int height = berth_topo_element(g->t, 0)->height, before = g->m->ranks;
  for (int h = 1; h <= height; h++) {
    cut_groups(g, h);
    if (g->n_groups == before) continue; /* no groups were merged: the same division */
    before = g->n_groups;
    put_level(j, g);
  }
  json_close(j);
  json_close(j);
}

int write_groups(const berth_mapping_t *m, const berth_topo_t *t, const char *path,
                 berth_error_t *err)
{
  size_t ranks = (size_t)m->ranks + 1;
  groups_t g = {.m = m, .t = t};
  g.order = malloc(ranks * sizeof *g.order);
  g.start = malloc(ranks * sizeof *g.start);
  g.element_of = malloc(ranks * sizeof *g.element_of);
  g.elements = malloc((size_t)berth_topo_n_pus(t) * sizeof *g.elements);
  json_out_t j;
  int rc = BERTH_OK;
  if (!g.order || !g.start || !g.element_of || !g.elements || sort_ranks(&g)) rc = no_memory(err);
  if (!rc) rc = json_begin(&j, path, "berth-groups", err);
  if (!rc) {
    put_groups(&j, &g);
    rc = out_commit(j.out, err);
  }
  free(g.order);
  free(g.start);
  free(g.element_of);
  free(g.elements);
  return rc;
}
