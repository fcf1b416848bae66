/* SPDX-License-Identifier: BSD-3-Clause */
/* cg [ITERATIONS]: conjugate gradients on 4 x 4 ranks. Each iteration exchanges halos of 24 KB with
 * up to four neighbours (nonblocking) and forms two scalar products (MPI_Allreduce of 8 B). Every
 * fifth adds a coarse correction: an MPI_Allreduce of 64 KB. */
#include "../timed.h"

enum { SIDE = 4, NEIGHBOURS = 4, HALO = 3000, COARSE = 8192 };

static double out[NEIGHBOURS][HALO], in[NEIGHBOURS][HALO], coarse[COARSE], sum[COARSE];
static int neighbour[NEIGHBOURS];

static void find_neighbours(int rank)
{
  int x = rank / SIDE, y = rank % SIDE;
  neighbour[0] = x > 0 ? rank - SIDE : MPI_PROC_NULL;
  neighbour[1] = x < SIDE - 1 ? rank + SIDE : MPI_PROC_NULL;
  neighbour[2] = y > 0 ? rank - 1 : MPI_PROC_NULL;
  neighbour[3] = y < SIDE - 1 ? rank + 1 : MPI_PROC_NULL;
}

static void exchange_halos(int rank)
{
  MPI_Request request[2 * NEIGHBOURS];
  for (int i = 0; i < NEIGHBOURS; i++) {
    out[i][0] = rank;
    MPI_Irecv(in[i], HALO, MPI_DOUBLE, neighbour[i], 7, MPI_COMM_WORLD, &request[i]);
  }
  for (int i = 0; i < NEIGHBOURS; i++)
    MPI_Isend(out[i], HALO, MPI_DOUBLE, neighbour[i], 7, MPI_COMM_WORLD, &request[NEIGHBOURS + i]);
  MPI_Waitall(2 * NEIGHBOURS, request, MPI_STATUSES_IGNORE);
  for (int i = 0; i < NEIGHBOURS; i++)
    if (neighbour[i] != MPI_PROC_NULL) expect(in[i][0], neighbour[i], "a halo's origin");
}

static void scalar_product(void)
{
  double mine = 1, all;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  expect(all, RANKS, "a scalar product");
}

static void iterate(int rank, int iterations)
{
  for (int i = 0; i < iterations; i++) {
    exchange_halos(rank);
    scalar_product();
    scalar_product();
    if (i % 5 == 0) MPI_Allreduce(coarse, sum, COARSE, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
}

int main(int argc, char **argv)
{
  int rank = begin(&argc, &argv), iterations = argc > 1 ? atoi(argv[1]) : 15;
  find_neighbours(rank);
  iterate(rank, 1);
  double begun = start_clock();
  iterate(rank, iterations);
  stop_clock(begun);
  return MPI_Finalize();
}
