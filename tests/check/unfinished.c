/* SPDX-License-Identifier: BSD-3-Clause */
/* Patterns whose berth_pattern_finish failed, or that were added to since: whatever looks at them
 * says so. */
#include <berth/check.h>
#include <berth/cost.h>
#include <berth/exchange.h>
#include <berth/map.h>
#include <berth/report.h>
#include <berth/symbol.h>
#include <berth/uncertainty.h>

#include "harness.h"

static berth_topo_t *machine(void)
{
  berth_topo_t *t = berth_topo_import("2/1", berth_topo_format_find("levels"), "m", NULL);
  assert_non_null(t);
  return t;
}

/* Two phases of one identity can't be finished. */
static berth_pattern_t *failed(void)
{
  berth_pattern_t *p = berth_pattern_new(2, NULL);
  berth_message_t m = {0, 0, 0, 1, 8, 1, 8};
  assert_int_equal(berth_pattern_add_message(p, &m, NULL), BERTH_OK);
  assert_int_equal(berth_pattern_add_phase(p, &(berth_phase_t){1, "a", 1}, NULL), BERTH_OK);
  assert_int_equal(berth_pattern_add_phase(p, &(berth_phase_t){1, "b", 1}, NULL), BERTH_OK);
  assert_int_equal(berth_pattern_finish(p, NULL), BERTH_BAD_INPUT);
  return p;
}

static berth_pattern_t *never_finished(void)
{
  berth_pattern_t *p = berth_pattern_new(2, NULL);
  berth_message_t m = {0, 0, 0, 1, 8, 1, 8};
  assert_int_equal(berth_pattern_add_message(p, &m, NULL), BERTH_OK);
  return p;
}

static berth_pattern_t *added_to(void)
{
  berth_pattern_t *p = never_finished();
  berth_message_t m = {5, 0, 1, 0, 8, 1, 8};
  assert_int_equal(berth_pattern_finish(p, NULL), BERTH_OK);
  assert_int_equal(berth_pattern_add_message(p, &m, NULL), BERTH_OK);
  return p;
}

static void look(const char *how, berth_pattern_t *p, const berth_topo_t *t)
{
  static const int pus[2] = {0, 1};
  size_t n, n_formats;
  unsigned lost;
  int rounded;
  uint64_t unit = 0;
  berth_error_t err = {0};
#define SAYS(what, failed)                                                                         \
  do {                                                                                             \
    err = (berth_error_t){0};                                                                      \
    if (!(failed)) FAIL_ROW(how, "%s took it", what);                                              \
    if (err.code != BERTH_BAD_INPUT || !strstr(err.text, "isn't finished"))                        \
      FAIL_ROW(how, "%s: found \"%s\"", what, err.text);                                           \
  } while (0)
  SAYS("cost", !berth_cost_new(p, t, &err));
  SAYS("uncertainty", !berth_uncertainty_new(p, t, BERTH_MODEL_PORT, 0, NULL, &err));
  SAYS("resolve", !berth_resolve(p, NULL, &err));
  SAYS("save", berth_pattern_save(p, "/dev/null", &err));
  SAYS("a phase", !berth_pattern_of_phase(p, 0, &err));
  berth_map_options_t options = berth_map_defaults();
  berth_map_problem_t problem;
  SAYS("map", berth_map_problem_init(&problem, p, t, &options, &err));
  berth_check_options_t check = berth_check_defaults();
  berth_check_t out;
  SAYS("check", berth_check_run(p, t, NULL, &check, &out, &err));
  SAYS("baseline", berth_check_make_baseline(p, t, BERTH_MODEL_PORT, pus, "x", &err));
  berth_report_options_t report = berth_report_defaults();
  SAYS("report", !berth_report_new(p, t, &report, 0, NULL, &err));
  const berth_exchange_t *formats = berth_exchanges(&n_formats);
  for (size_t i = 0; i < n_formats; i++) {
    if (formats[i].write) SAYS(formats[i].name, formats[i].write(p, "/dev/null", &err));
    if (!formats[i].write_graph) continue;
    SAYS(formats[i].name, formats[i].write_graph(p, 1, "/dev/null", &err));
    SAYS(formats[i].name, berth_exchange_unit(&formats[i], p, &unit, &rounded, &err));
  }
  SAYS("losses", berth_exchange_lost(&formats[0], p, &lost, &err));
  assert_null(berth_pattern_messages(p, 0, &n));
  assert_int_equal(n, 0);
}

static void unfinished_patterns_are_refused(void **state)
{
  (void)state;
  static const struct {
    const char *how;
    berth_pattern_t *(*make)(void);
  } rows[] = {{"failed", failed}, {"never finished", never_finished}, {"added to", added_to}};
  berth_topo_t *t = machine();
  for (size_t i = 0; i < COUNT(rows); i++) {
    berth_pattern_t *p = rows[i].make();
    look(rows[i].how, p, t);
    berth_pattern_free(p);
  }
  berth_topo_free(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(unfinished_patterns_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
