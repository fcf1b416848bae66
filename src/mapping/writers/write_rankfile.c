/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes Open MPI's rankfiles.
 * A line is "rank 0=node0 slot=3". The slot is hwloc's logical core of the host. Open MPI 4.1 and 5
 * (PRRTE) read the same lines, but have different options for the file. */
#include "base/no_memory.h"
#include "base/out_file.h"
#include "base/text.h"
#include "mapping/mapping_hosts.h"
#include "mapping/mapping_internal.h"

int write_rankfile(const berth_mapping_t *m, const berth_topo_t *t, const char *path,
                   berth_error_t *err)
{
  int rc = hosts_check_names(m, t, err);
  if (rc) return rc;
  out_file_t *out = out_open_raw(path, err);
  if (!out) return BERTH_MISSING;
  for (int r = 0; r < m->ranks; r++) {
    const berth_pu_t *pu = berth_topo_pu(t, m->pu_of_rank[r]);
    out_printf(out, "rank %d=%s slot=%d\n", r, berth_topo_host(t, pu->host)->name, pu->core);
  }
  return out_commit(out, err);
}

char *rankfile_command(const berth_mapping_t *m, const berth_topo_t *t, const char *file,
                       const char *pin, berth_error_t *err)
{
  (void)pin;
  const char *yield = hosts_openmpi_yield(m, t, err);
  if (!yield) return NULL;
  char *line = text_printf("mpirun %s--rankfile %s -np %d ./app\n"
                           "mpirun %s--map-by rankfile:file=%s -np %d ./app   # Open MPI 5",
                           yield, file, m->ranks, yield, file, m->ranks);
  if (!line) no_memory(err);
  return line;
}
