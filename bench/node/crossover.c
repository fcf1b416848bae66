/* SPDX-License-Identifier: BSD-3-Clause */
/* From which block on two ranks that exchange a message are no slower by a derived datatype than if
 * they packed it themselves, measured apart from `berth calibrate node`.
 *
 *   crossover SIDE BYTES
 *
 * SIDE is send, receive or both. Blocks of 4, 8, … bytes lie apart by gaps as large. Messages use
 * the next of as many places as have 4 MiB of cache lines, at most 128. Prints for each block the
 * least time in 15 rounds by the datatype and by the fastest of three loops, in turns, and the
 * crossover: 3% don't count. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 15, BYTES = 4 << 20, MOST = 128, WAYS = 4 };
static const char *side;
static int rank, bytes, block, places;
static char *apart, *apart_in, *line, *line_in;

static void copy(int way, char *to, int to_step, const char *from, int from_step)
{
  int count = bytes / block;
  for (int i = 0; i < count; i++) {
    char *t = to + (size_t)i * to_step;
    const char *f = from + (size_t)i * from_step;
    if (way == 1 && block == 4) {
      *(float *)t = *(const float *)f;
    } else if (way == 1) {
      for (int k = 0; k < block / 8; k++) ((double *)t)[k] = ((const double *)f)[k];
    } else {
      if (way == 3) *(volatile char *)t = 0;
      memcpy(t, f, (size_t)block);
    }
  }
}

/* Way 0 is the datatype. */
static double seconds(int way, MPI_Datatype type)
{
  int sends = strcmp(side, "receive") != 0, receives = strcmp(side, "send") != 0, n = 2 * places;
  MPI_Barrier(MPI_COMM_WORLD);
  double begin = MPI_Wtime();
  for (int i = 0; i < n; i++) {
    size_t l = (size_t)(i % places) * bytes, a = 2 * l;
    MPI_Request r[2];
    if (way == 0 && receives)
      MPI_Irecv(apart_in + a, 1, type, 1 - rank, 0, MPI_COMM_WORLD, &r[0]);
    else
      MPI_Irecv(line_in + l, bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, &r[0]);
    if (way && sends) copy(way, line + l, block, apart + a, 2 * block);
    if (way == 0 && sends)
      MPI_Isend(apart + a, 1, type, 1 - rank, 0, MPI_COMM_WORLD, &r[1]);
    else
      MPI_Isend(line + l, bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    if (way && receives) copy(way, apart_in + a, 2 * block, line_in + l, block);
  }
  return (MPI_Wtime() - begin) / n;
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc != 3) MPI_Abort(MPI_COMM_WORLD, 2);
  side = argv[1];
  bytes = atoi(argv[2]);
  char **areas[] = {&apart, &apart_in, &line, &line_in};
  for (int i = 0; i < 4; i++) {
    *areas[i] = malloc(2 * BYTES);
    memset(*areas[i], 1, 2 * BYTES);
  }
  int from = -1;
  for (block = 4; block <= bytes / 2 && block <= 32768; block *= 2) {
    int lines = bytes / block * (block + (block < 64 ? block : 64));
    places = BYTES / lines < MOST ? BYTES / lines : MOST;
    double best[WAYS] = {1e9, 1e9, 1e9, 1e9}, loop = 1e9;
    MPI_Datatype type;
    MPI_Type_vector(bytes / block, block / 4, block / 2, MPI_FLOAT, &type);
    if (block >= 8) {
      MPI_Type_free(&type);
      MPI_Type_vector(bytes / block, block / 8, block / 4, MPI_DOUBLE, &type);
    }
    MPI_Type_commit(&type);
    for (int round = 0; round < ROUNDS; round++)
      for (int way = 0; way < WAYS; way++) {
        double s = seconds(way, type);
        if (s < best[way]) best[way] = s;
      }
    for (int way = 1; way < WAYS; way++)
      if (best[way] < loop) loop = best[way];
    if (1.03 * loop < best[0])
      from = 0;
    else if (from <= 0)
      from = block;
    if (rank == 0) printf("%6d %9.2f %9.2f us\n", block, 1e6 * best[0], 1e6 * loop);
    MPI_Type_free(&type);
  }
  if (rank == 0) printf("crossover %d\n", from);
  MPI_Finalize();
  return 0;
}
