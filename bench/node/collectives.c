/* SPDX-License-Identifier: BSD-3-Clause */
/* Two ranks exchange data that lie in blocks, by MPI_Alltoall or MPI_Alltoallw with a vector type
 * at one end or both, and contiguous data in turns. Each call has memory of its own, until the
 * calls of its kind have had 4 MiB of a rank's cache lines; then the first one's memory comes
 * again, as in strided.c.
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
  size_t lines;  /* bytes of cache lines of both */
  char *memory;
} side_t;

/* What a call sends and receives, in so many places. */
typedef struct data {
  side_t out, in;
  int slots;
} data_t;

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

static side_t side(int blocks, int block, int count)
{
  const int gap = blocks ? block : 0;
  side_t s = {.extent = (size_t)count * (size_t)(block + gap),
              .lines = RANKS * (size_t)count * (size_t)(block + (gap < LINE ? gap : LINE))};
  MPI_Datatype data;
  MPI_Type_vector(count, block / 8, (block + gap) / 8, MPI_DOUBLE, &data);
  MPI_Type_create_resized(data, 0, (MPI_Aint)s.extent, &s.type);
  MPI_Type_commit(&s.type);
  MPI_Type_free(&data);
  return s;
}

static void give_memory(side_t *s, int slots)
{
  s->memory = malloc((size_t)slots * RANKS * s->extent);
  if (!s->memory) MPI_Abort(MPI_COMM_WORLD, 1);
  memset(s->memory, 1, (size_t)slots * RANKS * s->extent);
}

static data_t data(int sends, int receives, int block, int count)
{
  data_t d = {side(sends, block, count), side(receives, block, count), 1};
  d.slots = (int)(BYTES / (d.out.lines + d.in.lines));
  d.slots = d.slots > MOST ? MOST : d.slots < 1 ? 1 : d.slots;
  give_memory(&d.out, d.slots);
  give_memory(&d.in, d.slots);
  return d;
}

/* Seconds of a call on the slower rank. */
static double timed(const data_t *d, int call)
{
  const side_t *from = &d->out, *to = &d->in;
  const int slot = call % d->slots;
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
  const data_t together = data(0, 0, block, count), apart = data(sends, receives, block, count);
  double *dense = malloc((size_t)rounds * sizeof *dense);
  double *blocks = malloc((size_t)rounds * sizeof *blocks);
  if (!dense || !blocks) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int round = -WARM; round < rounds; round++) {
    const double a = timed(&together, round + WARM), b = timed(&apart, round + WARM);
    if (round >= 0) dense[round] = a, blocks[round] = b;
  }
  if (rank == 0)
    printf("%.9g %.9g %d\n", median(dense, rounds), median(blocks, rounds), rounds + WARM);
  free(dense);
  free(blocks);
  MPI_Finalize();
  return 0;
}
