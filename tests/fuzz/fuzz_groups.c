/* SPDX-License-Identifier: BSD-3-Clause */
/* The reader of groups: any bytes load, and are pieces of the order then, or fail with one line. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "mapping/groups.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
  berth_error_t err = {0};
  berth_groups_t g;
  int rc = groups_parse((const char *)data, n, "f", -1, &g, &err);
  if (rc && (rc != BERTH_BAD_INPUT || !*err.text || strchr(err.text, '\n'))) abort();
  for (int i = 0; !rc && i < g.ranks; i++)
    if (g.order[i] < 0 || g.order[i] >= g.ranks) abort();
  for (int i = 0; !rc && i < g.n_levels; i++)
    if (g.levels[i].start[0] != 0 || g.levels[i].start[g.levels[i].n] != g.ranks) abort();
  berth_groups_clear(&g);
  return 0;
}
