/* SPDX-License-Identifier: BSD-3-Clause */
/* ocean - tracer mixing on a global ocean grid with a tripolar fold
 *
 * NX x NY cells (fixed).  Periodic in x, a wall in the south; in the north the
 * row is folded, that is, cell i is next to cell NX-1-i.  The process grid is
 * the one with the least halo, which depends on the shape of NX x NY.  Fixed-
 * point arithmetic, so that results don't depend on the number of processes.
 * Rank 0 collects a coarse map for output now and then.
 *
 *   mpirun -np P ./ocean [steps]
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NX = 720, NY = 200, STEPS = 50, OUTPUT = 20 };
#define EXPECT_CHECK UINT64_C(0x9f88275f8abd9bae)

static int rank, nprocs, px, py, ix, iy, nx, ny, x0, y0;
static int64_t *T, *Tn;
static int west, east, south, north;

static int lo(int n, int parts, int i) { return (int)((long)n * i / parts); }
static size_t at(int i, int j) { return (size_t)(j + 1) * (nx + 2) + i + 1; } /* i,j from -1 */

static void choose_grid(void)
{
  double best = 1e30;
  for (int p = 1; p <= nprocs; p++) {
    if (nprocs % p) continue;
    double halo = (double)NX / p + (double)NY / (nprocs / p);
    if (halo < best) {
      best = halo;
      px = p;
    }
  }
  py = nprocs / px;
}

/* first x, as columns of ny cells; then y, as rows with corners */
static void halo_x(void)
{
  int64_t *buf = malloc(4 * ny * sizeof *buf), *sw = buf, *se = buf + ny, *rw = se + ny,
          *re = rw + ny;
  for (int j = 0; j < ny; j++) {
    sw[j] = T[at(0, j)];
    se[j] = T[at(nx - 1, j)];
  }
  MPI_Sendrecv(sw, ny, MPI_INT64_T, west, 1, re, ny, MPI_INT64_T, east, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(se, ny, MPI_INT64_T, east, 2, rw, ny, MPI_INT64_T, west, 2, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  for (int j = 0; j < ny; j++) {
    T[at(-1, j)] = rw[j];
    T[at(nx, j)] = re[j];
  }
  free(buf);
}

static void halo_y(void)
{
  int w = nx + 2;
  MPI_Request req[4];
  int n = 0;
  if (south != MPI_PROC_NULL) {
    MPI_Irecv(&T[at(-1, -1)], w, MPI_INT64_T, south, 3, MPI_COMM_WORLD, &req[n++]);
    MPI_Isend(&T[at(-1, 0)], w, MPI_INT64_T, south, 4, MPI_COMM_WORLD, &req[n++]);
  }
  if (north != MPI_PROC_NULL) {
    MPI_Irecv(&T[at(-1, ny)], w, MPI_INT64_T, north, 4, MPI_COMM_WORLD, &req[n++]);
    MPI_Isend(&T[at(-1, ny - 1)], w, MPI_INT64_T, north, 3, MPI_COMM_WORLD, &req[n++]);
  }
  MPI_Waitall(n, req, MPI_STATUSES_IGNORE);
}

/* the northern row: partner is mirrored in x; parts are of equal width */
static void halo_fold(void)
{
  int partner = iy * px + px - 1 - ix, w = nx + 2;
  int64_t *in = malloc(w * sizeof *in);
  MPI_Sendrecv(&T[at(-1, ny - 1)], w, MPI_INT64_T, partner, 5, in, w, MPI_INT64_T, partner, 5,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < w; i++) T[at(i - 1, ny)] = in[w - 1 - i];
  free(in);
}

static void mix(void)
{
  halo_x();
  halo_y();
  if (iy == py - 1) halo_fold();
  if (iy == 0)
    for (int i = -1; i <= nx; i++) T[at(i, -1)] = T[at(i, 0)];
  for (int j = 0; j < ny; j++)
    for (int i = 0; i < nx; i++) {
      int64_t c = T[at(i, j)], f = 0;
      for (int dj = -1; dj <= 1; dj++)
        for (int di = -1; di <= 1; di++) {
          if ((iy == 0) && j + dj < 0) continue; /* no flux through the wall */
          f += (T[at(i + di, j + dj)] - c) / (di && dj ? 20 : 10);
        }
      Tn[at(i, j)] = c + f;
    }
  int64_t *t = T;
  T = Tn;
  Tn = t;
}

/* zonal means of 8 strips per process, for the output file */
static void output(int step)
{
  double strip[8], *all = rank == 0 ? malloc(8 * nprocs * sizeof *all) : NULL, sum = 0;
  for (int s = 0; s < 8; s++) {
    strip[s] = 0;
    for (int j = lo(ny, 8, s); j < lo(ny, 8, s + 1); j++)
      for (int i = 0; i < nx; i++) strip[s] += (double)T[at(i, j)] / NX;
  }
  MPI_Gather(strip, 8, MPI_DOUBLE, all, 8, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    for (int i = 0; i < 8 * nprocs; i++) sum += all[i] / NY;
    printf("step %d mean %.6f\n", step, sum * 1e-6);
  }
  free(all);
}

static void sums(uint64_t s[2])
{
  uint64_t mine[2] = {0, 0};
  for (int j = 0; j < ny; j++)
    for (int i = 0; i < nx; i++) {
      uint64_t g = (uint64_t)(y0 + j) * NX + x0 + i + 1;
      mine[0] += (uint64_t)T[at(i, j)];
      mine[1] += (uint64_t)T[at(i, j)] * (g * 0x9E3779B97F4A7C15ull | 1);
    }
  MPI_Allreduce(mine, s, 2, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
  uint64_t first[2], last[2];
  MPI_Init(&argc, &argv);
  int steps = argc > 1 ? atoi(argv[1]) : STEPS;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
  choose_grid();
  if (NX % px || NY < py) {
    if (rank == 0) fprintf(stderr, "ocean: %d doesn't divide %d columns\n", px, NX);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  ix = rank % px;
  iy = rank / px;
  x0 = lo(NX, px, ix);
  y0 = lo(NY, py, iy);
  nx = lo(NX, px, ix + 1) - x0;
  ny = lo(NY, py, iy + 1) - y0;
  west = iy * px + (ix + px - 1) % px;
  east = iy * px + (ix + 1) % px;
  south = iy > 0 ? rank - px : MPI_PROC_NULL;
  north = iy < py - 1 ? rank + px : MPI_PROC_NULL;

  T = calloc((size_t)(nx + 2) * (ny + 2), sizeof *T);
  Tn = calloc((size_t)(nx + 2) * (ny + 2), sizeof *Tn);
  for (int j = 0; j < ny; j++)
    for (int i = 0; i < nx; i++) {
      uint64_t g = (uint64_t)(y0 + j) * NX + x0 + i;
      T[at(i, j)] = 10000000 + (int64_t)(g * 2654435761u % 9000000) +
                    (x0 + i > 500 && y0 + j > 150 ? 30000000 : 0);
    }
  sums(first);
  for (int s = 1; s <= steps; s++) {
    mix();
    if (s % OUTPUT == 0) output(s);
  }
  sums(last);
  if (rank == 0)
    printf("ocean on %dx%d: total %lu of %lu, checksum %016lx %s\n", px, py, (unsigned long)last[0],
           (unsigned long)first[0], (unsigned long)last[1],
           first[0] == last[0] && (steps != STEPS || last[1] == EXPECT_CHECK) ? "PASSED"
                                                                              : "FAILED");
  MPI_Finalize();
  return 0;
}
