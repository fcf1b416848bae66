/* SPDX-License-Identifier: BSD-3-Clause */
/* The reader of groups: what it takes, and what it says of files that don't hold together. */
#include "mapping/groups.h"

#include <string.h>

#include "harness.h"

#define HEAD  "{\"format\":\"berth-groups\",\"version\":1,"
#define ORDER HEAD "\"ranks\":4,\"order\":[0,2,1,3],"
#define HOSTS                                                                                      \
  "{\"name\":\"host\",\"groups\":[{\"coordinator\":0,\"ranks\":[0,2]},"                            \
  "{\"coordinator\":1,\"ranks\":[1,3]}]}"
#define ALL "{\"name\":\"all\",\"groups\":[{\"coordinator\":0,\"ranks\":[0,2,1,3]}]}"

static void groups_are_pieces_of_the_order(void **state)
{
  (void)state;
  const char text[] = ORDER "\"levels\":[" HOSTS "," ALL "],"
                            "\"free\":[{\"coordinator\":1,\"pus\":[3,7]}]}";
  berth_groups_t g;
  assert_int_equal(groups_parse(text, sizeof text - 1, "g", 4, &g, NULL), BERTH_OK);
  assert_int_equal(g.ranks, 4);
  assert_memory_equal(g.order, ((int[]){0, 2, 1, 3}), 4 * sizeof(int));
  assert_int_equal(g.n_levels, 2);
  assert_string_equal(g.levels[0].name, "host");
  assert_int_equal(g.levels[0].n, 2);
  assert_memory_equal(g.levels[0].start, ((int[]){0, 2, 4}), 3 * sizeof(int));
  assert_int_equal(g.levels[1].n, 1);
  assert_int_equal(g.n_free, 1);
  assert_int_equal(g.free[0].coordinator, 1);
  assert_memory_equal(g.free[0].pu, ((int[]){3, 7}), 2 * sizeof(int));
  berth_groups_clear(&g);
  berth_groups_clear(&g);
}

static void what_does_not_hold_together_gets_one_line(void **state)
{
  (void)state;
  static const struct {
    const char *text, *expected;
  } cases[] = {
      {"{}", "g: format: found nothing, expected \"berth-groups\""},
      {HEAD "\"ranks\":0,\"order\":[],\"levels\":[]}",
       "g: ranks: found 0, expected a whole number from 1 to 16777216"},
      {HEAD "\"ranks\":3,\"order\":[0,1,2],\"levels\":[]}",
       "g: ranks: found 3, expected 4, the job's ranks"},
      {HEAD "\"ranks\":4,\"order\":[0,1,2],\"levels\":[]}", "g: order: found 3 ranks, expected 4"},
      {HEAD "\"ranks\":4,\"order\":[0,1,2,4],\"levels\":[]}",
       "g: order[3]: found 4, expected a whole number from 0 to 3"},
      {HEAD "\"ranks\":4,\"order\":[0,1,2,1],\"levels\":[]}", "g: order[3]: found rank 1 again"},
      {ORDER "\"levels\":[" HOSTS "]}",
       "g: levels: found 2 groups in the last one, expected one of all ranks"},
      {ORDER "\"levels\":[" ALL "," HOSTS "]}",
       "g: levels[1].groups: found a group that divides one of the level below"},
      {ORDER "\"levels\":[{\"name\":\"a\",\"groups\":[]}]}",
       "g: levels[0].groups: found 0 ranks, expected all 4"},
      {ORDER "\"levels\":[{\"name\":\"a\",\"groups\":[{\"coordinator\":0,\"ranks\":[]}]}]}",
       "g: levels[0].groups[0].ranks: found no ranks, expected one or more"},
      {ORDER "\"levels\":[{\"name\":\"a\",\"groups\":[{\"coordinator\":0,\"ranks\":[0,1]}]}]}",
       "g: levels[0].groups[0].ranks[1]: found rank 1, expected the ranks in the file's order"},
      {ORDER "\"levels\":[{\"name\":\"a\",\"groups\":[{\"coordinator\":2,\"ranks\":[0,2,1,3]}]}]}",
       "g: levels[0].groups[0].coordinator: found 2, expected 0, the group's lowest rank"},
      {ORDER "\"levels\":[" HOSTS "," ALL "],\"free\":[{\"coordinator\":4,\"pus\":[]}]}",
       "g: free[0].coordinator: found 4, expected a whole number from 0 to 3"},
      {ORDER "\"levels\":[" HOSTS "," ALL "],\"free\":[{\"coordinator\":2,\"pus\":[]}]}",
       "g: free[0].coordinator: found 2, expected the lowest rank of a host"},
      {ORDER "\"levels\":[" HOSTS "," ALL "],\"free\":[{\"coordinator\":0,\"pus\":[-1]}]}",
       "g: free[0].pus[0]: found -1, expected a whole number from 0 to 2147483647"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    berth_groups_t g;
    berth_error_t err = {0};
    int rc = groups_parse(cases[i].text, strlen(cases[i].text), "g", 4, &g, &err);
    assert_int_equal(rc, BERTH_BAD_INPUT);
    assert_string_equal(err.text, cases[i].expected);
    assert_null(g.order);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(groups_are_pieces_of_the_order),
      cmocka_unit_test(what_does_not_hold_together_gets_one_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
