/* SPDX-License-Identifier: BSD-3-Clause */
/* halo fence|pscw|lock ITERATIONS: 16 ranks as a periodic 4 x 4 grid. In each iteration a rank
 * gives 32 KiB to its neighbours left and right and 96 KiB to those above and below, by MPI_Put in
 * an epoch of a fence or of start and complete; or it gets as much from each, by MPI_Get while it
 * holds a lock of that neighbour. Prints the seconds of an iteration on the slowest rank, of three
 * loops after one iteration to warm up. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 4, NEIGHBOURS = 4, WIDE = 96 << 10, NARROW = 32 << 10 };

static const int bytes[NEIGHBOURS] = {NARROW, NARROW, WIDE, WIDE};
static char own[NEIGHBOURS][WIDE], halo[NEIGHBOURS][WIDE];
static int neighbour[NEIGHBOURS];
static MPI_Win win;
static MPI_Group neighbours;

/* A neighbour has what comes from here on its opposite side. */
static MPI_Aint place(int side) { return (MPI_Aint)(side ^ 1) * WIDE; }

static void put_all(void)
{
  for (int i = 0; i < NEIGHBOURS; i++)
    MPI_Put(own[i], bytes[i], MPI_BYTE, neighbour[i], place(i), bytes[i], MPI_BYTE, win);
}

static void by_fence(void)
{
  put_all();
  MPI_Win_fence(0, win);
}

static void by_pscw(void)
{
  MPI_Win_post(neighbours, 0, win);
  MPI_Win_start(neighbours, 0, win);
  put_all();
  MPI_Win_complete(win);
  MPI_Win_wait(win);
}

static void by_lock(void)
{
  for (int i = 0; i < NEIGHBOURS; i++) {
    MPI_Win_lock(MPI_LOCK_SHARED, neighbour[i], 0, win);
    MPI_Get(own[i], bytes[i], MPI_BYTE, neighbour[i], place(i), bytes[i], MPI_BYTE, win);
    MPI_Win_unlock(neighbour[i], win);
  }
}

static const struct {
  const char *name;
  void (*exchange)(void);
  int fences;
} modes[] = {{"fence", by_fence, 1}, {"pscw", by_pscw, 0}, {"lock", by_lock, 0}};
enum { N_MODES = sizeof modes / sizeof *modes };

static double loop(int mode, int iterations)
{
  if (modes[mode].fences) MPI_Win_fence(0, win);
  MPI_Barrier(MPI_COMM_WORLD);
  double slowest, took = -MPI_Wtime();
  for (int i = 0; i < iterations; i++) modes[mode].exchange();
  MPI_Barrier(MPI_COMM_WORLD);
  took += MPI_Wtime();
  MPI_Allreduce(&took, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (modes[mode].fences) MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  return slowest / iterations;
}

static void find_neighbours(int rank)
{
  MPI_Group world;
  int row = rank / SIDE, column = rank % SIDE;
  neighbour[0] = row * SIDE + (column + SIDE - 1) % SIDE;
  neighbour[1] = row * SIDE + (column + 1) % SIDE;
  neighbour[2] = (row + SIDE - 1) % SIDE * SIDE + column;
  neighbour[3] = (row + 1) % SIDE * SIDE + column;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, NEIGHBOURS, neighbour, &neighbours);
  MPI_Group_free(&world);
}

int main(int argc, char **argv)
{
  int rank, size, mode = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int iterations = argc == 3 ? atoi(argv[2]) : 0;
  while (argc == 3 && mode < N_MODES && strcmp(argv[1], modes[mode].name) != 0) mode++;
  if (iterations < 1 || mode == N_MODES || size != SIDE * SIDE) {
    if (rank == 0)
      fprintf(stderr, "usage: halo fence|pscw|lock ITERATIONS, on %d ranks\n", SIDE * SIDE);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  find_neighbours(rank);
  MPI_Win_create(halo, sizeof halo, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  loop(mode, 1);
  for (int i = 0; i < 3; i++) {
    double seconds = loop(mode, iterations);
    if (rank == 0) printf("%.6f\n", seconds);
  }
  MPI_Win_free(&win);
  MPI_Group_free(&neighbours);
  MPI_Finalize();
  return 0;
}
