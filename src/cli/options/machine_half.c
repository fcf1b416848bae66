/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/options/machine_half.h"

#include <berth/collectives.h>
#include <berth/cost.h>

#include "schedule/two_levels/choose.h"

int machine_half(const berth_topo_t *t, double *half, berth_error_t *err)
{
  double small = 0, large = 0;
  int rc = BERTH_OK;
  if (berth_topo_n_hosts(t) > 1) {
    int second = berth_topo_element(t, berth_topo_host(t, 1)->element)->first_pu;
    rc = berth_message_time(t, 0, second, CHOOSE_SMALL, &small, err);
    if (!rc) rc = berth_message_time(t, 0, second, CHOOSE_LARGE, &large, err);
  }
  *half = berth_collectives_half(small, large);
  return rc;
}
