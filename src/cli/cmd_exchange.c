/* SPDX-License-Identifier: BSD-3-Clause */
/* `berth import` and `berth export`: patterns in the formats of other tools. */
#include <berth/exchange.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/options/formats.h"
#include "cli/options/load.h"
#include "cli/options/memory_option.h"
#include "cli/options/option_names.h"
#include "cli/options/targets.h"
#include "cli/print/progress.h"

enum { OPT_RANKS = 256, OPT_MESSAGE_SIZE, OPT_TRUNCATED, OPT_UNIT };

typedef struct options {
  bool imports; /* else exports */
  const char *output;
  const berth_exchange_t *format;
  const char **file;
  size_t n_files, cap;
  berth_import_t in;
  uint64_t unit; /* of weights, 0: none was asked for */
  int truncated;
} options_t;

static void list_formats(FILE *to, bool imports)
{
  size_t n;
  const berth_exchange_t *all = berth_exchanges(&n);
  fputs("Formats:\n", to);
  for (size_t i = 0; i < n; i++)
    if (imports ? all[i].read != NULL : all[i].write || all[i].write_graph)
      options_list_entry(to, 22, all[i].name, all[i].help);
}

static void list_imports(FILE *to) { list_formats(to, true); }
static void list_exports(FILE *to) { list_formats(to, false); }

/* These put the formats behind the options of --help. */
static char *help_of_import(int key, const char *text, void *input)
{
  (void)input;
  return key == ARGP_KEY_HELP_POST_DOC ? cli_listing(list_imports) : (char *)(uintptr_t)text;
}

static char *help_of_export(int key, const char *text, void *input)
{
  (void)input;
  return key == ARGP_KEY_HELP_POST_DOC ? cli_listing(list_exports) : (char *)(uintptr_t)text;
}

static const berth_exchange_t *find_format(struct argp_state *state, const char *name, bool imports)
{
  size_t n;
  char names[400] = "";
  const berth_exchange_t *all = berth_exchanges(&n);
  for (size_t i = 0; i < n; i++) {
    if (imports ? !all[i].read : !all[i].write && !all[i].write_graph) continue;
    if (strcmp(all[i].name, name) == 0) return &all[i];
    formats_add_name(names, sizeof names, all[i].name);
  }
  argp_error(state, "--format: found '%s', expected one of %s", name, names);
  return NULL;
}

static error_t add_file(options_t *o, const char *path)
{
  if (!ARRAY_GROW(&o->file, o->n_files, &o->cap)) return ENOMEM;
  o->file[o->n_files++] = path;
  return 0;
}

static void check_options(const options_t *o, struct argp_state *state)
{
  if (!o->n_files)
    argp_error(state, o->imports ? "expected at least one file" : "expected a pattern");
  if (o->imports && !o->output) argp_error(state, "expected -o with a name for the pattern");
  if (o->imports && o->n_files && !o->format && strcmp(o->file[0], "-") == 0)
    argp_error(state, "expected --format with standard input");
  if (!o->imports && !o->format) argp_error(state, "expected --format");
  if (o->unit && !o->format->write_graph)
    argp_error(state, "found --unit with --format %s, expected it with a graph", o->format->name);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
  options_t *o = state->input;
  switch (key) {
  case 'o':
    o->output = arg;
    break;
  case 'f':
    o->format = find_format(state, arg, o->imports);
    break;
  case OPT_RANKS:
    o->in.ranks = (int)cli_number(state, "--ranks", arg, 1, BERTH_MAX_RANKS);
    break;
  case OPT_MESSAGE_SIZE:
    o->in.message_size = cli_size(state, "--message-size", arg, 1, UINT64_C(1) << 40);
    break;
  case OPT_UNIT:
    o->unit = cli_size(state, "--unit", arg, 1, UINT64_C(1) << 53);
    break;
  case OPT_TRUNCATED:
    o->truncated = 1;
    break;
  case ARGP_KEY_ARG:
    if (!o->imports && o->n_files)
      argp_error(state, "found '%s' behind '%s', expected one name", arg, o->file[0]);
    return add_file(o, arg);
  case ARGP_KEY_END:
    check_options(o, state);
    break;
  default:
    return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

static const struct argp_option import_options[] = {
    {"format", 'f', "NAME", 0, "What the files are (default: each as it begins).", 0},
    {"output", 'o', "FILE", 0, "The pattern; compressed where the name ends in .zst.", 0},
    {"ranks", OPT_RANKS, "N", 0, "How many ranks there are, if more than the files name.", 0},
    {"message-size", OPT_MESSAGE_SIZE, "SIZE", 0,
     "Where a format has bytes, but no messages: a pair's bytes go in messages of this size, with "
     "or without a unit (default: in one message).",
     0},
    {0}};

static const struct argp import_argp = {
    .options = import_options,
    .parser = parse_option,
    .children = memory_children,
    .args_doc = "[-f FORMAT] FILE... -o PATTERN",
    .doc = "Makes a pattern of what another tool recorded: traces, matrices and graphs.\v ",
    .help_filter = help_of_import};

static void say_what(const options_t *o, const berth_pattern_t *p)
{
  size_t n_phases, n;
  double messages = 0, bytes = 0;
  char amount[TEXT_NUMBER];
  const berth_phase_t *phases = berth_pattern_phases(p, &n_phases);
  for (size_t k = 0; k < n_phases; k++) {
    const berth_message_t *m = berth_pattern_messages(p, k, &n);
    for (size_t i = 0; i < n; i++) {
      messages += (double)phases[k].repeats * (double)m[i].count;
      bytes += (double)phases[k].repeats * (double)m[i].bytes;
    }
  }
  fprintf(stderr, "berth import: %s: %d rank%s, %.0f message%s, %s\n", o->output,
          berth_pattern_ranks(p), text_plural(berth_pattern_ranks(p)), messages,
          text_plural(messages), text_bytes(bytes, amount));
}

static void say_note(const char *text, void *to)
{
  (void)to;
  progress(NULL, NULL);
  fprintf(stderr, "berth import: note: %s\n", text);
}

static int import(options_t *o, berth_error_t *err)
{
  int rc = formats_check_target(o->output, o->n_files, o->file, err);
  if (rc) return rc;
  o->in.n_paths = o->n_files;
  o->in.paths = o->file;
  o->in.format = o->format;
  o->in.note = say_note;
  progress("reading", o->file[0]);
  berth_pattern_t *p = berth_import(&o->in, err);
  progress(NULL, NULL);
  rc = p ? berth_pattern_save(p, o->output, err) : err->code;
  if (!rc) say_what(o, p);
  berth_pattern_free(p);
  return rc;
}

static const struct argp_option export_options[] = {
    {"format", 'f', "NAME", 0, "What to write.", 0},
    {"output", 'o', "FILE", 0, "Where to write it (default: standard output).", 0},
    {"unit", OPT_UNIT, "SIZE", 0,
     "In graphs: the bytes that a weight of 1 stands for (default: 1 where tools of 32 bits can "
     "add up the weights, else as many as it takes). 1 keeps them exact for tools of 64 bits.",
     0},
    {"truncated", OPT_TRUNCATED, NULL, 0, "Take what is there of a pattern that was cut off.", 0},
    {0}};

static const struct argp export_argp = {
    .options = export_options,
    .parser = parse_option,
    .children = memory_children,
    .args_doc = "-f FORMAT PATTERN [-o FILE]",
    .doc =
        "Writes a pattern in the format of another tool: a database, tables, matrices, graphs.\v ",
    .help_filter = help_of_export};

static const char *target_name(const options_t *o)
{
  return target_is_stdout(o->output) ? o->format->name : o->output;
}

/* What of the pattern isn't in the file, since its format has no place for it. */
static void say_losses(const options_t *o, unsigned lost)
{
  if (!lost) return;
  fprintf(stderr, "berth export: %s has no place for", target_name(o));
  const char *between = " ";
  for (unsigned bit = 1; bit <= lost; bit <<= 1) {
    if (!(lost & bit)) continue;
    fprintf(stderr, "%s%s", between, berth_loss_name((berth_loss_t)bit));
    between = ", ";
  }
  fputs("\n", stderr);
}

static int write_graph(const options_t *o, const berth_pattern_t *p, berth_error_t *err)
{
  int rounded;
  uint64_t unit = o->unit;
  char amount[TEXT_NUMBER];
  int rc = berth_exchange_unit(o->format, p, &unit, &rounded, err);
  if (!rc) rc = o->format->write_graph(p, unit, o->output, err);
  if (!rc && unit != 1)
    fprintf(stderr, "berth export: in %s a weight of 1 stands for %llu bytes (%s)%s\n",
            target_name(o), (unsigned long long)unit, text_bytes((double)unit, amount),
            rounded ? ", rounded" : "");
  return rc;
}

/* Writes the file; what is wrong with the pattern is said of its own. */
static int write_out(options_t *o, const berth_pattern_t *p, berth_error_t *err)
{
  berth_error_t why = {0};
  int rc = o->format->write_graph ? write_graph(o, p, &why) : o->format->write(p, o->output, &why);
  if (rc == BERTH_BAD_INPUT) return berth_fail(err, rc, "%s: %s", o->file[0], why.text);
  if (rc) *err = why;
  return rc;
}

static int export(options_t *o, berth_error_t *err)
{
  int rc = formats_check_target(o->output, o->n_files, o->file, err);
  if (rc) return rc;
  unsigned lost = 0;
  berth_pattern_t *p = load_pattern(NULL, o->file[0], o->truncated, err);
  if (!p)
    rc = err->code;
  else if (berth_exchange_lost(o->format, p, &lost, err) == BERTH_MISSING)
    rc = BERTH_MISSING; /* what takes memory comes before there is a file */
  else
    rc = write_out(o, p, err);
  if (!rc) say_losses(o, lost);
  berth_pattern_free(p);
  return rc;
}

static int run(const struct argp *argp, options_t o, int (*command)(options_t *, berth_error_t *),
               int argc, char **argv)
{
  berth_error_t err = {0};
  int wrong = cli_parse(argp, argc, argv, 0, &o);
  if (wrong) return wrong;
  int rc = command(&o, &err);
  if (rc) cli_report(argv[0], &err);
  free(o.file);
  return rc;
}

static int run_import(int argc, char **argv)
{
  return run(&import_argp, (options_t){.imports = true}, import, argc, argv);
}

static int run_export(int argc, char **argv)
{
  return run(&export_argp, (options_t){.output = "-"}, export, argc, argv);
}

const cli_command_t cmd_import = {"import",     "make a pattern of what another tool recorded",
                                  run_import,   &import_argp,
                                  list_imports, false};

const cli_command_t cmd_export = {"export",     "write a pattern in the format of another tool",
                                  run_export,   &export_argp,
                                  list_exports, false};
