/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of each algorithm, which is a file of this folder and a line of algorithm_list.c.
 */
#ifndef BERTH_SCHEDULE_ALGORITHMS_H
#define BERTH_SCHEDULE_ALGORITHMS_H

#include "schedule/schedule.h"

#define SCHEDULE_ALGORITHM(name)                                                                   \
  int64_t name##_rounds(const schedule_call_t *c);                                                 \
  void name##_steps(const schedule_call_t *c, int rank, int64_t round, schedule_steps_t *out)
#define SCHEDULE_SCRATCH_OF(name) int64_t name##_scratch(const schedule_call_t *c, int rank)
#define SCHEDULE_ALIKE_OF(name)   int64_t name##_alike(const schedule_call_t *c, int64_t round)
#define SCHEDULE_NEXT_OF(name)                                                                     \
  int64_t name##_next(const schedule_call_t *c, int rank, int64_t round)

SCHEDULE_ALGORITHM(barrier_linear);
SCHEDULE_ALGORITHM(barrier_tree);
SCHEDULE_ALGORITHM(barrier_ring);
SCHEDULE_NEXT_OF(barrier_ring);
SCHEDULE_ALGORITHM(barrier_doubling);
SCHEDULE_ALGORITHM(barrier_bruck);

SCHEDULE_ALGORITHM(bcast_linear);
SCHEDULE_NEXT_OF(bcast_linear);
SCHEDULE_ALIKE_OF(bcast_linear);

SCHEDULE_ALGORITHM(bcast_chain);
SCHEDULE_NEXT_OF(bcast_chain);
SCHEDULE_ALIKE_OF(bcast_chain);
SCHEDULE_ALGORITHM(bcast_pipeline);
SCHEDULE_NEXT_OF(bcast_pipeline);
SCHEDULE_ALIKE_OF(bcast_pipeline);
SCHEDULE_ALGORITHM(bcast_binary);
SCHEDULE_NEXT_OF(bcast_binary);
SCHEDULE_ALIKE_OF(bcast_binary);
SCHEDULE_ALGORITHM(bcast_binomial);
SCHEDULE_NEXT_OF(bcast_binomial);
SCHEDULE_ALIKE_OF(bcast_binomial);
SCHEDULE_ALGORITHM(bcast_blocks);
SCHEDULE_NEXT_OF(bcast_blocks);
SCHEDULE_ALIKE_OF(bcast_blocks);
SCHEDULE_ALGORITHM(bcast_whole_linear);
SCHEDULE_ALGORITHM(bcast_whole_swapped);
SCHEDULE_ALGORITHM(bcast_whole_binomial);
SCHEDULE_ALGORITHM(bcast_knomial);
SCHEDULE_NEXT_OF(bcast_knomial);
SCHEDULE_ALIKE_OF(bcast_knomial);
SCHEDULE_ALGORITHM(reduce_chain);
SCHEDULE_NEXT_OF(reduce_chain);
SCHEDULE_SCRATCH_OF(reduce_chain);
SCHEDULE_ALIKE_OF(reduce_chain);
SCHEDULE_ALGORITHM(reduce_pipeline);
SCHEDULE_NEXT_OF(reduce_pipeline);
SCHEDULE_SCRATCH_OF(reduce_pipeline);
SCHEDULE_ALIKE_OF(reduce_pipeline);
SCHEDULE_ALGORITHM(reduce_binary);
SCHEDULE_NEXT_OF(reduce_binary);
SCHEDULE_SCRATCH_OF(reduce_binary);
SCHEDULE_ALIKE_OF(reduce_binary);
SCHEDULE_ALGORITHM(reduce_binomial);
SCHEDULE_NEXT_OF(reduce_binomial);
SCHEDULE_SCRATCH_OF(reduce_binomial);
SCHEDULE_ALIKE_OF(reduce_binomial);
SCHEDULE_ALGORITHM(reduce_knomial);
SCHEDULE_NEXT_OF(reduce_knomial);
SCHEDULE_SCRATCH_OF(reduce_knomial);
SCHEDULE_ALIKE_OF(reduce_knomial);
SCHEDULE_ALGORITHM(reduce_in_order_binary);
SCHEDULE_NEXT_OF(reduce_in_order_binary);
SCHEDULE_SCRATCH_OF(reduce_in_order_binary);
SCHEDULE_ALIKE_OF(reduce_in_order_binary);
SCHEDULE_ALGORITHM(reduce_whole_swapped);
SCHEDULE_SCRATCH_OF(reduce_whole_swapped);
SCHEDULE_ALGORITHM(reduce_whole_binomial);
SCHEDULE_SCRATCH_OF(reduce_whole_binomial);
SCHEDULE_ALGORITHM(reduce_chain_swapped);
SCHEDULE_NEXT_OF(reduce_chain_swapped);
SCHEDULE_SCRATCH_OF(reduce_chain_swapped);
SCHEDULE_ALGORITHM(allgather_linear);
SCHEDULE_ALGORITHM(reduce_linear);
SCHEDULE_SCRATCH_OF(reduce_linear);
SCHEDULE_ALGORITHM(gather_linear);
SCHEDULE_ALGORITHM(scatter_linear);
SCHEDULE_ALGORITHM(gather_binomial);
SCHEDULE_SCRATCH_OF(gather_binomial);
SCHEDULE_ALGORITHM(scatter_binomial);
SCHEDULE_SCRATCH_OF(scatter_binomial);
SCHEDULE_ALGORITHM(allgather_array);
SCHEDULE_ALGORITHM(allgather_balanced);
SCHEDULE_ALIKE_OF(allgather_balanced);
SCHEDULE_ALGORITHM(allgather_ring);
SCHEDULE_ALIKE_OF(allgather_ring);
SCHEDULE_ALGORITHM(allgather_ring_in_least);
SCHEDULE_ALIKE_OF(allgather_ring_in_least);
SCHEDULE_ALGORITHM(allgather_doubling);
SCHEDULE_ALGORITHM(allgather_bruck);
SCHEDULE_SCRATCH_OF(allgather_bruck);
SCHEDULE_ALGORITHM(allgather_neighbour);
SCHEDULE_ALGORITHM(alltoall_linear);
SCHEDULE_ALGORITHM(alltoall_pairwise);
SCHEDULE_ALGORITHM(alltoall_both_ways);
SCHEDULE_ALGORITHM(alltoall_opposite);
SCHEDULE_ALGORITHM(allreduce_doubling);
SCHEDULE_SCRATCH_OF(allreduce_doubling);
SCHEDULE_ALGORITHM(scan_linear);
SCHEDULE_NEXT_OF(scan_linear);
SCHEDULE_SCRATCH_OF(scan_linear);
SCHEDULE_ALGORITHM(exscan_linear);
SCHEDULE_NEXT_OF(exscan_linear);
SCHEDULE_SCRATCH_OF(exscan_linear);
SCHEDULE_ALGORITHM(allreduce_array);
SCHEDULE_SCRATCH_OF(allreduce_array);
SCHEDULE_ALGORITHM(allreduce_ring);
SCHEDULE_SCRATCH_OF(allreduce_ring);
SCHEDULE_ALIKE_OF(allreduce_ring);
SCHEDULE_ALGORITHM(allreduce_ring_next);
SCHEDULE_SCRATCH_OF(allreduce_ring_next);
SCHEDULE_ALIKE_OF(allreduce_ring_next);
SCHEDULE_ALGORITHM(allreduce_rabenseifner);
SCHEDULE_SCRATCH_OF(allreduce_rabenseifner);
SCHEDULE_ALGORITHM(alltoall_bruck);
SCHEDULE_SCRATCH_OF(alltoall_bruck);
SCHEDULE_ALGORITHM(scan_doubling);
SCHEDULE_SCRATCH_OF(scan_doubling);
SCHEDULE_ALGORITHM(exscan_doubling);
SCHEDULE_SCRATCH_OF(exscan_doubling);
SCHEDULE_ALGORITHM(reduce_scatter_halving);
SCHEDULE_SCRATCH_OF(reduce_scatter_halving);
SCHEDULE_ALGORITHM(reduce_rabenseifner);
SCHEDULE_SCRATCH_OF(reduce_rabenseifner);
SCHEDULE_ALGORITHM(gather_linear_sync);
SCHEDULE_NEXT_OF(gather_linear_sync);
SCHEDULE_ALGORITHM(bcast_split_binary);
SCHEDULE_ALGORITHM(reduce_scatter_butterfly);
SCHEDULE_SCRATCH_OF(reduce_scatter_butterfly);
SCHEDULE_ALGORITHM(reduce_scatter_travel);
SCHEDULE_SCRATCH_OF(reduce_scatter_travel);
SCHEDULE_ALGORITHM(reduce_scatter_array);
SCHEDULE_SCRATCH_OF(reduce_scatter_array);
SCHEDULE_ALGORITHM(reduce_scatter_balanced);
SCHEDULE_SCRATCH_OF(reduce_scatter_balanced);
SCHEDULE_ALIKE_OF(reduce_scatter_balanced);
SCHEDULE_ALGORITHM(reduce_scatter_ring);
SCHEDULE_SCRATCH_OF(reduce_scatter_ring);
SCHEDULE_ALIKE_OF(reduce_scatter_ring);
SCHEDULE_ALGORITHM(bcast_scatter_allgather);
SCHEDULE_ALGORITHM(bcast_scatter_allgather_to_end);
SCHEDULE_ALGORITHM(bcast_scatter_allgather_ring);
SCHEDULE_ALIKE_OF(bcast_scatter_allgather_ring);
SCHEDULE_ALGORITHM(bcast_scatter_allgather_ring_to_end);
SCHEDULE_ALIKE_OF(bcast_scatter_allgather_ring_to_end);
SCHEDULE_ALGORITHM(reduce_binomial_in_order);
SCHEDULE_SCRATCH_OF(reduce_binomial_in_order);
SCHEDULE_ALGORITHM(reduce_parts);
SCHEDULE_SCRATCH_OF(reduce_parts);
SCHEDULE_ALGORITHM(reduce_parts_rest_last);
SCHEDULE_SCRATCH_OF(reduce_parts_rest_last);
SCHEDULE_ALGORITHM(allreduce_parts);
SCHEDULE_SCRATCH_OF(allreduce_parts);
SCHEDULE_ALGORITHM(allreduce_parts_rest_last);
SCHEDULE_SCRATCH_OF(allreduce_parts_rest_last);
SCHEDULE_ALGORITHM(alltoall_exchange_xor);
SCHEDULE_ALGORITHM(alltoall_exchange_sum);
SCHEDULE_ALGORITHM(reduce_scatter_pairwise);
SCHEDULE_SCRATCH_OF(reduce_scatter_pairwise);
SCHEDULE_ALGORITHM(reduce_scatter_doubling);
SCHEDULE_SCRATCH_OF(reduce_scatter_doubling);

#endif
