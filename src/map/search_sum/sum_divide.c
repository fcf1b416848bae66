/* SPDX-License-Identifier: BSD-3-Clause */
/* Places ranks from the root down: what crosses a high switch costs most, so it gets most work. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "map/map_internal.h"
#include "map/search_sum/search_sum.h"
#include "map/search_sum/sum_split.h"

enum {
  GROUPS_MAX = 64
}; /* maximum of groups in a split; more children are split in groups of children */

typedef struct divider {
  const sum_layout_t *l;
  uint64_t *random;
  double tries_a_rank; /* at the root; half as many one level below, and so on */
  int *local;          /* by rank: its number in the current split, -1 outside */
  int *place_of_rank;
  bool *taken; /* by place: a pinned rank has it */
} divider_t;

/* Some ranks and their places [lo, hi), all below one switch of that depth. */
typedef struct part {
  int *rank, n;
  int lo, hi, depth;
} part_t;

/* The groups of a part: group g has the places [bound[g], bound[g + 1]). */
typedef struct groups {
  int k, *bound;
} groups_t;

static int find_groups(const sum_layout_t *l, const part_t *p, groups_t *out, berth_error_t *err)
{
  int shift = l->shift[p->depth], n = 0;
  out->bound = malloc(((size_t)(p->hi - p->lo) + 1) * sizeof *out->bound);
  if (!out->bound) return no_memory(err);
  for (int i = p->lo; i < p->hi; i++)
    if (i == p->lo || l->code[i] >> shift != l->code[i - 1] >> shift) out->bound[n++] = i;
  int max = GROUPS_MAX < n ? GROUPS_MAX : n;
  for (int g = 0; g < max; g++) out->bound[g] = out->bound[(int64_t)g * n / max];
  out->bound[max] = p->hi;
  out->k = max;
  return BERTH_OK;
}

static int group_of_place(const groups_t *groups, int place)
{
  int lo = 0, hi = groups->k;
  while (hi - lo > 1) {
    int mid = (lo + hi) / 2;
    if (groups->bound[mid] <= place)
      lo = mid;
    else
      hi = mid;
  }
  return lo;
}

/* The difference of a neighbour's cost between meeting at that depth and at the deepest. */
static float weight_of(const sum_layout_t *l, size_t neighbour, int depth)
{
  const float *price = l->price + neighbour * (size_t)l->depths;
  float more = price[depth] - price[l->depths - 1];
  return more > 0 ? more : 0;
}

static void fill_split(const divider_t *d, const part_t *p, const groups_t *groups, split_t *s)
{
  const sum_layout_t *l = d->l;
  size_t at = 0;
  for (int i = 0; i < p->n; i++) d->local[p->rank[i]] = i;
  for (int g = 0; g < s->k; g++) s->room[g] = groups->bound[g + 1] - groups->bound[g];
  for (int i = 0; i < p->n; i++) {
    int r = p->rank[i];
    s->fixed[i] = l->pinned[r] ? group_of_place(groups, d->place_of_rank[r]) : -1;
    for (size_t j = l->start[r]; j < l->start[r + 1]; j++) {
      if (d->local[l->adjacent[j]] < 0) continue;
      s->adjacent[at] = d->local[l->adjacent[j]];
      s->weight[at++] = weight_of(l, j, p->depth);
    }
    s->start[i + 1] = (int)at;
  }
  for (int i = 0; i < p->n; i++) d->local[p->rank[i]] = -1;
}

static int split_part(divider_t *d, const part_t *p, const groups_t *groups, int *group,
                      berth_error_t *err)
{
  split_t s;
  size_t neighbours = 0;
  for (int i = 0; i < p->n; i++)
    neighbours += d->l->start[p->rank[i] + 1] - d->l->start[p->rank[i]];
  int rc = split_init(&s, p->n, neighbours, groups->k, err);
  if (!rc) {
    fill_split(d, p, groups, &s);
    s.problem = d->l->problem;
    double tries = d->tries_a_rank * ldexp(p->n, -p->depth);
    rc = split_solve(&s, tries, d->random, group, err);
  }
  split_clear(&s);
  return rc;
}

/* Places the ranks of a part: below a deepest switch all places are equal. */
static void place_part(divider_t *d, const part_t *p)
{
  int next = p->lo;
  for (int i = 0; i < p->n; i++) {
    if (d->l->pinned[p->rank[i]]) continue;
    while (d->taken[next]) next++;
    d->place_of_rank[p->rank[i]] = next++;
  }
}

static int divide(divider_t *d, const part_t *p, berth_error_t *err);

/* Sorts a part's ranks by group, and divides each group. */
static int divide_groups(divider_t *d, const part_t *p, const groups_t *groups, const int *group,
                         berth_error_t *err)
{
  int n = 0, rc = BERTH_OK;
  int *sorted = malloc(((size_t)p->n + 1) * sizeof *sorted);
  if (!sorted) return no_memory(err);
  for (int g = 0; g < groups->k && !rc; g++) {
    part_t below = {sorted + n, 0, groups->bound[g], groups->bound[g + 1], p->depth};
    for (int i = 0; i < p->n; i++)
      if (group[i] == g) below.rank[below.n++] = p->rank[i];
    n += below.n;
    int shift = d->l->shift[p->depth];
    bool whole = d->l->code[below.lo] >> shift == d->l->code[below.hi - 1] >> shift;
    below.depth += whole;
    rc = divide(d, &below, err);
  }
  free(sorted);
  return rc;
}

/* Whether a part's ranks stay in their groups, because these have different blocks. */
static bool is_kept(const sum_layout_t *l, const part_t *p)
{
  return l->block && l->block[p->lo] != l->block[p->hi - 1];
}

static int group_ranks(divider_t *d, const part_t *p, const groups_t *groups, int *group,
                       berth_error_t *err)
{
  if (groups->k == 1) return BERTH_OK;
  if (!is_kept(d->l, p)) return split_part(d, p, groups, group, err);
  for (int i = 0; i < p->n; i++) group[i] = group_of_place(groups, d->place_of_rank[p->rank[i]]);
  return BERTH_OK;
}

static int divide(divider_t *d, const part_t *p, berth_error_t *err)
{
  if (p->n == 0) return BERTH_OK;
  if (p->depth >= d->l->depths - 1) {
    place_part(d, p);
    return BERTH_OK;
  }
  groups_t groups = {0};
  int *group = calloc((size_t)p->n, sizeof *group);
  int rc = group ? find_groups(d->l, p, &groups, err) : no_memory(err);
  if (!rc) rc = group_ranks(d, p, &groups, group, err);
  if (!rc) rc = divide_groups(d, p, &groups, group, err);
  free(group);
  free(groups.bound);
  return rc;
}

int sum_divide(const sum_layout_t *l, double tries, uint64_t *random, int *place_of_rank,
               berth_error_t *err)
{
  size_t n = (size_t)l->n_ranks;
  divider_t d = {.l = l, .random = random, .place_of_rank = place_of_rank};
  double levels = 0;
  for (int i = 0; i + 1 < l->depths; i++) levels += ldexp(1, -i);
  d.tries_a_rank = tries / l->n_ranks / (levels > 0 ? levels : 1);
  d.local = malloc(n * sizeof *d.local);
  d.taken = calloc((size_t)l->n_places, sizeof *d.taken);
  int *rank = malloc(n * sizeof *rank);
  int rc = d.local && d.taken && rank ? BERTH_OK : no_memory(err);
  if (!rc) {
    for (int r = 0; r < l->n_ranks; r++) {
      rank[r] = r;
      d.local[r] = -1;
      if (l->pinned[r]) d.taken[place_of_rank[r]] = true;
    }
    part_t all = {rank, l->n_ranks, 0, l->n_places, 0};
    rc = divide(&d, &all, err);
  }
  free(rank);
  free(d.local);
  free(d.taken);
  return rc;
}
