/* SPDX-License-Identifier: BSD-3-Clause */
/* Callers of the library who give what can't be: numbers of models that there aren't, PUs that the
 * topology lacks, topologies that aren't finished. Each gets one line, and nothing is read that
 * isn't there. */
#include <berth/agents.h>
#include <berth/assess.h>
#include <berth/check.h>
#include <berth/exchange.h>
#include <berth/map.h>
#include <math.h>

#include "harness.h"

static berth_topo_t *topo;
static berth_pattern_t *pattern;
static berth_error_t err;
static const int pus[2] = {0, 1};

static int set_up(void **state)
{
  (void)state;
  topo = berth_topo_import("2/1", berth_topo_format_find("levels"), "m", NULL);
  pattern = berth_pattern_new(2, NULL);
  berth_message_t m = {0, 0, 0, 1, 8, 1, 8};
  return !topo || berth_pattern_add_message(pattern, &m, NULL) ||
         berth_pattern_finish(pattern, NULL);
}

static int tear_down(void **state)
{
  (void)state;
  berth_topo_free(topo);
  berth_pattern_free(pattern);
  return 0;
}

static void expect_refusal(const char *what, int rc, int code, const char *text)
{
  if (rc != code || (int)err.code != code || strcmp(err.text, text) != 0)
    FAIL_ROW(what, "found %d, \"%s\", expected %d, \"%s\"", rc, err.text, code, text);
  err = (berth_error_t){0};
}

static void numbers_of_models(void **state)
{
  (void)state;
  static const int numbers[] = {-1, BERTH_N_MODELS, 99};
  for (size_t i = 0; i < COUNT(numbers); i++) {
    char text[100], objective[100];
    berth_model_t model = (berth_model_t)numbers[i];
    snprintf(text, sizeof text, "model: found number %d, expected 0 to 3", numbers[i]);
    snprintf(objective, sizeof objective, "objective: found number %d, expected 0 to 3",
             numbers[i]);
    assert_string_equal(berth_model_name(model), "unknown");
    berth_map_options_t map = berth_map_defaults();
    berth_map_problem_t problem;
    map.objective = model;
    expect_refusal("map", berth_map_problem_init(&problem, pattern, topo, &map, &err), BERTH_USAGE,
                   objective);
    berth_check_options_t check = berth_check_defaults();
    berth_check_t out;
    check.model = model;
    expect_refusal("check", berth_check_run(pattern, topo, NULL, &check, &out, &err), BERTH_USAGE,
                   text);
    expect_refusal("baseline", berth_check_make_baseline(pattern, topo, model, pus, "x", &err),
                   BERTH_USAGE, text);
    berth_assess_options_t assess = berth_assess_defaults();
    const int *placement = pus;
    assess.model = model;
    assert_null(berth_assessment_new(pattern, topo, &assess, 1, &placement, &err));
    expect_refusal("assess", err.code, BERTH_USAGE, text);
  }
}

static void pus_of_other_topologies(void **state)
{
  (void)state;
  static const int numbers[] = {-1, 2, 70000};
  for (size_t i = 0; i < COUNT(numbers); i++) {
    char text[100];
    const int other[] = {0, numbers[i]}, *placement = other;
    berth_assess_options_t o = berth_assess_defaults();
    snprintf(text, sizeof text, "found rank 1 on PU %d, expected 0 to 1, those of the topology",
             numbers[i]);
    assert_null(berth_assessment_new(pattern, topo, &o, 1, &placement, &err));
    expect_refusal("assess", err.code, BERTH_BAD_INPUT, text);
    o.reference = other;
    placement = pus;
    assert_null(berth_assessment_new(pattern, topo, &o, 1, &placement, &err));
    expect_refusal("the reference", err.code, BERTH_BAD_INPUT, text);
  }
}

static void tolerances(void **state)
{
  (void)state;
  static const struct {
    double tolerance;
    const char *text;
  } rows[] = {{-1, "`tolerance`: found -1, expected a number of at least 0"},
              {INFINITY, "`tolerance`: found inf, expected a number of at least 0"}};
  for (size_t i = 0; i < COUNT(rows); i++) {
    berth_check_options_t o = berth_check_defaults();
    berth_check_t out;
    o.tolerance = rows[i].tolerance;
    expect_refusal("check", berth_check_run(pattern, topo, NULL, &o, &out, &err), BERTH_USAGE,
                   rows[i].text);
  }
  berth_check_options_t o = berth_check_defaults();
  berth_check_t out;
  o.tolerance = NAN;
  assert_int_equal(berth_check_run(pattern, topo, NULL, &o, &out, &err), BERTH_USAGE);
  err = (berth_error_t){0};
}

static void trees_of_reductions(void **state)
{
  (void)state;
  char path[4096];
  snprintf(path, sizeof path, "%s/examples/agents/elan3.json", getenv("BERTH_SOURCE_DIR"));
  berth_agents_t *a = berth_agents_load(path, NULL);
  const berth_reduction_t r = {a, "sum", "double", 8, 4};
  const berth_simulation_t o = {.size = sizeof o}, none = {0};
  static const struct {
    int place;
    berth_reduce_tree_t tree;
    const char *text;
  } rows[] = {{7, {2, 0}, "place: found number 7, expected 0 to 2"},
              {0, {1, 0}, "`degree`: found 1, expected at least 2"},
              {0, {2, 3}, "`splits`: found 3, expected 0 to 2"},
              {0, {2, -1}, "`splits`: found -1, expected 0 to 2"}};
  double time;
  for (size_t i = 0; i < COUNT(rows); i++)
    expect_refusal("a tree",
                   berth_reduction_simulate(&r, (berth_reduce_place_t)rows[i].place, rows[i].tree,
                                            &o, 1, &time, &err),
                   BERTH_BAD_INPUT, rows[i].text);
  char text[200];
  snprintf(
      text, sizeof text,
      "options: found a size of 0 bytes, expected %zu to %zu, as the caller's compiler sets it",
      sizeof(size_t) + 1, sizeof o);
  expect_refusal("a size",
                 berth_reduction_simulate(&r, BERTH_REDUCE_HOST, (berth_reduce_tree_t){2, 0}, &none,
                                          1, &time, &err),
                 BERTH_USAGE, text);
  berth_agents_free(a);
}

static void unfinished_topologies_and_no_unit(void **state)
{
  (void)state;
  berth_topo_t *t = berth_topo_new("m", NULL);
  expect_refusal("a topology", berth_topo_save(t, "/dev/null", &err), BERTH_BAD_INPUT,
                 "found a topology that isn't finished, expected berth_topo_finish after the last "
                 "element");
  berth_topo_free(t);
  size_t n;
  const berth_exchange_t *formats = berth_exchanges(&n);
  for (size_t i = 0; i < n; i++)
    if (formats[i].write_graph)
      expect_refusal(formats[i].name, formats[i].write_graph(pattern, 0, "/dev/null", &err),
                     BERTH_USAGE, "`unit`: found 0 bytes, expected at least 1");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_of_models), cmocka_unit_test(pus_of_other_topologies),
      cmocka_unit_test(tolerances), cmocka_unit_test(trees_of_reductions),
      cmocka_unit_test(unfinished_topologies_and_no_unit)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
