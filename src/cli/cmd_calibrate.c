/* SPDX-License-Identifier: BSD-3-Clause */
/* `berth calibrate`: measures what a topology's ports carry. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/no_memory.h"
#include "base/out_file.h"
#include "base/text.h"
#include "cli/calibrate_job.h"
#include "cli/calibrate_place.h"
#include "cli/cli.h"
#include "cli/mpi_library.h"
#include "cli/options/load.h"
#include "cli/options/targets.h"
#include "cli/print/calibrate_report.h"
#include "cli/print/progress.h"
#include "cli/secret.h"
#include "launch/launch.h"

enum { OPT_TIME = 256, OPT_SPREAD, OPT_SAMPLES, OPT_MPI, OPT_JSON, OPT_VERBOSE };

typedef struct options {
  const char *topology, *output;
  berth_calib_options_t calib;
  launch_mpi_t mpi;
  bool json, verbose;
  char **command; /* NULL when there is none */
  size_t n_words;
} options_t;

static const struct argp_option option_table[] = {
    {"topology", 't', "FILE", 0, "The machine: its structure, and curves that may be wrong.", 0},
    {"output", 'o', "FILE", 0, "The topology with what was measured.", 0},
    {"time-limit", OPT_TIME, "SECONDS", 0, "For all experiments together (default 240).", 0},
    {"spread", OPT_SPREAD, "PERCENT", 0,
     "Repeat until the samples of a value lie within this of their median (default 1).", 0},
    {"samples", OPT_SAMPLES, "N", 0,
     "At most so many samples of a value (default 12); four times as many where they lie far "
     "apart.",
     0},
    {"mpi", OPT_MPI, "NAME", 0,
     "The MPI, openmpi or mpich, where the launcher doesn't tell (default openmpi).", 0},
    {"verbose", OPT_VERBOSE, NULL, 0, "Print every experiment and its result on standard error.",
     0},
    {"json", OPT_JSON, NULL, 0, "Print what was found as one JSON object.", 0},
    {0}};

static void check_usage(struct argp_state *state, const options_t *o)
{
  if (!o->topology) argp_error(state, "expected --topology");
  if (!o->output) argp_error(state, "expected -o");
  if (!o->command) argp_error(state, "expected a launcher, as in: mpirun --hostfile hosts");
  if (o->json && strcmp(o->output, "-") == 0)
    argp_error(state, "--json: found another output to standard output, expected one");
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
  options_t *o = state->input;
  switch (key) {
  case 't':
    o->topology = arg;
    break;
  case 'o':
    o->output = arg;
    break;
  case OPT_TIME:
    o->calib.time_s = (double)cli_number(state, "--time-limit", arg, 1, 1000000);
    break;
  case OPT_SPREAD:
    o->calib.spread = cli_percent(state, "--spread", arg, false);
    break;
  case OPT_SAMPLES:
    o->calib.max_samples = (int)cli_number(state, "--samples", arg, 3, 10000);
    break;
  case OPT_MPI:
    if (!launch_mpi_find(arg, &o->mpi))
      argp_error(state, "--mpi: found '%s', expected openmpi or mpich", arg);
    break;
  case OPT_VERBOSE:
    o->verbose = true;
    break;
  case OPT_JSON:
    o->json = true;
    break;
  case ARGP_KEY_ARG:
    o->n_words = (size_t)(state->argc - state->next + 1);
    o->command = cli_take_command(state);
    break;
  case ARGP_KEY_END:
    check_usage(state, o);
    break;
  default:
    return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

static const struct argp argp = {
    .options = option_table,
    .parser = parse_option,
    .args_doc = "--topology FILE -o FILE [--time-limit SECONDS] -- LAUNCHER...",
    .doc = "Measures what the ports of a machine carry, and writes it into its topology. The "
           "launcher gets no program: berth adds its own, which needs a rank for each PU of the "
           "hosts that are to be measured."};

typedef struct session {
  const options_t *o;
  const char *program;
  berth_topo_t *topo, *fitted;
  berth_calib_t *calib;
  seats_t seats;
  job_t job;
  bool started, mpi_assumed; /* the launcher doesn't tell its MPI */
  double begin_s;
  int experiments;
  char date[32];
} session_t;

/* Which MPI the launcher starts, Open MPI where it doesn't tell; refuses a program behind it. */
static int find_mpi(session_t *s, const char *const *words, size_t n, launch_mpi_t *mpi,
                    berth_error_t *err)
{
  launch_t launch;
  int rc = launch_parse(n, words, &launch, err);
  if (rc) return rc;
  const launch_context_t *c = &launch.contexts[0];
  if (launch.kind != LAUNCHER_NONE && launch.argv[c->program] != words[n - 1])
    rc = berth_fail(err, BERTH_USAGE,
                    "found program '%s' behind the launcher, expected none: berth adds its own",
                    launch.argv[c->program]);
  *mpi = launch.mpi ? launch.mpi : s->o->mpi;
  if (!rc && launch.mpi && s->o->mpi && launch.mpi != s->o->mpi)
    rc = berth_fail(err, BERTH_USAGE, "--mpi: found %s with a launcher of %s",
                    launch_mpi_name(s->o->mpi), launch_mpi_name(launch.mpi));
  launch_clear(&launch);
  s->mpi_assumed = !rc && !*mpi;
  if (s->mpi_assumed) *mpi = LAUNCH_MPI_OPENMPI;
  return rc;
}

/* The launcher's words with the measuring program behind them. */
static int start_job(session_t *s, berth_error_t *err)
{
  static char placeholder[] = "berth-measure";
  char secret[SECRET_LENGTH + 1];
  size_t n = s->o->n_words;
  if (secret_make(secret, err)) return err->code;
  char **words = calloc(n + 3, sizeof *words), *path = NULL;
  if (!words) return no_memory(err);
  memcpy(words, s->o->command, n * sizeof *words);
  words[n] = placeholder;
  launch_mpi_t mpi;
  int rc = find_mpi(s, (const char *const *)words, n + 1, &mpi, err);
  if (!rc) rc = mpi_library_measure(mpi, &path, err);
  words[n] = path;
  words[n + 1] = secret;
  if (!rc) {
    progress("starting", words[0]);
    s->started = true;
    rc = job_start(&s->job, words, secret, err);
    if (!rc && s->mpi_assumed)
      fprintf(stderr, "%s: the launcher doesn't tell its MPI, openmpi is taken; --mpi changes it\n",
              s->program);
  }
  free(words);
  free(path);
  return rc;
}

static void show_progress(const session_t *s, const berth_calib_experiment_t *e, double limit_left)
{
  berth_calib_progress_t p = berth_calib_progress(s->calib);
  double left = p.left_s < limit_left ? p.left_s : limit_left;
  char text[900];
  snprintf(text, sizeof text, "experiment %d of %d, about %.0f s left: %s", p.done + 1,
           p.planned > p.done ? p.planned : p.done + 1, left, e->what);
  progress(text, NULL);
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

static int run_experiments(session_t *s, berth_error_t *err)
{
  berth_calib_experiment_t e;
  double end = s->begin_s + s->o->calib.time_s;
  int rc = BERTH_OK;
  while (!rc && berth_calib_next(s->calib, end - clock_s(), &e)) {
    double *seconds = calloc(e.n_flows, sizeof *seconds);
    if (!seconds) return no_memory(err);
    show_progress(s, &e, end - clock_s());
    rc = job_run(&s->job, &e, s->seats.rank_of_pu, seconds, err);
    if (!rc) rc = berth_calib_take(s->calib, seconds, err);
    if (!rc && s->o->verbose) tell(s, &e, seconds);
    if (!rc) s->experiments++;
    free(seconds);
  }
  progress(NULL, NULL);
  return rc;
}

static int measure(session_t *s, berth_error_t *err)
{
  s->topo = load_topology("--topology", s->o->topology, err);
  size_t n_words = 0;
  while (s->o->command[n_words]) n_words++;
  int rc = s->topo ? out_check(s->o->output, err) : err->code;
  if (!rc)
    rc = targets_check_command(s->o->output, n_words, (const char *const *)s->o->command, err);
  if (!rc) rc = start_job(s, err);
  if (!rc) rc = place_seats_find(s->topo, s->o->topology, &s->job, &s->seats, err);
  if (rc) return rc;
  s->calib = berth_calib_new(s->topo, s->seats.has_rank, &s->o->calib, err);
  if (!s->calib) return err->code;
  time_t now = time(NULL);
  strftime(s->date, sizeof s->date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
  s->begin_s = clock_s();
  return run_experiments(s, err);
}

/* Writes what is known, however it ended; `stopped` says why it ended early. */
static int write_result(session_t *s, const char *stopped, berth_error_t *err)
{
  berth_calib_origins_t origins = {{s->date, s->job.mpi, s->job.inside},
                                   {s->date, s->job.mpi, s->job.between}};
  s->fitted = berth_calib_fit(s->calib, &origins, err);
  if (!s->fitted) return err->code;
  int rc = berth_topo_save(s->fitted, s->o->output, err);
  if (rc) return rc;
  calibrate_summary_t summary = {.output = s->o->output,
                                 .before = s->topo,
                                 .findings = berth_calib_findings(s->calib),
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

static int run(int argc, char **argv)
{
  options_t o = {.calib = berth_calib_defaults()};
  int wrong = cli_parse(&argp, argc, argv, ARGP_IN_ORDER, &o);
  if (wrong) return wrong;
  session_t s = {.o = &o, .program = argv[0]};
  int code = calibrate(&s);
  if (s.started) job_end(&s.job, code <= BERTH_CHECK_FAILED);
  place_seats_clear(&s.seats);
  berth_calib_free(s.calib);
  berth_topo_free(s.topo);
  berth_topo_free(s.fitted);
  return code;
}

const cli_command_t cmd_calibrate = {
    "calibrate", "measure what a machine's ports carry", run, &argp, NULL, false};
