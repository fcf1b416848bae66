/* SPDX-License-Identifier: BSD-3-Clause */
/* A small program for tests/coll/library.sh: modes MODE.
 *   sum      every rank sums the ranks' numbers 100 times
 *   long     40 broadcasts of 64 KiB
 *   late     the last rank comes to a barrier a second late
 *   die      the last rank kills itself; the others are in a barrier then
 *   structs  broadcasts and gathers structures with gaps, also at absolute addresses
 *   unserved calls that berth leaves to the MPI
 *   early    six short calls on a communicator, and one long call on another one
 *   errors   calls that the MPI refuses, on all ranks */
#include <float.h>
#include <math.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static int rank, size, wrong;

static void sum(MPI_Comm comm, int times)
{
  for (int i = 0; i < times; i++) {
    int total = 0, n;
    MPI_Comm_size(comm, &n);
    MPI_Allreduce(&i, &total, 1, MPI_INT, MPI_SUM, comm);
    wrong += total != i * n;
  }
}

/* A derived type with a predefined operation, and two groups. */
static void unserved(void)
{
  int total = 0;
  MPI_Comm half, between;
  MPI_Datatype type;
  MPI_Type_create_f90_integer(9, &type);
  MPI_Allreduce(&rank, &total, 1, type, MPI_SUM, MPI_COMM_WORLD);
  wrong += total != size * (size - 1) / 2;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &between);
  MPI_Barrier(between);
  MPI_Comm_free(&between);
  MPI_Comm_free(&half);
}

enum { BLOCK = 8192 }; /* ints */
static void early(void)
{
  static int own[BLOCK], all[BLOCK * 16];
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  sum(comm, 6);
  MPI_Comm_free(&comm);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (int i = 0; i < BLOCK; i++) own[i] = rank * BLOCK + i;
  MPI_Allgather(own, BLOCK, MPI_INT, all, BLOCK, MPI_INT, comm);
  for (int i = 0; i < BLOCK * size; i++) wrong += all[i] != i;
  MPI_Comm_free(&comm);
}

typedef struct pair {
  int number;
  double value;
} pair_t;

static void fill(pair_t *p, int n, int of)
{
  memset(p, 0, (size_t)n * sizeof *p);
  for (int i = 0; i < n; i++) p[i].number = of * n + i, p[i].value = of + 0.5 * i;
}

static void look(const pair_t *p, int n, int of)
{
  for (int i = 0; i < n; i++) wrong += p[i].number != of * n + i || p[i].value != of + 0.5 * i;
}

/* MPICH 4.0 truncates such a structure in messages of a rank to itself. */
static void structs_of(int n)
{
  const int lengths[] = {1, 1};
  pair_t *own = malloc((size_t)n * sizeof *own), *all = malloc((size_t)(n * size) * sizeof *all);
  const MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE};
  MPI_Datatype pair, placed;
  MPI_Aint at;
  MPI_Type_create_struct(2, lengths, (MPI_Aint[]){0, offsetof(pair_t, value)}, types, &pair);
  MPI_Type_commit(&pair);
  MPI_Get_address(own, &at);
  MPI_Type_create_hindexed(1, &n, &at, pair, &placed);
  MPI_Type_commit(&placed);
  fill(own, n, rank);
  MPI_Allgather(own, n, pair, all, n, pair, MPI_COMM_WORLD);
  for (int r = 0; r < size; r++) look(all + r * n, n, r);
  MPI_Bcast(own, n, pair, size - 1, MPI_COMM_WORLD);
  look(own, n, size - 1);
  fill(own, n, rank);
  MPI_Bcast(MPI_BOTTOM, 1, placed, 1, MPI_COMM_WORLD);
  look(own, n, 1);
  MPI_Type_free(&pair);
  MPI_Type_free(&placed);
  free(own);
  free(all);
}

static void structs(void)
{
  static const int sizes[] = {1, 100, 1000, 5000, 8334, 33334};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) structs_of(sizes[i]);
}

static void refused(const char *what, int code)
{
  if (code != MPI_SUCCESS) return;
  wrong++;
  printf("rank %d: %s: no error\n", rank, what);
}

/* Long sums, and what they should be: of each place, all ranks' numbers, within the rounding of the
 * largest one. */
enum { PLACES = 12, REPEATED = 400, LONG = PLACES * REPEATED };
static double operand(int r, int place)
{
  const double of_place[PLACES] = {r + 0.1,
                                   r % 2 ? 1e300 : 1,
                                   r % 2 ? -1e17 : 1e17,
                                   5e-324,
                                   r * 2.3e-310,
                                   r % 2 ? DBL_MAX : -DBL_MAX,
                                   0,
                                   r ? 1 : INFINITY,
                                   r == 1 ? -INFINITY : r,
                                   r ? r : NAN,
                                   r % 2 ? INFINITY : -INFINITY,
                                   ldexp(r + 1, -40 * r)};
  return of_place[place];
}
static bool is_sum(double found, int place, double unit)
{
  long double sum = 0, largest = 0;
  for (int r = 0; r < size; r++) {
    sum += operand(r, place);
    if (fabsl(operand(r, place)) > largest) largest = fabsl(operand(r, place));
  }
  if (isnan(sum) || isinf(sum)) return isnan(sum) ? isnan(found) : found == sum;
  return fabsl(found - sum) <= size * unit * largest;
}
static void sums(void)
{
  static double in[LONG], out[LONG];
  static float in_float[LONG], out_float[LONG];
  for (int i = 0; i < LONG; i++) in_float[i] = (float)(in[i] = operand(rank, i % PLACES));
  MPI_Allreduce(in, out, LONG, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(in_float, out_float, LONG, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < LONG; i++) {
    bool in_floats = i % PLACES == 0 || i % PLACES == 2 || i % PLACES >= 6;
    bool right = is_sum(out[i], i % PLACES, DBL_EPSILON) &&
                 (!in_floats || is_sum(out_float[i], i % PLACES, FLT_EPSILON));
    if (!right && i < PLACES)
      printf("place %d: found %g and %g\n", i, out[i], (double)out_float[i]);
    wrong += !right;
  }
}

/* Each thread has a communicator of its own, and replaces it now and then. */
enum { THREADS = 3 };
static void *run_thread(void *own)
{
  MPI_Comm *comm = own;
  int one[2] = {rank, 1}, sums[2];
  long *missed = calloc(1, sizeof *missed);
  for (int i = 0; i < 200; i++) {
    MPI_Allreduce(one, sums, 2, MPI_INT, MPI_SUM, *comm);
    *missed += sums[0] != size * (size - 1) / 2 || sums[1] != size;
    MPI_Bcast(&i, 1, MPI_INT, i % size, *comm);
    if (i % 50 > 0) continue;
    MPI_Comm next;
    MPI_Comm_dup(*comm, &next);
    MPI_Comm_free(comm);
    *comm = next;
  }
  return missed;
}
static void threads(void)
{
  pthread_t thread[THREADS];
  MPI_Comm comm[THREADS];
  for (int i = 0; i < THREADS; i++) MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
  for (int i = 0; i < THREADS; i++) pthread_create(&thread[i], NULL, run_thread, &comm[i]);
  for (int i = 0; i < THREADS; i++) {
    void *missed;
    pthread_join(thread[i], &missed);
    wrong += *(long *)missed > 0;
    free(missed);
    MPI_Comm_free(&comm[i]);
  }
}

static void long_calls(void)
{
  static char text[1 << 16];
  for (int i = 0; i < 40; i++) {
    memset(text, rank == 0 ? i : -1, sizeof text);
    MPI_Bcast(text, sizeof text, MPI_CHAR, 0, MPI_COMM_WORLD);
    wrong += text[0] != i || text[sizeof text - 1] != i;
  }
}

static void errors(void)
{
  int in = 1, out, two[2] = {0, 0};
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  refused("a type that isn't committed", MPI_Bcast(two, 1, pair, 0, MPI_COMM_WORLD));
  MPI_Type_free(&pair);
  refused("root", MPI_Bcast(&in, 1, MPI_INT, size, MPI_COMM_WORLD));
  refused("negative root", MPI_Reduce(&in, &out, 1, MPI_INT, MPI_SUM, -5, MPI_COMM_WORLD));
  refused("count", MPI_Bcast(&in, -1, MPI_INT, 0, MPI_COMM_WORLD));
  refused("type", MPI_Bcast(&in, 1, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD));
  refused("operation", MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD));
  refused("the operation's type", MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_MAXLOC, MPI_COMM_WORLD));
  refused("MPI_IN_PLACE to receive",
          MPI_Allreduce(&in, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  refused("communicator", MPI_Barrier(MPI_COMM_NULL));
  sum(MPI_COMM_WORLD, 3);
}

int main(int argc, char **argv)
{
  const char *mode = argc > 1 ? argv[1] : "sum";
  int provided, wanted = strcmp(mode, "threads") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, wanted, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const struct rlimit small = {1000, 1000}; /* bytes of a file */
  if (strcmp(mode, "limit") == 0) setrlimit(RLIMIT_FSIZE, &small);
  sum(MPI_COMM_WORLD, 100);
  if (strcmp(mode, "long") == 0) long_calls();
  if (strcmp(mode, "unserved") == 0) unserved();
  if (strcmp(mode, "early") == 0) early();
  if (strcmp(mode, "structs") == 0) structs();
  if (strcmp(mode, "sums") == 0) sums();
  if (strcmp(mode, "threads") == 0) threads();
  wrong += provided < wanted;
  if (strcmp(mode, "errors") == 0) errors();
  if (rank == size - 1 && strcmp(mode, "late") == 0) sleep(1);
  if (rank == size - 1 && strcmp(mode, "die") == 0) kill(getpid(), SIGKILL);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("%s\n", wrong ? "wrong" : "right");
  MPI_Finalize();
  return wrong;
}
