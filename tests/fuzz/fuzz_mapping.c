/* SPDX-License-Identifier: BSD-3-Clause */
/* The reader of mappings: any bytes load or fail with one line. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "map/map_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
  for (int shared = 0; shared < 2; shared++) {
    berth_error_t err = {0};
    berth_mapping_t m;
    mapping_rules_t rules = {-1, 64, shared, NULL};
    int rc = mapping_parse((const char *)data, n, "f", &rules, &m, &err);
    if (rc && (rc != BERTH_BAD_INPUT || !*err.text || strchr(err.text, '\n'))) abort();
    for (int r = 0; !rc && r < m.ranks; r++)
      if (m.pu_of_rank[r] < 0 || m.pu_of_rank[r] >= 64) abort();
    berth_mapping_clear(&m);
  }
  return 0;
}
