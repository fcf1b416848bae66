/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/options/usable.h"

#include <stdio.h>
#include <string.h>

#include "cli/options/load.h"

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
  if (rc) return rc;
  berth_error_t why = {0};
  rc = berth_map_check_usable(out, in->topo, in->map.hosts, in->map.reserve, &why);
  if (rc == BERTH_BAD_INPUT) return berth_fail(err, rc, "%s: %s", path, why.text);
  if (rc) *err = why;
  return rc;
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
