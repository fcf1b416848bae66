/* SPDX-License-Identifier: BSD-3-Clause */
/* Watches: what a run tells, and runs that are stopped. */
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "random_instance.h"

enum { RANKS = 256, MANY = 2048, MOST_PUS = MANY };

/* An instance on which searches at quality strong take minutes. */
static berth_topo_t *large_topology(int ranks)
{
  int pu = 0;
  char name[16];
  berth_topo_t *t = berth_topo_new("large", NULL);
  berth_port_dir_t d = {-1, 1e6};
  berth_type_t type = {"link", {d, d}, {d, d}, 0};
  int link = berth_topo_add_type(t, &type, NULL);
  int root = berth_topo_add_switch(t, -1, link, "root", NULL, NULL);
  for (int h = 0; h < ranks / 8; h++) {
    snprintf(name, sizeof name, "n%d", h);
    int host = berth_topo_add_switch(t, root, link, name, name, NULL);
    for (pu = 0; pu < 8; pu++) berth_topo_add_pu(t, host, pu, pu, NULL);
  }
  assert_int_equal(berth_topo_finish(t, NULL), BERTH_OK);
  return t;
}

static berth_pattern_t *large_pattern(dice_t *d, int ranks)
{
  berth_pattern_t *p = berth_pattern_new(ranks, NULL);
  for (int i = 0; i < 6 * ranks; i++) {
    uint64_t size = 1000 + (uint64_t)roll(d, 100000);
    berth_message_t m = {
        .src = i % ranks, .dst = roll(d, ranks), .size = size, .count = 1, .bytes = size};
    assert_int_equal(berth_pattern_add_message(p, &m, NULL), BERTH_OK);
  }
  assert_int_equal(berth_pattern_finish(p, NULL), BERTH_OK);
  return p;
}

typedef struct instance {
  berth_topo_t *topo;
  berth_pattern_t *pattern;
  berth_map_problem_t problem;
  berth_map_report_t report;
} instance_t;

/* Of so many ranks; 0: a small one. */
static void deal(instance_t *in, uint64_t seed, int ranks, const berth_map_options_t *o)
{
  dice_t d = {seed};
  *in = (instance_t){.topo = ranks ? large_topology(ranks) : small_topology(&d, 40)};
  in->pattern = ranks ? large_pattern(&d, ranks) : random_pattern(&d, berth_topo_n_pus(in->topo));
  assert_int_equal(berth_map_problem_init(&in->problem, in->pattern, in->topo, o, NULL), BERTH_OK);
  in->problem.report = &in->report;
  in->problem.watch = berth_map_watch_new();
}

static void drop(instance_t *in)
{
  berth_map_watch_free(in->problem.watch);
  berth_map_problem_clear(&in->problem);
  berth_pattern_free(in->pattern);
  berth_topo_free(in->topo);
}

static bool is_permutation(const berth_map_problem_t *p, const int *pus)
{
  bool taken[MOST_PUS] = {false};
  for (int r = 0; r < berth_pattern_ranks(p->pattern); r++) {
    if (pus[r] < 0 || pus[r] >= berth_topo_n_pus(p->topo) || taken[pus[r]]) return false;
    taken[pus[r]] = true;
  }
  return true;
}

static const struct {
  const char *name;
  berth_model_t model;
  double sum_share, limit_s;
} objectives[] = {
    {"port", BERTH_MODEL_PORT, 0, 0},   {"port, with a limit", BERTH_MODEL_PORT, 0, 1e4},
    {"sum", BERTH_MODEL_SUM, 0, 0},     {"sum, with a limit", BERTH_MODEL_SUM, 0, 1e4},
    {"both", BERTH_MODEL_PORT, 0.5, 0}, {"flow", BERTH_MODEL_FLOW, 0, 0}};

static berth_map_options_t options_of(size_t objective, int threads)
{
  berth_map_options_t o = berth_map_defaults();
  o.objective = objectives[objective].model;
  o.sum_share = objectives[objective].sum_share;
  o.time_limit_s = objectives[objective].limit_s;
  o.quality = BERTH_QUALITY_STRONG;
  o.any_thread = 1;
  o.threads = threads;
  return o;
}

/* Pricing a flow takes long enough with half as many ranks. */
static int enough_ranks(size_t objective)
{
  return objectives[objective].model == BERTH_MODEL_FLOW ? RANKS / 2 : RANKS;
}

/* Every mapper, stopped before it begins, gives a placement all the same, or doesn't serve the
 * problem; no bound is claimed. */
static void is_stopped_before(void **state)
{
  (void)state;
  size_t n;
  int pus[MOST_PUS];
  const char *chosen;
  const berth_mapper_t *mappers = berth_mappers(&n);
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < COUNT(objectives); k++) {
      const int sizes[] = {0, enough_ranks(k), MANY};
      if (objectives[k].limit_s > 0 && !all_rounds()) continue; /* a stop doesn't wait for limits */
      for (size_t l = 0; l < COUNT(sizes); l++) {
        if (sizes[l] == MANY && !all_rounds()) continue;
        instance_t in;
        berth_map_options_t o = options_of(k, 1 + (int)l % 2);
        deal(&in, 3 * k + 1, sizes[l], &o);
        berth_map_watch_stop(in.problem.watch);
        int rc = berth_map_run(&in.problem, &mappers[i], pus, &chosen, NULL);
        bool refused = rc == BERTH_USAGE && mappers[i].role != BERTH_MAPPER_SEARCHES;
        if (rc && !refused) FAIL_ROW(mappers[i].name, "%s: code %d", objectives[k].name, rc);
        if (!rc && !is_permutation(&in.problem, pus))
          FAIL_ROW(mappers[i].name, "%s: no permutation", objectives[k].name);
        if (!rc && (!in.report.stopped || in.report.lower_bound >= 0))
          FAIL_ROW(mappers[i].name, "%s: stopped %d, bound %g", objectives[k].name,
                   in.report.stopped, in.report.lower_bound);
        drop(&in);
      }
    }
}

typedef struct patience {
  berth_map_watch_t *watch;
  berth_map_progress_t last; /* before the stop */
  int bad;
} patience_t;

/* Waits until a search is under way and has found something, then stops it. */
static void *stop_later(void *context)
{
  patience_t *w = context;
  double elapsed_s = 0, best = -1;
  berth_map_progress_t *p = &w->last;
  for (;;) {
    *p = berth_map_watch_progress(w->watch); /* a stage may begin anew between two looks */
    w->bad += p->done > 1 || p->elapsed_s < elapsed_s || (best >= 0 && p->best > best);
    elapsed_s = p->elapsed_s;
    best = p->best;
    if (strncmp(p->stage, "refine:", 7) == 0 && p->best >= 0 && p->done > 0) break;
    nanosleep(&(struct timespec){0, 1000000}, NULL);
  }
  berth_map_watch_stop(w->watch);
  return NULL;
}

/* What is found is the cheapest of all candidates, and not dearer than what the watch was told. */
static void is_stopped_meanwhile(void **state)
{
  (void)state;
  int pus[MOST_PUS];
  const char *chosen;
  for (size_t k = 0; k < COUNT(objectives); k++) {
    instance_t in;
    pthread_t thread;
    if (objectives[k].sum_share > 0 && !all_rounds()) continue;
    berth_map_options_t o = options_of(k, 1 + (int)k % 2);
    o.min_gain = 0;
    deal(&in, k, enough_ranks(k), &o);
    patience_t w = {.watch = in.problem.watch};
    assert_int_equal(pthread_create(&thread, NULL, stop_later, &w), 0);
    assert_int_equal(berth_map_run(&in.problem, berth_mapper_find("best"), pus, &chosen, NULL),
                     BERTH_OK);
    pthread_join(thread, NULL);
    const berth_map_report_t *r = &in.report;
    if (!r->stopped || !is_permutation(&in.problem, pus) || w.bad)
      FAIL_ROW(objectives[k].name, "stopped %d, %d bad views", r->stopped, w.bad);
    if (r->candidate[r->chosen].price > w.last.best)
      FAIL_ROW(objectives[k].name, "%.17g, but the watch was told %.17g",
               r->candidate[r->chosen].price, w.last.best);
    if ((w.last.left_s >= 0) != (o.time_limit_s > 0))
      FAIL_ROW(objectives[k].name, "left: %g s", w.last.left_s);
    drop(&in);
  }
}

/* Time that is up before anything began: every mapper gives a placement, and no bound is claimed.
 * With time enough the bound is that without a limit. */
static void respects_limits(void **state)
{
  (void)state;
  size_t n;
  int pus[MOST_PUS];
  const char *chosen;
  static const double limits[] = {0, 1e-9, 1e6};
  const berth_mapper_t *mappers = berth_mappers(&n);
  for (size_t i = 0; i < n; i++) {
    double bound = 0;
    for (size_t k = 0; k < COUNT(limits); k++) {
      instance_t in;
      berth_map_options_t o = options_of(0, 1);
      o.quality = BERTH_QUALITY_FAST;
      o.time_limit_s = limits[k];
      o.iterations = 1000;
      deal(&in, 5, all_rounds() ? MANY : 2 * RANKS, &o);
      int rc = berth_map_run(&in.problem, &mappers[i], pus, &chosen, NULL);
      if (rc != BERTH_USAGE && (rc || !is_permutation(&in.problem, pus)))
        FAIL_ROW(mappers[i].name, "limit %g: code %d", limits[k], rc);
      if (k == 0) bound = in.report.lower_bound;
      double expected = k == 1 ? -1 : bound;
      if (!rc && (in.report.lower_bound != expected || in.report.stopped))
        FAIL_ROW(mappers[i].name, "limit %g: bound %.17g, expected %.17g", limits[k],
                 in.report.lower_bound, expected);
      drop(&in);
    }
  }
}

/* A watch changes nothing of what is found. */
static void changes_nothing(void **state)
{
  (void)state;
  int one[MOST_PUS], two[MOST_PUS];
  const char *chosen;
  for (size_t k = 0; k < COUNT(objectives); k++) {
    instance_t in;
    berth_map_options_t o = options_of(k, 1);
    o.iterations = 2000;
    if (!all_rounds()) o.quality = BERTH_QUALITY_FAST;
    if (o.time_limit_s > 0) continue;
    deal(&in, 11 + k, 0, &o);
    const berth_mapper_t *best = berth_mapper_find("best");
    assert_int_equal(berth_map_run(&in.problem, best, one, &chosen, NULL), BERTH_OK);
    berth_map_progress_t p = berth_map_watch_progress(in.problem.watch);
    double price = in.report.candidate[in.report.cheapest].price;
    if (p.best != price || p.stopped || in.report.stopped)
      FAIL_ROW(objectives[k].name, "told %.17g, found %.17g", p.best, price);
    berth_map_watch_t *watch = in.problem.watch;
    in.problem.watch = NULL;
    assert_int_equal(berth_map_run(&in.problem, best, two, &chosen, NULL), BERTH_OK);
    assert_memory_equal(one, two, sizeof *one * (size_t)berth_pattern_ranks(in.pattern));
    in.problem.watch = watch;
    drop(&in);
  }
}

int main(void)
{
  alarm(600); /* a search that nobody stops takes long */
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(is_stopped_before),
      cmocka_unit_test(is_stopped_meanwhile),
      cmocka_unit_test(respects_limits),
      cmocka_unit_test(changes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
