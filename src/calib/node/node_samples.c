/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples of the points of a curve. */
#include <math.h>
#include <stdlib.h>

#include "base/no_memory.h"
#include "calib/calib_stats.h"
#include "calib/node/node_session.h"

bool node_samples_make(const calib_node_t *c, node_samples_t *s, size_t n)
{
  *s = (node_samples_t){.n = n, .rounds = c->rounds};
  s->x = calloc(n, sizeof *s->x);
  s->value = calloc(n * (size_t)c->rounds, sizeof *s->value);
  s->count = calloc(n, sizeof *s->count);
  return s->x && s->value && s->count;
}

void node_samples_clear(node_samples_t *s)
{
  free(s->x);
  free(s->value);
  free(s->count);
  *s = (node_samples_t){0};
}

void node_samples_add(node_samples_t *s, size_t i, double value)
{
  if (s->count[i] < s->rounds) s->value[i * (size_t)s->rounds + (size_t)s->count[i]++] = value;
}

typedef struct made {
  double *x, *y, *spread;
  int *samples;
} made_t;

static void take_old(const berth_node_curve_t *old, size_t i, node_keep_t which, made_t *m)
{
  bool faster = which == NODE_HIGH ? old->y[i] > m->y[i] : old->y[i] < m->y[i];
  if (!faster) return;
  m->y[i] = old->y[i];
  m->spread[i] = old->spread[i];
  m->samples[i] = old->samples[i];
}

int node_samples_keep(calib_node_t *c, const node_step_t *step, berth_node_what_t what,
                      const char *name, node_keep_t which, node_samples_t *s, berth_error_t *err)
{
  double *values = calloc(2 * s->n + 1, sizeof *values);
  berth_node_curve_t curve = {what, name, step->state, step->core_numa, step->memory_numa};
  made_t m = {s->x, values, values + s->n, s->count};
  if (!values) return no_memory(err);
  for (size_t i = 0; i < s->n; i++) {
    if (s->count[i] == 0) continue;
    double *value = s->value + i * (size_t)s->rounds;
    calib_stat_t stat = calib_statistics(value, (size_t)s->count[i]);
    m.x[curve.n] = s->x[i];
    m.y[curve.n] = stat.median;
    m.spread[curve.n] = isinf(stat.spread) ? -1 : stat.spread;
    m.samples[curve.n++] = stat.n;
  }
  const berth_node_curve_t *old =
      berth_node_find(c->record, what, name, step->state, step->core_numa, step->memory_numa);
  for (size_t i = 0; old && c->lap > 0 && which != NODE_LAST && i < curve.n && i < old->n; i++)
    if (old->x[i] == m.x[i]) take_old(old, i, which, &m);
  curve.x = m.x;
  curve.y = m.y;
  curve.spread = m.spread;
  curve.samples = m.samples;
  int rc = berth_node_add_curve(c->record, &curve, err);
  free(values);
  return rc;
}
