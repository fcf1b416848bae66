/* SPDX-License-Identifier: BSD-3-Clause */
/* bench/flow: how long model `flow` takes to price a placement, and how far its time steps are from
 * every end of a flow by itself.
 *
 *   cmake --preset default -DBERTH_BENCH=ON && cmake --build build && build/bench/bench_flow
 *
 * Patterns: a 3-D stencil of equal messages, and 8 random destinations a rank with message sizes
 * from 1 to 1,000 KiB; "blocking" are the same with sends that each wait for the last. Machine: a
 * tree of three levels, 16 PUs a host, 16 hosts a rack. Ranks stand at random, which is the hardest
 * case: everything crosses everything. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cost/flow/flow.h"

enum { RUNS = 3 };

static uint64_t state = 1;

static int roll(int n)
{
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (int)((state >> 33) % (unsigned)n);
}

/* Seconds of this process on a core: other load on the machine counts less than by the wall. */
static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static berth_topo_t *machine(int pus)
{
  berth_topo_t *t = berth_topo_new("bench", NULL);
  double size[] = {1, 1024, 65536, 1048576};
  double link[] = {2e4, 2e7, 8e8, 1.2e9}, bus[] = {1e6, 1e9, 8e9, 1e10};
  berth_curve_t curves[] = {{.name = "link", .source = "", .n = 4, .size = size, .bandwidth = link},
                            {.name = "bus", .source = "", .n = 4, .size = size, .bandwidth = bus}};
  int l = berth_topo_add_curve(t, &curves[0], NULL), b = berth_topo_add_curve(t, &curves[1], NULL);
  berth_port_dir_t to_host = {.curve = l, .capacity = 1.2e9},
                   to_rack = {.curve = l, .capacity = 9.6e9},
                   to_pu = {.curve = b, .capacity = 2e10};
  berth_type_t types[] = {{.name = "core", .down = {to_rack, to_rack}},
                          {.name = "rack", .up = {to_rack, to_rack}, .down = {to_host, to_host}},
                          {.name = "host", .up = {to_host, to_host}, .down = {to_pu, to_pu}}};
  for (int i = 0; i < 3; i++) berth_topo_add_type(t, &types[i], NULL);
  int root = berth_topo_add_switch(t, -1, 0, "core", NULL, NULL), rack = -1, host = -1;
  for (int p = 0; p < pus; p++) {
    char name[16];
    snprintf(name, sizeof name, "n%d", p / 16);
    if (p % 256 == 0) rack = berth_topo_add_switch(t, root, 1, "rack", NULL, NULL);
    if (p % 16 == 0) host = berth_topo_add_switch(t, rack, 2, name, name, NULL);
    berth_topo_add_pu(t, host, p % 16, p % 16, NULL);
  }
  return berth_topo_finish(t, NULL) ? NULL : t;
}

static void send(berth_pattern_t *p, int src, int dst, int size)
{
  berth_message_t m = {.src = src, .dst = dst, .count = 1};
  m.size = m.bytes = (uint64_t)size;
  berth_pattern_add_message(p, &m, NULL);
}

static berth_pattern_t *random_pattern(int ranks)
{
  berth_pattern_t *p = berth_pattern_new(ranks, NULL);
  for (int r = 0; r < ranks; r++)
    for (int i = 0; i < 8; i++)
      send(p, r, (r + 1 + roll(ranks - 1)) % ranks, 1024 * (1 + roll(1000)));
  return berth_pattern_finish(p, NULL) ? NULL : p;
}

static berth_pattern_t *stencil(int nx, int ny, int nz)
{
  static const int step[6][3] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                 {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};
  berth_pattern_t *p = berth_pattern_new(nx * ny * nz, NULL);
  for (int r = 0; r < nx * ny * nz; r++)
    for (int i = 0; i < 6; i++) {
      int x = r % nx + step[i][0], y = r / nx % ny + step[i][1], z = r / nx / ny + step[i][2];
      if (x >= 0 && x < nx && y >= 0 && y < ny && z >= 0 && z < nz)
        send(p, r, x + nx * (y + ny * z), 65536);
    }
  return berth_pattern_finish(p, NULL) ? NULL : p;
}

static void shuffle(int *pu_of_rank, int n)
{
  for (int i = n - 1; i > 0; i--) {
    int k = roll(i + 1), pu = pu_of_rank[i];
    pu_of_rank[i] = pu_of_rank[k];
    pu_of_rank[k] = pu;
  }
}

/* The relative difference of the cost when every end of a flow is taken by itself. */
static double error_of_steps(berth_cost_t *c, const int *pu_of_rank)
{
  flow_plan_t plan;
  flow_net_t net;
  flow_run_t run = {0};
  double cost = 0;
  if (flow_plan_make(&plan, c, NULL) || flow_net_init(&net, c, NULL)) return -1;
  if (flow_net_build(&net, c, &plan, plan.chain, pu_of_rank, NULL) == BERTH_OK &&
      flow_start(&run, &net, plan.chain, c->n_resources, NULL) == BERTH_OK)
    flow_continue(&run, &net, plan.chain, c->n_resources, 1, INT32_MAX);
  cost = run.time;
  flow_run_clear(&run);
  flow_net_clear(&net);
  flow_plan_clear(&plan);
  return berth_cost_evaluate(c, BERTH_MODEL_FLOW, pu_of_rank) / cost - 1;
}

static berth_pattern_t *blocking(berth_pattern_t *p)
{
  size_t n;
  const berth_message_t *m = berth_pattern_messages(p, 0, &n);
  berth_step_t sends[8];
  for (size_t i = 0, end; i < n; i = end) {
    for (end = i; end < n && m[end].src == m[i].src; end++)
      sends[end - i] = (berth_step_t){m[end].dst, 1, m[end].size, m[end].count};
    berth_order_t order = {0, m[i].src, 1, end - i, sends};
    if (berth_pattern_add_order(p, &order, NULL)) return NULL;
  }
  return berth_pattern_finish(p, NULL) ? NULL : p;
}

static void measure(const char *name, berth_pattern_t *p, const char *placed, int with_error)
{
  int ranks = berth_pattern_ranks(p), *pu_of_rank = malloc((size_t)ranks * sizeof *pu_of_rank);
  size_t pairs;
  berth_topo_t *t = machine(ranks);
  berth_cost_t *c = berth_cost_new(p, t, NULL);
  for (int i = 0; i < ranks; i++) pu_of_rank[i] = i;
  if (*placed == 'r') shuffle(pu_of_rank, ranks);
  berth_pattern_messages(p, 0, &pairs);
  double cost = 0, least = 1e9, most = 0;
  for (int i = 0; i <= RUNS; i++) {
    double begin = now();
    cost = berth_cost_evaluate(c, BERTH_MODEL_FLOW, pu_of_rank);
    double seconds = now() - begin;
    if (i == 0) continue; /* makes the plan */
    if (seconds < least) least = seconds;
    if (seconds > most) most = seconds;
  }
  printf("%-8s %5d ranks %6zu pairs, placed %-8s: %10.6f to %.6f s each; cost %.6f s, bound %.6f s",
         name, ranks, pairs, placed, least, most, cost,
         berth_cost_evaluate(c, BERTH_MODEL_BOUND, pu_of_rank));
  if (with_error) printf(", steps change the cost by %+.2e", error_of_steps(c, pu_of_rank));
  putchar('\n');
  fflush(stdout);
  berth_cost_free(c);
  berth_topo_free(t);
  berth_pattern_free(p);
  free(pu_of_rank);
}

int main(int argc, char **argv)
{
  (void)argv;
  int all =
      argc > 1; /* with any argument: the exact run of 4,096 ranks, too, which takes minutes */
  measure("stencil", stencil(2, 2, 4), "random", 1);
  measure("stencil", stencil(8, 8, 16), "in order", 1);
  measure("stencil", stencil(8, 8, 16), "random", 1);
  measure("stencil", stencil(16, 16, 16), "in order", 1);
  measure("stencil", stencil(16, 16, 16), "random", all);
  measure("random", random_pattern(1024), "in order", 1);
  measure("random", random_pattern(1024), "random", 1);
  measure("random", random_pattern(4096), "in order", all);
  measure("random", random_pattern(4096), "random", all);
  measure("blocking", blocking(stencil(16, 16, 16)), "random", 1);
  measure("blocking", blocking(random_pattern(1024)), "random", 1);
  measure("blocking", blocking(random_pattern(4096)), "random", all);
  return 0;
}
