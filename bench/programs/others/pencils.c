/* SPDX-License-Identifier: BSD-3-Clause */
/* pencils [TIMES]: the two transposes of a 3-D transform of 90 x 82 x 70 points on 4 x 4 ranks,
 * forth and back. First ranks of a row turn x-pencils into y-pencils by MPI_Sendrecv with one
 * partner after the other; then ranks of a column turn y-pencils into z-pencils by nonblocking
 * calls. Sub-arrays are datatypes. Points don't divide evenly, so messages differ by some percent.
 */
#include "../timed.h"

enum { SIDE = 4, NX = 90, NY = 82, NZ = 70, LARGEST = 23 * 21 * NX };

typedef struct {
  float re, im;
} point_t;

/* A box of points: where it begins and how many points it has in x, y and z. */
typedef struct {
  int first[3], n[3];
} box_t;

static MPI_Comm row, column;
static point_t data[2][LARGEST];

static void divide(box_t *b, int axis, int points, int part)
{
  b->first[axis] = points * part / SIDE;
  b->n[axis] = points * (part + 1) / SIDE - b->first[axis];
}

static void whole(box_t *b, int axis, int points)
{
  b->first[axis] = 0;
  b->n[axis] = points;
}

/* The part of `of` that is also in `with`, as a datatype within the array of `of`. */
static MPI_Datatype common_part(const box_t *of, const box_t *with)
{
  MPI_Datatype type, complex_type;
  int n[3], first[3];
  for (int a = 0; a < 3; a++) {
    int low = of->first[a] > with->first[a] ? of->first[a] : with->first[a];
    int of_end = of->first[a] + of->n[a], with_end = with->first[a] + with->n[a];
    n[a] = (of_end < with_end ? of_end : with_end) - low;
    first[a] = low - of->first[a];
  }
  MPI_Type_contiguous(2, MPI_FLOAT, &complex_type);
  MPI_Type_create_subarray(3, of->n, n, first, MPI_ORDER_C, complex_type, &type);
  MPI_Type_commit(&type);
  MPI_Type_free(&complex_type);
  return type;
}

/* What a rank sends to each other, and receives from it, when boxes change. */
typedef struct {
  MPI_Datatype out[SIDE], in[SIDE];
} change_t;

static change_t plan(const box_t *from, const box_t *to, int me)
{
  change_t c;
  for (int other = 0; other < SIDE; other++) {
    c.out[other] = common_part(&from[me], &to[other]);
    c.in[other] = common_part(&to[me], &from[other]);
  }
  return c;
}

static void turn_in_row(const change_t *c, const point_t *from, point_t *to)
{
  int me;
  MPI_Comm_rank(row, &me);
  for (int k = 0; k < SIDE; k++) {
    int next = (me + k) % SIDE, previous = (me + SIDE - k) % SIDE;
    MPI_Sendrecv(from, 1, c->out[next], next, 3, to, 1, c->in[previous], previous, 3, row,
                 MPI_STATUS_IGNORE);
  }
}

static void turn_in_column(const change_t *c, const point_t *from, point_t *to)
{
  MPI_Request request[2 * SIDE];
  for (int other = 0; other < SIDE; other++)
    MPI_Irecv(to, 1, c->in[other], other, 4, column, &request[other]);
  for (int other = 0; other < SIDE; other++)
    MPI_Isend(from, 1, c->out[other], other, 4, column, &request[SIDE + other]);
  MPI_Waitall(2 * SIDE, request, MPI_STATUSES_IGNORE);
}

static change_t forth_row, back_row, forth_column, back_column;

/* Pencils of row member r and column member c: along x, y or z. */
static void make_plans(int r, int c)
{
  box_t x[SIDE], y[SIDE], y_of_column[SIDE], z[SIDE];
  for (int i = 0; i < SIDE; i++) {
    whole(&x[i], 0, NX), divide(&x[i], 1, NY, i), divide(&x[i], 2, NZ, c);
    divide(&y[i], 0, NX, i), whole(&y[i], 1, NY), divide(&y[i], 2, NZ, c);
    divide(&y_of_column[i], 0, NX, r), whole(&y_of_column[i], 1, NY),
        divide(&y_of_column[i], 2, NZ, i);
    divide(&z[i], 0, NX, r), divide(&z[i], 1, NY, i), whole(&z[i], 2, NZ);
  }
  forth_row = plan(x, y, r);
  back_row = plan(y, x, r);
  forth_column = plan(y_of_column, z, c);
  back_column = plan(z, y_of_column, c);
  for (int i = 0; i < x[r].n[0] * x[r].n[1] * x[r].n[2]; i++)
    data[0][i] = (point_t){(float)i, (float)(r + SIDE * c)};
}

static void forth_and_back(void)
{
  turn_in_row(&forth_row, data[0], data[1]);
  turn_in_column(&forth_column, data[1], data[0]);
  turn_in_column(&back_column, data[0], data[1]);
  turn_in_row(&back_row, data[1], data[0]);
}

int main(int argc, char **argv)
{
  int rank = begin(&argc, &argv), times = argc > 1 ? atoi(argv[1]) : 2;
  int in_row = rank % SIDE, in_column = rank / SIDE;
  MPI_Comm_split(MPI_COMM_WORLD, in_column, rank, &row);
  MPI_Comm_split(MPI_COMM_WORLD, in_row, rank, &column);
  make_plans(in_row, in_column);
  forth_and_back();
  double begun = start_clock();
  for (int i = 0; i < times; i++) forth_and_back();
  stop_clock(begun);
  expect(data[0][1000].re, 1000, "a point");
  expect(data[0][1000].im, in_row + SIDE * in_column, "its origin");
  return MPI_Finalize();
}
