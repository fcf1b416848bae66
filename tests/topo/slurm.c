/* SPDX-License-Identifier: BSD-3-Clause */
/* Slurm's host ranges and topology.conf, and topologies of many hosts. */
#include <berth/topo.h>
#include <stdbool.h>

#include "harness.h"

static void ranges_expand_as_slurm_does(void **state)
{
  (void)state;
  static const struct {
    const char *text, *names;
  } cases[] = {
      {"a", "a"},
      {"a,b.example.org,c-1", "a b.example.org c-1"},
      {"n[0-2]", "n0 n1 n2"},
      {"n[7]", "n7"},
      {"n[08-11]", "n08 n09 n10 n11"},
      {"n[8-11]", "n8 n9 n10 n11"},
      {"n[098-101]", "n098 n099 n100 n101"},
      {"n[0-1,5,007]x", "n0x n1x n5x n007x"},
      {"r[1-2]n[01-02]", "r1n01 r1n02 r2n01 r2n02"},
      {"r[1-2,4]-[8-9]s,login1", "r1-8s r1-9s r2-8s r2-9s r4-8s r4-9s login1"},
      {"[3-4]", "3 4"},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    berth_error_t err;
    size_t n;
    char joined[256] = "";
    const char **names = berth_hostlist(cases[i].text, &n, &err);
    if (!names) FAIL_ROW(cases[i].text, "%s", err.text);
    for (size_t k = 0; k < n; k++) {
      if (k) strcat(joined, " ");
      strcat(joined, names[k]);
    }
    if (strcmp(joined, cases[i].names) != 0)
      FAIL_ROW(cases[i].text, "found %s, expected %s", joined, cases[i].names);
    assert_null(names[n]);
    free(names);
  }
}

/* The shortest ranges, in the order of the names, which come back from them. */
static void names_become_ranges(void **state)
{
  (void)state;
  static const struct {
    const char *names, *text;
  } cases[] = {
      {"a", "a"},
      {"n0,n1,n2", "n[0-2]"},
      {"n0,n2,n3,n7", "n[0,2-3,7]"},
      {"n8,n9,n10,n11", "n[8-9],n[10-11]"},
      {"n08,n09,n10,n11", "n[08-11]"},
      {"n2,n1", "n[2,1]"},
      {"r1n1,r1n2,r2n1", "r1n[1-2],r2n1"},
      {"n1,m2", "n1,m2"},
      {"n,n1", "n,n1"},
      {"n1s,n2s", "n1s,n2s"},
      {"7,8", "[7-8]"},
      {"n0000000000000001,n0000000000000002", "n0000000000000001,n0000000000000002"},
      {"", ""},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    size_t n = 0, back;
    const char **names = *cases[i].names ? berth_hostlist(cases[i].names, &n, NULL) : NULL;
    char *text = berth_hostlist_text(names, n, NULL);
    if (strcmp(text, cases[i].text) != 0)
      FAIL_ROW(cases[i].names, "found %s, expected %s", text, cases[i].text);
    const char **again = n ? berth_hostlist(text, &back, NULL) : NULL;
    for (size_t k = 0; k < n; k++) assert_string_equal(again[k], names[k]);
    free(text);
    free(names);
    free(again);
  }
}

static void wrong_ranges_are_refused(void **state)
{
  (void)state;
  static const struct {
    const char *text, *error;
  } cases[] = {
      {"", "found \"\", expected host names"},
      {"a,,b", "found \",b\", expected host names"},
      {"a,", "found \"\", expected host names"},
      {"n[", "found \"[\", expected a ']' behind it"},
      {"n[1-3", "found \"[1-3\", expected a ']' behind it"},
      {"n[1[2]]", "found \"[1[2]]\", expected a ']' behind it"},
      {"n]", "found \"n]\", expected host names"},
      {"n[]", "found range \"\", expected one such as 7 or 01-16"},
      {"n[1,]", "found range \"\", expected one such as 7 or 01-16"},
      {"n[a-b]", "found range \"a-b\", expected one such as 7 or 01-16"},
      {"n[1-]", "found range \"1-\", expected one such as 7 or 01-16"},
      {"n[-1]", "found range \"-1\", expected one such as 7 or 01-16"},
      {"n[1-2-3]", "found range \"1-2-3\", expected one such as 7 or 01-16"},
      {"n[5-3]", "found range \"5-3\", expected it to increase"},
      {"n[1-9999999999999999]",
       "found range \"1-9999999999999999\", expected one such as 7 or 01-16"},
      {"n[1-1000000000000]", "found 1000000000000 names, expected at most 16777216"},
      {"n[1-999999999999999]m[1-999999999999999]",
       "found more than 18446744073709551615 names, expected at most 16777216"},
      {"a,n[1-16777216]", "found 16777217 names, expected at most 16777216"},
      {"[1][2][3][4][5][6][7][8][9]",
       "found \"[1][2][3][4][5][6][7][8][9]\", expected at most 8 brackets"},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    berth_error_t err;
    size_t n = 1;
    if (berth_hostlist(cases[i].text, &n, &err)) FAIL_ROW(cases[i].text, "was taken");
    if (strcmp(err.text, cases[i].error) != 0)
      FAIL_ROW(cases[i].text, "\n  found    %s\n  expected %s", err.text, cases[i].error);
    assert_int_equal(n, 0);
  }
}

static const char *conf_path;

static berth_network_t *load(const char *text, size_t n, berth_error_t *err)
{
  conf_path = scratch_file("topology.conf", text, n);
  berth_network_t *s = berth_network_load_slurm(conf_path, err);
  unlink(conf_path);
  return s;
}

static const struct {
  const char *name, *text, *error;
} bad[] = {
    {"empty", "", ": found no SwitchName, expected Slurm's topology.conf"},
    {"comments", "# SwitchName=a Nodes=b\n\n",
     ": found no SwitchName, expected Slurm's "
     "topology.conf"},
    {"no value", "SwitchName=a Nodes=\n", ":1: found an empty value, expected Key=value"},
    {"no key", "\nSwitchName=a nodes\n", ":2: found \"nodes\", expected Key=value"},
    {"block", "BlockName=b Nodes=n1\n",
     ":1: found key \"BlockName\", expected SwitchName, Nodes, Switches or LinkSpeed"},
    {"key twice", "SwitchName=a Nodes=b NODES=c\n",
     ":1: found key \"NODES\" a second time in one line"},
    {"no name", "Nodes=a\n", ":1: found a line without SwitchName, expected one switch a line"},
    {"nothing below", "SwitchName=a LinkSpeed=5\n",
     ":1: found switch \"a\" with neither Nodes nor Switches"},
    {"bad range", "SwitchName=a \\\nNodes=n[1-\n", ":1: found \"[1-\", expected a ']' behind it"},
    {"huge range", "SwitchName=a Nodes=n[1-1000000000000]\n",
     ":1: found 1000000000000 names, expected at most 16777216"},
    {"huge range of switches", "SwitchName=a Switches=s[1-1000000000000]\n",
     ":1: found 1000000000000 names, expected at most 16777216"},
    {"name twice", "SwitchName=a Nodes=n1\nSwitchName=a Nodes=n2\n",
     ":2: found a second switch named \"a\", expected different names"},
    {"unknown switch", "SwitchName=a Nodes=n1\nSwitchName=b Switches=a,c\n",
     ":2: found unknown switch \"c\" in Switches of \"b\""},
    {"two parents", "SwitchName=a Nodes=n1\nSwitchName=b Switches=a\nSwitchName=c Switches=a\n",
     ":3: found switch \"a\" below \"b\" and below \"c\", expected a tree"},
    {"twice below one", "SwitchName=a Nodes=n1\nSwitchName=b Switches=a,a\n",
     ":2: found switch \"a\" below \"b\" and below \"b\", expected a tree"},
    {"below itself", "SwitchName=a Switches=a\n",
     ":1: found switch \"a\" below itself, expected a tree"},
    {"cycle",
     "SwitchName=l Nodes=n1\nSwitchName=a Switches=b\nSwitchName=b Switches=c\n"
     "SwitchName=c Switches=a\n",
     ":2: found switch \"a\" below itself, expected a tree"},
    {"host on two switches", "SwitchName=a Nodes=n[1-3]\nSwitchName=b Nodes=n3\n",
     ":2: found host \"n3\" on switch \"a\" and on \"b\", expected one"},
    {"host twice", "SwitchName=a Nodes=n1,n1\n",
     ":1: found host \"n1\" on switch \"a\" and on \"a\", expected one"},
};

static void wrong_files_are_refused_with_their_line(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(bad); i++) {
    berth_error_t err = {0};
    char expected[700];
    if (load(bad[i].text, strlen(bad[i].text), &err)) FAIL_ROW(bad[i].name, "was taken");
    snprintf(expected, sizeof expected, "%s%s", conf_path, bad[i].error);
    if (strcmp(err.text, expected) != 0)
      FAIL_ROW(bad[i].name, "\n  found    %s\n  expected %s", err.text, expected);
    assert_int_equal(err.code, BERTH_BAD_INPUT);
  }
}

static const char two_racks[] = "# comment\r\n"
                                "SwitchName=leaf0 Nodes=r0n[0-1] LinkSpeed=10 # more\n"
                                "\tswitchname =\tleaf1\tNODES = \"r1n[0-1],\\\nlogin.site\"\n"
                                "SwitchName=DEFAULT LinkSpeed=7\n"
                                "SwitchName=top Nodes=direct Switches=leaf[0-1]\n"
                                "SwitchName=alone Nodes=z1";

static void hosts_come_in_the_order_of_the_tree(void **state)
{
  (void)state;
  static const char *const expected[] = {"direct", "r0n0",       "r0n1", "r1n0",
                                         "r1n1",   "login.site", "z1"};
  berth_error_t err;
  size_t n;
  berth_network_t *s = load(two_racks, sizeof two_racks - 1, &err);
  if (!s) fail_msg("%s", err.text);
  const char *const *hosts = berth_network_hosts(s, &n);
  assert_int_equal(n, COUNT(expected));
  for (size_t i = 0; i < n; i++) assert_string_equal(hosts[i], expected[i]);
  berth_network_free(s);
}

/* The switches and hosts as "name(member member)". */
static void print_tree(const berth_topo_t *t, int element, char *out)
{
  const berth_element_t *e = berth_topo_element(t, element);
  strcat(out, berth_topo_element_name(t, element));
  if (e->host >= 0) return;
  strcat(out, "(");
  for (int c = element + 1; c < element + e->size; c += berth_topo_element(t, c)->size) {
    if (c > element + 1) strcat(out, " ");
    print_tree(t, c, out);
  }
  strcat(out, ")");
}

/* Hosts with one PU each, named by a list, below the two racks; the tree or the error. */
static void join(const char *list, const berth_network_t *s, char *out)
{
  berth_error_t err = {0};
  size_t n;
  berth_topo_t *model = berth_topo_from_description("model", "host(0:0)", NULL);
  const char **names = berth_hostlist(list, &n, NULL);
  berth_host_like_t *hosts = calloc(n, sizeof *hosts);
  for (size_t i = 0; i < n; i++) hosts[i] = (berth_host_like_t){names[i], model, 0};
  berth_topo_t *t = berth_topo_join("joined", n, hosts, s, &err);
  *out = '\0';
  if (t)
    print_tree(t, 0, out);
  else
    strcpy(out, strstr(err.text, "found"));
  berth_topo_free(t);
  berth_topo_free(model);
  free(hosts);
  free(names);
}

static void hosts_hang_below_the_switches_they_use(void **state)
{
  (void)state;
  static const struct {
    const char *hosts, *tree;
  } cases[] = {
      {"r0n0", "top(leaf0(r0n0))"},
      {"r0n1,r0n0", "top(leaf0(r0n0 r0n1))"},
      {"direct,r1n0", "top(direct leaf1(r1n0))"},
      {"r0n0,z1", "network(top(leaf0(r0n0)) alone(z1))"},
      {"z1", "alone(z1)"},
      {"r0n0.example.org,login", "top(leaf0(r0n0) leaf1(login.site))"},
      {"r0n0,r0n7", "found no host \"r0n7\", expected every host on one of the switches"},
      {"r0n0,r0n0.a", "found host \"r0n0\" twice, expected different hosts"},
  };
  berth_network_t *s = load(two_racks, sizeof two_racks - 1, NULL);
  assert_non_null(s);
  char out[512];
  for (size_t i = 0; i < COUNT(cases); i++) {
    join(cases[i].hosts, s, out);
    if (strcmp(out, cases[i].tree) != 0)
      FAIL_ROW(cases[i].hosts, "\n  found    %s\n  expected %s", out, cases[i].tree);
  }
  berth_network_free(s);
  join("b,a", NULL, out);
  assert_string_equal(out, "network(b a)");
  join("a", NULL, out);
  assert_string_equal(out, "a");
  join("a,a", NULL, out);
  assert_string_equal(out, "found a second host named \"a\", expected different names");
}

/* A chain of switches longer than a tree may be deep, and a very long cycle. */
static void long_chains_are_refused(void **state)
{
  (void)state;
  enum { N = 100000 };
  char *text = malloc(N * 40), out[512];
  size_t used = (size_t)sprintf(text, "SwitchName=s0 Nodes=n\n");
  for (int i = 1; i < N; i++)
    used += (size_t)sprintf(text + used, "SwitchName=s%d Switches=s%d\n", i, i - 1);
  berth_error_t err;
  berth_network_t *s = load(text, used, &err);
  if (!s) fail_msg("%s", err.text);
  join("n", s, out);
  assert_string_equal(out, "found a tree of more than 256 levels, the most that berth takes");
  berth_network_free(s);
  used = (size_t)sprintf(text, "SwitchName=s0 Switches=s%d\n", N - 1);
  for (int i = 1; i < N; i++)
    used += (size_t)sprintf(text + used, "SwitchName=s%d Switches=s%d\n", i, i - 1);
  assert_null(load(text, used, &err));
  assert_non_null(strstr(err.text, ":1: found switch \"s0\" below itself"));
  free(text);
}

static void damaged_files_never_crash(void **state)
{
  (void)state;
  static const char put[] = {'\0', '\n', '=', '[', ']', ',', '-', '\\', '#', '"', '9', ' '};
  char text[sizeof two_racks];
  for (size_t i = 0; i + 1 < sizeof two_racks; i++)
    for (size_t k = 0; k < COUNT(put) + 2; k++) {
      berth_error_t err = {0};
      size_t n = sizeof two_racks - 1;
      memcpy(text, two_racks, sizeof text);
      if (k < COUNT(put))
        text[i] = put[k];
      else if (k == COUNT(put))
        text[i] ^= 4;
      else
        n = i;
      berth_network_t *s = load(text, n, &err);
      if (!s && (err.code != BERTH_BAD_INPUT || !*err.text || strchr(err.text, '\n')))
        fail_msg("byte %zu: code %d, \"%s\"", i, err.code, err.text);
      berth_network_free(s);
    }
}

/* Hosts like different ones keep their types apart where these differ, and share them otherwise. */
static void types_are_shared_where_they_are_equal(void **state)
{
  (void)state;
  berth_topo_t *flat = berth_topo_from_description("x", "host+l3(0:0,1:1)", NULL);
  berth_topo_t *deep = berth_topo_from_description("y", "host(l3(0:0,1:1),l3(2:2,3:3))", NULL);
  berth_host_like_t hosts[] = {{"a", flat, 0}, {"b", deep, 0}, {"c", flat, 0}, {"d", deep, 0}};
  berth_topo_t *t = berth_topo_join("mixed", COUNT(hosts), hosts, NULL, NULL);
  assert_non_null(t);
  static const char *const names[] = {"network", "host", "host-2", "l3"};
  assert_int_equal(berth_topo_n_types(t), COUNT(names));
  for (int i = 0; i < (int)COUNT(names); i++)
    assert_string_equal(berth_topo_type(t, i)->name, names[i]);
  static const int types[] = {1, 2, 1, 2}, pus[] = {2, 4, 2, 4};
  for (int h = 0; h < (int)COUNT(hosts); h++) {
    const berth_element_t *e = berth_topo_element(t, berth_topo_host(t, h)->element);
    assert_int_equal(e->type, types[h]);
    assert_int_equal(e->n_pus, pus[h]);
    assert_string_equal(berth_topo_host(t, h)->name, hosts[h].name);
  }
  assert_int_equal(berth_topo_n_curves(t), 3); /* ethernet, l3, memory */
  berth_topo_free(t);
  berth_topo_free(flat);
  berth_topo_free(deep);
}

/* LinkSpeed with a unit is a switch's uplink; DEFAULT sets it for the lines behind it. */
static void link_speeds_are_used_if_they_have_a_unit(void **state)
{
  (void)state;
  static const struct {
    const char *name, *text, *note;
    double leaf0, leaf1; /* Gbit/s, 0: as the host's own */
  } cases[] = {
      {"units",
       "SwitchName=leaf0 Nodes=n0 LinkSpeed=2x100Gbit/s\n"
       "SwitchName=leaf1 Nodes=n1 LinkSpeed=HDR\n",
       NULL, 200, 200},
      {"one of two", "SwitchName=leaf0 Nodes=n0 LinkSpeed=40GbE\nSwitchName=leaf1 Nodes=n1\n", NULL,
       40, 10},
      {"default",
       "SwitchName=DEFAULT LinkSpeed=40Gb/s\nSwitchName=leaf0 Nodes=n0\n"
       "SwitchName=leaf1 Nodes=n1 LinkSpeed=20Gb/s\n",
       NULL, 40, 20},
      {"no unit", "SwitchName=leaf0 Nodes=n0\nSwitchName=leaf1 Nodes=n1 LinkSpeed=900\n",
       ":2: LinkSpeed: found \"900\", expected a rate with a unit, such as 100Gbit/s; "
       "it isn't used",
       10, 10},
      {"a ratio",
       "SwitchName=leaf0 Nodes=n0 LinkSpeed=2:1\nSwitchName=leaf1 Nodes=n1 LinkSpeed=x\n",
       ":1: LinkSpeed: found \"2:1\", expected a rate with a unit, such as 100Gbit/s; "
       "it isn't used",
       10, 10},
  };
  berth_error_t err = {0};
  berth_topo_t *host = berth_topo_from_description("host", "host(0:0,1:1)", &err);
  assert_non_null(host);
  const berth_host_like_t hosts[] = {{"n0", host, 0}, {"n1", host, 0}};
  for (size_t i = 0; i < COUNT(cases); i++) {
    char text[300], note[300] = "";
    snprintf(text, sizeof text, "%sSwitchName=top Switches=leaf[0-1]\n", cases[i].text);
    berth_network_t *net = load(text, strlen(text), &err);
    if (!net) FAIL_ROW(cases[i].name, "%s", err.text);
    const char *found = berth_network_note(net);
    if (cases[i].note) snprintf(note, sizeof note, "%s%s", conf_path, cases[i].note);
    if (strcmp(found ? found : "", note) != 0)
      FAIL_ROW(cases[i].name, "found note %s", found ? found : "");
    berth_topo_t *t = berth_topo_join("t", COUNT(hosts), hosts, net, &err);
    if (!t) FAIL_ROW(cases[i].name, "%s", err.text);
    const double expected[] = {cases[i].leaf0, cases[i].leaf1};
    for (int h = 0; h < 2; h++) {
      int leaf = berth_topo_element(t, berth_topo_host(t, h)->element)->parent;
      const berth_type_t *type = berth_topo_type(t, berth_topo_element(t, leaf)->type);
      if (type->up.out.capacity * 8e-9 != expected[h])
        FAIL_ROW(cases[i].name, "leaf%d: found %g Gbit/s, expected %g", h,
                 type->up.out.capacity * 8e-9, expected[h]);
    }
    /* A stated link isn't limited by what the upper switch has by default. */
    bool stated = expected[0] != 10 || expected[1] != 10;
    int top = berth_topo_element(t, berth_topo_element(t, berth_topo_host(t, 0)->element)->parent)
                  ->parent;
    const berth_type_t *above = berth_topo_type(t, berth_topo_element(t, top)->type);
    if ((above->down.out.curve < 0) != stated || (above->down.in.curve < 0) != stated)
      FAIL_ROW(cases[i].name, "found %s port downwards", stated ? "a" : "no");
    berth_topo_free(t);
    berth_network_free(net);
  }
  berth_topo_free(host);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(link_speeds_are_used_if_they_have_a_unit),
      cmocka_unit_test(names_become_ranges),
      cmocka_unit_test(ranges_expand_as_slurm_does),
      cmocka_unit_test(wrong_ranges_are_refused),
      cmocka_unit_test(wrong_files_are_refused_with_their_line),
      cmocka_unit_test(hosts_come_in_the_order_of_the_tree),
      cmocka_unit_test(hosts_hang_below_the_switches_they_use),
      cmocka_unit_test(long_chains_are_refused),
      cmocka_unit_test(damaged_files_never_crash),
      cmocka_unit_test(types_are_shared_where_they_are_equal),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
