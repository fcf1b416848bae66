/* SPDX-License-Identifier: BSD-3-Clause */
/* Two ranks exchange data that lie in blocks, by MPI_Alltoall or MPI_Alltoallw with a vector type
 * at one end or both, and contiguous data in turns. Each call has memory of its own, until the
 * calls have had 4 MiB of cache lines of it; then the first one's memory comes again, as in
 * strided.c.
 *
 *   collectives CALL SIDE BLOCK COUNT ROUNDS
 *
 * CALL is alltoall or alltoallw. SIDE is send, receive or both: whose data lie in COUNT blocks of
 * BLOCK bytes, a multiple of 8, with gaps as large, for each rank. Prints the median seconds of a
 * contiguous call and of one with blocks on the slower rank, and how many calls had blocks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 2, MOST = 64, BYTES = 4 << 20, LINE = 64, WARM = 3 };

/* Data for each rank. */
typedef struct side {
  MPI_Datatype type;
  size_t extent; /* bytes from one rank's data to the other's */
  char *memory;
} side_t;

static int w;

static int compare(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *x, int n)
{
  qsort(x, (size_t)n, sizeof *x, compare);
  return x[n / 2];
}

static side_t side(int blocks, int block, int count, int slots)
{
  side_t s = {.extent = (size_t)count * (size_t)block * (blocks ? 2 : 1)};
  MPI_Datatype data;
  MPI_Type_vector(count, block / 8, (blocks ? 2 : 1) * block / 8, MPI_DOUBLE, &data);
  MPI_Type_create_resized(data, 0, (MPI_Aint)s.extent, &s.type);
  MPI_Type_commit(&s.type);
  MPI_Type_free(&data);
  s.memory = malloc((size_t)slots * RANKS * s.extent);
  if (!s.memory) MPI_Abort(MPI_COMM_WORLD, 1);
  memset(s.memory, 1, (size_t)slots * RANKS * s.extent);
  return s;
}

/* Seconds of a call on the slower rank. */
static double timed(const side_t *from, const side_t *to, int slot)
{
  char *out = from->memory + (size_t)slot * RANKS * from->extent;
  char *in = to->memory + (size_t)slot * RANKS * to->extent;
  const int ones[RANKS] = {1, 1};
  const int places_out[RANKS] = {0, (int)from->extent}, places_in[RANKS] = {0, (int)to->extent};
  const MPI_Datatype types_out[RANKS] = {from->type, from->type};
  const MPI_Datatype types_in[RANKS] = {to->type, to->type};
  MPI_Barrier(MPI_COMM_WORLD);
  double seconds = -MPI_Wtime();
  if (w)
    MPI_Alltoallw(out, ones, places_out, types_out, in, ones, places_in, types_in, MPI_COMM_WORLD);
  else
    MPI_Alltoall(out, 1, from->type, in, 1, to->type, MPI_COMM_WORLD);
  seconds += MPI_Wtime();
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc != 6) MPI_Abort(MPI_COMM_WORLD, 2);
  w = strcmp(argv[1], "alltoallw") == 0;
  const int sends = strcmp(argv[2], "receive") != 0, receives = strcmp(argv[2], "send") != 0;
  const int block = atoi(argv[3]), count = atoi(argv[4]), rounds = atoi(argv[5]);
  const int lines = count * (block + (block < LINE ? block : LINE));
  int slots = BYTES / (RANKS * lines);
  slots = slots > MOST ? MOST : slots < 1 ? 1 : slots;
  const side_t dense_out = side(0, block, count, slots), dense_in = side(0, block, count, slots);
  const side_t out = side(sends, block, count, slots), in = side(receives, block, count, slots);
  double *dense = malloc((size_t)rounds * sizeof *dense);
  double *blocks = malloc((size_t)rounds * sizeof *blocks);
  if (!dense || !blocks) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int round = -WARM; round < rounds; round++) {
    const int slot = (round + WARM) % slots;
    const double a = timed(&dense_out, &dense_in, slot), b = timed(&out, &in, slot);
    if (round >= 0) dense[round] = a, blocks[round] = b;
  }
  if (rank == 0)
    printf("%.9g %.9g %d\n", median(dense, rounds), median(blocks, rounds), rounds + WARM);
  free(dense);
  free(blocks);
  MPI_Finalize();
  return 0;
}
