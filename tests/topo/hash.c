/* SPDX-License-Identifier: BSD-3-Clause */
/* The number that stands for a machine: names and where numbers come from don't change it,
 * everything else does. */
#include <berth/topo.h>

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

static const struct {
  const char *name;
  int piece;
  const char *with;
  int same;
} cases[] = {
    {"nothing", HEAD, "\"name\":\"m\",", 1},
    {"its name", HEAD, "\"name\":\"n\",", 1},
    {"a model's error", HEAD, "\"model_error\":{\"port\":0.1},", 1},
    {"a curve's source", CURVE, "\"c\":{\"source\":\"x\",\"points\":[[1,10],[100,50]]},", 1},
    {"a curve that no port has", SPARE, "\"q\":{\"points\":[[1,2]]}", 1},
    {"how surely it was measured", TOP,
     "\"t\":{\"down\":{\"max_bandwidth\":70,\"max_bandwidth_measured\":{\"samples\":5,\"spread\":"
     "0.1}}}",
     1},
    {"a host's name", SECOND,
     "{\"type\":\"h\",\"host\":\"c\",\"children\":[{\"pu\":0,\"core\":0},{\"pu\":1,\"core\":1}]}",
     1},
    {"a bandwidth", CURVE, "\"c\":{\"points\":[[1,10.000000000000002],[100,50]]},", 0},
    {"a size", CURVE, "\"c\":{\"points\":[[1,10],[101,50]]},", 0},
    {"one point more", CURVE, "\"c\":{\"points\":[[1,10],[100,50],[200,50]]},", 0},
    {"a capacity", TOP, "\"t\":{\"down\":{\"max_bandwidth\":71}}", 0},
    {"a capacity in one direction", TOP,
     "\"t\":{\"down\":{\"max_bandwidth_out\":71,\"max_bandwidth_in\":70}}", 0},
    {"a capacity on the other port", TOP, "\"t\":{\"up\":{\"max_bandwidth\":70}}", 0},
    {"a switch's limit", TOP, "\"t\":{\"down\":{\"max_bandwidth\":70},\"max_bandwidth\":1}", 0},
    {"reverse traffic", TOP, "\"t\":{\"down\":{\"max_bandwidth\":70,\"reverse_traffic\":0.1}}", 0},
    {"no curve", HOST,
     "\"h\":{\"up\":{\"out\":\"c\",\"max_bandwidth\":60},\"down\":{\"max_bandwidth\":1000}},", 0},
    {"another curve", HOST,
     "\"h\":{\"up\":{\"out\":\"c\",\"in\":\"s\",\"max_bandwidth\":60},"
     "\"down\":{\"max_bandwidth\":1000}},",
     0},
    {"a slow-down", HOST,
     "\"h\":{\"up\":{\"out\":\"c\",\"in\":\"c\",\"max_bandwidth\":60},"
     "\"down\":{\"max_bandwidth\":1000},\"shared_core_slowdown\":[1.5]},",
     0},
    {"one PU more", SECOND,
     "{\"type\":\"h\",\"host\":\"b\",\"children\":[{\"pu\":0,\"core\":0},{\"pu\":1,\"core\":1},"
     "{\"pu\":2,\"core\":2}]}",
     0},
    {"another order of PUs", SECOND,
     "{\"type\":\"h\",\"host\":\"b\",\"children\":[{\"pu\":1,\"core\":1},{\"pu\":0,\"core\":0}]}",
     0},
    {"another number of a core", SECOND,
     "{\"type\":\"h\",\"host\":\"b\",\"children\":[{\"pu\":0,\"core\":0},{\"pu\":1,\"core\":2}]}",
     0},
    {"two threads of a core", SECOND,
     "{\"type\":\"h\",\"host\":\"b\",\"children\":[{\"pu\":0,\"core\":0},{\"pu\":1,\"core\":0}]}",
     0},
    {"one level more", SECOND,
     "{\"type\":\"t\",\"children\":[{\"type\":\"h\",\"host\":\"b\",\"children\":[{\"pu\":0,"
     "\"core\":0},{\"pu\":1,\"core\":1}]}]}",
     0},
};

static void what_it_stands_for(void **state)
{
  (void)state;
  berth_topo_t *plain = machine("plain", -1, NULL);
  uint64_t expected = berth_topo_hash(plain);
  for (size_t i = 0; i < COUNT(cases); i++) {
    berth_topo_t *t = machine(cases[i].name, cases[i].piece, cases[i].with);
    if ((berth_topo_hash(t) == expected) != cases[i].same)
      FAIL_ROW(cases[i].name, "found %s number, expected %s",
               cases[i].same ? "another" : "the same", cases[i].same ? "the same" : "another");
    berth_topo_free(t);
  }
  berth_topo_free(plain);
}

/* Baselines are committed and read on other machines, by later versions. */
static void it_lasts(void **state)
{
  (void)state;
  berth_topo_t *t = machine("plain", -1, NULL);
  assert_true(berth_topo_hash(t) == UINT64_C(0x49c8afae01f4203b));
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
