/* SPDX-License-Identifier: BSD-3-Clause */
/* swaps: tries of swaps per second under model port, of a stencil with and without collectives.
 *
 *   cmake --preset default -DBERTH_BENCH=ON && cmake --build build && build/bench/bench_swaps SIDE
 *
 * SIDE x SIDE ranks in order on hosts of 16 PUs. Collectives are dense phases: an all-to-all in
 * each row and in each column, and an allreduce of all ranks. Times are CPU times, the median of 5.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "collectives/coll_dense.h"

#include <berth/cost.h>

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t random_state = 16;
static int random_below(int n)
{
  random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (int)(((random_state >> 32) * (uint64_t)n) >> 32);
}

static berth_topo_t *machine(int ranks)
{
  double size[] = {1, 1024, 65536, 1048576};
  double far[] = {5e5, 3e8, 9e9, 1.2e10}, near[] = {3e6, 1.5e9, 8e9, 1e10};
  berth_curve_t link = {"link", "", 4, size, far}, memory = {"memory", "", 4, size, near};
  berth_topo_t *t = berth_topo_new("hosts", NULL);
  int l = berth_topo_add_curve(t, &link, NULL), m = berth_topo_add_curve(t, &memory, NULL);
  berth_port_t fast = {{l, 1e11}, {l, 1e11}}, slow = {{l, 1.25e10}, {l, 1.25e10}};
  berth_port_t bus = {{m, 1e11}, {m, 1e11}}, none = {{-1, 0}, {-1, 0}};
  berth_type_t host = {"host", slow, bus, 0}, rack = {"rack", fast, slow, 0};
  berth_type_t spine = {"spine", none, fast, 0};
  int h = berth_topo_add_type(t, &host, NULL), r = berth_topo_add_type(t, &rack, NULL), at = -1;
  int top = berth_topo_add_switch(t, -1, berth_topo_add_type(t, &spine, NULL), "spine", NULL, NULL);
  for (int k = 0; k < ranks / 16; k++) {
    char name[32];
    snprintf(name, sizeof name, "h%d", k);
    if (k % 16 == 0) at = berth_topo_add_switch(t, top, r, "rack", NULL, NULL);
    int on = berth_topo_add_switch(t, at, h, name, name, NULL);
    for (int p = 0; p < 16; p++) berth_topo_add_pu(t, on, p, p, NULL);
  }
  berth_topo_finish(t, NULL);
  return t;
}

static void add_stencil(berth_pattern_t *p, int side)
{
  static const int step[][2] = {{0, 1}, {1, 0}, {0, -1}, {-1, 0}};
  for (int r = 0; r < side * side; r++)
    for (int i = 0; i < 4; i++) {
      int x = (r % side + step[i][0] + side) % side, y = (r / side + step[i][1] + side) % side;
      berth_message_t m = {
          .src = r, .dst = y * side + x, .size = 65536, .count = 1, .bytes = 65536};
      berth_pattern_add_message(p, &m, NULL);
    }
}

static void add_lines(berth_pattern_t *p, int side)
{
  int *ranks = malloc((size_t)side * sizeof *ranks);
  for (int i = 0; i < 2 * side; i++) {
    for (int k = 0; k < side; k++) ranks[k] = i < side ? i * side + k : k * side + i - side;
    berth_comm_t comm = {i + 1, (size_t)side, ranks};
    berth_pattern_add_comm(p, &comm, NULL);
  }
  free(ranks);
}

/* Calls of one kind on communicators first to first + n - 1. */
static void add_calls(coll_rounds_t *in, schedule_op_t op, const char *algorithm, int first, int n,
                      int size, int64_t count)
{
  bool added;
  schedule_stage_t s = {.algorithm = schedule_find(op, algorithm), .element = 8};
  s.call = (schedule_call_t){.op = op, .size = size, .count = count, .commutative = true};
  coll_class_t *class = calloc((size_t)n, sizeof *class);
  for (int i = 0; i < n; i++)
    class[i] = (coll_class_t){
        .comm = first + i, .op = algorithm, .calls = 1, .request = {s.call, s.element}};
  coll_dense_add_call(in, &(coll_group_t){class, (size_t)n}, 1, &s, &added);
  free(class);
}

static berth_pattern_t *pattern(int side, bool collectives)
{
  coll_rounds_t in;
  berth_pattern_t *p = berth_pattern_new(side * side, NULL);
  add_stencil(p, side);
  add_lines(p, side);
  berth_pattern_finish(p, NULL);
  if (!collectives) return p;
  coll_rounds_begin(&in, p, NULL, NULL);
  add_calls(&in, SCHEDULE_ALLTOALL, "pairwise", 1, side, side, 128);
  add_calls(&in, SCHEDULE_ALLTOALL, "pairwise", side + 1, side, side, 64);
  add_calls(&in, SCHEDULE_ALLREDUCE, "recursive_doubling", 0, 1, side * side, 1);
  coll_rounds_end(&in);
  berth_pattern_finish(p, NULL);
  return p;
}

/* Tries per second; every 16th is made. */
static double rate(const berth_cost_t *c, const int *pu, int ranks)
{
  double start = 0, spent = 0;
  int n = 0;
  berth_swap_t *s = berth_swap_new(c, BERTH_MODEL_PORT, pu, NULL);
  for (start = now(); spent < 1; spent = now() - start)
    for (int i = 0; i < 16; i++, n++) {
      berth_swap_try(s, random_below(ranks), random_below(ranks));
      if (i == 15) berth_swap_commit(s, NULL);
    }
  berth_swap_free(s);
  return n / spent;
}

static int by_value(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
  int side = argc > 1 ? atoi(argv[1]) : 64, ranks = side * side;
  berth_topo_t *t = machine(ranks);
  int *pu = malloc((size_t)ranks * sizeof *pu);
  for (int r = 0; r < ranks; r++) pu[r] = r;
  for (int with = 0; with < 2; with++) {
    double all[5];
    berth_pattern_t *p = pattern(side, with);
    berth_cost_t *c = berth_cost_new(p, t, NULL);
    for (int i = 0; i < 5; i++) all[i] = rate(c, pu, ranks);
    qsort(all, 5, sizeof *all, by_value);
    printf("%d ranks, %s: %.0f tries/s (%.0f to %.0f)\n", ranks,
           with ? "with collectives" : "stencil alone", all[2], all[0], all[4]);
    berth_cost_free(c);
    berth_pattern_free(p);
  }
  return 0;
}
