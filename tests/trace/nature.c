/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective calls of every nature: elements of several sizes, in place or not, with operations of
 * MPI and of the program. nature.sh says what the trace has of them. Each call has a number of
 * bytes of its own. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#ifdef OMPI_MAJOR_VERSION
#include <mpi-ext.h>
#define MPI_Allreduce_init MPIX_Allreduce_init
#endif

enum { MOST = 4096 };
static char in[MOST], out[MOST];

static void keep(void *left, void *right, int *n, MPI_Datatype *type)
{
  (void)left, (void)right, (void)n, (void)type;
}

static MPI_Datatype triple(void)
{
  MPI_Datatype type;
  MPI_Type_contiguous(3, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  return type;
}

/* --- elements --- */

static void elements(int rank, int ranks)
{
  MPI_Datatype three = triple(), types[64];
  int counts[64], places[64];
  MPI_Bcast(in, 3, MPI_CHAR, 0, MPI_COMM_WORLD);
  MPI_Bcast(in, 5, three, 0, MPI_COMM_WORLD);
  MPI_Bcast(in, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD); /* 16 bytes as two and as four elements */
  MPI_Bcast(in, 4, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Bcast(in, 0, three, 0, MPI_COMM_WORLD);
  /* 48 bytes, which ranks describe in different ways */
  MPI_Bcast(in, rank ? 2 : 6, rank ? three : MPI_DOUBLE, 0, MPI_COMM_WORLD);
  for (int i = 0; i < ranks; i++) {
    counts[i] = 2;
    places[i] = 32 * i;
    types[i] = (i + rank) % 2 ? MPI_INT : MPI_DOUBLE;
  }
  MPI_Alltoallw(in, counts, places, types, out, counts, places, types, MPI_COMM_WORLD);
  for (int i = 0; i < ranks; i++) counts[i] = i; /* rank 0 gives nothing */
  for (int i = 0; i < ranks; i++) places[i] = 8 * i;
  MPI_Allgatherv(in, rank, MPI_SHORT, out, counts, places, MPI_SHORT, MPI_COMM_WORLD);
  MPI_Type_free(&three);
}

/* --- in place --- */

static void in_place(int ranks)
{
  int counts[64], places[64];
  MPI_Request request;
  for (int i = 0; i < ranks; i++) counts[i] = 1, places[i] = i;
  MPI_Allreduce(MPI_IN_PLACE, out, 20, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, out, 21, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* once and once not */
  MPI_Allreduce(in, out, 21, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Iallreduce(MPI_IN_PLACE, out, 22, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Allreduce_init(MPI_IN_PLACE, out, 23, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                     &request);
  for (int i = 0; i < 2; i++) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
  MPI_Alltoall(MPI_IN_PLACE, 1, MPI_INT, out, 1, MPI_INT, MPI_COMM_WORLD);
  MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, out, counts, places, MPI_INT,
                MPI_COMM_WORLD);
}

/* --- operations --- */

static void operations(int ranks)
{
  MPI_Op commuting, ordered;
  MPI_Op_create(keep, 1, &commuting);
  MPI_Op_create(keep, 0, &ordered);
  MPI_Op known[] = {MPI_MAX,  MPI_MIN, MPI_SUM, MPI_PROD, MPI_LAND,
                    MPI_BAND, MPI_LOR, MPI_BOR, MPI_LXOR, MPI_BXOR};
  for (int i = 0; i < 10; i++) MPI_Allreduce(in, out, 30, MPI_INT, known[i], MPI_COMM_WORLD);
  MPI_Allreduce(in, out, 4, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
  MPI_Allreduce(in, out, 4, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD);
  MPI_Allreduce(in, out, 31, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* the same bytes, three natures */
  MPI_Allreduce(in, out, 31, MPI_INT, commuting, MPI_COMM_WORLD);
  MPI_Allreduce(in, out, 31, MPI_INT, ordered, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, out, 32, MPI_INT, ordered, MPI_COMM_WORLD);
  MPI_Reduce(in, out, 33, MPI_INT, ordered, 0, MPI_COMM_WORLD);
  MPI_Scan(in, out, 34, MPI_INT, ordered, MPI_COMM_WORLD);
  MPI_Exscan(in, out, 35, MPI_INT, commuting, MPI_COMM_WORLD);
  MPI_Reduce_scatter_block(in, out, 3, MPI_INT, ordered, MPI_COMM_WORLD);
  int counts[64];
  for (int i = 0; i < ranks; i++) counts[i] = 5;
  MPI_Reduce_scatter(in, out, counts, MPI_INT, commuting, MPI_COMM_WORLD);
  MPI_Op_free(&commuting);
  MPI_Op_create(keep, 0, &commuting); /* whose handle may be that of the one before */
  MPI_Allreduce(in, out, 36, MPI_INT, commuting, MPI_COMM_WORLD);
  MPI_Op_free(&commuting);
  MPI_Op_free(&ordered);
}

int main(int argc, char **argv)
{
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks > 16) MPI_Abort(MPI_COMM_WORLD, 1);
  elements(rank, ranks);
  in_place(ranks);
  operations(ranks);
  return MPI_Finalize();
}
