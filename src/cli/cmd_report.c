/* SPDX-License-Identifier: BSD-3-Clause */
/* `berth report`: a page to look at, or pictures. */
#include <berth/report.h>
#include <berth/tuning.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "base/out_file.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/options/inputs.h"
#include "cli/options/memory_option.h"
#include "cli/options/placed.h"
#include "cli/options/targets.h"
#include "cli/options/together.h"
#include "cli/print/progress.h"
#include "schedule/schedule_rules.h"
#include "tune/tuning_file.h"

#define DEFAULT_OUTPUT "report.html"

typedef struct options {
  inputs_t in;
  placed_question_t placed;
  bool chosen;                              /* the page's name, by berth itself */
  const char *output, *svg, *title, *phase; /* NULL where not given */
  berth_tuning_t tuning;                    /* if --collectives names a file of `berth tune` */
} options_t;

/* The page and the pictures must not be what is read, nor one of the pictures the page. */
static void check_outputs(struct argp_state *state, void *all)
{
  options_t *o = all;
  inputs_check(state, &o->in, &o->placed.files, true);
  o->chosen = !o->output && !o->svg;
  if (o->chosen) o->output = DEFAULT_OUTPUT;
  const placed_question_t *q = &o->placed;
  size_t n_inputs = 3 + q->files.n + o->in.pins.n, n = 0;
  const char *output[1 + BERTH_REPORT_PICTURES] = {o->output};
  char *picture[BERTH_REPORT_PICTURES] = {0};
  const char **input = calloc(n_inputs, sizeof *input);
  if (!input) option_no_memory(state);
  input[n++] = o->in.pattern_path;
  input[n++] = o->in.topology_path;
  input[n++] = q->against && strcmp(q->against, "linear") == 0 ? NULL : q->against;
  for (size_t i = 0; i < q->files.n; i++) input[n++] = q->files.item[i];
  for (size_t i = 0; i < o->in.pins.n; i++) input[n++] = o->in.pins.item[i]; /* or no files */
  for (size_t i = 0; o->svg && i < BERTH_REPORT_PICTURES; i++) {
    picture[i] = text_printf("%s/%s", o->svg, berth_report_picture(i));
    if (!picture[i]) option_no_memory(state);
    output[1 + i] = picture[i];
  }
  targets_check(state, 1 + BERTH_REPORT_PICTURES, output, n_inputs, input);
  for (size_t i = 0; i < BERTH_REPORT_PICTURES; i++) free(picture[i]);
  free(input);
}

static const option_t own_options[] = {
    OPTION("--output", option_text, options_t, output),
    OPTION("--svg", option_text, options_t, svg),
    OPTION("--title", option_text, options_t, title),
    OPTION_OR_DEFAULT("--model", inputs_model, options_t, in.map.objective),
    OPTION("--phase", option_text, options_t, phase),
    {0}};

static const option_table_t own = {own_options, check_outputs};
static const option_part_t parts[] = {{&inputs_options, offsetof(options_t, in)},
                                      {&own, 0},
                                      {&placed_options, offsetof(options_t, placed)},
                                      {&placed_against_options, offsetof(options_t, placed)},
                                      {&memory_option, 0},
                                      {0}};

static int find_phase(const options_t *o, size_t *out, berth_error_t *err)
{
  *out = !o->phase ? BERTH_REPORT_MAX_COST_PHASE : BERTH_REPORT_ALL_PHASES;
  if (!o->phase || strcmp(o->phase, "all") == 0) return BERTH_OK;
  return inputs_find_phase(o->in.pattern, o->phase, out, err);
}

static int load_tuning(options_t *o, berth_error_t *err)
{
  const char *rules = o->in.collectives;
  if (!rules || schedule_rules_known(rules) || !tuning_is_file(rules)) return BERTH_OK;
  return berth_tuning_load(rules, 0, &o->tuning, err);
}

/* The reference comes first. */
static int work_out(const options_t *o, const placed_list_t *placed, berth_report_t **out,
                    berth_error_t *err)
{
  berth_report_options_t options = berth_report_defaults();
  options.title = o->title;
  options.pattern_name = o->in.pattern_path;
  options.topology_name = o->in.topology_path;
  options.model = o->in.map.objective;
  options.intervals = !o->in.no_intervals;
  if (o->tuning.n > 0) options.tuning = &o->tuning;
  int rc = find_phase(o, &options.phase, err);
  if (rc) return rc;
  bool asked[BERTH_N_MODELS];
  placed_models(&o->placed, berth_pattern_ranks(o->in.pattern), options.model, asked);
  for (int m = 0; m < BERTH_N_MODELS; m++) options.asked[m] = asked[m];
  berth_report_placement_t *list = calloc(placed->n, sizeof *list);
  if (!list) return no_memory(err);
  for (size_t i = 0, rest = 1; i < placed->n; i++) {
    const placed_t *p = &placed->item[i];
    size_t at = i == placed->reference ? 0 : rest++;
    list[at] = (berth_report_placement_t){p->name, p->is_linear ? "linear" : p->mapping.algorithm,
                                          p->mapping.pu_of_rank};
  }
  progress("estimating the cost of", "placements");
  *out = berth_report_new(o->in.pattern, o->in.topo, &options, placed->n, list, err);
  free(list);
  return *out ? BERTH_OK : err->code;
}

static int write_files(const options_t *o, const berth_report_t *report, berth_error_t *err)
{
  int rc = BERTH_OK;
  if (o->output) {
    progress("writing", o->output);
    out_choose_names(o->chosen);
    rc = berth_report_page(report, o->output, err);
    out_choose_names(false);
  }
  if (o->svg && !rc) {
    progress("writing", o->svg);
    rc = berth_report_pictures(report, o->svg, err);
  }
  progress(NULL, NULL);
  return rc;
}

/* The conclusion, and what appeared where; beside a page on standard output it goes to the other
 * stream. */
static void print_written(const options_t *o, const berth_report_t *report)
{
  char conclusion[600];
  bool to_stdout = o->output && target_is_stdout(o->output);
  FILE *to = to_stdout ? stderr : stdout;
  if (*berth_report_conclusion(report, conclusion, sizeof conclusion))
    fprintf(to, "%s\n", conclusion);
  if (o->output) fprintf(to, "page written to %s\n", to_stdout ? "standard output" : o->output);
  if (o->svg) fprintf(to, "pictures written to %s\n", o->svg);
}

static int write_all(const options_t *o, const berth_report_t *report, berth_error_t *err)
{
  together_begin();
  int rc = together_name(write_files(o, report, err), err);
  if (!rc) print_written(o, report);
  return together_end(rc, err);
}

static int run(int argc, char **argv)
{
  options_t o = {.in.map = berth_map_defaults()};
  placed_list_t placed = {0};
  berth_report_t *report = NULL;
  berth_error_t err = {0};
  cli_watch_signals();
  int wrong = option_parse(&cmd_report, argc, argv, &o);
  if (wrong) return wrong;
  out_choose_names(o.chosen);
  int rc = o.output ? out_check(o.output, &err) : BERTH_OK;
  out_choose_names(false);
  if (!rc) rc = inputs_load(&o.in, &err);
  if (!rc) rc = load_tuning(&o, &err);
  if (!rc) rc = placed_load(&o.in, &o.placed, &placed, &err);
  if (!rc) rc = work_out(&o, &placed, &report, &err);
  if (!rc) rc = write_all(&o, report, &err);
  progress(NULL, NULL);
  if (rc) cli_report(argv[0], &err);
  berth_report_free(report);
  placed_clear(&placed);
  berth_tuning_clear(&o.tuning);
  inputs_clear(&o.in);
  free(o.placed.files.item);
  return rc;
}

const cli_command_t cmd_report = {.name = "report", .run = run, .parts = parts};
