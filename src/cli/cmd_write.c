/* SPDX-License-Identifier: BSD-3-Clause */
/* `berth write`: what launchers take, from a mapping that is there. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/options/inputs.h"
#include "cli/options/load.h"
#include "cli/options/memory_option.h"
#include "cli/options/outputs.h"
#include "cli/options/together.h"

typedef struct options {
  const char *mapping, *topology, *onto;
  int shared, list;
  outputs_t outputs;
} options_t;

/* Formats have no such names. */
static bool is_path(const char *word) { return strpbrk(word, "./") || access(word, F_OK) == 0; }

/* FORMAT[=FILE]. A word that is no format may be the name of a mapping or a topology. */
static void take_word(struct argp_state *state, const option_t *option, char *arg, void *all)
{
  static const option_t mapping = {.name = "mapping"}, topology = {.name = "topology"};
  options_t *o = all;
  bool is_format = berth_writer_find(arg) || strchr(arg, '=');
  file_kind_t kind = is_format ? FILE_OTHER : load_kind(arg);
  if (kind == FILE_MAPPING)
    option_file(state, &mapping, arg, &o->mapping);
  else if (kind == FILE_TOPOLOGY)
    option_file(state, &topology, arg, &o->topology);
  else if (is_format || !is_path(arg))
    outputs_take(state, option, arg, &o->outputs);
  else if (access(arg, R_OK) != 0)
    argp_failure(state, BERTH_MISSING, 0, "%s: cannot open: %s", arg, strerror(errno));
  else
    argp_failure(state, BERTH_BAD_INPUT, 0,
                 "%s: found %s, expected a mapping, a topology, or FORMAT=FILE", arg,
                 kind == FILE_PATTERN ? "a pattern" : "another file");
}

static void refuse_missing(struct argp_state *state, const options_t *o)
{
  if (o->mapping)
    inputs_refuse_no_topology(state, o->mapping);
  else if (o->topology)
    argp_error(state, "found no mapping, expected one beside %s (--mapping, from berth map)",
               o->topology);
  else
    argp_error(state, "expected a mapping and a topology");
}

static void check(struct argp_state *state, void *all)
{
  options_t *o = all;
  if (o->list) return;
  if (!o->topology) option_take_default(state, "--topology");
  const char *const inputs[] = {o->mapping, o->topology, o->onto};
  const size_t n = sizeof inputs / sizeof *inputs;
  if (!o->mapping || !o->topology) refuse_missing(state, o);
  inputs_check_stdin(state, NULL, n, inputs);
  if (o->outputs.n == 0)
    argp_error(state, "expected a format, as in rankfile=FILE; --list names them");
  outputs_check(state, &o->outputs, n, inputs);
}

static const option_t own_options[] = {OPTION("--mapping", option_file, options_t, mapping),
                                       OPTION("--topology", option_file, options_t, topology),
                                       OPTION("--onto", option_text, options_t, onto),
                                       OPTION("--oversubscribe", option_flag, options_t, shared),
                                       OPTION("--list", option_flag, options_t, list),
                                       OPTION_OF_ALL("", take_word),
                                       {0}};

static const option_table_t own = {own_options, check};
static const option_part_t parts[] = {{&own, 0}, {&memory_option, 0}, {0}};

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
  int wrong = option_parse(&cmd_write, argc, argv, &o);
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
    .name = "write", .run = run, .parts = parts, .list = outputs_list_formats};
