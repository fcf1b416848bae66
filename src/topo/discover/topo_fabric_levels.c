/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds how far above the hosts the switches of a fabric are.
 *
 * A core switch with a management or storage host is not a leaf. Therefore a switch with more
 * cables to switches than to hosts is doubted: it may be such a core switch, or a leaf with many
 * free ports. Levels are first found without the hosts of doubted switches. Then a doubted switch
 * counts as above the leaves if the lower switches at its cables are no longer connected once all
 * doubted switches are removed: cores connect leaves, leaves don't connect cores. If all switches
 * with hosts are doubted, as in meshes, all are leaves. */
#include <stdbool.h>
#include <stdlib.h>

#include "topo/discover/topo_fabric.h"

typedef struct levels {
  fabric_t *f;
  size_t *start; /* arcs that leave node i: out[start[i + 1]] to before out[start[i + 2]] */
  int *out;
  int *queue;    /* of nodes */
  int *leader;   /* by node; see fabric_find */
  bool *doubted; /* hosts of these switches don't count */
} levels_t;

int fabric_find(int *leader, int node)
{
  while (leader[node] != node) node = leader[node] = leader[leader[node]];
  return node;
}

static void sort_arcs(levels_t *l)
{
  const fabric_t *f = l->f;
  for (size_t i = 0; i < f->n_arcs; i++) l->start[f->arcs[i].from + 1]++;
  for (size_t i = 0; i < f->n_nodes; i++) l->start[i + 1] += l->start[i];
  l->start[f->n_nodes + 1] = f->n_arcs;
  for (size_t i = f->n_arcs; i-- > 0;) {
    /* start[from + 1] is the end of from's arcs; counting down makes it their start */
    l->out[--l->start[f->arcs[i].from + 1]] = (int)i;
  }
}

/* Breadth-first search from all hosts. Returns the highest level. */
static int spread(levels_t *l)
{
  fabric_t *f = l->f;
  int highest = 0;
  size_t n = 0;
  for (size_t i = 0; i < f->n_nodes; i++) {
    bool is_host = f->nodes[i].kind == FABRIC_HOST && f->nodes[i].as == (int)i;
    f->nodes[i].level = is_host ? 0 : -1;
    if (is_host) l->queue[n++] = (int)i;
  }
  for (size_t k = 0; k < n; k++) {
    const fabric_node_t *node = &f->nodes[l->queue[k]];
    highest = node->level;
    for (size_t i = l->start[l->queue[k] + 1]; i < l->start[l->queue[k] + 2]; i++) {
      int to = f->arcs[l->out[i]].to;
      fabric_node_t *far = &f->nodes[to];
      if (far->level >= 0 || far->kind != FABRIC_SWITCH) continue;
      if (node->level == 0 && l->doubted[to]) continue;
      far->level = node->level + 1;
      l->queue[n++] = to;
    }
  }
  return highest;
}

/* Doubts switches that have hosts, but fewer than cables to switches. */
static void doubt(levels_t *l)
{
  const fabric_t *f = l->f;
  for (size_t i = 0; i < f->n_nodes; i++) {
    size_t hosts = 0, cables = l->start[i + 2] - l->start[i + 1];
    for (size_t k = l->start[i + 1]; k < l->start[i + 2]; k++)
      hosts += f->nodes[f->arcs[l->out[k]].to].kind == FABRIC_HOST;
    l->doubted[i] = f->nodes[i].kind == FABRIC_SWITCH && hosts > 0 && cables - hosts > hosts;
  }
}

/* Whether the lower switches at a switch's cables belong to different sets. */
static bool joins_sets(levels_t *l, int node)
{
  const fabric_t *f = l->f;
  int set = -1;
  for (size_t k = l->start[node + 1]; k < l->start[node + 2]; k++) {
    int to = f->arcs[l->out[k]].to, level = f->nodes[to].level;
    if (f->nodes[to].kind != FABRIC_SWITCH || level < 0 || level >= f->nodes[node].level) continue;
    if (set >= 0 && fabric_find(l->leader, to) != set) return true;
    set = fabric_find(l->leader, to);
  }
  return false;
}

/* Keeps the doubt only for switches above the leaves. */
static void decide(levels_t *l, int highest)
{
  const fabric_t *f = l->f;
  for (size_t i = 0; i < f->n_nodes; i++) {
    l->leader[i] = (int)i;
    if (f->nodes[i].level < 0) l->doubted[i] = false; /* only its own hosts lead to it */
  }
  for (int height = 1; height <= highest; height++) {
    for (size_t i = 0; i < f->n_nodes; i++)
      if (l->doubted[i] && f->nodes[i].level == height) l->doubted[i] = joins_sets(l, (int)i);
    for (size_t i = 0; i < f->n_arcs; i++) {
      int a = f->arcs[i].from, b = f->arcs[i].to, low = f->nodes[a].level, high = f->nodes[b].level;
      if (low > 0 && high > 0 && low <= height && high <= height)
        l->leader[fabric_find(l->leader, a)] = fabric_find(l->leader, b);
    }
  }
}

int fabric_set_levels(fabric_t *f)
{
  size_t n = f->n_nodes + 2;
  levels_t l = {.f = f,
                .start = calloc(n, sizeof *l.start),
                .out = malloc((f->n_arcs + 1) * sizeof *l.out),
                .queue = malloc(n * sizeof *l.queue),
                .leader = malloc(n * sizeof *l.leader),
                .doubted = calloc(n, sizeof *l.doubted)};
  int highest = -1;
  if (l.start && l.out && l.queue && l.leader && l.doubted) {
    sort_arcs(&l);
    doubt(&l);
    decide(&l, spread(&l));
    highest = spread(&l);
  }
  free(l.start);
  free(l.out);
  free(l.queue);
  free(l.leader);
  free(l.doubted);
  return highest;
}
