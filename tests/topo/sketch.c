/* SPDX-License-Identifier: BSD-3-Clause */
/* Machines of a few words. */
#include <berth/sketch.h>
#include <math.h>

#include "harness.h"

/* The machine of words between blanks; NULL with the error filled. */
static berth_topo_t *made_like(const char *words, const berth_topo_t *model, berth_error_t *err)
{
  char copy[1024];
  int rc = BERTH_OK;
  berth_sketch_t *s = berth_sketch_new(err);
  assert_non_null(s);
  snprintf(copy, sizeof copy, "%s", words);
  for (char *word = strtok(copy, " "); word && !rc; word = strtok(NULL, " "))
    rc = berth_sketch_add(s, word, err);
  for (size_t i = 0; i < berth_sketch_n_models(s); i++) berth_sketch_set_model(s, i, model);
  berth_topo_t *t = rc ? NULL : berth_sketch_topo(s, NULL, err);
  berth_sketch_free(s);
  return t;
}

static berth_topo_t *made(const char *words, berth_error_t *err)
{
  return made_like(words, NULL, err);
}

/* "TYPE:CHILDREN*CHILD OWN Gbit/s RATIO" of each shared link, with ';' behind it. */
static void write_shared(const berth_topo_t *t, char *out, size_t size)
{
  berth_shared_link_t *list;
  size_t n, used = 0;
  assert_int_equal(berth_topo_shared_links(t, &list, &n, NULL), BERTH_OK);
  *out = '\0';
  for (size_t i = 0; i < n; i++)
    used += (size_t)snprintf(
        out + used, size - used, "%d %s:%d*%s %g/%g %.3g:1;", list[i].n,
        berth_topo_type(t, berth_topo_element(t, list[i].element)->type)->name, list[i].children,
        list[i].child_type < 0 ? "any" : berth_topo_type(t, list[i].child_type)->name,
        list[i].own * 8e-9, list[i].cable * 8e-9, list[i].below / list[i].own);
  free(list);
}

static void levels_and_links_make_a_machine(void **state)
{
  (void)state;
  static const struct {
    const char *words, *name;
    int hosts, pus, elements;
    const char *shared; /* number, type:children*child, Gbit/s of its link and cable, ratio */
  } cases[] = {
      {"host:1 core:4", "host0", 1, 4, 5, ""},
      {"core:4", "host0", 1, 4, 5, ""},
      {"socket:2 core:4 thread:2", "host0", 1, 16, 27, ""},
      {"host:3 core:2", "cluster", 3, 6, 10, ""},
      {"node:3:n[7-9] core:1 name=mine", "mine", 3, 3, 7, ""},
      {"spine:1 leaf:2 host:2 core:1", "cluster", 4, 4, 11, "2 leaf:2*host 10/0 2:1;"},
      {"rack:3 host:10 socket:2 core:16 rack=2x100Gbit/s,1.5us host=100Gbit/s", "cluster", 30, 960,
       1054, "3 rack:10*host 200/100 5:1;"},
      {"leaf:2 host:4 core:1 leaf=2:1 host=HDR", "cluster", 8, 8, 19, "2 leaf:4*host 400/200 2:1;"},
      {"leaf:2 host:4 core:1 leaf=16:1 host=HDR", "cluster", 8, 8, 19, "2 leaf:4*host 50/0 16:1;"},
      {"pod:2 leaf:2 host:3 core:1 pod=3:1 leaf=10GbE host=10GbE", "cluster", 12, 12, 31,
       "2 pod:2*leaf 6.66667/0 3:1;4 leaf:3*host 10/0 3:1;"},
      {"pod:2 rack:1 host:4 core:1 pod=2:1 rack=10GbE host=10GbE", "cluster", 8, 8, 21,
       "2 pod:1*rack 5/0 2:1;2 rack:4*host 10/0 4:1;"},
      {"rack:2 host:4,5 core:1", "cluster", 9, 9, 21,
       "1 rack:4*host 10/0 4:1;1 rack:5*host 10/0 5:1;"},
      {"host:2 core:2,3", "cluster", 2, 5, 8, ""},
      {"rack:2 { host:3 core:4 } gpu:1 { host:2:g[1-2] core:64 host=HDR } rack=2:1 gpu=4xHDR "
       "host=25GbE",
       "cluster", 8, 152, 164, "2 rack:3*host 37.5/0 2:1;1 gpu:2*host-2 800/200 0.5:1;"},
      {"net:1 { leaf:1 { host:2 core:1 } host:1 core:1 }", "cluster", 3, 3, 8,
       "1 leaf:2*host 10/0 2:1;"},
      {"host:1 { core:4 { thread:2 } core:4 }", "host0", 1, 12, 17, ""},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    berth_error_t err = {0};
    char shared[512];
    berth_topo_t *t = made(cases[i].words, &err);
    if (!t) FAIL_ROW(cases[i].words, "%s", err.text);
    write_shared(t, shared, sizeof shared);
    if (strcmp(berth_topo_name(t), cases[i].name) != 0 || berth_topo_n_hosts(t) != cases[i].hosts ||
        berth_topo_n_pus(t) != cases[i].pus || berth_topo_n_elements(t) != cases[i].elements ||
        strcmp(shared, cases[i].shared) != 0)
      FAIL_ROW(cases[i].words, "found %s, %d hosts, %d PUs, %d elements, %s", berth_topo_name(t),
               berth_topo_n_hosts(t), berth_topo_n_pus(t), berth_topo_n_elements(t), shared);
    berth_topo_free(t);
  }
}

/* What a user counts on: names go on across groups, PUs are numbered as Linux does it. */
static void elements_have_names_and_numbers(void **state)
{
  (void)state;
  berth_error_t err = {0};
  berth_topo_t *t =
      made("rack:2 { node:2 core:1 } gpu:1 { node:1 socket:2 core:2 thread:2 }", &err);
  assert_non_null(t);
  char *hosts = berth_topo_hosts_text(t, &err);
  assert_string_equal(hosts, "node[0-4]");
  static const int os_index[] = {0, 4, 1, 5, 2, 6, 3, 7}, core[] = {0, 0, 1, 1, 2, 2, 3, 3};
  const berth_element_t *host = berth_topo_element(t, berth_topo_host(t, 4)->element);
  assert_int_equal(host->n_pus, COUNT(core));
  for (int i = 0; i < host->n_pus; i++) {
    assert_int_equal(berth_topo_pu(t, host->first_pu + i)->os_index, os_index[i]);
    assert_int_equal(berth_topo_pu(t, host->first_pu + i)->core, core[i]);
  }
  free(hosts);
  berth_topo_free(t);
}

static void a_stated_machine_equals_the_described_one(void **state)
{
  (void)state;
  static const struct {
    const char *words, *description;
  } cases[] = {
      {"core:8", "host(0:0*8+1+1)"},
      {"socket:2 core:2 thread:2", "host(package(core(0:0,4:0)*2+1+1)*2+2+2)"},
      {"socket:2 l3:1 core:2", "host(package+l3(0:0*2+1+1)*2+2+2)"},
      {"socket:1 numa:2 core:2", "host+package(numa(0:0*2+1+1)*2+2+2)"},
      {"socket:2 numa:2 l3:2 core:2", "host(package(numa(l3(0:0*2+1+1)*2+2+2)*2+4+4)*2+8+8)"},
      {"host:1 thread:3", "host(0:0*3+1+1)"},
      {"socket:2 core:1", "host(0:0*2+1+1)"},
      {"core:1", "host(0:0)"},
      {"host:1 { socket:2 { core:1 thread:1 } thread:2 }", "host(0:0*4+1+1)"},
      {"core:2 l1:1", NULL},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    berth_error_t err = {0};
    berth_topo_t *t = made(cases[i].words, &err);
    if (!cases[i].description) {
      assert_null(t);
      continue;
    }
    if (!t) FAIL_ROW(cases[i].words, "%s", err.text);
    berth_topo_t *other = berth_topo_from_description("host0", cases[i].description, &err);
    if (!other) FAIL_ROW(cases[i].words, "%s", err.text);
    if (berth_topo_hash(t) != berth_topo_hash(other))
      FAIL_ROW(cases[i].words, "found another machine than %s", cases[i].description);
    berth_topo_free(other);
    berth_topo_free(t);
  }
}

/* The ports of a type. */
static const berth_type_t *type_of(const berth_topo_t *t, const char *name)
{
  for (int i = 0; i < berth_topo_n_types(t); i++)
    if (strcmp(berth_topo_type(t, i)->name, name) == 0) return berth_topo_type(t, i);
  fail_msg("found no type %s", name);
  return NULL;
}

static void assert_near(double found, double expected)
{
  if (fabs(found - expected) > 0.006 * expected) fail_msg("found %g, expected %g", found, expected);
}

static void links_carry_what_is_stated(void **state)
{
  (void)state;
  berth_error_t err = {0};
  berth_topo_t *t = made("rack:2 host:4 socket:2 core:4 rack=2x100Gbit/s,1.5us host=1GbE "
                         "memory=8xDDR4-3200 interconnect=3x20.8GB/s,400ns",
                         &err);
  assert_non_null(t);
  const berth_port_dir_t *rack = &type_of(t, "rack")->up.out;
  const berth_port_dir_t *host = &type_of(t, "host")->up.in;
  const berth_port_dir_t *socket = &type_of(t, "package")->up.out;
  assert_near(rack->capacity, 25e9);
  assert_near(berth_curve_time(berth_topo_curve(t, rack->curve), 1), 1.5e-6);
  assert_near(berth_curve_time(berth_topo_curve(t, rack->curve), 1e9), 1e9 / 12.3e9);
  assert_string_equal(berth_topo_curve(t, rack->curve)->source, BERTH_STATED_SOURCE);
  assert_near(host->capacity, 125e6);
  assert_near(berth_curve_time(berth_topo_curve(t, host->curve), 1), 15e-6);
  assert_near(socket->capacity, 62.4e9);
  assert_near(berth_curve_time(berth_topo_curve(t, socket->curve), 1), 400e-9);
  assert_near(type_of(t, "package")->capacity, 204.8e9);
  const berth_port_dir_t *memory = &type_of(t, "package")->down.out;
  assert_string_equal(berth_topo_curve(t, memory->curve)->source, BERTH_DEFAULT_SOURCE);
  berth_topo_free(t);
}

static void hosts_are_like_a_model(void **state)
{
  (void)state;
  static const struct {
    const char *words, *error; /* NULL: it is made */
  } cases[] = {
      {"host:3 like=m", NULL},
      {"host:3 socket:2 core:2 thread:2 like=m", NULL},
      {"host:3 socket:2 like=m", NULL},
      {"host:3 numa:2 like=m", NULL},
      {"host:3 core:4 like=m", NULL},
      {"rack:2 host:3 like=m rack=2:1", NULL},
      {"host:3 socket:4 like=m", "socket:4: found 2 in a host like m, expected 4 or no socket"},
      {"host:3 core:8 like=m", "core:8: found 4 in a host like m, expected 8 or no core"},
      {"host:3 thread:4 like=m", "thread:4: found 8 in a host like m, expected 4 or no thread"},
      {"host:3 core:4,4,4 like=m",
       "core:4,4,4: found it beside like=m, expected the same count in each"},
      {"host:3 like=m memory=HDR",
       "memory=HDR: found nothing in a host that it is for, expected levels that have such a link; "
       "hosts like a model have the model's"},
  };
  berth_error_t err = {0};
  berth_topo_t *model =
      berth_topo_from_description("m", "host(package(core(0:0,4:0)*2+1+1)*2+2+2)", &err);
  assert_non_null(model);
  for (size_t i = 0; i < COUNT(cases); i++) {
    berth_topo_t *t = made_like(cases[i].words, model, &err);
    if (!t != (cases[i].error != NULL) || (!t && strcmp(err.text, cases[i].error) != 0))
      FAIL_ROW(cases[i].words, "found %s", t ? "a machine" : err.text);
    if (t) assert_int_equal(berth_topo_n_pus(t), 8 * berth_topo_n_hosts(t));
    berth_topo_free(t);
  }
  berth_topo_free(model);
}

static void errors_name_the_word(void **state)
{
  (void)state;
  static const struct {
    const char *words, *error;
  } cases[] = {
      {"", "found no levels, expected some such as host:4 core:8"},
      {"rack", "rack: expected a level such as rack:3, a link such as rack=100Gbit/s, { or }"},
      {"rack:3", "rack:3: expected host:COUNT in it"},
      {"host:3", "host:3: expected core:COUNT in it, or like=FILE"},
      {"host:3 socket:2", "socket:2: expected core:COUNT in it"},
      {"host:0 core:1", "host:0: found count \"0\", expected a number from 1 to 33554432"},
      {"host:x core:1", "host:x: found count \"x\", expected a number from 1 to 33554432"},
      {"host:1, core:1", "host:1,: found count \"\", expected a number from 1 to 33554432"},
      {":1", ":1: found type \"\", expected a name of up to 32 letters, digits, _ and -"},
      {"9a:1", "9a:1: found type \"9a\", expected a name of up to 32 letters, digits, _ and -"},
      {"core:1 host:1", "host:1: found it inside of core:1, expected socket, numa, die, group, l4, "
                        "l3, l2, l1, core and thread there"},
      {"rack:2 { host:1 rack:2",
       "rack:2: found it inside of host:1, expected socket, numa, die, group, "
       "l4, l3, l2, l1, core and thread there; \"}\" ends what is inside of \"{\""},
      {"rack:2 node:3 cpu:4",
       "cpu:4: found it inside of node:3, expected socket, numa, die, group, l4, "
       "l3, l2, l1, core and thread there"},
      {"hosts:10",
       "hosts:10: found a switch without hosts in it, expected host:COUNT in place of it"},
      {"rack:2 hosts:10 core:4",
       "hosts:10: found a switch with core:4 in it, expected host:COUNT in place of it"},
      {"nodes:3 cores:4",
       "nodes:3: found a switch without hosts in it, expected node:COUNT in place of it"},
      {"Core:2", "Core:2: found a switch without hosts in it, expected core:COUNT in place of it"},
      {"host:2 sokcet:2 core:2",
       "sokcet:2: found it inside of host:2, expected socket:COUNT in place of it"},
      {"rack:2 host:2 core:2 rakc=HDR host=HDR", NULL},
      {"host:2 core:2 memroy=10GB/s",
       "memroy=10GB/s: found no level that it is for, expected memory before \"=\""},
      {"rack:2 host:2 core:2 racks=2:1",
       "racks=2:1: found no level that it is for, expected rack before \"=\""},
      {"core:4 socket:2", "socket:2: found it inside of core:4, expected the order host, socket, "
                          "numa, die, group, l4, l3, l2, l1, core and thread"},
      {"rack:1 core:4", "core:4: found it outside of a host, expected host:COUNT before it"},
      {"rack:2 host:1,2,3 core:1", "host:1,2,3: found 3 counts, expected one, or 2: one for each "
                                   "rack"},
      {"rack:2,2 host:1 core:1", "rack:2,2: found 2 counts, expected one, or 1: one for each "
                                 "machine"},
      {"host:3:a[1-2] core:1", "host:3:a[1-2]: found 2 names, expected 3: one for each host"},
      {"host:2:a,a core:1", "found host \"a\" twice, expected different names"},
      {"host:1 core:2:a,b", "core:2:a,b: found names, expected them for hosts and what is above "
                            "them"},
      {"host:2:a[ core:1", NULL},
      {"host:33554433 core:1",
       "host:33554433: found count \"33554433\", expected a number from 1 to 33554432"},
      {"host:30000 core:30000", "core:30000: found more than 33554432 of them, expected fewer"},
      {"host:2 core:10000000", "core:10000000: found 20000000 PUs, expected at most 16777216"},
      {"{", "{: expected a level before it, such as rack:2 { host:10 }"},
      {"}", "}: expected \"{\" before it"},
      {"rack:2 { }", "}: expected a level between the braces"},
      {"rack:2 { host:1 core:1 } {", "{: expected a level before it, such as rack:2 { host:10 }"},
      {"rack:2 { host:1 core:1", "{: expected \"}\" behind it"},
      {"host:2 like=m", "like=m: found no model, expected berth_sketch_set_model"},
      {"host:2 core:1 like=m", "like=m: found no model, expected berth_sketch_set_model"},
      {"host:2 core:1 host=", "host=: found no value, expected one behind \"=\""},
      {"host:2 core:1 host=HDR host=HDR", "host=HDR: found host a second time, expected it once"},
      {"host:2 core:1 rack=HDR", "rack=HDR: found no level that it is for, expected a level's "
                                 "type, memory, interconnect, l3, l2, core, like or name before "
                                 "\"=\""},
      {"host:2 core:1 host=100", "host=100: found \"100\", expected a rate, such as 100Gbit/s, "
                                 "2x12.5GB/s, 25GbE or HDR, or a ratio, such as 2:1"},
      {"host:2 core:1 host=2:1",
       "host=2:1: found a ratio, expected a rate: no rate below is known"},
      {"host:2 core:1 memory=2:1", "memory=2:1: found a ratio, expected a rate"},
      {"host:2 core:2 l3=3GB/s",
       "l3=3GB/s: found nothing in a host that it is for, expected levels that have such a link; "
       "hosts like a model have the model's"},
      {"host:2 core:2 interconnect=3GB/s",
       "interconnect=3GB/s: found nothing in a host that it is for, expected levels that have such "
       "a link; hosts like a model have the model's"},
      {"rack:2 host:2 core:2 rakc=HDR host=HDR", NULL},
      {"host:1 core:1 name=a name=b", "name=b: found name a second time, expected it once"},
      {"host:1 core:1 name=", "name=: found no value, expected one behind \"=\""},
      {"leaf:2 host:2 core:1 leaf=HDR",
       "host:2: expected its link beside those of others, such as host=100Gbit/s"},
      {"leaf:2 host:2 core:1 host=HDR",
       "leaf:2: expected its link beside those of others, such as leaf=2x100Gbit/s or 2:1"},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    berth_error_t err = {0};
    berth_topo_t *t = made(cases[i].words, &err);
    if (t || err.code != BERTH_BAD_INPUT ||
        (cases[i].error && strcmp(err.text, cases[i].error) != 0))
      FAIL_ROW(cases[i].words, "found %s", t ? "a machine" : err.text);
  }
}

static void files_hold_words_and_comments(void **state)
{
  (void)state;
  static const struct {
    const char *name, *text, *error; /* NULL: two hosts */
  } cases[] = {
      {"words and comments", "# two\nhost:2 # hosts\n\n\tcore:1\r\n", NULL},
      {"no newline", "host:2 core:1", NULL},
      {"a byte order mark", "\xef\xbb\xbfhost:2 core:1", NULL},
      {"braces", "x:1 {\n host:2\n core:1\n}\n", NULL},
      {"a wrong word", "host:2\ncore:1\nhost=1\n",
       ":3: host=1: found \"1\", expected a rate, such as 100Gbit/s, 2x12.5GB/s, 25GbE or HDR, or "
       "a ratio, such as 2:1"},
      {"a missing brace", "x:1 {\nhost:2 core:1\n",
       ": found braces that aren't in pairs, expected a \"}\" for each \"{\""},
      {"a check at the end", "x:1\nhost:2\n",
       ":2: host:2: expected core:COUNT in it, or like=FILE"},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    const char *path = scratch_file("words", cases[i].text, strlen(cases[i].text));
    berth_error_t err = {0};
    char expected[700] = "";
    berth_sketch_t *s = berth_sketch_new(&err);
    int rc = berth_sketch_load(s, path, &err);
    berth_topo_t *t = rc ? NULL : berth_sketch_topo(s, NULL, &err);
    if (cases[i].error) snprintf(expected, sizeof expected, "%s%s", path, cases[i].error);
    if (!t != (cases[i].error != NULL) || (!t && strcmp(err.text, expected) != 0))
      FAIL_ROW(cases[i].name, "found %s", t ? "a machine" : err.text);
    if (t) assert_int_equal(berth_topo_n_hosts(t), 2);
    berth_topo_free(t);
    berth_sketch_free(s);
    remove(path);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(levels_and_links_make_a_machine),
      cmocka_unit_test(elements_have_names_and_numbers),
      cmocka_unit_test(a_stated_machine_equals_the_described_one),
      cmocka_unit_test(links_carry_what_is_stated),
      cmocka_unit_test(hosts_are_like_a_model),
      cmocka_unit_test(errors_name_the_word),
      cmocka_unit_test(files_hold_words_and_comments),
  };
  return cmocka_run_group_tests_name("sketches of machines", tests, NULL, NULL);
}
