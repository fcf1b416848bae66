/* SPDX-License-Identifier: BSD-3-Clause */
/* The search: as cheap as can be on small instances, never dearer than its starts, the same with
 * any number of threads, and with pinned ranks where they belong. */
#include <math.h>

#include "map/search_port/search_port.h"
#include "random_instance.h"

typedef struct instance {
  berth_topo_t *topo;
  berth_pattern_t *pattern;
  int *pinned, *from;
  berth_map_problem_t problem;
} instance_t;

/* What an instance asks for besides its model. */
typedef struct wish {
  const char *name;
  double sum_share;
  bool pins, moves;
} wish_t;

static const wish_t wishes[] = {
    {"the cost alone", 0, false, false},
    {"half of the sum", 0.5, false, false},
    {"pinned ranks", 0, true, false},
    {"a price of moves", 0.3, false, true},
};

/* At most `most` ranks; false when there are too few places. */
static bool begin(instance_t *x, dice_t *d, const wish_t *wish, berth_model_t model, int most)
{
  *x = (instance_t){.topo = random_topology(d)};
  int pus = berth_topo_n_pus(x->topo), ranks = 2 + roll(d, most - 1);
  if (ranks > pus) ranks = pus;
  x->pattern = random_pattern(d, ranks);
  x->pinned = random_pins(d, ranks, pus, 1);
  x->from = malloc((size_t)ranks * sizeof *x->from);
  for (int r = 0; r < ranks; r++) x->from[r] = pus - 1 - r;
  berth_map_options_t o = berth_map_defaults();
  o.objective = model;
  o.any_thread = 1;
  o.sum_share = wish->sum_share;
  o.pinned = wish->pins ? x->pinned : NULL;
  o.from = wish->moves ? x->from : NULL;
  o.move_price_s = roll(d, 20);
  return berth_map_problem_init(&x->problem, x->pattern, x->topo, &o, NULL) == BERTH_OK;
}

static void end(instance_t *x)
{
  berth_map_problem_clear(&x->problem);
  berth_pattern_free(x->pattern);
  berth_topo_free(x->topo);
  free(x->pinned);
  free(x->from);
}

typedef struct cost {
  double price, sum;
} cost_t;

static cost_t cost_of(map_pricer_t *pricer, const int *pu_of_rank)
{
  return (cost_t){map_price(pricer, pu_of_rank),
                  berth_cost_evaluate(pricer->cost, BERTH_MODEL_SUM, pu_of_rank)};
}

static const double rounding = 1 + 1e-12;

/* By the price, and by the sum where that is the same. */
static bool is_cheaper(cost_t a, cost_t b)
{
  if (a.price > b.price * rounding) return false;
  return a.price * rounding < b.price || a.sum < b.sum;
}

/* The cheapest of all placements of the ranks from `rank` on, with the least sum of those; negative
 * where there is none, a pinned rank's place being taken. */
static cost_t least_cost(map_pricer_t *pricer, int *pu_of_rank, bool *taken, int rank)
{
  const berth_map_problem_t *p = pricer->problem;
  if (rank == berth_pattern_ranks(p->pattern)) return cost_of(pricer, pu_of_rank);
  cost_t least = {-1, -1};
  for (int i = 0; i < p->n_pus; i++) {
    bool elsewhere = map_is_pinned(p, rank) && p->options.pinned[rank] != p->pus[i];
    if (taken[i] || elsewhere) continue;
    taken[i] = true;
    pu_of_rank[rank] = p->pus[i];
    cost_t cost = least_cost(pricer, pu_of_rank, taken, rank + 1);
    if (cost.price >= 0 && (least.price < 0 || is_cheaper(cost, least))) least = cost;
    taken[i] = false;
  }
  return least;
}

static void finds_the_optimum_of_few_ranks(void **state)
{
  (void)state;
  dice_t d = {77};
  int right = 0, lowest = 0, asked = 0;
  for (int round = 0; round < rounds_of(300); round++) {
    const wish_t *wish = &wishes[round % 4];
    berth_model_t model = (berth_model_t)(round / 4 % BERTH_N_MODELS);
    instance_t x;
    int found[5], other[5];
    bool taken[64] = {false};
    const char *chosen;
    if (!begin(&x, &d, wish, model, 5) || x.problem.n_pus > 12) {
      end(&x);
      continue;
    }
    x.problem.options.quality = BERTH_QUALITY_STRONG;
    x.problem.options.iterations = 8000;
    map_pricer_t pricer;
    assert_int_equal(map_pricer_init(&pricer, &x.problem, NULL), BERTH_OK);
    assert_int_equal(berth_map_run(&x.problem, berth_mapper_find("refine"), found, &chosen, NULL),
                     BERTH_OK);
    cost_t cost = cost_of(&pricer, found), least = least_cost(&pricer, other, taken, 0);
    if (cost.price * rounding < least.price)
      FAIL_ROW(wish->name, "%g is below the least, %g", cost.price, least.price);
    right += cost.price <= least.price * rounding;
    lowest += cost.price <= least.price * rounding && cost.sum <= least.sum * rounding;
    asked++;
    map_pricer_clear(&pricer);
    end(&x);
  }
  if ((asked < 50 && all_rounds()) || right * 100 < asked * 95)
    FAIL_ROW("optima", "%d of %d found", right, asked);
  if (lowest * 100 < asked * 95) FAIL_ROW("sums", "%d of %d as low as can be", lowest, asked);
}

static void is_never_dearer_than_its_starts(void **state)
{
  (void)state;
  static const char *const starts[] = {"linear", "greedy", "metis", "geometric"};
  dice_t d = {4711};
  for (int round = 0; round < rounds_of(48); round++) {
    const wish_t *wish = &wishes[round % 4];
    instance_t x;
    const char *chosen;
    if (!begin(&x, &d, wish, (berth_model_t)(round / 4 % BERTH_N_MODELS), 60)) {
      end(&x);
      continue;
    }
    int ranks = berth_pattern_ranks(x.pattern), found[60], other[60];
    x.problem.options.iterations = 400;
    map_pricer_t pricer;
    assert_int_equal(map_pricer_init(&pricer, &x.problem, NULL), BERTH_OK);
    for (int threads = 1; threads <= 8; threads = threads == 1 ? 2 : threads * 4) {
      x.problem.options.threads = threads;
      int *to = threads == 1 ? found : other;
      assert_int_equal(berth_map_run(&x.problem, berth_mapper_find("refine"), to, &chosen, NULL),
                       BERTH_OK);
      if (memcmp(found, to, (size_t)ranks * sizeof *to) != 0)
        FAIL_ROW(wish->name, "%d threads make another placement", threads);
    }
    double price = map_price(&pricer, found);
    for (int r = 0; r < ranks; r++)
      if (map_is_pinned(&x.problem, r)) assert_int_equal(found[r], x.pinned[r]);
    for (int i = 0; i < 4; i++) {
      berth_map_run(&x.problem, berth_mapper_find(starts[i]), other, &chosen, NULL);
      if (price > map_price(&pricer, other))
        FAIL_ROW(wish->name, "%g, %s %g", price, starts[i], map_price(&pricer, other));
    }
    map_pricer_clear(&pricer);
    end(&x);
  }
}

/* Makes some changes, after each of which the loads are what they are when added up anew. */
static void follow(port_state_t *s, dice_t *d, const char *name)
{
  const port_model_t *m = s->model;
  size_t per_phase = (size_t)m->n_nodes * PORT_LOADS;
  size_t loads = per_phase * (size_t)m->n_phases;
  double *bytes = malloc(loads * sizeof *bytes);
  double largest = s->sum; /* what comes and goes leaves rounding of its own size */
  for (int i = 0; i < 50; i++) {
    int rank = roll(d, m->n_ranks), place = roll(d, m->n_places);
    if (m->leaf[place] == s->leaf_of_rank[rank]) continue;
    port_state_try(s, rank, place);
    port_state_commit(s);
    memcpy(bytes, s->bytes, loads * sizeof *bytes);
    double sum = s->sum, moves = s->moves;
    port_state_add_up(s, 2);
    for (size_t k = 0; k < loads; k++)
      if (m->time[k % per_phase] > 0 && bytes[k] != s->bytes[k])
        FAIL_ROW(name, "load %zu: %g, anew %g", k, bytes[k], s->bytes[k]);
    largest = fmax(largest, sum);
    if (fabs(sum - s->sum) > 1e-9 * largest || fabs(moves - s->moves) > 1e-9 * moves)
      FAIL_ROW(name, "%g and %g, anew %g and %g", sum, moves, s->sum, s->moves);
  }
  free(bytes);
}

/* What the annealing's picture adds up change by change is what it adds up anew, and no more than
 * the model's cost, from which it leaves out ports that every placement uses alike. Where sizes
 * were binned, messages take up to a 64th less than their bytes over the capacity. */
static void loads_follow_the_changes(void **state)
{
  (void)state;
  dice_t d = {99};
  for (int round = 0; round < rounds_of(400); round++) {
    instance_t x;
    map_pricer_t pricer;
    port_model_t model, top = {0};
    port_state_t s;
    const char *name;
    int pus[60];
    if (!begin(&x, &d, &wishes[round % 4], BERTH_MODEL_PORT, 60)) {
      end(&x);
      continue;
    }
    assert_int_equal(map_pricer_init(&pricer, &x.problem, NULL), BERTH_OK);
    assert_int_equal(port_model_init(&model, &pricer, NULL), BERTH_OK);
    map_random(&x.problem, pus, &name, NULL);
    bool cut = round % 8 >= 4 && model.height > 1;
    if (cut) assert_int_equal(port_model_cut(&top, &model, model.height - 1, NULL), BERTH_OK);
    assert_int_equal(port_state_init(&s, cut ? &top : &model, pus, NULL), BERTH_OK);
    if (round % 16 >= 8) { /* as where that would be too much */
      free(s.shared);
      s.shared = NULL;
    }
    port_state_add_up(&s, 2);
    follow(&s, &d, wishes[round % 4].name);
    for (int r = 0; r < s.model->n_ranks; r++) pus[r] = x.problem.pus[s.place_of_rank[r]];
    if (wishes[round % 4].sum_share <= 0 &&
        port_state_cost(&s) > map_price(&pricer, pus) * (1 + 1.0 / 63))
      FAIL_ROW("picture", "round %d cut %d: %g, cost %g", round, cut, port_state_cost(&s),
               map_price(&pricer, pus));
    port_state_clear(&s);
    port_model_clear(&top);
    port_model_clear(&model);
    map_pricer_clear(&pricer);
    end(&x);
  }
}

static double cost_of_picture(const port_model_t *model, const int *pus)
{
  port_state_t s;
  assert_int_equal(port_state_init(&s, model, pus, NULL), BERTH_OK);
  s.sum_weight = 0; /* as tempering, which looks at the ports alone */
  port_state_add_up(&s, 0);
  double cost = port_state_cost(&s);
  port_state_clear(&s);
  return cost;
}

/* Whether each PU has at most the ranks that fit there. */
static bool is_placement(const berth_map_problem_t *problem, const int *pus, int ranks)
{
  bool fits = true;
  for (int i = 0; i < problem->n_pus; i++) {
    int room = 0, there = 0;
    for (int k = 0; k < problem->n_pus; k++) room += problem->pus[k] == problem->pus[i];
    for (int r = 0; r < ranks; r++) there += pus[r] == problem->pus[i];
    fits &= there <= room;
  }
  return fits;
}

/* Tempering lowers a placement's busiest port, or leaves it as it was, the same on any number of
 * threads. */
static void tempers_on_any_number_of_threads(void **state)
{
  (void)state;
  dice_t d = {815};
  int lowered = 0, asked = 0;
  for (int round = 0; round < rounds_of(40); round++) {
    const wish_t *wish = &wishes[round % 4];
    instance_t x;
    map_pricer_t pricer;
    port_model_t model;
    const char *name;
    int start[60], found[60], other[60];
    if (!begin(&x, &d, wish, BERTH_MODEL_PORT, 60)) {
      end(&x);
      continue;
    }
    assert_int_equal(map_pricer_init(&pricer, &x.problem, NULL), BERTH_OK);
    assert_int_equal(port_model_init(&model, &pricer, NULL), BERTH_OK);
    map_random(&x.problem, start, &name, NULL);
    assert_int_equal(map_keep_pins(&x.problem, start, NULL), BERTH_OK);
    size_t bytes = (size_t)model.n_ranks * sizeof *start;
    uint64_t tries = (uint64_t)model.n_ranks * 3000;
    for (int threads = 1; threads <= 8; threads = threads == 1 ? 2 : threads * 4) {
      int *to = threads == 1 ? found : other;
      memcpy(to, start, bytes);
      assert_int_equal(port_temper(&model, 5, tries, threads, to, NULL), BERTH_OK);
      if (memcmp(found, to, bytes) != 0)
        FAIL_ROW(wish->name, "%d threads make another placement", threads);
    }
    double before = cost_of_picture(&model, start), after = cost_of_picture(&model, found);
    if (after > before) FAIL_ROW(wish->name, "%g became %g", before, after);
    if (!is_placement(&x.problem, found, model.n_ranks)) FAIL_ROW(wish->name, "not on free PUs");
    for (int r = 0; r < model.n_ranks; r++)
      if (map_is_pinned(&x.problem, r)) assert_int_equal(found[r], x.pinned[r]);
    asked++;
    lowered += after < before;
    port_model_clear(&model);
    map_pricer_clear(&pricer);
    end(&x);
  }
  if (lowered * 2 < asked) FAIL_ROW("random placements", "%d of %d became cheaper", lowered, asked);
}

/* PUs right below a host that has sockets, too, which alone cost anything. */
static void looks_around_where_some_places_cost_nothing(void **state)
{
  (void)state;
  enum { LOOSE = 20, SOCKETS = 4, CORES = 8, RANKS = 45 };
  berth_port_dir_t none = {-1, 0}, slow = {-1, 10};
  berth_topo_t *t = berth_topo_new("loose", NULL);
  int free_of_cost =
      berth_topo_add_type(t, &(berth_type_t){"host", {none, none}, {none, none}, 0}, NULL);
  int costs =
      berth_topo_add_type(t, &(berth_type_t){"socket", {slow, slow}, {none, none}, 0}, NULL);
  int host = berth_topo_add_switch(t, -1, free_of_cost, "n0", "n0", NULL), pu = 0;
  for (; pu < LOOSE; pu++) berth_topo_add_pu(t, host, pu, pu, NULL);
  for (int i = 0; i < SOCKETS; i++) {
    int socket = berth_topo_add_switch(t, host, costs, "socket", NULL, NULL);
    for (int k = 0; k < CORES; k++, pu++) berth_topo_add_pu(t, socket, pu, pu, NULL);
  }
  assert_int_equal(berth_topo_finish(t, NULL), BERTH_OK);
  berth_pattern_t *p = berth_pattern_new(RANKS, NULL);
  for (int r = 0; r < RANKS; r++)
    for (int step = 1; step < 4; step++)
      berth_pattern_add_message(
          p,
          &(berth_message_t){
              .src = r, .dst = (r + step * 7) % RANKS, .size = 100, .count = 1, .bytes = 100},
          NULL);
  assert_int_equal(berth_pattern_finish(p, NULL), BERTH_OK);
  berth_map_options_t o = berth_map_defaults();
  o.quality = BERTH_QUALITY_FAST;
  berth_map_problem_t problem;
  assert_int_equal(berth_map_problem_init(&problem, p, t, &o, NULL), BERTH_OK);
  int linear[RANKS], found[RANKS];
  const char *chosen;
  map_pricer_t pricer;
  berth_map_run(&problem, berth_mapper_find("linear"), linear, &chosen, NULL);
  assert_int_equal(berth_map_run(&problem, berth_mapper_find("refine"), found, &chosen, NULL),
                   BERTH_OK);
  assert_int_equal(map_pricer_init(&pricer, &problem, NULL), BERTH_OK);
  assert_true(map_price(&pricer, found) <= map_price(&pricer, linear));
  map_pricer_clear(&pricer);
  berth_map_problem_clear(&problem);
  berth_pattern_free(p);
  berth_topo_free(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(looks_around_where_some_places_cost_nothing),
      cmocka_unit_test(finds_the_optimum_of_few_ranks),
      cmocka_unit_test(loads_follow_the_changes),
      cmocka_unit_test(tempers_on_any_number_of_threads),
      cmocka_unit_test(is_never_dearer_than_its_starts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
