/* SPDX-License-Identifier: BSD-3-Clause */
/* Machines that are made up at random, with 0 to 8 ports unlike the others, each direction by
 * itself, slow trunks and switches that carry less than their ports: every value that a calibration
 * writes is within 3% of what the machine has, or it says that it couldn't identify it. Never
 * silently wrong. BERTH_TEST_ROUNDS says how many times 60 machines: 17 is more than a thousand. */
#include <berth/calib.h>
#include <limits.h>

#include "machine.h"

enum { PER_ROUND = 60, MOST_ODD = 8, MAX_PORTS = 2 * MAX_ELEMENTS, OUT = 0, IN = 1 };
static const double close_enough = 0.03;

#define HEAD                                                                                       \
  "{\"format\":\"berth-topology\",\"version\":1,\"types\":{\"host\":{},\"switch\":{},\"top\":{}}," \
  "\"root\":"
#define HOSTS(n)                                                                                   \
  "{\"type\":\"host\",\"host\":\"h%d\",\"repeat\":" #n                                             \
  ",\"children\":[{\"pu\":0,\"core\":0},{\"pu\":1,\"core\":1}]}"
#define SWITCH(s, of) "{\"type\":\"switch\",\"name\":\"" s "\",\"children\":[" of "]}"
#define TOP(of)       "{\"type\":\"top\",\"name\":\"T\",\"children\":[" of "]}"

static const char *const trees[] = {
    HEAD TOP(SWITCH("A", HOSTS(5)) "," SWITCH("B", HOSTS(3))) "}",
    HEAD TOP(HOSTS(8)) "}",
    HEAD TOP(SWITCH("A", HOSTS(4)) "," SWITCH("B", HOSTS(4)) "," SWITCH("C", HOSTS(4))) "}",
    HEAD TOP(SWITCH("L", SWITCH("A", HOSTS(3)) "," SWITCH("B", HOSTS(4))) "," SWITCH(
        "R", SWITCH("C", HOSTS(3)) "," HOSTS(2))) "}",
    HEAD TOP(SWITCH("A", HOSTS(20)) "," SWITCH("B", HOSTS(6))) "}",
};

/* What came of the machines with one number of odd ports. */
typedef struct tally {
  int machines, all_close, said, wrong, experiments;
} tally_t;

static double draw(machine_t *m, double low, double high)
{
  return low + (random_part(m) + 1) / 2 * (high - low);
}

static int draw_below(machine_t *m, int n)
{
  int i = (int)draw(m, 0, n);
  return i < n ? i : n - 1;
}

static bool is_port(const berth_topo_t *t, int e)
{
  int parent = berth_topo_element(t, e)->parent;
  return parent >= 0 && berth_topo_element(t, parent)->host < 0;
}

/* Elements of the network, or its switches alone. */
static int draw_element(machine_t *m, bool is_switch)
{
  for (;;) {
    int e = draw_below(m, berth_topo_n_elements(m->t));
    const berth_element_t *x = berth_topo_element(m->t, e);
    if (is_switch ? x->host < 0 && x->type >= 0 : is_port(m->t, e)) return e;
  }
}

/* Odd ports are slower, a few faster; two of the same value now and then. */
static void make_odd(machine_t *m, int n)
{
  double same = draw(m, 0.3, 0.9);
  for (int i = 0; i < n; i++) {
    int e = draw_element(m, false), d = draw_below(m, 2), kind = draw_below(m, 10);
    double factor = kind < 2 ? same : kind < 3 ? draw(m, 1.1, 2) : draw(m, 0.25, 0.95);
    m->link[d][e] = 3e6 * factor;
  }
}

static void make_machine(machine_t *m, const berth_topo_t *t, int odd, uint64_t seed)
{
  machine_init(m, t);
  m->random = (seed + 1) * 0x9e3779b97f4a7c15u;
  for (int i = 0; i < 20; i++) random_part(m);
  m->noise = draw(m, 0, 0.01);
  m->disturbed = 0.03;
  m->reverse = draw_below(m, 2) ? 0.022 : 0;
  m->noise_inside = 0.01;
  double trunk = draw(m, 1, 3); /* trunks of several links' width */
  for (int e = 1; e < berth_topo_n_elements(t); e++)
    if (is_port(t, e) && berth_topo_element(t, e)->host < 0)
      m->link[OUT][e] = m->link[IN][e] = 3e6 * trunk;
  make_odd(m, odd);
  if (draw_below(m, 2)) {
    int e = draw_element(m, true);
    m->limit[e] = 3e6 * draw(m, 0.8, 0.8 * 2 * berth_topo_element(t, e)->n_pus / 2);
  }
}

/* What all flows together get when these alone are there, without noise. */
static double total(const machine_t *m, const berth_calib_flow_t *flows, size_t n)
{
  double rate[MAX_FLOWS], sum = 0;
  berth_calib_experiment_t e = {.n_flows = n, .flows = flows, .size = 1 << 20};
  if (n == 0) return 0;
  share(m, &e, rate);
  for (size_t f = 0; f < n; f++) sum += rate[f];
  return sum;
}

/* The most that can go through a port: every host behind it and every one before it takes part. */
static double most_through(const machine_t *m, int element, int direction)
{
  static berth_calib_flow_t flows[MAX_FLOWS];
  const berth_element_t *x = berth_topo_element(m->t, element);
  size_t n = 0;
  for (int a = x->first_pu; a < x->first_pu + x->n_pus; a += 2)
    for (int b = 0; b < berth_topo_n_pus(m->t); b += 2)
      if (b < x->first_pu || b >= x->first_pu + x->n_pus)
        flows[n++] = direction == OUT ? (berth_calib_flow_t){a, b} : (berth_calib_flow_t){b, a};
  return total(m, flows, n);
}

/* The child of an element that a PU is below, -1 for none. */
static int branch(const berth_topo_t *t, int element, int pu)
{
  const berth_element_t *x = berth_topo_element(t, element);
  for (int e = element + 1; e < element + x->size; e += berth_topo_element(t, e)->size) {
    const berth_element_t *y = berth_topo_element(t, e);
    if (pu >= y->first_pu && pu < y->first_pu + y->n_pus) return e;
  }
  return -1;
}

/* The most that a switch is ever asked for: everyone on its ports sends to everyone on others. */
static double most_across(const machine_t *m, int element)
{
  static berth_calib_flow_t flows[MAX_FLOWS];
  static machine_t free;
  size_t n = 0;
  free = *m;
  free.limit[element] = INFINITY;
  for (int a = 0; a < berth_topo_n_pus(m->t); a += 2)
    for (int b = 0; b < berth_topo_n_pus(m->t); b += 2)
      if (branch(m->t, element, a) != branch(m->t, element, b))
        flows[n++] = (berth_calib_flow_t){a, b};
  return total(&free, flows, n);
}

static bool port_is_said(const berth_calib_findings_t *f, int element, int direction)
{
  for (size_t i = 0; i < f->n_unidentified; i++)
    if (f->unidentified[i].element == element && f->unidentified[i].in == direction) return true;
  return false;
}

/* A port that can't be filled may be as fast as what it was seen to carry, up to what it is. */
static bool port_is_close(const machine_t *m, int element, int direction, double found)
{
  double is = m->link[direction][element], seen = fmin(is, most_through(m, element, direction));
  return found >= seen * (1 - close_enough) && found <= is * (1 + close_enough);
}

static bool switch_is_said(const berth_calib_findings_t *f, int element)
{
  for (size_t i = 0; i < f->n_switches; i++)
    if (f->switches[i].element == element && f->switches[i].unsure) return true;
  return false;
}

/* A limit that is hardly reached when all ports are busy needs not be found. */
static bool switch_is_close(const machine_t *m, int element, double found)
{
  double is = m->limit[element];
  if (found > 0) return isfinite(is) && fabs(found - is) <= close_enough * is;
  return is >= most_across(m, element) * 0.93;
}

static void complain(const machine_t *m, int seed, int element, const char *what, double found,
                     double is)
{
  printf("machine %d: %s %s: found %.4g, expected %.4g\n", seed,
         berth_topo_element_name(m->t, element), what, found, is);
}

/* Counts values that are wrong and not said to be unsure, and those said. */
static void judge(const machine_t *m, const berth_topo_t *fitted, const berth_calib_findings_t *f,
                  int seed, int *said, int *wrong)
{
  for (int e = 0; e < berth_topo_n_elements(fitted); e++) {
    const berth_element_t *x = berth_topo_element(fitted, e);
    if (x->type < 0) continue;
    const berth_type_t *type = berth_topo_type(fitted, x->type);
    double found[] = {type->up.out.capacity, type->up.in.capacity};
    for (int d = OUT; d <= IN && is_port(m->t, e); d++) {
      if (port_is_said(f, e, d)) {
        ++*said;
      } else if (!port_is_close(m, e, d, found[d])) {
        ++*wrong;
        complain(m, seed, e, d == OUT ? "out" : "in", found[d],
                 fmin(m->link[d][e], most_through(m, e, d)));
      }
    }
    if (x->host >= 0) continue;
    if (switch_is_said(f, e)) {
      ++*said;
    } else if (!switch_is_close(m, e, type->capacity)) {
      ++*wrong;
      complain(m, seed, e, "in all", type->capacity, m->limit[e]);
    }
  }
}

static void calibrate_one(int seed, tally_t *tally)
{
  static machine_t m;
  unsigned char ranks[MAX_ELEMENTS];
  berth_calib_t *calib;
  int odd = seed % (MOST_ODD + 1), said = 0, wrong = 0;
  const char *tree = trees[seed / (MOST_ODD + 1) % COUNT(trees)];
  berth_topo_t *t = parse(tree);
  make_machine(&m, t, odd, (uint64_t)seed);
  memset(ranks, 1, sizeof ranks);
  berth_topo_t *fitted = run_for(&m, ranks, INT_MAX, 1e5, &calib);
  const berth_calib_findings_t *f = berth_calib_findings(calib);
  assert_int_equal(f->n_unmeasured, 0);
  judge(&m, fitted, f, seed, &said, &wrong);
  tally[odd].machines++;
  tally[odd].experiments += m.experiments;
  tally[odd].all_close += said == 0 && wrong == 0;
  tally[odd].said += said > 0 && wrong == 0;
  tally[odd].wrong += wrong > 0;
  berth_topo_free(fitted);
  berth_calib_free(calib);
  berth_topo_free(t);
}

static void nothing_is_silently_wrong(void **state)
{
  (void)state;
  tally_t tally[MOST_ODD + 1] = {{0}};
  int wrong = 0, close = 0, machines = rounds_of(PER_ROUND);
  for (int seed = 0; seed < machines; seed++) calibrate_one(seed, tally);
  printf("odd ports  machines  all within 3%%  not identified  silently wrong  experiments\n");
  for (int odd = 0; odd <= MOST_ODD; odd++) {
    const tally_t *x = &tally[odd];
    printf("%9d  %8d  %13d  %14d  %14d  %11d\n", odd, x->machines, x->all_close, x->said, x->wrong,
           x->machines ? x->experiments / x->machines : 0);
    wrong += x->wrong;
    close += x->all_close;
  }
  assert_int_equal(wrong, 0);
  assert_true(close >= machines * 9 / 10); /* to say nothing of all would be easy */
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_silently_wrong)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
