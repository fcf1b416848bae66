/* SPDX-License-Identifier: BSD-3-Clause */
/* `berth cost`: estimates what mappings cost. */
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "cli/cli.h"
#include "cli/options/memory_option.h"
#include "cli/options/targets.h"
#include "cli/options/together.h"
#include "cli/options/usable.h"
#include "cli/print/advice_view.h"
#include "cli/print/cost_view.h"
#include "cli/print/progress.h"

typedef struct options {
  inputs_t in;
  option_words_t mappings, files; /* the latter without an option */
  size_t n_named;                 /* of the mappings: those that --mapping names, which are first */
  size_t pairs, others;
  const char *advise;
  alone_question_t alone;
  int json, shared;
} options_t;

static void check(struct argp_state *state, void *all)
{
  options_t *o = all;
  inputs_check(state, &o->in, &o->files, true);
  o->n_named = o->mappings.n;
  for (size_t i = 0; i < o->files.n; i++)
    if (!option_add_word(&o->mappings, o->files.item[i])) option_no_memory(state);
  if (!o->mappings.n) argp_error(state, "expected at least one mapping");
  inputs_check_stdin(state, &o->in, o->mappings.n, o->mappings.item);
  if (o->advise && o->mappings.n > 1)
    argp_error(state, "--advise: found %zu mappings, expected one", o->mappings.n);
  if (o->advise && target_is_stdout(o->advise))
    argp_error(state, "--advise: found standard output, expected a file");
  const char *const inputs[] = {o->in.pattern_path, o->in.topology_path, o->mappings.item[0]};
  targets_check(state, 1, &o->advise, sizeof inputs / sizeof *inputs, inputs);
}

static const option_t own_options[] = {
    OPTION("--mapping", option_list, options_t, mappings),
    OPTION_OR_DEFAULT("--model", inputs_model, options_t, in.map.objective),
    OPTION_IN("--pairs", option_number, options_t, pairs, 0, 1000000),
    OPTION_IN("--others", option_number, options_t, others, 0, 1000000),
    OPTION("--advise", option_file, options_t, advise),
    OPTION_IN("--alone", option_number, options_t, alone.max, 0, INT32_MAX),
    OPTION("--algorithm", inputs_mapper, options_t, alone.mapper),
    OPTION_IN_OR_DEFAULT("--threads", option_number, options_t, in.map.threads, 1, 4096),
    OPTION("--oversubscribe", option_flag, options_t, shared),
    OPTION("--json", option_flag, options_t, json),
    OPTION("", option_list, options_t, files),
    {0}};

static const option_table_t own = {own_options, check};
static const option_part_t parts[] = {
    {&inputs_options, offsetof(options_t, in)}, {&own, 0}, {&memory_option, 0}, {0}};

/* Estimates take a moment. With so many ranks, placing them for each phase would take seconds in
 * any quality but fast. */
enum { MANY_RANKS = 33 };

/* For how many calls other algorithms are tried unless --others says so: with more ranks, that
 * takes longer than everything else. */
static const size_t USUAL_OTHERS = SIZE_MAX;
enum { SHOWN_OTHERS = 3, TRIED_RANKS = 1024 };

/* Finds the best placement for each phase alone. A phase weighs what it costs under all mappings.
 */
static int add_alone(const options_t *o, cost_view_t *view, berth_error_t *err)
{
  size_t n = berth_assessment_reasons(view->assessment, 0)->n_phases;
  if (n < 2 || !o->alone.max) return BERTH_OK;
  view->alone = calloc(n, sizeof *view->alone);
  double *weight = calloc(n, sizeof *weight);
  int rc = view->alone && weight ? BERTH_OK : no_memory(err);
  for (size_t i = 0; i < view->n && !rc; i++) {
    const berth_phase_cost_t *phase = berth_assessment_reasons(view->assessment, i)->phases;
    for (size_t k = 0; k < n; k++) weight[k] += phase[k].repeats * phase[k].cost_s;
  }
  if (!rc) rc = phases_alone_find(&o->in, &o->alone, weight, view->alone, err);
  free(weight);
  return rc;
}

/* Estimates the placements, and finds which call sites load which level. */
static int assess(const options_t *o, cost_view_t *view, const int *const *placements,
                  berth_error_t *err)
{
  berth_cost_t *evaluator = berth_cost_new(o->in.pattern, o->in.topo, err);
  if (!evaluator) return err->code;
  berth_assess_options_t options = berth_assess_defaults();
  options.evaluator = evaluator;
  options.reasons = 1;
  options.max_pairs = o->pairs;
  view->assessment = inputs_assess(&o->in, o->in.pattern, options, view->n, placements, err);
  int rc = view->assessment ? BERTH_OK : err->code;
  for (size_t i = 0; i < view->n && !rc; i++) {
    costed_t *m = &view->list[i];
    rc = berth_cost_sites(evaluator, m->mapping.pu_of_rank, &m->site, &m->n_sites, err);
  }
  berth_cost_free(evaluator);
  return rc;
}

static int estimate_all(options_t *o, cost_view_t *view, berth_error_t *err)
{
  int rc = BERTH_OK;
  const int **placements = malloc(view->n * sizeof *placements);
  if (!placements) return no_memory(err);
  for (size_t i = 0; i < view->n && !rc; i++) {
    costed_t *m = &view->list[i];
    const char *option = i < o->n_named ? "--mapping" : NULL;
    rc = usable_load(&o->in, option, m->path, o->shared, &m->mapping, err);
    placements[i] = m->mapping.pu_of_rank;
  }
  usable_adopt_scope(&o->in);
  if (!rc) rc = assess(o, view, placements, err);
  if (!rc) rc = add_alone(o, view, err);
  free(placements);
  return rc;
}

/* Finds what other algorithms would cost: of all calls if a file is to be written. */
static int add_advice(const options_t *o, cost_view_t *view, berth_error_t *err)
{
  int rc = BERTH_OK;
  const char *rules = o->in.collectives ? o->in.collectives : "auto";
  if (strcmp(rules, "none") == 0 || (!o->others && !o->advise)) return BERTH_OK;
  progress("estimating other algorithms of", "collective operations");
  for (size_t i = 0; i < view->n && !rc; i++) {
    costed_t *m = &view->list[i];
    m->advice = berth_advice_new(o->in.pattern, o->in.topo, view->model, m->mapping.pu_of_rank,
                                 rules, o->advise ? SIZE_MAX : o->others, err);
    if (!m->advice) rc = err->code;
  }
  progress(NULL, NULL);
  return rc;
}

static int check_advice(const options_t *o, const cost_view_t *view, berth_error_t *err)
{
  const berth_advice_t *advice = view->list[0].advice;
  if (!o->advise || (advice && *berth_advice_mpi(advice))) return BERTH_OK;
  return berth_fail(
      err, BERTH_BAD_INPUT,
      "--advise %s: found rules of an MPI whose settings berth doesn't know, expected "
      "--collectives openmpi-4.1 or mpich-4.0",
      o->advise);
}

static int print(const options_t *o, const cost_view_t *view, berth_error_t *err)
{
  if (o->json) return cost_view_json(view, "-", err);
  cost_view_print(view);
  return BERTH_OK;
}

/* Prints everything and writes the file, if one is asked for, or leaves no file. */
static int put(const options_t *o, const cost_view_t *view, berth_error_t *err)
{
  const berth_advice_t *advice = view->list[0].advice;
  int rc = check_advice(o, view, err);
  together_begin();
  if (!rc && o->advise) rc = berth_advice_write(advice, o->advise, err);
  if (!rc) rc = print(o, view, err);
  rc = together_name(rc, err);
  if (!rc && o->advise && !o->json) {
    puts("");
    advice_print_written(advice, o->in.topo, o->advise);
  }
  return together_end(rc, err);
}

static int show(options_t *o, berth_error_t *err)
{
  cost_view_t view = {.in = &o->in,
                      .model = o->in.map.objective,
                      .n = o->mappings.n,
                      .list = calloc(o->mappings.n, sizeof *view.list),
                      .mapper = o->alone.mapper,
                      .others = o->others};
  if (!view.list) return no_memory(err);
  for (size_t i = 0; i < view.n; i++) view.list[i].path = o->mappings.item[i];
  int rc = estimate_all(o, &view, err);
  if (!rc) rc = add_advice(o, &view, err);
  if (!rc) rc = put(o, &view, err);
  for (size_t i = 0; i < view.n; i++) {
    berth_mapping_clear(&view.list[i].mapping);
    berth_advice_free(view.list[i].advice);
    free(view.list[i].site);
  }
  berth_assessment_free(view.assessment);
  free(view.list);
  free(view.alone);
  return rc;
}

static int run(int argc, char **argv)
{
  options_t o = {.pairs = 10,
                 .others = USUAL_OTHERS,
                 .alone = {berth_mapper_find("best"), 16},
                 .in.map = berth_map_defaults()};
  berth_error_t err = {0};
  cli_watch_signals();
  int wrong = option_parse(&cmd_cost, argc, argv, &o);
  if (wrong) return wrong;
  int rc = inputs_load(&o.in, &err);
  if (!rc && o.others == USUAL_OTHERS)
    o.others = berth_pattern_ranks(o.in.pattern) <= TRIED_RANKS ? SHOWN_OTHERS : 0;
  if (!rc && berth_pattern_ranks(o.in.pattern) >= MANY_RANKS) o.in.map.quality = BERTH_QUALITY_FAST;
  if (!rc) rc = show(&o, &err);
  if (rc) cli_report(argv[0], &err);
  inputs_clear(&o.in);
  free(o.mappings.item);
  free(o.files.item);
  return rc;
}

const cli_command_t cmd_cost = {.name = "cost", .run = run, .parts = parts};
