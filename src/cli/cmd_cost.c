/* SPDX-License-Identifier: BSD-3-Clause */
/* `berth cost`: prices mappings against each other. */
#include <stdlib.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "cli/cli.h"
#include "cli/options/memory_option.h"
#include "cli/options/usable.h"
#include "cli/print/cost_view.h"
#include "cli/print/progress.h"
#include "cost/assess.h"

typedef struct options {
  inputs_t in;
  option_words_t mappings;
  size_t pairs;
  alone_question_t alone;
  int json, shared;
} options_t;

static void check(struct argp_state *state, void *all)
{
  options_t *o = all;
  if (!o->mappings.n) argp_error(state, "expected at least one --mapping");
  inputs_check_stdin(state, &o->in, o->mappings.n, o->mappings.item);
}

static const option_t own_options[] = {
    OPTION("--mapping", option_list, options_t, mappings),
    OPTION("--model", inputs_model, options_t, in.map.objective),
    OPTION_IN("--pairs", option_number, options_t, pairs, 0, 1000000),
    OPTION_IN("--alone", option_number, options_t, alone.max, 0, INT32_MAX),
    OPTION("--algorithm", inputs_mapper, options_t, alone.mapper),
    OPTION_IN("--threads", option_number, options_t, in.map.threads, 1, 4096),
    OPTION("--oversubscribe", option_flag, options_t, shared),
    OPTION("--json", option_flag, options_t, json),
    {0}};

static const option_table_t own = {own_options, check};
static const option_part_t parts[] = {
    {&inputs_options, offsetof(options_t, in)}, {&own, 0}, {&memory_option, 0}, {0}};

static int price(options_t *o, berth_cost_t *evaluator, priced_t *out, berth_error_t *err)
{
  progress("pricing", out->path);
  int rc = usable_load(&o->in, "--mapping", out->path, o->shared, &out->mapping, err);
  return rc ? rc
            : berth_cost_explain(evaluator, o->in.map.objective, out->mapping.pu_of_rank, o->pairs,
                                 &out->cost, err);
}

/* Pricing shall take a moment: with so many ranks, placing them for each phase would take seconds
 * but for quality fast. */
enum { MANY_RANKS = 33 };

/* Finds what would suit each phase alone. Phases weigh what they cost under all the mappings. */
static int add_alone(const options_t *o, berth_cost_t *evaluator, cost_view_t *view,
                     berth_error_t *err)
{
  size_t n = view->priced[0].cost.n_phases;
  if (n < 2 || !o->alone.max) return BERTH_OK;
  view->alone = calloc(n, sizeof *view->alone);
  double *weight = calloc(n, sizeof *weight);
  int rc = view->alone && weight ? BERTH_OK : no_memory(err);
  for (size_t i = 0; i < view->n && !rc; i++)
    for (size_t k = 0; k < n; k++)
      weight[k] += view->priced[i].cost.phases[k].repeats * view->priced[i].cost.phases[k].cost_s;
  if (!rc) rc = phases_alone_find(&o->in, &o->alone, evaluator, weight, view->alone, err);
  free(weight);
  return rc;
}

/* Prices linear, and what all lose by sharing cores, and everything with the numbers that were
 * measured off by their spread. */
static int add_baseline(const options_t *o, berth_cost_t *evaluator, cost_view_t *view,
                        berth_error_t *err)
{
  int *linear = NULL, rc = inputs_linear(&o->in, &linear, err);
  berth_sharing_t *sharing =
      rc ? NULL : berth_sharing_new(o->in.pattern, o->in.topo, view->model, err);
  if (!rc && !sharing) rc = err->code;
  if (!rc && linear) {
    double sharing_s = berth_sharing_evaluate(sharing, linear);
    double cost_s = berth_cost_evaluate(evaluator, view->model, linear);
    view->linear = (berth_estimate_t){.cost_s = cost_s + sharing_s, .sharing_s = sharing_s};
  }
  for (size_t i = 0; i < view->n && !rc; i++) {
    priced_t *m = &view->priced[i];
    m->total.sharing_s = berth_sharing_evaluate(sharing, m->mapping.pu_of_rank);
    m->total.cost_s = m->cost.cost_s + m->total.sharing_s;
    assess_compare(o->in.pattern, o->in.topo, &view->linear, linear, m->mapping.pu_of_rank,
                   &m->total);
  }
  berth_sharing_free(sharing);
  if (!rc) rc = berth_cost_ran_out(evaluator, err);
  const int **placements = malloc(view->n * sizeof *placements);
  if (!rc && !placements) rc = no_memory(err);
  for (size_t i = 0; i < view->n && !rc; i++) placements[i] = view->priced[i].mapping.pu_of_rank;
  if (!rc) rc = verdict_find(&o->in, view->n, placements, linear, &view->uncertainty, err);
  free(placements);
  free(linear);
  return rc;
}

static int price_all(options_t *o, berth_cost_t *evaluator, cost_view_t *view, berth_error_t *err)
{
  int rc = BERTH_OK;
  for (size_t i = 0; i < view->n && !rc; i++) rc = price(o, evaluator, &view->priced[i], err);
  usable_adopt_scope(&o->in);
  if (!rc) rc = add_baseline(o, evaluator, view, err);
  if (!rc) rc = add_alone(o, evaluator, view, err);
  progress(NULL, NULL);
  return rc;
}

static int show(options_t *o, berth_cost_t *evaluator, berth_error_t *err)
{
  cost_view_t view = {.in = &o->in,
                      .model = o->in.map.objective,
                      .linear = {.cost_s = -1},
                      .n = o->mappings.n,
                      .priced = calloc(o->mappings.n, sizeof *view.priced),
                      .mapper = o->alone.mapper};
  if (!view.priced) return no_memory(err);
  for (size_t i = 0; i < view.n; i++) view.priced[i].path = o->mappings.item[i];
  int rc = price_all(o, evaluator, &view, err);
  if (!rc && o->json) rc = cost_view_json(&view, "-", err);
  if (!rc && !o->json) cost_view_print(&view);
  for (size_t i = 0; i < view.n; i++) {
    berth_mapping_clear(&view.priced[i].mapping);
    berth_cost_result_clear(&view.priced[i].cost);
  }
  berth_uncertainty_free(view.uncertainty);
  free(view.priced);
  free(view.alone);
  return rc;
}

static int run(int argc, char **argv)
{
  options_t o = {
      .pairs = 10, .alone = {berth_mapper_find("best"), 16}, .in.map = berth_map_defaults()};
  berth_error_t err = {0};
  cli_watch_signals();
  int wrong = option_parse(&cmd_cost, argc, argv, &o);
  if (wrong) return wrong;
  int rc = inputs_load(&o.in, &err);
  if (!rc && berth_pattern_ranks(o.in.pattern) >= MANY_RANKS) o.in.map.quality = BERTH_QUALITY_FAST;
  berth_cost_t *evaluator = rc ? NULL : berth_cost_new(o.in.pattern, o.in.topo, &err);
  if (!rc) rc = evaluator ? show(&o, evaluator, &err) : err.code;
  if (rc) cli_report(argv[0], &err);
  berth_cost_free(evaluator);
  inputs_clear(&o.in);
  free(o.mappings.item);
  return rc;
}

const cli_command_t cmd_cost = {.name = "cost", .run = run, .parts = parts};
