/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes Cartesian communicators, most of which no message uses: grids [many]. For 4 ranks. */
#include <mpi.h>

static void make(MPI_Comm from, int n, const int *dims, const int *periodic)
{
  MPI_Comm grid;
  MPI_Cart_create(from, n, dims, periodic, 0, &grid);
  if (grid != MPI_COMM_NULL) MPI_Comm_free(&grid);
}

int main(int argc, char **argv)
{
  const int flat[] = {2, 2}, ring[] = {4}, line[] = {2}, box[] = {1, 4, 1},
            deep[9] = {4, 1, 1, 1, 1, 1, 1, 1, 1};
  const int neither[9] = {0}, second[] = {0, 1}, first[] = {1, 0, 0};
  MPI_Comm half, back, grid, row;
  int rank, remain[] = {0, 1};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Cart_create(MPI_COMM_WORLD, 2, flat, second, 0, &grid);
  make(MPI_COMM_WORLD, 2, flat, second); /* counts once */
  make(MPI_COMM_WORLD, 1, ring, neither);
  make(MPI_COMM_WORLD, 3, box, first);
  make(MPI_COMM_WORLD, 1, line, neither); /* of two ranks: the others get none */
  make(MPI_COMM_WORLD, 9, deep, neither); /* too many dimensions */
  MPI_Cart_sub(grid, remain, &row);       /* of two ranks each */
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  make(half, 1, line, neither);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &back);
  make(back, 2, flat, neither); /* the ranks in another order */
  for (int i = 0; argc > 1 && i < 40; i++) {
    const int dims[] = {1, 2, 1, 2, 1, 1};
    const int periodic[] = {i & 1, i >> 1 & 1, i >> 2 & 1, i >> 3 & 1, i >> 4 & 1, i >> 5 & 1};
    make(MPI_COMM_WORLD, 6, dims, periodic);
  }
  MPI_Finalize();
  return 0;
}
