/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes the simplified model of a problem for search_port. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "base/order.h"
#include "map/map_graph.h"
#include "map/search_port/search_port.h"
#include "pattern/phase_find.h"

/* Seconds for a byte, by the capacity alone and by the curve. */
typedef struct price {
  double time, sum_time;
} price_t;

typedef struct layout {
  port_model_t *model;
  const berth_topo_t *topo;
  double *curve_time; /* by curve: for an average byte of the pattern */
  int *of_element;    /* by switch: its node, or the next one above */
} layout_t;

static price_t price_of(const layout_t *l, const berth_port_dir_t *dir)
{
  if (dir->curve < 0 && dir->capacity <= 0) return (price_t){0, 0};
  double time = 1 / dir->capacity;
  return (price_t){time, dir->curve < 0 ? time : l->curve_time[dir->curve]};
}

static void add_price(const port_model_t *m, int node, int load, price_t price)
{
  double *time = &m->time[(size_t)node * PORT_LOADS + (size_t)load];
  if (price.time > *time) *time = price.time;
  m->sum_time[(size_t)node * PORT_LOADS + (size_t)load] += price.sum_time;
}

/* Seconds for a byte of the pattern's messages on a curve, on average. */
static double average_time(const berth_pattern_t *p, const berth_curve_t *curve)
{
  size_t n_phases, n;
  const berth_phase_t *phase = berth_pattern_phases(p, &n_phases);
  double time = 0, bytes = 0;
  for (size_t k = 0; k < n_phases; k++) {
    const berth_message_t *m = berth_pattern_messages(p, k, &n);
    for (size_t i = 0; i < n; i++) {
      double times = (double)phase[k].repeats * (double)m[i].count;
      time += times * berth_curve_time(curve, (double)m[i].size);
      bytes += (double)phase[k].repeats * (double)m[i].bytes;
    }
  }
  return bytes > 0 ? time / bytes : 0;
}

/* --- the tree --- */

/* Adds a node with the costs of its element's ports. */
static int add_node(const layout_t *l, int e, int parent)
{
  port_model_t *m = l->model;
  const berth_element_t *element = berth_topo_element(l->topo, e);
  int node = m->n_nodes++;
  m->node[node] = (port_node_t){.parent = parent, .size = 1, .is_pu = element->type < 0};
  if (parent >= 0) m->node[node].depth = m->node[parent].depth + 1;
  if (element->parent >= 0) {
    int above = berth_topo_element(l->topo, element->parent)->type;
    const berth_port_t *down = &berth_topo_type(l->topo, above)->down;
    add_price(m, node, PORT_OUT, price_of(l, &down->out));
    add_price(m, node, PORT_IN, price_of(l, &down->in));
  }
  if (element->type < 0) return node;
  const berth_type_t *type = berth_topo_type(l->topo, element->type);
  if (element->parent >= 0) {
    add_price(m, node, PORT_OUT, price_of(l, &type->up.out));
    add_price(m, node, PORT_IN, price_of(l, &type->up.in));
  }
  if (type->capacity > 0)
    add_price(m, node, PORT_CROSS, (price_t){1 / type->capacity, 1 / type->capacity});
  return node;
}

static bool costs(const port_model_t *m, int node)
{
  const double *time = &m->time[(size_t)node * PORT_LOADS];
  return time[PORT_OUT] > 0 || time[PORT_IN] > 0 || time[PORT_CROSS] > 0;
}

/* Adds a node for each switch that has a cost, or whose parent has a cost as a switch: messages
 * that turn round below must not cross the parent. */
static void add_switch(const layout_t *l, int e)
{
  port_model_t *m = l->model;
  const berth_element_t *element = berth_topo_element(l->topo, e);
  int parent = element->parent < 0 ? -1 : l->of_element[element->parent];
  int node = add_node(l, e, parent);
  bool needed =
      parent < 0 || costs(m, node) || m->time[(size_t)parent * PORT_LOADS + PORT_CROSS] > 0;
  if (!needed) m->n_nodes--;
  l->of_element[e] = needed ? node : parent;
}

/* Whether the cost of PUs' ports may depend on the placement: ranks share them, or they differ. */
static bool pus_matter(const berth_map_problem_t *problem)
{
  const berth_topo_t *t = problem->topo;
  int first = -1;
  bool cost = false, differ = false, shared = false;
  for (int i = 0; i < problem->n_pus; i++) {
    int e = berth_topo_pu(t, problem->pus[i])->element;
    int type = berth_topo_element(t, berth_topo_element(t, e)->parent)->type;
    const berth_port_t *down = &berth_topo_type(t, type)->down;
    cost |= down->out.curve >= 0 || down->out.capacity > 0 || down->in.curve >= 0 ||
            down->in.capacity > 0;
    differ |= first >= 0 && type != first;
    shared |= i > 0 && problem->pus[i] == problem->pus[i - 1];
    first = type;
  }
  return cost && (differ || shared);
}

static void add_places(const layout_t *l, bool with_pus)
{
  port_model_t *m = l->model;
  const berth_map_problem_t *problem = m->problem;
  int n = berth_topo_n_elements(l->topo), i = 0;
  for (int e = 0, pu = 0; e < n; e++) {
    const berth_element_t *element = berth_topo_element(l->topo, e);
    if (element->type >= 0) {
      add_switch(l, e);
      continue;
    }
    int leaf = l->of_element[element->parent], here = pu++;
    if (i == problem->n_pus || problem->pus[i] != here) continue;
    if (with_pus) leaf = add_node(l, e, leaf);
    for (; i < problem->n_pus && problem->pus[i] == here; i++) m->leaf[i] = leaf;
  }
}

/* Counts each subtree's nodes; a parent's number is below its children's. */
static void count_subtrees(port_model_t *m)
{
  for (int v = 0; v < m->n_nodes; v++) {
    port_node_t *node = &m->node[v];
    node->place = m->n_places;
    node->places = node->height = 0;
    node->size = 1;
  }
  for (int i = m->n_places - 1; i >= 0; i--) {
    port_node_t *leaf = &m->node[m->leaf[i]];
    leaf->place = i;
    leaf->places++;
  }
  for (int v = m->n_nodes - 1; v > 0; v--) {
    port_node_t *above = &m->node[m->node[v].parent];
    above->size += m->node[v].size;
    above->places += m->node[v].places;
    if (m->node[v].place < above->place) above->place = m->node[v].place;
    int height = m->node[v].height + 1;
    if (height > above->height) above->height = height;
  }
  m->height = m->node[0].height;
}

static int lay_out_tree(port_model_t *m, double sum_share, berth_error_t *err)
{
  const berth_topo_t *t = m->problem->topo;
  size_t elements = (size_t)berth_topo_n_elements(t), curves = (size_t)berth_topo_n_curves(t);
  layout_t l = {.model = m, .topo = t};
  l.curve_time = malloc((curves + 1) * sizeof *l.curve_time);
  l.of_element = malloc(elements * sizeof *l.of_element);
  m->node = malloc(elements * sizeof *m->node);
  m->time = calloc(elements * PORT_LOADS, sizeof *m->time);
  m->sum_time = calloc(elements * PORT_LOADS, sizeof *m->sum_time);
  m->leaf = malloc((size_t)m->n_places * sizeof *m->leaf);
  bool some = l.curve_time && l.of_element && m->node && m->time && m->sum_time && m->leaf;
  for (size_t i = 0; some && i < curves; i++)
    l.curve_time[i] = average_time(m->problem->pattern, berth_topo_curve(t, (int)i));
  if (some) add_places(&l, pus_matter(m->problem));
  if (some) count_subtrees(m);
  for (size_t i = 0; some && i < (size_t)m->n_nodes * PORT_LOADS; i++) m->sum_time[i] *= sum_share;
  free(l.curve_time);
  free(l.of_element);
  return some ? BERTH_OK : no_memory(err);
}

/* --- the pattern --- */

static void count_links(port_model_t *m)
{
  size_t n, n_phases, *at = m->first_link + 1; /* while filling: where a rank's next link goes */
  (void)berth_pattern_phases(m->problem->pattern, &n_phases);
  for (size_t k = 0; k < n_phases; k++) {
    const berth_message_t *msg = berth_pattern_messages(m->problem->pattern, k, &n);
    for (size_t i = 0; i < n; i++) {
      if (msg[i].src == msg[i].dst || msg[i].bytes == 0) continue;
      at[msg[i].src + 1]++;
      at[msg[i].dst + 1]++;
    }
  }
  for (int r = 0; r < m->n_ranks; r++) at[r + 1] += at[r];
}

static void fill_links(port_model_t *m)
{
  size_t n, n_phases, *at = m->first_link + 1;
  (void)berth_pattern_phases(m->problem->pattern, &n_phases);
  for (size_t k = 0; k < n_phases; k++) {
    const berth_message_t *msg = berth_pattern_messages(m->problem->pattern, k, &n);
    for (size_t i = 0; i < n; i++) {
      if (msg[i].src == msg[i].dst || msg[i].bytes == 0) continue;
      int phase = m->phase_of[k];
      double bytes = m->scale[k] * (double)msg[i].bytes;
      m->link[at[msg[i].src]++] = (port_link_t){.other = msg[i].dst, .phase = phase, .out = bytes};
      m->link[at[msg[i].dst]++] = (port_link_t){.other = msg[i].src, .phase = phase, .in = bytes};
    }
  }
}

ORDER_BY(by_phase_and_rank, port_link_t, RISING(phase) RISING(other))

/* Sorts a rank's links, and merges links with equal phase and other rank. */
static void merge_links(port_model_t *m)
{
  size_t kept = 0, end = 0;
  for (int r = 0; r < m->n_ranks; r++) {
    size_t first = end, mine = kept;
    end = m->first_link[r + 1];
    qsort(m->link + first, end - first, sizeof *m->link, by_phase_and_rank);
    for (size_t i = first; i < end; i++) {
      const port_link_t *from = &m->link[i];
      if (kept == mine || by_phase_and_rank(&m->link[kept - 1], from) != 0) {
        m->link[kept++] = *from;
        continue;
      }
      m->link[kept - 1].out += from->out;
      m->link[kept - 1].in += from->in;
    }
    m->first_link[r] = mine;
  }
  m->first_link[m->n_ranks] = kept;
}

/* Sets each link's rank and the index of the other end's link. */
static void find_backs(port_model_t *m)
{
  for (int r = 0; r < m->n_ranks; r++)
    for (size_t i = m->first_link[r]; i < m->first_link[r + 1]; i++) {
      port_link_t *link = &m->link[i], key = {.other = r, .phase = link->phase};
      const port_link_t *there = m->link + m->first_link[link->other];
      size_t n = m->first_link[link->other + 1] - m->first_link[link->other];
      const port_link_t *back = bsearch(&key, there, n, sizeof *there, by_phase_and_rank);
      link->rank = r;
      link->back = (int)(back - m->link);
    }
}

static int lay_out_pattern(port_model_t *m, berth_error_t *err)
{
  const berth_pattern_t *p = m->problem->pattern;
  size_t ranks = (size_t)m->n_ranks, messages = pattern_n_messages(p);
  int rc = port_model_phases(m, err);
  if (rc) return rc;
  m->first_link = calloc(ranks + 2, sizeof *m->first_link);
  m->link = malloc((2 * messages + 1) * sizeof *m->link);
  if (!m->first_link || !m->link) return no_memory(err);
  count_links(m);
  fill_links(m);
  merge_links(m);
  find_backs(m);
  return BERTH_OK;
}

/* If all pairs exchange equal amounts in both directions, what leaves a subtree equals what enters
 * it. One load then stands for both. */
static void merge_directions(port_model_t *m)
{
  for (size_t i = 0; i < m->first_link[m->n_ranks]; i++)
    if (m->link[i].out != m->link[i].in) return;
  for (int v = 0; v < m->n_nodes; v++) {
    double *time = &m->time[(size_t)v * PORT_LOADS], *sum = &m->sum_time[(size_t)v * PORT_LOADS];
    if (time[PORT_IN] > time[PORT_OUT]) time[PORT_OUT] = time[PORT_IN];
    sum[PORT_OUT] += sum[PORT_IN];
    time[PORT_IN] = sum[PORT_IN] = 0;
  }
}

int port_model_init(port_model_t *m, const map_pricer_t *pricer, berth_error_t *err)
{
  const berth_map_problem_t *problem = pricer->problem;
  *m = (port_model_t){.problem = problem,
                      .n_ranks = berth_pattern_ranks(problem->pattern),
                      .n_places = problem->n_pus,
                      .cost_share = pricer->cost_share};
  double sum_share = pricer->sum_share;
  if (problem->options.objective == BERTH_MODEL_SUM) {
    sum_share = m->cost_share;
    m->cost_share = 0;
  }
  m->has_sum = sum_share > 0;
  int rc = lay_out_tree(m, sum_share, err);
  if (!rc) rc = lay_out_pattern(m, err);
  if (rc)
    port_model_clear(m);
  else
    merge_directions(m);
  return rc;
}

/* Copies the nodes down to a depth. of_node gets each node's new number, or that of the next node
 * above. */
static void copy_nodes(port_model_t *m, const port_model_t *whole, int depth, int *of_node)
{
  m->n_nodes = 0;
  for (int v = 0; v < whole->n_nodes; v++) {
    const port_node_t *node = &whole->node[v];
    if (node->depth > depth) {
      of_node[v] = of_node[node->parent];
      continue;
    }
    int at = of_node[v] = m->n_nodes++;
    memcpy(m->time + (size_t)at * PORT_LOADS, whole->time + (size_t)v * PORT_LOADS,
           PORT_LOADS * sizeof *m->time);
    memcpy(m->sum_time + (size_t)at * PORT_LOADS, whole->sum_time + (size_t)v * PORT_LOADS,
           PORT_LOADS * sizeof *m->sum_time);
    m->node[at] = *node;
    if (node->parent >= 0) m->node[at].parent = of_node[node->parent];
    if (node->depth == depth &&
        node->height > 0) { /* messages that turn round below are unknown now */
      m->time[(size_t)at * PORT_LOADS + PORT_CROSS] = 0;
      m->sum_time[(size_t)at * PORT_LOADS + PORT_CROSS] = 0;
    }
  }
}

int port_model_cut(port_model_t *m, const port_model_t *whole, int depth, berth_error_t *err)
{
  size_t nodes = (size_t)whole->n_nodes;
  *m = *whole;
  m->is_cut = true;
  m->node = malloc(nodes * sizeof *m->node);
  m->time = malloc(nodes * PORT_LOADS * sizeof *m->time);
  m->sum_time = malloc(nodes * PORT_LOADS * sizeof *m->sum_time);
  m->leaf = malloc((size_t)m->n_places * sizeof *m->leaf);
  int *of_node = malloc(nodes * sizeof *of_node);
  bool some = m->node && m->time && m->sum_time && m->leaf && of_node;
  if (some) {
    copy_nodes(m, whole, depth, of_node);
    for (int i = 0; i < m->n_places; i++) m->leaf[i] = of_node[whole->leaf[i]];
    count_subtrees(m);
  } else {
    port_model_clear(m);
  }
  free(of_node);
  return some ? BERTH_OK : no_memory(err);
}

bool port_model_fits(const port_model_t *m, int states)
{
  enum { LOADS_MAX = 1 << 26 }; /* 16 bytes each, for each thread */
  return (size_t)m->n_nodes * PORT_LOADS <= LOADS_MAX / (size_t)states / (size_t)m->n_phases &&
         m->first_link[m->n_ranks] <= INT_MAX;
}

/* --- depths that matter --- */

/* Relative to the busiest load; loads below it don't matter. */
static const double NEARLY = 0.6;

static int falling(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x < y) - (x > y);
}

/* Computes the maximum that any n ranks exchange in a phase, for all n from 0 on. link[] has the
 * index of each rank's first link of that phase, and gets that of the next phase. */
static void add_up_busiest(const port_model_t *m, int phase, size_t *link, double *max)
{
  int n = 0; /* ranks that exchange anything */
  max[0] = 0;
  for (int r = 0; r < m->n_ranks; r++) {
    double bytes = 0;
    for (; link[r] < m->first_link[r + 1] && m->link[link[r]].phase == phase; link[r]++)
      bytes += fmax(m->link[link[r]].out, m->link[link[r]].in);
    if (bytes > 0) max[++n] = bytes;
  }
  qsort(max + 1, (size_t)n, sizeof *max, falling);
  for (int r = 0; r < m->n_ranks; r++) max[r + 1] = max[r] + (r < n ? max[r + 1] : 0);
}

/* The deepest node whose loads may take that long. */
static int deepest(const port_model_t *m, const double *max, double limit, int depth)
{
  for (int v = 0; v < m->n_nodes; v++) {
    const port_node_t *node = &m->node[v];
    const double *time = &m->time[(size_t)v * PORT_LOADS];
    double bytes = max[node->places < m->n_ranks ? node->places : m->n_ranks];
    double crossing = 2 * bytes * time[PORT_CROSS]; /* the children count, too */
    if (node->depth > depth && bytes * fmax(time[PORT_OUT], time[PORT_IN]) >= limit)
      depth = node->depth;
    if (node->depth >= depth && crossing >= limit) depth = node->depth + (node->height > 0);
  }
  return depth;
}

int port_model_depth(const port_model_t *m, const int *pu_of_rank, int *depth, berth_error_t *err)
{
  port_state_t s;
  int rc = port_state_init(&s, m, pu_of_rank, err);
  if (rc) return rc;
  size_t ranks = (size_t)m->n_ranks;
  double *max = malloc((ranks + 1) * sizeof *max);
  size_t *link = malloc((ranks + 1) * sizeof *link);
  rc = max && link ? BERTH_OK : no_memory(err);
  if (!rc) memcpy(link, m->first_link, ranks * sizeof *link);
  port_state_add_up(&s, 0);
  *depth = 0;
  for (int k = 0; k < m->n_phases && !rc; k++) {
    add_up_busiest(m, k, link, max);
    *depth = deepest(m, max, NEARLY * port_state_largest(&s, k), *depth);
  }
  free(max);
  free(link);
  port_state_clear(&s);
  return rc;
}

void port_model_clear(port_model_t *m)
{
  free(m->node);
  free(m->time);
  free(m->sum_time);
  free(m->leaf);
  if (!m->is_cut) {
    free(m->repeats);
    free(m->phase_of);
    free(m->scale);
    free(m->first_link);
    free(m->link);
  }
  *m = (port_model_t){0};
}
