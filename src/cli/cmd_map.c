/* SPDX-License-Identifier: BSD-3-Clause */
/* `berth map`: finds a placement and writes it for those who need it. */
#include "cli/cmd_map.h"
#include "cli/options/memory_option.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_out.h"
#include "base/no_memory.h"
#include "base/out_file.h"
#include "base/text.h"
#include "cli/options/inputs.h"
#include "cli/options/option_names.h"
#include "cli/options/outputs.h"
#include "cli/options/search_options.h"
#include "cli/options/together.h"
#include "cli/print/conclusion.h"
#include "cli/print/estimate_text.h"
#include "cli/print/map_report.h"
#include "cli/print/progress.h"
#include "cli/print/reserve_view.h"
#include "cli/print/screen.h"
#include "cli/print/verdict.h"
#include "cli/search_team.h"
#include "cost/coverage.h"
#include "pattern/phase_find.h"
#include "topo/topo_levels.h"

typedef struct options {
  inputs_t in;
  const berth_mapper_t *mapper;
  const char *phase; /* number or name of the only one to place for, or NULL */
  outputs_t outputs;
  option_words_t files; /* the pattern and the topology, if no option names them */
  int json, quiet;
} options_t;

/* No output is written over another one or an input. */
static void check_outputs(struct argp_state *state, void *all)
{
  options_t *o = all;
  size_t n = 0;
  inputs_check(state, &o->in, &o->files, false);
  const char **inputs = calloc(3 + o->in.pins.n, sizeof *inputs);
  if (!inputs) option_no_memory(state);
  inputs[n++] = o->in.pattern_path;
  inputs[n++] = o->in.topology_path;
  inputs[n++] = o->in.from_path;
  for (size_t i = 0; i < o->in.pins.n; i++) inputs[n++] = o->in.pins.item[i]; /* or no files */
  outputs_check(state, &o->outputs, n, inputs);
  free(inputs);
  if (o->json && outputs_to_stdout(&o->outputs))
    argp_error(state, "--json: found another output to standard output, expected one");
}

static const option_t own_options[] = {OPTION("--algorithm", inputs_mapper, options_t, mapper),
                                       OPTION("--phase", option_text, options_t, phase),
                                       OPTION("--json", option_flag, options_t, json),
                                       OPTION("--quiet", option_flag, options_t, quiet),
                                       OPTION("", option_list, options_t, files),
                                       {0}};

static const option_t output_options[] = {
    OPTION("--write", outputs_take, options_t, outputs),
    OPTION("--mapping", outputs_take_named, options_t, outputs),
    OPTION("--rankfile", outputs_take_named, options_t, outputs),
    OPTION("--groups", outputs_take_named, options_t, outputs),
    {0}};

static const option_table_t places = {own_options, NULL}, files = {output_options, check_outputs};
const option_part_t map_parts[] = {{&inputs_options, offsetof(options_t, in)},
                                   {&places, 0},
                                   {&search_options, offsetof(options_t, in)},
                                   {&files, 0},
                                   {&memory_option, 0},
                                   {0}};

static void list_algorithms(FILE *to)
{
  size_t n;
  const berth_mapper_t *mappers = berth_mappers(&n);
  fputs("Algorithms:\n", to);
  for (size_t i = 0; i < n; i++) options_list_entry(to, 12, mappers[i].name, mappers[i].help);
}

void map_list(FILE *to)
{
  list_algorithms(to);
  fputc('\n', to);
  outputs_list_formats(to);
}

/* The result: a mapping, its cost and linear's on the same PUs; with --phase the costs of that
 * phase, too. */
typedef struct result {
  berth_mapping_t mapping;
  berth_assessment_t *assessment; /* of the mapping, beside the default order (1) */
  const berth_phase_t *phase;
  double phase_cost_s, phase_linear_cost_s; /* of its communication alone */
  berth_map_report_t report;                /* of the phase or of the whole pattern */
} result_t;

/* Who was placed by what, and the costs: of the phase and then of the pattern, or of the pattern.
 */
static void print_costs(FILE *to, const inputs_t *in, const result_t *r)
{
  char cost[TEXT_NUMBER], linear[TEXT_NUMBER], margin[COST_MARGIN], name[MAP_REPORT_NAME];
  const berth_mapping_t *m = &r->mapping;
  fprintf(to, "%d rank%s placed by %s on %s", m->ranks, text_plural(m->ranks),
          map_report_name(&r->report, r->report.chosen, name), m->topology);
  if (r->phase)
    fprintf(to, " for phase %d \"%s\" alone: %s, default order %s\nthe whole pattern", r->phase->id,
            r->phase->name, topo_text_cost(in->topo, r->phase_cost_s, cost),
            topo_text_cost(in->topo, r->phase_linear_cost_s, linear));
  fprintf(to, ": %s%s (model %s)\n", topo_text_cost(in->topo, m->cost_s, cost),
          cost_margin_text(berth_assessment_uncertainty(r->assessment), 0, margin), m->model);
  estimate_print_packing(to, in, "", berth_assessment_estimate(r->assessment, 0));
  estimate_print_sharing(to, in, "", berth_assessment_estimate(r->assessment, 0),
                         berth_assessment_estimate(r->assessment, 1));
}

/* What to do. A current order that is kept has its own reason. */
static void print_conclusion(FILE *to, const options_t *o, const result_t *r)
{
  char text[CONCLUSION];
  bool searched = strcmp(o->mapper->name, "best") == 0;
  if (r->report.left_as_it_is)
    map_report_print_kept(to, &r->report, o->in.topo,
                          o->in.map.min_gain < 0 && r->report.min_gain > 0.01);
  else if (*conclusion_of_map(r->assessment, &r->report, searched, text)) {
    screen_print(to, SCREEN_STRONG, text);
    fputc('\n', to);
  }
}

static void print_text(FILE *to, const options_t *o, const result_t *r)
{
  const berth_uncertainty_t *u = berth_assessment_uncertainty(r->assessment);
  print_conclusion(to, o, r);
  print_costs(to, &o->in, r);
  estimate_print_gain(to, &o->in, "", r->assessment, 0, 1);
  verdict_print_doubt(to, u, 0, 1, "the default order");
  bool more_than_cost = o->in.map.sum_share > 0 || o->in.map.move_price_s > 0;
  map_report_print(to, &r->report, o->in.topo, more_than_cost);
  verdict_print_notes(to, &o->in, u);
  if (o->outputs.n == 0)
    fputs("Nothing was written. Use --mapping FILE, --rankfile FILE or --write FORMAT=FILE.\n", to);
  if (r->report.stopped)
    fputs("unfinished: the search was stopped. This is the best placement so far.\n", to);
}

static void put_phase(json_out_t *j, const result_t *r)
{
  if (!r->phase) {
    json_put_string(j, "phase", NULL);
    return;
  }
  json_open(j, "phase", '{', JSON_ONE_LINE);
  json_put_u64(j, "id", (uint64_t)r->phase->id);
  json_put_string(j, "name", r->phase->name);
  json_put_number(j, "cost_s", r->phase_cost_s);
  json_put_number(j, "linear_cost_s", r->phase_linear_cost_s);
  json_put_number(j, "cost_gain", assess_gain(r->phase_linear_cost_s, r->phase_cost_s));
  json_close(j);
}

static int print_json(const options_t *o, const result_t *r, berth_error_t *err)
{
  const berth_estimate_t *own = berth_assessment_estimate(r->assessment, 0);
  const berth_estimate_t *linear = berth_assessment_estimate(r->assessment, 1);
  const berth_uncertainty_t *u = berth_assessment_uncertainty(r->assessment);
  json_out_t j;
  if (json_begin(&j, "-", "berth-map", err)) return BERTH_MISSING;
  pattern_put_cut(&j, o->in.pattern);
  json_put_string(&j, "requested", o->mapper->name);
  json_put_bool(&j, "unfinished", r->report.stopped);
  json_put_string(&j, "algorithm", r->mapping.algorithm);
  json_put_string(&j, "model", r->mapping.model);
  json_put_string(&j, "topology", r->mapping.topology);
  inputs_put_changes(&j, &o->in);
  json_put_number(&j, "cost_s", r->mapping.cost_s);
  cost_put_interval(&j, u, "", 0);
  json_put_number(&j, "linear_cost_s", linear->cost_s);
  cost_put_interval(&j, u, "linear_", 1);
  estimate_put_packing(&j, "packing_s", own);
  estimate_put_packing(&j, "linear_packing_s", linear);
  estimate_put_sharing(&j, &o->in, "sharing_s", own);
  estimate_put_sharing(&j, &o->in, "linear_sharing_s", linear);
  json_put_number(&j, "cost_gain", own->gain);
  estimate_put_run_gain(&j, own);
  verdict_put_notes(&j, &o->in);
  cost_put_uncertainty(&j, u);
  cost_put_comparison(&j, u, 0, 1);
  put_phase(&j, r);
  if (o->in.chose_reserve) reserve_put(&j, &o->in.reserve);
  map_report_put(&j, &r->report);
  json_put_ints(&j, "pu_of_rank", JSON_ONE_LINE, r->mapping.pu_of_rank, (size_t)r->mapping.ranks);
  json_close(&j);
  return out_commit(j.out, err);
}

/* Estimates the mapping for a pattern; intervals are left out of a search that was stopped. */
static int assess(const options_t *o, const berth_pattern_t *pattern, bool intervals, result_t *r,
                  berth_error_t *err)
{
  const int *placement = r->mapping.pu_of_rank;
  berth_assess_options_t options = berth_assess_defaults();
  options.intervals = intervals;
  r->assessment = inputs_assess(&o->in, pattern, options, 1, &placement, err);
  if (!r->assessment) return err->code;
  r->mapping.cost_s = berth_assessment_estimate(r->assessment, 0)->cost_s;
  return BERTH_OK;
}

/* Places for one phase. */
static int place_for_phase(const options_t *o, result_t *r, berth_error_t *err)
{
  size_t place, n;
  const berth_pattern_t *one = NULL;
  int rc = inputs_find_phase(o->in.pattern, o->phase, &place, err);
  if (!rc && !(one = berth_pattern_of_phase(o->in.pattern, place, err))) rc = BERTH_MISSING;
  if (!rc) rc = inputs_map(&o->in, one, o->mapper, &r->mapping, &r->report, err);
  if (!rc) rc = assess(o, one, false, r, err);
  berth_pattern_of_phase_free(one);
  if (rc) return rc;
  const berth_estimate_t *own = berth_assessment_estimate(r->assessment, 0);
  const berth_estimate_t *linear = berth_assessment_estimate(r->assessment, 1);
  r->phase = &berth_pattern_phases(o->in.pattern, &n)[place];
  r->phase_cost_s = own->cost_s - own->sharing_s - own->packing_s;
  r->phase_linear_cost_s = linear->cost_s - linear->sharing_s - linear->packing_s;
  berth_assessment_free(r->assessment);
  r->assessment = NULL;
  return BERTH_OK;
}

static int place(const options_t *o, result_t *r, berth_error_t *err)
{
  return o->phase ? place_for_phase(o, r, err)
                  : inputs_map(&o->in, o->in.pattern, o->mapper, &r->mapping, &r->report, err);
}

/* The same, which the first signal stops. */
static int place_watched(options_t *o, result_t *r, berth_error_t *err)
{
  o->in.watch = berth_map_watch_new();
  if (!o->in.watch) return no_memory(err);
  cli_stop_gently(o->in.watch);
  int rc = place(o, r, err);
  cli_stop_gently(NULL); /* what is written next may wait for a reader, say of a FIFO */
  r->mapping.unfinished = r->report.stopped;
  return rc;
}

/* As a shell says it of a program that the signal ended; another process of a team may have had it.
 */
static int exit_code_of_stop(void)
{
  int number = cli_stopped_by();
  return 128 + (number ? number : SIGINT);
}

/* Only one process has a standard input. */
static int check_inputs(const options_t *o, berth_error_t *err)
{
  const char *const paths[] = {o->in.pattern_path, o->in.topology_path, o->in.from_path};
  bool from_stdin = false;
  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
    from_stdin |= paths[i] && strcmp(paths[i], "-") == 0;
  if (!o->in.map.team || !from_stdin) return BERTH_OK;
  return berth_fail(err, BERTH_USAGE,
                    "found '-', expected files that all processes of the job can read");
}

static int present(options_t *o, result_t *r, berth_error_t *err)
{
  FILE *to = outputs_to_stdout(&o->outputs) ? stderr : stdout;
  int rc = assess(o, o->in.pattern, !r->report.stopped, r, err);
  together_begin();
  if (!rc) rc = outputs_complete(&o->outputs, &r->mapping, o->in.topo, err);
  if (!rc) rc = outputs_write(&o->outputs, &r->mapping, o->in.topo, err);
  if (!rc && o->json) rc = print_json(o, r, err);
  rc = together_name(rc, err);
  bool says = !o->json && !o->quiet;
  if (!rc && says) print_text(to, o, r); /* a reader that ends early loses no file */
  if (!rc && says) rc = outputs_print(to, &o->outputs, &r->mapping, o->in.topo, err);
  return together_end(rc, err);
}

int map_command(const cli_command_t *command, int argc, char **argv, berth_team_t *team)
{
  options_t o = {.in.map = berth_map_defaults(), .mapper = berth_mapper_find("best")};
  result_t r = {0};
  berth_error_t err = {0};
  search_team_hush(team);
  int wrong = option_parse(command, argc, argv, &o);
  search_team_unhush(team);
  if (wrong) return wrong;
  if (o.quiet) progress_hush();
  bool speaks = !team || team->rank == 0;
  if (team && team->size > 1) o.in.map.team = team;
  int rc = check_inputs(&o, &err);
  if (!rc) rc = inputs_load(&o.in, &err);
  if (!rc) rc = place_watched(&o, &r, &err);
  if (!rc && speaks) rc = present(&o, &r, &err);
  if (team) rc = search_team_end(team, rc, &err);
  if (rc && speaks) cli_report(argv[0], &err);
  if (!rc && (cli_stopped_by() || r.report.stopped)) rc = exit_code_of_stop();
  berth_map_watch_free(o.in.watch);
  berth_mapping_clear(&r.mapping);
  berth_assessment_free(r.assessment);
  inputs_clear(&o.in);
  outputs_clear(&o.outputs);
  free(o.files.item);
  return rc;
}

static int run(int argc, char **argv)
{
  cli_watch_signals();
  return map_command(&cmd_map, argc, argv, NULL);
}

const cli_command_t cmd_map = {.name = "map", .run = run, .parts = map_parts, .list = map_list};
