/* SPDX-License-Identifier: BSD-3-Clause */
/* `berth explore`: where placements stand among all that are possible (report, section 9). */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/options/form.h"
#include "cli/options/placed.h"
#include "cli/options/usable.h"
#include "cli/print/explore.h"
#include "cli/print/progress.h"

enum { OPT_MODEL = 256, OPT_SAMPLES, OPT_SEED, OPT_THREADS, OPT_ALGORITHMS, OPT_QUALITY };

typedef struct options {
  inputs_t in;
  size_t samples;
  const berth_mapper_t **mapper;
  size_t n_mappers, mapper_cap;
  bool mappers_given, all_mappers;
  placed_question_t placed;
  form_t form;
} options_t;

static const struct argp_option option_table[] = {
    {"model", OPT_MODEL, "NAME", 0, "port (default), bound, sum or flow; see berth-cost.", 0},
    {"samples", OPT_SAMPLES, "N", 0, "How many random placements to price (default 10000).", 0},
    {"seed", OPT_SEED, "N", 0, "Seed of the random numbers (default 1).", 0},
    {"threads", OPT_THREADS, "N", 0,
     "Threads to work with (default 1); the result doesn't depend on it.", 0},
    {"algorithms", OPT_ALGORITHMS, "LIST", 0,
     "The mappers to place among them (default linear,round-robin,greedy,best; all: all that serve "
     "the problem, the others are named; none); see berth-map for the list.",
     0},
    {"quality", OPT_QUALITY, "NAME", 0,
     "How much work mappers put into a placement: fast, eco (default) or strong.", 0},
    {0}};

static error_t add_mapper(options_t *o, const berth_mapper_t *mapper)
{
  if (!mapper) return 0; /* argp_error came back: only with ARGP_NO_EXIT */
  if (!ARRAY_GROW(&o->mapper, o->n_mappers, &o->mapper_cap)) return ENOMEM;
  o->mapper[o->n_mappers++] = mapper;
  return 0;
}

static error_t take_mappers(struct argp_state *state, options_t *o, const char *arg)
{
  size_t n;
  const berth_mapper_t *all = berth_mappers(&n);
  error_t e = 0;
  o->mappers_given = true;
  o->n_mappers = 0;
  o->all_mappers = strcmp(arg, "all") == 0;
  if (strcmp(arg, "none") == 0) return 0;
  for (size_t i = 0; o->all_mappers && i < n && !e; i++)
    if (strcmp(all[i].name, "random") != 0) e = add_mapper(o, &all[i]);
  if (o->n_mappers || e) return e;
  char *list = strdup(arg), *rest = NULL;
  if (!list) return ENOMEM;
  for (char *name = strtok_r(list, ",", &rest); name && !e; name = strtok_r(NULL, ",", &rest))
    e = add_mapper(o, inputs_mapper(state, "--algorithms", name));
  free(list);
  return e;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
  options_t *o = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &o->in;
    state->child_inputs[1] = &o->placed;
    state->child_inputs[2] = &o->form;
    break;
  case OPT_MODEL:
    o->in.map.objective = inputs_model(state, "--model", arg);
    break;
  case OPT_SAMPLES:
    o->samples = (size_t)cli_number(state, "--samples", arg, 1, 100000000);
    break;
  case OPT_SEED:
    o->in.map.seed = cli_number(state, "--seed", arg, 0, UINT64_MAX);
    break;
  case OPT_THREADS:
    o->in.map.threads = (int)cli_number(state, "--threads", arg, 1, 4096);
    break;
  case OPT_ALGORITHMS:
    return take_mappers(state, o, arg);
  case OPT_QUALITY:
    o->in.map.quality = inputs_quality(state, arg);
    break;
  case ARGP_KEY_END:
    inputs_check_stdin(state, &o->in, o->placed.n_files, o->placed.file);
    return o->mappers_given ? 0 : take_mappers(state, o, "linear,round-robin,greedy,best");
  default:
    return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

static const struct argp_child children[] = {
    {&inputs_argp, 0, NULL, 0}, {&placed_argp, 0, NULL, 0}, {&form_argp, 0, NULL, 0}, {0}};

static const struct argp argp = {
    .options = option_table,
    .parser = parse_option,
    .children = children,
    .args_doc = "--pattern P --topology T [MAPPING...]",
    .doc = "Prices random placements, and shows where those of the mappers, and mappings that are "
           "given, stand among them: what is there to be gained at all, and how much of it is."};

/* Samples in a part: a hundredth, but enough to keep the threads busy. */
static size_t part_of(const explore_view_t *v)
{
  enum { PARTS = 100, SAMPLES_A_THREAD = 16 };
  size_t part = v->n_samples / PARTS + 1, busy = SAMPLES_A_THREAD;
  if (v->in->map.threads > 1) busy *= (size_t)v->in->map.threads;
  return part > busy ? part : busy < v->n_samples ? busy : v->n_samples;
}

/* Prices the samples in parts, so that there is progress to be shown. */
static int take_parts(const berth_map_problem_t *problem, explore_view_t *v, berth_error_t *err)
{
  char done[64];
  int rc = BERTH_OK;
  size_t part = part_of(v);
  berth_map_sampler_t *sampler = berth_map_sampler_new(problem, part, err);
  if (!sampler) return err->code;
  for (size_t i = 0; i < v->n_samples && !rc; i += part) {
    size_t n = v->n_samples - i < part ? v->n_samples - i : part;
    snprintf(done, sizeof done, "%zu of %zu samples", i, v->n_samples);
    progress("priced", done);
    rc = berth_map_sample(sampler, i, n, v->sample + i, err);
  }
  progress(NULL, NULL);
  berth_map_sampler_free(sampler);
  return rc;
}

static int take_samples(const options_t *o, explore_view_t *v, berth_error_t *err)
{
  berth_map_problem_t problem;
  v->sample = malloc(v->n_samples * sizeof *v->sample);
  v->sorted = malloc(v->n_samples * sizeof *v->sorted);
  if (!v->sample || !v->sorted) return no_memory(err);
  int rc = berth_map_problem_init(&problem, o->in.pattern, o->in.topo, &o->in.map, err);
  if (rc) return rc;
  rc = take_parts(&problem, v, err);
  berth_map_problem_clear(&problem);
  return rc;
}

/* The placement of a mapper. One that doesn't serve the problem is left out if `all` were asked. */
static int add_mapped(const options_t *o, explore_view_t *v, const berth_mapper_t *mapper,
                      berth_error_t *err)
{
  estimates_t estimates;
  berth_map_report_t report;
  explored_t *e = &v->placement[v->n];
  int rc = inputs_map(&o->in, o->in.pattern, mapper, &e->mapping, &estimates, &report, err);
  if (rc) {
    progress(NULL, NULL);
    berth_mapping_clear(&e->mapping);
    if (rc != BERTH_USAGE || !o->all_mappers) return rc;
    v->left_out[v->n_left_out++] = (left_out_t){mapper->name, *err};
    return BERTH_OK;
  }
  e->name = mapper->name;
  e->by = e->mapping.algorithm;
  e->cost_s = estimates.own.cost_s;
  if (report.lower_bound >= 0 && !(v->lower_bound >= report.lower_bound))
    v->lower_bound = report.lower_bound;
  v->n++;
  return BERTH_OK;
}

static int add_file(options_t *o, explore_view_t *v, const char *path, berth_error_t *err)
{
  estimates_t estimates;
  explored_t *e = &v->placement[v->n++];
  e->name = path;
  int rc = usable_load(&o->in, NULL, path, o->placed.shared, &e->mapping, err);
  e->by = e->mapping.algorithm;
  if (!rc) rc = inputs_price(&o->in, o->in.pattern, &e->mapping, &estimates, err);
  if (!rc) e->cost_s = estimates.own.cost_s;
  return rc;
}

static int by_value(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void rank_placements(explore_view_t *v)
{
  memcpy(v->sorted, v->sample, v->n_samples * sizeof *v->sorted);
  qsort(v->sorted, v->n_samples, sizeof *v->sorted, by_value);
  for (size_t i = 0; i < v->n; i++)
    for (size_t k = 0; k < v->n_samples; k++) {
      v->placement[i].dearer += v->sorted[k] > v->placement[i].cost_s;
      v->placement[i].equal += v->sorted[k] == v->placement[i].cost_s;
    }
  for (size_t i = 1; i < v->n; i++)
    for (size_t k = i; k > 0 && v->placement[k].cost_s < v->placement[k - 1].cost_s; k--) {
      explored_t e = v->placement[k];
      v->placement[k] = v->placement[k - 1];
      v->placement[k - 1] = e;
    }
  for (size_t i = 1; i < v->n; i++)
    for (size_t k = 0; k < i && !v->placement[i].same_as; k++)
      if (placed_is_same(&v->placement[i].mapping, &v->placement[k].mapping))
        v->placement[i].same_as = v->placement[k].name;
}

static int explore(options_t *o, explore_view_t *v, berth_error_t *err)
{
  v->placement = calloc(o->n_mappers + o->placed.n_files + 1, sizeof *v->placement);
  v->left_out = calloc(o->n_mappers + 1, sizeof *v->left_out);
  if (!v->placement || !v->left_out) return no_memory(err);
  int rc = BERTH_OK;
  for (size_t i = 0; i < o->placed.n_files && !rc; i++) rc = add_file(o, v, o->placed.file[i], err);
  usable_adopt_scope(&o->in);
  for (size_t i = 0; i < o->n_mappers && !rc; i++) rc = add_mapped(o, v, o->mapper[i], err);
  if (!rc) rc = take_samples(o, v, err);
  if (rc) return rc;
  rank_placements(v);
  if (o->form == FORM_JSON) return explore_json(v, "-", err);
  if (o->form == FORM_CSV) return explore_csv(v, "-", err);
  explore_print(v);
  return BERTH_OK;
}

static int run(int argc, char **argv)
{
  options_t o = {.in.map = berth_map_defaults(), .samples = 10000};
  berth_error_t err = {0};
  cli_watch_signals();
  int wrong = cli_parse(&argp, argc, argv, 0, &o);
  if (wrong) return wrong;
  explore_view_t view = {.in = &o.in, .n_samples = o.samples, .lower_bound = NAN};
  int rc = inputs_load(&o.in, &err);
  if (!rc) rc = explore(&o, &view, &err);
  progress(NULL, NULL);
  if (rc) cli_report(argv[0], &err);
  for (size_t i = 0; i < view.n; i++) berth_mapping_clear(&view.placement[i].mapping);
  free(view.placement);
  free(view.left_out);
  free(view.sample);
  free(view.sorted);
  inputs_clear(&o.in);
  free(o.mapper);
  free(o.placed.file);
  return rc;
}

const cli_command_t cmd_explore = {
    "explore", "show where placements stand among all that are possible", run, &argp, NULL, false};
