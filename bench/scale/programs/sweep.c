/* SPDX-License-Identifier: BSD-3-Clause */
/* sweep - discrete-ordinates neutron transport, KBA wavefront sweeps
 *
 * One group, isotropic scattering, vacuum boundaries, diamond differences.
 * The grid NX x NY x NZ is fixed; x and y are distributed over npi x npj
 * processes (x fastest, npi <= npj), z is cut into blocks of MK planes that are
 * pipelined, angles into blocks of MMI.
 *
 *   mpirun -np P ./sweep [iterations]
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NX = 96, NY = 80, NZ = 24, MK = 4, MM = 6, MMI = 3 };

static int rank, nprocs, npi, npj, pi_, pj_, nx, ny;
static double *phi, *src, *fixed;
static double leak;

/* six angles per octant: a level-symmetric S6-like set; weights sum to 1/8 */
static const double mu[MM] = {0.2666, 0.2666, 0.2666, 0.6815, 0.6815, 0.9262};
static const double eta[MM] = {0.2666, 0.6815, 0.9262, 0.2666, 0.6815, 0.2666};
static const double xi[MM] = {0.9262, 0.6815, 0.2666, 0.6815, 0.2666, 0.2666};
static const double wt[MM] = {0.022016, 0.019651, 0.022016, 0.019651, 0.019651, 0.022015};

static const double sigt = 1.0, sigs = 0.5, dx = 0.25;

static int lo(int n, int parts, int i) { return (int)((long)n * i / parts); }

static size_t cell(int i, int j, int k) { return ((size_t)k * ny + j) * nx + i; }

static void sweep_octant(int oct)
{
  int sx = oct & 1, sy = oct >> 1 & 1, sz = oct >> 2;
  /* upstream and downstream neighbours */
  int west = pi_ > 0 ? rank - 1 : MPI_PROC_NULL;
  int east = pi_ < npi - 1 ? rank + 1 : MPI_PROC_NULL;
  int south = pj_ > 0 ? rank - npi : MPI_PROC_NULL;
  int north = pj_ < npj - 1 ? rank + npi : MPI_PROC_NULL;
  int xin = sx ? east : west, xout = sx ? west : east;
  int yin = sy ? north : south, yout = sy ? south : north;
  static double fx[NY * MK * MMI], fy[NX * MK * MMI], fz[NX * NY * MMI];

  for (int mo = 0; mo < MM; mo += MMI) {
    memset(fz, 0, sizeof fz);
    for (int kb = 0; kb < NZ / MK; kb++) {
      int cx = ny * MK * MMI, cy = nx * MK * MMI;
      if (xin == MPI_PROC_NULL) memset(fx, 0, sizeof fx);
      if (yin == MPI_PROC_NULL) memset(fy, 0, sizeof fy);
      MPI_Recv(fx, cx, MPI_DOUBLE, xin, oct, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Recv(fy, cy, MPI_DOUBLE, yin, 8 + oct, MPI_COMM_WORLD, MPI_STATUS_IGNORE);

      for (int kk = 0; kk < MK; kk++) {
        int k = kb * MK + kk;
        if (sz) k = NZ - 1 - k;
        for (int jj = 0; jj < ny; jj++) {
          int j = sy ? ny - 1 - jj : jj;
          for (int ii = 0; ii < nx; ii++) {
            int i = sx ? nx - 1 - ii : ii;
            size_t c = cell(i, j, k);
            for (int m = 0; m < MMI; m++) {
              double a = 2 * mu[mo + m] / dx, b = 2 * eta[mo + m] / dx, g = 2 * xi[mo + m] / dx;
              double *px = &fx[(kk * ny + j) * MMI + m];
              double *py = &fy[(kk * nx + i) * MMI + m];
              double *pz = &fz[(j * nx + i) * MMI + m];
              double psi = (src[c] + a * *px + b * *py + g * *pz) / (sigt + a + b + g);
              *px = 2 * psi - *px;
              *py = 2 * psi - *py;
              *pz = 2 * psi - *pz;
              phi[c] += wt[mo + m] * psi;
            }
          }
        }
      }

      MPI_Send(fx, cx, MPI_DOUBLE, xout, oct, MPI_COMM_WORLD);
      MPI_Send(fy, cy, MPI_DOUBLE, yout, 8 + oct, MPI_COMM_WORLD);
      if (xout == MPI_PROC_NULL)
        for (int q = 0; q < cx; q++) leak += fx[q] * mu[mo + q % MMI] * wt[mo + q % MMI];
      if (yout == MPI_PROC_NULL)
        for (int q = 0; q < cy; q++) leak += fy[q] * eta[mo + q % MMI] * wt[mo + q % MMI];
    }
    for (int q = 0; q < nx * ny * MMI; q++) leak += fz[q] * xi[mo + q % MMI] * wt[mo + q % MMI];
  }
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  int iters = argc > 1 ? atoi(argv[1]) : 5;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);

  for (npi = (int)sqrt(nprocs + 0.5); nprocs % npi; npi--)
    ;
  npj = nprocs / npi;
  if (npi > NX || npj > NY) MPI_Abort(MPI_COMM_WORLD, 1);
  pi_ = rank % npi;
  pj_ = rank / npi;
  int x0 = lo(NX, npi, pi_), y0 = lo(NY, npj, pj_);
  nx = lo(NX, npi, pi_ + 1) - x0;
  ny = lo(NY, npj, pj_ + 1) - y0;

  size_t cells = (size_t)nx * ny * NZ;
  phi = calloc(cells, sizeof(double));
  src = calloc(cells, sizeof(double));
  fixed = calloc(cells, sizeof(double));
  for (int k = 0; k < NZ; k++)
    for (int j = 0; j < ny; j++)
      for (int i = 0; i < nx; i++)
        fixed[cell(i, j, k)] = (x0 + i < NX / 3 && y0 + j < NY / 2) ? 1.0 : 0.01;

  int ok = 1;
  double flux = 0;
  for (int it = 0; it < iters; it++) {
    double vol = dx * dx * dx, area = dx * dx, mine[4] = {0, 0, 0, 0}, all[4];
    for (size_t c = 0; c < cells; c++) {
      double old = phi[c];
      src[c] = fixed[c] + sigs * old;
      mine[0] += src[c] * vol;
      mine[3] += old * vol;
      phi[c] = 0;
    }
    leak = 0;
    for (int oct = 0; oct < 8; oct++) sweep_octant(oct);

    for (size_t c = 0; c < cells; c++) mine[1] += sigt * phi[c] * vol;
    mine[2] = leak * area;
    MPI_Allreduce(mine, all, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    /* the weights of all octants sum to one, up to the digits given above */
    double wsum = 0;
    for (int m = 0; m < MM; m++) wsum += 8 * wt[m];
    double balance = (all[0] * wsum - all[1] - all[2]) / all[0];
    flux = all[1];
    if (fabs(balance) > 1e-10) ok = 0;
    if (rank == 0)
      printf("iteration %d flux %.10f leakage %.10f balance %.2e\n", it, all[1], all[2], balance);
  }
  if (rank == 0)
    printf("sweep %dx%dx%d on %dx%d: flux %.10f %s\n", NX, NY, NZ, npi, npj, flux,
           ok ? "PASSED" : "FAILED");
  MPI_Finalize();
  return 0;
}
