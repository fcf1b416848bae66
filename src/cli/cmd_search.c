/* SPDX-License-Identifier: BSD-3-Clause */
/* `berth search`, also `berth-search`: `berth map` by the processes of an MPI job. */
#include "cli/cmd_map.h"
#include "cli/search_team.h"

static int run(int argc, char **argv)
{
  berth_team_t *team;
  berth_error_t err = {0};
  cli_watch_signals();
  int rc = search_team_join(&team, &err);
  return rc ? cli_report(argv[0], &err) : map_command(&cmd_search, argc, argv, team);
}

const cli_command_t cmd_search = {
    .name = "search", .run = run, .parts = map_parts, .list = map_list};
