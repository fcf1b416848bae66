/* SPDX-License-Identifier: BSD-3-Clause */
#include "instance.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void fail(const char *format, ...)
{
  va_list args;
  va_start(args, format);
  vfprintf(stderr, format, args);
  va_end(args);
  fputc('\n', stderr);
  exit(1);
}

void *allocate(size_t n, size_t size)
{
  void *memory = calloc(n + 1, size);
  if (!memory) fail("out of memory");
  return memory;
}

static FILE *open_file(const char *path)
{
  FILE *file = fopen(path, "r");
  if (!file) fail("%s: can't be read", path);
  return file;
}

static int read_int(FILE *file, const char *path)
{
  int value;
  if (fscanf(file, "%d", &value) != 1) fail("%s: expected a number", path);
  return value;
}

pairs_t read_pairs(const char *path)
{
  FILE *file = open_file(path);
  pairs_t p = {0};
  if (fscanf(file, "ranks %d", &p.ranks) != 1 || p.ranks < 1) fail("%s: expected 'ranks N'", path);
  pair_t one;
  long long bytes;
  for (size_t room = 0; fscanf(file, "%d %d %lld", &one.src, &one.dst, &bytes) == 3;) {
    if (one.src < 0 || one.src >= p.ranks || one.dst < 0 || one.dst >= p.ranks || bytes < 0)
      fail("%s: found pair %d %d %lld, expected ranks below %d", path, one.src, one.dst, bytes,
           p.ranks);
    if (p.n == room) p.pair = realloc(p.pair, (room = 2 * room + 1024) * sizeof *p.pair);
    if (!p.pair) fail("out of memory");
    one.bytes = bytes;
    p.pair[p.n++] = one;
  }
  if (!feof(file)) fail("%s: expected 'src dst bytes' in each line", path);
  fclose(file);
  return p;
}

/* Finds each PU's elements from the children of each, and checks that they add up. */
static void number_elements(tree_t *t, const char *path)
{
  t->pus = t->count[0];
  for (int level = 0; level <= t->levels; level++)
    t->element[level] = allocate((size_t)t->pus, sizeof **t->element);
  for (int pu = 0; pu < t->pus; pu++) t->element[0][pu] = pu;
  for (int level = 1; level <= t->levels; level++) {
    int *parent = allocate((size_t)t->count[level - 1], sizeof *parent), child = 0;
    for (int e = 0; e < t->count[level]; e++)
      for (int k = 0; k < t->children[level][e]; k++) {
        if (child >= t->count[level - 1]) fail("%s: too many children at level %d", path, level);
        parent[child++] = e;
      }
    if (child != t->count[level - 1]) fail("%s: too few children at level %d", path, level);
    for (int pu = 0; pu < t->pus; pu++) t->element[level][pu] = parent[t->element[level - 1][pu]];
    free(parent);
  }
}

tree_t read_tree(const char *path)
{
  FILE *file = open_file(path);
  tree_t t = {0};
  if (fscanf(file, "levels %d distances", &t.levels) != 1 || t.levels < 1 || t.levels > MOST_LEVELS)
    fail("%s: expected 'levels L' and 'distances'", path);
  for (int level = 1; level <= t.levels; level++) t.distance[level] = read_int(file, path);
  for (int level = 1; level <= t.levels; level++) {
    t.count[level] = read_int(file, path);
    if (t.count[level] < 1) fail("%s: expected elements at level %d", path, level);
    t.children[level] = allocate((size_t)t.count[level], sizeof **t.children);
    for (int e = 0; e < t.count[level]; e++) t.children[level][e] = read_int(file, path);
  }
  for (int e = 0; e < t.count[1]; e++) t.count[0] += t.children[1][e];
  if (t.count[t.levels] != 1) fail("%s: expected one root", path);
  fclose(file);
  number_elements(&t, path);
  return t;
}

static int by_ranks(const void *x, const void *y)
{
  const pair_t *a = x, *b = y;
  if (a->src != b->src) return a->src < b->src ? -1 : 1;
  return (a->dst > b->dst) - (a->dst < b->dst);
}

csr_t make_csr(const pairs_t *p)
{
  pair_t *both = allocate(2 * p->n, sizeof *both);
  size_t n = 0, kept = 0;
  for (size_t i = 0; i < p->n; i++) {
    if (p->pair[i].src == p->pair[i].dst) continue;
    both[n++] = p->pair[i];
    both[n++] = (pair_t){p->pair[i].dst, p->pair[i].src, p->pair[i].bytes};
  }
  qsort(both, n, sizeof *both, by_ranks);
  for (size_t i = 0; i < n; i++) {
    if (kept && by_ranks(&both[kept - 1], &both[i]) == 0)
      both[kept - 1].bytes += both[i].bytes;
    else
      both[kept++] = both[i];
  }
  int all_even = 1;
  for (size_t i = 0; i < kept; i++) all_even &= both[i].bytes % 2 == 0;
  csr_t g = {.n = p->ranks,
             .start = allocate((size_t)p->ranks + 1, sizeof *g.start),
             .to = allocate(kept, sizeof *g.to),
             .weight = allocate(kept, sizeof *g.weight)};
  for (size_t i = 0; i < kept; i++) {
    g.start[both[i].src + 1]++;
    g.to[i] = both[i].dst;
    g.weight[i] = all_even ? both[i].bytes / 2 : both[i].bytes;
    if (both[i].src < both[i].dst) g.total += g.weight[i];
  }
  for (int r = 0; r < p->ranks; r++) g.start[r + 1] += g.start[r];
  free(both);
  return g;
}

double cpu_seconds(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The most memory since exec, in KiB. (getrusage's maximum starts with the parent's.) */
static long most_memory(void)
{
  char line[256];
  long kib = -1;
  FILE *file = fopen("/proc/self/status", "r");
  while (file && fgets(line, sizeof line, file))
    if (strncmp(line, "VmHWM:", 6) == 0) kib = atol(line + 6);
  if (file) fclose(file);
  return kib;
}

void write_result(const char *path, const int *pu_of_rank, int ranks, double cpu_s)
{
  long memory = most_memory();
  FILE *file = fopen(path, "w");
  if (!file) fail("%s: can't be written", path);
  for (int r = 0; r < ranks; r++) fprintf(file, "%d\n", pu_of_rank[r]);
  if (fclose(file)) fail("%s: can't be written", path);
  printf("{\"cpu_s\": %.6f, \"memory_kib\": %ld}\n", cpu_s, memory);
}
