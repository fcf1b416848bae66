/* SPDX-License-Identifier: BSD-3-Clause */
/* `berth import` and `berth export`: patterns in the formats of other tools. */
#include <berth/exchange.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/options/formats.h"
#include "cli/options/load.h"
#include "cli/options/memory_option.h"
#include "cli/options/option_names.h"
#include "cli/options/targets.h"
#include "cli/print/contents.h"
#include "cli/print/progress.h"

typedef struct options {
  bool imports; /* else exports */
  const char *output;
  const berth_exchange_t *format;
  option_words_t files;
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

static void take_format(struct argp_state *state, const option_t *option, char *name, void *all)
{
  size_t n;
  options_t *o = all;
  char names[400] = "";
  const berth_exchange_t *list = berth_exchanges(&n);
  for (size_t i = 0; i < n; i++) {
    if (o->imports ? !list[i].read : !list[i].write && !list[i].write_graph) continue;
    if (strcmp(list[i].name, name) == 0) o->format = &list[i];
    formats_add_name(names, sizeof names, list[i].name);
  }
  if (!o->format || strcmp(o->format->name, name) != 0)
    argp_error(state, "%s: found '%s', expected one of %s", option->name, name, names);
}

static void check_options(struct argp_state *state, void *all)
{
  const options_t *o = all;
  if (!o->imports && o->files.n > 1)
    argp_error(state, "found '%s' behind '%s', expected one name", o->files.item[1],
               o->files.item[0]);
  if (!o->files.n)
    argp_error(state, o->imports ? "expected at least one file" : "expected a pattern");
  if (o->imports && !o->output) argp_error(state, "expected -o with a name for the pattern");
  if (o->imports && o->files.n && !o->format && strcmp(o->files.item[0], "-") == 0)
    argp_error(state, "expected --format with standard input");
  if (!o->imports && !o->format) argp_error(state, "expected --format");
  if (o->unit && !o->format->write_graph)
    argp_error(state, "found --unit with --format %s, expected it with a graph", o->format->name);
}

static const option_t import_own[] = {
    OPTION_OF_ALL("--format", take_format),
    OPTION("--output", option_text, options_t, output),
    OPTION_IN("--ranks", option_number, options_t, in.ranks, 1, BERTH_MAX_RANKS),
    OPTION_IN("--message-size", option_size, options_t, in.message_size, 1, UINT64_C(1) << 40),
    OPTION("", option_list, options_t, files),
    {0}};

static const option_table_t import_options = {import_own, check_options};
static const option_part_t import_parts[] = {{&import_options, 0}, {&memory_option, 0}, {0}};

static void say_what(const options_t *o, const berth_pattern_t *p)
{
  fprintf(stderr, "berth import: %s: ", o->output);
  print_contents(stderr, p);
  fputc('\n', stderr);
}

static void say_note(const char *text, void *to)
{
  (void)to;
  progress(NULL, NULL);
  fprintf(stderr, "berth import: note: %s\n", text);
}

static int import(options_t *o, berth_error_t *err)
{
  int rc = formats_check_target(o->output, o->files.n, o->files.item, err);
  if (rc) return rc;
  o->in.n_paths = o->files.n;
  o->in.paths = o->files.item;
  o->in.format = o->format;
  o->in.note = say_note;
  progress("reading", o->files.item[0]);
  berth_pattern_t *p = berth_import(&o->in, err);
  progress(NULL, NULL);
  rc = p ? berth_pattern_save(p, o->output, err) : err->code;
  if (!rc) say_what(o, p);
  berth_pattern_free(p);
  return rc;
}

static const option_t export_own[] = {
    OPTION_OF_ALL("--format", take_format),
    OPTION("--output", option_text, options_t, output),
    OPTION_IN("--unit", option_size, options_t, unit, 1, UINT64_C(1) << 53),
    OPTION("--truncated", option_flag, options_t, truncated),
    OPTION("", option_list, options_t, files),
    {0}};

static const option_table_t export_options = {export_own, check_options};
static const option_part_t export_parts[] = {{&export_options, 0}, {&memory_option, 0}, {0}};

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
  if (rc == BERTH_BAD_INPUT) return berth_fail(err, rc, "%s: %s", o->files.item[0], why.text);
  if (rc) *err = why;
  return rc;
}

static int export(options_t *o, berth_error_t *err)
{
  int rc = formats_check_target(o->output, o->files.n, o->files.item, err);
  if (rc) return rc;
  unsigned lost = 0;
  berth_pattern_t *p = load_pattern(NULL, o->files.item[0], o->truncated, err);
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

static int run(const cli_command_t *command, options_t o, int (*does)(options_t *, berth_error_t *),
               int argc, char **argv)
{
  berth_error_t err = {0};
  int wrong = option_parse(command, argc, argv, &o);
  if (wrong) return wrong;
  int rc = does(&o, &err);
  if (rc) cli_report(argv[0], &err);
  free(o.files.item);
  return rc;
}

static int run_import(int argc, char **argv)
{
  return run(&cmd_import, (options_t){.imports = true}, import, argc, argv);
}

static int run_export(int argc, char **argv)
{
  return run(&cmd_export, (options_t){.output = "-"}, export, argc, argv);
}

const cli_command_t cmd_import = {
    .name = "import", .run = run_import, .parts = import_parts, .list = list_imports};
const cli_command_t cmd_export = {
    .name = "export", .run = run_export, .parts = export_parts, .list = list_exports};
