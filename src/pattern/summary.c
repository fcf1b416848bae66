/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes totals of a pattern. */
#include "pattern/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "base/order.h"
#include "pattern/phase_find.h"

static void add(summary_amount_t *to, summary_amount_t more)
{
  to->messages += more.messages;
  to->bytes += more.bytes;
}

/* --- pairs --- */

ORDER_BY(by_ends, summary_pair_t, RISING(src) RISING(dst))

ORDER_BY(descending, summary_pair_t,
         FALLING(sum.bytes) FALLING(sum.messages) RISING(src) RISING(dst))

/* Merges neighbours with the same source and destination. Counts each rank's partners and bytes. */
static void merge_pairs(summary_t *s)
{
  size_t kept = 0;
  int ranks = berth_pattern_ranks(s->pattern), partners = 0;
  qsort(s->pairs, s->n_pairs, sizeof *s->pairs, by_ends);
  for (size_t i = 0; i < s->n_pairs; i++) {
    summary_pair_t pair = s->pairs[i];
    s->sent[pair.src] += pair.sum.bytes;
    if (kept && by_ends(&s->pairs[kept - 1], &pair) == 0)
      add(&s->pairs[kept - 1].sum, pair.sum);
    else
      s->pairs[kept++] = pair;
  }
  s->n_pairs = kept;
  s->partners_min = ranks;
  for (size_t r = 0, i = 0; r < (size_t)ranks; r++, partners = 0) {
    for (; i < kept && s->pairs[i].src == (int)r; i++) partners++;
    if (partners < s->partners_min) s->partners_min = partners;
    if (partners > s->partners_max) s->partners_max = partners;
  }
  qsort(s->pairs, s->n_pairs, sizeof *s->pairs, descending);
}

/* --- sites --- */

ORDER_BY(by_site, summary_site_t, RISING(id))

ORDER_BY(heaviest_first, summary_site_t, FALLING(sum.bytes) FALLING(sum.messages) RISING(id))

static int site_of(summary_t *s, int id, summary_site_t **out, berth_error_t *err)
{
  summary_site_t key = {.id = id};
  *out = s->n_sites ? bsearch(&key, s->sites, s->n_sites, sizeof key, by_site) : NULL;
  if (*out) return BERTH_OK;
  summary_site_t *bigger = realloc(s->sites, (s->n_sites + 1) * sizeof *bigger);
  if (!bigger) return no_memory(err);
  s->sites = bigger;
  size_t at = s->n_sites++;
  for (; at > 0 && bigger[at - 1].id > id; at--) bigger[at] = bigger[at - 1];
  bigger[at] = (summary_site_t){id, berth_pattern_site(s->pattern, id), {0}};
  *out = &bigger[at];
  return BERTH_OK;
}

/* --- sizes --- */

static void name_sizes(summary_t *s)
{
  for (int i = 1; i < SUMMARY_SIZES; i++) {
    s->sizes[i].min = (uint64_t)1 << (i - 1);
    s->sizes[i].max = ((uint64_t)1 << i) - 1;
  }
}

static summary_size_t *size_of(summary_t *s, uint64_t size)
{
  int bits = 0;
  while (size >> bits) bits++;
  return &s->sizes[bits < SUMMARY_SIZES ? bits : SUMMARY_SIZES - 1];
}

/* --- messages --- */

static int add_phase(summary_t *s, size_t k, berth_error_t *err)
{
  size_t n;
  const berth_message_t *m = berth_pattern_messages(s->pattern, k, &n);
  summary_phase_t *phase = &s->phases[k];
  double repeats = (double)phase->phase->repeats;
  for (size_t i = 0; i < n; i++) {
    summary_amount_t once = {(double)m[i].count, (double)m[i].bytes};
    summary_amount_t all = {once.messages * repeats, once.bytes * repeats};
    summary_site_t *site;
    int rc = site_of(s, m[i].site, &site, err);
    if (rc) return rc;
    add(&phase->once, once);
    add(&s->all, all);
    add(&site->sum, all);
    add(&size_of(s, m[i].size)->sum, all);
    s->pairs[s->n_pairs++] = (summary_pair_t){m[i].src, m[i].dst, all};
  }
  return BERTH_OK;
}

static int add_messages(summary_t *s, berth_error_t *err)
{
  size_t n_messages = pattern_n_messages(s->pattern);
  const berth_phase_t *phases = berth_pattern_phases(s->pattern, &s->n_phases);
  s->phases = calloc(s->n_phases, sizeof *s->phases);
  s->pairs = malloc((n_messages + 1) * sizeof *s->pairs);
  s->sent = calloc((size_t)berth_pattern_ranks(s->pattern), sizeof *s->sent);
  if (!s->phases || !s->pairs || !s->sent) return no_memory(err);
  name_sizes(s);
  int rc = BERTH_OK;
  for (size_t k = 0; k < s->n_phases && !rc; k++) {
    s->phases[k].phase = &phases[k];
    rc = add_phase(s, k, err);
  }
  if (rc) return rc;
  merge_pairs(s);
  if (s->n_sites) qsort(s->sites, s->n_sites, sizeof *s->sites, heaviest_first);
  return BERTH_OK;
}

/* --- collectives and one-sided operations --- */

static double repeats_of(const summary_t *s, int phase)
{
  const berth_phase_t *found = pattern_phase(s->pattern, phase);
  return found ? (double)found->repeats : 1;
}

ORDER_BY(by_operation, summary_coll_t, RISING_TEXT(op))

/* The ranks of a communicator. NULL if it has all ranks, or is unknown. */
static const int *members(const summary_t *s, int id, size_t *n)
{
  const berth_comm_t *comm = pattern_comm(s->pattern, id);
  *n = comm ? comm->n_ranks : id ? 0 : (size_t)berth_pattern_ranks(s->pattern);
  return comm ? comm->ranks : NULL;
}

/* Adds each rank's bytes in the calls of a line. -1 marks ranks that took no part so far. */
static void add_given(const summary_t *s, const berth_coll_t *c, double *given)
{
  size_t n, at = 0;
  const int *ranks = members(s, c->comm, &n);
  const double alike = (double)c->bytes * (double)c->count * repeats_of(s, c->phase);
  const berth_share_t all = {0, n};
  for (size_t i = 0; i < (c->n_shares ? c->n_shares : 1); i++) {
    const berth_share_t *share = c->n_shares ? &c->shares[i] : &all;
    for (uint64_t k = 0; k < share->ranks && at < n; k++, at++) {
      double *to = &given[ranks ? (size_t)ranks[at] : at];
      *to = fmax(*to, 0) + (c->n_shares ? (double)share->bytes : alike);
    }
  }
}

static void find_extremes(const summary_t *s, summary_coll_t *sum, const double *given)
{
  sum->max_rank = sum->min_rank = -1;
  for (int r = 0; r < berth_pattern_ranks(s->pattern); r++) {
    if (given[r] < 0) continue;
    if (sum->max_rank < 0 || given[r] > given[sum->max_rank]) sum->max_rank = r;
    if (sum->min_rank < 0 || given[r] < given[sum->min_rank]) sum->min_rank = r;
  }
  sum->has_parts = sum->max_rank >= 0;
  sum->max_bytes = sum->has_parts ? given[sum->max_rank] : 0;
  sum->min_bytes = sum->has_parts ? given[sum->min_rank] : 0;
}

static int add_parts(summary_t *s, berth_error_t *err)
{
  size_t n, n_rows;
  const berth_coll_t *c = berth_pattern_colls(s->pattern, &n);
  const berth_row_t *rows = berth_pattern_rows(s->pattern, &n_rows);
  double *given = malloc((size_t)berth_pattern_ranks(s->pattern) * sizeof *given);
  if (!given) return no_memory(err);
  for (size_t i = 0; i < s->n_colls; i++) {
    summary_coll_t *sum = &s->colls[i];
    if (!sum->has_parts) continue;
    for (int r = 0; r < berth_pattern_ranks(s->pattern); r++) given[r] = -1;
    for (size_t k = 0; k < n; k++)
      if (strcmp(c[k].op, sum->op) == 0) add_given(s, &c[k], given);
    find_extremes(s, sum, given);
    for (size_t k = 0; k < n_rows; k++) sum->rows += strcmp(rows[k].op, sum->op) == 0;
  }
  free(given);
  return BERTH_OK;
}

static int add_colls(summary_t *s, berth_error_t *err)
{
  size_t n, kept = 0;
  const berth_coll_t *c = berth_pattern_colls(s->pattern, &n);
  s->colls = malloc((n + 1) * sizeof *s->colls);
  if (!s->colls) return no_memory(err);
  for (size_t i = 0; i < n; i++) {
    double calls = (double)c[i].count * repeats_of(s, c[i].phase);
    s->colls[i] = (summary_coll_t){.op = c[i].op,
                                   .calls = calls,
                                   .bytes = calls * (double)c[i].bytes,
                                   .has_parts = c[i].n_shares};
  }
  qsort(s->colls, n, sizeof *s->colls, by_operation);
  for (size_t i = 0; i < n; i++) {
    summary_coll_t one = s->colls[i];
    if (kept && by_operation(&s->colls[kept - 1], &one) == 0) {
      s->colls[kept - 1].calls += one.calls;
      s->colls[kept - 1].bytes += one.bytes;
      s->colls[kept - 1].has_parts |= one.has_parts;
    } else {
      s->colls[kept++] = one;
    }
  }
  s->n_colls = kept;
  return add_parts(s, err);
}

ORDER_BY(by_kind, summary_rma_t, RISING(win) RISING_TEXT(sync) RISING_TEXT(op))

static summary_rma_t kind_of(const summary_t *s, const berth_rma_t *r)
{
  double repeats = repeats_of(s, r->phase);
  summary_rma_t kind = {r->win, r->op, r->sync, 0, 0, (double)r->epochs * repeats};
  for (size_t i = 0; i < r->n_msgs; i++) {
    kind.operations += (double)r->msgs[i].count * repeats;
    kind.bytes += (double)r->msgs[i].bytes * repeats;
  }
  return kind;
}

static int add_rmas(summary_t *s, berth_error_t *err)
{
  size_t n, kept = 0;
  const berth_rma_t *r = berth_pattern_rmas(s->pattern, &n);
  s->rmas = malloc((n + 1) * sizeof *s->rmas);
  if (!s->rmas) return no_memory(err);
  for (size_t i = 0; i < n; i++) s->rmas[i] = kind_of(s, &r[i]);
  qsort(s->rmas, n, sizeof *s->rmas, by_kind);
  for (size_t i = 0; i < n; i++) {
    summary_rma_t one = s->rmas[i];
    if (kept && by_kind(&s->rmas[kept - 1], &one) == 0) {
      s->rmas[kept - 1].operations += one.operations;
      s->rmas[kept - 1].bytes += one.bytes;
      s->rmas[kept - 1].epochs += one.epochs;
    } else {
      s->rmas[kept++] = one;
    }
  }
  s->n_rmas = kept;
  return BERTH_OK;
}

int summary_init(summary_t *s, const berth_pattern_t *p, berth_error_t *err)
{
  *s = (summary_t){.pattern = p};
  int rc = add_messages(s, err);
  if (!rc) rc = add_colls(s, err);
  return rc ? rc : add_rmas(s, err);
}

void summary_clear(summary_t *s)
{
  free(s->pairs);
  free(s->sites);
  free(s->phases);
  free(s->colls);
  free(s->rmas);
  free(s->sent);
}
