/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes Open MPI's rankfiles, and hostfiles of its sequential mapper.
 * A line is "rank 0=node0 slot=3" or "node0 3". The slot is hwloc's logical core of the host.
 * Without the core in a hostfile only ranks on mpirun's own host are bound (4.1.4). Open MPI 4.1
 * and 5 (PRRTE) read the same lines, but have different options for the file. */
#include "base/no_memory.h"
#include "base/text.h"
#include "mapping/mapping_hosts.h"
#include "mapping/mapping_internal.h"

static void put_rankfile(out_file_t *out, const berth_topo_t *t, int rank, const berth_pu_t *pu)
{
  out_printf(out, "rank %d=%s slot=%d\n", rank, berth_topo_host(t, pu->host)->name, pu->core);
}

int write_rankfile(const berth_mapping_t *m, const berth_topo_t *t, const char *path,
                   berth_error_t *err)
{
  return hosts_write_lines(m, t, path, put_rankfile, err);
}

static void put_seq(out_file_t *out, const berth_topo_t *t, int rank, const berth_pu_t *pu)
{
  (void)rank;
  out_printf(out, "%s %d\n", berth_topo_host(t, pu->host)->name, pu->core);
}

int write_seq(const berth_mapping_t *m, const berth_topo_t *t, const char *path, berth_error_t *err)
{
  return hosts_write_lines(m, t, path, put_seq, err);
}

/* The commands of version 4.1, with `options`, and of version 5, which calls the mapper `mapper`.
 */
static char *command(const berth_mapping_t *m, const berth_topo_t *t, const char *file,
                     const char *options, const char *mapper, berth_error_t *err)
{
  const char *yield = hosts_openmpi_yield(m, t, err);
  if (!yield) return NULL;
  char *line = text_printf("mpirun %s%s %s -np %d ./app\n"
                           "mpirun %s--map-by %s:file=%s -np %d ./app   # Open MPI 5",
                           yield, options, file, m->ranks, yield, mapper, file, m->ranks);
  return line ? line : no_memory_null(err);
}

char *openmpi_command_rankfile(const berth_mapping_t *m, const berth_topo_t *t, const char *file,
                               const char *pin, berth_error_t *err)
{
  (void)pin;
  return command(m, t, file, "--rankfile", "rankfile", err);
}

char *openmpi_command_seq(const berth_mapping_t *m, const berth_topo_t *t, const char *file,
                          const char *pin, berth_error_t *err)
{
  (void)pin;
  return command(m, t, file, "--map-by seq --hostfile", "seq", err);
}
