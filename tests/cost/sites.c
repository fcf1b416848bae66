/* SPDX-License-Identifier: BSD-3-Clause */
/* Which call sites load which level. */
#include <berth/collectives.h>
#include <berth/cost.h>
#include <berth/sketch.h>
#include <math.h>

#include "random_inputs.h"

/* Two leaves of two hosts with two cores each: levels 0 (the root), 1 (leaf), 2 (host), 3 (pu). */
static berth_topo_t *machine(void)
{
  static const char *const words[] = {"leaf:2", "host:2", "core:2", "leaf=1:1", "host=10GbE"};
  berth_error_t err = {0};
  berth_sketch_t *s = berth_sketch_new(&err);
  for (size_t i = 0; i < COUNT(words); i++)
    assert_int_equal(berth_sketch_add(s, words[i], &err), 0);
  berth_topo_t *t = berth_sketch_topo(s, NULL, &err);
  berth_sketch_free(s);
  return t;
}

enum { RANKS = 8, LEVELS = 4 };

/* Call sites 1 to 3 in a phase that occurs twice, and all-reduces at sites 4 and 5. */
static berth_pattern_t *pattern(const berth_message_t *m, size_t n, uint64_t calls4,
                                uint64_t calls5)
{
  static const char *const frame[] = {"f a.c:1"};
  berth_error_t err = {0};
  berth_pattern_t *p = berth_pattern_new(RANKS, &err);
  const berth_phase_t phase = {.id = 0, .name = "", .repeats = 2};
  berth_pattern_add_phase(p, &phase, &err);
  for (int id = 1; id <= 5; id++) {
    const berth_site_t site = {id, id < 4 ? "MPI_Isend" : "MPI_Allreduce", 1, frame};
    berth_pattern_add_site(p, &site, &err);
  }
  for (size_t i = 0; i < n; i++) {
    berth_message_t message = m[i];
    message.bytes = message.size * message.count;
    berth_pattern_add_message(p, &message, &err);
  }
  const uint64_t calls[] = {calls4, calls5};
  for (int i = 0; i < 2; i++) {
    const berth_coll_t coll = {.site = 4 + i,
                               .op = "MPI_Allreduce",
                               .bytes = 8,
                               .count = calls[i],
                               .root = -1,
                               .element = 8};
    if (calls[i] > 0) berth_pattern_add_coll(p, &coll, &err);
  }
  if (berth_pattern_finish(p, &err)) fail_msg("%s", err.text);
  return p;
}

static const int in_order[RANKS] = {0, 1, 2, 3, 4, 5, 6, 7};

static void messages_count_on_the_levels_that_they_cross(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    berth_message_t message;
    double messages[LEVELS]; /* of both occurrences */
  } cases[] = {
      {"within a host", {.site = 1, .src = 0, .dst = 1, .size = 10, .count = 3}, {0, 0, 0, 6}},
      {"within a leaf", {.site = 2, .src = 0, .dst = 2, .size = 10, .count = 3}, {0, 0, 6, 6}},
      {"across", {.site = 3, .src = 0, .dst = 7, .size = 10, .count = 3}, {6, 6, 6, 6}},
      {"no site", {.site = 0, .src = 0, .dst = 7, .size = 10, .count = 1}, {2, 2, 2, 2}},
      {"to itself", {.site = 1, .src = 4, .dst = 4, .size = 10, .count = 1}, {0, 0, 0, 0}},
      {"empty ones", {.site = 1, .src = 0, .dst = 1, .size = 0, .count = 1}, {0, 0, 0, 2}},
  };
  berth_topo_t *t = machine();
  for (size_t i = 0; i < COUNT(cases); i++) {
    berth_error_t err = {0};
    berth_pattern_t *p = pattern(&cases[i].message, 1, 0, 0);
    berth_cost_t *c = berth_cost_new(p, t, &err);
    berth_site_traffic_t *site;
    size_t n;
    if (berth_cost_sites(c, in_order, &site, &n, &err)) FAIL_ROW(cases[i].name, "%s", err.text);
    bool any = cases[i].messages[LEVELS - 1] > 0;
    int expected = cases[i].message.site > 0 ? cases[i].message.site : -1;
    if (n != any || (any && site[0].site != expected))
      FAIL_ROW(cases[i].name, "found %zu sites, the first is %d", n, n ? site[0].site : 0);
    for (int d = 0; d < LEVELS && any; d++)
      if (site[0].messages[d] != cases[i].messages[d] ||
          site[0].bytes[d] != cases[i].messages[d] * (double)cases[i].message.size)
        FAIL_ROW(cases[i].name, "level %d: found %g messages of %g B", d, site[0].messages[d],
                 site[0].bytes[d]);
    free(site);
    berth_cost_free(c);
    berth_pattern_free(p);
  }
  berth_topo_free(t);
}

/* Calls of the same kind are a phase; their rounds are divided by what was called where. */
static void collective_calls_are_divided_among_their_sites(void **state)
{
  (void)state;
  static const char *const rules[] = {"openmpi-4.1", "mpich-4.0"};
  berth_topo_t *t = machine();
  for (size_t i = 0; i < COUNT(rules); i++) {
    berth_error_t err = {0};
    double left;
    berth_pattern_t *p = pattern(NULL, 0, 10, 30);
    if (berth_collectives_include(p, rules[i], &left, &err)) FAIL_ROW(rules[i], "%s", err.text);
    berth_cost_t *c = berth_cost_new(p, t, &err);
    berth_site_traffic_t *site;
    size_t n;
    assert_int_equal(berth_cost_sites(c, in_order, &site, &n, &err), BERTH_OK);
    assert_int_equal(n, 2);
    for (int d = 0; d < LEVELS; d++) {
      assert_true(site[0].messages[d] > 0);
      assert_true(fabs(3 * site[0].messages[d] - site[1].messages[d]) < 1e-9 * site[1].messages[d]);
    }
    free(site);
    berth_cost_free(c);
    berth_pattern_free(p);
  }
  berth_topo_free(t);
}

/* Whatever sends the messages: sites add up to the levels of berth_cost_explain. */
static void sites_add_up_to_the_levels(void **state)
{
  (void)state;
  static const char *const rules[] = {"none", "openmpi-4.1", "mpich-4.0", "berth"};
  berth_topo_t *t = machine();
  random_state = 7;
  for (size_t i = 0; i < COUNT(rules); i++)
    for (int round = 0; round < rounds_of(10); round++) {
      berth_error_t err = {0};
      double left;
      berth_message_t m[12];
      for (size_t k = 0; k < COUNT(m); k++)
        m[k] = (berth_message_t){.site = (int)(random_below(4)),
                                 .src = (int)random_below(RANKS),
                                 .dst = (int)random_below(RANKS),
                                 .size = random_below(5000),
                                 .count = 1 + random_below(9)};
      berth_pattern_t *p = pattern(m, COUNT(m), random_below(9), 1 + random_below(9));
      int rc = i == 0   ? BERTH_OK
               : i == 3 ? berth_collectives_include_by_hosts(p, rules[i], 0, &left, &err)
                        : berth_collectives_include(p, rules[i], &left, &err);
      if (rc) FAIL_ROW(rules[i], "%s", err.text);
      int *placement = random_placement(RANKS, RANKS, 0);
      berth_cost_t *c = berth_cost_new(p, t, &err);
      berth_cost_result_t r;
      berth_site_traffic_t *site;
      size_t n;
      assert_int_equal(berth_cost_explain(c, BERTH_MODEL_BOUND, placement, 0, &r, &err), BERTH_OK);
      assert_int_equal(berth_cost_sites(c, placement, &site, &n, &err), BERTH_OK);
      for (size_t d = 0; d < r.n_levels; d++) {
        double messages = 0, bytes = 0;
        for (size_t k = 0; k < n; k++) messages += site[k].messages[d], bytes += site[k].bytes[d];
        if (fabs(messages - r.levels[d].messages) > 1e-9 * messages ||
            fabs(bytes - r.levels[d].bytes) > 1e-9 * bytes)
          FAIL_ROW(rules[i], "level %zu: found %g messages, %g B, expected %g, %g", d, messages,
                   bytes, r.levels[d].messages, r.levels[d].bytes);
      }
      free(site);
      berth_cost_result_clear(&r);
      berth_cost_free(c);
      free(placement);
      berth_pattern_free(p);
    }
  berth_topo_free(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(messages_count_on_the_levels_that_they_cross),
      cmocka_unit_test(collective_calls_are_divided_among_their_sites),
      cmocka_unit_test(sites_add_up_to_the_levels),
  };
  return cmocka_run_group_tests_name("call sites by level", tests, NULL, NULL);
}
