/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses command lines by tables of options. */
#include "cli/options/option.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/nearest.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/help_page.h"
#include "cli/options/defaults.h"

/* Options that every command has: --help, -h, --usage and --version. */
enum { N_COMMON = 4, LAST_GROUP = -1, USAGE = 0xffff };

/* What argp passes on to the parser. */
typedef struct parsing {
  const cli_command_t *command;
  const option_argp_t *tables;
  void *all;
  bool *given; /* beside the options */
} parsing_t;

void option_no_memory(struct argp_state *state)
{
  argp_failure(state, BERTH_MISSING, 0, "out of memory");
}

static void store_integer(const option_t *o, void *field, uint64_t value)
{
  if (o->size == sizeof(bool))
    *(bool *)field = value != 0;
  else if (o->size == sizeof(int))
    *(int *)field = (int)value;
  else
    *(uint64_t *)field = value;
}

void option_flag(struct argp_state *state, const option_t *o, char *arg, void *field)
{
  (void)state, (void)arg;
  store_integer(o, field, 1);
}

void option_text(struct argp_state *state, const option_t *o, char *arg, void *field)
{
  (void)state, (void)o;
  *(const char **)field = arg;
}

/* A text that may be given once; `expected` says what is expected in place of two. */
static void take_once(struct argp_state *state, const option_t *o, char *arg, const char **text,
                      const char *expected)
{
  if (*text)
    argp_error(state, "%s: found '%s' and '%s', expected %s", o->name, *text, arg, expected);
  *text = arg;
}

void option_file(struct argp_state *state, const option_t *o, char *arg, void *field)
{
  take_once(state, o, arg, field, "one file");
}

void option_once(struct argp_state *state, const option_t *o, char *arg, void *field)
{
  take_once(state, o, arg, field, "one of them");
}

bool option_add_word(option_words_t *words, const char *word)
{
  return ARRAY_ADD(&words->item, &words->n, &words->cap, word);
}

void option_list(struct argp_state *state, const option_t *o, char *arg, void *field)
{
  (void)o;
  if (!option_add_word(field, arg)) option_no_memory(state);
}

void option_number(struct argp_state *state, const option_t *o, char *arg, void *field)
{
  uint64_t value = o->min;
  if (!text_to_u64(arg, o->min, o->max, &value))
    argp_error(state, "%s: found '%s', expected a whole number from %llu to %llu", o->name, arg,
               (unsigned long long)o->min, (unsigned long long)o->max);
  store_integer(o, field, value);
}

/* Splits a size into its number and its unit's power of two; false if it isn't one. */
static bool split_size(const char *arg, uint64_t *number, int *shift)
{
  static const char units[] = "KMG";
  char digits[21];
  size_t n = strspn(arg, "0123456789");
  const char *unit = strcmp(arg + n, "B") == 0 ? "" : arg + n;
  const char *letter = *unit ? strchr(units, *unit) : NULL;
  if (n >= sizeof digits || (*unit && !letter)) return false;
  if (letter && unit[1] && strcmp(unit + 1, "iB") != 0) return false;
  memcpy(digits, arg, n);
  digits[n] = '\0';
  *shift = letter ? 10 * (int)(letter - units + 1) : 0;
  return text_to_u64(digits, 0, UINT64_MAX >> *shift, number);
}

void option_size(struct argp_state *state, const option_t *o, char *arg, void *field)
{
  uint64_t n = 0;
  int shift = 0;
  char min[TEXT_NUMBER], max[TEXT_NUMBER];
  if (!split_size(arg, &n, &shift) || n << shift < o->min || n << shift > o->max)
    argp_error(state, "%s: found '%s', expected a size from %s to %s, as in 64MiB", o->name, arg,
               text_bytes((double)o->min, min), text_bytes((double)o->max, max));
  *(uint64_t *)field = n << shift;
}

void option_percent(struct argp_state *state, const option_t *o, char *arg, void *field)
{
  char *end;
  double value = strtod(arg, &end);
  bool or_zero = o->min == 0;
  if (end == arg || *end || !(value > 0 || (or_zero && value == 0)) || value > 100)
    argp_error(state, "%s: found '%s', expected a percentage %s, at most 100", o->name, arg,
               or_zero ? "from 0" : "above 0");
  *(double *)field = value / 100;
}

double option_seconds_from(struct argp_state *state, const option_t *o, const char *arg,
                           double least)
{
  char *end;
  double value = strtod(arg, &end);
  if (end == arg || *end || !(value >= least && value <= 1e15))
    argp_error(state, "%s: found '%s', expected a number of seconds from %g to 1e15", o->name, arg,
               least);
  return value;
}

void option_seconds(struct argp_state *state, const option_t *o, char *arg, void *field)
{
  *(double *)field = option_seconds_from(state, o, arg, 0);
}

void option_whole_seconds(struct argp_state *state, const option_t *o, char *arg, void *field)
{
  uint64_t seconds;
  option_t whole = *o;
  whole.size = sizeof seconds;
  option_number(state, &whole, arg, &seconds);
  *(double *)field = (double)seconds;
}

void option_command(struct argp_state *state, const option_t *o, char *arg, void *field)
{
  (void)o, (void)arg;
  *(char ***)field = state->argv + state->next - 1;
  state->next = state->argc;
}

void option_word(struct argp_state *state, const option_t *o, char *arg, void *field)
{
  (void)o;
  const char **word = field;
  if (*word) argp_error(state, "found '%s' behind '%s', expected one name", arg, *word);
  *word = arg;
}

size_t option_count(char *const *command)
{
  size_t n = 0;
  while (command[n]) n++;
  return n;
}

static void take(struct argp_state *state, const option_t *o, size_t offset, char *arg)
{
  const parsing_t *p = state->input;
  o->take(state, o, arg, (char *)p->all + offset + o->offset);
}

/* The place of an option that the command has. */
static size_t place_of(const struct argp_state *state, const char *name)
{
  const parsing_t *p = state->input;
  size_t i = 0;
  while (strcmp(p->tables->option[i]->name, name) != 0) i++;
  return i;
}

bool option_given(const struct argp_state *state, const char *name)
{
  const parsing_t *p = state->input;
  return p->given[place_of(state, name)];
}

static void take_word(struct argp_state *state, char *arg)
{
  const option_argp_t *a = ((const parsing_t *)state->input)->tables;
  const char *synopsis = a->argp.args_doc;
  if (a->word)
    take(state, a->word, a->word_offset, arg);
  else
    argp_error(state, "found '%s', expected options only, as in: %s %.*s", arg, state->name,
               (int)strcspn(synopsis, "\n"), synopsis);
}

static void take_default(struct argp_state *state, size_t i)
{
  const parsing_t *p = state->input;
  const option_t *o = p->tables->option[i];
  if (!p->given[i]) defaults_take(state, o, (char *)p->all + p->tables->offset[i] + o->offset);
}

void option_take_default(struct argp_state *state, const char *name)
{
  take_default(state, place_of(state, name));
}

static void check_all(struct argp_state *state)
{
  const parsing_t *p = state->input;
  for (size_t i = 0; i < p->tables->n; i++)
    if (p->tables->option[i]->has_default) take_default(state, i);
  for (const option_part_t *part = p->command->parts; part->table; part++)
    if (part->table->check) part->table->check(state, (char *)p->all + part->offset);
}

/* What every command has; these end the program. */
static bool take_common(struct argp_state *state, int key)
{
  if (key == '?' || key == 'h')
    argp_state_help(state, state->out_stream, ARGP_HELP_STD_HELP);
  else if (key == USAGE)
    argp_state_help(state, state->out_stream, ARGP_HELP_USAGE | ARGP_HELP_EXIT_OK);
  else if (key == 'V') {
    fprintf(state->out_stream, "%s\n", argp_program_version);
    exit(BERTH_OK);
  } else
    return false;
  return true;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
  const parsing_t *p = state->input;
  if (key == ARGP_KEY_ARG) {
    take_word(state, arg);
    return 0;
  }
  if (key == ARGP_KEY_END) check_all(state);
  if (take_common(state, key)) return 0;
  for (size_t i = 0; i < p->tables->n; i++)
    if (p->tables->options[i].key == key) {
      take(state, p->tables->option[i], p->tables->offset[i], arg);
      p->given[i] = true;
      return 0;
    }
  return ARGP_ERR_UNKNOWN;
}

/* Puts what the library offers behind the options of --help. */
static char *filter_help(int key, const char *text, void *input)
{
  const parsing_t *p = input;
  bool lists = key == ARGP_KEY_HELP_POST_DOC && p && p->command->list;
  return lists ? cli_listing(p->command->list) : (char *)(uintptr_t)text;
}

static size_t count_options(const cli_command_t *command)
{
  size_t n = 0;
  for (const option_part_t *part = command->parts; part->table; part++)
    for (const option_t *o = part->table->options; o->name; o++) n++;
  return n;
}

/* Options of one part stand together in --help. */
static void add_option(option_argp_t *a, const page_t *page, const option_t *o, size_t offset,
                       int group)
{
  if (!*o->name) {
    a->word = o;
    a->word_offset = offset;
    return;
  }
  page_option_t text = page_option(page, o->name, &a->arena);
  int key = text.letter ? text.letter : 256 + (int)a->n,
      flags = text.is_optional * OPTION_ARG_OPTIONAL;
  a->option[a->n] = o;
  a->offset[a->n] = offset;
  a->options[a->n++] = (struct argp_option){o->name + 2, key, text.value, flags, text.help, group};
}

/* Adds what every command has, behind its own options. (argp has the same, but for -h.) */
static void add_common(option_argp_t *a, const page_t *page)
{
  static const struct argp_option between[] = {
      {NULL, 'h', NULL, OPTION_ALIAS, NULL, LAST_GROUP},
      {"usage", USAGE, NULL, 0, "Print a short usage message and exit.", LAST_GROUP}};
  static const option_t help = {.name = "--help"}, version = {.name = "--version"};
  size_t n = a->n;
  add_option(a, page, &help, 0, LAST_GROUP);
  a->options[n].doc = "Print the options and exit."; /* -h, which pages explain, stands beside it */
  for (size_t i = 0; i < sizeof between / sizeof *between; i++) a->options[a->n++] = between[i];
  add_option(a, page, &version, 0, LAST_GROUP);
  a->n = n;
}

const struct argp_option *option_at(const option_argp_t *a, size_t i)
{
  size_t at = i == a->n + 1 ? a->n + N_COMMON - 1 : i; /* --help, then --version */
  return i < a->n + 2 ? &a->options[at] : NULL;
}

bool option_argp_make(const cli_command_t *command, option_argp_t *out)
{
  *out = (option_argp_t){0};
  size_t room = count_options(command) + N_COMMON + 1; /* the end */
  page_t page = page_of(command->name, &out->arena);
  char *doc = arena_alloc(&out->arena, strlen(page.purpose) + 3);
  out->options = arena_alloc(&out->arena, room * sizeof *out->options);
  out->option = arena_alloc(&out->arena, room * sizeof *out->option);
  out->offset = arena_alloc(&out->arena, room * sizeof *out->offset);
  if (!cli_checked(out->option) || !cli_checked(out->options) || !cli_checked(out->offset) ||
      !cli_checked(doc)) {
    option_argp_clear(out);
    return false;
  }
  memset(out->options, 0, room * sizeof *out->options);
  for (const option_part_t *part = command->parts; part->table; part++)
    for (const option_t *o = part->table->options; o->name; o++)
      add_option(out, &page, o, part->offset, (int)(part - command->parts));
  add_common(out, &page);
  strcat(strcpy(doc, page.purpose), command->list ? "\v " : "");
  out->summary = page.summary;
  out->argp = (struct argp){.options = out->options,
                            .parser = parse,
                            .args_doc = page.synopsis,
                            .doc = doc,
                            .help_filter = filter_help};
  return true;
}

void option_argp_clear(option_argp_t *a)
{
  arena_free(&a->arena);
  *a = (option_argp_t){0};
}

/* The option that a word begins with, "--name" or "--name=value": its place, -1 for none. An
 * abbreviation counts. */
static int find_option(const option_argp_t *a, const char *word)
{
  size_t n = strcspn(word, "=");
  int found = -1;
  for (int i = 0; option_at(a, (size_t)i); i++) {
    const char *name = option_at(a, (size_t)i)->name;
    if (strncmp(name, word, n) == 0 && (found < 0 || !name[n])) found = i;
  }
  return found >= 0 || strncmp("usage", word, n) != 0 ? found : (int)a->n;
}

/* The option that was meant, or NULL. */
static const char *nearest_option(const option_argp_t *a, const char *word)
{
  char name[64];
  nearest_t best = {0};
  snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
  nearest_compare(&best, name, "help");
  for (size_t i = 0; option_at(a, i); i++) nearest_compare(&best, name, option_at(a, i)->name);
  return best.name;
}

/* Looks for a long option that the command doesn't have, and says which one is nearest; argp would
 * only say that it doesn't know it. What a launched program is given isn't looked at. */
static bool has_unknown(const option_argp_t *a, const cli_command_t *command, int argc, char **argv)
{
  int words = 0, most = !command->in_order ? argc : command->actions ? 1 : 0;
  for (int i = 1; i < argc && words <= most && strcmp(argv[i], "--") != 0; i++) {
    words += *argv[i] != '-';
    if (argv[i][0] != '-' || argv[i][1] != '-') continue;
    int k = find_option(a, argv[i] + 2);
    if (k < 0) {
      const char *near = nearest_option(a, argv[i] + 2);
      fprintf(stderr, "%s: found option '%s', expected %s%s%s that `%s --help` lists\n", argv[0],
              argv[i], near ? "--" : "", near ? near : "", near ? " or another" : "one", argv[0]);
      return true;
    }
    const struct argp_option *option = option_at(a, (size_t)k);
    bool separate = !strchr(argv[i], '=') && !(option->flags & OPTION_ARG_OPTIONAL);
    i += option->arg && separate;
  }
  return false;
}

int option_parse(const cli_command_t *command, int argc, char **argv, void *all)
{
  option_argp_t tables;
  bool made = option_argp_make(command, &tables);
  bool *given = made ? arena_alloc(&tables.arena, tables.n + 1) : NULL;
  parsing_t p = {command, &tables, all, given};
  if (!given) return cli_report(argv[0], &(berth_error_t){BERTH_MISSING, "out of memory"});
  memset(given, 0, tables.n + 1);
  if (has_unknown(&tables, command, argc, argv)) {
    option_argp_clear(&tables);
    return BERTH_USAGE;
  }
  unsigned flags = ARGP_NO_HELP | (command->in_order ? ARGP_IN_ORDER : 0);
  error_t wrong = argp_parse(&tables.argp, argc, argv, flags, NULL, &p);
  option_argp_clear(&tables);
  return wrong ? BERTH_USAGE : BERTH_OK;
}
