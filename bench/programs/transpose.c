/* SPDX-License-Identifier: BSD-3-Clause */
/* A transpose on a 4 x 4 grid in two steps: all partners of the row exchange blocks, then those of
 * the column. Blocks differ in size. */
#include "program.h"

enum { N = 4 };

static int bytes(int from, int to) { return 10000 + 3000 * ((from * 7 + to * 5) % 9); }

static void exchange(const int *partner)
{
  MPI_Request request[2 * N];
  int n = 0;
  for (int k = 0; k < N; k++)
    if (partner[k] != rank)
      MPI_Irecv(in + k * LARGEST, LARGEST, MPI_CHAR, partner[k], 3, MPI_COMM_WORLD, &request[n++]);
  for (int k = 0; k < N; k++)
    if (partner[k] != rank)
      MPI_Isend(out + k * LARGEST, bytes(rank, partner[k]), MPI_CHAR, partner[k], 3, MPI_COMM_WORLD,
                &request[n++]);
  MPI_Waitall(n, request, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
  int row[N], column[N];
  int n = begin(argc, argv, 12);
  for (int k = 0; k < N; k++) {
    row[k] = rank / N * N + k;
    column[k] = k * N + rank % N;
  }
  for (; n > 0; n--) {
    exchange(row);
    exchange(column);
  }
  return end();
}
