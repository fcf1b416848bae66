/* SPDX-License-Identifier: BSD-3-Clause */
/* `berth compare`: placements side by side under every model, or machines side by side. */
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "cli/cli.h"
#include "cli/compare_machines.h"
#include "cli/options/form.h"
#include "cli/options/memory_option.h"
#include "cli/print/compare.h"
#include "cli/print/progress.h"

typedef struct options {
  inputs_t in;
  const char *sweep; /* TYPE.FIELD=VALUE,VALUE…; NULL: none */
  placed_question_t placed;
  form_t form;
} options_t;

static const option_t own_options[] = {
    OPTION_OR_DEFAULT("--model", inputs_model, options_t, in.map.objective),
    OPTION("--sweep", option_once, options_t, sweep),
    OPTION_OR_DEFAULT("--quality", inputs_quality, options_t, in.map.quality),
    OPTION_IN_OR_DEFAULT("--threads", option_number, options_t, in.map.threads, 1, 4096),
    {0}};

/* Whether machines are compared, and not placements. */
static bool compares_machines(const options_t *o) { return o->sweep || o->in.topologies.n > 1; }

static void check(struct argp_state *state, void *all)
{
  options_t *o = all;
  inputs_check(state, &o->in, &o->placed.files, true);
  bool machines = o->placed.none_needed = compares_machines(o);
  if (machines && (o->placed.files.n || o->placed.against || o->placed.any_asked))
    argp_error(state, "found mappings, --against or --models with several machines, expected that "
                      "berth places the ranks on each");
  if (o->sweep && !strchr(o->sweep, '='))
    argp_error(state,
               "--sweep: found '%s', expected TYPE.FIELD=VALUE,VALUE... or TYPE.FIELD*=FACTOR,...",
               o->sweep);
  if (!machines && (option_given(state, "--quality") || option_given(state, "--threads")))
    argp_error(state, "found --quality or --threads with mappings, expected several machines");
}

static const option_table_t own = {own_options, check};
static const option_part_t parts[] = {{&inputs_options, offsetof(options_t, in)},
                                      {&own, 0},
                                      {&placed_options, offsetof(options_t, placed)},
                                      {&placed_against_options, offsetof(options_t, placed)},
                                      {&form_options, offsetof(options_t, form)},
                                      {&memory_option, 0},
                                      {0}};

static int add_rows(options_t *o, compare_view_t *v, berth_error_t *err)
{
  int rc = placed_load(&o->in, &o->placed, &v->placed, err);
  if (rc) return rc;
  v->n = v->placed.n;
  v->reference = v->placed.reference;
  v->row = calloc(v->n, sizeof *v->row);
  if (!v->row) return no_memory(err);
  for (size_t i = 0; i < v->n; i++) v->row[i] = (compared_t){.is = &v->placed.item[i], .place = i};
  return BERTH_OK;
}

/* Estimates the rows by a model; by the one that sorts with reasons and intervals. */
static int estimate_by(compare_view_t *v, berth_cost_t *evaluator, berth_model_t model,
                       const int *const *placements, berth_error_t *err)
{
  bool sorts = model == v->in->map.objective;
  berth_assess_options_t options = berth_assess_defaults();
  options.model = model;
  options.reference = placements[v->reference];
  options.intervals = sorts && !v->in->no_intervals;
  options.reasons = sorts;
  options.evaluator = evaluator;
  progress("estimating by model", berth_model_name(model));
  berth_assessment_t *a =
      berth_assessment_new(v->in->pattern, v->in->topo, &options, v->n, placements, err);
  if (!a) return err->code;
  for (size_t i = 0; i < v->n; i++) {
    v->row[i].total[model] = *berth_assessment_estimate(a, i);
    if (sorts) v->row[i].cost = berth_assessment_reasons(a, i);
  }
  if (sorts)
    v->assessment = a;
  else
    berth_assessment_free(a);
  return BERTH_OK;
}

static int estimate(compare_view_t *v, berth_error_t *err)
{
  const int **placements = malloc(v->n * sizeof *placements);
  if (!placements) return no_memory(err);
  for (size_t i = 0; i < v->n; i++) placements[i] = v->row[i].is->mapping.pu_of_rank;
  berth_cost_t *evaluator = berth_cost_new(v->in->pattern, v->in->topo, err);
  int rc = evaluator ? BERTH_OK : err->code;
  for (int model = 0; model < BERTH_N_MODELS && !rc; model++)
    if (v->asked[model]) rc = estimate_by(v, evaluator, (berth_model_t)model, placements, err);
  progress(NULL, NULL);
  berth_cost_free(evaluator);
  free(placements);
  return rc;
}

/* Rows of one cost keep the order in which they were named. */
static void sort_rows(compare_view_t *v)
{
  berth_model_t by = v->in->map.objective;
  for (size_t i = 1; i < v->n; i++)
    for (size_t k = i; k > 0 && v->row[k].total[by].cost_s < v->row[k - 1].total[by].cost_s; k--) {
      compared_t row = v->row[k];
      v->row[k] = v->row[k - 1];
      v->row[k - 1] = row;
      if (v->reference == k || v->reference == k - 1) v->reference = 2 * k - 1 - v->reference;
    }
}

static void find_same(compare_view_t *v)
{
  for (size_t i = 1; i < v->n; i++)
    for (size_t k = 0; k < i && !v->row[i].same_as; k++)
      if (placed_is_same(&v->row[i].is->mapping, &v->row[k].is->mapping))
        v->row[i].same_as = v->row[k].is->name;
}

static int compare(options_t *o, compare_view_t *v, berth_error_t *err)
{
  placed_models(&o->placed, berth_pattern_ranks(o->in.pattern), o->in.map.objective, v->asked);
  int rc = add_rows(o, v, err);
  if (!rc) rc = estimate(v, err);
  if (rc) return rc;
  sort_rows(v);
  find_same(v);
  if (o->form == FORM_JSON) return compare_json(v, "-", err);
  if (o->form == FORM_CSV) return compare_csv(v, "-", err);
  compare_print(v);
  return BERTH_OK;
}

static void view_clear(compare_view_t *v)
{
  placed_clear(&v->placed);
  berth_assessment_free(v->assessment);
  free(v->row);
}

static int run(int argc, char **argv)
{
  options_t o = {.in = {.map = berth_map_defaults(), .several = true}};
  compare_view_t view = {.in = &o.in};
  berth_error_t err = {0};
  cli_watch_signals();
  int wrong = option_parse(&cmd_compare, argc, argv, &o);
  if (wrong) return wrong;
  int rc = BERTH_OK;
  if (compares_machines(&o)) {
    rc = compare_machines(&o.in, o.sweep, o.form, &err);
  } else {
    rc = inputs_load(&o.in, &err);
    if (!rc) rc = compare(&o, &view, &err);
  }
  progress(NULL, NULL);
  if (rc) cli_report(argv[0], &err);
  view_clear(&view);
  inputs_clear(&o.in);
  free(o.placed.files.item);
  return rc;
}

const cli_command_t cmd_compare = {.name = "compare", .run = run, .parts = parts};
