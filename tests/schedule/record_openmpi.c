/* SPDX-License-Identifier: BSD-3-Clause */
/* Records Open MPI 4.1. Messages: its table of point-to-point functions, mca_pml, is exported, and
 * collective operations send through three of its entries. Algorithms: each is an exported function
 * ompi_coll_base_…, and the program's own of that name comes first. Those of gatherv and scatterv
 * aren't exported. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "record.h"

/* --- messages --- */

enum { ISEND_INIT = 9, ISEND = 10, SEND = 11 }; /* places in mca_pml */

typedef int isend_t(const void *data, size_t count, MPI_Datatype type, int to, int tag, int mode,
                    MPI_Comm comm, MPI_Request *request);
typedef int send_t(const void *data, size_t count, MPI_Datatype type, int to, int tag, int mode,
                   MPI_Comm comm);
static isend_t *real_isend_init, *real_isend;
static send_t *real_send;

static int rank_of_world(MPI_Comm comm, int rank)
{
  int found;
  MPI_Group group, world;
  MPI_Comm_group(comm, &group);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_translate_ranks(group, 1, &rank, world, &found);
  MPI_Group_free(&group);
  MPI_Group_free(&world);
  return found;
}

static void note_message(size_t count, MPI_Datatype type, int to, MPI_Comm comm)
{
  int size;
  if (!record_is_on()) return;
  MPI_Type_size(type, &size);
  record_message(rank_of_world(comm, to), count * (size_t)size);
}

static int isend_init(const void *data, size_t count, MPI_Datatype type, int to, int tag, int mode,
                      MPI_Comm comm, MPI_Request *request)
{
  note_message(count, type, to, comm);
  return real_isend_init(data, count, type, to, tag, mode, comm, request);
}

static int isend(const void *data, size_t count, MPI_Datatype type, int to, int tag, int mode,
                 MPI_Comm comm, MPI_Request *request)
{
  note_message(count, type, to, comm);
  return real_isend(data, count, type, to, tag, mode, comm, request);
}

static int send(const void *data, size_t count, MPI_Datatype type, int to, int tag, int mode,
                MPI_Comm comm)
{
  note_message(count, type, to, comm);
  return real_send(data, count, type, to, tag, mode, comm);
}

void record_prepare(void)
{
  void **pml = dlsym(RTLD_DEFAULT, "mca_pml");
  if (!pml) abort();
  real_isend_init = (isend_t *)pml[ISEND_INIT];
  real_isend = (isend_t *)pml[ISEND];
  real_send = (send_t *)pml[SEND];
  pml[ISEND_INIT] = (void *)isend_init;
  pml[ISEND] = (void *)isend;
  pml[SEND] = (void *)send;
}

/* --- algorithms --- */

typedef int algorithm_t(long, long, long, long, long, long, long, long, long, long, long, long);

/* Runs the function of that name. It is noted if it ran no other one: if it did, it was made of
 * those, or didn't serve the call and left it to another. */
static int run(const char *function, const char *name, const long a[12])
{
  size_t before = strlen(record_names());
  algorithm_t *real = (algorithm_t *)dlsym(RTLD_NEXT, function);
  if (!real) abort();
  int rc = real(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11]);
  if (record_is_on() && strlen(record_names()) == before) record_name(name);
  return rc;
}

/* All have integers and pointers alone as arguments, at most twelve. */
#define ALGORITHM(operation, function, name)                                                       \
  int ompi_coll_base_##operation##_intra_##function(long a, long b, long c, long d, long e,        \
                                                    long f, long g, long h, long i, long j,        \
                                                    long k, long l)                                \
  {                                                                                                \
    return run("ompi_coll_base_" #operation "_intra_" #function, #operation ":" name,              \
               (const long[]){a, b, c, d, e, f, g, h, i, j, k, l});                                \
  }

ALGORITHM(allgather, basic_linear, "basic_linear")
ALGORITHM(allgather, bruck, "bruck")
ALGORITHM(allgather, neighborexchange, "neighbor")
ALGORITHM(allgather, recursivedoubling, "recursive_doubling")
ALGORITHM(allgather, ring, "ring")
ALGORITHM(allgather, two_procs, "two_proc")
ALGORITHM(allgatherv, bruck, "bruck")
ALGORITHM(allgatherv, neighborexchange, "neighbor")
ALGORITHM(allgatherv, ring, "ring")
ALGORITHM(allgatherv, two_procs, "two_proc")
ALGORITHM(allreduce, basic_linear, "basic_linear")
ALGORITHM(allreduce, nonoverlapping, "nonoverlapping")
ALGORITHM(allreduce, recursivedoubling, "recursive_doubling")
ALGORITHM(allreduce, redscat_allgather, "rabenseifner")
ALGORITHM(allreduce, ring, "ring")
ALGORITHM(allreduce, ring_segmented, "ring")
ALGORITHM(alltoall, basic_linear, "linear")
ALGORITHM(alltoall, bruck, "bruck")
ALGORITHM(alltoall, linear_sync, "linear_sync")
ALGORITHM(alltoall, pairwise, "pairwise")
ALGORITHM(alltoall, two_procs, "two_proc")
ALGORITHM(alltoallv, basic_linear, "linear")
ALGORITHM(alltoallv, pairwise, "pairwise")
ALGORITHM(barrier, basic_linear, "linear")
ALGORITHM(barrier, bruck, "bruck")
ALGORITHM(barrier, doublering, "double_ring")
ALGORITHM(barrier, recursivedoubling, "recursive_doubling")
ALGORITHM(barrier, tree, "tree")
ALGORITHM(barrier, two_procs, "two_proc")
ALGORITHM(bcast, basic_linear, "linear")
ALGORITHM(bcast, binomial, "binomial")
ALGORITHM(bcast, bintree, "binary")
ALGORITHM(bcast, chain, "chain")
ALGORITHM(bcast, knomial, "knomial")
ALGORITHM(bcast, pipeline, "pipeline")
ALGORITHM(bcast, scatter_allgather, "scatter_allgather")
ALGORITHM(bcast, scatter_allgather_ring, "scatter_allgather_ring")
ALGORITHM(bcast, split_bintree, "split_binary_tree")
ALGORITHM(exscan, linear, "linear")
ALGORITHM(exscan, recursivedoubling, "recursive_doubling")
ALGORITHM(gather, basic_linear, "linear")
ALGORITHM(gather, binomial, "binomial")
ALGORITHM(gather, linear_sync, "linear_sync")
ALGORITHM(reduce, basic_linear, "linear")
ALGORITHM(reduce, binary, "binary")
ALGORITHM(reduce, binomial, "binomial")
ALGORITHM(reduce, chain, "chain")
ALGORITHM(reduce, in_order_binary, "in_order_binary")
ALGORITHM(reduce, pipeline, "pipeline")
ALGORITHM(reduce, redscat_gather, "rabenseifner")
ALGORITHM(reduce_scatter, basic_recursivehalving, "recursive_halving")
ALGORITHM(reduce_scatter, butterfly, "butterfly")
ALGORITHM(reduce_scatter, ring, "ring")
ALGORITHM(reduce_scatter_block, butterfly, "butterfly")
ALGORITHM(reduce_scatter_block, recursivedoubling, "recursive_doubling")
ALGORITHM(reduce_scatter_block, recursivehalving, "recursive_halving")
ALGORITHM(scan, linear, "linear")
ALGORITHM(scan, recursivedoubling, "recursive_doubling")
ALGORITHM(scatter, basic_linear, "linear")
ALGORITHM(scatter, binomial, "binomial")
ALGORITHM(scatter, linear_nb, "linear_nb")

const char *record_algorithms(void) { return record_names(); }
