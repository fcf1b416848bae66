/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks single values by the rules of the pattern format. */
#include "pattern/pattern_check.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "pattern/pattern_internal.h"

int pattern_check(uint64_t value, uint64_t max, const char *what, berth_error_t *err)
{
  if (value <= max) return BERTH_OK;
  return berth_fail(err, BERTH_BAD_INPUT, "found %s %lld, expected 0 to %llu", what,
                    (long long)value, (unsigned long long)max);
}

int pattern_check_any_text(const char *text, const char *what, berth_error_t *err)
{
  if (!text) return berth_fail(err, BERTH_BAD_INPUT, "found no %s, expected text", what);
  if (text_utf8_valid(text, strlen(text), NULL)) return BERTH_OK;
  return berth_fail(err, BERTH_BAD_INPUT, "found %s \"%.60s\", expected UTF-8 text", what, text);
}

int pattern_check_text(const char *text, const char *what, berth_error_t *err)
{
  int rc = pattern_check_any_text(text, what, err);
  if (rc || !text_has_control(text)) return rc;
  return berth_fail(err, BERTH_BAD_INPUT,
                    "found %s \"%.60s\", expected text without control characters", what, text);
}

int pattern_check_rank_info(const berth_rank_info_t *info, berth_error_t *err)
{
  int rc = pattern_check_text(info->host, "host", err);
  if (!rc && info->pu < -1)
    rc = berth_fail(err, BERTH_BAD_INPUT, "pu: found %d, expected -1 or a PU", info->pu);
  if (rc) return rc;
  bool known = info->wall_s >= 0 && isfinite(info->wall_s);
  if (!known && info->wall_s != -1)
    return berth_fail(err, BERTH_BAD_INPUT, "wall_s: found %.16g, expected a finite time or -1",
                      info->wall_s);
  if (!(info->mpi_s <= info->wall_s) || (info->mpi_s < 0) != (info->wall_s < 0) ||
      (!known && info->mpi_s != -1))
    return berth_fail(err, BERTH_BAD_INPUT, "mpi_s: found %.16g, expected at most wall_s, %.16g",
                      info->mpi_s, info->wall_s);
  double max = known ? info->wall_s : 0;
  if (!(info->unsure_s >= 0 && info->unsure_s <= max))
    return berth_fail(err, BERTH_BAD_INPUT, "unsure_s: found %.16g, expected 0 to wall_s, %.16g",
                      info->unsure_s, max);
  if (info->core_wait_s == -1 || (info->core_wait_s >= 0 && info->core_wait_s <= max))
    return BERTH_OK;
  return berth_fail(err, BERTH_BAD_INPUT, "core_wait_s: found %.16g, expected 0 to wall_s, %.16g",
                    info->core_wait_s, max);
}

static int check_cost(double cost_s, berth_error_t *err)
{
  if (cost_s >= 0 && isfinite(cost_s)) return BERTH_OK;
  return berth_fail(err, BERTH_BAD_INPUT,
                    "cost_s: found %g, expected a finite number of at least 0", cost_s);
}

int pattern_check_baseline(const berth_baseline_t *b, int ranks, berth_error_t *err)
{
  int rc = pattern_check_text(b->berth, "version", err);
  if (!rc) rc = pattern_check_text(b->model, "model", err);
  if (!rc) rc = pattern_check_text(b->topology, "topology", err);
  if (!rc) rc = pattern_check_text(b->algorithm, "algorithm", err);
  for (int i = 0; i < BERTH_N_OPERATIONS && !rc; i++)
    if (b->rules[i]) rc = pattern_check_text(b->rules[i], "rules", err);
  if (!rc) rc = check_cost(b->cost_s, err);
  for (size_t k = 0; k < b->n_phases && !rc; k++) {
    rc = pattern_check((uint64_t)b->phases[k].id, INT32_MAX, "phase", err);
    if (!rc) rc = pattern_check_text(b->phases[k].name, "phase name", err);
    if (!rc) rc = check_cost(b->phases[k].cost_s, err);
  }
  for (int r = 0; r < ranks && !rc; r++)
    rc = pattern_check((uint64_t)b->pu_of_rank[r], INT32_MAX, "PU", err);
  return rc;
}

int pattern_check_finished(const berth_pattern_t *p, berth_error_t *err)
{
  if (p->finished) return BERTH_OK;
  return berth_fail(err, BERTH_BAD_INPUT,
                    "found a pattern that isn't finished, expected berth_pattern_finish after the "
                    "last addition to it");
}
