/* SPDX-License-Identifier: BSD-3-Clause */
/* algorithms: what an estimate of one call takes, by algorithm and ranks, and how far estimates of
 * all-to-alls are from the sum of their rounds.
 *
 *   cmake --preset default -DBERTH_BENCH=ON && cmake --build build
 *   build/bench/bench_algorithms RANKS      each algorithm, on one communicator of all ranks
 *   build/bench/bench_algorithms            differences, 64 to 512 ranks
 *
 * Times are CPU times. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "collectives/coll_dense.h"

#include <berth/collectives.h>
#include <berth/cost.h>

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* --- inputs --- */

/* Racks of hosts of PUs; a rack's uplink carries as much as `uplinks` hosts'. */
typedef struct shape {
  int racks, hosts, pus;
  double uplinks;
} shape_t;

static berth_port_t port(int curve, double capacity)
{
  return (berth_port_t){{curve, capacity}, {curve, capacity}};
}

static berth_topo_t *machine(const shape_t *s)
{
  double size[] = {1, 1024, 65536, 1048576};
  double far[] = {5e5, 3e8, 9e9, 1.2e10}, near[] = {3e6, 1.5e9, 8e9, 1e10};
  berth_curve_t link = {"link", "", 4, size, far}, memory = {"memory", "", 4, size, near};
  berth_topo_t *t = berth_topo_new("racks", NULL);
  int l = berth_topo_add_curve(t, &link, NULL), m = berth_topo_add_curve(t, &memory, NULL);
  berth_type_t host = {"host", port(l, 1.25e10), port(m, 1e11), 0};
  berth_type_t rack = {"rack", port(l, s->uplinks * 1.25e10), port(l, 1.25e10), 0};
  berth_type_t spine = {"spine", port(-1, 0), port(l, s->uplinks * 1.25e10), 0};
  int h = berth_topo_add_type(t, &host, NULL), r = berth_topo_add_type(t, &rack, NULL);
  int top = berth_topo_add_switch(t, -1, berth_topo_add_type(t, &spine, NULL), "spine", NULL, NULL);
  for (int i = 0; i < s->racks; i++) {
    int at = berth_topo_add_switch(t, top, r, "rack", NULL, NULL);
    for (int k = 0; k < s->hosts; k++) {
      char name[32];
      snprintf(name, sizeof name, "h%d-%d", i, k);
      int on = berth_topo_add_switch(t, at, h, name, name, NULL);
      for (int p = 0; p < s->pus; p++) berth_topo_add_pu(t, on, p, p, NULL);
    }
  }
  berth_topo_finish(t, NULL);
  return t;
}

static uint64_t random_state = 16;
static uint32_t random_below(uint32_t n)
{
  random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(((random_state >> 32) * n) >> 32);
}

/* 0: in order; 1: by hosts in turn; else random. */
static int *placement(const shape_t *s, int ranks, int way)
{
  int *pu = malloc((size_t)ranks * sizeof *pu), hosts = s->racks * s->hosts;
  for (int r = 0; r < ranks; r++) pu[r] = way == 1 ? r % hosts * s->pus + r / hosts : r;
  for (int r = ranks - 1; r > 0 && way > 1; r--) {
    int other = (int)random_below((uint32_t)r + 1), before = pu[r];
    pu[r] = pu[other];
    pu[other] = before;
  }
  return pu;
}

/* A pattern with one call: as berth_collectives_include adds it, or as dense phases if `dense`.
 * NULL: that can't be. */
static berth_pattern_t *one_call(const schedule_stage_t *stage, int most, bool dense)
{
  bool added = false;
  coll_rounds_t in;
  coll_class_t class = {.op = "MPI_Any", .calls = 1, .request = {stage->call, stage->element}};
  coll_group_t g = {&class, 1};
  berth_pattern_t *p = berth_pattern_new(stage->call.size, NULL);
  berth_pattern_finish(p, NULL);
  coll_rounds_begin(&in, p, NULL, NULL);
  if (!dense) coll_rounds_add_call(&in, &g, 1, stage, (size_t)most, &added);
  if (!added && (dense || most == BERTH_MAX_ROUND_MESSAGES))
    coll_dense_add_call(&in, &g, 1, stage, &added);
  coll_rounds_end(&in);
  if (added && berth_pattern_finish(p, NULL) == BERTH_OK) return p;
  berth_pattern_free(p);
  return NULL;
}

/* --- times --- */

static schedule_stage_t stage_of(const schedule_algorithm_t *a, int size, int64_t count)
{
  schedule_stage_t s = {.algorithm = a, .element = 8};
  s.call = (schedule_call_t){
      .op = a->op, .size = size, .count = count, .degree = 4, .commutative = true};
  return s;
}

static void time_algorithm(const schedule_stage_t *s, const shape_t *shape)
{
  double start = now();
  berth_pattern_t *p = one_call(s, BERTH_MAX_ROUND_MESSAGES, false);
  double messages = now() - start;
  printf("| %s %s ", schedule_op_name(s->algorithm->op), s->algorithm->name);
  if (!p) {
    printf("| not included | %.2f | | | |\n", messages);
    return;
  }
  size_t phases;
  berth_pattern_phases(p, &phases);
  berth_topo_t *t = machine(shape);
  int *pu = placement(shape, s->call.size, 2);
  start = now();
  berth_cost_t *c = berth_cost_new(p, t, NULL);
  double prepared = now() - start;
  start = now();
  double cost = berth_cost_evaluate(c, BERTH_MODEL_PORT, pu);
  double evaluated = now() - start;
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  printf("| %.4g s | %.2f | %.2f | %.3f | %ld MiB |\n", cost, messages, prepared, evaluated,
         u.ru_maxrss / 1024);
}

/* Each algorithm has a process of its own, so that its memory can be told. */
static void time_all(int ranks)
{
  size_t n;
  shape_t shape = {ranks >> 10 ? 1 << ((31 - __builtin_clz((unsigned)ranks) - 6) / 2) : 4, 0, 64,
                   0};
  shape.hosts = (ranks + shape.racks * 64 - 1) / (shape.racks * 64);
  shape.uplinks = shape.hosts / 4.0;
  const schedule_algorithm_t *list = schedule_algorithms(&n);
  printf("%d ranks at random on %d racks of %d hosts of 64 PUs\n\n", ranks, shape.racks,
         shape.hosts);
  printf("| algorithm | cost | messages, s | prepare, s | evaluate, s | memory |\n");
  printf("|---|---|---|---|---|---|\n");
  for (size_t i = 0; i < n; i++) {
    unsigned needs = list[i].needs;
    int64_t large = SCHEDULE_ELEMENT_A_RANK | SCHEDULE_ELEMENT_A_PART;
    bool gathers = strstr(list[i].name, "ring") || strstr(list[i].name, "scatter");
    int64_t count = (needs & large) || gathers ? ranks : 16;
    if (schedule_block_kind(list[i].op) != SCHEDULE_ONE_BLOCK) count = 1;
    schedule_stage_t s = stage_of(&list[i], ranks, count);
    if (!schedule_serves(&list[i], &s.call)) continue;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
      time_algorithm(&s, &shape);
      fflush(stdout);
      _exit(0);
    }
    waitpid(child, NULL, 0);
  }
}

/* --- differences --- */

static double cost_of(const berth_pattern_t *p, const berth_topo_t *t, const int *pu)
{
  berth_cost_t *c = berth_cost_new(p, t, NULL);
  double cost = berth_cost_evaluate(c, BERTH_MODEL_PORT, pu);
  berth_cost_free(c);
  return cost;
}

typedef struct spread {
  double low, high, sum;
  int n;
} spread_t;

static void compare(const schedule_stage_t *s, const shape_t *shape, int way, spread_t *to)
{
  berth_pattern_t *listed = one_call(s, 1 << 22, false), *dense = one_call(s, 0, true);
  berth_topo_t *t = machine(shape);
  int *pu = placement(shape, s->call.size, way);
  double off = cost_of(dense, t, pu) / cost_of(listed, t, pu) - 1;
  to->low = to->n == 0 || off < to->low ? off : to->low;
  to->high = to->n == 0 || off > to->high ? off : to->high;
  to->sum += fabs(off);
  to->n++;
  free(pu);
  berth_topo_free(t);
  berth_pattern_free(listed);
  berth_pattern_free(dense);
}

static void compare_all(void)
{
  static const shape_t shape[] = {{2, 4, 8, 4}, {4, 4, 8, 1}, {4, 8, 8, 2}, {2, 8, 32, 2}};
  static const int64_t count[] = {1, 128, 8192}; /* elements of 8 B */
  static const char *const ways[] = {"in order", "by hosts in turn", "random"};
  size_t n;
  const schedule_algorithm_t *list = schedule_algorithms(&n);
  puts("| algorithm | placement | lowest | highest | mean size | cases |");
  puts("|---|---|---|---|---|---|");
  for (size_t i = 0; i < n; i++) {
    if (!(list[i].needs & SCHEDULE_EACH_PAIR) ||
        schedule_block_kind(list[i].op) > SCHEDULE_EQUAL_BLOCKS)
      continue;
    for (int way = 0; way < 3; way++) {
      spread_t spread = {0};
      for (size_t k = 0; k < sizeof shape / sizeof *shape; k++)
        for (size_t m = 0; m < sizeof count / sizeof *count; m++) {
          int size = shape[k].racks * shape[k].hosts * shape[k].pus;
          schedule_stage_t s = stage_of(&list[i], size, count[m]);
          if (!schedule_serves(&list[i], &s.call)) continue;
          for (int round = 0; round < (way == 2 ? 3 : 1); round++)
            compare(&s, &shape[k], way, &spread);
        }
      if (spread.n == 0) continue;
      printf("| %s %s | %s | %+.1f%% | %+.1f%% | %.1f%% | %d |\n", schedule_op_name(list[i].op),
             list[i].name, ways[way], 100 * spread.low, 100 * spread.high,
             100 * spread.sum / spread.n, spread.n);
      fflush(stdout);
    }
  }
}

int main(int argc, char **argv)
{
  if (argc > 1)
    time_all(atoi(argv[1]));
  else
    compare_all();
  return 0;
}
