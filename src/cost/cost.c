/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "cost/cost_internal.h"

static const char *const model_names[BERTH_N_MODELS] = {"port", "bound", "sum", "flow"};

const char *berth_model_name(berth_model_t model) { return model_names[model]; }

int berth_model_find(const char *name, berth_model_t *model)
{
  for (int i = 0; i < BERTH_N_MODELS; i++) {
    if (strcmp(name, model_names[i]) != 0) continue;
    *model = (berth_model_t)i;
    return BERTH_OK;
  }
  return BERTH_USAGE;
}

/* Adds a resource if it costs anything; returns its number or -1. */
static int add_resource(berth_cost_t *c, int element, berth_resource_kind_t kind, int curve,
                        double capacity)
{
  if (curve < 0 && capacity <= 0) return -1;
  if (curve >= 0 && c->curve_row[curve] < 0) c->curve_row[curve] = c->n_rows++;
  if (curve >= 0) curve = c->curve_row[curve];
  c->resource[c->n_resources] = (cost_resource_t){capacity, curve, {element, kind}};
  return c->n_resources++;
}

static int add_direction(berth_cost_t *c, int element, berth_resource_kind_t kind,
                         const berth_port_dir_t *dir)
{
  return add_resource(c, element, kind, dir->curve, dir->capacity);
}

static void side_add(side_t *side, int resource)
{
  if (resource >= 0) side->resource[side->n++] = resource;
}

/* Numbers the resources of an element: the parent's down port to it and, where it is a switch, the
 * switch and its up port. */
static void lay_out_element(berth_cost_t *c, int e)
{
  const berth_element_t *from = berth_topo_element(c->topo, e);
  cost_element_t *to = &c->element[e];
  *to = (cost_element_t){from->parent, from->depth, -1, {0}, {0}, -1, -1};
  const berth_type_t *type = from->type < 0 ? NULL : berth_topo_type(c->topo, from->type);
  if (type) to->self = add_resource(c, e, BERTH_SWITCH, -1, type->capacity);
  if (from->parent < 0) return;
  int above = berth_topo_element(c->topo, from->parent)->type;
  const berth_port_t *down = &berth_topo_type(c->topo, above)->down;
  to->down_out = add_direction(c, e, BERTH_DOWN_OUT, &down->out);
  to->down_in = add_direction(c, e, BERTH_DOWN_IN, &down->in);
  side_add(&to->out, to->down_out);
  side_add(&to->in, to->down_in);
  if (!type) return;
  side_add(&to->out, to->self);
  side_add(&to->in, to->self);
  side_add(&to->out, add_direction(c, e, BERTH_UP_OUT, &type->up.out));
  side_add(&to->in, add_direction(c, e, BERTH_UP_IN, &type->up.in));
}

static int by_value(const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* The distinct message sizes, sorted; the caller frees them. */
static uint64_t *distinct_sizes(const berth_cost_t *c, size_t n_messages, size_t *n_sizes)
{
  uint64_t *sizes = malloc((n_messages + 1) * sizeof *sizes);
  size_t n = 0;
  for (size_t k = 0; sizes && k < c->n_phases; k++) {
    size_t count;
    const berth_message_t *m = berth_pattern_messages(c->pattern, k, &count);
    for (size_t i = 0; i < count; i++) /* runs of one size are common */
      if (n == 0 || sizes[n - 1] != m[i].size) sizes[n++] = m[i].size;
  }
  if (!sizes) return NULL;
  qsort(sizes, n, sizeof *sizes, by_value);
  size_t kept = 0;
  for (size_t i = 0; i < n; i++)
    if (kept == 0 || sizes[kept - 1] != sizes[i]) sizes[kept++] = sizes[i];
  *n_sizes = kept;
  return sizes;
}

static void lay_out_messages(berth_cost_t *c, const uint64_t *sizes)
{
  size_t at = 0;
  for (size_t k = 0; k < c->n_phases; k++) {
    size_t count;
    const berth_message_t *m = berth_pattern_messages(c->pattern, k, &count);
    c->phase_start[k] = at;
    for (size_t i = 0; i < count; i++, at++) {
      const uint64_t *size = i && m[i].size == m[i - 1].size
                                 ? sizes + c->message[at - 1].size_index
                                 : bsearch(&m[i].size, sizes, c->n_sizes, sizeof *sizes, by_value);
      c->message[at] = (cost_message_t){m[i].src,          m[i].dst,           (int)(size - sizes),
                                        (double)m[i].size, (double)m[i].count, (double)m[i].bytes};
    }
  }
  c->phase_start[c->n_phases] = at;
}

/* The time of every message size on every curve that a resource has. */
static void tabulate_times(berth_cost_t *c, const uint64_t *sizes)
{
  for (int k = 0; k < berth_topo_n_curves(c->topo); k++) {
    if (c->curve_row[k] < 0) continue;
    double *row = c->times + (size_t)c->curve_row[k] * c->n_sizes;
    for (size_t i = 0; i < c->n_sizes; i++)
      row[i] = berth_curve_time(berth_topo_curve(c->topo, k), (double)sizes[i]);
  }
}

static int lay_out_pattern(berth_cost_t *c, berth_error_t *err)
{
  size_t total = 0;
  const berth_phase_t *phases = berth_pattern_phases(c->pattern, &c->n_phases);
  for (size_t k = 0; k < c->n_phases; k++) {
    size_t count;
    berth_pattern_messages(c->pattern, k, &count);
    total += count;
  }
  uint64_t *sizes = distinct_sizes(c, total, &c->n_sizes);
  c->phase_start = malloc((c->n_phases + 1) * sizeof *c->phase_start);
  c->repeats = malloc((c->n_phases + 1) * sizeof *c->repeats);
  c->message = malloc((total + 1) * sizeof *c->message);
  c->times = malloc(((size_t)c->n_rows * c->n_sizes + 1) * sizeof *c->times);
  if (!sizes || !c->phase_start || !c->repeats || !c->message || !c->times) {
    free(sizes);
    return berth_fail(err, BERTH_MISSING, "out of memory");
  }
  for (size_t k = 0; k < c->n_phases; k++) c->repeats[k] = (double)phases[k].repeats;
  tabulate_times(c, sizes);
  lay_out_messages(c, sizes);
  free(sizes);
  return BERTH_OK;
}

static int lay_out_topology(berth_cost_t *c, berth_error_t *err)
{
  int elements = berth_topo_n_elements(c->topo), pus = berth_topo_n_pus(c->topo);
  size_t most = (size_t)elements * BERTH_N_RESOURCE_KINDS;
  c->element = malloc((size_t)elements * sizeof *c->element);
  c->resource = malloc(most * sizeof *c->resource);
  c->pu_element = malloc((size_t)pus * sizeof *c->pu_element);
  c->curve_row = malloc(((size_t)berth_topo_n_curves(c->topo) + 1) * sizeof *c->curve_row);
  if (!c->element || !c->resource || !c->pu_element || !c->curve_row)
    return berth_fail(err, BERTH_MISSING, "out of memory");
  for (int k = 0; k < berth_topo_n_curves(c->topo); k++) c->curve_row[k] = -1;
  for (int e = 0; e < elements; e++) lay_out_element(c, e);
  for (int p = 0; p < pus; p++) c->pu_element[p] = berth_topo_pu(c->topo, p)->element;
  size_t n = (size_t)c->n_resources + 1;
  c->load = calloc(n, sizeof *c->load);
  c->rank_touched = malloc(n * sizeof *c->rank_touched);
  c->phase_touched = malloc(n * sizeof *c->phase_touched);
  if (!c->load || !c->rank_touched || !c->phase_touched)
    return berth_fail(err, BERTH_MISSING, "out of memory");
  return BERTH_OK;
}

berth_cost_t *berth_cost_new(const berth_pattern_t *p, const berth_topo_t *t, berth_error_t *err)
{
  berth_cost_t *c = calloc(1, sizeof *c);
  if (!c) {
    berth_fail(err, BERTH_MISSING, "out of memory");
    return NULL;
  }
  c->pattern = p;
  c->topo = t;
  if (lay_out_topology(c, err) == BERTH_OK && lay_out_pattern(c, err) == BERTH_OK) return c;
  berth_cost_free(c);
  return NULL;
}

void berth_cost_free(berth_cost_t *c)
{
  if (!c) return;
  free(c->element);
  free(c->resource);
  free(c->pu_element);
  free(c->curve_row);
  free(c->phase_start);
  free(c->repeats);
  free(c->message);
  free(c->times);
  free(c->load);
  free(c->rank_touched);
  free(c->phase_touched);
  cost_flow_free(c->flow);
  free(c);
}

int cost_path(const berth_cost_t *c, const cost_message_t *m, const int *pu_of_rank, int *path)
{
  if (m->src == m->dst) return 0;
  const cost_element_t *element = c->element;
  int a = c->pu_element[pu_of_rank[m->src]], b = c->pu_element[pu_of_rank[m->dst]], n = 0;
  if (a == b) {
    int shared = element[element[a].parent].self;
    if (element[a].down_out >= 0) path[n++] = element[a].down_out;
    if (shared >= 0) path[n++] = shared;
    if (element[a].down_in >= 0) path[n++] = element[a].down_in;
    return n;
  }
  while (a != b) {
    bool up_from_a = element[a].depth >= element[b].depth;
    const side_t *side = up_from_a ? &element[a].out : &element[b].in;
    for (int i = 0; i < side->n; i++) path[n++] = side->resource[i];
    if (up_from_a)
      a = element[a].parent;
    else
      b = element[b].parent;
  }
  if (element[a].self >= 0) path[n++] = element[a].self;
  return n;
}

double cost_message_time(const berth_cost_t *c, const cost_message_t *m, int resource)
{
  const cost_resource_t *r = &c->resource[resource];
  return r->curve < 0 ? m->size / r->capacity
                      : c->times[(size_t)r->curve * c->n_sizes + (size_t)m->size_index];
}

static void add_message(berth_cost_t *c, const cost_message_t *m, const int *pu_of_rank)
{
  int path[COST_PATH_MAX], n = cost_path(c, m, pu_of_rank, path);
  for (int i = 0; i < n; i++) {
    load_t *load = &c->load[path[i]];
    load->rank_time += m->count * cost_message_time(c, m, path[i]);
    load->rank_bytes += m->bytes;
    if (load->in_rank) continue;
    load->in_rank = true;
    c->rank_touched[c->n_rank_touched++] = path[i];
  }
}

/* Adds what one rank put on a resource to what the ranks before it did. */
static void add_rank_to_resource(load_t *load, double capacity, berth_model_t model)
{
  double time = load->rank_time, bytes = load->rank_bytes;
  double spare = capacity * load->cost - load->bytes, available = spare > 0 ? spare : 0;
  if (model == BERTH_MODEL_SUM)
    load->cost += time;
  else if (model == BERTH_MODEL_BOUND || bytes == 0)
    load->cost = time > load->cost ? time : load->cost;
  else if (available < bytes)
    load->cost += (bytes - available) / bytes * time; /* report, figure 4 */
  load->bytes += bytes;
}

static void add_rank(berth_cost_t *c, berth_model_t model)
{
  for (int i = 0; i < c->n_rank_touched; i++) {
    int r = c->rank_touched[i];
    load_t *load = &c->load[r];
    add_rank_to_resource(load, c->resource[r].capacity, model);
    load->rank_time = load->rank_bytes = 0;
    load->in_rank = false;
    if (load->in_phase) continue;
    load->in_phase = true;
    c->phase_touched[c->n_phase_touched++] = r;
  }
  c->n_rank_touched = 0;
}

double cost_phase(berth_cost_t *c, berth_model_t model, size_t phase, const int *pu_of_rank)
{
  const cost_message_t *m = c->message + c->phase_start[phase];
  const cost_message_t *end = c->message + c->phase_start[phase + 1];
  for (; m < end; m++) {
    add_message(c, m, pu_of_rank);
    if (m + 1 == end || m[1].src != m->src) add_rank(c, model);
  }
  double total = 0, largest = 0;
  for (int i = 0; i < c->n_phase_touched; i++) {
    load_t *load = &c->load[c->phase_touched[i]];
    double full = load->bytes / c->resource[c->phase_touched[i]].capacity;
    if (model == BERTH_MODEL_BOUND && full > load->cost) load->cost = full;
    total += load->cost;
    if (load->cost > largest) largest = load->cost;
  }
  return model == BERTH_MODEL_SUM ? total : largest;
}

void cost_phase_clear(berth_cost_t *c)
{
  for (int i = 0; i < c->n_phase_touched; i++) c->load[c->phase_touched[i]] = (load_t){0};
  c->n_phase_touched = 0;
}

double berth_cost_evaluate(berth_cost_t *c, berth_model_t model, const int *pu_of_rank)
{
  double cost = 0;
  if (model == BERTH_MODEL_FLOW) return cost_flow_evaluate(c, pu_of_rank);
  for (size_t k = 0; k < c->n_phases; k++) {
    cost += c->repeats[k] * cost_phase(c, model, k, pu_of_rank);
    cost_phase_clear(c);
  }
  return cost;
}
