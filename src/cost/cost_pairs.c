/* SPDX-License-Identifier: BSD-3-Clause */
/* Prepares the pattern for evaluations: pairs of ranks with bytes and times on each curve.
 *
 * All messages of a phase from one rank to another form a pair.
 *
 * Values are whole numbers of a unit. The unit is a power of two that depends on a phase's total,
 * so that no sum overflows. Sums are therefore exact in any order, and a million swaps don't make
 * them drift. A unit of time is at most 2^-60 of the phase's total. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/no_memory.h"
#include "cost/cost_internal.h"
#include "cost/cost_slot.h"
#include "pattern/dense.h"

enum { SUM_BITS = 61 }; /* bits of a phase's total in units; rounding may add less than one bit */

/* The smallest power of two of which `total` has less than 2^SUM_BITS. For small totals, the
 * smallest one that keeps doubles exact. */
static double unit_for(double total)
{
  int exponent;
  frexp(total, &exponent);
  if (exponent - SUM_BITS < DBL_MIN_EXP) exponent = DBL_MIN_EXP + SUM_BITS;
  return total > 0 ? ldexp(1, exponent - SUM_BITS) : 1;
}

/* Refuses bandwidths so low that a phase's time overflows a double. */
static int check_total(const berth_cost_t *c, size_t k, double seconds, berth_error_t *err)
{
  size_t n;
  if (isfinite(seconds)) return BERTH_OK;
  return berth_fail(
      err, BERTH_BAD_INPUT,
      "phase %d: found messages that take more than %.2g s on the topology's ports, expected less",
      berth_pattern_phases(c->pattern, &n)[k].id, DBL_MAX);
}

/* Times of recent sizes on all curves in use, by a hash of the size. */
typedef struct time_cache {
  const berth_curve_t **curve; /* by column; NULL for columns of bytes */
  int n_columns;
  uint64_t *size;
  bool *known;
  double *time; /* [entry][column] */
} time_cache_t;

enum { CACHE_BITS = 10, CACHE_SIZE = 1 << CACHE_BITS };

static const double *message_times(time_cache_t *cache, uint64_t size)
{
  size_t at = (size * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - CACHE_BITS);
  double *time = cache->time + at * (size_t)cache->n_columns;
  if (cache->known[at] && cache->size[at] == size) return time;
  for (int j = 0; j < cache->n_columns; j++)
    if (cache->curve[j]) time[j] = berth_curve_time(cache->curve[j], (double)size);
  cache->size[at] = size;
  cache->known[at] = true;
  return time;
}

static void cache_clear(time_cache_t *cache)
{
  free(cache->curve);
  free(cache->size);
  free(cache->known);
  free(cache->time);
}

static bool cache_init(time_cache_t *cache, const berth_cost_t *c)
{
  size_t n = (size_t)c->n_columns;
  *cache = (time_cache_t){
      calloc(n, sizeof *cache->curve), c->n_columns, calloc(CACHE_SIZE, sizeof *cache->size),
      calloc(CACHE_SIZE, sizeof *cache->known), calloc(CACHE_SIZE * n, sizeof *cache->time)};
  if (!cache->curve || !cache->size || !cache->known || !cache->time) return false;
  for (int i = 0; i < c->n_classes; i++)
    if (c->class[i].curve >= 0 && c->class[i].column > 0)
      cache->curve[c->class[i].column] = berth_topo_curve(c->topo, c->class[i].curve);
  return true;
}

/* The messages of a phase that form pairs: those of a dense one are counted. */
static const berth_message_t *listed(const berth_cost_t *c, size_t k, size_t *n)
{
  const berth_message_t *m = berth_pattern_messages(c->pattern, k, n);
  if (pattern_dense(c->pattern, k)) *n = 0;
  return m;
}

/* Whether some message's bytes differ from size * count, because sizes were binned. */
static bool sizes_are_binned(const berth_cost_t *c)
{
  for (size_t k = 0; k < c->n_phases; k++) {
    size_t n;
    const berth_message_t *m = listed(c, k, &n);
    for (size_t i = 0; i < n; i++)
      if (m[i].size * m[i].count != m[i].bytes) return true;
  }
  return false;
}

/* Numbers the columns of a pair's values. Column 0 is bytes. If sizes are binned, column 1 is size
 * * count, from which resources without a curve take their times. Then each curve in use has a
 * column; curves of PUs' ports only are last. */
static int give_columns(berth_cost_t *c, berth_error_t *err)
{
  int *of_curve = malloc(((size_t)berth_topo_n_curves(c->topo) + 1) * sizeof *of_curve);
  if (!of_curve) return no_memory(err);
  for (int k = 0; k < berth_topo_n_curves(c->topo); k++) of_curve[k] = -1;
  int nominal = sizes_are_binned(c) ? 1 : 0;
  c->n_columns = c->n_switch_columns = nominal + 1;
  for (int s = 0; s < c->n_slots; s++) { /* switches' slots first, then PUs' */
    cost_class_t *class = &c->class[c->slot[s].class];
    if (class->curve >= 0 && of_curve[class->curve] < 0) of_curve[class->curve] = c->n_columns++;
    class->column = class->curve < 0 ? nominal : of_curve[class->curve];
    if (s < c->node[c->n_switches].first) c->n_switch_columns = c->n_columns;
  }
  free(of_curve);
  for (int s = 0; s < c->n_slots; s++) {
    const cost_class_t *class = &c->class[c->slot[s].class];
    c->slot[s].column = class->column;
    c->slot[s].weight = (c->slot[s].resource[1] < 0 ? 1 : 2) * class->seconds;
  }
  return BERTH_OK;
}

/* Adds a message to sums of bytes and seconds by column. */
static void add_message(time_cache_t *cache, const berth_message_t *m, double *sum)
{
  const double *time = message_times(cache, m->size);
  double count = (double)m->count;
  for (int j = 0; j < cache->n_columns; j++)
    sum[j] += j == 0            ? (double)m->bytes
              : cache->curve[j] ? count * time[j]
                                : (double)m->size * count;
}

static int choose_units(berth_cost_t *c, time_cache_t *cache, size_t k, double *total,
                        berth_error_t *err)
{
  size_t n, columns = (size_t)c->n_columns;
  const berth_message_t *m = listed(c, k, &n);
  for (size_t j = 0; j < columns; j++) total[j] = 0;
  for (size_t i = 0; i < n; i++)
    if (m[i].src != m[i].dst) add_message(cache, &m[i], total);
  for (size_t j = 0; j < columns; j++) {
    if (check_total(c, k, total[j], err)) return BERTH_BAD_INPUT;
    double unit = unit_for(total[j]);
    bool counts_bytes = !cache->curve[j];
    c->unit[k * columns + j] = counts_bytes && unit < 1 ? 1 : unit;
  }
  return BERTH_OK;
}

/* Writes one pair's values. Values above 0 are at least one unit. */
static void put_pair(berth_cost_t *c, size_t k, size_t i, const double *sum)
{
  size_t columns = (size_t)c->n_columns;
  for (size_t j = 0; j < columns; j++) {
    double units = sum[j] / c->unit[k * columns + j];
    c->value[i * columns + j] = units > 0 && units < 1 ? 1 : (int64_t)(units + 0.5);
  }
}

/* Writes the pairs of a phase from c->phase[k] on, and sets the start of the next phase. */
static int put_phase(berth_cost_t *c, time_cache_t *cache, size_t k, double *sum,
                     berth_error_t *err)
{
  size_t n, at = c->phase[k].first_pair, sender = c->phase[k].first_sender;
  const berth_message_t *m = listed(c, k, &n);
  if (choose_units(c, cache, k, sum, err)) return BERTH_BAD_INPUT;
  for (size_t i = 0; i < n;) {
    const berth_message_t *pair = &m[i];
    for (int j = 0; j < c->n_columns; j++) sum[j] = 0;
    for (; i < n && m[i].src == pair->src && m[i].dst == pair->dst; i++)
      add_message(cache, &m[i], sum);
    if (pair->src == pair->dst) continue;
    if (sender == c->phase[k].first_sender || c->sender[sender - 1].rank != pair->src)
      c->sender[sender++] = (cost_sender_t){pair->src, 0};
    c->sender[sender - 1].n_pairs++;
    c->src[at] = pair->src;
    c->dst[at] = pair->dst;
    put_pair(c, k, at++, sum);
  }
  c->phase[k + 1].first_pair = at;
  c->phase[k + 1].first_sender = sender;
  return BERTH_OK;
}

/* Counts the pairs and senders of all phases. */
static void count_pairs(const berth_cost_t *c, size_t *pairs, size_t *senders)
{
  *pairs = *senders = 0;
  for (size_t k = 0; k < c->n_phases; k++) {
    size_t n;
    int src = -1, dst = -1, sender = -1;
    const berth_message_t *m = listed(c, k, &n);
    for (size_t i = 0; i < n; i++) {
      if (m[i].src == m[i].dst || (m[i].src == src && m[i].dst == dst)) continue;
      src = m[i].src;
      dst = m[i].dst;
      *senders += src != sender;
      sender = src;
      ++*pairs;
    }
  }
}

static bool allocate_pairs(berth_cost_t *c)
{
  size_t pairs, senders, columns = (size_t)c->n_columns;
  count_pairs(c, &pairs, &senders);
  c->phase = calloc(c->n_phases + 1, sizeof *c->phase);
  c->unit = malloc(c->n_phases * columns * sizeof *c->unit);
  c->sender = malloc((senders + 1) * sizeof *c->sender);
  c->src = malloc((pairs + 1) * sizeof *c->src);
  c->dst = malloc((pairs + 1) * sizeof *c->dst);
  c->value = malloc((pairs + 1) * columns * sizeof *c->value);
  c->below = calloc(((size_t)c->height + 1) * (columns + 1), sizeof *c->below);
  c->sent = malloc((columns + 1) * sizeof *c->sent);
  return c->sent && c->phase && c->unit && c->sender && c->src && c->dst && c->value && c->below;
}

/* --- values that don't depend on the placement --- */

static bool slots_alike(const berth_cost_t *c, const cost_node_t *a, const cost_node_t *b)
{
  if (a->self - a->first != b->self - b->first || a->in - a->self != b->in - b->self ||
      a->end - a->in != b->end - b->in)
    return false;
  for (int i = 0; i < a->end - a->first; i++) {
    const cost_slot_t *p = &c->slot[a->first + i], *q = &c->slot[b->first + i];
    if (p->class != q->class || p->weight != q->weight) return false;
  }
  return true;
}

static void add_prices(const berth_cost_t *c, int from, int to, double *price)
{
  for (int s = from; s < to; s++) price[c->slot[s].column] += c->slot[s].weight;
}

/* Fills c->path_price if all nodes of a depth have the same slots. The cost of a way then depends
 * only on the depth of the lowest common ancestor. */
static int tabulate_paths(berth_cost_t *c, berth_error_t *err)
{
  int first_of_depth[BERTH_MAX_DEPTH];
  if (!c->even_depth || !c->leaves_alike) return BERTH_OK;
  for (int d = 0; d <= c->height; d++) first_of_depth[d] = -1;
  for (int i = 0; i < c->n_switches; i++) {
    int *first = &first_of_depth[c->node[i].depth];
    if (*first < 0) *first = i;
    if (!slots_alike(c, &c->node[*first], &c->node[i])) return BERTH_OK;
  }
  size_t columns = (size_t)c->n_columns;
  c->path_price = calloc((size_t)c->height * columns, sizeof *c->path_price);
  if (!c->path_price) return no_memory(err);
  const cost_node_t *pu = &c->node[c->n_switches];
  for (int d = 0; d < c->height; d++) {
    double *price = c->path_price + (size_t)d * columns;
    add_prices(c, pu->first, pu->end, price);
    for (int up = pu->parent; c->node[up].depth > d; up = c->node[up].parent) {
      add_prices(c, c->node[up].first, c->node[up].in, price);
      add_prices(c, c->node[up].self, c->node[up].end, price);
    }
    const cost_node_t *top = &c->node[first_of_depth[d]];
    add_prices(c, top->self, top->in, price);
  }
  return BERTH_OK;
}

/* An upper bound of a way's price, by column: twice the most expensive way to the root. */
static void max_cost_way(const berth_cost_t *c, double *below, double *max_cost)
{
  size_t columns = (size_t)c->n_columns;
  int nodes = c->n_switches + berth_topo_n_pus(c->topo);
  for (size_t j = 0; j < columns; j++) max_cost[j] = 0;
  for (int i = 0; i < nodes; i++) {
    double *price = below + (size_t)(i < c->n_switches ? i : c->n_switches) * columns;
    for (size_t j = 0; j < columns; j++)
      price[j] = i == 0 ? 0 : below[(size_t)c->node[i].parent * columns + j];
    add_prices(c, c->node[i].first, c->node[i].end, price);
    for (size_t j = 0; j < columns; j++)
      if (2 * price[j] > max_cost[j]) max_cost[j] = 2 * price[j];
  }
}

static int choose_sum_units(berth_cost_t *c, berth_error_t *err)
{
  size_t columns = (size_t)c->n_columns;
  double *below = malloc(((size_t)c->n_switches + 2) * columns * sizeof *below);
  if (!below) return no_memory(err);
  double *max_cost = below + ((size_t)c->n_switches + 1) * columns;
  int rc = BERTH_OK;
  max_cost_way(c, below, max_cost);
  for (size_t k = 0; k < c->n_phases && !rc; k++) {
    double max = 0;
    for (size_t i = cost_first_pair(c, k); i < cost_first_pair(c, k + 1); i++)
      for (size_t j = 0; j < columns; j++)
        max += (double)c->value[i * columns + j] * c->unit[k * columns + j] * max_cost[j];
    rc = check_total(c, k, max, err);
    c->phase[k].sum_unit = unit_for(max);
  }
  free(below);
  return rc;
}

/* --- PUs' ports if no two ranks share a PU: a rank's traffic doesn't depend on its PU, so with
 * equal ports the most expensive one is known beforehand. --- */

static void add_to_leaf(const berth_cost_t *c, size_t k, const cost_slot_t *slot, cost_load_t *load,
                        int64_t bytes, int64_t time)
{
  *load = load->phase == (int64_t)k + 1 ? *load : (cost_load_t){.phase = (int64_t)k + 1};
  load->cost =
      cost_port_step(c->class[slot->class].capacity, load->cost, cost_slot_bytes(c, k, load->bytes),
                     cost_slot_time(c, k, slot, time), cost_slot_bytes(c, k, bytes));
  load->bytes += bytes;
  if (time > load->time) load->time = time;
}

static void see_leaf(berth_cost_t *c, size_t k, const cost_slot_t *slot, const cost_load_t *load)
{
  double *leaf = c->phase[k].leaf, bound = cost_slot_bound(c, k, slot, load->bytes, load->time);
  if (load->cost > leaf[BERTH_MODEL_PORT]) leaf[BERTH_MODEL_PORT] = load->cost;
  if (bound > leaf[BERTH_MODEL_BOUND]) leaf[BERTH_MODEL_BOUND] = bound;
}

static void price_leaf_out(berth_cost_t *c, size_t k, const cost_slot_t *slot)
{
  size_t i = cost_first_pair(c, k), n = (size_t)c->n_columns;
  for (size_t s = c->phase[k].first_sender; s < c->phase[k + 1].first_sender; s++) {
    cost_load_t load = {0};
    int64_t bytes = 0, time = 0;
    for (size_t end = i + (size_t)c->sender[s].n_pairs; i < end; i++) {
      bytes += c->value[i * n];
      time += c->value[i * n + (size_t)slot->column];
    }
    add_to_leaf(c, k, slot, &load, bytes, time);
    see_leaf(c, k, slot, &load);
  }
}

static void price_leaf_in(berth_cost_t *c, size_t k, const cost_slot_t *slot, cost_load_t *of_rank)
{
  size_t n = (size_t)c->n_columns, first = cost_first_pair(c, k), end = cost_first_pair(c, k + 1);
  for (size_t i = first; i < end; i++)
    add_to_leaf(c, k, slot, &of_rank[c->dst[i]], c->value[i * n],
                c->value[i * n + (size_t)slot->column]);
  for (size_t i = first; i < end; i++) see_leaf(c, k, slot, &of_rank[c->dst[i]]);
}

static int price_leaves(berth_cost_t *c, berth_error_t *err)
{
  if (!c->leaves_cost || !c->leaves_alike) return BERTH_OK;
  cost_load_t *of_rank = calloc((size_t)berth_pattern_ranks(c->pattern), sizeof *of_rank);
  if (!of_rank) return no_memory(err);
  const cost_node_t *pu = &c->node[c->n_switches];
  for (size_t k = 0; k < c->n_phases; k++) {
    for (int s = pu->first; s < pu->self; s++) price_leaf_out(c, k, &c->slot[s]);
    for (int s = pu->in; s < pu->end; s++) price_leaf_in(c, k, &c->slot[s], of_rank);
  }
  free(of_rank);
  return BERTH_OK;
}

static int put_phases(berth_cost_t *c, berth_error_t *err)
{
  const berth_phase_t *phases = berth_pattern_phases(c->pattern, &c->n_phases);
  time_cache_t cache;
  double *sum = malloc((size_t)c->n_columns * sizeof *sum);
  bool room = cache_init(&cache, c) && sum;
  int rc = room ? BERTH_OK : no_memory(err);
  for (size_t k = 0; !rc && k < c->n_phases; k++) {
    c->phase[k].repeats = (double)phases[k].repeats;
    rc = put_phase(c, &cache, k, sum, err);
  }
  cache_clear(&cache);
  free(sum);
  return rc;
}

int cost_lay_out_pattern(berth_cost_t *c, berth_error_t *err)
{
  berth_pattern_phases(c->pattern, &c->n_phases);
  int rc = give_columns(c, err);
  if (!rc && !allocate_pairs(c)) rc = no_memory(err);
  if (!rc) rc = put_phases(c, err);
  if (!rc) rc = tabulate_paths(c, err);
  if (!rc) rc = choose_sum_units(c, err);
  return rc ? rc : price_leaves(c, err);
}
