/* SPDX-License-Identifier: BSD-3-Clause */
/* particles [STEPS]: a particle code. Each step sends ghosts of 20 to 90 KB to the next rank and
 * the one behind it (MPI_Isend, MPI_Irecv), sums a density of 32 KB over all (MPI_Allreduce), and
 * moves particles to any rank: counts by MPI_Alltoall, particles by MPI_Alltoallv, most of them to
 * near ranks. New particles are numbered by MPI_Scan. */
#include "../timed.h"

enum { DENSITY = 4096, MOST = 40000, GHOSTS = 11500, NEAR = 2 };

static double density[DENSITY], sum[DENSITY], out[MOST], in[RANKS * MOST];
static double ghost_out[GHOSTS], ghost_in[NEAR][GHOSTS];

/* A number from low to high, the same on all ranks. */
static int drawn(int step, int from, int to, int low, int high)
{
  unsigned x = (unsigned)(step * 256 + from * 16 + to + 1) * 2654435761u;
  x ^= x >> 15;
  x *= 2246822519u;
  x ^= x >> 13;
  return low + (int)(x % (unsigned)(high - low + 1));
}

static int ghosts(int step, int rank) { return drawn(step, rank, rank, 2500, GHOSTS); }

static void exchange_ghosts(int step, int rank)
{
  MPI_Request request[2 * NEAR];
  for (int i = 0; i < NEAR; i++) {
    int from = (rank + RANKS - 1 - i) % RANKS;
    MPI_Irecv(ghost_in[i], ghosts(step, from), MPI_DOUBLE, from, i, MPI_COMM_WORLD, &request[i]);
  }
  for (int i = 0; i < NEAR; i++)
    MPI_Isend(ghost_out, ghosts(step, rank), MPI_DOUBLE, (rank + 1 + i) % RANKS, i, MPI_COMM_WORLD,
              &request[NEAR + i]);
  MPI_Waitall(2 * NEAR, request, MPI_STATUSES_IGNORE);
}

/* Particles that go from one rank to another: fewer the farther it is. */
static int leaving(int step, int from, int to)
{
  int distance = (to - from + RANKS) % RANKS;
  if (distance > RANKS / 2) distance = RANKS - distance;
  return distance ? drawn(step, from, to, 0, 8000 / (distance * distance)) : 0;
}

static void move_particles(int step, int rank)
{
  int out_counts[RANKS], in_counts[RANKS], out_at[RANKS], in_at[RANKS], sent = 0, received = 0;
  for (int to = 0; to < RANKS; to++) out_counts[to] = leaving(step, rank, to);
  MPI_Alltoall(out_counts, 1, MPI_INT, in_counts, 1, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < RANKS; i++) {
    expect(in_counts[i], leaving(step, i, rank), "arriving particles");
    out_at[i] = sent;
    in_at[i] = received;
    sent += out_counts[i];
    received += in_counts[i];
  }
  MPI_Alltoallv(out, out_counts, out_at, MPI_DOUBLE, in, in_counts, in_at, MPI_DOUBLE,
                MPI_COMM_WORLD);
}

static void step_once(int step, int rank)
{
  int mine = 1, numbers;
  exchange_ghosts(step, rank);
  MPI_Allreduce(density, sum, DENSITY, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  move_particles(step, rank);
  MPI_Scan(&mine, &numbers, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  expect(numbers, rank + 1, "numbers of particles");
}

int main(int argc, char **argv)
{
  int rank = begin(&argc, &argv), steps = argc > 1 ? atoi(argv[1]) : 5;
  step_once(100, rank);
  double begun = start_clock();
  for (int step = 0; step < steps; step++) step_once(step, rank);
  stop_clock(begun);
  return MPI_Finalize();
}
