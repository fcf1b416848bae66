/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 0 reads groups; the others get what they need by messages. */
#include "coll/job_groups.h"

#include <stdlib.h>
#include <string.h>

#include "coll/coll.h"
#include "coll/reader.h"

static void fill(const berth_groups_t *g, coll_groups_t *out)
{
  const berth_group_level_t *host = NULL;
  for (int i = 0; i < g->ranks; i++) out->place[g->order[i]] = i;
  for (int i = 0; i < g->n_levels; i++)
    if (strcmp(g->levels[i].name, "host") == 0) host = &g->levels[i];
  for (int k = 0; host && k < host->n; k++)
    for (int i = host->start[k]; i < host->start[k + 1]; i++) out->host[g->order[i]] = k;
}

static bool read_file(const char *path, int n, coll_groups_t *out)
{
  berth_groups_t g;
  if (!reader_load_groups("BERTH_GROUPS", path, n, &g)) return false;
  fill(&g, out);
  reader_clear_groups(&g);
  return true;
}

void coll_groups_share(int n, int rank, coll_groups_t *out)
{
  const char *path = getenv("BERTH_GROUPS");
  size_t bytes = (size_t)n * sizeof(int);
  *out = (coll_groups_t){calloc((size_t)n, sizeof(int)), calloc((size_t)n, sizeof(int))};
  uint64_t able = out->place && out->host, all = 0;
  if (rank == 0 && (!path || !*path || (able && !read_file(path, n, out)))) able = 0;
  int rc = mpi.Allreduce(&able, &all, 1, mpi.uint64, mpi.min, mpi.comm_world);
  if (rc == MPI_SUCCESS && all) rc = mpi.Bcast(out->place, (int)bytes, mpi.byte, 0, mpi.comm_world);
  if (rc == MPI_SUCCESS && all) rc = mpi.Bcast(out->host, (int)bytes, mpi.byte, 0, mpi.comm_world);
  if (rc != MPI_SUCCESS || !all) coll_groups_clear(out);
}

void coll_groups_clear(coll_groups_t *g)
{
  free(g->place);
  free(g->host);
  *g = (coll_groups_t){0};
}
