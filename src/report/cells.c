/* SPDX-License-Identifier: BSD-3-Clause */
/* The communication matrix: pairs of ranks, and groups of ranks where those are too many. */
#include <stdlib.h>

#include "base/array.h"
#include "report/report_internal.h"

static int no_memory(berth_error_t *err) { return berth_fail(err, BERTH_MISSING, "out of memory"); }

int report_find_pairs(const berth_pattern_t *p, size_t phase, cells_t *out, berth_error_t *err)
{
  size_t n, cap = 0;
  const berth_message_t *m = berth_pattern_messages(p, phase, &n);
  *out = (cells_t){0};
  for (size_t i = 0; i < n; i++) {
    cell_t *last = out->n ? &out->cell[out->n - 1] : NULL;
    if (!last || last->src != m[i].src || last->dst != m[i].dst) {
      if (!ARRAY_GROW(&out->cell, out->n, &cap)) return no_memory(err);
      last = &out->cell[out->n++];
      *last = (cell_t){.src = m[i].src, .dst = m[i].dst};
    }
    last->messages += (double)m[i].count;
    last->bytes += (double)m[i].bytes;
  }
  return BERTH_OK;
}

typedef struct place {
  int pu, rank;
} place_t;

static int by_pu(const void *a, const void *b)
{
  const place_t *x = a, *y = b;
  if (x->pu != y->pu) return x->pu < y->pu ? -1 : 1;
  return (x->rank > y->rank) - (x->rank < y->rank);
}

int *report_positions(const berth_report_t *r, const rated_t *placement, berth_error_t *err)
{
  int ranks = berth_pattern_ranks(r->pattern);
  place_t *place = malloc((size_t)ranks * sizeof *place);
  int *position = malloc((size_t)ranks * sizeof *position);
  for (int i = 0; place && i < ranks; i++)
    place[i] = (place_t){placement ? placement->is.pu_of_rank[i] : i, i};
  if (place) qsort(place, (size_t)ranks, sizeof *place, by_pu);
  for (int i = 0; place && position && i < ranks; i++) position[place[i].rank] = i;
  if (!place || !position) {
    free(position);
    position = NULL;
    no_memory(err);
  }
  free(place);
  return position;
}

int report_group_size(const berth_report_t *r, int most_groups)
{
  int ranks = berth_pattern_ranks(r->pattern);
  return (ranks + most_groups - 1) / most_groups;
}

static int by_ends(const void *a, const void *b)
{
  const cell_t *x = a, *y = b;
  if (x->src != y->src) return x->src < y->src ? -1 : 1;
  return (x->dst > y->dst) - (x->dst < y->dst);
}

int report_group(const berth_report_t *r, size_t phase, const int *position, int group,
                 cells_t *out, berth_error_t *err)
{
  const cells_t *pairs = &r->pairs[phase];
  *out = (cells_t){.cell = malloc((pairs->n + 1) * sizeof *out->cell)};
  if (!out->cell) return no_memory(err);
  for (size_t i = 0; i < pairs->n; i++) {
    const cell_t *c = &pairs->cell[i];
    out->cell[i] =
        (cell_t){position[c->src] / group, position[c->dst] / group, c->messages, c->bytes};
  }
  qsort(out->cell, pairs->n, sizeof *out->cell, by_ends);
  for (size_t i = 0; i < pairs->n; i++) {
    cell_t one = out->cell[i], *last = out->n ? &out->cell[out->n - 1] : NULL;
    if (last && by_ends(last, &one) == 0) {
      last->messages += one.messages;
      last->bytes += one.bytes;
    } else {
      out->cell[out->n++] = one;
    }
  }
  return BERTH_OK;
}
