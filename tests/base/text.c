/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/text.h"

#include <berth/error.h>
#include <math.h>

#include "harness.h"

static void utf8_is_checked(void **state)
{
  (void)state;
  static const struct {
    const char *bytes;
    bool valid;
    size_t bad;
  } cases[] = {
      {"plain", true, 0},         {"gr\xc3\xbc\xc3\x9f", true, 0}, {"\xf0\x9f\x9a\xa2", true, 0},
      {"a\xff", false, 1},        {"\xc0\xaf", false, 0},          {"\xe0\x80\x80", false, 0},
      {"\xed\xa0\x80", false, 0}, {"\xf4\x90\x80\x80", false, 0},  {"ab\xc3", false, 2},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    size_t bad = 0;
    bool valid = text_utf8_valid(cases[i].bytes, strlen(cases[i].bytes), &bad);
    if (valid != cases[i].valid || bad != cases[i].bad)
      FAIL_ROW(cases[i].bytes, "valid %d, bad byte at %zu", valid, bad);
  }
}

static void errors_stay_one_line(void **state)
{
  (void)state;
  berth_error_t err;
  assert_int_equal(berth_fail(&err, BERTH_BAD_INPUT, "found \"%s\"", "a\nb\x1b[31m\xff\xc2\x9b"),
                   BERTH_BAD_INPUT);
  assert_string_equal(err.text, "found \"a?b?[31m???\"");
  assert_int_equal(berth_fail(NULL, BERTH_USAGE, "nobody reads this"), BERTH_USAGE);
}

static void numbers_carry_units(void **state)
{
  (void)state;
  char buf[TEXT_NUMBER];
  static const struct {
    const char *(*format)(double, char *);
    double value;
    const char *text;
  } cases[] = {
      {text_bandwidth, 12.5e6, "12.50 MB/s"}, {text_bandwidth, 0, "0 B/s"},
      {text_bytes, 65536, "64.00 KiB"},       {text_bytes, 100, "100 B"},
      {text_seconds, 13.2414, "13.24 s"},     {text_seconds, 0.00325, "3.250 ms"},
      {text_seconds, 5e-6, "5.000 us"},       {text_seconds, 123.4, "123.4 s"},
  };
  for (size_t i = 0; i < COUNT(cases); i++)
    assert_string_equal(cases[i].format(cases[i].value, buf), cases[i].text);
}

static void numbers_have_no_exponent(void **state)
{
  (void)state;
  char buf[TEXT_NUMBER];
  static const struct {
    double value;
    int digits;
    const char *text;
  } cases[] = {
      {12.24, 3, "12.2"},
      {3894, 3, "3894"},
      {999.6, 3, "1000"},
      {99.6, 2, "100"},
      {1, 3, "1"},
      {2.50, 3, "2.5"},
      {1234567, 4, "1234567"},
      {0, 2, "0"},
      {0.000123, 2, "0.00012"},
      {2e-5, 2, "0.00002"},
      {-99.6, 2, "-100"},
      {-1.25e-6, 3, "-0.00000125"},
      {1e17, 3, "100000000000000000"},
      {2.5e20, 3, "2.5e+20"},
      {3e-12, 2, "3e-12"},
      {INFINITY, 3, "inf"},
  };
  for (size_t i = 0; i < COUNT(cases); i++)
    assert_string_equal(text_number(cases[i].value, cases[i].digits, buf), cases[i].text);
}

static void whole_numbers_are_strict(void **state)
{
  (void)state;
  static const char *const wrong[] = {"",   "-1",   "+1",  "1x",
                                      " 1", "0x10", "101", "99999999999999999999"};
  uint64_t v = 7;
  for (size_t i = 0; i < COUNT(wrong); i++)
    if (text_to_u64(wrong[i], 1, 100, &v)) FAIL_ROW(wrong[i], "was taken");
  assert_true(text_to_u64("100", 1, 100, &v));
  assert_int_equal(v, 100);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(utf8_is_checked),          cmocka_unit_test(errors_stay_one_line),
      cmocka_unit_test(numbers_carry_units),      cmocka_unit_test(numbers_have_no_exponent),
      cmocka_unit_test(whole_numbers_are_strict),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
