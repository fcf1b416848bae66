/* SPDX-License-Identifier: BSD-3-Clause */
/* `berth search`, also `berth-search`: `berth map` by the processes of an MPI job. */
#include "cli/cmd_map.h"
#include "cli/search_team.h"

static const struct argp argp = {
    .options = map_options,
    .parser = map_parse_option,
    .children = map_children,
    .args_doc = "--pattern P --topology T [--rankfile OUT]",
    .doc = "Does what berth map does, with the processes of an MPI job: mpirun -n 4 berth-search "
           "--pattern P --topology T ...\v ",
    .help_filter = map_help_filter};

static int run(int argc, char **argv)
{
  berth_team_t *team;
  berth_error_t err = {0};
  cli_watch_signals();
  int rc = search_team_join(&team, &err);
  return rc ? cli_report(argv[0], &err) : map_command(&argp, argc, argv, team);
}

const cli_command_t cmd_search = {
    "search", "do what map does with the processes of an MPI job", run, &argp, map_list, false};
