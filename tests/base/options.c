/* SPDX-License-Identifier: BSD-3-Clause */
/* Option structs of programs that were compiled with another version's headers. */
#include "base/options.h"

#include "harness.h"

typedef struct now {
  size_t size;
  int a, b;
  double c;
} now_t;

static const now_t defaults = {sizeof defaults, 1, 2, 3};

/* A struct of the caller's size between bytes that nobody may touch. */
typedef struct room {
  now_t it;
  char behind[64];
} room_t;

static void defaults_fill_what_there_is(void **state)
{
  (void)state;
  static const size_t sizes[] = {offsetof(now_t, b), offsetof(now_t, c), sizeof(now_t),
                                 sizeof(now_t) + 16};
  for (size_t i = 0; i < COUNT(sizes); i++) {
    room_t r;
    memset(&r, 0x55, sizeof r);
    options_init(&r.it, sizes[i], &defaults, sizeof defaults);
    assert_int_equal(r.it.size, sizes[i]);
    assert_int_equal(r.it.a, 1);
    assert_int_equal(r.it.b, sizes[i] > offsetof(now_t, b) ? 2 : 0x55555555);
    for (size_t k = sizes[i]; k < sizeof r; k++) assert_int_equal(((char *)&r)[k], 0x55);
    for (size_t k = sizeof(now_t); k < sizes[i]; k++) assert_int_equal(((char *)&r)[k], 0);
  }
}

static void older_callers_get_defaults_for_the_rest(void **state)
{
  (void)state;
  now_t own = defaults, given = {offsetof(now_t, b), 7, 8, 9};
  assert_int_equal(options_take(&own, sizeof own, &given, "x_init", NULL), BERTH_OK);
  assert_int_equal(own.size, sizeof own);
  assert_int_equal(own.a, 7);
  assert_int_equal(own.b, 2);
  assert_true(own.c == 3);
}

static void what_is_no_size_is_refused(void **state)
{
  (void)state;
  static const size_t sizes[] = {0, sizeof(size_t), sizeof(now_t) + 8, SIZE_MAX};
  for (size_t i = 0; i < COUNT(sizes); i++) {
    now_t own = defaults, given = {sizes[i], 7, 8, 9};
    berth_error_t err = {0};
    char expected[200];
    sprintf(expected, "options: found a size of %zu bytes, expected %zu to %zu, as x_init sets it",
            sizes[i], sizeof(size_t) + 1, sizeof own);
    assert_int_equal(options_take(&own, sizeof own, &given, "x_init", &err), BERTH_USAGE);
    assert_string_equal(err.text, expected);
    assert_int_equal(own.a, 1);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(defaults_fill_what_there_is),
      cmocka_unit_test(older_callers_get_defaults_for_the_rest),
      cmocka_unit_test(what_is_no_size_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
