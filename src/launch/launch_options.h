/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of the options that launchers and wrappers take. */
#ifndef BERTH_LAUNCH_OPTIONS_H
#define BERTH_LAUNCH_OPTIONS_H

#include "launch/launch.h"

typedef enum option_use {
  USE_NOTHING,
  USE_RANKS,     /* its value is the number of ranks */
  USE_PLACEMENT, /* it decides which rank runs where */
  USE_FOLDER,    /* its value is the program's working folder */
  USE_MCA,       /* its two values are the name and value of an MCA parameter */
  USE_SET,       /* its value is NAME=VALUE or NAME, for the program's environment */
  USE_SET_PAIR,  /* its two values are NAME and VALUE, or its one value is NAME=VALUE */
  USE_EXPORT,    /* its value is srun's list of variables */
  USE_FILE       /* the contexts are in a file, which berth doesn't read */
} option_use_t;

typedef struct launch_option {
  const char *names; /* without dashes, separated by spaces */
  int arity;         /* number of values; OPTION_MAYBE: =VALUE or none */
  option_use_t use;
} launch_option_t;

enum { OPTION_MAYBE = -1 };

/* An option in a command line. */
typedef struct option_match {
  const launch_option_t *option;
  size_t words;      /* number of words, including the option's own */
  const char *value; /* the first value, borrowed; NULL if it has none */
  bool joined;       /* the value is part of the option's own word */
} option_match_t;

/* Reads the option at argv[i], which begins with a dash. BERTH_USAGE if it is unknown or its
 * values are missing. */
int option_match(launcher_kind_t kind, size_t argc, const char *const *argv, size_t i,
                 option_match_t *m, berth_error_t *err);

#endif
