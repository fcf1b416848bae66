/* SPDX-License-Identifier: BSD-3-Clause */
/* Stores the ranks on a resource: short sorted arrays, found by the upper bits of the rank. */
#include "cost/cost_ranks.h"

#include <stdlib.h>
#include <string.h>

enum { FULL = 16, FIRST_CAP = 4 }; /* a part with this many entries on average is split */

static bool append(rank_part_t *p, const rank_load_t *item)
{
  if (p->n == p->cap) {
    int cap = p->cap ? 2 * p->cap : FIRST_CAP;
    rank_load_t *grown = realloc(p->items, (size_t)cap * sizeof *grown);
    if (!grown) return false;
    p->items = grown;
    p->cap = cap;
  }
  p->items[p->n++] = *item;
  return true;
}

static void free_parts(rank_part_t *part, int n)
{
  for (int i = 0; part && i < n; i++) free(part[i].items);
  free(part);
}

/* Splits each part into four. */
static bool split(ranks_t *r, int n_ranks)
{
  int shift = r->shift > 2 ? r->shift - 2 : 0, n = ((n_ranks - 1) >> shift) + 1;
  rank_part_t *part = calloc((size_t)n, sizeof *part);
  bool room = part != NULL;
  for (int i = 0; room && i < r->n_parts; i++)
    for (int j = 0; room && j < r->part[i].n; j++)
      room = append(&part[r->part[i].items[j].rank >> shift], &r->part[i].items[j]);
  free_parts(room ? r->part : part, room ? r->n_parts : n);
  if (!room) return false;
  r->part = part;
  r->n_parts = n;
  r->shift = shift;
  return true;
}

static bool start(ranks_t *r, int n_ranks)
{
  r->part = calloc(1, sizeof *r->part);
  r->n_parts = 1;
  for (r->shift = 0; (n_ranks - 1) >> r->shift > 0;) r->shift++;
  return r->part != NULL;
}

/* The index in a part where the rank's entry is or belongs. */
static int place(const rank_part_t *p, int rank)
{
  int low = 0;
  for (int n = p->n; n > 0;) {
    int half = n / 2;
    bool after = p->items[low + half].rank < rank;
    low = after ? low + half + 1 : low;
    n = after ? n - half - 1 : half;
  }
  return low;
}

bool ranks_add(ranks_t *r, int n_ranks, rank_load_t add)
{
  if (!r->part && !start(r, n_ranks)) return false;
  if (r->n >= FULL * r->n_parts && r->shift > 0 && !split(r, n_ranks)) return false;
  rank_part_t *p = &r->part[add.rank >> r->shift];
  int at = place(p, add.rank);
  rank_load_t *item = p->items + at;
  if (at < p->n && item->rank == add.rank) {
    item->pairs += add.pairs;
    item->bytes += add.bytes;
    item->time += add.time;
    if (item->pairs > 0) return true;
    p->n--;
    r->n--;
    memmove(item, item + 1, (size_t)(p->n - at) * sizeof *item);
    return true;
  }
  if (!append(p, &add)) return false;
  item = p->items + at;
  memmove(item + 1, item, (size_t)(p->n - 1 - at) * sizeof *item);
  *item = add;
  r->n++;
  return true;
}

void ranks_clear(ranks_t *r)
{
  free_parts(r->part, r->n_parts);
  *r = (ranks_t){0};
}
