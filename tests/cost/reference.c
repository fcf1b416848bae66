/* SPDX-License-Identifier: BSD-3-Clause */
/* The evaluator against docs/formats/cost-models.md taken literally: every resource, every rank,
 * every message, in the order of the definitions. On random machines and patterns. */
#include <math.h>

#include "random_inputs.h"

/* A resource as the format defines it: element, kind, curve (or -1) and capacity. */
typedef struct resource {
  int element, curve;
  double capacity;
} resource_t;

typedef struct machine {
  const berth_topo_t *topo;
  resource_t *resource; /* [element * BERTH_N_RESOURCE_KINDS + kind]; without capacity: nothing */
  int n;
} machine_t;

static machine_t lay_out(const berth_topo_t *t)
{
  int n = berth_topo_n_elements(t) * BERTH_N_RESOURCE_KINDS;
  machine_t m = {t, calloc((size_t)n, sizeof *m.resource), n};
  for (int e = 0; e < berth_topo_n_elements(t); e++) {
    const berth_element_t *el = berth_topo_element(t, e);
    resource_t *r = m.resource + e * BERTH_N_RESOURCE_KINDS;
    if (el->parent >= 0) {
      const berth_type_t *above = berth_topo_type(t, berth_topo_element(t, el->parent)->type);
      r[BERTH_DOWN_OUT] = (resource_t){e, above->down.out.curve, above->down.out.capacity};
      r[BERTH_DOWN_IN] = (resource_t){e, above->down.in.curve, above->down.in.capacity};
    }
    if (el->type < 0) continue;
    const berth_type_t *own = berth_topo_type(t, el->type);
    r[BERTH_SWITCH] = (resource_t){e, -1, own->capacity};
    if (el->parent < 0) continue;
    r[BERTH_UP_OUT] = (resource_t){e, own->up.out.curve, own->up.out.capacity};
    r[BERTH_UP_IN] = (resource_t){e, own->up.in.curve, own->up.in.capacity};
  }
  return m;
}

static bool is_above(const berth_topo_t *t, int e, int of)
{
  while (of >= 0 && of != e) of = berth_topo_element(t, of)->parent;
  return of == e;
}

/* Whether a message from PU element a to b crosses resource number i. */
static bool crosses(const machine_t *m, int i, int a, int b)
{
  int e = i / BERTH_N_RESOURCE_KINDS, kind = i % BERTH_N_RESOURCE_KINDS;
  bool from = is_above(m->topo, e, a), to = is_above(m->topo, e, b);
  if (m->resource[i].capacity <= 0) return false;
  if (a == b) {
    int parent = berth_topo_element(m->topo, a)->parent;
    return kind == BERTH_SWITCH ? e == parent
                                : e == a && (kind == BERTH_DOWN_OUT || kind == BERTH_DOWN_IN);
  }
  if (kind == BERTH_DOWN_OUT || kind == BERTH_UP_OUT) return from && !to;
  if (kind == BERTH_DOWN_IN || kind == BERTH_UP_IN) return to && !from;
  if (!from && !to) return false;
  for (int child = e + 1, n = 0; from && to && n < berth_topo_element(m->topo, e)->n_children;
       n++) {
    if (is_above(m->topo, child, a) && is_above(m->topo, child, b)) return false;
    child += berth_topo_element(m->topo, child)->size;
  }
  return true;
}

static double message_time(const machine_t *m, int i, double n)
{
  const resource_t *r = &m->resource[i];
  if (r->curve < 0) return n / r->capacity;
  const berth_curve_t *c = berth_topo_curve(m->topo, r->curve);
  double last = c->size[c->n - 1];
  if (n <= c->size[0]) return c->size[0] / c->bandwidth[0];
  if (n >= last) return n / c->bandwidth[c->n - 1];
  size_t k = 1;
  while (c->size[k] < n) k++;
  double t0 = c->size[k - 1] / c->bandwidth[k - 1], t1 = c->size[k] / c->bandwidth[k];
  return t0 + (t1 - t0) * (n - c->size[k - 1]) / (c->size[k] - c->size[k - 1]);
}

typedef struct prices {
  double port, bound, sum;
} prices_t;

static prices_t price_resource(const machine_t *m, int i, const berth_message_t *msg, size_t n,
                               const int *pu_of_rank)
{
  double cost = 0, bytes = 0, slowest = 0, sum = 0, capacity = m->resource[i].capacity;
  for (size_t k = 0; k < n;) {
    double T = 0, B = 0;
    int rank = msg[k].src;
    for (; k < n && msg[k].src == rank; k++) {
      int a = berth_topo_pu(m->topo, pu_of_rank[rank])->element;
      int b = berth_topo_pu(m->topo, pu_of_rank[msg[k].dst])->element;
      if (msg[k].dst == rank || !crosses(m, i, a, b)) continue;
      T += (double)msg[k].count * message_time(m, i, (double)msg[k].size);
      B += (double)msg[k].bytes;
    }
    double available = fmax(0, capacity * cost - bytes);
    if (B == 0)
      cost = fmax(cost, T);
    else if (available < B)
      cost = cost + (B - available) / B * T;
    bytes += B;
    sum += T;
    slowest = fmax(slowest, T);
  }
  return (prices_t){cost, capacity > 0 ? fmax(slowest, bytes / capacity) : 0, sum};
}

static prices_t price(const machine_t *m, const berth_pattern_t *p, const int *pu_of_rank)
{
  prices_t total = {0};
  size_t phases;
  const berth_phase_t *phase = berth_pattern_phases(p, &phases);
  for (size_t k = 0; k < phases; k++) {
    size_t n;
    const berth_message_t *msg = berth_pattern_messages(p, k, &n);
    prices_t most = {0};
    for (int i = 0; i < m->n; i++) {
      if (m->resource[i].capacity <= 0) continue;
      prices_t one = price_resource(m, i, msg, n, pu_of_rank);
      most.port = fmax(most.port, one.port);
      most.bound = fmax(most.bound, one.bound);
      most.sum += one.sum;
    }
    total.port += (double)phase[k].repeats * most.port;
    total.bound += (double)phase[k].repeats * most.bound;
    total.sum += (double)phase[k].repeats * most.sum;
  }
  return total;
}

static const struct {
  const char *name;
  int levels, width, even, degree, phases, share, rounds;
} cases[] = {
    {"one host", 1, 4, 0, 3, 1, 0, 40},
    {"two levels", 2, 4, 0, 3, 2, 0, 40},
    {"uneven depths", 4, 3, 0, 2, 3, 0, 30},
    {"shared PUs", 3, 3, 0, 2, 2, 1, 30},
    {"alike levels", 3, 3, 1, 2, 2, 0, 20},
    {"alike, shared", 2, 4, 1, 2, 2, 1, 20},
    {"dense", 2, 4, 1, 12, 1, 0, 20},
    {"bytes first", 3, 4, 1, 9, 1, 0, 3},
    {"bytes first, uneven", 4, 4, 0, 16, 2, 0, 8},
};

static bool agree(double found, double expected)
{
  return fabs(found - expected) <= 1e-9 * fabs(expected);
}

/* A phase's cost is that of its dearest resource or, in model sum, of all together; and what a
 * resource carries is what its pairs put on it. */
static bool loads_add_up(berth_cost_t *c, berth_model_t model, size_t phase, const int *pu_of_rank,
                         double cost)
{
  size_t n;
  berth_load_t *load;
  double largest = 0, total = 0;
  bool same = true;
  assert_int_equal(berth_cost_loads(c, model, phase, pu_of_rank, &load, &n, NULL), BERTH_OK);
  for (size_t i = 0; i < n; i++) {
    size_t n_pairs;
    berth_pair_load_t *pair;
    double bytes = 0, time = 0;
    assert_int_equal(
        berth_cost_pairs_on(c, phase, pu_of_rank, load[i].resource, &pair, &n_pairs, NULL),
        BERTH_OK);
    for (size_t k = 0; k < n_pairs; k++) {
      bytes += pair[k].bytes;
      time += pair[k].time_s;
    }
    free(pair);
    same &= agree(load[i].bytes, bytes);
    if (model == BERTH_MODEL_SUM) same &= agree(load[i].cost_s, time);
    total += load[i].cost_s;
    largest = fmax(largest, load[i].cost_s);
  }
  free(load);
  return same && agree(model == BERTH_MODEL_SUM ? total : largest, cost);
}

static void evaluator_agrees_with_the_definitions(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(cases); i++)
    for (int round = 0; round < rounds_of(cases[i].rounds); round++) {
      random_state = 1000 * i + (uint64_t)round;
      berth_topo_t *t = random_machine(cases[i].levels, cases[i].width, cases[i].even);
      int pus = berth_topo_n_pus(t), ranks = cases[i].share ? 2 * pus : pus;
      berth_pattern_t *p = random_pattern(ranks, cases[i].degree, cases[i].phases);
      berth_cost_t *c = berth_cost_new(p, t, NULL);
      machine_t m = lay_out(t);
      for (int again = 0; again < 3; again++) { /* nothing is left over from before */
        int *pu_of_rank = random_placement(ranks, pus, cases[i].share);
        prices_t expected = price(&m, p, pu_of_rank);
        prices_t found = {berth_cost_evaluate(c, BERTH_MODEL_PORT, pu_of_rank),
                          berth_cost_evaluate(c, BERTH_MODEL_BOUND, pu_of_rank),
                          berth_cost_evaluate(c, BERTH_MODEL_SUM, pu_of_rank)};
        if (!agree(found.port, expected.port) || !agree(found.bound, expected.bound) ||
            !agree(found.sum, expected.sum))
          FAIL_ROW(cases[i].name, "round %d: found %.17g %.17g %.17g, expected %.17g %.17g %.17g",
                   round, found.port, found.bound, found.sum, expected.port, expected.bound,
                   expected.sum);
        for (int model = 0; model <= BERTH_MODEL_SUM; model++) {
          berth_cost_result_t r;
          assert_int_equal(berth_cost_explain(c, (berth_model_t)model, pu_of_rank, 3, &r, NULL),
                           BERTH_OK);
          double whole = berth_cost_evaluate(c, (berth_model_t)model, pu_of_rank);
          if (r.cost_s != whole)
            FAIL_ROW(cases[i].name, "round %d: explained %s %.17g, evaluated %.17g", round,
                     berth_model_name((berth_model_t)model), r.cost_s, whole);
          for (size_t k = 0; k < r.n_phases && again == 0; k++)
            if (!loads_add_up(c, (berth_model_t)model, k, pu_of_rank, r.phases[k].cost_s))
              FAIL_ROW(cases[i].name, "round %d: loads of phase %zu don't add up, model %s", round,
                       k, berth_model_name((berth_model_t)model));
          berth_cost_result_clear(&r);
        }
        free(pu_of_rank);
      }
      free(m.resource);
      berth_cost_free(c);
      berth_pattern_free(p);
      berth_topo_free(t);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(evaluator_agrees_with_the_definitions)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
