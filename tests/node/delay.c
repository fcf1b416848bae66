/* SPDX-License-Identifier: BSD-3-Clause */
/* What noise adds on the slowest of many cores, against formulas and against a simulation. */
#include <berth/node.h>
#include <math.h>

#include "harness.h"

enum { CORES = 4 };

/* Noise of one length on the first `noisy` of CORES cores, so many times in 100 s. */
static berth_node_t *node(double length_s, double count, double period_s, int noisy)
{
  berth_node_t *n = berth_node_new("", "", NULL);
  for (int pu = 0; pu < CORES; pu++) {
    double here = pu < noisy ? count : 0;
    berth_node_noise_t z = {.pu = pu, .idle = -1, .quantum_s = 1e-5, .seconds = 100};
    z.lost = here * length_s / 100;
    z.longest_s = length_s;
    z.period_s = pu < noisy ? period_s : 0;
    z.n = here > 0;
    z.at_least_s = &length_s;
    z.count = &here;
    assert_int_equal(berth_node_add_noise(n, &z, NULL), BERTH_OK);
  }
  return n;
}

static double delay(const berth_node_t *n, double work_s, double ranks)
{
  berth_node_delay_t d;
  assert_int_equal(berth_node_noise_delay(n, 0, work_s, ranks, &d, NULL), BERTH_OK);
  assert_true(d.low_s <= d.mean_s && d.mean_s <= d.high_s);
  return d.mean_s;
}

static uint64_t state_of_random = 7;
static double uniform(void)
{
  state_of_random = state_of_random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return ((double)(state_of_random >> 11) + 0.5) / 9007199254740992.0;
}

static int poisson(double mean)
{
  int n = 0;
  for (double t = -log(uniform()); t < mean; t -= log(uniform())) n++;
  return n;
}

static double simulated(double length_s, double per_s, int noisy, double work_s, int ranks)
{
  enum { TRIALS = 20000 };
  double sum = 0;
  for (int i = 0; i < TRIALS; i++) {
    int most = 0;
    for (int r = 0; r < ranks; r++) {
      int hits = r % CORES < noisy ? poisson(per_s * work_s) : 0;
      if (hits > most) most = hits;
    }
    sum += most * length_s;
  }
  return sum / TRIALS;
}

static void irregular_noise_is_as_simulated(void **state)
{
  static const struct {
    const char *name;
    double length_s, count; /* in 100 s */
    int noisy;
    double work_s;
    int ranks;
  } rows[] = {{"one core, rarely", 1e-3, 5000, 1, 1e-4, 4},
              {"one core, often", 1e-3, 5000, 1, 0.1, 4},
              {"all cores, rarely", 1e-3, 5000, 4, 1e-4, 4},
              {"all cores, often", 1e-3, 5000, 4, 0.1, 4},
              {"many ranks", 1e-3, 5000, 4, 1e-3, 256},
              {"many ranks, one core of four", 1e-3, 5000, 1, 1e-3, 256},
              {"long", 0.02, 100, 4, 0.05, 64}};
  (void)state;
  for (size_t i = 0; i < COUNT(rows); i++) {
    berth_node_t *n = node(rows[i].length_s, rows[i].count, 0, rows[i].noisy);
    double found = delay(n, rows[i].work_s, rows[i].ranks);
    double expected = simulated(rows[i].length_s, rows[i].count / 100, rows[i].noisy,
                                rows[i].work_s, rows[i].ranks);
    if (fabs(found - expected) > 0.03 * expected + 1e-6)
      FAIL_ROW(rows[i].name, "%g s, simulated %g s", found, expected);
    berth_node_free(n);
  }
}

/* Interruptions with a period come floor or ceil of the interval's periods; the slowest of many has
 * one more than whole ones. */
static void regular_noise_comes_once_in_a_period(void **state)
{
  static const struct {
    const char *name;
    double work_s;
    int ranks;
    double expected_s;
  } rows[] = {{"one rank, a tenth of a period", 2e-3, 1, 0.1e-3},
              {"one rank, two and a half periods", 50e-3, 1, 2.5e-3},
              {"many ranks, a tenth of a period", 2e-3, 400, 1e-3},
              {"many ranks, two and a half periods", 50e-3, 400, 3e-3},
              {"whole periods", 40e-3, 400, 2e-3}};
  berth_node_t *n = node(1e-3, 5000, 20e-3, CORES);
  (void)state;
  for (size_t i = 0; i < COUNT(rows); i++) {
    double found = delay(n, rows[i].work_s, rows[i].ranks);
    if (fabs(found - rows[i].expected_s) > 0.02 * rows[i].expected_s)
      FAIL_ROW(rows[i].name, "%g s, expected %g s", found, rows[i].expected_s);
  }
  berth_node_free(n);
}

static void no_noise_adds_nothing(void **state)
{
  berth_node_t *n = node(1e-3, 0, 0, CORES), *empty = berth_node_new("", "", NULL);
  (void)state;
  assert_true(delay(n, 1, 1000) == 0);
  assert_true(delay(empty, 1, 1000) == 0);
  assert_true(berth_node_has_noise(n, 0) && !berth_node_has_noise(n, 1));
  assert_false(berth_node_has_noise(empty, 0));
  berth_node_free(n);
  berth_node_free(empty);
}

/* Longer intervals and more ranks never wait less. */
static void delays_grow(void **state)
{
  berth_node_t *n = node(0.3e-3, 20000, 0, 2);
  (void)state;
  for (double work_s = 1e-6; work_s < 10; work_s *= 10)
    for (double ranks = 1; ranks < 1e6; ranks *= 10) {
      double here = delay(n, work_s, ranks);
      assert_true(delay(n, work_s, 10 * ranks) >= here * 0.999);
      assert_true(delay(n, 10 * work_s, ranks) >= here * 0.999);
    }
  berth_node_free(n);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(irregular_noise_is_as_simulated),
                                     cmocka_unit_test(regular_noise_comes_once_in_a_period),
                                     cmocka_unit_test(no_noise_adds_nothing),
                                     cmocka_unit_test(delays_grow)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
