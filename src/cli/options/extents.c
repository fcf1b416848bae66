/* SPDX-License-Identifier: BSD-3-Clause */
/* Extents of grids and blocks. */
#include "cli/options/extents.h"

#include <berth/limits.h>
#include <stdlib.h>

int extents_read(const char *text, uint64_t max, uint64_t out[EXTENTS])
{
  for (int n = 0; n < EXTENTS; n++) {
    char *end;
    if (*text < '0' || *text > '9') return 0;
    out[n] = strtoull(text, &end, 10);
    if (out[n] < 1 || out[n] > max) return 0;
    if (!*end) return n + 1;
    if (*end != 'x') return 0;
    text = end + 1;
  }
  return 0;
}

int extents_grid(struct argp_state *state, const option_t *option, const char *arg,
                 int out[EXTENTS])
{
  uint64_t found[EXTENTS] = {0};
  int n = extents_read(arg, BERTH_MAX_RANKS, found);
  if (n == 0)
    argp_error(state, "%s: found '%s', expected up to 4 numbers of ranks, as in 8x8x4",
               option->name, arg);
  for (int d = 0; d < n; d++) out[d] = (int)found[d];
  return n;
}
