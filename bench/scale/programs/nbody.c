/* SPDX-License-Identifier: BSD-3-Clause */
/* nbody - gravity, all pairs, by a systolic ring
 *
 * N bodies altogether (fixed), block-distributed.  In every time step a copy of
 * each block travels round the ring of all processes; it meets each local block
 * once.  The block that is sent on is overlapped with computing.
 *
 *   mpirun -np P ./nbody [steps]
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 3000 };

typedef struct {
  double x, y, z, m;
} body_t;

static int rank, nprocs;

static int lo(int i) { return (int)((long)N * i / nprocs); }

static void forces(const body_t *me, int n, const body_t *src, int ns, double (*a)[3], double *pot)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < ns; j++) {
      double dx = src[j].x - me[i].x, dy = src[j].y - me[i].y, dz = src[j].z - me[i].z;
      double r2 = dx * dx + dy * dy + dz * dz + 1e-3, inv = 1 / sqrt(r2), f = src[j].m * inv / r2;
      a[i][0] += f * dx;
      a[i][1] += f * dy;
      a[i][2] += f * dz;
      *pot -= 0.5 * me[i].m * src[j].m * inv;
    }
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  int steps = argc > 1 ? atoi(argv[1]) : 8;
  const double dt = 1e-3;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);

  int n = lo(rank + 1) - lo(rank), big = N / nprocs + 1;
  int next = (rank + 1) % nprocs, prev = (rank + nprocs - 1) % nprocs;
  body_t *b = malloc(big * sizeof *b), *cur = malloc(big * sizeof *cur),
         *in = malloc(big * sizeof *in);
  double(*v)[3] = calloc(big, sizeof *v), (*a)[3] = calloc(big, sizeof *a);
  MPI_Datatype type;
  MPI_Type_contiguous(4, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);

  for (int i = 0; i < n; i++) {
    int g = lo(rank) + i;
    double r = sqrt((g + 0.5) / N), t = 2.399963 * g;
    b[i] = (body_t){r * cos(t), r * sin(t), 0.1 * sin(7.0 * g), 1.0 / N};
    v[i][0] = -0.5 * sin(t);
    v[i][1] = 0.5 * cos(t);
  }

  double e0 = 0, all[5] = {0};
  for (int s = 0; s < steps; s++) {
    double mine[5] = {0}; /* momentum, kinetic, potential, pairs met */
    memset(a, 0, big * sizeof *a);
    memcpy(cur, b, n * sizeof *b);
    for (int hop = 0; hop < nprocs; hop++) {
      int from = (rank + nprocs - hop) % nprocs, ncur = lo(from + 1) - lo(from);
      int before = (from + nprocs - 1) % nprocs;
      MPI_Request req[2];
      int more = hop < nprocs - 1;
      if (more) {
        MPI_Irecv(in, lo(before + 1) - lo(before), type, prev, hop, MPI_COMM_WORLD, &req[0]);
        MPI_Isend(cur, ncur, type, next, hop, MPI_COMM_WORLD, &req[1]);
      }
      forces(b, n, cur, ncur, a, &mine[3]);
      mine[4] += (double)n * ncur;
      if (more) {
        MPI_Waitall(2, req, MPI_STATUSES_IGNORE);
        body_t *t = cur;
        cur = in;
        in = t;
      }
    }
    for (int i = 0; i < n; i++) {
      for (int d = 0; d < 3; d++) {
        double half = v[i][d] + 0.5 * dt * a[i][d];
        mine[2] += 0.5 * b[i].m * half * half;
        v[i][d] += dt * a[i][d];
        if (d < 2) mine[d] += b[i].m * a[i][d];
      }
      b[i].x += dt * v[i][0];
      b[i].y += dt * v[i][1];
      b[i].z += dt * v[i][2];
    }
    MPI_Allreduce(mine, all, 5, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (s == 0) e0 = all[2] + all[3];
  }
  double e = all[2] + all[3];
  int ok =
      all[4] == (double)N * N && fabs(all[0]) + fabs(all[1]) < 1e-10 && fabs(e / e0 - 1) < 1e-2;
  if (rank == 0)
    printf("nbody %d bodies: energy %.12f (at first %.12f), net force %.1e %s\n", N, e, e0,
           fabs(all[0]) + fabs(all[1]), ok ? "PASSED" : "FAILED");
  MPI_Finalize();
  return 0;
}
