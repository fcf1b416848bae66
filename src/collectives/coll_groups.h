/* SPDX-License-Identifier: BSD-3-Clause */
/* Which collective calls run beside each other: equal calls on communicators without a common rank.
 *
 * Pools and rows of ranks make nearly the same number of calls, hardly ever exactly the same. So a
 * class may be in several groups, each with some of its calls. */
#ifndef BERTH_COLLECTIVES_COLL_GROUPS_H
#define BERTH_COLLECTIVES_COLL_GROUPS_H

#include "collectives/coll_class.h"

/* Classes of one group have the same number of calls. */
typedef struct coll_group {
  coll_class_t *first;
  size_t n;
} coll_group_t;

/* Divides the calls of n classes among groups. Returns the classes of all groups, *n of them, group
 * by group, each with its calls in that group. A class is in one group with `more` false, with all
 * communicators that run beside it; groups that directly follow have the calls that only some of
 * these make. NULL: memory is out. Takes over `c`. */
coll_class_t *coll_groups_make(const berth_pattern_t *p, coll_class_t *c, size_t *n);

/* The group that begins with c[i]. */
static inline coll_group_t coll_group_at(coll_class_t *c, size_t i, size_t n)
{
  size_t k = i + 1;
  while (k < n && c[k].group == c[i].group) k++;
  return (coll_group_t){&c[i], k - i};
}

#endif
