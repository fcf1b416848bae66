/* SPDX-License-Identifier: BSD-3-Clause */
/* Wavefronts over a 4 x 4 grid, from each corner in turn: a rank receives from two neighbours, then
 * sends to the two others. Messages along rows are larger than along columns. */
#include "program.h"

enum { N = 4, BLOCKS = 6, ROW = 40000, COLUMN = 16000 };

static void block(int di, int dj)
{
  int i = rank / N, j = rank % N;
  int from_i = i - di, from_j = j - dj, to_i = i + di, to_j = j + dj;
  if (from_i >= 0 && from_i < N)
    MPI_Recv(in, COLUMN, MPI_CHAR, from_i * N + j, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (from_j >= 0 && from_j < N)
    MPI_Recv(in, ROW, MPI_CHAR, i * N + from_j, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (to_i >= 0 && to_i < N) MPI_Send(out, COLUMN, MPI_CHAR, to_i * N + j, 1, MPI_COMM_WORLD);
  if (to_j >= 0 && to_j < N) MPI_Send(out, ROW, MPI_CHAR, i * N + to_j, 2, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
  for (int n = begin(argc, argv, 3); n > 0; n--)
    for (int corner = 0; corner < 4; corner++)
      for (int k = 0; k < BLOCKS; k++) block(corner & 1 ? 1 : -1, corner & 2 ? 1 : -1);
  return end();
}
