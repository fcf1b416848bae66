/* SPDX-License-Identifier: BSD-3-Clause */
/* Descriptions of machines, and what becomes of them. HWLOC_SYNTHETIC makes up the machine. */
#include <berth/topo.h>

#include "base/in_file.h"

#include "harness.h"

static void machines_become_levels_that_share(void **state)
{
  (void)state;
  static const struct {
    const char *machine, *description;
  } cases[] = {
      {"pu:1", "host(0:0)"},
      {"core:4 pu:1", "host(0:0*4+1+1)"},
      {"pack:1 l3:1 l2:2 core:1 pu:1", "host+l3(0:0*2+1+1)"},
      {"core:2 pu:2(indexes=0,2,1,3)", "host(core(0:0*2+2+0)*2+1+1)"},
      {"pack:2 core:1 pu:1", "host(0:0*2+1+1)"},
      {"pack:2 [numa] l3:1 core:2 pu:1", "host(package+l3(0:0*2+1+1)*2+2+2)"},
      {"pack:1 die:2 [numa] core:2 pu:1", "host+package(numa+die(0:0*2+1+1)*2+2+2)"},
      {"pack:1 l3:2 l2:2 core:1 pu:2", "host+package(l3(core(0:0*2+1+0)*2+2+1)*2+4+2)"},
      {"pack:1 core:1 pu:2", "host+core(0:0*2+1+0)"},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    berth_error_t err;
    setenv("HWLOC_SYNTHETIC", cases[i].machine, 1);
    char *text = berth_host_describe(0, &err);
    if (!text) FAIL_ROW(cases[i].machine, "%s", err.text);
    if (strcmp(text, cases[i].description) != 0)
      FAIL_ROW(cases[i].machine, "\n  found    %s\n  expected %s", text, cases[i].description);
    berth_topo_t *t = berth_topo_from_description("h", text, &err);
    if (!t) FAIL_ROW(cases[i].machine, "%s", err.text);
    berth_topo_free(t);
    free(text);
  }
  unsetenv("HWLOC_SYNTHETIC");
}

static void this_machine_is_described(void **state)
{
  (void)state;
  berth_error_t err;
  char *own = berth_host_describe(0, &err), *same = berth_host_describe((long)getpid(), &err);
  if (!own || !same) fail_msg("%s", err.text);
  assert_string_equal(own, same);
  berth_topo_t *t = berth_topo_from_description("here", own, &err);
  if (!t) fail_msg("%s", err.text);
  assert_int_equal(berth_topo_n_hosts(t), 1);
  assert_true(berth_topo_n_pus(t) <= sysconf(_SC_NPROCESSORS_ONLN));
  berth_topo_free(t);
  free(own);
  free(same);
}

static char *describe_xml(const char *from, const char *to, berth_error_t *err)
{
  char path[512], *xml, *found;
  size_t n;
  snprintf(path, sizeof path, "%s/tests/topo/data/two-sockets.xml", getenv("BERTH_SOURCE_DIR"));
  assert_int_equal(in_read_all(path, &xml, &n, NULL), BERTH_OK);
  for (char *at = xml; from && (found = strstr(at, from)); at = found + strlen(to))
    memcpy(found, to, strlen(to));
  char *text = berth_host_describe_xml(scratch_file("machine.xml", xml, n), err);
  unlink(scratch_file("machine.xml", xml, n));
  free(xml);
  return text;
}

static void xml_is_read(void **state)
{
  (void)state;
  berth_error_t err = {0};
  char *text = describe_xml(NULL, "", &err);
  assert_non_null(text);
  assert_string_equal(text, "host(package+l3(core(0:0*2+4+0)*2+1+1)*2+2+2)");
  free(text);
  /* PUs that a cgroup withholds: only 1, 2, 5 and 6 are allowed, cores count among these */
  text = describe_xml("allowed_cpuset=\"0x000000ff\"", "allowed_cpuset=\"0x00000066\"", &err);
  assert_non_null(text);
  assert_string_equal(text, "host(package+core(1:0*2+4+0)*2+1+1)");
  free(text);
}

static void what_is_no_machine_is_refused(void **state)
{
  (void)state;
  berth_error_t err = {0};
  char expected[600];
  const char *path = scratch_file("no.xml", "<topology", 9);
  assert_null(berth_host_describe_xml(path, &err));
  snprintf(expected, sizeof expected, "%s: hwloc cannot read it, expected hwloc XML", path);
  assert_string_equal(err.text, expected);
  assert_int_equal(err.code, BERTH_BAD_INPUT);
  unlink(path);
  assert_null(berth_host_describe_xml("/nowhere/x", &err));
  assert_int_equal(err.code, BERTH_MISSING);
}

static void wrong_descriptions_are_refused(void **state)
{
  (void)state;
  static const struct {
    const char *text, *error;
  } cases[] = {
      {"", "found \"\" at byte 0, expected a level such as package or l3"},
      {"0:0", "found \"0:0\" at byte 0, expected a level such as package or l3"},
      {"core(0:0)", "found \"0:0)\" at byte 5, expected one host around all levels"},
      {"host(host(0:0))", "found \"0:0))\" at byte 10, expected one host around all levels"},
      {"host()", "found \")\" at byte 5, expected a level such as package or l3"},
      {"host(0:0", "found \"\" at byte 8, expected ','"},
      {"host(0:0))", "found \")\" at byte 9, expected nothing more"},
      {"host(0)", "found \")\" at byte 6, expected ':'"},
      {"host(0:-1)", "found \"-1)\" at byte 7, expected a number below 16777216"},
      {"host(99999999999999999999:0)",
       "found \"99999999999999999999\" at byte 5, expected a number below 16777216"},
      {"host+l9(0:0)", "found \"l9(0:0)\" at byte 5, expected a level such as package or l3"},
      {"host(0:0*0+1+1)", "found \")\" at byte 14, expected fewer copies before it, at least one"},
      {"host(0:0*2+1)", "found \")\" at byte 12, expected '+'"},
      {"host(0:0*9+9999999+1)", "found \")\" at byte 20, expected numbers below 16777216"},
      {"host(l3(0:0*9999+1+1)*9999+1+1)",
       "found \")\" at byte 30, expected fewer copies before it, at least one"},
      {"host(0:0)*2+1+1", "found \"*2+1+1\" at byte 9, expected nothing more"},
      {"host(0:0,l3())", "found \"))\" at byte 12, expected a level such as package or l3"},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    berth_error_t err = {0};
    if (berth_topo_from_description("h", cases[i].text, &err)) FAIL_ROW(cases[i].text, "was taken");
    if (strcmp(err.text, "host description: ") <= 0 ||
        strcmp(err.text + strlen("host description: "), cases[i].error) != 0)
      FAIL_ROW(cases[i].text, "\n  found    %s\n  expected %s", err.text, cases[i].error);
  }
  berth_error_t err = {0};
  assert_null(berth_topo_from_description("h", "host(0:0,0:1)", &err));
  assert_string_equal(err.text, "found pu 0 a second time in host \"h\", expected different ones");
  assert_null(berth_topo_from_description("h i", "host(0:0)", &err));
  assert_string_equal(err.text,
                      "found host name \"h i\", expected no white space, ',' or '=' in it");
}

/* Machines that are not regular, and copies: what is written reads back as the same PUs. */
static void copies_have_higher_numbers(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    int n, os_index[8], core[8];
  } cases[] = {
      {"host(0:0*3+2+1,9:9)", 4, {0, 2, 4, 9}, {0, 1, 2, 9}},
      {"host(l3(core(0:0*2+4+0)*2+1+1)*2+2+2)",
       8,
       {0, 4, 1, 5, 2, 6, 3, 7},
       {0, 0, 1, 1, 2, 2, 3, 3}},
      {"host(l3(3:0,1:1)*2+4+2,l3(9:7,8:8))", 6, {3, 1, 7, 5, 9, 8}, {0, 1, 2, 3, 7, 8}},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    berth_error_t err;
    berth_topo_t *t = berth_topo_from_description("h", cases[i].text, &err);
    if (!t) FAIL_ROW(cases[i].text, "%s", err.text);
    assert_int_equal(berth_topo_n_pus(t), cases[i].n);
    for (int k = 0; k < cases[i].n; k++) {
      assert_int_equal(berth_topo_pu(t, k)->os_index, cases[i].os_index[k]);
      assert_int_equal(berth_topo_pu(t, k)->core, cases[i].core[k]);
    }
    berth_topo_free(t);
  }
}

/* The links of a made-up machine: which curve joins which levels. */
static void unmeasured_ports_have_marked_curves(void **state)
{
  (void)state;
  static const struct {
    const char *type, *up, *down;
  } expected[] = {
      {"host", "ethernet", "interconnect"},
      {"package", "interconnect", "memory"},
      {"l3", "memory", "l3"},
      {"core", "l3", "core"},
  };
  berth_error_t err;
  berth_topo_t *t = berth_topo_from_description(
      "h", "host(package(l3(core(0:0,1:0),2:1),l3(3:2,4:3)),package(5:4,6:5))", &err);
  if (!t) fail_msg("%s", err.text);
  assert_int_equal(berth_topo_n_types(t), COUNT(expected));
  for (int i = 0; i < (int)COUNT(expected); i++) {
    const berth_type_t *type = berth_topo_type(t, i);
    assert_string_equal(type->name, expected[i].type);
    assert_string_equal(berth_topo_curve(t, type->up.in.curve)->name, expected[i].up);
    assert_string_equal(berth_topo_curve(t, type->down.out.curve)->name, expected[i].down);
  }
  for (int i = 0; i < berth_topo_n_curves(t); i++) {
    const berth_curve_t *c = berth_topo_curve(t, i);
    assert_true(berth_curve_is_default(c));
    for (size_t k = 1; k < c->n; k++) /* sizes and times increase */
      assert_true(berth_curve_time(c, c->size[k]) > berth_curve_time(c, c->size[k - 1]));
  }
  assert_string_equal(berth_topo_element_name(t, 2), "l3 0");
  assert_string_equal(berth_topo_element_name(t, 10), "package 1");
  berth_topo_free(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(machines_become_levels_that_share),
      cmocka_unit_test(this_machine_is_described),
      cmocka_unit_test(xml_is_read),
      cmocka_unit_test(what_is_no_machine_is_refused),
      cmocka_unit_test(wrong_descriptions_are_refused),
      cmocka_unit_test(copies_have_higher_numbers),
      cmocka_unit_test(unmeasured_ports_have_marked_curves),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
