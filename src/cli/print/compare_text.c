/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <stdio.h>

#include "base/text.h"
#include "cli/print/compare.h"
#include "cli/print/conclusion.h"
#include "cli/print/screen.h"
#include "pattern/phase_find.h"
#include "topo/topo_levels.h"

/* Phases beyond these are in the files alone. */
enum { MAX_PHASES = 16 };
/* Columns: what a line is about, the name in it, and a cost. */
enum { LABEL = 34, NAME = 30, COST = 12 };

static void print_head(const compare_view_t *v)
{
  char text[CONCLUSION];
  const compared_t *reference = &v->row[v->reference];
  const char *name = reference->is->is_linear ? NULL : reference->is->name;
  puts(conclusion_of_best(v->assessment, v->row[0].place, v->row[0].is->name, name, text));
  printf("%d ranks on %s: %zu placement%s, the cheapest first (model %s); reference: %s\n\n   ",
         berth_pattern_ranks(v->in->pattern), berth_topo_name(v->in->topo), v->n,
         text_plural((double)v->n), berth_model_name(v->in->map.objective), reference->is->name);
  for (int model = 0; model < BERTH_N_MODELS; model++)
    if (v->asked[model]) printf(" %11s", berth_model_name((berth_model_t)model));
  printf(" %8s %12s\n", "gain", "ranks moved");
}

static void print_row(const compare_view_t *v, size_t i)
{
  char cost[TEXT_NUMBER], margin[COST_MARGIN];
  const compared_t *row = &v->row[i];
  const berth_estimate_t *e = &row->total[v->in->map.objective];
  printf("%3zu", i + 1);
  for (int model = 0; model < BERTH_N_MODELS; model++)
    if (v->asked[model])
      printf(" %11s", topo_text_cost(v->in->topo, row->total[model].cost_s, cost));
  printf(" %+7.1f%% %12d  %s%s%s%s%s", 100 * e->gain, e->moved, row->is->name,
         row->is->is_linear || !*row->is->mapping.algorithm ? "" : " (",
         row->is->is_linear ? "" : row->is->mapping.algorithm,
         row->is->is_linear || !*row->is->mapping.algorithm ? "" : ")",
         cost_margin_text(berth_assessment_uncertainty(v->assessment), row->place, margin));
  if (e->moved_hosts) printf(", %d to other hosts", e->moved_hosts);
  if (row->same_as) printf(", the same as %s", row->same_as);
  putchar('\n');
}

static void print_bottleneck(const compare_view_t *v, size_t i)
{
  char where[256], bytes[TEXT_NUMBER];
  const berth_cost_result_t *r = v->row[i].cost;
  const berth_phase_cost_t *p = &r->phases[r->max_cost_phase];
  printf("%3zu ", i + 1);
  if (!p->has_bottleneck) {
    puts("none: no message crosses a port that costs anything");
    return;
  }
  printf("%s: %s", berth_resource_text(v->in->topo, p->bottleneck, where, sizeof where),
         text_bytes(p->bottleneck_bytes, bytes));
  if (p->n_pairs > 0) printf(" of %zu pair%s", p->n_pairs, text_plural((double)p->n_pairs));
  if (r->n_phases > 1) printf(" in phase %d \"%s\"", p->id, p->name);
  putchar('\n');
}

/* Placements whose columns stand beside each other: as many as a terminal has room for, with names
 * of what they are about as wide as that leaves. Without a terminal all. */
typedef struct block {
  size_t first, end;
  int name; /* columns */
} block_t;

static block_t next_block(const compare_view_t *v, size_t first)
{
  int columns = screen_columns();
  size_t fit = columns > 0 ? 1 : v->n, rest = v->n - first; /* one at least, or there is no end */
  if (columns > LABEL + 2 * COST) fit = (size_t)(columns - LABEL) / COST;
  size_t n = rest < fit ? rest : fit;
  int name = columns - LABEL - (int)n * COST + NAME;
  return (block_t){first, first + n, columns > SCREEN_USUAL && name > NAME ? name : NAME};
}

/* A column for each placement, by its number. */
static void print_columns(const block_t *b, const char *what)
{
  printf("\n%-*s", LABEL - NAME + b->name, what);
  for (size_t i = b->first; i < b->end; i++) printf(" %11zu", i + 1);
  putchar('\n');
}

static void print_levels(const compare_view_t *v, const block_t *b)
{
  char types[256], cost[TEXT_NUMBER];
  print_columns(b, "most expensive port of a level");
  for (size_t d = 0; d < v->row[0].cost->n_levels; d++) {
    printf("%3zu %-*.*s", d, b->name, b->name,
           topo_level_types(v->in->topo, (int)d, types, sizeof types));
    for (size_t i = b->first; i < b->end; i++)
      printf(" %11s", topo_text_cost(v->in->topo, v->row[i].cost->levels[d].cost_s, cost));
    putchar('\n');
  }
}

/* What placement i costs in the phases from `first` to before `end`. */
static double phases_cost(const compare_view_t *v, size_t i, size_t first, size_t end)
{
  double cost = 0;
  const berth_phase_cost_t *p = v->row[i].cost->phases;
  for (size_t k = first; k < end; k++) cost += p[k].repeats * p[k].cost_s;
  return cost;
}

/* Whether a phase, or all rounds of a collective call, is among the most expensive ones under the
 * reference; of equals the earlier ones. */
static bool is_shown(const compare_view_t *v, const berth_phase_t *phases, size_t n, size_t k)
{
  size_t above = 0;
  double own = phases_cost(v, v->reference, k, pattern_call_end(phases, k, n));
  for (size_t i = 0, end; i < n && above < MAX_PHASES; i = end) {
    end = pattern_call_end(phases, i, n);
    double other = phases_cost(v, v->reference, i, end);
    above += other > own || (other == own && i < k);
  }
  return above < MAX_PHASES;
}

/* A line for a phase, or for a collective call. */
static void print_phase(const compare_view_t *v, const block_t *b, const berth_phase_t *phase,
                        size_t first, size_t end)
{
  char name[512], cost[TEXT_NUMBER];
  if (phase->collective)
    snprintf(name, sizeof name, "%.*s", pattern_call_name(phase), phase->name);
  else
    snprintf(name, sizeof name, "\"%.*s\" x %" PRIu64, b->name - 14, phase->name, phase->repeats);
  printf("%3d %-*.*s", phase->id, b->name, b->name, name);
  for (size_t i = b->first; i < b->end; i++)
    printf(" %11s", topo_text_cost(v->in->topo, phases_cost(v, i, first, end), cost));
  putchar('\n');
}

static void print_phases(const compare_view_t *v, const block_t *b)
{
  size_t n, all = 0, shown = 0;
  const berth_phase_t *phases = berth_pattern_phases(v->in->pattern, &n);
  if (n < 2) return;
  print_columns(b, "phase, all its repeats");
  for (size_t k = 0, end; k < n; k = end) {
    end = pattern_call_end(phases, k, n);
    all++;
    if (!is_shown(v, phases, n, k)) continue;
    shown++;
    print_phase(v, b, &phases[k], k, end);
  }
  if (all > shown) printf("    and %zu cheaper ones (--json, --csv)\n", all - shown);
}

void compare_print(const compare_view_t *v)
{
  print_head(v);
  for (size_t i = 0; i < v->n; i++) print_row(v, i);
  for (size_t i = 1; i < v->n; i++)
    verdict_print_doubt(stdout, berth_assessment_uncertainty(v->assessment), v->row[i].place,
                        v->row[0].place, v->row[0].is->name);
  puts("\nbottlenecks");
  for (size_t i = 0; i < v->n; i++) print_bottleneck(v, i);
  block_t b = {.end = 0};
  while (b.end < v->n) {
    b = next_block(v, b.end);
    print_levels(v, &b);
    print_phases(v, &b);
  }
  verdict_print_notes(stdout, v->in, berth_assessment_uncertainty(v->assessment));
}
