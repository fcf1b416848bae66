/* SPDX-License-Identifier: BSD-3-Clause */
/* `refine`: improves other mappers' placements by local search.
 * Annealing on a potential finds good placements (search_port.h). Walks by exact prices take the
 * last steps, and do everything for few ranks (map_search_exact.h). Every run has its own seed, so
 * results don't depend on the threads and processes that share the runs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "base/order.h"
#include "map/map_graph.h"
#include "map/map_search_exact.h"
#include "map/map_share.h"
#include "map/map_watch.h"
#include "map/moves/moves.h"
#include "map/search_port/search_port.h"
#include "map/search_sum/search_sum.h"
#include "pattern/by_hosts.h"
#include "pattern/phase_find.h"

/* Mappers that make starts if there are none. The last one needs ranks that are somewhere. */
static int (*const start_mappers[])(const berth_map_problem_t *, int *, const char **,
                                    berth_error_t *) = {map_linear, map_greedy, map_cuts,
                                                        map_geometric, map_stay};
enum { STARTS = sizeof start_mappers / sizeof *start_mappers };

enum {
  FEW_RANKS = 32,        /* are searched by exact prices only */
  RANKS_MAX = 100000000, /* maximum of tries times ranks: a try in model port may visit all ranks on
                            a port */
  CACHED = 1 << 14,      /* about as many ranks as fit a core's cache; tries of more take longer */
  SUM_A_RANK = 500,      /* minimum of tries that lower the sum at the end */
  RUNS_MAX = 8,
  TEMPERED = 2 /* number of runs, if there is enough work */
};

/* The work of a quality. Annealing: for each run. Walks and evaluations: for all runs together. */
typedef struct work {
  int runs;
  uint64_t tries_a_rank, tries;        /* annealing: tries for each rank, and their maximum */
  uint64_t walk_a_place, walk;         /* tries of walks */
  uint64_t evaluate_a_place, messages; /* evaluations; messages that they visit */
  uint64_t evaluations;
} work_t;

static const work_t work_of[] = {
    [BERTH_QUALITY_FAST] = {1, 2000, 10000000, 200, 30000, 100, 100000, 0},
    [BERTH_QUALITY_ECO] = {4, 24000, 10000000, 2000, 400000, 200, 1000000, 0},
    [BERTH_QUALITY_STRONG] = {8, 200000, 140000000, 40000, 4000000, 4000, 10000000, 0},
};

/* Shares of the time limit at which annealing, walks and evaluations end. */
static const double ANNEALED = 0.75, WALKED = 0.9, EVALUATED = 0.97;
/* Shares of the annealing work. MELTING: for melting, of each run's work, alone or beside
 * tempering. TEMPERING: of all runs' work. */
static const double MELTING = 0.5, MELTING_BESIDE = 0.35, TEMPERING = 0.525;
static const double LOWERED = 0.7; /* share of the rest: for blocks, before everything else */

typedef struct placement {
  int number; /* distinguishes equal placements */
  int *pu_of_rank;
  double price;
  int rc;
  berth_error_t err;
} placement_t;

typedef struct search {
  const berth_map_problem_t *problem;
  work_t work;
  int ranks;
  placement_t start[STARTS], run[RUNS_MAX];
  int n_starts;
  int *block; /* by place: a subtree whose inside can't be busiest; NULL: unknown */
} search_t;

static uint64_t min(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* Rounds of collective calls make each try longer, so there are fewer of them: as many as fit in
 * the time that tries of an ordinary pattern take. `phases`: how many a try may visit. */
static uint64_t tries_of(const berth_map_problem_t *problem, uint64_t tries, size_t phases)
{
  enum { LINKS = 16, LONGER = 4 }; /* links of a rank; phases, as a multiple of the program's own */
  size_t n, own = 0, ranks = (size_t)berth_pattern_ranks(problem->pattern);
  const berth_phase_t *phase = berth_pattern_phases(problem->pattern, &n);
  for (size_t k = 0; k < n; k++) own += phase[k].collective == 0;
  if (own == n) return tries;
  double by_links =
      (double)LINKS * (double)ranks / (2 * (double)pattern_n_messages(problem->pattern));
  double by_phases = (double)LONGER * (double)(own ? own : 1) / (double)phases;
  double share = fmin(1, fmin(by_links, by_phases));
  return (uint64_t)((double)tries * share) + 1;
}

/* How many messages an evaluation visits. Those that depend on hosts are made for each. */
static int count_messages(const berth_map_problem_t *problem, size_t *n, berth_error_t *err)
{
  enum { MAKING = 4 }; /* how often a message could be visited in the time that making it takes */
  *n = pattern_n_messages(problem->pattern);
  if (!pattern_is_by_hosts(problem->pattern)) return BERTH_OK;
  berth_pattern_t *rounds = pattern_rounds_apart(problem->pattern, err);
  if (!rounds) return BERTH_MISSING;
  *n += MAKING * pattern_n_messages(rounds);
  berth_pattern_free(rounds);
  return BERTH_OK;
}

/* Limits the work to the problem's size. The runs of a step share the iterations. */
static void bound_work(search_t *s, size_t messages)
{
  size_t n_phases;
  work_t *w = &s->work;
  uint64_t ranks = (uint64_t)s->ranks, places = (uint64_t)s->problem->n_pus;
  uint64_t iterations = s->problem->options.iterations;
  w->tries = min(w->tries / (1 + ranks / CACHED), w->tries_a_rank * ranks);
  w->walk = min(min(w->walk, w->walk_a_place * places), RANKS_MAX / ranks);
  (void)berth_pattern_phases(s->problem->pattern, &n_phases);
  w->walk = tries_of(s->problem, w->walk, n_phases);
  w->evaluations = min(w->evaluate_a_place * places, w->messages / (1 + (uint64_t)messages));
  if (!iterations) return;
  uint64_t runs = (uint64_t)w->runs;
  w->tries = iterations / runs + (iterations % runs > 0);
  w->walk = iterations;
  w->evaluations = min(w->evaluations, iterations);
}

static int search_init(search_t *s, const berth_map_problem_t *problem, berth_error_t *err)
{
  const berth_map_options_t *o = &problem->options;
  *s = (search_t){.problem = problem, .work = work_of[o->quality]};
  s->ranks = berth_pattern_ranks(problem->pattern);
  size_t bytes = (size_t)s->ranks * sizeof(int);
  size_t messages;
  int rc = count_messages(problem, &messages, err);
  if (rc) return rc;
  bound_work(s, messages);
  bool some = true;
  for (int i = 0; i < STARTS; i++) some &= (s->start[i].pu_of_rank = malloc(bytes)) != NULL;
  for (int i = 0; i < s->work.runs; i++) {
    s->run[i].number = i;
    some &= (s->run[i].pu_of_rank = malloc(bytes)) != NULL;
  }
  return some ? BERTH_OK : no_memory(err);
}

static void search_clear(search_t *s)
{
  free(s->block);
  for (int i = 0; i < STARTS; i++) free(s->start[i].pu_of_rank);
  for (int i = 0; i < RUNS_MAX; i++) free(s->run[i].pu_of_rank);
}

/* Tells all processes the results of n placements. Returns the first error. */
static int share_all(const search_t *s, placement_t *p, int n, berth_error_t *err)
{
  int rc = BERTH_OK;
  for (int i = 0; i < n && !rc; i++)
    rc = share_item(s->problem, i, &p[i].rc, &p[i].err, p[i].pu_of_rank, err);
  for (int i = 0; i < n && !rc; i++)
    if (p[i].rc) rc = berth_fail(err, p[i].rc, "%s", p[i].err.text);
  return rc;
}

/* The first of the cheapest. */
static placement_t *cheapest(placement_t *p, int n)
{
  placement_t *best = &p[0];
  for (int i = 1; i < n; i++)
    if (p[i].price < best->price) best = &p[i];
  return best;
}

/* Evaluates placements. If moves have a price, they are renamed first, so that each has the fewest
 * moves that its cost needs. */
static int price_all(const search_t *s, placement_t *p, int n, berth_error_t *err)
{
  map_pricer_t pricer;
  int rc = map_pricer_init(&pricer, s->problem, err);
  for (int i = 0; i < n && !rc; i++) rc = map_rename(s->problem, p[i].pu_of_rank, err);
  for (int i = 0; i < n && !rc; i++) {
    p[i].price = map_price(&pricer, p[i].pu_of_rank);
    watch_found(s->problem, p[i].price);
  }
  rc = map_pricer_verdict(&pricer, rc, err);
  map_pricer_clear(&pricer);
  return rc;
}

/* Copies the given placements. */
static void take_starts(search_t *s)
{
  size_t given = s->problem->n_starts;
  s->n_starts = given < STARTS ? (int)given : STARTS;
  for (int i = 0; i < s->n_starts; i++)
    memcpy(s->start[i].pu_of_rank, s->problem->starts[i],
           (size_t)s->ranks * sizeof *s->start[i].pu_of_rank);
}

/* Begins a step in which each of the items [first, n) has that much work. */
static void begin_step(const search_t *s, const char *name, int first, int n, double work)
{
  int mine = 0;
  for (int i = first; i < n; i++) mine += share_is_mine(s->problem, i);
  watch_stage(s->problem, name, mine * work);
}

/* Makes placements to search from, if none is given. */
static int find_starts(search_t *s, berth_error_t *err)
{
  const char *name;
  int n = s->problem->options.from ? STARTS : STARTS - 1;
#pragma omp parallel for num_threads(s->problem->options.threads) schedule(dynamic, 1) private(name)
  for (int i = 0; i < n; i++) {
    if (!share_is_mine(s->problem, i)) continue;
    s->start[i].rc = start_mappers[i](s->problem, s->start[i].pu_of_rank, &name, &s->start[i].err);
  }
  s->n_starts = n;
  int rc = share_all(s, s->start, n, err);
  for (int i = 0; i < n && !rc; i++) rc = map_keep_pins(s->problem, s->start[i].pu_of_rank, err);
  return rc;
}

static int make_starts(search_t *s, berth_error_t *err)
{
  int rc = BERTH_OK;
  if (s->problem->n_starts)
    take_starts(s);
  else
    rc = find_starts(s, err);
  return rc ? rc : price_all(s, s->start, s->n_starts, err);
}

/* Anneals in each run from `first` on, with a share of its work, until a share of the time
 * limit. */
static int anneal_runs(search_t *s, const port_model_t *model, int first, bool melts, double share,
                       double end, berth_error_t *err)
{
  const berth_map_options_t *o = &s->problem->options;
  double started = map_time_used(s->problem);
  begin_step(s, melts ? "refine: annealing" : "refine: annealing again", first, s->work.runs,
             (double)s->work.tries * share);
#pragma omp parallel for num_threads(o->threads) schedule(dynamic, 1)
  for (int i = first; i < s->work.runs; i++) {
    if (!share_is_mine(s->problem, i)) continue;
    port_search_t how = {.seed = o->seed + ((uint64_t)(2 * i + melts) << 32),
                         .tries = (uint64_t)((double)s->work.tries * share) + 1,
                         .melts = melts,
                         .with_sum = model->has_sum && (!melts || model->cost_share <= 0),
                         .time_share = share_end(s->problem, i, s->work.runs, started, end)};
    s->run[i].rc = port_search(model, &how, s->run[i].pu_of_rank, &s->run[i].err);
  }
  return share_all(s, s->run, s->work.runs, err);
}

/* Tries of each run of tempering. */
static uint64_t tempering_tries(const search_t *s)
{
  return (uint64_t)((double)s->work.tries * s->work.runs * TEMPERING / TEMPERED);
}

/* Whether there is enough work for tempering to find more than annealing. A time limit would cut
 * tempering short, whereas annealing then cools faster. */
static bool tempers(const search_t *s, const port_model_t *model)
{
  return s->work.runs >= TEMPERED && model->cost_share > 0 &&
         s->problem->options.time_limit_s <= 0 && port_temper_serves(model, tempering_tries(s));
}

/* Tempers in the first runs, one after the other with all threads. */
static int temper_runs(search_t *s, const port_model_t *model, berth_error_t *err)
{
  const berth_map_options_t *o = &s->problem->options;
  begin_step(s, "refine: tempering", 0, TEMPERED, (double)tempering_tries(s));
  for (int i = 0; i < TEMPERED; i++) {
    placement_t *p = &s->run[i];
    if (!share_is_mine(s->problem, i)) continue;
    p->rc = port_temper(model, o->seed + ((uint64_t)(2 * i + 1) << 32), tempering_tries(s),
                        o->threads, p->pu_of_rank, &p->err);
  }
  return share_all(s, s->run, TEMPERED, err);
}

/* Lowers the sum in each run, as long as the ports allow. */
static int lower_runs(search_t *s, berth_error_t *err)
{
  uint64_t tries = s->work.tries / 4;
  double started = map_time_used(s->problem), end = started + (ANNEALED - started) / 3;
  begin_step(s, "refine: annealing by the sum", 0, s->work.runs, (double)tries);
#pragma omp parallel for num_threads(s->problem->options.threads) schedule(dynamic, 1)
  for (int i = 0; i < s->work.runs; i++) {
    placement_t *p = &s->run[i];
    if (!share_is_mine(s->problem, i)) continue;
    berth_map_problem_t slice =
        map_time_slice(s->problem, share_end(s->problem, i, s->work.runs, started, end));
    p->rc = search_sum_in_blocks(&slice, s->block, (double)tries, p->pu_of_rank, &p->err);
  }
  return share_all(s, s->run, s->work.runs, err);
}

/* Makes placements to continue from: by tempering in the first `tempered` runs, by melting in the
 * others. *left is the share of the work that is left. */
static int first_runs(search_t *s, const port_model_t *model, int tempered, double *left,
                      berth_error_t *err)
{
  double melting = tempered ? MELTING_BESIDE : MELTING, started = map_time_used(s->problem);
  double end = started + (ANNEALED - started) * melting;
  *left = 1 - melting * (s->work.runs - tempered) / s->work.runs - (tempered ? TEMPERING : 0);
  int rc = tempered ? temper_runs(s, model, err) : BERTH_OK;
  return rc ? rc : anneal_runs(s, model, tempered, true, melting, end, err);
}

/* Anneals, then continues from the results. Runs that are much more expensive than the cheapest
 * continue from that one's; all continue from tempering's result if that is the cheapest. With a
 * share of the sum, the ports are first searched alone, because the sum is in the way; each run
 * then continues from its own result. `top` is the part of the model that the busiest ports
 * need. */
static int anneal(search_t *s, const port_model_t *model, const port_model_t *top,
                  berth_error_t *err)
{
  double left;
  bool pair = model->has_sum && model->cost_share > 0;
  int tempered = tempers(s, top) ? TEMPERED : 0;
  int rc = first_runs(s, top, tempered, &left, err);
  if (!rc && pair && s->block) rc = lower_runs(s, err);
  if (!rc) rc = price_all(s, s->run, s->work.runs, err);
  if (rc) return rc;
  const placement_t *best = cheapest(s->run, s->work.runs);
  double nearly = best < s->run + tempered ? 1 : 1.03;
  for (int i = 0; i < s->work.runs && !pair; i++)
    if (s->run[i].price > nearly * best->price)
      memcpy(s->run[i].pu_of_rank, best->pu_of_rank, (size_t)s->ranks * sizeof(int));
  return anneal_runs(s, pair ? model : top, 0, false, left, ANNEALED, err);
}

/* Finds the subtrees whose insides can't be busiest. */
static int find_blocks(search_t *s, const port_model_t *model, port_model_t *top,
                       berth_error_t *err)
{
  const berth_map_options_t *o = &s->problem->options;
  int depth;
  if (model->cost_share <= 0 || (o->from && o->move_price_s > 0)) return BERTH_OK;
  int rc = port_model_depth(model, s->run[0].pu_of_rank, &depth, err);
  if (rc || depth == 0 || depth == model->height) return rc;
  rc = port_model_cut(top, model, depth, err);
  if (rc) return rc;
  size_t bytes = (size_t)s->problem->n_pus * sizeof *s->block;
  s->block = malloc(bytes);
  if (!s->block) return no_memory(err);
  memcpy(s->block, top->leaf, bytes);
  return BERTH_OK;
}

static int anneal_many(search_t *s, berth_error_t *err)
{
  port_model_t model = {0}, top = {0};
  map_pricer_t pricer;
  int rc = map_pricer_init(&pricer, s->problem, err);
  if (!rc) rc = port_model_init(&model, &pricer, err);
  map_pricer_clear(&pricer);
  if (!rc && !s->problem->options.iterations)
    s->work.tries = tries_of(s->problem, s->work.tries, (size_t)model.n_phases);
  if (!rc && port_model_fits(&model, 1)) {
    rc = find_blocks(s, &model, &top, err);
    if (!rc) rc = anneal(s, &model, s->block ? &top : &model, err);
  }
  port_model_clear(&top);
  port_model_clear(&model);
  return rc;
}

/* Walks: with few ranks from all starts with kicks, with many from the results of annealing. */
static int walk(search_t *s, bool swaps, berth_error_t *err)
{
  const berth_map_options_t *o = &s->problem->options;
  uint64_t places = (uint64_t)s->problem->n_pus;
  double started = map_time_used(s->problem);
  begin_step(s, "refine: swaps", 0, s->work.runs, (double)s->work.walk / s->work.runs);
#pragma omp parallel for num_threads(o->threads) schedule(dynamic, 1)
  for (int i = 0; i < s->work.runs; i++) {
    if (!share_is_mine(s->problem, i)) continue;
    exact_search_t how = {.problem = s->problem,
                          .seed = o->seed + ((uint64_t)i << 32),
                          .tries = s->work.walk / (uint64_t)s->work.runs + 1,
                          .patience = 20 * places,
                          .kicks = s->ranks <= FEW_RANKS,
                          .swaps = swaps,
                          .time_share = share_end(s->problem, i, s->work.runs, started, WALKED)};
    s->run[i].rc = exact_search(&how, s->run[i].pu_of_rank, &s->run[i].err);
  }
  return share_all(s, s->run, s->work.runs, err);
}

ORDER_BY(by_price, placement_t, RISING(price) RISING(number))

/* Continues with evaluations, from the best few of the runs. */
static int evaluate(search_t *s, berth_error_t *err)
{
  enum { FEW = 4 };
  const berth_map_options_t *o = &s->problem->options;
  int n = s->work.runs < FEW ? s->work.runs : FEW;
  uint64_t tries = s->work.evaluations / (uint64_t)n;
  double started = map_time_used(s->problem);
  begin_step(s, "refine: swaps, each evaluated", 0, n, (double)tries);
#pragma omp parallel for num_threads(o->threads) schedule(dynamic, 1)
  for (int i = 0; i < n; i++) {
    if (!share_is_mine(s->problem, i)) continue;
    exact_search_t how = {.problem = s->problem,
                          .seed = o->seed + ((uint64_t)i << 32),
                          .tries = tries,
                          .patience = 20 * (uint64_t)s->problem->n_pus,
                          .kicks = true,
                          .time_share = share_end(s->problem, i, n, started, EVALUATED)};
    s->run[i].rc = exact_search(&how, s->run[i].pu_of_rank, &s->run[i].err);
  }
  return share_all(s, s->run, n, err);
}

/* Whether only the sum counts, which has its own, much faster search. */
static bool is_sum_alone(const berth_map_problem_t *problem)
{
  const berth_map_options_t *o = &problem->options;
  return o->objective == BERTH_MODEL_SUM && !(o->from && o->move_price_s > 0);
}

static int run_sum(search_t *s, berth_error_t *err)
{
  s->work.runs = 1;
  memcpy(s->run[0].pu_of_rank, cheapest(s->start, s->n_starts)->pu_of_rank,
         (size_t)s->ranks * sizeof *s->run[0].pu_of_rank);
  int rc = search_sum(s->problem, s->run[0].pu_of_rank, err);
  return rc ? rc : price_all(s, s->run, 1, err);
}

/* Gives each run its start, one after the other. For many ranks, only starts that are nearly as
 * cheap as the cheapest. */
static void set_out(search_t *s, bool many)
{
  static const double nearly = 1.25;
  const placement_t *from[STARTS];
  double max = nearly * cheapest(s->start, s->n_starts)->price;
  int n = 0;
  for (int i = 0; i < s->n_starts; i++)
    if (!many || s->start[i].price <= max) from[n++] = &s->start[i];
  for (int i = 0; i < s->work.runs; i++)
    memcpy(s->run[i].pu_of_rank, from[i % n]->pu_of_rank, (size_t)s->ranks * sizeof(int));
}

static int run(search_t *s, berth_error_t *err)
{
  if (s->ranks > FEW_RANKS && is_sum_alone(s->problem)) return run_sum(s, err);
  bool evaluates = draft_needs_evaluations(s->problem), many = s->ranks > FEW_RANKS;
  set_out(s, many);
  int rc = BERTH_OK;
  if (many) rc = anneal_many(s, err);
  if (!rc) rc = walk(s, evaluates, err);
  if (!rc) rc = price_all(s, s->run, s->work.runs, err);
  if (rc || !evaluates) return rc;
  qsort(s->run, (size_t)s->work.runs, sizeof *s->run, by_price);
  rc = evaluate(s, err);
  return rc ? rc : price_all(s, s->run, s->work.runs, err);
}

/* Improves a placement inside the blocks. Keeps the result unless it is more expensive. */
static int lower_in_blocks(const search_t *s, int *pu_of_rank, berth_error_t *err)
{
  map_pricer_t pricer;
  size_t bytes = (size_t)s->ranks * sizeof *pu_of_rank;
  int *lower = malloc(bytes);
  if (!lower) return no_memory(err);
  memcpy(lower, pu_of_rank, bytes);
  uint64_t min_sum = SUM_A_RANK * (uint64_t)s->ranks;
  double tries = s->work.tries / 2 < min_sum ? (double)min_sum : (double)s->work.tries / 2;
  double started = map_time_used(s->problem);
  berth_map_problem_t slice = map_time_slice(s->problem, started + (1 - started) * LOWERED);
  int rc = search_sum_in_blocks(&slice, s->block, tries, lower, err);
  if (!rc) rc = map_pricer_init(&pricer, s->problem, err);
  if (!rc) {
    if (map_price(&pricer, lower) <= map_price(&pricer, pu_of_rank))
      memcpy(pu_of_rank, lower, bytes);
    rc = map_pricer_verdict(&pricer, rc, err);
    map_pricer_clear(&pricer);
  }
  free(lower);
  return rc;
}

/* Lowers the sum without raising the price: in model port, only the busiest port counts. */
static int lower_sum_here(const search_t *s, int *pu_of_rank, berth_error_t *err)
{
  const berth_map_options_t *o = &s->problem->options;
  int rc = s->block ? lower_in_blocks(s, pu_of_rank, err) : BERTH_OK;
  bool evaluates = draft_needs_evaluations(s->problem);
  exact_search_t how = {.problem = s->problem,
                        .seed = o->seed,
                        .tries = (evaluates ? s->work.evaluations : s->work.walk) / 4,
                        .time_share = 1};
  return rc ? rc : exact_lower_sum(&how, pu_of_rank, err);
}

static int lower_sum(const search_t *s, int *pu_of_rank, berth_error_t *err)
{
  const berth_map_options_t *o = &s->problem->options;
  berth_error_t found = {0};
  int rc_here = BERTH_OK;
  if (o->objective == BERTH_MODEL_SUM || o->sum_share > 0) return BERTH_OK;
  watch_stage(s->problem, "refine: lowering the sum", 0);
  if (share_is_mine(s->problem, 0)) rc_here = lower_sum_here(s, pu_of_rank, &found);
  return share_result(s->problem, 0, rc_here, &found, pu_of_rank, err);
}

/* Whether nothing can be cheaper: the price is 0, or no rank may move. */
static bool is_settled(const search_t *s)
{
  int pinned = 0;
  for (int r = 0; r < s->ranks; r++) pinned += map_is_pinned(s->problem, r);
  return pinned == s->ranks || s->start[0].price == 0;
}

int map_refine(const berth_map_problem_t *problem, int *pu_of_rank, const char **chosen,
               berth_error_t *err)
{
  search_t s;
  berth_error_t local;
  if (!err) err = &local;
  int rc = search_init(&s, problem, err);
  if (!rc) rc = make_starts(&s, err);
  bool searched = !rc && !is_settled(&s);
  if (searched) rc = run(&s, err);
  if (!rc) {
    const placement_t *best = cheapest(s.start, s.n_starts);
    const placement_t *found = searched ? cheapest(s.run, s.work.runs) : best;
    if (found->price < best->price) best = found;
    memcpy(pu_of_rank, best->pu_of_rank, (size_t)s.ranks * sizeof *pu_of_rank);
  }
  if (searched && !rc) rc = lower_sum(&s, pu_of_rank, err);
  *chosen = "refine";
  search_clear(&s);
  return rc;
}
