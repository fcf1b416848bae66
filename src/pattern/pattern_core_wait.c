/* SPDX-License-Identifier: BSD-3-Clause */
#include "pattern/pattern_core_wait.h"

#include <math.h>

#include "base/text.h"

/* Of a rank's run. Less is usual: the system's own programs take up to 1% of a core. */
static const double WORTH_A_WORD = 0.02;

double pattern_core_wait_of(const berth_rank_info_t *info, double fallback)
{
  double outside_s = info->wall_s - info->mpi_s;
  if (info->core_wait_s < 0) return fallback;
  return outside_s > 0 ? fmin(info->core_wait_s / outside_s, 1) : 0;
}

char *pattern_core_wait_text(const berth_pattern_t *p)
{
  int most = -1;
  double share = WORTH_A_WORD;
  for (int r = 0; r < berth_pattern_ranks(p); r++) {
    const berth_rank_info_t *info = berth_pattern_rank(p, r);
    if (!info || info->core_wait_s <= share * info->wall_s) continue;
    share = info->core_wait_s / info->wall_s;
    most = r;
  }
  if (most < 0) return NULL;
  return text_printf(
      "in the recorded run rank %d waited for a core for %.1f%% of the time, because "
      "other processes or ranks had it. An undisturbed run takes less time.",
      most, 100 * share);
}
