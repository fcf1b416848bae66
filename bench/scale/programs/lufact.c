/* SPDX-License-Identifier: BSD-3-Clause */
/* lufact - dense LU factorisation with partial pivoting, right-looking, blocked
 *
 * 2D block-cyclic matrix on a P x Q grid, P <= Q as near as possible; ranks are
 * numbered down the columns of the grid (rank = p + q * P).  The order of the
 * matrix grows with the square root of the number of processes, so that each
 * process keeps about 96 x 96 elements.  Panels travel along process rows in a
 * ring, the rows of U are broadcast down process columns, and pivot rows are
 * exchanged between two process rows.
 *
 *   mpirun -np N ./lufact
 */
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NB = 16 };

static MPI_Comm prow, pcol; /* ranks in my process row / process column */
static int rank, nprocs, P, Q, p, q;
static int n, mloc, nloc; /* order; my rows and columns */
static double *A, *b;     /* A: mloc x nloc, row-major; b: on everyone */

static int global(int l, int me, int np) { return (l / NB * np + me) * NB + l % NB; }
/* first local index that belongs to global index g or a later one */
static int local_from(int g, int me, int np)
{
  int blk = g / NB, full = blk / np * NB;
  if (blk % np > me) return full + NB;
  if (blk % np == me) return full + g % NB;
  return full;
}

static double entry(int i, int j)
{
  uint64_t z = ((uint64_t)i << 32 | (uint32_t)j) + 0x9E3779B97F4A7C15ull;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ z >> 27) * 0x94D049BB133111EBull;
  return ((z ^ z >> 31) >> 11) * (1.0 / 9007199254740992.0) - 0.5;
}

/* exchange columns [c0,c1) of global rows i and j; both process rows take part */
static void swap_rows(int i, int j, int c0, int c1, double *tmp)
{
  int pi = i / NB % P, pj = j / NB % P, w = c1 - c0;
  if (i == j || w <= 0) return;
  if (pi == p && pj == p) {
    double *x = A + (size_t)local_from(i, p, P) * nloc + c0;
    double *y = A + (size_t)local_from(j, p, P) * nloc + c0;
    for (int c = 0; c < w; c++) {
      double t = x[c];
      x[c] = y[c];
      y[c] = t;
    }
  } else if (pi == p || pj == p) {
    double *x = A + (size_t)local_from(pi == p ? i : j, p, P) * nloc + c0;
    int other = pi == p ? pj : pi;
    memcpy(tmp, x, w * sizeof(double));
    MPI_Sendrecv(tmp, w, MPI_DOUBLE, other, 1, x, w, MPI_DOUBLE, other, 1, pcol, MPI_STATUS_IGNORE);
  }
}

/* factorise columns k..k+NB-1 in the process column that owns them */
static void panel(int k, int *piv, double *tmp)
{
  int c0 = local_from(k, q, Q);
  double prow_buf[NB];
  for (int j = 0; j < NB; j++) {
    struct {
      double v;
      int i;
    } mine = {-1, n}, best;
    for (int l = local_from(k + j, p, P); l < mloc; l++) {
      double v = fabs(A[(size_t)l * nloc + c0 + j]);
      if (v > mine.v) {
        mine.v = v;
        mine.i = global(l, p, P);
      }
    }
    MPI_Allreduce(&mine, &best, 1, MPI_DOUBLE_INT, MPI_MAXLOC, pcol);
    piv[j] = best.i;
    swap_rows(k + j, best.i, c0, c0 + NB, tmp);
    if (k / NB % P == p)
      memcpy(prow_buf, A + (size_t)local_from(k + j, p, P) * nloc + c0, sizeof prow_buf);
    MPI_Bcast(prow_buf, NB, MPI_DOUBLE, k / NB % P, pcol);
    for (int l = local_from(k + j + 1, p, P); l < mloc; l++) {
      double *r = A + (size_t)l * nloc + c0, f = r[j] /= prow_buf[j];
      for (int c = j + 1; c < NB; c++) r[c] -= f * prow_buf[c];
    }
  }
}

/* increasing-ring broadcast within the process row */
static void ring_bcast(void *buf, int bytes, int root)
{
  int right = (q + 1) % Q, left = (q + Q - 1) % Q;
  if (Q == 1) return;
  if (q != root) MPI_Recv(buf, bytes, MPI_BYTE, left, 2, prow, MPI_STATUS_IGNORE);
  if (right != root) MPI_Send(buf, bytes, MPI_BYTE, right, 2, prow);
}

static void factorise(int *ipiv)
{
  double *L = malloc(((size_t)mloc + NB + 1) * NB * sizeof *L);
  double *U = malloc(((size_t)nloc + 1) * NB * sizeof *U), *tmp = malloc((nloc + 1) * sizeof *tmp);

  for (int k = 0; k < n; k += NB) {
    int root = k / NB % Q, diag = k / NB % P;
    int r0 = local_from(k, p, P), rows = mloc - r0;
    if (q == root) {
      panel(k, ipiv + k, tmp);
      for (int l = 0; l < rows; l++)
        memcpy(L + l * NB, A + (size_t)(r0 + l) * nloc + local_from(k, q, Q), NB * sizeof *L);
      for (int j = 0; j < NB; j++) L[rows * NB + j] = ipiv[k + j];
    }
    ring_bcast(L, (rows + 1) * NB * (int)sizeof *L, root);
    for (int j = 0; j < NB; j++) ipiv[k + j] = (int)L[rows * NB + j];

    /* interchanges to the left and to the right of the panel */
    int left = local_from(k, q, Q), c0 = local_from(k + NB, q, Q), w = nloc - c0;
    for (int j = 0; j < NB; j++) {
      swap_rows(k + j, ipiv[k + j], 0, left, tmp);
      swap_rows(k + j, ipiv[k + j], c0, nloc, tmp);
    }
    if (w <= 0) continue;

    if (p == diag) {
      for (int j = 0; j < NB; j++) {
        double *u = A + (size_t)(r0 + j) * nloc + c0;
        for (int m = 0; m < j; m++)
          for (int c = 0; c < w; c++) u[c] -= L[j * NB + m] * A[(size_t)(r0 + m) * nloc + c0 + c];
        memcpy(U + (size_t)j * w, u, w * sizeof *U);
      }
    }
    MPI_Bcast(U, NB * w, MPI_DOUBLE, diag, pcol);
    for (int l = local_from(k + NB, p, P); l < mloc; l++) {
      double *a = A + (size_t)l * nloc + c0;
      for (int j = 0; j < NB; j++) {
        double f = L[(l - r0) * NB + j];
        for (int c = 0; c < w; c++) a[c] -= f * U[(size_t)j * w + c];
      }
    }
  }
  free(L);
  free(U);
  free(tmp);
}

/* x = A^-1 b by blocks: the owner of the diagonal block tells everyone */
static void solve(double *x, const int *ipiv)
{
  double *part = malloc(NB * sizeof *part);
  for (int i = 0; i < n; i++) {
    double t = x[i];
    x[i] = x[ipiv[i]];
    x[ipiv[i]] = t;
  }
  for (int pass = 0; pass < 2; pass++)
    for (int s = 0; s < n / NB; s++) {
      int k = pass ? n - NB - s * NB : s * NB;
      int dp = k / NB % P, dq = k / NB % Q, l0 = local_from(k, p, P);
      if (p == dp) {
        double sum[NB] = {0};
        int from = pass ? local_from(k + NB, q, Q) : 0;
        int to = pass ? nloc : local_from(k, q, Q);
        for (int i = 0; i < NB; i++)
          for (int c = from; c < to; c++)
            sum[i] += A[(size_t)(l0 + i) * nloc + c] * x[global(c, q, Q)];
        MPI_Reduce(sum, part, NB, MPI_DOUBLE, MPI_SUM, dq, prow);
        if (q == dq) {
          double *d = A + (size_t)l0 * nloc + local_from(k, q, Q);
          for (int t = 0; t < NB; t++) {
            int i = pass ? NB - 1 - t : t;
            double v = x[k + i] - part[i];
            for (int c = pass ? i + 1 : 0; c < (pass ? NB : i); c++)
              v -= d[(size_t)i * nloc + c] * x[k + c];
            x[k + i] = pass ? v / d[(size_t)i * nloc + i] : v;
          }
        }
      }
      MPI_Bcast(x + k, NB, MPI_DOUBLE, dp + dq * P, MPI_COMM_WORLD);
    }
  free(part);
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
  for (P = (int)sqrt(nprocs + 0.5); nprocs % P; P--)
    ;
  Q = nprocs / P;
  p = rank % P;
  q = rank / P;
  MPI_Comm_split(MPI_COMM_WORLD, p, q, &prow);
  MPI_Comm_split(MPI_COMM_WORLD, q, p, &pcol);

  n = (int)(6 * sqrt(nprocs) + 0.5) * NB;
  mloc = local_from(n, p, P);
  nloc = local_from(n, q, Q);
  A = malloc(((size_t)mloc * nloc + 1) * sizeof *A);
  b = calloc(n, sizeof *b);
  double *sum = calloc(n, sizeof *sum);
  for (int i = 0; i < mloc; i++)
    for (int j = 0; j < nloc; j++) {
      double v = A[(size_t)i * nloc + j] = entry(global(i, p, P), global(j, q, Q));
      sum[global(i, p, P)] += v * (1 + global(j, q, Q) % 7);
    }
  /* right-hand side for the solution x_j = 1 + j mod 7 */
  MPI_Allreduce(sum, b, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);

  int *ipiv = malloc(n * sizeof *ipiv);
  double t = MPI_Wtime(), err = 0, all;
  factorise(ipiv);
  solve(b, ipiv);
  t = MPI_Wtime() - t;
  for (int j = 0; j < n; j++) err = fmax(err, fabs(b[j] - (1 + j % 7)));
  MPI_Reduce(&err, &all, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("lufact order %d on %dx%d: %.2f s, error %.3e %s\n", n, P, Q, t, all,
           all < 1e-7 ? "PASSED" : "FAILED");
  MPI_Finalize();
  return 0;
}
