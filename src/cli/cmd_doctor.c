/* SPDX-License-Identifier: BSD-3-Clause */
/* `berth doctor`: what is there on this machine of all that berth works with, and what is missing
 * for what. */
#include <berth/topo.h>
#include <berth/version.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/json_out.h"
#include "base/text.h"
#include "cli/build_parts.h"
#include "cli/cli.h"
#include "cli/doctor_performance.h"
#include "cli/left_session.h"
#include "cli/mpi_library.h"
#include "cli/options/default_values.h"
#include "cli/print/screen.h"
#include "cli/trace_files.h"
#include "project/project.h"

enum { MAX_FINDINGS = 48, SPOOL_WANTED = 64 << 20 };

typedef enum { FINE, LIMITED, ABSENT, BROKEN } state_t;
static const char *const state_names[] = {"ok", "note", "missing", "broken"};

typedef struct finding {
  state_t state;
  const char *what; /* static */
  char text[512];
} finding_t;

enum { MPIS = 2 };

typedef struct findings {
  finding_t item[MAX_FINDINGS];
  int n;
  bool can_trace[MPIS]; /* jobs of mpis[i] */
} findings_t;

static void note(findings_t *f, state_t state, const char *what, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void note(findings_t *f, state_t state, const char *what, const char *format, ...)
{
  va_list args;
  if (f->n == MAX_FINDINGS) return;
  finding_t *item = &f->item[f->n++];
  item->state = state;
  item->what = what;
  va_start(args, format);
  vsnprintf(item->text, sizeof item->text, format, args);
  va_end(args);
  text_clean(item->text);
}

static const struct mpi {
  launch_mpi_t mpi;
  const char *name, *launcher, *plain;
  const char *package, *parts; /* of Debian: with the launcher; with berth's parts for this MPI */
} mpis[MPIS] = {
    {LAUNCH_MPI_OPENMPI, "Open MPI", "mpirun.openmpi", "mpirun", "openmpi-bin", "berth-openmpi"},
    {LAUNCH_MPI_MPICH, "MPICH", "mpiexec.mpich", "mpiexec.hydra", "mpich", "berth-mpich"}};

/* Debian gives launchers names of their own; elsewhere the plain one may be of that MPI. */
static bool find_launcher(const struct mpi *m, launch_t *out)
{
  const char *names[] = {m->launcher, m->plain};
  for (size_t i = 0; i < 2; i++) {
    const char *argv[] = {names[i], "-n", "1", "true", NULL};
    if (launch_parse(4, argv, out, &(berth_error_t){0}) == BERTH_OK) {
      if (out->mpi == m->mpi) return true;
      launch_clear(out);
    }
  }
  return false;
}

static bool check_launcher(findings_t *f, const struct mpi *m)
{
  launch_t l;
  int major = 0, minor = 0;
  berth_error_t err = {0};
  if (!find_launcher(m, &l)) {
    note(f, ABSENT, m->name,
         "no launcher in PATH (Debian: %s); jobs of this MPI can't be started here", m->package);
    return false;
  }
  int rc = launch_version(&l, &major, &minor, &err);
  if (rc)
    note(f, BROKEN, m->name, "%s: %s", l.path, err.text);
  else
    note(f, FINE, m->name, "%d.%d, %s", major, minor, l.path);
  launch_clear(&l);
  return rc == BERTH_OK;
}

/* The parts of berth that are built for an MPI; whether the tracer is there. */
static bool check_parts(findings_t *f, const struct mpi *m)
{
  bool tracer = false;
  static const struct part {
    int (*find)(launch_mpi_t mpi, char **path, berth_error_t *err);
    const char *serves;
  } parts[] = {{mpi_library_tracer, "berth trace, berth run"},
               {mpi_library_measure, "berth calibrate"},
               {mpi_library_team, "berth search"}};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    char *path = NULL;
    berth_error_t err = {0};
    if (parts[i].find(m->mpi, &path, &err))
      note(f, ABSENT, parts[i].serves, "%s: %s (Debian: %s)", m->name, err.text, m->parts);
    else
      note(f, FINE, parts[i].serves, "%s: %s", m->name, path);
    tracer |= path && parts[i].find == mpi_library_tracer;
    free(path);
  }
  return tracer;
}

static void check_library(findings_t *f, const char *what, const char *name, const char *package,
                          const char *without)
{
  void *library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
  if (library)
    note(f, FINE, what, "%s", name);
  else
    note(f, ABSENT, what, "%s can't be loaded (Debian: %s); %s", name, package, without);
  if (library) dlclose(library);
}

/* What this build was made with. */
static void check_build(findings_t *f)
{
  size_t n;
  const build_part_t *parts = build_parts(&n);
  for (size_t i = 0; i < n; i++)
    if (parts[i].is_there)
      note(f, FINE, parts[i].what, "in this build: %s", parts[i].serves);
    else
      note(f, ABSENT, parts[i].what, "this berth was built without it (%s); %s", parts[i].option,
           parts[i].without);
}

static void check_machine(findings_t *f)
{
  berth_error_t err = {0};
  char *description = berth_host_describe((long)getpid(), &err);
  berth_topo_t *t = description ? berth_topo_from_description("this", description, &err) : NULL;
  if (t)
    note(f, FINE, "this machine", "%d PU%s (hwloc)", berth_topo_n_pus(t),
         text_plural(berth_topo_n_pus(t)));
  else
    note(f, BROKEN, "this machine", "hwloc doesn't describe it: %s", err.text);
  berth_topo_free(t);
  free(description);
}

/* Why nothing can be made in a folder, as an errno; 0 when it can. */
static int why_unusable(const char *folder)
{
  char *trial = text_printf("%s/berth-doctor-XXXXXX", folder);
  int error = !trial ? ENOMEM : mkdtemp(trial) ? 0 : errno;
  if (trial && !error) rmdir(trial);
  free(trial);
  return error;
}

/* Where ranks' tables are kept while a job runs; whether they can be. */
static bool check_folder(findings_t *f, const char *what, const char *folder)
{
  char bytes[TEXT_NUMBER];
  struct statvfs disk;
  int error = why_unusable(folder);
  if (!error && statvfs(folder, &disk)) error = errno;
  if (error) {
    note(f, BROKEN, what, "%s: no folder can be made there: %s", folder, strerror(error));
    return false;
  }
  double left = (double)disk.f_bavail * (double)disk.f_frsize;
  const char *tmp = getenv("TMPDIR"), *more = "";
  if (left < SPOOL_WANTED)
    more = "; a rank's tables take up to 4 MiB (berth trace --memory, TMPDIR)";
  else if (folder == trace_spool_parent() && tmp && *tmp && strcmp(tmp, folder) != 0)
    more = "; TMPDIR is no folder that can be written";
  note(f, *more ? LIMITED : FINE, what, "%s: %s left%s", folder, text_bytes(left, bytes), more);
  return true;
}

/* Jobs that berth doesn't start may have theirs elsewhere. */
static void check_preload_folder(findings_t *f)
{
  const char *given = getenv("BERTH_TRACE_SPOOL");
  if (given && *given) check_folder(f, "BERTH_TRACE_SPOOL", given);
}

static void check_root(findings_t *f)
{
  if (geteuid() != 0) return;
  if (getenv("OMPI_ALLOW_RUN_AS_ROOT") && getenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM")) return;
  note(f, LIMITED, "root",
       "Open MPI starts no jobs for root unless OMPI_ALLOW_RUN_AS_ROOT=1 and "
       "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 are set");
}

/* What `berth recover` would make traces of. */
static void check_left(findings_t *f)
{
  left_sessions_t left;
  size_t files = 0, first = 0;
  if (left_sessions_find(&left, NULL)) left.n = 0;
  for (size_t i = left.n; i-- > 0;) {
    size_t n = left_session_count(&left.list[i]);
    if (n) first = i;
    files += n;
  }
  if (files)
    note(f, LIMITED, "killed berth trace",
         "%zu file%s of jobs whose `berth trace` was killed, first of %.200s; berth recover makes "
         "their traces",
         files, files == 1 ? "" : "s", left.list[first].output);
  left_sessions_clear(&left);
}

static const char project_file[] = "project file";

static void note_wrong_value(void *to, const char *text)
{
  note(to, BROKEN, project_file, "%s", text);
}

/* The file of defaults for the working folder. */
static void check_project(findings_t *f)
{
  project_t p;
  berth_error_t err = {0};
  char keys[256] = "";
  int rc = project_open(&p, &err);
  char *path = p.path ? realpath(p.path, NULL) : NULL;
  for (size_t i = 0; i < p.n; i++) {
    size_t used = strlen(keys);
    snprintf(keys + used, sizeof keys - used, "%s%s", i ? ", " : "", p.value[i].key->name);
  }
  if (rc)
    note(f, BROKEN, project_file, "%s", err.text);
  else if (p.path)
    note(f, FINE, project_file, "%s: %s", path ? path : p.path, p.n ? keys : "no defaults");
  else
    note(f, FINE, project_file, "none");
  if (!rc) default_values_try(&p, note_wrong_value, f);
  if (p.foreign)
    note(f, LIMITED, project_file,
         "%s is another user's file or one that all may write; %s=%s uses it", p.foreign,
         PROJECT_VARIABLE, p.foreign);
  free(path);
  project_clear(&p);
}

static void look(findings_t *f)
{
  for (int i = 0; i < MPIS; i++) {
    bool launcher = check_launcher(f, &mpis[i]), tracer = check_parts(f, &mpis[i]);
    f->can_trace[i] = launcher && tracer;
  }
  check_library(f, "call sites", "libunwind.so.8", "libunwind8",
                "traces have sites of one frame each");
  check_build(f);
  check_machine(f);
  check_project(f);
  bool folder = check_folder(f, "folder for tables", trace_spool_parent());
  for (int i = 0; i < MPIS; i++) f->can_trace[i] &= folder;
  check_preload_folder(f);
  check_left(f);
  check_root(f);
}

/* With one MPI the main job can be done. */
static bool can_trace(const findings_t *f) { return f->can_trace[0] || f->can_trace[1]; }

static int print_json(const findings_t *f, berth_error_t *err)
{
  json_out_t j;
  if (json_begin(&j, "-", "berth-doctor", err)) return BERTH_MISSING;
  json_put_string(&j, "berth", BERTH_VERSION);
  json_put_bool(&j, "can_trace", can_trace(f));
  json_open(&j, "can_trace_mpis", '[', JSON_ONE_LINE);
  for (int i = 0; i < MPIS; i++)
    if (f->can_trace[i]) json_put_string(&j, NULL, mpis[i].name);
  json_close(&j);
  json_open(&j, "findings", '[', JSON_LINES);
  for (int i = 0; i < f->n; i++) {
    json_open(&j, NULL, '{', JSON_ONE_LINE);
    json_put_string(&j, "state", state_names[f->item[i].state]);
    json_put_string(&j, "what", f->item[i].what);
    json_put_string(&j, "text", f->item[i].text);
    json_close(&j);
  }
  json_close(&j);
  json_close(&j);
  return out_commit(j.out, err);
}

static void print_text(const findings_t *f)
{
  printf("berth %s\n", BERTH_VERSION);
  static const screen_style_t styles[] = {SCREEN_GOOD, SCREEN_DOUBTFUL, SCREEN_BAD, SCREEN_BAD};
  for (int i = 0; i < f->n; i++) {
    const finding_t *item = &f->item[i];
    screen_print(stdout, styles[item->state], state_names[item->state]);
    printf("%*s %-24s %s\n", 8 - (int)strlen(state_names[item->state]), "", item->what, item->text);
  }
  if (!can_trace(f))
    puts("no job can be traced here; berth can still show, map and estimate patterns");
  else if (f->can_trace[0] && f->can_trace[1])
    printf("jobs of %s and %s can be traced and placed here\n", mpis[0].name, mpis[1].name);
  else
    printf("jobs of %s can be traced and placed here; those of %s can't be traced\n",
           mpis[f->can_trace[0] ? 0 : 1].name, mpis[f->can_trace[0] ? 1 : 0].name);
}

typedef struct options {
  bool json, performance;
} options_t;

static const option_t own_options[] = {OPTION("--json", option_flag, options_t, json),
                                       OPTION("--performance", option_flag, options_t, performance),
                                       {0}};
static const option_table_t own = {own_options, NULL};
static const option_part_t parts[] = {{&own, 0}, {0}};

static int run(int argc, char **argv)
{
  options_t o = {0};
  findings_t found = {.n = 0};
  berth_error_t err = {0};
  int wrong = option_parse(&cmd_doctor, argc, argv, &o);
  if (wrong) return wrong;
  if (o.performance) return doctor_performance(argv[0], o.json);
  look(&found);
  if (!o.json) print_text(&found);
  if (o.json && print_json(&found, &err)) return cli_report(argv[0], &err);
  return can_trace(&found) ? BERTH_OK : BERTH_MISSING;
}

const cli_command_t cmd_doctor = {.name = "doctor", .run = run, .parts = parts};
