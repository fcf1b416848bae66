/* SPDX-License-Identifier: BSD-3-Clause */
/* What was found, for people. */
#include <math.h>
#include <stdio.h>

#include "calib/calib_internal.h"

static const char *text(calib_t *c, const char *s)
{
  const char *copy = arena_strdup(&c->text, s);
  if (!copy) c->failed = true;
  return copy ? copy : "";
}

static const char *type_name(const calib_t *c, int type)
{
  return type < 0 ? "PU" : berth_topo_type(c->t, type)->name;
}

static calib_number_t number(calib_stat_t s) { return (calib_number_t){s.median, s.spread, s.n}; }

static calib_link_t find_link(calib_t *c, const line_t *l)
{
  const link_kind_t *k = &c->kinds[l->kind];
  char name[700], pair[1200];
  const berth_topo_t *t = c->t;
  int n = snprintf(name, sizeof name, "%s-%s", type_name(c, k->parent_type),
                   type_name(c, k->child_type));
  if (l->odd >= 0)
    snprintf(name + n, sizeof name - (size_t)n, " (%s)", element_label(c, &c->text, l->odd));
  snprintf(pair, sizeof pair, "%s to %s",
           element_label(c, &c->text, berth_topo_pu(t, l->pair.src)->element),
           element_label(c, &c->text, berth_topo_pu(t, l->pair.dst)->element));
  calib_link_t link = {.name = text(c, name),
                       .pair = text(c, pair),
                       .element = l->odd,
                       .out = l->holds[OUT],
                       .in = l->holds[IN],
                       .latency_s = probe_time(c, l->latency).median,
                       .capacity = {number(probe_total(c, l->capacity[OUT])),
                                    number(probe_total(c, l->capacity[IN]))}};
  for (size_t i = 0; line_is_usable(c, l) && i < calib_n_sizes; i++) {
    calib_stat_t s = line_time(c, l, i);
    double rate = s.n ? (double)calib_size(i) / s.median : 0;
    link.points += s.n > 0;
    if (rate > link.largest.value) link.largest = (calib_number_t){rate, s.spread, s.n};
  }
  return link;
}

static calib_switch_t find_series(calib_t *c, const series_t *s)
{
  char name[700];
  double ports;
  int type = berth_topo_element(c->t, s->element)->type;
  calib_stat_t best = series_limit(c, type, &ports), total = probe_total(c, s->probe);
  snprintf(name, sizeof name, "%s, %d PUs%s", element_label(c, &c->text, s->element), s->n,
           s->scattered ? ", scattered" : "");
  const probe_t *p = &c->probes[s->probe];
  int src = berth_topo_pu(c->t, p->flows[0].src)->element;
  return (calib_switch_t){text(c, name), s->element, number(total),
                          s->n * link_rate(c, src, OUT, true, p->size).median,
                          total.n > 0 && total.median >= best.median && best.median < 0.93 * ports};
}

static void find_unmeasured(calib_t *c, const char **list, size_t *n)
{
  for (size_t k = 0; k < c->n_kinds; k++) {
    const link_kind_t *kind = &c->kinds[k];
    bool usable = false;
    char why[700];
    for (size_t i = 0; i < c->n_lines; i++)
      usable |= c->lines[i].kind == (int)k && line_is_usable(c, &c->lines[i]);
    if (usable) continue;
    snprintf(why, sizeof why, "links %s-%s: %s", type_name(c, kind->parent_type),
             type_name(c, kind->child_type),
             kind->found ? "not finished"
                         : "no two ranks that reach each other through one of them");
    list[(*n)++] = text(c, why);
  }
  if (c->stage < STAGE_FINE)
    list[(*n)++] = "whether all ports of a kind are alike, and what switches carry: not finished";
  else if (c->stage == STAGE_FINE)
    list[(*n)++] = "sizes beside the powers of four: not finished";
}

int findings_make(calib_t *c, berth_error_t *err)
{
  arena_free(&c->text);
  c->text = (arena_t){0};
  calib_link_t *links = arena_alloc(&c->text, (c->n_lines + 1) * sizeof *links);
  calib_switch_t *switches =
      arena_alloc(&c->text, (c->n_rings + c->n_series + 1) * sizeof *switches);
  const char **unmeasured = arena_alloc(&c->text, (c->n_kinds + 2) * sizeof *unmeasured);
  if (!links || !switches || !unmeasured) return berth_fail(err, BERTH_MISSING, "out of memory");
  calib_findings_t f = {links, 0, switches, 0, unmeasured, 0};
  for (size_t i = 0; i < c->n_lines; i++) links[f.n_links++] = find_link(c, &c->lines[i]);
  for (size_t i = 0; i < c->n_rings; i++) {
    const ring_t *r = &c->rings[i];
    calib_stat_t total = probe_total(c, r->probe);
    if (total.n > 0)
      switches[f.n_switches++] =
          (calib_switch_t){element_label(c, &c->text, r->element), r->element, number(total),
                           r->ports, r->limit > 0};
  }
  for (size_t i = 0; i < c->n_series; i++)
    if (probe_total(c, c->series[i].probe).n > 0)
      switches[f.n_switches++] = find_series(c, &c->series[i]);
  find_unmeasured(c, unmeasured, &f.n_unmeasured);
  c->findings = f;
  return c->failed ? berth_fail(err, BERTH_MISSING, "out of memory") : BERTH_OK;
}

const calib_findings_t *calib_findings(const calib_t *c) { return &c->findings; }
