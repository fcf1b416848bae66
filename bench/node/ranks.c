/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: what two ranks of one host take from each other.
 *
 *   mpicc -O2 ranks.c -o ranks; mpirun -np 2 --bind-to core ranks [ROUNDS]
 *
 * In each round, for several sizes, in turns:
 *
 *   copy     rank 0 copies its own memory, rank 1 waits; then both copy
 *   put      rank 0 puts messages into shared memory of rank 1, rank 1 waits; then rank 1 computes
 * meanwhile compute  rank 1 transposes matrices in its own memory while rank 0 waits
 *
 * Both work for TURN_S seconds. Buffers are the next of an area of AREA bytes. Prints lines of
 * JSON:
 * {"what", "bytes", "alone_s", "together_s"}: seconds of one copy, message or matrix of rank 0 (of
 * rank 1 for compute), medians over the rounds. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AREA = 512 << 20, SIZES = 4, SIDE = 256, MOST = 101 };
static const size_t sizes[SIZES] = {65536, 1 << 20, 4 << 20, 16 << 20};
static const double TURN_S = 0.1;

static char *from, *to, *window_memory;
static size_t place;
static MPI_Win window;

static size_t next(size_t n)
{
  if (place + n > AREA) place = 0;
  size_t at = place;
  place += n;
  return at;
}

static void copy(size_t n)
{
  size_t at = next(n);
  memcpy(to + at, from + at, n);
}

static void put(size_t n)
{
  size_t at = next(n);
  MPI_Put(from + at, (int)n, MPI_BYTE, 1, (MPI_Aint)at, (int)n, MPI_BYTE, window);
  MPI_Win_flush(1, window);
}

static void compute(size_t n)
{
  enum { BLOCK = 8 };
  size_t at = next(SIDE * SIDE * sizeof(double));
  const double *in = (const void *)(from + at);
  double *out = (void *)(to + at);
  (void)n;
  for (size_t r = 0; r < SIDE; r += BLOCK)
    for (size_t c = 0; c < SIDE; c += BLOCK)
      for (size_t i = r; i < r + BLOCK; i++)
        for (size_t k = c; k < c + BLOCK; k++) out[k * SIDE + i] = in[i * SIDE + k];
}

/* Seconds of one piece of work, done for TURN_S. NULL: none. */
static double turn(void (*work)(size_t), size_t n)
{
  MPI_Barrier(MPI_COMM_WORLD);
  double begin = MPI_Wtime(), end = begin;
  long done = 0;
  for (; end < begin + TURN_S; end = MPI_Wtime(), done++)
    if (work)
      work(n);
    else
      continue;
  MPI_Barrier(MPI_COMM_WORLD);
  return (end - begin) / (double)(done ? done : 1);
}

static int by_value(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *x, int n)
{
  qsort(x, (size_t)n, sizeof *x, by_value);
  return x[n / 2];
}

static void print(int rank, int of, const char *what, size_t n, double *alone, double *together,
                  int rounds)
{
  if (rank == of)
    printf("{\"what\": \"%s\", \"bytes\": %zu, \"alone_s\": %.9g, \"together_s\": %.9g}\n", what, n,
           median(alone, rounds), median(together, rounds));
  fflush(stdout);
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
  static double alone[3][MOST], together[3][MOST];
  int rank, rounds = argc > 1 ? atoi(argv[1]) : 11;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rounds < 1 || rounds > MOST) MPI_Abort(MPI_COMM_WORLD, 2);
  from = aligned_alloc(4096, AREA);
  to = aligned_alloc(4096, AREA);
  memset(from, 1, AREA);
  memset(to, 1, AREA);
  MPI_Win_allocate_shared(rank == 1 ? AREA : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window_memory,
                          &window);
  if (rank == 1) memset(window_memory, 1, AREA);
  MPI_Win_lock_all(0, window);
  for (int s = 0; s < SIZES; s++) {
    size_t n = sizes[s];
    for (int r = 0; r < rounds; r++) {
      alone[0][r] = turn(rank == 0 ? copy : NULL, n);
      together[0][r] = turn(copy, n);
      alone[1][r] = turn(rank == 0 ? put : NULL, n);
      together[1][r] = together[2][r] = turn(rank == 0 ? put : compute, n);
      alone[2][r] = turn(rank == 0 ? NULL : compute, n);
    }
    print(rank, 0, "copy", n, alone[0], together[0], rounds);
    print(rank, 0, "put", n, alone[1], together[1], rounds);
    print(rank, 1, "compute", n, alone[2], together[2], rounds);
  }
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
