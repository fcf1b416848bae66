/* SPDX-License-Identifier: BSD-3-Clause */
/* `berth manual [NAME]`: man pages (man(7) macros) from the tables that --help is made from, and
 * from the Markdown of man/ and docs/. */
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
#include "cli/manual/doc_page.h"
#include "cli/manual/roff.h"

static void put_text(FILE *to, const char *s) { roff_text(to, s, strlen(s)); }

static void put_markdown(FILE *to, const char *s) { roff_line(to, s, strlen(s)); }

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
  if (o->doc) put_markdown(to, o->doc);
  fputc('\n', to);
}

static void put_options(FILE *to, const option_argp_t *table)
{
  fputs(".SH OPTIONS\n", to);
  for (size_t i = 0; option_at(table, i); i++) put_option(to, option_at(table, i));
}

static void put_blocks(FILE *to, const char *s) { roff_blocks(to, s, strlen(s)); }

/* Alternatives are lines. */
static void put_synopsis(FILE *to, const char *name, const char *form)
{
  fputs(".SH SYNOPSIS\n", to);
  for (const char *end; *form; form = *end ? end + 1 : end) {
    end = strchrnul(form, '\n');
    fprintf(to, ".B %s\n", name);
    roff_text(to, form, (size_t)(end - form));
    fputs(*end ? "\n.br\n" : "\n", to);
  }
}

/* What the command lists, then its notes. */
static void put_notes(FILE *to, const cli_command_t *c, const char *notes)
{
  char *list = c->list ? cli_listing(c->list) : NULL;
  char *text = cli_checked(text_printf("%s%s%s", list ? list : "", list ? "\n" : "", notes));
  if (text && *text) fputs(".SH NOTES\n", to);
  if (text) put_blocks(to, text);
  free(text);
  free(list);
}

/* What pages begin with: the name in capitals, and that of the manual's section. */
static void put_title(FILE *to, const char *name, int section)
{
  fputs("'\\\" t\n.TH ", to);
  for (; *name; name++) fprintf(to, *name == '-' ? "\\-" : "%c", toupper((unsigned char)*name));
  fprintf(to, " %d \"\" \"berth %s\" \"%s\"\n.nh\n.ad l\n.SH NAME\n", section, BERTH_VERSION,
          section == 1   ? "User Commands"
          : section == 5 ? "File Formats"
                         : "Miscellaneous");
}

/* The name of a command's page. */
static void put_begin(FILE *to, const char *name, const page_t *page)
{
  char title[64];
  snprintf(title, sizeof title, "berth%s%s", *name ? "-" : "", name);
  put_title(to, title, 1);
  put_text(to, title);
  fputs(" \\- ", to);
  put_text(to, page->summary);
  fputc('\n', to);
  snprintf(title, sizeof title, "berth%s%s", *name ? " " : "", name);
  put_synopsis(to, title, page->synopsis);
  fputs(".SH DESCRIPTION\n", to);
  put_blocks(to, page->details);
}

/* Further sections, the exit status of all commands if the page has none of its own, other pages.
 */
static void put_end(FILE *to, const page_t *page, arena_t *texts)
{
  static const char heading[] = "Exit status";
  put_blocks(to, page->more);
  if (!strstr(page->more, heading)) {
    fputs(".SH EXIT STATUS\n", to);
    put_blocks(to, page_section(heading, texts));
  }
  fputs(".SH SEE ALSO\n", to);
  put_blocks(to, page->see_also);
}

static void put_command_page(FILE *to, const cli_command_t *c, arena_t *texts)
{
  option_argp_t table;
  page_t page = page_of(c->name, texts);
  if (!option_argp_make(c, &table)) return;
  put_begin(to, c->name, &page);
  put_options(to, &table);
  option_argp_clear(&table);
  put_notes(to, c, page.notes);
  put_end(to, &page, texts);
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
  put_end(to, &page, texts);
}

/* The commands whose pages name this one. */
static void put_commands_of(FILE *to, const char *page, arena_t *texts)
{
  for (size_t i = 0; cli_commands[i]; i++) {
    const char *name = cli_commands[i]->name;
    if (!cli_commands[i]->hidden && strstr(page_of(name, texts).see_also, page))
      fprintf(to, ",\n\\fBberth\\-%s\\fR(1)", name);
  }
}

/* What a page is about, for lists of pages: its title, without the name before a colon, and without
 * Markdown's marks. */
static void put_summary(FILE *to, const char *title)
{
  const char *end = strchrnul(title, '\n'), *colon = memmem(title, (size_t)(end - title), ": ", 2);
  bool whole = !colon && title[0] && islower((unsigned char)title[1]);
  if (colon) title = colon + 2;
  if (whole) fputc(tolower((unsigned char)*title++), to);
  for (; title < end; title++)
    if (*title != '`') roff_text(to, title, 1);
  fputc('\n', to);
}

static void put_doc_page(FILE *to, const embedded_t *doc, arena_t *texts)
{
  const char *title = (const char *)doc->data + strlen("# "), *text = strchrnul(title, '\n');
  char name[64], reference[80];
  snprintf(name, sizeof name, "berth-%.*s", doc_page_length(doc), doc->name);
  snprintf(reference, sizeof reference, "%s(%d)", name, doc_page_section(doc));
  put_title(to, name, doc_page_section(doc));
  put_text(to, name);
  fputs(" \\- ", to);
  put_summary(to, title);
  fputs(".SH DESCRIPTION\n", to);
  put_blocks(to, text);
  fputs(".SH SEE ALSO\n\\fBberth\\fR(1)", to);
  put_commands_of(to, reference, texts);
  fputc('\n', to);
}

/* A page of the manual: a command's, one of docs/, or that of berth itself, if both are NULL. */
typedef struct manual {
  const cli_command_t *command;
  const embedded_t *doc;
} manual_t;

static void put_page(FILE *to, manual_t page)
{
  arena_t texts = {0};
  if (page.doc)
    put_doc_page(to, page.doc, &texts);
  else if (page.command)
    put_command_page(to, page.command, &texts);
  else
    put_main_page(to, &texts);
  arena_free(&texts);
}

/* The file of a page in a folder, which the caller frees; NULL if memory is out. */
static char *page_path(const char *folder, manual_t page)
{
  if (page.doc)
    return text_printf("%s/berth-%.*s.%d", folder, doc_page_length(page.doc), page.doc->name,
                       doc_page_section(page.doc));
  return text_printf("%s/berth%s%s.1", folder, page.command ? "-" : "",
                     page.command ? page.command->name : "");
}

static int write_page(const char *folder, manual_t page, berth_error_t *err)
{
  char *path = page_path(folder, page), *text = NULL;
  size_t n;
  FILE *f = open_memstream(&text, &n);
  if (f) put_page(f, page);
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

static int write_pages(const char *folder, berth_error_t *err)
{
  int rc = write_page(folder, (manual_t){0}, err);
  for (size_t i = 0; cli_commands[i] && !rc; i++)
    if (!cli_commands[i]->hidden) rc = write_page(folder, (manual_t){cli_commands[i], NULL}, err);
  for (const embedded_t *doc = doc_pages; doc->name && !rc; doc++)
    rc = write_page(folder, (manual_t){NULL, doc}, err);
  return rc;
}

typedef struct options {
  manual_t page;
  const char *folder;
} options_t;

static void take_page(struct argp_state *state, const option_t *o, char *arg, void *field)
{
  (void)o;
  manual_t *page = field;
  bool is_second = page->command || page->doc;
  *page = (manual_t){cli_find(arg), doc_page_named(arg)};
  if (is_second || (!page->command && !page->doc))
    argp_error(state, "found '%s', expected one command or format", arg);
  if (page->command) page->doc = NULL;
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
  int rc = write_pages(o.folder, &err);
  return rc ? cli_report(argv[0], &err) : BERTH_OK;
}

const cli_command_t cmd_manual = {.name = "manual", .run = run, .parts = parts, .hidden = true};
