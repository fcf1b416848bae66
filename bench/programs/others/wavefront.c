/* SPDX-License-Identifier: BSD-3-Clause */
/* wavefront [SWEEPS]: transport sweeps over a 4 x 4 grid of ranks. A rank waits for the faces of
 * two neighbours, updates a block of planes, and passes its own faces on. Blocking calls; the faces
 * in one direction are columns of an array (MPI_Type_vector). */
#include <string.h>

#include "../timed.h"

enum { SIDE = 4, PLANES = 15, BLOCKS = 5, NX = 640, NY = 170 };

/* A block of planes, and the faces that come in: 15 planes of 640 x 170 cells. */
static double cell[PLANES][NX][NY];
static double from_x[PLANES][NY], from_y[PLANES][NX];
static MPI_Datatype column; /* the face in y: the last or first cell of each row */
static int me_x, me_y;

static int at(int x, int y)
{
  return x < 0 || y < 0 || x >= SIDE || y >= SIDE ? MPI_PROC_NULL : x * SIDE + y;
}

/* One more than the larger of the two neighbours' values: a wave counts its way. */
static void update(int last_x, int last_y)
{
  double value = from_x[0][0] > from_y[0][0] ? from_x[0][0] : from_y[0][0];
  for (int p = 0; p < PLANES; p++) {
    for (int y = 0; y < NY; y++) cell[p][last_x][y] = value + 1;
    for (int x = 0; x < NX; x++) cell[p][x][last_y] = value + 1;
  }
}

/* A sweep towards growing (1) or falling (-1) coordinates in x and y. */
static void sweep(int dx, int dy)
{
  int last_x = dx > 0 ? NX - 1 : 0, last_y = dy > 0 ? NY - 1 : 0;
  for (int block = 0; block < BLOCKS; block++) {
    memset(from_x, 0, sizeof from_x);
    memset(from_y, 0, sizeof from_y);
    MPI_Recv(from_x, PLANES * NY, MPI_DOUBLE, at(me_x - dx, me_y), 1, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    MPI_Recv(from_y, PLANES * NX, MPI_DOUBLE, at(me_x, me_y - dy), 2, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    update(last_x, last_y);
    double face[PLANES][NY];
    for (int p = 0; p < PLANES; p++) memcpy(face[p], cell[p][last_x], sizeof face[p]);
    MPI_Send(face, PLANES * NY, MPI_DOUBLE, at(me_x + dx, me_y), 1, MPI_COMM_WORLD);
    MPI_Send(&cell[0][0][last_y], 1, column, at(me_x, me_y + dy), 2, MPI_COMM_WORLD);
    int way = (dx > 0 ? me_x : SIDE - 1 - me_x) + (dy > 0 ? me_y : SIDE - 1 - me_y);
    expect(cell[0][last_x][last_y], way + 1, "a wave's length");
  }
}

int main(int argc, char **argv)
{
  int rank = begin(&argc, &argv), sweeps = argc > 1 ? atoi(argv[1]) : 2;
  me_x = rank / SIDE;
  me_y = rank % SIDE;
  MPI_Type_vector(PLANES * NX, 1, NY, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  sweep(1, 1);
  sweep(-1, -1);
  double begun = start_clock();
  for (int i = 0; i < sweeps; i++) {
    sweep(1, 1);
    sweep(-1, 1);
  }
  stop_clock(begun);
  MPI_Type_free(&column);
  return MPI_Finalize();
}
