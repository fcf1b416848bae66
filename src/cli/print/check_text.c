/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/print/check_view.h"
#include "cli/print/screen.h"
#include "cost/cost_put.h"
#include "topo/topo_levels.h"

/* " (+1.0%)", nothing where there is nothing to compare with. */
static void print_change(FILE *to, double now, double was)
{
  char ratio[TEXT_NUMBER];
  if (was > 0 && now >= 10 * was)
    fprintf(to, " (%s times as much)", text_number(now / was, 3, ratio));
  else if (was > 0)
    fprintf(to, " (%+.3g%%)", 100 * (now - was) / was);
}

/* "2.20 s, was 2.18 s (+0.9%)" */
static void print_both(FILE *to, const check_view_t *v, double now, double was)
{
  char a[TEXT_NUMBER], b[TEXT_NUMBER];
  fprintf(to, "%s, was %s", topo_text_cost(v->topo, now, a), topo_text_cost(v->topo, was, b));
  print_change(to, now, was);
}

static void print_setting(FILE *to, const check_view_t *v)
{
  fprintf(to, "; model %s, %d ranks%s%s on %s", berth_model_name(v->options->model),
          berth_pattern_ranks(v->pattern), v->algorithm && *v->algorithm ? " placed by " : "",
          v->algorithm ? v->algorithm : "", berth_topo_name(v->topo));
}

void check_print_headline(FILE *to, const check_view_t *v)
{
  char cost[TEXT_NUMBER], tolerance[TEXT_NUMBER];
  const berth_check_t *r = &v->result;
  if (r->verdict == BERTH_CHECKED_UNKNOWN) {
    fprintf(to, "no verdict: %s", r->reason);
    return;
  }
  if (v->updated || r->verdict == BERTH_CHECKED_NOTHING) {
    fprintf(to, "%s%s: %s", v->updated ? "updated " : "no baseline",
            v->updated ? v->baseline_path : "", topo_text_cost(v->topo, r->cost_s, cost));
    if (v->updated && v->old && !v->old_differs) {
      fprintf(to, ", was %s", topo_text_cost(v->topo, v->old->cost_s, cost));
      print_change(to, r->cost_s, v->old->cost_s);
    }
  } else {
    fprintf(to, "%s: ", berth_checked_name(r->verdict));
    print_both(to, v, r->cost_s, r->was_cost_s);
    fprintf(to, ", tolerance %s%%", text_number(100 * v->options->tolerance, 3, tolerance));
    if (r->verdict == BERTH_CHECKED_WORSE && !r->total_worse)
      fputs("; single phases exceed it", to);
  }
  print_setting(to, v);
  if (v->updated && v->old_differs)
    fputs("; the old baseline had another topology, model, number of ranks or rules for "
          "operations",
          to);
  if (r->verdict == BERTH_CHECKED_CHEAPER) fputs("; --update makes this the baseline", to);
}

void check_print_phase_name(FILE *to, const berth_check_phase_t *phase)
{
  fprintf(to, "phase %d", phase->id < 0 ? phase->was_id : phase->id);
  if (*phase->name) fprintf(to, " \"%s\"", phase->name);
}

static void print_site(FILE *to, const berth_site_t *site)
{
  fputs(site ? site->op : "an unknown call site", to);
  for (size_t k = 0; site && k < site->n_frames; k++) {
    fputs(k ? " < " : "  ", to);
    cli_print_frame(to, site->frames[k]);
  }
}

/* Calls from several sites share their messages. */
static const char *count_text(double messages, char text[TEXT_NUMBER])
{
  return messages == floor(messages) ? text_count(messages, text) : text_number(messages, 3, text);
}

/* "1.25 MiB more in 40 messages more" */
static void print_growth(FILE *to, double bytes, double was_bytes, double messages,
                         double was_messages)
{
  char text[TEXT_NUMBER];
  if (bytes == was_bytes)
    fputs("as many bytes", to);
  else
    fprintf(to, "%s %s", text_bytes(fabs(bytes - was_bytes), text),
            bytes > was_bytes ? "more" : "less");
  if (messages == was_messages)
    fprintf(to, " in as many messages");
  else
    fprintf(to, " in %s message%s %s", count_text(fabs(messages - was_messages), text),
            text_plural(fabs(messages - was_messages)), messages > was_messages ? "more" : "fewer");
}

static void print_amount(FILE *to, double bytes, double messages)
{
  char text[TEXT_NUMBER], count[TEXT_NUMBER];
  fprintf(to, "%s in %s message%s", text_bytes(bytes, text), count_text(messages, count),
          text_plural(messages));
}

static void print_sites(FILE *to, const berth_check_pair_t *p, bool compared)
{
  for (size_t i = 0; i < p->n_listed; i++) {
    const berth_check_site_t *s = &p->sites[i];
    fputs("      ", to);
    if (compared && (s->bytes != s->was_bytes || s->messages != s->was_messages))
      print_growth(to, s->bytes, s->was_bytes, s->messages, s->was_messages);
    else
      print_amount(to, s->bytes, s->messages);
    fputs(" at ", to);
    print_site(to, s->site);
    fputc('\n', to);
  }
  if (p->n_listed < p->n_sites)
    fprintf(to, "      ... and %zu more call site%s\n", p->n_sites - p->n_listed,
            text_plural((double)(p->n_sites - p->n_listed)));
}

static void print_rest(FILE *to, size_t n, size_t listed)
{
  if (listed < n)
    fprintf(to, "    ... and %zu more pair%s\n", n - listed, text_plural((double)(n - listed)));
}

static bool same_sites(const berth_check_pair_t *p, const berth_check_pair_t *q)
{
  bool same = p->n_sites == q->n_sites && p->n_listed == q->n_listed;
  for (size_t i = 0; i < p->n_listed && same; i++) {
    const berth_check_site_t *s = &p->sites[i], *t = &q->sites[i];
    same = s->site == t->site && s->messages == t->messages && s->bytes == t->bytes &&
           s->was_messages == t->was_messages && s->was_bytes == t->was_bytes;
  }
  return same;
}

static bool same_load(const berth_check_pair_t *p, const berth_check_pair_t *q)
{
  return p->time_s == q->time_s && p->was_time_s == q->was_time_s && p->messages == q->messages &&
         p->was_messages == q->was_messages && p->bytes == q->bytes &&
         p->was_bytes == q->was_bytes && same_sites(p, q);
}

/* What a pair has; of a budget of bytes without times. */
typedef enum pair_form { PAIR_BYTES, PAIR_TIME, PAIR_COMPARED } pair_form_t;

static void print_load(FILE *to, const check_view_t *v, const berth_check_pair_t *p,
                       pair_form_t form)
{
  char time[TEXT_NUMBER];
  if (form == PAIR_COMPARED && p->was_messages > 0) {
    fprintf(to, "%s longer, ", topo_text_cost(v->topo, p->time_s - p->was_time_s, time));
    print_growth(to, p->bytes, p->was_bytes, p->messages, p->was_messages);
    return;
  }
  if (form == PAIR_COMPARED)
    fprintf(to, "new there, %s for ", topo_text_cost(v->topo, p->time_s, time));
  else if (form == PAIR_TIME)
    fprintf(to, "%s on it for ", topo_text_cost(v->topo, p->time_s, time));
  print_amount(to, p->bytes, p->messages);
}

/* The listed pairs; neighbours that do the same are one line. */
static void print_pairs(FILE *to, const check_view_t *v, const berth_check_pair_t *pairs, size_t n,
                        pair_form_t form)
{
  for (size_t i = 0, end; i < n; i = end) {
    for (end = i + 1; end < n && same_load(&pairs[i], &pairs[end]);) end++;
    for (size_t k = i; k < end; k++)
      fprintf(to, "%s%d -> %d", k > i ? ", " : "    ", pairs[k].src, pairs[k].dst);
    fputs(": ", to);
    print_load(to, v, &pairs[i], form);
    fputs(end > i + 1 ? " each\n" : "\n", to);
    print_sites(to, &pairs[i], form == PAIR_COMPARED);
  }
}

static void print_resource(FILE *to, const check_view_t *v, berth_resource_t resource)
{
  char *text = cli_checked(cost_resource_text(v->topo, resource));
  fputs(text ? text : "a port", to);
  free(text);
}

/* Where calls come from that no pair's call sites name. */
static void print_called_at(FILE *to, const berth_check_phase_t *phase)
{
  const berth_check_port_t *port = &phase->port;
  if (!phase->site) return;
  for (size_t i = 0; i < port->n_listed; i++)
    for (size_t k = 0; k < port->pairs[i].n_listed; k++)
      if (port->pairs[i].sites[k].site) return;
  fputs("  called at ", to);
  print_site(to, phase->site);
  fputc('\n', to);
}

static void print_port(FILE *to, const check_view_t *v, const berth_check_phase_t *phase,
                       bool compared)
{
  char cost[TEXT_NUMBER];
  const berth_check_port_t *port = &phase->port;
  if (!phase->explained || !port->known) return;
  fputs("  ", to);
  print_resource(to, v, port->resource);
  fputs(": ", to);
  if (compared)
    print_both(to, v, port->cost_s, port->was_cost_s);
  else
    fputs(topo_text_cost(v->topo, port->cost_s, cost), to);
  fputs(phase->repeats == 1 ? "\n" : " each time\n", to);
  print_pairs(to, v, port->pairs, port->n_listed, compared ? PAIR_COMPARED : PAIR_TIME);
  print_rest(to, port->n_pairs, port->n_listed);
  if (compared && !port->n_pairs && phase->cost_s > phase->was_cost_s * (1 + 1e-9))
    fputs("    No single pair takes longer on it. The pairs share it, or wait for each other, "
          "differently.\n",
          to);
}

/* How often the phase occurs, where that is part of what happened. */
static void print_times(FILE *to, const berth_check_phase_t *phase)
{
  char now[TEXT_NUMBER], was[TEXT_NUMBER];
  if (phase->id < 0)
    fputs("; it no longer exists", to);
  else if (phase->was_id < 0)
    fputs("; it is new", to);
  else if (phase->repeats != phase->was_repeats)
    fprintf(to, "; %s times, was %s", text_count(phase->repeats, now),
            text_count(phase->was_repeats, was));
}

void check_print_phase(FILE *to, const check_view_t *v, const berth_check_phase_t *phase)
{
  check_print_phase_name(to, phase);
  fputs(": ", to);
  print_both(to, v, phase->repeats * phase->cost_s, phase->was_repeats * phase->was_cost_s);
  print_times(to, phase);
  fputc('\n', to);
  print_port(to, v, phase, true);
  print_called_at(to, phase);
}

void check_print_first(FILE *to, const check_view_t *v, const berth_check_phase_t *phase)
{
  const berth_check_port_t *port = &phase->port;
  check_print_phase_name(to, phase);
  print_times(to, phase);
  if (!phase->explained || !port->known) return;
  fputs(", ", to);
  print_resource(to, v, port->resource);
  if (!port->n_listed) return;
  fprintf(to, ", %d -> %d", port->pairs->src, port->pairs->dst);
  if (!port->pairs->n_listed) return;
  fputs(", ", to);
  print_site(to, port->pairs->sites->site);
}

/* Where ranks run elsewhere, that comes first: it may be all there is. */
static void print_moved(FILE *to, const check_view_t *v)
{
  const berth_check_t *r = &v->result;
  if (!r->moved) return;
  fprintf(
      to,
      "placement: %d of %d ranks are on other PUs than in the baseline. With this placement the "
      "baseline's messages cost ",
      r->moved, berth_pattern_ranks(v->pattern));
  print_both(to, v, r->was_cost_moved_s, r->was_cost_s);
  fputc('\n', to);
}

void check_print_culprits(FILE *to, const check_view_t *v)
{
  const berth_check_t *r = &v->result;
  if (r->verdict != BERTH_CHECKED_WORSE) return;
  print_moved(to, v);
  if (r->packing_s > r->was_packing_s * (1 + 1e-9)) {
    fputs("packing of derived datatypes: ", to);
    print_both(to, v, r->packing_s, r->was_packing_s);
    fputc('\n', to);
  }
  for (size_t k = 0; k < r->n_phases; k++)
    if (r->phases[k].explained) check_print_phase(to, v, &r->phases[k]);
}

void check_print_budget(FILE *to, const check_view_t *v, const berth_check_budget_t *b)
{
  char value[TEXT_NUMBER], limit[TEXT_NUMBER];
  bool bytes = b->budget->kind == BERTH_BUDGET_BYTES;
  if (!b->known) {
    fprintf(to,
            "budget %s: no verdict: found no placement for these inputs, expected one from the "
            "baseline or --mapping",
            b->budget->text);
    return;
  }
  fprintf(to, "budget %s: ", b->budget->text);
  screen_print(to, b->broken ? SCREEN_BAD : SCREEN_GOOD, b->broken ? "broken" : "kept");
  fprintf(to, ": %s, at most %s",
          bytes ? text_bytes(b->value, value) : topo_text_cost(v->topo, b->value, value),
          bytes ? text_bytes(b->budget->limit, limit)
                : topo_text_cost(v->topo, b->budget->limit, limit));
  if (b->broken) print_change(to, b->value, b->budget->limit);
}

void check_print_contributors(FILE *to, const check_view_t *v, const berth_check_budget_t *b)
{
  char cost[TEXT_NUMBER];
  for (size_t i = 0; i < b->n_phases; i++) {
    const berth_check_phase_t *p = &b->phases[i];
    fputs("  ", to);
    check_print_phase_name(to, p);
    fprintf(to, ": %s\n", topo_text_cost(v->topo, p->repeats * p->cost_s, cost));
    print_port(to, v, p, false);
  }
  print_pairs(to, v, b->pairs, b->n_listed, PAIR_BYTES);
  if (b->pairs) print_rest(to, b->n_pairs, b->n_listed);
}

/* Phases that came or went, where there was something to compare. */
static void print_other_phases(FILE *to, const check_view_t *v)
{
  const berth_check_t *r = &v->result;
  for (size_t k = 0; k < r->n_phases; k++)
    if (!r->phases[k].explained && (r->phases[k].id < 0 || r->phases[k].was_id < 0))
      check_print_phase(to, v, &r->phases[k]);
}

/* "20 times with 30.00 MiB" */
static void print_operations(FILE *to, double calls, double bytes)
{
  char times[TEXT_NUMBER], text[TEXT_NUMBER];
  fprintf(to, "%s time%s with %s", text_count(calls, times), text_plural(calls),
          text_bytes(bytes, text));
}

static bool is_as_before(const berth_check_unpriced_t *u)
{
  return u->calls == u->was_calls && u->bytes == u->was_bytes;
}

static void print_unpriced(FILE *to, const berth_check_unpriced_t *u, bool compared)
{
  if (u->sync)
    fprintf(to, "  %s%s%s%s: ", u->op, *u->sync ? " (" : "", u->sync, *u->sync ? ")" : "");
  else
    fprintf(to, "  %s on %d ranks: ", u->op, u->ranks);
  print_operations(to, u->calls, u->bytes);
  if (compared && is_as_before(u)) {
    fputs(", as in the baseline", to);
  } else if (compared) {
    fputs(", was ", to);
    print_operations(to, u->was_calls, u->was_bytes);
  }
  fputc('\n', to);
}

/* What estimates cover, of the operations that the pattern has. */
static const char *covered(const berth_pattern_t *p)
{
  size_t n_colls, n_rmas;
  berth_pattern_colls(p, &n_colls);
  berth_pattern_rmas(p, &n_rmas);
  bool collectives = n_colls > 0 && *berth_pattern_rules(p, BERTH_COLLECTIVES);
  bool one_sided = n_rmas > 0 && *berth_pattern_rules(p, BERTH_ONE_SIDED);
  return collectives && one_sided
             ? "point-to-point messages, and some collective and one-sided operations"
         : collectives ? "point-to-point messages and some collective operations"
         : one_sided   ? "point-to-point messages and some one-sided operations"
                       : "point-to-point messages only";
}

void check_print_notes(FILE *to, const check_view_t *v)
{
  const berth_check_t *r = &v->result;
  size_t max = v->options->max_pairs, listed = r->n_unpriced < max ? r->n_unpriced : max;
  if (v->misfit)
    fprintf(
        to,
        "note: the %sbaseline's placement has another topology or number of ranks. Ranks are in "
        "the default order %s; --mapping sets another placement.\n",
        v->updated ? "old " : "", v->updated ? "now" : "for budgets");
  if (!r->n_unpriced) return;
  size_t same = 0;
  while (r->n_phases > 0 && same < r->n_unpriced && is_as_before(&r->unpriced[same])) same++;
  if (same == r->n_unpriced) {
    fprintf(to, "note: estimates cover %s; other operations are not included%s\n",
            covered(v->pattern), v->updated ? "" : ", and are as in the baseline");
    return;
  }
  fprintf(to, "note: estimates cover %s; these operations are not included:\n",
          covered(v->pattern));
  for (size_t i = 0; i < listed; i++) print_unpriced(to, &r->unpriced[i], r->n_phases > 0);
  if (listed < r->n_unpriced) fprintf(to, "  ... and %zu more\n", r->n_unpriced - listed);
}

static screen_style_t style_of(berth_checked_t verdict)
{
  switch (verdict) {
  case BERTH_CHECKED_WITHIN:
  case BERTH_CHECKED_CHEAPER:
    return SCREEN_GOOD;
  case BERTH_CHECKED_WORSE:
    return SCREEN_BAD;
  case BERTH_CHECKED_UNKNOWN:
    return SCREEN_DOUBTFUL;
  default:
    return SCREEN_PLAIN;
  }
}

void check_print(FILE *to, const check_view_t *v)
{
  screen_style_t style = style_of(v->result.verdict);
  if (style != SCREEN_PLAIN) screen_set_style(to, style);
  check_print_headline(to, v);
  if (style != SCREEN_PLAIN) screen_set_style(to, SCREEN_PLAIN);
  fputc('\n', to);
  check_print_culprits(to, v);
  print_other_phases(to, v);
  for (size_t i = 0; i < v->result.n_budgets; i++) {
    check_print_budget(to, v, &v->result.budgets[i]);
    fputc('\n', to);
    check_print_contributors(to, v, &v->result.budgets[i]);
  }
  check_print_notes(to, v);
}
