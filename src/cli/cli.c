/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/cli.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/out_file.h"
#include "base/text.h"
#include "cli/print/clean_stream.h"
#include "cli/print/progress.h"
#include "symbol/symbol.h"

const cli_command_t *cli_find(const char *name)
{
  for (size_t i = 0; cli_commands[i]; i++)
    if (strcmp(cli_commands[i]->name, name) == 0) return cli_commands[i];
  return NULL;
}

bool cli_action_takes(const cli_action_t *action, const char *option)
{
  size_t n = strlen(option);
  for (const char *word = action->options; *word; word += strspn(word, " ")) {
    size_t length = strcspn(word, " ");
    if (length == n && strncmp(word, option, n) == 0) return true;
    word += length;
  }
  return false;
}

const char **cli_own_command(const cli_command_t *command, int argc, char **argv)
{
  const char **words = malloc((size_t)(argc + 1) * sizeof *words);
  if (!words) return NULL;
  words[0] = "berth";
  words[1] = command->name;
  for (int i = 1; i < argc; i++) words[i + 1] = argv[i];
  return words;
}

static bool ran_out;

void *cli_checked(void *p)
{
  ran_out = ran_out || !p;
  return p;
}

bool cli_ran_out(void) { return ran_out; }

int cli_report(const char *program, const berth_error_t *err)
{
  progress(NULL, NULL);
  fprintf(stderr, "%s: %s\n", program, err->text);
  return err->code;
}

/* The run that the first signal stops, instead of ending the process; and that signal. */
static _Atomic(berth_map_watch_t *) stoppable;
static atomic_int stopped_by;

static bool stop_gently(int number)
{
  berth_map_watch_t *watch = atomic_load(&stoppable);
  if (!watch || number == SIGHUP || atomic_load(&stopped_by)) return false;
  atomic_store(&stopped_by, number);
  berth_map_watch_stop(watch);
  return true;
}

void cli_stop_gently(berth_map_watch_t *watch) { atomic_store(&stoppable, watch); }

int cli_stopped_by(void) { return atomic_load(&stopped_by); }

/* Ends the process by a signal that all threads block. */
static void *wait_for_signal(void *signals)
{
  int number;
  do
    if (sigwait(signals, &number) != 0) return NULL;
  while (stop_gently(number));
  out_remove_temporaries();
  if (number == SIGTERM) _exit(128 + number); /* METIS may take it at any moment */
  signal(number, SIG_DFL);
  pthread_sigmask(SIG_UNBLOCK, signals, NULL);
  raise(number);
  return NULL;
}

void cli_watch_signals(void)
{
  static sigset_t signals;
  static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction now;
  pthread_t watcher;
  sigemptyset(&signals);
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
    if (sigaction(ends[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
      sigaddset(&signals, ends[i]);
  pthread_sigmask(SIG_BLOCK, &signals, NULL);
  if (pthread_create(&watcher, NULL, wait_for_signal, &signals) == 0)
    pthread_detach(watcher);
  else
    pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
}

char *cli_listing(void (*list)(FILE *to))
{
  char *text = NULL;
  size_t n;
  FILE *f = open_memstream(&text, &n);
  if (f) list(f);
  return cli_checked(text_end(f, &text));
}

/* What stands in quotes, which is all printable. */
static void put_quoted(FILE *to, const char *word)
{
  fputc('\'', to);
  for (; *word; word++)
    if (*word == '\'')
      fputs("'\\''", to);
    else
      fputc(*word, to);
  fputc('\'', to);
}

/* The same with escapes, as bash, zsh and ksh read them (and POSIX since 2024). */
static void put_escaped(FILE *to, const char *word)
{
  fputs("$'", to);
  for (size_t n; *word; word += n ? n : 1) {
    n = text_shown_length(word, strnlen(word, 4));
    if (n == 0)
      fprintf(to, "\\%03o", (unsigned char)*word);
    else
      fprintf(to, "%s%.*s", *word == '\'' || *word == '\\' ? "\\" : "", (int)n, word);
  }
  fputc('\'', to);
}

static bool is_shown(const char *word)
{
  for (size_t n; *word; word += n) {
    n = text_shown_length(word, strnlen(word, 4));
    if (n == 0) return false;
  }
  return true;
}

void cli_print_command(FILE *to, const char *const *argv)
{
  clean_stream_keep_line(to);
  static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                             "%+,-./:=@_";
  for (size_t i = 0; argv[i]; i++) {
    if (i) fputc(' ', to);
    if (*argv[i] && argv[i][strspn(argv[i], safe)] == '\0')
      fputs(argv[i], to);
    else if (is_shown(argv[i]))
      put_quoted(to, argv[i]);
    else
      put_escaped(to, argv[i]);
  }
}

void cli_print_frame(FILE *to, const char *frame)
{
  size_t n;
  const char *brief = symbols_brief(frame, &n);
  char *text = cli_checked(strndup(brief, n));
  if (!text) return;
  text_clean(text);
  fputs(text, to);
  free(text);
}
