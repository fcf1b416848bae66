/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective calls of the traces: who calls, how often, with how many bytes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "base/order.h"
#include "pattern/pattern_rows.h"
#include "pattern/phase_find.h"
#include "scale/scale_internal.h"

#define APART 0.25 /* amounts that differ by more aren't the same */

/* --- groups of ranks --- */

static bool is_all(const berth_comm_t *c, int ranks)
{
  if (c->n_ranks != (size_t)ranks) return false;
  for (int r = 0; r < ranks; r++)
    if (c->ranks[r] != r) return false;
  return true;
}

/* The group of a communicator (NULL: all ranks); several may have the same. -1: memory is out. */
static int group_of(scale_job_t *job, size_t t, const berth_comm_t *comm)
{
  scale_groups_t *g = &job->groups[t];
  if (!comm || is_all(comm, job->ranks[t])) return 0;
  const scale_group_t group = {comm->n_ranks, comm->ranks};
  for (size_t i = 1; i < g->n; i++)
    if (g->group[i].n == group.n &&
        memcmp(g->group[i].ranks, group.ranks, group.n * sizeof *group.ranks) == 0)
      return (int)i;
  if (!ARRAY_ADD(&g->group, &g->n, &g->cap, group)) return -1;
  return (int)g->n - 1;
}

/* --- amounts --- */

/* Whether at least three quarters of what the shares have is near their mean. */
static bool even_shares(const berth_share_t *share, size_t n, double mean)
{
  double near = 0, all = 0;
  for (size_t i = 0; i < n; i++) {
    double bytes = (double)share[i].bytes * (double)share[i].ranks;
    all += bytes;
    if (fabs((double)share[i].bytes - mean) <= APART * mean) near += bytes;
  }
  return near >= 0.75 * all;
}

static double share_bytes(const berth_share_t *share, size_t n, double *ranks)
{
  double bytes = 0;
  *ranks = 0;
  for (size_t i = 0; i < n; i++) {
    bytes += (double)share[i].bytes * (double)share[i].ranks;
    *ranks += (double)share[i].ranks;
  }
  return bytes;
}

/* Whether each rank sends about the same to each other. */
static bool even_rows(const berth_pattern_t *p, const berth_coll_t *c)
{
  size_t n;
  const berth_row_t *r = pattern_rows_of(p, c, &n);
  for (size_t i = 0; i < n; i++) {
    double ranks, bytes = share_bytes(r[i].shares, r[i].n_shares, &ranks);
    if (!even_shares(r[i].shares, r[i].n_shares, bytes / ranks)) return false;
  }
  return true;
}

static scale_call_t describe(const scale_job_t *job, size_t t, const berth_coll_t *c,
                             const berth_comm_t *comm, int group)
{
  double ranks, times = (double)c->count * scale_repeats(job, t, c->phase);
  scale_call_t call = {.group = group,
                       .root = c->root,
                       .bytes = (double)c->bytes,
                       .count = (double)c->count * scale_times(job, t, c->phase),
                       .shared = c->n_shares > 0,
                       .between = comm && comm->border > 0,
                       .uneven = !even_rows(job->trace[t], c)};
  if (!c->n_shares) return call;
  double bytes = share_bytes(c->shares, c->n_shares, &ranks) / ranks;
  call.bytes = times > 0 ? bytes / times : 0;
  call.uneven |= !even_shares(c->shares, c->n_shares, bytes);
  return call;
}

ORDER_BY(call_order, scale_call_t, RISING(group) RISING(root) RISING(bytes))

/* Communicators with the same ranks may make calls of the same bytes: they are added up. */
static void merge(scale_calls_t *calls)
{
  size_t n = 0;
  if (calls->n) qsort(calls->call, calls->n, sizeof *calls->call, call_order);
  for (size_t i = 0; i < calls->n; i++) {
    scale_call_t *last = n ? &calls->call[n - 1] : NULL;
    if (last && call_order(last, &calls->call[i]) == 0) {
      last->count += calls->call[i].count;
      last->uneven |= calls->call[i].uneven;
      last->between |= calls->call[i].between;
    } else {
      calls->call[n++] = calls->call[i];
    }
  }
  calls->n = n;
}

static int read_trace(scale_job_t *job, size_t t, berth_error_t *err)
{
  size_t n;
  const berth_coll_t *c = berth_pattern_colls(job->trace[t], &n);
  const scale_group_t all = {(size_t)job->ranks[t], NULL};
  scale_groups_t *groups = &job->groups[t];
  if (!ARRAY_ADD(&groups->group, &groups->n, &groups->cap, all)) return no_memory(err);
  for (size_t i = 0; i < n; i++) {
    const berth_comm_t *comm = pattern_comm(job->trace[t], c[i].comm);
    int group = group_of(job, t, comm);
    const scale_unit_t like = {.kind = SCALE_CALLS,
                               .phase = scale_phase_of(job, t, c[i].phase),
                               .site = scale_unit_site(job, t, c[i].site),
                               .coll = &c[i]};
    scale_unit_t *u = group < 0 ? NULL : scale_unit_add(job, &like);
    if (!u) return no_memory(err);
    u->coll = &c[i];
    scale_call_t call = describe(job, t, &c[i], comm, group);
    scale_calls_t *calls = &u->calls[t];
    if (!ARRAY_ADD(&calls->call, &calls->n, &calls->cap, call)) return no_memory(err);
  }
  for (size_t i = 0; i < job->n_units; i++)
    if (job->units[i].calls) merge(&job->units[i].calls[t]);
  return BERTH_OK;
}

/* --- calls of all ranks, and of lines --- */

static bool has_both(const scale_calls_t *calls)
{
  return calls->n && calls->call[0].group == 0 && calls->call[calls->n - 1].group != 0;
}

/* If all ranks together and lines of them call from one site, these are two units. Elsewhere a line
 * may be all ranks in some of the traces. */
static int split(scale_job_t *job, size_t unit, berth_error_t *err)
{
  bool both = false;
  for (size_t t = 0; t < job->n; t++) both |= has_both(&job->units[unit].calls[t]);
  if (!both) return BERTH_OK;
  scale_unit_t like = job->units[unit];
  like.all = true;
  scale_unit_t *all = scale_unit_add(job, &like);
  if (!all) return no_memory(err);
  for (size_t t = 0; t < job->n; t++) {
    scale_calls_t *from = &job->units[unit].calls[t];
    size_t n = 0;
    while (n < from->n && from->call[n].group == 0) n++;
    for (size_t i = 0; i < n; i++)
      if (!ARRAY_ADD(&all->calls[t].call, &all->calls[t].n, &all->calls[t].cap, from->call[i]))
        return no_memory(err);
    from->n -= n;
    if (n) memmove(from->call, from->call + n, from->n * sizeof *from->call);
  }
  return BERTH_OK;
}

static void add_up(scale_job_t *job, scale_unit_t *u)
{
  size_t last = job->n - 1;
  double repeats = job->phases[u->phase].repeats[last];
  for (size_t i = 0; i < u->calls[last].n; i++) {
    const scale_call_t *c = &u->calls[last].call[i];
    double calls = c->count * repeats * (double)job->groups[last].group[c->group].n;
    u->messages += calls;
    u->bytes += c->bytes * calls;
  }
}

int scale_units_calls(scale_job_t *job, berth_error_t *err)
{
  int rc = BERTH_OK;
  for (size_t t = 0; t < job->n && !rc; t++) rc = read_trace(job, t, err);
  size_t n = job->n_units;
  for (size_t i = 0; i < n && !rc; i++)
    if (job->units[i].kind == SCALE_CALLS) rc = split(job, i, err);
  for (size_t i = 0; i < job->n_units && !rc; i++)
    if (job->units[i].kind == SCALE_CALLS) add_up(job, &job->units[i]);
  return rc;
}
