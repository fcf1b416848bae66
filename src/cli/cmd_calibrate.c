/* SPDX-License-Identifier: BSD-3-Clause */
/* `berth calibrate`: measures what a topology's ports carry. */
#include <berth/cost.h>
#include <berth/trials.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/no_memory.h"
#include "base/out_file.h"
#include "base/text.h"
#include "calib/job/measuring_job.h"
#include "calib/job/seats.h"
#include "cli/calibrate_agents.h"
#include "cli/calibrate_node.h"
#include "cli/cli.h"
#include "cli/measuring_launch.h"
#include "cli/mpi_library.h"
#include "cli/options/load.h"
#include "cli/options/targets.h"
#include "cli/print/calibrate_report.h"
#include "cli/print/progress.h"

typedef struct options {
  const char *topology, *output;
  berth_calib_options_t calib;
  launch_mpi_t mpi, default_mpi; /* the latter of the project file */
  bool json, verbose, agents;
  int samples;    /* 0: not given */
  bool node;      /* the first word is `node` */
  char **command; /* NULL when there is none */
} options_t;

/* The first word is a launcher, or says that this machine is measured. */
static void take_word(struct argp_state *state, const option_t *option, char *word, void *all)
{
  options_t *o = all;
  if (!o->node && !o->command && strcmp(word, "node") == 0)
    o->node = true;
  else
    option_command(state, option, word, &o->command);
}

static const option_t own_options[] = {
    OPTION_OR_DEFAULT("--topology", option_text, options_t, topology),
    OPTION("--output", option_text, options_t, output),
    OPTION_IN("--time-limit", option_whole_seconds, options_t, calib.time_s, 1, 1000000),
    OPTION_IN("--spread", option_percent, options_t, calib.spread, 1, 0),
    OPTION_IN("--samples", option_number, options_t, samples, 1, 10000),
    OPTION("--mpi", mpi_library_take, options_t, mpi),
    OPTION("--verbose", option_flag, options_t, verbose),
    OPTION("--json", option_flag, options_t, json),
    OPTION("--agents", option_flag, options_t, agents),
    OPTION_OF_ALL("", take_word),
    {0}};

static const cli_action_t actions[] = {{"node",
                                        "measure this machine's memory, copies, cores and noise",
                                        "topology output samples verbose mpi"},
                                       {0}};

static void check_node(struct argp_state *state, const options_t *o)
{
  for (const option_t *option = own_options; *option->name; option++)
    if (option_given(state, option->name) && !cli_action_takes(&actions[0], option->name + 2))
      argp_error(state, "found %s with node", option->name);
  if (!o->output) argp_error(state, "expected -o");
}

static void check_usage(struct argp_state *state, void *all)
{
  options_t *o = all;
  mpi_library_take_default(state, &o->default_mpi);
  if (o->node) {
    check_node(state, o);
    return;
  }
  if (o->samples) o->calib.max_samples = o->samples;
  if (o->samples && o->samples < 3)
    argp_error(state, "--samples: found %d, expected at least 3", o->samples);
  if (!o->topology && !o->agents) argp_error(state, "expected --topology");
  if (!o->output) argp_error(state, "expected -o");
  if (!o->command) argp_error(state, "expected a launcher, as in: mpirun --hostfile hosts");
  if (o->agents && (o->json || o->verbose))
    argp_error(state, "found %s, expected it without --agents", o->json ? "--json" : "--verbose");
  if (o->json && strcmp(o->output, "-") == 0)
    argp_error(state, "--json: found another output to standard output, expected one");
}

static const option_table_t own = {own_options, check_usage};
static const option_part_t parts[] = {{&own, 0}, {0}};

/* The share of the time limit for measuring numbers. */
static const double FOR_NUMBERS = 0.9;

/* A topology takes no larger model error. */
static const double MAX_ERROR = 1000;

typedef struct session {
  const options_t *o;
  const char *program;
  berth_topo_t *topo, *fitted;
  berth_calib_t *calib;
  berth_trials_t *trials;
  seats_t seats;
  job_t job;
  bool started;
  double begin_s;
  int experiments;
  char date[32];
} session_t;

static measuring_launch_t launch_of(const options_t *o, const char *program)
{
  return (measuring_launch_t){program, o->command, o->mpi, o->default_mpi};
}

static void show_progress(const session_t *s, const berth_calib_experiment_t *e, double limit_left)
{
  berth_calib_progress_t p = berth_calib_progress(s->calib);
  double left = p.left_s < limit_left ? p.left_s : limit_left;
  char text[900];
  snprintf(text, sizeof text, "about %.0f s left: %s", left, e->what);
  progress_parts("experiments", (size_t)p.done,
                 (size_t)(p.planned > p.done ? p.planned : p.done + 1), text);
}

/* "12.31 s  h0 pu 0 to h1 pu 0, 64 B: 21.3 us a message". */
static void tell(const session_t *s, const berth_calib_experiment_t *e, const double *seconds)
{
  char text[TEXT_NUMBER];
  double rate = 0;
  for (size_t i = 0; i < e->n_flows; i++) rate += (double)e->size / seconds[i];
  fprintf(stderr, "%8.2f s  %s: ", clock_s() - s->begin_s, e->what);
  if (e->n_flows == 1)
    fprintf(stderr, "%s a message\n", text_seconds(seconds[0], text));
  else
    fprintf(stderr, "%s\n", text_bandwidth(rate, text));
}

typedef int take_t(session_t *s, const double *seconds, berth_error_t *err);

static int take_sample(session_t *s, const double *seconds, berth_error_t *err)
{
  return berth_calib_take(s->calib, seconds, err);
}

static int take_trial(session_t *s, const double *seconds, berth_error_t *err)
{
  return berth_trials_take(s->trials, seconds, err);
}

static int run_experiment(session_t *s, const berth_calib_experiment_t *e, take_t *take,
                          berth_error_t *err)
{
  double *seconds = calloc(e->n_flows, sizeof *seconds);
  if (!seconds) return no_memory(err);
  double left_s = s->begin_s + s->o->calib.time_s - clock_s();
  int rc = job_run(&s->job, e, s->seats.rank_of_pu, left_s, seconds, err);
  if (!rc) rc = take(s, seconds, err);
  if (!rc && s->o->verbose) tell(s, e, seconds);
  if (!rc) s->experiments++;
  free(seconds);
  return rc;
}

/* A tenth of the time is for trials of the result. */
static int run_experiments(session_t *s, berth_error_t *err)
{
  berth_calib_experiment_t e;
  double end = s->begin_s + FOR_NUMBERS * s->o->calib.time_s;
  int rc = BERTH_OK;
  while (!rc && berth_calib_next(s->calib, end - clock_s(), &e)) {
    show_progress(s, &e, end - clock_s());
    rc = run_experiment(s, &e, take_sample, err);
  }
  progress(NULL, NULL);
  return rc;
}

/* Holds the models against messages on the measured topology, if it is whole. */
static int run_trials(session_t *s, berth_error_t *err)
{
  berth_calib_experiment_t e;
  if (berth_calib_findings(s->calib)->n_unmeasured > 0) return BERTH_OK;
  double end = s->begin_s + s->o->calib.time_s;
  int rc = BERTH_OK;
  s->trials = berth_trials_new(s->fitted, s->seats.has_rank, err);
  if (!s->trials) return err->code;
  while (!rc && berth_trials_next(s->trials, end - clock_s(), &e)) {
    progress("trying estimates on", e.what);
    rc = run_experiment(s, &e, take_trial, err);
  }
  progress(NULL, NULL);
  return rc;
}

/* Only the first digits mean something; 0 would say that nothing is known. */
static int set_model_errors(session_t *s, berth_error_t *err)
{
  int rc = BERTH_OK;
  for (int m = 0; m < BERTH_N_MODELS && !rc; m++) {
    const char *name = berth_model_name((berth_model_t)m);
    double error = s->trials ? berth_trials_error(s->trials, name) : -1;
    if (error < 0) continue;
    error = fmin(fmax(round(error * 1e3), 1) / 1e3, MAX_ERROR);
    rc = berth_topo_set_model_error(s->fitted, name, error, err);
  }
  return rc;
}

static int measure(session_t *s, berth_error_t *err)
{
  s->topo = load_topology("--topology", s->o->topology, err);
  int rc = s->topo ? out_check(s->o->output, err) : err->code;
  if (!rc)
    rc = targets_check_command(s->o->output, option_count(s->o->command),
                               (const char *const *)s->o->command, err);
  const measuring_launch_t launch = launch_of(s->o, s->program);
  if (!rc) rc = measuring_launch_start(&launch, &s->job, &s->started, err);
  if (!rc) rc = seats_find(s->topo, s->o->topology, &s->job, &s->seats, err);
  if (rc) return rc;
  s->calib = berth_calib_new(s->topo, s->seats.has_rank, &s->o->calib, err);
  if (!s->calib) return err->code;
  time_t now = time(NULL);
  strftime(s->date, sizeof s->date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
  s->begin_s = clock_s();
  return run_experiments(s, err);
}

static int fit(session_t *s, berth_error_t *err)
{
  berth_calib_origins_t origins = {{s->date, s->job.mpi, s->job.inside},
                                   {s->date, s->job.mpi, s->job.between}};
  s->fitted = berth_calib_fit(s->calib, &origins, err);
  return s->fitted ? BERTH_OK : err->code;
}

/* Writes what is known, however it ended; `stopped` says why it ended early. */
static int write_result(session_t *s, const char *stopped, berth_error_t *err)
{
  int rc = s->fitted ? BERTH_OK : fit(s, err);
  if (!rc) rc = set_model_errors(s, err);
  if (!rc) rc = berth_topo_save(s->fitted, s->o->output, err);
  if (rc) return rc;
  calibrate_summary_t summary = {.output = s->o->output,
                                 .before = s->topo,
                                 .findings = berth_calib_findings(s->calib),
                                 .fitted = s->fitted,
                                 .trials = s->trials ? berth_trials_done(s->trials) : 0,
                                 .job = &s->job,
                                 .date = s->date,
                                 .seconds = clock_s() - s->begin_s,
                                 .experiments = s->experiments,
                                 .stopped = stopped};
  const berth_calib_findings_t *f = summary.findings;
  for (size_t i = 0; i < f->n_unmeasured; i++)
    fprintf(stderr, "%s: not measured: %s\n", s->program, f->unmeasured[i]);
  if (s->o->json) return calibrate_report_json(&summary, err);
  calibrate_report_text(strcmp(s->o->output, "-") == 0 ? stderr : stdout, &summary);
  return BERTH_OK;
}

static int calibrate(session_t *s)
{
  berth_error_t err = {0}, later = {0};
  int rc = measure(s, &err);
  if (!rc) rc = fit(s, &err);
  if (!rc) rc = run_trials(s, &err);
  if (rc && s->experiments == 0) {
    int code = job_interrupted() ? 128 + job_interrupted() : rc;
    cli_report(s->program, &err);
    return code;
  }
  int code = rc && job_interrupted() ? 128 + job_interrupted() : rc;
  int written = write_result(s, rc ? err.text : NULL, &later);
  if (rc)
    fprintf(stderr, "%s: %s%s\n", s->program, err.text,
            written ? "" : "; what was measured is kept");
  if (written) return cli_report(s->program, &later);
  if (code) return code;
  return berth_calib_findings(s->calib)->n_unmeasured > 0 ? BERTH_CHECK_FAILED : BERTH_OK;
}

/* What reductions take, instead of what ports carry. */
static int run_agents(const options_t *o, const char *program)
{
  berth_error_t err = {0};
  const measuring_launch_t launch = launch_of(o, program);
  calibrate_agents_t c = {program, (const char *const *)o->command, option_count(o->command),
                          o->output, LAUNCH_MPI_UNKNOWN};
  bool assumed;
  return measuring_launch_mpi(&launch, &c.mpi, &assumed, &err) ? cli_report(program, &err)
                                                               : calibrate_agents(&c);
}

static int run(int argc, char **argv)
{
  options_t o = {.calib = berth_calib_defaults()};
  int wrong = option_parse(&cmd_calibrate, argc, argv, &o);
  if (wrong) return wrong;
  if (o.agents) return run_agents(&o, argv[0]);
  if (o.node)
    return calibrate_node(&(calibrate_node_t){argv[0], o.topology, o.output, o.samples, o.verbose,
                                              launch_of(&o, argv[0])});
  session_t s = {.o = &o, .program = argv[0]};
  int code = calibrate(&s);
  if (s.started) job_end(&s.job, code <= BERTH_CHECK_FAILED);
  seats_clear(&s.seats);
  berth_trials_free(s.trials);
  berth_calib_free(s.calib);
  berth_topo_free(s.topo);
  berth_topo_free(s.fitted);
  return code;
}

const cli_command_t cmd_calibrate = {
    .name = "calibrate", .run = run, .parts = parts, .actions = actions, .in_order = true};
