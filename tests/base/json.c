/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/json.h"

#include <stdbool.h>

#include "harness.h"

static void wrong_text_is_located(void **state)
{
  (void)state;
  static const struct {
    const char *text, *error;
  } cases[] = {
      {"{\"a\":1", "f:1:7: not valid JSON: found the end of the text"},
      {"{", "f:1:2: not valid JSON: found the end of the text"},
      {"{\n", "f:2:1: not valid JSON: found the end of the text"},
      {"[1, ", "f:1:5: not valid JSON: found the end of the text"},
      {"{\"a\" ", "f:1:6: not valid JSON: found the end of the text"},
      {"[1,]", "f:1:4: not valid JSON at ']'"},
      {"[1,x", "f:1:4: not valid JSON at 'x'"},
      {"[1,\"x", "f:1:5: not valid JSON at 'x', which has no closing quote"},
      {"[1 2]", "f:1:4: not valid JSON at '2]'"},
      {"{,", "f:1:2: not valid JSON at ','"},
      {"{\n  \"a\": x}", "f:2:8: not valid JSON at 'x}'"},
      {"{} {}", "f:1:4: not valid JSON at '{}'"},
      {"\"\xc3\x28\"", "f:1:2: found byte 0xc3, expected UTF-8 text"},
      {"", "f:1:1: not valid JSON: found the end of the text"},
      {"{\"a\":1,\n\"b\":\"x\\u0000y\"}", "f:2:7: found \\u0000, expected strings without it"},
      {"{\"a\":[{\"b\":1,\"c\":2,\"b\":3}]}",
       "f: found key \"b\" twice in an object, expected it once"},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    berth_error_t err = {0};
    json_source_t source = {"f", 0, &err};
    assert_null(json_parse(cases[i].text, strlen(cases[i].text), &source));
    assert_string_equal(err.text, cases[i].error);
    assert_int_equal(err.code, BERTH_BAD_INPUT);
  }
}

static void deep_nesting_is_refused(void **state)
{
  (void)state;
  enum { N = 1000000 };
  char *text = malloc(N);
  memset(text, '[', N);
  berth_error_t err = {0};
  json_source_t source = {"deep", 0, &err};
  assert_null(json_parse(text, N, &source));
  assert_non_null(strstr(err.text, "found JSON nested deeper than 1000 levels"));
  free(text);
}

/* Each getter against values of the wrong type and range: the line names place, found, expected. */
static void values_are_checked(void **state)
{
  (void)state;
  static const struct {
    const char *item, *error;
  } cases[] = {
      {"-1", "f:9: list[0]: found -1, expected a whole number from 0 to 10"},
      {"11", "f:9: list[0]: found 11, expected a whole number from 0 to 10"},
      {"1.5", "f:9: list[0]: found 1.5, expected a whole number from 0 to 10"},
      {"1e999", "f:9: list[0]: found inf, expected a whole number from 0 to 10"},
      {"\"3\"", "f:9: list[0]: found \"3\", expected a whole number from 0 to 10"},
      {"null", "f:9: list[0]: found null, expected a whole number from 0 to 10"},
      {"[]", "f:9: list[0]: found an array, expected a whole number from 0 to 10"},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    char text[64];
    snprintf(text, sizeof text, "{\"list\":[%s]}", cases[i].item);
    berth_error_t err = {0};
    json_source_t source = {"f", 9, &err};
    cJSON *doc = json_parse(text, strlen(text), &source);
    assert_non_null(doc);
    json_place_t root = json_root(&source, doc), list;
    assert_int_equal(json_get_array(&root, "list", JSON_NEEDED, &list), BERTH_OK);
    json_place_t item = json_item(&list, 0, list.node->child);
    uint64_t v = 5;
    assert_int_equal(json_as_u64(&item, 0, 10, &v), BERTH_BAD_INPUT);
    assert_int_equal(v, 5);
    assert_string_equal(err.text, cases[i].error);
    cJSON_Delete(doc);
  }
}

static void members_may_be_optional(void **state)
{
  (void)state;
  berth_error_t err = {0};
  json_source_t source = {"f", 0, &err};
  const char *text = "{\"n\":3,\"x\":0.5,\"s\":\"t\",\"z\":null}";
  cJSON *doc = json_parse(text, strlen(text), &source);
  json_place_t root = json_root(&source, doc);
  uint64_t n = 0;
  double x = 0;
  const char *s = "unset";
  assert_int_equal(json_get_u64(&root, "n", JSON_NEEDED, 0, 9, &n), BERTH_OK);
  assert_int_equal(n, 3);
  assert_int_equal(json_get_u64(&root, "z", JSON_OPTIONAL, 0, 9, &n), BERTH_OK);
  assert_int_equal(n, 3);
  assert_int_equal(json_get_number(&root, "x", JSON_NEEDED, 0, 1, &x), BERTH_OK);
  assert_int_equal(json_get_string(&root, "gone", JSON_OPTIONAL, &s), BERTH_OK);
  assert_string_equal(s, "unset");
  assert_int_equal(json_get_string(&root, "gone", JSON_NEEDED, &s), BERTH_BAD_INPUT);
  assert_string_equal(err.text, "f: gone: found nothing, expected a string");
  assert_int_equal(json_get_number(&root, "n", JSON_NEEDED, 3, 1, &x), BERTH_BAD_INPUT);
  assert_string_equal(err.text, "f: n: found 3, expected a number above 3");
  cJSON_Delete(doc);
}

/* Names go to terminals: control characters in them are refused where they are read. */
static void strings_keep_terminals_safe(void **state)
{
  (void)state;
  static const char *const texts[] = {"{\"s\":\"a\\u001b[31m\"}", "{\"s\":\"a\\nb\"}",
                                      "{\"s\":\"\xc2\x9b\"}"};
  for (size_t i = 0; i < COUNT(texts); i++) {
    berth_error_t err = {0};
    json_source_t source = {"f", 0, &err};
    cJSON *doc = json_parse(texts[i], strlen(texts[i]), &source);
    json_place_t root = json_root(&source, doc), at = json_member(&root, "s");
    const char *s;
    assert_int_equal(json_as_string(&at, &s), BERTH_BAD_INPUT);
    assert_non_null(strstr(err.text, "expected a string without control characters"));
    assert_int_equal(json_as_any_string(&at, &s), BERTH_OK);
    cJSON_Delete(doc);
  }
}

static const json_known_t known_inner[] = {{"v", NULL}, {NULL, NULL}};
static const json_known_t known_any[] = {{"*", known_inner}, {NULL, NULL}};
static const json_known_t known[] = {
    {"a", NULL}, {"list", known_inner}, {"any", known_any}, {NULL, NULL}};

/* Of members that nobody asks for nothing is built; the others are there as they were. */
static void unknown_members_are_passed_over(void **state)
{
  (void)state;
  static const struct {
    const char *text, *left;
  } cases[] = {
      {"{\"a\":[1,{\"x\":[2]}]}", "{\"a\":[1,{\"x\":[2]}]}"},
      {"{\"b\":[1,2],\"a\":3}", "{\"b\":0,\"a\":3}"},
      {"{\"b\":{\"a\":[]},\"c\":\"text\",\"d\":true,\"e\":-1.5e+3}",
       "{\"b\":0,\"c\":0,\"d\":0,\"e\":0}"},
      {"{\"list\":[{\"v\":[1],\"w\":[2]},{\"w\":{\"v\":1}}]}",
       "{\"list\":[{\"v\":[1],\"w\":0},{\"w\":0}]}"},
      {"{\"any\":{\"x\":{\"v\":[1],\"w\":[2]},\"y\":[{\"w\":[3]}]}}",
       "{\"any\":{\"x\":{\"v\":[1],\"w\":0},\"y\":[{\"w\":0}]}}"},
      {"{\"\\u0061\":[1],\"b\":[2]}", "{\"a\":[1],\"b\":0}"},     /* an escaped name may be known */
      {"{\"b\":{\"x\":1,\"x\":2},\"a\":1}", "{\"b\":0,\"a\":1}"}, /* twice, but not looked at */
      {"[{\"b\":[1]},5]", "[{\"b\":0},5]"},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    berth_error_t err = {0};
    json_source_t source = {"f", 0, &err};
    cJSON *doc = json_parse_known(cases[i].text, strlen(cases[i].text), known, &source);
    char *left = doc ? cJSON_PrintUnformatted(doc) : NULL;
    if (!left || strcmp(left, cases[i].left) != 0)
      FAIL_ROW(cases[i].text, "found %s %s", left ? left : "none", err.text);
    free(left);
    cJSON_Delete(doc);
  }
}

static bool is_taken(const char *text, size_t n, const json_known_t *members, char error[480])
{
  berth_error_t err = {0};
  json_source_t source = {"f", 0, &err};
  cJSON *doc = json_parse_known(text, n, members, &source);
  strcpy(error, err.text);
  cJSON_Delete(doc);
  return doc != NULL;
}

/* What isn't JSON is refused wherever it stands, with the same line. */
static void damage_in_unknown_members_is_found(void **state)
{
  (void)state;
  static const char text[] = "{\"a\":1,\n \"b\":{\"x\":[1,-2.5e3,true,null,\"q\\\"\\u00e9\\n\"],\n "
                             " \"y\":{}},\"c\":[[[]],0],\n"
                             "\"list\":[{\"v\":1,\"w\":\"gr\xc3\xbc\"}]}";
  static const char bytes[] = "{}[]\",:\\0123456789eE+-.truefalsn \n\x01\xc3u";
  const int rounds = rounds_of(20000);
  unsigned random = 1;
  for (int i = 0; i < rounds; i++) {
    char mutant[sizeof text], plain[480], skipped[480];
    size_t n = sizeof text - 1;
    memcpy(mutant, text, sizeof text);
    for (int k = 0; k < 1 + i % 3; k++) {
      random = random * 1664525u + 1013904223u;
      size_t at = (random >> 8) % n;
      random = random * 1664525u + 1013904223u;
      mutant[at] = bytes[(random >> 8) % (sizeof bytes - 1)];
    }
    if (i % 7 == 0) n -= (random >> 16) % n;
    bool whole = is_taken(mutant, n, NULL, plain), part = is_taken(mutant, n, known, skipped);
    if (whole  ? part
        : part ? strstr(plain, " twice in an object") != NULL
               : !strcmp(plain, skipped))
      continue;
    FAIL_ROW(mutant, "found \"%s\", expected \"%s\"", skipped, plain);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrong_text_is_located),
      cmocka_unit_test(deep_nesting_is_refused),
      cmocka_unit_test(values_are_checked),
      cmocka_unit_test(members_may_be_optional),
      cmocka_unit_test(strings_keep_terminals_safe),
      cmocka_unit_test(unknown_members_are_passed_over),
      cmocka_unit_test(damage_in_unknown_members_is_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
