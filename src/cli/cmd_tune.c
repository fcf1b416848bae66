/* SPDX-License-Identifier: BSD-3-Clause */
/* `berth tune`: has the collective library measure, in a job, what is the best for the calls that
 * the job makes, or has the one-sided library keep what it finds out while the job runs. `berth
 * run` starts the job; the library does the rest (src/coll/tuning/tune.c, src/rma/rma_tuning.c). */
#include <berth/advice.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/no_memory.h"
#include "base/out_file.h"
#include "base/process.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/options/load.h"
#include "cli/print/advice_view.h"
#include "cli/print/tuning_view.h"
#include "cli/run_cache.h"
#include "launch/launch.h"

typedef struct options {
  const char *pattern, *output, *topology, *cache;
  int reserve;
  double limit_s;
  bool agents, one_sided, only, exhaustive, all, json;
  char **command;
} options_t;

/* Whether the first word is a command of `berth tune` itself. */
static bool is(const options_t *o, const char *word)
{
  return o->command && strcmp(o->command[0], word) == 0;
}

static bool shows(const options_t *o) { return is(o, "show"); }
static bool plans(const options_t *o) { return is(o, "plan"); }
static bool sets(const options_t *o) { return is(o, "settings"); }

static void check(struct argp_state *state, void *all)
{
  const options_t *o = all;
  if (!o->command) argp_error(state, "expected a command, as in: mpirun -np 16 ./app");
  if (shows(o) && (!o->command[1] || o->command[2]))
    argp_error(state, "show: expected one file of `berth tune`");
  if (plans(o) && (!o->command[1] || o->command[2]))
    argp_error(state, "plan: expected one pattern");
  if (sets(o) && (!o->command[1] || o->command[2]))
    argp_error(state, "settings: expected one file of `berth tune`");
  if (!shows(o) && (o->all || o->json))
    argp_error(state, "found %s without show", o->all ? "--all" : "--json");
  bool starts_job = !shows(o) && !plans(o) && !sets(o);
  if (!starts_job &&
      (o->pattern || o->topology || o->cache || o->reserve || o->limit_s > 0 || o->agents ||
       o->one_sided || o->only || o->exhaustive || (shows(o) && o->output)))
    argp_error(state, "%s: found an option for jobs, expected none", o->command[0]);
  if (o->one_sided && (o->pattern || o->limit_s > 0 || o->agents || o->only || o->exhaustive))
    argp_error(state, "found %s with --one-sided, expected it with collective calls",
               o->pattern   ? "--pattern"
               : o->agents  ? "--agents"
               : o->only    ? "--only"
               : o->limit_s ? "--time-limit"
                            : "--exhaustive");
}

static const option_t own_options[] = {
    OPTION("--pattern", option_text, options_t, pattern),
    OPTION("--output", option_text, options_t, output),
    OPTION("--topology", option_text, options_t, topology),
    OPTION("--cache", option_text, options_t, cache),
    OPTION_IN("--reserve", option_number, options_t, reserve, 0, 1 << 20),
    OPTION_IN("--time-limit", option_whole_seconds, options_t, limit_s, 1, 1000000),
    OPTION("--agents", option_flag, options_t, agents),
    OPTION("--one-sided", option_flag, options_t, one_sided),
    OPTION("--only", option_flag, options_t, only),
    OPTION("--exhaustive", option_flag, options_t, exhaustive),
    OPTION("--all", option_flag, options_t, all),
    OPTION("--json", option_flag, options_t, json),
    OPTION("", option_command, options_t, command),
    {0}};

static const option_table_t own = {own_options, check};
static const option_part_t parts[] = {{&own, 0}, {0}};

/* --- show --- */

static int show(const options_t *o, berth_error_t *err)
{
  berth_tuning_t t;
  int rc = berth_tuning_load(o->command[1], 0, &t, err);
  if (rc) return rc;
  if (o->json)
    rc = berth_tuning_save(&t, "-", err);
  else
    tuning_print(&t, o->all);
  berth_tuning_clear(&t);
  return rc;
}

/* --- plan --- */

static int plan_pattern(const char *option, const char *path, berth_tuning_t *out,
                        berth_error_t *err)
{
  *out = (berth_tuning_t){0};
  berth_pattern_t *p = load_pattern(option, path, false, err);
  int rc = p ? berth_tuning_plan(p, out, err) : err->code;
  if (!rc && out->n == 0)
    rc = berth_fail(err, BERTH_BAD_INPUT,
                    "found no blocking collective calls in the pattern, expected some to tune");
  berth_pattern_free(p);
  return rc;
}

static int plan(const options_t *o, berth_error_t *err)
{
  berth_tuning_t t;
  int rc = plan_pattern(NULL, o->command[1], &t, err);
  if (!rc) rc = berth_tuning_save(&t, o->output ? o->output : "-", err);
  berth_tuning_clear(&t);
  return rc;
}

/* --- settings --- */

/* What the MPI is to be told of its own algorithms. */
static int write_settings(const options_t *o, berth_error_t *err)
{
  berth_tuning_t t;
  const char *path = o->output ? o->output : "-";
  int rc = berth_tuning_load(o->command[1], 0, &t, err);
  if (rc) return rc;
  berth_advice_t *a = berth_advice_of_tuning(&t, err);
  rc = a ? BERTH_OK : err->code;
  if (!rc && !*berth_advice_mpi(a))
    rc = berth_fail(err, BERTH_BAD_INPUT,
                    "%s: mpi: found \"%s\", expected Open MPI or MPICH: berth knows no settings of "
                    "others",
                    o->command[1], t.mpi);
  if (!rc) rc = berth_advice_write(a, path, err);
  if (!rc && strcmp(path, "-") != 0) advice_print_written(a, NULL, path);
  berth_advice_free(a);
  berth_tuning_clear(&t);
  return rc;
}

/* --- tune --- */

typedef struct tuner {
  const options_t *o;
  const char *program;
  run_cache_t cache;
  char *partial; /* the plan, which the library replaces by what it measured */
  const char *output;
} tuner_t;

/* The tuning that the job has; a new one if the file is none of this job. */
static void load_kept(const tuner_t *u, int ranks, berth_tuning_t *t)
{
  berth_error_t why = {0};
  if (access(u->output, F_OK) != 0 || berth_tuning_load(u->output, ranks, t, &why) != BERTH_OK)
    *t = (berth_tuning_t){.ranks = ranks};
}

/* The one-sided library measures while the job runs. */
static int write_one_sided(const tuner_t *u, int ranks, berth_error_t *err)
{
  berth_tuning_t t;
  if (ranks < 1)
    return berth_fail(err, BERTH_USAGE,
                      "found no number of ranks in the command, expected one, as in: mpirun -np 16 "
                      "./app");
  load_kept(u, ranks, &t);
  t.message_s = 0;
  t.n_epochs = 0;
  int rc = berth_tuning_save(&t, u->partial, err);
  berth_tuning_clear(&t);
  return rc;
}

/* What earlier jobs have found out about one-sided operations stays. */
static void take_epochs(const tuner_t *u, berth_tuning_t *to)
{
  berth_tuning_t t;
  load_kept(u, to->ranks, &t);
  to->message_s = t.message_s;
  to->epochs = t.epochs;
  to->n_epochs = t.n_epochs;
  t.epochs = NULL;
  t.n_epochs = 0;
  berth_tuning_clear(&t);
}

/* Of the job's own trace, unless --pattern names one. */
static int write_plan(const tuner_t *u, int ranks, berth_error_t *err)
{
  berth_tuning_t t = {0};
  const char *path = u->o->pattern;
  if (!path && !run_cache_has_pattern(&u->cache))
    return berth_fail(err, BERTH_MISSING,
                      "found no trace of this job, expected one of an earlier `berth run` of the "
                      "same command, or --pattern");
  int rc = plan_pattern(path ? "--pattern" : NULL, path ? path : u->cache.pattern, &t, err);
  if (!rc && ranks >= 0 && t.ranks != ranks)
    rc = berth_fail(err, BERTH_BAD_INPUT,
                    "found a pattern of %d ranks, expected %d, those of the command", t.ranks,
                    ranks);
  if (!rc) take_epochs(u, &t);
  if (!rc) rc = berth_tuning_save(&t, u->partial, err);
  berth_tuning_clear(&t);
  return rc;
}

/* `berth run --collectives` or `--one-sided` of the same command. */
static int start_job(const tuner_t *u, int *code, berth_error_t *err)
{
  const options_t *o = u->o;
  char *self = process_self(), reserve[16];
  size_t words = option_count(o->command), n = 0;
  const char **argv = calloc(words + 11, sizeof *argv);
  if (!self || !argv) {
    free(self);
    free(argv);
    return no_memory(err);
  }
  snprintf(reserve, sizeof reserve, "%d", o->reserve);
  argv[n++] = self;
  argv[n++] = "run";
  argv[n++] = o->one_sided ? "--one-sided" : o->agents ? "--agents" : "--collectives";
  const char *const passed[][2] = {{"--topology", o->topology},
                                   {"--cache", o->cache},
                                   {"--reserve", o->reserve ? reserve : NULL}};
  for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
    for (int k = 0; passed[i][1] && k < 2; k++) argv[n++] = passed[i][k];
  argv[n++] = "--";
  for (size_t i = 0; i < words; i++) argv[n++] = o->command[i];
  int rc = process_run((char *const *)(uintptr_t)argv, code, err);
  free(self);
  free(argv);
  return rc;
}

/* What `berth run` hands to the library (cmd_run.c). */
static void tell_library(const tuner_t *u)
{
  char seconds[32];
  snprintf(seconds, sizeof seconds, "%.17g", u->o->limit_s);
  setenv("BERTH_TUNE", u->partial, 1);
  if (u->o->limit_s > 0) setenv("BERTH_TUNE_SECONDS", seconds, 1);
  if (u->o->only) setenv("BERTH_TUNE_ONLY", "1", 1);
  if (u->o->exhaustive) setenv("BERTH_TUNE_ALL", "1", 1);
  /* Open MPI then takes algorithms that it is told, and its own decisions for all other calls. */
  if (!u->o->one_sided) setenv("OMPI_MCA_coll_tuned_use_dynamic_rules", "1", 0);
}

/* Makes what the library wrote the job's tuning. */
static int keep(const tuner_t *u, berth_error_t *err)
{
  berth_tuning_t t;
  int rc = berth_tuning_load(u->partial, 0, &t, err);
  if (rc) return rc;
  if (u->o->one_sided && t.message_s <= 0)
    rc = berth_fail(err, BERTH_MISSING,
                    "found no choice in the job, expected one: a job on several hosts whose "
                    "MPI_Finalize leaves it");
  if (!u->o->one_sided && t.seconds <= 0)
    rc = berth_fail(err, BERTH_MISSING,
                    "found no measurements of the job, expected that its MPI_Init makes them");
  if (!rc && u->output == u->cache.tuning) rc = run_cache_close(u->partial, err);
  if (!rc && rename(u->partial, u->output) != 0)
    rc = berth_fail(err, BERTH_MISSING, "%s: cannot write: %s", u->output, strerror(errno));
  if (!rc) {
    tuning_print(&t, false);
    fprintf(stderr, "%s: the measurements are kept as %s\n", u->program, u->output);
  }
  berth_tuning_clear(&t);
  return rc;
}

static int tune(tuner_t *u, const launch_t *l, int *code, berth_error_t *err)
{
  int rc = run_cache_open(l, u->o->cache, &u->cache, err);
  if (!rc && !u->o->output) rc = run_cache_make_folder(&u->cache, err);
  if (!rc) rc = run_cache_check(&u->cache, err);
  if (rc) return rc;
  u->output = u->o->output ? u->o->output : u->cache.tuning;
  if (!(u->partial = text_printf("%s.%ld.partial", u->output, (long)getpid())))
    return no_memory(err);
  if (u->o->output) rc = out_check(u->o->output, err);
  if (!rc) rc = u->o->one_sided ? write_one_sided(u, l->ranks, err) : write_plan(u, l->ranks, err);
  if (!rc) {
    tell_library(u);
    rc = start_job(u, code, err);
  }
  if (!rc) rc = keep(u, err);
  unlink(u->partial);
  return rc;
}

static int run(int argc, char **argv)
{
  options_t o = {0};
  berth_error_t err = {0};
  launch_t l = {0};
  int wrong = option_parse(&cmd_tune, argc, argv, &o), code = 0;
  if (wrong) return wrong;
  if (shows(&o)) return show(&o, &err) ? cli_report(argv[0], &err) : BERTH_OK;
  if (plans(&o)) return plan(&o, &err) ? cli_report(argv[0], &err) : BERTH_OK;
  if (sets(&o)) return write_settings(&o, &err) ? cli_report(argv[0], &err) : BERTH_OK;
  tuner_t u = {.o = &o, .program = argv[0]};
  int rc = launch_parse(option_count(o.command), (const char *const *)o.command, &l, &err);
  if (!rc && l.kind == LAUNCHER_NONE)
    rc = berth_fail(&err, BERTH_USAGE,
                    "found no launcher in the command, expected one, as in: mpirun -np 16 ./app");
  if (!rc) rc = tune(&u, &l, &code, &err);
  launch_clear(&l);
  run_cache_clear(&u.cache);
  free(u.partial);
  if (rc) return cli_report(argv[0], &err);
  return code;
}

const cli_command_t cmd_tune = {.name = "tune", .run = run, .parts = parts, .in_order = true};
