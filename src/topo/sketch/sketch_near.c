/* SPDX-License-Identifier: BSD-3-Clause */
/* What somebody meant whose level or setting has a name that a sketch can't use. */
#include <stdio.h>

#include "base/nearest.h"
#include "topo/sketch/sketch_internal.h"

static const char *const known[] = {"host", "node", "socket", "package", "numa", "die",   "group",
                                    "l4",   "l3",   "l2",     "l1",      "core", "thread"};
enum { N_KNOWN = sizeof known / sizeof *known };

const char *sketch_near_type(const sketch_level_t *l)
{
  nearest_t best = {0};
  for (size_t i = 0; i < N_KNOWN && l->kind == SKETCH_SWITCH; i++)
    nearest_compare(&best, l->stem, known[i]);
  return best.name;
}

const sketch_level_t *sketch_misspelt(const berth_sketch_t *s, const sketch_level_t *l)
{
  const sketch_level_t *found = NULL;
  for (; l; l = l->parent < 0 ? NULL : &s->levels[l->parent])
    if (sketch_near_type(l)) found = l;
  return found;
}

const char *sketch_near_key(const berth_sketch_t *s, const char *key)
{
  static const char *const keys[] = {"memory", "interconnect", "l3", "l2", "core", "like", "name"};
  nearest_t best = {0};
  for (size_t i = 0; i < s->n_levels; i++)
    if (s->levels[i].kind <= KIND_HOST) nearest_compare(&best, key, s->levels[i].stem);
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) nearest_compare(&best, key, keys[i]);
  return best.name;
}
