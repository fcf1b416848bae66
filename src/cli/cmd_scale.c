/* SPDX-License-Identifier: BSD-3-Clause */
/* `berth scale`: patterns of sizes that nobody has traced, from traces of fewer ranks. */
#include <berth/collectives.h>
#include <berth/one_sided.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "cli/cli.h"
#include "cli/options/extents.h"
#include "cli/options/load.h"
#include "cli/options/memory_option.h"
#include "cli/options/targets.h"
#include "cli/print/progress.h"
#include "cli/print/scale_view.h"

#define TOLERANCE 0.05
#define USUAL_MPI "Open MPI 4.1.4" /* whose collective calls are compared if traces name none */

typedef struct options {
  option_words_t files;
  const char *output, *against;
  bool weak, strong, json, quiet;
  berth_scale_options_t scale;
} options_t;

static void take_grid(struct argp_state *state, const option_t *option, char *arg, void *all)
{
  berth_scale_options_t *s = &((options_t *)all)->scale;
  s->n_grid = extents_grid(state, option, arg, s->grid);
}

static const option_t own_options[] = {
    OPTION("", option_list, options_t, files),
    OPTION_IN("--to", option_number, options_t, scale.ranks, 1, BERTH_MAX_RANKS),
    OPTION_OF_ALL("--grid", take_grid),
    OPTION("--weak", option_flag, options_t, weak),
    OPTION("--strong", option_flag, options_t, strong),
    OPTION("--against", option_file, options_t, against),
    OPTION("--output", option_text, options_t, output),
    OPTION("--json", option_flag, options_t, json),
    OPTION("--quiet", option_flag, options_t, quiet),
    {0}};

static void check(struct argp_state *state, void *all)
{
  options_t *o = all;
  size_t n = o->files.n, in = o->against && strcmp(o->against, "-") == 0;
  if (n == 0) argp_error(state, "expected traces of the same program");
  if (n > BERTH_SCALE_TRACES)
    argp_error(state, "found %zu traces, expected at most %d", n, BERTH_SCALE_TRACES);
  if (!o->scale.ranks && !o->scale.n_grid)
    argp_error(state, "expected --to with a number of ranks, or --grid");
  if (o->weak && o->strong) argp_error(state, "found --weak and --strong, expected one of them");
  if (n == 1 && !o->weak && !o->strong)
    argp_error(state, "found one trace, expected a second one, --weak or --strong");
  if (n > 1 && (o->weak || o->strong))
    argp_error(state,
               "found --%s and %zu traces, expected one trace: several say how the problem grows",
               o->weak ? "weak" : "strong", n);
  const char *inputs[BERTH_SCALE_TRACES + 1] = {o->against};
  for (size_t i = 0; i < n && i < BERTH_SCALE_TRACES; i++) inputs[i + 1] = o->files.item[i];
  targets_check(state, 1, &o->output, BERTH_SCALE_TRACES + 1, inputs);
  for (size_t i = 0; i < n; i++) in += strcmp(o->files.item[i], "-") == 0;
  if (in > 1) argp_error(state, "found standard input twice, expected it once");
  o->scale.scaling = o->weak     ? BERTH_SCALING_WEAK
                     : o->strong ? BERTH_SCALING_STRONG
                                 : BERTH_SCALING_FOUND;
}

static const option_table_t own = {own_options, check};
static const option_part_t parts[] = {{&own, 0}, {&memory_option, 0}, {0}};

/* --- traces --- */

typedef struct traces {
  size_t n;
  berth_pattern_t *trace[BERTH_SCALE_TRACES]; /* by number of ranks */
  const char *file[BERTH_SCALE_TRACES];
  int ranks[BERTH_SCALE_TRACES];
} traces_t;

static void sort(traces_t *t, berth_pattern_t *p, const char *file)
{
  size_t at = t->n++;
  int ranks = berth_pattern_ranks(p);
  for (; at > 0 && t->ranks[at - 1] > ranks; at--) {
    t->trace[at] = t->trace[at - 1];
    t->file[at] = t->file[at - 1];
    t->ranks[at] = t->ranks[at - 1];
  }
  t->trace[at] = p;
  t->file[at] = file;
  t->ranks[at] = ranks;
}

static int load(const options_t *o, traces_t *t, berth_error_t *err)
{
  for (size_t i = 0; i < o->files.n; i++) {
    berth_pattern_t *p = load_pattern(NULL, o->files.item[i], false, err);
    if (!p) return err->code;
    sort(t, p, o->files.item[i]);
  }
  for (size_t i = 1; i < t->n; i++)
    if (t->ranks[i] == t->ranks[i - 1])
      return berth_fail(err, BERTH_BAD_INPUT,
                        "%s: found a trace of %d ranks, as in %s, expected different numbers",
                        t->file[i], t->ranks[i], t->file[i - 1]);
  return BERTH_OK;
}

/* Shows on the terminal how far berth_scale is: `data` says what it does. */
static void show_progress(void *data, size_t done, size_t steps)
{
  static const char *shown;
  static int percent = -1;
  int now = steps > 0 ? (int)(100 * done / steps) : 100;
  if (shown == data && percent == now) return;
  shown = data;
  percent = now;
  progress_parts(data, done, steps, NULL);
}

/* --- comparisons --- */

/* All that the program sends, as estimates see it. */
static int include_all(berth_pattern_t *p, berth_error_t *err)
{
  int nearest;
  const char *mpi = *berth_pattern_mpi(p) ? berth_pattern_mpi(p) : USUAL_MPI;
  double too_many;
  int rc = BERTH_OK;
  const char *rules = berth_collectives_rules(mpi, &nearest);
  if (rules) rc = berth_collectives_include(p, rules, &too_many, err);
  return rc ? rc : berth_one_sided_include(p, berth_one_sided_rules(mpi, &nearest), &too_many, err);
}

static int compare(const berth_pattern_t *made, const berth_pattern_t *real, scale_trial_t *trial,
                   berth_error_t *err)
{
  berth_pattern_t *a = berth_pattern_copy(made, err), *b = a ? berth_pattern_copy(real, err) : NULL;
  int rc = b ? include_all(a, err) : err->code;
  if (!rc) rc = include_all(b, err);
  if (!rc) rc = berth_scale_compare(a, b, TOLERANCE, &trial->agreement, err);
  berth_pattern_free(a);
  berth_pattern_free(b);
  return rc;
}

/* Generalises the other traces to the number of ranks of the last one. */
static int hold_back(const traces_t *t, scale_trial_t *trial, berth_error_t *why,
                     berth_error_t *err)
{
  static char what[] = "generalising the smaller traces to the largest";
  berth_scale_options_t options = {.size = sizeof options,
                                   .ranks = t->ranks[t->n - 1],
                                   .progress = show_progress,
                                   .progress_data = what};
  if (t->n < 3) return BERTH_OK;
  trial->file = t->file[t->n - 1];
  trial->ranks = options.ranks;
  berth_scaled_t *s =
      berth_scale((const berth_pattern_t *const *)t->trace, t->n - 1, &options, why);
  progress(NULL, NULL);
  if (!s) {
    trial->failed = why->text;
    return why->code == BERTH_MISSING ? berth_fail(err, why->code, "%s", why->text) : BERTH_OK;
  }
  progress("comparing them with", trial->file);
  int rc = compare(berth_scaled_pattern(s), t->trace[t->n - 1], trial, err);
  berth_scaled_free(s);
  progress(NULL, NULL);
  return rc;
}

static int hold_against(const char *file, const berth_pattern_t *made, scale_trial_t *trial,
                        berth_error_t *err)
{
  if (!file) return BERTH_OK;
  berth_pattern_t *real = load_pattern("--against", file, false, err);
  if (!real) return err->code;
  trial->file = file;
  trial->ranks = berth_pattern_ranks(real);
  progress("comparing the pattern with", file);
  int rc = compare(made, real, trial, err);
  progress(NULL, NULL);
  if (rc == BERTH_BAD_INPUT) {
    berth_error_t why = *err;
    berth_fail(err, rc, "--against %s: %s", file, why.text);
  }
  berth_pattern_free(real);
  return rc;
}

/* --- all --- */

static int save(const options_t *o, berth_pattern_t *p, size_t n, const char *const *command,
                berth_error_t *err)
{
  if (o->json && !o->output) return BERTH_OK;
  int rc = berth_pattern_set_command(p, n, command, err);
  if (rc) return rc;
  if (o->output && !target_is_stdout(o->output)) progress("writing", o->output);
  rc = berth_pattern_save(p, o->output ? o->output : "-", err);
  progress(NULL, NULL);
  return rc;
}

static int report(const options_t *o, const scale_view_t *v, berth_error_t *err)
{
  bool to_stdout = o->output && strcmp(o->output, "-") != 0;
  if (o->json) return scale_json(v, "-", err);
  if (!o->quiet) scale_print(to_stdout ? stdout : stderr, v);
  return BERTH_OK;
}

static int scale(const options_t *o, size_t n, const char *const *command, berth_error_t *err)
{
  traces_t t = {0};
  scale_view_t v = {.output = o->output, .tolerance = TOLERANCE};
  berth_error_t why = {0};
  berth_scaled_t *s = NULL;
  int rc = load(o, &t, err);
  if (!rc && !(s = berth_scale((const berth_pattern_t *const *)t.trace, t.n, &o->scale, err)))
    rc = err->code;
  progress(NULL, NULL);
  if (!rc) rc = hold_back(&t, &v.kept_back, &why, err);
  if (!rc) rc = hold_against(o->against, berth_scaled_pattern(s), &v.against, err);
  berth_pattern_t *p = rc ? NULL : berth_scaled_take(s);
  v.scaled = s;
  v.ranks = p ? berth_pattern_ranks(p) : 0;
  v.n_traces = t.n;
  v.traced = t.ranks;
  if (!rc) rc = save(o, p, n, command, err);
  if (!rc) rc = report(o, &v, err);
  berth_pattern_free(p);
  berth_scaled_free(s);
  for (size_t i = 0; i < t.n; i++) berth_pattern_free(t.trace[i]);
  return rc;
}

static int run(int argc, char **argv)
{
  static char generalising[] = "generalising the traces";
  options_t o = {
      .scale = {.size = sizeof o.scale, .progress = show_progress, .progress_data = generalising}};
  berth_error_t err = {0};
  const char **command = cli_own_command(&cmd_scale, argc, argv);
  if (!command) return cli_report(argv[0], &(berth_error_t){BERTH_MISSING, "out of memory"});
  int rc = option_parse(&cmd_scale, argc, argv, &o), wrong = rc;
  if (!wrong) rc = scale(&o, (size_t)argc + 1, command, &err);
  free(o.files.item);
  free(command);
  return rc && !wrong ? cli_report(argv[0], &err) : rc;
}

const cli_command_t cmd_scale = {.name = "scale", .run = run, .parts = parts};
