/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that MPICH composes by hosts have no messages before ranks have hosts. Mappers must see
 * them all the same. */
#include <berth/collectives.h>
#include <math.h>

#include "random_instance.h"

enum { MOST = 64 };

/* Hosts of so many PUs below one switch. Within a host all is ten times as fast. */
static berth_topo_t *machine(int hosts, int pus)
{
  berth_topo_t *t = berth_topo_new("hosts", NULL);
  const berth_port_dir_t link = {-1, 1e8}, bus = {-1, 1e9}, none = {-1, 0};
  const berth_type_t root = {.name = "root", .up = {none, none}, .down = {link, link}},
                     host = {.name = "host", .up = {link, link}, .down = {bus, bus}};
  int top = berth_topo_add_type(t, &root, NULL), type = berth_topo_add_type(t, &host, NULL);
  assert_int_equal(berth_topo_add_switch(t, -1, top, "root", NULL, NULL), 0);
  for (int h = 0; h < hosts; h++) {
    char name[16];
    snprintf(name, sizeof name, "h%d", h);
    int e = berth_topo_add_switch(t, 0, type, name, name, NULL);
    for (int i = 0; i < pus; i++) assert_true(berth_topo_add_pu(t, e, i, i, NULL) > 0);
  }
  assert_int_equal(berth_topo_finish(t, NULL), BERTH_OK);
  return t;
}

static berth_pattern_t *finished(berth_pattern_t *p)
{
  berth_error_t err = {0};
  if (berth_pattern_finish(p, &err) ||
      berth_collectives_include_by_hosts(p, "mpich-4.0", 0, NULL, &err))
    fail_msg("%s", err.text);
  return p;
}

/* Calls of ranks `first`, `first` + step, and so on. */
static void add_calls(berth_pattern_t *p, const char *op, int comm, int first, int step, int n,
                      uint64_t bytes)
{
  int ranks[MOST];
  for (int i = 0; i < n; i++) ranks[i] = first + i * step;
  const berth_comm_t c = {.id = comm, .n_ranks = (size_t)n, .ranks = ranks};
  const berth_coll_t calls = {.comm = comm, .op = op, .bytes = bytes, .count = 10, .root = -1};
  if (comm) assert_int_equal(berth_pattern_add_comm(p, &c, NULL), BERTH_OK);
  assert_int_equal(berth_pattern_add_coll(p, &calls, NULL), BERTH_OK);
}

static void add_message(berth_pattern_t *p, int src, int dst, uint64_t bytes)
{
  const berth_message_t m = {
      .src = src, .dst = dst, .size = bytes, .count = 10, .bytes = 10 * bytes};
  assert_int_equal(berth_pattern_add_message(p, &m, NULL), BERTH_OK);
}

/* Each n / hosts-th rank belongs together, while the default order takes neighbours. */
static berth_pattern_t *strided(int n, int hosts)
{
  berth_pattern_t *p = berth_pattern_new(n, NULL);
  for (int i = 0; i < hosts; i++)
    add_calls(p, "MPI_Allreduce", i + 1, i, hosts, n / hosts, 1 << 16);
  return finished(p);
}

/* Calls of all ranks cost most, and much the same everywhere. What decides is messages. */
static berth_pattern_t *all_and_pairs(int n, int hosts)
{
  (void)hosts;
  berth_pattern_t *p = berth_pattern_new(n, NULL);
  add_calls(p, "MPI_Allreduce", 0, 0, 1, n, 1 << 16);
  for (int r = 0; r < n / 2; r++) add_message(p, r, r + n / 2, 1 << 14);
  return finished(p);
}

/* Strided calls pull ranks away from those that they send messages. */
static berth_pattern_t *strided_and_ring(int n, int hosts)
{
  berth_pattern_t *p = berth_pattern_new(n, NULL);
  for (int i = 0; i < hosts; i++)
    add_calls(p, "MPI_Allreduce", i + 1, i, hosts, n / hosts, 1 << 16);
  for (int r = 0; r < n; r++) add_message(p, r, (r + 1) % n, 1 << 12);
  return finished(p);
}

static const struct {
  const char *name;
  berth_pattern_t *(*pattern)(int n, int hosts);
  int ranks, hosts;
  berth_model_t objective;
  int ideal; /* 1: the ranks of each communicator on a host of their own cost least */
} cases[] = {
    {"strided", strided, 8, 2, BERTH_MODEL_PORT, 1},
    {"strided, flow", strided, 8, 2, BERTH_MODEL_FLOW, 1},
    {"strided, sum", strided, 8, 4, BERTH_MODEL_SUM, 1},
    {"all and pairs", all_and_pairs, 8, 2, BERTH_MODEL_PORT, 0},
    {"all and pairs, four hosts", all_and_pairs, 8, 4, BERTH_MODEL_PORT, 0},
    {"strided and ring", strided_and_ring, 8, 2, BERTH_MODEL_PORT, 0},
    {"strided, more than are searched exactly", strided, 64, 16, BERTH_MODEL_PORT, 1},
    {"strided and ring, more than are searched exactly", strided_and_ring, 64, 16, BERTH_MODEL_PORT,
     1},
};

/* The price of what a mapper finds. */
static double place(const berth_pattern_t *p, const berth_topo_t *t, const char *mapper,
                    berth_model_t objective)
{
  int pus[MOST];
  const char *chosen;
  berth_error_t err = {0};
  berth_map_report_t report;
  berth_map_problem_t problem;
  berth_map_options_t o = berth_map_defaults();
  o.objective = objective;
  if (berth_pattern_ranks(p) > 32) o.quality = BERTH_QUALITY_FAST;
  o.min_gain = 0;
  if (berth_map_problem_init(&problem, p, t, &o, &err)) fail_msg("%s", err.text);
  problem.report = &report;
  if (berth_map_run(&problem, berth_mapper_find(mapper), pus, &chosen, &err))
    fail_msg("%s: %s", mapper, err.text);
  berth_map_problem_clear(&problem);
  double price = report.candidate[report.chosen].price;
  if (report.lower_bound > price)
    fail_msg("%s: found %g s, below the lower bound %g s", mapper, price, report.lower_bound);
  return price;
}

static double cost_of(const berth_pattern_t *p, const berth_topo_t *t, berth_model_t model,
                      const int *pus)
{
  berth_cost_t *c = berth_cost_new(p, t, NULL);
  double cost = berth_cost_evaluate(c, model, pus);
  berth_cost_free(c);
  return cost;
}

/* Ranks i, i + hosts, i + 2 hosts … on host i. */
static double cost_of_ideal(const berth_pattern_t *p, const berth_topo_t *t, berth_model_t model,
                            int n, int hosts)
{
  int pus[MOST];
  for (int r = 0; r < n; r++) pus[r] = r % hosts * (n / hosts) + r / hosts;
  return cost_of(p, t, model, pus);
}

static void mappers_see_them(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int n = cases[i].ranks, hosts = cases[i].hosts;
    berth_model_t model = cases[i].objective;
    berth_topo_t *t = machine(hosts, n / hosts);
    berth_pattern_t *p = cases[i].pattern(n, hosts);
    double found = place(p, t, "best", model), linear = place(p, t, "linear", model);
    double least = n <= 12 ? place(p, t, "exact", model) : cost_of_ideal(p, t, model, n, hosts);
    if (cases[i].ideal && fabs(least / cost_of_ideal(p, t, model, n, hosts) - 1) > 1e-9)
      FAIL_ROW(cases[i].name, "found %g s, expected %g s to be the least", least,
               cost_of_ideal(p, t, model, n, hosts));
    if (found > least * (1 + 1e-9))
      FAIL_ROW(cases[i].name, "best: found %g s, expected %g s, linear %g s", found, least, linear);
    if (!(least < linear)) FAIL_ROW(cases[i].name, "there is nothing to gain over %g s", linear);
    berth_pattern_free(p);
    berth_topo_free(t);
  }
}

/* Some operations on all ranks or on parts of them, and some messages. */
static berth_pattern_t *random_calls(dice_t *d, int n)
{
  static const char *const ops[] = {"MPI_Allreduce", "MPI_Barrier", "MPI_Scan"};
  berth_pattern_t *p = berth_pattern_new(n, NULL);
  for (int i = 1 + roll(d, 3), comm = 1; i > 0; i--) {
    int parts = 1 + roll(d, 3);
    uint64_t bytes = (uint64_t)1 << roll(d, 17);
    const char *op = ops[roll(d, 3)];
    for (int k = 0; k < parts; k++)
      add_calls(p, op, parts > 1 ? comm++ : 0, k, parts, (n - k + parts - 1) / parts, bytes);
  }
  for (int i = roll(d, 3 * n); i > 0; i--)
    add_message(p, roll(d, n), roll(d, n), (uint64_t)roll(d, 1 << 14));
  return finished(p);
}

/* The least of all placements, by trying each. */
static double least_of_all(const berth_pattern_t *p, const berth_topo_t *t, berth_model_t model)
{
  enum { N = 6 };
  double least = INFINITY;
  berth_cost_t *c = berth_cost_new(p, t, NULL);
  for (int code = 0; code < 720; code++) {
    int pus[N] = {0, 1, 2, 3, 4, 5}, rest = code;
    for (int i = N; i > 1; rest /= i--) {
      int other = rest % i, kept = pus[i - 1];
      pus[i - 1] = pus[other];
      pus[other] = kept;
    }
    least = fmin(least, berth_cost_evaluate(c, model, pus));
  }
  berth_cost_free(c);
  return least;
}

/* `exact` finds the least of all placements; so do `best` and `refine`, which searches by
 * evaluations. */
static void searches_are_exact(void **state)
{
  (void)state;
  static const char *const mappers[] = {"exact", "best", "refine"};
  dice_t d = {2026};
  int n = rounds_of(60);
  for (int i = 0; i < n; i++) {
    static const berth_model_t models[] = {BERTH_MODEL_PORT, BERTH_MODEL_FLOW, BERTH_MODEL_SUM};
    int hosts = roll(&d, 2) ? 2 : 3;
    berth_model_t model = models[roll(&d, 3)];
    berth_topo_t *t = machine(hosts, 6 / hosts);
    berth_pattern_t *p = random_calls(&d, 6);
    double least = least_of_all(p, t, model);
    for (int k = 0; k < 3; k++) {
      double found = place(p, t, mappers[k], model);
      if (fabs(found - least) > 1e-9 * least)
        fail_msg("instance %d, model %s, %s: found %g s, expected %g s", i, berth_model_name(model),
                 mappers[k], found, least);
    }
    berth_pattern_free(p);
    berth_topo_free(t);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mappers_see_them),
      cmocka_unit_test(searches_are_exact),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
