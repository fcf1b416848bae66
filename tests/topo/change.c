/* SPDX-License-Identifier: BSD-3-Clause */
/* Changes of a topology: what if? */
#include <berth/topo.h>
#include <math.h>

#include "harness.h"

/* A switch with two leaves of two hosts each. Links take 10 us and 1 GB/s, a leaf's two cables
 * carry 2 GB/s together. `below`: the leaves' ports to hosts carry 1 GB/s, too, and `mixed` adds a
 * host of another type. */
static berth_topo_t *tree(int below, int mixed)
{
  static const double size[] = {1, 1e3, 1e6}, bandwidth[] = {1e5, 1e8 / 1.1, 1e9 / 1.01};
  berth_error_t err = {0};
  berth_topo_t *t = berth_topo_new("tree", &err);
  berth_curve_t link = {
      .name = "link", .source = "NetPIPE", .n = 3, .size = size, .bandwidth = bandwidth};
  berth_topo_add_curve(t, &link, &err);
  const berth_port_dir_t none = {.curve = -1}, one = {.curve = 0, .capacity = 1e9},
                         two = {.curve = 0, .capacity = 2e9, .spread = 0.1, .samples = 3};
  berth_type_t root = {.name = "root", .up = {none, none, 0}, .down = {none, none, 0}};
  berth_type_t leaf = {.name = "leaf", .up = {two, two, 0}, .down = {none, none, 0}};
  berth_type_t host = {
      .name = "host", .up = {one, one, 0}, .down = {none, none, 0}, .capacity = 8e9};
  if (below) leaf.down = host.up;
  berth_topo_add_type(t, &root, &err);
  berth_topo_add_type(t, &leaf, &err);
  berth_topo_add_type(t, &host, &err);
  host.name = mixed ? "login" : "host-2";
  berth_topo_add_type(t, &host, &err);
  int top = berth_topo_add_switch(t, -1, 0, "top", NULL, &err);
  for (int l = 0; l < 2; l++) {
    char name[20];
    int number = berth_topo_add_switch(t, top, 1, l ? "leaf1" : "leaf0", NULL, &err);
    for (int h = 0; h < 2; h++) {
      snprintf(name, sizeof name, "h%d", 2 * l + h);
      int element = berth_topo_add_switch(t, number, 2 + h, name, name, &err);
      berth_topo_add_pu(t, element, 0, 0, &err);
    }
  }
  if (berth_topo_finish(t, &err)) fail_msg("%s", err.text);
  berth_topo_set_model_error(t, "port", 0.1, &err);
  return t;
}

static berth_topo_t *changed(const berth_topo_t *t, const char *text, berth_error_t *err)
{
  char copy[200];
  const char *changes[4];
  size_t n = 0;
  snprintf(copy, sizeof copy, "%s", text);
  for (char *word = strtok(copy, " "); word; word = strtok(NULL, " ")) changes[n++] = word;
  return berth_topo_changed(t, n, changes, err);
}

static int is_near(double a, double b) { return fabs(a - b) <= 0.001 * fabs(b); }

/* The times of 1 B and 1 MB on a port's curve; 0 without one. */
static double time_of(const berth_topo_t *t, const berth_port_dir_t *d, double bytes)
{
  return d->curve < 0 ? 0 : berth_curve_time(berth_topo_curve(t, d->curve), bytes);
}

static void a_change_is_for_both_ends_of_a_link(void **state)
{
  (void)state;
  static const struct {
    const char *changes;
    int below;
    double leaf, host, host2, down; /* capacities, GB/s; down: of a leaf */
    double leaf_us, leaf_mb_us, host_us, host_mb_us, down_mb_us;
  } cases[] = {
      {"leaf.up*=2", 0, 4, 1, 1, 0, 10, 1010, 10, 1010, 0},
      {"leaf.up*=0.25", 0, 0.5, 1, 1, 0, 10, 2000, 10, 1010, 0},
      {"leaf.up=8x1GB/s", 0, 8, 1, 1, 0, 10, 1010, 10, 1010, 0},
      {"leaf.rate*=10", 0, 20, 1, 1, 0, 10, 110, 10, 1010, 0},
      {"leaf.rate=2x10GB/s,1us", 0, 20, 1, 1, 0, 1, 101, 10, 1010, 0},
      {"leaf.latency=20us", 0, 2, 1, 1, 0, 20, 1020, 10, 1010, 0},
      {"leaf.latency*=0.5", 0, 2, 1, 1, 0, 5, 1005, 10, 1010, 0},
      {"host.rate*=10", 0, 2, 10, 10, 0, 10, 1010, 10, 110, 0},
      {"host.rate*=10", 1, 2, 10, 10, 10, 10, 1010, 10, 110, 110},
      {"host.up=500MB/s", 1, 2, 0.5, 0.5, 0.5, 10, 1010, 10, 2000, 2000},
      {"host.rate=10GB/s,10us", 1, 2, 10, 10, 0, 10, 1010, 10, 110, 0},
      {"leaf.up*=0.1 leaf.up*=10", 0, 2, 1, 1, 0, 10, 1010, 10, 1010, 0},
      {"leaf.up*=2 leaf.up*=2 host.rate*=10", 0, 8, 10, 10, 0, 10, 1010, 10, 110, 0},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    berth_error_t err = {0};
    berth_topo_t *from = tree(cases[i].below, 0), *t = changed(from, cases[i].changes, &err);
    if (!t) FAIL_ROW(cases[i].changes, "%s", err.text);
    const berth_port_dir_t *leaf = &berth_topo_type(t, 1)->up.out;
    const berth_port_dir_t *host = &berth_topo_type(t, 2)->up.in;
    const berth_port_dir_t *host2 = &berth_topo_type(t, 3)->up.out;
    const berth_port_dir_t *down = &berth_topo_type(t, 1)->down.in;
    const double found[] = {leaf->capacity,      host->capacity,        host2->capacity,
                            down->capacity,      time_of(t, leaf, 1),   time_of(t, leaf, 1e6),
                            time_of(t, host, 1), time_of(t, host, 1e6), time_of(t, down, 1e6)};
    const double expected[] = {
        cases[i].leaf * 1e9,     cases[i].host * 1e9,        cases[i].host2 * 1e9,
        cases[i].down * 1e9,     cases[i].leaf_us * 1e-6,    cases[i].leaf_mb_us * 1e-6,
        cases[i].host_us * 1e-6, cases[i].host_mb_us * 1e-6, cases[i].down_mb_us * 1e-6};
    for (size_t k = 0; k < COUNT(found); k++)
      if (!is_near(found[k], expected[k]))
        FAIL_ROW(cases[i].changes, "value %zu: found %g, expected %g", k, found[k], expected[k]);
    assert_true(berth_topo_machine(t) == berth_topo_machine(from));
    assert_true(berth_topo_model_error(t, "port") == 0);
    berth_topo_free(t);
    berth_topo_free(from);
  }
}

static void a_name_says_what_is_changed(void **state)
{
  (void)state;
  berth_error_t err = {0};
  berth_topo_t *from = tree(0, 0), *t = changed(from, "leaf.up*=2 host.all=1GB/s", &err);
  assert_non_null(t);
  assert_string_equal(berth_topo_name(t), "tree with leaf.up*=2 and host.all=1GB/s");
  assert_true(berth_topo_type(t, 2)->capacity == 1e9);
  berth_topo_free(t);
  t = changed(from, "leaf.rate*=2 host.rate=1GB/s", &err);
  assert_string_equal(berth_topo_curve(t, berth_topo_type(t, 1)->up.out.curve)->source,
                      "NetPIPE; leaf.rate*=2");
  assert_true(berth_curve_is_default(berth_topo_curve(t, berth_topo_type(t, 2)->up.out.curve)));
  berth_topo_free(t);
  berth_topo_free(from);
}

/* No factor makes a curve exceed its capacity by rounding. */
static void every_factor_is_possible(void **state)
{
  (void)state;
  berth_topo_t *from = tree(1, 0);
  for (int i = 1; i < 300; i++) {
    berth_error_t err = {0};
    char text[40];
    snprintf(text, sizeof text, "%s.%s*=%.7f", i % 2 ? "host" : "leaf", i % 3 ? "rate" : "up",
             i % 5 ? 0.01 * i : 1e-5 * i);
    berth_topo_t *t = changed(from, text, &err);
    if (!t) FAIL_ROW(text, "%s", err.text);
    berth_topo_free(t);
  }
  berth_topo_free(from);
}

/* Rates that are nearly equal have curves of nearly equal names. */
static void links_of_nearly_equal_rates_differ(void **state)
{
  (void)state;
  berth_error_t err = {0};
  berth_topo_t *from = tree(0, 0);
  berth_topo_t *t = changed(from, "leaf.rate=100.01Gbit/s host.rate=100.04Gbit/s", &err);
  assert_non_null(t);
  const double leaf = time_of(t, &berth_topo_type(t, 1)->up.out, 1e9);
  const double host = time_of(t, &berth_topo_type(t, 2)->up.out, 1e9);
  assert_int_not_equal(berth_topo_type(t, 1)->up.out.capacity,
                       berth_topo_type(t, 2)->up.out.capacity);
  assert_true(leaf > 0 && host > 0 && host <= leaf);
  berth_topo_free(t);
  berth_topo_free(from);
}

static void what_changes_nothing_is_an_error(void **state)
{
  (void)state;
  static const struct {
    const char *change, *error;
  } cases[] = {
      {"x", "x: expected TYPE.FIELD=VALUE or TYPE.FIELD*=FACTOR, such as host.rate=200Gbit/s"},
      {".up*=2", ".up*=2: expected TYPE.FIELD=VALUE or TYPE.FIELD*=FACTOR, such as "
                 "host.rate=200Gbit/s"},
      {"leaf*=2", "leaf*=2: expected TYPE.FIELD=VALUE or TYPE.FIELD*=FACTOR, such as "
                  "host.rate=200Gbit/s"},
      {"leaf.x*=2", "leaf.x*=2: found \"x\", expected up, rate, latency or all behind the type"},
      {"rack.up*=2", "rack.up*=2: found no type \"rack\", expected root, leaf, host or login"},
      {"leaf.up*=0", "leaf.up*=0: found \"0\", expected a decimal number above 0, up to 1000000"},
      {"leaf.up*=-1",
       "leaf.up*=-1: found \"-1\", expected a decimal number above 0, up to 1000000"},
      {"leaf.up*=", "leaf.up*=: found \"\", expected a decimal number above 0, up to 1000000"},
      {"leaf.up=2", "leaf.up=2: found \"2\", expected a rate, such as 100Gbit/s or 2x12.5GB/s"},
      {"leaf.up=HDR,1us",
       "leaf.up=HDR,1us: found \"HDR,1us\", expected a rate, such as 100Gbit/s or 2x12.5GB/s"},
      {"leaf.rate=2:1",
       "leaf.rate=2:1: found \"2:1\", expected a rate, such as 100Gbit/s or 2x12.5GB/s"},
      {"leaf.latency=5", "leaf.latency=5: found \"5\", expected a latency, such as 1.5us"},
      {"root.up*=2", "root.up*=2: found the root, which has no link above it"},
      {"root.rate=1Gbit/s", "root.rate=1Gbit/s: found the root, which has no link above it"},
      {"leaf.all*=2", "leaf.all*=2: found no limit across the switch, expected TYPE.all=RATE"},
      {"host.up*=2",
       "host.up*=2: found host and login below the same ports of leaf, expected one type there"},
  };
  berth_topo_t *from = tree(1, 1);
  for (size_t i = 0; i < COUNT(cases); i++) {
    berth_error_t err = {0};
    berth_topo_t *t = berth_topo_changed(from, 1, &cases[i].change, &err);
    if (t || err.code != BERTH_BAD_INPUT || strcmp(err.text, cases[i].error) != 0)
      FAIL_ROW(cases[i].change, "found %s", t ? "a machine" : err.text);
  }
  berth_topo_free(from);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_change_is_for_both_ends_of_a_link),
      cmocka_unit_test(a_name_says_what_is_changed),
      cmocka_unit_test(every_factor_is_possible),
      cmocka_unit_test(links_of_nearly_equal_rates_differ),
      cmocka_unit_test(what_changes_nothing_is_an_error),
  };
  return cmocka_run_group_tests_name("changes of a topology", tests, NULL, NULL);
}
