/* SPDX-License-Identifier: BSD-3-Clause */
/* Which rules stand for which MPI. */
#include <berth/collectives.h>
#include <stddef.h>

#include "base/text.h"

static const struct {
  const char *mpi; /* how its name and version begin */
  const char *rules;
  int nearest;
} known[] = {{"Open MPI 4.1.", "openmpi-4.1", 0},
             {"MPICH 4.0.", "mpich-4.0", 0},
             {"Open MPI ", "openmpi-4.1", 1},
             {"MPICH ", "mpich-4.0", 1}};

const char *berth_collectives_rules(const char *mpi, int *nearest)
{
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (text_starts(mpi, known[i].mpi)) return *nearest = known[i].nearest, known[i].rules;
  return NULL;
}
