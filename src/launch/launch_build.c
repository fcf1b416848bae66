/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds a command line with more options and environment settings. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "base/text.h"
#include "launch/launch_internal.h"

/* A list of words; `failed` says that memory was out. */
typedef struct word_list {
  char **words;
  size_t n, cap;
  bool failed;
} word_list_t;

/* Takes ownership of `word`. */
static void add_own(word_list_t *list, char *word)
{
  if (!word || !array_reserve(&list->words, &list->cap, list->n + 2, sizeof *list->words)) {
    free(word);
    list->failed = true;
    return;
  }
  list->words[list->n++] = word;
  list->words[list->n] = NULL;
}

static void add(word_list_t *list, const char *word) { add_own(list, strdup(word)); }

static void add_range(word_list_t *list, const launch_t *l, size_t from, size_t to)
{
  for (size_t i = from; i < to; i++) add(list, l->argv[i]);
}

void launch_free_argv(char **argv)
{
  for (size_t i = 0; argv && argv[i]; i++) free(argv[i]);
  free(argv);
}

/* Whether `text` is NAME or NAME=VALUE. *value is the value, or NULL. */
static bool names(const char *text, const char *name, const char **value)
{
  size_t n = strlen(name);
  if (strncmp(text, name, n) != 0 || (text[n] != '=' && text[n] != '\0')) return false;
  *value = text[n] == '=' ? text + n + 1 : NULL;
  return true;
}

/* Whether the option at argv[at] sets the variable. *value is NULL if it takes it from the
 * environment. */
static bool option_sets(const launch_t *l, size_t at, const option_match_t *m, const char *name,
                        const char **value)
{
  if (m->option->use != USE_SET && m->option->use != USE_SET_PAIR) return false;
  if (!names(m->value, name, value)) return false;
  if (!*value && m->option->use == USE_SET_PAIR) *value = l->argv[at + 2];
  return true;
}

/* Whether an option of the first context applies to all of them: Hydra's -genv. */
static bool holds_for_all(const launch_t *l, size_t at)
{
  return l->kind == LAUNCHER_HYDRA && strspn(l->argv[at], "-g") > strspn(l->argv[at], "-");
}

/* The value that the context's processes would get without berth; NULL if none. */
static const char *given_value(const launch_t *l, const launch_context_t *c, const char *name)
{
  const char *found = getenv(name), *value;
  for (size_t i = 0; i < l->launcher; i++) /* env NAME=VALUE in front */
    if (names(l->argv[i], name, &value) && value) found = value;
  for (const launch_context_t *k = l->contexts; k <= c; k++) {
    option_match_t m;
    for (size_t at = k->begin, here = at; launch_next_option(l, k, &at, &m); here = at)
      if ((k == c || holds_for_all(l, here)) && option_sets(l, here, &m, name, &value))
        found = value ? value : getenv(name);
  }
  return found && *found ? found : NULL;
}

/* NAME=VALUE for the context's processes. */
static char *full_setting(const launch_t *l, const launch_context_t *c, const launch_setting_t *s)
{
  const char *given = s->prepend ? given_value(l, c, s->name) : NULL;
  return text_printf("%s=%s%s%s", s->name, s->value, given ? ":" : "", given ? given : "");
}

static bool is_setting(const launch_t *l, size_t at, const option_match_t *m, size_t n,
                       const launch_setting_t *settings)
{
  const char *value;
  for (size_t i = 0; i < n; i++)
    if (option_sets(l, at, m, settings[i].name, &value)) return true;
  return false;
}

/* Appends berth's settings to srun's list, in its place. */
static int srun_export(word_list_t *list, const launch_t *l, const launch_context_t *c, size_t n,
                       const launch_setting_t *settings, berth_error_t *err)
{
  const char *given = getenv("SLURM_EXPORT_ENV"), *before = given ? given : "ALL";
  option_match_t m;
  for (size_t at = c->begin; launch_next_option(l, c, &at, &m);)
    if (m.option->use == USE_EXPORT) before = m.value;
  bool none = strcmp(before, "NONE") == 0 || strcmp(before, "NIL") == 0;
  char *text = text_printf("--export=%s", none ? "" : before);
  for (size_t i = 0; i < n && text; i++) {
    char *setting = full_setting(l, c, &settings[i]);
    if (setting && strchr(setting, ',')) {
      berth_fail(err, BERTH_USAGE, "found a comma in '%s', which srun cannot pass on", setting);
      free(setting);
      free(text);
      return BERTH_USAGE;
    }
    char *longer = setting ? text_printf("%s%s%s", text, none && i == 0 ? "" : ",", setting) : NULL;
    free(setting);
    free(text);
    text = longer;
  }
  add_own(list, text);
  return BERTH_OK;
}

/* Adds berth's settings in the launcher's form. */
static int add_settings(word_list_t *list, const launch_t *l, const launch_context_t *c, size_t n,
                        const launch_setting_t *settings, berth_error_t *err)
{
  if (n == 0) return BERTH_OK;
  if (l->kind == LAUNCHER_SLURM) return srun_export(list, l, c, n, settings, err);
  if (l->kind == LAUNCHER_NONE) add(list, "env");
  for (size_t i = 0; i < n; i++) {
    char *setting = full_setting(l, c, &settings[i]);
    if (l->kind == LAUNCHER_OPENMPI) add(list, "-x");
    if (l->kind == LAUNCHER_HYDRA) add(list, c == l->contexts ? "-genv" : "-env");
    if (setting && l->kind == LAUNCHER_HYDRA) {
      char *equals = strchr(setting, '=');
      *equals = '\0';
      add(list, setting);
      add(list, equals + 1);
      free(setting);
    } else {
      add_own(list, setting);
    }
  }
  return BERTH_OK;
}

/* Adds the context's own options, without those that berth replaces, and its program. */
static void add_context(word_list_t *list, const launch_t *l, const launch_context_t *c, size_t n,
                        const launch_setting_t *settings)
{
  option_match_t m;
  size_t at = c->begin;
  for (size_t here = at; launch_next_option(l, c, &at, &m); here = at) {
    bool ours = is_setting(l, here, &m, n, settings) || (n && m.option->use == USE_EXPORT);
    if (!ours) add_range(list, l, here, at);
  }
  add_range(list, l, at, c->end); /* "--", if present, and the program */
}

static int build(word_list_t *list, const launch_t *l, size_t n_options, const char *const *options,
                 size_t n_settings, const launch_setting_t *settings, berth_error_t *err)
{
  add_range(list, l, 0, l->launcher + (l->kind != LAUNCHER_NONE));
  for (size_t i = 0; i < n_options; i++) add(list, options[i]);
  for (size_t i = 0; i < l->n_contexts; i++) {
    if (i > 0) add(list, ":");
    int rc = add_settings(list, l, &l->contexts[i], n_settings, settings, err);
    if (rc) return rc;
    add_context(list, l, &l->contexts[i], n_settings, settings);
  }
  return list->failed ? no_memory(err) : BERTH_OK;
}

int launch_build(const launch_t *l, size_t n_options, const char *const *options, size_t n_settings,
                 const launch_setting_t *settings, char ***argv, berth_error_t *err)
{
  if (l->kind == LAUNCHER_NONE && n_options > 0)
    return berth_fail(err, BERTH_USAGE, "found '%s', expected a launcher such as mpirun",
                      l->argv[l->launcher]);
  word_list_t list = {0};
  int rc = build(&list, l, n_options, options, n_settings, settings, err);
  if (rc)
    launch_free_argv(list.words);
  else
    *argv = list.words;
  return rc;
}
