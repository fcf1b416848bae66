/* SPDX-License-Identifier: BSD-3-Clause */
/* The time of a message on a curve, and cuts of the tree. */
#include <berth/topo.h>
#include <math.h>

#include "topo/topo_internal.h"

#include "harness.h"

static void times_follow_the_definition(void **state)
{
  (void)state;
  static const double size[] = {8, 1024, 65536}, bandwidth[] = {1e6, 1e8, 4e8};
  static const berth_curve_t curve = {.name = "c", .n = 3, .size = size, .bandwidth = bandwidth};
  static const berth_curve_t single = {
      .name = "s", .n = 1, .size = size + 1, .bandwidth = bandwidth + 1};
  const double t0 = 8 / 1e6, t1 = 1024 / 1e8, t2 = 65536 / 4e8;
  const struct {
    const berth_curve_t *curve;
    double n, time;
  } cases[] = {
      {&curve, 0, t0},
      {&curve, 1, t0},
      {&curve, 8, t0},
      {&curve, 1024, t1},
      {&curve, 65536, t2},
      {&curve, 516, (t0 + t1) / 2}, /* half way in size is half way in time */
      {&curve, 1024 + 0.25 * (65536 - 1024), t1 + 0.25 * (t2 - t1)},
      {&curve, 65537, 65537 / 4e8},
      {&curve, 1e15, 1e15 / 4e8},
      {&single, 0, t1},
      {&single, 1023, t1},
      {&single, 2048, 2048 / 1e8},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    double t = berth_curve_time(cases[i].curve, cases[i].n);
    if (fabs(t - cases[i].time) > 1e-14 * cases[i].time)
      fail_msg("%g bytes: found %.17g, expected %.17g", cases[i].n, t, cases[i].time);
  }
}

/* A curve on the line time = latency + n / rate: interpolation of times is exact between points,
 * for however many points the search has to go through. */
static void times_between_points_lie_on_the_line(void **state)
{
  (void)state;
  enum { POINTS = 37 };
  double size[POINTS], bandwidth[POINTS];
  const double latency = 2e-5, rate = 1.17e7;
  for (int i = 0; i < POINTS; i++) {
    size[i] = 1 + 3.0 * i * i;
    bandwidth[i] = size[i] / (latency + size[i] / rate);
  }
  const berth_curve_t curve = {.name = "line", .n = POINTS, .size = size, .bandwidth = bandwidth};
  for (double n = 1; n <= size[POINTS - 1]; n += 0.5) {
    double expected = latency + n / rate;
    if (fabs(berth_curve_time(&curve, n) - expected) > 1e-12 * expected)
      fail_msg("%g bytes: found %.17g, expected %.17g", n, berth_curve_time(&curve, n), expected);
  }
}

static void cuts_hold_every_pu_once(void **state)
{
  (void)state;
  static const struct {
    int height, n, elements[12];
  } cases[] = {
      {-1, 0, {0}},
      {0, 11, {3, 4, 6, 7, 10, 11, 13, 14, 17, 18, 19}},
      {1, 6, {2, 5, 9, 12, 16, 19}},
      {2, 3, {1, 8, 15}},
      {3, 1, {0}},
      {99, 1, {0}},
  };
  char path[512];
  int elements[11];
  snprintf(path, sizeof path, "%s/tests/topo/data/small.topo.json", getenv("BERTH_SOURCE_DIR"));
  berth_topo_t *t = berth_topo_load(path, NULL);
  assert_non_null(t);
  for (size_t i = 0; i < COUNT(cases); i++) {
    assert_int_equal(berth_topo_cut(t, cases[i].height, elements), cases[i].n);
    assert_memory_equal(elements, cases[i].elements, (size_t)cases[i].n * sizeof *elements);
  }
  berth_topo_free(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(times_follow_the_definition),
      cmocka_unit_test(times_between_points_lie_on_the_line),
      cmocka_unit_test(cuts_hold_every_pu_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
