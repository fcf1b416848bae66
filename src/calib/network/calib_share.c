/* SPDX-License-Identifier: BSD-3-Clause */
/* Predicts the rates of flows that share ports and switches max-min fairly. */
#include "calib/network/calib_network.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"

/* Resource 2 * element + direction is a port. Switches follow, by element. */
typedef struct use {
  size_t flow;
  long resource;
  double back; /* above 0: the use is by acknowledgements, so many bytes per byte of the flow */
} use_t;

typedef struct solver {
  const berth_calib_t *c;
  const sharing_t *s;
  use_t *uses;
  size_t n_uses, cap_uses;
  long *ids; /* of resources, sorted */
  double *capacity, *left, *users;
  size_t n_ids;
} solver_t;

static bool add_use(solver_t *v, size_t flow, long resource, double back)
{
  return ARRAY_ADD(&v->uses, &v->n_uses, &v->cap_uses, (use_t){flow, resource, back});
}

static double reverse_of(const berth_calib_t *c, int element)
{
  const line_t *l = line_of_link(c, element, OUT);
  double lost = l ? reverse_line(c, l).median : 0;
  return lost < 0.5 ? lost : 0;
}

size_t share_path_find(const berth_calib_t *c, berth_calib_flow_t f, step_t *steps)
{
  size_t n = 0;
  for (int d = OUT; d <= IN; d++) {
    int here = d == OUT ? f.src : f.dst, there = d == OUT ? f.dst : f.src;
    for (int e = berth_topo_pu(c->t, here)->element;;) {
      const berth_element_t *x = berth_topo_element(c->t, e);
      if (there >= x->first_pu && there < x->first_pu + x->n_pus) break;
      if (pus_is_above_hosts(c, x->parent)) steps[n++] = (step_t){e, d};
      e = x->parent;
    }
  }
  return n;
}

static bool add_flow(solver_t *v, size_t flow, berth_calib_flow_t f)
{
  step_t steps[2 * BERTH_MAX_DEPTH];
  const berth_calib_t *c = v->c;
  size_t n = share_path_find(c, f, steps);
  long switches = 2L * berth_topo_n_elements(c->t);
  int top = -1;
  for (size_t i = 0; i < n; i++) {
    int e = steps[i].element, parent = berth_topo_element(c->t, e)->parent;
    double back = v->s->both_ways ? reverse_of(c, e) : 0;
    if (!add_use(v, flow, 2L * e + steps[i].direction, 0) ||
        (back > 0 && !add_use(v, flow, 2L * e + 1 - steps[i].direction, back)))
      return false;
    /* both sides of the path have the same switch at the top */
    bool is_top = steps[i].direction == IN && parent == top;
    if (steps[i].direction == OUT && (top < 0 || parent < top)) top = parent;
    if (!is_top && !add_use(v, flow, switches + parent, 0)) return false;
  }
  return true;
}

static double capacity_of(const solver_t *v, long resource)
{
  const berth_calib_t *c = v->c;
  long switches = 2L * berth_topo_n_elements(c->t);
  if (resource >= switches) {
    int e = (int)(resource - switches);
    double limit = v->s->limits ? rings_switch_limit(c, e) : 0;
    if (v->s->but == e) limit = v->s->but_limit;
    return limit > 0 ? limit : INFINITY;
  }
  const port_t *p = port_find(c, (int)(resource / 2), (int)(resource % 2));
  bool is_free = !p || p == v->s->free || (v->s->hope && !p->sound);
  double rate = is_free ? 0 : port_rate(c, p).median;
  return rate > 0 ? rate : INFINITY;
}

static int by_id(const void *a, const void *b)
{
  long x = *(const long *)a, y = *(const long *)b;
  return (x > y) - (x < y);
}

static size_t index_of(const solver_t *v, long resource)
{
  const long *found = bsearch(&resource, v->ids, v->n_ids, sizeof *v->ids, by_id);
  return (size_t)(found - v->ids);
}

/* Numbers the used resources from 0 on, and replaces their ids in the uses. */
static bool number_resources(solver_t *v)
{
  v->ids = malloc((v->n_uses + 1) * sizeof *v->ids);
  v->capacity = malloc((v->n_uses + 1) * sizeof *v->capacity);
  v->left = malloc((v->n_uses + 1) * sizeof *v->left);
  v->users = malloc((v->n_uses + 1) * sizeof *v->users);
  if (!v->ids || !v->capacity || !v->left || !v->users) return false;
  for (size_t i = 0; i < v->n_uses; i++) v->ids[i] = v->uses[i].resource;
  qsort(v->ids, v->n_uses, sizeof *v->ids, by_id);
  for (size_t i = 0; i < v->n_uses; i++)
    if (v->n_ids == 0 || v->ids[v->n_ids - 1] != v->ids[i]) v->ids[v->n_ids++] = v->ids[i];
  for (size_t r = 0; r < v->n_ids; r++) v->capacity[r] = capacity_of(v, v->ids[r]);
  for (size_t i = 0; i < v->n_uses; i++)
    v->uses[i].resource = (long)index_of(v, v->uses[i].resource);
  return true;
}

/* The minimum over what resources leave each of their open flows and the flows' own bounds. */
static double find_level(solver_t *v, size_t n, const double *cap, const double *rate)
{
  double level = INFINITY;
  for (size_t r = 0; r < v->n_ids; r++) v->users[r] = 0;
  for (size_t i = 0; i < v->n_uses; i++)
    if (rate[v->uses[i].flow] < 0 && v->uses[i].back <= 0) v->users[v->uses[i].resource]++;
  for (size_t r = 0; r < v->n_ids; r++)
    if (v->users[r] > 0) level = fmin(level, fmax(v->left[r], 0) / v->users[r]);
  for (size_t f = 0; f < n; f++)
    if (rate[f] < 0 && cap && cap[f] > 0) level = fmin(level, cap[f]);
  return level;
}

enum { ROUNDS = 5 };           /* until acknowledgements agree with the rates */
enum { OPEN = -1, FULL = -2 }; /* in place of rates */

/* Marks the open flows that can't get more than a level. Returns their number. */
static size_t find_full(const solver_t *v, double level, size_t n, const double *cap, double *rate)
{
  double near = level * (1 + 1e-9);
  size_t full = 0;
  for (size_t i = 0; i < v->n_uses; i++) {
    const use_t *u = &v->uses[i];
    if (rate[u->flow] < 0 && u->back <= 0 &&
        fmax(v->left[u->resource], 0) <= near * v->users[u->resource])
      rate[u->flow] = FULL;
  }
  for (size_t f = 0; f < n; f++) {
    if (rate[f] == OPEN && (isinf(level) || (cap && cap[f] > 0 && cap[f] <= near))) rate[f] = FULL;
    full += rate[f] == FULL;
  }
  return full;
}

/* Subtracts acknowledgements from the resources, by the flows' rates. */
static void take_acknowledgements(solver_t *v, const double *rate)
{
  for (size_t r = 0; r < v->n_ids; r++) v->left[r] = v->capacity[r];
  for (size_t i = 0; i < v->n_uses; i++)
    v->left[v->uses[i].resource] -= v->uses[i].back * rate[v->uses[i].flow];
}

/* Progressive filling: flows with a full resource keep their rate. */
static void fill(solver_t *v, size_t n, const double *cap, double *rate)
{
  take_acknowledgements(v, rate);
  for (size_t f = 0; f < n; f++) rate[f] = OPEN;
  for (size_t open = n; open > 0;) {
    double level = find_level(v, n, cap, rate);
    open -= find_full(v, level, n, cap, rate);
    for (size_t i = 0; i < v->n_uses; i++)
      if (rate[v->uses[i].flow] == FULL && v->uses[i].back <= 0)
        v->left[v->uses[i].resource] -= level;
    for (size_t f = 0; f < n; f++)
      if (rate[f] == FULL) rate[f] = level;
  }
}

bool share_rates(const berth_calib_t *c, const sharing_t *s, const berth_calib_flow_t *flows,
                 size_t n, const double *cap, double *rate)
{
  solver_t v = {.c = c, .s = s};
  bool enough = true;
  for (size_t f = 0; f < n && enough; f++) {
    rate[f] = 0;
    enough = add_flow(&v, f, flows[f]);
  }
  enough = enough && number_resources(&v);
  for (int round = 0; enough && round < (s->both_ways ? ROUNDS : 1); round++)
    fill(&v, n, cap, rate);
  free(v.uses);
  free(v.ids);
  free(v.capacity);
  free(v.left);
  free(v.users);
  return enough;
}

double share_path(const berth_calib_t *c, berth_calib_flow_t f)
{
  step_t steps[2 * BERTH_MAX_DEPTH];
  double min = INFINITY;
  size_t n = share_path_find(c, f, steps);
  for (size_t i = 0; i < n; i++) {
    const port_t *p = port_find(c, steps[i].element, steps[i].direction);
    double rate = p ? port_rate(c, p).median : 0;
    if (rate > 0) min = fmin(min, rate);
  }
  return min;
}
