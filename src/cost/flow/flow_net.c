/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes the limits of a chain's flows in a placement.
 *
 * Every resource has a limit for all its traffic, and one for each rank, whose messages it carries
 * one after the other.
 *
 * Most limits can never be reached before another one, and are left out. The ways of a rank's
 * messages form a tree. So of two resources on a way, one carries everything that the other does.
 * If every message takes at least as long on it, the other's limit is redundant. A limit for all
 * traffic is redundant if the ranks can't send that much, or if the port at the other end of the
 * link carries less.
 *
 * Traffic through a port in one direction takes its `reverse` share of the other direction. */
#include <stdlib.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "cost/flow/flow.h"

/* A resource that flows of the current sender cross. */
typedef struct crossing {
  int resource;
  int n;          /* number of flows */
  int limit;      /* the sender's limit on it; -1: another one covers it */
  double fastest; /* the highest rate that the resource allows a flow with bytes */
  double alone;   /* the sum of the rates that its flows with bytes could have alone */
  int first_candidate, n_candidates;
  bool compared; /* compared with the candidates of its first flow */
} crossing_t;

/* Another resource, which may cover a crossing. */
typedef struct candidate {
  int resource;
  bool slower; /* some message takes longer on it */
} candidate_t;

struct flow_builder {
  int *twin;       /* by resource: the other end of the link, same direction; -1: none */
  int *opposite;   /* by resource: the port's other direction; -1: none */
  double *reverse; /* by resource: what a byte adds there */
  int *sender_of;  /* by resource: the sender whose crossing is in `crossing_of` */
  int *crossing_of;
  double *amount; /* by resource: seconds per volume of the current flow */
  double *reach;  /* by resource: the maximum rate of all senders */
  int *cap_limit; /* by resource: the limit of all its traffic, or -1 */
  char *crossed;  /* by resource */
  crossing_t *crossing;
  int n_crossings;
  candidate_t *candidate;
  int n_candidates;
  double *path_amount; /* parallel to net->path */
  int *own_limit;      /* parallel to net->path: the sender's own limit there, or -1 */
  size_t cap_crossing, cap_candidate, cap_amount, cap_own;
};

static double reverse_of(const berth_topo_t *t, berth_resource_t r)
{
  const berth_element_t *e = berth_topo_element(t, r.element);
  if (r.kind == BERTH_UP_OUT || r.kind == BERTH_UP_IN)
    return berth_topo_type(t, e->type)->up.reverse;
  return berth_topo_type(t, berth_topo_element(t, e->parent)->type)->down.reverse;
}

/* Finds the two ports of each link: a parent's down port and its switch's up port carry the
 * same. */
static int find_twins(struct flow_builder *b, const berth_cost_t *c)
{
  static const berth_resource_kind_t other[] = {BERTH_UP_OUT, BERTH_UP_IN, BERTH_DOWN_OUT,
                                                BERTH_DOWN_IN};
  static const berth_resource_kind_t opposite[] = {BERTH_DOWN_IN, BERTH_DOWN_OUT, BERTH_UP_IN,
                                                   BERTH_UP_OUT};
  size_t n = (size_t)berth_topo_n_elements(c->topo) * BERTH_N_RESOURCE_KINDS;
  int *at = malloc(n * sizeof *at);
  if (!at) return BERTH_MISSING;
  for (size_t i = 0; i < n; i++) at[i] = -1;
#define AT(r, kind) at[(size_t)(r).element * BERTH_N_RESOURCE_KINDS + (size_t)(kind)]
  for (int r = 0; r < c->n_resources; r++) AT(c->resource[r].is, c->resource[r].is.kind) = r;
  for (int r = 0; r < c->n_resources; r++) {
    berth_resource_t is = c->resource[r].is;
    b->twin[r] = is.kind == BERTH_SWITCH ? -1 : AT(is, other[is.kind]);
    b->opposite[r] = is.kind == BERTH_SWITCH ? -1 : AT(is, opposite[is.kind]);
    b->reverse[r] = b->opposite[r] < 0 ? 0 : reverse_of(c->topo, is);
  }
#undef AT
  free(at);
  return BERTH_OK;
}

int flow_net_init(flow_net_t *net, const berth_cost_t *c, berth_error_t *err)
{
  size_t n = (size_t)c->n_resources + 1;
  *net = (flow_net_t){0};
  struct flow_builder *b = net->builder = calloc(1, sizeof *b);
  net->resource = malloc(n * sizeof *net->resource);
  net->bytes = calloc(n, sizeof *net->bytes);
  if (!b || !net->resource || !net->bytes) return no_memory(err);
  b->twin = malloc(n * sizeof *b->twin);
  b->opposite = malloc(n * sizeof *b->opposite);
  b->reverse = malloc(n * sizeof *b->reverse);
  b->sender_of = malloc(n * sizeof *b->sender_of);
  b->crossing_of = malloc(n * sizeof *b->crossing_of);
  b->amount = malloc(n * sizeof *b->amount);
  b->reach = calloc(n, sizeof *b->reach);
  b->cap_limit = malloc(n * sizeof *b->cap_limit);
  b->crossed = calloc(n, sizeof *b->crossed);
  if (!b->twin || !b->opposite || !b->reverse || !b->sender_of || !b->crossing_of || !b->amount ||
      !b->reach || !b->cap_limit || !b->crossed || find_twins(b, c))
    return no_memory(err);
  return BERTH_OK;
}

void flow_net_clear(flow_net_t *net)
{
  struct flow_builder *b = net->builder;
  if (b) {
    free(b->twin);
    free(b->opposite);
    free(b->reverse);
    free(b->sender_of);
    free(b->crossing_of);
    free(b->amount);
    free(b->reach);
    free(b->cap_limit);
    free(b->crossed);
    free(b->crossing);
    free(b->candidate);
    free(b->path_amount);
    free(b->own_limit);
  }
  free(b);
  free(net->first_use);
  free(net->first_path);
  free(net->total);
  free(net->path);
  free(net->use);
  free(net->limit);
  free(net->entry);
  free(net->entry_of_use);
  free(net->resource);
  free(net->bytes);
  *net = (flow_net_t){0};
}

/* Makes room for the flows and forgets the previous chain. */
static int start(flow_net_t *net, const berth_cost_t *c, const flow_chain_t *chain,
                 berth_error_t *err)
{
  struct flow_builder *b = net->builder;
  size_t n = (size_t)chain->n_kinds + 1;
  if (!array_reserve(&net->first_use, &net->cap_flows, n, sizeof *net->first_use) ||
      !array_reserve(&net->first_path, &net->cap_first_path, n, sizeof *net->first_path) ||
      !array_reserve(&net->total, &net->cap_total, n, sizeof *net->total))
    return no_memory(err);
  for (int i = 0; i < net->n_resources; i++) {
    int r = net->resource[i];
    b->crossed[r] = 0;
    b->reach[r] = net->bytes[r] = 0;
  }
  for (int r = 0; r < c->n_resources; r++) b->sender_of[r] = -1;
  net->n_resources = net->n_limits = 0;
  net->n_uses = net->n_path = 0;
  net->n_flows = chain->n_kinds;
  for (size_t f = 0; f < n; f++) net->total[f] = 0;
  for (int s = 0; s < chain->n_senders; s++)
    for (int i = chain->sender[s].first_item; i < chain->sender[s + 1].first_item; i++) {
      int kind = chain->item[i].kind;
      if (kind < 0) continue;
      net->total[kind] += chain->item[i].times * chain->kind[kind].volume;
    }
  return BERTH_OK;
}

static double time_on(const berth_cost_t *c, const flow_plan_t *plan, const flow_chain_t *chain,
                      int kind, int resource)
{
  int curve = plan->curve_of_resource[resource];
  const double *time = curve < 0 ? NULL : plan->time + (size_t)curve * plan->n_sizes;
  double sum = 0;
  for (size_t i = chain->kind[kind].first_part; i < chain->kind[kind + 1].first_part; i++) {
    int size = chain->part[i].size;
    sum += chain->part[i].count *
           (time ? time[size] : (double)plan->size[size] / c->resource[resource].capacity);
  }
  return sum;
}

/* Records that the sender's flow crosses a resource. */
static int cross(flow_net_t *net, int sender, int r, berth_error_t *err)
{
  struct flow_builder *b = net->builder;
  if (!b->crossed[r]) {
    b->crossed[r] = 1;
    net->resource[net->n_resources++] = r;
  }
  if (b->sender_of[r] != sender) {
    if (!ARRAY_GROW(&b->crossing, (size_t)b->n_crossings, &b->cap_crossing)) return no_memory(err);
    b->sender_of[r] = sender;
    b->crossing_of[r] = b->n_crossings;
    b->crossing[b->n_crossings++] = (crossing_t){.resource = r, .limit = -1};
  }
  b->crossing[b->crossing_of[r]].n++;
  return BERTH_OK;
}

/* Finds a flow's way, and the amounts that it takes on it. */
static int lay_path(flow_net_t *net, const berth_cost_t *c, const flow_plan_t *plan,
                    const flow_chain_t *chain, int sender, int f, const int *pu_of_rank,
                    berth_error_t *err)
{
  struct flow_builder *b = net->builder;
  int path[COST_PATH_MAX];
  const flow_kind_t *kind = &chain->kind[f];
  int src = chain->sender[sender].src;
  bool stays = src == kind->dst || kind->volume == 0;
  size_t n = stays ? 0 : (size_t)cost_path(c, src, kind->dst, pu_of_rank, path);
  size_t at = net->n_path;
  net->first_path[f] = at;
  if (!array_reserve(&net->path, &net->cap_path, at + n + 1, sizeof *net->path) ||
      !array_reserve(&b->path_amount, &b->cap_amount, at + n + 1, sizeof *b->path_amount) ||
      !array_reserve(&b->own_limit, &b->cap_own, at + n + 1, sizeof *b->own_limit))
    return no_memory(err);
  double longest = 0;
  for (size_t i = 0; i < n; i++) {
    double amount = time_on(c, plan, chain, f, path[i]) / kind->volume;
    net->path[at + i] = path[i];
    b->path_amount[at + i] = amount;
    b->own_limit[at + i] = -1;
    if (amount > longest) longest = amount;
    if (cross(net, sender, path[i], err)) return BERTH_MISSING;
    if (kind->bytes > 0) net->bytes[path[i]] += net->total[f];
  }
  for (size_t i = 0; i < n && kind->bytes > 0 && longest > 0; i++) {
    crossing_t *x = &b->crossing[b->crossing_of[path[i]]];
    double here = 1 / b->path_amount[at + i]; /* infinite if it takes no time */
    if (here > x->fastest) x->fastest = here;
    x->alone += 1 / longest;
  }
  net->n_path = at + n;
  return BERTH_OK;
}

/* Collects the resources that may cover a crossing: those on the way of its first flow that carry
 * at least as many flows. */
static int first_candidates(flow_net_t *net, crossing_t *x, const int *path, size_t n,
                            berth_error_t *err)
{
  struct flow_builder *b = net->builder;
  size_t have = (size_t)b->n_candidates;
  if (!array_reserve(&b->candidate, &b->cap_candidate, have + n + 1, sizeof *b->candidate))
    return no_memory(err);
  x->first_candidate = b->n_candidates;
  for (size_t i = 0; i < n; i++)
    if (path[i] != x->resource && b->crossing[b->crossing_of[path[i]]].n >= x->n)
      b->candidate[b->n_candidates++] = (candidate_t){path[i], false};
  x->n_candidates = b->n_candidates - x->first_candidate;
  x->compared = true;
  return BERTH_OK;
}

/* Removes candidates on which the current flow takes less time than on the crossing. */
static void compare(struct flow_builder *b, crossing_t *x)
{
  candidate_t *candidate = b->candidate + x->first_candidate;
  double amount = b->amount[x->resource];
  int kept = 0;
  for (int i = 0; i < x->n_candidates; i++) {
    candidate_t one = candidate[i];
    if (b->amount[one.resource] < amount) continue;
    one.slower = one.slower || b->amount[one.resource] > amount;
    candidate[kept++] = one;
  }
  x->n_candidates = kept;
}

/* If two resources cover each other, the first one in the tree stays. */
static bool covered(const struct flow_builder *b, const crossing_t *x)
{
  for (int i = 0; i < x->n_candidates; i++) {
    const candidate_t *by = &b->candidate[x->first_candidate + i];
    if (b->crossing[b->crossing_of[by->resource]].n > x->n || by->slower ||
        by->resource < x->resource)
      return true;
  }
  return false;
}

static int add_limit(flow_net_t *net, int resource, double capacity, berth_error_t *err)
{
  if (!ARRAY_GROW(&net->limit, (size_t)net->n_limits, &net->cap_limit)) return no_memory(err);
  net->limit[net->n_limits++] = (flow_limit_t){capacity, resource, 0, 0};
  return BERTH_OK;
}

/* Adds one sender's limits. */
static int add_sender(flow_net_t *net, const berth_cost_t *c, const flow_plan_t *plan,
                      const flow_chain_t *chain, int sender, const int *pu_of_rank,
                      berth_error_t *err)
{
  struct flow_builder *b = net->builder;
  int first = chain->sender[sender].first_kind, end = chain->sender[sender + 1].first_kind, rc = 0;
  b->n_crossings = b->n_candidates = 0;
  for (int f = first; f < end && !rc; f++)
    rc = lay_path(net, c, plan, chain, sender, f, pu_of_rank, err);
  net->first_path[end] = net->n_path;
  for (int f = first; f < end && !rc; f++) {
    const int *path = net->path + net->first_path[f];
    size_t n = net->first_path[f + 1] - net->first_path[f];
    for (size_t i = 0; i < n; i++) b->amount[path[i]] = b->path_amount[net->first_path[f] + i];
    for (size_t i = 0; i < n && !rc; i++) {
      crossing_t *x = &b->crossing[b->crossing_of[path[i]]];
      if (!x->compared) rc = first_candidates(net, x, path, n, err);
      if (!rc) compare(b, x);
    }
  }
  for (int i = 0; i < b->n_crossings && !rc; i++) {
    crossing_t *x = &b->crossing[i];
    b->reach[x->resource] += x->fastest < x->alone ? x->fastest : x->alone;
    if (covered(b, x)) continue;
    x->limit = net->n_limits;
    rc = add_limit(net, x->resource, 1, err);
  }
  for (size_t i = rc ? net->n_path : net->first_path[first]; i < net->n_path; i++)
    b->own_limit[i] = b->crossing[b->crossing_of[net->path[i]]].limit;
  return rc;
}

/* Whether the port at the other end of the link always limits at least as much. Of equal ports the
 * first one in the tree stays. */
static bool twin_is_tighter(const struct flow_builder *b, const berth_cost_t *c, int r)
{
  int twin = b->twin[r];
  if (twin < 0) return false;
  double capacity = c->resource[r].capacity, other = c->resource[twin].capacity;
  if (other > capacity || b->reverse[twin] < b->reverse[r]) return false;
  return other < capacity || b->reverse[twin] > b->reverse[r] || twin < r;
}

/* Adds the limits of all traffic of resources. */
static int add_capacities(flow_net_t *net, const berth_cost_t *c, berth_error_t *err)
{
  struct flow_builder *b = net->builder;
  for (int i = 0; i < net->n_resources; i++) {
    int opposite = b->opposite[net->resource[i]];
    if (b->reverse[net->resource[i]] == 0 || b->crossed[opposite]) continue;
    b->crossed[opposite] = 1;
    net->resource[net->n_resources++] = opposite;
  }
  for (int i = 0; i < net->n_resources; i++) {
    int r = net->resource[i];
    double capacity = c->resource[r].capacity, reach = b->reach[r];
    if (b->reverse[r] > 0) reach += b->reverse[r] * b->reach[b->opposite[r]];
    b->cap_limit[r] = -1;
    if (reach <= capacity * (1 + 1e-12) || twin_is_tighter(b, c, r)) continue;
    b->cap_limit[r] = net->n_limits;
    if (add_limit(net, r, capacity, err)) return BERTH_MISSING;
  }
  return BERTH_OK;
}

static int add_uses(flow_net_t *net, const flow_chain_t *chain, berth_error_t *err)
{
  struct flow_builder *b = net->builder;
  if (!array_reserve(&net->use, &net->cap_use, 3 * net->n_path + 1, sizeof *net->use) ||
      !array_reserve(&net->entry, &net->cap_entry, 3 * net->n_path + 1, sizeof *net->entry) ||
      !array_reserve(&net->entry_of_use, &net->cap_of_use, 3 * net->n_path + 1,
                     sizeof *net->entry_of_use))
    return no_memory(err);
  if (net->n_path > INT32_MAX / 3) return no_memory(err);
  for (int f = 0; f < net->n_flows; f++) {
    net->first_use[f] = (int)net->n_uses;
    for (size_t i = net->first_path[f]; i < net->first_path[f + 1]; i++) {
      int r = net->path[i], cap = b->cap_limit[r];
      int back = b->reverse[r] > 0 ? b->cap_limit[b->opposite[r]] : -1;
      if (b->own_limit[i] >= 0 && b->path_amount[i] > 0)
        net->use[net->n_uses++] = (flow_use_t){b->own_limit[i], b->path_amount[i]};
      if (chain->kind[f].bytes == 0) continue;
      if (cap >= 0) net->use[net->n_uses++] = (flow_use_t){cap, 1};
      if (back >= 0) net->use[net->n_uses++] = (flow_use_t){back, b->reverse[r]};
    }
  }
  net->first_use[net->n_flows] = (int)net->n_uses;
  return BERTH_OK;
}

/* Lists the flows of each limit. Finds the time that the most loaded limit needs. */
static void add_entries(flow_net_t *net)
{
  int at = 0;
  for (size_t u = 0; u < net->n_uses; u++) net->limit[net->use[u].limit].n++;
  for (int l = 0; l < net->n_limits; l++) {
    net->limit[l].first = at;
    at += net->limit[l].n;
    net->limit[l].n = net->limit[l].n_active = 0;
  }
  for (int f = 0; f < net->n_flows; f++)
    for (int u = net->first_use[f]; u < net->first_use[f + 1]; u++) {
      flow_limit_t *limit = &net->limit[net->use[u].limit];
      net->entry_of_use[u] = limit->first + limit->n;
      net->entry[limit->first + limit->n++] = (flow_entry_t){f, u};
    }
  net->max = 0;
  for (int l = 0; l < net->n_limits; l++) {
    const flow_limit_t *limit = &net->limit[l];
    double load = 0;
    for (int i = limit->first; i < limit->first + limit->n; i++)
      load += net->use[net->entry[i].use].amount * net->total[net->entry[i].flow];
    if (load / limit->capacity > net->max) net->max = load / limit->capacity;
  }
}

int flow_net_build(flow_net_t *net, const berth_cost_t *c, const flow_plan_t *plan,
                   const flow_chain_t *chain, const int *pu_of_rank, berth_error_t *err)
{
  int rc = start(net, c, chain, err);
  for (int s = 0; s < chain->n_senders && !rc; s++)
    rc = add_sender(net, c, plan, chain, s, pu_of_rank, err);
  if (!rc) rc = add_capacities(net, c, err);
  if (!rc) rc = add_uses(net, chain, err);
  if (!rc) add_entries(net);
  return rc;
}

static void exchange(flow_net_t *net, int a, int b)
{
  flow_entry_t moved = net->entry[a];
  net->entry[a] = net->entry[b];
  net->entry[b] = moved;
  net->entry_of_use[net->entry[a].use] = a;
  net->entry_of_use[net->entry[b].use] = b;
}

void flow_net_activate(flow_net_t *net, int flow)
{
  for (int u = net->first_use[flow]; u < net->first_use[flow + 1]; u++) {
    flow_limit_t *limit = &net->limit[net->use[u].limit];
    exchange(net, net->entry_of_use[u], limit->first + limit->n_active++);
  }
}

void flow_net_deactivate(flow_net_t *net, int flow)
{
  for (int u = net->first_use[flow]; u < net->first_use[flow + 1]; u++) {
    flow_limit_t *limit = &net->limit[net->use[u].limit];
    exchange(net, net->entry_of_use[u], limit->first + --limit->n_active);
  }
}
