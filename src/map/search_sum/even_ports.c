/* SPDX-License-Identifier: BSD-3-Clause */
/* Evens out the load of ports, at the same price, under model sum.
 * In each round, the ranks that load the busiest resource most try other places. The change that
 * relieves it most is made. If several resources are equally busy, the change that leaves the
 * fewest of them is made. */
#include "map/search_sum/search_sum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "map/map_draft.h"
#include "map/map_graph.h"
#include "map/map_watch.h"

enum {
  PAIRS = 64, /* pairs of ranks that are considered, of those that load the resource most */
  RANKS = 16, /* ranks that try other places */
  QUIET = 8,  /* elements like the busiest one, with the least load */
  TIES = 16,  /* changes that don't relieve the maximum, whose loads are compared */
};

/* Maximum of rounds; how many places a rank tries: below each quiet element, and others; and the
 * ratio of a resource's load to the mean of its kind from which relieving it is worth it. */
typedef struct effort {
  int rounds, places;
  double uneven;
} effort_t;

static const effort_t efforts[] = {
    [BERTH_QUALITY_FAST] = {40, 16, 1.3},
    [BERTH_QUALITY_ECO] = {200, 40, 1.1},
    [BERTH_QUALITY_STRONG] = {1000, 100, 1.1},
};
static const double
    SAME = 1e-12,
    LESS = 1e-9; /* relative differences that count as rounding: of a price, of a load */

typedef struct change {
  int rank, place;
} change_t;

typedef struct evening {
  const berth_map_problem_t *problem;
  const effort_t *effort;
  berth_cost_t *cost;    /* borrowed */
  const int *pu_of_rank; /* the current placement */
  draft_t at;
  berth_swap_t *ports;
  double max; /* the maximal price */
  uint64_t random;
  size_t phase; /* the most expensive phase, and its busiest resource */
  berth_resource_t busiest;
  bool uneven;              /* relieving it is worth it */
  int rank[RANKS], n_ranks; /* ranks that load it most */
  int n_busiest;            /* number of equally busy resources */
  change_t tie[TIES];
  int n_ties;
  int quiet[QUIET], n_quiet;
  double *load;     /* by element: scratch */
  int *place_of_pu; /* any place of the PU, -1: none */
  double *traffic;  /* by rank */
} evening_t;

static int evening_init(evening_t *e, const berth_map_problem_t *problem, berth_cost_t *cost,
                        const int *pu_of_rank, berth_error_t *err)
{
  *e = (evening_t){.problem = problem,
                   .effort = &efforts[problem->options.quality],
                   .cost = cost,
                   .pu_of_rank = pu_of_rank,
                   .random = problem->options.seed};
  e->load = malloc((size_t)berth_topo_n_elements(problem->topo) * sizeof *e->load);
  return e->load ? BERTH_OK : no_memory(err);
}

static int add_traffic(evening_t *e, berth_error_t *err)
{
  graph_t g;
  int rc = graph_of_times(e->problem->pattern, e->problem->topo, &g, err);
  if (rc) return rc;
  e->traffic = calloc((size_t)g.n, sizeof *e->traffic);
  for (size_t i = 0; i < g.n_edges && e->traffic; i++) {
    e->traffic[g.edge[i].a] += g.edge[i].weight;
    e->traffic[g.edge[i].b] += g.edge[i].weight;
  }
  graph_clear(&g);
  return e->traffic ? BERTH_OK : no_memory(err);
}

/* Allocates what changes need. Most placements are even and need none. */
static int prepare_changes(evening_t *e, berth_error_t *err)
{
  const berth_map_problem_t *p = e->problem;
  size_t pus = (size_t)berth_topo_n_pus(p->topo);
  int rc = draft_init(&e->at, p, true, e->pu_of_rank, err);
  if (rc) return rc;
  e->pu_of_rank = e->at.pu_of_rank;
  e->max = e->at.price * (1 + SAME);
  e->ports = draft_swaps(&e->at, BERTH_MODEL_BOUND, err);
  if (!e->ports) return err->code;
  e->place_of_pu = malloc(pus * sizeof *e->place_of_pu);
  if (!e->place_of_pu) return no_memory(err);
  for (size_t i = 0; i < pus; i++) e->place_of_pu[i] = -1;
  for (int i = 0; i < p->n_pus; i++) e->place_of_pu[p->pus[i]] = i;
  return add_traffic(e, err);
}

static void evening_clear(evening_t *e)
{
  free(e->place_of_pu);
  free(e->traffic);
  free(e->load);
  berth_swap_free(e->ports);
  draft_clear(&e->at);
}

/* --- busy resources --- */

static void note_rank(evening_t *e, int rank)
{
  if (map_is_pinned(e->problem, rank)) return;
  for (int i = 0; i < e->n_ranks; i++)
    if (e->rank[i] == rank) return;
  if (e->n_ranks < RANKS) e->rank[e->n_ranks++] = rank;
}

static bool are_below(const berth_topo_t *t, int pu, int element)
{
  const berth_element_t *e = berth_topo_element(t, element);
  return pu >= e->first_pu && pu < e->first_pu + e->n_pus;
}

/* Lists the ranks of the pairs that load the busiest resource most, those below it first. */
static void note_ranks(evening_t *e, const berth_phase_cost_t *phase)
{
  const berth_topo_t *t = e->problem->topo;
  e->n_ranks = 0;
  for (int inside = 1; inside >= 0; inside--)
    for (size_t i = 0; i < phase->n_listed; i++) {
      int ends[2] = {phase->pairs[i].src, phase->pairs[i].dst};
      for (int k = 0; k < 2; k++)
        if (are_below(t, e->pu_of_rank[ends[k]], phase->bottleneck.element) == inside)
          note_rank(e, ends[k]);
    }
}

/* Finds the busiest resource. *found: there is one. */
static int find_busiest(evening_t *e, bool *found, berth_error_t *err)
{
  berth_cost_result_t why;
  int rc = berth_cost_explain(e->cost, BERTH_MODEL_BOUND, e->pu_of_rank, PAIRS, &why, err);
  if (rc) return rc;
  *found = why.n_phases > 0 && why.phases[why.max_cost_phase].has_bottleneck;
  if (*found) {
    e->phase = why.max_cost_phase;
    e->busiest = why.phases[e->phase].bottleneck;
    note_ranks(e, &why.phases[e->phase]);
  }
  berth_cost_result_clear(&why);
  return BERTH_OK;
}

/* Lists the elements with the least load of those like the busiest one. */
static void note_quiet(evening_t *e, int element)
{
  int i = e->n_quiet < QUIET ? e->n_quiet++ : QUIET;
  for (; i > 0 && e->load[e->quiet[i - 1]] > e->load[element]; i--)
    if (i < QUIET) e->quiet[i] = e->quiet[i - 1];
  if (i < QUIET) e->quiet[i] = element;
}

/* Writes the loads of resources like the busiest one to e->load, by element. Returns the ratio of
 * its load to their mean. */
static double compare_alike(evening_t *e, const berth_load_t *load, size_t n)
{
  const berth_topo_t *t = e->problem->topo;
  const berth_element_t *own = berth_topo_element(t, e->busiest.element);
  double sum = 0;
  int alike = 0, elements = berth_topo_n_elements(t);
  memset(e->load, 0, (size_t)elements * sizeof *e->load);
  for (size_t i = 0; i < n; i++)
    if (load[i].resource.kind == e->busiest.kind)
      e->load[load[i].resource.element] = load[i].cost_s;
  e->n_quiet = 0;
  for (int i = 0; i < elements; i++) {
    const berth_element_t *other = berth_topo_element(t, i);
    if (other->depth != own->depth || other->type != own->type) continue;
    sum += e->load[i];
    alike++;
    note_quiet(e, i);
  }
  return sum > 0 ? e->load[e->busiest.element] * alike / sum : 0;
}

/* Counts the resources that are as busy as the busiest, and finds whether relieving them is worth
 * it. */
static int weigh(evening_t *e, int *n_busiest, berth_error_t *err)
{
  berth_load_t *load;
  size_t n;
  double busiest = 0;
  int rc = berth_cost_loads(e->cost, BERTH_MODEL_BOUND, e->phase, e->pu_of_rank, &load, &n, err);
  if (rc) return rc;
  *n_busiest = 0;
  for (size_t i = 0; i < n; i++) busiest = fmax(busiest, load[i].cost_s);
  for (size_t i = 0; i < n; i++) *n_busiest += load[i].cost_s >= busiest * (1 - LESS);
  e->uneven = compare_alike(e, load, n) >= e->effort->uneven;
  free(load);
  return BERTH_OK;
}

static int look(evening_t *e, berth_error_t *err)
{
  bool found;
  e->uneven = false;
  int rc = find_busiest(e, &found, err);
  return rc || !found ? rc : weigh(e, &e->n_busiest, err);
}

/* --- changes --- */

static int make(evening_t *e, change_t change, berth_error_t *err)
{
  int other = e->at.rank_at[change.place], pu = e->problem->pus[change.place];
  if (isinf(draft_try(&e->at, change.rank, change.place)) ||
      isinf(draft_try_swap(e->ports, change.rank, other, pu)))
    return no_memory(err);
  int rc = berth_swap_commit(e->ports, err);
  return rc ? rc : draft_make(&e->at, err);
}

/* Whether a change may relieve the busiest resource even if others stay as busy: a rank below it
 * leaves, and no rank comes that exchanges as much. */
static bool may_relieve(const evening_t *e, change_t change)
{
  const berth_topo_t *t = e->problem->topo;
  int other = e->at.rank_at[change.place];
  return are_below(t, e->pu_of_rank[change.rank], e->busiest.element) &&
         !are_below(t, e->problem->pus[change.place], e->busiest.element) &&
         (other < 0 || e->traffic[other] < e->traffic[change.rank]);
}

/* Tries a change. If it is better, it replaces *best, whose load is *min. Ties are recorded. */
static void look_at(evening_t *e, change_t change, change_t *best, double *min)
{
  const berth_map_problem_t *p = e->problem;
  int other = e->at.rank_at[change.place], pu = p->pus[change.place];
  if (pu == e->at.pu_of_rank[change.rank] || (other >= 0 && map_is_pinned(p, other))) return;
  if (draft_try(&e->at, change.rank, change.place) > e->max) return;
  double load = draft_try_swap(e->ports, change.rank, other, pu);
  if (load < *min * (1 - LESS)) {
    *min = load;
    *best = change;
  } else if (load <= berth_swap_cost(e->ports) && e->n_ties < TIES && may_relieve(e, change)) {
    e->tie[e->n_ties++] = change;
  }
}

/* Draws a place below an element, or any place. -1 if the drawn PU has none. */
static int draw_place(evening_t *e, int element)
{
  const berth_map_problem_t *p = e->problem;
  if (element < 0) return (int)map_random_below(&e->random, (uint64_t)p->n_pus);
  const berth_element_t *at = berth_topo_element(p->topo, element);
  return e->place_of_pu[at->first_pu + (int)map_random_below(&e->random, (uint64_t)at->n_pus)];
}

static change_t find_change(evening_t *e)
{
  change_t best = {-1, -1};
  double min = berth_swap_cost(e->ports);
  e->n_ties = 0;
  for (int i = 0; i < e->n_ranks; i++)
    for (int k = 0; k < e->effort->places; k++) {
      int place = draw_place(e, k < e->n_quiet ? e->quiet[k] : -1);
      if (place >= 0) look_at(e, (change_t){e->rank[i], place}, &best, &min);
    }
  return best;
}

/* Of the changes that don't relieve the maximum, makes the first that leaves fewer resources as
 * busy. */
static int break_tie(evening_t *e, bool *broken, berth_error_t *err)
{
  int rc = BERTH_OK, n_busiest = e->n_busiest;
  *broken = false;
  for (int i = 0; i < e->n_ties && !rc && !*broken; i++) {
    change_t back = {e->tie[i].rank, e->at.place[e->tie[i].rank]};
    rc = make(e, e->tie[i], err);
    if (!rc) rc = weigh(e, &n_busiest, err);
    *broken = n_busiest < e->n_busiest;
    if (!rc && !*broken) rc = make(e, back, err);
  }
  return rc;
}

static int run_round(evening_t *e, bool *changed, berth_error_t *err)
{
  change_t best = find_change(e);
  *changed = best.rank >= 0;
  int rc = *changed ? make(e, best, err) : break_tie(e, changed, err);
  return rc || !*changed ? rc : look(e, err);
}

static int run(evening_t *e, bool *changed, berth_error_t *err)
{
  bool more = true;
  int rc = prepare_changes(e, err);
  for (int i = 0; !rc && i < e->effort->rounds && more && e->uneven; i++) {
    if (map_time_is_up(e->problem, 1)) break;
    rc = run_round(e, &more, err);
    *changed |= more;
  }
  return rc;
}

int even_ports(const berth_map_problem_t *problem, berth_cost_t *cost, int *pu_of_rank,
               bool *changed, berth_error_t *err)
{
  evening_t e;
  *changed = false;
  int rc = evening_init(&e, problem, cost, pu_of_rank, err);
  if (!rc) rc = look(&e, err);
  if (!rc && e.uneven) rc = run(&e, changed, err);
  if (!rc && *changed) memcpy(pu_of_rank, e.at.pu_of_rank, (size_t)e.at.ranks * sizeof *pu_of_rank);
  evening_clear(&e);
  return rc;
}
