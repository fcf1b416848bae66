/* SPDX-License-Identifier: BSD-3-Clause */
/* `berth explore`: where placements stand among all that are possible (the paper, section 9). */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "cli/cli.h"
#include "cli/options/form.h"
#include "cli/options/memory_option.h"
#include "cli/options/placed.h"
#include "cli/options/usable.h"
#include "cli/print/explore.h"
#include "cli/print/progress.h"

typedef struct options {
  inputs_t in;
  size_t samples;
  const berth_mapper_t **mapper;
  size_t n_mappers, mapper_cap;
  bool mappers_given, all_mappers;
  placed_question_t placed;
  form_t form;
} options_t;

static void add_mapper(struct argp_state *state, options_t *o, const berth_mapper_t *mapper)
{
  if (!ARRAY_ADD(&o->mapper, &o->n_mappers, &o->mapper_cap, mapper)) option_no_memory(state);
}

static void take_mappers(struct argp_state *state, const option_t *option, char *arg, void *all)
{
  options_t *o = all;
  size_t n;
  const berth_mapper_t *list = berth_mappers(&n), *mapper;
  o->mappers_given = true;
  o->n_mappers = 0;
  o->all_mappers = strcmp(arg, "all") == 0;
  for (size_t i = 0; o->all_mappers && i < n; i++)
    if (strcmp(list[i].name, "random") != 0) add_mapper(state, o, &list[i]);
  if (o->n_mappers || strcmp(arg, "none") == 0) return;
  char *names = strdup(arg), *rest = NULL;
  if (!names) option_no_memory(state);
  for (char *name = strtok_r(names, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
    inputs_mapper(state, option, name, &mapper);
    add_mapper(state, o, mapper);
  }
  free(names);
}

static const option_t own_options[] = {
    OPTION_OR_DEFAULT("--model", inputs_model, options_t, in.map.objective),
    OPTION_IN("--samples", option_number, options_t, samples, 1, 100000000),
    OPTION_IN("--seed", option_number, options_t, in.map.seed, 0, UINT64_MAX),
    OPTION_IN_OR_DEFAULT("--threads", option_number, options_t, in.map.threads, 1, 4096),
    OPTION_OF_ALL("--algorithms", take_mappers),
    OPTION_OR_DEFAULT("--quality", inputs_quality, options_t, in.map.quality),
    {0}};

static void check(struct argp_state *state, void *all)
{
  static char some[] = "linear,round-robin,greedy,best";
  options_t *o = all;
  inputs_check(state, &o->in, &o->placed.files, true);
  if (!o->mappers_given) take_mappers(state, &own_options[4], some, o);
}

static const option_table_t own = {own_options, check};
static const option_part_t parts[] = {{&inputs_options, offsetof(options_t, in)},
                                      {&own, 0},
                                      {&placed_options, offsetof(options_t, placed)},
                                      {&form_options, offsetof(options_t, form)},
                                      {&memory_option, 0},
                                      {0}};

/* Samples in a part: a hundredth, but enough to keep the threads busy. */
static size_t part_of(const explore_view_t *v)
{
  enum { PARTS = 100, SAMPLES_A_THREAD = 16 };
  size_t part = v->n_samples / PARTS + 1, busy = SAMPLES_A_THREAD;
  if (v->in->map.threads > 1) busy *= (size_t)v->in->map.threads;
  return part > busy ? part : busy < v->n_samples ? busy : v->n_samples;
}

/* Estimates the samples in parts, to show progress. */
static int take_parts(const berth_map_problem_t *problem, explore_view_t *v, berth_error_t *err)
{
  int rc = BERTH_OK;
  size_t part = part_of(v);
  berth_map_sampler_t *sampler = berth_map_sampler_new(problem, part, err);
  if (!sampler) return err->code;
  for (size_t i = 0; i < v->n_samples && !rc; i += part) {
    size_t n = v->n_samples - i < part ? v->n_samples - i : part;
    progress_parts("estimating samples", i, v->n_samples, NULL);
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

static int estimate(const options_t *o, explored_t *e, berth_error_t *err)
{
  const int *placement = e->mapping.pu_of_rank;
  berth_estimate_t found;
  berth_assess_options_t options = berth_assess_defaults();
  options.model = o->in.map.objective;
  options.intervals = 0;
  int rc = berth_assess(o->in.pattern, o->in.topo, &options, 1, &placement, &found, err);
  e->cost_s = found.cost_s;
  return rc;
}

/* The placement of a mapper. One that doesn't serve the problem is left out if `all` were asked. */
static int add_mapped(const options_t *o, explore_view_t *v, const berth_mapper_t *mapper,
                      berth_error_t *err)
{
  berth_map_report_t report;
  explored_t *e = &v->placement[v->n];
  int rc = inputs_map(&o->in, o->in.pattern, mapper, &e->mapping, &report, err);
  if (!rc) rc = estimate(o, e, err);
  if (rc) {
    progress(NULL, NULL);
    berth_mapping_clear(&e->mapping);
    if (rc != BERTH_USAGE || !o->all_mappers) return rc;
    v->left_out[v->n_left_out++] = (left_out_t){mapper->name, *err};
    return BERTH_OK;
  }
  e->name = mapper->name;
  e->by = e->mapping.algorithm;
  if (report.lower_bound >= 0 && !(v->lower_bound >= report.lower_bound))
    v->lower_bound = report.lower_bound;
  v->n++;
  return BERTH_OK;
}

static int add_file(options_t *o, explore_view_t *v, const char *path, berth_error_t *err)
{
  explored_t *e = &v->placement[v->n++];
  e->name = path;
  int rc = usable_load(&o->in, NULL, path, o->placed.shared, &e->mapping, err);
  e->by = e->mapping.algorithm;
  return rc ? rc : estimate(o, e, err);
}

static void rank_placements(explore_view_t *v)
{
  memcpy(v->sorted, v->sample, v->n_samples * sizeof *v->sorted);
  berth_costs_sort(v->sorted, v->n_samples);
  for (size_t i = 0; i < v->n; i++)
    v->placement[i].above =
        berth_costs_above(v->sorted, v->n_samples, v->placement[i].cost_s, &v->placement[i].equal);
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
  v->placement = calloc(o->n_mappers + o->placed.files.n + 1, sizeof *v->placement);
  v->left_out = calloc(o->n_mappers + 1, sizeof *v->left_out);
  if (!v->placement || !v->left_out) return no_memory(err);
  int rc = BERTH_OK;
  for (size_t i = 0; i < o->placed.files.n && !rc; i++)
    rc = add_file(o, v, o->placed.files.item[i], err);
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
  int wrong = option_parse(&cmd_explore, argc, argv, &o);
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
  free(o.placed.files.item);
  return rc;
}

const cli_command_t cmd_explore = {.name = "explore", .run = run, .parts = parts};
