/* SPDX-License-Identifier: BSD-3-Clause */
/* What `berth map` shares with `berth search`, which does the same in an MPI job. */
#ifndef BERTH_CLI_CMD_MAP_H
#define BERTH_CLI_CMD_MAP_H

#include <berth/team.h>

#include "cli/cli.h"

/* The parts of the command's argp. */
extern const struct argp_option map_options[];
extern const struct argp_child map_children[];
error_t map_parse_option(int key, char *arg, struct argp_state *state);
char *map_help_filter(int key, const char *text, void *input);
void map_list(FILE *to);

/* Does what the options say and returns the exit code; with a team (or NULL) together with its
 * processes, of which the first one alone prints and writes. */
int map_command(const struct argp *argp, int argc, char **argv, berth_team_t *team);

#endif
