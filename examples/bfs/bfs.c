/* SPDX-License-Identifier: BSD-3-Clause */
/* A breadth-first search by one-sided operations, on a random graph of the Graph500 benchmark.
 *
 * As in that benchmark's one-sided program, ranks that search send no messages. For each edge from
 * the vertices of a level, MPI_Accumulate puts the vertex into an array of parents (MPI_MIN) and
 * sets a bit of a queue (MPI_BOR), both in windows of the other vertex' rank. A level is an epoch
 * between two MPI_Win_fence, or several if it has too many operations for an MPI. MPI_MIN makes the
 * tree the same in each run and on any number of ranks. */
#include <errno.h>
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph.h"

enum { WORD = 64 };
#define NOBODY INT64_MAX /* the parent of a vertex that wasn't reached */

static const char usage[] =
    "usage: bfs [OPTION]…\n"
    "\n"
    "Searches a random graph breadth-first by MPI_Accumulate and MPI_Win_fence.\n"
    "\n"
    "  --scale N        the graph has 2^N vertices, 1 to 22 (default 10)\n"
    "  --edge-factor N  edges for each vertex, 1 to 64 (default 16)\n"
    "  --roots N        searches, each from another vertex, 1 to 1024 (default 8)\n"
    "  --seed N         of the graph and its roots, 0 to 2147483647 (default 1)\n"
    "  --epoch N        edges that a rank follows in an epoch, 1 to 2147483647: a level of more has\n"
    "                   several epochs (default 50000)\n"
    "  --allocate       windows of MPI_Win_allocate instead of MPI_Win_create\n"
    "  --json           one line of JSON\n"
    "  --help           this text\n"
    "\n"
    "Exit codes: 0 done, 1 a wrong tree, 2 wrong arguments, 4 not enough memory.\n";

typedef struct {
  int scale, edge_factor, roots, seed, epoch;
  bool allocate, json, help;
} options_t;

/* What a search works on. */
typedef struct {
  MPI_Win parents, queue;     /* windows of the next two */
  int64_t *candidate;         /* the smallest vertex of this level that this one is adjacent to */
  uint64_t *found;            /* a bit for each vertex that is adjacent to this level */
  int64_t *parent, *level;    /* of this rank's vertices; NOBODY and -1 if not reached */
  int64_t *frontier, waiting; /* this rank's vertices of the level */
  int64_t limit;              /* edges of a rank in an epoch */
  int64_t *names;             /* of all vertices of this rank: what operations read */
  uint64_t bits[WORD];
  double in_fences;
} search_t;

/* A search's numbers. */
typedef struct {
  long long root, vertices, edges, levels, epochs, operations;
  double seconds, fences; /* of the slowest rank; mean over the ranks */
  unsigned long long level_digest, parent_digest;
  const char *wrong; /* the rule that the tree violates, or NULL */
} result_t;

/* ------------------------------------------------------------------------------- arguments */

static bool read_int(const char *text, int low, int high, int *value)
{
  char *end;
  errno = 0;
  long found = strtol(text, &end, 10);
  *value = (int)found;
  return !errno && end != text && !*end && found >= low && found <= high;
}

/* Reads the value of an option that has one. Writes into `why` what is wrong. */
static bool read_value(options_t *o, const char *name, const char *text, char *why, size_t size)
{
  const struct {
    const char *name;
    int low, high, *value;
  } numbers[] = {{"--scale", 1, 22, &o->scale},
                 {"--edge-factor", 1, 64, &o->edge_factor},
                 {"--roots", 1, 1024, &o->roots},
                 {"--seed", 0, INT32_MAX, &o->seed},
                 {"--epoch", 1, INT32_MAX, &o->epoch}};
  size_t i = 0, n = sizeof numbers / sizeof *numbers;
  while (i < n && strcmp(name, numbers[i].name)) i++;
  if (i == n)
    snprintf(why, size, "unknown option '%s'; see bfs --help", name);
  else if (!text)
    snprintf(why, size, "%s has no value, expected one", name);
  else if (!read_int(text, numbers[i].low, numbers[i].high, numbers[i].value))
    snprintf(why, size, "%s '%s', expected a whole number from %d to %d", name, text,
             numbers[i].low, numbers[i].high);
  else
    return true;
  return false;
}

static bool read_options(options_t *o, int argc, char **argv, char *why, size_t size)
{
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], "--allocate") == 0)
      o->allocate = true;
    else if (strcmp(argv[i], "--json") == 0)
      o->json = true;
    else if (strcmp(argv[i], "--help") == 0)
      return o->help = true;
    else if (!read_value(o, argv[i], i + 1 < argc ? argv[i + 1] : NULL, why, size))
      return false;
    else
      i++;
  return true;
}

/* ------------------------------------------------------------------------------- the search */

/* A window of n numbers of 8 bytes. Its size is a multiple of 64 bytes and not 0: the base that
 * MPICH 4.0.2's MPI_Win_allocate returns for 8 bytes isn't the one that operations go to. */
static void *window(bool allocate, int64_t n, MPI_Win *win)
{
  void *base;
  MPI_Aint bytes = (n / 8 + 1) * 64;
  if (allocate) {
    MPI_Win_allocate(bytes, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, win);
  } else {
    MPI_Alloc_mem(bytes, MPI_INFO_NULL, &base);
    MPI_Win_create(base, bytes, 8, MPI_INFO_NULL, MPI_COMM_WORLD, win);
  }
  return base;
}

static int64_t words(const graph_t *g) { return (g->count + WORD - 1) / WORD; }

static void begin_searches(const options_t *o, const graph_t *g, search_t *s)
{
  s->candidate = window(o->allocate, g->count, &s->parents);
  s->found = window(o->allocate, words(g), &s->queue);
  s->parent = memory(g->count, sizeof *s->parent);
  s->level = memory(g->count, sizeof *s->level);
  s->frontier = memory(g->count, sizeof *s->frontier);
  s->names = memory(g->count, sizeof *s->names);
  s->limit = o->epoch;
  for (int64_t i = 0; i < g->count; i++) s->names[i] = g->first + i;
  for (int i = 0; i < WORD; i++) s->bits[i] = UINT64_C(1) << i;
}

static void end_searches(const options_t *o, search_t *s)
{
  MPI_Win_free(&s->parents);
  MPI_Win_free(&s->queue);
  if (!o->allocate) {
    MPI_Free_mem(s->candidate);
    MPI_Free_mem(s->found);
  }
  free(s->parent);
  free(s->level);
  free(s->frontier);
  free(s->names);
}

static void fences(search_t *s, int assertion)
{
  double begin = MPI_Wtime();
  MPI_Win_fence(assertion, s->parents);
  MPI_Win_fence(assertion, s->queue);
  s->in_fences += MPI_Wtime() - begin;
}

/* The edges from the vertices of this level, of the rank that has most of them. 0 ends a search:
 * each vertex that was reached has an edge. */
static int64_t most_edges(const graph_t *g, const search_t *s)
{
  int64_t mine = 0, most;
  for (int64_t i = 0; i < s->waiting; i++)
    mine += g->begin[s->frontier[i] + 1] - g->begin[s->frontier[i]];
  MPI_Allreduce(&mine, &most, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  return most;
}

static void tell(const graph_t *g, const search_t *s, int64_t vertex, int64_t neighbour)
{
  int target = owner(g, neighbour);
  int64_t there = neighbour - target * g->block;
  MPI_Accumulate(&s->names[vertex], 1, MPI_INT64_T, target, there, 1, MPI_INT64_T, MPI_MIN,
                 s->parents);
  MPI_Accumulate(&s->bits[there % WORD], 1, MPI_UINT64_T, target, there / WORD, 1, MPI_UINT64_T,
                 MPI_BOR, s->queue);
}

/* Tells the owner of each neighbour of the rank's vertices of this level. All ranks have as many
 * epochs as the one with most edges. Returns their number. */
static int64_t tell_neighbours(const graph_t *g, search_t *s, int64_t most, result_t *result)
{
  int64_t edges = 0, epochs = 1, all = (most + s->limit - 1) / s->limit;
  for (int64_t i = 0; i < s->waiting; i++) {
    int64_t vertex = s->frontier[i];
    for (int64_t k = g->begin[vertex]; k < g->begin[vertex + 1]; k++, edges++) {
      if (edges == epochs * s->limit) {
        fences(s, 0);
        epochs++;
      }
      tell(g, s, vertex, g->nearest[k]);
    }
  }
  for (; epochs < all; epochs++) fences(s, 0);
  result->operations += 2 * edges;
  return all;
}

/* The rank's vertices that were reached first in this level become the next one. */
static void advance(const graph_t *g, search_t *s, int64_t level)
{
  s->waiting = 0;
  for (int64_t i = 0; i < g->count; i++) {
    if (!(s->found[i / WORD] & s->bits[i % WORD])) continue;
    if (s->level[i] < 0) {
      s->level[i] = level;
      s->parent[i] = s->candidate[i];
      s->frontier[s->waiting++] = i;
    }
    s->candidate[i] = NOBODY;
  }
  memset(s->found, 0, words(g) * sizeof *s->found);
}

static void clear(const graph_t *g, search_t *s, int64_t root)
{
  for (int64_t i = 0; i < g->count; i++) {
    s->candidate[i] = s->parent[i] = NOBODY;
    s->level[i] = -1;
  }
  memset(s->found, 0, words(g) * sizeof *s->found);
  s->in_fences = 0;
  s->waiting = 0;
  if (root < g->first || root >= g->first + g->count) return;
  s->parent[root - g->first] = root;
  s->level[root - g->first] = 0;
  s->frontier[s->waiting++] = root - g->first;
}

static void search(const graph_t *g, search_t *s, result_t *result)
{
  MPI_Barrier(MPI_COMM_WORLD);
  double begin = MPI_Wtime();
  clear(g, s, result->root);
  for (int64_t most; (most = most_edges(g, s)) > 0;) {
    fences(s, MPI_MODE_NOPRECEDE);
    result->epochs += tell_neighbours(g, s, most, result);
    fences(s, MPI_MODE_NOSUCCEED);
    advance(g, s, ++result->levels);
  }
  double seconds = MPI_Wtime() - begin;
  MPI_Allreduce(&seconds, &result->seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(&s->in_fences, &result->fences, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  result->fences /= g->ranks;
  MPI_Allreduce(MPI_IN_PLACE, &result->operations, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
}

/* ------------------------------------------------------------------------------- validation */

/* All ranks' values, by vertex. */
static int64_t *gathered(const graph_t *g, const int64_t *mine)
{
  int64_t *all = memory(g->n, sizeof *all);
  int *counts = memory(2 * (int64_t)g->ranks, sizeof *counts), *from = counts + g->ranks;
  for (int r = 0; r < g->ranks; r++) {
    from[r] = (int)smaller(r * g->block, g->n);
    counts[r] = (int)smaller(g->block, g->n - from[r]);
  }
  MPI_Allgatherv(mine, (int)g->count, MPI_INT64_T, all, counts, from, MPI_INT64_T, MPI_COMM_WORLD);
  free(counts);
  return all;
}

/* The distance of each vertex from the root by its parents, -1 without one. Returns whether the
 * parents are a tree: each chain of them ends at the root. */
static bool depths(const graph_t *g, const int64_t *parent, int64_t root, int64_t *depth)
{
  int64_t *chain = memory(g->n, sizeof *chain);
  bool tree = parent[root] == root;
  for (int64_t v = 0; v < g->n; v++) depth[v] = -1;
  depth[root] = 0;
  for (int64_t v = 0; v < g->n && tree; v++) {
    int64_t n = 0, at = v;
    if (parent[v] == NOBODY) continue;
    while (tree && depth[at] < 0) {
      chain[n++] = at;
      at = parent[at];
      tree = at >= 0 && at < g->n && n < g->n;
    }
    for (int64_t below = 1; tree && n > 0; below++) depth[chain[--n]] = depth[at] + below;
  }
  free(chain);
  return tree;
}

/* Whether each vertex but the root is joined to its parent by an edge of the list. */
static bool has_tree_edges(const graph_t *g, const int64_t *parent, int64_t root)
{
  char *joined = memory(g->n, 1);
  bool all = true;
  for (const int64_t *pair = g->edges; pair < g->edges + 2 * g->n_edges; pair += 2)
    for (int end = 0; end < 2; end++)
      if (parent[pair[end]] == pair[!end]) joined[pair[end]] = 1;
  MPI_Allreduce(MPI_IN_PLACE, joined, (int)g->n, MPI_CHAR, MPI_MAX, MPI_COMM_WORLD);
  for (int64_t v = 0; v < g->n; v++)
    if (parent[v] != NOBODY && v != root && !joined[v]) all = false;
  free(joined);
  return all;
}

/* The rules of Graph500's specification, with levels that were found by the parents alone. */
static const char *violated(const graph_t *g, const int64_t *parent, const int64_t *level,
                            result_t *result)
{
  int64_t *depth = memory(g->n, sizeof *depth), wrong[3] = {0, 0, 0};
  long long traversed = 0;
  bool tree = depths(g, parent, result->root, depth);
  for (int64_t v = 0; v < g->n && tree; v++) wrong[0] += depth[v] != level[v];
  for (const int64_t *e = g->edges; e < g->edges + 2 * g->n_edges && tree; e += 2) {
    int64_t a = level[e[0]], b = level[e[1]];
    wrong[1] += a >= 0 && b >= 0 && (a - b > 1 || b - a > 1);
    wrong[2] += (a < 0) != (b < 0);
    traversed += a >= 0;
  }
  MPI_Allreduce(MPI_IN_PLACE, wrong, 3, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(&traversed, &result->edges, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
  free(depth);
  if (!tree) return "1: the parents aren't a tree";
  if (wrong[0]) return "2: a vertex isn't one level below its parent";
  if (wrong[1]) return "3: an edge joins vertices of levels that aren't neighbours";
  if (wrong[2]) return "4: the tree doesn't span the component";
  return has_tree_edges(g, parent, result->root) ? NULL : "5: a vertex and its parent have no edge";
}

static uint64_t digest(const int64_t *values, int64_t n)
{
  uint64_t found = 0;
  for (int64_t i = 0; i < n; i++) found = mixed(found ^ (uint64_t)values[i]) + GOLDEN;
  return found;
}

static void validate(const graph_t *g, const search_t *s, result_t *result)
{
  int64_t *parent = gathered(g, s->parent), *level = gathered(g, s->level);
  result->wrong = violated(g, parent, level, result);
  result->vertices = 0;
  for (int64_t v = 0; v < g->n; v++) result->vertices += level[v] >= 0;
  result->level_digest = digest(level, g->n);
  result->parent_digest = digest(parent, g->n);
  free(parent);
  free(level);
}

/* ------------------------------------------------------------------------------- the result */

/* Of all searches. */
typedef struct {
  double harmonic, minimum, median, maximum; /* traversed edges a second */
  double search, fences;                     /* seconds, medians of the searches */
  unsigned long long level_digest, parent_digest;
  long long levels, epochs, operations;
} summary_t;

static int by_value(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *values, int n)
{
  qsort(values, n, sizeof *values, by_value);
  return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

static summary_t summary(const result_t *results, int n)
{
  summary_t all = {0};
  double *values = memory(n, sizeof *values), inverse = 0;
  for (int i = 0; i < n; i++) {
    values[i] = results[i].edges / results[i].seconds;
    inverse += results[i].seconds / results[i].edges;
    all.level_digest = mixed(all.level_digest ^ results[i].level_digest) + GOLDEN;
    all.parent_digest = mixed(all.parent_digest ^ results[i].parent_digest) + GOLDEN;
    all.levels += results[i].levels;
    all.epochs += results[i].epochs;
    all.operations += results[i].operations;
  }
  all.harmonic = n / inverse;
  all.median = median(values, n);
  all.minimum = values[0];
  all.maximum = values[n - 1];
  for (int i = 0; i < n; i++) values[i] = results[i].seconds;
  all.search = median(values, n);
  for (int i = 0; i < n; i++) values[i] = results[i].fences;
  all.fences = median(values, n);
  free(values);
  return all;
}

static void print(const options_t *o, const graph_t *g, const result_t *results, int n)
{
  summary_t all = summary(results, n);
  printf("ranks             %d, windows of MPI_Win_%s\n", g->ranks,
         o->allocate ? "allocate" : "create");
  printf("graph             scale %d, edge factor %d, seed %d\n", o->scale, o->edge_factor,
         o->seed);
  printf("searches          %d, %lld levels in %lld epochs, %lld operations\n", n, all.levels,
         all.epochs, all.operations);
  printf("TEPS              %.4g (harmonic mean), %.4g, %.4g, %.4g (minimum, median, maximum)\n",
         all.harmonic, all.minimum, all.median, all.maximum);
  printf("time              %.3f ms a search, %.3f ms of it in fences (medians)\n",
         1e3 * all.search, 1e3 * all.fences);
  printf("levels            %016llx\n", all.level_digest);
  printf("parents           %016llx\n", all.parent_digest);
}

static void print_json(const options_t *o, const graph_t *g, const result_t *results, int n)
{
  summary_t all = summary(results, n);
  printf("{\"ranks\": %d, \"window\": \"%s\", \"scale\": %d, \"edge_factor\": %d, \"seed\": %d, "
         "\"teps\": {\"harmonic_mean\": %.17g, \"minimum\": %.17g, \"median\": %.17g, "
         "\"maximum\": %.17g}, \"search_s\": %.9f, \"fences_s\": %.9f, \"levels\": \"%016llx\", "
         "\"parents\": \"%016llx\", \"searches\": [",
         g->ranks, o->allocate ? "allocate" : "create", o->scale, o->edge_factor, o->seed,
         all.harmonic, all.minimum, all.median, all.maximum, all.search, all.fences,
         all.level_digest, all.parent_digest);
  for (const result_t *r = results; r < results + n; r++)
    printf("%s{\"root\": %lld, \"vertices\": %lld, \"edges\": %lld, \"levels\": %lld, "
           "\"epochs\": %lld, \"operations\": %lld, \"seconds\": %.9f, \"fences_s\": %.9f, "
           "\"level_digest\": \"%016llx\", \"parent_digest\": \"%016llx\"}",
           r == results ? "" : ", ", r->root, r->vertices, r->edges, r->levels, r->epochs,
           r->operations, r->seconds, r->fences, r->level_digest, r->parent_digest);
  printf("]}\n");
}

/* Returns the program's exit code. */
static int run(const options_t *o, graph_t *g)
{
  search_t s = {0};
  int64_t *roots = memory(o->roots, sizeof *roots);
  make_graph(g, o->edge_factor, o->seed);
  int n = find_roots(g, o->seed, o->roots, roots), wrong = 0;
  result_t *results = memory(n, sizeof *results), first = {.root = roots[0]};
  begin_searches(o, g, &s);
  search(g, &s, &first); /* makes the connections */
  for (int i = 0; i < n; i++) {
    results[i].root = roots[i];
    search(g, &s, &results[i]);
    validate(g, &s, &results[i]);
    if (results[i].wrong && !wrong++ && g->rank == 0)
      fprintf(stderr, "bfs: the tree from root %lld violates rule %s\n", results[i].root,
              results[i].wrong);
  }
  if (n == 0 && g->rank == 0) fprintf(stderr, "bfs: each edge of the graph is a loop\n");
  if (g->rank == 0 && !wrong && n) (o->json ? print_json : print)(o, g, results, n);
  end_searches(o, &s);
  free(roots);
  free(results);
  return n == 0 ? 2 : wrong ? 1 : 0;
}

/* On rank 0 alone. Returns the program's exit code. */
static int refuse(int rank, const char *why)
{
  if (rank == 0) fprintf(stderr, "bfs: %s\n", why);
  MPI_Finalize();
  return 2;
}

int main(int argc, char **argv)
{
  options_t o = {.scale = 10, .edge_factor = 16, .roots = 8, .seed = 1, .epoch = 50000};
  graph_t g = {0};
  char why[256];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &g.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &g.ranks);
  if (!read_options(&o, argc, argv, why, sizeof why)) return refuse(g.rank, why);
  if (o.help && g.rank == 0) fputs(usage, stdout);
  g.scale = o.scale;
  int code = o.help ? 0 : run(&o, &g);
  free_graph(&g);
  MPI_Finalize();
  return code;
}
