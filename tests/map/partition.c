/* SPDX-License-Identifier: BSD-3-Clause */
/* Mappers that split the ranks along the tree: cases whose best placement is known. */
#include <berth/map.h>
#include <pthread.h>

#include "harness.h"

static const struct {
  const char *name;
  double slack; /* how far from the best cubes may be, 0.01 for 1% */
} mappers[] = {{"metis", 0}, {"multilevel", 0.07}};

static void add_pus(berth_topo_t *t, int element, int from, int to)
{
  for (int k = from; k < to; k++) berth_topo_add_pu(t, element, k, k, NULL);
}

/* Racks of hosts of so many cores each: "2,2;4" are two racks with two hosts and one. An m is a
 * host with one core of its own and a socket of two. */
static berth_topo_t *make_racks(const char *cores)
{
  berth_topo_t *t = berth_topo_new("racks", NULL);
  berth_port_dir_t none = {-1, 0}, core = {-1, 1000}, host = {-1, 100}, rack = {-1, 10};
  berth_type_t types[] = {{"host", {host, host}, {core, core}},
                          {"rack", {rack, rack}, {none, none}},
                          {"root", {none, none}, {none, none}}};
  int type[3], number = 0, below = -1;
  for (int i = 0; i < 3; i++) type[i] = berth_topo_add_type(t, &types[i], NULL);
  int root = berth_topo_add_switch(t, -1, type[2], "root", NULL, NULL);
  for (const char *c = cores; *c; c++) {
    char name[16];
    if (c == cores || c[-1] == ';')
      below = berth_topo_add_switch(t, root, type[1], "rack", NULL, NULL);
    if (*c == ',' || *c == ';') continue;
    snprintf(name, sizeof name, "n%d", number++);
    int at = berth_topo_add_switch(t, below, type[0], name, name, NULL);
    add_pus(t, at, 0, *c == 'm' ? 1 : *c - '0');
    if (*c == 'm') add_pus(t, berth_topo_add_switch(t, at, type[0], "socket", NULL, NULL), 1, 3);
  }
  assert_int_equal(berth_topo_finish(t, NULL), BERTH_OK);
  return t;
}

static int rank_of(char letter) { return letter <= '9' ? letter - '0' : letter - 'a' + 10; }

static void add_message(berth_pattern_t *p, int src, int dst, uint64_t bytes)
{
  berth_message_t m = {.src = src, .dst = dst, .size = bytes, .count = 1, .bytes = bytes};
  assert_int_equal(berth_pattern_add_message(p, &m, NULL), BERTH_OK);
}

/* Maps and checks that every rank has a place of its own. */
static void map(const char *row, const char *mapper, const berth_map_problem_t *problem, int *pus)
{
  const char *chosen;
  berth_error_t err = {0};
  if (berth_mapper_find(mapper)->map(problem, pus, &chosen, &err)) FAIL_ROW(row, "%s", err.text);
  int *places = calloc((size_t)berth_topo_n_pus(problem->topo), sizeof *places);
  for (int i = 0; i < problem->n_pus; i++) places[problem->pus[i]]++;
  for (int r = 0; r < berth_pattern_ranks(problem->pattern); r++)
    if (places[pus[r]]-- == 0) FAIL_ROW(row, "%s: no place for rank %d", mapper, r);
  free(places);
}

enum { SETS_MOST = 8, RANKS_MOST = 36 };
#define TWO_45 ((uint64_t)1 << 45)
#define TWO_53 ((uint64_t)1 << 53)

/* Ranks (0-9a-z) of which sets exchange messages, all with all; a set must end up on one host (h),
 * in one rack (r), or anywhere. */
static const struct {
  const char *name, *racks;
  int ranks, ranks_per_pu;
  struct {
    const char *ranks;
    uint64_t bytes;
    char together;
  } sets[SETS_MOST];
} cases[] = {
    {"equal hosts",
     "3,3;3,3",
     12,
     1,
     {{"048", 9, 'h'},
      {"159", 9, 'h'},
      {"26a", 9, 'h'},
      {"37b", 9, 'h'},
      {"02", 1, 'r'},
      {"13", 1, 'r'}}},
    {"unequal hosts, all full",
     "1,5;3,2",
     11,
     1,
     {{"0368a", 9, 'h'}, {"147", 9, 'h'}, {"29", 9, 'h'}, {"05", 1, 'r'}}},
    {"three of seven",
     "7;7;7",
     21,
     1,
     {{"0369cfi", 9, 'h'}, {"147adgj", 9, 'h'}, {"258behk", 9, 'h'}, {"012", 1}}},
    {"few ranks fill one host",
     "8,8;8,8",
     5,
     1,
     {{"01", 9, 'h'}, {"12", 9, 'h'}, {"23", 9, 'h'}, {"34", 9, 'h'}}},
    {"the one host that is large enough", "2,2;2,6", 6, 1, {{"012345", 9, 'h'}}},
    {"room to spare keeps sets whole",
     "8,8;8",
     12,
     1,
     {{"02468a", 9, 'h'}, {"13579b", 9, 'h'}, {"01", 1, 'r'}}},
    {"cores beside a socket", "m,m", 6, 1, {{"024", 9, 'h'}, {"135", 9, 'h'}, {"01", 1}}},
    {"two ranks on each PU", "2,2", 8, 2, {{"0246", 9, 'h'}, {"1357", 9, 'h'}, {"03", 1}}},
    {"weights that 32 bits hold for equal",
     "2,2",
     4,
     1,
     {{"01", TWO_45, 'h'}, {"12", TWO_45 - 1}, {"23", TWO_45, 'h'}, {"03", TWO_45 - 1}}},
    {"weights of 53 bits beside small ones",
     "4,4;4,4",
     16,
     1,
     {{"048c", TWO_53, 'h'},
      {"159d", 3, 'h'},
      {"26ae", TWO_53, 'h'},
      {"37bf", TWO_53, 'h'},
      {"01", 1, 'r'},
      {"23", TWO_53, 'r'}}},
    {"empty messages", "2,2", 4, 1, {{"02", 0, 'h'}, {"13", 0, 'h'}}},
    {"nobody talks", "3,3;3", 7, 1, {{"0", 0}}},
};

static berth_pattern_t *make_sets(size_t row)
{
  berth_pattern_t *p = berth_pattern_new(cases[row].ranks, NULL);
  for (size_t i = 0; i < SETS_MOST && cases[row].sets[i].ranks; i++)
    for (const char *a = cases[row].sets[i].ranks; *a; a++)
      for (const char *b = cases[row].sets[i].ranks; *b; b++)
        if (a != b) add_message(p, rank_of(*a), rank_of(*b), cases[row].sets[i].bytes);
  assert_int_equal(berth_pattern_finish(p, NULL), BERTH_OK);
  return p;
}

static void assert_together(size_t row, const berth_topo_t *t, const int *pus)
{
  for (size_t i = 0; i < SETS_MOST && cases[row].sets[i].ranks; i++) {
    const char *set = cases[row].sets[i].ranks;
    int first[2] = {-1, -1};
    for (const char *r = set; *r; r++) {
      int host = berth_topo_host(t, berth_topo_pu(t, pus[rank_of(*r)])->host)->element;
      int at[2] = {host, berth_topo_element(t, host)->parent};
      for (int k = 0; k < 2; k++) {
        if (r == set) first[k] = at[k];
        if (cases[row].sets[i].together == "hr"[k] && at[k] != first[k])
          FAIL_ROW(cases[row].name, "the set %s was taken apart", set);
      }
    }
  }
}

static void parts_fit_and_sets_stay_together(void **state)
{
  (void)state;
  for (size_t row = 0; row < COUNT(cases); row++)
    for (size_t k = 0; k < COUNT(mappers) * 9; k++) {
      berth_topo_t *t = make_racks(cases[row].racks);
      berth_pattern_t *p = make_sets(row);
      berth_map_problem_t problem;
      berth_map_options_t o = berth_map_defaults();
      int pus[RANKS_MOST];
      o.seed = k % 3;
      o.quality = (berth_quality_t)(k / 3 % 3);
      o.ranks_per_pu = cases[row].ranks_per_pu;
      assert_int_equal(berth_map_problem_init(&problem, p, t, &o, NULL), BERTH_OK);
      map(cases[row].name, mappers[k / 9].name, &problem, pus);
      assert_together(row, t, pus);
      berth_map_problem_clear(&problem);
      berth_pattern_free(p);
      berth_topo_free(t);
    }
}

/* A tree of three levels of `n` each, in which a byte there and back between two ranks takes 2, 20
 * or 200. */
static berth_topo_t *make_tree(int n)
{
  berth_topo_t *t = berth_topo_new("tree", NULL);
  berth_port_dir_t none = {-1, 0}, core = {-1, 2}, host = {-1, 2 / 9.0}, rack = {-1, 2 / 90.0};
  berth_type_t types[] = {{"host", {host, host}, {core, core}},
                          {"rack", {rack, rack}, {none, none}},
                          {"root", {none, none}, {none, none}}};
  int type[3];
  for (int i = 0; i < 3; i++) type[i] = berth_topo_add_type(t, &types[i], NULL);
  int root = berth_topo_add_switch(t, -1, type[2], "root", NULL, NULL);
  for (int i = 0; i < n; i++) {
    int at = berth_topo_add_switch(t, root, type[1], "rack", NULL, NULL);
    for (int k = 0; k < n; k++) {
      char name[16];
      snprintf(name, sizeof name, "n%d", i * n + k);
      add_pus(t, berth_topo_add_switch(t, at, type[0], name, name, NULL), 0, n);
    }
  }
  assert_int_equal(berth_topo_finish(t, NULL), BERTH_OK);
  return t;
}

/* Neighbours in a cube of side n exchange a byte; ranks are numbered across the cube in strides. */
static berth_pattern_t *make_cube(int n)
{
  int ranks = n * n * n, step[3] = {1, n, n * n};
  berth_pattern_t *p = berth_pattern_new(ranks, NULL);
  for (int i = 0; i < ranks; i++)
    for (int d = 0; d < 3; d++) {
      if (i / step[d] % n == n - 1) continue;
      int a = (int)(i * 1000003L % ranks), b = (int)((i + step[d]) * 1000003L % ranks);
      add_message(p, a, b, 1);
      add_message(p, b, a, 1);
    }
  assert_int_equal(berth_pattern_finish(p, NULL), BERTH_OK);
  return p;
}

static const struct {
  const char *name;
  int side, tree;
  double most; /* of the cost */
} cubes[] = {
    {"a cube of 512 in boxes", 8, 8, 2 * 23808},
    {"a cube of 4096 in boxes", 16, 16, 2 * 165888},
    {"a cube of 343 in a larger tree", 7, 8, 2 * 18500},
};

static void cubes_fall_into_boxes(void **state)
{
  (void)state;
  for (size_t row = 0; row < COUNT(cubes); row++)
    for (size_t k = 0; k < COUNT(mappers) * 2; k++) {
      berth_topo_t *t = make_tree(cubes[row].tree);
      berth_pattern_t *p = make_cube(cubes[row].side);
      berth_map_problem_t problem;
      berth_map_options_t o = berth_map_defaults();
      o.seed = 1 + k % 2;
      o.quality = BERTH_QUALITY_FAST;
      assert_int_equal(berth_map_problem_init(&problem, p, t, &o, NULL), BERTH_OK);
      int *pus = malloc((size_t)berth_pattern_ranks(p) * sizeof *pus);
      map(cubes[row].name, mappers[k / 2].name, &problem, pus);
      berth_cost_t *c = berth_cost_new(p, t, NULL);
      double cost = berth_cost_evaluate(c, BERTH_MODEL_SUM, pus);
      double most = cubes[row].most * (1 + mappers[k / 2].slack);
      if (cost > most * (1 + 1e-9))
        FAIL_ROW(cubes[row].name, "%s: cost %g, expected at most %g", mappers[k / 2].name, cost,
                 most);
      berth_cost_free(c);
      free(pus);
      berth_map_problem_clear(&problem);
      berth_pattern_free(p);
      berth_topo_free(t);
    }
}

typedef struct job {
  const berth_map_problem_t *problem;
  const char *mapper;
  int *pus;
} job_t;

static void *work(void *data)
{
  const job_t *job = data;
  map("at the same time", job->mapper, job->problem, job->pus);
  return NULL;
}

/* METIS has one generator for the whole process; threads must not see each other's numbers. */
static void other_threads_change_nothing(void **state)
{
  (void)state;
  enum { JOBS = 4 };
  for (size_t k = 0; k < COUNT(mappers); k++) {
    berth_topo_t *t = make_tree(6);
    berth_pattern_t *p = make_cube(6);
    berth_map_problem_t problem;
    berth_map_options_t o = berth_map_defaults();
    assert_int_equal(berth_map_problem_init(&problem, p, t, &o, NULL), BERTH_OK);
    int alone[216], together[JOBS][216];
    map("alone", mappers[k].name, &problem, alone);
    pthread_t thread[JOBS];
    job_t job[JOBS];
    for (int i = 0; i < JOBS; i++) {
      job[i] = (job_t){&problem, mappers[k].name, together[i]};
      assert_int_equal(pthread_create(&thread[i], NULL, work, &job[i]), 0);
    }
    for (int i = 0; i < JOBS; i++) pthread_join(thread[i], NULL);
    for (int i = 0; i < JOBS; i++) assert_memory_equal(alone, together[i], sizeof alone);
    berth_map_problem_clear(&problem);
    berth_pattern_free(p);
    berth_topo_free(t);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parts_fit_and_sets_stay_together),
      cmocka_unit_test(cubes_fall_into_boxes),
      cmocka_unit_test(other_threads_change_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
