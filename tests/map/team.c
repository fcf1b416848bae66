/* SPDX-License-Identifier: BSD-3-Clause */
/* Teams: several processes, here threads, find what one finds alone, and a failure of one of them
 * reaches all. */
#include "random_instance.h"
#include "team/members.h"

enum { SIZE_MOST = 5, RANKS_MOST = 70 };

typedef struct outcome {
  int rc, pus[RANKS_MOST];
  const char *chosen;
  berth_map_report_t report;
  berth_error_t err;
} outcome_t;

typedef struct process {
  berth_team_t team;
  const berth_mapper_t *mapper;
  const berth_pattern_t *pattern;
  const berth_topo_t *topo;
  berth_map_options_t options;
  const char *refuses; /* says so to the others instead of taking part */
  double late_s;       /* its clock is ahead */
  berth_map_watch_t *watch;
  outcome_t found;
} process_t;

static void take_part(process_t *m)
{
  outcome_t *f = &m->found;
  berth_map_problem_t problem;
  if (m->team.size > 1) m->options.team = &m->team;
  if (m->refuses) {
    f->rc = berth_fail(&f->err, BERTH_MISSING, "%s", m->refuses);
    f->rc = berth_team_agree(&m->team, f->rc, &f->err);
    return;
  }
  f->rc = berth_map_problem_init(&problem, m->pattern, m->topo, &m->options, &f->err);
  if (f->rc) return;
  problem.report = &f->report;
  problem.watch = m->watch;
  problem.started_s -= m->late_s;
  f->rc = berth_map_run(&problem, m->mapper, f->pus, &f->chosen, &f->err);
  berth_map_problem_clear(&problem);
}

static void begin(process_t *all, int size, const process_t *one)
{
  for (int i = 0; i < size; i++) all[i] = *one;
}

static void take_part_as_member(member_t *member)
{
  process_t *m = member->context;
  m->team = member->team;
  take_part(m);
}

static void run(process_t *all, int size)
{
  void *contexts[SIZE_MOST];
  for (int i = 0; i < size; i++) contexts[i] = &all[i];
  run_team(size, take_part_as_member, contexts);
}

typedef struct job {
  const char *mapper;
  int least_ranks;
  berth_model_t model;
  berth_quality_t quality;
  uint64_t iterations;
  double sum_share;
  bool pins;
  int threads;
  int rounds;
  double slowdown; /* of shared cores, 0: nobody knows, and threads are as good as cores */
  int moves;       /* ranks that may move at most from where they are; 0: they are nowhere */
} job_t;

static const job_t jobs[] = {
    {"best", 2, BERTH_MODEL_PORT, BERTH_QUALITY_ECO, 500, 0, false, 1, 30},
    {"best", 2, BERTH_MODEL_BOUND, BERTH_QUALITY_STRONG, 500, 0, true, 1, 3},
    {"best", 2, BERTH_MODEL_FLOW, BERTH_QUALITY_ECO, 100, 0, false, 1, 10},
    {"best", 34, BERTH_MODEL_PORT, BERTH_QUALITY_ECO, 2000, 0.3, false, 2, 3},
    {"best", 6, BERTH_MODEL_PORT, BERTH_QUALITY_ECO, 500, 0, false, 1, 20, 1.25},
    {"best", 34, BERTH_MODEL_PORT, BERTH_QUALITY_FAST, 2000, 0, true, 2, 3, 1.25},
    {"best", 34, BERTH_MODEL_SUM, BERTH_QUALITY_FAST, 20000, 0, true, 1, 6},
    {"refine", 34, BERTH_MODEL_PORT, BERTH_QUALITY_ECO, 20000, 0, true, 1, 6},
    {"exact", 2, BERTH_MODEL_SUM, BERTH_QUALITY_ECO, 0, 0, false, 1, 10},
    {"geometric", 2, BERTH_MODEL_PORT, BERTH_QUALITY_ECO, 0, 0, true, 1, 10},
    {"best", 12, BERTH_MODEL_PORT, BERTH_QUALITY_FAST, 2000, 0, false, 1, 5, 0, 4},
    {"best", 6, BERTH_MODEL_PORT, BERTH_QUALITY_ECO, 500, 0, false, 1, 5, 1.25, 3},
    {"greedy", 12, BERTH_MODEL_BOUND, BERTH_QUALITY_ECO, 2000, 0, false, 2, 5, 0, 4},
};

static berth_pattern_t *timed_pattern(dice_t *d, int ranks)
{
  berth_pattern_t *p = random_pattern(d, ranks);
  for (int r = 0; r < ranks; r++) {
    berth_rank_info_t info = {"", -1, 100 + 10.0 * roll(d, 9), 100};
    assert_int_equal(berth_pattern_set_rank(p, r, &info, NULL), BERTH_OK);
  }
  assert_int_equal(berth_pattern_finish(p, NULL), BERTH_OK);
  return p;
}

/* An instance of the job's kind for one process. */
static process_t deal(dice_t *d, const job_t *job, int **pinned)
{
  berth_topo_t *t = NULL;
  do {
    berth_topo_free(t);
    t = random_topology_with(d, job->slowdown);
  } while (berth_topo_n_pus(t) < job->least_ranks);
  int pus = berth_topo_n_pus(t), most = pus < RANKS_MOST ? pus : RANKS_MOST;
  int ranks = job->least_ranks + roll(d, most - job->least_ranks + 1);
  process_t one = {.mapper = berth_mapper_find(job->mapper), .topo = t};
  one.pattern = job->slowdown > 0 ? timed_pattern(d, ranks) : random_pattern(d, ranks);
  *pinned = random_pins(d, ranks, pus, 1);
  one.options = berth_map_defaults();
  one.options.objective = job->model;
  one.options.quality = job->quality;
  one.options.iterations = job->iterations;
  one.options.sum_share = job->sum_share;
  one.options.threads = job->threads;
  one.options.any_thread = job->slowdown <= 0;
  one.options.pinned = job->pins ? *pinned : NULL;
  static int from[RANKS_MOST]; /* until the next deal */
  for (int r = 0; r < ranks; r++) from[r] = (pus - 1 - r + ranks / 2) % pus;
  if (job->moves) {
    one.options.from = from;
    one.options.max_moves = job->moves;
  }
  one.team = (berth_team_t){.size = 1};
  return one;
}

static void compare(const job_t *job, const process_t *alone, const process_t *m)
{
  const outcome_t *a = &alone->found, *b = &m->found;
  size_t bytes = (size_t)berth_pattern_ranks(m->pattern) * sizeof *a->pus;
  if (a->rc != b->rc || (a->rc && strcmp(a->err.text, b->err.text) != 0))
    FAIL_ROW(job->mapper, "alone %d %s, process %d of %d: %d %s", a->rc, a->err.text, m->team.rank,
             m->team.size, b->rc, b->err.text);
  if (a->rc) return;
  if (memcmp(a->pus, b->pus, bytes) != 0 || strcmp(a->chosen, b->chosen) != 0)
    FAIL_ROW(job->mapper, "process %d of %d has another placement than one alone", m->team.rank,
             m->team.size);
  bool same = a->report.n == b->report.n && a->report.lower_bound == b->report.lower_bound;
  for (size_t i = 0; same && i < a->report.n; i++)
    same = a->report.candidate[i].price == b->report.candidate[i].price;
  same &= a->report.n_points == b->report.n_points;
  for (size_t i = 0; same && i < a->report.n_points; i++)
    same = a->report.point[i].cost_s == b->report.point[i].cost_s;
  if (!same) FAIL_ROW(job->mapper, "process %d of %d: another report", m->team.rank, m->team.size);
}

static void finds_what_one_finds(void **state)
{
  (void)state;
  for (size_t k = 0; k < COUNT(jobs); k++) {
    dice_t d = {k};
    for (int i = 0; i < rounds_of(jobs[k].rounds); i++) {
      int *pinned, size = 2 + roll(&d, SIZE_MOST - 1);
      process_t alone = deal(&d, &jobs[k], &pinned), all[SIZE_MOST];
      begin(all, size, &alone);
      run(all, size);
      take_part(&alone);
      for (int r = 0; r < size; r++) compare(&jobs[k], &alone, &all[r]);
      berth_pattern_free((berth_pattern_t *)(uintptr_t)alone.pattern);
      berth_topo_free((berth_topo_t *)(uintptr_t)alone.topo);
      free(pinned);
    }
  }
}

/* Time limits, and processes whose clock is ahead: the first one's, or those of all others. */
typedef struct hurry {
  double limit_s, late_s;
  bool first_is_late;
} hurry_t;

static const hurry_t hurries[] = {{1e-9, 0}, {0.003, 0}, {0.02, 0}, {1e3, 1e4}, {1e3, 1e4, true}};

/* With a time limit the processes don't find what one finds, but all the same. */
static void agrees_when_time_is_up(void **state)
{
  (void)state;
  dice_t d = {5};
  for (size_t i = 0; i < COUNT(hurries); i++) {
    int *pinned;
    process_t alone = deal(&d, &jobs[3], &pinned), all[SIZE_MOST];
    alone.options.time_limit_s = hurries[i].limit_s;
    begin(all, SIZE_MOST, &alone);
    for (int r = 0; r < SIZE_MOST; r++)
      if ((r == 0) == hurries[i].first_is_late) all[r].late_s = hurries[i].late_s;
    run(all, SIZE_MOST);
    for (int r = 0; r < SIZE_MOST; r++) {
      assert_int_equal(all[r].found.rc, BERTH_OK);
      compare(&jobs[3], &all[0], &all[r]);
    }
    berth_pattern_free((berth_pattern_t *)(uintptr_t)alone.pattern);
    berth_topo_free((berth_topo_t *)(uintptr_t)alone.topo);
    free(pinned);
  }
}

/* Who stops one process stops all of them, and they find the same; whoever it is, and whether the
 * others can be stopped. */
static void a_stop_reaches_all(void **state)
{
  (void)state;
  dice_t d = {7};
  for (int who = 0; who < SIZE_MOST; who++) {
    int *pinned;
    job_t job = jobs[3];
    job.iterations = 0; /* minutes of work */
    job.quality = BERTH_QUALITY_STRONG;
    process_t alone = deal(&d, &job, &pinned), all[SIZE_MOST];
    begin(all, SIZE_MOST, &alone);
    for (int r = 0; r < SIZE_MOST; r++) all[r].watch = berth_map_watch_new();
    berth_map_watch_stop(all[who].watch);
    run(all, SIZE_MOST);
    for (int r = 0; r < SIZE_MOST; r++) {
      assert_int_equal(all[r].found.rc, BERTH_OK);
      assert_int_equal(all[r].found.report.stopped, 1);
      assert_int_equal(berth_map_watch_progress(all[r].watch).stopped, 1);
      compare(&job, &all[0], &all[r]);
    }
    for (int r = 0; r < SIZE_MOST; r++) berth_map_watch_free(all[r].watch);
    berth_pattern_free((berth_pattern_t *)(uintptr_t)alone.pattern);
    berth_topo_free((berth_topo_t *)(uintptr_t)alone.topo);
    free(pinned);
  }
}

typedef struct failure {
  const char *name;
  int size, who;       /* the one that isn't like the others */
  const char *refuses; /* what it says; NULL: it has other options */
  int rc;
  const char *text; /* of the error in all processes */
  void (*differs)(berth_map_options_t *o);
} failure_t;

static void other_seed(berth_map_options_t *o) { o->seed++; }
static void other_share(berth_map_options_t *o) { o->sum_share = 0.5; }
static void other_limit(berth_map_options_t *o) { o->time_limit_s = 1000; }

static const char different[] =
    "found different inputs or options in the processes of a job, expected the same in all";
static const failure_t failures[] = {
    {"the first", 3, 0, "no file", BERTH_MISSING, "no file", NULL},
    {"the last", 4, 3, "no file", BERTH_MISSING, "process 3: no file", NULL},
    {"another seed", 2, 1, NULL, BERTH_BAD_INPUT, different, other_seed},
    {"another share of the sum", 3, 0, NULL, BERTH_BAD_INPUT, different, other_share},
    {"another time limit", 2, 1, NULL, BERTH_BAD_INPUT, different, other_limit},
};

static void failures_reach_all(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(failures); i++) {
    const failure_t *f = &failures[i];
    dice_t d = {i};
    int *pinned;
    process_t one = deal(&d, &jobs[0], &pinned), all[SIZE_MOST];
    begin(all, f->size, &one);
    all[f->who].refuses = f->refuses;
    if (f->differs) f->differs(&all[f->who].options);
    run(all, f->size);
    for (int r = 0; r < f->size; r++)
      if (all[r].found.rc != f->rc || strcmp(all[r].found.err.text, f->text) != 0)
        FAIL_ROW(f->name, "process %d: %d %s", r, all[r].found.rc, all[r].found.err.text);
    berth_pattern_free((berth_pattern_t *)(uintptr_t)one.pattern);
    berth_topo_free((berth_topo_t *)(uintptr_t)one.topo);
    free(pinned);
  }
}

int main(void)
{
  alarm(300); /* who waits for others that don't come waits for ever */
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(finds_what_one_finds),
      cmocka_unit_test(agrees_when_time_is_up),
      cmocka_unit_test(a_stop_reaches_all),
      cmocka_unit_test(failures_reach_all),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
