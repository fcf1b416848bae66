/* SPDX-License-Identifier: BSD-3-Clause */
#include "cost/recorded_run.h"

#include <string.h>

double recorded_run_s(const berth_pattern_t *p)
{
  double wall = 0;
  for (int r = 0; r < berth_pattern_ranks(p); r++) wall += berth_pattern_rank(p, r)->wall_s;
  return wall / berth_pattern_ranks(p);
}

bool recorded_run_was_here(const berth_pattern_t *p, const berth_topo_t *t, const int *pu_of_rank)
{
  for (int r = 0; r < berth_pattern_ranks(p); r++) {
    const berth_rank_info_t *info = berth_pattern_rank(p, r);
    int host = berth_topo_pu(t, pu_of_rank[r])->host;
    if (!info || host < 0 || strcmp(info->host, berth_topo_host(t, host)->name) != 0) return false;
  }
  return true;
}
