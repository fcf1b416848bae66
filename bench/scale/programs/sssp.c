/* SPDX-License-Identifier: BSD-3-Clause */
/* sssp - single-source shortest paths on a random clustered graph
 *
 * Clusters of V vertices, CPR clusters per process.  Within a cluster, vertices
 * form a ring with random chords; LINKS random other clusters are attached to
 * each cluster by a few bridges (low-numbered clusters are hubs).  Distances
 * spread in rounds, from one source after the other (landmarks): a process
 * relaxes what it can locally up to a limit that grows by DELTA, then tells the
 * owners of remote vertices about shorter paths.  Who gets a message in which
 * round is only known to the sender (non-blocking consensus by MPI_Ibarrier).
 *
 *   mpirun -np P ./sssp [seed]
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { V = 300, CPR = 2, LINKS = 2, SOURCES = 5, DELTA = 120, TAG_UPDATE = 5, TAG_CHECK = 6 };
#define FAR INT64_C(1000000000000)

typedef struct {
  int from;
  int64_t to;
  int w;
} edge_t; /* local -> global */
typedef struct {
  int64_t vertex, dist;
} update_t;

static int rank, nprocs, nloc, nedge, cap;
static int64_t first;
static edge_t *edge;
static int *start;
static int64_t *dist;
static uint64_t seed = 12345;

static uint64_t hash(uint64_t a, uint64_t b, uint64_t c)
{
  uint64_t z =
      seed + a * 0x9E3779B97F4A7C15ull + b * 0xC2B2AE3D27D4EB4Full + c * 0x165667B19E3779F9ull;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ z >> 27) * 0x94D049BB133111EBull;
  return z ^ z >> 31;
}

static int owner(int64_t v) { return (int)(v / (V * CPR)); }

static void half_edge(int64_t a, int64_t b, int w)
{
  if (owner(a) != rank) return;
  if (nedge == cap) edge = realloc(edge, (cap = 2 * cap + 64) * sizeof *edge);
  edge[nedge++] = (edge_t){(int)(a - first), b, w};
}

static void add_edge(int64_t a, int64_t b, int w)
{
  half_edge(a, b, w);
  half_edge(b, a, w);
}

static int by_from(const void *a, const void *b)
{
  const edge_t *x = a, *y = b;
  if (x->from != y->from) return x->from < y->from ? -1 : 1;
  return x->to < y->to ? -1 : x->to > y->to;
}

static void build(void)
{
  int clusters = nprocs * CPR;
  for (int c = 0; c < clusters; c++) {
    int64_t base = (int64_t)c * V;
    if (owner(base) == rank)
      for (int v = 0; v < V; v++) {
        add_edge(base + v, base + (v + 1) % V, 1 + hash(c, v, 1) % 50);
        add_edge(base + v, base + hash(c, v, 2) % V, 20 + hash(c, v, 3) % 200);
      }
    /* everyone knows the bridges; keep those that end here */
    for (int l = 0; l < LINKS; l++) {
      double x = (hash(c, l, 4) >> 11) * (1.0 / 9007199254740992.0);
      int d = (int)(x * x * clusters);
      if (l == 0 && c > 0) d = (int)(hash(c, l, 5) % c); /* keeps it connected */
      if (d == c) continue;
      int bridges = 1 + hash(c, l, 6) % 12;
      for (int b = 0; b < bridges; b++)
        add_edge(base + hash(c, l, 100 + b) % V, (int64_t)d * V + hash(c, l, 200 + b) % V,
                 5 + hash(c, l, 300 + b) % 400);
    }
  }
  qsort(edge, nedge, sizeof *edge, by_from);
  start = calloc(nloc + 1, sizeof *start);
  for (int e = 0; e < nedge; e++) start[edge[e].from + 1]++;
  for (int v = 0; v < nloc; v++) start[v + 1] += start[v];
}

/* relax from the queued vertices nearer than the limit; returns how many are left */
static int relax_local(int *queue, int n, char *queued, int64_t limit, update_t **out, int *nout,
                       int *capout)
{
  for (int busy = 1; busy;) {
    int keep = 0, end = n;
    busy = 0;
    for (int q = 0; q < n; q++) {
      int v = queue[q];
      if (dist[v] >= limit) {
        queue[keep++] = v;
        continue;
      }
      queued[v] = 0;
      busy = 1;
      for (int e = start[v]; e < start[v + 1]; e++) {
        int64_t d = dist[v] + edge[e].w, t = edge[e].to;
        int o = owner(t);
        if (o != rank) {
          if (nout[o] == capout[o])
            out[o] = realloc(out[o], (capout[o] = 2 * capout[o] + 8) * sizeof **out);
          out[o][nout[o]++] = (update_t){t, d};
        } else if (d < dist[t - first]) {
          dist[t - first] = d;
          if (!queued[t - first]) {
            queued[t - first] = 1;
            queue[end++] = (int)(t - first);
          }
        }
      }
    }
    for (int q = n; q < end; q++) queue[keep++] = queue[q];
    n = keep;
  }
  return n;
}

static int apply(const update_t *u, int n, int *queue, int nq, char *queued)
{
  for (int i = 0; i < n; i++) {
    int v = (int)(u[i].vertex - first);
    if (u[i].dist >= dist[v]) continue;
    dist[v] = u[i].dist;
    if (!queued[v]) {
      queued[v] = 1;
      queue[nq++] = v;
    }
  }
  return nq;
}

/* sparse exchange: nobody knows how many messages are coming */
static int exchange(update_t **out, int *nout, int *queue, int nq, char *queued, long *messages)
{
  MPI_Request *req = malloc(nprocs * sizeof *req), barrier = MPI_REQUEST_NULL;
  int sent = 0, done = 0, inbarrier = 0;

  for (int p = 0; p < nprocs; p++)
    if (nout[p])
      MPI_Issend(out[p], 2 * nout[p], MPI_INT64_T, p, TAG_UPDATE, MPI_COMM_WORLD, &req[sent++]);
  *messages += sent;
  while (!done) {
    MPI_Status st;
    int there, n;
    MPI_Iprobe(MPI_ANY_SOURCE, TAG_UPDATE, MPI_COMM_WORLD, &there, &st);
    if (there) {
      MPI_Get_count(&st, MPI_INT64_T, &n);
      update_t *buf = malloc(n / 2 * sizeof *buf);
      MPI_Recv(buf, n, MPI_INT64_T, st.MPI_SOURCE, TAG_UPDATE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      nq = apply(buf, n / 2, queue, nq, queued);
      free(buf);
    }
    if (inbarrier) {
      MPI_Test(&barrier, &done, MPI_STATUS_IGNORE);
    } else {
      int all;
      MPI_Testall(sent, req, &all, MPI_STATUSES_IGNORE);
      if (all) {
        MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
        inbarrier = 1;
      }
    }
  }
  for (int p = 0; p < nprocs; p++) nout[p] = 0;
  free(req);
  return nq;
}

/* every edge must be relaxed; cut edges are sent with the value at their end */
static long check(int64_t source)
{
  int *n = calloc(nprocs, sizeof *n), *at = calloc(nprocs + 1, sizeof *at);
  long bad = 0, all;
  for (int e = 0; e < nedge; e++) n[owner(edge[e].to)]++;
  for (int p = 0; p < nprocs; p++) at[p + 1] = at[p] + n[p];
  update_t *out = malloc(nedge * sizeof *out), *in = malloc(nedge * sizeof *in);
  for (int e = 0, fill[nprocs]; e < nedge; e++) {
    if (e == 0)
      for (int p = 0; p < nprocs; p++) fill[p] = at[p];
    out[fill[owner(edge[e].to)]++] = (update_t){edge[e].to, dist[edge[e].from] + edge[e].w};
  }
  MPI_Request *req = malloc(2 * nprocs * sizeof *req);
  int r = 0;
  for (int p = 0; p < nprocs; p++) { /* the graph is symmetric */
    if (!n[p]) continue;
    MPI_Irecv(in + at[p], 2 * n[p], MPI_INT64_T, p, TAG_CHECK, MPI_COMM_WORLD, &req[r++]);
    MPI_Isend(out + at[p], 2 * n[p], MPI_INT64_T, p, TAG_CHECK, MPI_COMM_WORLD, &req[r++]);
  }
  MPI_Waitall(r, req, MPI_STATUSES_IGNORE);
  char *tight = calloc(nloc, 1);
  for (int e = 0; e < nedge; e++) {
    int v = (int)(in[e].vertex - first);
    if (in[e].dist < dist[v]) bad++;
    if (in[e].dist == dist[v]) tight[v] = 1;
  }
  for (int v = 0; v < nloc; v++) bad += !tight[v] && first + v != source;
  MPI_Allreduce(&bad, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  free(n);
  free(at);
  free(out);
  free(in);
  free(req);
  free(tight);
  return all;
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  if (argc > 1) seed = strtoull(argv[1], NULL, 10);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
  nloc = V * CPR;
  first = (int64_t)rank * nloc;
  build();

  dist = malloc(nloc * sizeof *dist);
  /* a vertex may be in the new part of the queue and in the old one */
  int *queue = malloc(2 * nloc * sizeof *queue), rounds = 0;
  char *queued = calloc(nloc, 1);
  update_t **out = calloc(nprocs, sizeof *out);
  int *nout = calloc(nprocs, sizeof *nout), *capout = calloc(nprocs, sizeof *capout);
  long mine[2] = {0, 0}, sum[2], bad = 0;

  for (int s = 0; s < SOURCES; s++) {
    int64_t source = hash(s, 7, 7) % ((int64_t)nloc * nprocs), limit = DELTA, nearest;
    int nq = 0;
    for (int v = 0; v < nloc; v++) dist[v] = FAR;
    if (owner(source) == rank) {
      dist[source - first] = 0;
      queue[nq++] = (int)(source - first);
      queued[source - first] = 1;
    }
    do {
      nq = relax_local(queue, nq, queued, limit, out, nout, capout);
      nq = exchange(out, nout, queue, nq, queued, &mine[0]);
      int64_t next = FAR;
      for (int q = 0; q < nq; q++)
        if (dist[queue[q]] < next) next = dist[queue[q]];
      MPI_Allreduce(&next, &nearest, 1, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
      while (nearest < FAR && limit <= nearest) limit += DELTA;
      rounds++;
    } while (nearest < FAR);
    bad += check(source);
    for (int v = 0; v < nloc; v++) mine[1] += dist[v];
  }
  MPI_Reduce(mine, sum, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("sssp %ld vertices, %d rounds, %ld messages: distance sum %ld %s\n", (long)nloc * nprocs,
           rounds, sum[0], sum[1], bad == 0 ? "PASSED" : "FAILED");
  MPI_Finalize();
  return 0;
}
