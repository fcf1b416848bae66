/* SPDX-License-Identifier: BSD-3-Clause */
/* Items go through a chain of stages on all ranks, in a shuffled order. Some stages make items
 * smaller. After every 8 items, the last stage tells the first. */
#include "program.h"

enum { WINDOW = 8 };

int main(int argc, char **argv)
{
  static const int shuffled[] = {5, 11, 0, 14, 3, 9, 7, 12, 1, 15, 6, 10, 2, 13, 8, 4};
  int n = begin(argc, argv, 64), stage = 0;
  while (shuffled[stage] != rank) stage++;
  int before = stage > 0 ? shuffled[stage - 1] : MPI_PROC_NULL;
  int after = stage < 15 ? shuffled[stage + 1] : MPI_PROC_NULL;
  int got = 90000 - (stage - 1) / 3 * 15000, given = 90000 - stage / 3 * 15000;
  for (int i = 0; i < n; i++) {
    MPI_Recv(in, got, MPI_CHAR, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(out, given, MPI_CHAR, after, 1, MPI_COMM_WORLD);
    if (i % WINDOW != WINDOW - 1) continue;
    if (stage == 15) MPI_Send(out, 8, MPI_CHAR, shuffled[0], 2, MPI_COMM_WORLD);
    if (stage == 0) MPI_Recv(in, 8, MPI_CHAR, shuffled[15], 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  return end();
}
