/* SPDX-License-Identifier: BSD-3-Clause */
/* `exact`: finds the cheapest placement, by branch and bound.
 *
 * Ranks are placed one after the other: pinned ranks first, then each time the one that exchanges
 * most with those placed. A partial placement is evaluated with the messages among its ranks. This
 * is a lower bound for all placements that continue it:
 * - sum, bound: more messages never make a resource cheaper;
 * - flow is never below bound;
 * - port isn't monotone, because a rank before others on a resource can take time from them. But it
 *   is never below (bytes that messages have in any case) / capacity (proof in bound.c). So it is
 *   bounded by model bound on the same machine without curves.
 * Of equal empty subtrees only one is tried: an automorphism of the tree maps one to the other, and
 * models don't use the numbers of PUs. PUs that ranks would pay for leaving are unique. If sharing
 * a core has a cost, automorphisms must map cores to cores.
 *
 * The result is the cheapest placement except for rounding (MAP_EXACT_TO). */
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "base/order.h"
#include "map/map_draft.h"
#include "map/map_graph.h"
#include "map/map_watch.h"

enum { MAX_RANKS = 12 };
/* Maximum of evaluations of partial placements, a few microseconds each. Full evaluations take
 * longer if swaps don't know the price. */
enum { MAX_PRICED = 4000000, MAX_EVALUATED = 200000 };

typedef struct option {
  double price;
  int pu;
} option_t;

typedef struct branching {
  const berth_map_problem_t *problem;
  const berth_topo_t *topo;
  berth_topo_t *plain; /* for port: the machine without curves */
  map_pricer_t pricer;
  int ranks;
  int order[MAX_RANKS];
  const berth_pattern_t
      *part[MAX_RANKS]; /* messages among the first ranks, for each number of ranks */
  berth_cost_t *part_cost[MAX_RANKS], *part_sum[MAX_RANKS]; /* part_sum: for sum_share */
  int *kind;        /* by element: equal for equal subtrees */
  int *room;        /* places of each PU */
  int *whole_core;  /* by PU: the number of PUs of its core if that is a subtree, else 0 */
  int *inside;      /* ranks below each element */
  option_t *option; /* n_pus for each depth */
  int *placement, *best;
  double best_price;
  bool was_cut_short; /* some placements were not considered */
  long priced, max_priced;
} branching_t;

/* --- costs of partial placements
 * ---------------------------------------------------------------- */

/* A message as the bound counts it: in port with only the bytes and time that it has in any
 * case. */
static berth_message_t message_of_bound(const branching_t *b, const berth_message_t *m, int phase)
{
  berth_message_t out = *m;
  out.phase = phase;
  out.site = 0;
  if (!b->plain) return out;
  double whole = (double)m->size * (double)m->count;
  out.size = out.bytes = whole < (double)m->bytes ? m->size * m->count : m->bytes;
  out.count = 1;
  return out;
}

/* The messages among the first n ranks of the order. */
static berth_pattern_t *first_ranks(const branching_t *b, int n, berth_error_t *err)
{
  size_t n_phases, n_messages;
  const berth_phase_t *phases = berth_pattern_phases(b->problem->pattern, &n_phases);
  berth_pattern_t *p = berth_pattern_new(b->ranks, err);
  unsigned placed = 0;
  for (int i = 0; i < n; i++) placed |= 1u << b->order[i];
  int rc = p ? BERTH_OK : BERTH_MISSING;
  for (size_t k = 0; k < n_phases && !rc; k++) {
    const berth_message_t *m = berth_pattern_messages(b->problem->pattern, k, &n_messages);
    rc = berth_pattern_add_phase(p, &phases[k], err);
    for (size_t i = 0; i < n_messages && !rc; i++) {
      berth_message_t message = message_of_bound(b, &m[i], phases[k].id);
      if ((placed >> m[i].src & 1) && (placed >> m[i].dst & 1))
        rc = berth_pattern_add_message(p, &message, err);
    }
  }
  if (!rc) rc = berth_pattern_finish(p, err);
  if (!rc) return p;
  berth_pattern_free(p);
  return NULL;
}

static berth_topo_t *without_curves(const berth_topo_t *t, berth_error_t *err)
{
  berth_topo_t *plain = berth_topo_new(berth_topo_name(t), err);
  bool good = plain != NULL;
  for (int i = 0; good && i < berth_topo_n_types(t); i++) {
    berth_type_t type = *berth_topo_type(t, i);
    type.up.out.curve = type.up.in.curve = type.down.out.curve = type.down.in.curve = -1;
    good = berth_topo_add_type(plain, &type, err) == i;
  }
  for (int e = 0; good && e < berth_topo_n_elements(t); e++) {
    const berth_element_t *element = berth_topo_element(t, e);
    const char *name = berth_topo_element_name(t, e);
    if (element->type < 0) {
      const berth_pu_t *pu = berth_topo_pu(t, element->first_pu);
      good = berth_topo_add_pu(plain, element->parent, pu->os_index, pu->core, err) == e;
      continue;
    }
    bool is_host = element->host >= 0 && berth_topo_host(t, element->host)->element == e;
    const char *host = is_host ? berth_topo_host(t, element->host)->name : NULL;
    good = berth_topo_add_switch(plain, element->parent, element->type, name, host, err) == e;
  }
  if (good && berth_topo_finish(plain, err) == BERTH_OK) return plain;
  berth_topo_free(plain);
  return NULL;
}

static berth_model_t model_of_bound(const branching_t *b)
{
  bool sum = b->problem->options.objective == BERTH_MODEL_SUM;
  return sum ? BERTH_MODEL_SUM : BERTH_MODEL_BOUND;
}

/* A lower bound of the price, from the placement of the first n ranks. */
static double price_of_part(branching_t *b, int n)
{
  const berth_map_options_t *o = &b->problem->options;
  int moved = 0;
  b->priced++;
  for (int i = 0; i < n && o->from; i++)
    moved += o->from[b->order[i]] >= 0 && o->from[b->order[i]] != b->placement[b->order[i]];
  double price = b->pricer.cost_share *
                 berth_cost_evaluate(b->part_cost[n - 1], model_of_bound(b), b->placement);
  if (b->pricer.sharing)
    price += berth_sharing_of_some(b->pricer.sharing, (size_t)n, b->order, b->placement);
  if (b->part_sum[n - 1])
    price += b->pricer.sum_share *
             berth_cost_evaluate(b->part_sum[n - 1], BERTH_MODEL_SUM, b->placement);
  return price + moved * o->move_price_s;
}

static int prepare_prices(branching_t *b, berth_error_t *err)
{
  bool port = b->problem->options.objective == BERTH_MODEL_PORT;
  int rc = map_pricer_init(&b->pricer, b->problem, err);
  if (rc) return rc;
  if (port && !(b->plain = without_curves(b->topo, err))) return BERTH_MISSING;
  for (int n = 0; n < b->ranks; n++) {
    if (!(b->part[n] = first_ranks(b, n + 1, err))) return BERTH_MISSING;
    const berth_topo_t *t = b->plain ? b->plain : b->topo;
    b->part_cost[n] = berth_cost_new(b->part[n], t, err);
    if (!b->part_cost[n]) return BERTH_MISSING;
    if (b->pricer.sum_share > 0 && !(b->part_sum[n] = berth_cost_new(b->part[n], t, err)))
      return BERTH_MISSING;
  }
  return BERTH_OK;
}

/* --- equal subtrees
 * ------------------------------------------------------------------------------- */

ORDER_VALUES(by_int, int)

/* The kinds of an element's children, sorted. */
static int list_kinds(const branching_t *b, int e, int *kinds)
{
  const berth_element_t *element = berth_topo_element(b->topo, e);
  for (int i = 0, child = e + 1; i < element->n_children; i++) {
    kinds[i] = b->kind[child];
    child += berth_topo_element(b->topo, child)->size;
  }
  qsort(kinds, (size_t)element->n_children, sizeof *kinds, by_int);
  return element->n_children;
}

/* Whether leaving the PU has a price for some rank. */
static bool has_price(const branching_t *b, int pu)
{
  const berth_map_options_t *o = &b->problem->options;
  for (int r = 0; r < b->ranks && o->from && o->move_price_s > 0; r++)
    if (o->from[r] == pu) return true;
  return false;
}

ORDER_POINTERS_BY(by_core, berth_pu_t, RISING(host) RISING(core) RISING(element))

/* Finds the cores that are subtrees. */
static int find_whole_cores(branching_t *b, berth_error_t *err)
{
  int n = berth_topo_n_pus(b->topo);
  const berth_pu_t **pu = malloc((size_t)n * sizeof *pu);
  b->whole_core = malloc((size_t)n * sizeof *b->whole_core);
  if (!pu || !b->whole_core) {
    free(pu);
    return no_memory(err);
  }
  for (int i = 0; i < n; i++) pu[i] = berth_topo_pu(b->topo, i);
  qsort(pu, (size_t)n, sizeof *pu, by_core);
  for (int i = 0, end; i < n; i = end) {
    int parent = berth_topo_element(b->topo, pu[i]->element)->parent;
    bool together = true;
    for (end = i; end < n && pu[end]->host == pu[i]->host && pu[end]->core == pu[i]->core; end++)
      together &= berth_topo_element(b->topo, pu[end]->element)->parent == parent;
    int n_children = berth_topo_element(b->topo, parent)->n_children;
    bool whole = end == i + 1 || (together && n_children == end - i);
    for (int k = i; k < end; k++)
      b->whole_core[berth_topo_element(b->topo, pu[k]->element)->first_pu] = whole ? end - i : 0;
  }
  free(pu);
  return BERTH_OK;
}

/* Whether two PUs are equal as far as cores matter. A PU of a core that isn't a subtree equals only
 * PUs of the core with the same number, which keeps every core together. */
static bool alike_in_cores(const branching_t *b, int p, int q)
{
  if (!b->pricer.sharing) return true;
  if (b->whole_core[p] != b->whole_core[q]) return false;
  return b->whole_core[p] || berth_topo_pu(b->topo, p)->core == berth_topo_pu(b->topo, q)->core;
}

/* Whether the subtrees of two elements of one type are equal. Both lists are scratch space. */
static bool alike(const branching_t *b, int e, int f, int *kinds, int *others)
{
  const berth_element_t *x = berth_topo_element(b->topo, e), *y = berth_topo_element(b->topo, f);
  if (x->type != y->type || x->n_children != y->n_children) return false;
  if (x->type < 0)
    return b->room[x->first_pu] == b->room[y->first_pu] && !has_price(b, x->first_pu) &&
           !has_price(b, y->first_pu) && alike_in_cores(b, x->first_pu, y->first_pu);
  size_t n = (size_t)list_kinds(b, e, kinds);
  list_kinds(b, f, others);
  return memcmp(kinds, others, n * sizeof *kinds) == 0;
}

/* An element's kind is the highest-numbered equal element, or itself. */
static int find_kinds(branching_t *b, berth_error_t *err)
{
  int n = berth_topo_n_elements(b->topo), n_first = 0;
  int *kinds = malloc((size_t)n * sizeof *kinds), *others = malloc((size_t)n * sizeof *others);
  int *first = malloc((size_t)n * sizeof *first); /* the first element of each kind */
  int rc = kinds && others && first ? BERTH_OK : no_memory(err);
  for (int e = n - 1; e >= 0 && !rc; e--) {
    int i = 0;
    while (i < n_first && !alike(b, first[i], e, kinds, others)) i++;
    if (i == n_first) first[n_first++] = e;
    b->kind[e] = first[i];
  }
  free(kinds);
  free(others);
  free(first);
  return rc;
}

/* --- the search ----------------------------------------------------------------------------------
 */

/* Orders the ranks: pinned ones first, then the one that exchanges most with those before it. */
static int find_order(branching_t *b, berth_error_t *err)
{
  graph_t g;
  double pull[MAX_RANKS] = {0};
  bool placed[MAX_RANKS] = {0};
  int rc = graph_of_pattern(b->problem->pattern, &g, err);
  if (rc) return rc;
  for (int n = 0; n < b->ranks; n++) {
    int best = -1;
    for (int r = 0; r < b->ranks; r++) {
      if (placed[r]) continue;
      int more = best < 0 ? 1 : map_is_pinned(b->problem, r) - map_is_pinned(b->problem, best);
      if (more > 0 || (more == 0 && pull[r] > pull[best])) best = r;
    }
    placed[best] = true;
    b->order[n] = best;
    for (size_t i = g.start[best]; i < g.start[best + 1]; i++)
      pull[g.adjacent[i]] += n == 0 ? 1 + g.weight[i] : g.weight[i];
  }
  graph_clear(&g);
  return BERTH_OK;
}

static void put(branching_t *b, int rank, int pu, int sign)
{
  b->placement[rank] = pu;
  b->room[pu] -= sign;
  for (int e = berth_topo_pu(b->topo, pu)->element; e >= 0;
       e = berth_topo_element(b->topo, e)->parent)
    b->inside[e] += sign;
}

/* Lists the PUs below e that a rank may use, one for each set of equal ones. */
static int list_options(branching_t *b, int e, option_t *out)
{
  int n = 0;
  const berth_element_t *element = berth_topo_element(b->topo, e);
  if (element->type < 0) {
    out->pu = element->first_pu;
    return b->room[out->pu] > 0;
  }
  for (int i = 0, child = e + 1; i < element->n_children; i++) {
    bool tried = false; /* an equal one was tried */
    for (int k = 0, other = e + 1; k < i && b->inside[child] == 0; k++) {
      tried |= b->inside[other] == 0 && b->kind[other] == b->kind[child];
      other += berth_topo_element(b->topo, other)->size;
    }
    if (!tried) n += list_options(b, child, out + n);
    child += berth_topo_element(b->topo, child)->size;
  }
  return n;
}

ORDER_BY(by_price, option_t, RISING(price) RISING(pu))

/* Keeps a complete placement if it is the cheapest so far. */
static void see_leaf(branching_t *b)
{
  double price = map_price(&b->pricer, b->placement);
  if (draft_needs_evaluations(b->problem)) b->priced += MAX_PRICED / MAX_EVALUATED;
  if (price >= b->best_price) return;
  b->best_price = price;
  watch_found(b->problem, price);
  memcpy(b->best, b->placement, (size_t)b->ranks * sizeof *b->best);
}

static bool is_over(const branching_t *b)
{
  return b->priced > MAX_PRICED || map_time_is_up(b->problem, 1);
}

/* Places the ranks from the n-th of the order on. */
static void branch(branching_t *b, int n)
{
  if (n == b->ranks) {
    see_leaf(b);
    return;
  }
  int rank = b->order[n], n_options = 1;
  option_t *option = b->option + (size_t)n * (size_t)b->problem->n_pus;
  if (map_is_pinned(b->problem, rank))
    option->pu = b->problem->options.pinned[rank];
  else
    n_options = list_options(b, 0, option);
  for (int i = 0; i < n_options; i++) {
    b->placement[rank] = option[i].pu;
    option[i].price = price_of_part(b, n + 1);
  }
  qsort(option, (size_t)n_options, sizeof *option, by_price);
  for (int i = 0; i < n_options; i++) {
    if (option[i].price >= MAP_EXACT_TO * b->best_price) break;
    if (is_over(b)) {
      b->was_cut_short = true;
      break;
    }
    put(b, rank, option[i].pu, 1);
    branch(b, n + 1);
    put(b, rank, option[i].pu, -1);
  }
}

static int prepare(branching_t *b, const berth_map_problem_t *problem, berth_error_t *err)
{
  *b = (branching_t){.problem = problem, .topo = problem->topo};
  size_t elements = (size_t)berth_topo_n_elements(b->topo), n = MAX_RANKS;
  b->ranks = berth_pattern_ranks(problem->pattern);
  b->kind = malloc(elements * sizeof *b->kind);
  b->inside = calloc(elements, sizeof *b->inside);
  b->room = calloc((size_t)berth_topo_n_pus(b->topo), sizeof *b->room);
  b->option = malloc(n * (size_t)problem->n_pus * sizeof *b->option);
  b->placement = malloc(n * sizeof *b->placement);
  b->best = malloc(n * sizeof *b->best);
  if (!b->kind || !b->inside || !b->room || !b->option || !b->placement || !b->best)
    return no_memory(err);
  for (int i = 0; i < problem->n_pus; i++) b->room[problem->pus[i]]++;
  int rc = find_order(b, err);
  if (!rc) rc = prepare_prices(b, err);
  if (!rc && b->pricer.sharing) rc = find_whole_cores(b, err);
  return rc ? rc : find_kinds(b, err);
}

static void clear(branching_t *b)
{
  for (int n = 0; n < MAX_RANKS; n++) {
    berth_cost_free(b->part_cost[n]);
    berth_cost_free(b->part_sum[n]);
    berth_pattern_free((berth_pattern_t *)(uintptr_t)b->part[n]);
  }
  berth_topo_free(b->plain);
  map_pricer_clear(&b->pricer);
  free(b->kind);
  free(b->inside);
  free(b->room);
  free(b->whole_core);
  free(b->option);
  free(b->placement);
  free(b->best);
}

int map_exact(const berth_map_problem_t *problem, int *pu_of_rank, const char **chosen,
              berth_error_t *err)
{
  const char *name;
  branching_t b;
  berth_map_problem_t wide = map_widened(problem);
  int ranks = berth_pattern_ranks(problem->pattern);
  *chosen = "exact";
  if (ranks > MAX_RANKS)
    return berth_fail(err, BERTH_USAGE, "exact: found %d ranks, expected at most %d", ranks,
                      MAX_RANKS);
  int rc = prepare(&b, &wide, err);
  if (!rc) rc = map_greedy(problem, b.best, &name, err);
  if (!rc) {
    b.best_price = map_price(&b.pricer, b.best);
    for (int r = 0; r < ranks; r++) b.placement[r] = b.best[r];
    branch(&b, 0);
    memcpy(pu_of_rank, b.best, (size_t)ranks * sizeof *pu_of_rank);
    if (b.was_cut_short && (problem->shared || !watch_is_stopped(problem)))
      rc = berth_fail(err, BERTH_USAGE,
                      "exact: found more placements of %d ranks on %d places than %s, expected "
                      "fewer ranks or a more regular machine",
                      ranks, wide.n_pus,
                      map_time_is_up(problem, 1) ? "the time limit allows" : "can be looked at");
  }
  clear(&b);
  return rc;
}
