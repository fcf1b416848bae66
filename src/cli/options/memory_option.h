/* SPDX-License-Identifier: BSD-3-Clause */
/* --memory, for commands that read files of others. */
#ifndef BERTH_CLI_OPTIONS_MEMORY_OPTION_H
#define BERTH_CLI_OPTIONS_MEMORY_OPTION_H

#include <argp.h>

extern const struct argp_child memory_children[];

#endif
