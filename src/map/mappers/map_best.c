/* SPDX-License-Identifier: BSD-3-Clause */
/* `best`: runs other mappers and takes the cheapest placement.
 *
 * Mappers that build placements run first, in parallel. Searches then improve the cheapest of
 * these, one after the other with all threads. If each rank could have a core but second threads
 * may pay, everything is done for both lists of places. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "cost/recorded_run.h"
#include "map/map_phases.h"
#include "map/map_share.h"
#include "map/map_watch.h"
#include "map/moves/moves.h"
#include "map/search_sum/search_sum.h"
#include "pattern/by_hosts.h"

enum { MAX_STARTS = 5, WHOLE = -1, APART = -2 };

/* Share of the time limit for searches; partial moves get the rest. */
static const double SEARCHING = 0.8;

/* Placements that `best` derives from other candidates. These aren't in the list of mappers. */
static const berth_mapper_t partial = {.name = MAP_PARTIAL, .role = BERTH_MAPPER_APART};
static const berth_mapper_t even = {.name = MAP_EVEN, .role = BERTH_MAPPER_APART};

/* Sums with a smaller relative difference are equal. */
static const double SAME_SUM = 1e-9;

typedef struct candidate {
  const berth_mapper_t *mapper;
  int *pu_of_rank;
  double price;
  bool any_thread;
  int phase; /* the phase that it was built for (index in berth_pattern_phases), or WHOLE, or APART:
                the whole pattern, with calls that depend on hosts as among ranks apart */
  int rc;
  berth_error_t err;
} candidate_t;

typedef struct portfolio {
  berth_map_problem_t problem;  /* with starts */
  berth_map_problem_t wide;     /* with second threads, if they may pay; sets all prices */
  bool any_thread;              /* `problem` has those places, too */
  const berth_pattern_t *apart; /* NULL: no calls depend on hosts */
  map_shared_t shared;
  map_pricer_t pricer;
  candidate_t candidate[BERTH_MAX_CANDIDATES];
  size_t n;
  const int *start[MAX_STARTS];
} portfolio_t;

static size_t bytes_of_placement(const portfolio_t *p)
{
  return (size_t)berth_pattern_ranks(p->problem.pattern) * sizeof(int);
}

static bool fits(const berth_map_problem_t *problem, const berth_mapper_t *m,
                 berth_mapper_role_t role)
{
  int ranks = berth_pattern_ranks(problem->pattern);
  return m->role == role && m->min_quality <= problem->options.quality &&
         (m->max_ranks == 0 || ranks <= m->max_ranks);
}

static void work_out(const portfolio_t *p, const berth_map_problem_t *problem, candidate_t *c)
{
  const char *name;
  bool is_cheap = c->mapper->map == map_linear || c->mapper->map == map_stay ||
                  c->mapper->role != BERTH_MAPPER_BUILDS;
  c->rc = is_cheap ? BERTH_OK : map_cut_short(problem);
  if (c->rc) return;
  c->rc = c->phase == WHOLE ? map_run(problem, c->mapper, c->pu_of_rank, &name, &c->err)
          : c->phase == APART
              ? map_run_for(problem, p->apart, c->mapper, c->pu_of_rank, &c->err)
              : phases_place(problem, c->mapper, (size_t)c->phase, c->pu_of_rank, &c->err);
}

/* The price of a placement. Reuses that of an equal candidate. */
static double price_of(portfolio_t *p, size_t n_priced, const int *pu_of_rank)
{
  for (size_t i = 0; i < n_priced; i++)
    if (memcmp(p->candidate[i].pu_of_rank, pu_of_rank, bytes_of_placement(p)) == 0)
      return p->candidate[i].price;
  return map_price(&p->pricer, pu_of_rank);
}

/* Evaluates the candidates from `first` on. Mappers that can't solve such a problem drop out. */
static int price(portfolio_t *p, size_t first, berth_error_t *err)
{
  size_t kept = first;
  int rc = BERTH_OK;
  for (size_t i = first; i < p->n; i++) {
    candidate_t *c = &p->candidate[i];
    if (c->rc) {
      free(c->pu_of_rank);
      if (!rc && c->rc != BERTH_USAGE && c->rc != MAP_CUT_SHORT)
        rc = berth_fail(err, c->rc, "%s: %s", c->mapper->name, c->err.text);
      continue;
    }
    if (!rc) c->price = price_of(p, kept, c->pu_of_rank);
    watch_found(&p->problem, c->price);
    p->candidate[kept++] = *c;
  }
  p->n = kept;
  return rc;
}

static int enlist_one(portfolio_t *p, const berth_mapper_t *mapper, int phase, berth_error_t *err)
{
  if (p->n == BERTH_MAX_CANDIDATES) return BERTH_OK;
  candidate_t c = {.mapper = mapper,
                   .any_thread = p->any_thread,
                   .phase = phase,
                   .pu_of_rank = malloc(bytes_of_placement(p))};
  if (!c.pu_of_rank) return no_memory(err);
  p->candidate[p->n++] = c;
  return BERTH_OK;
}

static int enlist(portfolio_t *p, berth_mapper_role_t role, berth_error_t *err)
{
  size_t n;
  int rc = BERTH_OK;
  const berth_mapper_t *mappers = berth_mappers(&n);
  for (size_t i = 0; i < n && !rc; i++)
    if (fits(&p->problem, &mappers[i], role)) rc = enlist_one(p, &mappers[i], WHOLE, err);
  return rc;
}

/* Runs the mappers of the candidates from `first` on, in parallel. */
static int build_from(portfolio_t *p, size_t first, berth_error_t *err)
{
  berth_map_problem_t alone = p->problem; /* each mapper runs in one process */
  alone.options.team = NULL;
  int rc = BERTH_OK, begin = (int)first, n = (int)p->n;
#pragma omp parallel for num_threads(p->problem.options.threads) schedule(dynamic, 1)
  for (int i = n - 1; i >= begin; i--) { /* the last ones gain most in a short time */
    if (share_is_mine(&p->problem, i)) work_out(p, &alone, &p->candidate[i]);
    watch_did(&alone, 1);
  }
  for (int i = begin; i < n && !rc; i++) {
    candidate_t *c = &p->candidate[i];
    rc = share_item(&p->problem, i, &c->rc, &c->err, c->pu_of_rank, err);
  }
  return rc ? rc : price(p, first, err);
}

static size_t find_cheapest(const portfolio_t *p)
{
  size_t best = 0;
  for (size_t i = 1; i < p->n; i++)
    if (p->candidate[i].price < p->candidate[best].price) best = i;
  return best;
}

/* Adds candidates for the single phases that cost most in the cheapest placement so far. */
static int enlist_phases(portfolio_t *p, berth_error_t *err)
{
  size_t n_mappers, phase[PHASES_MAX], n = 0;
  const berth_mapper_t *mappers = berth_mappers(&n_mappers);
  const int *cheapest = p->candidate[find_cheapest(p)].pu_of_rank;
  int rc = phases_choose(&p->problem, p->pricer.cost, cheapest, phase, &n, err);
  for (size_t k = 0; k < n; k++)
    for (size_t i = 0; i < n_mappers && !rc; i++)
      if (phases_take(&mappers[i])) rc = enlist_one(p, &mappers[i], (int)phase[k], err);
  return rc;
}

/* Adds candidates of mappers that look at messages, for the pattern of ranks apart. */
static int enlist_apart(portfolio_t *p, berth_mapper_role_t role, berth_error_t *err)
{
  size_t n;
  int rc = BERTH_OK;
  const berth_mapper_t *mappers = berth_mappers(&n);
  for (size_t i = 0; i < n && !rc && p->apart; i++)
    if (fits(&p->problem, &mappers[i], role) &&
        (role == BERTH_MAPPER_SEARCHES || phases_take(&mappers[i])))
      rc = enlist_one(p, &mappers[i], APART, err);
  return rc;
}

/* Makes placements for the whole pattern, then for single phases, which may be cheaper. */
static int build(portfolio_t *p, berth_error_t *err)
{
  size_t first = p->n;
  int rc = enlist(p, BERTH_MAPPER_BUILDS, err);
  if (!rc) rc = enlist_apart(p, BERTH_MAPPER_BUILDS, err);
  watch_stage(&p->problem, "building placements", (double)(p->n - first));
  if (!rc) rc = build_from(p, first, err);
  first = p->n;
  if (!rc) rc = enlist_phases(p, err);
  if (rc || p->n == first) return rc;
  watch_stage(&p->problem, "building placements for single phases", (double)(p->n - first));
  return build_from(p, first, err);
}

/* Chooses the cheapest different placements that keep to the places; of equal ones the first. */
static void choose_starts(portfolio_t *p)
{
  bool taken[BERTH_MAX_CANDIDATES] = {0};
  for (p->problem.n_starts = 0; p->problem.n_starts < MAX_STARTS;) {
    size_t best = p->n;
    for (size_t i = 0; i < p->n; i++)
      if (!taken[i] && (best == p->n || p->candidate[i].price < p->candidate[best].price)) best = i;
    if (best == p->n) break;
    const int *found = p->candidate[best].pu_of_rank;
    bool known = false;
    for (size_t k = 0; k < p->problem.n_starts; k++)
      known |= memcmp(p->start[k], found, bytes_of_placement(p)) == 0;
    known |= map_uses_more(&p->problem, found);
    if (!known) p->start[p->problem.n_starts++] = found;
    taken[best] = true;
  }
  p->problem.starts = p->start;
}

static int search(portfolio_t *p, berth_error_t *err)
{
  size_t first = p->n;
  choose_starts(p);
  int rc = enlist_apart(p, BERTH_MAPPER_SEARCHES, err);
  if (!rc) rc = enlist(p, BERTH_MAPPER_SEARCHES, err);
  for (size_t i = first; i < p->n && !rc; i++) {
    candidate_t *c = &p->candidate[i];
    watch_stage(&p->problem, c->mapper->name, 0);
    watch_agree(&p->problem);
    bool is_up = map_time_is_up(&p->problem, 1);
    rc = share_data(&p->problem, 0, &is_up, sizeof is_up, err);
    c->rc = is_up ? BERTH_USAGE : BERTH_OK; /* it drops out */
    if (!rc && !is_up) work_out(p, &p->problem, c);
  }
  return rc ? rc : price(p, first, err);
}

/* Whether second threads, which the places so far don't have, may be cheaper. They aren't if the
 * cheapest price is at most the minimum cost of shared cores, or if `exact` found it. */
static bool may_widen(const portfolio_t *p)
{
  double cheapest = INFINITY;
  for (size_t i = 0; i < p->n; i++) {
    if (strcmp(p->candidate[i].mapper->name, "exact") == 0) return false;
    cheapest = fmin(cheapest, p->candidate[i].price);
  }
  return p->problem.any_pus && p->pricer.sharing && cheapest > berth_sharing_min(p->pricer.sharing);
}

static int build_and_search(portfolio_t *p, berth_error_t *err)
{
  bool moves = moves_wanted(&p->problem);
  double all = p->problem.options.time_limit_s, limit = moves ? SEARCHING * all : all;
  p->problem.options.time_limit_s = limit;
  int rc = build(p, err);
  bool twice = !rc && may_widen(p);
  if (twice) p->problem.options.time_limit_s = limit / 2;
  if (!rc) rc = search(p, err);
  p->problem.options.time_limit_s = limit;
  if (rc || !twice || !may_widen(p)) return rc;
  p->problem = p->wide;
  p->problem.options.time_limit_s = limit;
  p->any_thread = true;
  rc = build(p, err);
  return rc ? rc : search(p, err);
}

/* The candidate of `stay`, which moves only ranks that must; p->n if there is none. */
static size_t find_stay(const portfolio_t *p)
{
  size_t i = 0;
  while (i < p->n && p->candidate[i].mapper->map != map_stay) i++;
  return i;
}

/* The cost of the busiest ports, which distinguishes placements of equal sums. */
static double ports_of(const portfolio_t *p, const candidate_t *c)
{
  return berth_cost_evaluate(p->pricer.cost, BERTH_MODEL_BOUND, c->pu_of_rank);
}

static bool is_same_sum(const portfolio_t *p, const candidate_t *a, const candidate_t *b)
{
  return p->problem.options.objective == BERTH_MODEL_SUM &&
         fabs(a->price - b->price) <= SAME_SUM * b->price;
}

/* Whether a candidate is better: a lower price; at the same price fewer moved ranks, then a lower
 * sum; with objective sum, then less on its busiest ports. */
static bool is_better(const portfolio_t *p, const candidate_t *a, const candidate_t *b)
{
  int moved = moves_count(&p->problem, a->pu_of_rank),
      other = moves_count(&p->problem, b->pu_of_rank);
  if (moved != other && moves_is_same(a->price, b->price)) return moved < other;
  if (is_same_sum(p, a, b)) return ports_of(p, a) < ports_of(p, b);
  if (a->price != b->price) return a->price < b->price;
  return berth_cost_evaluate(p->pricer.cost, BERTH_MODEL_SUM, a->pu_of_rank) <
         berth_cost_evaluate(p->pricer.cost, BERTH_MODEL_SUM, b->pu_of_rank);
}

/* Adds placements with few moves, derived from everything found with the problem's places. */
static int add_partial(portfolio_t *p, const berth_map_problem_t *problem,
                       berth_map_report_t *report, berth_error_t *err)
{
  const int *known[BERTH_MAX_CANDIDATES];
  size_t n = 0, stay = find_stay(p), first = p->n;
  if (!moves_wanted(problem) || stay == p->n) return BERTH_OK;
  berth_map_problem_t own = *problem;
  own.shared = &p->shared;
  known[n++] = p->candidate[stay].pu_of_rank;
  for (size_t i = 0; i < p->n; i++)
    if (i != stay && !map_uses_more(problem, p->candidate[i].pu_of_rank))
      known[n++] = p->candidate[i].pu_of_rank;
  int rc = enlist_one(p, &partial, WHOLE, err);
  if (!rc && p->n > first)
    rc = moves_find(&own, known, n, p->candidate[first].pu_of_rank, report, err);
  return rc ? rc : price(p, first, err);
}

/* The candidate that moves no ranks. Without one: if moves are limited, the one with the fewest;
 * else the default order, which is the first. */
static size_t find_as_it_is(const portfolio_t *p)
{
  const int *from = p->problem.options.from;
  size_t stay = from ? find_stay(p) : p->n;
  if (stay < p->n && (p->problem.options.max_moves >= 0 || p->problem.options.stable)) return stay;
  for (size_t i = 0; from && i < p->n; i++)
    if (memcmp(p->candidate[i].pu_of_rank, from, bytes_of_placement(p)) == 0) return i;
  return 0;
}

static bool may_be(const berth_map_problem_t *problem, const candidate_t *c)
{
  return moves_allowed(problem, moves_count(problem, c->pu_of_rank));
}

/* The best candidate (of equal ones the first): of those that keep to the problem's places, or of
 * all. `found` is a candidate, which is returned if none is better. */
static size_t find_best(const portfolio_t *p, const berth_map_problem_t *problem, bool all,
                        size_t found)
{
  for (size_t i = 0; i < p->n; i++)
    if (i != found && is_better(p, &p->candidate[i], &p->candidate[found]) &&
        (all || !map_uses_more(problem, p->candidate[i].pu_of_rank)) &&
        may_be(problem, &p->candidate[i]))
      found = i;
  return found;
}

typedef int change_t(const berth_map_problem_t *problem, berth_cost_t *cost, int *pu_of_rank,
                     bool *changed, berth_error_t *err);

static int bring_home(const berth_map_problem_t *problem, berth_cost_t *cost, int *pu_of_rank,
                      bool *changed, berth_error_t *err)
{
  (void)cost;
  int moved = moves_count(problem, pu_of_rank), rc = moves_go_home(problem, pu_of_rank, err);
  *changed = moves_count(problem, pu_of_rank) < moved;
  return rc;
}

/* Adds a changed copy of candidate `of`, made by one process of a team. Adds nothing if the change
 * does nothing. */
static int add_changed(portfolio_t *p, const berth_mapper_t *name, size_t of,
                       const berth_map_problem_t *problem, change_t *change, berth_error_t *err)
{
  bool changed = false;
  size_t first = p->n;
  berth_map_problem_t alone = *problem;
  alone.options = p->problem.options; /* with its time limit */
  alone.options.team = NULL;
  alone.shared = &p->shared;
  int rc = enlist_one(p, name, WHOLE, err);
  if (rc || p->n == first) return rc;
  candidate_t *c = &p->candidate[first];
  memcpy(c->pu_of_rank, p->candidate[of].pu_of_rank, bytes_of_placement(p));
  if (share_is_mine(&p->problem, 0)) {
    if (!map_time_is_up(&p->problem, 1))
      c->rc = change(&alone, p->pricer.cost, c->pu_of_rank, &changed, &c->err);
    if (!c->rc && !changed) c->rc = BERTH_USAGE; /* it drops out */
  }
  rc = share_item(&p->problem, 0, &c->rc, &c->err, c->pu_of_rank, err);
  return rc ? rc : price(p, first, err);
}

/* If the objective is only the sum, adds the cheapest placement with its ports evened out. */
static int add_even(portfolio_t *p, berth_error_t *err)
{
  if (p->problem.options.objective != BERTH_MODEL_SUM) return BERTH_OK;
  return add_changed(p, &even, find_best(p, &p->problem, false, 0), &p->problem, even_ports, err);
}

/* Adds the best placements with fewer moves at the same cost. If moves have a price or limit, the
 * points cover this. */
static int add_home(portfolio_t *p, const berth_map_problem_t *problem, berth_error_t *err)
{
  if (!problem->options.from || moves_wanted(problem)) return BERTH_OK;
  size_t apart = find_best(p, problem, false, find_as_it_is(p));
  size_t any = find_best(p, problem, true, apart);
  int rc = add_changed(p, &partial, apart, problem, bring_home, err);
  return rc || any == apart ? rc : add_changed(p, &partial, any, &p->wide, bring_home, err);
}

/* Whether a candidate gains min_gain over the ranks as they are and saves so many seconds, in
 * price, or gains it (at the same sum) on the busiest ports; or moves fewer ranks than the default
 * order, if that stands for the ranks as they are because they can't all stay. */
static bool pays_over(const portfolio_t *p, const candidate_t *c, const candidate_t *as_it_is,
                      double asked, double least_s)
{
  bool fewer =
      moves_count(&p->problem, c->pu_of_rank) < moves_count(&p->problem, as_it_is->pu_of_rank);
  return (c->price < asked * as_it_is->price && as_it_is->price - c->price >= least_s) ||
         (fewer && c->price <= as_it_is->price * (1 + MOVES_SAME)) ||
         (is_same_sum(p, c, as_it_is) && ports_of(p, c) < asked * ports_of(p, as_it_is));
}

/* The gain that is asked for unless the options do, of the price and of the run. */
static const double USUAL_GAIN = 0.01;

/* The gain of the price. A smaller one than the model's error may not be there. */
static double min_gain_of(const berth_map_problem_t *problem)
{
  const berth_map_options_t *o = &problem->options;
  const char *model = berth_model_name(o->sum_share >= 1 ? BERTH_MODEL_SUM : o->objective);
  return o->min_gain >= 0 ? o->min_gain
                          : fmax(USUAL_GAIN, berth_topo_model_error(problem->topo, model));
}

/* Seconds that must be saved of a run that was recorded with the ranks as they are: less than that
 * share of it is hardly seen. 0: the price says nothing about the run. */
static double least_saved(const berth_map_problem_t *problem, const int *as_it_is)
{
  const berth_map_options_t *o = &problem->options;
  const berth_pattern_t *p = problem->pattern;
  bool is_time = !berth_topo_has_distances(problem->topo) && o->sum_share == 0 &&
                 o->objective != BERTH_MODEL_SUM && !berth_cost_leaves_out_operations(p);
  if (o->min_gain >= 0 || !is_time || !recorded_run_was_here(p, problem->topo, as_it_is)) return 0;
  return USUAL_GAIN * recorded_run_s(p);
}

/* Chooses the best candidate. If its gain is below min_gain, ranks stay as they are, or second
 * threads stay unused. */
static void choose(const portfolio_t *p, const berth_map_problem_t *problem,
                   berth_map_report_t *report)
{
  size_t n_phases;
  const candidate_t *c = p->candidate;
  const berth_phase_t *phases = berth_pattern_phases(problem->pattern, &n_phases);
  report->min_gain = min_gain_of(problem);
  double asked = 1 - report->min_gain;
  size_t as_it_is = find_as_it_is(p), apart = find_best(p, problem, false, as_it_is);
  size_t any = find_best(p, problem, true, apart);
  bool threads_pay = c[any].price < asked * c[apart].price;
  report->n = p->n;
  for (size_t i = 0; i < p->n; i++) {
    const berth_phase_t *phase = c[i].phase < 0 ? NULL : &phases[c[i].phase];
    report->candidate[i] = (berth_candidate_t){c[i].mapper->name, c[i].price, c[i].any_thread,
                                               phase, c[i].phase == APART};
  }
  report->cheapest = any != apart && threads_pay ? any : apart;
  double least_s = least_saved(problem, c[as_it_is].pu_of_rank);
  bool pays = pays_over(p, &c[report->cheapest], &c[as_it_is], asked, least_s);
  report->least_saved_s = least_s;
  report->left_as_it_is = c[report->cheapest].price < c[as_it_is].price && !pays;
  report->chosen = pays ? report->cheapest : as_it_is;
  report->price_of_first_threads = report->chosen == any && any != apart ? c[apart].price : -1;
}

int map_best(const berth_map_problem_t *problem, int *pu_of_rank, const char **chosen,
             berth_error_t *err)
{
  berth_map_report_t own = {0}, *report = problem->report ? problem->report : &own;
  portfolio_t *p = calloc(1, sizeof *p);
  if (!p) return no_memory(err);
  p->problem = *problem;
  p->problem.report = NULL;
  p->wide = map_widened(&p->problem);
  bool by_hosts = pattern_is_by_hosts(problem->pattern);
  if (by_hosts) p->apart = pattern_apart(problem->pattern, err);
  int rc = by_hosts && !p->apart ? BERTH_MISSING : map_pricer_init(&p->pricer, &p->wide, err);
  p->shared.cost = p->pricer.cost;
  p->problem.shared = p->wide.shared = &p->shared;
  if (!rc) rc = build_and_search(p, err);
  if (!rc) rc = add_even(p, err);
  if (!rc) rc = add_partial(p, problem, report, err);
  if (!rc) rc = add_home(p, problem, err);
  rc = map_pricer_verdict(&p->pricer, rc, err);
  if (!rc) {
    choose(p, problem, report);
    *chosen = report->candidate[report->chosen].name;
    memcpy(pu_of_rank, p->candidate[report->chosen].pu_of_rank, bytes_of_placement(p));
  }
  for (size_t i = 0; i < p->n; i++) free(p->candidate[i].pu_of_rank);
  map_pricer_clear(&p->pricer);
  pattern_apart_free(p->apart);
  free(p);
  return rc;
}
