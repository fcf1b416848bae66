/* SPDX-License-Identifier: BSD-3-Clause */
/* `berth cost`: prices mappings against each other. */
#include <stdlib.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "cli/cli.h"
#include "cli/options/usable.h"
#include "cli/print/cost_view.h"
#include "cli/print/progress.h"
#include "cost/assess.h"

enum {
  OPT_MAPPING = 256,
  OPT_MODEL,
  OPT_JSON,
  OPT_PAIRS,
  OPT_ALONE,
  OPT_ALGORITHM,
  OPT_THREADS,
  OPT_SHARED
};

typedef struct options {
  inputs_t in;
  const char **mapping;
  size_t n_mappings, cap;
  size_t pairs;
  alone_question_t alone;
  int json, shared;
} options_t;

static const struct argp_option option_table[] = {
    {"mapping", OPT_MAPPING, "FILE", 0,
     "A placement to price, of berth map, Scotch or METIS; may be given several times.", 0},
    {"model", OPT_MODEL, "NAME", 0,
     "port (default): the busiest port, ranks taken one by one; bound: per port the larger of its "
     "slowest rank and bytes over capacity; sum: time over all ports together; flow: "
     "messages share ports max-min fairly, in time.",
     0},
    {"pairs", OPT_PAIRS, "N", 0, "List at most N pairs at a bottleneck (default 10).", 0},
    {"alone", OPT_ALONE, "N", 0,
     "In patterns of several phases, place ranks for each of the N dearest phases alone, too, and "
     "say what it would cost (default 16; 0 leaves it out).",
     0},
    {"algorithm", OPT_ALGORITHM, "NAME", 0,
     "How --alone places (default best); see berth-map for the list.", 0},
    {"threads", OPT_THREADS, "N", 0, "Threads for --alone (default 1).", 0},
    {"oversubscribe", OPT_SHARED, NULL, 0,
     "Take mappings with several ranks on one PU. --ranks-per-pu does that, and lets linear share "
     "PUs, too.",
     0},
    {"json", OPT_JSON, NULL, 0, "Print one JSON object instead of text.", 0},
    {0}};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
  options_t *o = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &o->in;
    break;
  case OPT_MAPPING:
    if (!ARRAY_GROW(&o->mapping, o->n_mappings, &o->cap)) return ENOMEM;
    o->mapping[o->n_mappings++] = arg;
    break;
  case OPT_MODEL:
    o->in.map.objective = inputs_model(state, "--model", arg);
    break;
  case OPT_PAIRS:
    o->pairs = (size_t)cli_number(state, "--pairs", arg, 0, 1000000);
    break;
  case OPT_ALONE:
    o->alone.most = cli_number(state, "--alone", arg, 0, INT32_MAX);
    break;
  case OPT_ALGORITHM:
    o->alone.mapper = inputs_mapper(state, "--algorithm", arg);
    break;
  case OPT_THREADS:
    o->in.map.threads = (int)cli_number(state, "--threads", arg, 1, 4096);
    break;
  case OPT_SHARED:
    o->shared = 1;
    break;
  case OPT_JSON:
    o->json = 1;
    break;
  case ARGP_KEY_ARG:
    argp_error(state, "found '%s', expected options only (--mapping FILE names a mapping)", arg);
    break;
  case ARGP_KEY_END:
    if (!o->n_mappings) argp_error(state, "expected at least one --mapping");
    inputs_check_stdin(state, &o->in, o->n_mappings, o->mapping);
    break;
  default:
    return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

static const struct argp_child children[] = {{&inputs_argp, 0, NULL, 0}, {0}};

static const struct argp argp = {
    .options = option_table,
    .parser = parse_option,
    .children = children,
    .args_doc = "--pattern P --topology T --mapping M [--mapping M2]...",
    .doc = "Prints what placements cost: the bottleneck port and the pairs that load it, the cost "
           "per level of the machine's tree, and the gain over placing ranks in order."};

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
  if (n < 2 || !o->alone.most) return BERTH_OK;
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
                      .n = o->n_mappings,
                      .priced = calloc(o->n_mappings, sizeof *view.priced),
                      .mapper = o->alone.mapper};
  if (!view.priced) return no_memory(err);
  for (size_t i = 0; i < view.n; i++) view.priced[i].path = o->mapping[i];
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
  int wrong = cli_parse(&argp, argc, argv, 0, &o);
  if (wrong) return wrong;
  int rc = inputs_load(&o.in, &err);
  if (!rc && berth_pattern_ranks(o.in.pattern) >= MANY_RANKS) o.in.map.quality = BERTH_QUALITY_FAST;
  berth_cost_t *evaluator = rc ? NULL : berth_cost_new(o.in.pattern, o.in.topo, &err);
  if (!rc) rc = evaluator ? show(&o, evaluator, &err) : err.code;
  if (rc) cli_report(argv[0], &err);
  berth_cost_free(evaluator);
  inputs_clear(&o.in);
  free(o.mapping);
  return rc;
}

const cli_command_t cmd_cost = {"cost", "price placements against each other", run, &argp, NULL,
                                false};
