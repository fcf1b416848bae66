/* SPDX-License-Identifier: BSD-3-Clause */
/* A master hands out tasks to whoever returned a result. Tasks and results differ in size. */
#include "program.h"

enum { TASK = 1, STOP };

static int task_bytes(int number)
{
  unsigned state = (unsigned)number * 2654435761u;
  return 4000 + (int)(draw(&state) % 60000);
}

static void master(int n)
{
  MPI_Status status;
  int sent = 0, returned = 0;
  for (int r = 1; r < ranks && sent < n; r++)
    MPI_Send(out, task_bytes(sent++), MPI_CHAR, r, TASK, MPI_COMM_WORLD);
  while (returned < n) {
    MPI_Recv(in, LARGEST, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    returned++;
    if (sent < n)
      MPI_Send(out, task_bytes(sent++), MPI_CHAR, status.MPI_SOURCE, TASK, MPI_COMM_WORLD);
    else
      MPI_Send(out, 0, MPI_CHAR, status.MPI_SOURCE, STOP, MPI_COMM_WORLD);
  }
}

static void worker(void)
{
  MPI_Status status;
  int bytes;
  for (;;) {
    MPI_Recv(in, LARGEST, MPI_CHAR, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    if (status.MPI_TAG == STOP) return;
    MPI_Get_count(&status, MPI_CHAR, &bytes);
    MPI_Send(out, bytes / 3 + 100, MPI_CHAR, 0, TASK, MPI_COMM_WORLD);
  }
}

int main(int argc, char **argv)
{
  int n = begin(argc, argv, 300);
  if (rank == 0)
    master(n);
  else
    worker();
  return end();
}
