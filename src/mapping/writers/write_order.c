/* SPDX-License-Identifier: BSD-3-Clause */
/* What is told by order alone, to a job that is started in plain order, equally many processes on
 * each host in turn: Cray's MPICH_RANK_ORDER, a permutation, and keys for MPI_Comm_split. */
#include <stdlib.h>

#include "base/no_memory.h"
#include "base/out_file.h"
#include "base/text.h"
#include "mapping/mapping_hosts.h"
#include "mapping/mapping_internal.h"

/* Prints the file's lines. h->rank[p] is the rank that process p shall have, process[] the inverse.
 */
typedef void print_order(out_file_t *out, const hosts_t *h, const int *process);

static int write_order(const berth_mapping_t *m, const berth_topo_t *t, const char *path,
                       print_order *print, berth_error_t *err)
{
  hosts_t h;
  char *cpus = NULL;
  out_file_t *out = NULL;
  int rc = hosts_plain_start(&h, m, t, &cpus, err);
  int *process = malloc((size_t)m->ranks * sizeof *process);
  if (!rc && !process) rc = no_memory(err);
  for (int p = 0; p < m->ranks && !rc; p++) process[h.rank[p]] = p;
  if (!rc && !(out = out_open_raw(path, err))) rc = BERTH_MISSING;
  if (!rc) {
    print(out, &h, process);
    rc = out_commit(out, err);
  }
  free(process);
  free(cpus);
  hosts_clear(&h);
  return rc;
}

/* Each host's ranks in the order of its processes, a line a host. */
static void print_cray(out_file_t *out, const hosts_t *h, const int *process)
{
  (void)process;
  for (int i = 0; i < h->n; i++) {
    out_printf(out, "# %s\n", h->name[i]);
    for (int k = h->start[i]; k < h->start[i + 1]; k++)
      out_printf(out, "%s%d", k > h->start[i] ? "," : "", h->rank[k]);
    out_text(out, "\n");
  }
}

int write_cray(const berth_mapping_t *m, const berth_topo_t *t, const char *path,
               berth_error_t *err)
{
  return write_order(m, t, path, print_cray, err);
}

char *order_command_cray(const berth_mapping_t *m, const berth_topo_t *t, const char *file,
                         const char *pin, berth_error_t *err)
{
  (void)pin;
  char *settings = text_printf("MPICH_RANK_REORDER_METHOD=3 MPICH_RANK_REORDER_FILE=%s ", file);
  char *line = settings ? hosts_plain_command(m, t, settings, err) : NULL;
  if (!settings) no_memory(err);
  free(settings);
  return line;
}

/* Line p: the rank that process p shall have; as its key, that is what it gets. */
static void print_keys(out_file_t *out, const hosts_t *h, const int *process)
{
  (void)process;
  for (int p = 0; p < h->m->ranks; p++) out_printf(out, "%d\n", h->rank[p]);
}

int write_split_key(const berth_mapping_t *m, const berth_topo_t *t, const char *path,
                    berth_error_t *err)
{
  return write_order(m, t, path, print_keys, err);
}

/* Line r: the process that shall have rank r. */
static void print_permutation(out_file_t *out, const hosts_t *h, const int *process)
{
  for (int r = 0; r < h->m->ranks; r++) out_printf(out, "%d\n", process[r]);
}

int write_permutation(const berth_mapping_t *m, const berth_topo_t *t, const char *path,
                      berth_error_t *err)
{
  return write_order(m, t, path, print_permutation, err);
}

char *order_command(const berth_mapping_t *m, const berth_topo_t *t, const char *file,
                    const char *pin, berth_error_t *err)
{
  (void)pin;
  (void)file;
  return hosts_plain_command(m, t, "", err);
}
