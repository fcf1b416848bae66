/* SPDX-License-Identifier: BSD-3-Clause */
/* messages pingpong|self|stencil|pauses|allreduce|alone [BATCHES]: rank 0 prints the nanoseconds of
 * one message or collective call, of the fastest of many short batches: one in which nothing else
 * took the cores away.
 *   pingpong  there and back between two ranks, by MPI_Send and MPI_Recv
 *   self      a rank to itself, by MPI_Irecv, MPI_Send and MPI_Wait: no other process's time in it
 *   pauses    as self, with a pause of 0.2 ms before each batch, in which the rank computes; of the
 *             median batch, since the tracer may do something else in each
 *   stencil   four neighbours on a periodic grid, by MPI_Irecv, MPI_Isend and MPI_Waitall, of 8 to
 *             64 bytes, with an MPI_Allreduce every ten steps
 *   allreduce MPI_Allreduce of 8 bytes by two ranks; alone: by one, so no other's time is in it
 * A call site has eight frames up to main. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES = 60, MESSAGES = 2000, NEIGHBOURS = 4 };

static int rank, n_ranks;
static int neighbour[NEIGHBOURS];
static double out[NEIGHBOURS][8], in[NEIGHBOURS][8];

static void pingpong(void)
{
  int other = 1 - rank;
  for (int i = 0; i < MESSAGES; i += 2) {
    if (rank == 0) MPI_Send(out[0], 1, MPI_DOUBLE, other, 0, MPI_COMM_WORLD);
    MPI_Recv(in[0], 1, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(out[0], 1, MPI_DOUBLE, other, 0, MPI_COMM_WORLD);
  }
}

static void self(void)
{
  MPI_Request request;
  for (int i = 0; i < MESSAGES; i++) {
    MPI_Irecv(in[0], 1, MPI_DOUBLE, rank, 0, MPI_COMM_WORLD, &request);
    MPI_Send(out[0], 1, MPI_DOUBLE, rank, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

static void stencil(void)
{
  MPI_Request requests[2 * NEIGHBOURS];
  double sum = 1;
  for (int step = 0; step < MESSAGES / NEIGHBOURS; step++) {
    for (int i = 0; i < NEIGHBOURS; i++)
      MPI_Irecv(in[i], 8, MPI_DOUBLE, neighbour[i], i ^ 1, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < NEIGHBOURS; i++)
      MPI_Isend(out[i], 1 << i, MPI_DOUBLE, neighbour[i], i, MPI_COMM_WORLD,
                &requests[NEIGHBOURS + i]);
    MPI_Waitall(2 * NEIGHBOURS, requests, MPI_STATUSES_IGNORE);
    if (step % 10 == 0) MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  }
}

static void allreduce(void)
{
  for (int i = 0; i < MESSAGES; i++)
    MPI_Allreduce(out[0], in[0], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

/* A call of the next function that can't be made a jump or be inlined. */
#define LEVEL(name, next)                                                                          \
  __attribute__((noinline)) static double name(void (*exchange)(void))                             \
  {                                                                                                \
    double ns = next(exchange);                                                                    \
    __asm__ volatile("" : "+m"(ns));                                                               \
    return ns;                                                                                     \
  }

__attribute__((noinline)) static double level0(void (*exchange)(void))
{
  double start = MPI_Wtime();
  exchange();
  return (MPI_Wtime() - start) / MESSAGES * 1e9;
}
LEVEL(level1, level0)
LEVEL(level2, level1)
LEVEL(level3, level2)
LEVEL(level4, level3)
LEVEL(level5, level4)

static void pause_shortly(void)
{
  double start = MPI_Wtime();
  while (MPI_Wtime() - start < 200e-6) continue;
}

static int by_size(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Left, right, down and up of 2 × n/2 ranks. */
static void lay_grid(void)
{
  MPI_Comm grid;
  int dims[2] = {0, 0}, periods[2] = {1, 1};
  MPI_Dims_create(n_ranks, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
  for (int i = 0; i < 2; i++) MPI_Cart_shift(grid, i, 1, &neighbour[2 * i], &neighbour[2 * i + 1]);
  MPI_Comm_free(&grid);
}

int main(int argc, char **argv)
{
  const char *mode = argc > 1 ? argv[1] : "";
  bool pauses = strcmp(mode, "pauses") == 0;
  void (*exchange)(void) = strcmp(mode, "pingpong") == 0  ? pingpong
                           : strcmp(mode, "self") == 0    ? self
                           : pauses                       ? self
                           : strcmp(mode, "stencil") == 0 ? stencil
                           : strcmp(mode, "allreduce") == 0 || strcmp(mode, "alone") == 0
                               ? allreduce
                               : NULL;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
  if (!exchange || (exchange == pingpong && n_ranks != 2)) MPI_Abort(MPI_COMM_WORLD, 2);
  lay_grid();
  int batches = argc > 2 ? atoi(argv[2]) : BATCHES;
  double *ns = malloc((size_t)batches * sizeof *ns);
  if (batches < 1 || !ns) MPI_Abort(MPI_COMM_WORLD, 2);
  for (int i = 0; i < batches; i++) {
    if (pauses) pause_shortly();
    ns[i] = level5(exchange);
  }
  qsort(ns, (size_t)batches, sizeof *ns, by_size);
  if (rank == 0) printf("%.1f\n", ns[pauses ? batches / 2 : 0]);
  free(ns);
  MPI_Finalize();
  return 0;
}
