/* SPDX-License-Identifier: BSD-3-Clause */
/* Open MPI 4.1: the numbers that component tuned has for algorithms (ompi_info --param coll tuned
 * --level 9), and its file of dynamic rules (ompi/mca/coll/tuned: coll_tuned_dynamic_file.c reads
 * it, coll_tuned_decision_dynamic.c looks calls up).
 *
 * What isn't here can't be told without harm. MPI_Gather and MPI_Scatter are looked up by what each
 * rank gives, so a root with MPI_IN_PLACE would take another algorithm than the others. MPI_Scan
 * and MPI_Exscan are looked up by the size of an element. MPI_Gatherv and MPI_Scatterv aren't
 * tuned. */
#include <string.h>

#include "advice/advice_mpi.h"
#include "schedule/call_block.h"

static const advice_algorithm_t algorithms[] = {
    {SCHEDULE_ALLGATHER, "basic_linear", "1", false, false},
    {SCHEDULE_ALLGATHER, "bruck", "2", false, false},
    {SCHEDULE_ALLGATHER, "recursive_doubling", "3", false, false},
    {SCHEDULE_ALLGATHER, "ring", "4", false, false},
    {SCHEDULE_ALLGATHER, "neighbor", "5", false, false},
    {SCHEDULE_ALLGATHER, "two_proc", "6", false, false},
    {SCHEDULE_ALLGATHERV, "default", "1", false, false},
    {SCHEDULE_ALLGATHERV, "bruck", "2", false, false},
    {SCHEDULE_ALLGATHERV, "ring", "3", false, false},
    {SCHEDULE_ALLGATHERV, "neighbor", "4", false, false},
    {SCHEDULE_ALLGATHERV, "two_proc", "5", false, false},
    {SCHEDULE_ALLREDUCE, "basic_linear", "1", false, false},
    {SCHEDULE_ALLREDUCE, "nonoverlapping", "2", false, false},
    {SCHEDULE_ALLREDUCE, "recursive_doubling", "3", false, false},
    {SCHEDULE_ALLREDUCE, "ring", "4", false, false},
    {SCHEDULE_ALLREDUCE, "rabenseifner", "6", false, false},
    {SCHEDULE_ALLTOALL, "linear", "1", false, false},
    {SCHEDULE_ALLTOALL, "pairwise", "2", false, false},
    {SCHEDULE_ALLTOALL, "bruck", "3", false, false},
    {SCHEDULE_ALLTOALL, "linear_sync", "4", false, false},
    {SCHEDULE_ALLTOALL, "two_proc", "5", false, false},
    {SCHEDULE_ALLTOALLV, "linear", "1", false, false},
    {SCHEDULE_ALLTOALLV, "pairwise", "2", false, false},
    {SCHEDULE_BARRIER, "linear", "1", false, false},
    {SCHEDULE_BARRIER, "double_ring", "2", false, false},
    {SCHEDULE_BARRIER, "recursive_doubling", "3", false, false},
    {SCHEDULE_BARRIER, "bruck", "4", false, false},
    {SCHEDULE_BARRIER, "two_proc", "5", false, false},
    {SCHEDULE_BARRIER, "tree", "6", false, false},
    {SCHEDULE_BCAST, "linear", "1", false, false},
    {SCHEDULE_BCAST, "chain", "2", true, true},
    {SCHEDULE_BCAST, "pipeline", "3", true, false},
    {SCHEDULE_BCAST, "split_binary_tree", "4", true, false},
    {SCHEDULE_BCAST, "binary", "5", true, false},
    {SCHEDULE_BCAST, "binomial", "6", true, false},
    {SCHEDULE_BCAST, "knomial", "7", true, false},
    {SCHEDULE_BCAST, "scatter_allgather", "8", false, false},
    {SCHEDULE_BCAST, "scatter_allgather_ring", "9", false, false},
    {SCHEDULE_REDUCE, "linear", "1", false, false},
    {SCHEDULE_REDUCE, "chain", "2", true, true},
    {SCHEDULE_REDUCE, "pipeline", "3", true, false},
    {SCHEDULE_REDUCE, "binary", "4", true, false},
    {SCHEDULE_REDUCE, "binomial", "5", true, false},
    {SCHEDULE_REDUCE, "in_order_binary", "6", true, false},
    {SCHEDULE_REDUCE, "rabenseifner", "7", false, false},
    {SCHEDULE_REDUCE_SCATTER, "nonoverlapping", "1", false, false},
    {SCHEDULE_REDUCE_SCATTER, "recursive_halving", "2", false, false},
    {SCHEDULE_REDUCE_SCATTER, "ring", "3", false, false},
    {SCHEDULE_REDUCE_SCATTER, "butterfly", "4", false, false},
    {SCHEDULE_REDUCE_SCATTER_BLOCK, "basic_linear", "1", false, false},
    {SCHEDULE_REDUCE_SCATTER_BLOCK, "recursive_doubling", "2", false, false},
    {SCHEDULE_REDUCE_SCATTER_BLOCK, "recursive_halving", "3", false, false},
    {SCHEDULE_REDUCE_SCATTER_BLOCK, "butterfly", "4", false, false},
};

/* Their numbers in the file (ompi/mca/coll/base/coll_base_functions.h). */
static const struct {
  const char *op;
  int id;
} ids[] = {{"MPI_Allgather", 0},       {"MPI_Allgatherv", 1},
           {"MPI_Allreduce", 2},       {"MPI_Alltoall", 3},
           {"MPI_Alltoallv", 4},       {"MPI_Barrier", 6},
           {"MPI_Bcast", 7},           {"MPI_Reduce", 11},
           {"MPI_Reduce_scatter", 12}, {"MPI_Reduce_scatter_block", 13}};

static int id_of(const char *op)
{
  size_t i = 0;
  while (strcmp(ids[i].op, op) != 0) i++;
  return ids[i].id;
}

/* Calls of MPI_Alltoallv, whose ranks don't know what others send, and of MPI_Barrier are looked up
 * as those of no bytes. Blocks of MPI_Allgatherv count by their mean. */
static void find(const schedule_request_t *q, int *ranks, uint64_t *bytes)
{
  const schedule_call_t *c = &q->call;
  uint64_t element = (uint64_t)q->element, all = (uint64_t)block_total(c) * element;
  *ranks = c->size;
  if (c->op == SCHEDULE_ALLTOALLV || c->op == SCHEDULE_BARRIER)
    *bytes = 0;
  else if (c->op == SCHEDULE_ALLGATHERV)
    *bytes = all / (uint64_t)c->size;
  else
    *bytes = schedule_block_kind(c->op) == SCHEDULE_ONE_BLOCK ? (uint64_t)c->count * element : all;
}

/* --- the file --- */

/* The end of the settings from `first` on that are of the same operation and, maybe, ranks. */
static size_t end_of(const berth_setting_t *s, size_t first, size_t n, bool same_ranks)
{
  size_t end = first + 1;
  while (end < n && strcmp(s[end].op, s[first].op) == 0 &&
         (!same_ranks || s[end].ranks == s[first].ranks))
    end++;
  return end;
}

/* Lines of one communicator size. Algorithm 0 is the MPI's own decision. A line holds from its
 * bytes on, and the first one has to begin at 0. */
static void put_sizes(out_file_t *out, const berth_setting_t *s, size_t n)
{
  size_t lines = s[0].bytes > 0;
  for (size_t i = 0; i < n; i++) lines += 1 + (i + 1 == n || s[i + 1].bytes > s[i].bytes + 1);
  out_printf(out, "%d # ranks\n%zu # lines: bytes, algorithm, degree, bytes of a segment\n",
             s[0].ranks, lines);
  if (s[0].bytes > 0) out_text(out, "0 0 0 0\n");
  for (size_t i = 0; i < n; i++) {
    const berth_choice_t *c = &s[i].choice;
    out_printf(out, "%llu %s %d %llu # %s\n", (unsigned long long)s[i].bytes, c->setting, c->degree,
               (unsigned long long)c->segment, c->algorithm);
    if (i + 1 == n || s[i + 1].bytes > s[i].bytes + 1)
      out_printf(out, "%llu 0 0 0\n", (unsigned long long)s[i].bytes + 1);
  }
}

/* Other communicator sizes: those from this one on. */
static void put_own_decision(out_file_t *out, int ranks)
{
  out_printf(out, "%d # ranks\n1\n0 0 0 0\n", ranks);
}

/* The MPI takes the largest size that isn't above a communicator's, else the first one. */
static void put_operation(out_file_t *out, const berth_setting_t *s, size_t n)
{
  size_t sizes = 1;
  for (size_t i = 0, end; i < n; i = end) {
    end = end_of(s, i, n, true);
    sizes += 1 + (end == n || s[end].ranks > s[i].ranks + 1);
  }
  out_printf(out, "%d # %s\n%zu # sizes of communicators\n", id_of(s[0].op), s[0].op, sizes);
  put_own_decision(out, 1);
  for (size_t i = 0, end; i < n; i = end) {
    end = end_of(s, i, n, true);
    put_sizes(out, &s[i], end - i);
    if (end == n || s[end].ranks > s[i].ranks + 1) put_own_decision(out, s[i].ranks + 1);
  }
}

static void write(out_file_t *out, const berth_setting_t *s, size_t n)
{
  size_t operations = 0;
  for (size_t i = 0; i < n; i = end_of(s, i, n, false)) operations++;
  out_text(out,
           "# Dynamic rules of Open MPI 4.1 (coll_tuned_dynamic_rules_filename). Algorithm 0 is "
           "its own decision.\n");
  out_printf(out, "%zu # operations\n", operations);
  for (size_t i = 0, end; i < n; i = end) {
    end = end_of(s, i, n, false);
    put_operation(out, &s[i], end - i);
  }
}

const advice_mpi_t advice_openmpi = {"openmpi-4.1",
                                     sizeof algorithms / sizeof *algorithms,
                                     algorithms,
                                     find,
                                     write,
                                     "mpirun --mca coll_tuned_use_dynamic_rules 1 --mca "
                                     "coll_tuned_dynamic_rules_filename ",
                                     " …"};
