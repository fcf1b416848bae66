/* SPDX-License-Identifier: BSD-3-Clause */
/* Rates of memory with several cores at work (Boyer and Chase, "Insomnia", section 5), each on an
 * area of its own on its own NUMA node. */
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "calib/node/node_session.h"
#include "calib/node/node_uses.h"

static const double RACE_S = 0.06;

static const node_use_t *use_of(const char *name)
{
  for (int i = 0; i < NODE_USES; i++)
    if (strcmp(node_uses[i].name, name) == 0) return &node_uses[i];
  return &node_uses[0];
}

static void touch(void *all, int seat)
{
  node_area_t *a = (node_area_t *)all + seat;
  memset(a->from, 1, a->bytes);
  memset(a->to, 1, a->bytes);
  memset(a->segment, 1, NODE_SEGMENT);
  a->at = 0;
}

/* An area for each core of the machine; they stay until the end. */
static int make_areas(calib_node_t *c, berth_error_t *err)
{
  int n = c->machine.n_cores;
  if (c->areas) return BERTH_OK;
  node_area_t *areas = calloc((size_t)n, sizeof *areas);
  int *cores = calloc((size_t)n, sizeof *cores);
  c->areas = areas;
  int rc = areas && cores ? BERTH_OK : no_memory(err);
  for (int i = 0; i < n && !rc; i++) {
    node_area_t *a = &areas[i];
    int numa = c->machine.core[i].numa;
    a->bytes = node_area_bytes(c, n);
    a->from = node_machine_take(&c->machine, a->bytes, numa);
    a->to = node_machine_take(&c->machine, a->bytes, numa);
    a->segment = node_machine_take(&c->machine, NODE_SEGMENT, numa);
    a->sink = aligned_alloc(64, 64);
    if (!a->from || !a->to || !a->segment || !a->sink) rc = no_memory(err);
    cores[i] = i;
  }
  if (!rc) node_team_run(c->team, cores, n, touch, areas);
  free(cores);
  return rc;
}

void node_areas_free(calib_node_t *c)
{
  for (int i = 0; c->areas && i < c->machine.n_cores; i++) {
    node_area_t *a = &c->areas[i];
    node_machine_return(a->from, a->bytes);
    node_machine_return(a->to, a->bytes);
    node_machine_return(a->segment, NODE_SEGMENT);
    free(a->sink);
  }
  free(c->areas);
  c->areas = NULL;
}

/* What one step works with: its cores in order, and what each does. */
typedef struct contest {
  calib_node_t *c;
  int *core, n;
  node_racer_t *racer;
} contest_t;

static int begin(contest_t *x, calib_node_t *c, const node_step_t *s, berth_error_t *err)
{
  const node_machine_t *m = &c->machine;
  *x = (contest_t){.c = c};
  int rc = make_areas(c, err);
  if (rc) return rc;
  x->core = calloc((size_t)m->n_cores, sizeof *x->core);
  x->racer = calloc((size_t)m->n_cores, sizeof *x->racer);
  if (!x->core || !x->racer) return no_memory(err);
  bool spread = strcmp(s->state, "spread") == 0;
  for (int i = 0; i < m->n_cores; i++) {
    int core = spread ? m->spread[i] : i;
    if (s->core_numa < 0 || m->core[core].numa == s->core_numa) x->core[x->n++] = core;
  }
  return BERTH_OK;
}

static void end(contest_t *x)
{
  free(x->core);
  free(x->racer);
}

static void enter(contest_t *x, int seat, const node_use_t *use)
{
  x->racer[seat] = (node_racer_t){.turn = use->turn, .own = &x->c->areas[x->core[seat]]};
}

/* The rate of racers first … first + n - 1. */
static double rate_of(const contest_t *x, int first, int n)
{
  double rate = 0;
  for (int i = first; i < first + n; i++) rate += x->racer[i].rate;
  return rate;
}

/* Numbers of cores that are measured: 1, 2, 3, 4, 6, 8, 12, … and all n. */
static int next_number(int k, int n)
{
  int next = k < 3 ? k + 1 : (k & (k - 1)) == 0 ? k / 2 * 3 : k / 3 * 4;
  return k < n && next > n ? n : next;
}

static size_t count_numbers(int n)
{
  size_t count = 0;
  for (int k = 1; k <= n; k = next_number(k, n)) count++;
  return count;
}

int node_together(calib_node_t *c, const node_step_t *s, berth_error_t *err)
{
  contest_t x;
  node_samples_t samples = {0};
  int rc = begin(&x, c, s, err);
  if (!rc && !node_samples_make(c, &samples, count_numbers(x.n))) rc = no_memory(err);
  for (int round = 0; round < c->rounds && !rc; round++) {
    size_t i = 0;
    for (int k = 1; k <= x.n && !rc; k = next_number(k, x.n), i++) {
      for (int seat = 0; seat < k; seat++) enter(&x, seat, use_of(s->name));
      node_team_race(c->team, x.core, k, x.racer, RACE_S);
      samples.x[i] = k;
      node_samples_add(&samples, i, rate_of(&x, 0, k));
      rc = node_stopped(c, err);
    }
  }
  if (!rc) rc = node_samples_keep(c, s, BERTH_NODE_MEMORY, s->name, NODE_HIGH, &samples, err);
  node_samples_clear(&samples);
  end(&x);
  return rc;
}

static int by_pu(const void *a, const void *b, void *machine)
{
  const node_machine_t *m = machine;
  return m->core[*(const int *)a].pu - m->core[*(const int *)b].pu;
}

int node_alone(calib_node_t *c, const node_step_t *s, berth_error_t *err)
{
  contest_t x;
  node_samples_t samples = {0};
  int rc = begin(&x, c, s, err);
  if (!rc && !node_samples_make(c, &samples, (size_t)x.n)) rc = no_memory(err);
  if (!rc) qsort_r(x.core, (size_t)x.n, sizeof *x.core, by_pu, &c->machine);
  for (int round = 0; round < c->rounds && !rc; round++)
    for (int i = 0; i < x.n && !rc; i++) {
      x.racer[0] = (node_racer_t){.turn = use_of(s->name)->turn, .own = &c->areas[x.core[i]]};
      node_team_race(c->team, &x.core[i], 1, x.racer, RACE_S);
      samples.x[i] = c->machine.core[x.core[i]].pu;
      node_samples_add(&samples, (size_t)i, x.racer[0].rate);
      rc = node_stopped(c, err);
    }
  if (!rc) rc = node_samples_keep(c, s, BERTH_NODE_CORE, s->name, NODE_HIGH, &samples, err);
  node_samples_clear(&samples);
  end(&x);
  return rc;
}

/* The last core sends, the others compute: 1, 2, … of them. */
int node_beside(calib_node_t *c, const node_step_t *s, berth_error_t *err)
{
  contest_t x;
  node_samples_t others = {0}, sender = {0};
  int rc = begin(&x, c, s, err), n = x.n - 1;
  if (!rc && (!node_samples_make(c, &others, count_numbers(n)) ||
              !node_samples_make(c, &sender, count_numbers(n))))
    rc = no_memory(err);
  for (int round = 0; round < c->rounds && !rc; round++) {
    size_t i = 0;
    for (int k = 1; k <= n && !rc; k = next_number(k, n), i++) {
      int last = x.core[k];
      x.core[k] = x.core[n];
      for (int seat = 0; seat < k; seat++) enter(&x, seat, use_of(s->name));
      enter(&x, k, &node_sending);
      node_team_race(c->team, x.core, k + 1, x.racer, RACE_S);
      x.core[k] = last;
      others.x[i] = sender.x[i] = k;
      node_samples_add(&others, i, rate_of(&x, 0, k));
      node_samples_add(&sender, i, rate_of(&x, k, 1));
      rc = node_stopped(c, err);
    }
  }
  if (!rc) rc = node_samples_keep(c, s, BERTH_NODE_SENDING, s->name, NODE_HIGH, &sender, err);
  if (!rc) rc = node_samples_keep(c, s, BERTH_NODE_BESIDE, s->name, NODE_HIGH, &others, err);
  node_samples_clear(&others);
  node_samples_clear(&sender);
  end(&x);
  return rc;
}
