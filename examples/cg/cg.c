/* SPDX-License-Identifier: BSD-3-Clause */
/* Conjugate gradients for Poisson's equation on a cube: the 7-point stencil, without a stored
 * matrix.
 *
 * --plain is the method of Hestenes and Stiefel (1952), with two blocking reductions an iteration.
 * --pipelined is that of Ghysels and Vanroose, "Hiding global synchronization latency in the
 * preconditioned Conjugate Gradient algorithm", Parallel Computing 40 (2014), algorithm 3: one
 * non-blocking reduction of two doubles an iteration, and the stencil's product while it is under
 * way. Both find the same iterates but for rounding. */
#include <errno.h>
#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AXES = 3, SIDES = 2, FACES = AXES * SIDES, TAG = 11 };

static const char usage[] =
    "usage: cg [OPTION]…\n"
    "\n"
    "Solves Poisson's equation on a cube of points by conjugate gradients.\n"
    "\n"
    "  --plain          two blocking reductions an iteration (default)\n"
    "  --pipelined      one non-blocking reduction an iteration, beside the stencil's product\n"
    "  --points N       the cube has N x N x N points, 1 to 4096 (default 64)\n"
    "  --iterations N   at most N iterations, 1 to 1000000 (default 1000)\n"
    "  --tolerance X    ends when the residual is X times the right-hand side, 0 to 1: 0 does all\n"
    "                   iterations (default 1e-8)\n"
    "  --seed N         the right-hand side's random numbers, 0 to 2147483647 (default 1)\n"
    "  --json           one line of JSON\n"
    "  --help           this text\n"
    "\n"
    "Exit codes: 0 done, 2 wrong arguments, 4 not enough memory.\n";

typedef struct {
  bool pipelined, json, help;
  int points, iterations, seed;
  double tolerance;
} options_t;

/* A rank's box of the cube, in an array with a layer of other ranks' points around it. Axis 2 is
 * contiguous. */
typedef struct {
  MPI_Comm comm;
  int rank, ranks;
  int grid[AXES];  /* ranks on each axis */
  int first[AXES]; /* of the rank's points, in the cube */
  int n[AXES];     /* the rank's points */
  size_t stride[AXES], size;
  int peer[FACES];
  MPI_Datatype out[FACES], in[FACES];
} box_t;

/* What a solver found. */
typedef struct {
  double *x;
  int iterations;
  const char *end; /* why it ended: tolerance, iterations or breakdown */
  double *seconds; /* of each iteration, on this rank */
  double total;
} solution_t;

/* ------------------------------------------------------------------------------- arguments */

static bool read_int(const char *text, int low, int high, int *value)
{
  char *end;
  errno = 0;
  long found = strtol(text, &end, 10);
  *value = (int)found;
  return !errno && end != text && !*end && found >= low && found <= high;
}

static bool read_share(const char *text, double *value)
{
  char *end;
  *value = strtod(text, &end);
  return end != text && !*end && *value >= 0 && *value <= 1;
}

/* Reads the value of an option that has one. Writes into `why` what is wrong. */
static bool read_value(options_t *o, const char *name, const char *text, char *why, size_t size)
{
  const struct {
    const char *name;
    int low, high, *value;
  } numbers[] = {{"--points", 1, 4096, &o->points},
                 {"--iterations", 1, 1000000, &o->iterations},
                 {"--seed", 0, INT32_MAX, &o->seed}};
  bool share = strcmp(name, "--tolerance") == 0, known = share;
  size_t i = 0;
  while (!known && i < sizeof numbers / sizeof *numbers)
    if (strcmp(name, numbers[i].name) == 0)
      known = true;
    else
      i++;
  if (!known)
    snprintf(why, size, "unknown option '%s'; see cg --help", name);
  else if (!text)
    snprintf(why, size, "%s has no value, expected one", name);
  else if (share && !read_share(text, &o->tolerance))
    snprintf(why, size, "%s '%s', expected a number from 0 to 1", name, text);
  else if (!share && !read_int(text, numbers[i].low, numbers[i].high, numbers[i].value))
    snprintf(why, size, "%s '%s', expected a whole number from %d to %d", name, text,
             numbers[i].low, numbers[i].high);
  else
    return true;
  return false;
}

static bool read_options(options_t *o, int argc, char **argv, char *why, size_t size)
{
  const char *form = NULL;
  for (int i = 1; i < argc; i++) {
    bool plain = strcmp(argv[i], "--plain") == 0, pipelined = strcmp(argv[i], "--pipelined") == 0;
    if (plain || pipelined) {
      if (form && strcmp(form, argv[i])) {
        snprintf(why, size, "found --plain and --pipelined, expected one of them");
        return false;
      }
      form = argv[i];
      o->pipelined = pipelined;
    } else if (strcmp(argv[i], "--json") == 0) {
      o->json = true;
    } else if (strcmp(argv[i], "--help") == 0) {
      o->help = true;
      return true;
    } else {
      if (!read_value(o, argv[i], i + 1 < argc ? argv[i + 1] : NULL, why, size)) return false;
      i++;
    }
  }
  return true;
}

/* ------------------------------------------------------------------------------- the cube */

static void *memory(const box_t *box, size_t n, size_t size)
{
  void *found = calloc(n ? n : 1, size);
  if (!found) {
    fprintf(stderr, "cg: rank %d found no memory for %zu numbers\n", box->rank, n);
    MPI_Abort(MPI_COMM_WORLD, 4);
  }
  return found;
}

/* The types of a face: the rank's own layer, and the one beside it, which is another rank's. */
static void face_types(box_t *box, int axis, int side)
{
  int face = axis * SIDES + side, all[AXES], part[AXES], from[AXES];
  for (int a = 0; a < AXES; a++) {
    all[a] = box->n[a] + 2;
    part[a] = a == axis ? 1 : box->n[a];
    from[a] = 1;
  }
  from[axis] = side ? box->n[axis] : 1;
  MPI_Type_create_subarray(AXES, all, part, from, MPI_ORDER_C, MPI_DOUBLE, &box->out[face]);
  from[axis] = side ? box->n[axis] + 1 : 0;
  MPI_Type_create_subarray(AXES, all, part, from, MPI_ORDER_C, MPI_DOUBLE, &box->in[face]);
  MPI_Type_commit(&box->out[face]);
  MPI_Type_commit(&box->in[face]);
}

/* Whether each rank gets a point at least. */
static bool make_box(box_t *box, int points)
{
  int at[AXES], periods[AXES] = {0, 0, 0};
  MPI_Comm_size(MPI_COMM_WORLD, &box->ranks);
  MPI_Dims_create(box->ranks, AXES, box->grid);
  for (int a = 0; a < AXES; a++)
    if (box->grid[a] > points) return false;
  MPI_Cart_create(MPI_COMM_WORLD, AXES, box->grid, periods, 0, &box->comm);
  MPI_Comm_rank(box->comm, &box->rank);
  MPI_Cart_coords(box->comm, box->rank, AXES, at);
  for (int a = 0; a < AXES; a++) {
    int each = points / box->grid[a], more = points % box->grid[a];
    box->n[a] = each + (at[a] < more);
    box->first[a] = at[a] * each + (at[a] < more ? at[a] : more);
    MPI_Cart_shift(box->comm, a, 1, &box->peer[a * SIDES], &box->peer[a * SIDES + 1]);
  }
  box->stride[2] = 1;
  box->stride[1] = (size_t)box->n[2] + 2;
  box->stride[0] = box->stride[1] * ((size_t)box->n[1] + 2);
  box->size = box->stride[0] * ((size_t)box->n[0] + 2);
  for (int face = 0; face < FACES; face++) face_types(box, face / SIDES, face % SIDES);
  return true;
}

static void free_box(box_t *box)
{
  for (int face = 0; face < FACES; face++) {
    MPI_Type_free(&box->out[face]);
    MPI_Type_free(&box->in[face]);
  }
  MPI_Comm_free(&box->comm);
}

static double *vector(const box_t *box) { return memory(box, box->size, sizeof(double)); }

/* A line of contiguous points: `rows` of them. */
static int rows(const box_t *box) { return box->n[0] * box->n[1]; }
static size_t row(const box_t *box, int i)
{
  return (size_t)(i / box->n[1] + 1) * box->stride[0] +
         (size_t)(i % box->n[1] + 1) * box->stride[1] + 1;
}

/* The vector's layers beside this rank's points, from the ranks that they belong to. Beyond the
 * cube they stay 0. */
static void exchange(const box_t *box, double *v)
{
  MPI_Request requests[2 * FACES];
  MPI_Status statuses[2 * FACES]; /* gcc takes MPICH's MPI_STATUSES_IGNORE for an array */
  for (int f = 0; f < FACES; f++)
    MPI_Irecv(v, 1, box->in[f], box->peer[f], TAG + (f ^ 1), box->comm, &requests[f]);
  for (int f = 0; f < FACES; f++)
    MPI_Isend(v, 1, box->out[f], box->peer[f], TAG + f, box->comm, &requests[FACES + f]);
  MPI_Waitall(2 * FACES, requests, statuses);
}

/* out = A in */
static void multiply(const box_t *box, double *in, double *out)
{
  const ptrdiff_t near = (ptrdiff_t)box->stride[1], far = (ptrdiff_t)box->stride[0];
  exchange(box, in);
  for (int i = 0; i < rows(box); i++) {
    const double *v = in + row(box, i);
    double *result = out + row(box, i);
    for (int k = 0; k < box->n[2]; k++)
      result[k] =
          6 * v[k] - v[k - 1] - v[k + 1] - v[k - near] - v[k + near] - v[k - far] - v[k + far];
  }
}

/* This rank's part of a scalar product. */
static double part(const box_t *box, const double *a, const double *b)
{
  double sum = 0;
  for (int i = 0; i < rows(box); i++)
    for (size_t k = row(box, i); k < row(box, i) + box->n[2]; k++) sum += a[k] * b[k];
  return sum;
}

static double dot(const box_t *box, const double *a, const double *b)
{
  double mine = part(box, a, b), sum;
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, box->comm);
  return sum;
}

/* y = a x + b y */
static void combine(const box_t *box, double a, const double *x, double b, double *y)
{
  for (int i = 0; i < rows(box); i++)
    for (size_t k = row(box, i); k < row(box, i) + box->n[2]; k++) y[k] = a * x[k] + b * y[k];
}

/* A number from -1 to 1 that depends on the seed and the point alone, so that any number of ranks
 * solves the same problem (splitmix64: Steele, Lea and Flood 2014). */
static double random_at(int seed, uint64_t point)
{
  uint64_t z = ((uint64_t)seed << 36) + point + 1;
  z *= 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return ldexp((double)(z >> 11), -52) - 1;
}

static void right_hand_side(const box_t *box, int points, int seed, double *b)
{
  for (int i = 0; i < rows(box); i++) {
    uint64_t z = (uint64_t)(box->first[0] + i / box->n[1]),
             y = (uint64_t)(box->first[1] + i % box->n[1]), x = (uint64_t)box->first[2];
    for (int k = 0; k < box->n[2]; k++)
      b[row(box, i) + k] = random_at(seed, (z * points + y) * points + x + k);
  }
}

/* ------------------------------------------------------------------------------- the solvers */

/* Why the recursion can't go on, or NULL. `curvature` is (p, A p), positive unless rounding took
 * all digits of it. */
static const char *ends(double squares, double limit, double curvature)
{
  if (sqrt(squares) <= limit) return "tolerance";
  return isfinite(squares) && curvature > 0 && isfinite(curvature) ? NULL : "breakdown";
}

/* x = 0 and r = b at the beginning, in both. */
static void plain(const box_t *box, double *r, int iterations, double limit, solution_t *s)
{
  double *p = vector(box), *q = vector(box);
  double squares = dot(box, r, r), before;
  memcpy(p, r, box->size * sizeof *p);
  s->end = ends(squares, limit, 1);
  while (!s->end && s->iterations < iterations) {
    double begin = MPI_Wtime();
    multiply(box, p, q);
    double curvature = dot(box, p, q);
    s->end = ends(squares, limit, curvature);
    if (s->end) break;
    double alpha = squares / curvature;
    combine(box, alpha, p, 1, s->x);
    combine(box, -alpha, q, 1, r);
    before = squares;
    squares = dot(box, r, r);
    combine(box, 1, r, squares / before, p);
    s->seconds[s->iterations++] = MPI_Wtime() - begin;
    s->end = ends(squares, limit, 1);
  }
  free(p);
  free(q);
}

/* w = A r, ap = A p and aap = A A p by recursion; only q = A w is multiplied. */
static void pipelined(const box_t *box, double *r, int iterations, double limit, solution_t *s)
{
  double *w = vector(box), *q = vector(box), *aap = vector(box), *ap = vector(box),
         *p = vector(box);
  double before = 0, alpha = 0;
  multiply(box, r, w);
  while (s->iterations < iterations) {
    double begin = MPI_Wtime(), mine[2] = {part(box, r, r), part(box, w, r)}, sum[2];
    MPI_Request request;
    MPI_Iallreduce(mine, sum, 2, MPI_DOUBLE, MPI_SUM, box->comm, &request);
    multiply(box, w, q);
    MPI_Status status;
    MPI_Wait(&request, &status);
    double beta = s->iterations ? sum[0] / before : 0;
    double curvature = s->iterations ? sum[1] - beta * sum[0] / alpha : sum[1];
    s->end = ends(sum[0], limit, curvature);
    if (s->end) break;
    alpha = sum[0] / curvature;
    before = sum[0];
    combine(box, 1, q, beta, aap);
    combine(box, 1, w, beta, ap);
    combine(box, 1, r, beta, p);
    combine(box, alpha, p, 1, s->x);
    combine(box, -alpha, ap, 1, r);
    combine(box, -alpha, aap, 1, w);
    s->seconds[s->iterations++] = MPI_Wtime() - begin;
  }
  free(w);
  free(q);
  free(aap);
  free(ap);
  free(p);
}

/* Connections exist, and libraries are set up, before the clock starts. `v` is 0 everywhere. */
static void warm_up(const box_t *box, bool with_requests, double *v)
{
  enum { CALLS = 8 };
  for (int i = 0; i < CALLS; i++) {
    double mine[2] = {0, 0}, sum[2];
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;
    if (with_requests)
      MPI_Iallreduce(mine, sum, 2, MPI_DOUBLE, MPI_SUM, box->comm, &request);
    else
      MPI_Allreduce(mine, sum, 1, MPI_DOUBLE, MPI_SUM, box->comm);
    exchange(box, v);
    MPI_Wait(&request, &status);
  }
  MPI_Barrier(box->comm);
}

/* ------------------------------------------------------------------------------- the result */

/* The norm of b - A x, which the recursion's residual may be far from. Changes b. */
static double true_residual(const box_t *box, double *x, double *b)
{
  double *product = vector(box);
  multiply(box, x, product);
  combine(box, -1, product, 1, b);
  free(product);
  return sqrt(dot(box, b, b));
}

static int by_value(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *values, int n)
{
  qsort(values, n, sizeof *values, by_value);
  return n == 0 ? 0 : n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/* An iteration lasts as long as on its slowest rank. Only rank 0 gets the times. */
static void slowest(const box_t *box, solution_t *s)
{
  double *mine = memory(box, s->iterations, sizeof *mine), total = s->total;
  memcpy(mine, s->seconds, s->iterations * sizeof *mine);
  MPI_Reduce(mine, s->seconds, s->iterations, MPI_DOUBLE, MPI_MAX, 0, box->comm);
  MPI_Reduce(&total, &s->total, 1, MPI_DOUBLE, MPI_MAX, 0, box->comm);
  free(mine);
}

static void print(const options_t *o, const box_t *box, solution_t *s, double b, double residual)
{
  const char *form = o->pipelined ? "pipelined" : "plain";
  double middle = median(s->seconds, s->iterations);
  if (o->json) {
    printf(
        "{\"form\": \"%s\", \"ranks\": %d, \"grid\": [%d, %d, %d], \"points\": %d, \"seed\": %d, "
        "\"iterations\": %d, \"end\": \"%s\", \"iteration_s\": %.9f, \"total_s\": %.9f, "
        "\"right_hand_side\": %.17g, \"residual\": %.17g}\n",
        form, box->ranks, box->grid[0], box->grid[1], box->grid[2], o->points, o->seed,
        s->iterations, s->end, middle, s->total, b, residual);
    return;
  }
  printf("ranks             %d (%d x %d x %d), %s\n", box->ranks, box->grid[0], box->grid[1],
         box->grid[2], form);
  printf("points            %d x %d x %d\n", o->points, o->points, o->points);
  printf("iterations        %d (ended by %s)\n", s->iterations, s->end);
  printf("time              %.3f ms an iteration (median), %.3f s in all\n", 1e3 * middle,
         s->total);
  printf("right-hand side   %.17g\n", b);
  printf("residual          %.17g\n", residual);
}

static void solve(const options_t *o, const box_t *box)
{
  solution_t s = {.x = vector(box), .seconds = memory(box, o->iterations, sizeof(double))};
  double *b = vector(box), *r = vector(box);
  right_hand_side(box, o->points, o->seed, b);
  double norm = sqrt(dot(box, b, b));
  memcpy(r, b, box->size * sizeof *r);
  warm_up(box, o->pipelined, s.x);
  double begin = MPI_Wtime();
  (o->pipelined ? pipelined : plain)(box, r, o->iterations, o->tolerance * norm, &s);
  s.total = MPI_Wtime() - begin;
  if (!s.end) s.end = "iterations";
  double residual = true_residual(box, s.x, b);
  slowest(box, &s);
  if (box->rank == 0) print(o, box, &s, norm, residual);
  free(s.x);
  free(s.seconds);
  free(b);
  free(r);
}

/* On rank 0 alone. Returns the program's exit code. */
static int refuse(int rank, const char *why)
{
  if (rank == 0) fprintf(stderr, "cg: %s\n", why);
  MPI_Finalize();
  return 2;
}

int main(int argc, char **argv)
{
  options_t o = {.points = 64, .iterations = 1000, .tolerance = 1e-8, .seed = 1};
  box_t box = {0};
  char why[256];
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (!read_options(&o, argc, argv, why, sizeof why)) return refuse(rank, why);
  if (o.help) {
    if (rank == 0) fputs(usage, stdout);
    MPI_Finalize();
    return 0;
  }
  if (!make_box(&box, o.points)) {
    snprintf(why, sizeof why, "--points %d for %d ranks as %d x %d x %d, expected a point for each",
             o.points, box.ranks, box.grid[0], box.grid[1], box.grid[2]);
    return refuse(rank, why);
  }
  solve(&o, &box);
  free_box(&box);
  MPI_Finalize();
  return 0;
}
