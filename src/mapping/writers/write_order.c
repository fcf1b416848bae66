/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes orders of ranks for jobs with a plain start.
 * Cray's MPICH_RANK_ORDER, a permutation, and keys for MPI_Comm_split. A plain start has the same
 * number of processes on each host in turn. */
#include <stdlib.h>

#include "base/no_memory.h"
#include "base/out_file.h"
#include "base/text.h"
#include "mapping/mapping_hosts.h"
#include "mapping/mapping_internal.h"

/* Prints a file's lines. h->rank[p] is the rank that process p should have; process[] is the
 * inverse. */
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

/* A line for each host: the ranks of its processes, in order. */
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

/* Line p: the key of process p, which is the rank that it should have. */
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

/* Line r: the process that should have rank r. */
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
