/* SPDX-License-Identifier: BSD-3-Clause */
/* `berth trace`: starts a job with the tracer in its processes and keeps what they counted. */
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/no_memory.h"
#include "base/own.h"
#include "base/process.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/left_session.h"
#include "cli/mpi_library.h"
#include "cli/options/targets.h"
#include "cli/trace_files.h"
#include "launch/launch.h"
#include "spool/spool_live.h"

enum { MAX_SITES = 16, DEFAULT_SITES = 4, DEFAULT_EAGER = 64 << 10 };
enum { MAX_WAIT = 5 /* seconds for ranks that outlive their launcher */ };
enum { NAME_MARGIN = 40 /* of temporary names, and of -spawned, -2 and .old */ };

typedef struct options {
  const char *output;
  int sites, library;
  const char *phases; /* NULL: the default */
  bool order, no_times, optional;
  int eager;                     /* below 0: not said */
  uint64_t memory;               /* bytes; 0: the tracer's default */
  launch_mpi_t mpi, library_mpi; /* of --mpi, and behind --library */
  launch_mpi_t default_mpi;      /* of the project file */
  char **command;                /* NULL when there is none */
} options_t;

static void take_phases(struct argp_state *state, const option_t *option, char *arg, void *field)
{
  if (strcmp(arg, "off") != 0 && strcmp(arg, "pcontrol") != 0 && strcmp(arg, "auto") != 0)
    argp_error(state, "%s: found '%s', expected auto, pcontrol or off", option->name, arg);
  *(const char **)field = arg;
}

static void take_library(struct argp_state *state, const option_t *option, char *arg, void *all)
{
  options_t *o = all;
  o->library = 1;
  if (arg) mpi_library_take(state, option, arg, &o->library_mpi);
}

/* Takes the MPI behind --library, or the command. */
static void take_words(struct argp_state *state, const option_t *option, char *arg, void *all)
{
  static const option_t library = {.name = "--library"};
  options_t *o = all;
  if (o->library)
    take_library(state, &library, arg, o);
  else
    option_command(state, option, arg, &o->command);
}

static void check_usage(struct argp_state *state, void *all)
{
  options_t *o = all;
  if (!o->command && !o->library)
    argp_error(state, "expected a command, as in: mpirun -np 4 ./app");
  if (o->eager < 0)
    o->eager = DEFAULT_EAGER;
  else if (!o->order)
    argp_error(state, "found --eager without --order, which needs it");
  if (o->mpi && o->library_mpi && o->mpi != o->library_mpi)
    argp_error(state, "--library: found %s with --mpi %s, expected one MPI",
               launch_mpi_name(o->library_mpi), launch_mpi_name(o->mpi));
  if (!o->mpi) o->mpi = o->library_mpi;
  mpi_library_take_default(state, &o->default_mpi);
}

static const option_t own_options[] = {
    OPTION("--output", option_text, options_t, output),
    OPTION_IN("--sites", option_number, options_t, sites, 0, MAX_SITES),
    OPTION("--phases", take_phases, options_t, phases),
    OPTION("--order", option_flag, options_t, order),
    OPTION_IN("--eager", option_number, options_t, eager, 0, INT_MAX),
    OPTION_IN("--memory", option_size, options_t, memory, 256 << 10, UINT64_C(64) << 30),
    OPTION("--no-times", option_flag, options_t, no_times),
    OPTION("--optional", option_flag, options_t, optional),
    OPTION("--mpi", mpi_library_take, options_t, mpi),
    OPTION_OF_ALL("--library", take_library),
    OPTION_OF_ALL("", take_words),
    {0}};

static const option_table_t own = {own_options, check_usage};
static const option_part_t parts[] = {{&own, 0}, {0}};

/* One run of the command. */
typedef struct session {
  const options_t *o;
  const char *program; /* "berth trace", for messages */
  launch_t launch;
  launch_mpi_t mpi;
  launch_needs_t needs; /* of the first program, as far as it can be seen from here */
  char token[17];
  char *library, *output, *folder, *dir, *spool; /* the trace's folder, the one that the job writes
                                                    its trace in first, the folder of spool files */
} session_t;

static void session_clear(session_t *s)
{
  launch_clear(&s->launch);
  free(s->library);
  free(s->output);
  free(s->folder);
  free(s->dir);
  free(s->spool);
}

/* Which MPI the job's programs use. */
static int find_mpi(session_t *s, berth_error_t *err)
{
  const launch_t *l = &s->launch;
  const launch_context_t *c = &l->contexts[0];
  int rc = launch_program_needs(c->end - c->program, l->argv + c->program, &s->needs, err);
  if (rc && l->kind == LAUNCHER_NONE) return rc; /* else it may be there on other machines */
  s->mpi = s->o->mpi      ? s->o->mpi
           : l->mpi       ? l->mpi
           : s->needs.mpi ? s->needs.mpi
                          : s->o->default_mpi;
  const char *word = l->argv[c->program];
  if (!s->mpi && s->needs.is_static)
    return berth_fail(
        err, BERTH_USAGE,
        "%s: found a static program, into which nothing can be preloaded; expected one "
        "linked with the shared library of Open MPI or MPICH",
        word);
  if (!s->mpi)
    return berth_fail(err, BERTH_USAGE,
                      "%s: found neither a launcher nor a program linked with "
                      "Open MPI or MPICH; say which it uses: --mpi openmpi or --mpi mpich",
                      word);
  if (!rc && s->needs.mpi && s->needs.mpi != s->mpi)
    return berth_fail(err, BERTH_USAGE, "%s: found a program linked with %s, expected %s as %s",
                      word, launch_mpi_name(s->needs.mpi), launch_mpi_name(s->mpi),
                      s->o->mpi ? "--mpi says" : "the launcher is");
  return BERTH_OK;
}

/* The trace's name: by default after the program. */
static char *output_path(const session_t *s)
{
  if (s->o->output) return strdup(s->o->output);
  const launch_t *l = &s->launch;
  const char *word = l->argv[launch_program_word(l, &l->contexts[0])], *slash = strrchr(word, '/');
  return text_printf("berth-%s.acp.zst", slash ? slash + 1 : word);
}

static int cannot_write(const char *path, int error, berth_error_t *err)
{
  return berth_fail(err, BERTH_MISSING, "%s: cannot write: %s", path, strerror(error));
}

/* Refuses names that no trace can be written to, before the job is started. */
static int check_output(const char *path, bool chosen, berth_error_t *err)
{
  struct stat st;
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  if (!*path) return berth_fail(err, BERTH_MISSING, "-o: found an empty name, expected a file's");
  if (!*name || (stat(path, &st) == 0 && S_ISDIR(st.st_mode)))
    return cannot_write(path, EISDIR, err);
  char *real;
  if (own_resolve(path, chosen, &real, &st, err)) return BERTH_MISSING;
  free(real);
  if (strlen(name) + NAME_MARGIN > NAME_MAX) return cannot_write(path, ENAMETOOLONG, err);
  return BERTH_OK;
}

/* The trace must be none of the job's programs and of the files that its command names. */
static int check_command(const session_t *s, berth_error_t *err)
{
  const launch_t *l = &s->launch;
  int rc = targets_check_command(s->output, l->argc, l->argv, err);
  for (size_t i = 0; i < l->n_contexts && !rc; i++) {
    char *program = launch_program_file(l, &l->contexts[i]);
    rc = targets_check_input(s->output, program, err);
    free(program);
  }
  return rc;
}

/* The folder that the job writes its trace in first: beside the output, as jobs on other machines
 * find it there; in the working folder where that is a device or a pipe. */
static int place_in(session_t *s, berth_error_t *err)
{
  struct stat st;
  bool device =
      text_starts(s->output, "/dev/") || (stat(s->output, &st) == 0 && !S_ISREG(st.st_mode));
  char *folder = strdup(device ? "." : s->output);
  const char *slash = strrchr(s->output, '/'), *name = slash ? slash + 1 : s->output;
  if (!folder) return no_memory(err);
  s->folder = realpath(device ? folder : dirname(folder), NULL);
  int error = errno;
  free(folder);
  if (!s->folder || access(s->folder, W_OK | X_OK) != 0)
    return cannot_write(s->output, s->folder ? errno : error, err);
  s->dir = text_printf("%s/.%.100s.%s", s->folder, name, s->token);
  if (!s->dir) return no_memory(err);
  if (strlen(s->dir) + TRACE_IDENTITY + NAME_MARGIN > PATH_MAX)
    return cannot_write(s->output, ENAMETOOLONG, err);
  return BERTH_OK;
}

static int make_names(session_t *s, berth_error_t *err)
{
  uint64_t token;
  if (getrandom(&token, sizeof token, 0) != sizeof token) token = (uint64_t)getpid();
  snprintf(s->token, sizeof s->token, "%016llx", (unsigned long long)token);
  const char *tmp = getenv("TMPDIR"), *parent = trace_spool_parent();
  if (tmp && *tmp && strcmp(tmp, parent) != 0)
    fprintf(stderr,
            "%s: TMPDIR: found no folder that can be written, expected one; tables are in %s\n",
            s->program, parent);
  s->spool = text_printf("%s/berth-spool-%s", parent, s->token);
  s->output = output_path(s);
  if (!s->spool || !s->output) return no_memory(err);
  int rc = check_output(s->output, !s->o->output, err);
  if (!rc) rc = check_command(s, err);
  return rc ? rc : place_in(s, err);
}

static int make_spool(const session_t *s, berth_error_t *err)
{
  int error = strlen(s->spool) + TRACE_IDENTITY + NAME_MARGIN > PATH_MAX ? ENAMETOOLONG : 0;
  if (!error && mkdir(s->spool, 0700) != 0) error = errno;
  if (!error) return BERTH_OK;
  return berth_fail(err, BERTH_MISSING, "%s: cannot make this folder: %s", s->spool,
                    strerror(error));
}

/* Makes the folder that the job writes its trace in, where nobody else can put or read anything. On
 * a file system that keeps no owners and permissions the folder of tables serves instead. */
static int make_dir(session_t *s, berth_error_t *err)
{
  struct stat st;
  if (mkdir(s->dir, 0700) != 0) return cannot_write(s->output, errno, err);
  if (lstat(s->dir, &st) == 0 && own_is(&st, S_IFDIR)) return BERTH_OK;
  rmdir(s->dir);
  free(s->dir);
  s->dir = strdup(s->spool);
  return s->dir ? BERTH_OK : no_memory(err);
}

/* Both are gone, where nothing is in them. */
static void remove_folders(const session_t *s)
{
  trace_remove_folder(s->dir);
  if (rmdir(s->spool) == 0 || errno != ENOTEMPTY) return;
  fprintf(stderr, "%s: the counts of the ranks are kept in %s; `", s->program, s->spool);
  cli_print_command(stderr, (const char *const[]){"berth", "recover", s->spool, NULL});
  fputs("` makes a trace of it\n", stderr);
}

/* Everything that can fail before the job is started. */
static int prepare(session_t *s, berth_error_t *err)
{
  int rc = launch_parse(option_count(s->o->command), (const char *const *)s->o->command, &s->launch,
                        err);
  if (!rc) rc = find_mpi(s, err);
  if (!rc) rc = mpi_library_tracer(s->mpi, &s->library, err);
  if (!rc) rc = make_names(s, err);
  if (!rc) rc = make_spool(s, err);
  if (!rc && (rc = make_dir(s, err))) rmdir(s->spool);
  return rc;
}

/* DIR/%j for the tracer, which takes a percent sign of our own doubled; NULL: out of memory.
 */
static char *file_setting(const session_t *s)
{
  char *out = malloc(2 * strlen(s->dir) + sizeof "/%j"), *end = out;
  for (const char *c = s->dir; out && *c; c++) {
    if (*c == '%') *end++ = '%';
    *end++ = *c;
  }
  if (out) strcpy(end, "/%j");
  return out;
}

static int start(const session_t *s, int *code, berth_error_t *err)
{
  char depth[8], eager[24], memory[24] = "", **argv = NULL, *file = file_setting(s);
  if (!file) return no_memory(err);
  snprintf(depth, sizeof depth, "%d", s->o->sites);
  snprintf(eager, sizeof eager, "%d", s->o->eager);
  if (s->o->memory) snprintf(memory, sizeof memory, "%llu", (unsigned long long)s->o->memory);
  const launch_setting_t settings[] = {
      {"LD_PRELOAD", s->library, true},
      {"BERTH_TRACE_FILE", file, false},
      {"BERTH_TRACE_SITES", depth, false},
      {"BERTH_TRACE_PHASES", s->o->phases ? s->o->phases : "", false},
      {"BERTH_TRACE_ORDER", s->o->order ? "1" : "0", false},
      {"BERTH_TRACE_EAGER", eager, false},
      {"BERTH_TRACE_TIMES", s->o->no_times ? "0" : "1", false},
      {"BERTH_TRACE_SPOOL", s->spool, false},
      {"BERTH_TRACE_MEMORY", memory, false}};
  size_t n = sizeof settings / sizeof *settings - (s->o->memory == 0);
  int rc = launch_build(&s->launch, 0, NULL, n, settings, &argv, err);
  if (!rc) rc = process_run(argv, code, err);
  launch_free_argv(argv);
  free(file);
  return rc;
}

static const char *why_no_trace(const session_t *s)
{
  if (s->needs.is_static)
    return "no process called MPI_Init; the program is static, so nothing can be preloaded into it";
  if (!s->needs.dynamic && s->needs.mpi == LAUNCH_MPI_UNKNOWN)
    return "no process called MPI_Init; the tracer can't see static programs, or children of a "
           "script that use another MPI";
  return "no process called MPI_Init";
}

/* A trace of an earlier run shall not be taken for this one's. */
static void say_old(const session_t *s)
{
  struct stat st;
  if (stat(s->output, &st) != 0 || !S_ISREG(st.st_mode)) return;
  text_clean(s->output);
  fprintf(stderr, "%s: %s is from an earlier run and unchanged\n", s->program, s->output);
}

/* Makes traces of what the job left. Fails where there is none. */
static int collect(const session_t *s, berth_error_t *err)
{
  trace_target_t target = {s->program, s->output, !s->o->output, 0, false};
  signal(SIGPIPE, SIG_IGN); /* nobody may be reading what is said from here on */
  live_wait(s->spool, MAX_WAIT);
  int rc = trace_take_left(&target, s->dir, s->spool, err);
  if (!rc && target.written == 0)
    rc = berth_fail(err, BERTH_MISSING, "no trace: %s", why_no_trace(s));
  if (!rc) return BERTH_OK;
  cli_report(s->program, err);
  if (target.written == 0) say_old(s);
  trace_say_kept(s->program, s->dir);
  return BERTH_MISSING;
}

/* Leaves word of the session for `berth recover`, should it be killed. */
static int leave_word(const session_t *s)
{
  const char *slash = strrchr(s->output, '/');
  char *output = text_printf("%s/%s", s->folder, slash ? slash + 1 : s->output);
  const left_session_t word = {s->spool, output, s->dir, !s->o->output};
  int lock = output ? left_session_begin(&word) : -1;
  free(output);
  return lock;
}

/* A signal while the trace is made, such as the second of two Ctrl-C: the first says where the
 * counts are, the next one ends berth. They are handled before the job starts, as child_run gives
 * back the handlers that it found. */
static char *kept_line;
static volatile sig_atomic_t signals_taken;

static void say_where(int number)
{
  int error = errno;
  if (signals_taken++) {
    signal(number, SIG_DFL);
    raise(number); /* it takes effect when this handler returns */
  } else if (kept_line && write(STDERR_FILENO, kept_line, strlen(kept_line)) < 0) {
    signals_taken = 1; /* nobody reads it */
  }
  errno = error;
}

static void handle_signals(const session_t *s)
{
  static const int numbers[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
  kept_line = text_printf(
      "%s: writing the trace; the counts of the ranks are in %s; a second signal leaves them "
      "there for berth recover\n",
      s->program, s->spool);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    struct sigaction old, action = {.sa_handler = say_where, .sa_flags = SA_RESTART};
    sigaction(numbers[i], NULL, &old);
    if (old.sa_handler != SIG_IGN) sigaction(numbers[i], &action, NULL);
  }
}

static int trace(session_t *s)
{
  berth_error_t err = {0};
  int code = BERTH_OK, rc = prepare(s, &err), lock = rc ? -1 : leave_word(s);
  if (!rc) handle_signals(s);
  if (!rc) rc = start(s, &code, &err);
  if (rc) {
    if (s->spool) left_session_end(s->spool, lock);
    if (s->dir) rmdir(s->dir);
    if (s->spool) rmdir(s->spool);
    return cli_report(s->program, &err);
  }
  rc = collect(s, &err);
  left_session_end(s->spool, lock);
  remove_folders(s);
  return code || s->o->optional ? code : rc;
}

static int print_library(const options_t *o, const char *program)
{
  berth_error_t err = {0};
  char *path;
  launch_mpi_t mpi = o->mpi ? o->mpi : o->default_mpi ? o->default_mpi : LAUNCH_MPI_OPENMPI;
  if (mpi_library_tracer(mpi, &path, &err)) return cli_report(program, &err);
  puts(path);
  free(path);
  return BERTH_OK;
}

static int run(int argc, char **argv)
{
  options_t o = {.sites = DEFAULT_SITES, .eager = -1};
  int wrong = option_parse(&cmd_trace, argc, argv, &o);
  if (wrong) return wrong;
  if (o.library) return print_library(&o, argv[0]);
  session_t s = {.o = &o, .program = argv[0]};
  int code = trace(&s);
  session_clear(&s);
  return code;
}

const cli_command_t cmd_trace = {.name = "trace", .run = run, .parts = parts, .in_order = true};
