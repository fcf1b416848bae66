/* SPDX-License-Identifier: BSD-3-Clause */
/* Exchanges equal subtrees of a placement, so that more ranks stay where they are.
 * The cost stays the same, because the racks, hosts or cores are equal. From the PUs up, each pair
 * of a subtree of the placement and an equal one of where ranks are gets the number of ranks that
 * could stay, by the best assignment of the children. Then the assignments are applied from the
 * root down. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/no_memory.h"
#include "base/order.h"
#include "map/map_internal.h"
#include "map/moves/moves.h"

/* How many ranks could stay if element `here` of the placement became element `there`. */
typedef struct overlap {
  int over_here, over_there; /* their parents */
  int here, there, ranks;
} overlap_t;

typedef struct overlaps {
  overlap_t *item; /* by parents, then by elements */
  size_t n, cap;
} overlaps_t;

typedef struct renaming {
  const berth_map_problem_t *problem;
  const berth_topo_t *topo;
  uint64_t *kind; /* by element: equal for equal subtrees */
  overlaps_t *at; /* by depth */
  int depths;
  int *to_pu; /* new PU of each PU */
} renaming_t;

/* --- kinds --- */

ORDER_VALUES(by_kind, uint64_t)

/* PUs are equal if they have the same number of places and, if sharing a core has a cost, are on
 * the core of the same number. A PU with a pinned rank equals no other. */
static uint64_t kind_of_pu(const renaming_t *r, int pu, int places, bool pinned)
{
  const berth_map_problem_t *p = r->problem;
  bool cores = p->shares_cores && berth_sharing_known(p->pattern, p->topo, p->options.objective);
  int said[] = {-1, places, cores ? berth_topo_pu(r->topo, pu)->core : -1, pinned ? pu : -1};
  return hash_bytes(HASH_START, said, sizeof said);
}

static uint64_t kind_of_switch(const renaming_t *r, int e, uint64_t *scratch)
{
  const berth_element_t *element = berth_topo_element(r->topo, e);
  int said[] = {element->type, element->n_children};
  for (int i = 0, c = e + 1; i < element->n_children; i++) {
    scratch[i] = r->kind[c];
    c += berth_topo_element(r->topo, c)->size;
  }
  qsort(scratch, (size_t)element->n_children, sizeof *scratch, by_kind);
  uint64_t h = hash_bytes(HASH_START, said, sizeof said);
  return hash_bytes(h, scratch, (size_t)element->n_children * sizeof *scratch);
}

static int find_kinds(renaming_t *r, berth_error_t *err)
{
  int n = berth_topo_n_elements(r->topo), pus = berth_topo_n_pus(r->topo);
  int *places = calloc((size_t)pus, sizeof *places);
  bool *pinned = calloc((size_t)pus, sizeof *pinned);
  uint64_t *scratch = malloc((size_t)n * sizeof *scratch);
  int rc = places && pinned && scratch ? BERTH_OK : no_memory(err);
  for (int i = 0; i < r->problem->n_pus && !rc; i++) places[r->problem->pus[i]]++;
  for (int k = 0; k < berth_pattern_ranks(r->problem->pattern) && !rc; k++)
    if (map_is_pinned(r->problem, k)) pinned[r->problem->options.pinned[k]] = true;
  for (int e = n - 1; e >= 0 && !rc; e--) {
    const berth_element_t *element = berth_topo_element(r->topo, e);
    int pu = element->first_pu;
    r->kind[e] = element->type < 0 ? kind_of_pu(r, pu, places[pu], pinned[pu])
                                   : kind_of_switch(r, e, scratch);
  }
  free(places);
  free(pinned);
  free(scratch);
  return rc;
}

/* --- overlaps, from the PUs up --- */

/* qsort order: by parents, then by elements. */
ORDER_BY(by_parents, overlap_t, RISING(over_here) RISING(over_there) RISING(here) RISING(there))

static int add_overlap(renaming_t *r, int here, int there, int ranks, berth_error_t *err)
{
  const berth_element_t *x = berth_topo_element(r->topo, here);
  const berth_element_t *y = berth_topo_element(r->topo, there);
  if (x->depth != y->depth || r->kind[here] != r->kind[there] || ranks == 0) return BERTH_OK;
  overlaps_t *list = &r->at[x->depth];
  if (!ARRAY_ADD(&list->item, &list->n, &list->cap,
                 (overlap_t){x->parent, y->parent, here, there, ranks}))
    return no_memory(err);
  return BERTH_OK;
}

/* Sorts a depth's overlaps, and merges those of one pair. */
static void merge(overlaps_t *list)
{
  size_t kept = 0;
  if (list->n) qsort(list->item, list->n, sizeof *list->item, by_parents);
  for (size_t i = 0; i < list->n; i++) {
    if (kept > 0 && by_parents(&list->item[kept - 1], &list->item[i]) == 0)
      list->item[kept - 1].ranks += list->item[i].ranks;
    else
      list->item[kept++] = list->item[i];
  }
  list->n = kept;
}

/* The end of the overlaps from i on with the same parents. */
static size_t end_of_group(const overlaps_t *list, size_t i)
{
  const overlap_t *first = &list->item[i];
  while (i < list->n && list->item[i].over_here == first->over_here &&
         list->item[i].over_there == first->over_there)
    i++;
  return i;
}

/* Assigns the children of one pair. Returns which overlaps are taken (NULL: not needed), and how
 * many ranks stay. */
static int assign(const overlaps_t *list, size_t first, size_t end, bool *taken, int *ranks,
                  berth_error_t *err)
{
  size_t n = end - first;
  assignment_edge_t *edge = malloc((n + 1) * sizeof *edge);
  if (!edge) return no_memory(err);
  for (size_t i = 0; i < n; i++) {
    const overlap_t *o = &list->item[first + i];
    edge[i] = (assignment_edge_t){o->here, o->there, o->ranks, false};
  }
  int rc = assignment_find(edge, n) ? BERTH_OK : no_memory(err);
  *ranks = 0;
  for (size_t i = 0; i < n && !rc; i++) {
    if (taken) taken[i] = edge[i].taken;
    if (edge[i].taken) *ranks += edge[i].weight;
  }
  free(edge);
  return rc;
}

static int find_overlaps(renaming_t *r, const int *pu_of_rank, berth_error_t *err)
{
  const int *from = r->problem->options.from;
  int rc = BERTH_OK, ranks, pus = berth_topo_n_pus(r->topo);
  for (int k = 0; k < berth_pattern_ranks(r->problem->pattern) && !rc; k++)
    if (from[k] >= 0 && from[k] < pus) /* an unusable PU keeps no rank */
      rc = add_overlap(r, berth_topo_pu(r->topo, pu_of_rank[k])->element,
                       berth_topo_pu(r->topo, from[k])->element, 1, err);
  for (int d = r->depths - 1; d > 0 && !rc; d--) {
    overlaps_t *list = &r->at[d];
    merge(list);
    for (size_t i = 0, end; i < list->n && !rc; i = end) {
      end = end_of_group(list, i);
      const overlap_t o = list->item[i];
      rc = assign(list, i, end, NULL, &ranks, err);
      if (!rc) rc = add_overlap(r, o.over_here, o.over_there, ranks, err);
    }
  }
  return rc;
}

/* --- applying assignments, from the root down --- */

typedef struct sibling {
  uint64_t kind;
  int element;
  int partner; /* -1: none yet */
} sibling_t;

ORDER_BY(by_kind_then_element, sibling_t, RISING(kind) RISING(element))

ORDER_BY(by_sibling, sibling_t, RISING(element))

static void list_children(const renaming_t *r, int e, sibling_t *out)
{
  for (int i = 0, c = e + 1; i < berth_topo_element(r->topo, e)->n_children; i++) {
    out[i] = (sibling_t){r->kind[c], c, -1};
    c += berth_topo_element(r->topo, c)->size;
  }
}

static void pair_up(sibling_t *here, sibling_t *there, int n, int x, int y)
{
  size_t count = (size_t)n;
  sibling_t key = {0, x, 0}, other = {0, y, 0};
  sibling_t *a = bsearch(&key, here, count, sizeof *here, by_sibling);
  sibling_t *b = bsearch(&other, there, count, sizeof *there, by_sibling);
  a->partner = y;
  b->partner = x;
}

/* Gives elements without a partner one of their kind, in order. */
static void pair_others(sibling_t *here, sibling_t *there, int n)
{
  qsort(here, (size_t)n, sizeof *here, by_kind_then_element);
  qsort(there, (size_t)n, sizeof *there, by_kind_then_element);
  for (int i = 0, k = 0; i < n; i++) {
    if (here[i].partner >= 0) continue;
    while (there[k].partner >= 0) k++;
    here[i].partner = there[k++].element;
  }
}

/* The first overlap of two elements' children; list->n if there is none. */
static size_t find_group(const overlaps_t *list, int here, int there)
{
  size_t low = 0, high = list->n;
  overlap_t key = {.over_here = here, .over_there = there};
  while (low < high) {
    size_t mid = (low + high) / 2;
    if (by_parents(&list->item[mid], &key) < 0)
      low = mid + 1;
    else
      high = mid;
  }
  bool found =
      low < list->n && list->item[low].over_here == here && list->item[low].over_there == there;
  return found ? low : list->n;
}

static int pair_children(renaming_t *r, int here, int there, sibling_t *a, sibling_t *b,
                         berth_error_t *err)
{
  const berth_element_t *e = berth_topo_element(r->topo, here);
  const overlaps_t *list = &r->at[e->depth + 1];
  size_t first = find_group(list, here, there);
  size_t end = first < list->n ? end_of_group(list, first) : first;
  int ranks, rc = BERTH_OK;
  bool *taken = calloc(end - first + 1, sizeof *taken);
  if (!taken) return no_memory(err);
  list_children(r, here, a);
  list_children(r, there, b);
  if (end > first) rc = assign(list, first, end, taken, &ranks, err);
  for (size_t i = first; i < end && !rc; i++)
    if (taken[i - first]) pair_up(a, b, e->n_children, list->item[i].here, list->item[i].there);
  if (!rc) pair_others(a, b, e->n_children);
  free(taken);
  return rc;
}

static int rename_below(renaming_t *r, int here, int there, berth_error_t *err)
{
  const berth_element_t *e = berth_topo_element(r->topo, here);
  if (e->type < 0) {
    r->to_pu[e->first_pu] = berth_topo_element(r->topo, there)->first_pu;
    return BERTH_OK;
  }
  sibling_t *a = malloc(2 * ((size_t)e->n_children + 1) * sizeof *a);
  if (!a) return no_memory(err);
  int rc = pair_children(r, here, there, a, a + e->n_children, err);
  for (int i = 0; i < e->n_children && !rc; i++)
    rc = rename_below(r, a[i].element, a[i].partner, err);
  free(a);
  return rc;
}

/* --- */

static int renaming_init(renaming_t *r, const berth_map_problem_t *problem, berth_error_t *err)
{
  *r = (renaming_t){.problem = problem, .topo = problem->topo};
  int n = berth_topo_n_elements(r->topo);
  for (int e = 0; e < n; e++)
    if (berth_topo_element(r->topo, e)->depth >= r->depths)
      r->depths = berth_topo_element(r->topo, e)->depth + 1;
  r->kind = malloc((size_t)n * sizeof *r->kind);
  r->at = calloc((size_t)r->depths + 1, sizeof *r->at);
  r->to_pu = malloc((size_t)berth_topo_n_pus(r->topo) * sizeof *r->to_pu);
  return r->kind && r->at && r->to_pu ? find_kinds(r, err) : no_memory(err);
}

static void renaming_clear(renaming_t *r)
{
  for (int d = 0; r->at && d < r->depths; d++) free(r->at[d].item);
  free(r->at);
  free(r->kind);
  free(r->to_pu);
}

int map_rename(const berth_map_problem_t *problem, int *pu_of_rank, berth_error_t *err)
{
  renaming_t r;
  if (!problem->options.from) return BERTH_OK;
  int ranks = berth_pattern_ranks(problem->pattern);
  int *renamed = malloc((size_t)ranks * sizeof *renamed);
  int rc = renaming_init(&r, problem, err);
  if (!rc && !renamed) rc = no_memory(err);
  if (!rc) rc = find_overlaps(&r, pu_of_rank, err);
  if (!rc) rc = rename_below(&r, 0, 0, err);
  for (int k = 0; !rc && k < ranks; k++) renamed[k] = r.to_pu[pu_of_rank[k]];
  if (!rc && moves_count(problem, renamed) < moves_count(problem, pu_of_rank))
    memcpy(pu_of_rank, renamed, (size_t)ranks * sizeof *renamed);
  free(renamed);
  renaming_clear(&r);
  return rc;
}
