/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes machinefiles of Intel MPI.
 * A line is "node0:2": the next two ranks are on the host. If each host has one run of ranks, its
 * line also binds them: "binding=map=3,0", by the operating system's CPU numbers. Otherwise the
 * command line binds, by one list for all hosts or by the script of write_pin.c. */
#include <stdlib.h>

#include "base/no_memory.h"
#include "base/out_file.h"
#include "base/text.h"
#include "mapping/mapping_hosts.h"
#include "mapping/mapping_internal.h"

/* Whether each host's ranks are consecutive. */
static bool in_runs(const hosts_t *h)
{
  for (int i = 0; i < h->n; i++)
    if (h->rank[h->start[i + 1] - 1] - h->rank[h->start[i]] != h->start[i + 1] - h->start[i] - 1)
      return false;
  return true;
}

static void put_runs(out_file_t *out, const hosts_t *h, bool binds)
{
  const berth_mapping_t *m = h->m;
  for (int r = 0, end; r < m->ranks; r = end) {
    int host = hosts_number(m, h->t, r);
    for (end = r + 1; end < m->ranks && hosts_number(m, h->t, end) == host;) end++;
    out_printf(out, "%s:%d", berth_topo_host(h->t, host)->name, end - r);
    for (int k = r; k < end && binds; k++)
      out_printf(out, "%s%d", k == r ? " binding=map=" : ",", hosts_cpu(m, h->t, k));
    out_text(out, "\n");
  }
}

int write_intel(const berth_mapping_t *m, const berth_topo_t *t, const char *path,
                berth_error_t *err)
{
  hosts_t h;
  out_file_t *out = NULL;
  int rc = hosts_init(&h, m, t, HOSTS_BY_RANK, err);
  if (!rc && !(out = out_open_raw(path, err))) rc = BERTH_MISSING;
  if (!rc) {
    put_runs(out, &h, in_runs(&h));
    rc = out_commit(out, err);
  }
  hosts_clear(&h);
  return rc;
}

char *intel_command(const berth_mapping_t *m, const berth_topo_t *t, const char *file,
                    const char *pin, berth_error_t *err)
{
  hosts_t h;
  char *cpus = NULL, *line = NULL, *pinned = hosts_pinned(pin);
  int rc = hosts_init(&h, m, t, HOSTS_BY_RANK, err);
  bool binds = !rc && in_runs(&h);
  if (!rc && !binds) rc = hosts_cpu_list(&h, &cpus, err);
  if (!rc && binds)
    line = text_printf("mpirun -machinefile %s -n %d ./app", file, m->ranks);
  else if (!rc && cpus)
    line = text_printf("I_MPI_PIN_PROCESSOR_LIST=%s mpirun -machinefile %s -n %d ./app", cpus, file,
                       m->ranks);
  else if (!rc && pinned)
    line = text_printf("I_MPI_PIN=off mpirun -machinefile %s -n %d %s", file, m->ranks, pinned);
  if (!rc && !line) no_memory(err);
  free(pinned);
  free(cpus);
  hosts_clear(&h);
  return line;
}

int intel_needs_pin(const berth_mapping_t *m, const berth_topo_t *t, int *needed,
                    berth_error_t *err)
{
  hosts_t h;
  char *cpus = NULL;
  int rc = hosts_init(&h, m, t, HOSTS_BY_RANK, err);
  bool binds = !rc && in_runs(&h);
  if (!rc && !binds) rc = hosts_cpu_list(&h, &cpus, err);
  *needed = !binds && !cpus;
  free(cpus);
  hosts_clear(&h);
  return rc;
}
