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
    "search",
    "do what map does with the processes of an MPI job",
    run,
    &argp,
    "\n"
    "The processes share the mappers that best looks at, the runs of refine and its restarts; each "
    "works with its own --threads. What they find is what berth map finds with the same options, "
    "to the byte, however many they are, on machines that compute alike; with --time-limit they "
    "find more in the same time. All need the input files under the same names, and memory for "
    "them; the first one prints and writes.\n"
    "\n"
    "There are 4 runs at quality eco and 8 at strong, so that more processes than that bring "
    "nothing. Under objective sum there are 4 restarts at strong, up to some thousand ranks, and "
    "else one, which gains nothing from a job.\n"
    "\n"
    "The program belongs to no MPI: it finds out whether Open MPI's mpirun, MPICH's mpiexec or "
    "srun started it, and loads what fits (Open MPI for srun with PMIx, MPICH with PMI-2). Without "
    "a launcher it works alone. Launchers bind a process to one core or a few: where processes "
    "have --threads, Open MPI's mpirun wants --bind-to none or --map-by slot:PE=N.\n"
    "\n"
    "Example:\n"
    "\n"
    "  mpirun -n 8 berth-search --pattern app.acp --topology cluster.json \\\n"
    "    --quality strong --rankfile app.rankfile",
    map_list,
    false};
