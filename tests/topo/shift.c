/* SPDX-License-Identifier: BSD-3-Clause */
/* Topologies with one measured number off by its spread. */
#include "topo/topo_shift.h"

#include <math.h>

#include "harness.h"

enum { SLOW, FAST, UNUSED, EXACT };

/* A host below a top switch. Curve "slow" (spreads 0.1 and 0.5) is the host's up port in both
 * directions: out with no capacity of its own, in with one of 20 that was measured, exactly; and
 * the top's down port, in with one of 50 that was not measured. The down port of the host has curve
 * "fast" (no spread) and a capacity that was measured, the same as the top's. */
static berth_topo_t *machine(void)
{
  static const double size[] = {1, 10}, slow[] = {10, 20}, fast[] = {100, 200}, one[] = {1};
  static const double spread[] = {0.1, 0.5}, none[] = {0}, much[] = {3};
  static const berth_curve_t curves[] = {
      {"slow", "", 2, size, slow, .spread = spread},
      {"fast", "", 2, size, fast},
      {"unused", "", 1, size, one, .spread = much},
      {"exact", "", 1, size, one, .spread = none},
  };
  berth_origin_t origin = {"", "", "tcp"};
  berth_port_dir_t measured = {FAST, 400, .spread = 0.25, .samples = 3, .origin = origin};
  berth_port_dir_t other = {EXACT, 400, .spread = 0.25, .samples = 4, .origin = origin};
  berth_type_t host = {"host", .up = {.out = {.curve = SLOW}, .in = {SLOW, 20, .samples = 2}},
                       .down = {.out = measured, .in = other}};
  berth_type_t top = {"top",
                      .up = {{.curve = -1}, {.curve = -1}},
                      .down = {{.curve = -1}, {SLOW, 50}},
                      .capacity = 400,
                      .spread = 0.25,
                      .samples = 3,
                      .origin = origin};
  berth_topo_t *t = berth_topo_new("t", NULL);
  for (size_t i = 0; i < COUNT(curves); i++)
    assert_int_equal(berth_topo_add_curve(t, &curves[i], NULL), (int)i);
  int h = berth_topo_add_type(t, &host, NULL), s = berth_topo_add_type(t, &top, NULL);
  int root = berth_topo_add_switch(t, -1, s, "top", NULL, NULL);
  int e = berth_topo_add_switch(t, root, h, "a", "a", NULL);
  berth_topo_add_pu(t, e, 0, 0, NULL);
  assert_int_equal(berth_topo_finish(t, NULL), BERTH_OK);
  return t;
}

/* What stands in a topology of `machine` beside the points of its first curve. */
typedef struct numbers {
  double slow[2], up_out, up_in, down_out, down_in, top, top_in;
} numbers_t;

static numbers_t numbers_of(const berth_topo_t *t)
{
  const berth_type_t *host = berth_topo_type(t, 0);
  const double *slow = berth_topo_curve(t, SLOW)->bandwidth;
  return (numbers_t){{slow[0], slow[1]},
                     host->up.out.capacity,
                     host->up.in.capacity,
                     host->down.out.capacity,
                     host->down.in.capacity,
                     berth_topo_type(t, 1)->capacity,
                     berth_topo_type(t, 1)->down.in.capacity};
}

static const struct {
  const char *name;
  size_t number;
  bool up;
  numbers_t expected;
} shifts[] = {
    /* the capacity that is the curve's own goes with it, those that were measured or given stay */
    {"curve up", 0, true, {{11, 30}, 30, 20, 400, 400, 400, 50}},
    {"curve down", 0, false, {{10 / 1.1, 20 / 1.5}, 20 / 1.5, 20, 400, 400, 400, 50}},
    /* one measurement that stands in two places */
    {"capacity up", 1, true, {{10, 20}, 20, 20, 500, 400, 500, 50}},
    {"capacity down", 1, false, {{10, 20}, 20, 20, 320, 400, 320, 50}},
    {"another one", 2, false, {{10, 20}, 20, 20, 400, 320, 400, 50}},
};

static void one_number_is_off_at_a_time(void **state)
{
  (void)state;
  berth_topo_t *t = machine();
  numbers_t before = numbers_of(t);
  topo_shift_t *s = topo_shift_new(t, NULL);
  assert_int_equal(topo_shift_count(s), 3); /* not the unused curve, nor the exact one */
  for (size_t i = 0; i < COUNT(shifts); i++) {
    numbers_t found = numbers_of(topo_shift(s, shifts[i].number, shifts[i].up));
    const double *x = (const double *)&found, *y = (const double *)&shifts[i].expected;
    for (size_t k = 0; k < sizeof found / sizeof *x; k++)
      if (fabs(x[k] - y[k]) > 1e-12 * y[k])
        FAIL_ROW(shifts[i].name, "number %zu: found %.17g, expected %.17g", k, x[k], y[k]);
  }
  numbers_t after = numbers_of(t);
  assert_memory_equal(&before, &after, sizeof before);
  topo_shift_free(s);
  topo_shift_free(NULL);
  berth_topo_free(t);
}

/* A curve of two points, of which the first was measured once, and a capacity without a spread: the
 * known point is one number, the other one another, off by a factor of two. */
static void unknown_spreads_are_numbers_of_their_own(void **state)
{
  (void)state;
  static const double size[] = {1, 10}, bandwidth[] = {10, 20}, spread[] = {0.5, 0.1};
  static const int samples[] = {1, 5};
  static const struct {
    bool known;
    double up[2], capacity;
  } cases[] = {{true, {10, 22}, 60}, {false, {20, 20}, 60}, {false, {10, 20}, 120}};
  berth_topo_t *t = berth_topo_new("t", NULL);
  berth_topo_add_curve(
      t, &(berth_curve_t){"c", "", 2, size, bandwidth, .spread = spread, .samples = samples}, NULL);
  berth_port_dir_t none = {.curve = -1}, dir = {0, 60, .samples = 1};
  berth_type_t host = {"host", .up = {none, none}, .down = {none, dir}};
  int e = berth_topo_add_switch(t, -1, berth_topo_add_type(t, &host, NULL), "a", "a", NULL);
  berth_topo_add_pu(t, e, 0, 0, NULL);
  assert_int_equal(berth_topo_finish(t, NULL), BERTH_OK);
  topo_shift_t *s = topo_shift_new(t, NULL);
  assert_int_equal(topo_shift_count(s), COUNT(cases));
  for (size_t i = 0; i < COUNT(cases); i++) {
    const berth_topo_t *up = topo_shift(s, i, true);
    const double *found = berth_topo_curve(up, 0)->bandwidth;
    double capacity = berth_topo_type(up, 0)->down.in.capacity;
    assert_int_equal(topo_shift_is_known(s, i), cases[i].known);
    if (fabs(found[0] - cases[i].up[0]) > 1e-12 || fabs(found[1] - cases[i].up[1]) > 1e-12 ||
        capacity != cases[i].capacity)
      FAIL_ROW("a number", "%zu: found %g, %g, capacity %g", i, found[0], found[1], capacity);
  }
  topo_shift_free(s);
  berth_topo_free(t);
}

static void what_was_not_measured_has_no_numbers(void **state)
{
  (void)state;
  char path[512];
  snprintf(path, sizeof path, "%s/tests/topo/data/small.topo.json", getenv("BERTH_SOURCE_DIR"));
  berth_topo_t *t = berth_topo_load(path, NULL);
  topo_shift_t *s = topo_shift_new(t, NULL);
  assert_int_equal(topo_shift_count(s), 0);
  topo_shift_free(s);
  berth_topo_free(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_number_is_off_at_a_time),
      cmocka_unit_test(unknown_spreads_are_numbers_of_their_own),
      cmocka_unit_test(what_was_not_measured_has_no_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
