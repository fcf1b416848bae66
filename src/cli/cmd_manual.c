/* SPDX-License-Identifier: BSD-3-Clause */
/* `berth manual [COMMAND]`: man pages (man(7) macros) from the tables that --help is made from. */
#include <berth/version.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

/* Text with what roff would take for a request or an escape made harmless. */
static void put_text(const char *s)
{
  for (bool at_line_start = true; *s; at_line_start = *s == '\n', s++) {
    if (at_line_start && (*s == '.' || *s == '\'')) fputs("\\&", stdout);
    if (*s == '\\')
      fputs("\\e", stdout);
    else if (*s == '-')
      fputs("\\-", stdout);
    else
      putchar(*s);
  }
}

/* Paragraphs are separated by empty lines; lines that begin with two spaces stay as they are. */
static void put_paragraphs(const char *s)
{
  bool verbatim = false;
  while (*s) {
    const char *end = strchrnul(s, '\n');
    char line[512];
    snprintf(line, sizeof line, "%.*s", (int)(end - s), s);
    bool indented = strncmp(line, "  ", 2) == 0;
    if (indented != verbatim) puts(indented ? ".PP\n.nf\n.RS 2" : ".RE\n.fi");
    verbatim = indented;
    if (*line == '\0')
      puts(".PP");
    else
      put_text(indented ? line + 2 : line), putchar('\n');
    s = *end ? end + 1 : end;
  }
  if (verbatim) puts(".RE\n.fi");
}

static void put_option(const struct argp_option *o)
{
  fputs(".TP\n.B ", stdout);
  if (o->key > ' ' && o->key < 127) printf("\\-%c", o->key);
  if (o->key > ' ' && o->key < 127 && o->name) fputs(", ", stdout);
  if (o->name) {
    fputs("\\-\\-", stdout);
    put_text(o->name);
  }
  if (o->arg) {
    fputs("\\fR \\fI", stdout);
    put_text(o->arg);
  }
  fputs("\\fR\n", stdout);
  if (o->doc) put_text(o->doc);
  putchar('\n');
}

static void put_options(const struct argp *argp)
{
  puts(".SH OPTIONS");
  for (const struct argp_option *o = argp->options; o && (o->name || o->key || o->doc); o++)
    if (!(o->flags & OPTION_HIDDEN)) put_option(o);
  static const struct argp_option common[] = {
      {"help", '?', NULL, 0, "Print the options and exit.", 0},
      {"version", 'V', NULL, 0, "Print berth's version and exit.", 0}};
  put_option(&common[0]);
  put_option(&common[1]);
}

static void put_exit_codes(void)
{
  puts(".SH EXIT STATUS\n"
       ".TP\n.B 0\ndone\n"
       ".TP\n.B 1\na check failed\n"
       ".TP\n.B 2\nwrong usage\n"
       ".TP\n.B 3\nbad input\n"
       ".TP\n.B 4\nsomething needed is missing on this machine\n"
       ".PP\n.B berth trace\nand\n.B berth run\npass on the exit status of the program they start.");
}

static void put_command_page(const cli_command_t *c)
{
  printf(".TH BERTH\\-%s 1 \"\" \"berth %s\" \"User Commands\"\n", c->name, BERTH_VERSION);
  printf(".SH NAME\nberth\\-%s \\- ", c->name);
  put_text(c->help);
  printf("\n.SH SYNOPSIS\n");
  const char *usage = c->argp->args_doc ? c->argp->args_doc : "";
  while (*usage) { /* alternative forms, one a line */
    const char *end = strchrnul(usage, '\n');
    char form[256];
    snprintf(form, sizeof form, "%.*s", (int)(end - usage), usage);
    printf(".B berth %s\n", c->name);
    put_text(form);
    puts("\n.br");
    usage = *end ? end + 1 : end;
  }
  puts(".SH DESCRIPTION");
  const char *doc = c->argp->doc ? c->argp->doc : "", *rest = strchrnul(doc, '\v');
  char first[2048];
  snprintf(first, sizeof first, "%.*s", (int)(rest - doc), doc);
  put_paragraphs(first);
  if (*rest) put_paragraphs(rest + 1);
  put_options(c->argp);
  if (c->manual) {
    puts(".SH NOTES");
    put_paragraphs(c->manual);
  }
  put_exit_codes();
  puts(".SH SEE ALSO\n.BR berth (1)");
}

static void put_main_page(void)
{
  printf(".TH BERTH 1 \"\" \"berth %s\" \"User Commands\"\n", BERTH_VERSION);
  puts(".SH NAME\nberth \\- place the ranks of an MPI job by what they say to each other\n"
       ".SH SYNOPSIS\n.B berth\nCOMMAND [OPTION...]\n.SH DESCRIPTION\n"
       "Records one run of an MPI program, knows the machine as a tree of ports, decides which\n"
       "rank runs where, predicts what that costs, and writes what the launcher takes.\n"
       ".SH COMMANDS");
  for (size_t i = 0; cli_commands[i]; i++) {
    if (cli_commands[i]->hidden) continue;
    printf(".TP\n.BR berth\\-%s (1)\n", cli_commands[i]->name);
    put_text(cli_commands[i]->help);
    putchar('\n');
  }
  put_exit_codes();
}

static const char *page;

static error_t parse(int key, char *arg, struct argp_state *state)
{
  if (key != ARGP_KEY_ARG) return ARGP_ERR_UNKNOWN;
  if (page || !cli_find(arg)) argp_error(state, "found '%s', expected one command", arg);
  page = arg;
  return 0;
}

static const struct argp argp = {
    .parser = parse, .args_doc = "[COMMAND]", .doc = "Prints a man page for `man -l -`."};

static int run(int argc, char **argv)
{
  argp_parse(&argp, argc, argv, 0, NULL, NULL);
  if (page)
    put_command_page(cli_find(page));
  else
    put_main_page();
  return BERTH_OK;
}

const cli_command_t cmd_manual = {
    "manual", "print a man page", run, &argp, NULL, true};
