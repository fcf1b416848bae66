/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/options/usable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "cli/options/load.h"

/* Marks the hosts and cores that a single rank might have. A mapper sees second hardware threads
 * only where ranks are many, so cores are compared, not PUs. */
static int find_usable(const inputs_t *in, const berth_pattern_t *one, berth_map_problem_t *problem,
                       berth_error_t *err)
{
  berth_map_options_t options = berth_map_defaults();
  options.hosts = in->map.hosts;
  options.reserve = in->map.reserve;
  int rc = berth_map_problem_init(problem, one, in->topo, &options, err);
  return rc == BERTH_BAD_INPUT ? BERTH_OK : rc; /* nothing is left: no PU is usable */
}

static int compare_cores(const berth_pu_t *a, const berth_pu_t *b)
{
  if (a->host != b->host) return a->host < b->host ? -1 : 1;
  return (a->core > b->core) - (a->core < b->core);
}

typedef struct core_list {
  const berth_pu_t **pu; /* one of each core, sorted by host and core */
  int n;
} core_list_t;

static int by_core(const void *a, const void *b)
{
  return compare_cores(*(const berth_pu_t *const *)a, *(const berth_pu_t *const *)b);
}

static bool has_core(const core_list_t *list, const berth_pu_t *pu)
{
  return bsearch(&pu, list->pu, (size_t)list->n, sizeof(berth_pu_t *), by_core) != NULL;
}

static int check_ranks(const inputs_t *in, const char *path, const berth_mapping_t *m,
                       const core_list_t *usable, berth_error_t *err)
{
  for (int r = 0; r < m->ranks; r++) {
    const berth_pu_t *pu = berth_topo_pu(in->topo, m->pu_of_rank[r]);
    if (has_core(usable, pu)) continue;
    char what[160] = "";
    if (in->map.hosts) snprintf(what, sizeof what, "--hosts %.100s", in->map.hosts);
    if (in->map.reserve > 0)
      snprintf(what + strlen(what), sizeof what - strlen(what), "%s--reserve %d",
               *what ? " with " : "", in->map.reserve);
    return berth_fail(
        err, BERTH_BAD_INPUT,
        "%s: rank %d: found PU %d of host %s, core %d, expected a core that %s leaves", path, r,
        m->pu_of_rank[r], berth_topo_host(in->topo, pu->host)->name, pu->core, what);
  }
  return BERTH_OK;
}

static int check_cores(const inputs_t *in, const char *path, const berth_mapping_t *m,
                       berth_error_t *err)
{
  if (!in->map.hosts && in->map.reserve == 0) return BERTH_OK;
  berth_map_problem_t problem = {0};
  berth_pattern_t *one = berth_pattern_new(1, err);
  if (!one) return BERTH_MISSING;
  int rc = berth_pattern_finish(one, err);
  if (!rc) rc = find_usable(in, one, &problem, err);
  core_list_t usable = {calloc((size_t)problem.n_pus + 1, sizeof *usable.pu), problem.n_pus};
  if (!rc && !usable.pu) rc = no_memory(err);
  for (int i = 0; i < usable.n && !rc; i++) usable.pu[i] = berth_topo_pu(in->topo, problem.pus[i]);
  if (!rc) {
    qsort(usable.pu, (size_t)usable.n, sizeof *usable.pu, by_core);
    rc = check_ranks(in, path, m, &usable, err);
  }
  free(usable.pu);
  berth_map_problem_clear(&problem);
  berth_pattern_free(one);
  return rc;
}

/* Unknown scopes are those of a mapping that wasn't restricted. */
static void remember_scope(inputs_t *in, const berth_mapping_scope_t *scope)
{
  const char *hosts = scope->hosts ? scope->hosts : "";
  int ranks_per_pu = scope->ranks_per_pu ? scope->ranks_per_pu : 1;
  if (in->scope_ranks_per_pu == 0) {
    in->scope_hosts = hosts;
    in->scope_reserve = scope->reserve;
    in->scope_ranks_per_pu = ranks_per_pu;
  }
  in->scopes_differ = in->scopes_differ || in->scope_reserve != scope->reserve ||
                      in->scope_ranks_per_pu != ranks_per_pu || strcmp(in->scope_hosts, hosts) != 0;
}

int usable_load(inputs_t *in, const char *option, const char *path, bool shared,
                berth_mapping_t *out, berth_error_t *err)
{
  *out = (berth_mapping_t){0};
  int rc = load_mapping(option, path, berth_pattern_ranks(in->pattern), in->topo,
                        shared || in->map.ranks_per_pu > 1, out, err);
  if (!rc) remember_scope(in, &out->scope);
  return rc ? rc : check_cores(in, path, out, err);
}

void usable_adopt_scope(inputs_t *in)
{
  bool given = in->map.hosts || in->map.reserve > 0 || in->map.ranks_per_pu > 1;
  if (given || in->scope_ranks_per_pu == 0) return;
  if (in->scopes_differ) {
    fputs("note: the mappings were made with different --hosts, --reserve or --ranks-per-pu; the "
          "default order gets all PUs\n",
          stderr);
    return;
  }
  in->map.hosts = *in->scope_hosts ? in->scope_hosts : NULL;
  in->map.reserve = in->scope_reserve;
  in->map.ranks_per_pu = in->scope_ranks_per_pu;
}
