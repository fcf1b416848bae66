/* SPDX-License-Identifier: BSD-3-Clause */
/* A library that calls MPI; the program loads it and may not be linked with MPI itself. */
#include <mpi.h>
#include <stddef.h>

void plugin_run(int rank);
void plugin_run(int rank)
{
  char out[8] = "", in[8];
  MPI_Sendrecv(out, 5, MPI_BYTE, rank, 0, in, 8, MPI_BYTE, rank, 0, MPI_COMM_WORLD, /* SITE run */
               MPI_STATUS_IGNORE);
}

int plugin_main(void);
int plugin_main(void)
{
  int rank;
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  plugin_run(rank);
  return MPI_Finalize();
}
