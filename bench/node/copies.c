/* SPDX-License-Identifier: BSD-3-Clause */
/* copies: whether the kernel that `berth calibrate node` found to be the fastest is the fastest.
 *
 *   build/bench/bench_copies node.json [PU]
 *
 * STREAM's copy, memcpy and the kernel of the file take turns at each size from 16 KiB, on hot
 * buffers (the same again and again, as STREAM has them) and cold ones (the next of 512 MiB).
 * Prints medians of ROUNDS turns, and the kernel's rate divided by the best of the others. Exits
 * with 1 if that is below 0.95 anywhere. */
#include <berth/topo.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "copy/copy.h"

void stream_copy(double *restrict c, const double *restrict a, size_t n);
void stream_copy_loop(double *restrict c, const double *restrict a, size_t n);

enum { ROUNDS = 31, PEERS = 3, AREA = 512 << 20 };
static const char *const peers[PEERS] = {"STREAM", "STREAM's loop", "memcpy"};

static void copy_as_stream(void *restrict to, const void *restrict from, size_t n)
{
  stream_copy(to, from, n / sizeof(double));
}
static void copy_as_loop(void *restrict to, const void *restrict from, size_t n)
{
  stream_copy_loop(to, from, n / sizeof(double));
}
static void copy_plainly(void *restrict to, const void *restrict from, size_t n)
{
  memcpy(to, from, n);
}

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static char *from, *to;
static size_t place;

/* Bytes per second of one turn. */
static double turn(copy_function_t *copy, size_t n, bool hot)
{
  size_t bytes = hot ? 8 << 20 : 2 << 20, times = n < bytes ? bytes / n : 1;
  if (hot) copy(to, from, n);
  double begin = now();
  for (size_t i = 0; i < times; i++) {
    if (hot || place + n > AREA) place = 0;
    copy(to + place, from + place, n);
    place += n;
  }
  return (double)(n * times) / (now() - begin);
}

static double compare(const berth_node_t *node, size_t n, bool hot)
{
  static double rate[PEERS + 1][ROUNDS];
  const berth_node_curve_t *best = NULL;
  if (berth_node_best_copy(node, hot ? "hot" : "cold", 0, 0, (double)n, &best) == 0) return 0;
  const copy_kernel_t *kernel = copy_find(best->name);
  copy_function_t *copy[] = {copy_as_stream, copy_as_loop, copy_plainly, kernel->copy};
  for (int r = 0; r < ROUNDS; r++)
    for (int k = 0; k <= PEERS; k++) rate[k][r] = turn(copy[k], n, hot);
  double most = 0;
  for (int k = 0; k <= PEERS; k++) qsort(rate[k], ROUNDS, sizeof **rate, by_value);
  for (int k = 0; k < PEERS; k++)
    if (rate[k][ROUNDS / 2] > most) most = rate[k][ROUNDS / 2];
  double ratio = rate[PEERS][ROUNDS / 2] / most;
  printf("%-5s %9zu", hot ? "hot" : "cold", n);
  for (int k = 0; k <= PEERS; k++) printf("  %13.2f", rate[k][ROUNDS / 2] * 1e-9);
  printf("  %-16s %6.3f\n", best->name, ratio);
  fflush(stdout);
  return ratio;
}

static const berth_node_t *node_of(const berth_topo_t *t)
{
  for (int i = 0; i < berth_topo_n_types(t); i++)
    if (berth_topo_type(t, i)->node) return berth_topo_type(t, i)->node;
  return NULL;
}

int main(int argc, char **argv)
{
  berth_error_t err = {0};
  cpu_set_t set;
  berth_topo_t *t = argc > 1 ? berth_topo_load(argv[1], &err) : NULL;
  if (!t || !node_of(t)) {
    fprintf(stderr, "copies: %s\n", *err.text ? err.text : "expected a file of calibrate node");
    return 2;
  }
  CPU_ZERO(&set);
  CPU_SET(argc > 2 ? atoi(argv[2]) : 0, &set);
  sched_setaffinity(0, sizeof set, &set);
  from = aligned_alloc(4096, AREA);
  to = aligned_alloc(4096, AREA);
  memset(from, 1, AREA);
  memset(to, 1, AREA);
  printf("GB/s      bytes");
  for (int k = 0; k < PEERS; k++) printf("  %13s", peers[k]);
  printf("  %13s  %-16s  ratio\n", "the file's", "kernel");
  double least = 10;
  for (int hot = 1; hot >= 0; hot--)
    for (size_t n = 16 << 10; n <= 64 << 20; n *= 2) {
      double ratio = compare(node_of(t), n, hot);
      if (ratio < least) least = ratio;
    }
  printf("least ratio %.3f\n", least);
  berth_topo_free(t);
  return least < 0.95;
}
