/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/array.h"
#include "base/no_memory.h"
#include "base/order.h"
#include "pattern/pattern_internal.h"

static bool copy_list(arena_t *a, dense_list_t *list)
{
  size_t n = list->n_rounds;
  if (n == 0) return true;
  list->message = arena_copy(a, list->message, list->first[n] * sizeof *list->message);
  list->first = arena_copy(a, list->first, (n + 1) * sizeof *list->first);
  list->times = arena_copy(a, list->times, n * sizeof *list->times);
  return list->message && list->first && list->times;
}

int pattern_add_dense(berth_pattern_t *p, const dense_phase_t *dense, berth_error_t *err)
{
  dense_phase_t copy = *dense;
  p->finished = false;
  copy.ranks = arena_copy(&p->arena, dense->ranks, dense->n_comms * sizeof(const int *));
  if (!copy.ranks || !copy_list(&p->arena, &copy.list) ||
      !ARRAY_ADD(&p->dense.items, &p->dense.n, &p->dense.cap, copy))
    return no_memory(err);
  return BERTH_OK;
}

const dense_phase_t *pattern_dense(const berth_pattern_t *p, size_t phase)
{
  int id = p->phases.items[phase].id;
  LOWER_BOUND(at, 0, p->dense.n, p->dense.items[middle].phase < id)
  return at < p->dense.n && p->dense.items[at].phase == id ? &p->dense.items[at] : NULL;
}

size_t pattern_n_dense(const berth_pattern_t *p) { return p->dense.n; }

size_t pattern_n_shaped(const berth_pattern_t *p, dense_shape_t shape)
{
  size_t n = 0;
  for (size_t i = 0; i < p->dense.n; i++) n += p->dense.items[i].shape == shape;
  return n;
}
