/* SPDX-License-Identifier: BSD-3-Clause */
/* calls OPERATION BYTES ITERATIONS: MPI_OPERATION on all ranks, with blocks of so many bytes.
 * Prints the seconds of a call on the slowest rank, of three loops after one call to warm up. Ranks
 * begin a call together, behind point-to-point messages that aren't counted. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, bytes;
static char *in, *out;

static void allreduce(void)
{
  MPI_Allreduce(in, out, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
static void bcast(void) { MPI_Bcast(in, bytes, MPI_BYTE, 0, MPI_COMM_WORLD); }
static void reduce(void) { MPI_Reduce(in, out, bytes / 8, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD); }
static void allgather(void)
{
  MPI_Allgather(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, MPI_COMM_WORLD);
}
static void alltoall(void)
{
  MPI_Alltoall(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, MPI_COMM_WORLD);
}

static const struct {
  const char *name;
  void (*run)(void);
} operations[] = {{"Allreduce", allreduce},
                  {"Bcast", bcast},
                  {"Reduce", reduce},
                  {"Allgather", allgather},
                  {"Alltoall", alltoall}};
enum { OPERATIONS = sizeof operations / sizeof *operations };

/* Ranks are ready when all have told rank 0, and it has told all. */
static void meet(void)
{
  if (rank > 0) {
    MPI_Send(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    MPI_Recv(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return;
  }
  for (int i = 1; i < size; i++)
    MPI_Recv(NULL, 0, MPI_BYTE, i, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 1; i < size; i++) MPI_Send(NULL, 0, MPI_BYTE, i, 0, MPI_COMM_WORLD);
}

/* The time from when all were ready to when the slowest is done. */
static double call(void (*run)(void))
{
  meet();
  double slowest = 0, took = -MPI_Wtime();
  run();
  took += MPI_Wtime();
  MPI_Reduce(&took, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  return slowest;
}

int main(int argc, char **argv)
{
  int i = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  while (argc == 4 && i < OPERATIONS && strcmp(operations[i].name, argv[1]) != 0) i++;
  bytes = argc == 4 ? atoi(argv[2]) : 0;
  int iterations = argc == 4 ? atoi(argv[3]) : 0;
  if (i == OPERATIONS || bytes < 8 || iterations < 1) {
    if (rank == 0) fprintf(stderr, "usage: calls OPERATION BYTES ITERATIONS\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  in = calloc((size_t)bytes, (size_t)size);
  out = calloc((size_t)bytes, (size_t)size);
  if (!in || !out) MPI_Abort(MPI_COMM_WORLD, 1);
  call(operations[i].run);
  for (int loop = 0; loop < 3; loop++) {
    double sum = 0;
    for (int k = 0; k < iterations; k++) sum += call(operations[i].run);
    if (rank == 0) printf("%.6f\n", sum / iterations);
  }
  free(in);
  free(out);
  MPI_Finalize();
  return 0;
}
