/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds what each direction of each link above hosts carries.
 *
 * Each port has a fan of partners, so that no single partner limits it. If a port differs from
 * its kind, or its partners may limit it, other partners have to confirm that. */
#include "calib/network/calib_network.h"

#include <math.h>
#include <stdlib.h>

const double calib_alike = 0.02;
/* Partners must be able to carry so much more than the result, or they may be what limits it. */
static const double room = 1.05;
enum { WIDE = 16, MORE = 3 };

const port_t *port_find(const berth_calib_t *c, int element, int direction)
{
  int i = c->port_of[direction] ? c->port_of[direction][element] : -1;
  return i < 0 ? NULL : &c->ports[i];
}

static calib_stat_t view_rate(const berth_calib_t *c, const view_t *v)
{
  return probe_best(c, v->probe, v->first, v->n);
}

/* Each view is a lower bound, so the largest one counts. */
static const view_t *best_view(const berth_calib_t *c, const port_t *p)
{
  const view_t *best = NULL;
  double max = 0;
  for (size_t i = 0; i < p->n_views; i++) {
    calib_stat_t s = view_rate(c, &p->view[i]);
    if (s.n == 0 || s.median <= max) continue;
    max = s.median;
    best = &p->view[i];
  }
  return best;
}

calib_stat_t port_rate(const berth_calib_t *c, const port_t *p)
{
  const view_t *best = best_view(c, p);
  return best ? view_rate(c, best) : (calib_stat_t){0};
}

/* What flows would carry if their common port was infinitely fast. With `hope`, all ports that
 * may carry more than was seen are. */
static double room_for(const berth_calib_t *c, const port_t *p, const berth_calib_flow_t *flows,
                       size_t n, bool hope)
{
  double rate[MAX_FAN], sum = 0;
  const sharing_t s = {.free = p, .hope = hope, .but = -1};
  if (!share_rates(c, &s, flows, n, NULL, rate)) return 0;
  for (size_t i = 0; i < n; i++) sum += rate[i];
  return sum;
}

static double room_of(const berth_calib_t *c, const port_t *p, const view_t *v)
{
  return room_for(c, p, c->probes[v->probe].flows + v->first, v->n, false);
}

bool port_fan_has_room(const berth_calib_t *c, const port_t *p, const berth_calib_flow_t *flows,
                       size_t n)
{
  return room_for(c, p, flows, n, true) > (1 + calib_alike) * port_rate(c, p).median;
}

/* Whether the port itself limits a view. */
static bool is_sound(const berth_calib_t *c, const port_t *p, const view_t *v)
{
  return room_of(c, p, v) >= room * view_rate(c, v).median;
}

/* The rate of the largest group of ports within calib_alike; of equal groups, the faster one. */
static double usual_rate(double *values, size_t n)
{
  double usual = 0;
  size_t max = 0;
  if (n) calib_statistics(values, n); /* sorts them */
  for (size_t low = 0, high = 0; high < n; high++) {
    while (values[low] < values[high] * (1 - 2 * calib_alike)) low++;
    if (high - low + 1 < max) continue;
    max = high - low + 1;
    usual = values[low + (max - 1) / 2];
  }
  return usual;
}

/* Finds the ports that limit their best views. */
static void find_sound(berth_calib_t *c)
{
  for (size_t i = 0; i < c->n_ports; i++) {
    const view_t *best = best_view(c, &c->ports[i]);
    c->ports[i].sound = best && is_sound(c, &c->ports[i], best);
  }
}

static void find_usual(berth_calib_t *c)
{
  double *values = malloc((c->n_ports + 1) * sizeof *values);
  if (!values) c->failed = true;
  for (size_t k = 0; k < 2 * c->n_kinds && values; k++) {
    size_t n = 0;
    for (size_t i = 0; i < c->n_ports; i++) {
      const port_t *p = &c->ports[i];
      if (p->kind != (int)k / 2 || p->direction != (int)k % 2) continue;
      calib_stat_t s = port_rate(c, p);
      if (s.n > 0) values[n++] = s.median;
    }
    c->kinds[k / 2].usual[k % 2] = usual_rate(values, n);
  }
  free(values);
}

static bool differs(const berth_calib_t *c, const port_t *p)
{
  double usual = c->kinds[p->kind].usual[p->direction];
  calib_stat_t s = port_rate(c, p);
  return s.n > 0 && usual > 0 && fabs(s.median / usual - 1) > calib_alike;
}

static void look_again(berth_calib_t *c, const view_t *v)
{
  probe_t *p = &c->probes[v->probe];
  if (p->need <= p->n) p->need = p->n + MORE;
}

/* Whether its switch has several fans at once: then the switch's limit might be what they show. */
static bool is_crowded(const berth_calib_t *c, const port_t *p)
{
  const view_t *v = &p->view[0];
  int parent = berth_topo_element(c->t, p->element)->parent;
  const berth_element_t *x = berth_topo_element(c->t, parent);
  for (size_t f = 0; f < c->probes[v->probe].n_flows; f++) {
    int src = c->probes[v->probe].flows[f].src;
    bool other = f < v->first || f >= v->first + v->n;
    if (other && src >= x->first_pu && src < x->first_pu + x->n_pus) return true;
  }
  return false;
}

/* Requests more samples of views that disagree, and of views with a large spread. */
static void settle(berth_calib_t *c, const port_t *p)
{
  double best = port_rate(c, p).median;
  for (size_t i = 0; i < p->n_views; i++) {
    calib_stat_t s = view_rate(c, &p->view[i]);
    bool crowded = i == 0 && p->n_views > 1 && is_crowded(c, p);
    bool apart = s.n > 0 && !crowded && s.median < best * (1 - calib_alike) &&
                 s.median < room_of(c, p, &p->view[i]) * (1 - calib_alike);
    if (s.spread > calib_alike) look_again(c, &p->view[i]);
    for (size_t k = 0; k < p->n_views && apart; k++) look_again(c, &p->view[k]);
  }
}

void ports_add_others(berth_calib_t *c)
{
  find_usual(c);
  find_sound(c);
  int crowded = -1; /* switch whose first port is measured alone */
  for (size_t i = 0; i < c->n_ports && !c->failed; i++) {
    const port_t *p = &c->ports[i];
    int parent = berth_topo_element(c->t, p->element)->parent;
    if (p->n_views != 1) continue;
    settle(c, p);
    bool held = !p->sound, first = crowded != parent && is_crowded(c, p);
    if (first) crowded = parent;
    if (!held && !first && !differs(c, p)) continue;
    view_t skip = p->view[0];
    fan_add_alone(c, (int)i, &skip, held);
  }
}

/* Whether a port of the same switch carried more alone than beside others. */
static bool is_held_by_switch(const berth_calib_t *c, const port_t *p)
{
  int parent = berth_topo_element(c->t, p->element)->parent;
  for (size_t i = 0; i < c->n_ports; i++) {
    const port_t *q = &c->ports[i];
    if (q->n_views < 2 || berth_topo_element(c->t, q->element)->parent != parent) continue;
    if (!is_crowded(c, q)) continue;
    double beside = view_rate(c, &q->view[0]).median, alone = view_rate(c, &q->view[1]).median;
    if (alone > beside * (1 + calib_alike)) return true;
  }
  return false;
}

/* Whether two views show the port itself and agree. */
static bool is_confirmed(const berth_calib_t *c, const port_t *p)
{
  double best = port_rate(c, p).median;
  int sound = 0;
  for (size_t i = 0; i < p->n_views; i++)
    sound +=
        is_sound(c, p, &p->view[i]) && view_rate(c, &p->view[i]).median >= best * (1 - calib_alike);
  return sound > 1;
}

void ports_add_doubts(berth_calib_t *c)
{
  find_usual(c);
  find_sound(c);
  for (size_t i = 0; i < c->n_ports && !c->failed; i++) {
    const port_t *p = &c->ports[i];
    const view_t *best = best_view(c, p);
    if (!best) continue;
    settle(c, p);
    if (differs(c, p) && !is_confirmed(c, p)) look_again(c, best);
    bool held = !p->sound && !p->has_wide;
    bool first =
        p->n_views == 1 && (differs(c, p) || (is_crowded(c, p) && is_held_by_switch(c, p)));
    if ((!held && !first) || p->n_views == MAX_VIEWS) continue;
    view_t skip = p->view[0];
    fan_add_alone(c, (int)i, &skip, held);
  }
}

const char *port_doubt(const berth_calib_t *c, const port_t *p)
{
  const double apart = 0.03, wide = 0.05;
  calib_stat_t best = port_rate(c, p);
  if (best.n == 0) return "not measured";
  if (best.n < 2) return "its samples vary too much";
  if (best.spread > wide) return "its samples vary too much";
  if (p->contradicted) return "more went through it beside other traffic";
  for (size_t i = 0; i < p->n_views; i++) {
    calib_stat_t s = view_rate(c, &p->view[i]);
    bool crowded = i == 0 && p->n_views > 1 && is_crowded(c, p);
    bool held = s.n == 0 || crowded || s.median >= room_of(c, p, &p->view[i]) * (1 - apart);
    if (!held && s.median < best.median * (1 - apart - s.spread - best.spread))
      return "measurements with other partners differ";
  }
  return NULL;
}

static bool is_alike(calib_stat_t s, double value)
{
  return fabs(s.median / value - 1) <= calib_alike;
}

/* The line of ports with about that rate; -1 if there is none yet. */
static int find_class(const berth_calib_t *c, const port_t *p, calib_stat_t rate)
{
  for (size_t i = 0; i < c->n_lines; i++) {
    const line_t *l = &c->lines[i];
    if (l->odd < 0 || l->kind != p->kind || !l->holds[p->direction]) continue;
    if (is_alike(rate, port_rate(c, port_find(c, l->odd, p->direction)).median)) return (int)i;
  }
  return -1;
}

static int add_class(berth_calib_t *c, const port_t *p)
{
  line_t l = {.kind = p->kind, .odd = p->element};
  l.holds[p->direction] = true;
  l.element[OUT] = l.element[IN] = p->element;
  l.pair = port_pair(c, p->element, p->direction);
  line_t *added = line_add(c, l);
  if (added) line_add_points(c, added, true);
  return added ? (int)(added - c->lines) : -1;
}

void ports_classify(berth_calib_t *c)
{
  find_usual(c);
  for (size_t i = 0; i < c->n_ports && !c->failed; i++) {
    port_t *p = &c->ports[i];
    p->line = -1;
    if (!differs(c, p) || port_doubt(c, p)) continue;
    p->line = find_class(c, p, port_rate(c, p));
    if (p->line < 0) p->line = add_class(c, p);
  }
  ports_sum_up(c);
}

/* Whether the line represents the port in a direction. */
static bool stands_for(const berth_calib_t *c, size_t line, const port_t *p, int direction)
{
  const line_t *l = &c->lines[line];
  if (p->kind != l->kind || p->direction != direction || !l->holds[direction]) return false;
  return (l->odd < 0 ? p->line < 0 : p->line == (int)line) && !port_doubt(c, p);
}

void ports_sum_up(berth_calib_t *c)
{
  double *values = malloc((c->n_ports + 1) * sizeof *values);
  if (!values) c->failed = true;
  for (size_t k = 0; k < 2 * c->n_lines && values; k++) {
    line_t *l = &c->lines[k / 2];
    calib_stat_t sum = {0};
    size_t n = 0;
    double spread = 0;
    for (size_t i = 0; i < c->n_ports; i++) {
      if (!stands_for(c, k / 2, &c->ports[i], (int)(k % 2))) continue;
      calib_stat_t s = port_rate(c, &c->ports[i]);
      values[n++] = s.median;
      spread = fmax(spread, s.spread);
      if (sum.n == 0 || s.n < sum.n) sum.n = s.n;
    }
    if (n > 0) sum.median = calib_statistics(values, n).median;
    if (n > 0) sum.spread = fmax(spread, n > 1 ? calib_statistics(values, n).spread : 0);
    l->several[k % 2] = sum;
  }
  free(values);
}

/* The first pair whose path has about that rate, else the fastest pair. */
static berth_calib_flow_t fastest(const berth_calib_t *c, const int *src, size_t n, const int *dst,
                                  size_t m, double enough)
{
  berth_calib_flow_t best = {src[0], dst[0]};
  double max = -1;
  for (size_t i = 0; i < n * m && max < enough * (1 - calib_alike / 2); i++) {
    berth_calib_flow_t f = {src[i / m], dst[i % m]};
    double rate = share_path(c, f);
    if (rate <= max) continue;
    max = rate;
    best = f;
  }
  return best;
}

berth_calib_flow_t port_pair_flow(const berth_calib_t *c, int from, int to)
{
  int src[WIDE], dst[WIDE];
  const port_t *p = port_find(c, from, OUT), *q = port_find(c, to, IN);
  size_t n = pus_below(c, from, true, src, WIDE), m = pus_below(c, to, true, dst, WIDE);
  double out = p ? port_rate(c, p).median : 0, in = q ? port_rate(c, q).median : 0;
  berth_calib_flow_t f = fastest(c, src, n, dst, m, fmin(out, in));
  f.dst = pu_last(c, f.dst);
  return f;
}

berth_calib_flow_t port_pair(const berth_calib_t *c, int element, int direction)
{
  int inner[WIDE], outer[2 * WIDE];
  size_t n = pus_below(c, element, true, inner, WIDE);
  size_t m = pus_outside(c, element, 0, true, outer, 2 * WIDE);
  const port_t *p = port_find(c, element, direction);
  double enough = p ? port_rate(c, p).median : 0;
  berth_calib_flow_t f = direction == OUT ? fastest(c, inner, n, outer, m, enough)
                                          : fastest(c, outer, m, inner, n, enough);
  f.dst = pu_last(c, f.dst);
  return f;
}
