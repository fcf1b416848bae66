/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that MPICH composes by hosts cost what their messages cost on the hosts of a placement. */
#include <berth/collectives.h>
#include <berth/cost.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "map/random_instance.h"

enum { RANKS = 8, CALLS = 10 };

/* Hosts of so many PUs below one switch. */
static berth_topo_t *machine(int hosts, int pus)
{
  const berth_port_t net = {.out = {.curve = -1, .capacity = 1e8},
                            .in = {.curve = -1, .capacity = 1e8}},
                     own = {.out = {.curve = -1, .capacity = 1e9},
                            .in = {.curve = -1, .capacity = 1e9}};
  const berth_port_t none = {.out = {.curve = -1}, .in = {.curve = -1}};
  const berth_type_t root = {.name = "root", .up = none, .down = net},
                     host = {.name = "host", .up = none, .down = own};
  berth_topo_t *t = berth_topo_new("hosts", NULL);
  assert_int_equal(berth_topo_add_type(t, &root, NULL), 0);
  assert_int_equal(berth_topo_add_type(t, &host, NULL), 1);
  assert_int_equal(berth_topo_add_switch(t, -1, 0, "root", NULL, NULL), 0);
  for (int h = 0; h < hosts; h++) {
    char name[16];
    snprintf(name, sizeof name, "h%d", h);
    int e = berth_topo_add_switch(t, 0, 1, name, name, NULL);
    for (int i = 0; i < pus; i++) assert_true(berth_topo_add_pu(t, e, i, i, NULL) > 0);
  }
  assert_int_equal(berth_topo_finish(t, NULL), BERTH_OK);
  return t;
}

static berth_pattern_t *call_of(const char *op, uint64_t bytes)
{
  berth_pattern_t *p = berth_pattern_new(RANKS, NULL);
  const berth_coll_t coll = {.op = op, .bytes = bytes, .count = CALLS, .root = -1};
  assert_int_equal(berth_pattern_add_coll(p, &coll, NULL), BERTH_OK);
  assert_int_equal(berth_pattern_finish(p, NULL), BERTH_OK);
  return p;
}

/* Rounds as "1024: 1>0 3>2 512: 2>0": each begins with the bytes of its messages. */
static berth_pattern_t *pattern_of_rounds(const char *text)
{
  berth_pattern_t *p = berth_pattern_new(RANKS, NULL);
  int phase = 0, src, dst, length;
  uint64_t bytes = 0;
  unsigned long long found;
  for (; *text; text += length) {
    length = 0;
    if (sscanf(text, " %llu:%n", &found, &length) == 1 && length > 0) {
      bytes = found;
      const berth_phase_t round = {.id = phase++, .name = "", .repeats = CALLS};
      assert_int_equal(berth_pattern_add_phase(p, &round, NULL), BERTH_OK);
      continue;
    }
    assert_int_equal(sscanf(text, " %d>%d%n", &src, &dst, &length), 2);
    const berth_message_t m = {
        .phase = phase - 1, .src = src, .dst = dst, .size = bytes, .count = 1, .bytes = bytes};
    assert_int_equal(berth_pattern_add_message(p, &m, NULL), BERTH_OK);
  }
  assert_int_equal(berth_pattern_finish(p, NULL), BERTH_OK);
  return p;
}

static double cost_of(const berth_pattern_t *p, const berth_topo_t *t, berth_model_t model,
                      const int *pu_of_rank)
{
  berth_error_t err = {0};
  berth_cost_t *c = berth_cost_new(p, t, &err);
  if (!c) fail_msg("%s", err.text);
  double cost = berth_cost_evaluate(c, model, pu_of_rank);
  if (berth_cost_ran_out(c, &err)) fail_msg("%s", err.text);
  berth_cost_free(c);
  return cost;
}

static bool is_near(double a, double b) { return fabs(a - b) <= 1e-9 * b; }

/* What MPICH 4.0 sends for one MPI_Allreduce of 1 KiB on two hosts of four ranks,
 * round by round. */
static const struct {
  const char *name, *op;
  uint64_t bytes;
  int pu_of_rank[RANKS];
  const char *rounds;
} cases[] = {
    {"host by host",
     "MPI_Allreduce",
     1024,
     {0, 1, 2, 3, 4, 5, 6, 7},
     "1024: 1>0 3>2 5>4 7>6 1024: 2>0 6>4 512: 0>4 4>0 512: 0>4 4>0 "
     "1024: 0>1 0>2 4>5 4>6 1024: 2>3 6>7"},
    {"in turns",
     "MPI_Allreduce",
     1024,
     {0, 4, 1, 5, 2, 6, 3, 7},
     "1024: 2>0 6>4 3>1 7>5 1024: 4>0 5>1 512: 0>1 1>0 512: 0>1 1>0 "
     "1024: 0>2 0>4 1>3 1>5 1024: 4>6 5>7"},
    {"the second host first",
     "MPI_Allreduce",
     1024,
     {4, 5, 6, 7, 0, 1, 2, 3},
     "1024: 1>0 3>2 5>4 7>6 1024: 2>0 6>4 512: 0>4 4>0 512: 0>4 4>0 "
     "1024: 0>1 0>2 4>5 4>6 1024: 2>3 6>7"},
};

static void costs_are_those_of_the_messages(void **state)
{
  (void)state;
  berth_topo_t *t = machine(2, 4);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    berth_pattern_t *p = call_of(cases[i].op, cases[i].bytes),
                    *rounds = pattern_of_rounds(cases[i].rounds);
    assert_int_equal(berth_collectives_include_by_hosts(p, "mpich-4.0", 0, NULL, NULL), BERTH_OK);
    for (int m = BERTH_MODEL_PORT; m <= BERTH_MODEL_SUM; m++) {
      double found = cost_of(p, t, (berth_model_t)m, cases[i].pu_of_rank),
             expected = cost_of(rounds, t, (berth_model_t)m, cases[i].pu_of_rank);
      if (!is_near(found, expected))
        fail_msg("%s, model %s: found %g s, expected %g s", cases[i].name,
                 berth_model_name((berth_model_t)m), found, expected);
    }
    double flow = cost_of(p, t, BERTH_MODEL_FLOW, cases[i].pu_of_rank);
    assert_true(flow > 0 && flow <= cost_of(rounds, t, BERTH_MODEL_FLOW, cases[i].pu_of_rank));
    berth_pattern_free(p);
    berth_pattern_free(rounds);
  }
  berth_topo_free(t);
}

/* One evaluator serves placements with other hosts, in any order. */
static void an_evaluator_follows_the_placement(void **state)
{
  (void)state;
  berth_topo_t *t = machine(2, 4);
  berth_pattern_t *p = call_of("MPI_Allreduce", 1024);
  static const int uneven[] = {0, 1, 4, 5, 6, 7, 2, 3};
  assert_int_equal(berth_collectives_include_by_hosts(p, "mpich-4.0", 0, NULL, NULL), BERTH_OK);
  berth_cost_t *c = berth_cost_new(p, t, NULL);
  const int *placements[] = {cases[0].pu_of_rank, uneven, cases[1].pu_of_rank, cases[0].pu_of_rank};
  for (size_t i = 0; i < 4; i++) {
    size_t n;
    berth_cost_result_t r;
    berth_load_t *loads;
    double cost = berth_cost_evaluate(c, BERTH_MODEL_PORT, placements[i]), bytes = 0;
    assert_true(cost == cost_of(p, t, BERTH_MODEL_PORT, placements[i]));
    assert_int_equal(berth_cost_explain(c, BERTH_MODEL_PORT, placements[i], 10, &r, NULL),
                     BERTH_OK);
    assert_true(r.cost_s == cost);
    assert_int_equal(r.n_phases, 2);
    assert_true(is_near(r.phases[1].repeats * r.phases[1].cost_s, cost));
    assert_true(r.phases[1].has_bottleneck && r.phases[1].n_listed > 0);
    assert_int_equal(berth_cost_loads(c, BERTH_MODEL_PORT, 1, placements[i], &loads, &n, NULL),
                     BERTH_OK);
    for (size_t k = 0; k < n; k++)
      if (loads[k].resource.element == r.phases[1].bottleneck.element) bytes += loads[k].bytes;
    assert_true(bytes >= r.phases[1].bottleneck_bytes);
    free(loads);
    berth_cost_result_clear(&r);
  }
  berth_cost_free(c);
  berth_pattern_free(p);
  berth_topo_free(t);
}

/* Without a shared host, and after MPIR_CVAR_NOLOCAL, calls are those of ranks apart. */
static void ranks_apart_need_no_hosts(void **state)
{
  (void)state;
  static const int linear[] = {0, 1, 2, 3, 4, 5, 6, 7};
  const berth_parameter_t nolocal = {.name = "MPIR_CVAR_NOLOCAL", .value = "1"};
  berth_topo_t *apart = machine(8, 1), *shared = machine(2, 4);
  berth_pattern_t *flat = call_of("MPI_Allreduce", 1024), *p = call_of("MPI_Allreduce", 1024),
                  *told = call_of("MPI_Allreduce", 1024);
  assert_int_equal(berth_pattern_add_parameter(told, &nolocal, NULL), BERTH_OK);
  assert_int_equal(berth_pattern_finish(told, NULL), BERTH_OK);
  assert_int_equal(berth_collectives_include(flat, "mpich-4.0", NULL, NULL), BERTH_OK);
  assert_int_equal(berth_collectives_include_by_hosts(p, "mpich-4.0", 0, NULL, NULL), BERTH_OK);
  assert_int_equal(berth_collectives_include_by_hosts(told, "mpich-4.0", 0, NULL, NULL), BERTH_OK);
  for (int m = 0; m < BERTH_N_MODELS; m++) {
    berth_model_t model = (berth_model_t)m;
    assert_true(is_near(cost_of(p, apart, model, linear), cost_of(flat, apart, model, linear)));
    assert_true(cost_of(told, shared, model, linear) == cost_of(flat, shared, model, linear));
  }
  assert_false(is_near(cost_of(p, shared, BERTH_MODEL_SUM, cases[1].pu_of_rank),
                       cost_of(flat, shared, BERTH_MODEL_SUM, cases[1].pu_of_rank)));
  berth_pattern_free(flat);
  berth_pattern_free(p);
  berth_pattern_free(told);
  berth_topo_free(apart);
  berth_topo_free(shared);
}

/* An exchange takes a message of each rank in each round: of very many ranks more than a list may
 * have. */
static void calls_of_too_many_messages_count_as_ranks_apart(void **state)
{
  (void)state;
  static const struct {
    int ranks, by_hosts;
  } rows[] = {{1024, 1}, {1 << 16, 1}, {1 << 18, 0}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    size_t n;
    int by_hosts = 0;
    berth_error_t err = {0};
    berth_pattern_t *p = berth_pattern_new(rows[i].ranks, NULL);
    const berth_coll_t coll = {.op = "MPI_Allreduce", .bytes = 1024, .count = CALLS, .root = -1};
    assert_int_equal(berth_pattern_add_coll(p, &coll, NULL), BERTH_OK);
    if (berth_pattern_finish(p, &err) ||
        berth_collectives_include_by_hosts(p, "mpich-4.0", 0, NULL, &err))
      fail_msg("%s", err.text);
    const berth_phase_t *phase = berth_pattern_phases(p, &n);
    for (size_t k = 0; k < n; k++) by_hosts += phase[k].by_hosts;
    if (by_hosts != rows[i].by_hosts)
      fail_msg("%d ranks: found %d phases by hosts, expected %d", rows[i].ranks, by_hosts,
               rows[i].by_hosts);
    assert_true(n > 1);
    berth_pattern_free(p);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(costs_are_those_of_the_messages),
      cmocka_unit_test(an_evaluator_follows_the_placement),
      cmocka_unit_test(ranks_apart_need_no_hosts),
      cmocka_unit_test(calls_of_too_many_messages_count_as_ranks_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
