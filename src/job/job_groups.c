/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 0 reads groups; the others get what they need by messages. */
#include "job/job_groups.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "interpose/mpi_table.h"
#include "job/reader.h"

static void fill(const berth_groups_t *g, job_groups_t *out)
{
  const berth_group_level_t *host = NULL;
  for (int i = 0; i < g->ranks; i++) out->place[g->order[i]] = i;
  for (int i = 0; i < g->n_levels; i++)
    if (strcmp(g->levels[i].name, "host") == 0) host = &g->levels[i];
  for (int k = 0; host && k < host->n; k++)
    for (int i = host->start[k]; i < host->start[k + 1]; i++) out->host[g->order[i]] = k;
}

/* Free PUs, as they go to all ranks: pairs of a coordinator and a PU. */
typedef struct free_list {
  int n; /* integers */
  int *list;
} free_list_t;

static bool list_free(const berth_groups_t *g, free_list_t *f)
{
  size_t n = 0;
  for (int i = 0; i < g->n_free; i++) n += 2 * (size_t)g->free[i].n;
  if (n > INT_MAX / sizeof *f->list || !(f->list = malloc((n + 1) * sizeof *f->list))) return false;
  for (int i = 0; i < g->n_free; i++)
    for (int k = 0; k < g->free[i].n; k++) {
      f->list[f->n++] = g->free[i].coordinator;
      f->list[f->n++] = g->free[i].pu[k];
    }
  return true;
}

static bool read_file(const char *path, int n, job_groups_t *out, free_list_t *f)
{
  berth_groups_t g;
  if (!reader_load_groups("BERTH_GROUPS", path, n, &g)) return false;
  fill(&g, out);
  bool listed = list_free(&g, f);
  reader_clear_groups(&g);
  return listed;
}

/* Rank 0 has the list. Without memory for it nothing is known to be free. */
static void share_free(int rank, free_list_t *f, cpu_set_t *own)
{
  uint64_t able, all = 0;
  if (mpi.Bcast(&f->n, sizeof f->n, mpi.byte, 0, mpi.comm_world) != MPI_SUCCESS || f->n == 0)
    return;
  size_t bytes = (size_t)f->n * sizeof *f->list;
  if (rank > 0) f->list = malloc(bytes);
  able = f->list != NULL;
  mpi.Allreduce(&able, &all, 1, mpi.uint64, mpi.min, mpi.comm_world);
  if (!all || mpi.Bcast(f->list, (int)bytes, mpi.byte, 0, mpi.comm_world) != MPI_SUCCESS) return;
  for (int i = 0; i < f->n; i += 2)
    if (f->list[i] == rank && f->list[i + 1] < CPU_SETSIZE) CPU_SET(f->list[i + 1], own);
}

void job_groups_share(int n, int rank, bool agents, job_groups_t *out)
{
  const char *path = getenv("BERTH_GROUPS");
  size_t bytes = (size_t)n * sizeof(int);
  free_list_t f = {0};
  *out = (job_groups_t){.place = calloc((size_t)n, sizeof(int)),
                        .host = calloc((size_t)n, sizeof(int))};
  CPU_ZERO(&out->free);
  uint64_t able = out->place && out->host, all = 0;
  if (rank == 0 && (!path || !*path || (able && !read_file(path, n, out, &f)))) able = 0;
  int rc = mpi.Allreduce(&able, &all, 1, mpi.uint64, mpi.min, mpi.comm_world);
  if (rc == MPI_SUCCESS && all) rc = mpi.Bcast(out->place, (int)bytes, mpi.byte, 0, mpi.comm_world);
  if (rc == MPI_SUCCESS && all) rc = mpi.Bcast(out->host, (int)bytes, mpi.byte, 0, mpi.comm_world);
  if (rc == MPI_SUCCESS && all && agents) share_free(rank, &f, &out->free);
  free(f.list);
  if (rc != MPI_SUCCESS || !all) job_groups_clear(out);
}

void job_groups_clear(job_groups_t *g)
{
  free(g->place);
  free(g->host);
  *g = (job_groups_t){0};
}
