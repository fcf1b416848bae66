/* SPDX-License-Identifier: BSD-3-Clause */
/* Merges equal entries and puts many sizes into bins. */
#include "spool/assemble/assemble_internal.h"

#include <stdlib.h>

#include "base/divisor.h"

/* Orders entries by group: source, destination, phase, site, and whether they had no room. */
static int group_order(const sent_t *a, const sent_t *b)
{
  int order = ORDER(a->src, b->src);
  if (!order) order = ORDER(a->dst, b->dst);
  if (!order) order = ORDER(a->phase, b->phase);
  if (!order) order = ORDER(a->site, b->site);
  return order ? order : ORDER(a->rest, b->rest);
}

static int sent_order(const void *x, const void *y)
{
  const sent_t *a = x, *b = y;
  int order = group_order(a, b);
  return order ? order : ORDER(a->size, b->size);
}

/* Merges entries of equal size. The n entries are of one group and sorted by size. */
static size_t merge_sizes(sent_t *s, size_t n)
{
  size_t kept = 0;
  for (size_t i = 0; i < n; i++) {
    if (kept == 0 || s[kept - 1].size != s[i].size) {
      s[kept++] = s[i];
      continue;
    }
    s[kept - 1].count += s[i].count;
    s[kept - 1].bytes += s[i].bytes;
    s[kept - 1].bin |= s[i].bin;
  }
  return kept;
}

/* Merges one group, sorted by size. Binning depends on the group's sizes alone. A thread of the
 * rank makes bins only if it saw too many sizes itself. */
static size_t merge_group(sent_t *s, size_t n)
{
  bool bins = false;
  for (size_t i = 0; i < n; i++) bins |= s[i].bin;
  size_t kept = merge_sizes(s, n);
  if (!bins && kept <= SPOOL_EXACT_SIZES) return kept;
  for (size_t i = 0; i < kept; i++) s[i].size = spool_bin(s[i].size);
  kept = merge_sizes(s, kept);
  for (size_t i = 0; i < kept; i++)
    if (s[i].count) s[i].size = (s[i].bytes + s[i].count / 2) / s[i].count;
  return kept;
}

size_t merge_sent(sent_t *sent, size_t n)
{
  if (n) qsort(sent, n, sizeof *sent, sent_order);
  size_t kept = 0;
  for (size_t i = 0, end; i < n; i = end) {
    for (end = i; end < n && group_order(&sent[i], &sent[end]) == 0;) end++;
    size_t k = merge_group(sent + i, end - i);
    for (size_t j = 0; j < k; j++) sent[kept++] = sent[i + j];
  }
  return kept;
}

int merge_called_kind_order(const called_t *a, const called_t *b, bool phases)
{
  int order = ORDER(a->comm, b->comm);
  if (!order) order = ORDER(a->op, b->op);
  if (!order) order = ORDER(a->site, b->site);
  if (!order) order = ORDER(a->root, b->root);
  if (!order) order = ORDER(a->varies, b->varies);
  if (!order) order = ORDER(a->parts, b->parts);
  if (!order) order = ORDER(a->bytes, b->bytes);
  if (!order) order = ORDER(a->user, b->user);
  if (!order) order = ORDER(a->uncommutative, b->uncommutative);
  return order || !phases ? order : ORDER(a->phase, b->phase);
}

size_t merge_called_kind_end(const called_t *called, size_t n, size_t i)
{
  size_t end = i + 1;
  while (end < n && merge_called_kind_order(&called[i], &called[end], true) == 0) end++;
  return end;
}

/* The calls come before their parts, and each rank's part before its row. */
static int called_order(const void *x, const void *y)
{
  const called_t *a = x, *b = y;
  int order = merge_called_kind_order(a, b, true);
  if (!order) order = ORDER(a->src, b->src);
  if (!order) order = ORDER(a->ranks, b->ranks);
  return order ? order : ORDER(a->dst, b->dst);
}

void merge_called_add(called_t *into, const called_t *more, bool over_ranks)
{
  if (!over_ranks) into->count += more->count;
  if (over_ranks && into->count < more->count) into->count = more->count;
  into->sum += more->sum;
  into->given += more->given;
  into->rows |= more->rows;
  into->lacking |= more->lacking;
  into->in_place &= more->in_place;
  into->element = common_divisor(into->element, more->element);
}

size_t merge_called(called_t *called, size_t n, bool over_ranks)
{
  if (n) qsort(called, n, sizeof *called, called_order);
  size_t kept = 0;
  for (size_t i = 0; i < n; i++) {
    if (kept == 0 || called_order(&called[kept - 1], &called[i]) != 0) {
      called[kept++] = called[i];
      continue;
    }
    merge_called_add(&called[kept - 1], &called[i], over_ranks);
  }
  return kept;
}
