/* SPDX-License-Identifier: BSD-3-Clause */
/* The number that stands for a machine: names and where numbers come from don't change it,
 * everything else does; and the one that stands for where its PUs are. */
#include <berth/topo.h>

#include <stdbool.h>
#include <string.h>

#include "harness.h"

/* Two hosts of two PUs below a switch, in pieces that a case replaces. */
enum { HEAD, CURVE, SPARE, HOST, TOP, FIRST, SECOND, PIECES };
static const char *const pieces[PIECES] = {
    "\"name\":\"m\",",
    "\"c\":{\"points\":[[1,10],[100,50]]},",
    "\"s\":{\"points\":[[1,1]]}",
    "\"h\":{\"up\":{\"out\":\"c\",\"in\":\"c\",\"max_bandwidth\":60},"
    "\"down\":{\"max_bandwidth\":1000}},",
    "\"t\":{\"down\":{\"max_bandwidth\":70}}",
    "{\"type\":\"h\",\"host\":\"a\",\"children\":[{\"pu\":0,\"core\":0},{\"pu\":1,\"core\":1}]}",
    "{\"type\":\"h\",\"host\":\"b\",\"children\":[{\"pu\":0,\"core\":0},{\"pu\":1,\"core\":1}]}",
};

static berth_topo_t *machine(const char *name, int piece, const char *with)
{
  char text[2048];
  const char *p[PIECES];
  berth_error_t err = {0};
  for (int i = 0; i < PIECES; i++) p[i] = i == piece ? with : pieces[i];
  snprintf(text, sizeof text,
           "{\"format\":\"berth-topology\",\"version\":1,%s\"curves\":{%s%s},\"types\":{%s%s},"
           "\"root\":{\"type\":\"t\",\"name\":\"r\",\"children\":[%s,%s]}}",
           p[HEAD], p[CURVE], p[SPARE], p[HOST], p[TOP], p[FIRST], p[SECOND]);
  const char *path = scratch_file("t", text, strlen(text));
  berth_topo_t *t = berth_topo_load(path, &err);
  unlink(path);
  if (!t) FAIL_ROW(name, "%s", err.text);
  return t;
}

enum { OTHER, SAME };

static const struct {
  const char *name;
  int piece;
  const char *with;
  int machine, tree; /* what a mapping is for: the tree with its hosts' names */
} cases[] = {
    {"nothing", HEAD, "\"name\":\"m\",", SAME, SAME},
    {"its name", HEAD, "\"name\":\"n\",", SAME, SAME},
    {"a model's error", HEAD, "\"model_error\":{\"port\":0.1},", SAME, SAME},
    {"a curve's source", CURVE, "\"c\":{\"source\":\"x\",\"points\":[[1,10],[100,50]]},", SAME,
     SAME},
    {"a curve that no port has", SPARE, "\"q\":{\"points\":[[1,2]]}", SAME, SAME},
    {"how surely it was measured", TOP,
     "\"t\":{\"down\":{\"max_bandwidth\":70,\"max_bandwidth_measured\":{\"samples\":5,\"spread\":"
     "0.1}}}",
     SAME, SAME},
    {"a host's name", SECOND,
     "{\"type\":\"h\",\"host\":\"c\",\"children\":[{\"pu\":0,\"core\":0},{\"pu\":1,\"core\":1}]}",
     SAME, OTHER},
    {"another element's name", SECOND,
     "{\"type\":\"h\",\"name\":\"c\",\"host\":\"b\",\"children\":[{\"pu\":0,\"core\":0},"
     "{\"pu\":1,\"core\":1}]}",
     SAME, SAME},
    {"a bandwidth", CURVE, "\"c\":{\"points\":[[1,10.000000000000002],[100,50]]},", OTHER, SAME},
    {"a size", CURVE, "\"c\":{\"points\":[[1,10],[101,50]]},", OTHER, SAME},
    {"one point more", CURVE, "\"c\":{\"points\":[[1,10],[100,50],[200,50]]},", OTHER, SAME},
    {"a capacity", TOP, "\"t\":{\"down\":{\"max_bandwidth\":71}}", OTHER, SAME},
    {"a capacity in one direction", TOP,
     "\"t\":{\"down\":{\"max_bandwidth_out\":71,\"max_bandwidth_in\":70}}", OTHER, SAME},
    {"a capacity on the other port", TOP, "\"t\":{\"up\":{\"max_bandwidth\":70}}", OTHER, SAME},
    {"a switch's limit", TOP, "\"t\":{\"down\":{\"max_bandwidth\":70},\"max_bandwidth\":1}", OTHER,
     SAME},
    {"reverse traffic", TOP, "\"t\":{\"down\":{\"max_bandwidth\":70,\"reverse_traffic\":0.1}}",
     OTHER, SAME},
    {"no curve", HOST,
     "\"h\":{\"up\":{\"out\":\"c\",\"max_bandwidth\":60},\"down\":{\"max_bandwidth\":1000}},",
     OTHER, SAME},
    {"another curve", HOST,
     "\"h\":{\"up\":{\"out\":\"c\",\"in\":\"s\",\"max_bandwidth\":60},"
     "\"down\":{\"max_bandwidth\":1000}},",
     OTHER, SAME},
    {"a slow-down", HOST,
     "\"h\":{\"up\":{\"out\":\"c\",\"in\":\"c\",\"max_bandwidth\":60},"
     "\"down\":{\"max_bandwidth\":1000},\"shared_core_slowdown\":[1.5]},",
     OTHER, SAME},
    {"one PU more", SECOND,
     "{\"type\":\"h\",\"host\":\"b\",\"children\":[{\"pu\":0,\"core\":0},{\"pu\":1,\"core\":1},"
     "{\"pu\":2,\"core\":2}]}",
     OTHER, OTHER},
    {"another order of PUs", SECOND,
     "{\"type\":\"h\",\"host\":\"b\",\"children\":[{\"pu\":1,\"core\":1},{\"pu\":0,\"core\":0}]}",
     OTHER, OTHER},
    {"another number of a core", SECOND,
     "{\"type\":\"h\",\"host\":\"b\",\"children\":[{\"pu\":0,\"core\":0},{\"pu\":1,\"core\":2}]}",
     OTHER, OTHER},
    {"two threads of a core", SECOND,
     "{\"type\":\"h\",\"host\":\"b\",\"children\":[{\"pu\":0,\"core\":0},{\"pu\":1,\"core\":0}]}",
     OTHER, OTHER},
    {"one level more", SECOND,
     "{\"type\":\"t\",\"children\":[{\"type\":\"h\",\"host\":\"b\",\"children\":[{\"pu\":0,"
     "\"core\":0},{\"pu\":1,\"core\":1}]}]}",
     OTHER, OTHER},
};

static void what_it_stands_for(void **state)
{
  (void)state;
  berth_topo_t *plain = machine("plain", -1, NULL);
  for (size_t i = 0; i < COUNT(cases); i++) {
    berth_topo_t *t = machine(cases[i].name, cases[i].piece, cases[i].with);
    if ((berth_topo_hash(t) == berth_topo_hash(plain)) != cases[i].machine)
      FAIL_ROW(cases[i].name, "the machine's number: expected %s",
               cases[i].machine ? "the same" : "another");
    if ((berth_topo_machine(t) == berth_topo_machine(plain)) != cases[i].tree)
      FAIL_ROW(cases[i].name, "the tree's number: expected %s",
               cases[i].tree ? "the same" : "another");
    bool renamed = strcmp(cases[i].name, "a host's name") == 0;
    if ((berth_topo_shape(t) == berth_topo_shape(plain)) != (cases[i].tree || renamed))
      FAIL_ROW(cases[i].name, "the shape's number: expected %s",
               cases[i].tree || renamed ? "the same" : "another");
    berth_topo_free(t);
  }
  berth_topo_free(plain);
}

/* Baselines and mappings are kept and read on other machines, by later versions. */
static void it_lasts(void **state)
{
  (void)state;
  berth_topo_t *t = machine("plain", -1, NULL);
  assert_true(berth_topo_hash(t) == UINT64_C(0x49c8afae01f4203b));
  assert_true(berth_topo_machine(t) == UINT64_C(0x0581c0188525c008));
  berth_topo_free(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_it_stands_for),
      cmocka_unit_test(it_lasts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
