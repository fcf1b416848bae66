/* SPDX-License-Identifier: BSD-3-Clause */
/* Options as tables: a command lists its own and those that it shares. What an option is for stands
 * in man/ (cli/help_page.h). argp parses, prints --help and knows --usage and --version. */
#ifndef BERTH_CLI_OPTIONS_OPTION_H
#define BERTH_CLI_OPTIONS_OPTION_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

typedef struct option_row option_t;

/* Takes a value into a field, or ends in a usage error. `arg` is NULL if there is none. */
typedef void option_take_t(struct argp_state *state, const option_t *o, char *arg, void *field);

struct option_row {
  const char *name; /* with its dashes; "" for words that aren't options */
  option_take_t *take;
  size_t offset, size; /* of the field in what a table fills */
  uint64_t min, max;
  bool has_default; /* taken from the environment or the project file where it isn't given */
};

/* A line of a table: an option, what takes its value, and the field of a type that gets it. */
#define OPTION(name, take, type, field)                                                            \
  {                                                                                                \
    name, take, offsetof(type, field), sizeof(((type *)0)->field), 0, 0                            \
  }
/* The same of an option that may have a default (defaults.h). */
#define OPTION_OR_DEFAULT(name, take, type, field)                                                 \
  {                                                                                                \
    name, take, offsetof(type, field), sizeof(((type *)0)->field), 0, 0, true                      \
  }
#define OPTION_IN(name, take, type, field, min, max)                                               \
  {                                                                                                \
    name, take, offsetof(type, field), sizeof(((type *)0)->field), min, max                        \
  }
#define OPTION_IN_OR_DEFAULT(name, take, type, field, min, max)                                    \
  {                                                                                                \
    name, take, offsetof(type, field), sizeof(((type *)0)->field), min, max, true                  \
  }
/* Its taker gets all that the table fills. */
#define OPTION_OF_ALL(name, take)                                                                  \
  {                                                                                                \
    name, take, 0, 0, 0, 0                                                                         \
  }

typedef struct option_table {
  const option_t *options; /* ends with one without a name */
  /* Looks at what was given, when all options were read; or NULL. */
  void (*check)(struct argp_state *state, void *all);
} option_table_t;

/* A table of a command, and where in the command's options its fields are. A command's list ends
 * with one without a table. They are checked in this order. */
typedef struct option_part {
  const option_table_t *table;
  size_t offset;
} option_part_t;

/* What option_list collects. Free `item` alone. */
typedef struct option_words {
  const char **item; /* borrowed from the command line */
  size_t n, cap;
} option_words_t;

/* Appends a word, which is borrowed. False when memory is out. */
bool option_add_word(option_words_t *words, const char *word);

option_take_t option_flag;    /* bool or int: 1 */
option_take_t option_text;    /* const char *, the last one given */
option_take_t option_once;    /* const char *, which may be given once */
option_take_t option_file;    /* const char *, which may be given once */
option_take_t option_list;    /* option_words_t */
option_take_t option_number;  /* int or a type of 64 bits: a whole number from min to max */
option_take_t option_size;    /* uint64_t: bytes, as in 65536, 64KiB or 1G, from min to max */
option_take_t option_percent; /* double: a share up to 1, above 0 or, with a min of 0, from 0 */
option_take_t option_seconds; /* double, from 0 */
option_take_t option_whole_seconds; /* double: a whole number from min to max */
/* char **, NULL-terminated: the rest of the command line. For commands that are `in_order`. */
option_take_t option_command;

/* Words of the command line, below the name "". */
option_take_t option_word; /* const char *: one word; the part's check looks if it is needed */

/* A number of seconds, at least so many, or a usage error. */
double option_seconds_from(struct argp_state *state, const option_t *o, const char *arg,
                           double least);

/* The number of words of a command. */
size_t option_count(char *const *command);

/* Ends the program, since memory is out. */
void option_no_memory(struct argp_state *state);

/* Whether an option of the command was given on the command line. */
bool option_given(const struct argp_state *state, const char *name);

/* Takes the default of an option that wasn't given, for a part's check: for options whose default
 * depends on others, which aren't marked with has_default. */
void option_take_default(struct argp_state *state, const char *name);

/* argp's form of a command's options. Free with option_argp_clear. */
struct cli_command;
typedef struct option_argp {
  struct argp argp;
  const char *summary;         /* of the command */
  struct argp_option *options; /* ends with zeros; for argp, which adds --help and others */
  const option_t **option;     /* beside them */
  size_t *offset;              /* of the parts */
  size_t n;
  const option_t *word; /* what takes words that aren't options, or NULL */
  size_t word_offset;
  arena_t arena;
} option_argp_t;

/* False when memory is out; the command then fails in the end (cli_checked). */
bool option_argp_make(const struct cli_command *command, option_argp_t *out);
void option_argp_clear(option_argp_t *a);

/* An option by its place, with --help and --version at the end; NULL behind the last one. */
const struct argp_option *option_at(const option_argp_t *a, size_t i);

/* Parses a command line into `all`: BERTH_OK, or the code to end with. What is wrong was said. */
int option_parse(const struct cli_command *command, int argc, char **argv, void *all);

#endif
