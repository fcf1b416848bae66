/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of mappers and the list of writers: help, `best`, tests and benchmarks walk these. */
#include <string.h>

#include "map/map_internal.h"

static const berth_mapper_t mappers[] = {
    {"linear", "rank r on the r-th usable PU, as launchers do by default", map_linear},
    {"round-robin", "one rank on each host in turn", map_round_robin},
    {"random", "any placement with equal chance, by --seed", map_random, BERTH_MAPPER_APART},
    {"greedy", "clusters of ranks that exchange most, fitted to the tree", map_greedy,
     BERTH_MAPPER_BUILDS, BERTH_QUALITY_ECO},
    {"metis", "ranks split along the tree with little traffic between parts, by METIS", map_metis,
     BERTH_MAPPER_BUILDS, BERTH_QUALITY_STRONG},
    {"multilevel", "the same by cuts that grow from clusters of ranks, large ones first",
     map_multilevel},
    {"geometric", "pieces of a grid or of space, as the pattern is found to lie in it",
     map_geometric},
    {"stay", "ranks stay where --from has them, others go to those they talk to", map_stay},
    {"refine", "other mappers' placements made cheaper by swaps and moves", map_refine,
     BERTH_MAPPER_SEARCHES, BERTH_QUALITY_ECO, .shares_work = 1},
    {"exact", "the cheapest placement of all, for up to 12 ranks", map_exact, BERTH_MAPPER_BUILDS,
     BERTH_QUALITY_ECO, 5},
    {"best", "the cheapest of those that fit --quality, or ranks as they are", map_best,
     BERTH_MAPPER_APART, .shares_work = 1},
};

static const berth_writer_t writers[] = {
    {"mapping", "the mapping itself (JSON)", write_mapping, NULL},
    {"rankfile", "Open MPI's rankfile", write_rankfile, command_rankfile},
    {"seq", "a hostfile for Open MPI's --map-by seq, which binds, too", write_seq, command_seq},
    {"hydra", "a machinefile for Hydra, MPICH's mpiexec, with bindings", write_hydra,
     command_hydra},
    {"intel", "a machinefile for Intel MPI's mpirun, with bindings where it takes them",
     write_intel, command_intel, needs_pin_intel},
    {"slurm", "the file for srun that SLURM_HOSTFILE names", write_slurm, command_slurm,
     needs_pin_slurm},
    {"pin", "a shell script that binds each rank, where a launcher can't", write_pin, command_pin},
    {"cray", "Cray MPICH's MPICH_RANK_ORDER", write_cray, command_cray},
    {"permutation", "line r: which process of a plain start is to be rank r", write_permutation,
     command_order},
    {"split-key", "line p: the key for MPI_Comm_split of process p of a plain start",
     write_split_key, command_order},
    {"groups", "the order of groups for collectives (JSON)", write_groups, NULL},
};

const berth_mapper_t *berth_mappers(size_t *n)
{
  *n = sizeof mappers / sizeof *mappers;
  return mappers;
}

const berth_mapper_t *berth_mapper_find(const char *name)
{
  for (size_t i = 0; i < sizeof mappers / sizeof *mappers; i++)
    if (strcmp(mappers[i].name, name) == 0) return &mappers[i];
  return NULL;
}

const berth_writer_t *berth_writers(size_t *n)
{
  *n = sizeof writers / sizeof *writers;
  return writers;
}

const berth_writer_t *berth_writer_find(const char *name)
{
  for (size_t i = 0; i < sizeof writers / sizeof *writers; i++)
    if (strcmp(writers[i].name, name) == 0) return &writers[i];
  return NULL;
}
