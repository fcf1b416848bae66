/* SPDX-License-Identifier: BSD-3-Clause */
/* cells together|apart [unmarked]: one collective operation after the other, each with vectors of
 * 1, 16, 64 and 256 KiB on all ranks. The size is that of a rank's largest buffer: an Allgather of
 * 16 KiB on 16 ranks has blocks of 1 KiB. Blocks of v-forms and of Reduce_scatter differ, by up to
 * a half. Calls follow one another, or are apart: each begins after a barrier, which isn't timed.
 * Each cell is a phase, by MPI_Pcontrol (unmarked: it isn't; SMPI has no MPI_Pcontrol), and a line:
 * operation, bytes, calls, seconds of them all on the slowest rank. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { LARGEST = 256 << 10, DOUBLES = LARGEST / 8, MOST_RANKS = 64 };

static double in[DOUBLES], out[DOUBLES];
static int rank, ranks, marked;

/* Counts and offsets of unequal parts of `n` items: 0.5 to 1.5 times the mean. */
static int counts[MOST_RANKS], offsets[MOST_RANKS];

static int offset_of(int n, int part)
{
  return (int)((double)n * part * (ranks + part) / (2.0 * ranks * ranks));
}

static void divide(int n)
{
  for (int i = 0; i < ranks; i++) {
    offsets[i] = offset_of(n, i);
    counts[i] = (i + 1 < ranks ? offset_of(n, i + 1) : n) - offsets[i];
  }
}

/* What rank r sends to each and receives from each: parts of different sizes, where the part of a
 * pair depends on its distance. */
static int out_counts[MOST_RANKS], out_offsets[MOST_RANKS], in_counts[MOST_RANKS],
    in_offsets[MOST_RANKS];

static void divide_pairs(int n)
{
  divide(n);
  int sent = 0, received = 0;
  for (int i = 0; i < ranks; i++) {
    out_counts[i] = counts[(i - rank + ranks) % ranks];
    in_counts[i] = counts[(rank - i + ranks) % ranks];
    out_offsets[i] = sent;
    in_offsets[i] = received;
    sent += out_counts[i];
    received += in_counts[i];
  }
}

typedef void call_t(int n); /* n: doubles of the largest buffer */

static void allgather(int n)
{
  MPI_Allgather(in, n / ranks, MPI_DOUBLE, out, n / ranks, MPI_DOUBLE, MPI_COMM_WORLD);
}
static void allgatherv(int n)
{
  divide(n);
  MPI_Allgatherv(in, counts[rank], MPI_DOUBLE, out, counts, offsets, MPI_DOUBLE, MPI_COMM_WORLD);
}
static void allreduce(int n) { MPI_Allreduce(in, out, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); }
static void alltoall(int n)
{
  MPI_Alltoall(in, n / ranks, MPI_DOUBLE, out, n / ranks, MPI_DOUBLE, MPI_COMM_WORLD);
}
static void alltoallv(int n)
{
  divide_pairs(n);
  MPI_Alltoallv(in, out_counts, out_offsets, MPI_DOUBLE, out, in_counts, in_offsets, MPI_DOUBLE,
                MPI_COMM_WORLD);
}
static void barrier(int n)
{
  (void)n;
  MPI_Barrier(MPI_COMM_WORLD);
}
static void bcast(int n) { MPI_Bcast(out, n, MPI_DOUBLE, 0, MPI_COMM_WORLD); }
static void gather(int n)
{
  MPI_Gather(in, n / ranks, MPI_DOUBLE, out, n / ranks, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}
static void reduce(int n) { MPI_Reduce(in, out, n, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD); }
static void reduce_scatter(int n)
{
  divide(n);
  MPI_Reduce_scatter(in, out, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
static void scan(int n) { MPI_Scan(in, out, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); }
static void scatter(int n)
{
  MPI_Scatter(in, n / ranks, MPI_DOUBLE, out, n / ranks, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

/* Calls of a cell for each size, so that it takes between 50 ms and 1 s at 50 Mbit/s. */
static const struct {
  const char *name;
  call_t *call;
  int calls[4];
} operations[] = {
    {"Allgather", allgather, {50, 12, 4, 2}},
    {"Allgatherv", allgatherv, {40, 12, 4, 2}},
    {"Allreduce", allreduce, {60, 10, 4, 2}},
    {"Alltoall", alltoall, {40, 12, 5, 2}},
    {"Alltoallv", alltoallv, {40, 12, 5, 2}},
    {"Barrier", barrier, {50, 100, 150, 200}},
    {"Bcast", bcast, {80, 16, 5, 2}},
    {"Gather", gather, {200, 40, 12, 4}},
    {"Reduce", reduce, {80, 16, 5, 2}},
    {"Reduce_scatter", reduce_scatter, {40, 12, 4, 2}},
    {"Scan", scan, {60, 8, 3, 2}},
    {"Scatter", scatter, {200, 40, 12, 4}},
};
enum { OPERATIONS = sizeof operations / sizeof *operations };
static const int sizes[4] = {1 << 10, 16 << 10, 64 << 10, 256 << 10};

static double slowest(double mine)
{
  double most;
  MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return most;
}

static void mark(int phase)
{
  if (marked) MPI_Pcontrol(phase);
}

/* Seconds of so many calls in a row. Only they are recorded. */
static double time_calls(call_t *call, int n, int calls, int phase)
{
  MPI_Barrier(MPI_COMM_WORLD);
  mark(phase);
  double took = -MPI_Wtime();
  for (int i = 0; i < calls; i++) call(n);
  took += MPI_Wtime();
  mark(0);
  return slowest(took);
}

static double time_cell(call_t *call, int n, int calls, int phase, int apart)
{
  double seconds = 0;
  call(n);
  if (!apart) return time_calls(call, n, calls, phase);
  for (int i = 0; i < calls; i++) seconds += time_calls(call, n, 1, phase);
  return seconds;
}

static void run_cells(int apart)
{
  mark(0);
  for (int o = 0; o < OPERATIONS; o++)
    for (int s = 0; s < 4; s++) {
      int calls = operations[o].calls[s];
      double seconds = time_cell(operations[o].call, sizes[s] / 8, calls, 2 + 4 * o + s, apart);
      if (rank == 0) printf("%s %d %d %.6f\n", operations[o].name, sizes[s], calls, seconds);
    }
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int apart = argc > 1 && strcmp(argv[1], "apart") == 0;
  marked = argc < 3 || strcmp(argv[2], "unmarked") != 0;
  if (ranks > MOST_RANKS || argc < 2 || (!apart && strcmp(argv[1], "together") != 0)) {
    if (rank == 0)
      fprintf(stderr, "usage: cells together|apart [unmarked], on at most %d ranks\n", MOST_RANKS);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  run_cells(apart);
  return MPI_Finalize();
}
