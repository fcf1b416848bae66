/* SPDX-License-Identifier: BSD-3-Clause */
/* Divides collective calls among groups of which all calls run beside each other. */
#include "collectives/coll_groups.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/order.h"
#include "pattern/phase_find.h"

/* `group` is the number of a set: classes of one kind without a common rank. */
ORDER_BY(rare_first, coll_class_t, BY(coll_kind_order) RISING(calls) RISING(comm))
ORDER_BY(set_order, coll_class_t, RISING(group) RISING(comm))

/* Whether the communicator has no rank that the set has; then the set gets its ranks. */
static bool joins(const berth_pattern_t *p, const coll_class_t *c, int set, int *set_of_rank)
{
  const int *ranks = coll_comm_ranks(p, c->comm);
  int n = c->request.call.size;
  for (int r = 0; r < n; r++)
    if (set_of_rank[ranks ? ranks[r] : r] == set) return false;
  for (int r = 0; r < n; r++) set_of_rank[ranks ? ranks[r] : r] = set;
  return true;
}

/* Puts each class into the first set of its kind that it may join. */
static void find_sets(const berth_pattern_t *p, coll_class_t *c, size_t n, int *set_of_rank)
{
  int set = -1;
  for (int r = 0; r < berth_pattern_ranks(p); r++) set_of_rank[r] = -1;
  for (size_t i = 0; i < n; i++) c[i].group = -1;
  qsort(c, n, sizeof *c, rare_first);
  for (size_t i = 0; i < n; i++) {
    if (c[i].group >= 0) continue;
    set++;
    for (size_t k = i; k < n && coll_kind_order(&c[k], &c[i]) == 0; k++)
      if (c[k].group < 0 && joins(p, &c[k], set, set_of_rank)) c[k].group = set;
  }
  qsort(c, n, sizeof *c, set_order);
}

/* --- calls of a set --- */

enum { MOST_LEVELS = 8 };

/* Numbers of calls, rising, up to which classes make the same calls. */
typedef struct levels {
  int n;
  uint64_t calls[MOST_LEVELS];
} levels_t;

typedef struct parts {
  coll_class_t *items;
  size_t n, cap;
  int groups;
} parts_t;

static uint64_t next_number(const coll_class_t *c, size_t n, uint64_t from)
{
  uint64_t next = UINT64_MAX;
  for (size_t i = 0; i < n; i++)
    if (c[i].calls >= from && c[i].calls < next) next = c[i].calls;
  return next;
}

static uint64_t max_calls(const coll_class_t *c, size_t n)
{
  uint64_t max = 0;
  for (size_t i = 0; i < n; i++)
    if (c[i].calls > max) max = c[i].calls;
  return max;
}

/* The classes' numbers of calls, up to `max`. If there are too many different ones: as many from
 * the lowest to the highest at equal distances. */
static levels_t find_levels(const coll_class_t *c, size_t n, uint64_t max)
{
  levels_t levels = {0};
  uint64_t min = next_number(c, n, 1), last = 0;
  while (levels.n < MOST_LEVELS && last < max)
    levels.calls[levels.n++] = last = next_number(c, n, last + 1);
  for (int i = 0; last < max && i < MOST_LEVELS; i++) {
    uint64_t range = max - min, step = range / (MOST_LEVELS - 1);
    levels.calls[i] = i == MOST_LEVELS - 1 ? max : min + (uint64_t)i * step;
  }
  return levels;
}

/* Adds a group of the classes that have so many calls left, with those between two levels. */
static bool add_group(parts_t *to, const coll_class_t *c, size_t n, uint64_t from, uint64_t until,
                      bool more)
{
  for (size_t i = 0; i < n; i++) {
    if (c[i].calls < until) continue;
    coll_class_t part = c[i];
    part.calls = until - from;
    part.group = to->groups;
    part.more = more;
    if (!ARRAY_ADD(&to->items, &to->n, &to->cap, part)) return false;
  }
  to->groups++;
  return true;
}

/* Takes calls away: all up to the highest level that a class reaches. */
static void subtract(coll_class_t *c, size_t n, const levels_t *levels)
{
  for (size_t i = 0; i < n; i++) {
    int k = levels->n;
    while (k > 0 && levels->calls[k - 1] > c[i].calls) k--;
    if (k > 0) c[i].calls -= levels->calls[k - 1];
  }
}

/* Divides a set's calls: those that all make, then level by level those that only some make. What a
 * class has above its level is divided the same way. So the groups' calls together are the largest
 * number of calls of a class, or not much more, and there are few groups. */
static bool divide(parts_t *to, coll_class_t *c, size_t n)
{
  uint64_t max;
  levels_t levels = {1, {next_number(c, n, 0)}};
  bool added = add_group(to, c, n, 0, levels.calls[0], false);
  subtract(c, n, &levels);
  while (added && (max = max_calls(c, n)) > 0) {
    levels = find_levels(c, n, max);
    for (int i = 0; i < levels.n && added; i++)
      added = add_group(to, c, n, i ? levels.calls[i - 1] : 0, levels.calls[i], true);
    subtract(c, n, &levels);
  }
  return added;
}

coll_class_t *coll_groups_make(const berth_pattern_t *p, coll_class_t *c, size_t *n)
{
  parts_t parts = {0};
  int *set_of_rank = malloc((size_t)berth_pattern_ranks(p) * sizeof *set_of_rank);
  bool enough = set_of_rank && array_reserve(&parts.items, &parts.cap, *n + 1, sizeof *c);
  if (enough) find_sets(p, c, *n, set_of_rank);
  for (size_t i = 0; i < *n && enough;) {
    coll_group_t set = coll_group_at(c, i, *n);
    enough = divide(&parts, set.first, set.n);
    i += set.n;
  }
  free(set_of_rank);
  if (enough) {
    free(c);
    *n = parts.n;
    return parts.items;
  }
  coll_classes_free(c, *n);
  free(parts.items);
  return NULL;
}
