/* SPDX-License-Identifier: BSD-3-Clause */
/* fft [TIMES]: the transposes of a transform on 4 x 4 ranks by collectives: MPI_Alltoall of blocks
 * of 64 KB in each row, then MPI_Alltoallv in each column, whose blocks have 32 to 80 KB, and a
 * norm (MPI_Allreduce) of each transform. */
#include "../timed.h"

enum { SIDE = 4, BLOCK = 8000, PART = 2000 };

static MPI_Comm row, column;
static double a[SIDE * 10000], b[SIDE * 10000];

/* Doubles that member i of a column owns in the second direction: 4,000 to 10,000. */
static int part(int i) { return PART * (2 + i); }

static void turn_in_row(int me)
{
  for (int i = 0; i < SIDE; i++) a[i * BLOCK] = me * SIDE + i;
  MPI_Alltoall(a, BLOCK, MPI_DOUBLE, b, BLOCK, MPI_DOUBLE, row);
  for (int i = 0; i < SIDE; i++) expect(b[i * BLOCK], i * SIDE + me, "a block of a row");
}

/* Each sends to member i as much as i owns, and receives what it owns itself from each. */
static void turn_in_column(int me)
{
  int out_counts[SIDE], out_at[SIDE], in_counts[SIDE], in_at[SIDE], sent = 0;
  for (int i = 0; i < SIDE; i++) {
    out_counts[i] = part(i);
    out_at[i] = sent;
    in_counts[i] = part(me);
    in_at[i] = i * part(me);
    sent += part(i);
    b[out_at[i]] = me * SIDE + i;
  }
  MPI_Alltoallv(b, out_counts, out_at, MPI_DOUBLE, a, in_counts, in_at, MPI_DOUBLE, column);
  for (int i = 0; i < SIDE; i++) expect(a[in_at[i]], i * SIDE + me, "a block of a column");
}

static void transform(int in_row, int in_column)
{
  double mine = 1, norm;
  turn_in_row(in_row);
  turn_in_column(in_column);
  MPI_Allreduce(&mine, &norm, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
  int rank = begin(&argc, &argv), times = argc > 1 ? atoi(argv[1]) : 4;
  int in_row = rank % SIDE, in_column = rank / SIDE;
  MPI_Comm_split(MPI_COMM_WORLD, in_column, rank, &row);
  MPI_Comm_split(MPI_COMM_WORLD, in_row, rank, &column);
  transform(in_row, in_column);
  double begun = start_clock();
  for (int i = 0; i < times; i++) transform(in_row, in_column);
  stop_clock(begun);
  return MPI_Finalize();
}
