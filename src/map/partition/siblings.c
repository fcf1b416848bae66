/* SPDX-License-Identifier: BSD-3-Clause */
/* Splits a switch's ranks among its children, by halves.
 * The children are cut in two runs, the ranks in two parts that fit them, and so on with both
 * halves. So a search always handles two parts, whose sizes it can keep exactly (bisect.c). Then
 * each pair of children that exchange messages is cut again, until no cut gets smaller. At last, if
 * requested, teams of neighbouring children are split again from the start. */
#include "map/partition/siblings.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/no_memory.h"
#include "map/partition/bisect.h"

/* Maximum of siblings in a team. */
enum { TEAM_MAX = 5 };
/* The share of the siblings' traffic that a round of teams must gain; less counts as nothing. */
static const double GAIN_MIN = 0.002;
/* Seconds that a cut takes for each vertex and entry, before the first one is measured. */
static const double PACE = 3e-7;
/* With a time limit, everything after the first placement ends at this share of it, because the
 * result is only a start for searches. */
static const double TIME_SHARE = 0.25;

static bool splitter_allocate(splitter_t *s, size_t ranks, size_t entries, size_t places,
                              size_t children)
{
  s->rank = malloc(ranks * sizeof *s->rank);
  s->slot = malloc(places * sizeof *s->slot);
  s->team = malloc(ranks * sizeof *s->team);
  s->home = malloc(ranks * sizeof *s->home);
  s->spare = malloc(ranks * sizeof *s->spare);
  s->local = malloc(ranks * sizeof *s->local);
  s->child_of = malloc(ranks * sizeof *s->child_of);
  s->neighbour = malloc(children * sizeof *s->neighbour);
  s->met = calloc(children, sizeof *s->met);
  s->part = malloc(ranks * sizeof *s->part);
  s->section.start = malloc((ranks + 1) * sizeof *s->section.start);
  s->section.adjacent = malloc(entries * sizeof *s->section.adjacent);
  s->section.weight = malloc(entries * sizeof *s->section.weight);
  bool room = bisect_init(&s->bisector, (int)ranks - 1, (int)entries - 1);
  if (s->work.passes) s->bisector.passes = s->work.passes;
  if (s->work.patience) s->bisector.patience = s->work.patience;
  return room && s->rank && s->slot && s->team && s->home && s->spare && s->local && s->child_of &&
         s->neighbour && s->met && s->part && s->section.start && s->section.adjacent &&
         s->section.weight;
}

int siblings_init(splitter_t *s, berth_error_t *err)
{
  const graph_t *g = s->graph;
  if (g->n_edges >= INT_MAX / 2)
    return berth_fail(err, BERTH_BAD_INPUT,
                      "found %zu pairs of ranks that exchange messages, expected at most %d",
                      g->n_edges, INT_MAX / 2 - 1);
  if (!splitter_allocate(s, (size_t)g->n + 1, 2 * g->n_edges + 1, (size_t)s->tree->usable[0] + 1,
                         (size_t)berth_topo_n_elements(s->tree->topo) + 1))
    return no_memory(err);
  s->pace = PACE;
  for (int r = 0; r < g->n; r++) {
    s->rank[r] = r;
    s->local[r] = s->child_of[r] = s->home[r] = -1;
  }
  return BERTH_OK;
}

void siblings_clear(splitter_t *s)
{
  free(s->rank);
  free(s->slot);
  free(s->spare);
  free(s->team);
  free(s->home);
  free(s->local);
  free(s->child_of);
  free(s->neighbour);
  free(s->met);
  free(s->part);
  free(s->child);
  free(s->section.start);
  free(s->section.adjacent);
  free(s->section.weight);
  bisect_clear(&s->bisector);
}

/* Makes the graph of some ranks. Pairs without traffic are omitted. */
static void extract(splitter_t *s, const int *rank, int n)
{
  const graph_t *g = s->graph;
  section_t *out = &s->section;
  int entries = 0;
  for (int v = 0; v < n; v++) s->local[rank[v]] = v;
  for (int v = 0; v < n; v++) {
    out->start[v] = entries;
    for (size_t i = g->start[rank[v]]; i < g->start[rank[v] + 1]; i++) {
      int u = s->local[g->adjacent[i]];
      if (u < 0 || g->weight[i] <= 0) continue;
      out->adjacent[entries] = u;
      out->weight[entries++] = g->weight[i];
    }
  }
  out->start[n] = entries;
  out->n = n;
  for (int v = 0; v < n; v++) s->local[rank[v]] = -1;
}

/* Moves the ranks of part 0 to the front; each part keeps its order. Returns their number. */
static int partition_ranks(splitter_t *s, int *rank, int n)
{
  int zeros = 0, ones = 0;
  for (int v = 0; v < n; v++) {
    if (s->part[v])
      s->spare[ones++] = rank[v];
    else
      rank[zeros++] = rank[v];
  }
  memcpy(rank + zeros, s->spare, (size_t)ones * sizeof *rank);
  return zeros;
}

/* The minimum of part 0 if n ranks go to parts with a and b places. */
static int fewest(int n, long b) { return n > b ? (int)(n - b) : 0; }
static int max(int n, long a) { return n < a ? n : (int)a; }

/* Whether there is time for a cut of the section, at the pace of earlier cuts. The clock matters
 * only with a time limit; without one there always is. */
static bool has_time(splitter_t *s)
{
  const berth_map_problem_t *p = s->tree->problem;
  if (map_time_is_up(p, MAP_BUILD_SHARE)) return false;
  double limit = p->options.time_limit_s;
  double work = s->section.n + (double)s->section.start[s->section.n];
  return limit <= 0 || s->pace * work < (MAP_BUILD_SHARE - map_time_used(p)) * limit;
}

/* Measures the pace of a large section's cut that began at that time. */
static void note_pace(splitter_t *s, double began)
{
  enum { LARGE = 10000 };
  double work = s->section.n + (double)s->section.start[s->section.n];
  if (work >= LARGE) s->pace = (clock_s() - began) / work;
}

/* A cut without a search: ranks in their order, each part in proportion to its room. */
static void cut_in_order(splitter_t *s, const long *room, int low, int high)
{
  int n = s->section.n;
  int zeros = (int)((double)n * (double)room[0] / (double)(room[0] + room[1]));
  zeros = zeros < low ? low : zeros > high ? high : zeros;
  for (int v = 0; v < n; v++) s->part[v] = v >= zeros;
}

static int cut(splitter_t *s, const long *room, int low, int high, int tries, berth_error_t *err)
{
  int rc = BERTH_OK;
  double began = clock_s();
  if (!has_time(s)) {
    cut_in_order(s, room, low, high);
    return BERTH_OK;
  }
  s->bisector.problem = s->tree->problem;
  rc = s->work.grows
           ? bisect_grow(&s->bisector, &s->section, low, high, tries, &s->random, s->part, err)
           : bisect(&s->bisector, &s->section, low, high, tries, &s->random, s->part, err);
  note_pace(s, began);
  return rc;
}

/* Improves the cut in s->part by multilevel search, as often as requested. Adds to *gained. */
static int cycle(splitter_t *s, int low, int high, double *gained, berth_error_t *err)
{
  int rc = BERTH_OK, cycles = s->work.cycles;
  if (s->is_top && s->work.top_cycles > cycles) cycles = s->work.top_cycles;
  for (int i = 0; i < cycles && !rc && has_time(s); i++) {
    double more = 0;
    rc = bisect_cycle(&s->bisector, &s->section, low, high, &s->random, s->part, &more, err);
    *gained += more;
  }
  return rc;
}

/* Splits n ranks among children by halves, and puts the ranks in the children's order. */
static int split(splitter_t *s, child_t *child, int n_children, int *rank, int n,
                 berth_error_t *err)
{
  if (n == 0 || n_children == 1) {
    for (int i = 0; i < n_children; i++) child[i].n = n;
    return BERTH_OK;
  }
  int middle = n_children / 2;
  long room[2] = {0, 0};
  for (int i = 0; i < n_children; i++) room[i >= middle] += child[i].places;
  extract(s, rank, n);
  int tries = n < s->work.tries_from ? 1 : s->work.tries;
  int low = fewest(n, room[1]), high = max(n, room[0]);
  double gained = 0;
  int rc = cut(s, room, low, high, tries, err);
  if (!rc) rc = cycle(s, low, high, &gained, err);
  if (rc) return rc;
  int zeros = partition_ranks(s, rank, n);
  rc = split(s, child, middle, rank, zeros, err);
  return rc ? rc : split(s, child + middle, n_children - middle, rank + zeros, n - zeros, err);
}

/* Cuts the ranks of two children again. */
static int improve_pair(splitter_t *s, child_t *children, int i, int k, berth_error_t *err)
{
  child_t *a = &children[i], *b = &children[k];
  int n = a->n + b->n;
  int *both = s->spare, *slot[2] = {s->slot + a->slot, s->slot + b->slot};
  double gained;
  memcpy(both, slot[0], (size_t)a->n * sizeof *both);
  memcpy(both + a->n, slot[1], (size_t)b->n * sizeof *both);
  extract(s, both, n);
  for (int v = 0; v < n; v++) s->part[v] = v >= a->n;
  int tries = n < s->work.pairs_from ? 0 : s->work.pair_tries;
  int low = fewest(n, b->places), high = max(n, a->places);
  int rc =
      bisect_again(&s->bisector, &s->section, low, high, tries, &s->random, s->part, &gained, err);
  if (!rc) rc = cycle(s, low, high, &gained, err);
  if (rc || gained <= 0) return rc;
  a->n = b->n = 0;
  for (int v = 0; v < n; v++) {
    s->child_of[both[v]] = s->part[v] ? k : i;
    slot[s->part[v]][s->part[v] ? b->n++ : a->n++] = both[v];
  }
  a->changed = b->changed = true;
  return BERTH_OK;
}

/* Lists in s->neighbour the children after the i-th that exchange messages with it. Returns their
 * number. */
static int find_neighbours(splitter_t *s, const child_t *child, int i)
{
  const graph_t *g = s->graph;
  const int *rank = s->slot + child->slot;
  int found = 0;
  for (int v = 0; v < child->n; v++)
    for (size_t e = g->start[rank[v]]; e < g->start[rank[v] + 1]; e++) {
      int other = s->child_of[g->adjacent[e]];
      if (other <= i || s->met[other]) continue;
      s->met[other] = true;
      s->neighbour[found++] = other;
    }
  for (int k = 0; k < found; k++) s->met[s->neighbour[k]] = false;
  return found;
}

/* Cuts all pairs of children once, if one of both has changed since the last time. */
static int improve_round(splitter_t *s, child_t *child, int n_children, bool *changed,
                         berth_error_t *err)
{
  int rc = BERTH_OK;
  for (int i = 0; i < n_children; i++) {
    int n = find_neighbours(s, &child[i], i);
    for (int k = 0; k < n && !rc; k++) {
      if (map_time_is_up(s->tree->problem, MAP_BUILD_SHARE)) break;
      int other = s->neighbour[k];
      if (child[i].settled && child[other].settled) continue;
      rc = improve_pair(s, child, i, other, err);
    }
  }
  *changed = false;
  for (int i = 0; i < n_children; i++) {
    child[i].settled = !child[i].changed;
    if (child[i].changed) *changed = true;
    child[i].changed = false;
  }
  return rc;
}

/* Improves the cuts between pairs of children. The ranks are then in the children's order again. */
static int improve(splitter_t *s, child_t *child, int n_children, int *rank, berth_error_t *err)
{
  int rc = BERTH_OK, slot = 0, done = 0;
  bool changed = true;
  for (int i = 0; i < n_children; i++) {
    child[i].slot = slot;
    memcpy(s->slot + slot, rank + done, (size_t)child[i].n * sizeof *rank);
    for (int v = 0; v < child[i].n; v++) s->child_of[rank[done + v]] = i;
    slot += child[i].places;
    done += child[i].n;
  }
  for (int i = 0; i < s->work.rounds && changed && !rc; i++)
    rc = improve_round(s, child, n_children, &changed, err);
  for (int i = 0; i < done; i++) s->child_of[rank[i]] = -1;
  done = 0;
  for (int i = 0; i < n_children; i++) {
    memcpy(rank + done, s->slot + child[i].slot, (size_t)child[i].n * sizeof *rank);
    done += child[i].n;
  }
  return rc;
}

/* The traffic between members of a team, whose ranks are in order in s->team. */
static double cut_within(splitter_t *s, const child_t *member, int n_members)
{
  const graph_t *g = s->graph;
  double twice = 0;
  int at = 0, n = 0;
  for (int i = 0; i < n_members; i++)
    for (int v = 0; v < member[i].n; v++) s->child_of[s->team[n++]] = i;
  for (; at < n; at++)
    for (size_t e = g->start[s->team[at]]; e < g->start[s->team[at] + 1]; e++) {
      int other = s->child_of[g->adjacent[e]];
      if (other >= 0 && other != s->child_of[s->team[at]]) twice += g->weight[e];
    }
  for (at = 0; at < n; at++) s->child_of[s->team[at]] = -1;
  return twice / 2;
}

/* Draws children that exchange messages, one after the other. Returns their number. */
static int draw_team(splitter_t *s, const child_t *child, int n_children, const int *rank,
                     int *pick)
{
  const graph_t *g = s->graph;
  int want = 3 + (int)map_random_below(&s->random, TEAM_MAX - 2), n = 1;
  pick[0] = (int)map_random_below(&s->random, (uint64_t)n_children);
  for (int tries = 0; tries < 10 * TEAM_MAX && n < want; tries++) {
    const child_t *c = &child[pick[map_random_below(&s->random, (uint64_t)n)]];
    if (c->n == 0) continue;
    int r = rank[c->first + (int)map_random_below(&s->random, (uint64_t)c->n)];
    size_t degree = g->start[r + 1] - g->start[r];
    if (degree == 0) continue;
    int other = s->home[g->adjacent[g->start[r] + map_random_below(&s->random, degree)]];
    bool new = other >= 0;
    for (int i = 0; i < n; i++) new = new &&pick[i] != other;
    if (new) pick[n++] = other;
  }
  return n;
}

/* Puts a team's ranks back between those of its siblings. */
static void take_team(splitter_t *s, child_t *child, int n_children, int *rank, const int *pick,
                      const child_t *member, int n_members)
{
  int done = 0;
  for (int i = 0; i < n_children; i++) {
    int k = 0, first = 0;
    while (k < n_members && pick[k] != i) first += member[k++].n;
    const int *from = k < n_members ? s->team + first : rank + child[i].first;
    if (k < n_members) child[i].n = member[k].n;
    memcpy(s->slot + done, from, (size_t)child[i].n * sizeof *rank);
    done += child[i].n;
  }
  memcpy(rank, s->slot, (size_t)done * sizeof *rank);
}

static void note_homes(splitter_t *s, child_t *child, int n_children, const int *rank)
{
  int done = 0;
  for (int i = 0; i < n_children; i++) {
    child[i].first = done;
    for (int v = 0; v < child[i].n; v++) s->home[rank[done++]] = i;
  }
}

/* Splits a few neighbours again, and keeps the result if they then exchange less. Adds the gain to
 * *gained. */
static int split_team(splitter_t *s, child_t *child, int n_children, int *rank, int *split_ranks,
                      double *gained, berth_error_t *err)
{
  int pick[TEAM_MAX], n = 0, n_members = draw_team(s, child, n_children, rank, pick);
  child_t member[TEAM_MAX];
  for (int i = 0; i < n_members; i++) {
    member[i] = child[pick[i]];
    memcpy(s->team + n, rank + member[i].first, (size_t)member[i].n * sizeof *rank);
    n += member[i].n;
  }
  *split_ranks += n + 1;
  double before = cut_within(s, member, n_members);
  int rc = split(s, member, n_members, s->team, n, err);
  if (!rc) rc = improve(s, member, n_members, s->team, err);
  double after = cut_within(s, member, n_members);
  if (rc || after >= before) return rc;
  *gained += before - after;
  take_team(s, child, n_children, rank, pick, member, n_members);
  note_homes(s, child, n_children, rank);
  return BERTH_OK;
}

/* A round of teams, in which each rank is in one team on average. */
static int split_teams(splitter_t *s, child_t *child, int n_children, int *rank, int n,
                       double *gained, berth_error_t *err)
{
  int rc = BERTH_OK;
  *gained = 0;
  for (int ranks = 0; ranks < n && !rc && !map_time_is_up(s->tree->problem, TIME_SHARE);)
    rc = split_team(s, child, n_children, rank, &ranks, gained, err);
  return rc;
}

/* Does rounds of teams; ends early if so requested and they gain nothing. */
static int improve_by_teams(splitter_t *s, child_t *child, int n_children, int *rank, int n,
                            berth_error_t *err)
{
  int rc = BERTH_OK, dry = 0, teams = s->work.teams;
  if (s->is_top && s->work.top_teams > teams) teams = s->work.top_teams;
  if (teams == 0) return BERTH_OK;
  memcpy(s->team, rank, (size_t)n * sizeof *rank);
  double gained, cut = cut_within(s, child, n_children);
  note_homes(s, child, n_children, rank);
  for (int i = 0; i < teams && !rc; i++) {
    rc = split_teams(s, child, n_children, rank, n, &gained, err);
    dry = gained > GAIN_MIN * cut ? 0 : dry + 1;
    if (s->work.dry_rounds && dry >= s->work.dry_rounds) break;
  }
  for (int v = 0; v < n; v++) s->home[rank[v]] = -1;
  return rc;
}

int siblings_split(splitter_t *s, child_t *child, int n_children, int *rank, int n,
                   berth_error_t *err)
{
  int rc = split(s, child, n_children, rank, n, err);
  if (rc || n_children < 3 || !s->work.rounds) return rc;
  rc = improve(s, child, n_children, rank, err);
  return rc ? rc : improve_by_teams(s, child, n_children, rank, n, err);
}
