/* SPDX-License-Identifier: BSD-3-Clause */
/* What sharing cores costs, against closed forms, on two hosts:
 *
 *   a: cores 0 and 1 of two PUs, then core 2 of three; PUs 0 1, 2 3, 4 5 6
 *   b: core 0, two PUs below a switch, and core 1 of one PU; PUs 7 8, 9
 *
 * Ranks compute for 10, 8, 6 and 4 s, unless said otherwise. */
#include <berth/sharing.h>
#include <math.h>

#include "harness.h"

typedef struct numbers {
  size_t n;
  double value[3];
} numbers_t;

static berth_type_t type_of(const char *name, const numbers_t *slowdown)
{
  berth_port_dir_t none = {-1, 0};
  return (berth_type_t){.name = name,
                        .up = {none, none},
                        .down = {none, none},
                        .slowdown = slowdown->value,
                        .n_slowdowns = slowdown->n};
}

static berth_topo_t *machine(const numbers_t *of_a, const numbers_t *of_b, const numbers_t *of_core)
{
  berth_topo_t *t = berth_topo_new("two", NULL);
  const numbers_t nothing = {0};
  berth_type_t types[] = {type_of("top", &nothing), type_of("a", of_a), type_of("b", of_b),
                          type_of("core", of_core)};
  for (size_t i = 0; i < COUNT(types); i++)
    assert_int_equal(berth_topo_add_type(t, &types[i], NULL), (int)i);
  static const int core_of_a[] = {0, 0, 1, 1, 2, 2, 2};
  int root = berth_topo_add_switch(t, -1, 0, "top", NULL, NULL);
  int a = berth_topo_add_switch(t, root, 1, "a", "a", NULL);
  for (int i = 0; i < 7; i++) berth_topo_add_pu(t, a, i, core_of_a[i], NULL);
  int b = berth_topo_add_switch(t, root, 2, "b", "b", NULL);
  int core = berth_topo_add_switch(t, b, 3, "core", NULL, NULL);
  berth_topo_add_pu(t, core, 0, 0, NULL);
  berth_topo_add_pu(t, core, 2, 0, NULL);
  berth_topo_add_pu(t, b, 1, 1, NULL);
  assert_int_equal(berth_topo_finish(t, NULL), BERTH_OK);
  return t;
}

static berth_pattern_t *four_ranks(const berth_rank_info_t *info)
{
  berth_pattern_t *p = berth_pattern_new(4, NULL);
  for (int r = 0; r < 4; r++)
    if (info[r].host) assert_int_equal(berth_pattern_set_rank(p, r, &info[r], NULL), BERTH_OK);
  assert_int_equal(berth_pattern_finish(p, NULL), BERTH_OK);
  return p;
}

static const berth_rank_info_t plain[4] = {
    {"", -1, 12, 2}, {"", -1, 12, 4}, {"", -1, 12, 6}, {"", -1, 12, 8}};
enum { UNKNOWN = -1 }; /* how long a rank waited for a core */

#define TWO                                                                                        \
  {                                                                                                \
    1, { 1.5 }                                                                                     \
  }
#define THREE                                                                                      \
  {                                                                                                \
    2, { 1.5, 2.5 }                                                                                \
  }

static const struct {
  const char *name;
  numbers_t a, b, core;
  int pu_of_rank[4];
  double sharing;
} cases[] = {
    {"a core each", TWO, TWO, {0}, {0, 2, 4, 7}, 0},
    {"the longest with the shortest", TWO, TWO, {0}, {0, 2, 4, 1}, 10 * 1.5 - 10},
    {"two that end before the longest", TWO, TWO, {0}, {0, 2, 4, 5}, 0},
    {"two that end after it", TWO, TWO, {0}, {0, 2, 3, 4}, 8 * 1.5 - 10},
    {"nobody knows", {0}, {0}, {0}, {0, 1, 2, 3}, 0},
    {"of that host nobody knows", {0}, TWO, {0}, {0, 1, 2, 3}, 0},
    {"of that host", {0}, TWO, {0}, {7, 8, 0, 1}, 5},
    {"the core's own", TWO, TWO, {1, {3}}, {7, 8, 0, 1}, 20},
    {"the core's own, of others the host's", TWO, TWO, {1, {3}}, {0, 1, 7, 9}, 5},
    {"threads are as good as cores", {1, {1}}, {1, {1}}, {0}, {0, 1, 2, 3}, 0},
    {"three threads", THREE, TWO, {0}, {4, 5, 6, 0}, 15},
    {"a core gets no more done than with two", TWO, TWO, {0}, {4, 5, 6, 0}, 10 * 1.5 * 3 / 2 - 10},
    {"two ranks on a PU take turns", TWO, TWO, {0}, {0, 0, 2, 4}, 10},
    {"and share their core", TWO, TWO, {0}, {0, 0, 1, 4}, 10 * 2 * 1.5 - 10},
    {"all on one PU", THREE, TWO, {0}, {9, 9, 9, 9}, 30},
};

static void placements_cost_what_is_expected(void **state)
{
  (void)state;
  berth_pattern_t *p = four_ranks(plain);
  for (size_t i = 0; i < COUNT(cases); i++) {
    berth_topo_t *t = machine(&cases[i].a, &cases[i].b, &cases[i].core);
    berth_sharing_t *s = berth_sharing_new(p, t, BERTH_MODEL_PORT, NULL);
    for (int round = 0; round < 2; round++) { /* the second finds the scratch space clean */
      double found = berth_sharing_evaluate(s, cases[i].pu_of_rank);
      if (fabs(found - cases[i].sharing) > 1e-12)
        FAIL_ROW(cases[i].name, "found %g, expected %g", found, cases[i].sharing);
    }
    double before = 0; /* one rank after the other */
    for (size_t n = 0; n <= 4; n++) {
      static const int order[] = {3, 1, 0, 2};
      double some = berth_sharing_of_some(s, n, order, cases[i].pu_of_rank);
      if (some < before) FAIL_ROW(cases[i].name, "%g of %zu ranks, %g of fewer", some, n, before);
      before = some;
    }
    if (before != berth_sharing_evaluate(s, cases[i].pu_of_rank))
      FAIL_ROW(cases[i].name, "%g of all ranks by name", before);
    berth_sharing_free(s);
    berth_topo_free(t);
  }
  berth_pattern_free(p);
}

/* The two longest on one core, on a machine with and without what was traced. */
static const struct {
  const char *name;
  berth_rank_info_t info[4];
  double sharing;
} traced[] = {
    {"on cores of their own", {{"a", 0, 10, 0}, {"a", 2, 8, 0}, {"a", 4, 6, 0}, {"b", 0, 4, 0}}, 5},
    {"two on one core", {{"a", 0, 15, 0}, {"a", 1, 12, 0}, {"a", 4, 6, 0}, {"b", 0, 4, 0}}, 5},
    {"two bound to one core, recorded on its first PU",
     {{"a", 0, 15, 0}, {"a", 0, 12, 0}, {"a", 4, 6, 0}, {"b", 0, 4, 0}},
     5},
    {"three on a core of two PUs",
     {{"b", 0, 22.5, 0, 0, UNKNOWN},
      {"b", 0, 18, 0, 0, UNKNOWN},
      {"b", 0, 13.5, 0, 0, UNKNOWN},
      {"a", 4, 4, 0, 0, UNKNOWN}},
     5},
    {"three on a core of two PUs, where they waited for a third of the time",
     {{"b", 0, 22.5, 0, 0, 7.5}, {"b", 0, 18, 0, 0, 6}, {"b", 0, 13.5, 0, 0, 4.5}, {"a", 4, 4, 0}},
     5},
    {"other processes had the core for half of the time, also in MPI",
     {{"a", 0, 40, 20, 0, 10}, {"a", 2, 16, 0, 0, 8}, {"a", 4, 6, 0}, {"b", 0, 4, 0}},
     5},
    {"a host that isn't there: times are taken as they are",
     {{"a", 0, 10, 0}, {"a", 1, 8, 0}, {"c", 0, 6, 0}, {"b", 0, 4, 0}},
     5},
    {"a PU that isn't there", {{"a", 0, 10, 0}, {"a", 1, 8, 0}, {"a", 9, 6, 0}, {"b", 0, 4, 0}}, 5},
    {"one rank wasn't bound",
     {{"a", 0, 10, 0}, {"a", 1, 8, 0}, {"a", -1, 6, 0}, {"b", 0, 4, 0}},
     5},
    {"no times of one rank", {{"a", 0, 10, 0}, {"a", 1, 8, 0}, {"a", 4, 6, 0}}, 0},
    {"all in MPI", {{"", 0, 5, 5}, {"", 0, 5, 5}, {"", 0, 5, 5}, {"", 0, 5, 5}}, 0},
    {"no time at all", {{"", 0, 0, 0}, {"", 0, 0, 0}, {"", 0, 0, 0}, {"", 0, 0, 0}}, 0},
};

static void traced_placements_are_taken_out(void **state)
{
  (void)state;
  const numbers_t two = TWO, none = {0};
  berth_topo_t *t = machine(&two, &two, &none);
  for (size_t i = 0; i < COUNT(traced); i++) {
    berth_pattern_t *p = four_ranks(traced[i].info);
    berth_sharing_t *s = berth_sharing_new(p, t, BERTH_MODEL_PORT, NULL);
    double found = berth_sharing_evaluate(s, (int[]){0, 1, 2, 4});
    if (fabs(found - traced[i].sharing) > 1e-12)
      FAIL_ROW(traced[i].name, "found %g, expected %g", found, traced[i].sharing);
    berth_sharing_free(s);
    berth_pattern_free(p);
  }
  berth_topo_free(t);
}

static void what_is_known(void **state)
{
  (void)state;
  const numbers_t two = TWO, none = {0};
  berth_topo_t *with = machine(&none, &two, &none), *without = machine(&none, &none, &none);
  berth_pattern_t *times = four_ranks(plain), *no_times = four_ranks((berth_rank_info_t[4]){{0}});
  assert_true(berth_sharing_carried(with) && !berth_sharing_carried(without));
  for (int m = 0; m < BERTH_N_MODELS; m++) {
    assert_int_equal(berth_sharing_known(times, with, (berth_model_t)m), m != BERTH_MODEL_SUM);
    assert_false(berth_sharing_known(times, without, (berth_model_t)m));
    assert_false(berth_sharing_known(no_times, with, (berth_model_t)m));
  }
  berth_sharing_t *of_sum = berth_sharing_new(times, with, BERTH_MODEL_SUM, NULL);
  assert_true(berth_sharing_evaluate(of_sum, (int[]){7, 8, 0, 1}) == 0);
  berth_sharing_free(of_sum);
  assert_int_equal(berth_topo_slowdown_type(with, 0), -1);
  assert_int_equal(berth_topo_slowdown_type(with, 8), 2);
  berth_pattern_free(times);
  berth_pattern_free(no_times);
  berth_topo_free(with);
  berth_topo_free(without);
}

/* Ranks of 4 and 6 s may share a core at no cost as long as 6 s times the slow-down are below 10 s.
 */
static void the_least_is_a_bound(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    numbers_t a, b;
    double least;
  } rows[] = {{"nothing", TWO, TWO, 0},
              {"something", {1, {2}}, {1, {3}}, 2},
              {"b's alone is known", {0}, {1, {3}}, 8},
              {"nobody knows", {0}, {0}, INFINITY}};
  berth_pattern_t *p = four_ranks(plain);
  for (size_t i = 0; i < COUNT(rows); i++) {
    berth_topo_t *t = machine(&rows[i].a, &rows[i].b, &(numbers_t){0});
    berth_sharing_t *s = berth_sharing_new(p, t, BERTH_MODEL_PORT, NULL);
    double found = berth_sharing_min(s);
    if (found != rows[i].least) FAIL_ROW(rows[i].name, "%g, expected %g", found, rows[i].least);
    berth_sharing_free(s);
    berth_topo_free(t);
  }
  berth_pattern_free(p);
}

static void times_too_long_are_refused(void **state)
{
  (void)state;
  const numbers_t two = TWO;
  berth_topo_t *t = machine(&two, &two, &two);
  berth_rank_info_t info[4];
  memcpy(info, plain, sizeof info);
  info[2].wall_s = 1e305;
  berth_pattern_t *p = four_ranks(info);
  berth_error_t err = {0};
  assert_null(berth_sharing_new(p, t, BERTH_MODEL_PORT, &err));
  assert_int_equal(err.code, BERTH_BAD_INPUT);
  assert_string_equal(err.text, "found a rank that computes for 1e+305 s, expected less: its time "
                                "on a shared core would be too large a number");
  berth_pattern_free(p);
  berth_topo_free(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(placements_cost_what_is_expected),
      cmocka_unit_test(traced_placements_are_taken_out), cmocka_unit_test(what_is_known),
      cmocka_unit_test(the_least_is_a_bound), cmocka_unit_test(times_too_long_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
