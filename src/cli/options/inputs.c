/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/options/inputs.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/no_memory.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/options/default_values.h"
#include "cli/options/defaults.h"
#include "cli/options/included.h"
#include "cli/options/load.h"
#include "cli/print/map_progress.h"
#include "cli/print/progress.h"
#include "cli/print/reserve_view.h"
#include "cli/search_team.h"
#include "pattern/phase_find.h"
#include "topo/topo_levels.h"

static bool is_stdin(const char *path) { return path && strcmp(path, "-") == 0; }

void inputs_check_stdin(struct argp_state *state, const inputs_t *in, size_t n,
                        const char *const *files)
{
  int asked = 0;
  if (in) asked = is_stdin(in->pattern_path) + is_stdin(in->from_path);
  if (in && in->topologies.n == 0) asked += is_stdin(in->topology_path);
  for (size_t i = 0; in && i < in->topologies.n; i++) asked += is_stdin(in->topologies.item[i]);
  for (size_t i = 0; i < n; i++) asked += is_stdin(files[i]);
  if (asked > 1) argp_error(state, "found '-' for two inputs, expected one from standard input");
}

static void take_topology(struct argp_state *state, const option_t *o, char *arg, void *all)
{
  inputs_t *in = all;
  if (in->several && in->topology_path)
    option_list(state, o, arg, &in->topologies);
  else
    option_file(state, o, arg, &in->topology_path);
  if (in->topologies.n == 0) option_list(state, o, arg, &in->topologies);
}

enum { RESERVE_AUTO = -1 };

/* The project file has a number. */
void inputs_reserve(struct argp_state *state, const option_t *o, char *arg, void *field)
{
  uint64_t value;
  bool named = *o->name == '-';
  if (named && strcmp(arg, "auto") == 0)
    *(int *)field = RESERVE_AUTO;
  else if (named && !text_to_u64(arg, o->min, o->max, &value))
    argp_error(state, "%s: found '%s', expected a whole number from %llu to %llu, or auto", o->name,
               arg, (unsigned long long)o->min, (unsigned long long)o->max);
  else
    option_number(state, o, arg, field);
}

static const option_t input_options[] = {
    OPTION("--pattern", option_file, inputs_t, pattern_path),
    OPTION_OF_ALL("--topology", take_topology),
    OPTION("--truncated", option_flag, inputs_t, truncated),
    OPTION_OR_DEFAULT("--collectives", option_text, inputs_t, collectives),
    OPTION_OR_DEFAULT("--one-sided", included_one_sided_rules, inputs_t, one_sided),
    OPTION_IN_OR_DEFAULT("--reserve", inputs_reserve, inputs_t, map.reserve, 0, 1 << 20),
    OPTION_OR_DEFAULT("--hosts", option_text, inputs_t, map.hosts),
    OPTION_IN_OR_DEFAULT("--ranks-per-pu", option_number, inputs_t, map.ranks_per_pu, 1, 1 << 20),
    OPTION_OR_DEFAULT("--any-thread", option_flag, inputs_t, map.any_thread),
    OPTION("--pin", option_list, inputs_t, pins),
    OPTION("--set", option_list, inputs_t, changes),
    OPTION("--no-intervals", option_flag, inputs_t, no_intervals),
    {0}};

const option_table_t inputs_options = {input_options, NULL};

/* Takes a file that was named without an option, if it is a pattern or a topology. */
static bool take_file(struct argp_state *state, inputs_t *in, char *path)
{
  static const option_t pattern = {.name = "pattern"}, topology = {.name = "topology"};
  file_kind_t kind = load_kind(path);
  if (kind == FILE_PATTERN && in->pattern_path && in->baseline_option)
    argp_error(state, "pattern: found '%s' and '%s', expected one file (%s takes the other one)",
               in->pattern_path, path, in->baseline_option);
  if (kind == FILE_PATTERN) option_file(state, &pattern, path, &in->pattern_path);
  if (kind == FILE_TOPOLOGY) take_topology(state, &topology, path, in);
  return kind == FILE_PATTERN || kind == FILE_TOPOLOGY;
}

/* A file that is neither a pattern nor a topology. */
static void refuse_file(struct argp_state *state, const char *path)
{
  if (is_stdin(path))
    argp_error(state, "found '-', expected a pattern or a topology on standard input");
  else if (access(path, R_OK) != 0)
    argp_failure(state, BERTH_MISSING, 0, "%s: cannot open: %s", path, strerror(errno));
  else if (load_kind(path) == FILE_MAPPING)
    argp_error(state,
               "found the mapping '%s', expected a pattern and a topology only (--from "
               "takes a mapping)",
               path);
  else
    argp_error(state, "found '%s', which is neither a pattern nor a topology", path);
}

/* The name of an algorithm in place of a mapping's file. */
static void refuse_algorithm(struct argp_state *state, const char *word, bool mappings)
{
  if (!berth_mapper_find(word) || access(word, F_OK) == 0) return;
  if (!mappings)
    argp_error(state, "found '%s', expected a pattern and a topology only (--algorithm takes it)",
               word);
  else
    argp_error(state,
               "found '%s', expected a file with a mapping; `berth map --algorithm %s -o FILE` "
               "writes one",
               word, word);
}

void inputs_refuse_no_topology(struct argp_state *state, const char *beside)
{
  argp_error(
      state,
      "found no topology, expected one beside %s (--topology, BERTH_TOPOLOGY or .berth.toml)",
      beside);
}

/* A damaged file may be the one that is missing: the first of some that nobody can tell. */
static const char *find_unknown(const option_words_t *left)
{
  for (size_t i = 0; i < left->n; i++)
    if (!is_stdin(left->item[i]) && load_kind(left->item[i]) == FILE_OTHER) return left->item[i];
  return NULL;
}

/* Says which input is missing, and what there is beside it. */
static void refuse_missing(struct argp_state *state, const inputs_t *in, const option_words_t *left)
{
  const char *unknown = find_unknown(left), *beside = in->pattern_path;
  if (!beside) beside = in->topology_path;
  if (unknown && beside)
    argp_failure(state, BERTH_BAD_INPUT, 0,
                 "%s: found nothing that begins as a pattern, a topology or a mapping does, "
                 "expected %s beside %s",
                 unknown, in->pattern_path ? "a topology" : "a pattern", beside);
  else if (in->pattern_path)
    inputs_refuse_no_topology(state, in->pattern_path);
  else if (in->topology_path)
    argp_error(state, "found no pattern, expected one beside %s (--pattern, from berth trace)",
               in->topology_path);
  else if (left->n > 0)
    argp_error(state, "found '%s' alone, expected a pattern and a topology beside it",
               left->item[0]);
  else
    argp_error(state, "expected a pattern and a topology");
}

void inputs_check(struct argp_state *state, inputs_t *in, option_words_t *files, bool more)
{
  size_t left = 0;
  inputs_check_stdin(state, in, files->n, files->item); /* which is read to see what it is */
  for (size_t i = 0; i < files->n; i++)
    if (!take_file(state, in, (char *)(uintptr_t)files->item[i]))
      files->item[left++] = files->item[i];
  files->n = left;
  if (!in->topology_path) defaults_take(state, &input_options[1], in);
  for (size_t i = 0; i < left; i++) refuse_algorithm(state, files->item[i], more);
  bool is_missing = !in->pattern_path || !in->topology_path;
  for (size_t i = 0; i < left; i++)
    if (!more || (is_missing && !is_stdin(files->item[i]) && access(files->item[i], R_OK) != 0))
      refuse_file(state, files->item[i]);
  if (is_missing)
    refuse_missing(state, in, files);
  else
    inputs_check_stdin(state, in, left, files->item);
}

void inputs_model(struct argp_state *state, const option_t *o, char *arg, void *field)
{
  if (berth_model_find(arg, field))
    argp_error(state, "%s: found '%s', expected port, bound, sum or flow", o->name, arg);
}

void inputs_quality(struct argp_state *state, const option_t *o, char *arg, void *field)
{
  static const char *const names[] = {"fast", "eco", "strong"};
  int i = 0;
  while (i < 3 && strcmp(arg, names[i]) != 0) i++;
  if (i == 3) argp_error(state, "%s: found '%s', expected fast, eco or strong", o->name, arg);
  *(berth_quality_t *)field = (berth_quality_t)i;
}

/* The topology, with the changes of --set. */
static berth_topo_t *load_changed(const inputs_t *in, berth_error_t *err)
{
  berth_error_t why;
  berth_topo_t *t = load_topology("--topology", in->topology_path, err);
  if (!t || in->changes.n == 0) return t;
  berth_topo_t *changed = berth_topo_changed(t, in->changes.n, in->changes.item, &why);
  if (!changed) berth_fail(err, why.code, "--set %s", why.text);
  berth_topo_free(t);
  return changed;
}

/* Chooses what --reserve auto stands for. */
static int choose_reserve(inputs_t *in, berth_error_t *err)
{
  berth_error_t why = {0};
  if (in->map.reserve != RESERVE_AUTO) return BERTH_OK;
  in->map.reserve = 0;
  int rc = berth_reserve_estimate(in->pattern, in->topo, &in->reserve, &why);
  if (rc == BERTH_NO_VERDICT && in->places_anyway) {
    fprintf(stderr, "note: --reserve auto leaves no core free: %s\n", why.text);
    return BERTH_OK;
  }
  if (rc) return berth_fail(err, rc, "--reserve auto: %s", why.text);
  in->chose_reserve = true;
  in->map.reserve = in->reserve.verdict == BERTH_RESERVE_ONE && in->reserve.fits;
  search_team_hush(in->map.team);
  reserve_print(stderr, in->pattern, &in->reserve);
  search_team_unhush(in->map.team);
  return BERTH_OK;
}

int inputs_load(inputs_t *in, berth_error_t *err)
{
  in->topo = load_changed(in, err);
  int rc = in->topo ? default_values_fit(in->topo, in->map.hosts, in->map.reserve, err) : err->code;
  search_team_hush(in->map.team); /* one process says what is missing */
  if (!rc) in->pattern = load_pattern("--pattern", in->pattern_path, in->truncated, err);
  if (!rc && !in->pattern) rc = err->code;
  if (!rc) rc = included_one_sided(in->pattern, in->one_sided ? in->one_sided : "auto", err);
  if (!rc) rc = included_collectives(in->pattern, in->topo, in->collectives, err);
  search_team_unhush(in->map.team);
  if (!rc) rc = choose_reserve(in, err);
  if (rc) return rc;
  rc = berth_pins_read("--pin", in->pins.item, in->pins.n, in->topo,
                       berth_pattern_ranks(in->pattern), &in->pinned, err);
  in->map.pinned = in->pinned;
  if (rc || !in->from_path) return rc;
  rc = load_mapping("--from", in->from_path, berth_pattern_ranks(in->pattern), in->topo, 1,
                    &in->from, err);
  in->map.from = in->from.pu_of_rank;
  return rc;
}

void inputs_clear(inputs_t *in)
{
  berth_pattern_free(in->pattern);
  berth_topo_free(in->topo);
  free(in->pins.item);
  free(in->changes.item);
  free(in->topologies.item);
  free(in->pinned);
  berth_mapping_clear(&in->from);
  *in = (inputs_t){0};
}

void inputs_put_changes(json_out_t *j, const inputs_t *in)
{
  if (in->changes.n == 0) return;
  json_open(j, "changes", '[', JSON_ONE_LINE);
  for (size_t i = 0; i < in->changes.n; i++) json_put_string(j, NULL, in->changes.item[i]);
  json_close(j);
}

int inputs_linear(const inputs_t *in, int **pu_of_rank, berth_error_t *err)
{
  const char *name;
  berth_map_problem_t problem = {0};
  berth_map_options_t options = in->map;
  options.stable = 0; /* what keeps ranks where they were isn't the default order's */
  options.max_moves = -1;
  int *pus = malloc((size_t)berth_pattern_ranks(in->pattern) * sizeof *pus);
  int rc =
      pus ? berth_map_problem_init(&problem, in->pattern, in->topo, &options, err) : no_memory(err);
  problem.options.team = NULL; /* nothing to share, and maybe the others don't ask */
  if (!rc) rc = berth_map_run(&problem, berth_mapper_find("linear"), pus, &name, err);
  berth_map_problem_clear(&problem);
  if (rc) free(pus);
  *pu_of_rank = rc ? NULL : pus;
  return rc == BERTH_BAD_INPUT ? BERTH_OK : rc;
}

berth_assessment_t *inputs_assess(const inputs_t *in, const berth_pattern_t *pattern,
                                  berth_assess_options_t o, size_t n, const int *const *pu_of_rank,
                                  berth_error_t *err)
{
  int *linear = NULL;
  if (inputs_linear(in, &linear, err)) return NULL;
  o.model = in->map.objective;
  o.reference = linear;
  o.intervals = o.intervals && !in->no_intervals;
  progress("estimating the cost of", n == 1 ? "the placement" : "placements");
  berth_assessment_t *a = berth_assessment_new(pattern, in->topo, &o, n, pu_of_rank, err);
  progress(NULL, NULL);
  free(linear);
  return a;
}

int inputs_map(const inputs_t *in, const berth_pattern_t *pattern, const berth_mapper_t *mapper,
               berth_mapping_t *out, berth_map_report_t *report, berth_error_t *err)
{
  const char *chosen;
  berth_map_problem_t problem;
  *out = (berth_mapping_t){.ranks = berth_pattern_ranks(pattern), .cost_s = -1};
  int rc = berth_map_problem_init(&problem, pattern, in->topo, &in->map, err);
  if (rc) return rc;
  problem.report = report;
  problem.watch = in->watch;
  out->pu_of_rank = malloc((size_t)out->ranks * sizeof *out->pu_of_rank);
  progress("placing ranks by", mapper->name);
  map_progress_begin(in->watch, in->topo);
  rc = out->pu_of_rank ? berth_map_run(&problem, mapper, out->pu_of_rank, &chosen, err)
                       : no_memory(err);
  berth_map_problem_clear(&problem);
  map_progress_end();
  progress(NULL, NULL);
  if (rc) return rc;
  out->algorithm = strdup(chosen);
  out->model = strdup(berth_model_name(in->map.objective));
  out->topology = strdup(berth_topo_name(in->topo));
  out->scope = (berth_mapping_scope_t){in->map.hosts ? strdup(in->map.hosts) : NULL,
                                       in->map.reserve, in->map.ranks_per_pu};
  if (!out->algorithm || !out->model || !out->topology || (in->map.hosts && !out->scope.hosts))
    return no_memory(err);
  return BERTH_OK;
}

int inputs_find_phase(const berth_pattern_t *pattern, const char *asked, size_t *place,
                      berth_error_t *err)
{
  char option[80];
  snprintf(option, sizeof option, "--phase %.60s", *asked ? asked : "''");
  return pattern_find_phase(pattern, asked, strlen(asked), option, BERTH_USAGE, place, err);
}

void inputs_mapper(struct argp_state *state, const option_t *o, char *arg, void *field)
{
  size_t n, used = 0;
  char names[256] = "";
  const berth_mapper_t *mappers = berth_mappers(&n), *mapper = berth_mapper_find(arg);
  for (size_t i = 0; i < n && used < sizeof names; i++)
    used +=
        (size_t)snprintf(names + used, sizeof names - used, "%s%s", text_or(i, n), mappers[i].name);
  if (!mapper) argp_error(state, "%s: found '%s', expected %s", o->name, arg, names);
  *(const berth_mapper_t **)field = mapper;
}
