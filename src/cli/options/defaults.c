/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/options/defaults.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/cli.h"
#include "project/project.h"
#include "schedule/schedule_rules.h"

/* Options that a variable of the environment stands for. */
static const struct {
  const char *option, *variable;
} variables[] = {{"--topology", "BERTH_TOPOLOGY"}, {"--model", "BERTH_MODEL"}};

/* What gave --topology its value; empty: the command line. */
static char topology_source[256];

/* Rules in a file that the project file names; kept to the end, too. */
static char *rules_file;

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

/* Names of rules and of files stand behind one key. */
static bool is_rules(const char *text)
{
  return strcmp(text, "auto") == 0 || strcmp(text, "none") == 0 || schedule_rules_known(text);
}

/* The first line of what a taker said, without the program's name. */
static char *first_line(struct argp_state *state, char *text)
{
  size_t n = strlen(state->name);
  text[strcspn(text, "\n")] = '\0';
  return strncmp(text, state->name, n) == 0 && text_starts(text + n, ": ") ? text + n + 2 : text;
}

/* Hands a value of the project file to an option's taker. What the taker finds wrong is an error of
 * the file, not of the command line. */
static void take_value(struct argp_state *state, const option_t *o, const char *name, char *value,
                       void *field)
{
  option_t named = *o;
  char *said = NULL;
  size_t n;
  FILE *to = cli_checked(open_memstream(&said, &n)), *before = state->err_stream;
  if (!to) option_no_memory(state);
  unsigned flags = state->flags;
  named.name = name;
  state->err_stream = to;
  state->flags |= ARGP_NO_EXIT;
  named.take(state, &named, value, field);
  state->err_stream = before;
  state->flags = flags;
  if (!text_end(to, &said)) option_no_memory(state);
  if (*said) argp_failure(state, BERTH_BAD_INPUT, 0, "%s", first_line(state, said));
  free(said);
}

static bool take_of_project(struct argp_state *state, const option_t *o, void *field)
{
  const project_t *p = the_project(state);
  const project_value_t *v = project_find(p, o->name + 2);
  char name[sizeof topology_source];
  if (!v || (v->key->type == PROJECT_FLAG && strcmp(v->text, "false") == 0)) return false;
  snprintf(name, sizeof name, "%s:%ld:%ld: %s", p->path, v->line, v->column, v->key->name);
  char *value = v->text;
  if (strcmp(o->name, "--collectives") == 0 && !is_rules(value)) {
    if (!rules_file) rules_file = project_beside(p->path, value);
    if (!rules_file) option_no_memory(state);
    value = rules_file;
  }
  if (strcmp(o->name, "--topology") == 0) {
    strcpy(topology_source, name);
    o->take(state, o, value, field); /* any text is a file's name */
  } else {
    take_value(state, o, name, value, field);
  }
  return true;
}

bool defaults_take(struct argp_state *state, const option_t *o, void *field)
{
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
    char *value = strcmp(variables[i].option, o->name) == 0 ? getenv(variables[i].variable) : NULL;
    if (!value || !*value) continue;
    option_t named = *o;
    named.name = variables[i].variable;
    if (strcmp(o->name, "--topology") == 0) strcpy(topology_source, named.name);
    named.take(state, &named, value, field);
    return true;
  }
  return take_of_project(state, o, field);
}

const char *defaults_source(const char *option)
{
  bool is_topology = option && strcmp(option, "--topology") == 0;
  return is_topology && *topology_source ? topology_source : option;
}
