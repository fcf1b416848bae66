/* SPDX-License-Identifier: BSD-3-Clause */
/* One rank sends messages whose data lie in blocks to another one, by a derived datatype at one end
 * or both: several at a time, as MPI bandwidth tests do. Each is in memory of its own, until they
 * have 4 MiB of data, span 128 MiB, or are 128; then the first one's memory comes again. So large
 * messages come from memory beyond the core's own caches, as links are measured.
 *
 *   strided SIDE BLOCK COUNT GAP ROUNDS
 *
 * SIDE is none, send, receive or both: whose data lie in COUNT blocks of BLOCK bytes with gaps of
 * GAP bytes. Prints the median seconds of a message over ROUNDS windows on the sender, and how many
 * messages were sent. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 128, BYTES = 4 << 20, SPAN = 128 << 20, WARM = 3 };

static int compare(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc != 6) MPI_Abort(MPI_COMM_WORLD, 2);
  int block = atoi(argv[2]), count = atoi(argv[3]), gap = atoi(argv[4]), rounds = atoi(argv[5]);
  int both = strcmp(argv[1], "both") == 0;
  int strided = both || strcmp(argv[1], rank ? "receive" : "send") == 0;
  int unit = block % 8 || gap % 8 ? 4 : 8;
  int blocks = strcmp(argv[1], "none") != 0; /* at one end at least */
  size_t apart = (size_t)count * (size_t)(block + gap), together = (size_t)count * (size_t)block;
  size_t span = strided ? apart : together, longest = blocks ? apart : together;
  int slots = BYTES / (block * count);
  if ((size_t)slots > SPAN / longest) slots = (int)(SPAN / longest);
  slots = slots > MOST ? MOST : slots < 1 ? 1 : slots;
  int window = slots > 1 ? slots / 2 : 1;
  char *memory = malloc((size_t)slots * span), byte = 0;
  double *seconds = malloc((size_t)rounds * sizeof *seconds);
  if (!memory || !seconds) MPI_Abort(MPI_COMM_WORLD, 1);
  memset(memory, 1, (size_t)slots * span);
  MPI_Datatype element = unit == 8 ? MPI_DOUBLE : MPI_FLOAT, type;
  if (strided)
    MPI_Type_vector(count, block / unit, (block + gap) / unit, element, &type);
  else
    MPI_Type_contiguous(count * (block / unit), element, &type);
  MPI_Type_commit(&type);
  for (int round = -WARM; round < rounds; round++) {
    MPI_Request request[MOST];
    size_t at = round & 1 ? (size_t)(slots - window) * span : 0;
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    for (int i = 0; i < window; i++)
      if (rank)
        MPI_Irecv(memory + at + (size_t)i * span, 1, type, 0, 0, MPI_COMM_WORLD, &request[i]);
      else
        MPI_Isend(memory + at + (size_t)i * span, 1, type, 1, 0, MPI_COMM_WORLD, &request[i]);
    MPI_Waitall(window, request, MPI_STATUSES_IGNORE);
    if (rank)
      MPI_Send(&byte, 1, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    else
      MPI_Recv(&byte, 1, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (round >= 0) seconds[round] = (MPI_Wtime() - begin) / window;
  }
  qsort(seconds, (size_t)rounds, sizeof *seconds, compare);
  if (rank == 0) printf("%.9g %d\n", seconds[rounds / 2], (rounds + WARM) * window);
  MPI_Type_free(&type);
  free(memory);
  free(seconds);
  MPI_Finalize();
  return 0;
}
