/* SPDX-License-Identifier: BSD-3-Clause */
/* All MPIs that can be told. */
#include "advice/advice_mpi.h"

#include <string.h>

const advice_mpi_t *advice_mpi_find(const char *rules)
{
  static const advice_mpi_t *const all[] = {&advice_openmpi, &advice_mpich};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (strcmp(all[i]->rules, rules) == 0) return all[i];
  return NULL;
}
