/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/options/inputs.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/options/load.h"
#include "cli/options/memory_option.h"
#include "cli/print/map_progress.h"
#include "cli/print/progress.h"
#include "cli/search_team.h"
#include "pattern/phase_find.h"
#include "topo/topo_levels.h"

enum {
  OPT_PATTERN = 1024,
  OPT_TOPOLOGY,
  OPT_TRUNCATED,
  OPT_RESERVE,
  OPT_HOSTS,
  OPT_NO_INTERVALS,
  OPT_RANKS_PER_PU,
  OPT_ANY_THREAD,
  OPT_PIN
};

static const struct argp_option option_table[] = {
    {"pattern", OPT_PATTERN, "FILE", 0, "Who sends what to whom (from berth trace).", 0},
    {"topology", OPT_TOPOLOGY, "FILE", 0, "The machine (from berth topo).", 0},
    {"truncated", OPT_TRUNCATED, NULL, 0, "Take what is there of a pattern that was cut off.", 0},
    {"reserve", OPT_RESERVE, "N", 0, "Leave the last N cores of each host free (default 0).", 0},
    {"hosts", OPT_HOSTS, "LIST", 0, "Use these hosts only, as in node[01-16],login1.", 0},
    {"ranks-per-pu", OPT_RANKS_PER_PU, "N", 0,
     "Let up to N ranks share a PU where there are more ranks than PUs (default 1): those that are "
     "placed here, linear's, too, and those of mappings that are given.",
     0},
    {"any-thread", OPT_ANY_THREAD, NULL, 0,
     "Take cores' second hardware threads before every core has a rank.", 0},
    {"pin", OPT_PIN, "RANK=HOST:CORE", 0,
     "Keep a rank on that core, or on a PU of the topology (RANK=PU). May be given many times; the "
     "name of a FILE stands for such lines.",
     0},
    {"no-intervals", OPT_NO_INTERVALS, NULL, 0,
     "Don't work out how sure costs are where the topology carries spreads.", 0},
    {0}};

static bool is_stdin(const char *path) { return path && strcmp(path, "-") == 0; }

void inputs_check_stdin(struct argp_state *state, const inputs_t *in, size_t n,
                        const char *const *files)
{
  int asked = is_stdin(in->pattern_path) + is_stdin(in->topology_path) + is_stdin(in->from_path);
  for (size_t i = 0; i < n; i++) asked += is_stdin(files[i]);
  if (asked > 1) argp_error(state, "found '-' for two inputs, expected one from standard input");
}

static void check_files(struct argp_state *state, const inputs_t *in)
{
  if (!in->pattern_path || !in->topology_path)
    argp_error(state, "expected --pattern and --topology");
  else
    inputs_check_stdin(state, in, 0, NULL);
}

/* A second file isn't taken for the first one without a word. */
static void take_file(struct argp_state *state, const char *option, const char **path,
                      const char *arg)
{
  if (*path) argp_error(state, "%s: found '%s' and '%s', expected one file", option, *path, arg);
  *path = arg;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
  inputs_t *in = state->input;
  switch (key) {
  case OPT_PATTERN:
    take_file(state, "--pattern", &in->pattern_path, arg);
    break;
  case OPT_TOPOLOGY:
    take_file(state, "--topology", &in->topology_path, arg);
    break;
  case OPT_TRUNCATED:
    in->truncated = 1;
    break;
  case OPT_RESERVE:
    in->map.reserve = (int)cli_number(state, "--reserve", arg, 0, 1 << 20);
    break;
  case OPT_HOSTS:
    in->map.hosts = arg;
    break;
  case OPT_RANKS_PER_PU:
    in->map.ranks_per_pu = (int)cli_number(state, "--ranks-per-pu", arg, 1, 1 << 20);
    break;
  case OPT_ANY_THREAD:
    in->map.any_thread = 1;
    break;
  case OPT_PIN:
    if (!ARRAY_GROW(&in->pins, in->n_pins, &in->pins_cap)) return ENOMEM;
    in->pins[in->n_pins++] = arg;
    break;
  case OPT_NO_INTERVALS:
    in->no_intervals = 1;
    break;
  case ARGP_KEY_END:
    check_files(state, in);
    break;
  default:
    return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

const struct argp inputs_argp = {
    .options = option_table, .parser = parse_option, .children = memory_children};

berth_model_t inputs_model(struct argp_state *state, const char *option, const char *arg)
{
  berth_model_t model = BERTH_MODEL_PORT;
  if (berth_model_find(arg, &model))
    argp_error(state, "%s: found '%s', expected port, bound, sum or flow", option, arg);
  return model;
}

void inputs_models(struct argp_state *state, const char *arg, bool asked[BERTH_N_MODELS])
{
  char *list = strdup(arg), *rest = NULL;
  bool any = false;
  if (!list) argp_failure(state, BERTH_MISSING, 0, "out of memory");
  for (char *name = list ? strtok_r(list, ",", &rest) : NULL; name;
       name = strtok_r(NULL, ",", &rest))
    asked[inputs_model(state, "--models", name)] = any = true;
  free(list);
  if (!any) argp_error(state, "--models: found '%s', expected names as in port,flow", arg);
}

berth_quality_t inputs_quality(struct argp_state *state, const char *arg)
{
  static const char *const names[] = {"fast", "eco", "strong"};
  for (int i = 0; i < 3; i++)
    if (strcmp(arg, names[i]) == 0) return (berth_quality_t)i;
  argp_error(state, "--quality: found '%s', expected fast, eco or strong", arg);
  return BERTH_QUALITY_ECO;
}

int inputs_load(inputs_t *in, berth_error_t *err)
{
  in->topo = load_topology("--topology", in->topology_path, err);
  search_team_hush(in->map.team); /* one process says what is missing */
  if (in->topo) in->pattern = load_pattern("--pattern", in->pattern_path, in->truncated, err);
  search_team_unhush(in->map.team);
  if (!in->pattern) return err->code;
  int rc = berth_pins_read("--pin", in->pins, in->n_pins, in->topo,
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
  free(in->pins);
  free(in->pinned);
  berth_mapping_clear(&in->from);
  *in = (inputs_t){0};
}

int inputs_linear(const inputs_t *in, int **pu_of_rank, berth_error_t *err)
{
  const char *name;
  berth_map_problem_t problem = {0};
  berth_map_options_t options = in->map;
  options.stable = 0; /* what keeps ranks where they were isn't the default order's */
  options.most_moves = -1;
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

int inputs_price(const inputs_t *in, const berth_pattern_t *pattern, berth_mapping_t *out,
                 estimates_t *estimates, berth_error_t *err)
{
  int *linear = NULL, rc = inputs_linear(in, &linear, err);
  const int *placement = out->pu_of_rank;
  berth_estimate_t found[2] = {{0}, {.cost_s = -1}};
  berth_assess_options_t options = berth_assess_defaults();
  options.model = in->map.objective;
  options.reference = linear;
  options.intervals = 0;
  if (!rc) rc = berth_assess(pattern, in->topo, &options, 1, &placement, found, err);
  free(linear);
  *estimates = (estimates_t){found[0], found[1]};
  if (!rc) out->cost_s = found[0].cost_s;
  return rc;
}

int inputs_map(const inputs_t *in, const berth_pattern_t *pattern, const berth_mapper_t *mapper,
               berth_mapping_t *out, estimates_t *estimates, berth_map_report_t *report,
               berth_error_t *err)
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
  progress(rc ? NULL : "pricing the placement", NULL);
  if (rc) return rc;
  out->algorithm = strdup(chosen);
  out->model = strdup(berth_model_name(in->map.objective));
  out->topology = strdup(berth_topo_name(in->topo));
  out->scope = (berth_mapping_scope_t){in->map.hosts ? strdup(in->map.hosts) : NULL,
                                       in->map.reserve, in->map.ranks_per_pu};
  if (!out->algorithm || !out->model || !out->topology || (in->map.hosts && !out->scope.hosts))
    return no_memory(err);
  rc = inputs_price(in, pattern, out, estimates, err);
  progress(NULL, NULL);
  return rc;
}

int inputs_find_phase(const berth_pattern_t *pattern, const char *asked, size_t *place,
                      berth_error_t *err)
{
  char option[80];
  snprintf(option, sizeof option, "--phase %.60s", *asked ? asked : "''");
  return pattern_find_phase(pattern, asked, strlen(asked), option, BERTH_USAGE, place, err);
}

const berth_mapper_t *inputs_mapper(struct argp_state *state, const char *option, const char *arg)
{
  size_t n, used = 0;
  char names[256] = "";
  const berth_mapper_t *mapper = berth_mapper_find(arg), *mappers = berth_mappers(&n);
  if (mapper) return mapper;
  for (size_t i = 0; i < n && used < sizeof names; i++)
    used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                             i == 0      ? ""
                             : i + 1 < n ? ", "
                                         : " or ",
                             mappers[i].name);
  argp_error(state, "%s: found '%s', expected %s", option, arg, names);
  return NULL;
}
