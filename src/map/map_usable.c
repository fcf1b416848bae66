/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks that a mapping keeps to the cores that options leave. */
#include <berth/map.h>
#include <stdlib.h>
#include <string.h>

#include "base/field.h"
#include "base/no_memory.h"
#include "base/order.h"

/* The PUs that a single rank might have. A mapper sees second hardware threads only where ranks are
 * many, so cores are compared, not PUs. */
static int find_usable(const berth_topo_t *t, const char *hosts, int reserve,
                       const berth_pattern_t *one, berth_map_problem_t *problem, berth_error_t *err)
{
  berth_map_options_t options = berth_map_defaults();
  options.hosts = hosts;
  options.reserve = reserve;
  int rc = berth_map_problem_init(problem, one, t, &options, err);
  return rc == BERTH_BAD_INPUT ? BERTH_OK : rc; /* nothing is left: no PU is usable */
}

ORDER_POINTERS_BY(by_core, berth_pu_t, RISING(host) RISING(core))

static int wrong_rank(const berth_mapping_t *m, const berth_topo_t *t, int rank, const char *hosts,
                      int reserve, berth_error_t *err)
{
  char what[360] = "";
  const berth_pu_t *pu = berth_topo_pu(t, m->pu_of_rank[rank]);
  if (hosts) field_print(what, sizeof what, "`hosts` %.100s", hosts);
  if (reserve > 0)
    field_print(what + strlen(what), sizeof what - strlen(what), "%s`reserve` %d",
                *what ? " with " : "", reserve);
  return berth_fail(err, BERTH_BAD_INPUT,
                    "rank %d: found PU %d of host %s, core %d, expected a core that %s leaves",
                    rank, m->pu_of_rank[rank], berth_topo_host(t, pu->host)->name, pu->core, what);
}

int berth_map_check_usable(const berth_mapping_t *m, const berth_topo_t *t, const char *hosts,
                           int reserve, berth_error_t *err)
{
  if (!hosts && reserve == 0) return BERTH_OK;
  berth_error_t own;
  if (!err) err = &own;
  berth_map_problem_t problem = {0};
  berth_pattern_t *one = berth_pattern_new(1, err);
  if (!one) return BERTH_MISSING;
  int rc = berth_pattern_finish(one, err);
  if (!rc) rc = find_usable(t, hosts, reserve, one, &problem, err);
  size_t n = (size_t)problem.n_pus;
  const berth_pu_t **core = calloc(n + 1, sizeof *core);
  if (!rc && !core) rc = no_memory(err);
  for (size_t i = 0; i < n && !rc; i++) core[i] = berth_topo_pu(t, problem.pus[i]);
  if (!rc) qsort(core, n, sizeof *core, by_core);
  for (int r = 0; r < m->ranks && !rc; r++) {
    const berth_pu_t *pu = berth_topo_pu(t, m->pu_of_rank[r]);
    if (!bsearch(&pu, core, n, sizeof *core, by_core))
      rc = wrong_rank(m, t, r, hosts, reserve, err);
  }
  free(core);
  berth_map_problem_clear(&problem);
  berth_pattern_free(one);
  return rc;
}
