/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 0 reads groups by a library of its own, which has the reader of JSON; the others get what
 * they need by messages. */
#include "coll/job_groups.h"

#include <berth/groups.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "coll/coll.h"
#include "interpose/beside.h"

static void fill(const berth_groups_t *g, coll_groups_t *out)
{
  const berth_group_level_t *host = NULL;
  for (int i = 0; i < g->ranks; i++) out->place[g->order[i]] = i;
  for (int i = 0; i < g->n_levels; i++)
    if (strcmp(g->levels[i].name, "host") == 0) host = &g->levels[i];
  for (int k = 0; host && k < host->n; k++)
    for (int i = host->start[k]; i < host->start[k + 1]; i++) out->host[g->order[i]] = k;
}

/* Opening a pipe that nobody writes to would stop the job. */
static bool is_file(const char *path)
{
  struct stat s;
  return stat(path, &s) != 0 || S_ISREG(s.st_mode); /* the reader says what is missing */
}

static bool read_file(const char *path, int n, coll_groups_t *out)
{
  if (!is_file(path)) {
    coll_say("BERTH_GROUPS: %s: found no regular file, expected one; groups aren't used", path);
    return false;
  }
  __typeof__(&berth_groups_load) load = NULL;
  __typeof__(&berth_groups_clear) clear = NULL;
  berth_error_t err = {0};
  berth_groups_t g;
  static const char library[] = "../libberth-groups.so";
  *(void **)&load = beside_load(library, "berth_groups_load", err.text, sizeof err.text);
  *(void **)&clear = beside_load(library, "berth_groups_clear", err.text, sizeof err.text);
  bool read = load && clear && load(path, n, &g, &err) == BERTH_OK;
  if (!read) {
    coll_say("BERTH_GROUPS: %s; groups aren't used", err.text);
    return false;
  }
  fill(&g, out);
  clear(&g);
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
