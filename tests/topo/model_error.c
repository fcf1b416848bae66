/* SPDX-License-Identifier: BSD-3-Clause */
/* What a topology says of models' errors: reading, writing, what is refused. */
#include <math.h>
#include <stdbool.h>

#include "base/in_file.h"
#include "harness.h"
#include "topo/topo_internal.h"

#define DOC(errors)                                                                                \
  "{\"format\":\"berth-topology\",\"version\":1,\"model_error\":" errors ",\"types\":{\"h\":{}},"  \
  "\"root\":{\"type\":\"h\",\"host\":\"a\",\"children\":[{\"pu\":0,\"core\":0}]}}"

static berth_topo_t *parse(const char *text, berth_error_t *err)
{
  *err = (berth_error_t){0};
  return topo_parse(text, strlen(text), "f", NULL, err);
}

static const struct {
  const char *name, *text;
  double port, flow;
  int n;
} good[] = {
    {"one", DOC("{\"port\":0.06}"), 0.06, 0, 1},
    {"two, and a model of the future", DOC("{\"flow\":0.03,\"x y\":1,\"port\":0.5}"), 0.5, 0.03, 3},
    {"left out", DOC("null"), 0, 0, 0},
    {"one left out", DOC("{\"port\":null,\"flow\":2}"), 0, 2, 1},
    {"none", DOC("{}"), 0, 0, 0},
    {"exact", DOC("{\"port\":0}"), 0, 0, 1},
};

/* Reads what t was written as, and checks that it is written the same again. */
static berth_topo_t *through_file(const berth_topo_t *t)
{
  char *path = strdup(scratch_file("errors", "", 0)), *x, *y;
  size_t n;
  assert_int_equal(berth_topo_save(t, path, NULL), BERTH_OK);
  assert_int_equal(in_read_all(path, &x, &n, NULL), BERTH_OK);
  berth_topo_t *again = berth_topo_load(path, NULL);
  assert_int_equal(berth_topo_save(again, path, NULL), BERTH_OK);
  assert_int_equal(in_read_all(path, &y, &n, NULL), BERTH_OK);
  assert_string_equal(x, y);
  unlink(path);
  free(path);
  free(x);
  free(y);
  return again;
}

static void errors_are_read_and_written(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(good); i++) {
    berth_error_t err;
    berth_topo_t *t = parse(good[i].text, &err);
    if (!t) FAIL_ROW(good[i].name, "%s", err.text);
    berth_topo_t *again = through_file(t);
    if (berth_topo_model_error(t, "port") != good[i].port ||
        berth_topo_model_error(t, "flow") != good[i].flow ||
        berth_topo_model_error(again, "port") != good[i].port ||
        berth_topo_model_error(again, "flow") != good[i].flow)
      FAIL_ROW(good[i].name, "wrong errors");
    int n = berth_topo_n_model_errors(t);
    if (n != good[i].n || n != berth_topo_n_model_errors(again))
      FAIL_ROW(good[i].name, "%d errors", n);
    for (int k = 0; k < n; k++) {
      const char *model = berth_topo_model_error_name(t, k);
      if (strcmp(model, berth_topo_model_error_name(again, k)) != 0 ||
          berth_topo_model_error(t, model) != berth_topo_model_error(again, model))
        FAIL_ROW(good[i].name, "model %s", model);
    }
    berth_topo_free(again);
    berth_topo_free(t);
  }
}

static const struct {
  const char *name, *text, *error;
} bad[] = {
    {"number", DOC("0.06"), "f: model_error: found 0.06, expected an object"},
    {"list", DOC("[0.06]"), "f: model_error: found an array, expected an object"},
    {"text", DOC("{\"port\":\"6%\"}"),
     "f: model_error.port: found \"6%\", expected a number of at "
     "least 0"},
    {"negative", DOC("{\"port\":-0.1}"),
     "f: model_error.port: found -0.1, expected a number of at least 0"},
    {"infinite", DOC("{\"port\":1e999}"),
     "f: model_error.port: found inf, expected a finite number of at least 0"},
    {"large", DOC("{\"port\":1e308}"),
     "f: model_error.port: found 1e+308, expected a number from 0 to 1000"},
    {"object", DOC("{\"port\":{}}"),
     "f: model_error.port: found an object, expected a number of at least 0"},
    {"twice", DOC("{\"port\":1,\"port\":2}"),
     "f: found key \"port\" twice in an object, expected it once"},
};

static void wrong_errors_are_refused(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(bad); i++) {
    berth_error_t err;
    berth_topo_t *t = parse(bad[i].text, &err);
    if (t || strcmp(err.text, bad[i].error) != 0)
      FAIL_ROW(bad[i].name, "\n  found    %s\n  expected %s", err.text, bad[i].error);
    assert_int_equal(err.code, BERTH_BAD_INPUT);
  }
}

static void the_builder_refuses_the_same(void **state)
{
  (void)state;
  berth_topo_t *t = berth_topo_new("t", NULL);
  berth_error_t err;
  assert_int_equal(berth_topo_set_model_error(t, "port", NAN, &err), BERTH_BAD_INPUT);
  assert_string_equal(err.text, "found nan, expected a number from 0 to 1000");
  assert_int_equal(berth_topo_set_model_error(t, "\x1b", 1, &err), BERTH_BAD_INPUT);
  assert_int_equal(berth_topo_set_model_error(t, "port", 1, &err), BERTH_OK);
  assert_int_equal(berth_topo_set_model_error(t, "port", 2, &err), BERTH_OK);
  assert_true(berth_topo_model_error(t, "port") == 2);
  int rc = BERTH_OK, n = 1; /* "port" is there */
  for (char name[16]; !rc; n++) {
    snprintf(name, sizeof name, "m%d", n);
    rc = berth_topo_set_model_error(t, name, 1, &err);
  }
  assert_int_equal(n - 1, 64);
  assert_string_equal(err.text, "found errors of more than 64 models, the most taken");
  berth_topo_free(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(errors_are_read_and_written),
      cmocka_unit_test(wrong_errors_are_refused),
      cmocka_unit_test(the_builder_refuses_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
