/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a core should be left free: made-up runs on hosts of four cores under made-up noise. */
#include <berth/reserve.h>
#include <math.h>
#include <stdbool.h>

#include "harness.h"

enum { CORES = 4 };

/* Interruptions of 1 ms, 50 a second, on the last core or on all; with the last core left idle, on
 * the others, or nowhere. */
typedef enum { NOWHERE, LAST, ALL, MOVES } where_t;

static berth_node_t *noisy(where_t where)
{
  static const double length = 1e-3, many = 5000, none = 0;
  berth_node_t *n = berth_node_new("", "", NULL);
  for (int idle = -1; idle < CORES; idle += CORES) /* -1, then the last core */
    for (int pu = 0; pu < CORES; pu++) {
      if (pu == idle) continue;
      bool hit = where == ALL || (where == LAST && pu == CORES - 1) || (where == MOVES && idle < 0);
      berth_node_noise_t z = {.pu = pu, .idle = idle, .quantum_s = 1e-5, .seconds = 100};
      z.lost = hit ? many * length / 100 : 0;
      z.longest_s = hit ? length : 0;
      z.n = hit;
      z.at_least_s = &length;
      z.count = hit ? &many : &none;
      assert_int_equal(berth_node_add_noise(n, &z, NULL), BERTH_OK);
    }
  static const double at = 0, reading_s = 20e-9, spread = 0.01;
  static const int samples = 3;
  const berth_node_curve_t clock = {.what = BERTH_NODE_TIMER,
                                    .name = "clock",
                                    .state = "",
                                    .core_numa = -1,
                                    .memory_numa = -1,
                                    .n = 1,
                                    .x = &at,
                                    .y = &reading_s,
                                    .samples = &samples,
                                    .spread = &spread};
  assert_int_equal(berth_node_add_curve(n, &clock, NULL), BERTH_OK);
  return n;
}

static berth_topo_t *machine(int hosts, int cores, where_t where)
{
  berth_topo_t *t = berth_topo_new("", NULL);
  berth_node_t *n = noisy(where);
  berth_type_t network = {.name = "network"}, host = {.name = "host", .node = n};
  network.up.out.curve = network.up.in.curve = network.down.out.curve = network.down.in.curve = -1;
  host.up = host.down = network.up;
  int a = berth_topo_add_type(t, &network, NULL), b = berth_topo_add_type(t, &host, NULL);
  int root = berth_topo_add_switch(t, -1, a, "network", NULL, NULL);
  for (int h = 0; h < hosts; h++) {
    char name[16];
    snprintf(name, sizeof name, "h%d", h);
    int e = berth_topo_add_switch(t, root, b, name, name, NULL);
    for (int i = 0; i < cores; i++) berth_topo_add_pu(t, e, i, i, NULL);
  }
  assert_int_equal(berth_topo_finish(t, NULL), BERTH_OK);
  berth_node_free(n);
  return t;
}

/* A run in which ranks compute so long, the first one `more_s` longer, between so many calls and
 * messages to the next rank. They are 10 ms in MPI. Both times are longer if they wait for a core.
 */
typedef struct run {
  int ranks;
  double compute_s, more_s, unsure_s;
  const char *op;
  int calls, messages;
  double core_wait; /* the share of the run that ranks waited for a core, independently */
  bool first_waits; /* only the first one; the others waited in MPI for it */
  bool unknown;     /* nobody knows it */
} run_t;

static int put_rank(char *to, const run_t *run, int r)
{
  bool waits = !run->first_waits || r == 0;
  double share = waits ? run->core_wait : 0, compute_s = run->compute_s + (r ? 0 : run->more_s);
  double outside_s = compute_s / (1 - share), mpi_s = 0.01 / (1 - share);
  if (!waits) mpi_s += (compute_s + 0.01) / (1 - run->core_wait) - (compute_s + 0.01);
  int n = sprintf(
      to,
      "{\"kind\":\"rank\",\"rank\":%d,\"host\":\"h\",\"pu\":0,\"wall_s\":%.15g,\"mpi_s\":%.15g,"
      "\"unsure_s\":%g",
      r, outside_s + mpi_s, mpi_s, run->unsure_s);
  if (!run->unknown) n += sprintf(to + n, ",\"core_wait_s\":%.15g", outside_s * share);
  return n + sprintf(to + n, "}\n");
}

static berth_pattern_t *pattern_of(const run_t *run)
{
  static char text[65536];
  int n = sprintf(text,
                  "{\"format\":\"berth-pattern\",\"version\":1,\"ranks\":%d}\n"
                  "{\"kind\":\"phase\",\"id\":0,\"name\":\"all\",\"repeats\":1}\n",
                  run->ranks);
  for (int r = 0; r < run->ranks; r++) n += put_rank(text + n, run, r);
  if (run->calls)
    n += sprintf(text + n,
                 "{\"kind\":\"coll\",\"phase\":0,\"site\":0,\"comm\":0,\"op\":\"%s\","
                 "\"bytes\":8,\"count\":%d,\"root\":null}\n",
                 run->op, run->calls);
  for (int r = 0; r < run->ranks && run->messages; r++)
    n += sprintf(text + n, "{\"kind\":\"p2p\",\"phase\":0,\"src\":%d,\"msgs\":[[%d,8,%d]]}\n", r,
                 (r + 1) % run->ranks, run->messages);
  n += sprintf(text + n, "{\"kind\":\"end\",\"records\":%d}\n",
               1 + run->ranks + (run->calls > 0) + (run->messages ? run->ranks : 0));
  const char *path = scratch_file("run.acp", text, (size_t)n);
  berth_error_t err = {0};
  berth_pattern_t *p = berth_pattern_load(path, 0, &err);
  unlink(path);
  if (!p) FAIL_ROW("pattern", "%s", err.text);
  return p;
}

static berth_pattern_t *run_of(int ranks, double compute_s, const char *op, int calls)
{
  return pattern_of(&(run_t){.ranks = ranks, .compute_s = compute_s, .op = op, .calls = calls});
}

static const struct {
  const char *name;
  where_t where;
  int hosts, ranks;
  double compute_s;
  int calls;
  berth_reserve_verdict_t verdict;
  bool fits;
} rows[] = {
    {"no noise, all cores needed", NOWHERE, 1, 4, 1, 100, BERTH_RESERVE_NONE, false},
    {"no noise, a core is free anyway", NOWHERE, 1, 3, 1, 100, BERTH_RESERVE_UNSURE, true},
    {"noise stays, all cores needed", ALL, 1, 4, 1, 100, BERTH_RESERVE_NONE, false},
    {"noise on the last core, which is free anyway", LAST, 1, 3, 1, 10000, BERTH_RESERVE_UNSURE,
     true},
    {"noise that moves, and a core is free anyway", MOVES, 1, 3, 1, 1000, BERTH_RESERVE_UNSURE,
     true},
    {"noise that moves, one of two hosts is full", MOVES, 2, 6, 1, 1000, BERTH_RESERVE_ONE, true},
    {"noise that moves to the idle core, short steps on many hosts", MOVES, 64, 256, 1, 1000,
     BERTH_RESERVE_ONE, false},
    {"the same, without calls", MOVES, 64, 256, 1, 0, BERTH_RESERVE_NONE, false},
    {"the same on one host", MOVES, 1, 4, 1, 100, BERTH_RESERVE_NONE, false}};

static void verdicts(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(rows); i++) {
    berth_error_t err = {0};
    berth_reserve_t r;
    berth_topo_t *t = machine(rows[i].hosts, CORES, rows[i].where);
    berth_pattern_t *p = run_of(rows[i].ranks, rows[i].compute_s, "MPI_Allreduce", rows[i].calls);
    if (berth_reserve_estimate(p, t, &r, &err)) FAIL_ROW(rows[i].name, "%s", err.text);
    if (r.verdict != rows[i].verdict || !r.fits != !rows[i].fits)
      FAIL_ROW(rows[i].name, "verdict %d, fits %d: %g (%g to %g), %g (%g to %g)", (int)r.verdict,
               r.fits, r.all.total_s, r.all.low_s, r.all.high_s, r.spared.total_s, r.spared.low_s,
               r.spared.high_s);
    berth_pattern_free(p);
    berth_topo_free(t);
  }
}

/* Without noise. The clock takes 20 ns, so the recorder adds 90 ns outside of a collective call,
 * and 20 ns to each send and each receive. */
static void what_ranks_and_the_recorder_do(void **state)
{
  static const struct {
    const char *name;
    int cores;
    run_t run;
    double compute_s, imbalance_s, comm_s;       /* with all cores */
    double spared_compute_s, spared_imbalance_s; /* with one less */
    berth_reserve_verdict_t verdict;
  } cases[] = {
      {"all alike",
       4,
       {4, 1, 0, 0, "MPI_Allreduce", 0, 0},
       1,
       0,
       0.01,
       4 / 3.0,
       0,
       BERTH_RESERVE_NONE},
      {"the first rank computes longer",
       4,
       {4, 1, 1, 0, "MPI_Allreduce", 0, 0},
       1.25,
       0.75,
       0.01,
       5 / 3.0,
       1,
       BERTH_RESERVE_NONE},
      {"a single rank waits for nobody",
       2,
       {2, 1, 1, 0, "MPI_Allreduce", 0, 0},
       1.5,
       0.5,
       0.01,
       3,
       0,
       BERTH_RESERVE_NONE},
      {"calls, the recorder is a small part",
       4,
       {4, 1, 0, 0, "MPI_Allreduce", 10000, 0},
       0.9991,
       0,
       0.01,
       1.33213333,
       0,
       BERTH_RESERVE_NONE},
      {"calls, the recorder is most",
       4,
       {4, 0.006, 0, 0, "MPI_Allreduce", 60000, 0},
       0.0006,
       0,
       0.01,
       0.0008,
       0,
       BERTH_RESERVE_UNSURE},
      {"messages, the recorder is most",
       4,
       {4, 0.02, 0, 0, "MPI_Allreduce", 0, 450000},
       0.002,
       0,
       0.01,
       0.00266666,
       0,
       BERTH_RESERVE_UNSURE},
      {"other processes had the cores for a fifth of the run: ranks may have waited for each other",
       4,
       {4, 1, 1, 0, "MPI_Allreduce", 0, 0, .core_wait = 0.2},
       1.25,
       0.75,
       0,
       5 / 3.0,
       1,
       BERTH_RESERVE_NONE},
      {"they had the first rank's",
       4,
       {4, 1, 0, 0, "MPI_Allreduce", 0, 0, .core_wait = 0.2, .first_waits = true},
       1,
       0,
       0.01,
       4 / 3.0,
       0,
       BERTH_RESERVE_NONE},
      {"nobody knows whether they had: by the record there was no noise",
       4,
       {4, 1, 1, 0, "MPI_Allreduce", 0, 0, .core_wait = 0.2, .unknown = true},
       1.5625,
       0.9375,
       0.0125,
       25 / 12.0,
       1.25,
       BERTH_RESERVE_NONE},
      {"time that may be MPI's",
       4,
       {4, 1, 0, 1.01, "MPI_Allreduce", 0, 0},
       1,
       0,
       0.01,
       4 / 3.0,
       0,
       BERTH_RESERVE_UNSURE},
  };
  (void)state;
  for (size_t i = 0; i < COUNT(cases); i++) {
    berth_reserve_t r;
    berth_topo_t *t = machine(1, cases[i].cores, NOWHERE);
    berth_pattern_t *p = pattern_of(&cases[i].run);
    assert_int_equal(berth_reserve_estimate(p, t, &r, NULL), BERTH_OK);
    const double is[] = {r.all.compute_s, r.all.imbalance_s, r.all.comm_s, r.spared.compute_s,
                         r.spared.imbalance_s};
    const double should[] = {cases[i].compute_s, cases[i].imbalance_s, cases[i].comm_s,
                             cases[i].spared_compute_s, cases[i].spared_imbalance_s};
    for (size_t k = 0; k < COUNT(is); k++)
      if (fabs(is[k] - should[k]) > 1e-6)
        FAIL_ROW(cases[i].name, "value %zu: found %g, expected %g", k, is[k], should[k]);
    if (r.verdict != cases[i].verdict) FAIL_ROW(cases[i].name, "verdict %d", (int)r.verdict);
    assert_true(r.all.low_s <= r.all.total_s && r.all.total_s <= r.all.high_s);
    berth_pattern_free(p);
    berth_topo_free(t);
  }
}

static void calls_that_return_at_once_are_no_steps(void **state)
{
  static const struct {
    const char *op;
    double calls;
  } ops[] = {{"MPI_Allreduce", 1000}, {"MPI_Iallreduce", 0}, {"MPI_Allreduce_init", 0}};
  (void)state;
  berth_topo_t *t = machine(2, CORES, MOVES);
  for (size_t i = 0; i < COUNT(ops); i++) {
    berth_reserve_t r;
    berth_pattern_t *p = run_of(6, 1, ops[i].op, 1000);
    assert_int_equal(berth_reserve_estimate(p, t, &r, NULL), BERTH_OK);
    if (r.calls != ops[i].calls) FAIL_ROW(ops[i].op, "found %g calls", r.calls);
    berth_pattern_free(p);
  }
  berth_topo_free(t);
}

static void what_is_missing_is_named(void **state)
{
  berth_error_t err = {0};
  berth_reserve_t r;
  (void)state;
  berth_topo_t *t = machine(1, CORES, ALL),
               *plain = berth_topo_from_description("a", "host(0:0*2+1+1)", &err);
  berth_pattern_t *p = run_of(4, 1, "MPI_Allreduce", 1), *many = run_of(5, 1, "MPI_Allreduce", 1);
  assert_non_null(plain);
  assert_int_equal(berth_reserve_estimate(p, plain, &r, &err), BERTH_NO_VERDICT);
  assert_string_equal(err.text,
                      "host a: found no noise with and without an idle core, expected a record "
                      "of berth calibrate node");
  assert_int_equal(berth_reserve_estimate(many, t, &r, &err), BERTH_NO_VERDICT);
  assert_string_equal(err.text, "found 5 ranks for 4 cores, expected at most one a core");
  berth_pattern_free(p);
  berth_pattern_free(many);
  berth_topo_free(t);
  berth_topo_free(plain);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(verdicts),
                                     cmocka_unit_test(what_ranks_and_the_recorder_do),
                                     cmocka_unit_test(calls_that_return_at_once_are_no_steps),
                                     cmocka_unit_test(what_is_missing_is_named)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
