/* SPDX-License-Identifier: BSD-3-Clause */
/* MPICH 4.0: the names that MPIR_CVAR_<OPERATION>_INTRA_ALGORITHM takes (src/mpi/coll/mpir_coll.c).
 * A variable is for all calls of an operation; where its algorithm doesn't serve one, MPICH takes
 * what it takes anyway (MPIR_CVAR_COLLECTIVE_FALLBACK). Its JSON file replaces all decisions of all
 * operations, so it can't say a part of them.
 *
 * Reduce_scatter's noncommutative isn't here: it aborts if it doesn't serve a call. */
#include <ctype.h>
#include <string.h>

#include "advice/advice_mpi.h"

static const advice_algorithm_t algorithms[] = {
    {SCHEDULE_ALLGATHER, "brucks", "brucks", false, false},
    {SCHEDULE_ALLGATHER, "recursive_doubling", "recursive_doubling", false, false},
    {SCHEDULE_ALLGATHER, "ring", "ring", false, false},
    {SCHEDULE_ALLGATHERV, "brucks", "brucks", false, false},
    {SCHEDULE_ALLGATHERV, "recursive_doubling", "recursive_doubling", false, false},
    {SCHEDULE_ALLGATHERV, "ring", "ring", false, false},
    {SCHEDULE_ALLREDUCE, "recursive_doubling", "recursive_doubling", false, false},
    {SCHEDULE_ALLREDUCE, "reduce_scatter_allgather", "reduce_scatter_allgather", false, false},
    {SCHEDULE_ALLTOALL, "brucks", "brucks", false, false},
    {SCHEDULE_ALLTOALL, "scattered", "scattered", false, false},
    {SCHEDULE_ALLTOALL, "pairwise", "pairwise", false, false},
    {SCHEDULE_ALLTOALL, "pairwise_by_distance", "pairwise", false, false},
    {SCHEDULE_BCAST, "binomial", "binomial", false, false},
    {SCHEDULE_BCAST, "scatter_recursive_doubling_allgather", "scatter_recursive_doubling_allgather",
     false, false},
    {SCHEDULE_BCAST, "scatter_ring_allgather", "scatter_ring_allgather", false, false},
    {SCHEDULE_REDUCE, "binomial", "binomial", false, false},
    {SCHEDULE_REDUCE, "reduce_scatter_gather", "reduce_scatter_gather", false, false},
    {SCHEDULE_REDUCE_SCATTER, "pairwise", "pairwise", false, false},
    {SCHEDULE_REDUCE_SCATTER, "recursive_doubling", "recursive_doubling", false, false},
    {SCHEDULE_REDUCE_SCATTER, "recursive_halving", "recursive_halving", false, false},
    {SCHEDULE_REDUCE_SCATTER_BLOCK, "noncommutative", "noncommutative", false, false},
    {SCHEDULE_REDUCE_SCATTER_BLOCK, "pairwise", "pairwise", false, false},
    {SCHEDULE_REDUCE_SCATTER_BLOCK, "recursive_doubling", "recursive_doubling", false, false},
    {SCHEDULE_REDUCE_SCATTER_BLOCK, "recursive_halving", "recursive_halving", false, false},
};

static void find(const schedule_request_t *q, int *ranks, uint64_t *bytes)
{
  (void)q;
  *ranks = 0;
  *bytes = 0;
}

static void write(out_file_t *out, const berth_setting_t *s, size_t n)
{
  out_text(out, "# Algorithms of MPICH 4.0: for all calls of an operation that they serve.\n");
  for (size_t i = 0; i < n; i++) {
    out_text(out, "export MPIR_CVAR_");
    for (const char *c = s[i].op + strlen("MPI_"); *c; c++)
      out_text(out, (const char[]){(char)toupper((unsigned char)*c), '\0'});
    out_printf(out, "_INTRA_ALGORITHM=%s\n", s[i].choice.setting);
  }
}

const advice_mpi_t advice_mpich = {
    "mpich-4.0",    sizeof algorithms / sizeof *algorithms, algorithms, find, write, ". ",
    " && mpiexec …"};
