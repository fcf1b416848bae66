/* SPDX-License-Identifier: BSD-3-Clause */
/* Shares work and results among the processes of a team. */
#include "map/map_share.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/no_memory.h"
#include "map/map_watch.h"
#include "team/team.h"

static int round_of(const berth_map_problem_t *problem, int i)
{
  const berth_team_t *team = problem->options.team;
  return (team ? i / team->size : i) / problem->options.threads;
}

int share_rounds(const berth_map_problem_t *problem, int n)
{
  return n > 0 ? round_of(problem, n - 1) + 1 : 0;
}

double share_end(const berth_map_problem_t *problem, int i, int n, double started, double end)
{
  return started + (end - started) * (round_of(problem, i) + 1.0) / share_rounds(problem, n);
}

int share_data(const berth_map_problem_t *problem, int i, void *data, size_t bytes,
               berth_error_t *err)
{
  berth_team_t *team = problem->options.team;
  int rc = berth_team_agree(team, BERTH_OK, err);
  if (!rc) watch_agree(problem);
  if (!rc && team) team_broadcast(team, i % team->size, data, bytes);
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
    team_broadcast(team, i % team->size, err_of_item, sizeof *err_of_item);
  else
    team_broadcast(team, i % team->size, pu_of_rank, bytes);
  return BERTH_OK;
}

int share_result(const berth_map_problem_t *problem, int i, int rc_of_item,
                 berth_error_t *err_of_item, int *pu_of_rank, berth_error_t *err)
{
  int rc = share_item(problem, i, &rc_of_item, err_of_item, pu_of_rank, err);
  return rc || !rc_of_item ? rc : berth_fail(err, rc_of_item, "%s", err_of_item->text);
}

static uint64_t hash_list(uint64_t h, const int *list, size_t n)
{
  h = hash_bytes(h, &n, sizeof n);
  return list ? hash_bytes(h, list, n * sizeof *list) : h;
}

static uint64_t hash_options(uint64_t h, const berth_map_options_t *o, size_t ranks)
{
  const uint64_t counts[] = {o->seed, o->iterations};
  const double numbers[] = {o->sum_share, o->time_limit_s, o->min_gain, o->move_price_s};
  const int kinds[] = {(int)o->objective, (int)o->quality, o->ranks_per_pu,
                       o->any_thread,     o->max_moves,    o->stable};
  h = hash_bytes(h, counts, sizeof counts);
  h = hash_bytes(h, numbers, sizeof numbers);
  h = hash_bytes(h, kinds, sizeof kinds);
  h = hash_list(h, o->pinned, o->pinned ? ranks : 0);
  return hash_list(h, o->from, o->from ? ranks : 0);
}

static uint64_t hash_pattern(uint64_t h, const berth_pattern_t *p)
{
  size_t n_phases, n;
  const berth_phase_t *phases = berth_pattern_phases(p, &n_phases);
  for (size_t k = 0; k < n_phases; k++) {
    const berth_message_t *m = berth_pattern_messages(p, k, &n);
    h = hash_bytes(h, &phases[k].repeats, sizeof phases[k].repeats);
    h = n > 0 ? hash_bytes(h, m, n * sizeof *m) : h;
  }
  return h;
}

/* Computes a hash of everything that results depend on. The cost of the default order under
 * objective and sum stands for the machine's ports. */
static int digest(const berth_map_problem_t *problem, const char *mapper, uint64_t *out,
                  berth_error_t *err)
{
  const char *name;
  size_t ranks = (size_t)berth_pattern_ranks(problem->pattern);
  berth_cost_t *cost = berth_cost_new(problem->pattern, problem->topo, err);
  if (!cost) return err->code;
  int *linear = malloc(ranks * sizeof *linear);
  int rc = linear ? map_linear(problem, linear, &name, err) : no_memory(err);
  uint64_t h = hash_bytes(HASH_START, mapper, strlen(mapper));
  if (!rc) {
    double costs[] = {berth_cost_evaluate(cost, problem->options.objective, linear),
                      berth_cost_evaluate(cost, BERTH_MODEL_SUM, linear)};
    h = hash_bytes(h, costs, sizeof costs);
  }
  h = hash_options(h, &problem->options, ranks);
  h = hash_list(h, problem->pus, (size_t)problem->n_pus);
  h = hash_list(h, problem->any_pus, (size_t)problem->n_any_pus);
  *out = hash_pattern(hash_bytes(h, &ranks, sizeof ranks), problem->pattern);
  free(linear);
  berth_cost_free(cost);
  return rc;
}

int share_check(const berth_map_problem_t *problem, const char *mapper, berth_error_t *err)
{
  uint64_t own = 0;
  berth_team_t *team = problem->options.team;
  if (!team) return BERTH_OK;
  int rc = digest(problem, mapper, &own, err);
  rc = berth_team_agree(team, rc, err);
  if (rc) return rc;
  uint64_t maximum = team_maximum(team, own), minimum = ~team_maximum(team, ~own);
  if (maximum == minimum) return BERTH_OK;
  return berth_fail(
      err, BERTH_BAD_INPUT,
      "found different inputs or options in the processes of a job, expected the same in all");
}
