/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds what a pattern loses in a format that can't hold it. */
#include <stdlib.h>

#include "base/no_memory.h"
#include "base/order.h"
#include "exchange/exchange_internal.h"
#include "pattern/pattern_check.h"
#include "pattern/pattern_time.h"

const char *berth_loss_name(berth_loss_t loss)
{
  static const struct {
    berth_loss_t loss;
    const char *name;
  } names[] = {{BERTH_LOSES_PHASES, "phases"},
               {BERTH_LOSES_MESSAGES, "numbers of messages"},
               {BERTH_LOSES_SIZES, "sizes of messages"},
               {BERTH_LOSES_BYTES, "bytes"},
               {BERTH_LOSES_EMPTY, "messages without bytes"},
               {BERTH_LOSES_DIRECTIONS, "directions"},
               {BERTH_LOSES_SELF, "what ranks send to themselves"},
               {BERTH_LOSES_ORDER, "the order of sends"},
               {BERTH_LOSES_SITES, "call sites"},
               {BERTH_LOSES_TIMES, "ranks' times and hosts"},
               {BERTH_LOSES_COLLECTIVES, "collective operations"},
               {BERTH_LOSES_RMA, "one-sided operations"},
               {BERTH_LOSES_CALLS, "calls known by name"},
               {BERTH_LOSES_BASELINE, "the baseline"},
               {BERTH_LOSES_IDLE, "ranks without traffic at the end"},
               {BERTH_LOSES_PACKED, "layouts of messages"}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (names[i].loss == loss) return names[i].name;
  return "";
}

/* Sets BERTH_LOSES_SITES if a call site has more than times of calls. */
static int find_named_sites(const berth_pattern_t *p, unsigned *has, berth_error_t *err)
{
  size_t n;
  bool *time_only = pattern_time_only_sites(p, err);
  if (!time_only) return BERTH_MISSING;
  berth_pattern_sites(p, &n);
  for (size_t i = 0; i < n; i++)
    if (!time_only[i]) *has |= BERTH_LOSES_SITES;
  free(time_only);
  return BERTH_OK;
}

/* Losses other than of messages and call sites. */
static unsigned beside_messages(const berth_pattern_t *p)
{
  size_t n_orders, n_colls, n_rows, n_rmas, n_calls, n_times, n_packed;
  unsigned has = berth_pattern_baseline(p) ? BERTH_LOSES_BASELINE : 0;
  berth_pattern_orders(p, &n_orders);
  berth_pattern_colls(p, &n_colls);
  berth_pattern_rows(p, &n_rows);
  berth_pattern_rmas(p, &n_rmas);
  berth_pattern_unmodelled(p, &n_calls);
  berth_pattern_times(p, &n_times);
  berth_pattern_packed(p, &n_packed);
  if (n_orders) has |= BERTH_LOSES_ORDER;
  if (n_colls || n_rows) has |= BERTH_LOSES_COLLECTIVES;
  if (n_rmas) has |= BERTH_LOSES_RMA;
  if (n_calls) has |= BERTH_LOSES_CALLS;
  if (n_times) has |= BERTH_LOSES_TIMES;
  if (n_packed) has |= BERTH_LOSES_PACKED;
  for (int r = 0; r < berth_pattern_ranks(p) && !(has & BERTH_LOSES_TIMES); r++)
    if (berth_pattern_rank(p, r)) has |= BERTH_LOSES_TIMES;
  return has;
}

typedef struct pair_size {
  int src, dst;
  uint64_t size;
} pair_size_t;

ORDER_BY(by_pair, pair_size_t, RISING(src) RISING(dst))
ORDER_BY(by_ends, flow_total_t, RISING(src) RISING(dst))

/* Finds whether the messages of some pair have several sizes, in one phase or in different ones. */
static int find_sizes(const berth_pattern_t *p, unsigned *has, berth_error_t *err)
{
  size_t n_phases, n = 0, cap = 0;
  pair_size_t *all = NULL;
  berth_pattern_phases(p, &n_phases);
  for (size_t k = 0; k < n_phases; k++) {
    size_t n_messages;
    const berth_message_t *m = berth_pattern_messages(p, k, &n_messages);
    if (!array_reserve(&all, &cap, n + n_messages, sizeof *all)) {
      free(all);
      return no_memory(err);
    }
    for (size_t i = 0; i < n_messages; i++) {
      all[n++] = (pair_size_t){m[i].src, m[i].dst, m[i].size};
      if (m[i].site) *has |= BERTH_LOSES_SITES;
      if (m[i].bytes != m[i].size * m[i].count) *has |= BERTH_LOSES_SIZES;
    }
  }
  if (n) qsort(all, n, sizeof *all, by_pair);
  for (size_t i = 1; i < n; i++)
    if (by_pair(&all[i - 1], &all[i]) == 0 && all[i - 1].size != all[i].size)
      *has |= BERTH_LOSES_SIZES;
  free(all);
  return BERTH_OK;
}

/* Whether pairs exchange equal bytes in both directions. The list is sorted. */
static bool goes_back(const flow_total_t *all, size_t n, const flow_total_t *there)
{
  const flow_total_t key = {.src = there->dst, .dst = there->src};
  const flow_total_t *back = bsearch(&key, all, n, sizeof key, by_ends);
  return back && back->bytes == there->bytes;
}

static int look_at_pairs(const berth_pattern_t *p, unsigned *has, berth_error_t *err)
{
  size_t n;
  int last = -1;
  flow_total_t *all;
  int rc = traffic_totals(p, &all, &n, err);
  for (size_t i = 0; i < n && !rc; i++) {
    const flow_total_t *t = &all[i];
    if (t->messages != 1) *has |= BERTH_LOSES_MESSAGES;
    if (t->bytes) *has |= BERTH_LOSES_BYTES;
    if (t->bytes == 0) *has |= BERTH_LOSES_EMPTY;
    if (t->src == t->dst) *has |= BERTH_LOSES_SELF;
    if (!goes_back(all, n, t)) *has |= BERTH_LOSES_DIRECTIONS;
    if (t->src > last) last = t->src;
    if (t->dst > last) last = t->dst;
  }
  free(all);
  if (last < berth_pattern_ranks(p) - 1) *has |= BERTH_LOSES_IDLE;
  return rc;
}

int berth_exchange_lost(const berth_exchange_t *format, const berth_pattern_t *p, unsigned *lost,
                        berth_error_t *err)
{
  size_t n;
  const berth_phase_t *phases = berth_pattern_phases(p, &n);
  *lost = 0;
  int rc = pattern_check_finished(p, err);
  if (rc) return rc;
  unsigned has = beside_messages(p);
  if (n > 1 || *phases[0].name || phases[0].repeats != 1) has |= BERTH_LOSES_PHASES;
  rc = find_named_sites(p, &has, err);
  if (!rc) rc = find_sizes(p, &has, err);
  if (!rc) rc = look_at_pairs(p, &has, err);
  *lost = rc ? 0 : has & format->loses;
  return rc;
}
