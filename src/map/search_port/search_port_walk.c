/* SPDX-License-Identifier: BSD-3-Clause */
/* Walks over placements: draws changes near a rank's partners, takes them by Metropolis's rule. */
#include <math.h>
#include <stdlib.h>

#include "base/no_memory.h"
#include "map/search_port/search_port.h"

enum {
  SAMPLES = 2000, /* draws that set the scale of temperatures */
  LOOKS = 8,      /* places that are tried to find one whose rank wants to go */
  SEEN = 8,       /* ranks that are remembered for each pair of branches */
  SEEN_BITS = 12, /* 2^12 such pairs; more pairs share entries */
  ANYWHERE = 16,  /* one of so many draws is of any rank and any place */
  HUB = 4096, /* a rank with more links, such as a root, is drawn less often than its links are */
  DRAWS = 1 << 30
};

/* Changes that concern less than this share of the potential are skipped most of the time. */
static const double WORTHWHILE = 1.0 / 30, PASSED_OVER = 15.0 / 16;

/* A number below n, fast, nearly equally distributed. */
static int draw_below(port_walk_t *w, int n)
{
  return (int)(((map_random_next(&w->random) >> 32) * (uint64_t)n) >> 32);
}

/* Whether to skip a change that meets at a depth, because it matters little. */
static bool passes_over(port_walk_t *w, int depth)
{
  double worth = w->worth[depth] / WORTHWHILE;
  return worth < PASSED_OVER && draw_below(w, DRAWS) > (worth + 1 - PASSED_OVER) * DRAWS;
}

/* A node near the other end of a link: an ancestor of it that doesn't contain the link's rank, most
 * of the time the highest one. */
static int near_partner(port_walk_t *w, const port_link_t *link)
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

/* The ancestor-or-self of `node` that is a child of the node where both meet. */
static int branch_of(const port_model_t *m, int node, int other)
{
  while (node > 0 && !port_is_below(m, other, m->node[node].parent)) node = m->node[node].parent;
  return node;
}

/* Ranks that were last seen in one branch with bytes for another one. Other pairs of branches may
 * share the entry. */
static int *seen_in(const port_walk_t *w, int branch, int other)
{
  uint64_t key = ((uint64_t)branch << 32 | (uint32_t)other) * 0x9e3779b97f4a7c15u;
  return w->seen + (key >> (64 - SEEN_BITS)) * SEEN;
}

/* Looks for a rank below a node that exchanges messages with the surroundings of `rank`, so that
 * both may change places. It may be one that was remembered; otherwise some places are tried, also
 * for a free one. */
static int look_around(port_walk_t *w, const port_link_t *link, int node)
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

/* Whether to skip a draw of a rank with so many links that trying it takes as long as thousands of
 * others. */
static bool is_hub(port_walk_t *w, int rank)
{
  size_t links = w->model->first_link[rank + 1] - w->model->first_link[rank];
  return links > HUB && draw_below(w, (int)links) >= HUB;
}

/* Draws a rank and a place, mostly near a partner of the rank. False if the change doesn't
 * matter. */
static bool draw(port_walk_t *w, int *rank, int *place)
{
  const port_model_t *m = w->model;
  const port_state_t *s = &w->state;
  if (s->n_apart > 0 && draw_below(w, ANYWHERE) > 0) {
    const port_link_t *link = &m->link[s->apart[draw_below(w, (int)s->n_apart)]];
    int node = is_hub(w, link->rank) ? -1 : near_partner(w, link);
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

/* Finds the depths at which the potential lies. If nothing below a depth counts, draws there are
 * useless. */
static void weigh_depths(port_walk_t *w)
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

double port_walk_average_rise(port_walk_t *w)
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
  return n ? total / n : 0;
}

/* Metropolis's rule: accepts a rise with probability exp(-rise / temperature). */
static bool takes(port_walk_t *w, double rise, double temperature)
{
  if (rise <= 0) return true;
  if (rise > 20 * temperature) return false;
  return rise < -temperature * log(port_chance(&w->random));
}

void port_walk_go(port_walk_t *w, uint64_t tries, double temperature)
{
  int rank, place;
  for (uint64_t i = 0; i < tries; i++) {
    if (!draw(w, &rank, &place)) continue;
    double rise = port_state_try(&w->state, rank, place) - w->state.potential;
    if (takes(w, rise, temperature)) port_state_commit(&w->state);
  }
}

void port_walk_add_up(port_walk_t *w, int doublings)
{
  port_state_add_up(&w->state, doublings);
  weigh_depths(w);
}

int port_walk_init(port_walk_t *w, const port_model_t *m, uint64_t seed, const int *pu_of_rank,
                   berth_error_t *err)
{
  size_t seen = (size_t)SEEN << SEEN_BITS;
  *w = (port_walk_t){.model = m, .random = seed};
  int rc = port_state_init(&w->state, m, pu_of_rank, err);
  if (rc) return rc;
  w->worth = malloc(((size_t)m->height + 1) * sizeof *w->worth);
  w->seen = malloc(seen * sizeof *w->seen);
  if (!w->worth || !w->seen) return no_memory(err);
  for (size_t i = 0; i < seen; i++) w->seen[i] = -1;
  return BERTH_OK;
}

void port_walk_clear(port_walk_t *w)
{
  port_state_clear(&w->state);
  free(w->worth);
  free(w->seen);
  *w = (port_walk_t){0};
}
