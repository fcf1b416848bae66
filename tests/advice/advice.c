/* SPDX-License-Identifier: BSD-3-Clause */
/* What choices cost: as much as a pattern whose rules name that algorithm. Which settings there
 * are, and what the MPIs' files then say. */
#include <berth/advice.h>
#include <berth/collectives.h>
#include <math.h>
#include <stdbool.h>

#include "harness.h"

enum { RANKS = 8, MOST_CALLS = 4 };

typedef struct call {
  const char *op;
  uint64_t bytes, count;
  int root, comm; /* 1 and 2 are halves */
} call_t;

static const int halves[2][RANKS / 2] = {{0, 1, 2, 3}, {7, 6, 5, 4}};
static const int placed[RANKS] = {0, 2, 4, 6, 1, 3, 5, 7};

static berth_topo_t *topo(void)
{
  static const char text[] =
      "{\"format\": \"berth-topology\", \"version\": 1, \"name\": \"pairs\","
      " \"types\": {\"root\": {},"
      " \"host\": {\"up\": {\"max_bandwidth\": 1e7}, \"down\": {\"max_bandwidth\": 1e8}},"
      " \"switch\": {\"up\": {\"max_bandwidth\": 2e7}, \"down\": {\"max_bandwidth\": 1e9}}},"
      " \"root\": {\"type\": \"root\", \"name\": \"r\", \"children\": [{\"type\": \"switch\","
      " \"name\": \"s%d\", \"repeat\": 2, \"children\": [{\"type\": \"host\", \"name\": \"h%d\","
      " \"host\": \"h%d\", \"repeat\": 2, \"children\": [{\"pu\": 0, \"core\": 0},"
      " {\"pu\": 1, \"core\": 1}]}]}]}}";
  const char *path = scratch_file("t.json", text, sizeof text - 1);
  berth_topo_t *t = berth_topo_load(path, NULL);
  assert_non_null(t);
  unlink(path);
  return t;
}

static berth_pattern_t *pattern(const call_t *calls, size_t n)
{
  berth_pattern_t *p = berth_pattern_new(RANKS, NULL);
  berth_pattern_set_origin(p, "Open MPI 4.1.4", "", NULL);
  berth_pattern_add_phase(p, &(berth_phase_t){.id = 0, .name = "own", .repeats = 3}, NULL);
  for (int i = 0; i < 2; i++)
    berth_pattern_add_comm(p, &(berth_comm_t){i + 1, RANKS / 2, halves[i]}, NULL);
  for (size_t i = 0; i < n && calls[i].op; i++) {
    const call_t *c = &calls[i];
    berth_coll_t coll = {.site = (int)i + 1,
                         .comm = c->comm,
                         .op = c->op,
                         .bytes = c->bytes,
                         .count = c->count,
                         .root = c->root};
    assert_int_equal(berth_pattern_add_coll(p, &coll, NULL), BERTH_OK);
  }
  assert_int_equal(berth_pattern_finish(p, NULL), BERTH_OK);
  return p;
}

/* --- costs --- */

static const struct {
  const char *name, *mpi;
  call_t calls[MOST_CALLS];
  size_t choices; /* that serve */
  const char *taken;
} costs[] = {
    /* chain: 2 degrees, with and without 2 segments; pipeline, split and both binary trees,
       knomial: with and without them; linear and two that scatter */
    {"bcast", "openmpi-4.1", {{"MPI_Bcast", 65536, 2, 5}}, 6 + 5 * 3 + 3, "linear"},
    {"a small bcast", "openmpi-4.1", {{"MPI_Bcast", 4000, 2, 0}}, 2 + 5 + 3, "knomial"},
    {"reduce", "openmpi-4.1", {{"MPI_Reduce", 4000, 2, 5}}, 2 + 4 + 2, "binary"},
    {"allreduce", "openmpi-4.1", {{"MPI_Allreduce", 800000, 1, -1}}, 5, "rabenseifner"},
    {"allreduce in halves",
     "openmpi-4.1",
     {{"MPI_Allreduce", 8000, 4, -1, 1}, {"MPI_Allreduce", 8000, 4, -1, 2}},
     5,
     "recursive_doubling"},
    {"few elements", "openmpi-4.1", {{"MPI_Allreduce", 8, 1, -1}}, 3, NULL},
    {"a call that doesn't block", "openmpi-4.1", {{"MPI_Ibcast", 65536, 2, 5}}, 0, NULL},
    {"the same of MPICH", "mpich-4.0", {{"MPI_Ialltoall", 800, 9, -1}}, 0, NULL},
    {"a persistent one", "openmpi-4.1", {{"MPI_Allreduce_init", 800000, 1, -1}}, 0, NULL},
    {"alltoall", "openmpi-4.1", {{"MPI_Alltoall", 8 * 9000, 1, -1}}, 4, "linear_sync"},
    {"allgather", "openmpi-4.1", {{"MPI_Allgather", 9000, 1, -1}}, 5, NULL},
    {"barrier", "openmpi-4.1", {{"MPI_Barrier", 0, 7, -1}}, 5, "recursive_doubling"},
    {"can't be told", "openmpi-4.1", {{"MPI_Gather", 4000, 2, 1}}, 0, NULL},
    {"scan", "openmpi-4.1", {{"MPI_Scan", 4000, 2, -1}}, 0, NULL},
    {"allreduce of MPICH",
     "mpich-4.0",
     {{"MPI_Allreduce", 8000, 4, -1}},
     2,
     "reduce_scatter_allgather"},
    {"alltoall of MPICH", "mpich-4.0", {{"MPI_Alltoall", 8 * 9000, 1, -1}}, 3, "scattered"},
};

/* The cost by rules that know one algorithm. */
static double cost_by(const call_t *calls, const berth_choice_t *c, const char *op,
                      const berth_topo_t *t, berth_model_t model)
{
  char text[512], told[128] = "";
  int degree = c->degree ? c->degree : strcmp(c->algorithm, "knomial") == 0 ? 4 : 0;
  if (degree) snprintf(told, sizeof told, ", \"degree\": %d", degree);
  if (c->segment)
    snprintf(told + strlen(told), sizeof told - strlen(told), ", \"segment_bytes\": %llu",
             (unsigned long long)c->segment);
  const char *as = strcmp(c->algorithm, "pairwise") == 0 && strcmp(c->setting, "pairwise") == 0
                       ? "pairwise_xor" /* MPICH's */
                       : c->algorithm;
  int n = snprintf(text, sizeof text,
                   "{\"format\": \"berth-collectives\", \"version\": 1, \"name\": \"one\","
                   " \"algorithms\": {\"%s\": {\"told\": {\"as\": \"%s\"%s}}},"
                   " \"rules\": {\"%s\": [{\"algorithm\": \"told\"}]}}",
                   op, as, told, op);
  const char *path = scratch_file("rules.json", text, (size_t)n);
  berth_pattern_t *p = pattern(calls, MOST_CALLS);
  int rc = berth_collectives_include(p, path, NULL, NULL);
  unlink(path);
  berth_cost_t *cost = rc ? NULL : berth_cost_new(p, t, NULL);
  double s = cost ? berth_cost_evaluate(cost, model, placed) : NAN;
  berth_cost_free(cost);
  berth_pattern_free(p);
  return s;
}

/* Algorithms of which the list has no name are made of others. */
static bool is_composed(const char *name)
{
  return strcmp(name, "basic_linear") == 0 || strcmp(name, "nonoverlapping") == 0;
}

static void check_choices(size_t row, const berth_advised_t *g, const berth_topo_t *t,
                          berth_model_t model)
{
  char op[32];
  snprintf(op, sizeof op, "%s", g->op + strlen("MPI_"));
  op[0] = (char)(op[0] - 'A' + 'a');
  if (g->n != costs[row].choices)
    FAIL_ROW(costs[row].name, "%zu choices, expected %zu", g->n, costs[row].choices);
  for (size_t i = 0; i < g->n; i++) {
    const berth_choice_t *c = &g->choices[i];
    if (i && c->cost_s < c[-1].cost_s) FAIL_ROW(costs[row].name, "%s isn't in order", c->algorithm);
    if (is_composed(c->algorithm)) continue;
    double expected = cost_by(costs[row].calls, c, op, t, model);
    if (!(fabs(c->cost_s - expected) <= 1e-9 * expected))
      FAIL_ROW(costs[row].name, "%s, segment %d, degree %d: %.12g, expected %.12g", c->algorithm,
               (int)c->segment, c->degree, c->cost_s, expected);
  }
}

static void choices_cost_what_their_rounds_cost(void **state)
{
  (void)state;
  berth_topo_t *t = topo();
  for (size_t i = 0; i < COUNT(costs); i++)
    for (int model = 0; model < BERTH_N_MODELS; model++) {
      size_t n;
      berth_pattern_t *p = pattern(costs[i].calls, MOST_CALLS);
      assert_int_equal(berth_collectives_include(p, costs[i].mpi, NULL, NULL), BERTH_OK);
      berth_advice_t *a =
          berth_advice_new(p, t, (berth_model_t)model, placed, costs[i].mpi, 9, NULL);
      assert_non_null(a);
      const berth_advised_t *g = berth_advice_groups(a, &n);
      assert_int_equal(n, 1);
      berth_cost_t *cost = berth_cost_new(p, t, NULL);
      double all = berth_cost_evaluate(cost, (berth_model_t)model, placed);
      if (fabs(g->cost_s - all) > 1e-9 * all)
        FAIL_ROW(costs[i].name, "taken: %.12g, expected %.12g", g->cost_s, all);
      if (costs[i].taken && strcmp(g->algorithm, costs[i].taken) != 0)
        FAIL_ROW(costs[i].name, "takes %s, expected %s", g->algorithm, costs[i].taken);
      check_choices(i, g, t, (berth_model_t)model);
      berth_cost_free(cost);
      berth_advice_free(a);
      berth_pattern_free(p);
    }
  berth_topo_free(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(choices_cost_what_their_rounds_cost),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
