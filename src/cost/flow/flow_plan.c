/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists what each rank sends in a phase, in which order.
 * A rank without a recorded order sends to all its destinations at once: it has one nonblocking
 * item for each pair. */
#include <stdlib.h>

#include "base/no_memory.h"
#include "base/order.h"
#include "cost/flow/flow_chain.h"

ORDER_VALUES(by_value, uint64_t)

static int make_sizes(flow_plan_t *plan, const berth_cost_t *c, berth_error_t *err)
{
  size_t total = 0, n = 0, count, phases;
  berth_pattern_phases(c->pattern, &phases);
  for (size_t k = 0; k < phases; k++) {
    berth_pattern_messages(c->pattern, k, &count);
    total += count;
  }
  uint64_t *size = plan->size = malloc((total + 1) * sizeof *size);
  if (!size) return no_memory(err);
  for (size_t k = 0; k < phases; k++) {
    const berth_message_t *m = berth_pattern_messages(c->pattern, k, &count);
    for (size_t i = 0; i < count; i++)
      if (n == 0 || size[n - 1] != m[i].size) size[n++] = m[i].size;
  }
  if (n) qsort(size, n, sizeof *size, by_value);
  for (size_t i = 0; i < n; i++)
    if (plan->n_sizes == 0 || size[plan->n_sizes - 1] != size[i]) size[plan->n_sizes++] = size[i];
  return BERTH_OK;
}

/* The number of a resource's curve. */
static int curve_of(const berth_topo_t *t, berth_resource_t r)
{
  const berth_element_t *e = berth_topo_element(t, r.element);
  bool down = r.kind == BERTH_DOWN_OUT || r.kind == BERTH_DOWN_IN;
  if (r.kind == BERTH_SWITCH) return -1;
  const berth_type_t *type =
      berth_topo_type(t, down ? berth_topo_element(t, e->parent)->type : e->type);
  const berth_port_t *port = down ? &type->down : &type->up;
  return r.kind == BERTH_DOWN_OUT || r.kind == BERTH_UP_OUT ? port->out.curve : port->in.curve;
}

static int make_times(flow_plan_t *plan, const berth_cost_t *c, berth_error_t *err)
{
  size_t curves = (size_t)berth_topo_n_curves(c->topo), n = plan->n_sizes;
  plan->curve_of_resource = malloc(((size_t)c->n_resources + 1) * sizeof(int));
  plan->time = malloc((curves * n + 1) * sizeof *plan->time);
  if (!plan->curve_of_resource || !plan->time) return no_memory(err);
  for (int r = 0; r < c->n_resources; r++)
    plan->curve_of_resource[r] = curve_of(c->topo, c->resource[r].is);
  for (size_t k = 0; k < curves; k++)
    for (size_t i = 0; i < n; i++)
      plan->time[k * n + i] =
          berth_curve_time(berth_topo_curve(c->topo, (int)k), (double)plan->size[i]);
  return BERTH_OK;
}

/* The order of a source's sends in a phase, NULL if there is none. Sources must increase from call
 * to call. */
static const berth_order_t *order_of(const berth_order_t **at, const berth_order_t *end, int phase,
                                     int src)
{
  while (*at < end && ((*at)->phase < phase || ((*at)->phase == phase && (*at)->src < src))) ++*at;
  return *at < end && (*at)->phase == phase && (*at)->src == src ? *at : NULL;
}

/* Reserves the maximum that a phase can need. */
static int reserve_phase(flow_chain_builder_t *b, const berth_message_t *m, size_t n,
                         const berth_order_t *order, const berth_order_t *end, int phase,
                         berth_error_t *err)
{
  size_t senders = 0, items = n;
  for (size_t i = 0; i < n; i++) {
    if (i && m[i].src == m[i - 1].src) continue;
    const berth_order_t *o = order_of(&order, end, phase, m[i].src);
    if (o) items += o->n_steps;
    senders++;
  }
  return flow_chain_reserve(b, 1, senders, items, n, err);
}

/* Finds the kind of a send. A sender's kinds are sorted by destination and size.
 * berth_pattern_finish has checked that it exists. */
static int find_kind(const flow_chain_builder_t *b, const berth_step_t *s)
{
  const flow_chain_t *c = b->chain;
  int low = c->sender[c->n_senders - 1].first_kind, high = c->n_kinds - 1;
  while (low < high) {
    int middle = low + (high - low) / 2;
    const flow_kind_t *k = &c->kind[middle];
    uint64_t size = b->plan->size[c->part[k->first_part].size];
    if (k->dst < s->peer || (k->dst == s->peer && size < s->size))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void add_sender(flow_chain_builder_t *b, const berth_message_t *m, size_t n,
                       const berth_order_t *order)
{
  uint64_t rounds = order ? order->rounds : 1;
  int played = flow_rounds_played(rounds);
  flow_chain_add_sender(b, m->src, played);
  for (size_t i = 0, end; i < n; i = end) {
    for (end = i + 1; end < n && m[end].dst == m[i].dst;) end++;
    flow_chain_add_connection(b);
    if (order) {
      flow_chain_add_kinds_by_size(b, m + i, end - i);
    } else {
      flow_chain_add_kind(b, m + i, end - i, 0);
      flow_chain_add_send(b, b->chain->n_kinds - 1, 1, 1, false);
    }
  }
  for (size_t i = 0; order && i < order->n_steps; i++) {
    const berth_step_t *s = &order->steps[i];
    if (s->kind != BERTH_STEP_SEND) continue;
    double times = (double)s->times * ((double)rounds / played);
    flow_chain_add_send(b, find_kind(b, s), times, played, s->blocking != 0);
  }
}

/* Makes the chain of a phase that isn't a round of a collective operation. */
static int make_phase(flow_chain_builder_t *b, const berth_cost_t *c, int phase, berth_error_t *err)
{
  size_t n, n_orders;
  const berth_message_t *m = berth_pattern_messages(c->pattern, b->chain->first_phase, &n);
  const berth_order_t *order = berth_pattern_orders(c->pattern, &n_orders);
  const berth_order_t *last = n_orders ? order + n_orders : order;
  if (reserve_phase(b, m, n, order, last, phase, err)) return BERTH_MISSING;
  b->chain->member[0] = (flow_member_t){.rounds = 1, .played = 1};
  for (size_t i = 0, end; i < n; i = end) {
    for (end = i + 1; end < n && m[end].src == m[i].src;) end++;
    add_sender(b, m + i, end - i, order_of(&order, last, phase, m[i].src));
  }
  flow_chain_finish(b);
  return BERTH_OK;
}

static int make_chain(flow_plan_t *plan, const berth_cost_t *c, const berth_phase_t *first,
                      berth_error_t *err)
{
  flow_chain_builder_t b = {plan, &plan->chain[plan->n_chains - 1], NULL};
  int rc = first->collective ? flow_rounds_make(&b, c, err) : make_phase(&b, c, first->id, err);
  flow_chain_builder_clear(&b);
  return rc;
}

/* Chains are phases, or all rounds of the same collective calls. */
static int make_chains(flow_plan_t *plan, const berth_cost_t *c, berth_error_t *err)
{
  size_t n;
  int rc = BERTH_OK;
  const berth_phase_t *phase = berth_pattern_phases(c->pattern, &n);
  plan->chain = calloc(n, sizeof *plan->chain);
  plan->chain_of_phase = malloc(n * sizeof *plan->chain_of_phase);
  if (!plan->chain || !plan->chain_of_phase) return no_memory(err);
  for (size_t k = 0, end; k < n && !rc; k = end) {
    for (end = k + 1;
         end < n && phase[k].collective && phase[end].collective == phase[k].collective;)
      end++;
    for (size_t i = k; i < end; i++) plan->chain_of_phase[i] = plan->n_chains;
    flow_chain_t *chain = &plan->chain[plan->n_chains++];
    chain->first_phase = k;
    chain->n_members = (int)(end - k);
    rc = make_chain(plan, c, &phase[k], err);
  }
  return rc;
}

int flow_plan_make(flow_plan_t *plan, const berth_cost_t *c, berth_error_t *err)
{
  *plan = (flow_plan_t){0};
  int rc = make_sizes(plan, c, err);
  if (!rc) rc = make_times(plan, c, err);
  if (!rc) rc = make_chains(plan, c, err);
  if (rc) flow_plan_clear(plan);
  return rc;
}

void flow_plan_clear(flow_plan_t *plan)
{
  for (size_t k = 0; plan->chain && k < plan->n_chains; k++) flow_chain_clear(&plan->chain[k]);
  free(plan->chain);
  free(plan->chain_of_phase);
  free(plan->size);
  free(plan->curve_of_resource);
  free(plan->time);
  *plan = (flow_plan_t){0};
}
