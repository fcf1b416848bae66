/* SPDX-License-Identifier: BSD-3-Clause */
#include "map/share.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

int berth_team_agree(berth_team_t *team, int rc, berth_error_t *err)
{
  if (!team) return rc;
  if (team->failed)
    return rc ? rc : berth_fail(err, BERTH_MISSING, "another process failed before");
  uint64_t found = team->largest(team, rc ? (uint64_t)(team->size - team->rank) : 0);
  if (!found) return BERTH_OK;
  team->failed = 1;
  int first = team->size - (int)found;
  berth_error_t told = {.code = rc};
  if (err && rc) memcpy(told.text, err->text, sizeof told.text);
  team->broadcast(team, first, &told, sizeof told);
  if (first == 0) return berth_fail(err, told.code, "%s", told.text);
  return berth_fail(err, told.code, "process %d: %s", first, told.text); /* 0 had no complaint */
}

int share_rounds(const berth_map_problem_t *problem, int n)
{
  return n > 0 ? share_round_of(problem, n - 1) + 1 : 0;
}

int share_round_of(const berth_map_problem_t *problem, int i)
{
  const berth_team_t *team = problem->options.team;
  return (team ? i / team->size : i) / problem->options.threads;
}

double share_end(const berth_map_problem_t *problem, int i, int n, double started, double end)
{
  return started + (end - started) * (share_round_of(problem, i) + 1.0) / share_rounds(problem, n);
}

int share_data(const berth_map_problem_t *problem, int i, void *data, size_t bytes,
               berth_error_t *err)
{
  berth_team_t *team = problem->options.team;
  int rc = berth_team_agree(team, BERTH_OK, err);
  if (!rc && team) team->broadcast(team, i % team->size, data, bytes);
  return rc;
}

int share_item(const berth_map_problem_t *problem, int i, int *rc_of_item,
               berth_error_t *err_of_item, int *pu_of_rank, berth_error_t *err)
{
  berth_team_t *team = problem->options.team;
  if (!team) return BERTH_OK;
  int rc = share_data(problem, i, rc_of_item, sizeof *rc_of_item, err);
  if (rc) return rc;
  size_t bytes = (size_t)berth_pattern_ranks(problem->pattern) * sizeof *pu_of_rank;
  if (*rc_of_item)
    team->broadcast(team, i % team->size, err_of_item, sizeof *err_of_item);
  else
    team->broadcast(team, i % team->size, pu_of_rank, bytes);
  return BERTH_OK;
}

/* One number for all that decides what is found. Linear's price stands for the messages and for the
 * machine. */
static int digest(const berth_map_problem_t *problem, uint64_t *out, berth_error_t *err)
{
  const berth_map_options_t *o = &problem->options;
  const char *name;
  map_pricer_t pricer = {0};
  uint64_t ranks = (uint64_t)berth_pattern_ranks(problem->pattern), price_bits = 0;
  int *linear = malloc(ranks * sizeof *linear);
  int rc = linear ? map_linear(problem, linear, &name, err) : map_no_memory(err);
  if (!rc) rc = map_pricer_init(&pricer, problem, err);
  if (!rc) {
    double price = map_price(&pricer, linear);
    memcpy(&price_bits, &price, sizeof price_bits);
  }
  map_pricer_clear(&pricer);
  free(linear);
  const uint64_t parts[] = {
      ranks,        (uint64_t)problem->n_pus, (uint64_t)problem->n_any_pus, price_bits, o->seed,
      o->iterations};
  *out = hash_bytes(HASH_START, parts, sizeof parts);
  const int kinds[] = {(int)o->objective, (int)o->quality, o->time_limit_s > 0};
  *out = hash_bytes(*out, kinds, sizeof kinds);
  return rc;
}

int share_check(const berth_map_problem_t *problem, berth_error_t *err)
{
  uint64_t own = 0;
  berth_team_t *team = problem->options.team;
  if (!team) return BERTH_OK;
  int rc = digest(problem, &own, err);
  rc = berth_team_agree(team, rc, err);
  if (rc) return rc;
  uint64_t most = team->largest(team, own), least = ~team->largest(team, ~own);
  if (most == least) return BERTH_OK;
  return berth_fail(err, BERTH_BAD_INPUT,
                    "found different inputs or options in the processes of a job, expected the "
                    "same in all");
}
