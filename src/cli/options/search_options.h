/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of `berth map` that say what to look for and how long: a child of its argp, which
 * fills an inputs_t. */
#ifndef BERTH_CLI_OPTIONS_SEARCH_OPTIONS_H
#define BERTH_CLI_OPTIONS_SEARCH_OPTIONS_H

#include "cli/options/option.h"

extern const option_table_t search_options;

#endif
