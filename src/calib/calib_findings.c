/* SPDX-License-Identifier: BSD-3-Clause */
/* What was found, for people. */
#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "calib/calib_internal.h"

static calib_number_t number(calib_stat_t s) { return (calib_number_t){s.median, s.spread, s.n}; }

static calib_link_t find_link(calib_t *c, const line_t *l)
{
  calib_stat_t latency = probe_time(c, l->latency, 0);
  calib_link_t link = {.name = line_label(c, &c->text, l),
                       .pair = pair_label(c, &c->text, l->pair),
                       .element = l->odd,
                       .out = l->holds[OUT],
                       .in = l->holds[IN],
                       .latency_s = latency.median,
                       .latency_spread = latency.spread,
                       .latency_samples = latency.n,
                       .capacity = {number(probe_total(c, l->capacity[OUT])),
                                    number(probe_total(c, l->capacity[IN]))}};
  if (!line_is_usable(c, l)) return link;
  for (size_t i = 0; i < calib_n_sizes; i++) {
    calib_stat_t s = line_rate(c, l, i);
    link.points += s.n > 0;
    link.unsure += s.n > 0 && s.spread > calib_wide_spread;
  }
  link.largest = number(line_largest(c, l));
  link.has_reverse = c->stage > STAGE_AGAIN && !c->kinds[l->kind].inside && link.out && link.in;
  calib_stat_t reverse = line_reverse(c, l);
  if (reverse.n == 0) return link;
  link.reverse = reverse.median;
  link.reverse_at = element_label(c, &c->text, l->both_element);
  return link;
}

static calib_switch_t find_series(calib_t *c, const series_t *s)
{
  char name[700];
  double ports;
  calib_stat_t largest, total = probe_total(c, s->probe);
  limit_t limit = series_limit(c, berth_topo_element(c->t, s->element)->type, &largest, &ports);
  snprintf(name, sizeof name, "%s, %d PUs%s", element_label(c, &c->text, s->element), s->n,
           s->scattered ? ", scattered" : "");
  const probe_t *p = &c->probes[s->probe];
  int src = berth_topo_pu(c->t, p->flows[0].src)->element;
  bool decides = total.median >= largest.median;
  return (calib_switch_t){.name = label_copy(c, &c->text, name),
                          .element = s->element,
                          .total = number(total),
                          .ports = s->n * link_pair_rate(c, src, OUT, p->size).median,
                          .limited = decides && limit == LIMIT_FOUND,
                          .unsure = decides && limit == LIMIT_UNSURE,
                          .is_other = !decides};
}

static void find_switches(calib_t *c, calib_switch_t *list, size_t *n)
{
  for (size_t i = 0; i < c->n_rings; i++) {
    const ring_t *r = &c->rings[i];
    calib_stat_t total = probe_total(c, r->probe);
    if (total.n > 0)
      list[(*n)++] = (calib_switch_t){.name = element_label(c, &c->text, r->element),
                                      .element = r->element,
                                      .total = number(total),
                                      .ports = r->ports,
                                      .limited = r->limit > 0,
                                      .unsure = r->unsure};
  }
  for (size_t i = 0; i < c->n_series; i++)
    if (probe_total(c, c->series[i].probe).n > 0) list[(*n)++] = find_series(c, &c->series[i]);
}

/* A list that grows in the text's arena, of at most as many as there is room for. */
typedef struct list {
  const char **text;
  size_t n;
} list_t;

static void find_unsure_insides(calib_t *c, list_t *list)
{
  for (size_t i = 0; i < c->n_insides; i++) {
    const inside_t *x = &c->insides[i];
    calib_stat_t found, usual;
    inside_verdict_t verdict = inside_judge(c, x, &found, &usual);
    char text[900], a[TEXT_NUMBER], b[TEXT_NUMBER];
    if (verdict != INSIDE_UNSURE && verdict != INSIDE_UNCONFIRMED) continue;
    if (verdict == INSIDE_UNCONFIRMED) {
      found = probe_total(c, x->probe);
      usual = probe_total(c, x->usual);
    }
    snprintf(text, sizeof text, "%s, all PUs: %s +-%.0f%% beside the usual %s +-%.0f%%: %s",
             element_label(c, &c->text, x->element), text_bandwidth(found.median, a),
             100 * found.spread, text_bandwidth(usual.median, b), 100 * usual.spread,
             verdict == INSIDE_UNSURE ? "too far spread to tell them apart"
                                      : "no time to confirm the difference");
    list->text[list->n++] = label_copy(c, &c->text, text);
  }
}

static void find_unsure_switches(calib_t *c, const calib_switch_t *switches, size_t n, list_t *list)
{
  for (size_t i = 0; i < n; i++) {
    char text[900], a[TEXT_NUMBER], b[TEXT_NUMBER];
    const calib_switch_t *s = &switches[i];
    if (!s->unsure) continue;
    snprintf(text, sizeof text, "%s: %s +-%.0f%% where ports allow %s: no max_bandwidth", s->name,
             text_bandwidth(s->total.value, a), 100 * s->total.spread, text_bandwidth(s->ports, b));
    list->text[list->n++] = label_copy(c, &c->text, text);
  }
}

/* Links of which a pair's best is all that is known. */
static void find_unsure_links(calib_t *c, const calib_link_t *links, size_t n, list_t *list)
{
  for (size_t i = 0; i < n; i++) {
    char text[900], a[TEXT_NUMBER];
    const calib_link_t *l = &links[i];
    double several = fmax(l->capacity[OUT].value, l->capacity[IN].value);
    if (l->largest.spread <= calib_wide_spread || several >= l->largest.value) continue;
    snprintf(text, sizeof text, "%s: %s +-%.0f%% at the best size: no max_bandwidth but the curve",
             l->name, text_bandwidth(l->largest.value, a), 100 * l->largest.spread);
    list->text[list->n++] = label_copy(c, &c->text, text);
  }
}

static bool lacks_points(const calib_t *c)
{
  for (size_t i = 0; i < c->n_lines; i++)
    for (size_t k = 0; k < calib_n_sizes; k++) {
      int probe = c->lines[i].point[k];
      if (probe < 0 || c->probes[probe].n == 0) return true;
    }
  return false;
}

static void find_unmeasured(calib_t *c, const char **list, size_t *n)
{
  for (size_t k = 0; k < c->n_kinds; k++) {
    bool usable = false;
    char why[700];
    for (size_t i = 0; i < c->n_lines; i++)
      usable |= c->lines[i].kind == (int)k && line_is_usable(c, &c->lines[i]);
    if (usable) continue;
    snprintf(why, sizeof why, "links %s: %s", kind_label(c, &c->text, (int)k),
             c->kinds[k].found ? "not finished"
                               : "no two ranks that reach each other through one of them");
    list[(*n)++] = label_copy(c, &c->text, why);
  }
  if (c->stage < STAGE_FINE)
    list[(*n)++] = "whether all ports of a kind are alike, and what switches carry: not finished";
  else if (lacks_points(c))
    list[(*n)++] = "some sizes of the curves: not finished";
}

int findings_make(calib_t *c, berth_error_t *err)
{
  arena_free(&c->text);
  c->text = (arena_t){0};
  calib_link_t *links = arena_alloc(&c->text, (c->n_lines + 1) * sizeof *links);
  calib_switch_t *switches =
      arena_alloc(&c->text, (c->n_rings + c->n_series + 1) * sizeof *switches);
  size_t most_unsure = c->n_insides + c->n_rings + c->n_series + c->n_lines;
  list_t unsure = {.text = arena_alloc(&c->text, (most_unsure + 1) * sizeof *unsure.text)};
  const char **unmeasured = arena_alloc(&c->text, (c->n_kinds + 2) * sizeof *unmeasured);
  if (!links || !switches || !unsure.text || !unmeasured)
    return berth_fail(err, BERTH_MISSING, "out of memory");
  calib_findings_t f = {.links = links,
                        .switches = switches,
                        .types = c->types,
                        .n_types = c->n_types,
                        .unmeasured = unmeasured};
  for (size_t i = 0; i < c->n_lines; i++) links[f.n_links++] = find_link(c, &c->lines[i]);
  find_switches(c, switches, &f.n_switches);
  find_unsure_links(c, links, f.n_links, &unsure);
  find_unsure_switches(c, switches, f.n_switches, &unsure);
  find_unsure_insides(c, &unsure);
  f.unsure = unsure.text;
  f.n_unsure = unsure.n;
  find_unmeasured(c, unmeasured, &f.n_unmeasured);
  c->findings = f;
  return c->failed ? berth_fail(err, BERTH_MISSING, "out of memory") : BERTH_OK;
}

const calib_findings_t *calib_findings(const calib_t *c) { return &c->findings; }
