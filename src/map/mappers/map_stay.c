/* SPDX-License-Identifier: BSD-3-Clause */
/* `stay`: keeps ranks on their PUs, and places only those that must leave.
 * For a changed allocation. The ranks to place are taken by traffic, largest first. Each goes down
 * the tree, to the child with room that has most of its traffic; of equal children to the one with
 * most room. */
#include <stdlib.h>

#include "base/no_memory.h"
#include "base/order.h"
#include "map/map_graph.h"
#include "map/map_internal.h"

typedef struct staying {
  const berth_topo_t *topo;
  graph_t graph;
  int *room;     /* free places below each element */
  double *pull;  /* the current rank's traffic, by element */
  double *total; /* traffic of each rank */
  int *pu_of_rank;
} staying_t;

static int element_of(const staying_t *s, int pu) { return berth_topo_pu(s->topo, pu)->element; }

static int parent_of(const staying_t *s, int e) { return berth_topo_element(s->topo, e)->parent; }

static void add_room(staying_t *s, int pu, int places)
{
  for (int e = element_of(s, pu); e >= 0; e = parent_of(s, e)) s->room[e] += places;
}

/* Adds a rank's traffic to all elements above its neighbours, or sets these back to 0. */
static void set_pull(staying_t *s, int rank, bool on)
{
  const graph_t *g = &s->graph;
  for (size_t i = g->start[rank]; i < g->start[rank + 1]; i++) {
    int pu = s->pu_of_rank[g->adjacent[i]];
    for (int e = pu < 0 ? -1 : element_of(s, pu); e >= 0; e = parent_of(s, e))
      s->pull[e] = on ? s->pull[e] + g->weight[i] : 0;
  }
}

static int choose_child(const staying_t *s, int e)
{
  int best = -1;
  const berth_element_t *element = berth_topo_element(s->topo, e);
  for (int i = 0, child = e + 1; i < element->n_children; i++) {
    bool first = best < 0;
    bool more = !first && (s->pull[child] > s->pull[best] ||
                           (s->pull[child] == s->pull[best] && s->room[child] > s->room[best]));
    if (s->room[child] > 0 && (first || more)) best = child;
    child += berth_topo_element(s->topo, child)->size;
  }
  return best;
}

static void place(staying_t *s, int rank)
{
  int e = 0;
  set_pull(s, rank, true);
  while (berth_topo_element(s->topo, e)->type >= 0) e = choose_child(s, e);
  set_pull(s, rank, false);
  s->pu_of_rank[rank] = berth_topo_element(s->topo, e)->first_pu;
  add_room(s, s->pu_of_rank[rank], -1);
}

static int prepare(staying_t *s, const berth_map_problem_t *problem, berth_error_t *err)
{
  size_t elements = (size_t)berth_topo_n_elements(problem->topo);
  s->room = calloc(elements, sizeof *s->room);
  s->pull = calloc(elements, sizeof *s->pull);
  s->total = calloc((size_t)s->graph.n, sizeof *s->total);
  if (!s->room || !s->pull || !s->total) return no_memory(err);
  map_count_places(problem, s->room);
  int rc = map_take_homes(problem, s->pu_of_rank, err);
  for (int r = 0; r < s->graph.n && !rc; r++) {
    if (map_is_pinned(problem, r)) s->pu_of_rank[r] = problem->options.pinned[r];
    if (s->pu_of_rank[r] >= 0) add_room(s, s->pu_of_rank[r], -1);
    for (size_t i = s->graph.start[r]; i < s->graph.start[r + 1]; i++)
      s->total[r] += s->graph.weight[i];
  }
  return rc;
}

typedef struct homeless {
  double total;
  int rank;
} homeless_t;

ORDER_BY(by_total, homeless_t, FALLING(total) RISING(rank))

static int place_all(staying_t *s, berth_error_t *err)
{
  size_t n = 0;
  homeless_t *list = malloc((size_t)s->graph.n * sizeof *list);
  if (!list) return no_memory(err);
  for (int r = 0; r < s->graph.n; r++)
    if (s->pu_of_rank[r] < 0) list[n++] = (homeless_t){s->total[r], r};
  qsort(list, n, sizeof *list, by_total);
  for (size_t i = 0; i < n; i++) place(s, list[i].rank);
  free(list);
  return BERTH_OK;
}

int map_stay(const berth_map_problem_t *problem, int *pu_of_rank, const char **chosen,
             berth_error_t *err)
{
  *chosen = "stay";
  if (!problem->options.from)
    return berth_fail(err, BERTH_USAGE, "stay: found no mapping, expected one with `from`");
  staying_t s = {.topo = problem->topo, .pu_of_rank = pu_of_rank};
  int rc = graph_of_pattern(problem->pattern, &s.graph, err);
  if (rc) return rc;
  rc = prepare(&s, problem, err);
  if (!rc) rc = place_all(&s, err);
  free(s.room);
  free(s.pull);
  free(s.total);
  graph_clear(&s.graph);
  return rc;
}
