/* SPDX-License-Identifier: BSD-3-Clause */
/* `berth manual [COMMAND]`: man pages (man(7) macros) from the tables that --help is made from, and
 * from man/. */
#include <berth/version.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "base/out_file.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/help_page.h"

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

static void put_options(FILE *to, const option_argp_t *table)
{
  fputs(".SH OPTIONS\n", to);
  for (size_t i = 0; option_at(table, i); i++) put_option(to, option_at(table, i));
}

static void put_section(FILE *to, const char *heading, const char *title, arena_t *texts)
{
  const char *text = page_section(heading, texts);
  fprintf(to, ".SH %s\n", title);
  put_paragraphs(to, text, strlen(text));
}

/* Alternatives are lines. */
static void put_synopsis(FILE *to, const char *name, const char *form)
{
  fputs(".SH SYNOPSIS\n", to);
  for (const char *end; *form; form = *end ? end + 1 : end) {
    end = strchrnul(form, '\n');
    fprintf(to, ".B %s\n", name);
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

static void put_begin(FILE *to, const char *name, const page_t *page)
{
  char title[64];
  snprintf(title, sizeof title, "berth%s%s", *name ? "-" : "", name);
  fputs(".TH ", to);
  for (const char *s = title; *s; s++)
    fprintf(to, *s == '-' ? "\\-" : "%c", toupper((unsigned char)*s));
  fprintf(to, " 1 \"\" \"berth %s\" \"User Commands\"\n.SH NAME\n", BERTH_VERSION);
  put_text(to, title);
  fputs(" \\- ", to);
  put_text(to, page->summary);
  fputc('\n', to);
  snprintf(title, sizeof title, "berth%s%s", *name ? " " : "", name);
  put_synopsis(to, title, page->synopsis);
  fputs(".SH DESCRIPTION\n", to);
  put_paragraphs(to, page->purpose, strlen(page->purpose));
}

static void put_command_page(FILE *to, const cli_command_t *c, arena_t *texts)
{
  option_argp_t table;
  page_t page = page_of(c->name, texts);
  if (!option_argp_make(c, &table)) return;
  put_begin(to, c->name, &page);
  put_options(to, &table);
  option_argp_clear(&table);
  if (c->list || *page.notes) fputs(".SH NOTES\n", to);
  if (c->list) put_list(to, c);
  put_paragraphs(to, page.notes, strlen(page.notes));
  put_section(to, "Exit status", "EXIT STATUS", texts);
  fputs(".SH SEE ALSO\n.BR berth (1)\n", to);
}

static void put_main_page(FILE *to, arena_t *texts)
{
  page_t page = page_of("", texts);
  put_begin(to, "", &page);
  fputs(".SH COMMANDS\n", to);
  for (size_t i = 0; cli_commands[i]; i++) {
    if (cli_commands[i]->hidden) continue;
    fprintf(to, ".TP\n.BR berth\\-%s (1)\n", cli_commands[i]->name);
    put_text(to, page_of(cli_commands[i]->name, texts).summary);
    fputc('\n', to);
  }
  put_section(to, "Exit status", "EXIT STATUS", texts);
  put_section(to, "See also", "SEE ALSO", texts);
}

/* The page of a command, or of berth itself for NULL. */
static void put_page(FILE *to, const cli_command_t *c)
{
  arena_t texts = {0};
  if (c)
    put_command_page(to, c, &texts);
  else
    put_main_page(to, &texts);
  arena_free(&texts);
}

/* Writes the page of a command, or of berth itself for NULL, into a folder. */
static int write_page(const char *folder, const cli_command_t *c, berth_error_t *err)
{
  char *path = text_printf("%s/berth%s%s.1", folder, c ? "-" : "", c ? c->name : ""), *text = NULL;
  size_t n;
  FILE *f = open_memstream(&text, &n);
  if (f) put_page(f, c);
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

static void take_page(struct argp_state *state, const option_t *o, char *arg, void *field)
{
  (void)o;
  const cli_command_t **page = field;
  if (*page || !(*page = cli_find(arg))) argp_error(state, "found '%s', expected one command", arg);
}

static const option_t own_options[] = {OPTION("--directory", option_text, options_t, folder),
                                       OPTION("", take_page, options_t, page),
                                       {0}};
static const option_table_t own = {own_options, NULL};
static const option_part_t parts[] = {{&own, 0}, {0}};

static int run(int argc, char **argv)
{
  options_t o = {0};
  berth_error_t err = {0};
  int wrong = option_parse(&cmd_manual, argc, argv, &o);
  if (wrong) return wrong;
  if (!o.folder) {
    put_page(stdout, o.page);
    return BERTH_OK;
  }
  int rc = write_page(o.folder, NULL, &err);
  for (size_t i = 0; cli_commands[i] && !rc; i++)
    if (!cli_commands[i]->hidden) rc = write_page(o.folder, cli_commands[i], &err);
  return rc ? cli_report(argv[0], &err) : BERTH_OK;
}

const cli_command_t cmd_manual = {.name = "manual", .run = run, .parts = parts, .hidden = true};
