/* SPDX-License-Identifier: BSD-3-Clause */
/* All rules, and which stand for which MPI. */
#include "one_sided/epoch_rules.h"

#include <berth/one_sided.h>
#include <string.h>

#include "base/text.h"

static const epoch_rules_t *const all[] = {&epoch_rules_openmpi, &epoch_rules_mpich,
                                           &epoch_rules_berth};
enum { N_RULES = sizeof all / sizeof *all };

static const struct {
  const char *mpi; /* how its name and version begin */
  const epoch_rules_t *rules;
  int nearest;
} known[] = {{"Open MPI 4.1.", &epoch_rules_openmpi, 0},
             {"MPICH 4.0.", &epoch_rules_mpich, 0},
             {"Open MPI ", &epoch_rules_openmpi, 1},
             {"MPICH ", &epoch_rules_mpich, 1},
             {"Intel", &epoch_rules_mpich, 1},
             {"MVAPICH", &epoch_rules_mpich, 1},
             {"", &epoch_rules_openmpi, 1}};

const char *berth_one_sided_rules(const char *mpi, int *nearest)
{
  size_t i = 0;
  while (!text_starts(mpi, known[i].mpi)) i++;
  *nearest = known[i].nearest;
  return known[i].rules->name;
}

const epoch_rules_t *const *epoch_rules_all(size_t *n)
{
  *n = N_RULES;
  return all;
}

const epoch_rules_t *epoch_rules_find(const char *name)
{
  for (size_t i = 0; i < N_RULES; i++)
    if (strcmp(all[i]->name, name) == 0) return all[i];
  return NULL;
}

const epoch_operation_t *epoch_operation_find(const epoch_rules_t *r, const char *op)
{
  for (size_t i = 0; i < r->n_operations; i++)
    if (strcmp(r->operations[i].op, op) == 0) return &r->operations[i];
  return NULL;
}

const epoch_sync_t *epoch_sync_find(const epoch_rules_t *r, const char *sync)
{
  size_t i = 0;
  while (i + 1 < r->n_syncs && strcmp(r->syncs[i].sync, sync) != 0) i++;
  return &r->syncs[i];
}
