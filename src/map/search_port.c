/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulated annealing (Kirkpatrick, Gelatt, Vecchi, 1983) on the potential of search_port.h, in
 * cycles (thermal cycling: Möbius and others, 1997): the first ones melt the start, so that groups
 * of ranks take other shapes; those after them warm up the best placement so far, which moves its
 * borders; when those find nothing any more, it melts again. Many short cycles find more than a
 * long one: how low one ends is decided as it freezes. */
#include "map/search_port.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  CYCLE_A_RANK = 2000,  /* tries of a cycle for each rank, at most */
  CYCLES_LEAST = 4,     /* so many cycles there are, if they have */
  CYCLE_LEAST = 100,    /* so many tries for each rank */
  IDLE = 6,             /* warm cycles that find nothing, before it melts again */
  MELTS = 6,            /* one of so many cycles melts, at first */
  STAGES = 100,         /* of one temperature each in a cycle, if there are tries enough */
  STAGE_MOST = 1 << 16, /* tries: between two looks at the clock */
  SAMPLES = 2000,       /* draws that are looked at for the scale of temperatures */
  LOOKS = 8,            /* places that are looked at for one whose rank would go */
  SEEN = 8,             /* ranks that are remembered of each two branches */
  SEEN_BITS = 12,       /* 2^12 such pairs, more share entries */
  ANYWHERE = 16,        /* one of so many draws is of any rank and any place */
  DRAWS = 1 << 30
};

/* A part of a cycle: powers of 4 or 8 at first, which see all loads, up to 32, for which the
 * busiest ones alone count. The first starts with the cycle's temperature. */
typedef struct step {
  double until; /* share of the cycle */
  int doublings;
  double hot, cold;
} step_t;

/* Temperatures are in average rises of the potential by a change that raises it. */
typedef struct schedule {
  double melting, warm_least, warm_most;
  step_t step[3];
} schedule_t;

/* Where the sum has a share it keeps apart what the powers of 4 would not, and its small
 * differences want lower temperatures. */
static const schedule_t for_ports = {
    0.22, 0.08, 0.2, {{0.8, 2, 0, 0.05}, {0.9, 3, 0.04, 0.02}, {1, 5, 0.04, 0.02}}};
static const schedule_t for_sums = {
    0.1, 0.03, 0.15, {{0.6, 3, 0, 0.01}, {0.8, 5, 0.03, 0.005}, {1, 5, 0.005, 0.001}}};

/* Draws for changes that bear less than this share of the potential are mostly passed over, but
 * not all of them. */
static const double WORTHWHILE = 1.0 / 30, PASSED_OVER = 15.0 / 16;

typedef struct walker {
  const port_model_t *model;
  const schedule_t *schedule;
  port_state_t state;
  uint64_t random;
  double average;              /* rise of the potential by a change that raises it */
  double best_cost, here_cost; /* negative: none yet */
  int *start, *best, *here;    /* place of each rank; here: the best since it melted last */
  double *worth; /* of a change that meets at a depth: the share of the potential below it */
  int *seen;     /* [pair of branches][SEEN]: ranks that would go, -1: none yet */
} walker_t;

/* A number below n, fast: nearly each with the same chance. */
static int draw_below(walker_t *w, int n)
{
  return (int)(((map_random_next(&w->random) >> 32) * (uint64_t)n) >> 32);
}

/* Whether a change is left out that meets at a depth: it bears little. */
static bool passes_over(walker_t *w, int depth)
{
  double worth = w->worth[depth] / WORTHWHILE;
  return worth < PASSED_OVER && draw_below(w, DRAWS) > (worth + 1 - PASSED_OVER) * DRAWS;
}

/* A node near the other end of a link: one of those above it that don't hold the rank whose the
 * link is, the highest most of the time. */
static int near_partner(walker_t *w, const port_link_t *link)
{
  const port_model_t *m = w->model;
  int x = w->state.leaf_of_rank[link->rank], node = w->state.leaf_of_rank[link->other];
  if (port_is_below(m, x, node)) return -1;
  while (!port_is_below(m, x, m->node[node].parent)) {
    if (draw_below(w, 4) == 0) break;
    node = m->node[node].parent;
  }
  return passes_over(w, m->node[m->node[node].parent].depth) ? -1 : node;
}

/* The child of the node where two nodes meet that the first one is below. */
static int branch_of(const port_model_t *m, int node, int other)
{
  while (node > 0 && !port_is_below(m, other, m->node[node].parent)) node = m->node[node].parent;
  return node;
}

/* The ranks that were last seen in one branch with bytes for another one, or other branches that
 * fell on the same entries. */
static int *seen_in(const walker_t *w, int branch, int other)
{
  uint64_t key = ((uint64_t)branch << 32 | (uint32_t)other) * 0x9e3779b97f4a7c15u;
  return w->seen + (key >> (64 - SEEN_BITS)) * SEEN;
}

/* Looks for a rank below a node that has to do with where `rank` is: the two may change places. It
 * may be one that was drawn from there lately; else some places are looked at, for one that is
 * free, too. */
static int look_around(walker_t *w, const port_link_t *link, int node)
{
  const port_model_t *m = w->model;
  const port_state_t *s = &w->state;
  int home = branch_of(m, s->leaf_of_rank[link->rank], s->leaf_of_rank[link->other]);
  int away = branch_of(m, node, home);
  seen_in(w, home, away)[draw_below(w, SEEN)] = link->rank;
  int seen = seen_in(w, away, home)[draw_below(w, SEEN)];
  if (seen >= 0 && (m->n_places == m->n_ranks || draw_below(w, 2) > 0) &&
      port_is_below(m, s->leaf_of_rank[seen], node) && port_state_belongs(s, seen, home))
    return s->place_of_rank[seen];
  int first = m->node[node].place, n = m->node[node].places, place = first + draw_below(w, n);
  for (int i = 0; i < LOOKS; i++) {
    int other = s->rank_at[place];
    if (other < 0 || port_state_belongs(s, other, home)) break;
    place = first + draw_below(w, n);
  }
  return place;
}

/* Draws a rank and a place: mostly near one that the rank exchanges bytes with. False when that is
 * no change that matters. */
static bool draw(walker_t *w, int *rank, int *place)
{
  const port_model_t *m = w->model;
  const port_state_t *s = &w->state;
  if (s->n_apart > 0 && draw_below(w, ANYWHERE) > 0) {
    const port_link_t *link = &m->link[s->apart[draw_below(w, (int)s->n_apart)]];
    int node = near_partner(w, link);
    if (node < 0 || m->node[node].places == 0) return false;
    *rank = link->rank;
    *place = look_around(w, link, node);
  } else {
    *rank = draw_below(w, m->n_ranks);
    *place = draw_below(w, m->n_places);
  }
  if (m->leaf[*place] == s->leaf_of_rank[*rank] || map_is_pinned(m->problem, *rank)) return false;
  int other = s->rank_at[*place];
  return other < 0 || !map_is_pinned(m->problem, other);
}

/* Finds out at which depths the potential stands: where nothing below counts, draws are in vain. */
static void weigh_depths(walker_t *w)
{
  const port_model_t *m = w->model;
  const port_state_t *s = &w->state;
  size_t loads = (size_t)m->n_nodes * PORT_LOADS;
  for (int d = 0; d <= m->height; d++) w->worth[d] = 0;
  for (int k = 0; k < m->n_phases; k++) {
    if (s->total[k] <= 0 || s->potential <= 0) continue;
    double scale = m->cost_share * m->repeats[k] * s->norm[k] / s->total[k] / s->potential;
    for (size_t i = 0; i < loads; i++)
      w->worth[m->node[i / PORT_LOADS].depth] += scale * s->power[(size_t)k * loads + i];
  }
  double below = s->potential > 0 ? s->sum / s->potential : 0;
  for (int d = m->height; d >= 0; d--) {
    double here = w->worth[d];
    w->worth[d] = below;
    below += here;
  }
}

static void sample_rises(walker_t *w)
{
  int n = 0, rank, place;
  double total = 0;
  for (int i = 0; i < SAMPLES; i++) {
    if (!draw(w, &rank, &place)) continue;
    double rise = port_state_try(&w->state, rank, place) - w->state.potential;
    if (rise <= 0) continue;
    total += rise;
    n++;
  }
  w->average = n ? total / n : 0;
}

static void keep_if_better(const walker_t *w, double cost, double *best_cost, int *best)
{
  if (*best_cost >= 0 && cost >= *best_cost) return;
  *best_cost = cost;
  memcpy(best, w->state.place_of_rank, (size_t)w->model->n_ranks * sizeof *best);
}

static void keep_best(walker_t *w)
{
  double cost = port_state_cost(&w->state);
  keep_if_better(w, cost, &w->best_cost, w->best);
  keep_if_better(w, cost, &w->here_cost, w->here);
}

/* Whether a rise is taken (Metropolis): with chance exp(-rise / temperature). */
static bool takes(walker_t *w, double rise, double temperature)
{
  enum { STEPS = 1 << 30 };
  if (rise <= 0) return true;
  if (rise > 20 * temperature) return false;
  double chance = (double)(1 + map_random_below(&w->random, STEPS)) / STEPS;
  return rise < -temperature * log(chance);
}

static void one_stage(walker_t *w, uint64_t tries, double temperature)
{
  int rank, place;
  for (uint64_t i = 0; i < tries; i++) {
    if (!draw(w, &rank, &place)) continue;
    double rise = port_state_try(&w->state, rank, place) - w->state.potential;
    if (takes(w, rise, temperature)) port_state_commit(&w->state);
  }
}

/* Where in a cycle the walk is: the step, and the share of it that is over. */
static const step_t *step_at(const step_t *step, double progress, double *over)
{
  double from = 0;
  for (; progress >= step->until && step->until < 1; step++) from = step->until;
  *over = (progress - from) / (step->until - from);
  return step;
}

/* Cools down from a temperature, faster where time would be up before the tries are made. */
static void cool(walker_t *w, double hot, uint64_t tries, double time_share)
{
  const berth_map_problem_t *problem = w->model->problem;
  double started = map_time_used(problem), over, progress = 0;
  double room = fmax(time_share - started, 0);
  uint64_t stage = tries / STAGES + 1;
  if (stage > STAGE_MOST) stage = STAGE_MOST;
  w->state.doublings = 0;
  for (uint64_t done = 0; progress < 1; done += stage) {
    const step_t *step = step_at(w->schedule->step, progress, &over);
    bool next = step->doublings != w->state.doublings;
    port_state_add_up(&w->state, step->doublings);
    weigh_depths(w);
    if (next) sample_rises(w);
    double first = step == w->schedule->step ? hot : step->hot;
    one_stage(w, stage, w->average * first * pow(step->cold / first, over));
    keep_best(w);
    double used = map_time_used(problem) - started;
    progress = (double)(done + stage) / (double)tries;
    if (used > progress * room) progress = room > 0 ? used / room : 1;
  }
}

static void one_cycle(walker_t *w, bool melts, uint64_t tries, double time_share)
{
  const schedule_t *t = w->schedule;
  double x = (double)draw_below(w, DRAWS) / DRAWS;
  double warm = t->warm_least * pow(t->warm_most / t->warm_least, x);
  port_state_place(&w->state, melts ? w->start : w->here);
  cool(w, melts ? t->melting : warm, tries, time_share);
}

/* Where warm cycles find nothing any more, it melts again and goes on from there. */
static void all_cycles(walker_t *w, const port_search_t *how)
{
  const berth_map_problem_t *problem = w->model->problem;
  uint64_t ranks = (uint64_t)w->model->n_ranks, tries = how->tries / CYCLES_LEAST;
  if (tries < CYCLE_LEAST * ranks) tries = CYCLE_LEAST * ranks;
  if (tries > CYCLE_A_RANK * ranks) tries = CYCLE_A_RANK * ranks;
  if (tries > how->tries) tries = how->tries;
  uint64_t cycles = tries ? how->tries / tries : 0;
  uint64_t melts = how->melts && cycles >= CYCLES_LEAST ? (cycles + MELTS - 1) / MELTS : 0;
  int idle = 0;
  for (uint64_t i = 0; i < cycles && !map_time_is_up(problem, how->time_share); i++) {
    bool again = idle == IDLE;
    double before = w->here_cost;
    if (again) w->here_cost = -1;
    one_cycle(w, again || i < melts, tries, how->time_share);
    idle = again || w->here_cost < before ? 0 : idle + 1;
  }
}

int port_search(const port_model_t *m, const port_search_t *how, int *pu_of_rank,
                berth_error_t *err)
{
  size_t bytes = (size_t)m->n_ranks * sizeof(int);
  walker_t w = {.model = m,
                .schedule = how->with_sum ? &for_sums : &for_ports,
                .random = how->seed,
                .best_cost = -1,
                .here_cost = -1};
  w.start = malloc(bytes);
  w.best = malloc(bytes);
  w.here = malloc(bytes);
  w.worth = malloc(((size_t)m->height + 1) * sizeof *w.worth);
  w.seen = malloc(((size_t)SEEN << SEEN_BITS) * sizeof *w.seen);
  bool some = w.start && w.best && w.here && w.worth && w.seen;
  int rc = some ? port_state_init(&w.state, m, pu_of_rank, err) : map_no_memory(err);
  if (!rc) {
    for (int i = 0; i < SEEN << SEEN_BITS; i++) w.seen[i] = -1;
    w.state.sum_weight = how->with_sum ? 1 : 0;
    memcpy(w.start, w.state.place_of_rank, bytes);
    port_state_add_up(&w.state, w.schedule->step[0].doublings);
    keep_best(&w);
    all_cycles(&w, how);
    for (int r = 0; r < m->n_ranks; r++) pu_of_rank[r] = m->problem->pus[w.best[r]];
    port_state_clear(&w.state);
  }
  free(w.start);
  free(w.best);
  free(w.here);
  free(w.worth);
  free(w.seen);
  return rc;
}
