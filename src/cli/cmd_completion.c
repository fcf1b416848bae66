/* SPDX-License-Identifier: BSD-3-Clause */
/* `berth completion SHELL`: from the tables that --help comes from, what bash, zsh or fish need to
 * complete commands, options and the names that options take. */
#include <berth/map.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/help_page.h"
#include "cli/manual/doc_page.h"
#include "one_sided/epoch_rules.h"

/* Where on a command line: behind a command, and behind one of its actions where it has some. */
typedef struct place {
  const cli_command_t *command;
  const cli_action_t *action; /* NULL: none, or not yet */
  const option_argp_t *options;
} place_t;

/* What takes one of a list of names: an option, or what stands behind the options. */
typedef struct names {
  const char *option;    /* NULL: what stands behind the options */
  const char *command;   /* of this command; NULL: of any */
  void (*put)(FILE *to); /* the names, each behind a blank */
  bool is_assignment;    /* NAME=FILE */
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

/* The names in what a command lists, each with `ending` behind it. */
static void put_listed(FILE *to, const cli_command_t *c, const char *ending)
{
  char *text = cli_listing(c->list);
  for (const char *line = text; line && *line; line = strchrnul(line, '\n'), line += *line != '\0')
    if (strncmp(line, "  ", 2) == 0)
      fprintf(to, " %.*s%s", (int)strcspn(line + 2, " \n"), line + 2, ending);
  free(text);
}

static void put_imports(FILE *to) { put_listed(to, &cmd_import, ""); }
static void put_exports(FILE *to) { put_listed(to, &cmd_export, ""); }
static void put_topo_formats(FILE *to) { put_listed(to, &cmd_topo, ""); }
static void put_writers(FILE *to) { put_listed(to, &cmd_write, "="); }

static void put_help_pages(FILE *to)
{
  char name[DOC_PAGE_NAME];
  for (size_t i = 0; cli_commands[i]; i++)
    if (!cli_commands[i]->hidden) fprintf(to, " %s", cli_commands[i]->name);
  for (const embedded_t *page = doc_pages; page->name; page++)
    fprintf(to, " %s", doc_page_spelling(page, name));
}

static void put_qualities(FILE *to) { fputs(" fast eco strong", to); }
static void put_phases(FILE *to) { fputs(" auto pcontrol off", to); }
static void put_mpis(FILE *to) { fputs(" openmpi mpich", to); }
static void put_one_sided(FILE *to)
{
  size_t n;
  const epoch_rules_t *const *rules = epoch_rules_all(&n);
  fputs(" auto none", to);
  for (size_t i = 0; i < n; i++) fprintf(to, " %s", rules[i]->name);
}
static void put_shells(FILE *to);

static const names_t names[] = {
    {"model", NULL, put_models, false},
    {"objective", NULL, put_models, false},
    {"by", NULL, put_models, false},
    {"models", NULL, put_models, false},
    {"algorithm", NULL, put_mappers, false},
    {"algorithms", NULL, put_mappers, false},
    {"format", "import", put_imports, false},
    {"format", "export", put_exports, false},
    {"format", "topo", put_topo_formats, false},
    {"one-sided", NULL, put_one_sided, false},
    {"quality", NULL, put_qualities, false},
    {"phases", "trace", put_phases, false},
    {"mpi", NULL, put_mpis, false},
    {"library", NULL, put_mpis, false},
    {"write", NULL, put_writers, true},
    {NULL, "write", put_writers, true},
    {NULL, "completion", put_shells, false},
    {NULL, "help", put_help_pages, false},
};

/* The names of an option, or of what stands behind the options (NULL); NULL where any word may. */
static const names_t *names_of(const cli_command_t *c, const char *option)
{
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const names_t *n = &names[i];
    bool same = option && n->option ? strcmp(option, n->option) == 0 : !option && !n->option;
    if (same && (!n->command || strcmp(n->command, c->name) == 0)) return n;
  }
  return NULL;
}

typedef void put_option_t(FILE *to, const place_t *p, const struct argp_option *o);

/* Calls `put` for each option that may stand at a place. */
static void each_option(FILE *to, const place_t *p, put_option_t *put)
{
  for (size_t i = 0; option_at(p->options, i); i++) {
    const struct argp_option *o = option_at(p->options, i);
    bool common = i >= p->options->n;
    if (common || !p->action || cli_action_takes(p->action, o->name)) put(to, p, o);
  }
}

/* Calls `put` for each place: a command, then each of its actions. */
static void each_place(FILE *to, void (*put)(FILE *to, const place_t *p))
{
  static const option_part_t no_parts[] = {{0}};
  static const cli_command_t help = {.name = "help", .parts = no_parts};
  for (size_t i = 0; i == 0 || cli_commands[i - 1]; i++) {
    const cli_command_t *c = i == 0 ? &help : cli_commands[i - 1];
    option_argp_t options;
    if (c->hidden || !option_argp_make(c, &options)) continue;
    put(to, &(place_t){c, NULL, &options});
    for (const cli_action_t *a = c->actions; a && a->name; a++)
      if (a->help) put(to, &(place_t){c, a, &options});
    option_argp_clear(&options);
  }
}

static bool takes_value(const struct argp_option *o)
{
  return o->arg && !(o->flags & OPTION_ARG_OPTIONAL);
}

static bool has_letter(const struct argp_option *o)
{
  return o->key > ' ' && o->key < 127 && o->key != '?';
}

/* The actions of a place that has none yet, each behind a blank. */
static void put_actions(FILE *to, const place_t *p)
{
  for (const cli_action_t *a = p->action ? NULL : p->command->actions; a && a->name; a++)
    if (a->help) fprintf(to, " %s", a->name);
}

/* A description up to the first full stop, with what shells would take for something else left
 * out. */
static void put_short(FILE *to, const char *text)
{
  for (; text && *text && !(*text == '.' && (text[1] == ' ' || !text[1])); text++)
    fputc(strchr("'\"`$\\[]:", *text) ? ' ' : *text, to);
}

/* --- bash --- */

static void bash_option(FILE *to, const place_t *p, const struct argp_option *o)
{
  (void)p;
  fprintf(to, " --%s%s", o->name, takes_value(o) ? "=" : "");
}

static void bash_valued(FILE *to, const place_t *p, const struct argp_option *o)
{
  const names_t *some = names_of(p->command, o->name);
  if (!o->arg) return;
  fprintf(to, "        --%s", o->name);
  if (has_letter(o)) fprintf(to, " | -%c", o->key);
  fputs(") words=\"", to);
  if (some) some->put(to);
  fprintf(to, "\" files=%s ;;\n", some ? "" : "yes");
}

/* What is there to choose from: first for the value of the option before, then for what stands
 * behind the options. */
static void bash_place(FILE *to, const place_t *p)
{
  const names_t *behind = names_of(p->command, NULL);
  bool acts = p->command->actions && !p->action;
  fprintf(to, "    \"%s%s%s\")\n      options=\"", p->command->name, p->action ? " " : "",
          p->action ? p->action->name : "");
  each_option(to, p, bash_option);
  fputs("\"\n      case $previous in\n", to);
  each_option(to, p, bash_valued);
  fputs("        *) words=\"", to);
  if (behind) behind->put(to);
  put_actions(to, p);
  fprintf(to, "\" files=%s ;;\n      esac ;;\n", behind || acts ? "" : "yes");
}

static void bash_actions(FILE *to, const place_t *p)
{
  if (p->action) fprintf(to, "    \"%s %s\") place=$* ;;\n", p->command->name, p->action->name);
}

/* --- zsh --- */

static void zsh_names(FILE *to, const names_t *some)
{
  fputs(some->is_assignment ? ":name: _berth_assign" : ":name:(", to);
  some->put(to);
  if (!some->is_assignment) fputc(')', to);
}

static void zsh_spelling(FILE *to, const place_t *p, const struct argp_option *o,
                         const char *dashes, const char *name, const char *before_value)
{
  const names_t *some = names_of(p->command, o->name);
  fprintf(to, " \\\n        '*%s%s%s[", dashes, name, o->arg ? before_value : "");
  put_short(to, o->doc);
  fputc(']', to);
  if (o->arg && some)
    zsh_names(to, some);
  else if (o->arg)
    fputs(":value:_files", to);
  fputc('\'', to);
}

static void zsh_option(FILE *to, const place_t *p, const struct argp_option *o)
{
  const char letter[] = {(char)o->key, '\0'};
  zsh_spelling(to, p, o, "--", o->name, "=");
  if (has_letter(o)) zsh_spelling(to, p, o, "-", letter, "+");
}

static void zsh_place(FILE *to, const place_t *p)
{
  const names_t *behind = names_of(p->command, NULL);
  fprintf(to, "    '%s%s%s') _arguments", p->command->name, p->action ? " " : "",
          p->action ? p->action->name : "");
  each_option(to, p, zsh_option);
  if (p->command->actions && !p->action) {
    fputs(" \\\n        '1:action:((", to);
    for (const cli_action_t *a = p->command->actions; a->name; a++) {
      if (!a->help) continue;
      fprintf(to, "%s\\:\"", a->name);
      put_short(to, a->help);
      fputs("\" ", to);
    }
    fputs("))'", to);
  }
  fputs(" \\\n        '*", to);
  if (behind)
    zsh_names(to, behind);
  else
    fputs(":file:_files", to);
  fputs("' ;;\n", to);
}

static void zsh_action(FILE *to, const place_t *p)
{
  if (p->action)
    fprintf(to, "    '%s %s') place=\"$words[1,2]\"; shift words; (( CURRENT-- )) ;;\n",
            p->command->name, p->action->name);
}

static void zsh_command(FILE *to, const place_t *p)
{
  if (p->action) return;
  fprintf(to, "\n      '%s:", p->command->name);
  put_short(to, p->options->summary);
  fputc('\'', to);
}

/* --- fish --- */

/* When a place is where the cursor is. */
static void fish_condition(FILE *to, const place_t *p)
{
  fprintf(to, "complete -c berth -n '__berth_at %s", p->command->name);
  if (p->action) {
    fprintf(to, " %s", p->action->name);
  } else if (p->command->actions) {
    fprintf(to, "; and not __berth_at %s", p->command->name);
    put_actions(to, p);
  }
  fputc('\'', to);
}

static void fish_option(FILE *to, const place_t *p, const struct argp_option *o)
{
  const names_t *some = names_of(p->command, o->name);
  fish_condition(to, p);
  fprintf(to, " -l %s", o->name);
  if (has_letter(o)) fprintf(to, " -s %c", o->key);
  if (takes_value(o)) fputs(some && !some->is_assignment ? " -x" : " -r", to);
  if (o->arg && some) {
    fputs(" -a '", to);
    some->put(to);
    fputc('\'', to);
  }
  fputs(" -d '", to);
  put_short(to, o->doc);
  fputs("'\n", to);
}

static void fish_place(FILE *to, const place_t *p)
{
  const names_t *behind = names_of(p->command, NULL);
  if (!p->action) {
    fprintf(to, "complete -c berth -f -n __fish_use_subcommand -a %s -d '", p->command->name);
    put_short(to, p->options->summary);
    fputs("'\n", to);
  }
  each_option(to, p, fish_option);
  if (behind) {
    fish_condition(to, p);
    fputs(behind->is_assignment ? " -a '" : " -f -a '", to);
    behind->put(to);
    fputs("'\n", to);
  }
  for (const cli_action_t *a = p->action ? NULL : p->command->actions; a && a->name; a++) {
    if (!a->help) continue;
    fish_condition(to, p);
    fprintf(to, " -f -a %s -d '", a->name);
    put_short(to, a->help);
    fputs("'\n", to);
  }
}

/* What stands for a @word@ in man/completion.SHELL. */
typedef struct hole {
  const char *word;
  void (*put)(FILE *to, const place_t *p); /* for each place */
} hole_t;

static void bash_command(FILE *to, const place_t *p)
{
  if (!p->action && strcmp(p->command->name, "help") != 0) fprintf(to, " %s", p->command->name);
}

static const struct shell {
  const char *name, *file;
  hole_t holes[4];
} shells[] = {
    {"bash",
     "completion.bash",
     {{"actions", bash_actions}, {"commands", bash_command}, {"places", bash_place}}},
    {"zsh",
     "completion.zsh",
     {{"actions", zsh_action}, {"commands", zsh_command}, {"places", zsh_place}}},
    {"fish", "completion.fish", {{"places", fish_place}}},
};

static void put_shell(FILE *to, const struct shell *shell)
{
  for (const char *text = page_text(shell->file); *text;) {
    const hole_t *hole = shell->holes;
    while (hole->word && !(*text == '@' && text_starts(text + 1, hole->word))) hole++;
    if (hole->word) {
      each_place(to, hole->put);
      text += strlen(hole->word) + 2;
    } else {
      fputc(*text++, to);
    }
  }
}

static void put_shells(FILE *to)
{
  for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) fprintf(to, " %s", shells[i].name);
}

static void take_shell(struct argp_state *state, const option_t *o, char *arg, void *field)
{
  (void)o;
  const struct shell **shell = field;
  if (*shell) argp_error(state, "found '%s' behind '%s', expected one shell", arg, (*shell)->name);
  for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
    if (strcmp(shells[i].name, arg) == 0) *shell = &shells[i];
  if (!*shell) argp_error(state, "found '%s', expected bash, zsh or fish", arg);
}

static void check(struct argp_state *state, void *all)
{
  if (!*(const struct shell **)all) argp_error(state, "expected a shell: bash, zsh or fish");
}

static const option_t own_options[] = {OPTION_OF_ALL("", take_shell), {0}};
static const option_table_t own = {own_options, check};
static const option_part_t parts[] = {{&own, 0}, {0}};

static int run(int argc, char **argv)
{
  const struct shell *shell = NULL;
  int wrong = option_parse(&cmd_completion, argc, argv, &shell);
  if (wrong) return wrong;
  put_shell(stdout, shell);
  return BERTH_OK;
}

const cli_command_t cmd_completion = {.name = "completion", .run = run, .parts = parts};
