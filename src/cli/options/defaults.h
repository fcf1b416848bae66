/* SPDX-License-Identifier: BSD-3-Clause */
/* Values for options that the command line doesn't give: of the environment, else of the project
 * file. */
#ifndef BERTH_CLI_OPTIONS_DEFAULTS_H
#define BERTH_CLI_OPTIONS_DEFAULTS_H

#include <berth/error.h>
#include <stdbool.h>

#include "cli/options/option.h"

/* Takes the default of an option into the field that its taker fills. False if there is none. Ends
 * the program with one line if the project file, or the value, is wrong. */
bool defaults_take(struct argp_state *state, const option_t *o, void *field);

/* What errors call an option: what gave its default, "BERTH_TOPOLOGY" or ".berth.toml:2:12:
 * topology", or the option itself. */
const char *defaults_source(const char *option);

/* The same as a part of a format, for field_set_options: the option itself if its source has a '%'
 * or is long. */
const char *defaults_field(const char *option);

/* Whether the project file gave the option its value. */
bool defaults_is_of_file(const char *option);

/* Hands a value to an option's taker. False: it is wrong; the error has BERTH_BAD_INPUT and what
 * the taker said. A wrong value is an error of its file, not of the command line. */
bool defaults_hand(struct argp_state *state, const option_t *o, char *value, void *field,
                   berth_error_t *err);

#endif
