/* SPDX-License-Identifier: BSD-3-Clause */
/* `berth manual [COMMAND]`: man pages (man(7) macros) from the tables that --help is made from, and
 * from man/. */
#include <berth/version.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/embedded.h"
#include "base/no_memory.h"
#include "base/out_file.h"
#include "base/text.h"
#include "cli/cli.h"

/* The first n bytes of a text, with what roff would take for a request or an escape made harmless.
 */
static void put_part(FILE *to, const char *s, size_t n)
{
  bool at_line_start = true;
  for (const char *end = s + n; s < end; at_line_start = *s == '\n', s++) {
    if (at_line_start && (*s == '.' || *s == '\'')) fputs("\\&", to);
    if (*s == '\\')
      fputs("\\e", to);
    else if (*s == '-')
      fputs("\\-", to);
    else
      fputc(*s, to);
  }
}

/* The files of man/ (base/embedded.h). */
extern const embedded_t manual_parts[];

static void put_text(FILE *to, const char *s) { put_part(to, s, strlen(s)); }

/* The length of what makes Markdown's text bold at s, if it does: `word` or **words**. */
static size_t mark_at(const char *s, const char *end)
{
  if (*s == '`') return 1;
  return end - s > 1 && s[0] == '*' && s[1] == '*' ? 2 : 0;
}

static void put_line(FILE *to, const char *s, size_t n)
{
  bool bold = false;
  for (const char *end = s + n, *begin = s; s < end;) {
    size_t mark = mark_at(s, end);
    if (!mark) s++;
    if (mark || s == end) put_part(to, begin, (size_t)(s - begin));
    if (mark) fputs((bold = !bold) ? "\\fB" : "\\fR", to);
    if (mark) begin = s += mark;
  }
  fputc('\n', to);
}

/* Paragraphs are separated by empty lines. Lines between fences, and those that begin with two
 * spaces, stay as they are. A line that begins with "- " is an item of a list. */
static void put_paragraphs(FILE *to, const char *s, size_t n)
{
  bool verbatim = false, fenced = false;
  const char *end = s + n;
  for (size_t length; s < end; s += length + (s + length < end)) {
    const char *newline = memchr(s, '\n', (size_t)(end - s));
    length = (size_t)((newline ? newline : end) - s);
    if (length >= 3 && strncmp(s, "```", 3) == 0) {
      fenced = !fenced;
      continue;
    }
    bool indented = !fenced && length >= 2 && strncmp(s, "  ", 2) == 0, as_is = fenced || indented;
    if (as_is != verbatim) fputs(as_is ? ".PP\n.nf\n.RS 2\n" : ".RE\n.fi\n", to);
    verbatim = as_is;
    if (as_is) {
      put_part(to, s + 2 * indented, length - 2 * indented);
      fputc('\n', to);
    } else if (strspn(s, " ") >= length) {
      fputs(".PP\n", to);
    } else {
      bool item = length > 2 && strncmp(s, "- ", 2) == 0;
      if (item) fputs(".IP \\(bu 2\n", to);
      put_line(to, s + 2 * item, length - 2 * (size_t)item);
    }
  }
  if (verbatim) fputs(".RE\n.fi\n", to);
}

static void put_option(FILE *to, const struct argp_option *o)
{
  bool has_letter = o->key > ' ' && o->key < 127;
  fputs(".TP\n.B ", to);
  if (has_letter) fprintf(to, "\\-%c", o->key);
  if (has_letter && o->name) fputs(", ", to);
  if (o->name) {
    fputs("\\-\\-", to);
    put_text(to, o->name);
  }
  if (o->arg) {
    fputs("\\fR \\fI", to);
    put_text(to, o->arg);
  }
  fputs("\\fR\n", to);
  if (o->doc) put_text(to, o->doc);
  fputc('\n', to);
}

static void put_table(FILE *to, const struct argp_option *o)
{
  for (; o && (o->name || o->key || o->doc); o++)
    if (!(o->flags & OPTION_HIDDEN)) put_option(to, o);
}

/* Those of the children, and of theirs, come first. */
static void put_tables(FILE *to, const struct argp *argp)
{
  for (const struct argp_child *c = argp->children; c && c->argp; c++) put_tables(to, c->argp);
  put_table(to, argp->options);
}

static void put_options(FILE *to, const struct argp *argp)
{
  static const struct argp_option common[] = {
      {"help", '?', NULL, 0, "Print the options and exit.", 0},
      {"version", 'V', NULL, 0, "Print berth's version and exit.", 0}};
  fputs(".SH OPTIONS\n", to);
  put_tables(to, argp);
  put_option(to, &common[0]);
  put_option(to, &common[1]);
}

static void put_exit_codes(FILE *to)
{
  static const char *const meaning[] = {"done",
                                        "a check failed",
                                        "wrong usage",
                                        "bad input",
                                        "something needed is missing on this machine",
                                        "a check has no verdict"};
  fputs(".SH EXIT STATUS\n", to);
  for (size_t i = 0; i < sizeof meaning / sizeof *meaning; i++)
    fprintf(to, ".TP\n.B %zu\n%s\n", i, meaning[i]);
  fputs(".PP\n.B berth trace\nand\n.B berth run\npass on the exit status of the program they "
        "start.\n",
        to);
}

/* Alternative forms stand in args_doc one a line. */
static void put_synopsis(FILE *to, const cli_command_t *c)
{
  fputs(".SH SYNOPSIS\n", to);
  const char *form = c->argp->args_doc ? c->argp->args_doc : "";
  for (const char *end; *form; form = *end ? end + 1 : end) {
    end = strchrnul(form, '\n');
    fprintf(to, ".B berth %s\n", c->name);
    put_part(to, form, (size_t)(end - form));
    fputs("\n.br\n", to);
  }
}

static void put_list(FILE *to, const cli_command_t *c)
{
  char *text = NULL;
  size_t n;
  FILE *f = open_memstream(&text, &n);
  if (f) c->list(f);
  if (!cli_checked(text_end(f, &text))) return;
  put_paragraphs(to, text, n);
  fputs(".PP\n", to);
  free(text);
}

static void put_command_page(FILE *to, const cli_command_t *c)
{
  fputs(".TH BERTH\\-", to);
  for (const char *s = c->name; *s; s++) fputc(toupper((unsigned char)*s), to);
  fprintf(to, " 1 \"\" \"berth %s\" \"User Commands\"\n", BERTH_VERSION);
  fprintf(to, ".SH NAME\nberth\\-%s \\- ", c->name);
  put_text(to, c->help);
  fputc('\n', to);
  put_synopsis(to, c);
  fputs(".SH DESCRIPTION\n", to);
  const char *doc = c->argp->doc ? c->argp->doc : "";
  put_paragraphs(to, doc, strcspn(doc, "\v"));
  put_options(to, c->argp);
  char name[64];
  snprintf(name, sizeof name, "berth-%s.md", c->name);
  const embedded_t *manual = embedded_find(manual_parts, name, strlen(name));
  if (c->list || manual) fputs(".SH NOTES\n", to);
  if (c->list) put_list(to, c);
  if (manual) put_paragraphs(to, (const char *)manual->data, manual->size);
  put_exit_codes(to);
  fputs(".SH SEE ALSO\n.BR berth (1)\n", to);
}

static void put_main_page(FILE *to)
{
  fprintf(to, ".TH BERTH 1 \"\" \"berth %s\" \"User Commands\"\n", BERTH_VERSION);
  fputs(".SH NAME\nberth \\- place the ranks of an MPI job by what they say to each other\n"
        ".SH SYNOPSIS\n.B berth\nCOMMAND [OPTION...]\n.SH DESCRIPTION\n"
        "Records one run of an MPI program, knows the machine as a tree of ports, decides which\n"
        "rank runs where, predicts what that costs, and writes what the launcher takes.\n"
        ".SH COMMANDS\n",
        to);
  for (size_t i = 0; cli_commands[i]; i++) {
    if (cli_commands[i]->hidden) continue;
    fprintf(to, ".TP\n.BR berth\\-%s (1)\n", cli_commands[i]->name);
    put_text(to, cli_commands[i]->help);
    fputc('\n', to);
  }
  put_exit_codes(to);
  fputs(".SH SEE ALSO\ndocs/tutorial.md, in berth's source: from a program to a measured "
        "placement, a\n"
        "check in CI and a picture\n",
        to);
}

/* Writes the page of a command, or of berth itself for NULL, into a folder. */
static int write_page(const char *folder, const cli_command_t *c, berth_error_t *err)
{
  char *path = text_printf("%s/berth%s%s.1", folder, c ? "-" : "", c ? c->name : ""), *text = NULL;
  size_t n;
  FILE *f = open_memstream(&text, &n);
  if (f && c) put_command_page(f, c);
  if (f && !c) put_main_page(f);
  int rc = text_end(f, &text) && path ? BERTH_OK : no_memory(err);
  out_choose_names(true);
  out_file_t *out = rc ? NULL : out_open(path, err);
  out_choose_names(false);
  if (out) out_text(out, text);
  if (!rc) rc = out ? out_commit(out, err) : BERTH_MISSING;
  free(path);
  free(text);
  return rc;
}

typedef struct options {
  const cli_command_t *page;
  const char *folder;
} options_t;

static const struct argp_option option_table[] = {
    {"directory", 'd', "DIR", 0, "Write all pages into DIR.", 0}, {0}};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
  options_t *o = state->input;
  if (key == 'd')
    o->folder = arg;
  else if (key != ARGP_KEY_ARG)
    return ARGP_ERR_UNKNOWN;
  else if (o->page || !(o->page = cli_find(arg)))
    argp_error(state, "found '%s', expected one command", arg);
  return 0;
}

static const struct argp argp = {.options = option_table,
                                 .parser = parse_option,
                                 .args_doc = "[COMMAND]",
                                 .doc = "Prints a man page, for `man -l -`."};

static int run(int argc, char **argv)
{
  options_t o = {0};
  berth_error_t err = {0};
  int wrong = cli_parse(&argp, argc, argv, 0, &o);
  if (wrong) return wrong;
  if (!o.folder) {
    if (o.page)
      put_command_page(stdout, o.page);
    else
      put_main_page(stdout);
    return BERTH_OK;
  }
  int rc = write_page(o.folder, NULL, &err);
  for (size_t i = 0; cli_commands[i] && !rc; i++)
    if (!cli_commands[i]->hidden) rc = write_page(o.folder, cli_commands[i], &err);
  return rc ? cli_report(argv[0], &err) : BERTH_OK;
}

const cli_command_t cmd_manual = {"manual", "print a man page", run, &argp, NULL, true};
