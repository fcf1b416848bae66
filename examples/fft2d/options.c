/* SPDX-License-Identifier: BSD-3-Clause */
/* Options are lines of two tables: those with a number, and those with a word of a list. */
#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const options_variants[] = {"plain",      "granules", "nonblocking",
                                        "persistent", "threads",  NULL};
const char *const options_work[] = {"dynamic", "static", NULL};
const char *const options_locks[] = {"mutex", "spin", "atomic", NULL};
const char *const options_communicator[] = {"calls", "tests", "works", NULL};

const char options_usage[] =
    "usage: fft2d [OPTION]… N\n"
    "\n"
    "Transforms a field of N x N complex numbers, whose rows are divided among the ranks.\n"
    "\n"
    "  --by LIST             plain, granules, nonblocking, persistent, threads, several of them\n"
    "                        with commas, or all (default plain)\n"
    "  --granules G          parts of a rank's rows that are exchanged one by one (default 8)\n"
    "  --groups C            groups of columns in which the last granule is exchanged (default 1)\n"
    "  --repeat R            transforms of each variant, in turns; the median counts (default 3)\n"
    "  --block B             transpose by squares of B x B numbers (default 16)\n"
    "  --slower K            computes each transform of a row K times, as if cores were K times\n"
    "                        slower (default 1)\n"
    "  --sleep               with --slower: computes once, and sleeps for the other times, as if each\n"
    "                        thread had a core of its own\n"
    "  --window P            pieces of the exchange that are under way at most (default 0: all)\n"
    "  --nap T               sleep for T microseconds between two tests if there is nothing to do\n"
    "                        (default 200)\n"
    "  --no-exchange         send nothing: the result is wrong, and isn't checked\n"
    "  --workers W           threads: worker threads of a rank (default 1)\n"
    "  --rows K              threads: rows that a worker takes at a time (default 8)\n"
    "  --work HOW            threads: dynamic or static (default dynamic)\n"
    "  --communicator WHAT   threads: while pieces are under way, the main thread waits in calls,\n"
    "                        tests and sleeps, or tests and works: calls, tests or works (default\n"
    "                        tests)\n"
    "  --locks KIND          threads: mutex, spin or atomic (default mutex)\n"
    "  --json                a line of JSON for each variant\n"
    "  --help                this text\n"
    "\n"
    "Exit codes: 0 done, 1 a result is wrong, 2 wrong arguments, 4 not enough memory.\n";

static bool read_number(const char *text, int low, int high, int *value)
{
  char *end;
  errno = 0;
  long found = strtol(text, &end, 10);
  *value = (int)found;
  return !errno && end != text && !*end && found >= low && found <= high;
}

/* The place of the first `length` characters in a list, or -1. */
static int find(const char *const *list, const char *text, size_t length)
{
  for (int i = 0; list[i]; i++)
    if (strlen(list[i]) == length && strncmp(list[i], text, length) == 0) return i;
  return -1;
}

static void add_variant(options_t *o, int variant)
{
  for (int i = 0; i < o->n_variants; i++)
    if (o->variant[i] == variant) return;
  o->variant[o->n_variants++] = variant;
}

static bool read_variants(options_t *o, const char *text)
{
  o->n_variants = 0;
  if (strcmp(text, "all") == 0) {
    while (o->n_variants < OPTIONS_VARIANTS) add_variant(o, o->n_variants);
    return true;
  }
  while (true) {
    size_t length = strcspn(text, ",");
    int variant = find(options_variants, text, length);
    if (variant < 0) return false;
    add_variant(o, variant);
    if (!text[length]) return true;
    text += length + 1;
  }
}

static void describe(const char *const *list, char *text, size_t size)
{
  size_t at = 0;
  for (int i = 0; list[i]; i++)
    at += (size_t)snprintf(text + at, size - at, "%s%s",
                           i == 0        ? ""
                           : list[i + 1] ? ", "
                                         : " or ",
                           list[i]);
}

typedef struct {
  const char *name;
  int low, high, *value;
  const char *const *words; /* instead of a number */
} line_t;

/* Reads the value of an option that has one. */
static bool read_value(const line_t *line, const char *text, char *why, size_t size)
{
  char words[128];
  if (!text) {
    snprintf(why, size, "%s has no value, expected one", line->name);
    return false;
  }
  if (!line->words) {
    if (read_number(text, line->low, line->high, line->value)) return true;
    snprintf(why, size, "%s '%s', expected a whole number from %d to %d", line->name, text,
             line->low, line->high);
    return false;
  }
  int word = find(line->words, text, strlen(text));
  *line->value = word;
  if (word >= 0) return true;
  describe(line->words, words, sizeof words);
  snprintf(why, size, "%s '%s', expected %s", line->name, text, words);
  return false;
}

typedef struct {
  int work, locks, communicator;
} words_t;

/* Reads an option that isn't a flag, and its value. */
static bool read_option(options_t *o, words_t *w, const char *name, const char *text, char *why,
                        size_t size)
{
  const line_t lines[] = {{"--granules", 1, 4096, &o->granules, NULL},
                          {"--groups", 1, 4096, &o->groups, NULL},
                          {"--repeat", 1, 1000, &o->repeat, NULL},
                          {"--block", 1, 4096, &o->block, NULL},
                          {"--slower", 1, 100000, &o->slower, NULL},
                          {"--nap", 0, 100000, &o->nap, NULL},
                          {"--window", 0, 4096, &o->window, NULL},
                          {"--workers", 0, 256, &o->threads.workers, NULL},
                          {"--rows", 1, 4096, &o->threads.group, NULL},
                          {"--work", 0, 0, &w->work, options_work},
                          {"--locks", 0, 0, &w->locks, options_locks},
                          {"--communicator", 0, 0, &w->communicator, options_communicator}};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
    if (strcmp(name, lines[i].name) == 0) return read_value(&lines[i], text, why, size);
  if (strcmp(name, "--by")) {
    snprintf(why, size, "unknown option '%s'; see fft2d --help", name);
    return false;
  }
  if (!text) {
    snprintf(why, size, "--by has no value, expected one");
    return false;
  }
  if (read_variants(o, text)) return true;
  char words[128];
  describe(options_variants, words, sizeof words);
  snprintf(why, size, "--by '%s', expected %s, a list of them with commas, or all", text, words);
  return false;
}

static bool is_right(const options_t *o, bool has_n, char *why, size_t size)
{
  if (!has_n)
    snprintf(why, size, "N is missing; see fft2d --help");
  else if (o->threads.workers == 0 && o->threads.communicator != THREADS_WORKS)
    snprintf(why, size, "--workers 0, expected at least 1, or --communicator works");
  else
    return true;
  return false;
}

bool options_read(options_t *o, int argc, char **argv, char *why, size_t size)
{
  words_t w = {THREADS_DYNAMIC, THREADS_MUTEX, THREADS_TESTS};
  bool has_n = false;
  *o = (options_t){.granules = 8,
                   .groups = 1,
                   .repeat = 3,
                   .block = 16,
                   .slower = 1,
                   .nap = 200,
                   .n_variants = 1};
  o->threads = (threads_options_t){.workers = 1, .group = 8};
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], "--help") == 0) {
      o->help = true;
      return true;
    } else if (strcmp(argv[i], "--json") == 0) {
      o->json = true;
    } else if (strcmp(argv[i], "--sleep") == 0) {
      o->sleep = true;
    } else if (strcmp(argv[i], "--no-exchange") == 0) {
      o->no_exchange = true;
    } else if (argv[i][0] == '-' && argv[i][1] == '-') {
      if (!read_option(o, &w, argv[i], argv[i + 1], why, size)) return false;
      i++;
    } else if (has_n) {
      snprintf(why, size, "found '%s' after N, expected nothing", argv[i]);
      return false;
    } else if (!read_number(argv[i], 8, 32768, &o->n)) {
      snprintf(why, size, "N '%s', expected a whole number from 8 to 32768", argv[i]);
      return false;
    } else {
      has_n = true;
    }
  o->threads.work = (threads_work_t)w.work;
  o->threads.locks = (threads_locks_t)w.locks;
  o->threads.communicator = (threads_communicator_t)w.communicator;
  return is_right(o, has_n, why, size);
}

static bool has(const options_t *o, int variant)
{
  for (int i = 0; i < o->n_variants; i++)
    if (o->variant[i] == variant) return true;
  return false;
}

bool options_suit(const options_t *o, int ranks, char *why, size_t size)
{
  bool divided = o->n_variants > 1 || !has(o, OPTIONS_PLAIN);
  int m = o->n / ranks;
  if (o->n % ranks)
    snprintf(why, size, "N %d for %d ranks, expected a multiple of the number of ranks", o->n,
             ranks);
  else if (divided && (o->granules > m || o->groups > m))
    snprintf(why, size, "%s %d for %d rows a rank, expected at most %d",
             o->granules > m ? "--granules" : "--groups", o->granules > m ? o->granules : o->groups,
             m, m);
  else if (has(o, OPTIONS_PERSISTENT) && !exchange_has_persistent())
    snprintf(why, size, "--by persistent, expected an MPI with MPI_Alltoall_init");
  else
    return true;
  return false;
}
