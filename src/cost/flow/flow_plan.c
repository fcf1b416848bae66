/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists what each rank sends in a phase, in which order.
 * A rank without a recorded order sends to all its destinations at once: it has one nonblocking
 * item for each pair. */
#include <stdlib.h>

#include "base/no_memory.h"
#include "base/order.h"
#include "cost/flow/flow.h"

ORDER_VALUES(by_value, uint64_t)

static int make_sizes(flow_plan_t *plan, const berth_cost_t *c, berth_error_t *err)
{
  size_t total = 0, n = 0, count;
  for (size_t k = 0; k < plan->n_phases; k++) {
    berth_pattern_messages(c->pattern, k, &count);
    total += count;
  }
  uint64_t *size = plan->size = malloc((total + 1) * sizeof *size);
  if (!size) return no_memory(err);
  for (size_t k = 0; k < plan->n_phases; k++) {
    const berth_message_t *m = berth_pattern_messages(c->pattern, k, &count);
    for (size_t i = 0; i < count; i++)
      if (n == 0 || size[n - 1] != m[i].size) size[n++] = m[i].size;
  }
  if (n) qsort(size, n, sizeof *size, by_value);
  for (size_t i = 0; i < n; i++)
    if (plan->n_sizes == 0 || size[plan->n_sizes - 1] != size[i]) size[plan->n_sizes++] = size[i];
  return BERTH_OK;
}

static int find_size(const flow_plan_t *plan, uint64_t size)
{
  const uint64_t *at = bsearch(&size, plan->size, plan->n_sizes, sizeof size, by_value);
  return (int)(at - plan->size);
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
static int reserve_phase(flow_phase_t *p, const berth_message_t *m, size_t n,
                         const berth_order_t *order, const berth_order_t *end, int phase,
                         berth_error_t *err)
{
  size_t senders = 0, items = n;
  for (size_t i = 0; i < n; i++) {
    if (i && m[i].src == m[i - 1].src) continue;
    const berth_order_t *o = order_of(&order, end, phase, m[i].src);
    if (o) items += o->n_sends;
    senders++;
  }
  if (items > INT32_MAX / 2) return no_memory(err);
  p->sender = malloc((senders + 1) * sizeof *p->sender);
  p->item = malloc((items + 1) * sizeof *p->item);
  p->kind = malloc((n + 1) * sizeof *p->kind);
  p->connection = malloc((n + 1) * sizeof *p->connection);
  p->part = malloc((n + 1) * sizeof *p->part);
  bool enough = p->sender && p->item && p->kind && p->connection && p->part;
  return enough ? BERTH_OK : no_memory(err);
}

/* Adds a kind with the parts from `first_part` on. */
static void add_kind(flow_phase_t *p, int dst, size_t first_part, double bytes, double messages)
{
  p->kind[p->n_kinds++] =
      (flow_kind_t){dst, p->n_connections - 1, first_part, bytes, bytes > 0 ? bytes : messages};
}

/* Adds the kinds of one destination's n messages: one kind for all of them, or one for each
 * size. */
static void add_connection(flow_phase_t *p, const flow_plan_t *plan, const berth_message_t *m,
                           size_t n, bool by_size)
{
  double bytes = 0, messages = 0;
  size_t first_part = p->n_parts;
  p->connection[p->n_connections++] = (flow_connection_t){p->n_senders - 1, -1};
  for (size_t i = 0; i < n; i++) {
    bytes += (double)m[i].bytes;
    messages += (double)m[i].count;
    bool last = i + 1 == n || (by_size && m[i + 1].size != m[i].size);
    if (!by_size) {
      p->part[p->n_parts++] = (flow_part_t){find_size(plan, m[i].size), (double)m[i].count};
      if (last) add_kind(p, m->dst, first_part, bytes, messages);
    } else if (last) {
      p->part[p->n_parts++] = (flow_part_t){find_size(plan, m[i].size), 1};
      add_kind(p, m->dst, p->n_parts - 1, bytes / messages, 1);
      bytes = messages = 0;
    }
  }
}

static void add_item(flow_phase_t *p, int *last_item, int kind, double times, bool blocking)
{
  int at = p->n_items++, connection = p->kind[kind].connection;
  flow_connection_t *c = &p->connection[connection];
  if (c->first_item < 0)
    c->first_item = at;
  else
    p->item[last_item[connection]].next = at;
  last_item[connection] = at;
  p->item[at] = (flow_item_t){kind, c->first_item, times, blocking};
}

/* Finds the kind of a send. A sender's kinds are sorted by destination and size.
 * berth_pattern_finish has checked that it exists. */
static int find_kind(const flow_phase_t *p, const flow_plan_t *plan, const berth_send_t *s)
{
  int low = p->sender[p->n_senders - 1].first_kind, high = p->n_kinds - 1;
  while (low < high) {
    int middle = low + (high - low) / 2;
    const flow_kind_t *k = &p->kind[middle];
    uint64_t size = plan->size[p->part[k->first_part].size];
    if (k->dst < s->dst || (k->dst == s->dst && size < s->size))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void add_sender(flow_phase_t *p, const flow_plan_t *plan, const berth_message_t *m, size_t n,
                       const berth_order_t *order, int *last_item)
{
  uint64_t rounds = order ? order->rounds : 1;
  int played = rounds < FLOW_ROUNDS ? (int)rounds : FLOW_ROUNDS;
  p->sender[p->n_senders++] = (flow_sender_t){m->src, p->n_items, p->n_kinds, played};
  for (size_t i = 0, end; i < n; i = end) {
    for (end = i + 1; end < n && m[end].dst == m[i].dst;) end++;
    add_connection(p, plan, m + i, end - i, order != NULL);
    if (!order) add_item(p, last_item, p->n_kinds - 1, 1, false);
  }
  for (size_t i = 0; order && i < order->n_sends; i++) {
    const berth_send_t *s = &order->sends[i];
    double times = (double)s->times * ((double)rounds / played);
    add_item(p, last_item, find_kind(p, plan, s), times, s->blocking != 0);
  }
}

static int make_phase(flow_plan_t *plan, const berth_cost_t *c, size_t k, berth_error_t *err)
{
  size_t n, n_orders, n_phases;
  flow_phase_t *p = &plan->phase[k];
  int phase = berth_pattern_phases(c->pattern, &n_phases)[k].id;
  const berth_message_t *m = berth_pattern_messages(c->pattern, k, &n);
  const berth_order_t *order = berth_pattern_orders(c->pattern, &n_orders);
  const berth_order_t *last = n_orders ? order + n_orders : order;
  if (reserve_phase(p, m, n, order, last, phase, err)) return BERTH_MISSING;
  int *last_item = malloc((n + 1) * sizeof *last_item);
  if (!last_item) return no_memory(err);
  for (size_t i = 0, end; i < n; i = end) {
    for (end = i + 1; end < n && m[end].src == m[i].src;) end++;
    add_sender(p, plan, m + i, end - i, order_of(&order, last, phase, m[i].src), last_item);
  }
  free(last_item);
  p->sender[p->n_senders] = (flow_sender_t){-1, p->n_items, p->n_kinds, 0};
  p->kind[p->n_kinds] = (flow_kind_t){-1, -1, p->n_parts, 0, 0};
  return BERTH_OK;
}

int flow_plan_make(flow_plan_t *plan, const berth_cost_t *c, berth_error_t *err)
{
  *plan = (flow_plan_t){0};
  berth_pattern_phases(c->pattern, &plan->n_phases);
  plan->phase = calloc(plan->n_phases, sizeof *plan->phase);
  int rc = plan->phase ? make_sizes(plan, c, err) : no_memory(err);
  if (!rc) rc = make_times(plan, c, err);
  for (size_t k = 0; k < plan->n_phases && !rc; k++) rc = make_phase(plan, c, k, err);
  if (rc) flow_plan_clear(plan);
  return rc;
}

void flow_plan_clear(flow_plan_t *plan)
{
  for (size_t k = 0; plan->phase && k < plan->n_phases; k++) {
    flow_phase_t *p = &plan->phase[k];
    free(p->sender);
    free(p->item);
    free(p->kind);
    free(p->connection);
    free(p->part);
  }
  free(plan->phase);
  free(plan->size);
  free(plan->curve_of_resource);
  free(plan->time);
  *plan = (flow_plan_t){0};
}
