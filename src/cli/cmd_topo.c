/* SPDX-License-Identifier: BSD-3-Clause */
/* `berth topo discover|make|import|export|check|show`. */
#include <berth/cost.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options/load.h"
#include "cli/options/memory_option.h"
#include "cli/print/topo_view.h"

enum { NO_ACTION = -1 };

enum { DISCOVER, MAKE, IMPORT, EXPORT, CHECK, SHOW, PROBE };
static const cli_action_t actions[] = {
    {"discover", "describe this machine, or the hosts that a launcher reaches",
     "output slurm fabric like hosts name quiet xml memory"},
    {"make", "describe a machine by its levels and links", "output link like name quiet memory"},
    {"import", "take a machine that another tool describes", "output format name memory"},
    {"export", "write a machine for another tool", "output format memory"},
    {"check", "say whether files keep the format's rules", "memory"},
    {"show", "draw a machine's tree, ports and curves", "json node memory"},
    {"probe", NULL, ""},
    {0}};
#define ACTIONS "discover, make, import, export, check or show"

typedef struct options {
  int action;                  /* in actions; NO_ACTION: none yet */
  discover_options_t discover; /* output and name are those of import and export, too */
  const berth_topo_format_t *format;
  int json, node;
  option_words_t files, links;
} options_t;

static int find_action(struct argp_state *state, const char *word)
{
  for (int a = 0; actions[a].name; a++)
    if (strcmp(word, actions[a].name) == 0) return a;
  argp_error(state, "found '%s', expected " ACTIONS, word);
  return NO_ACTION;
}

/* The first word says what to do; behind it stand files, or discover's launcher. */
static void take_word(struct argp_state *state, const option_t *option, char *word, void *all)
{
  options_t *o = all;
  if (o->action == NO_ACTION)
    o->action = find_action(state, word);
  else if (o->action == DISCOVER)
    option_command(state, option, word, &o->discover.launcher);
  else
    option_list(state, option, word, &o->files);
}

static const option_t own_options[] = {OPTION("--output", option_text, options_t, discover.output),
                                       OPTION("--format", topo_take_format, options_t, format),
                                       OPTION("--slurm", option_text, options_t, discover.slurm),
                                       OPTION("--fabric", option_text, options_t, discover.fabric),
                                       OPTION("--like", option_file, options_t, discover.like),
                                       OPTION("--link", option_list, options_t, links),
                                       OPTION("--hosts", option_text, options_t, discover.hosts),
                                       OPTION("--name", option_text, options_t, discover.name),
                                       OPTION("--quiet", option_flag, options_t, discover.quiet),
                                       OPTION("--xml", option_flag, options_t, discover.xml),
                                       OPTION("--json", option_flag, options_t, json),
                                       OPTION("--node", option_flag, options_t, node),
                                       OPTION_OF_ALL("", take_word),
                                       {0}};

/* Options may stand before the action, so they are checked against it in the end. */
static void check_options(struct argp_state *state, const options_t *o)
{
  const cli_action_t *action = &actions[o->action];
  for (const option_t *option = own_options; *option->name; option++)
    if (option_given(state, option->name) && !cli_action_takes(action, option->name + 2))
      argp_error(state, "found %s with %s", option->name, action->name);
}

static void check_usage(struct argp_state *state, void *all)
{
  const options_t *o = all;
  size_t n = o->files.n;
  const discover_options_t *d = &o->discover;
  if (o->action == NO_ACTION) {
    argp_error(state, "expected " ACTIONS);
    return;
  }
  check_options(state, o);
  bool exchanges = o->action == IMPORT || o->action == EXPORT;
  if (o->action == EXPORT && !o->format) argp_error(state, "expected --format");
  if (exchanges && n == 0) argp_error(state, "expected a file");
  if (d->launcher && (d->like || d->hosts))
    argp_error(state, "found --like or --hosts with a launcher, expected one of them");
  if (o->action == DISCOVER && d->like && strcmp(d->like, "-") == 0)
    argp_error(state, "--like: found '-', expected a file");
  if (d->hosts && !d->like) argp_error(state, "found --hosts without --like");
  if (d->xml && (d->launcher || d->slurm || d->fabric || d->like || d->name))
    argp_error(state, "found --xml with other hosts or a name, expected it for this machine alone");
  if (d->slurm && d->fabric) argp_error(state, "found --slurm and --fabric, expected one of them");
  if (o->action == MAKE && n == 0)
    argp_error(state, "expected levels, such as rack:3 host:10 socket:2 core:16, or a file");
  if (o->action == DISCOVER && d->like && !d->slurm && !d->fabric && !d->hosts)
    argp_error(state, "found --like without hosts, expected --slurm, --fabric or --hosts");
  if ((o->action == CHECK || o->action == SHOW) && n == 0)
    argp_error(state, "expected a topology file");
  if (o->action == PROBE && n == 0) argp_error(state, "expected the run's secret");
  if (o->action == IMPORT && n && !o->format && strcmp(o->files.item[0], "-") == 0)
    argp_error(state, "expected --format with standard input");
  if (o->json && o->node) argp_error(state, "found --json and --node, expected one of them");
  if ((o->action == SHOW || exchanges) && n > 1)
    argp_error(state, "found several files, expected one");
}

static const option_table_t own = {own_options, check_usage};
static const option_part_t parts[] = {{&own, 0}, {&memory_option, 0}, {0}};

/* Models that this berth doesn't have: another one may, so that isn't an error. */
static void note_models(const char *file, const berth_topo_t *t)
{
  berth_model_t model;
  for (int i = 0; i < berth_topo_n_model_errors(t); i++)
    if (berth_model_find(berth_topo_model_error_name(t, i), &model))
      printf("%s: note: model_error.%s isn't used: expected port, bound, sum or flow\n", file,
             berth_topo_model_error_name(t, i));
}

static int check_files(const option_words_t *files, const char *program)
{
  int worst = BERTH_OK;
  for (size_t i = 0; i < files->n; i++) {
    const char *file = files->item[i];
    berth_error_t err = {0};
    berth_topo_t *t = load_topology(NULL, file, &err);
    if (t) {
      printf("%s: ok: ", file);
      topo_print_summary(stdout, t);
      note_models(file, t);
    } else if (cli_report(program, &err) > worst) {
      worst = err.code;
    }
    berth_topo_free(t);
  }
  return worst;
}

/* What was measured of hosts alone. */
static int show_nodes(const berth_topo_t *t, const char *path, berth_error_t *err)
{
  if (topo_show_nodes(t, "")) return BERTH_OK;
  return berth_fail(err, BERTH_BAD_INPUT,
                    "%s: found no measurements of a host, expected those of berth calibrate node",
                    path);
}

static int show(const char *path, const options_t *o, berth_error_t *err)
{
  berth_topo_t *t = load_topology(NULL, path, err);
  if (!t) return err->code;
  int rc = BERTH_OK;
  if (o->json)
    rc = topo_show_json(t, path, err);
  else if (o->node)
    rc = show_nodes(t, path, err);
  else
    topo_show_text(t);
  berth_topo_free(t);
  return rc;
}

static int make(const options_t *o, berth_error_t *err)
{
  const discover_options_t *d = &o->discover;
  const make_options_t m = {.output = d->output,
                            .name = d->name,
                            .like = d->like,
                            .words = o->files.item,
                            .links = o->links.item,
                            .n_words = o->files.n,
                            .n_links = o->links.n,
                            .quiet = d->quiet};
  return topo_make(&m, err);
}

static int act(const options_t *o, const char *program, berth_error_t *err)
{
  const char *const *files = o->files.item, *output = o->discover.output;
  if (!output) output = "-";
  switch (o->action) {
  case DISCOVER:
    return topo_discover(&o->discover, err);
  case MAKE:
    return make(o, err);
  case IMPORT:
    return topo_import(files[0], output, o->format, o->discover.name, err);
  case EXPORT:
    return topo_export(files[0], output, o->format, err);
  case SHOW:
    return show(files[0], o, err);
  case PROBE:
    return berth_probe_print(files[0], stdout, err);
  default:
    return check_files(&o->files, program);
  }
}

static int run(int argc, char **argv)
{
  options_t o = {.action = NO_ACTION};
  berth_error_t err = {0};
  int wrong = option_parse(&cmd_topo, argc, argv, &o);
  if (wrong) return wrong;
  int rc = act(&o, argv[0], &err);
  free(o.files.item);
  free(o.links.item);
  return rc && o.action != CHECK ? cli_report(argv[0], &err) : rc;
}

const cli_command_t cmd_topo = {.name = "topo",
                                .run = run,
                                .parts = parts,
                                .list = topo_list_formats,
                                .actions = actions,
                                .in_order = true};
