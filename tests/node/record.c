/* SPDX-License-Identifier: BSD-3-Clause */
/* A node's record in a topology: reading, writing, joining, what is refused; values between
 * points. */
#include <berth/topo.h>
#include <math.h>

#include "base/in_file.h"
#include "harness.h"
#include "topo/topo_internal.h"

#define DOC(node)                                                                                  \
  "{\"format\":\"berth-topology\",\"version\":1,\"types\":{\"h\":{\"node\":" node                  \
  "}},\"root\":{\"type\":\"h\",\"host\":\"a\",\"children\":[{\"pu\":0,\"core\":0}]}}"
#define CURVE(members)   DOC("{\"curves\":[{" members "}]}")
#define COPY             "\"what\":\"copy\",\"name\":\"memcpy\",\"state\":\"hot\","
#define MEASURED         ",\"samples\":[3,4],\"spread\":[0.01,null]"
#define NOISE(members)   DOC("{\"noise\":[{" members "}]}")
#define STRIDED(members) DOC("{\"strided\":[{" members "}]}")
#define OF_TYPE          "\"mpi\":\"M 1\",\"by\":\"type\",\"side\":\"send\","
#define WATCHED          "\"pu\":1,\"quantum\":1e-5,\"seconds\":5,\"lost\":0.25,\"longest\":0.002"

static berth_topo_t *parse(const char *text, berth_error_t *err)
{
  *err = (berth_error_t){0};
  return topo_parse(text, strlen(text), "f", NULL, err);
}

static void records_come_back_from_files(void **state)
{
  static const char *const good[] = {
      DOC("{}"),
      DOC("{\"date\":\"2026-11-29T10:00:00Z\",\"processor\":\"P\",\"steps\":4,\"complete\":true}"),
      CURVE(COPY "\"points\":[[0,1],[1024,5e9]]" MEASURED),
      CURVE(COPY "\"core_numa\":0,\"memory_numa\":3,\"points\":[[1,1],[1024,5e9]]" MEASURED),
      CURVE("\"what\":\"timer\",\"name\":\"clock\",\"points\":[[0,3e-8]],\"samples\":[1],"
            "\"spread\":[null]"),
      NOISE(WATCHED ",\"interruptions\":[]"),
      STRIDED(OF_TYPE "\"points\":[[4,16,1e-6],[8,16,9e-7]]" MEASURED),
      STRIDED("\"mpi\":\"M 1\",\"by\":\"contiguous\",\"side\":\"both\",\"exchange\":true,"
              "\"points\":[[16,16,1e-6],[32,32,1e-6]]" MEASURED),
      STRIDED(OF_TYPE "\"gap\":64,\"points\":[[4,16,1e-6],[4,32,9e-7]]" MEASURED),
      NOISE(WATCHED ",\"idle\":0,\"period\":0.004,\"interruptions\":[[0,7],[1e-6,12]]")};
  (void)state;
  for (size_t i = 0; i < COUNT(good); i++) {
    berth_error_t err;
    char *first, *second, *path = strdup(scratch_file("node", "", 0));
    size_t n, m;
    berth_topo_t *t = parse(good[i], &err);
    if (!t) FAIL_ROW(good[i], "%s", err.text);
    assert_non_null(berth_topo_type(t, 0)->node);
    assert_int_equal(berth_topo_save(t, path, NULL), BERTH_OK);
    assert_int_equal(in_read_all(path, &first, &n, NULL), BERTH_OK);
    berth_topo_t *again = berth_topo_load(path, &err);
    if (!again) FAIL_ROW(good[i], "%s", err.text);
    assert_int_equal(berth_topo_save(again, path, NULL), BERTH_OK);
    assert_int_equal(in_read_all(path, &second, &m, NULL), BERTH_OK);
    assert_string_equal(first, second);
    berth_topo_free(t);
    berth_topo_free(again);
    unlink(path);
    free(path);
    free(first);
    free(second);
  }
}

static void a_record_has_what_the_file_says(void **state)
{
  berth_error_t err;
  (void)state;
  berth_topo_t *t = parse(
      DOC("{\"date\":\"D\",\"processor\":\"P\",\"complete\":true,\"curves\":[{" COPY
          "\"core_numa\":0,\"memory_numa\":1,\"points\":[[1024,2e9],[4096,4e9]]" MEASURED "}],"
          "\"noise\":[{" WATCHED ",\"idle\":2,\"interruptions\":[[1e-6,12]]}]}"),
      &err);
  if (!t) FAIL_ROW("record", "%s", err.text);
  const berth_node_t *n = berth_topo_type(t, 0)->node;
  assert_string_equal(berth_node_date(n), "D");
  assert_string_equal(berth_node_processor(n), "P");
  assert_true(berth_node_is_complete(n));
  const berth_node_curve_t *c = berth_node_find(n, BERTH_NODE_COPY, "memcpy", "hot", 0, 1);
  assert_non_null(c);
  assert_int_equal(c->samples[1], 4);
  assert_true(c->spread[0] == 0.01 && c->spread[1] == BERTH_UNKNOWN_SPREAD);
  assert_null(berth_node_find(n, BERTH_NODE_COPY, "memcpy", "hot", 0, 0));
  assert_null(berth_node_find(n, BERTH_NODE_COPY, "memcpy", "cold", 0, 1));
  const berth_node_noise_t *z = berth_node_noise_at(n, 0);
  assert_true(z->pu == 1 && z->idle == 2 && z->lost == 0.25 && z->n == 1 && z->count[0] == 12);
  berth_topo_free(t);
}

static const struct {
  const char *text, *error;
} bad[] = {
    {DOC("7"), "f: types.h.node: found 7, expected an object"},
    {DOC("{\"complete\":1}"), "f: types.h.node.complete: found 1, expected true or false"},
    {DOC("{\"curves\":[3]}"), "f: types.h.node.curves[0]: found 3, expected an object"},
    {CURVE("\"what\":\"copies\",\"name\":\"x\""),
     "f: types.h.node.curves[0].what: found \"copies\", expected copy, memory, core, beside, "
     "sending, granules or timer"},
    {CURVE("\"what\":\"copy\""),
     "f: types.h.node.curves[0].name: found nothing, expected a string"},
    {CURVE("\"what\":\"copy\",\"name\":\"\",\"points\":[[1,2]],\"samples\":[1],\"spread\":[0]"),
     "f: types.h.node.curves[0]: name: found an empty text, expected a name"},
    {CURVE(COPY "\"points\":[],\"samples\":[],\"spread\":[]"),
     "f: types.h.node.curves[0]: points: found 0, expected 1 to 65536"},
    {CURVE(COPY "\"points\":[[1,2,3]],\"samples\":[1],\"spread\":[0]"),
     "f: types.h.node.curves[0].points[0]: found an array, expected a pair of numbers"},
    {CURVE(COPY "\"points\":[[1,0],[2,1]]" MEASURED),
     "f: types.h.node.curves[0]: points[0]: found value 0, expected a number above 0, at most "
     "1e18"},
    {CURVE(COPY "\"points\":[[2,1],[2,1]]" MEASURED),
     "f: types.h.node.curves[0]: points[1]: found 2, expected a number from 0 to 1e18 above those "
     "before it"},
    {CURVE(COPY "\"points\":[[-1,1],[2,1]]" MEASURED),
     "f: types.h.node.curves[0]: points[0]: found -1, expected a number from 0 to 1e18 above those "
     "before it"},
    {CURVE(COPY "\"points\":[[1,1]]" MEASURED),
     "f: types.h.node.curves[0].spread: found 2 values, expected 1, one for each point"},
    {CURVE(COPY "\"points\":[[1,1]],\"samples\":[0],\"spread\":[0]"),
     "f: types.h.node.curves[0].samples[0]: found 0, expected a whole number from 1 to 2147483647"},
    {CURVE(COPY "\"points\":[[1,1]],\"samples\":[1],\"spread\":[-1]"),
     "f: types.h.node.curves[0].spread[0]: found -1, expected a number of at least 0"},
    {CURVE(COPY "\"core_numa\":-1,\"points\":[[1,1]],\"samples\":[1],\"spread\":[0]"),
     "f: types.h.node.curves[0].core_numa: found -1, expected a whole number from 0 to 2147483647"},
    {STRIDED("\"by\":\"type\",\"side\":\"send\",\"points\":[]"),
     "f: types.h.node.strided[0].mpi: found nothing, expected a string"},
    {STRIDED("\"mpi\":\"M\",\"by\":\"me\",\"side\":\"send\",\"points\":[]"),
     "f: types.h.node.strided[0].by: found \"me\", expected contiguous, hand, memcpy, touch, pack "
     "or type"},
    {STRIDED("\"mpi\":\"M\",\"by\":\"type\",\"side\":\"left\",\"points\":[]"),
     "f: types.h.node.strided[0].side: found \"left\", expected send, receive or both"},
    {STRIDED("\"mpi\":\"\",\"by\":\"type\",\"side\":\"send\",\"points\":[],"
             "\"samples\":[],\"spread\":[]"),
     "f: types.h.node.strided[0]: mpi: found an empty text, expected an MPI library's name"},
    {STRIDED(OF_TYPE "\"points\":[],\"samples\":[],\"spread\":[]"),
     "f: types.h.node.strided[0]: points: found 0, expected 1 to 65536"},
    {STRIDED(OF_TYPE "\"gap\":-1,\"points\":[[4,16,1e-6],[8,16,9e-7]]" MEASURED),
     "f: types.h.node.strided[0].gap: found -1, expected a number of at least 0"},
    {STRIDED(OF_TYPE "\"points\":[[4,16]],\"samples\":[1],\"spread\":[0]"),
     "f: types.h.node.strided[0].points[0]: found an array, expected three numbers: block, bytes, "
     "seconds"},
    {STRIDED(OF_TYPE "\"points\":[[8,16,1e-6],[4,16,9e-7]]" MEASURED),
     "f: types.h.node.strided[0]: points[1]: found a block of 4 and 16 bytes, expected at least 1 "
     "and at least as much, in rising order of bytes, then of blocks"},
    {STRIDED(OF_TYPE "\"points\":[[32,16,1e-6],[40,16,9e-7]]" MEASURED),
     "f: types.h.node.strided[0]: points[0]: found a block of 32 and 16 bytes, expected at least 1 "
     "and at least as much, in rising order of bytes, then of blocks"},
    {STRIDED(OF_TYPE "\"points\":[[4,16,0],[8,16,9e-7]]" MEASURED),
     "f: types.h.node.strided[0]: points[0]: found 0 s, expected a number above 0, at most 1e18"},
    {NOISE("\"pu\":-1"),
     "f: types.h.node.noise[0].pu: found -1, expected a whole number from 0 to 2147483647"},
    {NOISE("\"pu\":1,\"quantum\":1e-5,\"seconds\":5,\"lost\":1.5,\"longest\":1,"
           "\"interruptions\":[]"),
     "f: types.h.node.noise[0]: lost: found 1.5, expected a number from 0 to 1"},
    {NOISE(WATCHED ",\"interruptions\":[[1e-6,1.5]]"),
     "f: types.h.node.noise[0]: interruptions[0]: found [1e-06, 1.5], expected a longer time than "
     "before it and a whole number"},
    {NOISE(WATCHED ",\"interruptions\":[[1,1],[1,1]]"),
     "f: types.h.node.noise[0]: interruptions[1]: found [1, 1], expected a longer time than before "
     "it and a whole number"},
    {"{\"format\":\"berth-topology\",\"version\":1,\"types\":{\"s\":{\"node\":{}},\"h\":{}},"
     "\"root\":{\"type\":\"s\",\"children\":[{\"type\":\"h\",\"host\":\"a\",\"children\":["
     "{\"pu\":0,\"core\":0}]}]}}",
     "f: root: found type \"s\" with a node's measurements, expected them on types of hosts"},
};

static void bad_records_are_refused(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(bad); i++) {
    berth_error_t err;
    berth_topo_t *t = parse(bad[i].text, &err);
    if (t) FAIL_ROW(bad[i].text, "was read");
    if (err.code != BERTH_BAD_INPUT || strcmp(err.text, bad[i].error) != 0)
      FAIL_ROW(bad[i].text, "%d: %s", err.code, err.text);
  }
}

static berth_node_curve_t curve(const char *name, const double *y)
{
  static const double x[] = {1024, 4096, 16384}, spread[] = {0, 0, 0};
  static const int samples[] = {3, 3, 3};
  return (berth_node_curve_t){BERTH_NODE_COPY, name, "hot", 0, 0, 3, x, y, spread, samples};
}

static void values_lie_between_points(void **state)
{
  static const double y[] = {10, 20, 40};
  static const struct {
    double x, y;
  } rows[] = {{0, 10}, {1024, 10}, {2048, 15}, {4096, 20}, {8192, 30}, {16384, 40}, {1e9, 40}};
  const berth_node_curve_t c = curve("memcpy", y);
  (void)state;
  for (size_t i = 0; i < COUNT(rows); i++)
    assert_float_equal(berth_node_at(&c, rows[i].x), rows[i].y, 1e-9);
}

static void the_best_kernel_depends_on_the_size(void **state)
{
  static const double slow_first[] = {10, 20, 40}, fast_first[] = {30, 20.5, 10};
  const berth_node_curve_t a = curve("memcpy", slow_first), b = curve("nt", fast_first), *best;
  berth_node_t *n = berth_node_new("", "", NULL);
  (void)state;
  assert_true(berth_node_best_copy(n, "hot", 0, 0, 1, NULL) == 0);
  assert_int_equal(berth_node_add_curve(n, &a, NULL), BERTH_OK);
  assert_int_equal(berth_node_add_curve(n, &b, NULL), BERTH_OK);
  assert_int_equal(berth_node_add_curve(n, &b, NULL), BERTH_OK); /* replaces itself */
  assert_int_equal(berth_node_n_curves(n), 2);
  assert_float_equal(berth_node_best_copy(n, "hot", 0, 0, 1024, &best), 30, 0);
  assert_string_equal(best->name, "nt");
  assert_float_equal(berth_node_best_copy(n, "hot", 0, 0, 1 << 20, &best), 40, 0);
  assert_string_equal(best->name, "memcpy");
  assert_true(berth_node_best_copy(n, "cold", 0, 0, 1024, NULL) == 0);
  berth_node_free(n);
}

/* What large copies take: rates of memcpy and of two kernels at 1024, 4096 and 16384 bytes, hot and
 * cold. */
static void large_copies_have_a_kernel(void **state)
{
  enum { N = 3 };
  static const struct {
    const char *name;
    double hot[3][N], cold[3][N]; /* memcpy, nt, avx */
    const char *kernel;
    double from;
  } rows[] = {{"faster everywhere",
               {{9, 9, 9}, {10, 10, 10}, {9, 9, 9}},
               {{5, 5, 5}, {8, 8, 8}, {5, 5, 5}},
               "nt",
               1024},
              {"faster from a size on",
               {{90, 9, 9}, {10, 10, 10}, {95, 9, 9}},
               {{5, 5, 5}, {8, 8, 8}, {5, 5, 5}},
               "nt",
               4096},
              {"slower for hot buffers",
               {{90, 90, 90}, {10, 10, 10}, {91, 91, 91}},
               {{5, 5, 5}, {8, 8, 8}, {5, 5, 5}},
               NULL,
               0},
              {"hardly faster",
               {{9, 9, 9}, {9.3, 9.3, 9.3}, {9, 9, 9}},
               {{5, 5, 5}, {5.2, 5.2, 5.2}, {5, 5, 5}},
               NULL,
               0},
              {"slower at the end",
               {{9, 9, 9}, {20, 20, 8}, {9, 9, 9}},
               {{5, 5, 5}, {8, 8, 8}, {5, 5, 5}},
               NULL,
               0},
              {"the one that gains more",
               {{9, 9, 9}, {10, 10, 10}, {9, 20, 20}},
               {{5, 5, 5}, {6, 6, 6}, {5, 9, 9}},
               "avx",
               4096}};
  static const char *const names[] = {"memcpy", "nt", "avx"};
  (void)state;
  for (size_t i = 0; i < COUNT(rows); i++) {
    berth_node_t *n = berth_node_new("", "", NULL);
    for (int k = 0; k < 3; k++) {
      berth_node_curve_t hot = curve(names[k], rows[i].hot[k]);
      berth_node_curve_t cold = curve(names[k], rows[i].cold[k]);
      cold.state = "cold";
      assert_int_equal(berth_node_add_curve(n, &hot, NULL), BERTH_OK);
      assert_int_equal(berth_node_add_curve(n, &cold, NULL), BERTH_OK);
    }
    double from = 0;
    const char *kernel = berth_node_large_copy(n, &from);
    if (!kernel != !rows[i].kernel || (kernel && strcmp(kernel, rows[i].kernel) != 0) ||
        (kernel && from != rows[i].from))
      FAIL_ROW(rows[i].name, "%s from %g", kernel ? kernel : "none", from);
    berth_node_free(n);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(records_come_back_from_files),
                                     cmocka_unit_test(a_record_has_what_the_file_says),
                                     cmocka_unit_test(bad_records_are_refused),
                                     cmocka_unit_test(values_lie_between_points),
                                     cmocka_unit_test(the_best_kernel_depends_on_the_size),
                                     cmocka_unit_test(large_copies_have_a_kernel)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
