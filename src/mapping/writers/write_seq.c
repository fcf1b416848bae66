/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes hostfiles of Open MPI's sequential mapper.
 * Line r has rank r's host and, behind a blank, hwloc's logical core of the host, as in a rankfile.
 * Without the core only ranks on mpirun's own host are bound (4.1.4). */
#include "base/no_memory.h"
#include "base/out_file.h"
#include "base/text.h"
#include "mapping/mapping_hosts.h"
#include "mapping/mapping_internal.h"

int write_seq(const berth_mapping_t *m, const berth_topo_t *t, const char *path, berth_error_t *err)
{
  int rc = hosts_check_names(m, t, err);
  if (rc) return rc;
  out_file_t *out = out_open_raw(path, err);
  if (!out) return BERTH_MISSING;
  for (int r = 0; r < m->ranks; r++) {
    const berth_pu_t *pu = berth_topo_pu(t, m->pu_of_rank[r]);
    out_printf(out, "%s %d\n", berth_topo_host(t, pu->host)->name, pu->core);
  }
  return out_commit(out, err);
}

char *seq_command(const berth_mapping_t *m, const berth_topo_t *t, const char *file,
                  const char *pin, berth_error_t *err)
{
  (void)pin;
  const char *yield = hosts_openmpi_yield(m, t, err);
  if (!yield) return NULL;
  char *line = text_printf("mpirun %s--map-by seq --hostfile %s -np %d ./app\n"
                           "mpirun %s--map-by seq:file=%s -np %d ./app   # Open MPI 5",
                           yield, file, m->ranks, yield, file, m->ranks);
  if (!line) no_memory(err);
  return line;
}
