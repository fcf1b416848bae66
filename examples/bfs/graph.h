/* SPDX-License-Identifier: BSD-3-Clause */
/* A random graph of the Graph500 benchmark, divided among ranks. It depends on its scale, its edge
 * factor and a seed, and is the same on any number of ranks. */
#ifndef EXAMPLES_BFS_GRAPH_H
#define EXAMPLES_BFS_GRAPH_H
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STREAM_EDGES = 0, STREAM_ROOTS = 1, ROUNDS = 3 };
#define GOLDEN UINT64_C(0x9e3779b97f4a7c15)

/* A graph whose vertices are divided among the ranks in blocks. Vertex v is this rank's vertex
 * v - first. */
typedef struct {
  int rank, ranks, scale;
  int64_t n, block;         /* vertices: of the graph, and of each rank but the last ones */
  int64_t first, count;     /* this rank's vertices */
  int64_t *edges, n_edges;  /* this rank's share of the list, as pairs: any vertices */
  int64_t *begin, *nearest; /* vertex i is adjacent to nearest[begin[i]] to before begin[i + 1] */
} graph_t;

static void *memory(int64_t n, size_t size)
{
  void *found = calloc(n > 0 ? n : 1, size);
  if (!found) {
    fprintf(stderr, "bfs: found no memory for %lld numbers\n", (long long)n);
    MPI_Abort(MPI_COMM_WORLD, 4);
  }
  return found;
}

static int owner(const graph_t *g, int64_t vertex) { return (int)(vertex / g->block); }

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/* The last step of splitmix64 (Steele, Lea and Flood 2014). */
static uint64_t mixed(uint64_t z)
{
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* Random number i of a stream, the same on any rank. */
static uint64_t random_at(int seed, int stream, uint64_t i)
{
  uint64_t key = mixed(((uint64_t)seed * 2 + stream + 1) * GOLDEN);
  return mixed(key + (i + 1) * GOLDEN);
}

/* Another name for a vertex, one for each, so that its number doesn't tell its degree. */
static int64_t renamed(const graph_t *g, uint64_t v)
{
  const uint64_t mask = (uint64_t)g->n - 1;
  for (int i = 0; i < ROUNDS; i++) {
    v = (v * (GOLDEN | 1) + mixed(i + 1)) & mask;
    v ^= v >> (g->scale / 2 + 1);
  }
  return (int64_t)v;
}

/* Edge e of the list: R-MAT (Chakrabarti, Zhan and Faloutsos 2004) with the probabilities of
 * Graph500's specification, A = 0.57 and B = C = 0.19. */
static void make_edge(const graph_t *g, int seed, uint64_t e, int64_t *pair)
{
  uint64_t ends[2] = {0, 0};
  for (int bit = 0; bit < g->scale; bit++) {
    double x = (double)(random_at(seed, STREAM_EDGES, e * g->scale + bit) >> 11) * 0x1p-53;
    ends[0] |= (uint64_t)(x >= 0.76) << bit;
    ends[1] |= (uint64_t)((x >= 0.57 && x < 0.76) || x >= 0.95) << bit;
  }
  pair[0] = renamed(g, ends[0]);
  pair[1] = renamed(g, ends[1]);
}

static int by_number(const void *a, const void *b)
{
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* Both directions of this rank's edges but loops: adds 2 to the first vertex' owner's entry of
 * `at`. With `out`, writes the pair there, from that entry on. */
static void sort_edges(const graph_t *g, int *at, int64_t *out)
{
  for (const int64_t *pair = g->edges; pair < g->edges + 2 * g->n_edges; pair += 2)
    for (int end = 0; end < 2 && pair[0] != pair[1]; end++) {
      int *place = &at[owner(g, pair[end])];
      if (out) {
        out[*place] = pair[end];
        out[*place + 1] = pair[!end];
      }
      *place += 2;
    }
}

/* Sends the edges to the owners of their vertices. Returns the pairs that begin with a vertex of
 * this rank, and their number. */
static int64_t *exchanged(const graph_t *g, int64_t *n_pairs)
{
  int *numbers = memory(4 * (int64_t)g->ranks, sizeof *numbers), *sent = numbers,
      *from = sent + g->ranks, *received = from + g->ranks, *to = received + g->ranks;
  int64_t *out = memory(4 * g->n_edges, sizeof *out);
  sort_edges(g, sent, NULL);
  MPI_Alltoall(sent, 1, MPI_INT, received, 1, MPI_INT, MPI_COMM_WORLD);
  for (int r = 1; r < g->ranks; r++) {
    from[r] = from[r - 1] + sent[r - 1];
    to[r] = to[r - 1] + received[r - 1];
  }
  sort_edges(g, from, out);
  for (int r = 0; r < g->ranks; r++) from[r] -= sent[r];
  *n_pairs = (to[g->ranks - 1] + received[g->ranks - 1]) / 2;
  int64_t *in = memory(2 * *n_pairs, sizeof *in);
  MPI_Alltoallv(out, sent, from, MPI_INT64_T, in, received, to, MPI_INT64_T, MPI_COMM_WORLD);
  free(out);
  free(numbers);
  return in;
}

/* Lists of neighbours, in order and each once. */
static void make_lists(graph_t *g)
{
  int64_t n_pairs, *pairs = exchanged(g, &n_pairs), kept = 0;
  int64_t *end = memory(g->count + 1, sizeof *end);
  g->begin = memory(g->count + 1, sizeof *g->begin);
  g->nearest = memory(n_pairs, sizeof *g->nearest);
  for (int64_t i = 0; i < n_pairs; i++) end[pairs[2 * i] - g->first + 1]++;
  for (int64_t i = 0; i < g->count; i++) end[i + 1] += end[i];
  memcpy(g->begin, end, (g->count + 1) * sizeof *end);
  for (int64_t i = 0; i < n_pairs; i++)
    g->nearest[end[pairs[2 * i] - g->first]++] = pairs[2 * i + 1];
  for (int64_t i = 0; i < g->count; i++) {
    int64_t from = g->begin[i], n = end[i] - from;
    qsort(g->nearest + from, n, sizeof *g->nearest, by_number);
    g->begin[i] = kept;
    for (int64_t k = from; k < from + n; k++)
      if (k == from || g->nearest[k] != g->nearest[k - 1]) g->nearest[kept++] = g->nearest[k];
  }
  g->begin[g->count] = kept;
  free(end);
  free(pairs);
}

/* This rank's part of the graph. The caller has set rank, ranks and scale, and frees it. */
static void make_graph(graph_t *g, int edge_factor, int seed)
{
  g->n = INT64_C(1) << g->scale;
  g->block = (g->n + g->ranks - 1) / g->ranks;
  g->first = smaller(g->rank * g->block, g->n);
  g->count = smaller(g->block, g->n - g->first);
  int64_t all = g->n * edge_factor, from = all * g->rank / g->ranks;
  g->n_edges = all * (g->rank + 1) / g->ranks - from;
  g->edges = memory(2 * g->n_edges, sizeof *g->edges);
  for (int64_t e = 0; e < g->n_edges; e++) make_edge(g, seed, from + e, g->edges + 2 * e);
  make_lists(g);
}

/* Random vertices with neighbours, each once. If there are fewer than `n`, all of them. */
static int find_roots(const graph_t *g, int seed, int n, int64_t *roots)
{
  char *lonely = memory(g->n, 1);
  int found = 0;
  for (int64_t i = 0; i < g->count; i++) lonely[g->first + i] = g->begin[i] == g->begin[i + 1];
  MPI_Allreduce(MPI_IN_PLACE, lonely, (int)g->n, MPI_CHAR, MPI_MAX, MPI_COMM_WORLD);
  uint64_t from = random_at(seed, STREAM_ROOTS, 0);
  for (int64_t i = 0; i < g->n && found < n; i++) {
    int64_t vertex = renamed(g, (from + i) & ((uint64_t)g->n - 1));
    if (!lonely[vertex]) roots[found++] = vertex;
  }
  free(lonely);
  return found;
}

static void free_graph(graph_t *g)
{
  free(g->edges);
  free(g->begin);
  free(g->nearest);
}

#endif
