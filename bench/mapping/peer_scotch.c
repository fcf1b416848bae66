/* SPDX-License-Identifier: BSD-3-Clause */
/* peer_scotch: a mapping by Scotch's library.
 *
 *   peer_scotch PAIRS TREE METHOD MAPPING
 *
 * METHOD: default  the library's own strategy, which is that of `gmap` without options
 *         b0       that of `gmap -b0`: no imbalance allowed
 *         quality  no imbalance, and quality preferred to speed
 *         recursive  no imbalance, by recursive bipartitioning alone
 *
 * The machine is Scotch's tree of leaves. Where siblings differ in size it is the least regular
 * tree that holds the machine, restricted to the leaves that are there (SCOTCH_archSub). Timed:
 * building graph and architecture, and the mapping. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <scotch.h> /* uses types of the headers above */

#include "instance.h"

/* The tree's arity at each level, the largest there is. */
static void find_arity(const tree_t *t, SCOTCH_Num *arity)
{
  for (int level = 1; level <= t->levels; level++) {
    arity[level] = 0;
    for (int e = 0; e < t->count[level]; e++)
      if (t->children[level][e] > arity[level]) arity[level] = t->children[level][e];
  }
}

/* The number of each PU as a leaf of the regular tree; returns whether any differ. */
static int number_leaves(const tree_t *t, const SCOTCH_Num *arity, SCOTCH_Num *leaf)
{
  int differ = 0;
  for (int pu = 0; pu < t->pus; pu++) leaf[pu] = 0;
  SCOTCH_Num below = 1;
  for (int level = 1; level <= t->levels; level++) {
    int *first = allocate((size_t)t->count[level], sizeof *first), child = 0;
    for (int e = 0; e < t->count[level]; e++) {
      first[e] = child;
      child += t->children[level][e];
    }
    for (int pu = 0; pu < t->pus; pu++)
      leaf[pu] += below * (t->element[level - 1][pu] - first[t->element[level][pu]]);
    below *= arity[level];
    free(first);
  }
  for (int pu = 0; pu < t->pus; pu++) differ |= leaf[pu] != pu;
  return differ || below != t->pus;
}

typedef struct machine {
  SCOTCH_Arch whole, part;
  SCOTCH_Arch *used;
} machine_t;

static void build_machine(const tree_t *t, machine_t *m)
{
  SCOTCH_Num arity[MOST_LEVELS + 1], size[MOST_LEVELS], link[MOST_LEVELS];
  SCOTCH_Num *leaf = allocate((size_t)t->pus, sizeof *leaf);
  find_arity(t, arity);
  for (int i = 0; i < t->levels; i++) { /* Scotch's levels start at the root, its costs add up */
    int level = t->levels - i;
    size[i] = arity[level];
    link[i] = (SCOTCH_Num)(t->distance[level] - t->distance[level - 1]);
  }
  SCOTCH_archInit(&m->whole);
  if (SCOTCH_archTleaf(&m->whole, t->levels, size, link)) fail("SCOTCH_archTleaf failed");
  m->used = &m->whole;
  if (number_leaves(t, arity, leaf)) {
    SCOTCH_archInit(&m->part);
    if (SCOTCH_archSub(&m->part, &m->whole, t->pus, leaf)) fail("SCOTCH_archSub failed");
    m->used = &m->part;
  }
  /* `leaf` stays: a part refers to it */
}

static void choose_strategy(SCOTCH_Strat *s, const char *method, SCOTCH_Num pus)
{
  SCOTCH_Num flags = SCOTCH_STRATDEFAULT;
  SCOTCH_stratInit(s);
  if (strcmp(method, "default") == 0) return;
  if (strcmp(method, "quality") == 0)
    flags = SCOTCH_STRATQUALITY;
  else if (strcmp(method, "recursive") == 0)
    flags = SCOTCH_STRATRECURSIVE;
  else if (strcmp(method, "b0") != 0)
    fail("found method '%s', expected default, b0, quality or recursive", method);
  if (SCOTCH_stratGraphMapBuild(s, flags, pus, 0.0)) fail("SCOTCH_stratGraphMapBuild failed");
}

static void map(const csr_t *g, const tree_t *t, const char *method, int *pu_of_rank)
{
  size_t edges = (size_t)g->start[g->n], ranks = (size_t)g->n;
  SCOTCH_Num *start = allocate(ranks + 1, sizeof *start), *to = allocate(edges, sizeof *to);
  SCOTCH_Num *weight = allocate(edges, sizeof *weight), *part = allocate(ranks, sizeof *part);
  for (size_t r = 0; r <= ranks; r++) start[r] = (SCOTCH_Num)g->start[r];
  for (size_t i = 0; i < edges; i++) to[i] = g->to[i];
  for (size_t i = 0; i < edges; i++) weight[i] = (SCOTCH_Num)(g->weight[i] ? g->weight[i] : 1);
  SCOTCH_Graph graph;
  SCOTCH_Strat strategy;
  machine_t machine;
  SCOTCH_graphInit(&graph);
  if (SCOTCH_graphBuild(&graph, 0, g->n, start, NULL, NULL, NULL, (SCOTCH_Num)edges, to, weight))
    fail("SCOTCH_graphBuild failed");
  build_machine(t, &machine);
  choose_strategy(&strategy, method, t->pus);
  if (SCOTCH_graphMap(&graph, machine.used, &strategy, part)) fail("SCOTCH_graphMap failed");
  for (size_t r = 0; r < ranks; r++) pu_of_rank[r] = (int)part[r];
  SCOTCH_stratExit(&strategy);
  SCOTCH_graphExit(&graph);
  free(start);
  free(to);
  free(weight);
  free(part);
}

int main(int argc, char **argv)
{
  if (argc != 5) fail("usage: peer_scotch PAIRS TREE METHOD MAPPING");
  pairs_t p = read_pairs(argv[1]);
  tree_t t = read_tree(argv[2]);
  csr_t g = make_csr(&p);
  int *pu_of_rank = allocate((size_t)p.ranks, sizeof *pu_of_rank);
  double before = cpu_seconds();
  map(&g, &t, argv[3], pu_of_rank);
  write_result(argv[4], pu_of_rank, p.ranks, cpu_seconds() - before);
  return 0;
}
