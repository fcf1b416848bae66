/* SPDX-License-Identifier: BSD-3-Clause */
/* `berth make pattern`: standard patterns. */
#include <berth/standard.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/options/extents.h"
#include "cli/options/memory_option.h"
#include "cli/options/option_names.h"
#include "pattern/phase_find.h"

typedef struct options {
  const char *output, *mpi;
  const berth_standard_t *standard;
  bool words, quiet; /* words: the first one, "pattern", was there */
  berth_standard_options_t make;
} options_t;

static const berth_standard_t *find(struct argp_state *state, const char *name)
{
  size_t n;
  nearest_t near = {0};
  const berth_standard_t *list = berth_standards(&n), *s = berth_standard_find(name);
  for (size_t i = 0; i < n && !s; i++) nearest_compare(&near, name, list[i].name);
  if (!s)
    argp_error(state, "found pattern '%s', expected %s%s that --help lists", name,
               near.name ? near.name : "", near.name ? " or another" : "one");
  return s;
}

static void take_word(struct argp_state *state, const option_t *option, char *word, void *all)
{
  options_t *o = all;
  (void)option;
  if (!o->words && strcmp(word, "pattern") != 0)
    argp_error(state, "found '%s', expected pattern", word);
  else if (o->words && o->standard)
    argp_error(state, "found '%s' behind %s, expected options", word, o->standard->name);
  else if (o->words)
    o->standard = find(state, word);
  o->words = true;
}

static void take_block(struct argp_state *state, const option_t *option, char *arg, void *all)
{
  berth_standard_options_t *m = &((options_t *)all)->make;
  m->n_block = extents_read(arg, 1 << 30, m->block);
  if (m->n_block == 0)
    argp_error(state, "%s: found '%s', expected up to 4 numbers of points, as in 64x64x32",
               option->name, arg);
}

static void take_grid(struct argp_state *state, const option_t *option, char *arg, void *all)
{
  berth_standard_options_t *m = &((options_t *)all)->make;
  m->n_grid = extents_grid(state, option, arg, m->grid);
}

static const option_t own_options[] = {
    OPTION_OF_ALL("", take_word),
    OPTION_IN("--ranks", option_number, options_t, make.ranks, 1, BERTH_MAX_RANKS),
    OPTION_OF_ALL("--grid", take_grid),
    OPTION_OF_ALL("--block", take_block),
    OPTION_IN("--element", option_size, options_t, make.element, 1, 1 << 30),
    OPTION_IN("--message", option_size, options_t, make.message, 1, BERTH_MAX_AMOUNT),
    OPTION_IN("--steps", option_number, options_t, make.steps, 1, BERTH_MAX_AMOUNT),
    OPTION("--periodic", option_flag, options_t, make.periodic),
    OPTION("--corners", option_flag, options_t, make.corners),
    OPTION("--mpi", option_text, options_t, mpi),
    OPTION("--output", option_text, options_t, output),
    OPTION("--quiet", option_flag, options_t, quiet),
    {0}};

static void check(struct argp_state *state, void *all)
{
  const options_t *o = all;
  static const struct {
    const char *option;
    unsigned what;
  } takes[] = {{"--block", BERTH_STANDARD_BLOCK},
               {"--element", BERTH_STANDARD_BLOCK},
               {"--message", BERTH_STANDARD_MESSAGE},
               {"--periodic", BERTH_STANDARD_PERIODIC},
               {"--corners", BERTH_STANDARD_CORNERS}};
  if (!o->words) argp_error(state, "expected pattern and the name of one");
  if (!o->standard) argp_error(state, "expected the name of a pattern, such as stencil3d");
  for (size_t i = 0; i < sizeof takes / sizeof *takes && o->standard; i++)
    if (option_given(state, takes[i].option) && !(o->standard->takes & takes[i].what))
      argp_error(state, "found %s with %s", takes[i].option, o->standard->name);
}

static const option_table_t own = {own_options, check};
static const option_part_t parts[] = {{&own, 0}, {&memory_option, 0}, {0}};

static void list(FILE *to)
{
  size_t n;
  const berth_standard_t *s = berth_standards(&n);
  fputs("Patterns:\n", to);
  for (size_t i = 0; i < n; i++) options_list_entry(to, 10, s[i].name, s[i].summary);
}

/* "16 messages (1.000 MiB)"; returns whether there are any. */
static bool print_messages(const berth_pattern_t *p)
{
  char bytes[TEXT_NUMBER];
  size_t n;
  double sent = 0, messages = 0;
  const berth_message_t *m = berth_pattern_messages(p, 0, &n);
  for (size_t i = 0; i < n; i++) {
    sent += (double)m[i].bytes;
    messages += (double)m[i].count;
  }
  if (n)
    fprintf(stderr, "%.0f message%s (%s)", messages, text_plural(messages),
            text_bytes(sent, bytes));
  return n > 0;
}

/* The same of collective calls. */
static void print_calls(const berth_pattern_t *p, bool more)
{
  char bytes[TEXT_NUMBER];
  size_t n;
  double given = 0, calls = 0;
  const berth_coll_t *c = berth_pattern_colls(p, &n);
  for (size_t i = 0; i < n; i++) {
    const berth_comm_t *comm = pattern_comm(p, c[i].comm);
    double ranks = comm ? (double)comm->n_ranks : berth_pattern_ranks(p);
    given += (double)c[i].bytes * (double)c[i].count * ranks;
    calls += (double)c[i].count;
  }
  if (!n && !more) fputs("no messages", stderr);
  if (!n) return;
  fprintf(stderr, "%s%.0f collective call%s", more ? " and " : "", calls, text_plural(calls));
  if (given > 0) fprintf(stderr, " (%s of all ranks)", text_bytes(given, bytes));
}

static void print_summary(const char *file, const berth_pattern_t *p)
{
  size_t n;
  const berth_phase_t *phase = berth_pattern_phases(p, &n);
  fprintf(stderr, "%s%s%d rank%s, %s: ", file ? file : "", file ? ": " : "", berth_pattern_ranks(p),
          text_plural(berth_pattern_ranks(p)), phase->name);
  print_calls(p, print_messages(p));
  fputs(" in each step\n", stderr);
}

static int make(const options_t *o, size_t n, const char *const *command, berth_error_t *err)
{
  berth_pattern_t *p = berth_standard_pattern(o->standard, &o->make, err);
  if (!p) return err->code;
  int rc = berth_pattern_set_command(p, n, command, err);
  if (!rc) rc = berth_pattern_set_origin(p, o->mpi, "", err);
  if (!rc) rc = berth_pattern_save(p, o->output ? o->output : "-", err);
  if (!rc && !o->quiet) print_summary(o->output, p);
  berth_pattern_free(p);
  return rc;
}

static int run(int argc, char **argv)
{
  options_t o = {.mpi = "Open MPI 4.1.4", .make = {.size = sizeof o.make}};
  berth_error_t err = {0};
  const char **command = cli_own_command(&cmd_make, argc, argv);
  if (!command) return cli_report(argv[0], &(berth_error_t){BERTH_MISSING, "out of memory"});
  int rc = option_parse(&cmd_make, argc, argv, &o), wrong = rc;
  if (!wrong) rc = make(&o, (size_t)argc + 1, command, &err);
  free(command);
  return rc && !wrong ? cli_report(argv[0], &err) : rc;
}

const cli_command_t cmd_make = {.name = "make", .run = run, .parts = parts, .list = list};
