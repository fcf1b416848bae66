/* SPDX-License-Identifier: BSD-3-Clause */
/* Cuts a graph in two parts: METIS's cut, or a given one, improved by moves of vertices. */
#include "map/partition/bisect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "map/map_internal.h"
#include "map/partition/metis_cut.h"

/* A pass ends after b->patience moves, plus a share of the vertices, without gain. */
enum { PATIENCE_SHARE = 100, PATIENCE = 60, PASSES_MAX = 10 };
/* METIS has nothing to coarsen in graphs with fewer vertices. */
enum { METIS_MIN = 8 };
/* METIS sums up weights in 32 bits. */
static const double weight_max = 1 << 29;

bool bisect_init(bisector_t *b, int vertices, int entries)
{
  size_t n = (size_t)vertices + 1;
  *b = (bisector_t){.passes = PASSES_MAX,
                    .patience = PATIENCE,
                    .gain = malloc(n * sizeof *b->gain),
                    .across = malloc(n * sizeof *b->across),
                    .locked = malloc(n * sizeof *b->locked),
                    .moved = malloc(n * sizeof *b->moved),
                    .trial = malloc(n * sizeof *b->trial),
                    .part = malloc(n * sizeof *b->part),
                    .adjwgt = malloc(((size_t)entries + 1) * sizeof *b->adjwgt)};
  bool heaps = gain_heap_init(&b->heap[0], vertices);
  heaps = gain_heap_init(&b->heap[1], vertices) && heaps;
  return heaps && b->gain && b->across && b->locked && b->moved && b->trial && b->part && b->adjwgt;
}

void bisect_clear(bisector_t *b)
{
  gain_heap_clear(&b->heap[0]);
  gain_heap_clear(&b->heap[1]);
  hierarchy_clear(&b->hierarchy);
  free(b->gain);
  free(b->across);
  free(b->locked);
  free(b->moved);
  free(b->trial);
  free(b->part);
  free(b->adjwgt);
  *b = (bisector_t){0};
}

/* Scales weights for METIS: whole numbers of at least 1, whose total fits. The scale is a power of
 * two, so that small whole weights keep their proportions. */
static void scale_weights(bisector_t *b, const section_t *s)
{
  double total = 0;
  int entries = s->start[s->n], exponent = 0;
  for (int i = 0; i < entries; i++) total += s->weight[i];
  if (total > 0) frexp(weight_max / total, &exponent);
  double scale = ldexp(1, exponent - 1);
  for (int i = 0; i < entries; i++) {
    double scaled = s->weight[i] * scale;
    b->adjwgt[i] = scaled > 1 ? (int)scaled : 1;
  }
}

/* Computes the sizes, cut and gains of trial. */
static void measure(bisector_t *b, const section_t *s)
{
  b->size = 0;
  b->cut = 0;
  for (int v = 0; v < s->n; v++) {
    double all = 0, outside = 0;
    int across = 0;
    for (int i = s->start[v]; i < s->start[v + 1]; i++) {
      bool other = b->trial[s->adjacent[i]] != b->trial[v];
      all += s->weight[i];
      outside += other ? s->weight[i] : 0;
      across += other;
    }
    b->across[v] = across;
    b->gain[v] = 2 * outside - all;
    b->cut += outside / 2;
    if (b->trial[v] == 0) b->size += section_size(s, v);
  }
}

/* Moves a vertex to the other part, and updates its neighbours' gains, also in the heaps. */
static void move(bisector_t *b, const section_t *s, int v)
{
  int from = b->trial[v], to = !from;
  b->trial[v] = (unsigned char)to;
  b->size += from == 0 ? -section_size(s, v) : section_size(s, v);
  b->cut -= b->gain[v];
  b->gain[v] = -b->gain[v];
  b->across[v] = s->start[v + 1] - s->start[v] - b->across[v];
  for (int i = s->start[v]; i < s->start[v + 1]; i++) {
    int u = s->adjacent[i], part = b->trial[u];
    b->gain[u] += part == to ? -2 * s->weight[i] : 2 * s->weight[i];
    b->across[u] += part == to ? -1 : 1;
    if (!b->locked[u]) gain_heap_set(&b->heap[part], u, b->gain[u]);
  }
}

/* Fills the heaps with unlocked vertices: in the first pass only those at the cut, else all. */
static void fill_heaps(bisector_t *b, const section_t *s, bool all)
{
  for (int v = 0; v < s->n; v++)
    if ((all || b->across[v] > 0) && !b->locked[v])
      gain_heap_set(&b->heap[b->trial[v]], v, b->gain[v]);
}

/* The part that the next vertex leaves: the part that is too large, else that with the higher gain.
 * -1 if no vertex is left to move. */
static int choose_side(bisector_t *b, const section_t *s, int low, int high)
{
  const gain_heap_t *h = b->heap;
  int forced = b->size > high ? 0 : b->size < low ? 1 : -1;
  if (forced >= 0 && h[forced].n == 0) fill_heaps(b, s, true);
  if (forced >= 0) return h[forced].n ? forced : -1;
  if (h[0].n == 0 || h[1].n == 0) return h[0].n ? 0 : h[1].n ? 1 : -1;
  if (h[0].item[0].gain != h[1].item[0].gain) return h[0].item[0].gain > h[1].item[0].gain ? 0 : 1;
  return b->size - low >= high - b->size ? 0 : 1;
}

/* A pass of Fiduccia and Mattheyses (1982): each vertex moves at most once, the best one first,
 * even if that makes the cut worse; the best state is kept. Meanwhile sizes may be off by one, or
 * further if they were at the start or vertices are large. Returns whether the cut got smaller or
 * the sizes right. If not, and after the last pass, gains and size aren't updated. */
static bool pass(bisector_t *b, const section_t *s, int low, int high, bool last)
{
  bool right = b->size >= low && b->size <= high, better = false;
  double best = b->cut;
  int n = 0, kept = 0, patience = b->patience + s->n / PATIENCE_SHARE;
  memset(b->locked, 0, (size_t)s->n * sizeof *b->locked);
  fill_heaps(b, s, false);
  for (int side; n - kept < patience || !right;) {
    if ((side = choose_side(b, s, low, high)) < 0) break;
    int v = gain_heap_pop(&b->heap[side]);
    b->locked[v] = true;
    b->moved[n++] = v;
    move(b, s, v);
    if (b->size < low || b->size > high) continue;
    if (right && b->cut >= best) continue;
    right = better = true;
    best = b->cut;
    kept = n;
  }
  gain_heap_empty(&b->heap[0]);
  gain_heap_empty(&b->heap[1]);
  if (better && !last) {
    memset(b->locked, 1, (size_t)s->n * sizeof *b->locked); /* keeps the heaps empty */
    while (n > kept) move(b, s, b->moved[--n]);
  }
  while (n > kept) b->trial[b->moved[--n]] ^= 1; /* gains aren't needed any more */
  b->cut = best;
  return better;
}

void bisect_search(bisector_t *b, const section_t *s, int low, int high, unsigned char *part,
                   double *best)
{
  measure(b, s);
  for (int i = 0; i < b->passes && pass(b, s, low, high, i == b->passes - 1); i++) continue;
  double cut = fmax(b->cut, 0); /* differences have rounding errors */
  if (*best >= 0 && cut >= *best) return;
  *best = cut;
  memcpy(part, b->trial, (size_t)s->n);
}

void bisect_grow_part(bisector_t *b, const section_t *s, int target, int first)
{
  memset(b->trial, 1, (size_t)s->n);
  memset(b->locked, 0, (size_t)s->n * sizeof *b->locked);
  measure(b, s);
  for (int v = first; b->size < target && v >= 0;) {
    b->locked[v] = true;
    move(b, s, v);
    if (b->heap[1].n == 0) fill_heaps(b, s, true);
    v = b->heap[1].n ? gain_heap_pop(&b->heap[1]) : -1;
    if (v >= 0 && b->size < target && b->size + section_size(s, v) - target > target - b->size)
      break;
  }
  gain_heap_empty(&b->heap[1]);
}

/* Starts from METIS's cut with the given size of part 0; for few vertices, from a part grown around
 * each of several vertices. */
static int try_target(bisector_t *b, const section_t *s, int low, int high, int target,
                      uint64_t *random, unsigned char *part, double *best, berth_error_t *err)
{
  bool metis = s->n >= METIS_MIN && target > 0 && target < s->n && s->start[s->n] > 0;
  int rc = metis ? metis_cut(b, s, target, random, err) : BERTH_OK;
  if (rc) return rc;
  for (int v = 0; v < s->n; v++) b->trial[v] = (unsigned char)(metis ? b->part[v] : v >= target);
  bisect_search(b, s, low, high, part, best);
  return BERTH_OK;
}

/* Whether the time allows only one try. */
static bool has_time_over(const bisector_t *b, double best)
{
  return best >= 0 && b->problem && map_time_is_up(b->problem, MAP_BUILD_SHARE);
}

int bisect(bisector_t *b, const section_t *s, int low, int high, int tries, uint64_t *random,
           unsigned char *part, berth_error_t *err)
{
  /* If sizes are free: everything in one part, or equal parts. */
  int half = s->n / 2 < low ? low : s->n / 2 > high ? high : s->n / 2;
  int target[] = {high, low, half}, rc = BERTH_OK;
  double best = -1;
  scale_weights(b, s);
  for (int i = 0; i < 3; i++) {
    if ((i > 0 && target[i] == target[0]) || (i > 1 && target[i] == target[1])) continue;
    for (int k = 0; k < tries && !rc && !has_time_over(b, best); k++)
      rc = try_target(b, s, low, high, target[i], random, part, &best, err);
  }
  return rc;
}

int bisect_again(bisector_t *b, const section_t *s, int low, int high, int tries, uint64_t *random,
                 unsigned char *part, double *gained, berth_error_t *err)
{
  int size = 0, rc = BERTH_OK;
  memcpy(b->trial, part, (size_t)s->n);
  measure(b, s);
  size = b->size;
  double was = b->cut, best = was;
  bisect_search(b, s, low, high, part, &best);
  if (tries) scale_weights(b, s);
  for (int k = 0; k < tries && !rc; k++)
    rc = try_target(b, s, low, high, size, random, part, &best, err);
  *gained = was - best;
  return rc;
}
