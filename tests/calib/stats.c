/* SPDX-License-Identifier: BSD-3-Clause */
/* Medians and spreads are what include/berth/topo.h says. */
#include <math.h>
#include <stdbool.h>

#include "calib/calib_stats.h"

#include "harness.h"

static void medians_and_spreads_follow_the_definition(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    size_t n;
    double values[21], median, spread;
  } cases[] = {
      {"one has no spread", 1, {7}, 7, INFINITY},
      {"two", 2, {1, 3}, 2, 0.45}, /* percentiles 1.1 and 2.9 */
      {"three in any order", 3, {4, 2, 3}, 3, 0.3},
      {"equal", 4, {5, 5, 5, 5}, 5, 0},
      {"even", 4, {1, 2, 3, 4}, 2.5, 0.54},
      {"21: the 2nd and the 20th",
       21,
       {21, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20},
       11,
       9. / 11},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    double values[21];
    memcpy(values, cases[i].values, sizeof values);
    calib_stat_t s = calib_statistics(values, cases[i].n);
    bool spread =
        isinf(cases[i].spread) ? isinf(s.spread) : fabs(s.spread - cases[i].spread) < 1e-12;
    if (fabs(s.median - cases[i].median) > 1e-12 || !spread || s.n != (int)cases[i].n)
      FAIL_ROW(cases[i].name, "found %g +-%g (%d)", s.median, s.spread, s.n);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(medians_and_spreads_follow_the_definition),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
