/* SPDX-License-Identifier: BSD-3-Clause */
/* The reader of mappings, of berth's own and of other tools' placements: any bytes load or fail
 * with one line. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "mapping/mapping_internal.h"

enum { HOSTS = 8, PUS = 64 };

static berth_topo_t *machine(void)
{
  berth_topo_t *t = berth_topo_new("", NULL);
  berth_type_t type = {.name = "host", .up = {{-1}, {-1}}, .down = {{-1}, {-1}}};
  int n = berth_topo_add_type(t, &type, NULL);
  int root = berth_topo_add_switch(t, -1, n, "root", NULL, NULL);
  for (int h = 0; h < HOSTS; h++) {
    char name[] = {(char)('a' + h), '\0'};
    int e = berth_topo_add_switch(t, root, n, name, name, NULL);
    for (int i = 0; i < PUS / HOSTS; i++) berth_topo_add_pu(t, e, i, i / 2, NULL);
  }
  if (berth_topo_finish(t, NULL)) abort();
  return t;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
  static berth_topo_t *topo;
  if (!topo) topo = machine();
  for (int shared = 0; shared < 2; shared++) {
    berth_error_t err = {0};
    berth_mapping_t m;
    mapping_rules_t rules = {-1, PUS, shared, topo};
    int rc = mapping_parse((const char *)data, n, "f", &rules, &m, &err);
    if (rc && (rc != BERTH_BAD_INPUT || !*err.text || strchr(err.text, '\n'))) abort();
    for (int r = 0; !rc && r < m.ranks; r++)
      if (m.pu_of_rank[r] < 0 || m.pu_of_rank[r] >= PUS) abort();
    berth_mapping_clear(&m);
  }
  return 0;
}
