/* SPDX-License-Identifier: BSD-3-Clause */
/* Building and writing topologies: what is written reads back equal. */
#include <berth/topo.h>

#include <math.h>

#include "base/in_file.h"
#include "topo/topo_internal.h"

#include "harness.h"

static void assert_same_origin(const berth_origin_t *x, const berth_origin_t *y)
{
  assert_string_equal(x->date, y->date);
  assert_string_equal(x->mpi, y->mpi);
  assert_string_equal(x->transport, y->transport);
}

static void assert_same_array(const void *x, const void *y, size_t bytes)
{
  assert_int_equal(!x, !y);
  if (x) assert_memory_equal(x, y, bytes);
}

static void assert_same_curves(const berth_topo_t *a, const berth_topo_t *b)
{
  assert_int_equal(berth_topo_n_curves(a), berth_topo_n_curves(b));
  for (int i = 0; i < berth_topo_n_curves(a); i++) {
    const berth_curve_t *x = berth_topo_curve(a, i), *y = berth_topo_curve(b, i);
    assert_string_equal(x->name, y->name);
    assert_string_equal(x->source, y->source);
    assert_int_equal(x->n, y->n);
    assert_memory_equal(x->size, y->size, x->n * sizeof *x->size);
    assert_memory_equal(x->bandwidth, y->bandwidth, x->n * sizeof *x->bandwidth);
    assert_same_array(x->spread, y->spread, x->n * sizeof *x->spread);
    assert_same_array(x->samples, y->samples, x->n * sizeof *x->samples);
    assert_same_origin(&x->origin, &y->origin);
  }
}

static void assert_same_types(const berth_topo_t *a, const berth_topo_t *b)
{
  assert_int_equal(berth_topo_n_types(a), berth_topo_n_types(b));
  for (int i = 0; i < berth_topo_n_types(a); i++) {
    berth_type_t x = *berth_topo_type(a, i), y = *berth_topo_type(b, i);
    const berth_port_dir_t *dx[] = {&x.up.out, &x.up.in, &x.down.out, &x.down.in};
    const berth_port_dir_t *dy[] = {&y.up.out, &y.up.in, &y.down.out, &y.down.in};
    assert_string_equal(x.name, y.name);
    assert_true(x.up.reverse == y.up.reverse && x.down.reverse == y.down.reverse);
    assert_true(x.capacity == y.capacity && x.spread == y.spread && x.samples == y.samples);
    assert_same_origin(&x.origin, &y.origin);
    for (size_t k = 0; k < COUNT(dx); k++) {
      assert_int_equal(dx[k]->curve, dy[k]->curve);
      assert_true(dx[k]->capacity == dy[k]->capacity);
      assert_true(dx[k]->spread == dy[k]->spread && dx[k]->samples == dy[k]->samples);
      assert_same_origin(&dx[k]->origin, &dy[k]->origin);
    }
  }
}

static void assert_same(const berth_topo_t *a, const berth_topo_t *b)
{
  assert_string_equal(berth_topo_name(a), berth_topo_name(b));
  assert_same_curves(a, b);
  assert_same_types(a, b);
  assert_int_equal(berth_topo_n_elements(a), berth_topo_n_elements(b));
  assert_int_equal(berth_topo_n_pus(a), berth_topo_n_pus(b));
  assert_int_equal(berth_topo_n_hosts(a), berth_topo_n_hosts(b));
  for (int i = 0; i < berth_topo_n_elements(a); i++) {
    assert_memory_equal(berth_topo_element(a, i), berth_topo_element(b, i),
                        sizeof(berth_element_t));
    if (berth_topo_element(a, i)->type >= 0)
      assert_string_equal(berth_topo_element_name(a, i), berth_topo_element_name(b, i));
    else
      assert_null(berth_topo_element_name(b, i));
  }
  for (int i = 0; i < berth_topo_n_pus(a); i++)
    assert_memory_equal(berth_topo_pu(a, i), berth_topo_pu(b, i), sizeof(berth_pu_t));
  for (int i = 0; i < berth_topo_n_hosts(a); i++) {
    assert_string_equal(berth_topo_host(a, i)->name, berth_topo_host(b, i)->name);
    assert_int_equal(berth_topo_host(a, i)->element, berth_topo_host(b, i)->element);
  }
}

static berth_topo_t *load_small(void)
{
  char path[512];
  berth_error_t err;
  snprintf(path, sizeof path, "%s/tests/topo/data/small.topo.json", getenv("BERTH_SOURCE_DIR"));
  berth_topo_t *t = berth_topo_load(path, &err);
  if (!t) fail_msg("%s", err.text);
  return t;
}

/* Saves t, loads it, and leaves the file at `path`. */
static berth_topo_t *through_file(const berth_topo_t *t, const char *path)
{
  berth_error_t err;
  if (berth_topo_save(t, path, &err)) fail_msg("%s", err.text);
  berth_topo_t *again = berth_topo_load(path, &err);
  if (!again) fail_msg("%s", err.text);
  return again;
}

static void what_is_written_reads_back(void **state)
{
  (void)state;
  berth_topo_t *t = load_small();
  char *path = strdup(scratch_file("saved", "", 0)), *second = strdup(scratch_file("twice", "", 0));
  berth_topo_t *again = through_file(t, path), *third = through_file(again, second);
  assert_same(t, again);
  assert_same(again, third);
  char *x, *y;
  size_t n, m;
  assert_int_equal(in_read_all(path, &x, &n, NULL), BERTH_OK);
  assert_int_equal(in_read_all(second, &y, &m, NULL), BERTH_OK);
  assert_string_equal(x, y);
  assert_non_null(
      strstr(x, "{\"type\": \"host\", \"name\": \"node3\", \"host\": \"n3\", \"children\": "
                "[{\"pu\": 0, \"core\": 0}, {\"pu\": 2, \"core\": 1}]}"));
  free(x);
  free(y);
  unlink(path);
  unlink(second);
  free(path);
  free(second);
  berth_topo_free(t);
  berth_topo_free(again);
  berth_topo_free(third);
}

static void elements_are_numbered_depth_first(void **state)
{
  (void)state;
  static const berth_element_t expected[] = {
      /* parent, type, depth, height, host, first_pu, n_pus, n_children, size */
      {-1, 2, 0, 3, -1, 0, 11, 3, 20}, {0, 1, 1, 2, -1, 0, 4, 2, 7},
      {1, 0, 2, 1, 0, 0, 2, 2, 3},     {2, -1, 3, 0, 0, 0, 1, 0, 1},
      {2, -1, 3, 0, 0, 1, 1, 0, 1},    {1, 0, 2, 1, 1, 2, 2, 2, 3},
      {5, -1, 3, 0, 1, 2, 1, 0, 1},    {5, -1, 3, 0, 1, 3, 1, 0, 1},
      {0, 1, 1, 2, -1, 4, 4, 2, 7},    {8, 0, 2, 1, 2, 4, 2, 2, 3},
      {9, -1, 3, 0, 2, 4, 1, 0, 1},    {9, -1, 3, 0, 2, 5, 1, 0, 1},
      {8, 0, 2, 1, 3, 6, 2, 2, 3},     {12, -1, 3, 0, 3, 6, 1, 0, 1},
      {12, -1, 3, 0, 3, 7, 1, 0, 1},   {0, 0, 1, 2, 4, 8, 3, 2, 5},
      {15, 1, 2, 1, 4, 8, 2, 2, 3},    {16, -1, 3, 0, 4, 8, 1, 0, 1},
      {16, -1, 3, 0, 4, 9, 1, 0, 1},   {15, -1, 2, 0, 4, 10, 1, 0, 1},
  };
  static const berth_pu_t last = {19, 4, 2, 5};
  berth_topo_t *t = load_small();
  assert_int_equal(berth_topo_n_elements(t), COUNT(expected));
  for (size_t i = 0; i < COUNT(expected); i++)
    if (memcmp(berth_topo_element(t, (int)i), &expected[i], sizeof *expected) != 0)
      fail_msg("element %zu differs", i);
  assert_memory_equal(berth_topo_pu(t, 10), &last, sizeof last);
  assert_int_equal(berth_topo_find_host(t, "n2"), 2);
  assert_int_equal(berth_topo_find_host(t, "fat"), 4);
  assert_int_equal(berth_topo_find_host(t, "node2"), -1);
  berth_topo_free(t);
}

/* Adds one element at a wrong place and expects that line. */
typedef struct builder_case {
  const char *name;
  int parent, type;
  const char *element, *host;
  const char *error;
} builder_case_t;

static void the_builder_refuses_what_the_format_cannot_say(void **state)
{
  (void)state;
  static const builder_case_t cases[] = {
      {"second root", -1, 0, "x", NULL, "found a second root, expected one tree"},
      {"closed parent", 1, 0, "x", NULL,
       "found parent 1, expected the last switch added or one above it"},
      {"unknown parent", 99, 0, "x", NULL,
       "found parent 99, expected the last switch added or one above it"},
      {"PU as parent", 2, 0, "x", NULL,
       "found parent 2, expected the last switch added or one above it"},
      {"unknown type", 0, 1, "x", NULL, "found type number 1, expected one below 1"},
      {"number in name", 0, 0, "x%d", NULL,
       "found name \"x%d\", expected no %d in it, which stands for a number"},
      {"number in host", 0, 0, "x", "%d",
       "found host name \"%d\", expected no %d in it, which stands for a number"},
      {"host twice", 0, 0, "x", "a", "found a second host named \"a\", expected different names"},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    berth_error_t err = {0};
    berth_topo_t *t = berth_topo_new("built", NULL);
    assert_int_equal(
        berth_topo_add_type(
            t, &(berth_type_t){.name = "s", .up = {{-1, 0}, {-1, 0}}, .down = {{-1, 0}, {-1, 0}}},
            NULL),
        0);
    assert_int_equal(berth_topo_add_switch(t, -1, 0, "root", NULL, NULL), 0);
    assert_int_equal(berth_topo_add_switch(t, 0, 0, "a", "a", NULL), 1);
    assert_int_equal(berth_topo_add_pu(t, 1, 0, 0, NULL), 2);
    assert_int_equal(berth_topo_add_switch(t, 0, 0, "b", "b", NULL), 3);
    const builder_case_t *c = &cases[i];
    if (berth_topo_add_switch(t, c->parent, c->type, c->element, c->host, &err) != -1)
      FAIL_ROW(c->name, "was taken");
    assert_string_equal(err.text, c->error);
    assert_int_equal(berth_topo_finish(t, &err), BERTH_BAD_INPUT);
    assert_string_equal(err.text, "found switch \"b\" without children, expected a PU below it");
    berth_topo_free(t);
  }
}

static const double size[] = {1, 2}, slow[] = {5, 6}, fast[] = {7, 8};

static berth_topo_t *with_two_curves(void)
{
  berth_topo_t *t = berth_topo_new("", NULL);
  berth_topo_add_curve(t, &(berth_curve_t){"slow", "", 2, size, slow}, NULL);
  berth_topo_add_curve(t, &(berth_curve_t){"fast", NULL, 2, size, fast}, NULL);
  return t;
}

static void capacities_are_those_of_the_curves_or_more(void **state)
{
  (void)state;
  berth_error_t err = {0};
  berth_topo_t *t = with_two_curves();
  berth_type_t type = {"s", {{0, 0}, {1, 0}}, {{-1, 0}, {-1, 0}}, 0};
  assert_int_equal(berth_topo_add_type(t, &type, NULL), 0); /* each its curve's */
  assert_true(berth_topo_type(t, 0)->up.out.capacity == 6);
  assert_true(berth_topo_type(t, 0)->up.in.capacity == 8);
  assert_string_equal(berth_topo_type(t, 0)->up.in.origin.date, "");
  type.name = "other";
  type.up.in.capacity = 7;
  assert_int_equal(berth_topo_add_type(t, &type, &err), -1);
  assert_string_equal(err.text, "up.max_bandwidth: found 7, expected at least 8, the largest "
                                "bandwidth of curve \"fast\"");
  type.up.in.capacity = 0;
  type.up.out.curve = 2;
  assert_int_equal(berth_topo_add_type(t, &type, &err), -1);
  assert_string_equal(err.text, "up: found curve number 2, expected one below 2");
  berth_topo_free(t);
}

/* The text of a topology that has this type and curve, with what is measured in it; `again` is
 * read from that text. */
static char *text_of(const berth_curve_t *curve, const berth_type_t *type, berth_topo_t **t,
                     berth_topo_t **again)
{
  char *text, *path = strdup(scratch_file("measured", "", 0));
  size_t n;
  *t = with_two_curves();
  if (curve) assert_int_equal(berth_topo_add_curve(*t, curve, NULL), 2);
  assert_int_equal(berth_topo_add_type(*t, type, NULL), 0);
  assert_int_equal(berth_topo_add_switch(*t, -1, 0, "a", "a", NULL), 0);
  assert_int_equal(berth_topo_add_pu(*t, 0, 0, 0, NULL), 1);
  assert_int_equal(berth_topo_finish(*t, NULL), BERTH_OK);
  *again = through_file(*t, path);
  assert_int_equal(in_read_all(path, &text, &n, NULL), BERTH_OK);
  unlink(path);
  free(path);
  return text;
}

static void what_was_measured_reads_back(void **state)
{
  (void)state;
  static const double spread[] = {0.015, 0};
  static const int samples[] = {5, 12};
  const berth_origin_t origin = {"2026-11-21T03:00:00Z", "Open MPI 4.1.4", "tcp"};
  const berth_curve_t curve = {"m", "here", 2, size, slow, origin, spread, samples};
  const struct {
    const char *name;
    berth_type_t type;
    const char *line; /* that the file has */
  } cases[] = {
      {"one for both",
       {"s", .up = {{2, 9, 0.01, 4, origin}, {2, 9, 0.01, 4, origin}}, .down = {{-1}, {-1}}},
       "\"max_bandwidth\": 9, \"max_bandwidth_measured\": {\"date\": \"2026-11-21T03:00:00Z\", "
       "\"mpi\": \"Open MPI 4.1.4\", \"transport\": \"tcp\", \"samples\": 4, \"spread\": 0.01}}"},
      {"different ones",
       {"s", .up = {{2, 9, 0.01, 4}, {2, 6.5, 0.02, 3}}, .down = {{-1}, {-1}}},
       "\"max_bandwidth\": {\"out\": 9, \"in\": 6.5}, \"max_bandwidth_measured\": "
       "{\"out\": {\"samples\": 4, \"spread\": 0.01}, \"in\": {\"samples\": 3, \"spread\": "
       "0.02}}}"},
      {"one measured",
       {"s", .up = {{2, 9, 0.5, 2}, {2, 9}}, .down = {{-1}, {-1}}},
       "\"max_bandwidth\": 9, \"max_bandwidth_measured\": {\"out\": {\"samples\": 2, \"spread\": "
       "0.5}}}"},
      {"measured once, so that there is no spread",
       {"s", .up = {{2, 9, 0, 1}, {2, 9, 0.5, 1}}, .down = {{-1}, {-1}}},
       "\"max_bandwidth\": 9, \"max_bandwidth_measured\": {\"samples\": 1}}"},
      {"a spread that isn't known",
       {"s", .up = {{2, 9, BERTH_UNKNOWN_SPREAD, 4}, {2, 9}}, .down = {{-1}, {-1}}},
       "\"max_bandwidth\": 9, \"max_bandwidth_measured\": {\"out\": {\"samples\": 4}}}"},
      {"one is the curve's",
       {"s", .up = {{2, 6}, {2, 7}}, .down = {{-1}, {-1}}},
       "{\"out\": \"m\", \"in\": \"m\", \"max_bandwidth\": {\"out\": 6, \"in\": 7}}"},
      {"one has no curve",
       {"s", .up = {{-1, 0}, {2, 7}}, .down = {{-1}, {-1}}},
       "{\"in\": \"m\", \"max_bandwidth\": {\"in\": 7}}"},
      {"acknowledgements",
       {"s", .up = {{2, 9}, {2, 9}, 0.02}, .down = {{-1}, {-1}}},
       "\"max_bandwidth\": 9, \"reverse_traffic\": 0.02}"},
      {"a switch",
       {"s", .up = {{-1}, {-1}}, .down = {{-1}, {-1}}, 99, 0.003, 7, origin},
       "\"max_bandwidth_measured\": {\"date\": \"2026-11-21T03:00:00Z\", \"mpi\": \"Open MPI "
       "4.1.4\", \"transport\": \"tcp\", \"samples\": 7, \"spread\": 0.003}"},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    berth_topo_t *t, *again;
    char *text = text_of(&curve, &cases[i].type, &t, &again);
    if (!strstr(text, cases[i].line))
      FAIL_ROW(cases[i].name, "\n  found    %s\n  expected %s", text, cases[i].line);
    assert_non_null(strstr(text, "\"samples\": [5, 12], \"spread\": [0.015, 0]}"));
    assert_same(t, again);
    free(text);
    berth_topo_free(t);
    berth_topo_free(again);
  }
}

static void one_sample_has_no_spread(void **state)
{
  (void)state;
  static const double wide[] = {0.5, 0.25};
  static const double none[] = {0.5, BERTH_UNKNOWN_SPREAD};
  static const int once[] = {1, 2}, often[] = {7, 2};
  static const struct {
    const double *spread;
    const int *samples;
    double found[2];
    const char *line;
  } cases[] = {
      {wide, once, {BERTH_UNKNOWN_SPREAD, 0.25}, "\"samples\": [1, 2], \"spread\": [null, 0.25]}"},
      {none, often, {0.5, BERTH_UNKNOWN_SPREAD}, "\"samples\": [7, 2], \"spread\": [0.5, null]}"},
      {none, NULL, {0.5, BERTH_UNKNOWN_SPREAD}, "{\"spread\": [0.5, null]}"},
  };
  const berth_type_t type = {"s", .up = {{2, 0}, {2, 0}}, .down = {{-1}, {-1}}};
  for (size_t i = 0; i < COUNT(cases); i++) {
    const berth_curve_t curve = {
        "m", "", 2, size, slow, .spread = cases[i].spread, .samples = cases[i].samples};
    berth_topo_t *t, *again;
    char *text = text_of(&curve, &type, &t, &again);
    if (!strstr(text, cases[i].line)) FAIL_ROW(cases[i].line, "\n  found    %s", text);
    assert_memory_equal(berth_topo_curve(again, 2)->spread, cases[i].found, sizeof cases[i].found);
    assert_same(t, again);
    free(text);
    berth_topo_free(t);
    berth_topo_free(again);
  }
}

static void unknown_measurements_leave_no_trace(void **state)
{
  (void)state;
  const berth_type_t type = {"s", .up = {{0, 0}, {1, 0}}, .down = {{-1}, {-1}}};
  berth_topo_t *t, *again;
  char *text = text_of(NULL, &type, &t, &again);
  assert_null(strstr(text, "measured"));
  assert_null(strstr(text, "max_bandwidth"));
  assert_same(t, again);
  free(text);
  berth_topo_free(t);
  berth_topo_free(again);
}

static void wrong_measurements_are_refused(void **state)
{
  (void)state;
  static const double negative[] = {0, -0.5}, nan_[] = {0, NAN};
  static const int none[] = {1, 0};
  berth_error_t err = {0};
  berth_topo_t *t = with_two_curves();
  const struct {
    berth_curve_t curve;
    const char *error;
  } curves[] = {
      {{"m", "", 2, size, slow, .spread = negative},
       "measured.spread[1]: found -0.5, expected a number of at least 0"},
      {{"m", "", 2, size, slow, .spread = nan_},
       "measured.spread[1]: found nan, expected a number of at least 0"},
      {{"m", "", 2, size, slow, .samples = none},
       "measured.samples[1]: found 0, expected at least 1"},
      {{"m", "", 2, size, slow, {.mpi = "a\nb"}},
       "found MPI \"a?b\", expected UTF-8 text without control characters"},
  };
  for (size_t i = 0; i < COUNT(curves); i++) {
    assert_int_equal(berth_topo_add_curve(t, &curves[i].curve, &err), -1);
    assert_string_equal(err.text, curves[i].error);
  }
  const struct {
    berth_type_t type;
    const char *error;
  } types[] = {
      {{"s", {{0, 9, 0.5, 0}, {0, 9}}},
       "up: found spread 0.5 of 0 samples, expected a number of at least 0, and 0 without samples"},
      {{"s", .capacity = 9, .samples = -1}, "max_bandwidth: found -1 samples, expected 0 or more"},
      {{"s", .capacity = 9, .samples = 1, .origin = {.date = "\x1b"}},
       "found date \"?\", expected UTF-8 text without control characters"},
  };
  for (size_t i = 0; i < COUNT(types); i++) {
    assert_int_equal(berth_topo_add_type(t, &types[i].type, &err), -1);
    assert_string_equal(err.text, types[i].error);
  }
  berth_topo_free(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_written_reads_back),
      cmocka_unit_test(elements_are_numbered_depth_first),
      cmocka_unit_test(the_builder_refuses_what_the_format_cannot_say),
      cmocka_unit_test(capacities_are_those_of_the_curves_or_more),
      cmocka_unit_test(what_was_measured_reads_back),
      cmocka_unit_test(one_sample_has_no_spread),
      cmocka_unit_test(unknown_measurements_leave_no_trace),
      cmocka_unit_test(wrong_measurements_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
