/* SPDX-License-Identifier: BSD-3-Clause */
/* Open MPI's rankfile: "rank 0=node0 slot=3", the slot a logical core (hwloc) of the host. Taken by
 * Open MPI 4.1 as --rankfile FILE and by 5.0 as --map-by rankfile:file=FILE. */
#include "base/file_out.h"
#include "map/map_internal.h"

int write_rankfile(const berth_mapping_t *m, const berth_topo_t *t, const char *path,
                   berth_error_t *err)
{
  out_file_t *out = out_open(path, err);
  if (!out) return BERTH_MISSING;
  for (int r = 0; r < m->ranks; r++) {
    const berth_pu_t *pu = berth_topo_pu(t, m->pu_of_rank[r]);
    out_printf(out, "rank %d=%s slot=%d\n", r, berth_topo_host(t, pu->host)->name, pu->core);
  }
  return out_commit(out, err);
}
