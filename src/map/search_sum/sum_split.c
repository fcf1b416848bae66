/* SPDX-License-Identifier: BSD-3-Clause */
/* Splits a graph's members into groups by annealing.
 *
 * A state may have more members in a group than it has room for, at a price (Johnson, Aragon,
 * McGeoch and Schevon, 1989). Members then move one by one, which mixes far better than exchanges.
 * A try looks up what the member exchanges with both groups; only a change visits its neighbours.
 * At the end, the cheapest members leave groups that are too full.
 *
 * Small graphs are tempered (replica exchange: Hukushima and Nemoto, 1996): states at several
 * temperatures exchange places, so that good ones freeze and bad ones melt again. Cooling finds the
 * same results once in fifty times. Large graphs are cooled: there, many local minima average out,
 * and tempering would need sqrt(n) temperatures. In large regular graphs, cooling leaves kinks, and
 * halving again and again doesn't. So both are done, and the better result is taken. */
#include "map/search_sum/sum_split.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "base/order.h"
#include "map/map_internal.h"
#include "map/map_watch.h"
#include "map/search_sum/sum_layout.h"

enum {
  REPLICAS = 16,
  TEMPER_MAX = 1100,
  SWEEP = 8,
  ROUNDS_MIN = 80,
  HALVE_FROM = 15000,
  QUENCH = 6,
  COOLING_STEPS = 500
};
/* Temperatures, relative to the mean weight: for tempering; for cooling from any state; for cooling
 * a good split. */
static const double coldest = 0.4, warmest = 1.5, melting = 2, lukewarm = 0.5, frozen = 0.15;

/* A state: the members' groups, and values that follow from them. */
typedef struct walker {
  int *group, *size;
  float *pull; /* [member][group]: what the member exchanges with the group */
  double energy;
} walker_t;

int split_init(split_t *s, int n, size_t neighbours, int k, berth_error_t *err)
{
  *s = (split_t){.n = n, .k = k};
  s->start = calloc((size_t)n + 1, sizeof *s->start);
  s->adjacent = malloc((neighbours + 1) * sizeof *s->adjacent);
  s->weight = malloc((neighbours + 1) * sizeof *s->weight);
  s->room = calloc((size_t)k, sizeof *s->room);
  s->fixed = malloc(((size_t)n + 1) * sizeof *s->fixed);
  return s->start && s->adjacent && s->weight && s->room && s->fixed ? BERTH_OK : no_memory(err);
}

void split_clear(split_t *s)
{
  free(s->start);
  free(s->adjacent);
  free(s->weight);
  free(s->room);
  free(s->fixed);
  *s = (split_t){0};
}

static void walker_clear(walker_t *w)
{
  free(w->group);
  free(w->size);
  free(w->pull);
}

static int walker_init(walker_t *w, const split_t *s, berth_error_t *err)
{
  size_t n = (size_t)s->n, k = (size_t)s->k;
  w->group = malloc(n * sizeof *w->group);
  w->size = malloc(k * sizeof *w->size);
  w->pull = malloc(n * k * sizeof *w->pull);
  return w->group && w->size && w->pull ? BERTH_OK : no_memory(err);
}

static void walker_copy(walker_t *to, const walker_t *from, const split_t *s)
{
  size_t n = (size_t)s->n, k = (size_t)s->k;
  memcpy(to->group, from->group, n * sizeof *to->group);
  memcpy(to->size, from->size, k * sizeof *to->size);
  memcpy(to->pull, from->pull, n * k * sizeof *to->pull);
  to->energy = from->energy;
}

static double cut(const split_t *s, const int *group)
{
  double sum = 0;
  for (int r = 0; r < s->n; r++)
    for (int i = s->start[r]; i < s->start[r + 1]; i++)
      if (group[r] != group[s->adjacent[i]]) sum += (double)s->weight[i];
  return sum / 2;
}

/* Computes these values from w->group. */
static void walker_start(walker_t *w, const split_t *s)
{
  size_t k = (size_t)s->k;
  memset(w->size, 0, k * sizeof *w->size);
  memset(w->pull, 0, (size_t)s->n * k * sizeof *w->pull);
  for (int r = 0; r < s->n; r++) {
    w->size[w->group[r]]++;
    for (int i = s->start[r]; i < s->start[r + 1]; i++)
      w->pull[(size_t)r * k + (size_t)w->group[s->adjacent[i]]] += s->weight[i];
  }
  w->energy = cut(s, w->group);
  for (size_t g = 0; g < k; g++) {
    double over = w->size[g] > s->room[g] ? w->size[g] - s->room[g] : 0;
    w->energy += over * over * (double)s->penalty;
  }
}

/* Puts members into groups at random, as far as there is room. room has an entry for each group. */
static int scatter(const split_t *s, uint64_t *random, int *group, berth_error_t *err)
{
  int total = 0, n = 0, taken = 0;
  for (int g = 0; g < s->k; g++) total += s->room[g];
  int *free_in = malloc(((size_t)total + 1) * sizeof *free_in);
  int *held = calloc((size_t)s->k, sizeof *held);
  if (!free_in || !held) {
    free(free_in);
    free(held);
    return no_memory(err);
  }
  for (int r = 0; r < s->n; r++)
    if (s->fixed[r] >= 0) held[s->fixed[r]]++;
  for (int g = 0; g < s->k; g++)
    for (int i = held[g]; i < s->room[g]; i++) free_in[n++] = g;
  for (int r = 0; r < s->n; r++) {
    group[r] = s->fixed[r];
    if (group[r] >= 0) continue;
    int i = taken + (int)sum_random_below(random, (uint32_t)(n - taken));
    group[r] = free_in[i];
    free_in[i] = free_in[taken++];
  }
  free(free_in);
  free(held);
  return BERTH_OK;
}

static inline void change(const split_t *s, walker_t *w, int r, int to)
{
  int from = w->group[r], k = s->k;
  w->group[r] = to;
  w->size[from]--;
  w->size[to]++;
  for (int i = s->start[r]; i < s->start[r + 1]; i++) {
    float *pull = w->pull + (size_t)s->adjacent[i] * (size_t)k;
    pull[from] -= s->weight[i];
    pull[to] += s->weight[i];
  }
}

/* Tries to move members into groups of their neighbours. */
static void walk(const split_t *s, walker_t *w, float temperature, uint64_t tries, uint64_t *random)
{
  const int *start = s->start, *adjacent = s->adjacent, *room = s->room, *fixed = s->fixed;
  const int *group = w->group, *size = w->size;
  const float *all_pulls = w->pull, penalty = s->penalty;
  uint32_t n = (uint32_t)s->n;
  size_t k = (size_t)s->k;
  double energy = 0;
  for (; tries > 0; tries--) {
    uint64_t draw = map_random_next(random);
    int r = (int)(((draw >> 32) * n) >> 32), first = start[r];
    uint64_t degree = (uint64_t)(start[r + 1] - first);
    if (degree == 0) continue;
    int to = group[adjacent[first + (int)(((draw & UINT32_MAX) * degree) >> 32)]];
    int from = group[r];
    if (from == to || fixed[r] >= 0) continue;
    int in = size[to] - room[to], out = size[from] - room[from];
    const float *pull = all_pulls + (size_t)r * k;
    int crowd = (in >= 0 ? 2 * in + 1 : 0) - (out > 0 ? 2 * out - 1 : 0);
    float more = pull[from] - pull[to] + penalty * (float)crowd;
    if (!sum_accepts(more, temperature, random)) continue;
    change(s, w, r, to);
    energy += (double)more;
  }
  w->energy += energy;
}

/* --- groups that are too full --- */

typedef struct leaver {
  float loss;
  int member, to;
} leaver_t;

ORDER_BY(by_loss, leaver_t, RISING(loss) RISING(member))

/* The best group with room for a member, and its loss there. */
static leaver_t best_leave(const split_t *s, const walker_t *w, int r)
{
  leaver_t best = {INFINITY, r, -1};
  const float *pull = w->pull + (size_t)r * (size_t)s->k;
  for (int g = 0; g < s->k; g++) {
    float loss = pull[w->group[r]] - pull[g];
    if (w->size[g] < s->room[g] && loss < best.loss) best = (leaver_t){loss, r, g};
  }
  return best;
}

/* Moves members out of groups that are too full, those with the smallest loss first. */
static void make_room(const split_t *s, walker_t *w, leaver_t *leaver)
{
  for (;;) {
    size_t n = 0;
    for (int r = 0; r < s->n; r++)
      if (w->size[w->group[r]] > s->room[w->group[r]] && s->fixed[r] < 0)
        leaver[n++] = best_leave(s, w, r);
    if (n == 0) return;
    qsort(leaver, n, sizeof *leaver, by_loss);
    for (size_t i = 0; i < n; i++) {
      int from = w->group[leaver[i].member], to = leaver[i].to;
      if (w->size[from] > s->room[from] && w->size[to] < s->room[to])
        change(s, w, leaver[i].member, to);
    }
  }
}

/* --- searches --- */

typedef struct search {
  const split_t *split;
  walker_t walker[REPLICAS + 1]; /* the last one is for settling a copy of a state */
  int n_walkers;
  leaver_t *leaver;
  uint64_t *random;
  int *best; /* the groups, and their cut */
  double best_cut;
} search_t;

static int search_init(search_t *x, const split_t *s, int n_walkers, uint64_t *random, int *best,
                       berth_error_t *err)
{
  *x = (search_t){.split = s, .n_walkers = n_walkers, .random = random, .best = best};
  x->leaver = malloc((size_t)s->n * sizeof *x->leaver);
  x->best_cut = INFINITY;
  int rc = x->leaver ? BERTH_OK : no_memory(err);
  for (int i = 0; i < n_walkers && !rc; i++) rc = walker_init(&x->walker[i], s, err);
  return rc;
}

static void search_clear(search_t *x)
{
  for (int i = 0; i < x->n_walkers; i++) walker_clear(&x->walker[i]);
  free(x->leaver);
}

/* Brings a state to the next minimum with room for all, and keeps it if it is the best. */
static void settle(search_t *x, walker_t *w)
{
  const split_t *s = x->split;
  walk(s, w, 0, (uint64_t)s->n * QUENCH, x->random);
  make_room(s, w, x->leaver);
  double found = cut(s, w->group);
  if (found >= x->best_cut) return;
  x->best_cut = found;
  memcpy(x->best, w->group, (size_t)s->n * sizeof *x->best);
}

/* Whether there is time. The steps after a split need some, too. */
static bool goes_on(const split_t *s) { return !map_time_is_up(s->problem, 0.7); }

/* Walks with a look at the clock now and then, because `iterations` may be any number. */
static void walk_in_time(const split_t *s, walker_t *w, float temperature, uint64_t tries,
                         uint64_t *random)
{
  uint64_t n = 0;
  for (; tries > 0 && goes_on(s); tries -= n) {
    n = tries < SUM_LOOK_EVERY ? tries : SUM_LOOK_EVERY;
    walk(s, w, temperature, n, random);
  }
}

/* Cools from x->best, in which all groups have room. */
static void cool(search_t *x, double from, double tries)
{
  const split_t *s = x->split;
  walker_t *w = &x->walker[0];
  memcpy(w->group, x->best, (size_t)s->n * sizeof *w->group);
  walker_start(w, s);
  double temperature = from * (double)s->mean, factor = pow(frozen / from, 1.0 / COOLING_STEPS);
  for (int i = 0; i < COOLING_STEPS && goes_on(s); i++, temperature *= factor) {
    walk_in_time(s, w, (float)temperature, (uint64_t)(tries / COOLING_STEPS) + 1, x->random);
    watch_did(s->problem, tries / COOLING_STEPS);
  }
  settle(x, w);
}

/* Lets neighbouring temperatures exchange states, every second pair in turn. */
static void exchange(search_t *x, const double *temperature, int first)
{
  for (int i = first; i + 1 < REPLICAS; i += 2) {
    walker_t *a = &x->walker[i], *b = &x->walker[i + 1];
    double gain = (1 / temperature[i] - 1 / temperature[i + 1]) * (a->energy - b->energy);
    if (!sum_accepts((float)-gain, 1, x->random)) continue;
    walker_t other = *a;
    *a = *b;
    *b = other;
  }
}

static int temper(search_t *x, double tries, berth_error_t *err)
{
  const split_t *s = x->split;
  double temperature[REPLICAS];
  uint64_t sweep = (uint64_t)s->n * SWEEP;
  for (int i = 0; i < REPLICAS; i++) {
    temperature[i] = (double)s->mean * coldest * pow(warmest / coldest, (double)i / (REPLICAS - 1));
    int rc = scatter(s, x->random, x->walker[i].group, err);
    if (rc) return rc;
    walker_start(&x->walker[i], s);
  }
  double rounds = tries / ((double)sweep * REPLICAS);
  for (int k = 0; k < rounds && (k == 0 || goes_on(s)); k++) {
    for (int i = 0; i < REPLICAS; i++)
      walk(s, &x->walker[i], (float)temperature[i], sweep, x->random);
    for (int i = 0; i < 2; i++) {
      walker_copy(&x->walker[REPLICAS], &x->walker[i], s);
      settle(x, &x->walker[REPLICAS]);
    }
    exchange(x, temperature, k & 1);
    watch_did(s->problem, (double)sweep * REPLICAS);
  }
  return BERTH_OK;
}

/* --- halves --- */

static int halve(const split_t *s, const int *member, int n, int first, int end, double tries,
                 uint64_t *random, int *group, berth_error_t *err);

/* Makes the split of some members among the groups [first, end), as two groups. */
static int half_init(split_t *h, const split_t *s, const int *member, int n, int first, int end,
                     berth_error_t *err)
{
  int mid = (first + end) / 2;
  size_t neighbours = 0, at = 0;
  int *local = malloc((size_t)s->n * sizeof *local);
  for (int i = 0; i < n; i++) neighbours += (size_t)(s->start[member[i] + 1] - s->start[member[i]]);
  int rc = split_init(h, n, neighbours, 2, err);
  h->problem = s->problem;
  if (!local && !rc) rc = no_memory(err);
  if (rc) {
    free(local);
    return rc;
  }
  for (int r = 0; r < s->n; r++) local[r] = -1;
  for (int i = 0; i < n; i++) local[member[i]] = i;
  for (int g = first; g < end; g++) h->room[g >= mid] += s->room[g];
  for (int i = 0; i < n; i++) {
    int r = member[i];
    h->fixed[i] = s->fixed[r] < 0 ? -1 : s->fixed[r] >= mid;
    for (int j = s->start[r]; j < s->start[r + 1]; j++) {
      if (local[s->adjacent[j]] < 0) continue;
      h->adjacent[at] = local[s->adjacent[j]];
      h->weight[at++] = s->weight[j];
    }
    h->start[i + 1] = (int)at;
  }
  free(local);
  return BERTH_OK;
}

/* Splits the members of both halves; `half` has each member's. */
static int halve_again(const split_t *s, const int *member, const int *half, int n, int first,
                       int end, double tries, uint64_t *random, int *group, berth_error_t *err)
{
  int rc = BERTH_OK, mid = (first + end) / 2;
  int *part = calloc((size_t)n + 1, sizeof *part);
  if (!part) return no_memory(err);
  for (int side = 0; side < 2 && !rc; side++) {
    int m = 0;
    for (int i = 0; i < n; i++)
      if (half[i] == side) part[m++] = member[i];
    rc = halve(s, part, m, side ? mid : first, side ? end : mid, tries, random, group, err);
  }
  free(part);
  return rc;
}

/* Splits members among the groups [first, end) by halves; `tries` is for each member. */
static int halve(const split_t *s, const int *member, int n, int first, int end, double tries,
                 uint64_t *random, int *group, berth_error_t *err)
{
  if (n == 0) return BERTH_OK;
  if (end - first == 1) {
    for (int i = 0; i < n; i++) group[member[i]] = first;
    return BERTH_OK;
  }
  split_t h;
  int *half = malloc((size_t)n * sizeof *half);
  int rc = half_init(&h, s, member, n, first, end, err);
  if (!rc && !half) rc = no_memory(err);
  if (!rc) rc = split_solve(&h, tries * n, random, half, err);
  split_clear(&h);
  if (!rc) rc = halve_again(s, member, half, n, first, end, tries, random, group, err);
  free(half);
  return rc;
}

/* Halves, then cools the result with all groups together. */
static int cool_halves(search_t *x, double tries, berth_error_t *err)
{
  const split_t *s = x->split;
  int levels = 1;
  while (1 << levels < s->k) levels++;
  int *member = malloc((size_t)s->n * sizeof *member);
  if (!member) return no_memory(err);
  for (int r = 0; r < s->n; r++) member[r] = r;
  int rc = halve(s, member, s->n, 0, s->k, tries * 0.75 / levels / s->n, x->random, x->best, err);
  free(member);
  if (rc) return rc;
  x->best_cut = cut(s, x->best);
  cool(x, lukewarm, tries / 4);
  return BERTH_OK;
}

/* --- */

static void measure(split_t *s)
{
  double sum = 0, room = 0;
  int edges = s->start[s->n];
  for (int i = 0; i < edges; i++) sum += (double)s->weight[i];
  for (int g = 0; g < s->k; g++) room += s->room[g];
  s->mean = edges ? (float)(sum / edges) : 0;
  /* A lower price would let small groups lose all members; a higher one hinders moves between large
   * groups. */
  s->penalty = s->mean * (float)((s->n > TEMPER_MAX ? 8 : 4) / sqrt(room / s->k));
}

static int search_groups(split_t *s, double tries, uint64_t *random, int *group, berth_error_t *err)
{
  search_t x, y;
  bool small = s->n <= TEMPER_MAX && tries > (double)s->n * REPLICAS * SWEEP * ROUNDS_MIN;
  bool both = s->k > 2 && tries > (double)s->n * HALVE_FROM;
  double direct = both ? tries * (small ? 0.8 : 0.35) : tries;
  int *other = malloc((size_t)s->n * sizeof *other);
  int rc = search_init(&x, s, small ? REPLICAS + 1 : 1, random, group, err);
  if (!rc && !other) rc = no_memory(err);
  if (!rc && small) rc = temper(&x, direct, err);
  if (!rc && !small) cool(&x, melting, direct);
  search_clear(&x);
  if (!rc && both) {
    rc = search_init(&y, s, 1, random, other, err);
    if (!rc) rc = cool_halves(&y, tries - direct, err);
    search_clear(&y);
    if (!rc && y.best_cut < x.best_cut) memcpy(group, other, (size_t)s->n * sizeof *group);
  }
  free(other);
  return rc;
}

int split_solve(split_t *s, double tries, uint64_t *random, int *group, berth_error_t *err)
{
  measure(s);
  int rc = scatter(s, random, group, err);
  return rc || s->mean <= 0 ? rc : search_groups(s, tries, random, group, err);
}
