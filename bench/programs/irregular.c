/* SPDX-License-Identifier: BSD-3-Clause */
/* Each rank exchanges with a random set of partners, in sizes of a power law; then with another,
 * smaller set. Every 10 iterations all ranks add up a number. */
#include "program.h"

enum { PARTNERS = 16 };
static int size[2][PARTNERS][PARTNERS]; /* by step, source and destination */

static void draw_sizes(void)
{
  unsigned state = 20261124;
  for (int step = 0; step < 2; step++)
    for (int s = 0; s < PARTNERS; s++)
      for (int d = 0; d < PARTNERS; d++) {
        int within = (int)(draw(&state) % 16) < (step ? 2 : 5), bytes = 150000;
        for (unsigned k = draw(&state) % 12; k > 0; k--) bytes = bytes * 2 / 3;
        size[step][s][d] = within && s != d ? bytes : 0;
      }
}

static void exchange(int step)
{
  MPI_Request request[2 * PARTNERS];
  int n = 0;
  for (int s = 0; s < PARTNERS; s++)
    if (size[step][s][rank])
      MPI_Irecv(in + s * (LARGEST / 4), size[step][s][rank], MPI_CHAR, s, step, MPI_COMM_WORLD,
                &request[n++]);
  for (int d = 0; d < PARTNERS; d++)
    if (size[step][rank][d])
      MPI_Isend(out + d * (LARGEST / 4), size[step][rank][d], MPI_CHAR, d, step, MPI_COMM_WORLD,
                &request[n++]);
  MPI_Waitall(n, request, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
  draw_sizes();
  int n = begin(argc, argv, 10);
  for (int i = 1; i <= n; i++) {
    double mine = i, sum;
    exchange(0);
    exchange(1);
    if (i % 10 == 0) MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  return end();
}
