/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows of MPI_Win_create in memory of MPI_Alloc_mem: all of it, a part of it, more pieces than
 * the library allocates itself, and beside ranks with other memory. Prints `right`. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1000, PIECES = 100 };

static int rank, size, wrong;

/* Each rank puts its number into each other's window, adds to it, and reads it. */
static void use(long *memory)
{
  MPI_Win w;
  for (int i = 0; i < N; i++) memory[i] = -1;
  MPI_Win_create(memory, N * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
  long own = rank, one = 1, found = -1;
  MPI_Win_fence(0, w);
  for (int i = 0; i < size; i++) MPI_Put(&own, 1, MPI_LONG, i, rank, 1, MPI_LONG, w);
  MPI_Win_fence(0, w);
  for (int i = 0; i < size; i++)
    for (int k = 0; k < size; k++) MPI_Accumulate(&one, 1, MPI_LONG, i, k, 1, MPI_LONG, MPI_SUM, w);
  MPI_Win_fence(0, w);
  MPI_Get(&found, 1, MPI_LONG, (rank + 1) % size, rank, 1, MPI_LONG, w);
  MPI_Win_fence(0, w);
  for (int i = 0; i < size; i++) wrong |= memory[i] != i + size;
  wrong |= memory[size] != -1 || found != rank + size;
  MPI_Win_free(&w);
}

int main(void)
{
  long *memory, *pieces[PIECES];
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Alloc_mem(2 * N * sizeof *memory, MPI_INFO_NULL, &memory);
  use(memory);
  use(memory + N - 3);
  MPI_Free_mem(memory);
  for (int i = 0; i < PIECES; i++) {
    MPI_Alloc_mem(N * sizeof(long), MPI_INFO_NULL, &pieces[i]);
    memset(pieces[i], i, N * sizeof(long));
  }
  use(pieces[rank == 0 ? 0 : PIECES - 1]); /* of one rank the library's, of others the MPI's */
  for (int i = 0; i < PIECES; i++) {
    wrong |= (pieces[i][N - 1] & 255) != i && i != 0 && i != PIECES - 1;
    MPI_Free_mem(pieces[i]);
  }
  long *own = malloc(N * sizeof *own);
  MPI_Alloc_mem(N * sizeof *memory, MPI_INFO_NULL, &memory);
  use(rank % 2 ? own : memory);
  MPI_Free_mem(memory);
  free(own);
  int any;
  MPI_Reduce(&wrong, &any, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) puts(any ? "wrong" : "right");
  MPI_Finalize();
  return 0;
}
