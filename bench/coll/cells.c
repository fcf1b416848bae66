/* SPDX-License-Identifier: BSD-3-Clause */
/* Times collective calls: cells [--between] MS FUNCTION:BYTES….
 *
 * A line for each function and size: "FUNCTION BYTES SECONDS", the time of a call on its slowest
 * rank, as the median of 5 loops of MS milliseconds. Bytes are those of the vector, or of a rank's
 * block. With --between there is a barrier by messages before each call, and only the call counts:
 * for calls over a network, of which only the last rank's end matters. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOOPS = 5, MOST_CALLS = 50000 };

static int rank, size, between;
static char *in, *out;
static int *counts, *displs; /* of all ranks, for the functions with v: the same for each */

static void call(const char *function, size_t bytes)
{
  int n = (int)bytes, doubles = (int)(bytes / sizeof(double));
  bool reduces = strstr(function, "educe") != NULL;
  for (int r = 0; r < size; r++) {
    counts[r] = reduces ? doubles : n;
    displs[r] = r * n;
  }
#define CASE(name, ...)                                                                            \
  if (strcmp(function, #name) == 0) MPI_##name(__VA_ARGS__, MPI_COMM_WORLD);
#define BLOCKS in, n, MPI_BYTE, out, n, MPI_BYTE
#define GOT    out, counts, displs, MPI_BYTE
#define SUM    doubles, MPI_DOUBLE, MPI_SUM
  if (strcmp(function, "Barrier") == 0) MPI_Barrier(MPI_COMM_WORLD);
  CASE(Bcast, in, n, MPI_BYTE, 0)
  CASE(Reduce, in, out, SUM, 0)
  CASE(Allreduce, in, out, SUM)
  CASE(Scan, in, out, SUM)
  CASE(Exscan, in, out, SUM)
  CASE(Reduce_scatter, in, out, counts, MPI_DOUBLE, MPI_SUM)
  CASE(Reduce_scatter_block, in, out, SUM)
  CASE(Gather, BLOCKS, 0)
  CASE(Gatherv, in, n, MPI_BYTE, GOT, 0)
  CASE(Scatter, BLOCKS, 0)
  CASE(Scatterv, in, counts, displs, MPI_BYTE, out, n, MPI_BYTE, 0)
  CASE(Allgather, BLOCKS)
  CASE(Allgatherv, in, n, MPI_BYTE, GOT)
  CASE(Alltoall, BLOCKS)
  CASE(Alltoallv, in, counts, displs, MPI_BYTE, GOT)
}

/* Not a collective call: those are measured. */
static void meet(void)
{
  for (int step = 1; step < size; step *= 2)
    MPI_Sendrecv(NULL, 0, MPI_BYTE, (rank + step) % size, 9, NULL, 0, MPI_BYTE,
                 (rank - step + size) % size, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* All ranks get the same. */
static double slowest(double seconds)
{
  double other;
  for (int i = 1; i < size; i++) {
    if (rank == i) MPI_Send(&seconds, 1, MPI_DOUBLE, 0, 8, MPI_COMM_WORLD);
    if (rank > 0) continue;
    MPI_Recv(&other, 1, MPI_DOUBLE, i, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (other > seconds) seconds = other;
  }
  for (int i = 1; i < size; i++) {
    if (rank == 0) MPI_Send(&seconds, 1, MPI_DOUBLE, i, 7, MPI_COMM_WORLD);
    if (rank == i) MPI_Recv(&seconds, 1, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  return seconds;
}

static double loop(const char *function, size_t bytes, int calls)
{
  double sum = 0;
  meet();
  double begin = MPI_Wtime();
  for (int i = 0; i < calls; i++) {
    if (between) {
      meet();
      begin = MPI_Wtime();
    }
    call(function, bytes);
    if (between) sum += slowest(MPI_Wtime() - begin);
  }
  return between ? sum / calls : slowest(MPI_Wtime() - begin) / calls;
}

/* Calls that take so long. */
static int how_many(const char *function, size_t bytes, double seconds)
{
  double first = loop(function, bytes, 1),
         each = first > seconds ? first : loop(function, bytes, 5);
  double calls = seconds / each;
  return calls < 1 ? 1 : calls > MOST_CALLS ? MOST_CALLS : (int)calls;
}

static int by_value(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int first = 1;
  if (argc > 1 && strcmp(argv[1], "--between") == 0) between = 1, first++;
  double seconds = argc > first ? atof(argv[first]) * 1e-3 : 0.02;
  size_t most = 8;
  for (int i = first + 1; i < argc; i++) {
    size_t bytes = strtoull(strchr(argv[i], ':') + 1, NULL, 10);
    most = bytes > most ? bytes : most;
  }
  in = calloc(size, most); /* for blocks of all ranks */
  out = calloc(size, most);
  counts = calloc(size, sizeof *counts);
  displs = calloc(size, sizeof *displs);
  for (int i = first + 1; i < argc; i++) {
    char function[32];
    size_t bytes;
    double times[LOOPS];
    sscanf(argv[i], "%31[^:]:%zu", function, &bytes);
    int calls = how_many(function, bytes, seconds);
    for (int k = 0; k < LOOPS; k++) times[k] = loop(function, bytes, calls);
    qsort(times, LOOPS, sizeof *times, by_value);
    if (rank == 0) printf("%s %zu %.9f\n", function, bytes, times[LOOPS / 2]);
  }
  free(in);
  free(out);
  free(counts);
  free(displs);
  MPI_Finalize();
  return 0;
}
