/* SPDX-License-Identifier: BSD-3-Clause */
/* `berth run`: traces a job the first time and places it from then on. It is made of the other
 * commands: what it does can be done by hand with them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/machine_load.h"
#include "base/no_memory.h"
#include "base/process.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/mpi_library.h"
#include "cli/options/default_values.h"
#include "cli/options/inputs.h"
#include "cli/options/load.h"
#include "cli/print/conclusion.h"
#include "cli/print/topo_view.h"
#include "cli/run_cache.h"
#include "schedule/schedule_rules.h"
#include "topo/topo_levels.h"

typedef struct options {
  const char *topology, *cache;
  int retrace, dry_run, reserve, collectives, agents, one_sided;
  char **command;
} options_t;

static void check(struct argp_state *state, void *all)
{
  if (!((const options_t *)all)->command)
    argp_error(state, "expected a command, as in: mpirun -np 16 ./app");
}

static const option_t own_options[] = {
    OPTION("--topology", option_text, options_t, topology),
    OPTION("--cache", option_text, options_t, cache),
    OPTION("--retrace", option_flag, options_t, retrace),
    OPTION("--collectives", option_flag, options_t, collectives),
    OPTION("--agents", option_flag, options_t, agents),
    OPTION("--one-sided", option_flag, options_t, one_sided),
    OPTION_IN_OR_DEFAULT("--reserve", inputs_reserve, options_t, reserve, 0, 1 << 20),
    OPTION("--dry-run", option_flag, options_t, dry_run),
    OPTION("", option_command, options_t, command),
    {0}};

static const option_table_t own = {own_options, check};
static const option_part_t parts[] = {{&own, 0}, {0}};

/* A run at work. */
typedef struct job {
  const options_t *o;
  const char *program; /* "berth run", for messages */
  launch_t launch;
  run_cache_t cache;
} job_t;

/* Prints the one line and becomes the command; for a dry run only prints. */
static int start(const job_t *j, const char *what, char *const *argv)
{
  berth_error_t err = {0};
  fprintf(stderr, "%s: %s: ", j->program, what);
  cli_print_command(stderr, (const char *const *)argv);
  fputc('\n', stderr);
  if (j->o->dry_run) return BERTH_OK;
  process_become(argv, &err);
  return cli_report(j->program, &err);
}

static int start_as_given(const job_t *j, const char *why)
{
  char *what = text_printf("started as given, %s", why);
  int code = what ? start(j, what, j->o->command) : BERTH_MISSING;
  free(what);
  return code;
}

/* Starts the job under `berth trace`, and keeps the trace if the job ends well. */
static int trace(const job_t *j, const char *why)
{
  berth_error_t err = {0};
  int code = 0, rc;
  char *self = process_self();
  size_t n_words = option_count(j->o->command);
  char **argv = calloc(n_words + 7, sizeof *argv);
  if (!self || !argv) return BERTH_MISSING;
  size_t n = 0;
  char trace_word[] = "trace", optional[] = "--optional", to[] = "-o", end[] = "--";
  argv[n++] = self;
  argv[n++] = trace_word;
  argv[n++] = optional; /* what the job is worth doesn't depend on its trace */
  argv[n++] = to;
  argv[n++] = j->cache.partial;
  argv[n++] = end;
  memcpy(argv + n, j->o->command, n_words * sizeof *argv);
  char busy[LOAD_TEXT];
  load_t load = load_now();
  if (load_is_high(&load))
    fprintf(stderr, "%s: %s\n", j->program, load_text(&load, "this machine", busy));
  fprintf(stderr, "%s: this run is traced, %s: ", j->program, why);
  cli_print_command(stderr, (const char *const *)argv);
  fputc('\n', stderr);
  rc = j->o->dry_run ? BERTH_OK : process_run(argv, &code, &err);
  bool keep = !rc && !j->o->dry_run && code == 0 && access(j->cache.partial, R_OK) == 0;
  if (keep) rc = run_cache_keep(&j->cache, &err);
  if (keep && !rc) fprintf(stderr, "%s: the trace is kept as %s\n", j->program, j->cache.pattern);
  unlink(j->cache.partial); /* of a run that failed: it would place the next ones wrongly */
  free(self);
  free(argv);
  if (rc) return cli_report(j->program, &err);
  return code;
}

/* Asks the job's hosts what they are: a probe is started in the place of each of its programs. */
static int discover(const job_t *j)
{
  berth_error_t err = {0};
  discover_options_t options = {
      .output = j->cache.topology, .launcher = j->o->command, .quiet = true};
  return topo_discover(&options, &err) ? cli_report(j->program, &err) : BERTH_OK;
}

/* A placement, where it is written, and what it should bring. */
typedef struct placement {
  inputs_t in;
  berth_mapping_t mapping;
  double linear_cost_s; /* of the default order */
  char conclusion[CONCLUSION];
  char *mapping_file, *rankfile, *groups;
} placement_t;

static void placement_clear(placement_t *p)
{
  berth_mapping_clear(&p->mapping);
  inputs_clear(&p->in);
  free(p->mapping_file);
  free(p->rankfile);
  free(p->groups);
}

/* Writes the placement; a dry run only names its files. */
static int write_placement(const job_t *j, placement_t *p, berth_error_t *err)
{
  p->mapping_file = run_cache_placement_file(&j->cache, &p->mapping, p->in.topo, "mapping.json");
  p->rankfile = run_cache_placement_file(&j->cache, &p->mapping, p->in.topo, "rankfile");
  p->groups = run_cache_placement_file(&j->cache, &p->mapping, p->in.topo, "groups.json");
  if (!p->mapping_file || !p->rankfile || !p->groups) return no_memory(err);
  if (j->o->dry_run) return BERTH_OK;
  const struct {
    const char *writer, *file;
  } files[] = {{"mapping", p->mapping_file}, {"rankfile", p->rankfile}, {"groups", p->groups}};
  size_t n = j->o->collectives ? 3 : 2;
  int rc = BERTH_OK;
  for (size_t i = 0; i < n && !rc; i++) rc = run_cache_check_file(files[i].file, err);
  if (rc) return rc;
  mode_t before = run_cache_umask();
  for (size_t i = 0; i < n && !rc; i++)
    rc = berth_writer_find(files[i].writer)->write(&p->mapping, p->in.topo, files[i].file, err);
  umask(before);
  return rc;
}

static int place(const job_t *j, placement_t *p, berth_error_t *err)
{
  berth_assess_options_t options = berth_assess_defaults();
  options.intervals = 0;
  int rc = inputs_load(&p->in, err);
  if (!j->o->topology) unlink(j->cache.topology);
  if (!rc)
    rc = inputs_map(&p->in, p->in.pattern, berth_mapper_find("best"), &p->mapping, NULL, err);
  if (rc) return rc;
  const int *placement = p->mapping.pu_of_rank;
  berth_assessment_t *a = inputs_assess(&p->in, p->in.pattern, options, 1, &placement, err);
  if (!a) return err->code;
  p->mapping.cost_s = berth_assessment_estimate(a, 0)->cost_s;
  p->linear_cost_s = berth_assessment_estimate(a, 1)->cost_s;
  conclusion_of_placement(a, 0, "the placement", p->conclusion);
  berth_assessment_free(a);
  return write_placement(j, p, err);
}

/* The job's command with the rankfile, which Open MPI 5 takes by another option; and with the
 * placement's groups for the collective library, unless the user has set some. */
static int with_placement(const job_t *j, const placement_t *p, char ***argv, berth_error_t *err)
{
  int major, minor, rc = launch_version(&j->launch, &major, &minor, err);
  if (rc) return rc;
  char *five = text_printf("rankfile:file=%s", p->rankfile);
  if (!five) return no_memory(err);
  const char *const old_words[] = {"--rankfile", p->rankfile};
  const char *const new_words[] = {"--map-by", five};
  const launch_setting_t groups = {"BERTH_GROUPS", p->groups, false};
  rc = launch_build(&j->launch, 2, major >= 5 ? new_words : old_words,
                    j->o->collectives && !getenv("BERTH_GROUPS"), &groups, argv, err);
  free(five);
  return rc;
}

static int start_placed(const job_t *j, const placement_t *p)
{
  berth_error_t err = {0};
  char cost[TEXT_NUMBER], linear[TEXT_NUMBER], **argv = NULL;
  int code = with_placement(j, p, &argv, &err);
  if (code) return cli_report(j->program, &err);
  char *what = text_printf(
      "%d rank%s placed by %s on %s, %s of communication estimated, %s in the default order%s",
      p->mapping.ranks, text_plural(p->mapping.ranks), p->mapping.algorithm, p->mapping.topology,
      topo_text_cost(p->in.topo, p->mapping.cost_s, cost),
      topo_text_cost(p->in.topo, p->linear_cost_s, linear),
      topo_is_unmeasured(p->in.topo) ? " (by default curves)" : "");
  if (*p->conclusion) fprintf(stderr, "%s: %s\n", j->program, p->conclusion);
  code = what ? start(j, what, argv) : BERTH_MISSING;
  free(what);
  launch_free_argv(argv);
  return code;
}

/* Places and starts the job, or starts it as given where that isn't possible. */
static int place_and_start(const job_t *j, placement_t *p)
{
  berth_error_t err = {0};
  int code = place(j, p, &err);
  if (!code) return start_placed(j, p);
  if (p->in.topo && !p->in.pattern) return trace(j, "because its trace is damaged");
  char *why = text_printf("because it cannot be placed (%s)", err.text);
  code = why ? start_as_given(j, why) : BERTH_MISSING;
  free(why);
  return code;
}

/* What the collective library does in the job: as `berth tune` has measured, or by itself. */
static const char *library_of(const options_t *o, const run_cache_t *c)
{
  const char *untuned = o->agents ? SCHEDULE_AGENTS : SCHEDULE_LIBRARY;
  berth_error_t why = {0};
  bool tuned = run_cache_check(c, &why) == BERTH_OK && access(c->tuning, R_OK) == 0;
  return tuned && schedule_rules_is_library(c->tuning) ? c->tuning : untuned;
}

/* A job with a trace. */
static int run_placed(const job_t *j)
{
  placement_t p = {.in = {.pattern_path = j->cache.pattern, .topology_path = j->o->topology},
                   .mapping = {.cost_s = -1}};
  p.in.map = berth_map_defaults();
  if (j->o->collectives) p.in.collectives = library_of(j->o, &j->cache);
  if (j->o->one_sided) p.in.one_sided = SCHEDULE_LIBRARY;
  p.in.map.reserve = j->o->reserve;
  p.in.places_anyway = true;
  if (!j->o->topology && j->o->dry_run) {
    fprintf(stderr, "%s: would discover the job's hosts and place its %d ranks: ", j->program,
            j->launch.ranks);
    cli_print_command(stderr, (const char *const *)j->o->command);
    fputc('\n', stderr);
    return BERTH_OK;
  }
  if (!j->o->topology) {
    if (discover(j)) return start_as_given(j, "because its hosts could not be discovered");
    p.in.topology_path = j->cache.topology;
  }
  int code = place_and_start(j, &p);
  placement_clear(&p);
  return code;
}

/* The user's topology is looked at before anything is started. */
static int check_topology(const job_t *j, berth_error_t *err)
{
  berth_topo_t *t = load_topology("--topology", j->o->topology, err);
  int rc = t ? default_values_fit(t, NULL, j->o->reserve, err) : err->code;
  berth_topo_free(t);
  return rc;
}

static int run_job(job_t *j)
{
  const launch_t *l = &j->launch;
  berth_error_t err = {0};
  if (l->kind != LAUNCHER_OPENMPI)
    return start_as_given(j, "because only Open MPI's mpirun takes a rankfile");
  if (l->ranks < 0)
    return start_as_given(j, "because the command doesn't say how many ranks (-np N)");
  int rc = run_cache_open(l, j->o->cache, &j->cache, &err);
  if (rc) return cli_report(j->program, &err);
  if (!j->o->dry_run) rc = run_cache_make_folder(&j->cache, &err);
  if (!rc) rc = run_cache_check(&j->cache, &err);
  if (rc) return cli_report(j->program, &err);
  if (j->o->topology && (rc = check_topology(j, &err))) return cli_report(j->program, &err);
  if (j->o->retrace) return trace(j, "as was asked for");
  if (!run_cache_has_pattern(&j->cache)) return trace(j, "as the first one of its job");
  if (l->placement) {
    char *why = text_printf("because it has a placement of its own (%s)", l->placement);
    int code = why ? start_as_given(j, why) : BERTH_MISSING;
    free(why);
    return code;
  }
  return run_placed(j);
}

/* A variable of the environment, which not every launcher hands down. */
enum { COPY_TEXT = 300 };

static size_t add_own(const char *name, launch_setting_t *to)
{
  const char *value = getenv(name);
  *to = (launch_setting_t){name, value, false};
  return value && *value;
}

/* The job's tuning, unless the user has one, or `berth tune` makes one. `keeps`: the job may settle
 * choices in it. */
static size_t add_tuning(const run_cache_t *c, bool keeps, launch_setting_t *to)
{
  berth_error_t why = {0};
  size_t n = add_own("BERTH_TUNE", to);
  if (n) {
    n += add_own("BERTH_TUNE_SECONDS", to + n);
    n += add_own("BERTH_TUNE_ONLY", to + n);
    return n + add_own("BERTH_TUNE_ALL", to + n);
  }
  n = add_own("BERTH_TUNING", to);
  if (n) return n + add_own("BERTH_TUNING_KEEP", to + n);
  if (!c->tuning || run_cache_check(c, &why) || access(c->tuning, R_OK) != 0) return 0;
  to[0] = (launch_setting_t){"BERTH_TUNING", c->tuning, false};
  to[1] = (launch_setting_t){"BERTH_TUNING_KEEP", "1", false};
  return keeps ? 2 : 1;
}

/* The record that all hosts of a topology share; NULL if there is none. */
static const berth_node_t *shared_node(const berth_topo_t *t)
{
  const berth_node_t *node = NULL;
  for (int h = 0; h < berth_topo_n_hosts(t); h++) {
    const berth_node_t *here = berth_topo_host_node(t, h);
    if (!here || (node && here != node)) return NULL;
    node = here;
  }
  return node;
}

/* The kernel for large copies, if the topology's hosts were measured and the user names none. */
static size_t add_copy(const options_t *o, char text[COPY_TEXT], launch_setting_t *to)
{
  size_t n = add_own("BERTH_COPY", to);
  berth_topo_t *t = n == 0 && o->topology ? berth_topo_load(o->topology, NULL) : NULL;
  const berth_node_t *node = t ? shared_node(t) : NULL;
  double from;
  const char *kernel = node ? berth_node_large_copy(node, &from) : NULL;
  if (kernel) {
    snprintf(text, COPY_TEXT, "%s:%.0f", kernel, from);
    *to = (launch_setting_t){"BERTH_COPY", text, false};
    n = 1;
  }
  berth_topo_free(t);
  return n;
}

/* The libraries that the job loads: the collective one, the one-sided one, or both. */
static int find_libraries(const launch_t *l, const options_t *o, char **paths, berth_error_t *err)
{
  char *coll = NULL, *rma = NULL;
  int rc = o->collectives ? mpi_library_coll(l->mpi, &coll, err) : BERTH_OK;
  if (!rc && o->one_sided) rc = mpi_library_rma(l->mpi, &rma, err);
  *paths =
      rc ? NULL : text_printf("%s%s%s", coll ? coll : "", coll && rma ? ":" : "", rma ? rma : "");
  free(coll);
  free(rma);
  return rc ? rc : *paths ? BERTH_OK : no_memory(err);
}

/* The command with libraries, which stand behind the tracer in LD_PRELOAD, and which start agents.
 */
static int with_libraries(const launch_t *l, const options_t *o, char ***argv, berth_error_t *err)
{
  char *path;
  run_cache_t c;
  berth_error_t why;
  if (l->mpi == LAUNCH_MPI_UNKNOWN)
    return berth_fail(err, BERTH_USAGE,
                      "%s: found no launcher of Open MPI or MPICH in "
                      "the command, expected mpirun or mpiexec",
                      o->agents        ? "--agents"
                      : o->collectives ? "--collectives"
                                       : "--one-sided");
  int rc = find_libraries(l, o, &path, err);
  if (rc) return rc;
  char copy[COPY_TEXT];
  launch_setting_t settings[7] = {{"LD_PRELOAD", path, true}};
  size_t n = 1;
  if (o->agents) settings[n++] = (launch_setting_t){"BERTH_AGENTS", "1", false};
  run_cache_open(l, o->cache, &c, &why); /* without a cache there is no tuning */
  if (o->collectives || o->one_sided) n += add_tuning(&c, o->collectives, settings + n);
  n += add_copy(o, copy, settings + n);
  rc = launch_build(l, 0, NULL, n, settings, argv, err);
  run_cache_clear(&c);
  free(path);
  return rc;
}

static int parse_command(const options_t *o, launch_t *l, berth_error_t *err)
{
  return launch_parse(option_count(o->command), (const char *const *)o->command, l, err);
}

static int check_program(const char *name, berth_error_t *err)
{
  char *found = launch_find_program(name);
  free(found);
  return found ? BERTH_OK : berth_fail(err, BERTH_MISSING, "%s: found no such program", name);
}

static int run(int argc, char **argv)
{
  options_t o = {0};
  berth_error_t err = {0};
  char **longer = NULL;
  int wrong = option_parse(&cmd_run, argc, argv, &o);
  if (wrong) return wrong;
  if (o.agents) o.collectives = true;
  job_t j = {.o = &o, .program = argv[0]};
  int code = parse_command(&o, &j.launch, &err);
  if (!code && (o.collectives || o.one_sided) &&
      !(code = with_libraries(&j.launch, &o, &longer, &err))) {
    launch_clear(&j.launch);
    o.command = longer;
    code = parse_command(&o, &j.launch, &err);
  }
  if (!code) code = check_program(o.command[0], &err);
  code = code ? cli_report(argv[0], &err) : run_job(&j);
  run_cache_clear(&j.cache);
  launch_clear(&j.launch);
  launch_free_argv(longer);
  return code;
}

const cli_command_t cmd_run = {.name = "run", .run = run, .parts = parts, .in_order = true};
