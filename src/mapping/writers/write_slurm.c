/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the file for SLURM_HOSTFILE and srun --distribution=arbitrary.
 * Line r has rank r's host. srun binds the i-th rank of every host to the i-th CPU of one list
 * (--cpu-bind=map_cpu, by the operating system's numbers). If no list suits all hosts, the script
 * of write_pin.c binds. */
#include <stdlib.h>

#include "base/no_memory.h"
#include "base/out_file.h"
#include "base/text.h"
#include "mapping/mapping_hosts.h"
#include "mapping/mapping_internal.h"

static void put_host(out_file_t *out, const berth_topo_t *t, int rank, const berth_pu_t *pu)
{
  (void)rank;
  out_printf(out, "%s\n", berth_topo_host(t, pu->host)->name);
}

int write_slurm(const berth_mapping_t *m, const berth_topo_t *t, const char *path,
                berth_error_t *err)
{
  return hosts_write_lines(m, t, path, put_host, err);
}

char *slurm_command(const berth_mapping_t *m, const berth_topo_t *t, const char *file,
                    const char *pin, berth_error_t *err)
{
  hosts_t h;
  char *cpus = NULL, *line = NULL, *pinned = hosts_pinned(pin);
  int rc = hosts_init(&h, m, t, HOSTS_BY_RANK, err);
  if (!rc) rc = hosts_cpu_list(&h, &cpus, err);
  if (!rc && pinned)
    line = text_printf("SLURM_HOSTFILE=%s srun --distribution=arbitrary -n %d%s --cpu-bind=%s%s %s",
                       file, m->ranks, h.shared ? " --overcommit" : "", cpus ? "map_cpu:" : "none",
                       cpus ? cpus : "", cpus ? "./app" : pinned);
  if (!rc && !line) no_memory(err);
  free(pinned);
  free(cpus);
  hosts_clear(&h);
  return line;
}

int slurm_needs_pin(const berth_mapping_t *m, const berth_topo_t *t, int *needed,
                    berth_error_t *err)
{
  hosts_t h;
  char *cpus = NULL;
  int rc = hosts_init(&h, m, t, HOSTS_BY_RANK, err);
  if (!rc) rc = hosts_cpu_list(&h, &cpus, err);
  *needed = !cpus;
  free(cpus);
  hosts_clear(&h);
  return rc;
}
