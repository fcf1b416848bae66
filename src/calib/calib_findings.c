/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes the texts about what was found. */
#include <math.h>
#include <stdio.h>

#include "base/field.h"
#include "base/no_memory.h"
#include "base/text.h"
#include "calib/network/calib_network.h"

static berth_calib_number_t number(calib_stat_t s)
{
  return (berth_calib_number_t){s.median, s.spread, s.n};
}

static berth_calib_link_t find_link(berth_calib_t *c, const line_t *l)
{
  calib_stat_t latency = probe_time(c, l->latency, 0);
  berth_calib_link_t link = {
      .name = pus_line_label(c, &c->text, l),
      .pair = pus_pair_label(c, &c->text, l->pair),
      .element = l->odd,
      .out = l->holds[OUT],
      .in = l->holds[IN],
      .latency_s = latency.median,
      .latency_spread = latency.spread,
      .latency_samples = latency.n,
      .capacity = {number(line_several(c, l, OUT)), number(line_several(c, l, IN))}};
  if (!line_is_usable(c, l)) return link;
  for (size_t i = 0; i < calib_n_sizes; i++) {
    calib_stat_t s = line_rate(c, l, i);
    link.points += s.n > 0;
    link.once += s.n == 1;
    link.unsure += s.n > 1 && s.spread > calib_wide_spread;
  }
  link.largest = number(line_largest(c, l));
  link.has_reverse = c->stage > STAGE_AGAIN && !c->kinds[l->kind].inside && link.out && link.in;
  calib_stat_t reverse = reverse_line(c, l);
  if (reverse.n == 0) return link;
  link.reverse = reverse.median;
  link.reverse_at = pus_element_label(c, &c->text, l->both_element);
  return link;
}

static berth_calib_switch_t find_series(berth_calib_t *c, const series_t *s)
{
  double ports;
  calib_stat_t largest, total = probe_total(c, s->probe);
  limit_t limit =
      inside_series_limit(c, berth_topo_element(c->t, s->element)->type, &largest, &ports);
  const probe_t *p = &c->probes[s->probe];
  int src = berth_topo_pu(c->t, p->flows[0].src)->element;
  bool decides = total.median >= largest.median;
  calib_stat_t pair = line_link_pair_rate(c, src, OUT, p->size);
  return (berth_calib_switch_t){.name = inside_series_label(c, &c->text, s),
                                .element = s->element,
                                .total = number(total),
                                .ports = s->n * pair.median,
                                .ports_spread = pair.spread,
                                .limited = decides && limit == LIMIT_FOUND,
                                .unsure = decides && limit == LIMIT_UNSURE,
                                .is_other = !decides};
}

static void find_switches(berth_calib_t *c, berth_calib_switch_t *list, size_t *n)
{
  for (size_t i = 0; i < c->n_rings; i++) {
    const ring_t *r = &c->rings[i];
    calib_stat_t total = probe_best(c, r->probe, 0, c->probes[r->probe].n_flows);
    if (total.n > 0 && r == rings_switch_ring(c, r->element))
      list[(*n)++] = (berth_calib_switch_t){.name = pus_element_label(c, &c->text, r->element),
                                            .element = r->element,
                                            .total = number(total),
                                            .ports = r->ports,
                                            .ports_spread = r->ports_spread,
                                            .limited = r->verdict == LIMIT_FOUND,
                                            .unsure = r->verdict == LIMIT_UNSURE};
  }
  for (size_t i = 0; i < c->n_series; i++)
    if (probe_total(c, c->series[i].probe).n > 0) list[(*n)++] = find_series(c, &c->series[i]);
}

/* A list in the text's arena, of fixed capacity. */
typedef struct list {
  const char **text;
  size_t n;
} list_t;

/* "3.834 GB/s +-4%". */
enum { RATE = TEXT_NUMBER + 24 };
static const char *text_rate(double rate, double spread, char text[RATE])
{
  char value[TEXT_NUMBER];
  text_bandwidth(rate, value);
  if (isinf(spread))
    snprintf(text, RATE, "%s measured once", value);
  else
    snprintf(text, RATE, "%s +-%.0f%%", value, 100 * spread);
  return text;
}

static void find_unsure_insides(berth_calib_t *c, list_t *list)
{
  for (size_t i = 0; i < c->n_insides; i++) {
    const inside_t *x = &c->insides[i];
    calib_stat_t found, usual;
    inside_verdict_t verdict = inside_judge(c, x, &found, &usual);
    char a[RATE], b[RATE];
    if (verdict != INSIDE_UNSURE && verdict != INSIDE_UNCONFIRMED) continue;
    if (verdict == INSIDE_UNCONFIRMED) {
      found = probe_total(c, x->probe);
      usual = probe_total(c, x->usual);
    }
    list->text[list->n++] = pus_label(
        c, &c->text, "%s, all PUs: %s beside the usual %s: %s",
        pus_element_label(c, &c->text, x->element), text_rate(found.median, found.spread, a),
        text_rate(usual.median, usual.spread, b),
        verdict == INSIDE_UNSURE ? "the samples vary too much to tell them apart"
                                 : "no time to confirm the difference");
  }
}

static void find_unsure_switches(berth_calib_t *c, const berth_calib_switch_t *switches, size_t n,
                                 list_t *list)
{
  for (size_t i = 0; i < n; i++) {
    char a[RATE], b[RATE];
    const berth_calib_switch_t *s = &switches[i];
    if (!s->unsure) continue;
    list->text[list->n++] = pus_label(
        c, &c->text, "%s: %s where ports allow %s: too uncertain for a max_bandwidth", s->name,
        text_rate(s->total.value, s->total.spread, a), text_rate(s->ports, s->ports_spread, b));
  }
}

/* Links of which only the best of a pair is known. */
static void find_unsure_links(berth_calib_t *c, const berth_calib_link_t *links, size_t n,
                              list_t *list)
{
  for (size_t i = 0; i < n; i++) {
    char a[RATE];
    const berth_calib_link_t *l = &links[i];
    double several = fmax(l->capacity[OUT].value, l->capacity[IN].value);
    if (l->largest.spread <= calib_wide_spread || several >= l->largest.value) continue;
    list->text[list->n++] =
        pus_label(c, &c->text, "%s: %s at the best size: no max_bandwidth, only the curve", l->name,
                  text_rate(l->largest.value, l->largest.spread, a));
  }
}

/* Ports on which the experiments disagree, after all of these are done. */
static void find_unidentified(berth_calib_t *c, berth_calib_port_t *ports, size_t *n, list_t *list)
{
  for (size_t i = 0; i < c->n_ports && c->stage > STAGE_DOUBTS; i++) {
    const port_t *p = &c->ports[i];
    const char *why = port_doubt(c, p);
    char a[TEXT_NUMBER];
    if (!why) continue;
    calib_stat_t seen = port_rate(c, p);
    ports[*n] = (berth_calib_port_t){.name = pus_port_label(c, &c->text, p),
                                     .element = p->element,
                                     .in = p->direction == IN,
                                     .seen = number(seen),
                                     .why = why};
    list->text[list->n++] = pus_label(c, &c->text, "%s: not identified, up to %s seen: %s",
                                      ports[*n].name, text_bandwidth(seen.median, a), why);
    (*n)++;
  }
}

/* Why something wasn't finished. */
static const char *unfinished(berth_calib_t *c)
{
  char text[100];
  if (!c->out_of_time) return "not finished";
  field_print(text, sizeof text, "no time left, the limit is %g s (`time_s`)", c->options.time_s);
  return pus_label(c, &c->text, "%s", text);
}

/* Adds "curve host-pu: 3 of 43 sizes (2 B, 8 B, 32 B): not finished". An unusable line has its
 * kind's name. */
static void find_missing_sizes(berth_calib_t *c, const line_t *l, list_t *list)
{
  const size_t max = 4;
  char sizes[200] = "", size[TEXT_NUMBER];
  size_t n = 0, used = 0;
  for (size_t i = 0; i < calib_n_sizes; i++) {
    if (l->point[i] >= 0 && c->probes[l->point[i]].n > 0) continue;
    if (n++ < max)
      used += (size_t)snprintf(sizes + used, sizeof sizes - used, "%s%s", used ? ", " : "",
                               text_bytes((double)calib_size(i), size));
  }
  if (n == 0 || !line_is_usable(c, l)) return;
  if (n > max) snprintf(sizes + used, sizeof sizes - used, " and %zu more", n - max);
  list->text[list->n++] =
      pus_label(c, &c->text, "curve %s: %zu of %zu sizes (%s): %s", pus_line_label(c, &c->text, l),
                n, calib_n_sizes, sizes, unfinished(c));
}

/* Everything else that was planned but not begun, such as a ring. Sizes are listed with their
 * curves. */
static void find_skipped(berth_calib_t *c, list_t *list)
{
  const char *first = NULL;
  char more[64] = "";
  size_t n = 0;
  for (size_t i = 0; i < c->n_probes; i++) {
    const probe_t *p = &c->probes[i];
    if (p->n > 0 || p->line >= 0) continue;
    if (n++ == 0) first = p->what;
  }
  if (n == 0) return;
  if (n > 1) snprintf(more, sizeof more, " and %zu more experiment%s", n - 1, n > 2 ? "s" : "");
  list->text[list->n++] = pus_label(c, &c->text, "%.700s%s: %s", first, more, unfinished(c));
}

static void find_unmeasured(berth_calib_t *c, list_t *list)
{
  for (size_t k = 0; k < c->n_kinds; k++) {
    bool usable = false;
    for (size_t i = 0; i < c->n_lines; i++)
      usable |= c->lines[i].kind == (int)k && line_is_usable(c, &c->lines[i]);
    if (usable) continue;
    list->text[list->n++] =
        pus_label(c, &c->text, "links %s: %s", pus_kind_label(c, &c->text, (int)k),
                  c->kinds[k].from >= 0 ? unfinished(c) : "no pair of ranks has one on its path");
  }
  if (c->stage < STAGE_FINE) {
    list->text[list->n++] =
        pus_label(c, &c->text, "whether all ports of a kind are alike, and what switches carry: %s",
                  unfinished(c));
    return;
  }
  find_skipped(c, list);
  for (size_t i = 0; i < c->n_lines; i++) find_missing_sizes(c, &c->lines[i], list);
}

int findings_make(berth_calib_t *c, berth_error_t *err)
{
  arena_free(&c->text);
  c->text = (arena_t){0};
  berth_calib_link_t *links = arena_alloc(&c->text, (c->n_lines + 1) * sizeof *links);
  berth_calib_switch_t *switches =
      arena_alloc(&c->text, (c->n_rings + c->n_series + 1) * sizeof *switches);
  berth_calib_port_t *ports = arena_alloc(&c->text, (c->n_ports + 1) * sizeof *ports);
  size_t max_unsure = c->n_insides + c->n_rings + c->n_series + c->n_lines + c->n_ports;
  list_t unsure = {.text = arena_alloc(&c->text, (max_unsure + 1) * sizeof *unsure.text)};
  list_t unmeasured = {
      .text = arena_alloc(&c->text, (c->n_kinds + c->n_lines + 3) * sizeof *unmeasured.text)};
  if (!links || !switches || !ports || !unsure.text || !unmeasured.text) return no_memory(err);
  berth_calib_findings_t f = {
      .links = links, .switches = switches, .types = c->types, .n_types = c->n_types};
  for (size_t i = 0; i < c->n_lines; i++) links[f.n_links++] = find_link(c, &c->lines[i]);
  find_switches(c, switches, &f.n_switches);
  f.unidentified = ports;
  find_unidentified(c, ports, &f.n_unidentified, &unsure);
  find_unsure_links(c, links, f.n_links, &unsure);
  find_unsure_switches(c, switches, f.n_switches, &unsure);
  find_unsure_insides(c, &unsure);
  f.unsure = unsure.text;
  f.n_unsure = unsure.n;
  find_unmeasured(c, &unmeasured);
  f.unmeasured = unmeasured.text;
  f.n_unmeasured = unmeasured.n;
  c->findings = f;
  return c->failed ? no_memory(err) : BERTH_OK;
}

const berth_calib_findings_t *berth_calib_findings(const berth_calib_t *c) { return &c->findings; }
