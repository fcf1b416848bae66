/* SPDX-License-Identifier: BSD-3-Clause */
/* Placements of Scotch and METIS as mappings: what is taken, and what is refused. */
#include "map/random_instance.h"

/* Two hosts of two cores of two hardware threads, whose PUs stand core by core. */
static berth_topo_t *two_hosts(void)
{
  berth_topo_t *t = berth_topo_new("two hosts", NULL);
  berth_type_t type = {"host", {{-1, 0}, {-1, 0}}, {{-1, 10}, {-1, 10}}, 0};
  int n = berth_topo_add_type(t, &type, NULL);
  int root = berth_topo_add_switch(t, -1, n, "root", NULL, NULL);
  for (int h = 0; h < 2; h++) {
    int e = berth_topo_add_switch(t, root, n, h ? "b" : "a", h ? "b" : "a", NULL);
    for (int i = 0; i < 4; i++) berth_topo_add_pu(t, e, i, i / 2, NULL);
  }
  assert_int_equal(berth_topo_finish(t, NULL), BERTH_OK);
  return t;
}

/* The path is the scratch file's with `suffix` behind it; of 5 ranks. */
static const struct {
  const char *name, *suffix, *text;
  int shared;
  const char *error; /* behind the path, NULL: none */
  int pus[5];
} rows[] = {
    {"Scotch", "", "5\n0\t3\n1\t2\n2\t7\n3\t0\n4\t1\n", 0, NULL, {3, 2, 7, 0, 1}},
    {"ranks in any order",
     ".map",
     "5\r\n4 1\r\n1 2\r\n\r\n2 7\r\n3 0\r\n0 3",
     0,
     NULL,
     {3, 2, 7, 0, 1}},
    {"a shared PU", "", "5\n0 3\n1 3\n2 7\n3 0\n4 1\n", 1, NULL, {3, 3, 7, 0, 1}},
    {"parts are PUs", ".part.8", "3\n2\n7\n0\n1\n", 0, NULL, {3, 2, 7, 0, 1}},
    {"as many as the last one says", "", "3\n2\n7\n0\n1\n", 0, NULL, {3, 2, 7, 0, 1}},
    {"an empty last part", ".part.8", "3\n2\n6\n0\n1\n", 0, NULL, {3, 2, 6, 0, 1}},
    {"parts are hosts, cores go first", "", "1\n0\n1\n1\n1\n", 0, NULL, {4, 0, 6, 5, 7}},
    {"one host of two", ".part.2", "0\n0\n0\n0\n0\n", 1, NULL, {0, 2, 1, 3, 0}},
    {"a full host", ".part.2", "0\n0\n0\n0\n0\n", 0,
     ": rank 4: found part 0 with more than 4 ranks, the PUs of host a, expected no more (sharing "
     "a "
     "PU is taken only with `shared`)"},
    {"other parts", "", "0\n1\n2\n2\n0\n", 0,
     ": found 3 parts, expected 8, the machine's PUs, or 2, its hosts"},
    {"other parts by name", ".part.4", "0\n1\n0\n1\n0\n", 0,
     ": found 4 parts, expected 8, the machine's PUs, or 2, its hosts"},
    {"too few lines", ".part.2", "0\n1\n0\n1\n", 0,
     ": found 4 lines, expected 5, the number of the pattern's ranks"},
    {"a part beyond all PUs", "", "0\n8\n", 0,
     ":2: part: found '8', expected a whole number from 0 to 7"},
    {"no part", "", "0\nx\n", 0, ":2: part: found 'x', expected a whole number from 0 to 7"},
    {"PU twice", ".part.8", "3\n2\n3\n0\n1\n", 0,
     ": rank 2: found PU 3, which rank 0 has already, expected a free one (sharing a PU is taken "
     "only "
     "with `shared`)"},
    {"no ranks", "", "0\n0 3\n", 0, ": found no ranks, expected some"},
    {"too few ranks", "", "4\n0 3\n1 2\n2 7\n3 0\n", 0,
     ": found 4 ranks, expected 5, the number of the pattern's ranks"},
    {"PU out of range", "", "5\n0 3\n1 8\n", 0,
     ":3: PU: found '8', expected a whole number from 0 to 7"},
    {"not mapped", "", "5\n0 3\n1 -1\n", 0,
     ":3: PU: found '-1', expected a whole number from 0 to 7"},
    {"rank out of range", "", "5\n0 3\n5 1\n", 0,
     ":3: rank: found '5', expected a whole number from 0 to 4"},
    {"a rank twice", "", "5\n0 3\n0 1\n", 0, ":3: found rank 0 twice, expected once"},
    {"cut off", "", "5\n0 3\n1 2\n", 0, ": found 2 ranks, expected 5, as the file begins"},
    {"cut off in a line", "", "5\n0 3\n1 2\n2", 0,
     ":4: PU: found the end of the line, expected a whole number from 0 to 7"},
    {"three columns", "", "5\n0 3 1\n", 0, ":2: found '1', expected the end of the line"},
};

static void placements_are_taken_or_refused(void **state)
{
  (void)state;
  berth_topo_t *t = two_hosts();
  for (size_t i = 0; i < COUNT(rows); i++) {
    char path[600];
    berth_mapping_t m;
    berth_error_t err = {0};
    const char *scratch = scratch_file("p", rows[i].text, strlen(rows[i].text));
    snprintf(path, sizeof path, "%s%s", scratch, rows[i].suffix);
    assert_int_equal(rename(scratch, path), 0);
    int rc = berth_mapping_load(path, 5, t, rows[i].shared, &m, &err);
    if (rows[i].error) {
      if (rc != BERTH_BAD_INPUT || strcmp(err.text + strlen(path), rows[i].error) != 0)
        FAIL_ROW(rows[i].name, "code %d\n  found    %s\n  expected %s", rc, err.text + strlen(path),
                 rows[i].error);
    } else if (rc || memcmp(m.pu_of_rank, rows[i].pus, sizeof rows[i].pus) != 0) {
      FAIL_ROW(rows[i].name, "code %d %s\n  found %d %d %d %d %d", rc, err.text,
               rc ? 0 : m.pu_of_rank[0], rc ? 0 : m.pu_of_rank[1], rc ? 0 : m.pu_of_rank[2],
               rc ? 0 : m.pu_of_rank[3], rc ? 0 : m.pu_of_rank[4]);
    }
    berth_mapping_clear(&m);
    unlink(path);
  }
  berth_topo_free(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(placements_are_taken_or_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
