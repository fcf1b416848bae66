/* SPDX-License-Identifier: BSD-3-Clause */
/* `berth compare`: placements side by side under every model. */
#include <stdlib.h>

#include "base/no_memory.h"
#include "cli/cli.h"
#include "cli/options/form.h"
#include "cli/options/memory_option.h"
#include "cli/print/compare.h"
#include "cli/print/progress.h"
#include "cost/assess.h"

/* Pairs that are listed at a bottleneck, in JSON. */
enum { PAIRS = 10 };

typedef struct options {
  inputs_t in;
  placed_question_t placed;
  form_t form;
} options_t;

static const option_t own_options[] = {OPTION("--by", inputs_model, options_t, in.map.objective),
                                       {0}};

static void check(struct argp_state *state, void *all)
{
  const options_t *o = all;
  inputs_check_stdin(state, &o->in, o->placed.files.n, o->placed.files.item);
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
  for (size_t i = 0; i < v->n; i++) v->row[i].is = &v->placed.item[i];
  return BERTH_OK;
}

/* What the rows cost by a model. By the one that sorts they are priced already, with reasons. */
static int price_by(const inputs_t *in, berth_cost_t *evaluator, berth_model_t model,
                    compare_view_t *v, berth_error_t *err)
{
  berth_sharing_t *sharing = berth_sharing_new(in->pattern, in->topo, model, err);
  if (!sharing) return err->code;
  for (size_t i = 0; i < v->n; i++) {
    compared_t *row = &v->row[i];
    const int *pu_of_rank = row->is->mapping.pu_of_rank;
    progress(berth_model_name(model), row->is->name);
    double shared_s = berth_sharing_evaluate(sharing, pu_of_rank);
    double cost_s = model == in->map.objective ? row->cost.cost_s
                                               : berth_cost_evaluate(evaluator, model, pu_of_rank);
    row->total[model] = (berth_estimate_t){.cost_s = cost_s + shared_s, .sharing_s = shared_s};
  }
  berth_sharing_free(sharing);
  return berth_cost_ran_out(evaluator, err);
}

static int price(compare_view_t *v, berth_cost_t *evaluator, berth_error_t *err)
{
  int rc = BERTH_OK;
  berth_model_t by = v->in->map.objective;
  for (size_t i = 0; i < v->n && !rc; i++) {
    progress(berth_model_name(by), v->row[i].is->name);
    rc = berth_cost_explain(evaluator, by, v->row[i].is->mapping.pu_of_rank, PAIRS, &v->row[i].cost,
                            err);
  }
  for (int model = 0; model < BERTH_N_MODELS && !rc; model++)
    if (v->asked[model]) rc = price_by(v->in, evaluator, (berth_model_t)model, v, err);
  progress(NULL, NULL);
  return rc;
}

/* Holds all rows against the reference. */
static void compare_to_reference(const compare_view_t *v)
{
  berth_model_t by = v->in->map.objective;
  const compared_t *reference = &v->row[v->reference];
  const int *from = reference->is->mapping.pu_of_rank;
  for (size_t i = 0; i < v->n; i++)
    assess_compare(v->in->pattern, v->in->topo, &reference->total[by], from,
                   v->row[i].is->mapping.pu_of_rank, &v->row[i].total[by]);
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

static int find_uncertainty(compare_view_t *v, berth_error_t *err)
{
  const int **placements = malloc(v->n * sizeof *placements);
  if (!placements) return no_memory(err);
  for (size_t i = 0; i < v->n; i++) placements[i] = v->row[i].is->mapping.pu_of_rank;
  int rc = verdict_find(v->in, v->n, placements, NULL, &v->uncertainty, err);
  free(placements);
  return rc;
}

static int compare(options_t *o, compare_view_t *v, berth_cost_t *evaluator, berth_error_t *err)
{
  placed_models(&o->placed, berth_pattern_ranks(o->in.pattern), o->in.map.objective, v->asked);
  int rc = add_rows(o, v, err);
  if (!rc) rc = price(v, evaluator, err);
  if (rc) return rc;
  compare_to_reference(v);
  sort_rows(v);
  find_same(v);
  rc = find_uncertainty(v, err);
  if (rc) return rc;
  if (o->form == FORM_JSON) return compare_json(v, "-", err);
  if (o->form == FORM_CSV) return compare_csv(v, "-", err);
  compare_print(v);
  return BERTH_OK;
}

static void view_clear(compare_view_t *v)
{
  for (size_t i = 0; i < v->n && v->row; i++) berth_cost_result_clear(&v->row[i].cost);
  placed_clear(&v->placed);
  berth_uncertainty_free(v->uncertainty);
  free(v->row);
}

static int run(int argc, char **argv)
{
  options_t o = {.in.map = berth_map_defaults()};
  compare_view_t view = {.in = &o.in};
  berth_error_t err = {0};
  cli_watch_signals();
  int wrong = option_parse(&cmd_compare, argc, argv, &o);
  if (wrong) return wrong;
  int rc = inputs_load(&o.in, &err);
  berth_cost_t *evaluator = rc ? NULL : berth_cost_new(o.in.pattern, o.in.topo, &err);
  if (!rc) rc = evaluator ? compare(&o, &view, evaluator, &err) : err.code;
  progress(NULL, NULL);
  if (rc) cli_report(argv[0], &err);
  view_clear(&view);
  berth_cost_free(evaluator);
  inputs_clear(&o.in);
  free(o.placed.files.item);
  return rc;
}

const cli_command_t cmd_compare = {.name = "compare", .run = run, .parts = parts};
