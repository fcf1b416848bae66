/* SPDX-License-Identifier: BSD-3-Clause */
/* Times collective calls: cells [--between] MS FUNCTION:BYTES….
 *
 * A line for each function and size: "FUNCTION BYTES SECONDS", the time of a call on its slowest
 * rank, as the median of 5 loops of MS milliseconds. Bytes are those of the vector, or of a rank's
 * block. With --between there is a barrier by messages
 * before each call, and only the call counts: for calls over a network, of which only the last
 * rank's end matters. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOOPS = 5, MOST_CALLS = 50000 };

static int rank, size, between;
static char *in, *out;

static void call(const char *function, size_t bytes)
{
  int doubles = (int)(bytes / sizeof(double));
  if (strcmp(function, "Barrier") == 0) MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(function, "Bcast") == 0) MPI_Bcast(in, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  if (strcmp(function, "Reduce") == 0)
    MPI_Reduce(in, out, doubles, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (strcmp(function, "Allreduce") == 0)
    MPI_Allreduce(in, out, doubles, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (strcmp(function, "Reduce_scatter_block") == 0)
    MPI_Reduce_scatter_block(in, out, doubles, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (strcmp(function, "Gather") == 0)
    MPI_Gather(in, (int)bytes, MPI_BYTE, out, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  if (strcmp(function, "Scatter") == 0)
    MPI_Scatter(in, (int)bytes, MPI_BYTE, out, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  if (strcmp(function, "Allgather") == 0)
    MPI_Allgather(in, (int)bytes, MPI_BYTE, out, (int)bytes, MPI_BYTE, MPI_COMM_WORLD);
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
  MPI_Finalize();
  return 0;
}
