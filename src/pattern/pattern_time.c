/* SPDX-License-Identifier: BSD-3-Clause */
/* Times of MPI calls: how they are added and checked, and which call sites have nothing else. */
#include "pattern/pattern_time.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "base/order.h"
#include "pattern/pattern_check.h"
#include "pattern/pattern_internal.h"

static int check_seconds(double seconds, const char *what, berth_error_t *err)
{
  if (seconds >= 0 && isfinite(seconds)) return BERTH_OK;
  return berth_fail(err, BERTH_BAD_INPUT, "%s: found %.16g, expected a finite time of at least 0",
                    what, seconds);
}

/* Writers may round times, so that a total is a little above what its ranks, or a whole a little
 * below what its parts have. */
#define ROUNDING (1 + 1e-6)

static int check_times(const berth_pattern_t *p, const berth_time_t *t, berth_error_t *err)
{
  int rc = check_seconds(t->total_s, "total_s", err);
  if (!rc) rc = check_seconds(t->max_s, "max_s", err);
  if (rc) return rc;
  if (t->max_s > t->total_s)
    return berth_fail(err, BERTH_BAD_INPUT, "max_s: found %.16g, expected at most total_s, %.16g",
                      t->max_s, t->total_s);
  if (t->total_s <= t->max_s * p->ranks * ROUNDING) return BERTH_OK;
  return berth_fail(err, BERTH_BAD_INPUT,
                    "total_s: found %.16g, expected at most %d times max_s, %.16g", t->total_s,
                    p->ranks, t->max_s);
}

int berth_pattern_add_time(berth_pattern_t *p, const berth_time_t *t, berth_error_t *err)
{
  int rc = pattern_check((uint64_t)t->site, INT32_MAX, "site", err);
  if (!rc && t->comm != -1) rc = pattern_check((uint64_t)t->comm, INT32_MAX, "communicator", err);
  if (!rc) rc = pattern_check((uint64_t)t->max_rank, (uint64_t)p->ranks - 1, "rank", err);
  if (!rc) rc = pattern_check_text(t->op, "function", err);
  if (!rc) rc = check_times(p, t, err);
  if (rc) return rc;
  p->finished = false;
  berth_time_t copy = *t;
  copy.op = arena_strdup(&p->arena, t->op);
  if (!copy.op || !ARRAY_ADD(&p->times.items, &p->times.n, &p->times.cap, copy))
    return no_memory(err);
  return BERTH_OK;
}

ORDER_BY(time_order, berth_time_t, RISING_TEXT(op) RISING(site) RISING(comm))

/* Says which entry was found twice. */
static int fail_twice(const berth_time_t *t, berth_error_t *err)
{
  char site[32] = "", comm[40] = "";
  if (t->site) snprintf(site, sizeof site, " at site %d", t->site);
  if (t->comm >= 0) snprintf(comm, sizeof comm, " on communicator %d", t->comm);
  return berth_fail(err, BERTH_BAD_INPUT, "found the times of %.40s%s%s a second time", t->op, site,
                    comm);
}

/* A rank can't be in a function for longer than in MPI. */
static int check_rank(const berth_pattern_t *p, const berth_time_t *t, berth_error_t *err)
{
  const berth_rank_info_t *info = berth_pattern_rank(p, t->max_rank);
  if (!info || info->mpi_s < 0 || t->max_s <= info->mpi_s * ROUNDING) return BERTH_OK;
  return berth_fail(err, BERTH_BAD_INPUT,
                    "max_s of %.40s: found %.16g, expected at most mpi_s of rank %d, %.16g", t->op,
                    t->max_s, t->max_rank, info->mpi_s);
}

/* Checks the n times of one function, sorted: the first one is the whole of the others. */
static int check_parts(const berth_pattern_t *p, const berth_time_t *t, size_t n,
                       berth_error_t *err)
{
  double total_s = 0, max_s = 0;
  if (t->site || t->comm >= 0)
    return berth_fail(err, BERTH_BAD_INPUT,
                      "found times of %.40s without one that has neither site nor communicator",
                      t->op);
  for (size_t i = 1; i < n; i++) {
    if (time_order(&t[i - 1], &t[i]) == 0) return fail_twice(&t[i], err);
    total_s += t[i].total_s;
    max_s = fmax(max_s, t[i].max_s);
  }
  const char *what = total_s > t->total_s * ROUNDING ? "total_s" : "max_s";
  if (total_s <= t->total_s * ROUNDING && max_s <= t->max_s * ROUNDING)
    return check_rank(p, t, err);
  return berth_fail(err, BERTH_BAD_INPUT,
                    "%s: found %.16g at the call sites and communicators of %.40s, expected at "
                    "most the function's, %.16g",
                    what, *what == 't' ? total_s : max_s, t->op,
                    *what == 't' ? t->total_s : t->max_s);
}

int pattern_finish_times(berth_pattern_t *p, berth_error_t *err)
{
  int rc = BERTH_OK;
  berth_time_t *t = p->times.items;
  if (p->times.n) qsort(t, p->times.n, sizeof *t, time_order);
  for (size_t i = 0, end; i < p->times.n && !rc; i = end) {
    for (end = i + 1; end < p->times.n && strcmp(t[end].op, t[i].op) == 0;) end++;
    rc = check_parts(p, &t[i], end - i, err);
  }
  return rc;
}

const berth_time_t *berth_pattern_times(const berth_pattern_t *p, size_t *n)
{
  *n = p->times.n;
  return p->times.items;
}

/* The marks of sites, by index in berth_pattern_sites, and the last one that was found: many
 * consecutive entries have the same site. */
typedef struct marks {
  const berth_pattern_t *p;
  bool *only;
  const berth_site_t *last;
} marks_t;

static void mark(marks_t *m, int site, bool only)
{
  if (!m->last || m->last->id != site) m->last = berth_pattern_site(m->p, site);
  if (m->last) m->only[m->last - m->p->sites.items] = only;
}

bool *pattern_time_only_sites(const berth_pattern_t *p, berth_error_t *err)
{
  marks_t m = {.p = p, .only = calloc(p->sites.n + 1, sizeof *m.only)};
  if (!m.only) return no_memory_null(err);
  if (!p->times.n) return m.only;
  for (size_t i = 0; i < p->times.n; i++)
    if (p->times.items[i].site) mark(&m, p->times.items[i].site, true);
  for (size_t i = 0; i < p->messages.n; i++) mark(&m, p->messages.items[i].site, false);
  for (size_t i = 0; i < p->colls.n; i++) mark(&m, p->colls.items[i].site, false);
  for (size_t i = 0; i < p->rows.n; i++) mark(&m, p->rows.items[i].site, false);
  for (size_t i = 0; i < p->rmas.n; i++) mark(&m, p->rmas.items[i].site, false);
  for (size_t i = 0; i < p->packed.n; i++) mark(&m, p->packed.items[i].site, false);
  return m.only;
}

void pattern_drop_times(berth_pattern_t *p)
{
  bool *only = pattern_time_only_sites(p, NULL);
  size_t kept = 0;
  for (size_t i = 0; only && i < p->sites.n; i++)
    if (!only[i]) p->sites.items[kept++] = p->sites.items[i];
  if (only) p->sites.n = kept;
  p->times.n = 0;
  free(only);
}
