/* SPDX-License-Identifier: BSD-3-Clause */
/* Splits by halves: the children of a switch are cut in two runs, the ranks in two parts that fit
 * them, and so on with either half. Sizes then are the matter of two parts only, where they can be
 * kept exactly while the search goes on (bisect.c). Then each two of the children that exchange
 * messages are cut anew, until none of these cuts gets smaller. What ranks exchange with others
 * outside of their switch crosses the same links wherever they go below it, so that each switch
 * stands alone. */
#include "map/multisection.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "map/bisect.h"
#include "map/exchange.h"

/* Distances that exchanges may look up for each rank; about a hundred are used. */
enum { LOOKS_A_RANK = 100000 };
/* Few ranks get more work, many less: a million must not take longer than a minute. */
enum { LARGE = 100000, SMALL = 100 };

/* What a switch hands ranks to: a switch below it, or its own group of PUs. */
typedef struct child {
  int element, group; /* group is -1 for a switch */
  int places;
  int slot;              /* its ranks are in slot[slot … slot + n - 1] while pairs are cut anew */
  int n;                 /* ranks handed to it */
  bool changed, settled; /* in this round; and neither in this one nor in the last */
} child_t;

typedef struct splitter {
  const group_tree_t *tree;
  const graph_t *graph;
  multisection_work_t work;
  uint64_t random;
  int *group_of_rank;
  int *rank; /* all ranks; those at one switch stand together */
  int *slot, *spare;
  int *local;    /* the number of a rank within the section at hand, -1 outside of it */
  int *child_of; /* of the ranks at the switch at hand, -1 for others */
  int *neighbour;
  bool *met; /* children that are in neighbour */
  unsigned char *part;
  child_t *child; /* a stack: the children of the switches on the way down */
  size_t n_children, children_cap;
  section_t section;
  bisector_t bisector;
} splitter_t;

static bool splitter_allocate(splitter_t *s, size_t ranks, size_t entries, size_t places,
                              size_t children)
{
  s->rank = malloc(ranks * sizeof *s->rank);
  s->slot = malloc(places * sizeof *s->slot);
  s->spare = malloc(ranks * sizeof *s->spare);
  s->local = malloc(ranks * sizeof *s->local);
  s->child_of = malloc(ranks * sizeof *s->child_of);
  s->neighbour = malloc(children * sizeof *s->neighbour);
  s->met = calloc(children, sizeof *s->met);
  s->part = malloc(ranks * sizeof *s->part);
  s->section.start = malloc((ranks + 1) * sizeof *s->section.start);
  s->section.adjacent = malloc(entries * sizeof *s->section.adjacent);
  s->section.weight = malloc(entries * sizeof *s->section.weight);
  bool room = bisector_init(&s->bisector, (int)ranks - 1, (int)entries - 1);
  return room && s->rank && s->slot && s->spare && s->local && s->child_of && s->neighbour &&
         s->met && s->part && s->section.start && s->section.adjacent && s->section.weight;
}

static int splitter_init(splitter_t *s, berth_error_t *err)
{
  const graph_t *g = s->graph;
  if (g->n_edges >= INT_MAX / 2)
    return berth_fail(err, BERTH_BAD_INPUT,
                      "found %zu pairs of ranks that exchange messages, expected at most %d",
                      g->n_edges, INT_MAX / 2 - 1);
  if (!splitter_allocate(s, (size_t)g->n + 1, 2 * g->n_edges + 1, (size_t)s->tree->usable[0] + 1,
                         (size_t)berth_topo_n_elements(s->tree->topo) + 1))
    return map_no_memory(err);
  for (int r = 0; r < g->n; r++) {
    s->rank[r] = r;
    s->local[r] = s->child_of[r] = -1;
  }
  return BERTH_OK;
}

static void splitter_clear(splitter_t *s)
{
  free(s->rank);
  free(s->slot);
  free(s->spare);
  free(s->local);
  free(s->child_of);
  free(s->neighbour);
  free(s->met);
  free(s->part);
  free(s->child);
  free(s->section.start);
  free(s->section.adjacent);
  free(s->section.weight);
  bisector_clear(&s->bisector);
}

/* The graph of some ranks alone. Pairs that cost nothing don't matter. */
static void extract(splitter_t *s, const int *rank, int n)
{
  const graph_t *g = s->graph;
  section_t *out = &s->section;
  int entries = 0;
  for (int v = 0; v < n; v++) s->local[rank[v]] = v;
  for (int v = 0; v < n; v++) {
    out->start[v] = entries;
    for (size_t i = g->start[rank[v]]; i < g->start[rank[v] + 1]; i++) {
      int u = s->local[g->adjacent[i]];
      if (u < 0 || g->weight[i] <= 0) continue;
      out->adjacent[entries] = u;
      out->weight[entries++] = g->weight[i];
    }
  }
  out->start[n] = entries;
  out->n = n;
  for (int v = 0; v < n; v++) s->local[rank[v]] = -1;
}

/* Puts the ranks of part 0 first, each part in its order; returns their number. */
static int partition_ranks(splitter_t *s, int *rank, int n)
{
  int zeros = 0, ones = 0;
  for (int v = 0; v < n; v++) {
    if (s->part[v])
      s->spare[ones++] = rank[v];
    else
      rank[zeros++] = rank[v];
  }
  memcpy(rank + zeros, s->spare, (size_t)ones * sizeof *rank);
  return zeros;
}

/* Where part 0 of n ranks fits into a and part 1 into b places. */
static int fewest(int n, long b) { return n > b ? (int)(n - b) : 0; }
static int most(int n, long a) { return n < a ? n : (int)a; }

/* Hands n ranks to children from … to - 1 of the stack; they stand in that order then. */
static int split(splitter_t *s, size_t from, size_t to, int *rank, int n, berth_error_t *err)
{
  if (to - from == 1) s->child[from].n = n;
  if (n == 0 || to - from == 1) return BERTH_OK;
  size_t middle = from + (to - from) / 2;
  long room[2] = {0, 0};
  for (size_t i = from; i < to; i++) room[i >= middle] += s->child[i].places;
  extract(s, rank, n);
  int tries = n < s->work.tries_from ? 1 : s->work.tries;
  int rc = bisect(&s->bisector, &s->section, fewest(n, room[1]), most(n, room[0]), tries,
                  &s->random, s->part, err);
  if (rc) return rc;
  int zeros = partition_ranks(s, rank, n);
  rc = split(s, from, middle, rank, zeros, err);
  return rc ? rc : split(s, middle, to, rank + zeros, n - zeros, err);
}

/* Cuts the ranks of two children anew. */
static int improve_pair(splitter_t *s, child_t *children, int i, int k, berth_error_t *err)
{
  child_t *a = &children[i], *b = &children[k];
  int n = a->n + b->n;
  int *both = s->spare, *slot[2] = {s->slot + a->slot, s->slot + b->slot};
  double gained;
  memcpy(both, slot[0], (size_t)a->n * sizeof *both);
  memcpy(both + a->n, slot[1], (size_t)b->n * sizeof *both);
  extract(s, both, n);
  for (int v = 0; v < n; v++) s->part[v] = v >= a->n;
  int tries = n < s->work.pairs_from ? 0 : s->work.pair_tries;
  int rc = bisect_again(&s->bisector, &s->section, fewest(n, b->places), most(n, a->places), tries,
                        &s->random, s->part, &gained, err);
  if (rc || gained <= 0) return rc;
  a->n = b->n = 0;
  for (int v = 0; v < n; v++) {
    s->child_of[both[v]] = s->part[v] ? k : i;
    slot[s->part[v]][s->part[v] ? b->n++ : a->n++] = both[v];
  }
  a->changed = b->changed = true;
  return BERTH_OK;
}

/* The children after the i-th that its ranks exchange messages with, in s->neighbour; returns their
 * number. */
static int find_neighbours(splitter_t *s, const child_t *child, int i)
{
  const graph_t *g = s->graph;
  const int *rank = s->slot + child->slot;
  int found = 0;
  for (int v = 0; v < child->n; v++)
    for (size_t e = g->start[rank[v]]; e < g->start[rank[v] + 1]; e++) {
      int other = s->child_of[g->adjacent[e]];
      if (other <= i || s->met[other]) continue;
      s->met[other] = true;
      s->neighbour[found++] = other;
    }
  for (int k = 0; k < found; k++) s->met[s->neighbour[k]] = false;
  return found;
}

/* Goes over all pairs of children once; those that changed since count. */
static int improve_round(splitter_t *s, child_t *child, int n_children, bool *changed,
                         berth_error_t *err)
{
  int rc = BERTH_OK;
  for (int i = 0; i < n_children; i++) {
    int n = find_neighbours(s, &child[i], i);
    for (int k = 0; k < n && !rc; k++) {
      int other = s->neighbour[k];
      if (child[i].settled && child[other].settled) continue;
      rc = improve_pair(s, child, i, other, err);
    }
  }
  *changed = false;
  for (int i = 0; i < n_children; i++) {
    child[i].settled = !child[i].changed;
    if (child[i].changed) *changed = true;
    child[i].changed = false;
  }
  return rc;
}

/* Makes the cuts between children better two by two; the ranks stand in their order again then. */
static int improve(splitter_t *s, child_t *child, int n_children, int *rank, berth_error_t *err)
{
  int rc = BERTH_OK, slot = 0, done = 0;
  bool changed = true;
  for (int i = 0; i < n_children; i++) {
    child[i].slot = slot;
    memcpy(s->slot + slot, rank + done, (size_t)child[i].n * sizeof *rank);
    for (int v = 0; v < child[i].n; v++) s->child_of[rank[done + v]] = i;
    slot += child[i].places;
    done += child[i].n;
  }
  for (int i = 0; i < s->work.rounds && changed && !rc; i++)
    rc = improve_round(s, child, n_children, &changed, err);
  for (int i = 0; i < done; i++) s->child_of[rank[i]] = -1;
  done = 0;
  for (int i = 0; i < n_children; i++) {
    memcpy(rank + done, s->slot + child[i].slot, (size_t)child[i].n * sizeof *rank);
    done += child[i].n;
  }
  return rc;
}

/* Puts the children of an element that have places on the stack. */
static bool push_children(splitter_t *s, int e)
{
  const group_tree_t *t = s->tree;
  int n = berth_topo_element(t->topo, e)->n_children, group = t->group_at[e];
  if (!array_reserve(&s->child, &s->children_cap, s->n_children + (size_t)n + 1, sizeof *s->child))
    return false;
  if (group >= 0)
    s->child[s->n_children++] =
        (child_t){.element = e, .group = group, .places = t->first[group + 1] - t->first[group]};
  for (int i = 0, c = e + 1; i < n; i++, c += berth_topo_element(t->topo, c)->size)
    if (berth_topo_element(t->topo, c)->type >= 0 && t->usable[c])
      s->child[s->n_children++] = (child_t){.element = c, .group = -1, .places = t->usable[c]};
  return true;
}

/* Hands n ranks to what stands below a switch. */
static int hand_down(splitter_t *s, int element, int *rank, int n, berth_error_t *err)
{
  size_t from = s->n_children;
  if (n == 0) return BERTH_OK;
  if (!push_children(s, element)) return map_no_memory(err);
  size_t to = s->n_children;
  int rc = split(s, from, to, rank, n, err);
  if (!rc && to - from > 2 && s->work.rounds)
    rc = improve(s, s->child + from, (int)(to - from), rank, err);
  for (size_t i = from; i < to && !rc; i++) {
    child_t child = s->child[i]; /* the stack may move */
    if (child.group < 0) rc = hand_down(s, child.element, rank, child.n, err);
    for (int v = 0; child.group >= 0 && v < child.n; v++) s->group_of_rank[rank[v]] = child.group;
    rank += child.n;
  }
  s->n_children = from;
  return rc;
}

int multisection(const group_tree_t *t, const graph_t *g, multisection_work_t work, uint64_t seed,
                 int *group_of_rank, berth_error_t *err)
{
  splitter_t s = {
      .tree = t, .graph = g, .work = work, .random = seed, .group_of_rank = group_of_rank};
  int *best = group_of_rank, rc = splitter_init(&s, err);
  double cost, least = 0, gained;
  s.group_of_rank = malloc(((size_t)g->n + 1) * sizeof *s.group_of_rank);
  if (!rc && !s.group_of_rank) rc = map_no_memory(err);
  for (int i = 0; i < work.starts && !rc; i++) {
    rc = hand_down(&s, 0, s.rank, g->n, err);
    if (!rc)
      rc = exchange(t, g, (uint64_t)LOOKS_A_RANK * (uint64_t)g->n, s.group_of_rank, &gained, err);
    cost = rc ? 0 : group_tree_cost(t, g, s.group_of_rank);
    if (rc || (i > 0 && cost >= least)) continue;
    least = cost;
    memcpy(best, s.group_of_rank, (size_t)g->n * sizeof *best);
  }
  free(s.group_of_rank);
  splitter_clear(&s);
  return rc;
}

multisection_work_t multisection_work(berth_quality_t quality, int ranks)
{
  bool small = ranks <= SMALL, large = ranks > LARGE;
  switch (quality) {
  case BERTH_QUALITY_FAST:
    return (multisection_work_t){.starts = small ? 4 : 1,
                                 .tries = large ? 1 : 3,
                                 .rounds = large ? 2 : 10,
                                 .pair_tries = 1,
                                 .tries_from = 20,
                                 .pairs_from = 40};
  case BERTH_QUALITY_ECO:
    return (multisection_work_t){.starts = small   ? 8
                                           : large ? 1
                                                   : 2,
                                 .tries = large ? 1 : 5,
                                 .rounds = large ? 5 : 20,
                                 .pair_tries = large ? 1 : 2,
                                 .pairs_from = 16};
  default:
    return (multisection_work_t){.starts = small   ? 32
                                           : large ? 1
                                                   : 8,
                                 .tries = large ? 2 : 8,
                                 .rounds = large ? 10 : 50,
                                 .pair_tries = large ? 1 : 4};
  }
}

/* The same for a graph whose vertex v is rank order[v], with room for groups in group[]. */
static int map_ordered(const berth_map_problem_t *problem, const graph_t *g, const int *order,
                       multisection_work_t work, uint64_t seed, int *group, int *pu_of_rank,
                       berth_error_t *err)
{
  group_tree_t tree;
  int *group_of_rank = group + g->n, rc = group_tree_init(&tree, problem, err);
  if (!rc) rc = multisection(&tree, g, work, seed, group, err);
  for (int v = 0; !rc && v < g->n; v++) group_of_rank[order[v]] = group[v];
  if (!rc) rc = group_tree_place(&tree, group_of_rank, g->n, pu_of_rank, err);
  group_tree_clear(&tree);
  return rc;
}

int multisection_map(const berth_map_problem_t *problem, const graph_t *g, multisection_work_t work,
                     uint64_t seed, int *pu_of_rank, berth_error_t *err)
{
  size_t n = (size_t)g->n + 1;
  int *order = malloc(n * sizeof *order), *group = malloc(2 * n * sizeof *group);
  graph_t ordered = {0};
  int rc = order && group ? graph_reorder(g, order, &ordered, err) : map_no_memory(err);
  if (!rc) rc = map_ordered(problem, &ordered, order, work, seed, group, pu_of_rank, err);
  graph_clear(&ordered);
  free(order);
  free(group);
  return rc;
}
