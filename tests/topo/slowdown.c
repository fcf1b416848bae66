/* SPDX-License-Identifier: BSD-3-Clause */
/* What a topology says of shared cores: reading, writing, joining, what is refused. */
#include <math.h>
#include <stdbool.h>

#include "base/in_file.h"
#include "harness.h"
#include "topo/topo_internal.h"

#define DOC(slowdown)                                                                              \
  "{\"format\":\"berth-topology\",\"version\":1,\"types\":{\"s\":{},\"h\":{"                       \
  "\"shared_core_slowdown\":" slowdown "}},\"root\":{\"type\":\"s\",\"children\":["                \
  "{\"type\":\"h\",\"host\":\"a\",\"children\":[{\"pu\":0,\"core\":0},{\"pu\":1,\"core\":0}]}]}}"

static berth_topo_t *parse(const char *text, berth_error_t *err)
{
  *err = (berth_error_t){0};
  return topo_parse(text, strlen(text), "f", NULL, err);
}

static const struct {
  const char *name, *text, *written;
  size_t n;
  double value[3];
} good[] = {
    {"a number", DOC("1.6"), "\"shared_core_slowdown\": 1.6", 1, {1.6}},
    {"a list of one", DOC("[1.6]"), "\"shared_core_slowdown\": 1.6", 1, {1.6}},
    {"a list",
     DOC("[1.6,2.3,2.3]"),
     "\"shared_core_slowdown\": [1.6, 2.3, 2.3]",
     3,
     {1.6, 2.3, 2.3}},
    {"no slower", DOC("1"), "\"shared_core_slowdown\": 1", 1, {1}},
    {"the most", DOC("1000"), "\"shared_core_slowdown\": 1000", 1, {1000}},
    {"left out", DOC("null"), NULL, 0, {0}},
};

static void assert_slowdown(const berth_topo_t *t, size_t row)
{
  const berth_type_t *type = berth_topo_type(t, 1);
  if (type->n_slowdowns != good[row].n) FAIL_ROW(good[row].name, "%zu numbers", type->n_slowdowns);
  for (size_t i = 0; i < good[row].n; i++)
    if (type->slowdown[i] != good[row].value[i])
      FAIL_ROW(good[row].name, "number %zu: %g", i, type->slowdown[i]);
  assert_int_equal(berth_topo_slowdown_type(t, 1), good[row].n ? 1 : -1);
}

static void slowdowns_are_read_and_written(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(good); i++) {
    berth_error_t err;
    char *text, *path = strdup(scratch_file("slowdown", "", 0));
    size_t n;
    berth_topo_t *t = parse(good[i].text, &err);
    if (!t) FAIL_ROW(good[i].name, "%s", err.text);
    assert_slowdown(t, i);
    assert_int_equal(berth_topo_save(t, path, NULL), BERTH_OK);
    assert_int_equal(in_read_all(path, &text, &n, NULL), BERTH_OK);
    const char *written = strstr(text, "\"shared_core_slowdown\"");
    if (!written != !good[i].written ||
        (written && strncmp(written, good[i].written, strlen(good[i].written)) != 0))
      FAIL_ROW(good[i].name, "wrote %.60s", written ? written : "nothing");
    berth_topo_t *again = berth_topo_load(path, NULL);
    assert_slowdown(again, i);
    berth_topo_free(again);
    berth_topo_free(t);
    unlink(path);
    free(path);
    free(text);
  }
}

static const struct {
  const char *name, *text, *error;
} bad[] = {
    {"text", DOC("\"1.6\""),
     "f: types.h.shared_core_slowdown: found \"1.6\", expected a number of at least 1, or a list"},
    {"object", DOC("{}"),
     "f: types.h.shared_core_slowdown: found an object, expected a number of at least 1, or a "
     "list"},
    {"faster", DOC("0.9"),
     "f: types.h.shared_core_slowdown: found 0.9 for 2 busy PUs, expected a number from 1 to 1000"},
    {"negative", DOC("-2"),
     "f: types.h.shared_core_slowdown: found -2 for 2 busy PUs, expected a number from 1 to 1000"},
    {"infinite", DOC("1e999"),
     "f: types.h.shared_core_slowdown: found inf for 2 busy PUs, expected a number from 1 to 1000"},
    {"too large", DOC("[2,1001]"),
     "f: types.h.shared_core_slowdown: found 1001 for 3 busy PUs, expected a number from 2 to "
     "1000"},
    {"falling", DOC("[1.6,1.5]"),
     "f: types.h.shared_core_slowdown: found 1.5 for 3 busy PUs, expected a number from 1.6 to "
     "1000"},
    {"empty", DOC("[]"),
     "f: types.h.shared_core_slowdown: found an empty list, expected a number for 2 busy PUs"},
    {"a list with null", DOC("[1.6,null]"),
     "f: types.h.shared_core_slowdown[1]: found null, expected a number of at least 1"},
    {"a list of 65",
     DOC("[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
         "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]"),
     "f: types.h.shared_core_slowdown: found more than 64 numbers, expected at most as many"},
    {"above the hosts",
     "{\"format\":\"berth-topology\",\"version\":1,\"types\":{\"s\":{\"shared_core_slowdown\":2},"
     "\"h\":{}},\"root\":{\"type\":\"s\",\"children\":[{\"type\":\"h\",\"host\":\"a\","
     "\"children\":[{\"pu\":0,\"core\":0}]}]}}",
     "f: root: found type \"s\" with shared_core_slowdown above the hosts, expected it on types of "
     "hosts and their parts"},
};

static void wrong_slowdowns_are_refused(void **state)
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
  const struct {
    const char *name;
    size_t n;
    const double *value;
    const char *error;
  } rows[] = {
      {"not a number", 1, (double[]){NAN},
       "shared_core_slowdown: found nan for 2 busy PUs, expected a number from 1 to 1000"},
      {"no numbers", 1, NULL, "shared_core_slowdown: found 1 numbers, expected 0 to 64"},
      {"many", 65, (double[65]){0}, "shared_core_slowdown: found 65 numbers, expected 0 to 64"},
  };
  berth_topo_t *t = berth_topo_new("t", NULL);
  for (size_t i = 0; i < COUNT(rows); i++) {
    berth_error_t err = {0};
    berth_port_dir_t none = {-1, 0};
    berth_type_t type = {.name = "h",
                         .up = {none, none},
                         .down = {none, none},
                         .slowdown = rows[i].value,
                         .n_slowdowns = rows[i].n};
    assert_int_equal(berth_topo_add_type(t, &type, &err), -1);
    if (strcmp(err.text, rows[i].error) != 0) FAIL_ROW(rows[i].name, "%s", err.text);
  }
  berth_topo_free(t);
}

/* Hosts keep theirs, and hosts that differ in nothing else keep types of their own. */
static void joined_hosts_keep_theirs(void **state)
{
  (void)state;
  berth_error_t err;
  berth_topo_t *fast = parse(DOC("1.2"), &err), *slow = parse(DOC("[1.6,2]"), &err);
  const berth_host_like_t hosts[] = {{"x", fast, 0}, {"y", slow, 0}, {"z", fast, 0}};
  berth_topo_t *t = berth_topo_join("all", 3, hosts, NULL, NULL);
  for (int pu = 0; pu < 6; pu++) {
    const berth_type_t *type = berth_topo_type(t, berth_topo_slowdown_type(t, pu));
    bool is_slow = pu / 2 == 1;
    assert_int_equal(type->n_slowdowns, is_slow ? 2 : 1);
    assert_true(type->slowdown[0] == (is_slow ? 1.6 : 1.2));
  }
  berth_topo_free(t);
  berth_topo_free(fast);
  berth_topo_free(slow);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(slowdowns_are_read_and_written),
                                     cmocka_unit_test(wrong_slowdowns_are_refused),
                                     cmocka_unit_test(the_builder_refuses_the_same),
                                     cmocka_unit_test(joined_hosts_keep_theirs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
