/* SPDX-License-Identifier: BSD-3-Clause */
/* What an estimate says in one sentence. A message of 1000 B goes from a host that costs nothing to
 * one of several hosts, each with a link of its own: it takes 1000 B / the link's bandwidth. */
#include <berth/assess.h>
#include <math.h>

#include "harness.h"

enum { N_LINKS = 8 };

/* Bytes per second; the first one is the reference's link. */
static const double links[N_LINKS] = {1000, 12200, 1090, 800, 400, 1000.2, 1e9, 0};

/* A host h0 without costs, then h1, h2, … with one PU and one of the links each. */
static berth_topo_t *machine(int distances, double spread)
{
  const berth_port_dir_t none = {.curve = -1};
  berth_topo_t *t = berth_topo_new("star", NULL);
  berth_type_t top = {.name = "top", .up = {none, none, 0}, .down = {none, none, 0}};
  berth_topo_add_type(t, &top, NULL);
  for (int i = 0; i < N_LINKS; i++) {
    char name[20];
    snprintf(name, sizeof name, "link%d", i);
    const berth_port_dir_t link = {
        .curve = -1, .capacity = links[i], .spread = spread, .samples = spread > 0 ? 9 : 0};
    berth_type_t type = {.name = name, .up = {link, link, 0}, .down = {none, none, 0}};
    berth_topo_add_type(t, &type, NULL);
  }
  int root = berth_topo_add_switch(t, -1, 0, "top", NULL, NULL);
  for (int i = 0; i <= N_LINKS; i++) {
    char name[20];
    snprintf(name, sizeof name, "h%d", i);
    int host = berth_topo_add_switch(t, root, i, name, name, NULL);
    berth_topo_add_pu(t, host, 0, 0, NULL);
  }
  if (distances) berth_topo_set_distances(t);
  assert_int_equal(berth_topo_finish(t, NULL), BERTH_OK);
  return t;
}

/* Ranks of 10 s, of which they were `mpi_s` in MPI (negative: unknown). */
static berth_pattern_t *pattern(double mpi_s)
{
  berth_pattern_t *p = berth_pattern_new(2, NULL);
  const berth_phase_t phase = {.id = 0, .name = "", .repeats = 1};
  const berth_message_t message = {.src = 0, .dst = 1, .size = 1000, .count = 1, .bytes = 1000};
  const berth_rank_info_t info = {"", -1, 10, mpi_s};
  berth_pattern_add_phase(p, &phase, NULL);
  berth_pattern_add_message(p, &message, NULL);
  for (int r = 0; r < 2 && mpi_s >= 0; r++) berth_pattern_set_rank(p, r, &info, NULL);
  berth_error_t err = {0};
  if (berth_pattern_finish(p, &err)) fail_msg("%s", err.text);
  return p;
}

static const struct {
  const char *name;
  int link; /* of the placement: rank 1 is on its host */
  double mpi_s;
  int distances;
  double spread;
  berth_assessed_t result;
  const char *sentence;
  int before; /* the reference's link */
} cases[] = {
    {"far less", 1, 2, 0, 0, BERTH_ASSESSED_BETTER,
     "12.2 times less communication time than in the default order, the run 9.2% to 18% shorter"},
    {"less than half", 0, 2, 0, 0, BERTH_ASSESSED_BETTER,
     "60% less communication time than in the default order, the run 12% to 14% shorter", 4},
    {"a little less", 2, 2, 0, 0, BERTH_ASSESSED_BETTER,
     "8.3% less communication time than in the default order, the run 0.8% to 1.7% shorter"},
    {"more", 3, 2, 0, 0, BERTH_ASSESSED_WORSE,
     "25% more communication time than in the default order, the run 2.5% to 5.0% longer"},
    {"far more", 4, 2, 0, 0, BERTH_ASSESSED_WORSE,
     "2.5 times as much communication time as in the default order, the run 15% to 30% longer"},
    {"the same placement", 0, 2, 0, 0, BERTH_ASSESSED_EQUAL,
     "as much communication time as in the default order"},
    {"a difference that nobody notices", 5, 2, 0, 0, BERTH_ASSESSED_EQUAL,
     "as much communication time as in the default order"},
    {"hardly any left", 6, 2, 0, 0, BERTH_ASSESSED_BETTER,
     "1000000 times less communication time than in the default order, the run 10% to 20% shorter"},
    {"none left", 7, 2, 0, 0, BERTH_ASSESSED_BETTER,
     "no communication time instead of 1.000 s in the default order, the run 10% to 20% shorter"},
    {"none before", 1, 2, 0, 0, BERTH_ASSESSED_WORSE,
     "81.97 ms of communication time instead of none in the default order, the run as long", 7},
    {"no times", 1, -1, 0, 0, BERTH_ASSESSED_BETTER,
     "12.2 times less communication time than in the default order"},
    {"distances", 1, 2, 1, 0, BERTH_ASSESSED_BETTER,
     "12.2 times less communication cost than in the default order"},
    {"within the errors", 2, 2, 0, 0.2, BERTH_ASSESSED_UNCERTAIN,
     "no verdict: measurement errors are larger than the difference from the communication time in "
     "the default order"},
};

static void a_sentence_says_what_the_estimate_says(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(cases); i++) {
    berth_topo_t *t = machine(cases[i].distances, cases[i].spread);
    berth_pattern_t *p = pattern(cases[i].mpi_s);
    const int placement[] = {0, 1 + cases[i].link}, reference[] = {0, 1 + cases[i].before};
    const int *const placements[] = {placement};
    berth_assess_options_t o = berth_assess_defaults();
    o.reference = reference;
    berth_error_t err = {0};
    berth_assessment_t *a = berth_assessment_new(p, t, &o, 1, placements, &err);
    if (!a) FAIL_ROW(cases[i].name, "%s", err.text);
    char buf[400];
    const char *found = berth_assessment_sentence(a, 0, "in the default order", buf, sizeof buf);
    if (berth_assessment_result(a, 0) != cases[i].result || strcmp(found, cases[i].sentence) != 0)
      FAIL_ROW(cases[i].name, "found %d, \"%s\"", (int)berth_assessment_result(a, 0), found);
    char small[9];
    berth_assessment_sentence(a, 0, "in the default order", small, sizeof small);
    assert_memory_equal(small, cases[i].sentence, sizeof small - 1);
    assert_int_equal(berth_assessment_n(a), 1);
    berth_assessment_free(a);
    berth_pattern_free(p);
    berth_topo_free(t);
  }
}

static void without_a_reference_there_is_nothing_to_say(void **state)
{
  (void)state;
  berth_topo_t *t = machine(0, 0);
  berth_pattern_t *p = pattern(2);
  const int placement[] = {0, 1};
  const int *const placements[] = {placement};
  berth_assess_options_t o = berth_assess_defaults();
  berth_assessment_t *a = berth_assessment_new(p, t, &o, 1, placements, NULL);
  char buf[100];
  assert_int_equal(berth_assessment_result(a, 0), BERTH_ASSESSED_ALONE);
  assert_string_equal(berth_assessment_sentence(a, 0, "before", buf, sizeof buf),
                      "nothing to compare with");
  berth_assessment_free(a);
  berth_pattern_free(p);
  berth_topo_free(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_sentence_says_what_the_estimate_says),
      cmocka_unit_test(without_a_reference_there_is_nothing_to_say),
  };
  return cmocka_run_group_tests_name("sentences", tests, NULL, NULL);
}
