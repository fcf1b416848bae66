/* SPDX-License-Identifier: BSD-3-Clause */
/* Iterated multilevel search (Walshaw, 2004): pairs of vertices joined by heavy edges become one,
 * level by level, but never across the cut, so that the cut is there on each level. From the
 * coarsest level on, moves make it smaller; a move of a cluster is one that its ranks could not
 * make one by one, because each alone would lose. */
#include "map/bisect_cycle.h"

#include <stdlib.h>
#include <string.h>

#include "map/map_internal.h"

/* Coarsening ends at so many vertices, or when less than a tenth of them were joined. */
enum { COARSEST = 24, LEVELS_MOST = 40 };

typedef struct level {
  section_t section;
  int *coarse; /* the vertex of the next level that each of this one is in */
  unsigned char *part;
} level_t;

static void level_clear(level_t *l)
{
  free(l->coarse);
  free(l->section.start);
  free(l->section.adjacent);
  free(l->section.weight);
  free(l->section.size);
  free(l->part);
  *l = (level_t){0};
}

/* The neighbour to join v with: the heaviest edge to one on the same side that is single yet. */
static int find_mate(const section_t *s, const unsigned char *part, const int *mate, int v,
                     int most)
{
  int best = -1;
  double heaviest = -1;
  for (int i = s->start[v]; i < s->start[v + 1]; i++) {
    int u = s->adjacent[i];
    if (mate[u] >= 0 || part[u] != part[v] || section_size(s, u) + section_size(s, v) > most)
      continue;
    if (s->weight[i] <= heaviest) continue;
    heaviest = s->weight[i];
    best = u;
  }
  return best;
}

/* Pairs vertices in random order; mate[v] is v itself for those who stay single. Returns how many
 * vertices the next level has, whose numbers are in coarse[]. */
static int match(const section_t *s, const unsigned char *part, int most, uint64_t *random,
                 int *order, int *mate, int *coarse)
{
  int n = 0;
  for (int v = 0; v < s->n; v++) {
    int k = (int)map_random_below(random, (uint64_t)v + 1);
    order[v] = order[k];
    order[k] = v;
    mate[v] = -1;
  }
  for (int i = 0; i < s->n; i++) {
    int v = order[i];
    if (mate[v] >= 0) continue;
    int u = find_mate(s, part, mate, v, most);
    mate[v] = u >= 0 ? u : v;
    if (u >= 0) mate[u] = v;
  }
  for (int v = 0; v < s->n; v++)
    if (mate[v] >= v) coarse[v] = n++;
  for (int v = 0; v < s->n; v++)
    if (mate[v] < v) coarse[v] = coarse[mate[v]];
  return n;
}

/* Adds the edges of v to those of its cluster, which begin at `first`; at[] is where the edge to a
 * cluster stands, if that is not below first. */
static int add_edges(const section_t *s, const int *coarse, int v, int first, int *at,
                     section_t *out, int entries)
{
  for (int i = s->start[v]; i < s->start[v + 1]; i++) {
    int to = coarse[s->adjacent[i]];
    if (to == coarse[v]) continue;
    if (at[to] < first) {
      at[to] = entries;
      out->adjacent[entries] = to;
      out->weight[entries++] = 0;
    }
    out->weight[at[to]] += s->weight[i];
  }
  return entries;
}

static void join(const level_t *fine, const int *mate, int *at, level_t *out)
{
  const section_t *s = &fine->section;
  section_t *c = &out->section;
  int entries = 0;
  for (int v = 0; v < c->n; v++) at[v] = -1;
  for (int v = 0; v < s->n; v++) {
    int number = fine->coarse[v], u = mate[v];
    if (u < v) continue;
    c->start[number] = entries;
    entries = add_edges(s, fine->coarse, v, c->start[number], at, c, entries);
    if (u > v) entries = add_edges(s, fine->coarse, u, c->start[number], at, c, entries);
    c->size[number] = section_size(s, v) + (u > v ? section_size(s, u) : 0);
    out->part[number] = fine->part[v];
  }
  c->start[c->n] = entries;
}

/* Makes the next level; `scratch` has room for two numbers of each vertex. */
static bool coarsen(level_t *fine, int most, uint64_t *random, int *scratch, level_t *out)
{
  const section_t *s = &fine->section;
  int *order = scratch, *mate = scratch + s->n;
  size_t entries = (size_t)s->start[s->n] + 1;
  fine->coarse = malloc((size_t)s->n * sizeof *fine->coarse);
  if (!fine->coarse) return false;
  size_t n = (size_t)match(s, fine->part, most, random, order, mate, fine->coarse);
  *out = (level_t){.section = {.n = (int)n,
                               .start = malloc((n + 1) * sizeof(int)),
                               .adjacent = malloc(entries * sizeof(int)),
                               .weight = malloc(entries * sizeof(double)),
                               .size = malloc((n + 1) * sizeof(int))},
                   .part = malloc(n + 1)};
  const section_t *c = &out->section;
  if (!c->start || !c->adjacent || !c->weight || !c->size || !out->part) return false;
  join(fine, mate, order, out);
  return true;
}

/* Takes the parts of the coarse level's clusters over to their vertices, and searches there. */
static void refine(bisector_t *b, const level_t *fine, const level_t *coarse, int low, int high,
                   unsigned char *part, double *best)
{
  for (int v = 0; v < fine->section.n; v++) b->trial[v] = coarse->part[fine->coarse[v]];
  bisect_search(b, &fine->section, low, high, part, best);
}

/* Sizes may be off by what one cluster is larger than one rank; finer levels put that right. */
static int slack_of(const section_t *s)
{
  int largest = 1;
  for (int v = 0; v < s->n; v++)
    if (section_size(s, v) > largest) largest = section_size(s, v);
  return largest - 1;
}

static void search_up(bisector_t *b, level_t *level, int top, int low, int high, double *best)
{
  memcpy(b->trial, level[top].part, (size_t)level[top].section.n);
  for (int l = top; l > 0; l--) {
    const section_t *s = &level[l].section;
    int slack = slack_of(s);
    double any = -1;
    if (l == top)
      bisect_search(b, s, low - slack, high + slack, level[l].part, &any);
    else
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
  level_t level[LEVELS_MOST] = {{.section = *s, .part = part}};
  int *scratch = malloc(2 * ((size_t)s->n + 1) * sizeof *scratch), top = 0;
  bool room = scratch, joined = true;
  double was = cut_of(s, part), best = was;
  while (room && joined && top + 1 < LEVELS_MOST && level[top].section.n > COARSEST) {
    room = coarsen(&level[top], s->n / 8 + 1, random, scratch, &level[top + 1]);
    top++;
    joined = room && level[top].section.n < level[top - 1].section.n * 0.9;
  }
  if (room && top) search_up(b, level, top, low, high, &best);
  *gained = was - best;
  for (int l = 1; l <= top; l++) level_clear(&level[l]);
  free(level[0].coarse);
  free(scratch);
  return room ? BERTH_OK : map_no_memory(err);
}
