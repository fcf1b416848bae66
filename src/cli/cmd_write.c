/* SPDX-License-Identifier: BSD-3-Clause */
/* `berth write`: what launchers take, from a mapping that is there. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/cli.h"
#include "cli/options/load.h"
#include "cli/options/memory_option.h"
#include "cli/options/outputs.h"
#include "cli/options/together.h"

enum { OPT_MAPPING = 256, OPT_TOPOLOGY, OPT_ONTO, OPT_SHARED, OPT_LIST };

typedef struct options {
  const char *mapping, *topology, *onto;
  int shared, list;
  outputs_t outputs;
} options_t;

static const struct argp_option option_table[] = {
    {"mapping", OPT_MAPPING, "FILE", 0, "Which rank runs where (from berth map, Scotch or METIS).",
     0},
    {"topology", OPT_TOPOLOGY, "FILE", 0, "The machine that the mapping is for.", 0},
    {"onto", OPT_ONTO, "FILE", 0,
     "Another machine, whose hosts correspond one to one to those of --topology, in their order. "
     "The mapping is translated to it first.",
     0},
    {"oversubscribe", OPT_SHARED, NULL, 0, "Take a mapping with several ranks on one PU.", 0},
    {"list", OPT_LIST, NULL, 0, "Print the formats and exit.", 0},
    {0}};

static int is_stdin(const char *path) { return path && strcmp(path, "-") == 0; }

static void check(struct argp_state *state, const options_t *o)
{
  const char *const inputs[] = {o->mapping, o->topology, o->onto};
  if (o->list) return;
  if (!o->mapping || !o->topology)
    argp_error(state, "expected --mapping and --topology");
  else if (is_stdin(o->mapping) + is_stdin(o->topology) + is_stdin(o->onto) > 1)
    argp_error(state, "found '-' for two inputs, expected one from standard input");
  else if (o->outputs.n == 0)
    argp_error(state, "expected a format, as in rankfile=FILE; --list names them");
  else
    outputs_check(state, &o->outputs, sizeof inputs / sizeof *inputs, inputs);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
  options_t *o = state->input;
  switch (key) {
  case OPT_MAPPING:
    o->mapping = arg;
    break;
  case OPT_TOPOLOGY:
    o->topology = arg;
    break;
  case OPT_ONTO:
    o->onto = arg;
    break;
  case OPT_SHARED:
    o->shared = 1;
    break;
  case OPT_LIST:
    o->list = 1;
    break;
  case ARGP_KEY_ARG:
    return outputs_parse(state, &o->outputs, arg);
  case ARGP_KEY_END:
    check(state, o);
    break;
  default:
    return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

/* Puts the formats behind the options of --help. */
static char *help_filter(int key, const char *text, void *input)
{
  (void)input;
  return key == ARGP_KEY_HELP_POST_DOC ? cli_listing(outputs_list_formats)
                                       : (char *)(uintptr_t)text;
}

static const struct argp argp = {
    .options = option_table,
    .parser = parse_option,
    .children = memory_children,
    .args_doc = "--mapping M --topology T [--onto T2] FORMAT[=FILE]...\n--list",
    .doc = "Writes what launchers take from a mapping, each format to its file or to standard "
           "output, and says how to start a job with it.\v ",
    .help_filter = help_filter};

/* Puts the machine of --onto into *t, and the translated mapping into *m. */
static int translate(const options_t *o, berth_topo_t **t, berth_mapping_t *m, berth_error_t *err)
{
  berth_error_t why = {0};
  berth_mapping_t there = {.cost_s = -1};
  berth_topo_t *onto = load_topology("--onto", o->onto, err);
  if (!onto) return err->code;
  int rc = berth_mapping_translate(m, *t, onto, &there, &why);
  if (rc) berth_fail(err, rc, "--onto %s: %s", o->onto, why.text);
  if (!rc && berth_topo_shape(*t) != berth_topo_shape(onto))
    fputs("note: hosts correspond, but the trees of switches differ: berth map may find a better "
          "placement\n",
          stderr);
  berth_mapping_clear(m);
  berth_topo_free(*t);
  *m = there;
  *t = onto;
  return rc;
}

static int write_all(options_t *o, berth_error_t *err)
{
  berth_mapping_t m = {.cost_s = -1};
  berth_topo_t *t = load_topology("--topology", o->topology, err);
  int rc = t ? load_mapping("--mapping", o->mapping, -1, t, o->shared, &m, err) : err->code;
  if (!rc && o->onto) rc = translate(o, &t, &m, err);
  if (!rc) rc = outputs_complete(&o->outputs, &m, t, err);
  together_begin();
  if (!rc) rc = outputs_write(&o->outputs, &m, t, err);
  rc = together_name(rc, err);
  if (!rc)
    rc = outputs_print(outputs_to_stdout(&o->outputs) ? stderr : stdout, &o->outputs, &m, t, err);
  rc = together_end(rc, err);
  berth_mapping_clear(&m);
  berth_topo_free(t);
  return rc;
}

static int run(int argc, char **argv)
{
  options_t o = {0};
  berth_error_t err = {0};
  cli_watch_signals();
  int wrong = cli_parse(&argp, argc, argv, 0, &o);
  if (wrong) return wrong;
  int rc = BERTH_OK;
  if (o.list)
    outputs_list_formats(stdout);
  else if ((rc = write_all(&o, &err)))
    cli_report(argv[0], &err);
  outputs_clear(&o.outputs);
  return rc;
}

const cli_command_t cmd_write = {
    "write", "write what a launcher takes from a mapping", run, &argp, outputs_list_formats, false};
