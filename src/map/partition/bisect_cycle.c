/* SPDX-License-Identifier: BSD-3-Clause */
/* Improves a cut by iterated multilevel search (Walshaw, 2004).
 * Vertices are joined level by level (hierarchy.c), but never across the cut, so that the cut
 * exists on each level. Moves improve it, beginning on the coarsest level. A cluster can move where
 * its ranks could not move one by one, because each alone would lose. A first cut grows on the
 * coarsest level. */
#include "map/partition/bisect.h"

#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "map/map_internal.h"

/* Coarsening ends at this number of vertices, with and without a cut. */
enum { COARSEST = 24, COARSEST_UNCUT = 12 };

/* Copies the parts of the coarse level's clusters to their vertices, and searches there. */
static void refine(bisector_t *b, const level_t *fine, const level_t *coarse, int low, int high,
                   unsigned char *part, double *best)
{
  for (int v = 0; v < fine->section.n; v++) b->trial[v] = coarse->part[fine->coarse[v]];
  bisect_search(b, &fine->section, low, high, part, best);
}

/* On a coarse level, sizes may be off by the largest cluster minus one; finer levels correct
 * that. */
static int slack_of(const section_t *s)
{
  int largest = 1;
  for (int v = 0; v < s->n; v++)
    if (section_size(s, v) > largest) largest = section_size(s, v);
  return largest - 1;
}

/* Improves the cut on each level below `top`, down to the section itself. */
static void search_down(bisector_t *b, int top, int low, int high, double *best)
{
  level_t *level = b->hierarchy.level;
  for (int l = top - 1; l > 0; l--) {
    int slack = slack_of(&level[l].section);
    double any = -1;
    refine(b, &level[l], &level[l + 1], low - slack, high + slack, level[l].part, &any);
  }
  refine(b, &level[0], &level[1], low, high, level[0].part, best);
}

static double cut_of(const section_t *s, const unsigned char *part)
{
  double twice = 0;
  for (int v = 0; v < s->n; v++)
    for (int i = s->start[v]; i < s->start[v + 1]; i++)
      if (part[v] != part[s->adjacent[i]]) twice += s->weight[i];
  return twice / 2;
}

int bisect_cycle(bisector_t *b, const section_t *s, int low, int high, uint64_t *random,
                 unsigned char *part, double *gained, berth_error_t *err)
{
  hierarchy_t *h = &b->hierarchy;
  *gained = 0;
  if (!hierarchy_build(h, s, part, COARSEST, random, b->moved, b->part)) return no_memory(err);
  if (h->top == 0) return BERTH_OK;
  level_t *top = &h->level[h->top];
  int slack = slack_of(&top->section);
  double was = cut_of(s, part), best = was, any = -1;
  memcpy(b->trial, top->part, (size_t)top->section.n);
  bisect_search(b, &top->section, low - slack, high + slack, top->part, &any);
  search_down(b, h->top, low, high, &best);
  *gained = was - best;
  return BERTH_OK;
}

/* Grows a cut on the coarsest level, and keeps it in part[] if it is better than *best. */
static void grow(bisector_t *b, int target, int low, int high, uint64_t *random,
                 unsigned char *part, double *best)
{
  const section_t *s = &b->hierarchy.level[b->hierarchy.top].section;
  int slack = slack_of(s);
  bisect_grow_part(b, s, target, (int)map_random_below(random, (uint64_t)s->n));
  bisect_search(b, s, low - slack, high + slack, part, best);
}

int bisect_grow(bisector_t *b, const section_t *s, int low, int high, int tries, uint64_t *random,
                unsigned char *part, berth_error_t *err)
{
  hierarchy_t *h = &b->hierarchy;
  /* If sizes are free: equal parts, or everything in one part. */
  int half = s->n / 2 < low ? low : s->n / 2 > high ? high : s->n / 2;
  int target[] = {half, high, low};
  double best = -1;
  for (int i = 0; i < tries; i++) {
    double any = -1;
    if (i > 0 && b->problem && map_time_is_up(b->problem, MAP_BUILD_SHARE)) break;
    if (!hierarchy_build(h, s, NULL, COARSEST_UNCUT, random, b->moved, b->part))
      return no_memory(err);
    h->level[0].part = part;
    if (h->top == 0) {
      grow(b, target[i % 3], low, high, random, part, &best);
      continue;
    }
    grow(b, target[i % 3], low, high, random, h->level[h->top].part, &any);
    search_down(b, h->top, low, high, &best);
  }
  return BERTH_OK;
}
