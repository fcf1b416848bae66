/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes the cells of the communication matrix: pairs of ranks, or of groups of ranks. */
#include <stdlib.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "base/order.h"
#include "report/report_internal.h"

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

ORDER_BY(by_pu, place_t, RISING(pu) RISING(rank))

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

int report_group_size(const berth_report_t *r, int max_groups)
{
  int ranks = berth_pattern_ranks(r->pattern);
  return (ranks + max_groups - 1) / max_groups;
}

ORDER_BY(by_ends, cell_t, RISING(src) RISING(dst))

void report_add_up(cells_t *cells)
{
  size_t n = cells->n;
  if (n) qsort(cells->cell, n, sizeof *cells->cell, by_ends);
  cells->n = 0;
  for (size_t i = 0; i < n; i++) {
    cell_t one = cells->cell[i], *last = cells->n ? &cells->cell[cells->n - 1] : NULL;
    if (last && by_ends(last, &one) == 0) {
      last->messages += one.messages;
      last->bytes += one.bytes;
    } else {
      cells->cell[cells->n++] = one;
    }
  }
}

int report_group(const cells_t *pairs, const int *position, int group, cells_t *out,
                 berth_error_t *err)
{
  *out = (cells_t){.cell = malloc((pairs->n + 1) * sizeof *out->cell), .n = pairs->n};
  if (!out->cell) return no_memory(err);
  for (size_t i = 0; i < pairs->n; i++) {
    const cell_t *c = &pairs->cell[i];
    out->cell[i] =
        (cell_t){position[c->src] / group, position[c->dst] / group, c->messages, c->bytes};
  }
  report_add_up(out);
  return BERTH_OK;
}

/* --- the lists of the page --- */

size_t report_n_cells(const berth_report_t *r)
{
  return r->n_listed + (r->n_listed < r->summary.n_phases);
}

const cells_t *report_cells(const berth_report_t *r, size_t list, double *repeats)
{
  *repeats = 1;
  if (list == r->n_listed) return &r->others;
  size_t phase = r->listed[list];
  *repeats = (double)r->summary.phases[phase].phase->repeats;
  return &r->pairs[phase];
}

/* --- the largest pairs --- */

/* Mixes a number's bits; different numbers stay different (the finaliser of MurmurHash3, Stafford's
 * variant 13). */
static uint64_t mix(uint64_t x)
{
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

weight_t report_weigh(const cell_t *cell, double repeats, uint64_t number)
{
  return (weight_t){repeats * cell->bytes, repeats * cell->messages, mix(number)};
}

ORDER_BY(largest_first, weight_t, FALLING(bytes) FALLING(messages) FALLING(mixed))

bool report_is_large(const weight_t *a, const weight_t *b) { return largest_first(a, b) <= 0; }

/* Collects up to twice as many weights as needed, and then drops the smaller half; repeats this. */
int report_find_min(const berth_report_t *r, size_t max, weight_t *out, berth_error_t *err)
{
  *out = (weight_t){0};
  if (r->n_pairs <= max) return BERTH_OK;
  weight_t *kept = malloc(2 * max * sizeof *kept);
  if (!kept) return no_memory(err);
  size_t n = 0;
  uint64_t number = 0;
  for (size_t list = 0; list < report_n_cells(r); list++) {
    double repeats;
    const cells_t *cells = report_cells(r, list, &repeats);
    for (size_t i = 0; i < cells->n; i++) {
      kept[n] = report_weigh(&cells->cell[i], repeats, number++);
      if (!report_is_large(&kept[n], out) || ++n < 2 * max) continue;
      qsort(kept, n, sizeof *kept, largest_first);
      *out = kept[(n = max) - 1];
    }
  }
  qsort(kept, n, sizeof *kept, largest_first);
  *out = kept[max - 1];
  free(kept);
  return BERTH_OK;
}
