/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/options/machine_half.h"

#include <berth/collectives.h>
#include <berth/cost.h>

#include "schedule/two_levels/choose.h"

/* Seconds of a message from one PU to another. */
static int message_time(const berth_topo_t *t, const int pu[2], uint64_t bytes, double *seconds,
                        berth_error_t *err)
{
  const berth_message_t m = {
      .phase = 0, .src = 0, .dst = 1, .size = bytes, .count = 1, .bytes = bytes};
  berth_pattern_t *p = berth_pattern_new(2, err);
  int rc = p ? berth_pattern_add_message(p, &m, err) : BERTH_MISSING;
  if (!rc) rc = berth_pattern_finish(p, err);
  berth_cost_t *c = rc ? NULL : berth_cost_new(p, t, err);
  if (!rc && !c) rc = err->code;
  if (c) *seconds = berth_cost_evaluate(c, BERTH_MODEL_PORT, pu);
  berth_cost_free(c);
  berth_pattern_free(p);
  return rc;
}

int machine_half(const berth_topo_t *t, double *half, berth_error_t *err)
{
  double seconds[2] = {0, 0};
  int rc = BERTH_OK;
  if (berth_topo_n_hosts(t) > 1) {
    int second = berth_topo_host(t, 1)->element;
    const int pu[2] = {0, berth_topo_element(t, second)->first_pu};
    rc = message_time(t, pu, CHOOSE_SMALL, &seconds[0], err);
    if (!rc) rc = message_time(t, pu, CHOOSE_LARGE, &seconds[1], err);
  }
  *half = berth_collectives_half(seconds[0], seconds[1]);
  return rc;
}
