/* SPDX-License-Identifier: BSD-3-Clause */
/* plugin.c with a race of its own: that the sanitizer's reports would be seen. */
#include <mpi.h>
#include <pthread.h>

int racy_calls;

static void *count(void *unused)
{
  racy_calls++;
  return unused;
}

void plugin_run(int rank);
void plugin_run(int rank)
{
  char out[8] = "", in[8];
  pthread_t two[2];
  for (int i = 0; i < 2; i++) pthread_create(&two[i], NULL, count, NULL);
  for (int i = 0; i < 2; i++) pthread_join(two[i], NULL);
  MPI_Sendrecv(out, 5, MPI_BYTE, rank, 0, in, 8, MPI_BYTE, rank, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}
