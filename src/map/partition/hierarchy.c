/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes ever coarser graphs by joining pairs of vertices. */
#include "map/partition/hierarchy.h"

#include <stdlib.h>

#include "base/array.h"
#include "map/map_internal.h"

void hierarchy_clear(hierarchy_t *h)
{
  for (int l = 0; l < HIERARCHY_LEVELS; l++) {
    level_t *level = &h->level[l];
    free(level->coarse);
    if (l == 0) continue;
    free(level->section.start);
    free(level->section.adjacent);
    free(level->section.weight);
    free(level->section.size);
    free(level->part);
  }
  *h = (hierarchy_t){0};
}

/* Finds an unmatched neighbour on the same side to join v with. It prefers heavy edges between
 * light vertices: weight^2 / (product of sizes), which Holtgrewe, Sanders and Schulz (2010) call
 * expansion*2. */
static int find_mate(const section_t *s, const unsigned char *part, const int *mate, int v, int max)
{
  const int *adjacent = s->adjacent, *size = s->size;
  const double *weight = s->weight;
  int best = -1, end = s->start[v + 1], room = max - section_size(s, v);
  double highest = -1, size_of_best = 1; /* compares ratings without divisions */
  for (int i = s->start[v]; i < end; i++) {
    int u = adjacent[i], size_of_u = size ? size[u] : 1;
    double squared = weight[i] * weight[i];
    bool other_side = part && part[u] != part[v];
    /* One condition, because separate branches would often be mispredicted. */
    if (!((squared * size_of_best > highest * size_of_u) & (mate[u] < 0) & !other_side &
          (size_of_u <= room)))
      continue;
    highest = squared;
    size_of_best = size_of_u;
    best = u;
  }
  return best;
}

/* Pairs vertices in random order; mate[v] is v itself if it stays single. Numbers the next level's
 * vertices in coarse[] and returns how many there are. */
static int match(const section_t *s, const unsigned char *part, int max, uint64_t *random,
                 int *order, int *mate, int *coarse)
{
  int n = 0;
  for (int v = 0; v < s->n; v++) {
    int k = (int)(((map_random_next(random) >> 32) * ((uint64_t)v + 1)) >> 32);
    order[v] = order[k];
    order[k] = v;
    mate[v] = -1;
  }
  for (int i = 0; i < s->n; i++) {
    int v = order[i];
    if (mate[v] >= 0) continue;
    int u = find_mate(s, part, mate, v, max);
    mate[v] = u >= 0 ? u : v;
    if (u >= 0) mate[u] = v;
  }
  for (int v = 0; v < s->n; v++)
    if (mate[v] >= v) coarse[v] = n++;
  for (int v = 0; v < s->n; v++)
    if (mate[v] < v) coarse[v] = coarse[mate[v]];
  return n;
}

/* Adds v's edges to those of its cluster, which begin at `first`. at[] is the index of the edge to
 * a cluster; below `first` it is invalid. Edges within the cluster go to its own at[], behind all
 * others. */
static int add_edges(const section_t *s, const int *restrict coarse, int v, int first,
                     int *restrict at, section_t *out, int entries)
{
  const int *from = s->adjacent;
  const double *weight_from = s->weight;
  int *restrict adjacent = out->adjacent, end = s->start[v + 1];
  double *restrict weight = out->weight;
  for (int i = s->start[v]; i < end; i++) {
    int to = coarse[from[i]];
    bool is_new = at[to] < first; /* not a branch, which would often be mispredicted */
    int slot = is_new ? entries : at[to];
    double before = is_new ? 0 : weight[slot];
    adjacent[slot] = to;
    at[to] = slot;
    weight[slot] = before + weight_from[i];
    entries += is_new;
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
    at[number] = s->start[s->n];
    entries = add_edges(s, fine->coarse, v, c->start[number], at, c, entries);
    if (u > v) entries = add_edges(s, fine->coarse, u, c->start[number], at, c, entries);
    at[number] = -1;
    c->size[number] = section_size(s, v) + (u > v ? section_size(s, u) : 0);
    out->part[number] = fine->part ? fine->part[v] : 0;
  }
  c->start[c->n] = entries;
}

/* Allocates a level's own section and parts. */
static bool reserve(level_t *l, size_t vertices, size_t entries)
{
  section_t *s = &l->section;
  if (vertices > l->vertices) {
    free(s->start);
    free(s->size);
    free(l->part);
    s->start = malloc((vertices + 1) * sizeof *s->start);
    s->size = malloc(vertices * sizeof *s->size);
    l->part = malloc(vertices);
    l->vertices = s->start && s->size && l->part ? vertices : 0;
  }
  if (entries > l->entries) {
    free(s->adjacent);
    free(s->weight);
    s->adjacent = malloc(entries * sizeof *s->adjacent);
    s->weight = malloc(entries * sizeof *s->weight);
    l->entries = s->adjacent && s->weight ? entries : 0;
  }
  return vertices <= l->vertices && entries <= l->entries;
}

/* Adds a level above the top. False when memory is out. */
static bool add_level(hierarchy_t *h, int max, uint64_t *random, int *order, int *mate)
{
  level_t *fine = &h->level[h->top], *out = fine + 1;
  const section_t *s = &fine->section;
  if (!array_reserve(&fine->coarse, &fine->finer, (size_t)s->n, sizeof *fine->coarse)) return false;
  int n = match(s, fine->part, max, random, order, mate, fine->coarse);
  if (!reserve(out, (size_t)n, (size_t)s->start[s->n] + 1)) return false;
  out->section.n = n;
  join(fine, mate, order, out);
  h->top++;
  return true;
}

bool hierarchy_build(hierarchy_t *h, const section_t *s, unsigned char *part, int min,
                     uint64_t *random, int *order, int *mate)
{
  int max = s->n / 8 + 1;
  h->top = 0;
  h->level[0].section = *s;
  h->level[0].part = part;
  for (bool joined = true; joined && h->top + 1 < HIERARCHY_LEVELS;) {
    int n = h->level[h->top].section.n;
    if (n <= min) break;
    if (!add_level(h, max, random, order, mate)) return false;
    joined = h->level[h->top].section.n < n * 0.9;
  }
  return true;
}
