/* SPDX-License-Identifier: BSD-3-Clause */
/* Summaries and histograms of times. */
#include <berth/times.h>
#include <math.h>

#include "harness.h"

enum { MOST = 200 };

/* Times, which rise, and what their histogram says. `last` is of the fastest 99%. */
static const struct {
  const char *name;
  size_t n;
  double time[MOST], last;
  uint32_t above;
  struct {
    int bin;
    uint32_t count;
  } has[3]; /* all others are empty */
} rows[] = {
    {"one", 1, {3}, 3, 0, {{0, 1}}},
    {"equal", 4, {2, 2, 2, 2}, 2, 0, {{0, 4}}},
    {"each end is inside", 2, {1, 65536}, 65536, 0, {{0, 1}, {15, 1}}},
    {"intervals are factors: here 2", 4, {1, 1.9, 2.1, 65536}, 65536, 0, {{0, 2}, {1, 1}, {15, 1}}},
    {"a hundredth is above", 200, {0}, 0, 2, {{0, 198}}}, /* filled below */
};

static void histograms_count(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(rows); i++) {
    double time[MOST], last = rows[i].last;
    for (size_t k = 0; k < rows[i].n; k++) time[k] = rows[i].time[k];
    if (rows[i].above) {
      for (size_t k = 0; k < MOST; k++) time[k] = k < 198 ? 1 : 1000;
      last = 1;
    }
    uint32_t count[BERTH_TIME_BINS] = {0};
    for (size_t k = 0; k < COUNT(rows[i].has); k++)
      if (rows[i].has[k].count) count[rows[i].has[k].bin] = rows[i].has[k].count;
    const berth_histogram_t h = berth_histogram_of(time, rows[i].n);
    for (int b = 0; b < BERTH_TIME_BINS; b++)
      if (h.count[b] != count[b])
        FAIL_ROW(rows[i].name, "interval %d: found %u, expected %u", b, h.count[b], count[b]);
    if (h.above != rows[i].above || berth_histogram_times(&h) != rows[i].n)
      FAIL_ROW(rows[i].name, "%u above of %zu", h.above, berth_histogram_times(&h));
    if (h.least_s != time[0] || h.most_s != time[rows[i].n - 1] ||
        fabs(berth_histogram_from(&h, BERTH_TIME_BINS) - last) > 1e-9 * last)
      FAIL_ROW(rows[i].name, "from %g to %g, the last one %g", h.least_s,
               berth_histogram_from(&h, BERTH_TIME_BINS), h.most_s);
  }
}

/* The narrowest interval with 97% of 100 times has 97 of them. */
static void the_band_is_narrow(void **state)
{
  (void)state;
  double time[100];
  for (int i = 0; i < 100; i++) time[i] = i < 3 ? 1000 + i : 100 - i;
  const berth_spread_t s = berth_spread_of(time, 100);
  assert_float_equal(s.band[0], 1, 0);
  assert_float_equal(s.band[1], 97, 0);
  assert_float_equal(s.least, 1, 0);
  assert_float_equal(s.most, 1002, 0);
  assert_float_equal(s.median, 50.5, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(histograms_count),
                                     cmocka_unit_test(the_band_is_narrow)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
