/* SPDX-License-Identifier: BSD-3-Clause */
/* qcd4d - conjugate gradients for a scalar field on a 4D lattice with U(1) links
 *
 * Fixed lattice of 16^3 x 32 sites (x, y, z, t), periodic.  The process grid is
 * found as lattice codes do it: halve the longest local extent, t before z
 * before y before x, until there are enough parts.  t is the fastest direction
 * in the numbering of the ranks.  Halos use persistent requests; a direction
 * that isn't split is copied locally.
 *
 *   mpirun -np 2^k ./qcd4d [iterations]
 */
#include <complex.h>
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef double complex cplx;

static const int G[4] = {16, 16, 16, 32};
static int rank, nprocs, grid[4] = {1, 1, 1, 1}, pos[4], L[4], o[4];
static size_t stride[4], padded;
static cplx *link[4], *sbuf[8], *rbuf[8];
static int fsize[4], nreq;
static MPI_Request req[16];
static const double mass2 = 0.1;

static double rnd(uint64_t z)
{
  z *= 0x9E3779B97F4A7C15ull;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ z >> 27) * 0x94D049BB133111EBull;
  return ((z ^ z >> 31) >> 11) * (1.0 / 9007199254740992.0);
}

/* number of a site of the whole lattice, coordinates taken periodically */
static uint64_t site(const int *g)
{
  uint64_t s = 0;
  for (int d = 0; d < 4; d++) s = s * G[d] + (g[d] + G[d]) % G[d];
  return s;
}
static cplx field0(const int *g)
{
  return rnd(site(g) * 8 + 1) - .5 + I * (rnd(site(g) * 8 + 2) - .5);
}
static cplx link0(const int *g, int d) { return cexp(2 * M_PI * I * rnd(site(g) * 8 + 3 + d)); }

static int rank_of(const int *c)
{
  int r = 0;
  for (int d = 0; d < 4; d++) r = r * grid[d] + (c[d] + grid[d]) % grid[d];
  return r;
}

#define FOR_SITES(c)                                                                               \
  for (c[0] = 1; c[0] <= L[0]; c[0]++)                                                             \
    for (c[1] = 1; c[1] <= L[1]; c[1]++)                                                           \
      for (c[2] = 1; c[2] <= L[2]; c[2]++)                                                         \
        for (c[3] = 1; c[3] <= L[3]; c[3]++)

static size_t at(const int *c)
{
  return c[0] * stride[0] + c[1] * stride[1] + c[2] * stride[2] + c[3] * stride[3];
}

static void setup(void)
{
  for (int d = 0; d < 4; d++) L[d] = G[d];
  for (int parts = 1; parts < nprocs; parts *= 2) {
    int best = 3;
    for (int d = 2; d >= 0; d--)
      if (L[d] > L[best]) best = d;
    L[best] /= 2;
    grid[best] *= 2;
  }
  int r = rank;
  for (int d = 3; d >= 0; d--) {
    pos[d] = r % grid[d];
    r /= grid[d];
    o[d] = pos[d] * L[d];
  }
  padded = 1;
  for (int d = 3; d >= 0; d--) {
    stride[d] = padded;
    padded *= L[d] + 2;
  }
  for (int d = 0; d < 4; d++) {
    fsize[d] = L[0] * L[1] * L[2] * L[3] / L[d];
    link[d] = calloc(padded, sizeof(cplx));
    for (int s = 0; s < 2; s++) {
      int to[4] = {pos[0], pos[1], pos[2], pos[3]};
      sbuf[2 * d + s] = malloc(fsize[d] * sizeof(cplx));
      rbuf[2 * d + s] = malloc(fsize[d] * sizeof(cplx));
      if (grid[d] == 1) continue;
      to[d] += s ? 1 : -1;
      MPI_Recv_init(rbuf[2 * d + s], fsize[d], MPI_C_DOUBLE_COMPLEX, rank_of(to), 10 + 2 * d + !s,
                    MPI_COMM_WORLD, &req[nreq++]);
      MPI_Send_init(sbuf[2 * d + s], fsize[d], MPI_C_DOUBLE_COMPLEX, rank_of(to), 10 + 2 * d + s,
                    MPI_COMM_WORLD, &req[nreq++]);
    }
  }
}

/* copy a face at depth c_d = where between v and buf */
static void face(cplx *v, int d, int where, cplx *buf, int put)
{
  int c[4], n = 0, lo[4], hi[4];
  for (int e = 0; e < 4; e++) {
    lo[e] = e == d ? where : 1;
    hi[e] = e == d ? where : L[e];
  }
  for (c[0] = lo[0]; c[0] <= hi[0]; c[0]++)
    for (c[1] = lo[1]; c[1] <= hi[1]; c[1]++)
      for (c[2] = lo[2]; c[2] <= hi[2]; c[2]++)
        for (c[3] = lo[3]; c[3] <= hi[3]; c[3]++)
          if (put)
            v[at(c)] = buf[n++];
          else
            buf[n++] = v[at(c)];
}

static void halo(cplx *v)
{
  for (int d = 0; d < 4; d++) {
    face(v, d, 1, sbuf[2 * d], 0);
    face(v, d, L[d], sbuf[2 * d + 1], 0);
  }
  MPI_Startall(nreq, req);
  MPI_Waitall(nreq, req, MPI_STATUSES_IGNORE);
  for (int d = 0; d < 4; d++) {
    face(v, d, 0, grid[d] > 1 ? rbuf[2 * d] : sbuf[2 * d + 1], 1);
    face(v, d, L[d] + 1, grid[d] > 1 ? rbuf[2 * d + 1] : sbuf[2 * d], 1);
  }
}

static void apply(cplx *in, cplx *out)
{
  int c[4];
  halo(in);
  FOR_SITES(c)
  {
    size_t i = at(c);
    cplx s = (8 + mass2) * in[i];
    for (int d = 0; d < 4; d++)
      s -= link[d][i] * in[i + stride[d]] + conj(link[d][i - stride[d]]) * in[i - stride[d]];
    out[i] = s;
  }
}

static double dot(const cplx *a, const cplx *b)
{
  int c[4];
  double mine = 0, sum;
  FOR_SITES(c) mine += creal(conj(a[at(c)]) * b[at(c)]);
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  int iters = argc > 1 ? atoi(argv[1]) : 60, c[4];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
  if (nprocs & (nprocs - 1)) {
    if (rank == 0) fprintf(stderr, "qcd4d: the number of processes must be a power of two\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  setup();

  cplx *x = calloc(padded, sizeof *x), *r = calloc(padded, sizeof *r);
  cplx *p = calloc(padded, sizeof *p), *q = calloc(padded, sizeof *q);
  FOR_SITES(c)
  {
    int g[4] = {o[0] + c[0] - 1, o[1] + c[1] - 1, o[2] + c[2] - 1, o[3] + c[3] - 1};
    cplx b = (8 + mass2) * field0(g);
    for (int d = 0; d < 4; d++) {
      link[d][at(c)] = link0(g, d);
      g[d]++;
      cplx fwd = field0(g);
      g[d] -= 2;
      cplx back = field0(g), u = link0(g, d);
      g[d]++;
      b -= link[d][at(c)] * fwd + conj(u) * back;
    }
    r[at(c)] = p[at(c)] = b;
  }
  for (int d = 0; d < 4; d++) halo(link[d]);

  double rr = dot(r, r), rr0 = rr;
  int it;
  for (it = 0; it < iters && rr > 1e-20 * rr0; it++) {
    apply(p, q);
    double alpha = rr / dot(p, q), old = rr;
    FOR_SITES(c)
    {
      size_t i = at(c);
      x[i] += alpha * p[i];
      r[i] -= alpha * q[i];
    }
    rr = dot(r, r);
    FOR_SITES(c) p[at(c)] = r[at(c)] + rr / old * p[at(c)];
  }

  double mine = 0, err;
  FOR_SITES(c)
  {
    int g[4] = {o[0] + c[0] - 1, o[1] + c[1] - 1, o[2] + c[2] - 1, o[3] + c[3] - 1};
    mine = fmax(mine, cabs(x[at(c)] - field0(g)));
  }
  MPI_Reduce(&mine, &err, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("qcd4d on %dx%dx%dx%d: %d iterations, residual %.3e, error %.3e %s\n", grid[0], grid[1],
           grid[2], grid[3], it, sqrt(rr / rr0), err, err < 1e-4 ? "PASSED" : "FAILED");
  for (int i = 0; i < nreq; i++) MPI_Request_free(&req[i]);
  MPI_Finalize();
  return 0;
}
