/* SPDX-License-Identifier: BSD-3-Clause */
#include <berth/version.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "base/out_file.h"
#include "cli/cli.h"
#include "cli/help_page.h"
#include "cli/manual/doc_page.h"
#include "cli/manual/plain.h"
#include "cli/options/option_names.h"
#include "cli/print/clean_stream.h"

/* argp's name for it. */
BERTH_API const char *argp_program_version = "berth " BERTH_VERSION;

const cli_command_t *const cli_commands[] = {
    &cmd_trace,     &cmd_make,       &cmd_scale,   &cmd_show,     &cmd_view,    &cmd_topo,
    &cmd_calibrate, &cmd_map,        &cmd_search,  &cmd_cost,     &cmd_compare, &cmd_explore,
    &cmd_check,     &cmd_report,     &cmd_write,   &cmd_run,      &cmd_tune,    &cmd_schedule,
    &cmd_agents,    &cmd_resolve,    &cmd_recover, &cmd_snapshot, &cmd_import,  &cmd_export,
    &cmd_doctor,    &cmd_completion, &cmd_manual,  NULL,
};

static void put_exit_codes(FILE *to, const char *list)
{
  fputs("Exit codes:\n", to);
  for (; *list == '-'; list = strchrnul(list, '\n') + 1)
    fprintf(to, "  %.*s\n", (int)strcspn(list + 2, "\n"), list + 2);
}

/* Names of pages, in lines of 80 columns. */
static void put_pages(FILE *to)
{
  static const char begin[] = "Pages for `berth help PAGE`:";
  char name[DOC_PAGE_NAME];
  size_t column = (size_t)fprintf(to, "%s", begin);
  for (const embedded_t *page = doc_pages; page->name; page++) {
    size_t n = strlen(doc_page_spelling(page, name));
    bool fits = column + 1 + n < 80;
    fprintf(to, "%s%s", fits ? " " : "\n", name);
    column = fits ? column + 1 + n : n;
  }
  fputs("\n\n", to);
}

static void usage(FILE *to)
{
  arena_t texts = {0};
  page_t berth = page_of("", &texts);
  fprintf(to, "Usage: berth %s\n%s\n\n", berth.synopsis, berth.purpose);
  for (size_t i = 0; cli_commands[i]; i++) {
    const char *name = cli_commands[i]->name;
    if (!cli_commands[i]->hidden) fprintf(to, "  %-10s %s\n", name, page_of(name, &texts).summary);
  }
  fprintf(to, "\n%s\n", page_section("Help", &texts));
  put_pages(to);
  put_exit_codes(to, page_section("Exit status", &texts));
  arena_free(&texts);
}

/* A signal leaves no temporary file behind. */
static void on_signal(int signal_number)
{
  out_remove_temporaries();
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

/* A file that may not become larger: the write fails, and that is said. To ignore the signal would
 * hand that down to whatever is started; a handler isn't handed down. */
static void on_large_file(int signal_number) { (void)signal_number; }

/* nohup's and a script's choice stands. */
static void handle(int signal_number, void (*handler)(int))
{
  if (signal(signal_number, handler) == SIG_IGN) signal(signal_number, SIG_IGN);
}

static const char *speaker = "berth"; /* who writes to standard output */

/* Whoever ends the program (argp does, behind --help): what was printed has to be out. */
static void check_output(int code, void *unused)
{
  (void)unused;
  errno = 0;
  if (fflush(stdout) == 0 && !ferror(stdout) && clean_streams_end()) return;
  /* Of what failed before, nobody knows why. */
  fprintf(stderr, "%s: cannot write standard output%s%s\n", speaker, errno ? ": " : "",
          errno ? strerror(errno) : "");
  _exit(code ? code : BERTH_MISSING);
}

static int run(const cli_command_t *command, int argc, char **argv)
{
  static char name[64];
  snprintf(name, sizeof name, "berth %s", command->name);
  speaker = argv[0] = name;
  int code = command->run(argc, argv);
  if (code || !cli_ran_out()) return code;
  return cli_report(name, &(berth_error_t){BERTH_MISSING, "out of memory"});
}

static nearest_t nearest_command(const char *word)
{
  nearest_t best = {0};
  for (size_t i = 0; cli_commands[i]; i++)
    if (!cli_commands[i]->hidden) nearest_compare(&best, word, cli_commands[i]->name);
  return best;
}

/* `near`: what was meant, or NULL. */
static int unknown(const char *what, const char *word, const char *near)
{
  fprintf(stderr, "berth: found %s '%s', expected %s%s that `berth --help` lists\n", what, word,
          near ? near : "", near ? " or another" : "one");
  return BERTH_USAGE;
}

static int unknown_page(const char *word)
{
  static char names[2][DOC_PAGE_NAME]; /* the best one, and the one at hand */
  nearest_t best = nearest_command(word);
  int free_one = 0;
  for (const embedded_t *page = doc_pages; page->name; page++) {
    nearest_compare(&best, word, doc_page_spelling(page, names[free_one]));
    if (best.name == names[free_one]) free_one = !free_one;
  }
  return unknown("page", word, best.name);
}

static bool asks_for_help(const char *word)
{
  return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
}

/* `berth help NAME`: a command, or a page of docs/. */
static int help_on(char *program, const char *name)
{
  static char help[] = "--help";
  const cli_command_t *command = cli_find(name);
  const embedded_t *page = command ? NULL : doc_page_named(name);
  if (command) return run(command, 2, (char *[]){program, help, NULL});
  if (!page) return unknown_page(name);
  plain_page(stdout, (const char *)page->data);
  return BERTH_OK;
}

/* A link to the program with the name berth-COMMAND is that command. */
static const cli_command_t *find_by_link(const char *path)
{
  static const char prefix[] = "berth-";
  const char *slash = path ? strrchr(path, '/') : NULL, *name = slash ? slash + 1 : path;
  bool is_link = name && strncmp(name, prefix, sizeof prefix - 1) == 0;
  return is_link ? cli_find(name + sizeof prefix - 1) : NULL;
}

int main(int argc, char **argv)
{
  argp_err_exit_status = BERTH_USAGE;
  options_name_fields();
  clean_streams_install();
  on_exit(check_output, NULL);
  static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) handle(ends[i], on_signal);
  handle(SIGXFSZ, on_large_file);
  const cli_command_t *linked = find_by_link(argv[0]);
  if (linked) return run(linked, argc, argv);
  const char *word = argc > 1 ? argv[1] : "";
  if (asks_for_help(word)) {
    if (argc > 2 && !asks_for_help(argv[2])) return help_on(argv[0], argv[2]);
    usage(stdout);
    return BERTH_OK;
  }
  if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
    puts(argp_program_version);
    return BERTH_OK;
  }
  const cli_command_t *command = cli_find(word);
  if (command) return run(command, argc - 1, argv + 1);
  if (argc > 1) return unknown("command", word, nearest_command(word).name);
  usage(stderr);
  return BERTH_USAGE;
}
