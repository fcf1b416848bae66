/* SPDX-License-Identifier: BSD-3-Clause */
/* Running a mapper: what is the same for all of them. */
#include <stdlib.h>
#include <string.h>

#include "map/map_internal.h"

/* Reports linear beside the one placement that there is. */
static int report_one(const berth_map_problem_t *problem, const char *name, const int *pu_of_rank,
                      berth_error_t *err)
{
  const char *baseline;
  map_pricer_t pricer;
  berth_map_report_t *report = problem->report;
  berth_map_problem_t wide = map_widened(problem);
  int *linear = malloc((size_t)berth_pattern_ranks(problem->pattern) * sizeof *linear);
  int rc = linear ? map_linear(problem, linear, &baseline, err) : map_no_memory(err);
  if (!rc) rc = map_pricer_init(&pricer, &wide, err);
  if (!rc) {
    report->candidate[report->n++] = (berth_candidate_t){baseline, map_price(&pricer, linear), 0};
    if (strcmp(name, baseline) != 0)
      report->candidate[report->n++] = (berth_candidate_t){name, map_price(&pricer, pu_of_rank), 0};
    report->chosen = report->n - 1;
    if (map_uses_more(problem, pu_of_rank))
      report->price_of_first_threads = report->candidate[0].price;
    report->cheapest =
        report->candidate[report->chosen].price <= report->candidate[0].price ? report->chosen : 0;
    map_pricer_clear(&pricer);
  }
  free(linear);
  return rc;
}

int berth_map_run(const berth_map_problem_t *problem, const berth_mapper_t *mapper, int *pu_of_rank,
                  const char **chosen, berth_error_t *err)
{
  berth_map_report_t *report = problem->report;
  berth_map_problem_t wide = map_widened(problem);
  if (report) *report = (berth_map_report_t){.price_of_first_threads = -1};
  int rc = mapper->map(problem, pu_of_rank, chosen, err);
  if (!rc) rc = map_keep_pins(&wide, pu_of_rank, err);
  if (rc || !report) return rc;
  if (report->n == 0) rc = report_one(problem, mapper->name, pu_of_rank, err);
  if (!rc) rc = map_lower_bound(problem, &report->lower_bound, err);
  for (size_t i = 0; i < report->n && !rc; i++) /* the best bound of all */
    if (strcmp(report->candidate[i].name, "exact") == 0)
      report->lower_bound = report->candidate[i].price * MAP_EXACT_TO;
  return rc;
}
