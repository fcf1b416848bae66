/* SPDX-License-Identifier: BSD-3-Clause */
/* Phases of the traces. Those with lines or messages are in the pattern's list; calls and one-sided
 * operations may be in others, which occur once and have no name. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "base/order.h"
#include "scale/scale_internal.h"

ORDER_BY(phase_order, scale_traced_phase_t, RISING(id))

static const scale_traced_phase_t *find(const scale_traced_phases_t *p, int id)
{
  LOWER_BOUND(at, 0, p->n, p->phase[middle].id < id);
  return at < p->n && p->phase[at].id == id ? &p->phase[at] : NULL;
}

/* Adds phases that aren't in the sorted list. */
static bool add(scale_traced_phases_t *p, size_t sorted, int id)
{
  const scale_traced_phases_t listed = {.n = sorted, .phase = p->phase};
  for (size_t i = sorted; i < p->n; i++)
    if (p->phase[i].id == id) return true;
  return find(&listed, id) ||
         ARRAY_ADD(&p->phase, &p->n, &p->cap, (scale_traced_phase_t){id, "", 1});
}

static int list_phases(const berth_pattern_t *trace, scale_traced_phases_t *out, berth_error_t *err)
{
  size_t n, n_colls, n_rmas;
  const berth_phase_t *p = berth_pattern_phases(trace, &n);
  const berth_coll_t *c = berth_pattern_colls(trace, &n_colls);
  const berth_rma_t *r = berth_pattern_rmas(trace, &n_rmas);
  bool added = true;
  for (size_t i = 0; i < n && added; i++)
    added = ARRAY_ADD(&out->phase, &out->n, &out->cap,
                      (scale_traced_phase_t){p[i].id, p[i].name, (double)p[i].repeats});
  for (size_t i = 0; i < n_colls && added; i++) added = add(out, n, c[i].phase);
  for (size_t i = 0; i < n_rmas && added; i++) added = add(out, n, r[i].phase);
  if (added && out->n) qsort(out->phase, out->n, sizeof *out->phase, phase_order);
  return added ? BERTH_OK : no_memory(err);
}

/* Phases are the same if their names are, in order; a single one always is. */
static bool same_phases(const scale_job_t *job)
{
  const scale_traced_phases_t *last = &job->traced[job->n - 1];
  for (size_t t = 0; t + 1 < job->n; t++) {
    if (job->traced[t].n != last->n) return false;
    for (size_t i = 0; i < last->n && last->n > 1; i++)
      if (strcmp(job->traced[t].phase[i].name, last->phase[i].name) != 0) return false;
  }
  return true;
}

int scale_phases(scale_job_t *job, berth_error_t *err)
{
  int rc = BERTH_OK;
  const scale_traced_phases_t *last = &job->traced[job->n - 1];
  for (size_t t = 0; t < job->n && !rc; t++) rc = list_phases(job->trace[t], &job->traced[t], err);
  if (rc) return rc;
  job->merged = !same_phases(job);
  job->n_phases = job->merged ? 1 : last->n;
  job->phases = arena_alloc(&job->arena, job->n_phases * sizeof *job->phases);
  if (!job->phases) return no_memory(err);
  for (size_t i = 0; i < job->n_phases; i++) {
    double *repeats = arena_alloc(&job->arena, job->n * sizeof *repeats);
    if (!repeats) return no_memory(err);
    for (size_t t = 0; t < job->n; t++)
      repeats[t] = job->merged ? 1 : job->traced[t].phase[i].repeats;
    job->phases[i] = (scale_phase_t){job->merged ? "all" : last->phase[i].name, repeats};
  }
  return BERTH_OK;
}

int scale_phase_of(const scale_job_t *job, size_t trace, int id)
{
  return job->merged ? 0 : (int)(find(&job->traced[trace], id) - job->traced[trace].phase);
}

double scale_repeats(const scale_job_t *job, size_t trace, int id)
{
  return find(&job->traced[trace], id)->repeats;
}

double scale_times(const scale_job_t *job, size_t trace, int id)
{
  return job->merged ? scale_repeats(job, trace, id) : 1;
}
