/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/options/defaults.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/options/default_values.h"
#include "project/project.h"

/* Options that a variable of the environment stands for. */
static const struct {
  const char *option, *variable;
} variables[] = {{"--topology", "BERTH_TOPOLOGY"}, {"--model", "BERTH_MODEL"}};

/* What gave options their values; those of the command line aren't in it. Kept to the end. */
static struct source {
  const char *option;
  char *text;       /* "BERTH_MODEL", or ".berth.toml:2:12: topology" */
  bool is_for_said; /* it may stand in formats (defaults_field) */
  bool is_of_file;
} sources[16];
static size_t n_sources;

/* Rules in a file that the project file names; kept to the end, too. */
static char *rules_file;

static const struct source *find_source(const char *option)
{
  for (size_t i = 0; option && i < n_sources; i++)
    if (strcmp(sources[i].option, option) == 0) return &sources[i];
  return NULL;
}

/* Takes over the text. What an option had its value from first stays. */
static const char *remember_source(struct argp_state *state, const char *option, char *text,
                                   bool is_of_file)
{
  enum { LONGEST_SAID = 100 };
  if (!text) option_no_memory(state);
  const struct source *known = find_source(option);
  if (known) {
    free(text);
    return known->text;
  }
  bool is_for_said = !strchr(text, '%') && strlen(text) <= LONGEST_SAID;
  if (n_sources == sizeof sources / sizeof *sources) return text;
  sources[n_sources++] = (struct source){option, text, is_for_said, is_of_file};
  return text;
}

/* Read once, and kept to the end: takers borrow its texts. */
static const project_t *the_project(struct argp_state *state)
{
  static project_t project;
  static bool is_read;
  berth_error_t err = {0};
  if (is_read) return &project;
  is_read = true;
  int rc = project_open(&project, &err);
  if (project.foreign)
    fprintf(stderr,
            "note: %s is another user's file or one that all may write, so berth doesn't use it "
            "(%s=%s does)\n",
            project.foreign, PROJECT_VARIABLE, project.foreign);
  if (rc) argp_failure(state, rc, 0, "%s", err.text);
  return &project;
}

/* The first line of what a taker said, without the program's name. */
static char *first_line(const struct argp_state *state, char *text)
{
  size_t n = strlen(state->name);
  text[strcspn(text, "\n")] = '\0';
  return strncmp(text, state->name, n) == 0 && text_starts(text + n, ": ") ? text + n + 2 : text;
}

bool defaults_hand(struct argp_state *state, const option_t *o, char *value, void *field,
                   berth_error_t *err)
{
  char *said = NULL;
  size_t n;
  FILE *to = cli_checked(open_memstream(&said, &n)), *before = state->err_stream;
  if (!to) option_no_memory(state);
  unsigned flags = state->flags;
  state->err_stream = to;
  state->flags |= ARGP_NO_EXIT;
  o->take(state, o, value, field);
  state->err_stream = before;
  state->flags = flags;
  if (!text_end(to, &said)) option_no_memory(state);
  bool fits = !*said;
  if (!fits) berth_fail(err, BERTH_BAD_INPUT, "%s", first_line(state, said));
  free(said);
  return fits;
}

static bool take_of_project(struct argp_state *state, const option_t *o, void *field)
{
  const project_t *p = the_project(state);
  const project_value_t *v = project_find(p, o->name + 2);
  berth_error_t err = {0};
  if (!v || (v->key->type == PROJECT_FLAG && strcmp(v->text, "false") == 0)) return false;
  option_t named = *o;
  named.name = remember_source(state, o->name, default_value_name(p, v), true);
  char *value = v->text;
  if (strcmp(o->name, "--collectives") == 0) {
    if (!rules_file && !(rules_file = default_value_rules(p, v))) option_no_memory(state);
    value = rules_file;
    if (default_rules_check(named.name, v->text, value, &err))
      argp_failure(state, err.code, 0, "%s", err.text);
  }
  if (strcmp(o->name, "--topology") == 0)
    o->take(state, o, value, field); /* any text is a file's name */
  else if (!defaults_hand(state, &named, value, field, &err))
    argp_failure(state, err.code, 0, "%s", err.text);
  return true;
}

bool defaults_take(struct argp_state *state, const option_t *o, void *field)
{
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
    char *value = strcmp(variables[i].option, o->name) == 0 ? getenv(variables[i].variable) : NULL;
    if (!value || !*value) continue;
    option_t named = *o;
    named.name = remember_source(state, o->name, strdup(variables[i].variable), false);
    named.take(state, &named, value, field);
    return true;
  }
  return take_of_project(state, o, field);
}

const char *defaults_source(const char *option)
{
  const struct source *s = find_source(option);
  return s ? s->text : option;
}

const char *defaults_field(const char *option)
{
  const struct source *s = find_source(option);
  return s && s->is_for_said ? s->text : option;
}

bool defaults_is_of_file(const char *option)
{
  const struct source *s = find_source(option);
  return s && s->is_of_file;
}
