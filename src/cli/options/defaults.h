/* SPDX-License-Identifier: BSD-3-Clause */
/* Values for options that the command line doesn't give: of the environment, else of the project
 * file. */
#ifndef BERTH_CLI_OPTIONS_DEFAULTS_H
#define BERTH_CLI_OPTIONS_DEFAULTS_H

#include <stdbool.h>

#include "cli/options/option.h"

/* Takes the default of an option into the field that its taker fills. False if there is none. Ends
 * the program with one line if the project file, or the value, is wrong. */
bool defaults_take(struct argp_state *state, const option_t *o, void *field);

/* What errors call an option: what gave its default, "BERTH_TOPOLOGY" or ".berth.toml:2:12:
 * topology", or the option itself. */
const char *defaults_source(const char *option);

#endif
