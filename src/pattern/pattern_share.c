/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks what each rank of a communicator gave in collective calls.
 * Collectives hold one amount for each rank. If a rank sent each rank another amount, it has a
 * row. */
#include <stdlib.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "base/order.h"
#include "pattern/pattern_check.h"
#include "pattern/pattern_internal.h"
#include "pattern/pattern_rows.h"
#include "pattern/phase_find.h"

/* The communicator may be unknown here; it can't have more ranks than the run. */
static int check_shares(const berth_pattern_t *p, size_t n, const berth_share_t *shares,
                        berth_error_t *err)
{
  uint64_t left = (uint64_t)p->ranks;
  for (size_t i = 0; i < n; i++) {
    if (shares[i].bytes > BERTH_MAX_AMOUNT)
      return berth_fail(err, BERTH_BAD_INPUT, "found %llu bytes of a rank, expected at most 2^53",
                        (unsigned long long)shares[i].bytes);
    if (shares[i].ranks < 1 || shares[i].ranks > left)
      return berth_fail(err, BERTH_BAD_INPUT,
                        "found bytes of more ranks than the %d that there are", p->ranks);
    left -= shares[i].ranks;
  }
  return BERTH_OK;
}

int pattern_copy_shares(berth_pattern_t *p, size_t n, const berth_share_t **shares,
                        berth_error_t *err)
{
  int rc = check_shares(p, n, *shares, err);
  if (rc) return rc;
  *shares = arena_copy(&p->arena, *shares, n * sizeof **shares);
  return *shares ? BERTH_OK : no_memory(err);
}

int berth_pattern_add_row(berth_pattern_t *p, const berth_row_t *row, berth_error_t *err)
{
  if (row->phase < 0 || row->site < 0 || row->comm < 0 || row->src < 0 || row->src >= p->ranks)
    return berth_fail(err, BERTH_BAD_INPUT,
                      "found a row of rank %d, phase %d, site %d, communicator %d, expected 0 or "
                      "more and a rank below %d",
                      row->src, row->phase, row->site, row->comm, p->ranks);
  berth_row_t copy = *row;
  int rc = pattern_check_text(row->op, "operation", err);
  if (rc) return rc;
  p->finished = false;
  rc = pattern_copy_shares(p, copy.n_shares, &copy.shares, err);
  if (rc) return rc;
  copy.op = arena_strdup(&p->arena, row->op);
  if (!copy.op || !ARRAY_GROW(&p->rows.items, p->rows.n, &p->rows.cap)) return no_memory(err);
  p->rows.items[p->rows.n++] = copy;
  return BERTH_OK;
}

ORDER_BY(call_order, berth_row_t, RISING(phase) RISING(comm) RISING(site) RISING_TEXT(op))
ORDER_BY(row_order, berth_row_t, BY(call_order) RISING(src))

/* Bytes must be known for all ranks of a communicator or for none. */
static int check_ranks(const berth_pattern_t *p, const char *op, int comm, size_t n,
                       const berth_share_t *shares, berth_error_t *err)
{
  uint64_t found = 0;
  const berth_comm_t *known = pattern_comm(p, comm);
  size_t expected = comm ? known ? known->n_ranks : 0 : (size_t)p->ranks;
  for (size_t i = 0; i < n; i++) found += shares[i].ranks;
  if (n == 0 || (comm && !known) || found == expected) return BERTH_OK;
  return berth_fail(
      err, BERTH_BAD_INPUT,
      "%.40s: found bytes of %llu ranks, expected those of the %zu of communicator %d", op,
      (unsigned long long)found, expected, comm);
}

int pattern_finish_shares(berth_pattern_t *p, berth_error_t *err)
{
  int rc = BERTH_OK;
  if (p->rows.n) qsort(p->rows.items, p->rows.n, sizeof *p->rows.items, row_order);
  for (size_t i = 0; i < p->colls.n && !rc; i++) {
    const berth_coll_t *c = &p->colls.items[i];
    rc = check_ranks(p, c->op, c->comm, c->n_shares, c->shares, err);
  }
  for (size_t i = 0; i < p->rows.n && !rc; i++) {
    const berth_row_t *r = &p->rows.items[i];
    rc = check_ranks(p, r->op, r->comm, r->n_shares, r->shares, err);
    if (!rc && i && row_order(r - 1, r) == 0)
      rc = berth_fail(err, BERTH_BAD_INPUT, "%.40s: found a row of rank %d a second time", r->op,
                      r->src);
  }
  return rc;
}

const berth_row_t *pattern_rows_of(const berth_pattern_t *p, const berth_coll_t *coll, size_t *n)
{
  size_t all, end;
  const berth_row_t *rows = berth_pattern_rows(p, &all);
  const berth_row_t own = {
      .phase = coll->phase, .site = coll->site, .comm = coll->comm, .op = coll->op};
  LOWER_BOUND(first, 0, all, call_order(&rows[middle], &own) < 0);
  for (end = first; end < all && call_order(&rows[end], &own) == 0;) end++;
  *n = end - first;
  return *n ? rows + first : rows;
}
