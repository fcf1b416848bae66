/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists the writers. Help, commands and tests walk this list. */
#include <string.h>

#include "mapping/mapping_internal.h"

static const berth_writer_t writers[] = {
    {"mapping", "the mapping itself (JSON)", mapping_write, NULL},
    {"rankfile", "Open MPI's rankfile", write_rankfile, openmpi_command_rankfile},
    {"seq", "a hostfile for Open MPI's --map-by seq, which binds, too", write_seq,
     openmpi_command_seq},
    {"hydra", "a machinefile for Hydra, MPICH's mpiexec, with bindings", write_hydra,
     hydra_command},
    {"intel", "a machinefile for Intel MPI's mpirun, with bindings where it takes them",
     write_intel, intel_command, intel_needs_pin},
    {"slurm", "the file for srun that SLURM_HOSTFILE names", write_slurm, slurm_command,
     slurm_needs_pin},
    {"pin", "a shell script that binds each rank, where a launcher can't", write_pin, pin_command},
    {"cray", "Cray MPICH's MPICH_RANK_ORDER", write_cray, order_command_cray},
    {"permutation", "line r: which process of a plain start is to be rank r", write_permutation,
     order_command},
    {"split-key", "line p: the key for MPI_Comm_split of process p of a plain start",
     write_split_key, order_command},
    {"groups", "the order of groups for collectives (JSON)", write_groups, NULL},
};

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
