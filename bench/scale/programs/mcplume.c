/* SPDX-License-Identifier: BSD-3-Clause */
/* mcplume - heat conduction with Monte Carlo photon packets on top
 *
 * A periodic 2D plate, B x B cells per process.  Every step
 *   - conducts heat (explicit 5-point stencil, halo exchange with 4 neighbours),
 *   - has a few hot spots emit photon packets,
 *   - flies every packet a random, heavy-tailed distance in a random direction,
 *     and sends it to the process that owns the place where it ends,
 *   - lets the packets there be absorbed or fly on in the next step.
 * The total energy must be conserved.
 *
 *   mpirun -np P ./mcplume [steps]
 */
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { B = 32, SPOTS = 7, TAG_PHOTON = 77 };

typedef struct {
  double x, y, energy; /* place in cells of the global grid */
  uint64_t id;         /* seeds its random numbers */
} photon_t;

typedef struct {
  photon_t *p;
  int n, cap;
} bag_t;

static MPI_Comm cart;
static int rank, nprocs, dims[2], coord[2], up, down, left, right;
static double T[B + 2][B + 2], Tn[B + 2][B + 2];

static double uniform(uint64_t *s)
{
  uint64_t z = (*s += 0x9E3779B97F4A7C15ull);
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ z >> 27) * 0x94D049BB133111EBull;
  z ^= z >> 31;
  return (z >> 11) * (1.0 / 9007199254740992.0);
}

static void bag_add(bag_t *b, photon_t p)
{
  if (b->n == b->cap) {
    b->cap = b->cap ? 2 * b->cap : 16;
    b->p = realloc(b->p, b->cap * sizeof *b->p);
  }
  b->p[b->n++] = p;
}

static void exchange_halo(void)
{
  double sl[B], sr[B], rl[B], rr[B];
  MPI_Request req[8];

  for (int i = 0; i < B; i++) {
    sl[i] = T[i + 1][1];
    sr[i] = T[i + 1][B];
  }
  MPI_Irecv(&T[0][1], B, MPI_DOUBLE, up, 1, cart, &req[0]);
  MPI_Irecv(&T[B + 1][1], B, MPI_DOUBLE, down, 2, cart, &req[1]);
  MPI_Irecv(rl, B, MPI_DOUBLE, left, 3, cart, &req[2]);
  MPI_Irecv(rr, B, MPI_DOUBLE, right, 4, cart, &req[3]);
  MPI_Isend(&T[B][1], B, MPI_DOUBLE, down, 1, cart, &req[4]);
  MPI_Isend(&T[1][1], B, MPI_DOUBLE, up, 2, cart, &req[5]);
  MPI_Isend(sr, B, MPI_DOUBLE, right, 3, cart, &req[6]);
  MPI_Isend(sl, B, MPI_DOUBLE, left, 4, cart, &req[7]);
  MPI_Waitall(8, req, MPI_STATUSES_IGNORE);
  for (int i = 0; i < B; i++) {
    T[i + 1][0] = rl[i];
    T[i + 1][B + 1] = rr[i];
  }
}

static void conduct(void)
{
  exchange_halo();
  for (int i = 1; i <= B; i++)
    for (int j = 1; j <= B; j++)
      Tn[i][j] =
          T[i][j] + 0.2 * (T[i - 1][j] + T[i + 1][j] + T[i][j - 1] + T[i][j + 1] - 4 * T[i][j]);
  memcpy(T, Tn, sizeof T);
}

/* hot spots at places fixed relative to the plate; their power grows with it */
static void emit(int step, bag_t *fly)
{
  static const double sx[SPOTS] = {.13, .31, .48, .52, .77, .83, .91};
  static const double sy[SPOTS] = {.62, .09, .45, .88, .27, .71, .36};
  for (int s = 0; s < SPOTS; s++) {
    double x = sx[s] * dims[0] * B, y = sy[s] * dims[1] * B;
    int cx = (int)x / B, cy = (int)y / B;
    if (cx != coord[0] || cy != coord[1]) continue;
    int i = (int)x % B + 1, j = (int)y % B + 1;
    int packets = 2 * nprocs + 5 * s;
    double e = 0.3 * T[i][j] / packets;
    T[i][j] -= 0.3 * T[i][j];
    for (int q = 0; q < packets; q++) {
      photon_t p = {x, y, e, ((uint64_t)step << 32) + ((uint64_t)s << 24) + q + 1};
      bag_add(fly, p);
    }
  }
}

static int locate(const photon_t *p)
{
  int c[2] = {(int)p->x / B, (int)p->y / B}, r;
  MPI_Cart_rank(cart, c, &r);
  return r;
}

/* move all packets and hand them to their new owners; returns messages sent */
static int transport(bag_t *fly, bag_t *to, int *flag)
{
  double lx = dims[0] * B, ly = dims[1] * B;
  for (int q = 0; q < fly->n; q++) {
    photon_t p = fly->p[q];
    double angle = 2 * M_PI * uniform(&p.id), r = 4.0 / pow(uniform(&p.id) + 1e-4, 0.8);
    p.x = fmod(fmod(p.x + r * cos(angle), lx) + lx, lx);
    p.y = fmod(fmod(p.y + r * sin(angle), ly) + ly, ly);
    bag_add(&to[locate(&p)], p);
  }
  fly->n = 0;

  /* how many processes send to me? */
  int incoming, sent = 0;
  for (int p = 0; p < nprocs; p++) flag[p] = p != rank && to[p].n > 0;
  MPI_Reduce_scatter_block(flag, &incoming, 1, MPI_INT, MPI_SUM, cart);

  MPI_Request *req = malloc(nprocs * sizeof *req);
  for (int p = 0; p < nprocs; p++)
    if (p != rank && to[p].n > 0)
      MPI_Isend(to[p].p, to[p].n * (int)sizeof(photon_t), MPI_BYTE, p, TAG_PHOTON, cart,
                &req[sent++]);
  for (int q = 0; q < to[rank].n; q++) bag_add(fly, to[rank].p[q]);
  for (int m = 0; m < incoming; m++) {
    MPI_Status st;
    int bytes;
    MPI_Probe(MPI_ANY_SOURCE, TAG_PHOTON, cart, &st);
    MPI_Get_count(&st, MPI_BYTE, &bytes);
    photon_t *buf = malloc(bytes);
    MPI_Recv(buf, bytes, MPI_BYTE, st.MPI_SOURCE, TAG_PHOTON, cart, MPI_STATUS_IGNORE);
    for (int q = 0; q < bytes / (int)sizeof *buf; q++) bag_add(fly, buf[q]);
    free(buf);
  }
  MPI_Waitall(sent, req, MPI_STATUSES_IGNORE);
  free(req);
  for (int p = 0; p < nprocs; p++) to[p].n = 0;
  return sent;
}

static void absorb(bag_t *fly)
{
  int keep = 0;
  for (int q = 0; q < fly->n; q++) {
    photon_t *p = &fly->p[q];
    if (uniform(&p->id) < 0.6)
      T[(int)p->x % B + 1][(int)p->y % B + 1] += p->energy;
    else
      fly->p[keep++] = *p;
  }
  fly->n = keep;
}

static double total_energy(const bag_t *fly)
{
  double e = 0, sum;
  for (int i = 1; i <= B; i++)
    for (int j = 1; j <= B; j++) e += T[i][j];
  for (int q = 0; q < fly->n; q++) e += fly->p[q].energy;
  MPI_Allreduce(&e, &sum, 1, MPI_DOUBLE, MPI_SUM, cart);
  return sum;
}

int main(int argc, char **argv)
{
  int periods[2] = {1, 1};
  MPI_Init(&argc, &argv);
  int steps = argc > 1 ? atoi(argv[1]) : 40;
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
  MPI_Dims_create(nprocs, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart);
  MPI_Comm_rank(cart, &rank);
  MPI_Cart_coords(cart, rank, 2, coord);
  MPI_Cart_shift(cart, 0, 1, &up, &down);
  MPI_Cart_shift(cart, 1, 1, &left, &right);

  for (int i = 1; i <= B; i++)
    for (int j = 1; j <= B; j++)
      T[i][j] = 300 + 50 * sin(0.1 * (coord[0] * B + i)) * cos(0.07 * (coord[1] * B + j));

  bag_t fly = {0}, *to = calloc(nprocs, sizeof *to);
  int *flag = malloc(nprocs * sizeof *flag);
  long messages = 0, all = 0;
  double start = total_energy(&fly), now = start;

  for (int step = 1; step <= steps; step++) {
    for (int sub = 0; sub < 3; sub++) conduct();
    emit(step, &fly);
    messages += transport(&fly, to, flag);
    absorb(&fly);
    if (step % 10 == 0) {
      now = total_energy(&fly);
      if (rank == 0) printf("step %d energy %.8f\n", step, now);
    }
  }

  now = total_energy(&fly);
  MPI_Reduce(&messages, &all, 1, MPI_LONG, MPI_SUM, 0, cart);
  if (rank == 0)
    printf("mcplume %dx%d: energy %.8f of %.8f, %ld packet messages %s\n", dims[0], dims[1], now,
           start, all, fabs(now / start - 1) < 1e-10 ? "PASSED" : "FAILED");
  MPI_Finalize();
  return 0;
}
