/* SPDX-License-Identifier: BSD-3-Clause */
/* MPICH 4.0: the names that MPIR_CVAR_<OPERATION>_INTRA_ALGORITHM takes (src/mpi/coll/mpir_coll.c).
 * Reduce_scatter's noncommutative isn't here: it aborts if it doesn't serve a call. */
#include <ctype.h>
#include <stdio.h>

#include "schedule/settings/settings_internal.h"

#define NAMED(op, algorithm, name)                                                                 \
  {                                                                                                \
    SCHEDULE_##op, algorithm, name, name, false, false                                             \
  }

static const schedule_setting_t settings[] = {
    NAMED(ALLGATHER, "brucks", "brucks"),
    NAMED(ALLGATHER, "recursive_doubling", "recursive_doubling"),
    NAMED(ALLGATHER, "ring", "ring"),
    NAMED(ALLGATHERV, "brucks", "brucks"),
    NAMED(ALLGATHERV, "recursive_doubling", "recursive_doubling"),
    NAMED(ALLGATHERV, "ring", "ring"),
    NAMED(ALLREDUCE, "recursive_doubling", "recursive_doubling"),
    NAMED(ALLREDUCE, "reduce_scatter_allgather", "reduce_scatter_allgather"),
    NAMED(ALLTOALL, "brucks", "brucks"),
    NAMED(ALLTOALL, "scattered", "scattered"),
    NAMED(ALLTOALL, "pairwise", "pairwise"),
    NAMED(ALLTOALL, "pairwise_by_distance", "pairwise"),
    NAMED(BCAST, "binomial", "binomial"),
    NAMED(BCAST, "scatter_recursive_doubling_allgather", "scatter_recursive_doubling_allgather"),
    NAMED(BCAST, "scatter_ring_allgather", "scatter_ring_allgather"),
    NAMED(REDUCE, "binomial", "binomial"),
    NAMED(REDUCE, "reduce_scatter_gather", "reduce_scatter_gather"),
    NAMED(REDUCE_SCATTER, "pairwise", "pairwise"),
    NAMED(REDUCE_SCATTER, "recursive_doubling", "recursive_doubling"),
    NAMED(REDUCE_SCATTER, "recursive_halving", "recursive_halving"),
    NAMED(REDUCE_SCATTER_BLOCK, "noncommutative", "noncommutative"),
    NAMED(REDUCE_SCATTER_BLOCK, "pairwise", "pairwise"),
    NAMED(REDUCE_SCATTER_BLOCK, "recursive_doubling", "recursive_doubling"),
    NAMED(REDUCE_SCATTER_BLOCK, "recursive_halving", "recursive_halving"),
};

const schedule_setting_t *settings_mpich(size_t *n)
{
  *n = sizeof settings / sizeof *settings;
  return settings;
}

void schedule_mpich_variable(const char *operation, char out[SCHEDULE_VARIABLE])
{
  snprintf(out, SCHEDULE_VARIABLE, "MPIR_CVAR_%s_INTRA_ALGORITHM", operation);
  for (; *out; out++) *out = (char)toupper((unsigned char)*out);
}
