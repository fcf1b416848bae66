/* SPDX-License-Identifier: BSD-3-Clause */
/* --memory, for commands that read files of others. It fills nothing. */
#ifndef BERTH_CLI_OPTIONS_MEMORY_OPTION_H
#define BERTH_CLI_OPTIONS_MEMORY_OPTION_H

#include "cli/options/option.h"

extern const option_table_t memory_option;

#endif
