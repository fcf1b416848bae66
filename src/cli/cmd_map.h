/* SPDX-License-Identifier: BSD-3-Clause */
/* What `berth map` shares with `berth search`, which does the same in an MPI job. */
#ifndef BERTH_CLI_CMD_MAP_H
#define BERTH_CLI_CMD_MAP_H

#include <berth/team.h>

#include "cli/cli.h"

extern const option_part_t map_parts[];

/* Prints what the library offers: algorithms, and formats of outputs. */
void map_list(FILE *to);

/* Does what the options say and returns the exit code; with a team (or NULL) together with its
 * processes, of which the first one alone prints and writes. */
int map_command(const cli_command_t *command, int argc, char **argv, berth_team_t *team);

#endif
