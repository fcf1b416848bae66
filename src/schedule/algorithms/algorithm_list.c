/* SPDX-License-Identifier: BSD-3-Clause */
/* All algorithms. A new one is a file of this folder and a line here. Where an MPI has two names
 * for the same messages, there are two lines. */
#include "schedule/algorithms/algorithms.h"

#define LINE(op, name, code, needs, scratch, alike, next)                                          \
  {                                                                                                \
    name, SCHEDULE_##op, needs, code##_rounds, code##_steps, scratch, alike, next                  \
  }
/* Without scratch space and rounds that are alike; with either; with both. */
#define ONE(op, name, code, needs)   LINE(op, name, code, needs, NULL, NULL, NULL)
#define SPACE(op, name, code, needs) LINE(op, name, code, needs, code##_scratch, NULL, NULL)
#define ALIKE(op, name, code, needs) LINE(op, name, code, needs, NULL, code##_alike, NULL)
#define BOTH(op, name, code, needs)  LINE(op, name, code, needs, code##_scratch, code##_alike, NULL)
/* The same, if ranks send in few of the rounds. */
#define NEXT_ONE(op, name, code, needs) LINE(op, name, code, needs, NULL, NULL, code##_next)
#define NEXT_SPACE(op, name, code, needs)                                                          \
  LINE(op, name, code, needs, code##_scratch, NULL, code##_next)
#define NEXT_ALIKE(op, name, code, needs)                                                          \
  LINE(op, name, code, needs, NULL, code##_alike, code##_next)
#define NEXT_BOTH(op, name, code, needs)                                                           \
  LINE(op, name, code, needs, code##_scratch, code##_alike, code##_next)

static const schedule_algorithm_t list[] = {
    ONE(BARRIER, "linear", barrier_linear, 0),
    ONE(BARRIER, "tree", barrier_tree, 0),
    NEXT_ONE(BARRIER, "double_ring", barrier_ring, 0),
    ONE(BARRIER, "recursive_doubling", barrier_doubling, 0),
    ONE(BARRIER, "two_proc", barrier_doubling, SCHEDULE_TWO_RANKS),
    ONE(BARRIER, "bruck", barrier_bruck, 0),
    ONE(BARRIER, "dissemination", barrier_bruck, 0),
    NEXT_ALIKE(BCAST, "linear", bcast_linear, 0),
    NEXT_ALIKE(BCAST, "chain", bcast_chain, SCHEDULE_SEGMENTS | SCHEDULE_DEGREE),
    NEXT_ALIKE(BCAST, "pipeline", bcast_pipeline, SCHEDULE_SEGMENTS),
    NEXT_ALIKE(BCAST, "binary", bcast_binary, SCHEDULE_SEGMENTS),
    NEXT_ALIKE(BCAST, "binomial", bcast_binomial, SCHEDULE_SEGMENTS),
    ONE(BCAST, "linear_with_empty", bcast_whole_linear, 0),
    ONE(BCAST, "binomial_swapped", bcast_whole_swapped, 0),
    ONE(BCAST, "binomial_with_empty", bcast_whole_binomial, 0),
    NEXT_ALIKE(BCAST, "binomial_blocks", bcast_blocks, SCHEDULE_SEGMENTS),
    ONE(BCAST, "split_binary_tree", bcast_split_binary, SCHEDULE_SEGMENTS | SCHEDULE_TWO_ELEMENTS),
    NEXT_ALIKE(BCAST, "knomial", bcast_knomial,
               SCHEDULE_SEGMENTS | SCHEDULE_DEGREE | SCHEDULE_RADIX),
    ONE(BCAST, "scatter_allgather", bcast_scatter_allgather, SCHEDULE_ELEMENT_A_RANK),
    ALIKE(BCAST, "scatter_allgather_ring", bcast_scatter_allgather_ring, SCHEDULE_ELEMENT_A_RANK),
    ONE(BCAST, "scatter_recursive_doubling_allgather", bcast_scatter_allgather, 0),
    ALIKE(BCAST, "scatter_ring_allgather", bcast_scatter_allgather_ring, 0),
    ONE(BCAST, "scatter_to_end_recursive_doubling_allgather", bcast_scatter_allgather_to_end,
        SCHEDULE_POWER_OF_TWO | SCHEDULE_REDUNDANT | SCHEDULE_UNWRITTEN),
    ALIKE(BCAST, "scatter_to_end_ring_allgather", bcast_scatter_allgather_ring_to_end,
          SCHEDULE_REDUNDANT | SCHEDULE_UNWRITTEN),
    NEXT_BOTH(REDUCE, "chain", reduce_chain,
              SCHEDULE_COMMUTATIVE | SCHEDULE_SEGMENTS | SCHEDULE_DEGREE),
    NEXT_BOTH(REDUCE, "pipeline", reduce_pipeline, SCHEDULE_COMMUTATIVE | SCHEDULE_SEGMENTS),
    NEXT_BOTH(REDUCE, "binary", reduce_binary, SCHEDULE_COMMUTATIVE | SCHEDULE_SEGMENTS),
    NEXT_BOTH(REDUCE, "binomial", reduce_binomial, SCHEDULE_COMMUTATIVE | SCHEDULE_SEGMENTS),
    NEXT_BOTH(REDUCE, "in_order_binary", reduce_in_order_binary, SCHEDULE_SEGMENTS),
    SPACE(REDUCE, "linear", reduce_linear, 0),
    SPACE(REDUCE, "rabenseifner", reduce_rabenseifner,
          SCHEDULE_COMMUTATIVE | SCHEDULE_ELEMENT_A_PART),
    SPACE(REDUCE, "binomial_swapped", reduce_whole_swapped, SCHEDULE_COMMUTATIVE),
    SPACE(REDUCE, "binomial_with_empty", reduce_whole_binomial, SCHEDULE_COMMUTATIVE),
    NEXT_SPACE(REDUCE, "chain_swapped", reduce_chain_swapped,
               SCHEDULE_COMMUTATIVE | SCHEDULE_SEGMENTS),
    SPACE(REDUCE, "binomial_in_order", reduce_binomial_in_order, 0),
    SPACE(REDUCE, "reduce_scatter_gather", reduce_parts,
          SCHEDULE_COMMUTATIVE | SCHEDULE_ELEMENT_A_PART),
    SPACE(REDUCE, "reduce_scatter_gather_rest_last", reduce_parts_rest_last,
          SCHEDULE_COMMUTATIVE | SCHEDULE_ELEMENT_A_PART),
    ONE(GATHER, "linear", gather_linear, 0),
    NEXT_ONE(GATHER, "linear_sync", gather_linear_sync, 0),
    SPACE(GATHER, "binomial", gather_binomial, 0),
    ONE(SCATTER, "linear", scatter_linear, 0),
    ONE(SCATTER, "linear_nb", scatter_linear, 0),
    SPACE(SCATTER, "binomial", scatter_binomial, 0),
    ALIKE(ALLGATHER, "ring", allgather_ring, 0),
    ONE(ALLGATHER, "recursive_doubling", allgather_doubling, SCHEDULE_POWER_OF_TWO),
    SPACE(ALLGATHER, "bruck", allgather_bruck, 0),
    SPACE(ALLGATHER, "brucks", allgather_bruck, 0),
    ONE(ALLGATHER, "two_proc", allgather_doubling, SCHEDULE_TWO_RANKS),
    ONE(ALLGATHER, "neighbor", allgather_neighbour, SCHEDULE_EVEN | SCHEDULE_ALTERNATES),
    ONE(ALLGATHER, "linear", allgather_linear, SCHEDULE_EACH_PAIR),
    ONE(ALLTOALL, "linear", alltoall_linear, SCHEDULE_EACH_PAIR),
    ONE(ALLTOALL, "linear_sync", alltoall_linear, SCHEDULE_EACH_PAIR),
    ONE(ALLTOALL, "scattered", alltoall_linear, SCHEDULE_EACH_PAIR),
    ONE(ALLTOALL, "two_proc", alltoall_pairwise, SCHEDULE_TWO_RANKS | SCHEDULE_EACH_PAIR),
    ONE(ALLTOALL, "pairwise", alltoall_pairwise, SCHEDULE_EACH_PAIR),
    ONE(ALLTOALL, "pairwise_both_ways", alltoall_both_ways, SCHEDULE_EACH_PAIR),
    SPACE(ALLREDUCE, "recursive_doubling", allreduce_doubling, 0),
    BOTH(ALLREDUCE, "ring", allreduce_ring, SCHEDULE_COMMUTATIVE | SCHEDULE_ELEMENT_A_RANK),
    BOTH(ALLREDUCE, "ring_next_first", allreduce_ring_next, SCHEDULE_COMMUTATIVE),
    SPACE(ALLREDUCE, "rabenseifner", allreduce_rabenseifner,
          SCHEDULE_COMMUTATIVE | SCHEDULE_ELEMENT_A_PART),
    SPACE(ALLREDUCE, "reduce_scatter_allgather", allreduce_parts,
          SCHEDULE_COMMUTATIVE | SCHEDULE_ELEMENT_A_PART),
    SPACE(ALLREDUCE, "reduce_scatter_allgather_rest_last", allreduce_parts_rest_last,
          SCHEDULE_COMMUTATIVE | SCHEDULE_ELEMENT_A_PART),
    SPACE(ALLTOALL, "bruck", alltoall_bruck, 0),
    SPACE(ALLTOALL, "brucks", alltoall_bruck, 0),
    ONE(ALLTOALL, "pairwise_xor", alltoall_exchange_xor,
        SCHEDULE_POWER_OF_TWO | SCHEDULE_EACH_PAIR),
    ONE(ALLTOALL, "pairwise_in_order", alltoall_exchange_sum, SCHEDULE_EACH_PAIR),
    ONE(ALLTOALL, "pairwise_sendrecv_replace", alltoall_exchange_sum, SCHEDULE_EACH_PAIR),
    SPACE(REDUCE_SCATTER_BLOCK, "recursive_halving", reduce_scatter_halving, SCHEDULE_COMMUTATIVE),
    SPACE(REDUCE_SCATTER_BLOCK, "butterfly", reduce_scatter_butterfly, 0),
    SPACE(REDUCE_SCATTER_BLOCK, "pairwise", reduce_scatter_pairwise,
          SCHEDULE_COMMUTATIVE | SCHEDULE_EACH_PAIR),
    SPACE(REDUCE_SCATTER_BLOCK, "noncommutative", reduce_scatter_butterfly, SCHEDULE_POWER_OF_TWO),
    SPACE(REDUCE_SCATTER_BLOCK, "recursive_doubling", reduce_scatter_doubling, SCHEDULE_REDUNDANT),
    SPACE(SCAN, "recursive_doubling", scan_doubling, SCHEDULE_REDUNDANT),
    SPACE(EXSCAN, "recursive_doubling", exscan_doubling, SCHEDULE_REDUNDANT),
    NEXT_SPACE(SCAN, "linear", scan_linear, 0),
    NEXT_SPACE(EXSCAN, "linear", exscan_linear, 0),
    ONE(ALLTOALLV, "linear", alltoall_linear, SCHEDULE_EACH_PAIR),
    ONE(ALLTOALLV, "pairwise", alltoall_pairwise, SCHEDULE_EACH_PAIR),
    ONE(ALLTOALLV, "pairwise_both_ways", alltoall_both_ways,
        SCHEDULE_SKIPS_EMPTY | SCHEDULE_EACH_PAIR),
    ONE(ALLTOALLV, "scattered", alltoall_linear, SCHEDULE_SKIPS_EMPTY | SCHEDULE_EACH_PAIR),
    ONE(ALLTOALLV, "pairwise_in_order", alltoall_exchange_sum,
        SCHEDULE_SKIPS_EMPTY | SCHEDULE_EACH_PAIR),
    ONE(ALLTOALLV, "pairwise_sendrecv_replace", alltoall_exchange_sum, SCHEDULE_EACH_PAIR),
    ONE(ALLTOALLW, "linear", alltoall_linear, SCHEDULE_SKIPS_EMPTY | SCHEDULE_EACH_PAIR),
    ONE(ALLTOALLW, "pairwise_in_order", alltoall_exchange_sum,
        SCHEDULE_SKIPS_EMPTY | SCHEDULE_EACH_PAIR),
    ONE(ALLTOALLW, "pairwise_sendrecv_replace", alltoall_exchange_sum, SCHEDULE_EACH_PAIR),
    ONE(ALLTOALLW, "pairwise_both_ways", alltoall_opposite, 0),
    ONE(ALLTOALLW, "scattered", alltoall_linear, SCHEDULE_SKIPS_EMPTY | SCHEDULE_EACH_PAIR),
    ONE(ALLGATHERV, "linear", allgather_linear, SCHEDULE_EACH_PAIR),
    ALIKE(ALLGATHERV, "ring", allgather_ring, 0),
    ALIKE(ALLGATHERV, "pipelined_ring", allgather_ring, SCHEDULE_SEGMENTS | SCHEDULE_SKIPS_EMPTY),
    ALIKE(ALLGATHERV, "ring_in_least_blocks", allgather_ring_in_least,
          SCHEDULE_SEGMENTS | SCHEDULE_SKIPS_EMPTY),
    ONE(ALLGATHERV, "recursive_doubling", allgather_doubling, SCHEDULE_POWER_OF_TWO),
    SPACE(ALLGATHERV, "bruck", allgather_bruck, 0),
    SPACE(ALLGATHERV, "brucks", allgather_bruck, 0),
    ONE(ALLGATHERV, "two_proc", allgather_doubling, SCHEDULE_TWO_RANKS),
    ONE(ALLGATHERV, "neighbor", allgather_neighbour, SCHEDULE_EVEN | SCHEDULE_ALTERNATES),
    ONE(GATHERV, "linear_with_empty", gather_linear, 0),
    ONE(GATHERV, "linear", gather_linear, SCHEDULE_SKIPS_EMPTY),
    ONE(SCATTERV, "linear_with_empty", scatter_linear, 0),
    ONE(SCATTERV, "linear", scatter_linear, SCHEDULE_SKIPS_EMPTY),
    SPACE(REDUCE_SCATTER, "recursive_halving", reduce_scatter_halving,
          SCHEDULE_COMMUTATIVE | SCHEDULE_SKIPS_EMPTY),
    BOTH(REDUCE_SCATTER, "ring", reduce_scatter_ring, SCHEDULE_COMMUTATIVE),
    SPACE(REDUCE_SCATTER, "butterfly", reduce_scatter_travel, 0),
    SPACE(REDUCE_SCATTER, "pairwise", reduce_scatter_pairwise,
          SCHEDULE_COMMUTATIVE | SCHEDULE_EACH_PAIR),
    SPACE(REDUCE_SCATTER, "noncommutative", reduce_scatter_butterfly,
          SCHEDULE_POWER_OF_TWO | SCHEDULE_LIKE_BLOCKS),
    SPACE(REDUCE_SCATTER, "recursive_doubling", reduce_scatter_doubling, SCHEDULE_REDUNDANT),
};

const schedule_algorithm_t *schedule_algorithms(size_t *n)
{
  *n = sizeof list / sizeof *list;
  return list;
}
