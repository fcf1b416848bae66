/* SPDX-License-Identifier: BSD-3-Clause */
/* How much of a non-blocking collective call computation hides:
 * overlap [--sleep] [--ms MS] [--factors F,F…] FUNCTION:BYTES….
 *
 * FUNCTION is Iallreduce, Ibcast or Ialltoall; BYTES are those of the vector, or of the block for
 * one rank. A line for each of them and for each factor: "FUNCTION BYTES FACTOR COLL COMP BOTH",
 * seconds on the slowest rank, medians of the calls: COLL  the call, and at once MPI_Wait COMP  the
 * computation alone, on all ranks at once: about FACTOR times COLL BOTH  the call, the computation,
 * MPI_Wait The three take turns, about MS milliseconds of COLL for each line. The computation is a
 * fixed number of steps, found once for each line; with --sleep it is a sleep. The last line is
 * "end". Results of all calls are checked: a call that ended too early would seem to be hidden. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "meet.h"

enum { WARM_UP = 6, LEAST_CALLS = 3, MOST_CALLS = 200, MOST_FACTORS = 8 };

static int rank, size, call_number;
static bool sleeps;
static double *in, *out;

static int refuse(const char *what, const char *text, const char *expected)
{
  if (rank == 0) fprintf(stderr, "overlap: %s '%s', expected %s\n", what, text, expected);
  MPI_Finalize();
  return 2;
}

/* All ranks get the same. */
static double slowest(double seconds)
{
  MPI_Status status;
  double other;
  for (int i = 1; i < size; i++) {
    if (rank == i) MPI_Send(&seconds, 1, MPI_DOUBLE, 0, 8, MPI_COMM_WORLD);
    if (rank > 0) continue;
    MPI_Recv(&other, 1, MPI_DOUBLE, i, 8, MPI_COMM_WORLD, &status);
    if (other > seconds) seconds = other;
  }
  for (int i = 1; i < size; i++) {
    if (rank == 0) MPI_Send(&seconds, 1, MPI_DOUBLE, i, 7, MPI_COMM_WORLD);
    if (rank == i) MPI_Recv(&seconds, 1, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD, &status);
  }
  return seconds;
}

/* ------------------------------------------------------------------------------- the calls */

/* What a rank puts at both ends of its block for another one. */
static double mark(int from, int to) { return call_number * 4096.0 + from * 64 + to; }

static void set_ends(double *block, int n, double value) { block[0] = block[n - 1] = value; }

static void check_ends(const char *function, const double *block, int n, double expected)
{
  const double found = block[0] != expected ? block[0] : block[n - 1];
  if (found == expected) return;
  fprintf(stderr, "overlap: %s, rank %d, call %d: found %.0f, expected %.0f\n", function, rank,
          call_number, found, expected);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Fills the buffers and forgets what was in them. */
static void prepare(const char *function, int n)
{
  call_number++;
  bool all = strcmp(function, "Ialltoall") == 0, bcast = strcmp(function, "Ibcast") == 0;
  for (int r = 0; r < (all ? size : 1); r++) {
    set_ends(in + (size_t)r * n, n, mark(rank, all ? r : 0));
    set_ends(out + (size_t)r * n, n, bcast && rank == 0 ? mark(0, 0) : -1);
  }
}

static void begin_call(const char *function, int n, MPI_Request *request)
{
  if (strcmp(function, "Iallreduce") == 0)
    MPI_Iallreduce(in, out, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, request);
  else if (strcmp(function, "Ibcast") == 0)
    MPI_Ibcast(out, n, MPI_DOUBLE, 0, MPI_COMM_WORLD, request);
  else
    MPI_Ialltoall(in, n, MPI_DOUBLE, out, n, MPI_DOUBLE, MPI_COMM_WORLD, request);
}

static void check(const char *function, int n)
{
  double sum = 0;
  for (int r = 0; r < size; r++) sum += mark(r, 0);
  if (strcmp(function, "Iallreduce") == 0) check_ends(function, out, n, sum);
  if (strcmp(function, "Ibcast") == 0) check_ends(function, out, n, mark(0, 0));
  if (strcmp(function, "Ialltoall") == 0)
    for (int r = 0; r < size; r++) check_ends(function, out + (size_t)r * n, n, mark(r, rank));
}

/* ------------------------------------------------------------------------------- computation */

/* Steps that depend on each other and need no memory. Of a sleep, a step is a nanosecond. */
static void compute(double steps)
{
  if (sleeps) {
    struct timespec t = {(time_t)(steps * 1e-9), 0};
    t.tv_nsec = (long)(steps - t.tv_sec * 1e9);
    nanosleep(&t, NULL);
    return;
  }
  static volatile double sink;
  double x = sink;
  for (double i = 0; i < steps; i++) x = x * 0.999999 + 1e-6;
  sink = x;
}

typedef struct {
  bool call, work;
} parts_t;

/* Seconds on the slowest rank. */
static double timed(parts_t parts, const char *function, int n, double steps)
{
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  if (parts.call) prepare(function, n);
  meet(rank, size);
  double begin = MPI_Wtime();
  if (parts.call) begin_call(function, n, &request);
  if (parts.work) compute(steps);
  if (parts.call) MPI_Wait(&request, &status);
  double seconds = MPI_Wtime() - begin;
  if (parts.call) check(function, n);
  return slowest(seconds);
}

static int by_value(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *times, int n)
{
  qsort(times, n, sizeof *times, by_value);
  return n % 2 ? times[n / 2] : (times[n / 2 - 1] + times[n / 2]) / 2;
}

static double median_of(int calls, parts_t parts, const char *function, int n, double steps)
{
  double times[MOST_CALLS];
  for (int i = 0; i < calls; i++) times[i] = timed(parts, function, n, steps);
  return median(times, calls);
}

/* So many steps take so long if all ranks compute at once. All ranks find the same number. */
static double steps_for(double seconds)
{
  if (sleeps) return seconds * 1e9;
  const parts_t work = {false, true};
  double steps = 1000, took;
  while ((took = timed(work, "", 0, steps)) < 2e-4) steps *= 2;
  for (int i = 0; i < 2; i++) { /* again: the first loop was short */
    steps *= seconds / took;
    if (steps < 1) steps = 1;
    took = timed(work, "", 0, steps);
  }
  return steps;
}

/* ------------------------------------------------------------------------------- lines */

static void line(const char *function, int n, double factor, double seconds)
{
  double times[3][MOST_CALLS];
  double coll = median_of(LEAST_CALLS, (parts_t){true, false}, function, n, 0);
  double steps = steps_for(factor * coll), wanted = seconds / coll;
  int calls = wanted < LEAST_CALLS ? LEAST_CALLS : wanted > MOST_CALLS ? MOST_CALLS : (int)wanted;
  for (int i = 0; i < calls; i++) {
    times[0][i] = timed((parts_t){true, false}, function, n, 0);
    times[1][i] = timed((parts_t){false, true}, function, n, steps);
    times[2][i] = timed((parts_t){true, true}, function, n, steps);
  }
  if (rank > 0) return;
  printf("%s %zu %g", function, n * sizeof(double), factor);
  for (int k = 0; k < 3; k++) printf(" %.9f", median(times[k], calls));
  printf("\n");
  fflush(stdout);
}

static int read_factors(char *text, double *factors)
{
  int n = 0;
  char *end = text;
  while (n < MOST_FACTORS) {
    factors[n++] = strtod(text, &end);
    if (end == text || factors[n - 1] <= 0) return 0;
    if (*end != ',') break;
    text = end + 1;
  }
  return *end ? 0 : n;
}

/* The doubles of "FUNCTION:BYTES", or 0. */
static int read_cell(const char *text, char function[16])
{
  unsigned long bytes;
  char rest;
  if (sscanf(text, "%15[A-Za-z]:%lu%c", function, &bytes, &rest) != 2) return 0;
  bool known = !strcmp(function, "Iallreduce") || !strcmp(function, "Ibcast") ||
               !strcmp(function, "Ialltoall");
  return known && bytes % sizeof(double) == 0 && bytes <= 1 << 26 ? (int)(bytes / sizeof(double))
                                                                  : 0;
}

int main(int argc, char **argv)
{
  double ms = 100, factors[MOST_FACTORS] = {0.5, 1, 2};
  int n_factors = 3, first = 1, most = 1;
  char function[16];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL); /* or a sleep would be 50 us longer */
  for (; first < argc && argv[first][0] == '-'; first++) {
    if (strcmp(argv[first], "--sleep") == 0) {
      sleeps = true;
    } else if (strcmp(argv[first], "--ms") == 0 && first + 1 < argc) {
      ms = atof(argv[++first]);
      if (!(ms > 0)) return refuse("--ms", argv[first], "a number above 0");
    } else if (strcmp(argv[first], "--factors") == 0 && first + 1 < argc) {
      n_factors = read_factors(argv[++first], factors);
      if (!n_factors) return refuse("--factors", argv[first], "up to 8 numbers above 0");
    } else {
      return refuse("option", argv[first], "--sleep, --ms MS or --factors F,F…");
    }
  }
  for (int i = first; i < argc; i++) {
    int n = read_cell(argv[i], function);
    if (n == 0)
      return refuse("cell", argv[i], "Iallreduce, Ibcast or Ialltoall and bytes, as Ibcast:8");
    most = n > most ? n : most;
  }
  in = calloc((size_t)size * most, sizeof *in);
  out = calloc((size_t)size * most, sizeof *out);
  for (int i = first; i < argc; i++) {
    int n = read_cell(argv[i], function);
    median_of(WARM_UP, (parts_t){true, false}, function, n, 0);
    for (int k = 0; k < n_factors; k++) line(function, n, factors[k], ms * 1e-3);
  }
  if (rank == 0) printf("end\n");
  free(in);
  free(out);
  MPI_Finalize();
  return 0;
}
