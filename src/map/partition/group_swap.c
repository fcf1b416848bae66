/* SPDX-License-Identifier: BSD-3-Clause */
/* Improves a placement in groups by exchanges of two ranks.
 * An exchange only pays if one of its ranks gains by its own move. So each rank looks for groups of
 * its neighbours where it is cheaper, and then for the rank there whose way back costs least. Ranks
 * whose neighbours moved look again. */
#include "map/partition/group_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"

enum { LOOK_EVERY = 256 }; /* ranks between two readings of the clock */

typedef struct exchanger {
  const group_tree_t *tree;
  const graph_t *graph;
  int *group;  /* by rank */
  int *member; /* the ranks of g are member[first[g] … first[g] + n_members[g] - 1] */
  int *place;  /* by rank: its index in member */
  int *n_members;
  int *queue; /* a ring buffer of ranks that have to look for exchanges */
  size_t head, n_queued;
  bool *queued;
  int *seen; /* by group: the last rank that looked at it */
  uint64_t looks;
  double gained;
} exchanger_t;

static int exchanger_init(exchanger_t *x, const group_tree_t *t, const graph_t *g, int *group,
                          berth_error_t *err)
{
  size_t n = (size_t)g->n + 1, groups = (size_t)t->n + 1;
  *x = (exchanger_t){.tree = t,
                     .graph = g,
                     .group = group,
                     .member = malloc(((size_t)t->first[t->n] + 1) * sizeof *x->member),
                     .place = malloc(n * sizeof *x->place),
                     .n_members = calloc(groups, sizeof *x->n_members),
                     .queue = malloc(n * sizeof *x->queue),
                     .queued = malloc(n * sizeof *x->queued),
                     .seen = malloc(groups * sizeof *x->seen)};
  if (!x->member || !x->place || !x->n_members || !x->queue || !x->queued || !x->seen)
    return no_memory(err);
  for (int i = 0; i < t->n; i++) x->seen[i] = -1;
  for (int r = 0; r < g->n; r++) {
    int at = group[r];
    x->place[r] = t->first[at] + x->n_members[at]++;
    x->member[x->place[r]] = r;
    x->queue[x->n_queued++] = r;
    x->queued[r] = true;
  }
  return BERTH_OK;
}

static void exchanger_clear(exchanger_t *x)
{
  free(x->member);
  free(x->place);
  free(x->n_members);
  free(x->queue);
  free(x->queued);
  free(x->seen);
}

/* The decrease of the sum if a rank moves to another group alone. */
static double move_gain(exchanger_t *x, int rank, int to)
{
  const graph_t *g = x->graph;
  int from = x->group[rank];
  double gain = 0;
  for (size_t i = g->start[rank]; i < g->start[rank + 1]; i++) {
    int at = x->group[g->adjacent[i]];
    gain += g->weight[i] *
            (group_tree_distance(x->tree, from, at) - group_tree_distance(x->tree, to, at));
  }
  x->looks += g->start[rank + 1] - g->start[rank];
  return gain;
}

static double weight_between(const graph_t *g, int a, int b)
{
  for (size_t i = g->start[a]; i < g->start[a + 1]; i++)
    if (g->adjacent[i] == b) return g->weight[i];
  return 0;
}

/* The best partner in a group for a rank that gains `gain` by moving there: a rank, or -1 for a
 * free place. *best is the gain of both. */
static int find_partner(exchanger_t *x, int rank, int to, double gain, double *best)
{
  const group_tree_t *t = x->tree;
  int from = x->group[rank], partner = -1;
  const int *member = x->member + t->first[to];
  /* Both gains count the other rank where it was. */
  double twice = 2 * group_tree_distance(t, from, to) - group_tree_distance(t, from, from) -
                 group_tree_distance(t, to, to);
  bool room = x->n_members[to] < t->first[to + 1] - t->first[to];
  *best = room ? gain : 0;
  for (int i = 0; i < x->n_members[to]; i++) {
    double both = gain + move_gain(x, member[i], from);
    if (both <= *best) continue;
    both -= twice * weight_between(x->graph, rank, member[i]);
    if (both <= *best) continue;
    *best = both;
    partner = member[i];
  }
  return partner;
}

static void enqueue(exchanger_t *x, int rank)
{
  if (x->queued[rank]) return;
  x->queued[rank] = true;
  x->queue[(x->head + x->n_queued++) % (size_t)x->graph->n] = rank;
}

static void enqueue_around(exchanger_t *x, int rank)
{
  enqueue(x, rank);
  for (size_t i = x->graph->start[rank]; i < x->graph->start[rank + 1]; i++)
    enqueue(x, x->graph->adjacent[i]);
}

/* Moves a rank to group `to`: into a rank's place, or (-1) to the end of the group. */
static void change(exchanger_t *x, int rank, int to, int partner)
{
  int from = x->group[rank], hole = x->place[rank];
  int there = partner >= 0 ? x->place[partner] : x->tree->first[to] + x->n_members[to]++;
  int back = partner >= 0 ? partner : x->member[x->tree->first[from] + --x->n_members[from]];
  x->member[hole] = back;
  x->place[back] = hole;
  if (partner >= 0) x->group[partner] = from;
  x->member[there] = rank;
  x->place[rank] = there;
  x->group[rank] = to;
  enqueue_around(x, rank);
  if (partner >= 0) enqueue_around(x, partner);
}

/* Makes a rank's best exchange with the groups of its neighbours, if one pays. */
static void look_around(exchanger_t *x, int rank)
{
  const graph_t *g = x->graph;
  int best_to = -1, best_partner = -1;
  double best = 0, cost = 0, both;
  x->seen[x->group[rank]] = rank;
  for (size_t i = g->start[rank]; i < g->start[rank + 1]; i++) {
    int to = x->group[g->adjacent[i]];
    cost += g->weight[i] * group_tree_distance(x->tree, x->group[rank], to);
    if (x->seen[to] == rank) continue;
    x->seen[to] = rank;
    double gain = move_gain(x, rank, to);
    if (gain <= 0) continue;
    int partner = find_partner(x, rank, to, gain, &both);
    if (both <= best) continue;
    best = both;
    best_to = to;
    best_partner = partner;
  }
  for (size_t i = g->start[rank]; i < g->start[rank + 1]; i++)
    x->seen[x->group[g->adjacent[i]]] = -1;
  x->seen[x->group[rank]] = -1;
  if (best <= 1e-12 * cost) return; /* rounding errors could lead in circles */
  x->gained += best;
  change(x, rank, best_to, best_partner);
}

int group_swap(const group_tree_t *t, const graph_t *g, uint64_t looks, int *group_of_rank,
               double *gained, berth_error_t *err)
{
  exchanger_t x;
  int rc = exchanger_init(&x, t, g, group_of_rank, err);
  for (size_t done = 0; !rc && x.n_queued && x.looks < looks; done++) {
    if (done % LOOK_EVERY == 0 && map_time_is_up(t->problem, MAP_BUILD_SHARE)) break;
    int rank = x.queue[x.head];
    x.head = (x.head + 1) % (size_t)g->n;
    x.n_queued--;
    x.queued[rank] = false;
    look_around(&x, rank);
  }
  *gained = x.gained;
  exchanger_clear(&x);
  return rc;
}
