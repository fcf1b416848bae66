/* SPDX-License-Identifier: BSD-3-Clause */
/* Under model sum many placements may cost the same. `best` then takes one whose busiest ports
 * carry little, where others would let one port carry several times that. */
#include <math.h>

#include "random_instance.h"

enum { RACKS = 4, MOST_RANKS = 128 };

/* Four racks of hosts with `cores` cores; a rack's port carries five times what a host's does. */
static berth_topo_t *tree(int hosts, int cores)
{
  berth_topo_t *t = berth_topo_new("racks", NULL);
  berth_port_dir_t bus = {-1, 1000}, link = {-1, 100}, trunk = {-1, 500};
  berth_type_t host = {.name = "host", .up = {link, link}, .down = {bus, bus}};
  berth_type_t rack = {.name = "rack", .up = {trunk, trunk}, .down = {link, link}};
  berth_type_t root = {.name = "root", .up = {{-1, 0}, {-1, 0}}, .down = {trunk, trunk}};
  int host_type = berth_topo_add_type(t, &host, NULL);
  int rack_type = berth_topo_add_type(t, &rack, NULL);
  int top = berth_topo_add_switch(t, -1, berth_topo_add_type(t, &root, NULL), "root", NULL, NULL);
  for (int h = 0, below = 0; h < RACKS * hosts; h++) {
    char name[16];
    snprintf(name, sizeof name, "r%d", h / hosts);
    if (h % hosts == 0) below = berth_topo_add_switch(t, top, rack_type, name, NULL, NULL);
    snprintf(name, sizeof name, "n%d", h);
    int e = berth_topo_add_switch(t, below, host_type, name, name, NULL);
    for (int c = 0; c < cores; c++) berth_topo_add_pu(t, e, c, c, NULL);
  }
  assert_int_equal(berth_topo_finish(t, NULL), BERTH_OK);
  return t;
}

/* The first `hubs` ranks of each so many exchange with all others, and twice as much with each
 * other: wherever they are, the sum of a full machine is the same. */
static berth_pattern_t *hubs_of(int ranks, int hubs, int each)
{
  berth_pattern_t *p = berth_pattern_new(ranks, NULL);
  berth_phase_t phase = {.id = 0, .name = "all", .repeats = 3};
  assert_int_equal(berth_pattern_add_phase(p, &phase, NULL), BERTH_OK);
  for (int src = 0; src < ranks; src++)
    for (int dst = 0; dst < ranks; dst++) {
      bool from = src % each < hubs, to = dst % each < hubs;
      if (src == dst || (!from && !to)) continue;
      berth_message_t m = {.src = src, .dst = dst, .count = 1};
      m.size = m.bytes = from && to ? 2000 : 1000;
      assert_int_equal(berth_pattern_add_message(p, &m, NULL), BERTH_OK);
    }
  assert_int_equal(berth_pattern_finish(p, NULL), BERTH_OK);
  return p;
}

typedef struct result {
  int pus[MOST_RANKS];
  const char *chosen;
  double sum, bound, linear_sum, linear_bound;
} result_t;

static result_t place(const berth_pattern_t *p, const berth_topo_t *t, const berth_map_options_t *o,
                      berth_map_report_t *report)
{
  result_t r;
  int linear[MOST_RANKS];
  berth_map_problem_t problem;
  assert_int_equal(berth_map_problem_init(&problem, p, t, o, NULL), BERTH_OK);
  problem.report = report;
  assert_int_equal(berth_map_run(&problem, berth_mapper_find("best"), r.pus, &r.chosen, NULL),
                   BERTH_OK);
  berth_map_problem_clear(&problem);
  for (int i = 0; i < berth_pattern_ranks(p); i++) linear[i] = i;
  berth_cost_t *cost = berth_cost_new(p, t, NULL);
  r.sum = berth_cost_evaluate(cost, BERTH_MODEL_SUM, r.pus);
  r.bound = berth_cost_evaluate(cost, BERTH_MODEL_BOUND, r.pus);
  r.linear_sum = berth_cost_evaluate(cost, BERTH_MODEL_SUM, linear);
  r.linear_bound = berth_cost_evaluate(cost, BERTH_MODEL_BOUND, linear);
  berth_cost_free(cost);
  return r;
}

/* --- all of them on one host at first --- */

typedef struct row {
  const char *name;
  int hosts, cores; /* of a rack, of a host */
  int hubs, groups; /* so many in each of so many equal runs of ranks */
  berth_quality_t quality;
  int pinned;      /* so many of the first ranks stay where linear has them */
  double min_gain; /* as the option */
  double share;    /* of linear's busiest ports: they carry as much at most */
  bool stays;      /* linear is left as it is */
} row_t;

static const row_t rows[] = {
    {"a hub for each rack", 4, 4, 4, 1, BERTH_QUALITY_FAST, 0, 0, 0.31, false},
    {"the same at eco", 4, 4, 4, 1, BERTH_QUALITY_ECO, 0, 0, 0.31, false},
    {"a full host in each rack", 4, 4, 4, 4, BERTH_QUALITY_FAST, 0, 0, 0.42, false},
    {"a full host in each rack, eco", 4, 4, 4, 4, BERTH_QUALITY_ECO, 0, 0, 0.42, false},
    {"half a host in each rack, eco", 4, 4, 2, 4, BERTH_QUALITY_ECO, 0, 0, 0.62, false},
    {"the same, strong", 4, 4, 2, 4, BERTH_QUALITY_STRONG, 0, 0, 0.62, false},
    {"two hubs", 4, 4, 2, 1, BERTH_QUALITY_FAST, 0, 0, 0.55, false},
    {"a hub for each host", 2, 8, 8, 1, BERTH_QUALITY_FAST, 0, 0, 0.3, false},
    {"two of four are pinned", 4, 4, 4, 1, BERTH_QUALITY_FAST, 2, 0, 0.55, false},
    {"all are pinned", 4, 4, 4, 1, BERTH_QUALITY_FAST, 4, 0, 1, true},
    {"one hub has nowhere better", 4, 4, 1, 1, BERTH_QUALITY_FAST, 0, 0, 1, true},
    {"half is enough gain", 4, 4, 4, 1, BERTH_QUALITY_FAST, 0, 0.5, 0.31, false},
    {"it doesn't gain 90%", 4, 4, 4, 1, BERTH_QUALITY_FAST, 0, 0.9, 1, true},
};

static void hubs_part(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(rows); i++) {
    const row_t *row = &rows[i];
    int ranks = RACKS * row->hosts * row->cores, pinned[MOST_RANKS], moved = 0;
    berth_topo_t *t = tree(row->hosts, row->cores);
    berth_pattern_t *p = hubs_of(ranks, row->hubs, ranks / row->groups);
    berth_map_options_t o = berth_map_defaults();
    for (int r = 0; r < ranks; r++) pinned[r] = r < row->pinned ? r : -1;
    o.objective = BERTH_MODEL_SUM;
    o.quality = row->quality;
    o.pinned = pinned;
    o.min_gain = row->min_gain;
    result_t r = place(p, t, &o, NULL);
    for (int k = 0; k < row->pinned; k++) moved += r.pus[k] != k;
    if (moved || fabs(r.sum - r.linear_sum) > 1e-9 * r.linear_sum ||
        r.bound > row->share * r.linear_bound || (strcmp(r.chosen, "linear") == 0) != row->stays)
      FAIL_ROW(row->name,
               "found %s, sum %.12g, busiest %.4f of linear's, %d pinned ranks moved; expected %s, "
               "sum %.12g, busiest at most %.4f, none moved",
               r.chosen, r.sum, r.bound / r.linear_bound, moved, row->stays ? "linear" : "another",
               r.linear_sum, row->share);
    berth_pattern_free(p);
    berth_topo_free(t);
  }
}

/* --- any pattern --- */

/* A tree of ranks in any order: each exchanges with one before it, some much more than others. */
static berth_pattern_t *deal(dice_t *d, int ranks)
{
  int name[MOST_RANKS];
  for (int r = 0; r < ranks; r++) name[r] = r;
  for (int r = ranks - 1; r > 0; r--) {
    int other = roll(d, r + 1), kept = name[r];
    name[r] = name[other];
    name[other] = kept;
  }
  berth_pattern_t *p = berth_pattern_new(ranks, NULL);
  for (int r = 1; r < ranks; r++) {
    berth_message_t m = {.src = name[r], .dst = name[(r - 1) / 2], .count = 1};
    m.size = m.bytes = r % 3 ? 100 : 500;
    assert_int_equal(berth_pattern_add_message(p, &m, NULL), BERTH_OK);
  }
  assert_int_equal(berth_pattern_finish(p, NULL), BERTH_OK);
  return p;
}

static void nothing_is_dearer(void **state)
{
  (void)state;
  int evened = 0;
  dice_t d = {27};
  for (int i = 0; i < rounds_of(60); i++) {
    int cores = 2 + 2 * roll(&d, 2), ranks = RACKS * 4 * cores - roll(&d, 2) * 12;
    berth_topo_t *t = tree(4, cores);
    berth_pattern_t *p = deal(&d, ranks);
    berth_map_options_t o = berth_map_defaults();
    berth_map_report_t report;
    o.objective = BERTH_MODEL_SUM;
    o.quality = BERTH_QUALITY_FAST;
    o.min_gain = 0;
    result_t r = place(p, t, &o, &report);
    for (size_t k = 0; k < report.n; k++)
      if (r.sum > report.candidate[k].price * (1 + 1e-9))
        FAIL_ROW(report.candidate[k].name, "deal %d: found sum %.12g, expected at most %.12g", i,
                 r.sum, report.candidate[k].price);
    evened += strcmp(r.chosen, "even-ports") == 0;
    berth_pattern_free(p);
    berth_topo_free(t);
  }
  if (evened == 0 && all_rounds())
    FAIL_ROW("any pattern", "found no evened placement, expected some");
}

/* Other objectives are what they were: the sum's ties are the sum's matter. */
static void other_objectives_have_no_such_candidate(void **state)
{
  (void)state;
  static const berth_model_t models[] = {BERTH_MODEL_PORT, BERTH_MODEL_BOUND};
  berth_topo_t *t = tree(4, 4);
  berth_pattern_t *p = hubs_of(64, 4, 64);
  for (size_t i = 0; i < COUNT(models); i++) {
    berth_map_options_t o = berth_map_defaults();
    o.objective = models[i];
    o.quality = BERTH_QUALITY_FAST;
    assert_string_not_equal(place(p, t, &o, NULL).chosen, "even-ports");
  }
  berth_pattern_free(p);
  berth_topo_free(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hubs_part),
      cmocka_unit_test(nothing_is_dearer),
      cmocka_unit_test(other_objectives_have_no_such_candidate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
