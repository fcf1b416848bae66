/* SPDX-License-Identifier: BSD-3-Clause */
/* `berth check`: a pattern's cost against a baseline and budgets, for CI. */
#include <berth/check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "cli/cli.h"
#include "cli/options/included.h"
#include "cli/options/load.h"
#include "cli/options/memory_option.h"
#include "cli/options/targets.h"
#include "cli/options/together.h"
#include "cli/options/usable.h"
#include "cli/print/check_view.h"
#include "cli/print/clean_stream.h"
#include "one_sided/epoch_rules.h"
#include "schedule/schedule_rules.h"

typedef struct options {
  inputs_t in;
  const char *baseline, *mapping, *junit;
  option_words_t files; /* named without an option */
  bool model_given, update, shared, github, json;
  berth_check_options_t check;
  berth_budget_t *budgets;
  size_t n_budgets, cap;
} options_t;

static void take_budget(struct argp_state *state, const option_t *option, char *arg, void *all)
{
  (void)option;
  options_t *o = all;
  berth_error_t err = {0};
  for (size_t i = 0; i < o->n_budgets; i++) /* two test cases of one name are one to GitLab */
    if (strcmp(o->budgets[i].text, arg) == 0)
      argp_error(state, "--budget: found '%s' twice, expected it once", arg);
  if (!ARRAY_GROW(&o->budgets, o->n_budgets, &o->cap)) option_no_memory(state);
  if (berth_budget_parse(arg, &o->budgets[o->n_budgets], &err))
    argp_error(state, "--budget: %s", err.text);
  o->n_budgets++;
}

/* The pattern, the topology and the mapping among the files that were named without an option. */
static void take_files(struct argp_state *state, options_t *o)
{
  static const option_t mapping = {.name = "mapping"};
  inputs_check(state, &o->in, &o->files, true);
  for (size_t i = 0; i < o->files.n; i++)
    option_file(state, &mapping, (char *)(uintptr_t)o->files.item[i], &o->mapping);
}

static void check_options(struct argp_state *state, void *all)
{
  options_t *o = all;
  o->model_given = option_given(state, "--model");
  if (!o->baseline || o->update) { /* else operations are included as in the baseline */
    option_take_default(state, "--collectives");
    option_take_default(state, "--one-sided");
  }
  take_files(state, o);
  const char *inputs[] = {o->in.pattern_path, o->in.topology_path, o->mapping, o->baseline};
  inputs_check_stdin(state, &o->in, 1, &o->mapping);
  if (o->update && !o->baseline) argp_error(state, "--update: expected --baseline, too");
  if (!o->baseline && !o->n_budgets) argp_error(state, "expected --baseline or --budget");
  for (size_t i = 0; i < 2; i++) {
    const char *file = i ? o->junit : o->baseline;
    if (file && target_is_stdout(file))
      argp_error(state, "found '%s' for --baseline or --junit, expected a file", file);
  }
  targets_check(state, 1, &o->junit, sizeof inputs / sizeof *inputs, inputs);
}

static const option_t own_options[] = {
    OPTION("--pattern", option_file, options_t, in.pattern_path),
    OPTION("--topology", option_file, options_t, in.topology_path),
    OPTION("--baseline", option_text, options_t, baseline),
    OPTION("--mapping", option_text, options_t, mapping),
    OPTION_OR_DEFAULT("--model", inputs_model, options_t, check.model),
    OPTION("--collectives", option_text, options_t, in.collectives),
    OPTION("--one-sided", included_one_sided_rules, options_t, in.one_sided),
    OPTION_IN("--tolerance", option_percent, options_t, check.tolerance, 0, 0),
    OPTION("--each-phase", option_flag, options_t, check.each_phase),
    OPTION_OF_ALL("--budget", take_budget),
    OPTION("--update", option_flag, options_t, update),
    OPTION("--oversubscribe", option_flag, options_t, shared),
    OPTION("--junit", option_text, options_t, junit),
    OPTION("--github", option_flag, options_t, github),
    OPTION("--json", option_flag, options_t, json),
    OPTION("", option_list, options_t, files),
    {0}};

static const option_table_t own = {own_options, check_options};
static const option_part_t parts[] = {{&own, 0}, {&memory_option, 0}, {0}};

/* Loads the baseline. With --update there may be none, but what isn't one is never overwritten. */
static int load_baseline(const options_t *o, berth_pattern_t **out, berth_error_t *err)
{
  *out = NULL;
  if (!o->baseline) return BERTH_OK;
  if (access(o->baseline, F_OK) != 0 && errno == ENOENT)
    return o->update
               ? BERTH_OK
               : berth_fail(
                     err, BERTH_MISSING,
                     "--baseline %s: found no such file, expected a baseline (--update writes it)",
                     o->baseline);
  struct stat st;
  if (o->update && stat(o->baseline, &st) == 0 && !S_ISREG(st.st_mode))
    return berth_fail(
        err, BERTH_BAD_INPUT,
        "--baseline %s: found no regular file, expected a baseline that --update wrote, or no "
        "file",
        o->baseline);
  *out = load_pattern("--baseline", o->baseline, false, err);
  if (!*out) return err->code;
  if (berth_pattern_baseline(*out)) return BERTH_OK;
  return berth_fail(
      err, BERTH_BAD_INPUT,
      "--baseline %s: found a pattern that is no baseline, expected one that --update wrote%s",
      o->baseline, o->update ? ", or no file" : "");
}

/* One-sided operations are included as in the baseline, unless something else was asked for. A new
 * baseline has those of the pattern's MPI. */
static int choose_one_sided(options_t *o, berth_pattern_t *baseline, const char *was,
                            berth_error_t *err)
{
  if (*was && !epoch_rules_find(was))
    return berth_fail(err, BERTH_BAD_INPUT,
                      "--baseline %s: baseline.one_sided: found \"%.60s\", expected %s or %s",
                      o->baseline, was, epoch_rules_openmpi.name, epoch_rules_mpich.name);
  if (!o->in.one_sided && !o->update) o->in.one_sided = *was ? was : "none";
  return *was ? included_one_sided(baseline, was, err) : BERTH_OK;
}

/* The same of collective operations. Rules of a file must be given again. *rules: those of the
 * baseline, which are included once the topology is known; NULL: none. */
static int choose_collectives(options_t *o, berth_pattern_t *baseline, const char *was,
                              const char **rules, berth_error_t *err)
{
  size_t n;
  const char *asked = o->in.collectives, *known = schedule_rules_known(was) ? was : asked;
  berth_pattern_colls(baseline, &n);
  if (o->update || (n == 0 && !*was)) return BERTH_OK;
  if (*was && !known)
    return berth_fail(err, BERTH_BAD_INPUT,
                      "--baseline %s: baseline.collectives: found \"%.60s\", expected rules that "
                      "berth has, or --collectives FILE with these",
                      o->baseline, was);
  if (!asked) o->in.collectives = *was ? was : "none";
  *rules = *was ? known : NULL;
  return BERTH_OK;
}

static int choose_rules(options_t *o, berth_pattern_t *baseline, const char **collectives,
                        berth_error_t *err)
{
  *collectives = NULL;
  if (!baseline) return BERTH_OK;
  const char *const *was = berth_pattern_baseline(baseline)->rules;
  int rc = choose_one_sided(o, baseline, was[BERTH_ONE_SIDED], err);
  return rc ? rc : choose_collectives(o, baseline, was[BERTH_COLLECTIVES], collectives, err);
}

/* Whether the old baseline was made by other rules. */
static bool other_rules(const berth_baseline_t *old, const berth_pattern_t *p)
{
  bool other = false;
  for (int i = 0; i < BERTH_N_OPERATIONS; i++)
    other |= strcmp(old->rules[i], berth_pattern_rules(p, (berth_operations_t)i)) != 0;
  return other;
}

/* The baseline's model, unless another was asked for. */
static int choose_model(options_t *o, const berth_baseline_t *b, berth_error_t *err)
{
  berth_model_t model;
  if (o->model_given || !b) return BERTH_OK;
  if (berth_model_find(b->model, &model))
    return berth_fail(
        err, BERTH_BAD_INPUT,
        "--baseline %s: baseline.model: found \"%.60s\", expected port, bound, sum or flow",
        o->baseline, b->model);
  o->check.model = model;
  return BERTH_OK;
}

/* Where ranks run, with what placed them. */
typedef struct placement {
  berth_mapping_t mapping;
  int *linear;
  const int *pu_of_rank; /* NULL: there is none */
  const char *algorithm;
} placement_t;

/* Whether what the baseline says of PUs and ranks is of these inputs. */
static bool fits(const options_t *o, const berth_pattern_t *baseline)
{
  const berth_baseline_t *b = baseline ? berth_pattern_baseline(baseline) : NULL;
  return b && b->topology_hash == berth_topo_hash(o->in.topo) &&
         berth_pattern_ranks(baseline) == berth_pattern_ranks(o->in.pattern);
}

/* The mapping that was asked for; else the baseline's, where it is of this machine and these ranks;
 * else linear. Where a baseline doesn't fit there is none, unless its own was linear and budgets
 * need one: another placement than the program runs with would break them for nothing. */
static int choose_placement(options_t *o, const berth_pattern_t *baseline, placement_t *out,
                            berth_error_t *err)
{
  const berth_baseline_t *b = baseline ? berth_pattern_baseline(baseline) : NULL;
  *out = (placement_t){.algorithm = ""};
  if (o->mapping) {
    int rc = usable_load(&o->in, "--mapping", o->mapping, o->shared, &out->mapping, err);
    out->pu_of_rank = out->mapping.pu_of_rank;
    if (!rc) out->algorithm = out->mapping.algorithm;
    return rc;
  }
  if (fits(o, baseline)) {
    int rc = berth_check_placement(baseline, o->in.topo, o->baseline, err);
    if (rc) return load_name_option(err, "--baseline", o->baseline);
    out->pu_of_rank = b->pu_of_rank;
    out->algorithm = b->algorithm;
    return BERTH_OK;
  }
  bool as_was = b && !o->update; /* what isn't of these inputs has no verdict */
  if (as_was && (!o->n_budgets || strcmp(b->algorithm, "linear") != 0)) return BERTH_OK;
  int rc = inputs_linear(&o->in, &out->linear, err);
  out->pu_of_rank = out->linear;
  out->algorithm = "linear";
  if (rc || out->linear || as_was) return rc;
  return berth_fail(err, BERTH_BAD_INPUT,
                    "found %d ranks and fewer PUs for them, so that linear doesn't fit, expected "
                    "--mapping",
                    berth_pattern_ranks(o->in.pattern));
}

static void placement_clear(placement_t *p)
{
  berth_mapping_clear(&p->mapping);
  free(p->linear);
}

/* Where annotations go, beside JSON; NULL: nobody asked for them, or it can't be opened. */
static FILE *open_annotations(const options_t *o)
{
  return o->github ? clean_stream_raw(o->json ? stderr : stdout) : NULL;
}

static int print_all(const options_t *o, const check_view_t *v, berth_error_t *err)
{
  int rc = BERTH_OK;
  if (o->json)
    rc = check_json(v, "-", err);
  else
    check_print(stdout, v);
  FILE *annotations = rc ? NULL : open_annotations(o);
  if (annotations) check_github(annotations, v);
  if (!rc && o->github && (!annotations || fclose(annotations) != 0))
    rc = berth_fail(err, BERTH_MISSING, "annotations: cannot write: %s", strerror(errno));
  return rc;
}

/* Everything that was asked for appears, or nothing. */
static int write_all(const options_t *o, const check_view_t *v, berth_error_t *err)
{
  int rc = BERTH_OK;
  together_begin();
  if (v->updated) rc = berth_pattern_save(v->pattern, o->baseline, err);
  if (!rc && o->junit) rc = check_junit(v, o->junit, err);
  rc = together_name(rc, err);
  if (!rc) rc = print_all(o, v, err);
  return together_end(rc, err);
}

/* What a CI system shows shall say so where there is no result: the JUnit file of the run before
 * would pass for one. */
static void write_failure(const options_t *o, const char *text)
{
  if (o->junit) check_junit_failure(text, o->junit, NULL);
  FILE *annotations = open_annotations(o);
  if (!annotations) return;
  check_github_failure(annotations, text);
  fclose(annotations);
}

static int check(options_t *o, berth_pattern_t *baseline, const placement_t *placement, int *code,
                 berth_error_t *err)
{
  const berth_pattern_t *with = o->update ? o->in.pattern : baseline;
  check_view_t v = {.pattern_path = o->in.pattern_path,
                    .topology_path = o->in.topology_path,
                    .baseline_path = o->baseline,
                    .algorithm = placement->algorithm,
                    .pattern = o->in.pattern,
                    .topo = o->in.topo,
                    .options = &o->check,
                    .misfit = baseline && placement->linear,
                    .old = baseline ? berth_pattern_baseline(baseline) : NULL};
  int rc = BERTH_OK;
  v.old_differs =
      v.old && (!fits(o, baseline) || strcmp(v.old->model, berth_model_name(o->check.model)) != 0 ||
                other_rules(v.old, o->in.pattern));
  o->check.pu_of_rank = placement->pu_of_rank;
  if (o->update)
    rc = berth_check_make_baseline(o->in.pattern, o->in.topo, o->check.model, placement->pu_of_rank,
                                   placement->algorithm, err);
  if (!rc) rc = berth_check_run(o->in.pattern, o->in.topo, with, &o->check, &v.result, err);
  if (rc) return rc;
  v.updated = o->update && v.result.verdict != BERTH_CHECKED_UNKNOWN;
  *code = berth_check_code(&v.result);
  rc = write_all(o, &v, err);
  berth_check_clear(&v.result);
  return rc;
}

static int run(int argc, char **argv)
{
  options_t o = {.check = berth_check_defaults(),
                 .in.map = berth_map_defaults(),
                 .in.baseline_option = "--baseline"};
  berth_error_t err = {0};
  berth_pattern_t *baseline = NULL;
  placement_t placement = {0};
  const char *rules;
  int code = BERTH_OK;
  int wrong = option_parse(&cmd_check, argc, argv, &o);
  if (wrong) return wrong;
  if (o.baseline) o.check.baseline_name = o.baseline;
  o.check.budgets = o.budgets;
  o.check.n_budgets = o.n_budgets;
  int rc = load_baseline(&o, &baseline, &err);
  if (!rc) rc = choose_rules(&o, baseline, &rules, &err);
  if (!rc) rc = inputs_load(&o.in, &err);
  if (!rc && rules) rc = included_collectives(baseline, o.in.topo, rules, &err);
  if (!rc) rc = choose_model(&o, baseline ? berth_pattern_baseline(baseline) : NULL, &err);
  if (!rc) rc = choose_placement(&o, baseline, &placement, &err);
  if (!rc) rc = check(&o, baseline, &placement, &code, &err);
  if (rc) {
    cli_report(argv[0], &err);
    write_failure(&o, err.text);
  }
  placement_clear(&placement);
  berth_pattern_free(baseline);
  inputs_clear(&o.in);
  free(o.files.item);
  free(o.budgets);
  return rc ? rc : code;
}

const cli_command_t cmd_check = {.name = "check", .run = run, .parts = parts};
