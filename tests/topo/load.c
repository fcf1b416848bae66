/* SPDX-License-Identifier: BSD-3-Clause */
/* The reader of topologies: what it takes, and the line with which it refuses. */
#include <berth/topo.h>

#include "topo/topo_internal.h"

#include "harness.h"

#define DOC(rest)      "{\"format\":\"berth-topology\",\"version\":1," rest "}"
#define TYPES          "\"types\":{\"h\":{},\"s\":{}},"
#define TREE(root)     DOC(TYPES "\"root\":" root)
#define CURVES(curves) DOC("\"curves\":{" curves "},\"types\":{\"h\":{}},\"root\":" ONE_HOST)
#define TYPE(type)                                                                                 \
  DOC("\"curves\":{\"c\":{\"points\":[[1,5],[2,8],[4,7]]}},\"types\":{\"h\":" type                 \
      "},\"root\":" ONE_HOST)
#define PU(n)            "{\"pu\":" #n ",\"core\":" #n "}"
#define HOST(name, more) "{\"type\":\"h\",\"host\":\"" name "\"," more "\"children\":[" PU(0) "]}"
#define ONE_HOST         HOST("a", "")
/* A switch with such children. */
#define SWITCH(more, children) "{\"type\":\"s\"," more "\"children\":[" children "]}"
#define HOSTS(children)        TREE(SWITCH("", children))

static berth_topo_t *parse(const char *text, berth_error_t *err)
{
  *err = (berth_error_t){0};
  return topo_parse(text, strlen(text), "f", NULL, err);
}

static const struct {
  const char *name, *text, *error;
} bad[] = {
    {"no object", "[]", "f: found an array, expected an object"},
    {"no format", "{}", "f: format: found nothing, expected \"berth-topology\""},
    {"format", "{\"format\":\"berth-pattern\",\"version\":1}",
     "f: format: found \"berth-pattern\", expected \"berth-topology\""},
    {"version", "{\"format\":\"berth-topology\",\"version\":2}",
     "f: version: found 2, expected version 1, the one this berth reads"},
    {"name", DOC("\"name\":7"), "f: name: found 7, expected a string"},
    {"no types", DOC("\"root\":" ONE_HOST), "f: types: found nothing, expected an object"},
    {"no root", DOC("\"types\":{}"), "f: root: found nothing, expected an object"},

    {"curve", CURVES("\"c\":7"), "f: curves.c: found 7, expected an object"},
    {"no points", CURVES("\"c\":{}"), "f: curves.c.points: found nothing, expected an array"},
    {"zero points", CURVES("\"c\":{\"points\":[]}"),
     "f: curves.c: found a curve without points, expected at least one"},
    {"triple", CURVES("\"c\":{\"points\":[[1,2,3]]}"),
     "f: curves.c.points[0]: found a list of 3, expected a pair of numbers [size, bandwidth]"},
    {"no pair", CURVES("\"c\":{\"points\":[7]}"),
     "f: curves.c.points[0]: found 7, expected a pair of numbers [size, bandwidth]"},
    {"single", CURVES("\"c\":{\"points\":[[1,2],[3]]}"),
     "f: curves.c.points[1]: found a list of 1, expected a pair of numbers [size, bandwidth]"},
    {"text in points", CURVES("\"c\":{\"points\":[[1,\"2\"]]}"),
     "f: curves.c.points[0][1]: found \"2\", expected a bandwidth in B/s"},
    {"text for a size", CURVES("\"c\":{\"points\":[[1,2],[\"x\",3]]}"),
     "f: curves.c.points[1][0]: found \"x\", expected a size in bytes"},
    {"size 0", CURVES("\"c\":{\"points\":[[0,2]]}"),
     "f: curves.c.points[0]: found size 0, expected a number above 0"},
    {"bandwidth 0", CURVES("\"c\":{\"points\":[[1,0]]}"),
     "f: curves.c.points[0]: found bandwidth 0, expected a number above 0"},
    {"infinite size", CURVES("\"c\":{\"points\":[[1e999,1]]}"),
     "f: curves.c.points[0]: found size inf, expected at most 1e18"},
    {"infinite bandwidth", CURVES("\"c\":{\"points\":[[1,1e400]]}"),
     "f: curves.c.points[0]: found bandwidth inf, expected at most 1e18"},
    {"large bandwidth", CURVES("\"c\":{\"points\":[[1,1.1e18]]}"),
     "f: curves.c.points[0]: found bandwidth 1.1e+18, expected at most 1e18"},
    {"infinite time", CURVES("\"c\":{\"points\":[[1e18,1e-300]]}"),
     "f: curves.c.points[0]: found size 1e+18 at bandwidth 1e-300, expected a finite time"},
    {"equal sizes", CURVES("\"c\":{\"points\":[[1,5],[8,9],[8,10]]}"),
     "f: curves.c.points[2]: found size 8 after size 8, expected sizes to increase"},
    {"falling sizes", CURVES("\"c\":{\"points\":[[64,5],[8,9]]}"),
     "f: curves.c.points[1]: found size 8 after size 64, expected sizes to increase"},
    {"curve twice", CURVES("\"c\":{\"points\":[[1,1]]},\"c\":{\"points\":[[1,1]]}"),
     "f: found key \"c\" twice in an object, expected it once"},
    {"source", CURVES("\"c\":{\"source\":1,\"points\":[[1,1]]}"),
     "f: curves.c.source: found 1, expected a string"},

    {"measured", CURVES("\"c\":{\"points\":[[1,1]],\"measured\":7}"),
     "f: curves.c.measured: found 7, expected an object"},
    {"date", CURVES("\"c\":{\"points\":[[1,1]],\"measured\":{\"date\":2026}}"),
     "f: curves.c.measured.date: found 2026, expected a string"},
    {"few samples", CURVES("\"c\":{\"points\":[[1,1],[2,2]],\"measured\":{\"samples\":[3]}}"),
     "f: curves.c.measured.samples: found 1 values, expected 2, one for each point"},
    {"no samples", CURVES("\"c\":{\"points\":[[1,1]],\"measured\":{\"samples\":[0]}}"),
     "f: curves.c.measured.samples[0]: found 0, expected a whole number from 1 to 2147483647"},
    {"spread", CURVES("\"c\":{\"points\":[[1,1]],\"measured\":{\"spread\":0.1}}"),
     "f: curves.c.measured.spread: found 0.1, expected an array"},
    {"many spreads", CURVES("\"c\":{\"points\":[[1,1]],\"measured\":{\"spread\":[1,2]}}"),
     "f: curves.c.measured.spread: found 2 values, expected 1, one for each point"},
    {"text in spread", CURVES("\"c\":{\"points\":[[1,1]],\"measured\":{\"spread\":[\"1\"]}}"),
     "f: curves.c.measured.spread[0]: found \"1\", expected a number"},
    {"negative spread", CURVES("\"c\":{\"points\":[[1,1]],\"measured\":{\"spread\":[-1]}}"),
     "f: curves.c.measured.spread[0]: found -1, expected a number of at least 0"},
    {"large spread", CURVES("\"c\":{\"points\":[[1,1]],\"measured\":{\"spread\":[1e300]}}"),
     "f: curves.c.measured.spread[0]: found 1e+300, expected at most 1000"},

    {"type", TYPE("[]"), "f: types.h: found an array, expected an object"},
    {"unknown curve", TYPE("{\"up\":{\"out\":\"x\"}}"),
     "f: types.h.up.out: found \"x\", expected the name of one of the curves"},
    {"port", TYPE("{\"down\":\"c\"}"), "f: types.h.down: found \"c\", expected an object"},
    {"capacity 0", TYPE("{\"up\":{\"max_bandwidth\":0}}"),
     "f: types.h.up.max_bandwidth: found 0, expected a number above 0"},
    {"negative capacity", TYPE("{\"max_bandwidth\":-1}"),
     "f: types.h.max_bandwidth: found -1, expected a number above 0"},
    {"infinite capacity", TYPE("{\"max_bandwidth\":1e999}"),
     "f: types.h.max_bandwidth: found inf, expected a finite number above 0"},
    {"large capacity", TYPE("{\"max_bandwidth\":1e19}"),
     "f: types.h.max_bandwidth: found 1e+19, expected at most 1e18"},
    {"large capacity of a port", TYPE("{\"up\":{\"max_bandwidth\":1e19}}"),
     "f: types.h.up.max_bandwidth: found 1e+19, expected at most 1e18"},
    {"capacity below the curve", TYPE("{\"down\":{\"in\":\"c\",\"max_bandwidth\":7.5}}"),
     "f: types.h.down.max_bandwidth: found 7.5, expected at least 8, the largest bandwidth of "
     "curve \"c\""},
    {"reverse traffic", TYPE("{\"up\":{\"max_bandwidth\":9,\"reverse_traffic\":1}}"),
     "f: types.h.up.reverse_traffic: found 1, expected a number from 0 to below 1"},
    {"negative reverse traffic", TYPE("{\"up\":{\"reverse_traffic\":-0.1}}"),
     "f: types.h.up.reverse_traffic: found -0.1, expected a number of at least 0"},
    {"capacities", TYPE("{\"down\":{\"max_bandwidth\":{\"out\":\"x\"}}}"),
     "f: types.h.down.max_bandwidth.out: found \"x\", expected a number above 0"},
    {"one capacity below the curve",
     TYPE("{\"down\":{\"in\":\"c\",\"max_bandwidth\":{\"out\":9,\"in\":7}}}"),
     "f: types.h.down.max_bandwidth: found 7, expected at least 8, the largest bandwidth of curve "
     "\"c\""},
    {"capacities of a switch", TYPE("{\"max_bandwidth\":{\"out\":9}}"),
     "f: types.h.max_bandwidth: found an object, expected a number above 0"},
    {"measured capacity", TYPE("{\"up\":{\"max_bandwidth_measured\":3}}"),
     "f: types.h.up.max_bandwidth_measured: found 3, expected an object"},
    {"samples of a capacity",
     TYPE("{\"up\":{\"max_bandwidth\":3,\"max_bandwidth_measured\":{\"in\":{\"samples\":0}}}}"),
     "f: types.h.up.max_bandwidth_measured.in.samples: found 0, expected a whole number from 1 to "
     "2147483647"},
    {"spread of a capacity",
     TYPE("{\"max_bandwidth\":3,\"max_bandwidth_measured\":{\"samples\":1,\"spread\":-0.5}}"),
     "f: types.h.max_bandwidth_measured.spread: found -0.5, expected a number of at least 0"},
    {"large spread of a capacity",
     TYPE("{\"max_bandwidth\":3,\"max_bandwidth_measured\":{\"samples\":1,\"spread\":1001}}"),
     "f: types.h.max_bandwidth: found spread 1001 of 1 samples, expected at most 1000, and 0 "
     "without "
     "samples"},
    {"type twice", DOC("\"types\":{\"h\":{},\"h\":{}},\"root\":" ONE_HOST),
     "f: found key \"h\" twice in an object, expected it once"},

    {"element", HOSTS("7"), "f: root.children[0]: found 7, expected an object"},
    {"no type", TREE("{\"children\":[" PU(0) "]}"),
     "f: root.type: found nothing, expected a string"},
    {"unknown type", HOSTS("{\"type\":\"x\"}"),
     "f: root.children[0].type: found \"x\", expected the name of one of the types"},
    {"no children", HOSTS("{\"type\":\"h\",\"host\":\"a\"}"),
     "f: root.children[0]: found a switch without children, expected a PU (\"pu\") or "
     "\"children\""},
    {"empty children", HOSTS(ONE_HOST ",{\"type\":\"h\",\"host\":\"b\",\"children\":[]}"),
     "f: root.children[1]: found a switch without children, expected a PU (\"pu\") or "
     "\"children\""},
    {"children no array", TREE("{\"type\":\"h\",\"children\":{}}"),
     "f: root.children: found an object, expected an array"},
    {"PU with type",
     TREE("{\"type\":\"h\",\"host\":\"a\",\"children\":[{\"pu\":0,\"type\":\"h\"}]}"),
     "f: root.children[0]: found a PU with \"type\", expected a PU or a switch"},
    {"PU with children", TREE("{\"pu\":0,\"core\":0,\"children\":[]}"),
     "f: root: found a PU with \"children\", expected a PU or a switch"},
    {"PU with host", TREE("{\"pu\":0,\"core\":0,\"host\":\"a\"}"),
     "f: root: found a PU with \"host\", expected a PU or a switch"},
    {"PU as root", TREE(PU(0)),
     "f: root: found a PU outside of a host, expected one host between the root and a PU"},
    {"repeated PU",
     TREE("{\"type\":\"h\",\"host\":\"a\",\"children\":[{\"pu\":3,\"core\":0,\"repeat\":2}]}"),
     "f: root.children[0]: found repeat 2 of a PU, expected 1: its host would have pu 3 more than "
     "once"},
    {"no core", TREE("{\"type\":\"h\",\"host\":\"a\",\"children\":[{\"pu\":0}]}"),
     "f: root.children[0].core: found nothing, expected a whole number from 0 to 16777215"},
    {"negative pu", TREE("{\"type\":\"h\",\"host\":\"a\",\"children\":[{\"pu\":-1}]}"),
     "f: root.children[0].pu: found -1, expected a whole number from 0 to 16777215"},
    {"huge pu", TREE("{\"type\":\"h\",\"host\":\"a\",\"children\":[{\"pu\":1e300}]}"),
     "f: root.children[0].pu: found 1e+300, expected a whole number from 0 to 16777215"},
    {"fractional core",
     TREE("{\"type\":\"h\",\"host\":\"a\",\"children\":[{\"pu\":0,\"core\":0.5}]}"),
     "f: root.children[0].core: found 0.5, expected a whole number from 0 to 16777215"},
    {"pu twice", TREE("{\"type\":\"h\",\"host\":\"a\",\"children\":[" PU(4) "," PU(4) "]}"),
     "f: root.children[1]: found pu 4 a second time in host \"a\", expected different ones"},
    {"pu twice below repeat",
     TREE("{\"type\":\"h\",\"host\":\"a\",\"children\":[" SWITCH("\"repeat\":2,", PU(0)) "]}"),
     "f: root.children[0].children[0]: found pu 0 a second time in host \"a\", expected different "
     "ones"},
    {"no host", HOSTS(PU(0)),
     "f: root.children[0]: found a PU outside of a host, expected one host "
     "between the root and a PU"},
    {"host in host", TREE(SWITCH("\"host\":\"a\",", HOST("b", ""))),
     "f: root.children[0]: found host \"b\" inside host \"a\", expected one host between the root "
     "and a PU"},
    {"host twice", HOSTS(ONE_HOST "," ONE_HOST),
     "f: root.children[1]: found a second host named \"a\", expected different names"},
    {"repeated host without number", HOSTS(HOST("a", "\"repeat\":2,")),
     "f: root.children[0]: found a second host named \"a\", expected different names"},
    {"first in a repeat", HOSTS(SWITCH("\"repeat\":2,", HOST("n%d", "\"first\":1,\"repeat\":2,"))),
     "f: root.children[0].children[0]: found a second host named \"n1\", expected different "
     "names"},
    {"expanded name meets literal", HOSTS(HOST("n1", "") "," HOST("n%d", "\"repeat\":2,")),
     "f: root.children[1]: found a second host named \"n1\", expected different names"},

    {"empty host", TREE(HOST("", "")), "f: root: found an empty host name, expected a name"},
    {"space in host", TREE(HOST("a b", "")),
     "f: root: found host name \"a b\", expected no white space, ',' or '=' in it"},
    {"newline in host", TREE(HOST("a\\nrank 1=b", "")),
     "f: root.host: found \"a?rank 1=b\", expected a string without control characters"},
    {"space in host", TREE(HOST("a rank", "")),
     "f: root: found host name \"a rank\", expected no white space, ',' or '=' in it"},
    {"comma in host", TREE(HOST("a,b", "")),
     "f: root: found host name \"a,b\", expected no white space, ',' or '=' in it"},
    {"equals in host", TREE(HOST("a=b", "")),
     "f: root: found host name \"a=b\", expected no white space, ',' or '=' in it"},
    {"two %d", TREE(HOST("r%dn%d", "")), "f: root.host: found \"r%dn%d\", expected at most one %d"},
    {"two %d in name", TREE(HOST("a", "\"name\":\"%d%d\",")),
     "f: root.name: found \"%d%d\", expected at most one %d"},
    {"name no text", TREE(HOST("a", "\"name\":{},")),
     "f: root.name: found an object, expected a string"},

    {"repeat 0", HOSTS(HOST("n%d", "\"repeat\":0,")),
     "f: root.children[0].repeat: found 0, expected a whole number from 1 to 9007199254740992"},
    {"fractional repeat", HOSTS(HOST("n%d", "\"repeat\":1.5,")),
     "f: root.children[0].repeat: found 1.5, expected a whole number from 1 to 9007199254740992"},
    {"huge repeat", HOSTS(HOST("n%d", "\"repeat\":1e300,")),
     "f: root.children[0].repeat: found 1e+300, expected a whole number from 1 to "
     "9007199254740992"},
    {"repeat of the root", TREE(HOST("n%d", "\"repeat\":2,")),
     "f: root: found repeat 2 of the root, expected 1"},
    {"negative first", HOSTS(HOST("n%d", "\"first\":-1,")),
     "f: root.children[0].first: found -1, expected a whole number from 0 to 9007199254740992"},
    {"10^12 hosts", HOSTS(HOST("n%d", "\"repeat\":1000000000000,")),
     "f: root.children[0]: found 1000000000000 PUs with all repeats, expected at most 16777216"},
    {"nested repeats",
     HOSTS(SWITCH("\"repeat\":1000000,", SWITCH("", HOST("n%d", "\"repeat\":1000000,")))),
     "f: root.children[0]: found 1000000000000 PUs with all repeats, expected at most 16777216"},
    {"counts that overflow",
     HOSTS(SWITCH("\"repeat\":9007199254740992,", HOST("n%d", "\"repeat\":8388608,"))),
     "f: root.children[0]: found more than 18446744073709551615 PUs with all repeats, expected at "
     "most 16777216"},
    {"siblings that add up",
     HOSTS("{\"type\":\"h\",\"host\":\"n%d\",\"repeat\":8388608,\"children\":[" PU(0) "," PU(
         1) "]}," HOST("m", "")),
     "f: root.children[1]: found 16777217 PUs with all repeats, expected at most 16777216"},
    {"too many elements",
     HOSTS(
         "{\"type\":\"s\",\"repeat\":8388608,\"children\":[{\"type\":\"s\",\"children\":[{\"type\":"
         "\"s\",\"children\":[" ONE_HOST "]}]}]}"),
     "f: root.children[0]: found 41943041 elements with all repeats, expected at most 33554432"},
    {"too much text",
     HOSTS(HOST("0123456789012345678901234567890123456789012345678901234567890123%d",
                "\"repeat\":16000000,")),
     "f: root.children[0]: found 3136000256 bytes of names with all repeats, expected at most "
     "1073741824"},
};

static void bad_input_is_refused_in_one_line(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(bad); i++) {
    berth_error_t err;
    berth_topo_t *t = parse(bad[i].text, &err);
    if (t) FAIL_ROW(bad[i].name, "was taken");
    if (strcmp(err.text, bad[i].error) != 0)
      FAIL_ROW(bad[i].name, "\n  found    %s\n  expected %s", err.text, bad[i].error);
    if (err.code != BERTH_BAD_INPUT) FAIL_ROW(bad[i].name, "code %d", err.code);
  }
}

/* The tree's elements in order, depth by indentation: "s(r) h(a)[a] 0/0 …". */
static void print_tree(const berth_topo_t *t, char *out, size_t size)
{
  size_t n = 0;
  *out = '\0';
  for (int i = 0; i < berth_topo_n_elements(t) && n < size; i++) {
    const berth_element_t *e = berth_topo_element(t, i);
    const berth_pu_t *pu = e->type < 0 ? berth_topo_pu(t, e->first_pu) : NULL;
    const char *gap = i ? " " : "";
    if (pu)
      n += (size_t)snprintf(out + n, size - n, "%s%d:%d/%d", gap, e->depth, pu->os_index, pu->core);
    else if (e->host >= 0 && berth_topo_host(t, e->host)->element == i)
      n += (size_t)snprintf(out + n, size - n, "%s%d:%s(%s)", gap, e->depth,
                            berth_topo_element_name(t, i), berth_topo_host(t, e->host)->name);
    else
      n += (size_t)snprintf(out + n, size - n, "%s%d:%s", gap, e->depth,
                            berth_topo_element_name(t, i));
  }
}

static void good_input_becomes_a_tree(void **state)
{
  (void)state;
  static const struct {
    const char *name, *text, *tree;
  } cases[] = {
      {"one PU", TREE(HOST("a", "")), "0:a(a) 1:0/0"},
      {"named by type", HOSTS(ONE_HOST), "0:s 1:a(a) 2:0/0"},
      {"unknown keys", TREE(HOST("a", "\"colour\":[1,{}],")), "0:a(a) 1:0/0"},
      {"null is left out",
       TREE(HOST("a", "\"repeat\":null,\"first\":null,\"name\":null,\"pu\":null,")),
       "0:a(a) 1:0/0"},
      {"count from first", HOSTS(HOST("n%d", "\"name\":\"N%d\",\"first\":7,\"repeat\":2,")),
       "0:s 1:N7(n7) 2:0/0 1:N8(n8) 2:0/0"},
      {"count from 0", HOSTS(HOST("n%d", "\"name\":\"%d\",\"repeat\":2,")),
       "0:s 1:0(n0) 2:0/0 1:1(n1) 2:0/0"},
      {"count goes on", HOSTS(HOST("n%d", "\"first\":3,\"repeat\":2,") "," HOST("n%d", "")),
       "0:s 1:n3(n3) 2:0/0 1:n4(n4) 2:0/0 1:n5(n5) 2:0/0"},
      {"first starts again",
       HOSTS(HOST("n%d", "") "," HOST("n%d", "\"first\":5,") "," HOST("n%d", "")),
       "0:s 1:n0(n0) 2:0/0 1:n5(n5) 2:0/0 1:n6(n6) 2:0/0"},
      {"nested repeats",
       HOSTS(SWITCH("\"name\":\"r%d\",\"repeat\":2,", HOST("n%d", "\"repeat\":2,"))),
       "0:s 1:r0 2:n0(n0) 3:0/0 2:n1(n1) 3:0/0 1:r1 2:n2(n2) 3:0/0 2:n3(n3) 3:0/0"},
      {"patterns count apart",
       HOSTS(HOST("a%d", "\"name\":\"b%d\",") "," HOST("b%d", "\"name\":\"a%d\",")),
       "0:s 1:b0(a0) 2:0/0 1:a0(b0) 2:0/0"},
      {"first without repeat", TREE(HOST("n%d", "\"first\":12,")), "0:n12(n12) 1:0/0"},
      {"percent is text", TREE(HOST("%s%n%5d%%", "\"name\":\"%%d%x\",")),
       "0:%0%x(%s%n%5d%%) 1:0/0"},
      {"switches share a name", HOSTS(SWITCH("\"repeat\":2,", HOST("n%d", ""))),
       "0:s 1:s 2:n0(n0) 3:0/0 1:s 2:n1(n1) 3:0/0"},
      {"unequal depth",
       HOSTS(HOST("a", "") "," SWITCH(
           "", "{\"type\":\"h\",\"host\":\"b\",\"children\":[" PU(5) "," SWITCH("", PU(2)) "]}")),
       "0:s 1:a(a) 2:0/0 1:s 2:b(b) 3:5/5 3:s 4:2/2"},
      {"same pu in two hosts", HOSTS(HOST("n%d", "\"repeat\":2,")),
       "0:s 1:n0(n0) 2:0/0 1:n1(n1) 2:0/0"},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    berth_error_t err;
    char tree[512];
    berth_topo_t *t = parse(cases[i].text, &err);
    if (!t) FAIL_ROW(cases[i].name, "%s", err.text);
    print_tree(t, tree, sizeof tree);
    if (strcmp(tree, cases[i].tree) != 0)
      FAIL_ROW(cases[i].name, "\n  found    %s\n  expected %s", tree, cases[i].tree);
    berth_topo_free(t);
  }
}

/* A chain of n switches above one host. */
static char *chain(int n)
{
  char *text = malloc((size_t)n * 40 + 400);
  size_t used =
      (size_t)sprintf(text, "{\"format\":\"berth-topology\",\"version\":1," TYPES "\"root\":");
  for (int i = 0; i < n; i++)
    used += (size_t)sprintf(text + used, "{\"type\":\"s\",\"children\":[");
  used += (size_t)sprintf(text + used, ONE_HOST);
  for (int i = 0; i < n; i++) used += (size_t)sprintf(text + used, "]}");
  sprintf(text + used, "}");
  return text;
}

static void depth_has_a_limit(void **state)
{
  (void)state;
  berth_error_t err;
  char *text = chain(BERTH_MAX_DEPTH - 2);
  berth_topo_t *t = parse(text, &err);
  assert_non_null(t);
  assert_int_equal(berth_topo_element(t, berth_topo_pu(t, 0)->element)->depth, BERTH_MAX_DEPTH - 1);
  assert_int_equal(berth_topo_element(t, 0)->height, BERTH_MAX_DEPTH - 1);
  char *path = strdup(scratch_file("deep", "", 0));
  assert_int_equal(berth_topo_save(t, path, &err), BERTH_OK);
  berth_topo_free(t);
  t = berth_topo_load(path, &err);
  assert_non_null(t);
  berth_topo_free(t);
  unlink(path);
  free(path);
  free(text);
  text = chain(BERTH_MAX_DEPTH - 1);
  assert_null(parse(text, &err));
  assert_non_null(strstr(err.text, "found a tree of more than 256 levels"));
  free(text);
  text = chain(100000);
  assert_null(parse(text, &err));
  assert_non_null(strstr(err.text, "nested deeper than"));
  free(text);
}

static void long_names_are_refused(void **state)
{
  (void)state;
  berth_error_t err;
  char text[1024], name[BERTH_MAX_NAME + 2];
  memset(name, 'n', sizeof name);
  name[sizeof name - 1] = '\0';
  snprintf(text, sizeof text, TREE(HOST("%s", "")), name);
  assert_null(parse(text, &err));
  assert_string_equal(err.text, "f: root.host: found a name of 256 bytes, expected at most 255");
  name[BERTH_MAX_NAME] = '\0';
  snprintf(text, sizeof text, TREE(HOST("%s", "")), name);
  berth_topo_t *t = parse(text, &err);
  assert_non_null(t);
  assert_string_equal(berth_topo_host(t, 0)->name, name);
  berth_topo_free(t);
  memcpy(name, "%d", 2); /* fits as it is written, not with its number */
  snprintf(text, sizeof text, HOSTS(HOST("%s", "\"first\":1000,")), name);
  assert_null(parse(text, &err));
  assert_string_equal(err.text,
                      "f: root.children[0]: found a name of 257 bytes, expected at most 255");
}

static void capacities_follow_the_curve(void **state)
{
  (void)state;
  berth_error_t err;
  berth_topo_t *t =
      parse(TYPE("{\"up\":{\"out\":\"c\"},\"down\":{\"in\":\"c\",\"max_bandwidth\":9},"
                 "\"max_bandwidth\":20}"),
            &err);
  assert_non_null(t);
  const berth_type_t *h = berth_topo_type(t, 0);
  assert_int_equal(h->up.out.curve, 0);
  assert_true(h->up.out.capacity == 8);
  assert_int_equal(h->up.in.curve, -1);
  assert_true(h->up.in.capacity == 0);
  assert_int_equal(h->down.out.curve, -1);
  assert_true(h->down.out.capacity == 9);
  assert_true(h->down.in.capacity == 9);
  assert_true(h->capacity == 20);
  berth_topo_free(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bad_input_is_refused_in_one_line),
      cmocka_unit_test(good_input_becomes_a_tree),
      cmocka_unit_test(depth_has_a_limit),
      cmocka_unit_test(long_names_are_refused),
      cmocka_unit_test(capacities_follow_the_curve),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
