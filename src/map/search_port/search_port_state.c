/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes a placement's loads, and how a change of two places changes them.
 *
 * If a rank leaves a place, only nodes above the place change, up to where it meets the new place.
 * Its traffic with ranks inside such a node then crosses the node's border, and its traffic with
 * all others doesn't any more. So a try sums up a rank's bytes by the deepest node above the place
 * that contains the other end, and visits few loads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "map/search_port/search_port.h"

/* --- setting up --- */

static bool chain_init(port_chain_t *c, int height)
{
  size_t n = (size_t)height + 1;
  c->node = malloc(n * sizeof *c->node);
  c->delta = calloc(n * PORT_LOADS, sizeof *c->delta);
  for (int i = 0; i < 2; i++) c->inside[i] = calloc(n, sizeof *c->inside[i]);
  return c->node && c->delta && c->inside[0] && c->inside[1];
}

/* Whether the table of traffic between ranks and nodes is so small that a look-up is faster than
 * summing up. */
static bool is_small(const port_model_t *m)
{
  enum { SHARED_MAX = 1 << 21, PHASES_MAX = 16 };
  if (m->n_phases > PHASES_MAX) return false; /* each try would look up all phases */
  return (double)m->n_phases * m->n_ranks * m->n_nodes <= SHARED_MAX;
}

static bool allocate(port_state_t *s)
{
  const port_model_t *m = s->model;
  size_t ranks = (size_t)m->n_ranks, phases = (size_t)m->n_phases, places = (size_t)m->n_places;
  size_t loads = phases * (size_t)m->n_nodes * PORT_LOADS, links = m->first_link[m->n_ranks];
  /* The maximum that a try changes: both chains and the switch where they meet, in each phase. */
  size_t changes = phases * (2 * (size_t)m->height + 1) * PORT_LOADS;
  s->place_of_rank = malloc(ranks * sizeof *s->place_of_rank);
  s->leaf_of_rank = malloc(ranks * sizeof *s->leaf_of_rank);
  s->rank_at = malloc(places * sizeof *s->rank_at);
  s->bytes = malloc(loads * sizeof *s->bytes);
  s->power = malloc(loads * sizeof *s->power);
  s->unit = malloc(phases * sizeof *s->unit);
  s->total = malloc(phases * sizeof *s->total);
  s->norm = malloc(phases * sizeof *s->norm);
  s->change = malloc(changes * sizeof *s->change);
  s->phase_change = malloc(phases * sizeof *s->phase_change);
  s->apart = malloc((links + 1) * sizeof *s->apart);
  s->apart_at = malloc((links + 1) * sizeof *s->apart_at);
  if (is_small(m)) {
    s->shared = malloc(phases * ranks * (size_t)m->n_nodes * sizeof *s->shared);
    s->all = calloc(phases * ranks, sizeof *s->all);
    if (!s->shared || !s->all) return false;
  }
  bool chains = chain_init(&s->chain[0], m->height);
  chains &= chain_init(&s->chain[1], m->height);
  chains &= s->apart && s->apart_at;
  return s->place_of_rank && s->leaf_of_rank && s->rank_at && s->bytes && s->power && s->unit &&
         s->total && s->norm && s->change && s->phase_change && chains;
}

static double *shared_of(const port_state_t *s, int phase, int rank)
{
  const port_model_t *m = s->model;
  return s->shared + ((size_t)phase * (size_t)m->n_ranks + (size_t)rank) * (size_t)m->n_nodes;
}

static void add_all(port_state_t *s)
{
  const port_model_t *m = s->model;
  for (int r = 0; r < m->n_ranks && s->shared; r++)
    for (size_t i = m->first_link[r]; i < m->first_link[r + 1]; i++) {
      const port_link_t *link = &m->link[i];
      port_link_t *all = &s->all[(size_t)link->phase * (size_t)m->n_ranks + (size_t)r];
      all->out += link->out;
      all->in += link->in;
    }
}

static void add_shared(port_state_t *s)
{
  const port_model_t *m = s->model;
  if (!s->shared) return;
  size_t n = (size_t)m->n_phases * (size_t)m->n_ranks * (size_t)m->n_nodes;
  for (size_t i = 0; i < n; i++) s->shared[i] = 0;
  for (int r = 0; r < m->n_ranks; r++)
    for (size_t i = m->first_link[r]; i < m->first_link[r + 1]; i++) {
      const port_link_t *link = &m->link[i];
      double *shared = shared_of(s, link->phase, r);
      for (int v = s->leaf_of_rank[link->other]; v >= 0; v = m->node[v].parent)
        shared[v] += link->out + link->in;
    }
}

static void find_apart(port_state_t *s)
{
  const port_model_t *m = s->model;
  s->n_apart = 0;
  for (size_t i = 0; i < m->first_link[m->n_ranks]; i++) {
    const port_link_t *link = &m->link[i];
    bool apart = s->leaf_of_rank[link->rank] != s->leaf_of_rank[link->other];
    s->apart_at[i] = apart ? (int)s->n_apart : -1;
    if (apart) s->apart[s->n_apart++] = (int)i;
  }
}

int port_state_init(port_state_t *s, const port_model_t *m, const int *pu_of_rank,
                    berth_error_t *err)
{
  *s = (port_state_t){.model = m, .sum_weight = 1};
  if (!allocate(s)) {
    port_state_clear(s);
    return no_memory(err);
  }
  map_take_places(m->problem, pu_of_rank, s->place_of_rank, s->rank_at);
  for (int r = 0; r < m->n_ranks; r++) s->leaf_of_rank[r] = m->leaf[s->place_of_rank[r]];
  add_all(s);
  add_shared(s);
  find_apart(s);
  return BERTH_OK;
}

void port_state_place(port_state_t *s, const int *place_of_rank)
{
  const port_model_t *m = s->model;
  for (int i = 0; i < m->n_places; i++) s->rank_at[i] = -1;
  for (int r = 0; r < m->n_ranks; r++) {
    int place = place_of_rank[r];
    s->place_of_rank[r] = place;
    s->leaf_of_rank[r] = m->leaf[place];
    s->rank_at[place] = r;
  }
  add_shared(s);
  find_apart(s);
}

void port_state_clear(port_state_t *s)
{
  free(s->place_of_rank);
  free(s->leaf_of_rank);
  free(s->rank_at);
  free(s->apart);
  free(s->apart_at);
  free(s->shared);
  free(s->all);
  free(s->bytes);
  free(s->power);
  free(s->unit);
  free(s->total);
  free(s->norm);
  free(s->change);
  free(s->phase_change);
  for (int i = 0; i < 2; i++) {
    free(s->chain[i].node);
    free(s->chain[i].delta);
    free(s->chain[i].inside[0]);
    free(s->chain[i].inside[1]);
  }
  *s = (port_state_t){0};
}

/* --- the whole placement --- */

/* Adds the bytes that a rank sends to another one to all loads on their way. */
static void add_way(port_state_t *s, int a, int b, double bytes, double *load)
{
  const port_node_t *node = s->model->node;
  if (a == b && node[a].is_pu) {
    load[a * PORT_LOADS + PORT_OUT] += bytes;
    load[a * PORT_LOADS + PORT_IN] += bytes;
    a = b = node[a].parent;
  }
  for (; !port_is_below(s->model, b, a); a = node[a].parent) {
    load[a * PORT_LOADS + PORT_OUT] += bytes;
    load[a * PORT_LOADS + PORT_CROSS] += bytes;
  }
  for (; b != a; b = node[b].parent) {
    load[b * PORT_LOADS + PORT_IN] += bytes;
    load[b * PORT_LOADS + PORT_CROSS] += bytes;
  }
  load[a * PORT_LOADS + PORT_CROSS] += bytes;
}

static double power_of(double x, int doublings)
{
  for (int i = 0; i < doublings; i++) x *= x;
  return x;
}

static double root_of(double x, int doublings)
{
  if (x <= 0) return 0;
  for (int i = 0; i < doublings; i++) x = sqrt(x);
  return x;
}

double port_state_largest(const port_state_t *s, int phase)
{
  size_t n = (size_t)s->model->n_nodes * PORT_LOADS;
  const double *bytes = s->bytes + (size_t)phase * n;
  double max = 0;
  for (size_t i = 0; i < n; i++) {
    double time = bytes[i] * s->model->time[i];
    if (time > max) max = time;
  }
  return max;
}

static void add_up_phase(port_state_t *s, int phase)
{
  const port_model_t *m = s->model;
  size_t n = (size_t)m->n_nodes * PORT_LOADS;
  const double *bytes = s->bytes + (size_t)phase * n;
  double *power = s->power + (size_t)phase * n, max = port_state_largest(s, phase);
  s->unit[phase] = max > 0 ? max : 1;
  s->total[phase] = 0;
  for (size_t i = 0; i < n; i++) {
    power[i] = power_of(bytes[i] * m->time[i] / s->unit[phase], s->doublings);
    s->total[phase] += power[i];
    s->sum += s->sum_weight * m->repeats[phase] * bytes[i] * m->sum_time[i];
  }
  s->norm[phase] = s->unit[phase] * root_of(s->total[phase], s->doublings);
  s->potential += m->cost_share * m->repeats[phase] * s->norm[phase];
}

/* The price of a rank on a place for not being where it was. */
static double price_of_place(const port_state_t *s, int rank, int place)
{
  const berth_map_options_t *o = &s->model->problem->options;
  if (!o->from || o->from[rank] < 0) return 0;
  return o->from[rank] == s->model->problem->pus[place] ? 0 : o->move_price_s;
}

void port_state_add_up(port_state_t *s, int doublings)
{
  const port_model_t *m = s->model;
  size_t n = (size_t)m->n_nodes * PORT_LOADS;
  memset(s->bytes, 0, (size_t)m->n_phases * n * sizeof *s->bytes);
  s->doublings = doublings;
  s->sum = s->moves = s->potential = 0;
  for (int r = 0; r < m->n_ranks; r++) {
    s->moves += price_of_place(s, r, s->place_of_rank[r]);
    for (size_t i = m->first_link[r]; i < m->first_link[r + 1]; i++)
      if (m->link[i].out > 0)
        add_way(s, s->leaf_of_rank[r], s->leaf_of_rank[m->link[i].other], m->link[i].out,
                s->bytes + (size_t)m->link[i].phase * n);
  }
  for (int k = 0; k < m->n_phases; k++) add_up_phase(s, k);
  s->potential += s->sum + s->moves;
}

double port_state_cost(const port_state_t *s)
{
  double cost = s->sum + s->moves;
  for (int k = 0; k < s->model->n_phases; k++)
    cost += s->model->cost_share * s->model->repeats[k] * port_state_largest(s, k);
  return cost;
}

/* --- tries --- */

/* Fills both chains with the ways from two leaves to their meeting point, which it returns. */
static int find_chains(port_state_t *s, int x, int y)
{
  const port_model_t *m = s->model;
  port_chain_t *from = &s->chain[0], *to = &s->chain[1];
  from->n = to->n = 0;
  for (; !port_is_below(m, y, x); x = m->node[x].parent) from->node[from->n++] = x;
  for (; y != x; y = m->node[y].parent) to->node[to->n++] = y;
  return x;
}

/* Adds a link of rank number `which` of the try to the chain, if the other rank is below the
 * chain. */
static inline bool note_inside(const port_model_t *m, port_chain_t *c, int which, int leaf,
                               double bytes)
{
  int i = c->n - 1;
  if (i < 0 || !port_is_below(m, leaf, c->node[i])) return false;
  for (; i >= 0 && port_is_below(m, leaf, c->node[i]); i--) c->inside[which][i] += bytes;
  return true;
}

/* Adds the effect of a rank that leaves the chain's deepest node (sign 1) or arrives there (-1) to
 * the chain's deltas; it sends and gets so many bytes in all. Returns the change at the switch
 * above. */
static double shift(const port_model_t *m, port_chain_t *c, int which, double sign, double out,
                    double in)
{
  double turned = 0; /* inside the chain's child, so not through the switch */
  for (int i = 0; i < c->n; i++) {
    double *delta = &c->delta[i * PORT_LOADS];
    double here = m->node[c->node[i]].is_pu ? 0 : c->inside[which][i];
    c->inside[which][i] = 0;
    delta[PORT_OUT] += sign * (here - out);
    delta[PORT_IN] += sign * (here - in);
    delta[PORT_CROSS] += sign * (here - out - in + turned);
    turned = here;
  }
  return sign * turned;
}

/* Reverses the traffic between the two ranks that change places. */
static void turn(port_chain_t *c, double out, double in)
{
  for (int i = 0; i < c->n; i++) {
    c->delta[i * PORT_LOADS + PORT_OUT] += in - out;
    c->delta[i * PORT_LOADS + PORT_IN] += out - in;
  }
}

static inline void change_load(port_state_t *s, int phase, int node, int kind, double delta)
{
  const port_model_t *m = s->model;
  size_t at = (size_t)node * PORT_LOADS + (size_t)kind;
  if (delta == 0 || m->time[at] <= 0) return;
  size_t load = (size_t)phase * (size_t)m->n_nodes * PORT_LOADS + at;
  port_phase_change_t *p = &s->phase_change[s->n_phase_changes - 1];
  double bytes = s->bytes[load] + delta;
  double power = power_of(bytes * m->time[at] / s->unit[phase], s->doublings);
  p->total += power - s->power[load];
  s->tried_sum += s->sum_weight * m->repeats[phase] * delta * m->sum_time[at];
  s->change[s->n_changes++] = (port_change_t){load, bytes, power};
}

/* Turns the chains' deltas of a phase into changes of loads. */
static void change_phase(port_state_t *s, int phase, int top, double top_crossed)
{
  s->phase_change[s->n_phase_changes++] = (port_phase_change_t){phase, s->total[phase], 0};
  for (int i = 0; i < 2; i++) {
    port_chain_t *c = &s->chain[i];
    for (int k = 0; k < c->n; k++)
      for (int kind = 0; kind < PORT_LOADS; kind++) {
        change_load(s, phase, c->node[k], kind, c->delta[k * PORT_LOADS + kind]);
        c->delta[k * PORT_LOADS + kind] = 0;
      }
  }
  change_load(s, phase, top, PORT_CROSS, top_crossed);
  port_phase_change_t *p = &s->phase_change[s->n_phase_changes - 1];
  p->norm = s->unit[phase] * root_of(p->total, s->doublings);
  s->tried += s->model->cost_share * s->model->repeats[phase] * (p->norm - s->norm[phase]);
}

/* Adds a rank's links of one phase, from *link on. `partner` is the other rank of the try. Returns
 * the change at the switch where the chains meet. */
static double note_links(port_state_t *s, int which, int phase, int partner,
                         const port_link_t **link, const port_link_t *end)
{
  const port_model_t *m = s->model;
  double out = 0, in = 0;
  port_chain_t *from = &s->chain[which], *to = &s->chain[1 - which];
  for (; *link < end && (*link)->phase == phase; ++*link) {
    const port_link_t *l = *link;
    if (l->other == partner) {
      if (which == 0) {
        turn(from, l->out, l->in);
        turn(to, l->in, l->out);
      }
      continue;
    }
    out += l->out;
    in += l->in;
    int leaf = s->leaf_of_rank[l->other];
    if (!note_inside(m, from, which, leaf, l->out + l->in))
      note_inside(m, to, which, leaf, l->out + l->in);
  }
  return shift(m, from, which, 1, out, in) + shift(m, to, which, -1, out, in);
}

/* The same by look-up, without going through the links. */
static double look_up(port_state_t *s, int which, int phase, const port_link_t *both)
{
  const port_model_t *m = s->model;
  port_chain_t *from = &s->chain[which], *to = &s->chain[1 - which];
  int rank = which ? s->b : s->a;
  const port_link_t *all = &s->all[(size_t)phase * (size_t)m->n_ranks + (size_t)rank];
  const double *shared = shared_of(s, phase, rank);
  double partner = both->out + both->in, out = all->out, in = all->in;
  out -= which ? both->in : both->out;
  in -= which ? both->out : both->in;
  for (int i = 0; i < from->n; i++) from->inside[which][i] = shared[from->node[i]];
  for (int i = 0; i < to->n; i++) to->inside[which][i] = shared[to->node[i]] - partner;
  return shift(m, from, which, 1, out, in) + shift(m, to, which, -1, out, in);
}

/* What ranks a and b exchange in a phase. */
static port_link_t find_both(const port_state_t *s, int phase)
{
  const port_model_t *m = s->model;
  if (s->b < 0 || shared_of(s, phase, s->a)[m->leaf[s->to]] <= 0) return (port_link_t){0};
  const port_link_t *low = m->link + m->first_link[s->a], *end = m->link + m->first_link[s->a + 1];
  for (size_t n = (size_t)(end - low); n > 0;) { /* sorted by phase, then by the other rank */
    const port_link_t *middle = low + n / 2;
    bool before = middle->phase != phase ? middle->phase < phase : middle->other < s->b;
    low = before ? middle + 1 : low;
    n = before ? n - n / 2 - 1 : n / 2;
  }
  bool found = low < end && low->phase == phase && low->other == s->b;
  return found ? *low : (port_link_t){0};
}

static void look_up_phases(port_state_t *s, int top)
{
  const port_model_t *m = s->model;
  for (int k = 0; k < m->n_phases; k++) {
    port_link_t both = find_both(s, k);
    double crossed = look_up(s, 0, k, &both);
    if (s->b >= 0) {
      crossed += look_up(s, 1, k, &both);
      turn(&s->chain[0], both.out, both.in);
      turn(&s->chain[1], both.in, both.out);
    }
    change_phase(s, k, top, crossed);
  }
}

static void add_phases(port_state_t *s, int top)
{
  const port_model_t *m = s->model;
  const port_link_t *a = m->link + m->first_link[s->a], *b = NULL;
  const port_link_t *end_a = m->link + m->first_link[s->a + 1], *end_b = NULL;
  if (s->b >= 0) {
    b = m->link + m->first_link[s->b];
    end_b = m->link + m->first_link[s->b + 1];
  }
  while (a < end_a || b < end_b) {
    int phase = b == end_b || (a < end_a && a->phase < b->phase) ? a->phase : b->phase;
    double crossed = 0;
    if (a < end_a) crossed += note_links(s, 0, phase, s->b, &a, end_a);
    if (b < end_b) crossed += note_links(s, 1, phase, s->a, &b, end_b);
    change_phase(s, phase, top, crossed);
  }
}

double port_state_try(port_state_t *s, int rank, int place)
{
  const port_model_t *m = s->model;
  int other = s->rank_at[place], from = s->place_of_rank[rank];
  int top = find_chains(s, s->leaf_of_rank[rank], m->leaf[place]);
  s->a = rank;
  s->b = other;
  s->to = place;
  s->n_changes = 0;
  s->n_phase_changes = 0;
  s->tried_sum = s->sum;
  s->tried = s->potential;
  s->tried_moves = s->moves + price_of_place(s, rank, place) - price_of_place(s, rank, from);
  if (other >= 0)
    s->tried_moves += price_of_place(s, other, from) - price_of_place(s, other, place);
  if (s->shared)
    look_up_phases(s, top);
  else
    add_phases(s, top);
  s->tried += s->tried_sum - s->sum + s->tried_moves - s->moves;
  return s->tried;
}

/* Updates the table: a rank that changes chains takes its bytes along. */
static void move_shared(port_state_t *s, int rank, const port_chain_t *from, const port_chain_t *to)
{
  const port_model_t *m = s->model;
  for (size_t i = m->first_link[rank]; i < m->first_link[rank + 1]; i++) {
    const port_link_t *link = &m->link[i];
    double *shared = shared_of(s, link->phase, link->other), bytes = link->out + link->in;
    for (int k = 0; k < from->n; k++) shared[from->node[k]] -= bytes;
    for (int k = 0; k < to->n; k++) shared[to->node[k]] += bytes;
  }
}

/* Adds a link to the list of links between leaves, or removes it. */
static void set_apart(port_state_t *s, int link, bool apart)
{
  int at = s->apart_at[link];
  if ((at >= 0) == apart) return;
  if (apart) {
    s->apart_at[link] = (int)s->n_apart;
    s->apart[s->n_apart++] = link;
    return;
  }
  int last = s->apart[--s->n_apart];
  s->apart[at] = last;
  s->apart_at[last] = at;
  s->apart_at[link] = -1;
}

static void update_apart(port_state_t *s, int rank)
{
  const port_model_t *m = s->model;
  for (size_t i = m->first_link[rank]; i < m->first_link[rank + 1]; i++) {
    bool apart = s->leaf_of_rank[rank] != s->leaf_of_rank[m->link[i].other];
    set_apart(s, (int)i, apart);
    set_apart(s, m->link[i].back, apart);
  }
}

bool port_state_belongs(const port_state_t *s, int rank, int node)
{
  const port_model_t *m = s->model;
  for (int k = 0; k < m->n_phases && s->shared; k++)
    if (shared_of(s, k, rank)[node] > 0) return true;
  for (size_t i = m->first_link[rank]; i < m->first_link[rank + 1] && !s->shared; i++)
    if (port_is_below(m, s->leaf_of_rank[m->link[i].other], node)) return true;
  return false;
}

void port_state_commit(port_state_t *s)
{
  if (s->shared) {
    move_shared(s, s->a, &s->chain[0], &s->chain[1]);
    if (s->b >= 0) move_shared(s, s->b, &s->chain[1], &s->chain[0]);
  }
  int from = s->place_of_rank[s->a];
  for (size_t i = 0; i < s->n_changes; i++) {
    s->bytes[s->change[i].load] = s->change[i].bytes;
    s->power[s->change[i].load] = s->change[i].power;
  }
  for (int i = 0; i < s->n_phase_changes; i++) {
    const port_phase_change_t *p = &s->phase_change[i];
    s->total[p->phase] = p->total;
    s->norm[p->phase] = p->norm;
  }
  s->sum = s->tried_sum;
  s->moves = s->tried_moves;
  s->potential = s->tried;
  s->place_of_rank[s->a] = s->to;
  s->leaf_of_rank[s->a] = s->model->leaf[s->to];
  s->rank_at[s->to] = s->a;
  s->rank_at[from] = s->b;
  if (s->b >= 0) {
    s->place_of_rank[s->b] = from;
    s->leaf_of_rank[s->b] = s->model->leaf[from];
    update_apart(s, s->b);
  }
  update_apart(s, s->a);
}
