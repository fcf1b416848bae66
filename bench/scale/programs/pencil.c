/* SPDX-License-Identifier: BSD-3-Clause */
/* pencil - pseudo-spectral heat equation with a pencil-decomposed 3D FFT
 *
 *   du/dt = nu lap(u), periodic cube, N^3 points (fixed, whatever the number
 *   of processes), integrated exactly in Fourier space.
 *
 * Processes form rows of up to ROW ranks (meant to be the cores that share a
 * cache, ranks being numbered node by node) and P/ROW columns.  The transpose
 * x<->y stays within a row, y<->z goes along a column.
 *
 *   mpirun -np P ./pencil [N [steps]]         N a power of two, default 64
 */
#include <complex.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define ROW 4

typedef double complex cplx;

static MPI_Comm row, col;
static int rank, nprocs, nrow, ncol, myrow, mycol;
static int N;
static cplx *work, *sbuf, *rbuf;

static int lo(int parts, int i) { return (int)((long)N * i / parts); }
static int len(int parts, int i) { return lo(parts, i + 1) - lo(parts, i); }

/* in-place radix-2 transform of one line */
static void fft(cplx *a, int sign)
{
  for (int i = 1, j = 0; i < N; i++) {
    int bit = N >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      cplx t = a[i];
      a[i] = a[j];
      a[j] = t;
    }
  }
  for (int m = 2; m <= N; m <<= 1) {
    cplx wm = cexp(sign * 2.0 * M_PI * I / m);
    for (int i = 0; i < N; i += m) {
      cplx w = 1;
      for (int k = 0; k < m / 2; k++, w *= wm) {
        cplx t = w * a[i + k + m / 2], u = a[i + k];
        a[i + k] = u + t;
        a[i + k + m / 2] = u - t;
      }
    }
  }
}

static void fft_lines(cplx *a, int lines, int sign)
{
  for (int l = 0; l < lines; l++) fft(a + (size_t)l * N, sign);
}

/*
 * Redistribute: a[o][b][c], with b my part of N and c all of N, becomes
 * a[o][c][b], with c my part and b all of N.  o is not distributed over comm.
 */
static void transpose(cplx *a, int outer, MPI_Comm comm, int parts, int me)
{
  int *scount = calloc(4 * parts, sizeof(int)), *sdisp = scount + parts;
  int *rcount = sdisp + parts, *rdisp = rcount + parts;
  int mylen = len(parts, me);
  size_t at = 0;

  for (int p = 0; p < parts; p++) {
    int l0 = lo(parts, p), l = len(parts, p);
    sdisp[p] = (int)at;
    scount[p] = outer * mylen * l;
    for (int o = 0; o < outer; o++)
      for (int c = l0; c < l0 + l; c++)
        for (int b = 0; b < mylen; b++) sbuf[at++] = a[((size_t)o * mylen + b) * N + c];
  }
  at = 0;
  for (int p = 0; p < parts; p++) {
    rdisp[p] = (int)at;
    rcount[p] = outer * mylen * len(parts, p);
    at += rcount[p];
  }
  MPI_Alltoallv(sbuf, scount, sdisp, MPI_C_DOUBLE_COMPLEX, rbuf, rcount, rdisp,
                MPI_C_DOUBLE_COMPLEX, comm);
  at = 0;
  for (int p = 0; p < parts; p++) {
    int l0 = lo(parts, p), l = len(parts, p);
    for (int o = 0; o < outer; o++)
      for (int c = 0; c < mylen; c++)
        for (int b = l0; b < l0 + l; b++) a[((size_t)o * mylen + c) * N + b] = rbuf[at++];
  }
  free(scount);
}

/* swap the two slow indices, so that the other one is next to be transposed */
static void swap_slow(cplx *a, int n0, int n1)
{
  for (int i = 0; i < n0; i++)
    for (int j = 0; j < n1; j++)
      for (int k = 0; k < N; k++)
        work[((size_t)j * n0 + i) * N + k] = a[((size_t)i * n1 + j) * N + k];
  for (size_t i = 0; i < (size_t)n0 * n1 * N; i++) a[i] = work[i];
}

/* physical a[z][y][x] -> spectral a[kx][ky][kz] */
static void forward(cplx *a)
{
  int ny = len(nrow, myrow), nz = len(ncol, mycol), nx = ny;
  fft_lines(a, nz * ny, -1);
  transpose(a, nz, row, nrow, myrow); /* a[z][x][y] */
  fft_lines(a, nz * nx, -1);
  swap_slow(a, nz, nx);               /* a[x][z][y] */
  transpose(a, nx, col, ncol, mycol); /* a[x][y][z] */
  fft_lines(a, nx * nz, -1);
}

static void backward(cplx *a)
{
  int nx = len(nrow, myrow), nz = len(ncol, mycol), ny = nx;
  fft_lines(a, nx * nz, 1);
  transpose(a, nx, col, ncol, mycol);
  fft_lines(a, nx * nz, 1);
  swap_slow(a, nx, nz);
  transpose(a, nz, row, nrow, myrow);
  fft_lines(a, nz * ny, 1);
  double s = 1.0 / ((double)N * N * N);
  for (size_t i = 0; i < (size_t)nz * ny * N; i++) a[i] *= s;
}

static double wave(int i) { return i <= N / 2 ? i : i - N; }

/* three modes, each of which decays at its own rate */
static double solution(double x, double y, double z, double nu, double t)
{
  return sin(x) * cos(y) * exp(-2 * nu * t) + 0.5 * cos(3 * z + x) * exp(-10 * nu * t) +
         0.25 * sin(2 * y - 5 * z) * exp(-29 * nu * t) + 1.0;
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  N = argc > 1 ? atoi(argv[1]) : 64;
  int steps = argc > 2 ? atoi(argv[2]) : 5;
  const double nu = 0.02, dt = 0.1;

  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
  for (nrow = ROW; nprocs % nrow; nrow--)
    ;
  ncol = nprocs / nrow;
  if (ncol > N) MPI_Abort(MPI_COMM_WORLD, 1);
  myrow = rank % nrow;
  mycol = rank / nrow;
  MPI_Comm_split(MPI_COMM_WORLD, mycol, myrow, &row);
  MPI_Comm_split(MPI_COMM_WORLD, myrow, mycol, &col);

  int ny = len(nrow, myrow), nz = len(ncol, mycol);
  int y0 = lo(nrow, myrow), z0 = lo(ncol, mycol);
  size_t cells = (size_t)ny * nz * N;
  cplx *u = malloc(cells * sizeof *u);
  work = malloc(cells * sizeof *u);
  sbuf = malloc(cells * sizeof *u);
  rbuf = malloc(cells * sizeof *u);
  double d = 2 * M_PI / N;

  for (int k = 0; k < nz; k++)
    for (int j = 0; j < ny; j++)
      for (int i = 0; i < N; i++)
        u[((size_t)k * ny + j) * N + i] = solution(i * d, (y0 + j) * d, (z0 + k) * d, nu, 0);

  for (int s = 0; s < steps; s++) {
    forward(u);
    /* now a[kx][ky][kz]: kx as y was, ky as z was */
    double energy = 0, total = 0;
    for (int a = 0; a < ny; a++)
      for (int b = 0; b < nz; b++)
        for (int c = 0; c < N; c++) {
          double kx = wave(y0 + a), ky = wave(z0 + b), kz = wave(c);
          cplx *v = &u[((size_t)a * nz + b) * N + c];
          *v *= exp(-nu * (kx * kx + ky * ky + kz * kz) * dt);
          energy += creal(*v * conj(*v));
        }
    backward(u);
    MPI_Reduce(&energy, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("t %.2f energy %.12f\n", (s + 1) * dt, total / pow(N, 6));
  }

  double err[2] = {0, 0}, all[2];
  for (int k = 0; k < nz; k++)
    for (int j = 0; j < ny; j++)
      for (int i = 0; i < N; i++) {
        double e = cabs(u[((size_t)k * ny + j) * N + i] -
                        solution(i * d, (y0 + j) * d, (z0 + k) * d, nu, steps * dt));
        if (e > err[0]) err[0] = e;
      }
  MPI_Allreduce(err, all, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0)
    printf("pencil %d^3 on rows of %d, columns of %d: max error %.3e %s\n", N, nrow, ncol, all[0],
           all[0] < 1e-10 ? "PASSED" : "FAILED");
  MPI_Finalize();
  return 0;
}
