/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows: what a rank sent to each destination in collective calls.
 *
 * Rows stay with their rank, behind the rank's part, while calls are merged over all ranks. */
#include "spool/assemble/assemble_rows.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "spool/assemble/assemble_calls.h"
#include "spool/assemble/assemble_load.h"
#include "spool/assemble/assemble_team.h"

/* The end of the row that begins at i, in a sorted list. */
static size_t row_end(const called_t *k, size_t n, size_t i)
{
  size_t end = i + 1;
  while (end < n && k[end].src == k[i].src && merge_called_kind_order(&k[i], &k[end], true) == 0)
    end++;
  return end;
}

size_t rows_merge(called_t *called, size_t n)
{
  n = merge_called(called, n, false);
  for (size_t i = 0, end; i < n; i = end) {
    uint64_t sum = 0;
    end = row_end(called, n, i);
    for (size_t k = i + 1; k < end; k++) sum += called[k].given;
    called[i].lacking = sum != called[i].given;
  }
  return n;
}

int rows_put_aside(assembly_t *a, berth_error_t *err)
{
  size_t n = a->n_rows, kept = 0;
  for (size_t i = 0; i < a->n_called; i++) n += a->called[i].src && a->called[i].rows;
  if (!array_reserve(&a->row, &a->cap_rows, n, sizeof *a->row)) return no_memory(err);
  for (size_t i = 0; i < a->n_called; i++) {
    const called_t *k = &a->called[i];
    if (k->src && k->rows) a->row[a->n_rows++] = *k;
    if (!k->dst) a->called[kept++] = *k;
  }
  a->n_called = kept;
  a->n_rows = merge_called(a->row, a->n_rows, false);
  return BERTH_OK;
}

static int change_order(const void *x, const void *y)
{
  const changed_t *a = x, *b = y;
  return merge_called_kind_order(&a->from, &b->from, true);
}

void rows_change(assembly_t *a, changed_t *change, size_t n)
{
  if (n) qsort(change, n, sizeof *change, change_order);
  for (size_t i = 0; i < a->n_rows && n; i++) {
    const changed_t key = {.from = a->row[i]};
    const changed_t *found = bsearch(&key, change, n, sizeof key, change_order);
    if (!found) continue;
    a->row[i].phase = found->phase;
    a->row[i].site = found->site;
  }
  if (n) a->n_rows = merge_called(a->row, a->n_rows, false);
}

/* Rows that are being added to the pattern. */
typedef struct adding {
  const assembly_t *a;
  berth_pattern_t *to;
  const names_t *names;
  shares_t shares;
  totals_t *total;
} adding_t;

/* Sums what n entries send to each destination; the first entry is the rank's part. Returns
 * false if memory is out. */
static bool share_out(adding_t *x, const called_t *k, size_t n, uint64_t *sum)
{
  uint64_t at = 0;
  *sum = x->shares.n = 0;
  for (size_t i = 1; i < n; i++) {
    *sum += k[i].given;
    if (!calls_add_shares(&x->shares, 0, k[i].dst - 1 - at) ||
        !calls_add_shares(&x->shares, k[i].given, 1))
      return false;
    at = k[i].dst;
  }
  return calls_add_shares(&x->shares, 0, load_comms_length(x->a, k->comm) - at);
}

/* An incomplete row is left out. */
static int add_row(adding_t *x, const called_t *k, size_t n, berth_error_t *err)
{
  uint64_t sum;
  uint32_t comm = numbers_get(&x->names->comm, k->comm);
  if (k->dst || k->given == 0 || (k->comm && !comm)) return BERTH_OK;
  if (!share_out(x, k, n, &sum)) return no_memory(err);
  x->total->rows_lost += sum != k->given && k->lacking;
  x->total->rows_undivided += sum != k->given && !k->lacking;
  if (sum != k->given) return BERTH_OK;
  const berth_row_t row = {(int)k->phase,
                           k->site ? (int)x->names->site[k->site - 1] : 0,
                           (int)comm,
                           (int)k->src - 1,
                           x->a->ops.items[k->op].bytes,
                           x->shares.n,
                           x->shares.items};
  return berth_pattern_add_row(x->to, &row, err);
}

int rows_add(assembly_t *a, berth_pattern_t *to, const names_t *names, berth_error_t *err)
{
  adding_t x = {.a = a, .to = to, .names = names, .total = &a->total};
  int rc = BERTH_OK;
  for (size_t i = 0, end; i < a->n_rows && !rc; i = end) {
    end = row_end(a->row, a->n_rows, i);
    rc = add_row(&x, &a->row[i], end - i, err);
  }
  free(x.shares.items);
  return rc;
}
