/* SPDX-License-Identifier: BSD-3-Clause */
#include <berth/reserve.h>

#include <berth/assess.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "pattern/pattern_core_wait.h"

/* By how much estimates are off for other reasons than those of the recorded run: with it,
 * intervals have 118 of 160 measured times (bench/node). Totals that differ by less aren't told
 * apart. */
static const double MODEL_ERROR = 0.05;

typedef struct reserve {
  const berth_pattern_t *p;
  const berth_topo_t *t;
  const berth_node_t *node; /* of the hosts */
  int *pus[2];              /* PUs, one for each core; and without the last core of each host */
  int n[2];
  berth_error_t *err;
} reserve_t;

/* The first PU of each core, host by host. */
static int find_pus(reserve_t *r)
{
  int n = berth_topo_n_pus(r->t);
  for (int k = 0; k < 2; k++)
    if (!(r->pus[k] = calloc((size_t)n + 1, sizeof **r->pus))) return no_memory(r->err);
  for (int i = 0; i < n; i++) {
    const berth_pu_t *pu = berth_topo_pu(r->t, i), *before = i ? berth_topo_pu(r->t, i - 1) : NULL;
    bool new_host = !before || before->host != pu->host;
    if (!new_host && before->core == pu->core) continue;
    if (new_host && r->n[1] > 0) r->n[1]--;
    r->pus[0][r->n[0]++] = i;
    r->pus[1][r->n[1]++] = i;
  }
  if (r->n[1] > 0) r->n[1]--;
  return BERTH_OK;
}

static int find_node(reserve_t *r)
{
  for (int h = 0; h < berth_topo_n_hosts(r->t); h++) {
    const berth_node_t *node = berth_topo_host_node(r->t, h);
    if (!node || !berth_node_has_noise(node, 0) || !berth_node_has_noise(node, 1))
      return berth_fail(r->err, BERTH_NO_VERDICT,
                        "host %s: found no noise with and without an idle core, expected a record "
                        "of berth calibrate node",
                        berth_topo_host(r->t, h)->name);
    if (!r->node) r->node = node;
  }
  return BERTH_OK;
}

/* A non-blocking call, or the start of a persistent one. */
static bool returns_at_once(const char *op)
{
  const char *end = strrchr(op, '_');
  return strncmp(op, "MPI_I", 5) == 0 || (end && strcmp(end, "_init") == 0);
}

/* Calls that block, of a rank on average, and the mean of the communicators' sizes. */
static double count_calls(const berth_pattern_t *p, double *ranks)
{
  size_t n, n_phases, n_comms;
  const berth_coll_t *c = berth_pattern_colls(p, &n);
  const berth_phase_t *phases = berth_pattern_phases(p, &n_phases);
  const berth_comm_t *comms = berth_pattern_comms(p, &n_comms);
  double all = berth_pattern_ranks(p), calls = 0, members = 0;
  for (size_t i = 0; i < n; i++) {
    double size = all, repeats = 1;
    if (returns_at_once(c[i].op)) continue;
    for (size_t k = 0; k < n_comms; k++)
      if (comms[k].id == c[i].comm) size = (double)comms[k].n_ranks;
    for (size_t k = 0; k < n_phases; k++)
      if (phases[k].id == c[i].phase) repeats = (double)phases[k].repeats;
    double here = (double)c[i].count * repeats * size / all;
    calls += here;
    members += here * size;
  }
  *ranks = calls > 0 ? members / calls : all;
  return calls;
}

/* The share that noise takes of a run whose cores are all busy: the mean of the cores, and the
 * maximum. Who is interrupted most waits least for others. */
static double lost(const berth_node_t *n, double *most)
{
  double sum = 0, cores = 0;
  *most = 0;
  for (size_t i = 0; i < berth_node_n_noise(n); i++) {
    const berth_node_noise_t *z = berth_node_noise_at(n, i);
    if (z->idle >= 0) continue;
    sum += z->lost;
    *most = fmax(*most, z->lost);
    cores++;
  }
  return cores > 0 ? sum / cores : 0;
}

/* Messages that a rank of the program sends or receives, on average. */
static double count_messages(const berth_pattern_t *p)
{
  size_t n_phases;
  double messages = 0;
  const berth_phase_t *phases = berth_pattern_phases(p, &n_phases);
  for (size_t k = 0; k < n_phases; k++) {
    size_t n;
    if (phases[k].collective) continue;
    const berth_message_t *m = berth_pattern_messages(p, k, &n);
    for (size_t i = 0; i < n; i++) messages += 2 * (double)m[i].count * (double)phases[k].repeats;
  }
  return messages / berth_pattern_ranks(p);
}

/* What the recorder adds, in readings of the clock, and how far from that it may be (bench/node):
 * to computing for each collective call and each message; to a call's own time nothing. */
typedef struct added {
  double readings, unsure;
} added_t;
static const added_t CALL = {4.5, 1.5}, MESSAGE = {1, 1.5};
static const double INSIDE_UNSURE = 2.5;

/* Seconds that a reading of the clock takes; 0 if nobody measured it. */
static double clock_reading_s(const berth_node_t *n)
{
  const berth_node_curve_t *c = berth_node_find(n, BERTH_NODE_TIMER, "clock", "", -1, -1);
  return c ? c->y[0] : 0;
}

/* Of the recorded run, without the recorder and the noise. */
typedef struct times {
  double compute_s, most_s; /* outside MPI: mean of the ranks, and the maximum */
  double mpi_s;             /* inside: the minimum. Others also wait for that rank */
  double unsure_s;          /* of the mean outside */
  double unsure_mpi_s;      /* of the minimum inside */
} times_t;

/* The share of the run in which some rank waited for its core: the least, if all waited at the same
 * times, and the most, if at times that have nothing to do with each other. */
typedef struct disturbed {
  double least, most;
} disturbed_t;

static disturbed_t disturbed_share(const reserve_t *r)
{
  disturbed_t d = {0};
  double undisturbed = 1;
  for (int i = 0; i < berth_pattern_ranks(r->p); i++) {
    const berth_rank_info_t *info = berth_pattern_rank(r->p, i);
    double share = info ? pattern_core_wait_of(info, 0) : 0;
    d.least = fmax(d.least, share);
    undisturbed *= 1 - share;
  }
  d.most = 1 - undisturbed;
  return d;
}

/* A rank's communication without its own waits for the core, and without those of others, for which
 * it waited in MPI. */
static double undisturbed_mpi_s(const berth_rank_info_t *info, disturbed_t d, double most)
{
  double own = pattern_core_wait_of(info, most), any = (d.least + d.most) / 2;
  return fmax(info->mpi_s * (1 - own) - fmax(any - own, 0) * info->wall_s, 0);
}

/* What ranks of the recorded run waited for their cores is left out. If that wasn't recorded, the
 * run had the noise of the record. */
static int recorded_times(const reserve_t *r, times_t *t)
{
  int n = berth_pattern_ranks(r->p);
  double most, mean = lost(r->node, &most), run_s = 0;
  disturbed_t d = disturbed_share(r);
  *t = (times_t){.mpi_s = INFINITY};
  for (int i = 0; i < n; i++) {
    const berth_rank_info_t *info = berth_pattern_rank(r->p, i);
    if (!info || info->wall_s <= 0 || info->mpi_s < 0)
      return berth_fail(r->err, BERTH_NO_VERDICT,
                        "rank %d: found no run time, expected a pattern with the times of its run",
                        i);
    double outside = fmax(info->wall_s - info->mpi_s, 0);
    t->compute_s += outside * (1 - pattern_core_wait_of(info, mean)) / n;
    t->most_s = fmax(t->most_s, outside * (1 - pattern_core_wait_of(info, most)));
    t->mpi_s = fmin(t->mpi_s, undisturbed_mpi_s(info, d, most));
    t->unsure_s += info->unsure_s / n;
    run_s = fmax(run_s, info->wall_s);
  }
  t->unsure_mpi_s = (d.most - d.least) / 2 * run_s;
  return BERTH_OK;
}

static int find_times(const reserve_t *r, double calls, double messages, times_t *t)
{
  double reading_s = clock_reading_s(r->node);
  double outside = calls * CALL.readings + messages * MESSAGE.readings;
  int rc = recorded_times(r, t);
  t->compute_s = fmax(t->compute_s - outside * reading_s, 0);
  t->most_s = fmax(t->most_s - outside * reading_s, 0);
  t->unsure_s += (calls * CALL.unsure + messages * MESSAGE.unsure) * reading_s;
  t->unsure_mpi_s = hypot(t->unsure_mpi_s, calls * INSIDE_UNSURE * reading_s);
  return rc;
}

/* How the communication of the second placement compares with the first one's, both in the default
 * order. */
static int compare_messages(const reserve_t *r, bool fits, int ranks, double *ratio)
{
  const int *placements[] = {r->pus[0], r->pus[1]};
  berth_assess_options_t options = berth_assess_defaults();
  options.intervals = 0;
  *ratio = ranks > 1 ? 1 : 0;
  if (!fits) return BERTH_OK; /* the messages of fewer ranks are unknown */
  berth_assessment_t *a = berth_assessment_new(r->p, r->t, &options, 2, placements, r->err);
  if (!a) return r->err->code;
  double all = berth_assessment_estimate(a, 0)->cost_s;
  if (all > 0) *ratio = berth_assessment_estimate(a, 1)->cost_s / all;
  berth_assessment_free(a);
  return BERTH_OK;
}

/* Ranks of the default order on hosts whose cores are all busy. */
static int ranks_on_full_hosts(const reserve_t *r, int ranks)
{
  int full = 0;
  for (int i = 0; i < r->n[0] && i < ranks; i++) {
    bool last = i + 1 == r->n[0] || berth_topo_pu(r->t, r->pus[0][i])->host !=
                                        berth_topo_pu(r->t, r->pus[0][i + 1])->host;
    if (last) full = i + 1;
  }
  return full;
}

/* `busy` of the ranks are on hosts without an idle core. All wait for the slowest. *unsure_s is
 * half of the noise's interval. */
static int add_noise(const reserve_t *r, const berth_reserve_t *o, int busy, double members,
                     berth_reserve_case_t *c, double *unsure_s)
{
  berth_node_delay_t full = {0}, idle = {0};
  double steps = fmax(o->calls, 1), step_s = c->compute_s / steps;
  double share = o->calls > 0 ? fmin(members / c->ranks, 1) : 1.0 / c->ranks;
  int rc = BERTH_OK, others = c->ranks - busy;
  if (busy > 0) rc = berth_node_noise_delay(r->node, 0, step_s, share * busy, &full, r->err);
  if (!rc && others > 0)
    rc = berth_node_noise_delay(r->node, 1, step_s, share * others, &idle, r->err);
  c->noise_s = steps * fmax(full.mean_s, idle.mean_s);
  c->total_s = c->compute_s + c->imbalance_s + c->comm_s + c->noise_s;
  *unsure_s = steps * (fmax(full.high_s, idle.high_s) - fmax(full.low_s, idle.low_s)) / 2;
  return rc;
}

/* The interval of a case whose computing is `compute` times the recorded one, and whose
 * communication is `comm` times that. */
static void add_interval(const times_t *t, double compute, double comm, double noise_s,
                         berth_reserve_case_t *c)
{
  double recorded_s = hypot(compute * t->unsure_s, comm * t->unsure_mpi_s);
  double unsure_s = hypot(hypot(recorded_s, noise_s), MODEL_ERROR * c->total_s);
  c->low_s = fmax(c->total_s - unsure_s, 0);
  c->high_s = c->total_s + unsure_s;
}

/* What is unsure of both alike doesn't count. */
static berth_reserve_verdict_t decide(const berth_reserve_t *o, double unsure_s)
{
  double less_s = o->all.total_s - o->spared.total_s;
  if (fabs(less_s) <= unsure_s ||
      fabs(less_s) < MODEL_ERROR * fmin(o->all.total_s, o->spared.total_s))
    return BERTH_RESERVE_UNSURE;
  return less_s < 0 ? BERTH_RESERVE_NONE : BERTH_RESERVE_ONE;
}

/* Fewer ranks share the work of all. A single one waits for nobody. */
static void share_work(const times_t *t, double more, double ratio, berth_reserve_t *o)
{
  double imbalance_s = fmax(t->most_s - t->compute_s, 0);
  o->all.compute_s = t->compute_s;
  o->all.imbalance_s = imbalance_s;
  o->all.comm_s = t->mpi_s;
  o->spared.compute_s = t->compute_s * more;
  o->spared.imbalance_s = o->spared.ranks > 1 ? imbalance_s * more : 0;
  o->spared.comm_s = t->mpi_s * ratio;
  o->step_s = o->calls > 0 ? t->compute_s / o->calls : t->compute_s;
}

static int estimate_both(reserve_t *r, berth_reserve_t *o)
{
  double members, ratio, unsure_s[2];
  times_t t;
  int ranks = berth_pattern_ranks(r->p);
  if (ranks > r->n[0])
    return berth_fail(r->err, BERTH_NO_VERDICT,
                      "found %d ranks for %d cores, expected at most one a core", ranks, r->n[0]);
  if (r->n[1] < 1)
    return berth_fail(r->err, BERTH_NO_VERDICT, "found hosts of one core, expected at least two");
  o->fits = ranks <= r->n[1];
  o->calls = count_calls(r->p, &members);
  o->all.ranks = ranks;
  o->spared.ranks = o->fits ? ranks : r->n[1];
  int rc = find_times(r, o->calls, count_messages(r->p), &t);
  if (!rc) rc = compare_messages(r, o->fits, o->spared.ranks, &ratio);
  if (rc) return rc;
  double more = (double)ranks / o->spared.ranks;
  share_work(&t, more, ratio, o);
  rc = add_noise(r, o, ranks_on_full_hosts(r, ranks), members, &o->all, &unsure_s[0]);
  if (!rc) rc = add_noise(r, o, 0, members, &o->spared, &unsure_s[1]);
  if (rc) return rc;
  add_interval(&t, 1, 1, unsure_s[0], &o->all);
  add_interval(&t, more, ratio, unsure_s[1], &o->spared);
  double recorded_s = hypot((more - 1) * t.unsure_s, (ratio - 1) * t.unsure_mpi_s);
  o->verdict = decide(o, hypot(recorded_s, hypot(unsure_s[0], unsure_s[1])));
  return BERTH_OK;
}

int berth_reserve_estimate(const berth_pattern_t *p, const berth_topo_t *t, berth_reserve_t *out,
                           berth_error_t *err)
{
  berth_error_t own;
  reserve_t r = {.p = p, .t = t, .err = err ? err : &own};
  *out = (berth_reserve_t){0};
  int rc = find_node(&r);
  if (!rc) rc = find_pus(&r);
  if (!rc) rc = estimate_both(&r, out);
  free(r.pus[0]);
  free(r.pus[1]);
  return rc;
}
