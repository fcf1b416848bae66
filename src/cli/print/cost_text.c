/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/print/advice_view.h"
#include "cli/print/clean_stream.h"
#include "cli/print/conclusion.h"
#include "cli/print/cost_view.h"
#include "cli/print/estimate_text.h"
#include "cli/print/packing_view.h"
#include "cli/print/screen.h"
#include "cost/coverage.h"
#include "cost/recorded_run.h"
#include "pattern/phase_find.h"
#include "topo/topo_levels.h"

static void print_gain(const cost_view_t *v, size_t i)
{
  double share = berth_pattern_mpi_share(v->in->pattern);
  if (berth_assessment_estimate(v->assessment, v->n)->cost_s < 0) {
    printf("  The default order doesn't fit: %d ranks, fewer PUs for them. --ranks-per-pu lets it "
           "share PUs.\n",
           berth_pattern_ranks(v->in->pattern));
    return;
  }
  estimate_print_gain(stdout, v->in, "  ", v->assessment, i, v->n);
  double explained = berth_assessment_explained(v->assessment, i);
  if (share < 0 || berth_topo_has_distances(v->in->topo)) return;
  printf("  The run spent %.1f%% of its time in MPI.", 100 * share);
  const int *pus = v->list[i].mapping.pu_of_rank;
  if (explained >= 0 && recorded_run_was_here(v->in->pattern, v->in->topo, pus))
    printf(" It was on these hosts; the estimate explains %.1f%% of that time.", 100 * explained);
  putchar('\n');
}

static void print_bottleneck(const cost_view_t *v, const berth_phase_cost_t *p, size_t n_phases)
{
  char where[256], bytes[TEXT_NUMBER], time[TEXT_NUMBER];
  if (!p->has_bottleneck) {
    puts("  bottleneck: none (no message crosses a port that costs anything)");
    return;
  }
  printf("  bottleneck: %s\n",
         berth_resource_text(v->in->topo, p->bottleneck, where, sizeof where));
  printf("    carries %s", text_bytes(p->bottleneck_bytes, bytes));
  if (p->n_pairs > 0) printf(" for %zu pair%s", p->n_pairs, p->n_pairs == 1 ? "" : "s");
  if (n_phases > 1) printf(" in phase %d \"%s\", the most expensive one", p->id, p->name);
  puts(p->n_listed ? "; by time:" : "");
  for (size_t i = 0; i < p->n_listed; i++) {
    const berth_pair_load_t *q = &p->pairs[i];
    printf("    %6d -> %-6d %10.0f message%-1s %12s %12s\n", q->src, q->dst, q->messages,
           text_plural(q->messages), text_bytes(q->bytes, bytes),
           topo_text_cost(v->in->topo, q->time_s, time));
  }
  if (p->n_listed && p->n_listed < p->n_pairs)
    printf("    ... and %zu more pair%s\n", p->n_pairs - p->n_listed,
           text_plural((double)(p->n_pairs - p->n_listed)));
}

static void print_levels(const cost_view_t *v, const berth_cost_result_t *r)
{
  char types[40], cost[TEXT_NUMBER], bytes[TEXT_NUMBER], where[200];
  puts("  cost per level (depth, elements, most expensive port, traffic that crosses it):");
  for (size_t d = 0; d < r->n_levels; d++) {
    const berth_level_cost_t *l = &r->levels[d];
    printf("    %zu %-16s %10s %12.0f message%-1s %12s  %s\n", d,
           topo_level_types(v->in->topo, l->depth, types, sizeof types),
           topo_text_cost(v->in->topo, l->cost_s, cost), l->messages, text_plural(l->messages),
           text_bytes(l->bytes, bytes),
           l->has_busiest ? berth_resource_text(v->in->topo, l->busiest, where, sizeof where)
                          : "idle");
  }
}

/* What a phase would cost if ranks were placed for it alone. */
static void print_alone(const cost_view_t *v, const berth_phase_cost_t *p,
                        const berth_alone_t *alone)
{
  char cost[TEXT_NUMBER], less[TEXT_NUMBER], whole[TEXT_NUMBER];
  double here = p->repeats * p->cost_s, gain = here - alone->cost_s;
  printf("      alone: %s by %s, ", topo_text_cost(v->in->topo, alone->cost_s, cost),
         alone->algorithm);
  if (gain == 0)
    printf("as much as here");
  else
    printf("%s (%.1f%%) %s", topo_text_cost(v->in->topo, fabs(gain), less),
           here > 0 ? 100 * fabs(gain) / here : 0, gain > 0 ? "less" : "more");
  printf("; the whole pattern then costs %s\n",
         topo_text_cost(v->in->topo, alone->pattern_cost_s, whole));
}

/* Rounds of the same collective calls in one line. Returns the first phase behind them. */
static size_t print_rounds(const cost_view_t *v, const berth_cost_result_t *r, size_t first)
{
  size_t n, k = first;
  char all[TEXT_NUMBER];
  double sum = 0, rounds = 0;
  const berth_phase_t *phases = berth_pattern_phases(v->in->pattern, &n);
  for (size_t end = pattern_stage_end(phases, first, n); k < end; k++) {
    sum += r->phases[k].repeats * r->phases[k].cost_s;
    rounds += r->phases[k].repeats;
  }
  bool has_max = r->max_cost_phase >= first && r->max_cost_phase < k;
  printf("    %d", phases[first].id);
  if (k > first + 1) printf("-%d", phases[k - 1].id);
  printf(" \"%.*s\": %.0f %s%s, %s%s\n", pattern_stage_name(&phases[first]), phases[first].name,
         rounds, phases[first].by_hosts ? "call" : "round", text_plural(rounds),
         topo_text_cost(v->in->topo, sum, all), has_max ? "  (has the most expensive one)" : "");
  return k;
}

static void print_phase(const cost_view_t *v, const berth_cost_result_t *r, size_t k)
{
  char once[TEXT_NUMBER], all[TEXT_NUMBER];
  const berth_phase_cost_t *p = &r->phases[k];
  printf("    %d \"%s\": %s x %.0f = %s%s\n", p->id, p->name,
         topo_text_cost(v->in->topo, p->cost_s, once), p->repeats,
         topo_text_cost(v->in->topo, p->repeats * p->cost_s, all),
         k == r->max_cost_phase ? "  (most expensive)" : "");
  if (v->alone && v->alone[k].algorithm) print_alone(v, p, &v->alone[k]);
}

static void print_phases(const cost_view_t *v, const berth_cost_result_t *r)
{
  size_t n, k = 0;
  const berth_phase_t *phases = berth_pattern_phases(v->in->pattern, &n);
  if (r->n_phases < 2) return;
  puts("  phases:");
  while (k < r->n_phases) {
    if (phases[k].collective)
      k = print_rounds(v, r, k);
    else
      print_phase(v, r, k++);
  }
}

/* What a phase would cost less by at most, of all mappings here, if ranks were placed for it alone.
 */
static double max_gained(const cost_view_t *v, size_t phase)
{
  double max = 0;
  for (size_t i = 0; i < v->n; i++) {
    const berth_phase_cost_t *p = &berth_assessment_reasons(v->assessment, i)->phases[phase];
    max = fmax(max, p->repeats * p->cost_s - v->alone[phase].cost_s);
  }
  return max;
}

/* How to get the mappings that print_alone spoke of, where one of them is better than what is here.
 */
static void print_alone_command(const cost_view_t *v)
{
  const berth_cost_result_t *r = berth_assessment_reasons(v->assessment, 0);
  size_t known = 0, own = 0, n, best = 0;
  const berth_phase_t *phases = berth_pattern_phases(v->in->pattern, &n);
  double max = 0;
  for (size_t k = 0; v->alone && k < r->n_phases; k++) {
    own += !phases[k].collective;
    if (!v->alone[k].algorithm) continue;
    known++;
    double gained = max_gained(v, k);
    if (gained > max) max = gained, best = k;
  }
  if (!known) return;
  char *command = max > 0 ? phases_alone_command(v->in, v->mapper, r->phases[best].id) : NULL;
  if (command) {
    puts("");
    clean_stream_keep_line(stdout);
    printf("to write the best placement for one phase: %s\n", command);
  }
  if (known < own)
    printf("(for the %zu most expensive of %zu phases; --alone N: more)\n", known, own);
  free(command);
}

static void print_one(const cost_view_t *v, size_t i)
{
  char cost[TEXT_NUMBER], margin[COST_MARGIN];
  const costed_t *m = &v->list[i];
  const berth_estimate_t *e = berth_assessment_estimate(v->assessment, i);
  const berth_estimate_t *linear = berth_assessment_estimate(v->assessment, v->n);
  const berth_cost_result_t *r = berth_assessment_reasons(v->assessment, i);
  const berth_uncertainty_t *u = berth_assessment_uncertainty(v->assessment);
  printf("%s%s%s%s: %s%s (model %s)\n", m->path, *m->mapping.algorithm ? " (" : "",
         m->mapping.algorithm, *m->mapping.algorithm ? ")" : "",
         topo_text_cost(v->in->topo, e->cost_s, cost), cost_margin_text(u, i, margin),
         berth_model_name(v->model));
  estimate_print_packing(stdout, v->in, "  ", e);
  estimate_print_sharing(stdout, v->in, "  ", e, linear);
  print_gain(v, i);
  if (linear->cost_s >= 0) verdict_print_doubt(stdout, u, i, v->n, "the default order");
  print_bottleneck(v, &r->phases[r->max_cost_phase], r->n_phases);
  print_phases(v, r);
  print_levels(v, r);
  cost_print_sites(v, m, r);
  packing_view_print(stdout, berth_assessment_packing(v->assessment), v->in->pattern,
                     m->mapping.pu_of_rank);
  if (m->advice) advice_print(m->advice, v->in, v->others);
}

static void print_comparison(const cost_view_t *v)
{
  char cost[TEXT_NUMBER], margin[COST_MARGIN];
  size_t best = 0;
  for (size_t i = 1; i < v->n; i++)
    if (berth_assessment_estimate(v->assessment, i)->cost_s <
        berth_assessment_estimate(v->assessment, best)->cost_s)
      best = i;
  puts("\nall mappings:");
  for (size_t i = 0; i < v->n; i++) {
    double c = berth_assessment_estimate(v->assessment, i)->cost_s,
           min = berth_assessment_estimate(v->assessment, best)->cost_s;
    printf("  %12s%s  %6.3f times the cheapest  %s%s\n", topo_text_cost(v->in->topo, c, cost),
           cost_margin_text(berth_assessment_uncertainty(v->assessment), i, margin),
           min > 0 ? c / min : 1, v->list[i].path, i == best ? "  (cheapest)" : "");
    if (i != best)
      verdict_print_doubt(stdout, berth_assessment_uncertainty(v->assessment), i, best,
                          v->list[best].path);
  }
}

void cost_view_print(const cost_view_t *v)
{
  char text[CONCLUSION];
  for (size_t i = 0; i < v->n; i++)
    if (*conclusion_of_placement(v->assessment, i, v->list[i].path, text)) {
      screen_print(stdout, SCREEN_STRONG, text);
      putchar('\n');
    }
  putchar('\n');
  for (size_t i = 0; i < v->n; i++) {
    if (i) putchar('\n');
    print_one(v, i);
  }
  if (v->n > 1) print_comparison(v);
  print_alone_command(v);
  verdict_print_notes(stdout, v->in, berth_assessment_uncertainty(v->assessment));
}
