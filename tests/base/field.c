/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of fields in the library's texts, and what a program says instead. tests/cli/fields.sh has
 * the program's errors. */
#include "base/field.h"

#include <berth/error.h>

#include "base/json.h"
#include "harness.h"

static const char *option_of(const char *name, size_t n)
{
  if (n == 6 && memcmp(name, "pinned", n) == 0) return "--pin";
  if (n == 12 && memcmp(name, "time_limit_s", n) == 0) return "--time-limit";
  return NULL;
}

static const struct {
  const char *text, *said;
} texts[] = {
    {"no name", "no name"},
    {"`pinned`", "--pin"},
    {"`pinned`: found `time_limit_s`", "--pin: found --time-limit"},
    {"`pinned``pinned`", "--pin--pin"},
    {"`pinned` and `reserve`", "--pin and `reserve`"},
    {"pinned, 'pinned', `pinned", "pinned, 'pinned', `pinned"},
    {"``pinned`", "`--pin"},
    {"`pinne` `pinned_` `Pinned` ``", "`pinne` `pinned_` `Pinned` ``"},
    {"run `berth export -f sqlite` `pinned`", "run `berth export -f sqlite` --pin"},
    {"", ""},
};

static void constants_get_options(void **state)
{
  (void)state;
  char out[60];
  for (size_t i = 0; i < COUNT(texts); i++) {
    field_set_options(NULL);
    const char *plain = field_text(texts[i].text, out, sizeof out);
    if (strcmp(plain, texts[i].text) != 0) FAIL_ROW(texts[i].text, "library: %s", plain);
    field_set_options(option_of);
    const char *said = field_text(texts[i].text, out, sizeof out);
    if (strcmp(said, texts[i].said) != 0) FAIL_ROW(texts[i].text, "program: %s", said);
  }
}

/* Errors say the same in each function that takes a format: its names are replaced, those in its
 * arguments never. */
static void arguments_stay(void **state)
{
  (void)state;
  static const struct {
    field_option_t *option;
    const char *error, *nested, *printed;
  } rows[] = {
      {NULL, "`pinned`: found '`pinned`', expected `reserve`",
       "`pinned`.json: `pinned`: found '`pinned`', expected `reserve`", "`pinned` `time_limit_s`"},
      {option_of, "--pin: found '`pinned`', expected `reserve`",
       "`pinned`.json: --pin: found '`pinned`', expected `reserve`", "--pin `time_limit_s`"},
  };
  for (size_t i = 0; i < COUNT(rows); i++) {
    field_set_options(rows[i].option);
    berth_error_t err, outer;
    char out[60];
    berth_fail(&err, BERTH_USAGE, "`pinned`: found '%s', expected `reserve`", "`pinned`");
    assert_string_equal(err.text, rows[i].error);
    berth_fail(&outer, BERTH_USAGE, "%s: %s", "`pinned`.json", err.text);
    assert_string_equal(outer.text, rows[i].nested);
    json_source_t source = {.file = "`pinned`.json", .err = &err};
    json_fail(&(json_place_t){.source = &source}, "`pinned`: found '%s', expected `reserve`",
              "`pinned`");
    assert_string_equal(err.text, rows[i].nested);
    field_print(out, sizeof out, "`pinned` %s", "`time_limit_s`");
    assert_string_equal(out, rows[i].printed);
  }
}

/* Directives are kept whole, where the text has no room, too. */
static void long_texts_are_cut_at_their_end(void **state)
{
  (void)state;
  char out[16], small[8];
  field_set_options(option_of);
  assert_string_equal(field_text("`pinned` 12345", small, sizeof small), "`pinned` 12345");
  assert_string_equal(field_text("`pinned`12", small, sizeof small), "--pin12");
  field_print(out, sizeof out, "`pinned`: %d of %s", 123456789, "`pinned`");
  assert_string_equal(out, "--pin: 12345678");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(constants_get_options),
      cmocka_unit_test(arguments_stay),
      cmocka_unit_test(long_texts_are_cut_at_their_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
