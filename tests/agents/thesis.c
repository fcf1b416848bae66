/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions by hosts and agents: what the thesis says of its machine (Moody 2003) comes from the
 * expressions with its parameters, and hosts that are played take as long as these. */
#include <berth/agents.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

static berth_agents_t *elan;

static int load(void **state)
{
  (void)state;
  char path[4096];
  berth_error_t err = {0};
  snprintf(path, sizeof path, "%s/examples/agents/elan3.json", getenv("BERTH_SOURCE_DIR"));
  elan = berth_agents_load(path, &err);
  if (!elan) print_error("%s\n", err.text);
  return elan ? 0 : -1;
}

static int unload(void **state)
{
  (void)state;
  berth_agents_free(elan);
  return 0;
}

static berth_reduction_t of(int hosts, const char *operation, const char *type, int elements)
{
  return (berth_reduction_t){elan, operation, type, hosts, elements};
}

static double played(const berth_reduction_t *r, berth_reduce_place_t place,
                     berth_reduce_tree_t tree)
{
  const berth_simulation_t quiet = {.size = sizeof quiet};
  double time = -1;
  assert_int_equal(berth_reduction_simulate(r, place, tree, &quiet, 1, &time, NULL), BERTH_OK);
  return time;
}

/* Section 5.2.3 and figure 5.3: 31 hosts, sums of doubles by agents. */
static void the_best_degree_is_the_thesis(void **state)
{
  (void)state;
  static const struct {
    int elements, degree;
  } rows[] = {{1, 4}, {2, 2}, {4, 2}, {8, 2}};
  for (size_t i = 0; i < COUNT(rows); i++) {
    berth_reduction_t r = of(31, "sum", "double", rows[i].elements);
    assert_int_equal(berth_reduction_check(&r, NULL), BERTH_OK);
    assert_int_equal(berth_reduction_best(&r, BERTH_REDUCE_AGENT, 0, NULL).degree, rows[i].degree);
  }
}

/* Table 4.2 and 4.3 in the expressions of sections 4.1 and 4.2.3, by hand; in us. */
static void times_are_the_expressions(void **state)
{
  (void)state;
  static const struct {
    const char *what;
    berth_reduce_place_t place;
    int hosts, elements, degree, splits;
    double us;
  } rows[] = {
      {"two hosts", BERTH_REDUCE_HOST, 2, 1, 2, 0, 2.7 + 2.9 + 0.44},
      {"two agents", BERTH_REDUCE_AGENT, 2, 1, 2, 0, 9.2 + 2.1 + 1.92},
      {"one host", BERTH_REDUCE_HOST, 1, 1, 2, 0, 2.7},
      {"4 full phases and one child", BERTH_REDUCE_AGENT, 31, 1, 2, 0, 9.2 + 5 * 2.1 + 5 * 1.92},
      {"degree 3: 3 phases of 2 and one child", BERTH_REDUCE_AGENT, 31, 1, 3, 0,
       9.2 + 4 * 2.1 + 7 * 1.92},
      {"degree 4: 2 phases of 3 and one child", BERTH_REDUCE_AGENT, 31, 1, 4, 0,
       9.2 + 3 * 2.1 + 7 * 1.92},
      {"degree 6: 1 phase of 5 and 5 children", BERTH_REDUCE_AGENT, 31, 1, 6, 0,
       9.2 + 2 * 2.1 + 10 * 1.92},
      {"all at once", BERTH_REDUCE_AGENT, 31, 1, 31, 0, 9.2 + 2.1 + 30 * 1.92},
      {"3 splits among 512", BERTH_REDUCE_AGENT, 512, 8, 4, 3,
       9.2 + (2.52 + 5.8) + (2.52 + 2.95) + (2.52 + 1.5) + 3 * (2.1 + 3 * 1.92) + 2.1 + 7 * 0.42},
      {"an odd number of hosts", BERTH_REDUCE_AGENT, 5, 2, 2, 1,
       9.2 + (2.1 + 2 * 1.92) + 2 * 2.1 + 2 * 1.92 + 2.1 + 0.42},
  };
  for (size_t i = 0; i < COUNT(rows); i++) {
    berth_reduction_t r = of(rows[i].hosts, "sum", "double", rows[i].elements);
    double us = 1e6 * berth_reduction_time(&r, rows[i].place,
                                           (berth_reduce_tree_t){rows[i].degree, rows[i].splits});
    if (fabs(us - rows[i].us) > 1e-9)
      FAIL_ROW(rows[i].what, "found %.4f us, expected %.4f", us, rows[i].us);
  }
}

/* Section 4.2.2: with its L and r the best degree is between 2 and 6, and no operation needs more
 * than between 5 and 6. Section 5.2.2: with two hosts, hosts are about twice as fast as agents, by
 * about 5 us; agents at intermediate hosts alone are none with 2 and 3 hosts in a binomial tree.
 * Section 5.2.1: 3 splits make the sum of 8 doubles on 512 hosts nearly three times, and 4 splits
 * that of 16 more than three times faster. */
static void what_the_thesis_observes(void **state)
{
  (void)state;
  for (size_t k = 0; k < berth_agents_agent(elan)->n_compute; k++) {
    const berth_compute_t *c = &berth_agents_agent(elan)->compute[k];
    for (int elements = 1; elements <= 8; elements *= 2) {
      berth_reduction_t r = of(4096, c->operation, c->type, elements);
      int best = 2;
      for (int f = 3; f <= 64; f++)
        if (berth_reduction_full(&r, BERTH_REDUCE_AGENT, f) <
            berth_reduction_full(&r, BERTH_REDUCE_AGENT, best))
          best = f;
      assert_in_range(best, 2, 6);
    }
  }
  for (int hosts = 2; hosts <= 3; hosts++) {
    berth_reduction_t r = of(hosts, "sum", "int", 1);
    const berth_reduce_tree_t binomial = {2, 0};
    double host = played(&r, BERTH_REDUCE_HOST, binomial);
    double agent = berth_reduction_time(&r, BERTH_REDUCE_AGENT, binomial);
    double between = berth_reduction_time(&r, BERTH_REDUCE_INTERMEDIATE, binomial);
    assert_float_equal(between, host, 1e-12);
    if (hosts == 2) assert_true(agent > 1.8 * host && agent - host > 5e-6 && agent - host < 6e-6);
  }
  berth_reduction_t eight = of(512, "sum", "double", 8), sixteen = of(512, "sum", "double", 16);
  double whole, parts;
  berth_reduction_best(&eight, BERTH_REDUCE_AGENT, 0, &whole);
  berth_reduction_best(&eight, BERTH_REDUCE_AGENT, 3, &parts);
  assert_true(whole / parts > 2.2 && whole / parts < 3.2);
  berth_reduction_best(&sixteen, BERTH_REDUCE_AGENT, 0, &whole);
  berth_reduction_best(&sixteen, BERTH_REDUCE_AGENT, 4, &parts);
  assert_true(whole / parts > 3 && whole / parts < 4);
}

/* Without noise, hosts that are played take what the expression says if the tree is full, and never
 * more. */
static void played_hosts_agree(void **state)
{
  (void)state;
  for (int hosts = 1; hosts <= 130; hosts++)
    for (int degree = 2; degree <= 6; degree++)
      for (int splits = 0; splits <= 2; splits++) {
        berth_reduction_t r = of(hosts, "sum", "double", 4);
        const berth_reduce_tree_t tree = {degree, splits};
        if (splits > berth_reduction_max_splits(&r)) continue;
        int n = hosts >> splits, full = hosts == n << splits;
        while (n % degree == 0) n /= degree;
        for (int place = BERTH_REDUCE_HOST; place <= BERTH_REDUCE_AGENT; place++) {
          double said = berth_reduction_time(&r, (berth_reduce_place_t)place, tree);
          double time = played(&r, (berth_reduce_place_t)place, tree);
          if (time > said * (1 + 1e-9) || (full && n == 1 && time < said * (1 - 1e-9)))
            fail_msg("%d hosts, degree %d, %d splits: %.4f us, expected %.4f", hosts, degree,
                     splits, 1e6 * time, 1e6 * said);
        }
      }
}

/* Detours make a host's work longer by their share of the time, on average; without hosts to wait
 * for, that is all. With many hosts the slowest one counts. A seed gives the same times again. */
static void detours_take_their_share(void **state)
{
  (void)state;
  enum { N = 20000 };
  double *times = malloc(N * sizeof *times), *again = malloc(N * sizeof *again);
  berth_reduction_t alone = of(1, "sum", "double", 1), many = of(256, "sum", "double", 1);
  berth_simulation_t noisy = {.size = sizeof noisy, .host = {1e-6, 5e-6}, .seed = 7};
  const berth_reduce_tree_t tree = {4, 0};
  assert_int_equal(
      berth_reduction_simulate(&alone, BERTH_REDUCE_HOST, tree, &noisy, N, times, NULL), BERTH_OK);
  berth_spread_t s = berth_spread_of(times, N);
  /* 2.7 us of work: detours that began before, and one in each 4 us of work */
  double expected = 2.7 + 2.7 / 4 + 0.2 * 0.5;
  assert_true(fabs(1e6 * s.mean - expected) < 0.02);
  assert_true(s.least >= 2.7e-6 && s.band[0] >= s.least && s.band[1] <= s.most);
  double quiet = berth_reduction_time(&many, BERTH_REDUCE_HOST, tree);
  assert_int_equal(
      berth_reduction_simulate(&many, BERTH_REDUCE_HOST, tree, &noisy, 200, times, NULL), BERTH_OK);
  assert_int_equal(
      berth_reduction_simulate(&many, BERTH_REDUCE_HOST, tree, &noisy, 200, again, NULL), BERTH_OK);
  assert_memory_equal(times, again, 200 * sizeof *times);
  assert_true(berth_spread_of(times, 200).mean > 1.2 * quiet);
  free(times);
  free(again);
}

static void what_cannot_be_is_refused(void **state)
{
  (void)state;
  static const struct {
    int hosts, elements;
    const char *operation, *type, *line;
  } rows[] = {
      {0, 1, "sum", "double", "found 0 hosts, expected 1 to 1048576"},
      {2000000, 1, "sum", "double", "found 2000000 hosts, expected 1 to 1048576"},
      {2, 0, "sum", "double", "found 0 elements, expected 1 to 1048576"},
      {2, 1, "mean", "double", "found no mean of double by hosts"},
      {2, 1, "sum", "float", "found no sum of float by hosts"},
  };
  for (size_t i = 0; i < COUNT(rows); i++) {
    berth_error_t err = {0};
    berth_reduction_t r = of(rows[i].hosts, rows[i].operation, rows[i].type, rows[i].elements);
    assert_int_equal(berth_reduction_check(&r, &err), BERTH_BAD_INPUT);
    assert_string_equal(err.text, rows[i].line);
  }
  berth_reduction_t r = of(2, "sum", "double", 1);
  berth_simulation_t o = {.size = sizeof o, .host = {2e-6, 1e-6}};
  berth_error_t err = {0};
  double time;
  assert_int_equal(berth_reduction_simulate(&r, BERTH_REDUCE_HOST, (berth_reduce_tree_t){2, 0}, &o,
                                            1, &time, &err),
                   BERTH_BAD_INPUT);
  assert_string_equal(err.text,
                      "hosts' noise: found detours of 2e-06 s every 1e-06 s, expected a length "
                      "below the interval");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_best_degree_is_the_thesis), cmocka_unit_test(times_are_the_expressions),
      cmocka_unit_test(what_the_thesis_observes),      cmocka_unit_test(played_hosts_agree),
      cmocka_unit_test(detours_take_their_share),      cmocka_unit_test(what_cannot_be_is_refused),
  };
  return cmocka_run_group_tests(tests, load, unload);
}
