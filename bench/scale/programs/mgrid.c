/* SPDX-License-Identifier: BSD-3-Clause */
/* mgrid - 3D geometric multigrid for the Poisson equation
 *
 *   -lap(u) = f  on [0,px] x [0,py] x [0,pz],  u = 0 on the boundary
 *
 * Cell-centred, one box of n^3 cells per process (so the domain grows with the
 * number of processes), red-black Gauss-Seidel smoothing, V(2,2) cycles.
 * Boxes are coarsened down to 2^3; the rest is gathered and solved on rank 0.
 *
 *   mpirun -np P ./mgrid [n [cycles]]        n = 2^k, default 16
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAXLEV 12

typedef struct {
  int n; /* cells per side of the local box */
  double h;
  double *u, *f, *r; /* (n+2)^3, with ghost cells */
  MPI_Datatype face_out[6], face_in[6];
} level_t;

static MPI_Comm cart;
static int dims[3], coord[3], nbr[6], rank, nprocs;
static level_t lev[MAXLEV];
static int nlev;

#define IDX(L, i, j, k) ((((size_t)(i)) * ((L)->n + 2) + (j)) * ((L)->n + 2) + (k))

static void level_init(level_t *L, int n, double h)
{
  int full[3] = {n + 2, n + 2, n + 2};
  size_t cells = (size_t)(n + 2) * (n + 2) * (n + 2);

  L->n = n;
  L->h = h;
  L->u = calloc(cells, sizeof(double));
  L->f = calloc(cells, sizeof(double));
  L->r = calloc(cells, sizeof(double));
  for (int d = 0; d < 3; d++)
    for (int s = 0; s < 2; s++) {
      int sub[3] = {n, n, n}, start[3] = {1, 1, 1};
      sub[d] = 1;
      start[d] = s ? n : 1;
      MPI_Type_create_subarray(3, full, sub, start, MPI_ORDER_C, MPI_DOUBLE,
                               &L->face_out[2 * d + s]);
      start[d] = s ? n + 1 : 0;
      MPI_Type_create_subarray(3, full, sub, start, MPI_ORDER_C, MPI_DOUBLE,
                               &L->face_in[2 * d + s]);
      MPI_Type_commit(&L->face_out[2 * d + s]);
      MPI_Type_commit(&L->face_in[2 * d + s]);
    }
}

/* fill the ghost layer of u: neighbours' cells, or mirrored values at walls */
static void exchange(level_t *L)
{
  MPI_Request req[12];
  int n = L->n;

  for (int b = 0; b < 6; b++) MPI_Irecv(L->u, 1, L->face_in[b], nbr[b], b ^ 1, cart, &req[b]);
  for (int b = 0; b < 6; b++) MPI_Isend(L->u, 1, L->face_out[b], nbr[b], b, cart, &req[6 + b]);
  MPI_Waitall(12, req, MPI_STATUSES_IGNORE);

  for (int b = 0; b < 6; b++) {
    if (nbr[b] != MPI_PROC_NULL) continue;
    int g = (b & 1) ? n + 1 : 0, in = (b & 1) ? n : 1;
    for (int i = 1; i <= n; i++)
      for (int j = 1; j <= n; j++) {
        if (b / 2 == 0) L->u[IDX(L, g, i, j)] = -L->u[IDX(L, in, i, j)];
        if (b / 2 == 1) L->u[IDX(L, i, g, j)] = -L->u[IDX(L, i, in, j)];
        if (b / 2 == 2) L->u[IDX(L, i, j, g)] = -L->u[IDX(L, i, j, in)];
      }
  }
}

static double neighbours(const level_t *L, int i, int j, int k)
{
  const double *u = L->u;
  return u[IDX(L, i - 1, j, k)] + u[IDX(L, i + 1, j, k)] + u[IDX(L, i, j - 1, k)] +
         u[IDX(L, i, j + 1, k)] + u[IDX(L, i, j, k - 1)] + u[IDX(L, i, j, k + 1)];
}

static void smooth(level_t *L, int sweeps)
{
  int n = L->n;
  /* n is even, so the local colour is also the global colour */
  for (int s = 0; s < sweeps; s++)
    for (int colour = 0; colour < 2; colour++) {
      exchange(L);
      for (int i = 1; i <= n; i++)
        for (int j = 1; j <= n; j++)
          for (int k = 1 + ((i + j + colour) & 1); k <= n; k += 2)
            L->u[IDX(L, i, j, k)] =
                (neighbours(L, i, j, k) + L->h * L->h * L->f[IDX(L, i, j, k)]) / 6.0;
    }
}

static double residual(level_t *L)
{
  int n = L->n;
  double sum = 0, h2 = 1.0 / (L->h * L->h);
  exchange(L);
  for (int i = 1; i <= n; i++)
    for (int j = 1; j <= n; j++)
      for (int k = 1; k <= n; k++) {
        size_t c = IDX(L, i, j, k);
        L->r[c] = L->f[c] + h2 * (neighbours(L, i, j, k) - 6.0 * L->u[c]);
        sum += L->r[c] * L->r[c];
      }
  return sum;
}

static void restrict_to(const level_t *F, level_t *C)
{
  for (int i = 1; i <= C->n; i++)
    for (int j = 1; j <= C->n; j++)
      for (int k = 1; k <= C->n; k++) {
        double s = 0;
        for (int o = 0; o < 8; o++)
          s += F->r[IDX(F, 2 * i - (o & 1), 2 * j - (o >> 1 & 1), 2 * k - (o >> 2))];
        C->f[IDX(C, i, j, k)] = s / 8;
      }
  memset(C->u, 0, sizeof(double) * (C->n + 2) * (C->n + 2) * (C->n + 2));
}

/* trilinear prolongation in direction-split form, from exchanged faces only */
static void prolong_add(level_t *C, level_t *F)
{
  exchange(C);
  for (int i = 1; i <= F->n; i++)
    for (int j = 1; j <= F->n; j++)
      for (int k = 1; k <= F->n; k++) {
        int a = (i + 1) / 2, b = (j + 1) / 2, c = (k + 1) / 2;
        int x = (i & 1) ? -1 : 1, y = (j & 1) ? -1 : 1, z = (k & 1) ? -1 : 1;
        double m = C->u[IDX(C, a, b, c)];
        F->u[IDX(F, i, j, k)] += m + 0.25 * (C->u[IDX(C, a + x, b, c)] - m) +
                                 0.25 * (C->u[IDX(C, a, b + y, c)] - m) +
                                 0.25 * (C->u[IDX(C, a, b, c + z)] - m);
      }
}

/* 2^3 cells per process: gather on rank 0, relax to convergence, send back */
static void coarse_solve(level_t *L)
{
  double box[8], *all = NULL;
  for (int o = 0; o < 8; o++) box[o] = L->f[IDX(L, 1 + (o >> 2), 1 + (o >> 1 & 1), 1 + (o & 1))];
  if (rank == 0) all = malloc(sizeof(double) * 8 * nprocs);
  MPI_Gather(box, 8, MPI_DOUBLE, all, 8, MPI_DOUBLE, 0, cart);
  if (rank == 0) {
    int N[3] = {2 * dims[0], 2 * dims[1], 2 * dims[2]};
    size_t s1 = N[2] + 2, s0 = s1 * (N[1] + 2);
    double *g = calloc(s0 * (N[0] + 2), sizeof(double));
    double *f = calloc(s0 * (N[0] + 2), sizeof(double));
    for (int pass = 0; pass < 2; pass++) {
      for (int p = 0; p < nprocs; p++) {
        int c[3];
        MPI_Cart_coords(cart, p, 3, c);
        for (int o = 0; o < 8; o++) {
          size_t at = (2 * c[0] + 1 + (o >> 2)) * s0 + (2 * c[1] + 1 + (o >> 1 & 1)) * s1 +
                      2 * c[2] + 1 + (o & 1);
          if (pass == 0)
            f[at] = all[8 * p + o] * L->h * L->h;
          else
            all[8 * p + o] = g[at];
        }
      }
      for (int it = 0; pass == 0 && it < 200; it++)
        for (int i = 1; i <= N[0]; i++)
          for (int j = 1; j <= N[1]; j++)
            for (int k = 1; k <= N[2]; k++) {
              size_t c = i * s0 + j * s1 + k;
              int walls = (i == 1) + (i == N[0]) + (j == 1) + (j == N[1]) + (k == 1) + (k == N[2]);
              g[c] = (f[c] + g[c - s0] + g[c + s0] + g[c - s1] + g[c + s1] + g[c - 1] + g[c + 1]) /
                     (6.0 + walls);
            }
    }
    free(g);
    free(f);
  }
  MPI_Scatter(all, 8, MPI_DOUBLE, box, 8, MPI_DOUBLE, 0, cart);
  for (int o = 0; o < 8; o++) L->u[IDX(L, 1 + (o >> 2), 1 + (o >> 1 & 1), 1 + (o & 1))] = box[o];
  free(all);
}

static void vcycle(int l)
{
  if (l == nlev - 1) {
    coarse_solve(&lev[l]);
    return;
  }
  smooth(&lev[l], 2);
  residual(&lev[l]);
  restrict_to(&lev[l], &lev[l + 1]);
  vcycle(l + 1);
  prolong_add(&lev[l + 1], &lev[l]);
  smooth(&lev[l], 2);
}

int main(int argc, char **argv)
{
  int periods[3] = {0, 0, 0};
  MPI_Init(&argc, &argv);
  int n = argc > 1 ? atoi(argv[1]) : 16;
  int cycles = argc > 2 ? atoi(argv[2]) : 8;

  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
  MPI_Dims_create(nprocs, 3, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 1, &cart);
  MPI_Comm_rank(cart, &rank);
  MPI_Cart_coords(cart, rank, 3, coord);
  for (int d = 0; d < 3; d++) MPI_Cart_shift(cart, d, 1, &nbr[2 * d], &nbr[2 * d + 1]);

  double h = 1.0 / n;
  for (int m = n; m >= 2; m /= 2, h *= 2) level_init(&lev[nlev++], m, h);

  level_t *L = &lev[0];
  double k2 = 0, pi = acos(-1.0);
  for (int d = 0; d < 3; d++) k2 += pi * pi / (dims[d] * dims[d]);
  for (int i = 1; i <= n; i++)
    for (int j = 1; j <= n; j++)
      for (int k = 1; k <= n; k++)
        L->f[IDX(L, i, j, k)] = k2 * sin(pi * (coord[0] + (i - .5) * L->h) / dims[0]) *
                                sin(pi * (coord[1] + (j - .5) * L->h) / dims[1]) *
                                sin(pi * (coord[2] + (k - .5) * L->h) / dims[2]);

  double first = 0, norm = 0;
  for (int c = 0; c <= cycles; c++) {
    double mine = residual(L);
    MPI_Allreduce(&mine, &norm, 1, MPI_DOUBLE, MPI_SUM, cart);
    norm = sqrt(norm);
    if (c == 0) first = norm;
    if (rank == 0) printf("cycle %d residual %.3e\n", c, norm);
    if (c < cycles) vcycle(0);
  }

  double mine = 0, sum = 0, exact = 1;
  for (int i = 1; i <= n; i++)
    for (int j = 1; j <= n; j++)
      for (int k = 1; k <= n; k++) mine += L->u[IDX(L, i, j, k)];
  mine *= L->h * L->h * L->h;
  MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, cart);
  for (int d = 0; d < 3; d++) exact *= 2.0 * dims[d] / pi;
  if (rank == 0)
    printf("mgrid %dx%dx%d, %d levels: integral %.10f (exact %.10f) %s\n", dims[0], dims[1],
           dims[2], nlev, sum, exact,
           norm < 1e-4 * first && fabs(sum / exact - 1) < 0.02 ? "PASSED" : "FAILED");
  MPI_Finalize();
  return 0;
}
