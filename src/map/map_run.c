/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a mapper, with everything that is the same for all of them. */
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "map/map_share.h"
#include "map/map_watch.h"
#include "map/moves/moves.h"

/* Reports the default order and the only placement. */
static int report_one(const berth_map_problem_t *problem, const char *name, const int *pu_of_rank,
                      berth_error_t *err)
{
  const char *baseline;
  map_pricer_t pricer;
  berth_map_report_t *report = problem->report;
  berth_map_problem_t wide = map_widened(problem);
  int *linear = malloc((size_t)berth_pattern_ranks(problem->pattern) * sizeof *linear);
  int rc = linear ? map_linear(problem, linear, &baseline, err) : no_memory(err);
  if (!rc) rc = map_pricer_init(&pricer, &wide, err);
  if (!rc) {
    report->candidate[report->n++] =
        (berth_candidate_t){.name = baseline, .price = map_price(&pricer, linear)};
    if (strcmp(name, baseline) != 0)
      report->candidate[report->n++] =
          (berth_candidate_t){.name = name, .price = map_price(&pricer, pu_of_rank)};
    report->chosen = report->n - 1;
    if (map_uses_more(problem, pu_of_rank))
      report->price_of_first_threads = report->candidate[0].price;
    report->cheapest =
        report->candidate[report->chosen].price <= report->candidate[0].price ? report->chosen : 0;
    rc = map_pricer_verdict(&pricer, rc, err);
    map_pricer_clear(&pricer);
  }
  free(linear);
  return rc;
}

static int run_here(const berth_map_problem_t *problem, const berth_mapper_t *mapper,
                    int *pu_of_rank, const char **chosen, berth_error_t *err)
{
  berth_map_problem_t wide = map_widened(problem);
  int rc = mapper->map(problem, pu_of_rank, chosen, err);
  if (rc == MAP_CUT_SHORT && !problem->shared) rc = map_linear(problem, pu_of_rank, chosen, err);
  if (!rc) rc = map_keep_pins(&wide, pu_of_rank, err);
  bool is_baseline = mapper->map == map_linear;
  return rc || is_baseline ? rc : map_rename(&wide, pu_of_rank, err);
}

int map_run(const berth_map_problem_t *problem, const berth_mapper_t *mapper, int *pu_of_rank,
            const char **chosen, berth_error_t *err)
{
  berth_error_t found = {0};
  if (!problem->options.team || mapper->shares_work)
    return run_here(problem, mapper, pu_of_rank, chosen, err);
  *chosen = mapper->name;
  int rc_of_run = BERTH_OK;
  if (share_is_mine(problem, 0)) rc_of_run = run_here(problem, mapper, pu_of_rank, chosen, &found);
  return share_result(problem, 0, rc_of_run, &found, pu_of_rank, err);
}

int map_run_for(const berth_map_problem_t *problem, const berth_pattern_t *pattern,
                const berth_mapper_t *mapper, int *pu_of_rank, berth_error_t *err)
{
  const char *name;
  map_shared_t nothing = {0}; /* the portfolio's evaluator is for its own pattern */
  berth_map_problem_t other = *problem;
  other.pattern = pattern;
  other.shared = &nothing;
  return map_run(&other, mapper, pu_of_rank, &name, err);
}

/* Finds the cheapest placement with the allowed number of moves, between where ranks are and the
 * mapper's placement. `best` does this itself. */
static int limit_moves(const berth_map_problem_t *problem, const berth_mapper_t *mapper,
                       int *pu_of_rank, const char **chosen, berth_error_t *err)
{
  const char *name;
  const berth_map_options_t *o = &problem->options;
  if (!o->from || o->max_moves < 0 || mapper->map == map_best) return BERTH_OK;
  size_t bytes = (size_t)berth_pattern_ranks(problem->pattern) * sizeof(int);
  int *stay = malloc(bytes), *found = malloc(bytes);
  const int *known[] = {stay, pu_of_rank};
  int rc = stay && found ? BERTH_OK : no_memory(err);
  if (!rc) rc = map_run(problem, berth_mapper_find("stay"), stay, &name, err);
  size_t n = !rc && map_uses_more(problem, pu_of_rank) ? 1 : 2;
  if (!rc) rc = moves_find(problem, known, n, found, problem->report, err);
  if (!rc && memcmp(found, pu_of_rank, bytes) != 0) {
    memcpy(pu_of_rank, found, bytes);
    *chosen = MAP_PARTIAL;
  }
  free(stay);
  free(found);
  return rc;
}

/* Moves ranks of a search's placement back to where they were, at the same cost. Placements of
 * other mappers are only renamed, because these consider more than the objective. `best` and limits
 * of moves do this themselves. */
static int bring_home(const berth_map_problem_t *problem, const berth_mapper_t *mapper,
                      int *pu_of_rank, berth_error_t *err)
{
  berth_error_t found = {0};
  const berth_map_options_t *o = &problem->options;
  berth_map_problem_t wide = map_widened(problem);
  bool searches = mapper->role == BERTH_MAPPER_SEARCHES || mapper->map == map_exact;
  if (!o->from || o->max_moves >= 0 || !searches) return BERTH_OK;
  int rc = share_is_mine(problem, 0) ? moves_go_home(&wide, pu_of_rank, &found) : BERTH_OK;
  if (!o->team && rc) *err = found;
  return share_result(problem, 0, rc, &found, pu_of_rank, err);
}

/* Finds the lowest price of all placements, if there are so few ranks that `best` evaluates them
 * all. Otherwise leaves *bound alone. */
static int find_exact_bound(const berth_map_problem_t *problem, double *bound, berth_error_t *err)
{
  const char *name;
  map_pricer_t pricer;
  berth_error_t why = {0};
  berth_map_problem_t wide = map_widened(problem);
  const berth_mapper_t *exact = berth_mapper_find("exact");
  int ranks = berth_pattern_ranks(problem->pattern);
  if (ranks > exact->max_ranks) return BERTH_OK;
  int *pu_of_rank = malloc((size_t)ranks * sizeof *pu_of_rank);
  int rc = pu_of_rank ? run_here(problem, exact, pu_of_rank, &name, &why) : no_memory(err);
  if (rc == BERTH_USAGE) { /* `exact` gave up; if for lack of time, results would vary with it */
    if (map_time_is_up(problem, 1)) *bound = -1;
    free(pu_of_rank);
    return BERTH_OK;
  }
  if (rc && pu_of_rank) *err = why;
  if (!rc && !(rc = map_pricer_init(&pricer, &wide, err))) {
    *bound = map_price(&pricer, pu_of_rank) * MAP_EXACT_TO;
    rc = map_pricer_verdict(&pricer, rc, err);
    map_pricer_clear(&pricer);
  }
  free(pu_of_rank);
  return rc;
}

/* Computes the lower bound in one process; it doesn't depend on the search. */
static int report_bound(const berth_map_problem_t *problem, berth_error_t *err)
{
  int rc = BERTH_OK;
  berth_map_report_t *report = problem->report;
  watch_stage(problem, "working out the lower bound", 0);
  if (share_is_mine(problem, 0)) rc = map_lower_bound(problem, &report->lower_bound, err);
  if (!rc && share_is_mine(problem, 0) && report->lower_bound >= 0)
    rc = find_exact_bound(problem, &report->lower_bound, err);
  if (!rc) rc = share_data(problem, 0, &report->lower_bound, sizeof report->lower_bound, err);
  for (size_t i = 0; i < report->n && !rc; i++) /* if `exact` was run for more ranks */
    if (strcmp(report->candidate[i].name, "exact") == 0)
      report->lower_bound = report->candidate[i].price * MAP_EXACT_TO;
  return rc;
}

/* Reports whether a watch stopped the run in any process. The bound is then unknown. */
static int report_stop(const berth_map_problem_t *problem, berth_error_t *err)
{
  berth_map_report_t *report = problem->report;
  watch_agree(problem);
  report->stopped = watch_is_stopped(problem);
  int rc = share_data(problem, 0, &report->stopped, sizeof report->stopped, err);
  if (report->stopped) report->lower_bound = -1;
  return rc;
}

int berth_map_run(const berth_map_problem_t *problem, const berth_mapper_t *mapper, int *pu_of_rank,
                  const char **chosen, berth_error_t *err)
{
  berth_error_t local;
  berth_map_report_t *report = problem->report;
  if (!err) err = &local;
  if (report) *report = (berth_map_report_t){.price_of_first_threads = -1};
  watch_begin(problem);
  watch_stage(problem, mapper->name, 0);
  int rc = share_check(problem, mapper->name, err);
  if (!rc) rc = map_run(problem, mapper, pu_of_rank, chosen, err);
  if (!rc) rc = limit_moves(problem, mapper, pu_of_rank, chosen, err);
  if (!rc) rc = bring_home(problem, mapper, pu_of_rank, err);
  if (!rc && report && report->n == 0) rc = report_one(problem, *chosen, pu_of_rank, err);
  if (!rc && report) {
    report->moved = problem->options.from ? moves_count(problem, pu_of_rank) : -1;
    rc = report_stop(problem, err);
  }
  if (!rc && report && !report->stopped) rc = report_bound(problem, err);
  return berth_team_agree(problem->options.team, rc, err);
}
