/* SPDX-License-Identifier: BSD-3-Clause */
/* How long short collective calls take, one by one: latency [--calls N] CELL….
 *
 * A CELL is Barrier, or FUNCTION:TYPE:COUNT with Allreduce, Reduce or Bcast, double or int (of 32
 * bits), and 1 to 4096 elements. For each one: a line "cell CELL", then N times in nanoseconds, of
 * the call's slowest rank, several to a line. Each call begins when all ranks are ready. The last
 * line is "end". All results are checked. */
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "meet.h"

enum { WARM_UP = 20, MOST_ELEMENTS = 4096, IN_LINE = 100 };

typedef enum { BARRIER, ALLREDUCE, REDUCE, BCAST, FUNCTIONS } function_t;
static const char *const function_names[FUNCTIONS] = {"Barrier", "Allreduce", "Reduce", "Bcast"};

typedef struct {
  function_t function;
  bool doubles;
  int count;
} cell_t;

static int rank, size;
static double double_in[MOST_ELEMENTS], double_out[MOST_ELEMENTS];
static int32_t int_in[MOST_ELEMENTS], int_out[MOST_ELEMENTS];

static bool read_cell(const char *text, cell_t *cell)
{
  char function[16], type[16], rest;
  *cell = (cell_t){.function = FUNCTIONS};
  if (strcmp(text, "Barrier") == 0) cell->function = BARRIER;
  if (cell->function == BARRIER) return true;
  if (sscanf(text, "%15[A-Za-z]:%15[a-z]:%d%c", function, type, &cell->count, &rest) != 3)
    return false;
  for (int f = ALLREDUCE; f < FUNCTIONS; f++)
    if (strcmp(function, function_names[f]) == 0) cell->function = f;
  cell->doubles = strcmp(type, "double") == 0;
  return cell->function != FUNCTIONS && (cell->doubles || strcmp(type, "int") == 0) &&
         cell->count >= 1 && cell->count <= MOST_ELEMENTS;
}

/* What rank r puts into element i of a call. Sums stay below 2^31. */
static int value(int call, int r, int i) { return (call % 1000) * 16 + r * 3 + i; }

static void fill(const cell_t *c, int call)
{
  for (int i = 0; i < c->count; i++) {
    double_in[i] = int_in[i] = value(call, rank, i);
    double_out[i] = int_out[i] = c->function == BCAST && rank == 0 ? value(call, 0, i) : -1;
  }
}

static void do_call(const cell_t *c)
{
  void *in = c->doubles ? (void *)double_in : int_in,
       *out = c->doubles ? (void *)double_out : int_out;
  MPI_Datatype type = c->doubles ? MPI_DOUBLE : MPI_INT32_T;
  switch (c->function) {
  case BARRIER:
    MPI_Barrier(MPI_COMM_WORLD);
    break;
  case ALLREDUCE:
    MPI_Allreduce(in, out, c->count, type, MPI_SUM, MPI_COMM_WORLD);
    break;
  case REDUCE:
    MPI_Reduce(in, out, c->count, type, MPI_SUM, 0, MPI_COMM_WORLD);
    break;
  default:
    MPI_Bcast(out, c->count, type, 0, MPI_COMM_WORLD);
  }
}

static void check(const cell_t *c, int call)
{
  if (c->function == REDUCE && rank > 0) return;
  for (int i = 0; i < c->count; i++) {
    double found = c->doubles ? double_out[i] : int_out[i], expected = value(call, 0, i);
    for (int r = 1; r < size && c->function != BCAST; r++) expected += value(call, r, i);
    if (found == expected) continue;
    fprintf(stderr, "latency: %s, rank %d, call %d, element %d: found %.0f, expected %.0f\n",
            function_names[c->function], rank, call, i, found, expected);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

static double timed(const cell_t *c, int call)
{
  fill(c, call);
  meet(rank, size);
  double begin = MPI_Wtime();
  do_call(c);
  double seconds = MPI_Wtime() - begin;
  check(c, call);
  return seconds;
}

static void measure(const cell_t *c, const char *name, int calls, double *mine, double *slowest)
{
  for (int i = 0; i < WARM_UP; i++) timed(c, i);
  for (int i = 0; i < calls; i++) mine[i] = timed(c, i);
  MPI_Reduce(mine, slowest, calls, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank > 0) return;
  printf("cell %s\n", name);
  for (int i = 0; i < calls; i++)
    printf("%.0f%c", 1e9 * slowest[i], i + 1 == calls || i % IN_LINE == IN_LINE - 1 ? '\n' : ' ');
  fflush(stdout);
}

static int refuse(const char *what, const char *text, const char *expected)
{
  if (rank == 0) fprintf(stderr, "latency: %s '%s', expected %s\n", what, text, expected);
  MPI_Finalize();
  return 2;
}

int main(int argc, char **argv)
{
  int calls = 1000, first = 1;
  cell_t cell;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc > 2 && strcmp(argv[1], "--calls") == 0) {
    calls = atoi(argv[2]);
    first = 3;
    if (calls < 1 || calls > 10000000) return refuse("--calls", argv[2], "1 to 10000000");
  }
  for (int i = first; i < argc; i++)
    if (!read_cell(argv[i], &cell))
      return refuse("cell", argv[i], "one such as Allreduce:double:8");
  double *mine = calloc(calls, sizeof *mine), *slowest = calloc(calls, sizeof *slowest);
  if (!mine || !slowest) MPI_Abort(MPI_COMM_WORLD, 4);
  for (int i = first; i < argc; i++)
    if (read_cell(argv[i], &cell)) measure(&cell, argv[i], calls, mine, slowest);
  if (rank == 0) printf("end\n");
  free(mine);
  free(slowest);
  MPI_Finalize();
  return 0;
}
