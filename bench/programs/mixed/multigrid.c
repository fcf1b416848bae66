/* SPDX-License-Identifier: BSD-3-Clause */
/* multigrid [CYCLES]: V-cycles on 16 ranks in a ring of slabs. Two fine levels exchange borders of
 * 64 and 32 KB by MPI_Sendrecv. For the coarse level four ranks each gather 20 KB of their group
 * (MPI_Gather) on a leader, leaders share what they have (MPI_Allgather of 80 KB), solve, and hand
 * the result to their groups (MPI_Bcast of 160 KB). Rank 0 then tells all whether to go on. */
#include "../timed.h"

enum { GROUP = 4, FINE = 8192, MEDIUM = 4096, SLAB = 2560, COARSE = RANKS * SLAB };

static MPI_Comm group, leaders = MPI_COMM_NULL;
static double out[2][FINE], in[2][FINE], slab[SLAB], of_group[GROUP * SLAB], coarse[COARSE];

static void exchange_borders(int rank, int n)
{
  int up = (rank + 1) % RANKS, down = (rank + RANKS - 1) % RANKS;
  out[0][0] = out[1][0] = rank;
  MPI_Sendrecv(out[0], n, MPI_DOUBLE, up, 1, in[0], n, MPI_DOUBLE, down, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(out[1], n, MPI_DOUBLE, down, 2, in[1], n, MPI_DOUBLE, up, 2, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  expect(in[0][0] + in[1][0], up + down, "borders");
}

static void solve_coarse(int rank)
{
  slab[0] = rank;
  MPI_Gather(slab, SLAB, MPI_DOUBLE, of_group, SLAB, MPI_DOUBLE, 0, group);
  if (leaders != MPI_COMM_NULL)
    MPI_Allgather(of_group, GROUP * SLAB, MPI_DOUBLE, coarse, GROUP * SLAB, MPI_DOUBLE, leaders);
  MPI_Bcast(coarse, COARSE / 2, MPI_DOUBLE, 0, group);
  expect(coarse[SLAB * 5], 5, "a slab of the coarse level");
}

static void cycle(int rank)
{
  int go_on = 1;
  double mine = 1, residual;
  exchange_borders(rank, FINE);
  exchange_borders(rank, MEDIUM);
  solve_coarse(rank);
  exchange_borders(rank, MEDIUM);
  exchange_borders(rank, FINE);
  MPI_Reduce(&mine, &residual, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
  int rank = begin(&argc, &argv), cycles = argc > 1 ? atoi(argv[1]) : 3;
  MPI_Comm_split(MPI_COMM_WORLD, rank / GROUP, rank, &group);
  MPI_Comm_split(MPI_COMM_WORLD, rank % GROUP ? MPI_UNDEFINED : 0, rank, &leaders);
  cycle(rank);
  double begun = start_clock();
  for (int i = 0; i < cycles; i++) cycle(rank);
  stop_clock(begun);
  return MPI_Finalize();
}
