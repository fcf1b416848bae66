/* SPDX-License-Identifier: BSD-3-Clause */
/* Collects imported messages for a pattern, and sums up a pattern's pairs for exporters. */
#include "exchange/pattern/traffic.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/budget.h"
#include "base/no_memory.h"
#include "base/order.h"
#include "pattern/message_merge.h"
#include "pattern/pattern_check.h"

static void know_rank(traffic_t *t, int rank)
{
  if (rank >= t->ranks) t->ranks = rank + 1;
}

int traffic_put(traffic_t *t, const berth_message_t *m, berth_error_t *err)
{
  know_rank(t, m->src);
  know_rank(t, m->dst);
  if (m->count == 0) return BERTH_OK;
  if (message_merge_is_due(t->n, t->cap, t->merged))
    t->merged = t->n = message_merge(t->message, t->n);
  if (!ARRAY_GROW(&t->message, t->n, &t->cap)) return no_memory(err);
  berth_message_t own = *m;
  own.phase = t->at_phase;
  own.site = 0;
  t->message[t->n++] = own;
  return BERTH_OK;
}

int traffic_add(traffic_t *t, int src, int dst, uint64_t messages, uint64_t bytes,
                berth_error_t *err)
{
  uint64_t size = messages ? bytes / messages : 0, larger = messages ? bytes % messages : 0;
  berth_message_t m = {.src = src, .dst = dst, .size = size, .count = messages - larger};
  m.bytes = m.size * m.count;
  int rc = traffic_put(t, &m, err);
  if (rc || larger == 0) return rc;
  m.size++;
  m.count = larger;
  m.bytes = m.size * m.count;
  return traffic_put(t, &m, err);
}

int traffic_times(traffic_t *t, const rank_times_t *times, berth_error_t *err)
{
  know_rank(t, times->rank);
  if (!ARRAY_ADD(&t->times, &t->n_times, &t->times_cap, *times)) return no_memory(err);
  return BERTH_OK;
}

int traffic_add_bytes(traffic_t *t, const berth_import_t *in, int src, int dst, uint64_t bytes,
                      berth_error_t *err)
{
  uint64_t size = in->message_size ? in->message_size : bytes, full = size ? bytes / size : 0;
  int rc = traffic_add(t, src, dst, full, full * size, err);
  if (!rc && bytes > full * size) rc = traffic_add(t, src, dst, 1, bytes - full * size, err);
  return rc;
}

int traffic_add_half(traffic_t *t, const berth_import_t *in, int src, int dst, uint64_t bytes,
                     berth_error_t *err)
{
  return traffic_add_bytes(t, in, src, dst, bytes / 2 + (src < dst ? bytes % 2 : 0), err);
}

int traffic_phase(traffic_t *t, int id, const char *name, uint64_t repeats, uint64_t *known,
                  berth_error_t *err)
{
  size_t place;
  *known = repeats;
  if (id_table_find(&t->phase_of_id, (uint64_t)id, &place)) {
    *known = t->phase[place].repeats;
    return BERTH_OK;
  }
  char *copy = strdup(name);
  if (!copy || !budget_take(strlen(name) + 1) ||
      !ARRAY_GROW(&t->phase, t->n_phases, &t->phase_cap) ||
      !id_table_add(&t->phase_of_id, (uint64_t)id, t->n_phases)) {
    free(copy);
    return no_memory(err);
  }
  t->phase[t->n_phases++] = (berth_phase_t){id, copy, repeats};
  return BERTH_OK;
}

void traffic_whole(traffic_t *t, berth_pattern_t *p)
{
  t->whole = p;
  know_rank(t, berth_pattern_ranks(p) - 1);
}

void traffic_clear(traffic_t *t)
{
  berth_pattern_free(t->whole);
  for (size_t i = 0; i < t->n_phases; i++) free((char *)(uintptr_t)t->phase[i].name);
  free(t->phase);
  id_table_clear(&t->phase_of_id);
  free(t->times);
  free(t->message);
  *t = (traffic_t){0};
}

/* Fails if there are ranks that the pattern can't have. */
static int check_ranks(const traffic_t *t, const berth_import_t *in, berth_error_t *err)
{
  int max = t->whole ? berth_pattern_ranks(t->whole) : in->ranks ? in->ranks : t->ranks;
  if (t->ranks == 0 && in->ranks == 0)
    return berth_fail(err, BERTH_BAD_INPUT, "%s: found no traffic, expected some", in->paths[0]);
  if (t->ranks <= max) return BERTH_OK;
  return berth_fail(err, BERTH_BAD_INPUT, "%s: found rank %d, expected ranks below %d",
                    in->paths[0], t->ranks - 1, max);
}

static int add_all(const traffic_t *t, berth_pattern_t *p, berth_error_t *err)
{
  int rc = BERTH_OK;
  for (size_t i = 0; i < t->n_phases && !rc; i++)
    rc = berth_pattern_add_phase(p, &t->phase[i], err);
  for (size_t i = 0; i < t->n_times && !rc; i++) {
    const rank_times_t *r = &t->times[i];
    if (berth_pattern_rank(p, r->rank)) continue; /* the first file with a rank's times counts */
    rc = berth_pattern_set_rank(p, r->rank,
                                &(berth_rank_info_t){r->host, -1, r->wall_s, r->mpi_s, 0, -1}, err);
  }
  for (size_t i = 0; i < t->n && !rc; i++) rc = berth_pattern_add_message(p, &t->message[i], err);
  return rc ? rc : berth_pattern_finish(p, err);
}

berth_pattern_t *traffic_finish(traffic_t *t, const berth_import_t *in, berth_error_t *err)
{
  int rc = check_ranks(t, in, err);
  berth_pattern_t *p = rc ? NULL : t->whole;
  if (p)
    t->whole = NULL;
  else if (!rc)
    p = berth_pattern_new(in->ranks ? in->ranks : t->ranks, err);
  if (p && (rc = add_all(t, p, err))) {
    berth_error_t why = *err;
    if (rc == BERTH_BAD_INPUT) berth_fail(err, rc, "%s: %s", in->paths[0], why.text);
    berth_pattern_free(p);
    p = NULL;
  }
  traffic_clear(t);
  return p;
}

ORDER_BY(by_ends, flow_total_t, RISING(src) RISING(dst))

static int too_many(const flow_total_t *pair, double amount, const char *what, const char *together,
                    berth_error_t *err)
{
  return berth_fail(
      err, BERTH_BAD_INPUT,
      "rank %d to rank %d: found %.3g %s with all phases and repeats%s, expected less than 2^64",
      pair->src, pair->dst, amount, what, together);
}

static int add_to(flow_total_t *sum, const flow_total_t *more, const char *together,
                  berth_error_t *err)
{
  double bytes = (double)sum->bytes + (double)more->bytes;
  double messages = (double)sum->messages + (double)more->messages;
  if (__builtin_add_overflow(sum->bytes, more->bytes, &sum->bytes))
    return too_many(sum, bytes, "bytes", together, err);
  if (__builtin_add_overflow(sum->messages, more->messages, &sum->messages))
    return too_many(sum, messages, "messages", together, err);
  return BERTH_OK;
}

/* Sorts pairs, and merges equal ones. */
static int merge(flow_total_t *all, size_t *n, const char *together, berth_error_t *err)
{
  size_t kept = 0;
  int rc = BERTH_OK;
  if (*n) qsort(all, *n, sizeof *all, by_ends);
  for (size_t i = 0; i < *n && !rc; i++) {
    if (kept && by_ends(&all[kept - 1], &all[i]) == 0)
      rc = add_to(&all[kept - 1], &all[i], together, err);
    else
      all[kept++] = all[i];
  }
  *n = kept;
  return rc;
}

/* The messages of a pair over all occurrences of their phase. */
static int repeat(const berth_message_t *m, uint64_t repeats, flow_total_t *out, berth_error_t *err)
{
  *out = (flow_total_t){m->src, m->dst};
  if (__builtin_mul_overflow(m->bytes, repeats, &out->bytes))
    return too_many(out, (double)m->bytes * (double)repeats, "bytes", "", err);
  if (__builtin_mul_overflow(m->count, repeats, &out->messages))
    return too_many(out, (double)m->count * (double)repeats, "messages", "", err);
  return BERTH_OK;
}

int traffic_totals(const berth_pattern_t *p, flow_total_t **out, size_t *n, berth_error_t *err)
{
  size_t n_phases, cap = 0;
  const berth_phase_t *phases = berth_pattern_phases(p, &n_phases);
  *out = NULL;
  *n = 0;
  if (pattern_check_finished(p, err)) return BERTH_BAD_INPUT;
  for (size_t k = 0; k < n_phases; k++) {
    size_t n_messages;
    const berth_message_t *m = berth_pattern_messages(p, k, &n_messages);
    for (size_t i = 0; i < n_messages; i++) {
      if (!ARRAY_GROW(out, *n, &cap)) return no_memory(err);
      int rc = repeat(&m[i], phases[k].repeats, &(*out)[*n], err);
      if (rc) return rc;
      ++*n;
    }
  }
  return merge(*out, n, "", err);
}

int traffic_undirected(const berth_pattern_t *p, flow_total_t **out, size_t *n, berth_error_t *err)
{
  size_t n_directed, both = 0;
  flow_total_t *directed;
  int rc = traffic_totals(p, &directed, &n_directed, err);
  *out = rc ? NULL : malloc((2 * n_directed + 1) * sizeof **out);
  if (!rc && !*out) rc = no_memory(err);
  for (size_t i = 0; i < n_directed && !rc; i++) {
    flow_total_t t = directed[i];
    if (t.src == t.dst) continue;
    (*out)[both++] = t;
    (*out)[both++] = (flow_total_t){t.dst, t.src, t.messages, t.bytes};
  }
  free(directed);
  if (!rc) rc = merge(*out, &both, ", both directions together", err);
  *n = rc ? 0 : both;
  return rc;
}
