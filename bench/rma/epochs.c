/* SPDX-License-Identifier: BSD-3-Clause */
/* How long epochs of one-sided operations take, after chapter 4 of Zhao's thesis:
 * epochs [OPTION]… CELL….
 *
 *   single:SYNC:OP:WINDOW:BYTES          an epoch of one operation
 *   many:SYNC:OP:WINDOW:COUNT:LAYOUT     COUNT operations of 8 bytes
 *   overlap:SYNC:OP:WINDOW:COUNT:BYTES   the same with computation after each operation
 *   busy:SYNC:OP:WINDOW:BYTES            one operation, on a target that computes and an idle one
 *
 * SYNC    fence, pscw, lock, or lockall (MPI_Win_lock_all once, an epoch ends with MPI_Win_flush)
 * OP      put, get or acc (MPI_SUM)
 * WINDOW  create (in memory of MPI_Alloc_mem), allocate, or heap (created in other memory)
 * LAYOUT  contiguous or scattered (a cache line for each operation, in a mixed order)
 *
 * Rank 0 is the origin, the last rank the target. A time is the origin's, from before the call that
 * begins the epoch to after the one that ends it, and the median of the epochs. With `--until
 * target` it lasts until the origin has heard, by a message, that the target's part of the epoch is
 * over, too; so it does in any case with locks. Each epoch begins when all ranks are ready. A line
 * of JSON for each cell, of `overlap` one for each percentage, in microseconds. The last line is
 * "end". Results are checked. */
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../agents/meet.h"

enum {
  WARM_UP = 3,
  TRIES = 5,
  LEAST_EPOCHS = 5,
  MOST_EPOCHS = 2000,
  MOST_COUNT = 16384,
  MOST_BYTES = 1 << 22,
  MOST_PERCENTAGES = 8,
  LINE = 64,     /* bytes from a scattered operation to the next one */
  STRIDE = 7919, /* odd: visits each of MOST_COUNT lines once */
  GOT = 3,       /* what a get finds in each byte */
  TAG = 5,
  TAG_OVER = 6
};
static const double BUSY_S = 1e-3;

typedef enum { SINGLE, MANY, OVERLAP, BUSY, TESTS } test_t;
typedef enum { FENCE, PSCW, LOCK, LOCKALL, SYNCS } sync_t;
typedef enum { PUT, GET, ACC, OPS } op_t;
static const char *const test_names[] = {"single", "many", "overlap", "busy"};
static const char *const sync_names[] = {"fence", "pscw", "lock", "lockall"};
static const char *const op_names[] = {"put", "get", "acc"};
typedef enum { CREATE, ALLOCATE, HEAP, WINDOWS } window_t;
static const char *const window_names[WINDOWS] = {"create", "allocate", "heap"};
static const char *const layout_names[] = {"contiguous", "scattered"};
static const char *const where_names[] = {"origin", "target", "both"};

typedef struct {
  test_t test;
  sync_t sync;
  op_t op;
  int made, scattered; /* of window_names, layout_names */
  int count, bytes;
} cell_t;

typedef struct {
  double ms;
  int where; /* of where_names */
  int n_percentages;
  double percentages[MOST_PERCENTAGES];
} options_t;

/* What a cell's epochs work on. */
typedef struct {
  MPI_Win win;
  MPI_Group others; /* the target's, at the origin; the origin's, at the target */
  MPI_Datatype type;
  int items;             /* of the type, in an operation */
  unsigned char *window; /* this rank's part of the window */
  unsigned char *buffer; /* the origin's operands, one after the other */
  size_t size;
  int64_t epochs; /* until now */
} place_t;

static int rank, size, target;

/* ------------------------------------------------------------------------------- computation */

/* Steps that depend on each other and need no memory. */
static void compute(double steps)
{
  static volatile double sink;
  double x = sink;
  for (double i = 0; i < steps; i++) x = x * 0.999999 + 1e-6;
  sink = x;
}

/* Steps that take so long on this rank's core: the most of some tries, because others may take the
 * core for a while. */
static double steps_for(double seconds)
{
  double steps = 1000, took, most = 0;
  for (int tries = 0; tries < TRIES;) {
    double begin = MPI_Wtime();
    compute(steps);
    took = MPI_Wtime() - begin;
    if (took < 5e-4) {
      steps *= 2;
      continue;
    }
    if (steps / took > most) most = steps / took;
    tries++;
  }
  return most * seconds;
}

static bool computes(int where)
{
  return (rank == 0 && where != 1) || (rank == target && where != 0);
}

/* ------------------------------------------------------------------------------- an epoch */

/* Where operation i goes. */
static size_t there(const cell_t *c, int i)
{
  return c->scattered ? (size_t)(i * STRIDE % MOST_COUNT) * LINE : (size_t)i * c->bytes;
}

static unsigned char *here(const cell_t *c, const place_t *p, int i)
{
  return p->buffer + (size_t)i * c->bytes;
}

static void operation(const cell_t *c, const place_t *p, int i)
{
  void *from = here(c, p, i);
  MPI_Aint to = (MPI_Aint)there(c, i);
  if (c->op == PUT)
    MPI_Put(from, p->items, p->type, target, to, p->items, p->type, p->win);
  else if (c->op == GET)
    MPI_Get(from, p->items, p->type, target, to, p->items, p->type, p->win);
  else
    MPI_Accumulate(from, p->items, p->type, target, to, p->items, p->type, MPI_SUM, p->win);
}

static void open_epoch(const cell_t *c, const place_t *p)
{
  if (c->sync == FENCE) MPI_Win_fence(0, p->win);
  if (c->sync == PSCW) MPI_Win_start(p->others, 0, p->win);
  if (c->sync == LOCK) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, p->win);
}

static void close_epoch(const cell_t *c, const place_t *p)
{
  if (c->sync == FENCE) MPI_Win_fence(0, p->win);
  if (c->sync == PSCW) MPI_Win_complete(p->win);
  if (c->sync == LOCK) MPI_Win_unlock(target, p->win);
  if (c->sync == LOCKALL) MPI_Win_flush(target, p->win);
}

static void at_origin(const cell_t *c, const place_t *p, double steps)
{
  open_epoch(c, p);
  for (int i = 0; i < c->count; i++) {
    operation(c, p, i);
    if (steps > 0) compute(steps);
  }
  close_epoch(c, p);
}

/* The other ranks' part of it. The target computes as much as the origin, or nothing. */
static void elsewhere(const cell_t *c, const place_t *p, double steps)
{
  if (c->sync == FENCE) MPI_Win_fence(0, p->win);
  if (c->sync == PSCW && rank == target) MPI_Win_post(p->others, 0, p->win);
  if (steps > 0) compute(steps * c->count);
  if (c->sync == FENCE) MPI_Win_fence(0, p->win);
  if (c->sync == PSCW && rank == target) MPI_Win_wait(p->win);
}

/* Marks the first and the last operation of an epoch, for check(). */
static void mark(const cell_t *c, place_t *p)
{
  p->epochs++;
  if (c->op == ACC) return;
  for (int i = 0; i<c->count; i += c->count> 1 ? c->count - 1 : 1)
    *here(c, p, i) = c->op == PUT ? (unsigned char)(p->epochs % 255 + 1) : 0;
}

static bool until_target; /* not only until the origin's part of an epoch is over */

/* Tells the origin that the target's part is over. */
static void hear_of_end(const cell_t *c)
{
  MPI_Status status;
  if (!until_target || c->sync >= LOCK) return;
  if (rank == target) MPI_Send(NULL, 0, MPI_BYTE, 0, TAG_OVER, MPI_COMM_WORLD);
  if (rank == 0) MPI_Recv(NULL, 0, MPI_BYTE, target, TAG_OVER, MPI_COMM_WORLD, &status);
}

/* Seconds of the origin. Steps are those after one operation, 0 on a rank that doesn't compute. */
static double timed(const cell_t *c, place_t *p, double steps)
{
  mark(c, p);
  meet(rank, size);
  double begin = MPI_Wtime();
  if (rank == 0)
    at_origin(c, p, steps);
  else
    elsewhere(c, p, steps);
  hear_of_end(c);
  return MPI_Wtime() - begin;
}

/* ------------------------------------------------------------------------------- a window */

static void *memory(size_t bytes)
{
  void *found = calloc(bytes, 1);
  if (!found) {
    fprintf(stderr, "epochs: rank %d found no memory for %zu bytes\n", rank, bytes);
    MPI_Abort(MPI_COMM_WORLD, 4);
  }
  return found;
}

static void group_of(int other, MPI_Group *group)
{
  MPI_Group all;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &other, group);
  MPI_Group_free(&all);
}

static size_t window_size(const cell_t *c)
{
  size_t bytes = c->scattered ? (size_t)MOST_COUNT * LINE : (size_t)c->count * c->bytes;
  return (bytes + LINE - 1) / LINE * LINE;
}

static void begin_cell(const cell_t *c, place_t *p)
{
  MPI_Aint bytes = (MPI_Aint)window_size(c);
  bool words = c->bytes % 8 == 0;
  *p = (place_t){.type = words ? MPI_INT64_T : MPI_UINT8_T, .size = (size_t)c->count * c->bytes};
  p->items = words ? c->bytes / 8 : c->bytes;
  p->buffer = memory(p->size);
  if (c->made == ALLOCATE) {
    MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &p->window, &p->win);
  } else {
    if (c->made == HEAP)
      p->window = memory((size_t)bytes);
    else
      MPI_Alloc_mem(bytes, MPI_INFO_NULL, &p->window);
    MPI_Win_create(p->window, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &p->win);
  }
  memset(p->window, c->op == GET ? GOT : 0, bytes);
  for (size_t i = 0; i < p->size && c->op == ACC; i += words ? 8 : 1) p->buffer[i] = 1;
  group_of(rank == 0 ? target : 0, &p->others);
  MPI_Barrier(MPI_COMM_WORLD);
  if (c->sync == LOCKALL && rank == 0) MPI_Win_lock_all(0, p->win);
}

/* What the first byte or number of an operation holds in the end. */
static int64_t expected_of(const cell_t *c, const place_t *p)
{
  if (c->op == GET) return GOT;
  if (c->op == PUT) return p->epochs % 255 + 1;
  return c->bytes % 8 ? p->epochs & 255 : p->epochs;
}

static void check(const cell_t *c, const place_t *p, int i)
{
  int64_t found = 0, expected = expected_of(c, p);
  if (rank != (c->op == GET ? 0 : target)) return;
  if (c->sync >= LOCK) MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, p->win);
  memcpy(&found, c->op == GET ? here(c, p, i) : p->window + there(c, i),
         c->op == ACC && c->bytes % 8 == 0 ? 8 : 1);
  if (c->sync >= LOCK) MPI_Win_unlock(rank, p->win);
  if (found == expected) return;
  fprintf(stderr,
          "epochs: %s:%s:%s:%s, operation %d: found %lld after %lld epochs, expected %lld\n",
          test_names[c->test], sync_names[c->sync], op_names[c->op], window_names[c->made], i,
          (long long)found, (long long)p->epochs, (long long)expected);
  sleep(1); /* MPICH's launcher loses lines that come with the end */
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void end_cell(const cell_t *c, place_t *p)
{
  if (c->sync == LOCKALL && rank == 0) MPI_Win_unlock_all(p->win);
  meet(rank, size);
  check(c, p, 0);
  check(c, p, c->count - 1);
  MPI_Win_free(&p->win);
  if (c->made == CREATE) MPI_Free_mem(p->window);
  if (c->made == HEAP) free(p->window);
  MPI_Group_free(&p->others);
  free(p->buffer);
}

/* ------------------------------------------------------------------------------- cells */

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

/* The origin's number, on all ranks. */
static double of_origin(double number)
{
  MPI_Bcast(&number, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return number;
}

static int between(double low, double n, double high)
{
  return (int)(n < low ? low : n > high ? high : n);
}

static double median_of(const cell_t *c, place_t *p, int epochs)
{
  double times[MOST_EPOCHS];
  for (int i = 0; i < epochs; i++) times[i] = timed(c, p, 0);
  return of_origin(median(times, epochs));
}

/* The number of epochs that fill `ms`, after some that make connections. */
static int epochs_for(const cell_t *c, place_t *p, double ms)
{
  median_of(c, p, WARM_UP);
  return between(LEAST_EPOCHS, ms * 1e-3 / median_of(c, p, WARM_UP), MOST_EPOCHS);
}

static void print_cell(const cell_t *c)
{
  printf("{\"test\": \"%s\", \"sync\": \"%s\", \"op\": \"%s\", \"window\": \"%s\", "
         "\"count\": %d, \"bytes\": %d, ",
         test_names[c->test], sync_names[c->sync], op_names[c->op], window_names[c->made], c->count,
         c->bytes);
  if (c->test == MANY) printf("\"layout\": \"%s\", ", layout_names[c->scattered]);
}

static void simple(const cell_t *c, place_t *p, double ms)
{
  double times[MOST_EPOCHS];
  int n = epochs_for(c, p, ms);
  for (int i = 0; i < n; i++) times[i] = timed(c, p, 0);
  if (rank > 0) return;
  double middle = median(times, n);
  print_cell(c);
  printf("\"epochs\": %d, \"us\": %.3f, \"minimum_us\": %.3f}\n", n, 1e6 * middle, 1e6 * times[0]);
}

/* Seconds of the steps of an epoch, without one: the origin's, or the target's if it computes
 * alone. */
static double timed_computation(const cell_t *c, double steps, int where)
{
  MPI_Status status;
  meet(rank, size);
  double begin = MPI_Wtime();
  for (int i = 0; i < c->count && steps > 0; i++) compute(steps);
  double seconds = MPI_Wtime() - begin;
  if (where != 1) return seconds;
  if (rank == target) MPI_Send(&seconds, 1, MPI_DOUBLE, 0, TAG, MPI_COMM_WORLD);
  if (rank == 0) MPI_Recv(&seconds, 1, MPI_DOUBLE, target, TAG, MPI_COMM_WORLD, &status);
  return seconds;
}

/* Communication alone, computation alone, and both, in turns. */
static void overlap(const cell_t *c, place_t *p, const options_t *o)
{
  static double alone[MOST_EPOCHS], work[MOST_EPOCHS], both[MOST_EPOCHS];
  int n = epochs_for(c, p, o->ms);
  double seconds = median_of(c, p, n);
  for (int k = 0; k < o->n_percentages; k++) {
    double wanted = seconds * o->percentages[k] / 100 / c->count;
    double steps = computes(o->where) ? steps_for(wanted) : 0;
    for (int i = 0; i < n; i++) {
      alone[i] = timed(c, p, 0);
      work[i] = timed_computation(c, steps, o->where);
      both[i] = timed(c, p, steps);
    }
    if (rank > 0) continue;
    double t = median(alone, n), w = median(work, n), b = median(both, n);
    double share = 1 - (b > t ? b - t : 0) / w;
    print_cell(c);
    printf("\"computing\": \"%s\", \"percent\": %g, \"epochs\": %d, \"us\": %.3f, "
           "\"computation_us\": %.3f, \"both_us\": %.3f, \"overlap\": %.3f}\n",
           where_names[o->where], o->percentages[k], n, 1e6 * t, 1e6 * w, 1e6 * b,
           share > 0 ? share : 0);
  }
}

/* The target's part of a busy epoch: it computes for BUSY_S at a time, until the origin is done. */
static void be_busy(double steps)
{
  MPI_Request done;
  MPI_Status status;
  int is_done = 0;
  MPI_Irecv(NULL, 0, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, &done);
  meet(rank, size);
  while (!is_done) {
    compute(steps);
    MPI_Test(&done, &is_done, &status);
  }
}

/* The origin begins at any moment of the target's computation. */
static double timed_busy(const cell_t *c, place_t *p, double steps)
{
  mark(c, p);
  if (rank == target) {
    be_busy(steps);
    return 0;
  }
  meet(rank, size);
  if (rank > 0) return 0;
  compute(steps * (1 + rand() / (RAND_MAX + 1.0)));
  double begin = MPI_Wtime();
  at_origin(c, p, 0);
  double seconds = MPI_Wtime() - begin;
  MPI_Send(NULL, 0, MPI_BYTE, target, TAG, MPI_COMM_WORLD);
  return seconds;
}

static void busy(const cell_t *c, place_t *p, double ms)
{
  double idle[MOST_EPOCHS], held[MOST_EPOCHS], sum = 0, steps = steps_for(BUSY_S);
  int n = between(LEAST_EPOCHS, ms * 1e-3 / BUSY_S, MOST_EPOCHS); /* each may wait so long */
  median_of(c, p, WARM_UP);
  for (int i = 0; i < n; i++) {
    idle[i] = timed(c, p, 0);
    sum += held[i] = timed_busy(c, p, steps);
  }
  if (rank > 0) return;
  double t = median(idle, n), b = median(held, n);
  print_cell(c);
  printf("\"epochs\": %d, \"us\": %.3f, \"busy_us\": %.3f, \"busy_mean_us\": %.3f, "
         "\"busy_maximum_us\": %.3f}\n",
         n, 1e6 * t, 1e6 * b, 1e6 * sum / n, 1e6 * held[n - 1]);
}

static void measure(const cell_t *c, const options_t *o)
{
  place_t p;
  begin_cell(c, &p);
  if (c->test == OVERLAP)
    overlap(c, &p, o);
  else if (c->test == BUSY)
    busy(c, &p, o->ms);
  else
    simple(c, &p, o->ms);
  end_cell(c, &p);
  if (rank == 0) fflush(stdout);
}

/* ------------------------------------------------------------------------------- arguments */

/* The word's place in a list, or -1. */
static int place_of(const char *word, const char *const *names, int n)
{
  for (int i = 0; i < n; i++)
    if (strcmp(word, names[i]) == 0) return i;
  return -1;
}

static bool read_number(const char *word, int high, int *value)
{
  char *end;
  long found = strtol(word, &end, 10);
  *value = (int)found;
  return end != word && !*end && found >= 1 && found <= high;
}

/* Splits the text. Returns the number of words, at most `most` + 1. */
static int split(char *text, char **words, int most)
{
  int n = 0;
  for (char *word = strtok(text, ":"); word; word = strtok(NULL, ":")) {
    if (n == most) return most + 1;
    words[n++] = word;
  }
  return n;
}

static bool read_cell(const char *text, cell_t *c)
{
  char copy[128], *words[6];
  snprintf(copy, sizeof copy, "%s", text);
  int n = split(copy, words, 6);
  if (n < 5) return false;
  *c = (cell_t){.count = 1, .bytes = 8};
  int test = place_of(words[0], test_names, TESTS), sync = place_of(words[1], sync_names, SYNCS),
      op = place_of(words[2], op_names, OPS);
  c->made = place_of(words[3], window_names, WINDOWS);
  if (test < 0 || sync < 0 || op < 0 || c->made < 0) return false;
  if (n != (test == MANY || test == OVERLAP ? 6 : 5)) return false;
  c->test = (test_t)test;
  c->sync = (sync_t)sync;
  c->op = (op_t)op;
  if (test == MANY) c->scattered = place_of(words[5], layout_names, 2);
  if (test == MANY) return c->scattered >= 0 && read_number(words[4], MOST_COUNT, &c->count);
  if (test == OVERLAP)
    return read_number(words[4], MOST_COUNT, &c->count) &&
           read_number(words[5], MOST_BYTES, &c->bytes);
  return (test == SINGLE || sync >= LOCK) && read_number(words[4], MOST_BYTES, &c->bytes);
}

static bool read_percentages(const char *text, options_t *o)
{
  char *end = NULL;
  for (o->n_percentages = 0; o->n_percentages < MOST_PERCENTAGES; text = end + 1) {
    double value = strtod(text, &end);
    if (end == text || !(value > 0) || value > 10000) return false;
    o->percentages[o->n_percentages++] = value;
    if (*end != ',') return !*end;
  }
  return false;
}

static int refuse(const char *what, const char *text, const char *expected)
{
  if (rank == 0) fprintf(stderr, "epochs: %s '%s', expected %s\n", what, text, expected);
  MPI_Finalize();
  return 2;
}

/* Returns the number of words that belong to options, or -1 after it refused one. */
static int read_options(options_t *o, int argc, char **argv)
{
  int i = 1;
  for (; i < argc && argv[i][0] == '-'; i += 2) {
    const char *value = i + 1 < argc ? argv[i + 1] : "";
    if (strcmp(argv[i], "--ms") == 0) {
      o->ms = atof(value);
      if (!(o->ms > 0)) return refuse(argv[i], value, "a number above 0"), -1;
    } else if (strcmp(argv[i], "--computing") == 0) {
      o->where = place_of(value, where_names, 3);
      if (o->where < 0) return refuse(argv[i], value, "origin, target or both"), -1;
    } else if (strcmp(argv[i], "--percent") == 0) {
      if (!read_percentages(value, o)) return refuse(argv[i], value, "up to 8 percentages"), -1;
    } else if (strcmp(argv[i], "--until") == 0) {
      int until = place_of(value, where_names, 2);
      if (until < 0) return refuse(argv[i], value, "origin or target"), -1;
      until_target = until == 1;
    } else {
      return refuse("option", argv[i],
                    "--ms MS, --computing WHERE, --until WHERE or --percent P,P…"),
             -1;
    }
  }
  return i;
}

int main(int argc, char **argv)
{
  options_t o = {.ms = 50, .n_percentages = 3, .percentages = {25, 50, 100}};
  cell_t cell;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  target = size - 1;
  int first = read_options(&o, argc, argv);
  if (first < 0) return 2;
  if (size < 2) return refuse("ranks", "1", "an origin and a target");
  for (int i = first; i < argc; i++)
    if (!read_cell(argv[i], &cell))
      return refuse("cell", argv[i], "one such as single:lock:put:create:8");
  for (int i = first; i < argc; i++)
    if (read_cell(argv[i], &cell)) measure(&cell, &o);
  if (rank == 0) printf("end\n");
  MPI_Finalize();
  return 0;
}
