/* SPDX-License-Identifier: BSD-3-Clause */
/* Mappings as files: reading what is refused, and what the writers promise. */
#include <cjson/cJSON.h>

#include "base/in_file.h"
#include "map/random_instance.h"
#include "mapping/groups.h"

static berth_topo_t *two_hosts(void)
{
  berth_topo_t *t = berth_topo_new("two hosts", NULL);
  berth_type_t type = {"host", {{-1, 0}, {-1, 0}}, {{-1, 10}, {-1, 10}}, 0};
  int n = berth_topo_add_type(t, &type, NULL);
  int root = berth_topo_add_switch(t, -1, n, "root", NULL, NULL);
  for (int h = 0; h < 2; h++) {
    int e = berth_topo_add_switch(t, root, n, h ? "b" : "a", h ? "b" : "a", NULL);
    for (int i = 0; i < 2; i++) berth_topo_add_pu(t, e, 10 * i, i, NULL);
  }
  assert_int_equal(berth_topo_finish(t, NULL), BERTH_OK);
  return t;
}

#define MAP(pus) "{\"format\":\"berth-mapping\",\"version\":1,\"pu_of_rank\":" pus "}"

static const struct {
  const char *name, *text, *error;
} bad[] = {
    {"another file", "{\"format\":\"berth-topology\",\"version\":1}",
     ": format: found \"berth-topology\", expected \"berth-mapping\""},
    {"unknown version", "{\"format\":\"berth-mapping\",\"version\":9}",
     ": version: found 9, expected version 1, the one this berth reads"},
    {"cut off", "{\"format\":\"berth-mapping\",",
     ":1:27: not valid JSON: found the end of the text"},
    {"no array", MAP("5"), ": pu_of_rank: found 5, expected an array"},
    {"too few ranks", MAP("[0]"),
     ": pu_of_rank: found 1 ranks, expected 3, the number of the pattern"},
    {"PU out of range", MAP("[0,1,4]"),
     ": pu_of_rank[2]: found 4, expected a whole number from 0 to 3"},
    {"negative PU", MAP("[0,-1,2]"),
     ": pu_of_rank[1]: found -1, expected a whole number from 0 to 3"},
    {"a PU twice", MAP("[3,1,3]"),
     ": pu_of_rank[2]: found PU 3, which rank 0 has already, expected a free one (sharing a PU is "
     "taken only with `shared`)"},
    {"no number", MAP("[0,\"1\",2]"),
     ": pu_of_rank[1]: found \"1\", expected a whole number from 0 to 3"},
};

static void bad_mappings_get_one_line(void **state)
{
  (void)state;
  berth_topo_t *t = two_hosts();
  for (size_t i = 0; i < COUNT(bad); i++) {
    berth_mapping_t m;
    berth_error_t err = {0};
    const char *path = scratch_file("m", bad[i].text, strlen(bad[i].text));
    int rc = berth_mapping_load(path, 3, t, 0, &m, &err);
    if (rc != BERTH_BAD_INPUT || strcmp(err.text + strlen(path), bad[i].error) != 0)
      FAIL_ROW(bad[i].name, "code %d\n  found    %s\n  expected %s", rc, err.text + strlen(path),
               bad[i].error);
    unlink(path);
  }
  berth_topo_free(t);
}

static void sharing_a_pu_must_be_allowed(void **state)
{
  (void)state;
  berth_topo_t *t = two_hosts();
  berth_mapping_t m;
  const char *path = scratch_file("m", MAP("[3,1,3]"), strlen(MAP("[3,1,3]")));
  assert_int_equal(berth_mapping_load(path, 3, t, 1, &m, NULL), BERTH_OK);
  assert_int_equal(m.pu_of_rank[2], 3);
  berth_mapping_clear(&m);
  unlink(path);
  berth_topo_free(t);
}

static char *written(const char *writer, const berth_mapping_t *m, const berth_topo_t *t)
{
  char *text;
  size_t n;
  const char *path = scratch_file("w", "", 0);
  assert_int_equal(berth_writer_find(writer)->write(m, t, path, NULL), BERTH_OK);
  assert_int_equal(in_read_all(path, &text, &n, NULL), BERTH_OK);
  unlink(path);
  return text;
}

static void rankfiles_name_logical_cores(void **state)
{
  (void)state;
  berth_topo_t *t = two_hosts();
  int pus[] = {3, 0, 2};
  berth_mapping_t m = {3, pus, (char *)"x", (char *)"", (char *)"", -1};
  char *text = written("rankfile", &m, t);
  assert_string_equal(text, "rank 0=b slot=1\nrank 1=a slot=0\nrank 2=b slot=0\n");
  free(text);
  berth_topo_free(t);
}

static void a_mapping_comes_back(void **state)
{
  (void)state;
  berth_topo_t *t = two_hosts();
  int pus[] = {3, 0, 2};
  berth_mapping_t m = {3, pus, (char *)"greedy", (char *)"port", (char *)"two hosts", 0.1}, back;
  char *text = written("mapping", &m, t);
  const char *path = scratch_file("m", text, strlen(text));
  assert_int_equal(berth_mapping_load(path, 3, t, 0, &back, NULL), BERTH_OK);
  assert_memory_equal(back.pu_of_rank, pus, sizeof pus);
  assert_string_equal(back.algorithm, "greedy");
  assert_string_equal(back.model, "port");
  assert_string_equal(back.topology, "two hosts");
  assert_true(back.cost_s == 0.1);
  berth_mapping_clear(&back);
  unlink(path);
  free(text);
  berth_topo_free(t);
}

/* Each level of a groups file is a partition of all ranks in the file's order, made of whole groups
 * of the level below; a coordinator is a member and coordinates one of these. */
static void check_groups(const char *text, int ranks)
{
  cJSON *doc = cJSON_Parse(text), *order = cJSON_GetObjectItem(doc, "order"), *level;
  int *sorted = malloc((size_t)ranks * sizeof *sorted), n = 0;
  char *seen = calloc((size_t)ranks, 1), *leads = malloc((size_t)ranks), *next = leads;
  memset(leads, 1, (size_t)ranks); /* below the first level every rank leads itself */
  for (cJSON *r = order->child; r; r = r->next) {
    assert_false(seen[r->valueint]);
    seen[r->valueint] = 1;
    sorted[n++] = r->valueint;
  }
  assert_int_equal(n, ranks);
  cJSON_ArrayForEach(level, cJSON_GetObjectItem(doc, "levels"))
  {
    int at = 0, groups = 0;
    next = calloc((size_t)ranks, 1);
    cJSON *group;
    cJSON_ArrayForEach(group, cJSON_GetObjectItem(level, "groups"))
    {
      int coordinator = cJSON_GetObjectItem(group, "coordinator")->valueint, member = 0;
      cJSON *r;
      cJSON_ArrayForEach(r, cJSON_GetObjectItem(group, "ranks"))
      {
        assert_int_equal(r->valueint, sorted[at++]);
        member |= r->valueint == coordinator;
      }
      assert_true(member);
      assert_true(leads[coordinator]);
      next[coordinator] = 1;
      groups++;
    }
    assert_int_equal(at, ranks);
    free(leads);
    leads = next;
    if (!level->next) assert_int_equal(groups, 1);
  }
  free(leads);
  free(seen);
  free(sorted);
  cJSON_Delete(doc);
}

/* Each type once, also where its name is within another's. */
static void levels_are_called_by_their_types(void **state)
{
  (void)state;
  static const char *const names[] = {"switch-2", "switch", "switch", "witch"};
  static int pus[] = {0, 1, 2, 3, 4, 5, 6, 7};
  berth_topo_t *t = berth_topo_new("t", NULL);
  berth_type_t root = {.name = "root", .up = {{-1, 0}, {-1, 0}}, .down = {{-1, 10}, {-1, 10}}};
  int top = berth_topo_add_switch(t, -1, berth_topo_add_type(t, &root, NULL), "root", NULL, NULL);
  for (int i = 0; i < 4; i++) {
    berth_type_t type = {
        .name = names[i], .up = {{-1, 10}, {-1, 10}}, .down = {{-1, 10}, {-1, 10}}};
    int known = i == 2 ? 2 : berth_topo_add_type(t, &type, NULL);
    int host = berth_topo_add_switch(t, top, known, names[i], (char[]){(char)('a' + i), 0}, NULL);
    for (int k = 0; k < 2; k++) assert_true(berth_topo_add_pu(t, host, k, k, NULL) > 0);
  }
  assert_int_equal(berth_topo_finish(t, NULL), BERTH_OK);
  berth_mapping_t m = {8, pus, (char *)"linear", (char *)"", (char *)"", -1};
  char *text = written("groups", &m, t);
  if (!strstr(text, "\"name\": \"switch-2+switch+witch\"")) fail_msg("found %s", text);
  free(text);
  berth_topo_free(t);
}

static bool is_core_taken(const berth_topo_t *t, const berth_pu_t *pu, const int *pu_of_rank,
                          int ranks, int *lowest)
{
  bool taken = false;
  *lowest = -1; /* rank of the host */
  for (int r = ranks - 1; r >= 0; r--) {
    const berth_pu_t *other = berth_topo_pu(t, pu_of_rank[r]);
    if (other->host == pu->host) *lowest = r;
    taken |= other->host == pu->host && other->core == pu->core;
  }
  return taken;
}

/* Exactly the PUs of hosts with ranks on whose cores there is none. */
static void check_free(const berth_groups_t *g, const berth_topo_t *t, const int *pu_of_rank)
{
  int listed = 0, expected = 0;
  for (int i = 0; i < g->n_free; i++) listed += g->free[i].n;
  for (int p = 0; p < berth_topo_n_pus(t); p++) {
    const berth_pu_t *pu = berth_topo_pu(t, p);
    int lowest, found = 0;
    if (is_core_taken(t, pu, pu_of_rank, g->ranks, &lowest) || lowest < 0) continue;
    expected++;
    for (int i = 0; i < g->n_free; i++)
      for (int k = 0; g->free[i].coordinator == lowest && k < g->free[i].n; k++)
        found += g->free[i].pu[k] == pu->os_index;
    assert_int_equal(found, 1);
  }
  assert_int_equal(listed, expected);
}

static void groups_are_nested_partitions(void **state)
{
  (void)state;
  dice_t d = {99};
  for (int round = 0; round < rounds_of(200); round++) {
    berth_topo_t *t = random_topology(&d);
    int pus = berth_topo_n_pus(t), ranks = 1 + roll(&d, pus);
    berth_pattern_t *p = random_pattern(&d, ranks);
    berth_map_options_t o = berth_map_defaults();
    berth_map_problem_t problem;
    const char *chosen;
    o.seed = (uint64_t)round;
    assert_int_equal(berth_map_problem_init(&problem, p, t, &o, NULL), BERTH_OK);
    int *pu_of_rank = malloc((size_t)ranks * sizeof *pu_of_rank);
    assert_int_equal(berth_mapper_find("random")->map(&problem, pu_of_rank, &chosen, NULL), 0);
    berth_mapping_t m = {ranks, pu_of_rank, (char *)"random", (char *)"", (char *)"", -1};
    char *text = written("groups", &m, t);
    check_groups(text, ranks);
    berth_groups_t groups;
    assert_int_equal(groups_parse(text, strlen(text), "groups", ranks, &groups, NULL), BERTH_OK);
    for (int r = 0; r < ranks; r++)
      assert_true(r == 0 || pu_of_rank[groups.order[r - 1]] < pu_of_rank[groups.order[r]]);
    check_free(&groups, t, pu_of_rank);
    berth_groups_clear(&groups);
    free(text);
    free(pu_of_rank);
    berth_map_problem_clear(&problem);
    berth_pattern_free(p);
    berth_topo_free(t);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bad_mappings_get_one_line),
      cmocka_unit_test(sharing_a_pu_must_be_allowed),
      cmocka_unit_test(rankfiles_name_logical_cores),
      cmocka_unit_test(a_mapping_comes_back),
      cmocka_unit_test(levels_are_called_by_their_types),
      cmocka_unit_test(groups_are_nested_partitions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
