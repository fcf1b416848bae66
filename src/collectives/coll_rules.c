/* SPDX-License-Identifier: BSD-3-Clause */
/* Which rules stand for which MPI, and for a job that has set it. */
#include "collectives/coll_rules.h"

#include <berth/collectives.h>
#include <berth/tuning.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "base/text.h"
#include "schedule/two_levels/choose.h"

static const struct {
  const char *mpi; /* how its name and version begin */
  const char *rules;
  int nearest;
} known[] = {{"Open MPI 4.1.", "openmpi-4.1", 0},
             {"MPICH 4.0.", "mpich-4.0", 0},
             {"Open MPI ", "openmpi-4.1", 1},
             {"MPICH ", "mpich-4.0", 1}};

double berth_collectives_half(double small, double large) { return choose_half(small, large); }

const char *berth_collectives_rules(const char *mpi, int *nearest)
{
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (text_starts(mpi, known[i].mpi)) return *nearest = known[i].nearest, known[i].rules;
  return NULL;
}

/* Loads rules and tells them a pattern's parameters, and says which of these they follow. */
static int load_told(const char *rules, const berth_pattern_t *p, schedule_rules_t **out,
                     bool *follows, berth_error_t *err)
{
  size_t n;
  const berth_parameter_t *set = berth_pattern_parameters(p, &n);
  schedule_parameter_t *parameter = malloc((n + 1) * sizeof *parameter);
  *out = NULL;
  int rc = parameter ? schedule_rules_load(rules, out, err) : no_memory(err);
  for (size_t i = 0; i < n && !rc; i++)
    parameter[i] = (schedule_parameter_t){set[i].name, set[i].value, set[i].text};
  if (!rc) rc = schedule_rules_tell(*out, parameter, n, follows, err);
  free(parameter);
  return rc;
}

/* A tuning is of jobs with as many ranks. Its MPI stands for a pattern's that is unknown. */
static int check_tuning(const char *path, const berth_pattern_t *p, const char **mpi,
                        berth_error_t *err)
{
  int nearest;
  berth_tuning_t t;
  int rc = berth_tuning_load(path, berth_pattern_ranks(p), &t, err);
  if (!rc && !*mpi) *mpi = berth_collectives_rules(t.mpi, &nearest);
  berth_tuning_clear(&t);
  return rc;
}

/* The same. Calls that berth's library doesn't serve have the rules of the pattern's MPI. */
static int load(const char *rules, const berth_pattern_t *p, double half, schedule_rules_t **out,
                bool **follows, berth_error_t *err)
{
  size_t n;
  int nearest;
  berth_pattern_parameters(p, &n);
  *out = NULL;
  *follows = calloc(n + 1, sizeof **follows);
  if (!*follows) return no_memory(err);
  if (!schedule_rules_is_library(rules)) return load_told(rules, p, out, *follows, err);
  schedule_rules_t *others = NULL;
  const char *mpi = berth_collectives_rules(berth_pattern_mpi(p), &nearest);
  int rc = schedule_rules_known(rules) ? BERTH_OK : check_tuning(rules, p, &mpi, err);
  if (!rc && mpi) rc = load_told(mpi, p, &others, *follows, err);
  if (!rc) return schedule_rules_of_library(rules, half, others, out, err);
  schedule_rules_free(others);
  return rc;
}

int coll_rules_load(const char *rules, const berth_pattern_t *p, schedule_rules_t **out,
                    berth_error_t *err)
{
  bool *follows;
  int rc = load(rules, p, 0, out, &follows, err);
  free(follows);
  return rc;
}

int coll_rules_load_for(berth_pattern_t *p, const char *rules, double half, schedule_rules_t **out,
                        berth_error_t *err)
{
  size_t n;
  bool *follows;
  int rc = load(rules, p, half, out, &follows, err);
  berth_pattern_parameters(p, &n);
  for (size_t i = 0; i < n && !rc; i++) berth_pattern_set_followed(p, i, follows[i]);
  free(follows);
  return rc;
}

bool coll_rules_apart(const berth_pattern_t *p)
{
  static const char *const yes[] = {"1", "yes", "YES", "true", "TRUE", "on", "ON"};
  size_t n;
  const berth_parameter_t *set = berth_pattern_parameters(p, &n);
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < sizeof yes / sizeof *yes; k++)
      if (strcmp(set[i].name, "MPIR_CVAR_NOLOCAL") == 0 && strcmp(set[i].value, yes[k]) == 0)
        return true;
  return false;
}
