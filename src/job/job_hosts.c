/* SPDX-License-Identifier: BSD-3-Clause */
#include "job/job_hosts.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "interpose/mpi_table.h"

/* Cores that the ranks of this host may use together. */
static int usable_cores(MPI_Comm host, cpu_set_t *all)
{
  cpu_set_t own;
  CPU_ZERO(&own);
  sched_getaffinity(0, sizeof own, &own);
  int words = sizeof own / sizeof(uint64_t);
  if (mpi.Allreduce(&own, all, words, mpi.uint64, mpi.bor, host) != MPI_SUCCESS) return 1;
  return CPU_COUNT(all);
}

/* Ranks that the MPI has on one host, by the lowest one. Counts cores. */
static bool find_machines(int rank, job_hosts_t *h)
{
  MPI_Comm machine;
  int lowest = rank, n = 1;
  if (mpi.Comm_split_type(mpi.comm_world, MPI_COMM_TYPE_SHARED, rank, mpi.info_null, &machine) !=
      MPI_SUCCESS)
    return false;
  mpi.Comm_size(machine, &n);
  mpi.Bcast(&lowest, sizeof lowest, mpi.byte, 0, machine);
  h->crowded = n > usable_cores(machine, &h->cores);
  mpi.Comm_free(&machine);
  return mpi.Allgather(&lowest, sizeof lowest, mpi.byte, h->host, sizeof lowest, mpi.byte,
                       mpi.comm_world) == MPI_SUCCESS;
}

/* By host, then by the groups' host, then by rank. */
static int compare_ranks(const void *a, const void *b, void *hosts)
{
  const job_hosts_t *h = hosts;
  int x = *(const int *)a, y = *(const int *)b;
  if (h->host[x] != h->host[y]) return h->host[x] - h->host[y];
  if (h->groups.host[x] != h->groups.host[y]) return h->groups.host[x] - h->groups.host[y];
  return x - y;
}

/* Divides hosts of the MPI where the groups do. `sorted` has room for all n ranks. */
static void divide(job_hosts_t *h, int n, int *sorted)
{
  for (int i = 0; i < n; i++) sorted[i] = i;
  qsort_r(sorted, (size_t)n, sizeof *sorted, compare_ranks, h);
  int host = -1, group = -1, lowest = 0;
  for (int i = 0; i < n; i++) {
    int rank = sorted[i];
    if (h->host[rank] != host || h->groups.host[rank] != group) lowest = rank;
    host = h->host[rank];
    group = h->groups.host[rank];
    h->host[rank] = lowest;
  }
}

bool job_hosts_find(int rank, int n, bool agents, job_hosts_t *out)
{
  int *room = malloc((size_t)n * sizeof *room);
  *out = (job_hosts_t){.host = malloc(2 * (size_t)n * sizeof *out->host)};
  uint64_t able = room && out->host, all_able = 0;
  mpi.Allreduce(&able, &all_able, 1, mpi.uint64, mpi.min, mpi.comm_world);
  bool found = all_able && find_machines(rank, out);
  if (found) job_groups_share(n, rank, agents, &out->groups);
  if (found) memcpy(out->machine = out->host + n, out->host, (size_t)n * sizeof *out->host);
  if (found && out->groups.place) divide(out, n, room);
  free(room);
  return found;
}

void job_hosts_clear(job_hosts_t *h)
{
  job_groups_clear(&h->groups);
  free(h->host);
  h->host = NULL;
}
