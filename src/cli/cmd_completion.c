/* SPDX-License-Identifier: BSD-3-Clause */
/* `berth completion SHELL`: from the tables that --help comes from, what bash, zsh or fish need to
 * complete commands, options and the names that options take. */
#include <berth/exchange.h>
#include <berth/map.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

/* Options that take one of a list of names. */
typedef struct names {
  const char *option;
  void (*put)(FILE *to); /* the names, each behind a blank */
} names_t;

static void put_models(FILE *to)
{
  for (int i = 0; i < BERTH_N_MODELS; i++) fprintf(to, " %s", berth_model_name((berth_model_t)i));
}

static void put_mappers(FILE *to)
{
  size_t n;
  const berth_mapper_t *all = berth_mappers(&n);
  for (size_t i = 0; i < n; i++) fprintf(to, " %s", all[i].name);
}

static void put_formats(FILE *to)
{
  size_t n;
  const berth_exchange_t *all = berth_exchanges(&n);
  for (size_t i = 0; i < n; i++) fprintf(to, " %s", all[i].name);
}

/* The value is NAME=FILE. */
static void put_writers(FILE *to)
{
  size_t n;
  const berth_writer_t *all = berth_writers(&n);
  for (size_t i = 0; i < n; i++) fprintf(to, " %s=", all[i].name);
}

static void put_qualities(FILE *to) { fputs(" fast eco strong", to); }
static void put_phases(FILE *to) { fputs(" auto pcontrol off", to); }
static void put_mpis(FILE *to) { fputs(" openmpi mpich", to); }

static const names_t names[] = {
    {"model", put_models},   {"objective", put_models},  {"by", put_models},
    {"models", put_models},  {"algorithm", put_mappers}, {"algorithms", put_mappers},
    {"format", put_formats}, {"quality", put_qualities}, {"phases", put_phases},
    {"mpi", put_mpis},       {"library", put_mpis},      {"write", put_writers},
};

static const names_t *names_of(const char *option)
{
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(names[i].option, option) == 0) return &names[i];
  return NULL;
}

/* Calls `put` for each option of a command. */
typedef void put_option_t(FILE *to, const cli_command_t *c, const struct argp_option *o);

static void each_in(FILE *to, const cli_command_t *c, const struct argp_option *o,
                    put_option_t *put)
{
  for (; o && (o->name || o->key || o->doc); o++)
    if (o->name && !(o->flags & OPTION_HIDDEN)) put(to, c, o);
}

static void each_of(FILE *to, const cli_command_t *c, const struct argp *argp, put_option_t *put)
{
  for (const struct argp_child *child = argp->children; child && child->argp; child++)
    each_of(to, c, child->argp, put);
  each_in(to, c, argp->options, put);
}

static void each_option(FILE *to, const cli_command_t *c, put_option_t *put)
{
  static const struct argp_option common[] = {{"help", '?', NULL, 0, "Give this help list.", 0},
                                              {"version", 'V', NULL, 0, "Print the version.", 0},
                                              {0}};
  each_of(to, c, c->argp, put);
  each_in(to, c, common, put);
}

/* A description up to the first full stop, with what shells would take for something else left
 * out. */
static void put_short(FILE *to, const char *text)
{
  for (; text && *text && !(*text == '.' && (text[1] == ' ' || !text[1])); text++)
    fputc(strchr("'\"`$\\[]:", *text) ? ' ' : *text, to);
}

/* --- bash --- */

static void bash_option(FILE *to, const cli_command_t *c, const struct argp_option *o)
{
  (void)c;
  fprintf(to, " --%s%s", o->name, o->arg && !(o->flags & OPTION_ARG_OPTIONAL) ? "=" : "");
}

static void put_bash(FILE *to)
{
  fputs("# bash completion for berth, made by `berth completion bash`\n"
        "_berth() {\n"
        "  local current previous command words=() i\n"
        "  COMPREPLY=()\n"
        "  current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
        "  [ \"$current\" = = ] && current=\n"
        "  [ \"$previous\" = = ] && previous=${COMP_WORDS[COMP_CWORD-2]}\n"
        "  command=${COMP_WORDS[1]}\n"
        "  case $previous in\n",
        to);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    fprintf(to, "    --%s) mapfile -t COMPREPLY < <(compgen -W \"", names[i].option);
    names[i].put(to);
    fputs("\" -- \"$current\"); return ;;\n", to);
  }
  fputs("  esac\n"
        "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
        "    mapfile -t COMPREPLY < <(compgen -W \"help",
        to);
  for (size_t i = 0; cli_commands[i]; i++)
    if (!cli_commands[i]->hidden) fprintf(to, " %s", cli_commands[i]->name);
  fputs("\" -- \"$current\")\n    return\n  fi\n  case $current in\n    -*) ;;\n"
        "    *) mapfile -t COMPREPLY < <(compgen -f -- \"$current\"); compopt -o filenames "
        "2>/dev/null; "
        "return ;;\n  esac\n  case $command in\n",
        to);
  for (size_t i = 0; cli_commands[i]; i++) {
    if (cli_commands[i]->hidden) continue;
    fprintf(to, "    %s) words=\"", cli_commands[i]->name);
    each_option(to, cli_commands[i], bash_option);
    fputs("\" ;;\n", to);
  }
  fputs("    *) words= ;;\n  esac\n"
        "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
        "  [ ${#COMPREPLY[@]} -eq 1 ] && [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace "
        "2>/dev/null\n"
        "  return 0\n}\ncomplete -F _berth berth\n",
        to);
}

/* --- zsh --- */

static void zsh_option(FILE *to, const cli_command_t *c, const struct argp_option *o)
{
  (void)c;
  const names_t *some = names_of(o->name);
  fprintf(to, " \\\n        '*--%s%s[", o->name, o->arg ? "=" : "");
  put_short(to, o->doc);
  fputc(']', to);
  if (o->arg && some) {
    fputs(":name:(", to);
    some->put(to);
    fputc(')', to);
  } else if (o->arg) {
    fputs(":value:_files", to);
  }
  fputc('\'', to);
}

static void put_zsh(FILE *to)
{
  fputs("#compdef berth\n# zsh completion for berth, made by `berth completion zsh`\n"
        "_berth() {\n"
        "  local curcontext=$curcontext state line\n"
        "  _arguments -C '1: :->command' '*:: :->rest' && return\n"
        "  case $state in\n"
        "    command)\n"
        "      local -a commands=(",
        to);
  for (size_t i = 0; cli_commands[i]; i++) {
    if (cli_commands[i]->hidden) continue;
    fprintf(to, "\n        '%s:", cli_commands[i]->name);
    put_short(to, cli_commands[i]->help);
    fputc('\'', to);
  }
  fputs(")\n      _describe command commands ;;\n    rest)\n      case $line[1] in\n", to);
  for (size_t i = 0; cli_commands[i]; i++) {
    if (cli_commands[i]->hidden) continue;
    fprintf(to, "      %s) _arguments", cli_commands[i]->name);
    each_option(to, cli_commands[i], zsh_option);
    fputs(" \\\n        '*:file:_files' ;;\n", to);
  }
  fputs("      esac ;;\n  esac\n}\n_berth \"$@\"\n", to);
}

/* --- fish --- */

static void fish_option(FILE *to, const cli_command_t *c, const struct argp_option *o)
{
  const names_t *some = names_of(o->name);
  fprintf(to, "complete -c berth -n '__fish_seen_subcommand_from %s' -l %s", c->name, o->name);
  if (o->key > ' ' && o->key < 127 && o->key != '?') fprintf(to, " -s %c", o->key);
  if (o->arg && !(o->flags & OPTION_ARG_OPTIONAL)) fputs(some ? " -x" : " -r", to);
  if (o->arg && some) {
    fputs(" -a '", to);
    some->put(to);
    fputc('\'', to);
  }
  fputs(" -d '", to);
  put_short(to, o->doc);
  fputs("'\n", to);
}

static void put_fish(FILE *to)
{
  fputs("# fish completion for berth, made by `berth completion fish`\n", to);
  for (size_t i = 0; cli_commands[i]; i++) {
    if (cli_commands[i]->hidden) continue;
    fprintf(to, "complete -c berth -f -n __fish_use_subcommand -a %s -d '", cli_commands[i]->name);
    put_short(to, cli_commands[i]->help);
    fputs("'\n", to);
    each_option(to, cli_commands[i], fish_option);
  }
}

static const struct shell {
  const char *name;
  void (*put)(FILE *to);
} shells[] = {{"bash", put_bash}, {"zsh", put_zsh}, {"fish", put_fish}};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
  const struct shell **shell = state->input;
  switch (key) {
  case ARGP_KEY_ARG:
    if (*shell)
      argp_error(state, "found '%s' behind '%s', expected one shell", arg, (*shell)->name);
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
      if (strcmp(shells[i].name, arg) == 0) *shell = &shells[i];
    if (!*shell) argp_error(state, "found '%s', expected bash, zsh or fish", arg);
    break;
  case ARGP_KEY_END:
    if (!*shell) argp_error(state, "expected a shell: bash, zsh or fish");
    break;
  default:
    return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

static const struct argp argp = {
    .parser = parse_option,
    .args_doc = "bash|zsh|fish",
    .doc = "Prints what a shell needs to complete berth's commands, options and their names."};

static int run(int argc, char **argv)
{
  const struct shell *shell = NULL;
  if (argp_parse(&argp, argc, argv, 0, NULL, &shell)) return BERTH_USAGE;
  shell->put(stdout);
  return BERTH_OK;
}

const cli_command_t cmd_completion = {
    "completion",
    "print what a shell needs to complete command lines",
    run,
    &argp,
    "An installed berth has these files where bash, zsh and fish look for them. Otherwise:\n"
    "\n"
    "  source <(berth completion bash)\n"
    "  berth completion zsh > ~/.zfunc/_berth\n"
    "  berth completion fish > ~/.config/fish/completions/berth.fish",
    NULL,
    false};
