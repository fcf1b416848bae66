/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the groups for hierarchical collectives.
 * Ranks are in depth-first order of the tree. For each level, from the PUs upwards, its elements
 * divide the ranks into groups. */
#include <stdbool.h>
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
  int *first;      /* each PU's first rank in the order; one more at the end */
  int *free;       /* room for PUs of a host */
  int n_cores;     /* more than the number of any core */
  bool *taken;     /* of a host: whether a core has a rank */
  bool lists_free; /* some host has free cores */
} groups_t;

/* Sorts the ranks by PU, and ranks on one PU by number. */
static void sort_ranks(groups_t *g)
{
  int pus = berth_topo_n_pus(g->t), *end = g->first + 1;
  for (int r = 0; r < g->m->ranks; r++) g->first[g->m->pu_of_rank[r] + 2]++;
  for (int p = 0; p < pus; p++) end[p + 1] += end[p];
  for (int r = 0; r < g->m->ranks; r++) g->order[end[g->m->pu_of_rank[r]]++] = r;
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

/* The lowest rank of a host, -1: none. Finds out which of its cores have ranks. */
static int look_at_host(groups_t *g, const berth_element_t *host)
{
  int lowest = -1;
  memset(g->taken, 0, (size_t)g->n_cores * sizeof *g->taken);
  for (int p = host->first_pu; p < host->first_pu + host->n_pus; p++)
    for (int i = g->first[p]; i < g->first[p + 1]; i++) {
      g->taken[berth_topo_pu(g->t, p)->core] = true;
      if (lowest < 0 || g->order[i] < lowest) lowest = g->order[i];
    }
  return lowest;
}

/* Where there is room beside the ranks, for agents. */
static void put_free(json_out_t *j, groups_t *g, const berth_element_t *host)
{
  int n = 0, coordinator = look_at_host(g, host);
  for (int p = host->first_pu; coordinator >= 0 && p < host->first_pu + host->n_pus; p++) {
    const berth_pu_t *pu = berth_topo_pu(g->t, p);
    if (!g->taken[pu->core]) g->free[n++] = pu->os_index;
  }
  if (n == 0) return;
  if (!g->lists_free) json_open(j, "free", '[', JSON_LINES);
  g->lists_free = true;
  json_open(j, NULL, '{', JSON_ONE_LINE);
  json_put_u64(j, "coordinator", (uint64_t)coordinator);
  json_put_ints(j, "pus", JSON_ONE_LINE, g->free, (size_t)n);
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
  for (int h = 0; h < berth_topo_n_hosts(g->t); h++)
    put_free(j, g, berth_topo_element(g->t, berth_topo_host(g->t, h)->element));
  if (g->lists_free) json_close(j);
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
  g.first = calloc((size_t)berth_topo_n_pus(t) + 2, sizeof *g.first);
  g.free = malloc((size_t)berth_topo_n_pus(t) * sizeof *g.free);
  for (int p = 0; p < berth_topo_n_pus(t); p++)
    if (berth_topo_pu(t, p)->core >= g.n_cores) g.n_cores = berth_topo_pu(t, p)->core + 1;
  g.taken = calloc((size_t)g.n_cores, sizeof *g.taken);
  json_out_t j;
  int rc = BERTH_OK;
  bool room = g.order && g.start && g.element_of && g.elements && g.first && g.free && g.taken;
  if (!room) rc = no_memory(err);
  if (!rc) rc = json_begin(&j, path, "berth-groups", err);
  if (!rc) {
    sort_ranks(&g);
    put_groups(&j, &g);
    rc = out_commit(j.out, err);
  }
  free(g.order);
  free(g.start);
  free(g.element_of);
  free(g.elements);
  free(g.first);
  free(g.free);
  free(g.taken);
  return rc;
}
