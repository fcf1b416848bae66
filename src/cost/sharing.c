/* SPDX-License-Identifier: BSD-3-Clause */
/* Estimates how much longer ranks compute because they share cores. */
#include <berth/sharing.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/no_memory.h"
#include "base/order.h"
#include "pattern/pattern_core_wait.h"

typedef struct core {
  const double *slowdown; /* with 2, 3, … busy PUs; NULL: unknown */
  int n_slowdowns;
  int n_pus;
  int busy; /* scratch: PUs with ranks */
} core_t;

struct berth_sharing {
  int ranks;
  bool known;
  double *compute; /* by rank: its time on a core of its own */
  double longest;
  double *slowdowns; /* owned; cores point into it */
  core_t *core;
  int n_cores, *core_of_pu;
  int *on_pu; /* scratch: number of ranks on each PU */
};

int berth_sharing_carried(const berth_topo_t *t)
{
  for (int i = 0; i < berth_topo_n_types(t); i++)
    if (berth_topo_type(t, i)->n_slowdowns > 0) return 1;
  return 0;
}

int berth_sharing_known(const berth_pattern_t *p, const berth_topo_t *t, berth_model_t model)
{
  return model != BERTH_MODEL_SUM && berth_sharing_carried(t) && berth_pattern_mpi_share(p) >= 0;
}

/* The factor by which a rank gets slower while so many PUs of its core compute. Beyond the known
 * values, the core's throughput stays constant. */
static double slowdown_of(const core_t *core, int busy)
{
  if (busy < 2 || !core->slowdown) return 1;
  int last = core->n_slowdowns + 1; /* busy PUs of the last known value */
  return busy <= last ? core->slowdown[busy - 2] : core->slowdown[last - 2] * ((double)busy / last);
}

/* --- cores --- */

/* PUs, sorted by a number within their host. */
typedef struct numbered {
  int host, number, pu;
} numbered_t;

ORDER_BY(by_number, numbered_t, RISING(host) RISING(number) RISING(pu))

/* Copies each type's list. Returns where the lists begin, by type. */
static size_t *copy_slowdowns(berth_sharing_t *s, const berth_topo_t *t)
{
  int n_types = berth_topo_n_types(t);
  size_t n = 0, *first = malloc((size_t)n_types * sizeof *first);
  for (int i = 0; i < n_types; i++) n += berth_topo_type(t, i)->n_slowdowns;
  s->slowdowns = malloc((n + 1) * sizeof *s->slowdowns);
  if (!first || !s->slowdowns) {
    free(first);
    return NULL;
  }
  n = 0;
  for (int i = 0; i < n_types; i++) {
    const berth_type_t *type = berth_topo_type(t, i);
    first[i] = n;
    for (size_t k = 0; k < type->n_slowdowns; k++) s->slowdowns[n++] = type->slowdown[k];
  }
  return first;
}

static core_t new_core(const berth_sharing_t *s, const berth_topo_t *t, const size_t *first, int pu)
{
  int type = berth_topo_slowdown_type(t, pu);
  if (type < 0) return (core_t){0};
  return (core_t){.slowdown = s->slowdowns + first[type],
                  .n_slowdowns = (int)berth_topo_type(t, type)->n_slowdowns};
}

static int find_cores(berth_sharing_t *s, const berth_topo_t *t, berth_error_t *err)
{
  int n = berth_topo_n_pus(t);
  size_t *first = copy_slowdowns(s, t);
  numbered_t *pu = malloc((size_t)n * sizeof *pu);
  s->core = malloc((size_t)n * sizeof *s->core);
  s->core_of_pu = malloc((size_t)n * sizeof *s->core_of_pu);
  s->on_pu = calloc((size_t)n, sizeof *s->on_pu);
  bool memory = first && pu && s->core && s->core_of_pu && s->on_pu;
  for (int i = 0; memory && i < n; i++)
    pu[i] = (numbered_t){berth_topo_pu(t, i)->host, berth_topo_pu(t, i)->core, i};
  if (memory) qsort(pu, (size_t)n, sizeof *pu, by_number);
  for (int i = 0; memory && i < n; i++) {
    if (i == 0 || pu[i].host != pu[i - 1].host || pu[i].number != pu[i - 1].number)
      s->core[s->n_cores++] = new_core(s, t, first, pu[i].pu);
    s->core_of_pu[pu[i].pu] = s->n_cores - 1;
    s->core[s->n_cores - 1].n_pus++;
  }
  free(first);
  free(pu);
  return memory ? BERTH_OK : no_memory(err);
}

/* --- compute times --- */

/* Finds the core that each rank was traced on. False if some rank's is unknown. */
static bool find_traced(const berth_sharing_t *s, const berth_pattern_t *p, const berth_topo_t *t,
                        const numbered_t *pu, int *core_of_rank)
{
  for (int r = 0; r < s->ranks; r++) {
    const berth_rank_info_t *info = berth_pattern_rank(p, r);
    int host = berth_topo_find_host(t, info->host);
    const numbered_t wanted = {host, info->pu, 0};
    if (host < 0 || info->pu < 0) return false;
    LOWER_BOUND(low, 0, (size_t)berth_topo_n_pus(t) - 1, by_number(&pu[middle], &wanted) < 0);
    if (pu[low].host != host || pu[low].number != info->pu) return false;
    core_of_rank[r] = s->core_of_pu[pu[low].pu];
  }
  return true;
}

/* Removes the slow-down of the traced run from the times. All ranks of a core may be recorded on
 * its first PU, because they were bound to the core; the system spreads them. Those whose waiting
 * for a core is known have lost it already. */
static void take_out(berth_sharing_t *s, const berth_pattern_t *p, const int *core_of_rank)
{
  int *on_core = s->on_pu; /* there are at most as many cores as PUs */
  for (int r = 0; r < s->ranks; r++) on_core[core_of_rank[r]]++;
  for (int r = 0; r < s->ranks; r++) {
    const core_t *core = &s->core[core_of_rank[r]];
    int ranks = on_core[core_of_rank[r]], busy = ranks < core->n_pus ? ranks : core->n_pus;
    double turns = berth_pattern_rank(p, r)->core_wait_s < 0 ? (double)ranks / (double)busy : 1;
    if (core->slowdown) s->compute[r] /= slowdown_of(core, busy) * turns;
  }
  for (int r = 0; r < s->ranks; r++) on_core[core_of_rank[r]] = 0;
}

static int find_times(berth_sharing_t *s, const berth_pattern_t *p, const berth_topo_t *t,
                      berth_error_t *err)
{
  int n = berth_topo_n_pus(t);
  s->compute = malloc((size_t)s->ranks * sizeof *s->compute);
  numbered_t *pu = malloc((size_t)n * sizeof *pu);
  int *core_of_rank = malloc((size_t)s->ranks * sizeof *core_of_rank);
  bool memory = s->compute && pu && core_of_rank;
  for (int r = 0; memory && r < s->ranks; r++) {
    const berth_rank_info_t *info = berth_pattern_rank(p, r);
    s->compute[r] = (info->wall_s - info->mpi_s) * (1 - pattern_core_wait_of(info, 0));
  }
  for (int i = 0; memory && i < n; i++)
    pu[i] = (numbered_t){berth_topo_pu(t, i)->host, berth_topo_pu(t, i)->os_index, i};
  if (memory) {
    qsort(pu, (size_t)n, sizeof *pu, by_number);
    if (find_traced(s, p, t, pu, core_of_rank)) take_out(s, p, core_of_rank);
  }
  for (int r = 0; memory && r < s->ranks; r++) s->longest = fmax(s->longest, s->compute[r]);
  free(pu);
  free(core_of_rank);
  if (!memory) return no_memory(err);
  double max = 1000 * (double)s->ranks * (double)s->ranks; /* an upper limit of any slow-down */
  return isfinite(s->longest * max)
             ? BERTH_OK
             : berth_fail(
                   err, BERTH_BAD_INPUT,
                   "found a rank that computes for %g s, expected less: its time on a shared core "
                   "would be too large a number",
                   s->longest);
}

berth_sharing_t *berth_sharing_new(const berth_pattern_t *p, const berth_topo_t *t,
                                   berth_model_t model, berth_error_t *err)
{
  berth_sharing_t *s = calloc(1, sizeof *s);
  if (!s) return no_memory_null(err);
  s->ranks = berth_pattern_ranks(p);
  s->known = berth_sharing_known(p, t, model);
  int rc = s->known ? find_cores(s, t, err) : BERTH_OK;
  if (!rc && s->known) rc = find_times(s, p, t, err);
  if (!rc) return s;
  berth_sharing_free(s);
  return NULL;
}

void berth_sharing_free(berth_sharing_t *s)
{
  if (!s) return;
  free(s->compute);
  free(s->slowdowns);
  free(s->core);
  free(s->core_of_pu);
  free(s->on_pu);
  free(s);
}

/* --- placements --- */

double berth_sharing_of_some(berth_sharing_t *s, size_t n, const int *ranks, const int *pu_of_rank)
{
  double longest = s->longest;
  if (!s->known) return 0;
  for (size_t i = 0; i < n; i++) {
    int pu = pu_of_rank[ranks ? ranks[i] : (int)i];
    s->core[s->core_of_pu[pu]].busy += s->on_pu[pu]++ == 0;
  }
  for (size_t i = 0; i < n; i++) {
    int rank = ranks ? ranks[i] : (int)i, pu = pu_of_rank[rank];
    const core_t *core = &s->core[s->core_of_pu[pu]];
    if (!core->slowdown || (core->busy < 2 && s->on_pu[pu] < 2)) continue;
    longest = fmax(longest, s->compute[rank] * s->on_pu[pu] * slowdown_of(core, core->busy));
  }
  for (size_t i = 0; i < n; i++) {
    int pu = pu_of_rank[ranks ? ranks[i] : (int)i];
    s->on_pu[pu] = s->core[s->core_of_pu[pu]].busy = 0;
  }
  return longest - s->longest;
}

double berth_sharing_evaluate(berth_sharing_t *s, const int *pu_of_rank)
{
  return berth_sharing_of_some(s, (size_t)s->ranks, NULL, pu_of_rank);
}

/* Of two ranks on a core, one computes at least as long as the second shortest. */
double berth_sharing_min(const berth_sharing_t *s)
{
  double min = INFINITY, shortest = INFINITY, second = INFINITY;
  for (int i = 0; i < s->n_cores; i++)
    if (s->core[i].n_pus > 1 && s->core[i].slowdown) min = fmin(min, s->core[i].slowdown[0]);
  for (int r = 0; r < s->ranks && s->known; r++) {
    second = fmin(second, fmax(shortest, s->compute[r]));
    shortest = fmin(shortest, s->compute[r]);
  }
  if (isinf(min) || isinf(second)) return INFINITY;
  return fmax(0, second * min - s->longest);
}
