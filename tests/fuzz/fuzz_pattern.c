/* SPDX-License-Identifier: BSD-3-Clause */
/* The reader of patterns: any bytes load or fail with one line; what loads keeps its promises, also
 * with the messages of its one-sided operations. */
#include <berth/one_sided.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "pattern/pattern_internal.h"
#include "pattern/time_summary.h"

static void check(int holds)
{
  if (!holds) abort();
}

static void check_pattern(const berth_pattern_t *p)
{
  size_t n_phases, n;
  berth_pattern_phases(p, &n_phases);
  check(n_phases > 0);
  for (size_t k = 0; k < n_phases; k++) {
    const berth_message_t *m = berth_pattern_messages(p, k, &n);
    for (size_t i = 0; i < n; i++) {
      check(m[i].src >= 0 && m[i].src < berth_pattern_ranks(p));
      check(m[i].dst >= 0 && m[i].dst < berth_pattern_ranks(p));
      check(m[i].count > 0 && m[i].bytes <= (uint64_t)1 << 53);
      check(i == 0 || m[i].src >= m[i - 1].src);
    }
  }
}

static void check_orders(const berth_pattern_t *p)
{
  size_t n;
  const berth_order_t *o = berth_pattern_orders(p, &n);
  for (size_t i = 0; i < n; i++) {
    check(o[i].src >= 0 && o[i].src < berth_pattern_ranks(p) && o[i].rounds > 0);
    check(i == 0 || o[i].phase > o[i - 1].phase || o[i].src > o[i - 1].src);
    for (size_t k = 0; k < o[i].n_steps; k++) {
      const berth_step_t *s = &o[i].steps[k];
      check(s->times > 0 && s->mode >= 0 && s->mode < BERTH_SEND_MODES &&
            s->peer >= BERTH_ANY_RANK);
      check(s->kind > BERTH_STEP_SENT || (s->peer >= 0 && s->peer < berth_pattern_ranks(p)));
      check(s->steps < o[i].n_steps - k);
    }
  }
}

static void check_shares(const berth_pattern_t *p, size_t n, const berth_share_t *shares)
{
  uint64_t ranks = 0;
  for (size_t i = 0; i < n; i++) {
    check(shares[i].ranks > 0 && shares[i].bytes <= (uint64_t)1 << 53);
    ranks += shares[i].ranks;
  }
  check(ranks <= (uint64_t)berth_pattern_ranks(p));
}

static void check_parts(const berth_pattern_t *p)
{
  size_t n;
  const berth_coll_t *c = berth_pattern_colls(p, &n);
  for (size_t i = 0; i < n; i++) check_shares(p, c[i].n_shares, c[i].shares);
  const berth_row_t *r = berth_pattern_rows(p, &n);
  for (size_t i = 0; i < n; i++) {
    check(r[i].src >= 0 && r[i].src < berth_pattern_ranks(p));
    check_shares(p, r[i].n_shares, r[i].shares);
  }
}

static void check_times(const berth_pattern_t *p)
{
  size_t n;
  time_summary_t s;
  const berth_time_t *t = berth_pattern_times(p, &n);
  for (size_t i = 0; i < n; i++) {
    check(t[i].max_rank >= 0 && t[i].max_rank < berth_pattern_ranks(p));
    check(t[i].max_s >= 0 && t[i].max_s <= t[i].total_s);
  }
  check(time_summary_init(&s, p, NULL) == BERTH_OK);
  check(s.functions.n + s.sites.n <= n && s.comms.n <= s.comm_functions.n);
  time_summary_clear(&s);
}

static void check_packed(const berth_pattern_t *p)
{
  size_t n;
  const berth_packed_t *x = berth_pattern_packed(p, &n);
  for (size_t i = 0; i < n; i++) {
    check(x[i].rank >= 0 && x[i].rank < berth_pattern_ranks(p) && x[i].site >= 0);
    check(x[i].pieces > 1 && x[i].span >= x[i].size && x[i].count > 0);
    check(i == 0 || x[i].rank >= x[i - 1].rank);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
  for (int flags = BERTH_PATTERN_STRICT; n && flags <= BERTH_PATTERN_TRUNCATED; flags++) {
    berth_error_t err = {0};
    in_file_t *in = in_attach(fmemopen((void *)(uintptr_t)data, n, "rb"), "f", &err);
    check(in != NULL);
    berth_pattern_t *p = pattern_read(in, "f", flags, &err);
    in_close(in);
    if (p) {
      check_pattern(p);
      check_orders(p);
      check_parts(p);
      check_times(p);
      check_packed(p);
      const char *rules = flags == BERTH_PATTERN_STRICT ? "openmpi-4.1" : "mpich-4.0";
      check(berth_one_sided_include(p, rules, NULL, &err) == BERTH_OK);
      check_pattern(p);
    } else {
      check(err.code == BERTH_BAD_INPUT && *err.text && !strchr(err.text, '\n'));
    }
    berth_pattern_free(p);
  }
  return 0;
}
