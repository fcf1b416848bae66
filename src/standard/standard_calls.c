/* SPDX-License-Identifier: BSD-3-Clause */
/* Patterns of collective calls: transforms, all-to-all, sums. */
#include <stdlib.h>

#include "base/no_memory.h"
#include "standard/standard_internal.h"

/* The block that each of n ranks sends to each other when all transpose what they have. */
static uint64_t part_of_block(const standard_job_t *job, int n_dims, int n)
{
  uint64_t points = 1;
  for (int d = 0; d < n_dims; d++) points *= job->block[d];
  return (points + (uint64_t)n - 1) / (uint64_t)n * job->element;
}

int standard_fft2d(standard_job_t *job, berth_error_t *err)
{
  uint64_t part = part_of_block(job, 2, job->ranks);
  int rc = standard_call(job, "MPI_Alltoall", "transpose", 0, part * (uint64_t)job->ranks, err);
  if (rc) return rc;
  return standard_call(job, "MPI_Alltoall", "transpose back", 0, part * (uint64_t)job->ranks, err);
}

/* A call on each line of the grid in dimension d. */
static int call_lines(standard_job_t *job, int d, const char *frame, int *comm, berth_error_t *err)
{
  int rc = BERTH_OK, n = job->grid.dims[d], stride = d == 0 ? job->grid.dims[1] : 1;
  int site = standard_site(job, "MPI_Alltoall", frame, err);
  int *member = malloc((size_t)n * sizeof *member);
  if (!member || !site) rc = member ? err->code : no_memory(err);
  uint64_t part = part_of_block(job, 3, n);
  for (int line = 0; line < job->ranks / n && !rc; line++) {
    int first = d == 0 ? line : line * n;
    for (int i = 0; i < n; i++) member[i] = first + i * stride;
    const berth_comm_t c = {.id = ++*comm, .n_ranks = (size_t)n, .ranks = member};
    rc = berth_pattern_add_comm(job->pattern, &c, err);
    const berth_coll_t call = {.site = site,
                               .comm = c.id,
                               .op = "MPI_Alltoall",
                               .bytes = part * (uint64_t)n,
                               .count = 1,
                               .root = -1,
                               .element = job->element};
    if (!rc) rc = berth_pattern_add_coll(job->pattern, &call, err);
  }
  free(member);
  return rc;
}

int standard_fft3d(standard_job_t *job, berth_error_t *err)
{
  int comm = 0, rc = call_lines(job, 1, "transpose in rows", &comm, err);
  return rc ? rc : call_lines(job, 0, "transpose in columns", &comm, err);
}

int standard_alltoall(standard_job_t *job, berth_error_t *err)
{
  if (job->message > BERTH_MAX_AMOUNT / (uint64_t)job->ranks)
    return berth_fail(err, BERTH_BAD_INPUT,
                      "alltoall: found messages of %llu bytes, expected at most 2^53 for %d ranks",
                      (unsigned long long)job->message, job->ranks);
  return standard_call(job, "MPI_Alltoall", "all-to-all", 0, job->message * (uint64_t)job->ranks,
                       err);
}

int standard_allreduce(standard_job_t *job, berth_error_t *err)
{
  return standard_call(job, "MPI_Allreduce", "sum", 0, job->message, err);
}
