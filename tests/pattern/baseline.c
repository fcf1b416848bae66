/* SPDX-License-Identifier: BSD-3-Clause */
/* The header's member that makes a pattern a baseline: what is written reads back, what breaks a
 * rule is refused. */
#include <berth/pattern.h>

#include "harness.h"

static berth_pattern_t *load(const char *text, berth_error_t *err)
{
  const char *path = scratch_file("b", text, strlen(text));
  berth_pattern_t *p = berth_pattern_load(path, BERTH_PATTERN_STRICT, err);
  unlink(path);
  const char *name = strstr(err->text, "-b:");
  if (name) memmove(err->text, name + 2, strlen(name + 2) + 1);
  return p;
}

static void written_and_read_back(void **state)
{
  (void)state;
  static const int pus[] = {3, 0}, others[] = {1, 1};
  static const berth_baseline_phase_t phases[] = {{0, "", 0.1}, {7, "solve \"it\"", 1.0 / 3}};
  berth_baseline_t b = {"0.1.0", "flow", "a machine", 0xfedcba9876543210u, 2.0 / 3, 2,
                        phases,  "best", pus};
  berth_rank_info_t ran = {"node", 5, 2, 1};
  berth_pattern_t *p = berth_pattern_new(2, NULL);
  assert_int_equal(berth_pattern_set_origin(p, "an MPI", "2026-11-22T00:00:00Z", NULL), BERTH_OK);
  assert_int_equal(berth_pattern_set_rank(p, 1, &ran, NULL), BERTH_OK);
  assert_int_equal(berth_pattern_finish(p, NULL), BERTH_OK);
  assert_null(berth_pattern_baseline(p));
  assert_int_equal(berth_pattern_set_baseline(p, &b, NULL), BERTH_OK);
  b.pu_of_rank = others;
  assert_int_equal(berth_pattern_set_baseline(p, &b, NULL), BERTH_OK); /* the last one counts */
  berth_pattern_drop_run(p);
  assert_null(berth_pattern_rank(p, 1));
  assert_string_equal(berth_pattern_created(p), "");
  assert_string_equal(berth_pattern_mpi(p), "an MPI");
  assert_true(berth_pattern_mpi_share(p) < 0);

  char path[512];
  snprintf(path, sizeof path, "%s", scratch_file("w", "", 0));
  assert_int_equal(berth_pattern_save(p, path, NULL), BERTH_OK);
  berth_pattern_free(p);
  p = berth_pattern_load(path, BERTH_PATTERN_STRICT, NULL);
  unlink(path);
  const berth_baseline_t *r = berth_pattern_baseline(p);
  assert_non_null(r);
  assert_string_equal(r->berth, "0.1.0");
  assert_string_equal(r->model, "flow");
  assert_string_equal(r->topology, "a machine");
  assert_string_equal(r->algorithm, "best");
  assert_true(r->topology_hash == b.topology_hash && r->cost_s == b.cost_s);
  assert_int_equal(r->n_phases, 2);
  assert_int_equal(r->phases[1].id, 7);
  assert_string_equal(r->phases[1].name, "solve \"it\"");
  assert_true(r->phases[1].cost_s == phases[1].cost_s);
  assert_memory_equal(r->pu_of_rank, others, sizeof others);
  berth_pattern_free(p);
}

#define FILE_WITH(baseline)                                                                        \
  "{\"format\":\"berth-pattern\",\"version\":1,\"ranks\":2,\"baseline\":" baseline "}\n"           \
  "{\"kind\":\"end\",\"records\":0}\n"
#define TEXTS "\"version\":1,\"berth\":\"0\",\"model\":\"port\",\"topology\":\"t\","
#define HASH  "\"topology_hash\":\"0123456789abcdef\",\"ranks\":2,"
#define REST  "\"cost_s\":1,\"phases\":[],\"placement\":{\"pu_of_rank\":[0,1]}"

static const struct {
  const char *name, *text, *error; /* error NULL: it is taken */
} cases[] = {
    {"complete", FILE_WITH("{" TEXTS HASH REST "}"), NULL},
    {"with members of later versions", FILE_WITH("{\"new\":1," TEXTS HASH REST "}"), NULL},
    {"none", FILE_WITH("null"), NULL},
    {"no object", FILE_WITH("[]"), ":1: baseline: found an array, expected an object"},
    {"a later version", FILE_WITH("{\"version\":2}"),
     ":1: baseline.version: found 2, expected a whole number from 1 to 1"},
    {"no model", FILE_WITH("{\"version\":1,\"berth\":\"0\"}"),
     ":1: baseline.model: found nothing, expected a string"},
    {"a short hash", FILE_WITH("{" TEXTS "\"topology_hash\":\"012\"}"),
     ":1: baseline.topology_hash: found \"012\", expected 16 digits from 0 to 9 and a to f"},
    {"other ranks", FILE_WITH("{" TEXTS "\"topology_hash\":\"0123456789abcdef\",\"ranks\":3}"),
     ":1: baseline.ranks: found 3, expected a whole number from 2 to 2"},
    {"a negative cost", FILE_WITH("{" TEXTS HASH "\"cost_s\":-1}"),
     ":1: baseline.cost_s: found -1, expected a number of at least 0"},
    {"a phase that is none", FILE_WITH("{" TEXTS HASH "\"cost_s\":1,\"phases\":[3]}"),
     ":1: baseline.phases[0]: found 3, expected an object"},
    {"a phase without cost", FILE_WITH("{" TEXTS HASH "\"cost_s\":1,\"phases\":[{\"id\":0}]}"),
     ":1: baseline.phases[0].cost_s: found nothing, expected a number of at least 0"},
    {"no placement", FILE_WITH("{" TEXTS HASH "\"cost_s\":1,\"phases\":[]}"),
     ":1: baseline.placement: found nothing, expected an object"},
    {"too few PUs",
     FILE_WITH("{" TEXTS HASH "\"cost_s\":1,\"phases\":[],\"placement\":{\"pu_of_rank\":[0]}}"),
     ":1: baseline.placement.pu_of_rank: found 1 ranks, expected 2, the number of the pattern"},
    {"a negative PU",
     FILE_WITH("{" TEXTS HASH "\"cost_s\":1,\"phases\":[],\"placement\":{\"pu_of_rank\":[0,-1]}}"),
     ":1: baseline.placement.pu_of_rank[1]: found -1, expected a whole number from 0 to "
     "2147483647"},
};

static void read_strictly(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(cases); i++) {
    berth_error_t err = {0};
    berth_pattern_t *p = load(cases[i].text, &err);
    if (!p != (cases[i].error != NULL) || (cases[i].error && strcmp(err.text, cases[i].error) != 0))
      FAIL_ROW(cases[i].name, "found '%s', expected '%s'", err.text,
               cases[i].error ? cases[i].error : "");
    berth_pattern_free(p);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(written_and_read_back),
      cmocka_unit_test(read_strictly),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
