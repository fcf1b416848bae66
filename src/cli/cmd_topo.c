/* SPDX-License-Identifier: BSD-3-Clause */
/* `berth topo discover|import|export|check|show`. */
#include <berth/cost.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options/load.h"
#include "cli/options/memory_option.h"
#include "cli/print/topo_view.h"

enum { NO_ACTION = -1, OPT_SLURM = 256, OPT_FABRIC, OPT_LIKE, OPT_HOSTS, OPT_NAME, OPT_JSON };

enum { DISCOVER, IMPORT, EXPORT, CHECK, SHOW, PROBE };
static const cli_action_t actions[] = {
    {"discover", "describe this machine, or the hosts that a launcher reaches",
     "output slurm fabric like hosts name quiet memory"},
    {"import", "take a machine that another tool describes", "output format name memory"},
    {"export", "write a machine for another tool", "output format memory"},
    {"check", "say whether files keep the format's rules", "memory"},
    {"show", "draw a machine's tree, ports and curves", "json memory"},
    {"probe", NULL, ""},
    {0}};
#define ACTIONS "discover, import, export, check or show"

typedef struct options {
  int action;                  /* in actions; NO_ACTION: none yet */
  unsigned given;              /* bit i: the option i of the table */
  discover_options_t discover; /* output and name are those of import and export, too */
  const berth_topo_format_t *format;
  int json;
  int first_file; /* in argv; 0 for none */
  int n_files;
} options_t;

static const struct argp_option option_table[] = {
    {"output", 'o', "FILE", 0,
     "discover, import, export: write to FILE instead of standard output.", 0},
    {"format", 'f', "NAME", 0, "import, export: of FILE (import without it: as the file begins).",
     0},
    {"slurm", OPT_SLURM, "FILE", 0,
     "discover: hang the hosts below the switches of Slurm's topology.conf.", 0},
    {"fabric", OPT_FABRIC, "FILE", 0,
     "discover: hang the hosts below the switches that ibnetdiscover found.", 0},
    {"like", OPT_LIKE, "FILE", 0,
     "discover: give all hosts the inside of the host in FILE (a topology, or hwloc XML as lstopo "
     "writes it), or of this machine (--like this).",
     0},
    {"hosts", OPT_HOSTS, "LIST", 0,
     "discover, with --like: these hosts, as Slurm writes them (node[01-16],login1); without it "
     "all hosts of the file of --slurm or --fabric.",
     0},
    {"name", OPT_NAME, "NAME", 0,
     "discover, import: the topology's name (default: its only host's, else job or cluster; the "
     "file's).",
     0},
    {"quiet", 'q', NULL, 0, "discover: say nothing about what was found.", 0},
    {"json", OPT_JSON, NULL, 0, "show: print one JSON object instead of text.", 0},
    {0}};

static int find_action(struct argp_state *state, const char *word)
{
  for (int a = 0; actions[a].name; a++)
    if (strcmp(word, actions[a].name) == 0) return a;
  argp_error(state, "found '%s', expected " ACTIONS, word);
  return NO_ACTION;
}

/* The first word says what to do; behind it stand files, or discover's launcher. */
static void take_word(struct argp_state *state, options_t *o, const char *word)
{
  if (o->action == NO_ACTION)
    o->action = find_action(state, word);
  else if (o->action == DISCOVER)
    o->discover.launcher = cli_take_command(state);
  else if (o->n_files++ == 0)
    o->first_file = state->next - 1;
}

/* Options may stand before the action, so they are held against it in the end. */
static void note_option(options_t *o, int key)
{
  for (int i = 0; option_table[i].name; i++)
    if (option_table[i].key == key) o->given |= 1u << i;
}

static void check_options(struct argp_state *state, const options_t *o)
{
  const cli_action_t *action = &actions[o->action];
  for (int i = 0; option_table[i].name; i++)
    if (o->given >> i & 1 && !cli_action_takes(action, option_table[i].name))
      argp_error(state, "found --%s with %s", option_table[i].name, action->name);
}

static void check_usage(struct argp_state *state, const options_t *o)
{
  const discover_options_t *d = &o->discover;
  if (o->action == NO_ACTION) {
    argp_error(state, "expected " ACTIONS);
    return;
  }
  check_options(state, o);
  bool exchanges = o->action == IMPORT || o->action == EXPORT;
  if (o->action == EXPORT && !o->format) argp_error(state, "expected --format");
  if (exchanges && o->first_file == 0) argp_error(state, "expected a file");
  if (d->launcher && (d->like || d->hosts))
    argp_error(state, "found --like or --hosts with a launcher, expected one of them");
  if (d->like && strcmp(d->like, "-") == 0) argp_error(state, "--like: found '-', expected a file");
  if (d->hosts && !d->like) argp_error(state, "found --hosts without --like");
  if (d->slurm && d->fabric) argp_error(state, "found --slurm and --fabric, expected one of them");
  if (d->like && !d->slurm && !d->fabric && !d->hosts)
    argp_error(state, "found --like without hosts, expected --slurm, --fabric or --hosts");
  if ((o->action == CHECK || o->action == SHOW) && o->first_file == 0)
    argp_error(state, "expected a topology file");
  if (o->action == PROBE && o->first_file == 0) argp_error(state, "expected the run's secret");
  if (o->action == IMPORT && o->first_file && !o->format &&
      strcmp(state->argv[o->first_file], "-") == 0)
    argp_error(state, "expected --format with standard input");
  if ((o->action == SHOW || exchanges) && o->n_files > 1)
    argp_error(state, "found several files, expected one");
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
  options_t *o = state->input;
  note_option(o, key);
  switch (key) {
  case 'o':
    o->discover.output = arg;
    break;
  case 'f':
    o->format = topo_find_format(state, arg);
    break;
  case OPT_SLURM:
    o->discover.slurm = arg;
    break;
  case OPT_FABRIC:
    o->discover.fabric = arg;
    break;
  case OPT_LIKE:
    o->discover.like = arg;
    break;
  case OPT_HOSTS:
    o->discover.hosts = arg;
    break;
  case OPT_NAME:
    o->discover.name = arg;
    break;
  case 'q':
    o->discover.quiet = true;
    break;
  case OPT_JSON:
    o->json = 1;
    break;
  case ARGP_KEY_ARG:
    take_word(state, o, arg);
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
    .children = memory_children,
    .args_doc = "discover [-o FILE] [--slurm FILE] [-- LAUNCHER...]\n"
                "discover [-o FILE] [--slurm FILE] [--hosts LIST] --like FILE\n"
                "import [-f NAME] FILE [-o TOPOLOGY]\n"
                "export -f NAME TOPOLOGY [-o FILE]\n"
                "check FILE...\n"
                "show [--json] FILE",
    .doc = "Describes machines as trees of ports. discover reads this machine, or every host that "
           "a launcher reaches; import and export take what other tools describe, and write it for "
           "them; "
           "check says whether files keep the format's rules; show draws one.\v ",
    .help_filter = topo_help_filter};

/* Models that this berth doesn't have: another one may, so that isn't an error. */
static void note_models(const char *file, const berth_topo_t *t)
{
  berth_model_t model;
  for (int i = 0; i < berth_topo_n_model_errors(t); i++)
    if (berth_model_find(berth_topo_model_error_name(t, i), &model))
      printf("%s: note: model_error.%s isn't used: expected port, bound, sum or flow\n", file,
             berth_topo_model_error_name(t, i));
}

static int check_files(char **files, int n, const char *program)
{
  int worst = BERTH_OK;
  for (int i = 0; i < n; i++) {
    berth_error_t err = {0};
    berth_topo_t *t = load_topology(NULL, files[i], &err);
    if (t) {
      printf("%s: ok: ", files[i]);
      topo_print_summary(stdout, t);
      note_models(files[i], t);
    } else if (cli_report(program, &err) > worst) {
      worst = err.code;
    }
    berth_topo_free(t);
  }
  return worst;
}

static int show(const char *path, int json, berth_error_t *err)
{
  berth_topo_t *t = load_topology(NULL, path, err);
  if (!t) return err->code;
  int rc = BERTH_OK;
  if (json)
    rc = topo_show_json(t, path, err);
  else
    topo_show_text(t);
  berth_topo_free(t);
  return rc;
}

static int run(int argc, char **argv)
{
  options_t o = {.action = NO_ACTION};
  berth_error_t err = {0};
  int wrong = cli_parse(&argp, argc, argv, ARGP_IN_ORDER, &o);
  if (wrong) return wrong;
  char **files = argv + o.first_file;
  int rc = BERTH_OK;
  if (o.action == CHECK) return check_files(files, argc - o.first_file, argv[0]);
  if (o.action == DISCOVER) rc = topo_discover(&o.discover, &err);
  const char *output = o.discover.output ? o.discover.output : "-";
  if (o.action == IMPORT) rc = topo_import(files[0], output, o.format, o.discover.name, &err);
  if (o.action == EXPORT) rc = topo_export(files[0], output, o.format, &err);
  if (o.action == SHOW) rc = show(files[0], o.json, &err);
  if (o.action == PROBE) rc = topo_probe(files[0], &err);
  return rc ? cli_report(argv[0], &err) : BERTH_OK;
}

const cli_command_t cmd_topo = {"topo",
                                "describe machines: discover, import, export, check, show",
                                run,
                                &argp,
                                topo_list_formats,
                                false,
                                actions};
