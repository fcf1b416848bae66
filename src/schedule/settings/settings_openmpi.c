/* SPDX-License-Identifier: BSD-3-Clause */
/* Open MPI 4.1: the numbers and names that component tuned has for algorithms (ompi_info --param
 * coll tuned --level 9), and those of operations in its file of dynamic rules
 * (ompi/mca/coll/base/coll_base_functions.h). */
#include "schedule/settings/settings_internal.h"

#define PLAIN(op, algorithm, number, name)                                                         \
  {                                                                                                \
    SCHEDULE_##op, algorithm, number, name, false, false                                           \
  }
#define SEGMENTS(op, algorithm, number, name)                                                      \
  {                                                                                                \
    SCHEDULE_##op, algorithm, number, name, true, false                                            \
  }
#define CHAINS(op, algorithm, number, name)                                                        \
  {                                                                                                \
    SCHEDULE_##op, algorithm, number, name, true, true                                             \
  }

static const schedule_setting_t settings[] = {
    PLAIN(ALLGATHER, "basic_linear", "1", "linear"),
    PLAIN(ALLGATHER, "bruck", "2", "bruck"),
    PLAIN(ALLGATHER, "recursive_doubling", "3", "recursive_doubling"),
    PLAIN(ALLGATHER, "ring", "4", "ring"),
    PLAIN(ALLGATHER, "neighbor", "5", "neighbor"),
    PLAIN(ALLGATHER, "two_proc", "6", "two_proc"),
    PLAIN(ALLGATHERV, "default", "1", "default"),
    PLAIN(ALLGATHERV, "bruck", "2", "bruck"),
    PLAIN(ALLGATHERV, "ring", "3", "ring"),
    PLAIN(ALLGATHERV, "neighbor", "4", "neighbor"),
    PLAIN(ALLGATHERV, "two_proc", "5", "two_proc"),
    PLAIN(ALLREDUCE, "basic_linear", "1", "basic_linear"),
    PLAIN(ALLREDUCE, "nonoverlapping", "2", "nonoverlapping"),
    PLAIN(ALLREDUCE, "recursive_doubling", "3", "recursive_doubling"),
    PLAIN(ALLREDUCE, "ring", "4", "ring"),
    PLAIN(ALLREDUCE, "rabenseifner", "6", "rabenseifner"),
    PLAIN(ALLTOALL, "linear", "1", "linear"),
    PLAIN(ALLTOALL, "pairwise", "2", "pairwise"),
    PLAIN(ALLTOALL, "bruck", "3", "modified_bruck"),
    PLAIN(ALLTOALL, "linear_sync", "4", "linear_sync"),
    PLAIN(ALLTOALL, "two_proc", "5", "two_proc"),
    PLAIN(ALLTOALLV, "linear", "1", "basic_linear"),
    PLAIN(ALLTOALLV, "pairwise", "2", "pairwise"),
    PLAIN(BARRIER, "linear", "1", "linear"),
    PLAIN(BARRIER, "double_ring", "2", "double_ring"),
    PLAIN(BARRIER, "recursive_doubling", "3", "recursive_doubling"),
    PLAIN(BARRIER, "bruck", "4", "bruck"),
    PLAIN(BARRIER, "two_proc", "5", "two_proc"),
    PLAIN(BARRIER, "tree", "6", "tree"),
    PLAIN(BCAST, "linear", "1", "basic_linear"),
    CHAINS(BCAST, "chain", "2", "chain"),
    SEGMENTS(BCAST, "pipeline", "3", "pipeline"),
    SEGMENTS(BCAST, "split_binary_tree", "4", "split_binary_tree"),
    SEGMENTS(BCAST, "binary", "5", "binary_tree"),
    SEGMENTS(BCAST, "binomial", "6", "binomial"),
    SEGMENTS(BCAST, "knomial", "7", "knomial"),
    PLAIN(BCAST, "scatter_allgather", "8", "scatter_allgather"),
    PLAIN(BCAST, "scatter_allgather_ring", "9", "scatter_allgather_ring"),
    PLAIN(EXSCAN, "linear", "1", "linear"),
    PLAIN(EXSCAN, "recursive_doubling", "2", "recursive_doubling"),
    PLAIN(GATHER, "linear", "1", "basic_linear"),
    PLAIN(GATHER, "binomial", "2", "binomial"),
    PLAIN(GATHER, "linear_sync", "3", "linear_sync"),
    PLAIN(REDUCE, "linear", "1", "linear"),
    CHAINS(REDUCE, "chain", "2", "chain"),
    SEGMENTS(REDUCE, "pipeline", "3", "pipeline"),
    SEGMENTS(REDUCE, "binary", "4", "binary"),
    SEGMENTS(REDUCE, "binomial", "5", "binomial"),
    SEGMENTS(REDUCE, "in_order_binary", "6", "in-order_binary"),
    PLAIN(REDUCE, "rabenseifner", "7", "rabenseifner"),
    PLAIN(REDUCE_SCATTER, "nonoverlapping", "1", "non-overlapping"),
    PLAIN(REDUCE_SCATTER, "recursive_halving", "2", "recursive_halving"),
    PLAIN(REDUCE_SCATTER, "ring", "3", "ring"),
    PLAIN(REDUCE_SCATTER, "butterfly", "4", "butterfly"),
    PLAIN(REDUCE_SCATTER_BLOCK, "basic_linear", "1", "basic_linear"),
    PLAIN(REDUCE_SCATTER_BLOCK, "recursive_doubling", "2", "recursive_doubling"),
    PLAIN(REDUCE_SCATTER_BLOCK, "recursive_halving", "3", "recursive_halving"),
    PLAIN(REDUCE_SCATTER_BLOCK, "butterfly", "4", "butterfly"),
    PLAIN(SCAN, "linear", "1", "linear"),
    PLAIN(SCAN, "recursive_doubling", "2", "recursive_doubling"),
    PLAIN(SCATTER, "linear", "1", "basic_linear"),
    PLAIN(SCATTER, "binomial", "2", "binomial"),
    PLAIN(SCATTER, "linear_nb", "3", "linear_nb"),
};

const schedule_setting_t *settings_openmpi(size_t *n)
{
  *n = sizeof settings / sizeof *settings;
  return settings;
}

int schedule_openmpi_number(schedule_op_t op)
{
  switch (op) {
  case SCHEDULE_ALLGATHER:
    return 0;
  case SCHEDULE_ALLGATHERV:
    return 1;
  case SCHEDULE_ALLREDUCE:
    return 2;
  case SCHEDULE_ALLTOALL:
    return 3;
  case SCHEDULE_ALLTOALLV:
    return 4;
  case SCHEDULE_BARRIER:
    return 6;
  case SCHEDULE_BCAST:
    return 7;
  case SCHEDULE_REDUCE:
    return 11;
  case SCHEDULE_REDUCE_SCATTER:
    return 12;
  case SCHEDULE_REDUCE_SCATTER_BLOCK:
    return 13;
  default:
    return -1;
  }
}
