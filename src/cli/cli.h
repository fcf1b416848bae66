/* SPDX-License-Identifier: BSD-3-Clause */
/* The program `berth`: one table of commands, tables of options for each, which drive parsing,
 * --help, man pages and completion. Exit codes are enum berth_code. */
#ifndef BERTH_CLI_H
#define BERTH_CLI_H

#include <berth/error.h>
#include <berth/map.h>
#include <stdbool.h>
#include <stdio.h>

#include "cli/options/option.h"

/* A first word of a command, and the options that go with it. */
typedef struct cli_action {
  const char *name;
  const char *help;    /* one line, no full stop; NULL: not listed, berth itself starts it */
  const char *options; /* their long names, separated by blanks */
} cli_action_t;

/* What the command is for, its synopsis and its options' texts stand in man/berth-NAME.md. */
typedef struct cli_command {
  const char *name;
  /* argv[0] is "berth NAME", for argp and messages; returns the exit code. */
  int (*run)(int argc, char **argv);
  const option_part_t *parts;  /* its options */
  void (*list)(FILE *to);      /* what the library offers, as lines for --help; or NULL */
  const cli_action_t *actions; /* ends with one without a name; NULL: there are none */
  bool in_order;               /* behind the first word nothing is an option of berth */
  bool hidden;                 /* not listed: berth itself starts it */
} cli_command_t;

/* All commands; the list ends with a NULL. */
extern const cli_command_t *const cli_commands[];
extern const cli_command_t cmd_trace, cmd_topo, cmd_map, cmd_cost, cmd_run, cmd_resolve,
    cmd_schedule, cmd_recover, cmd_manual, cmd_calibrate, cmd_search, cmd_show, cmd_snapshot,
    cmd_compare, cmd_explore, cmd_check, cmd_report, cmd_import, cmd_export, cmd_doctor, cmd_tune,
    cmd_completion, cmd_write, cmd_make, cmd_scale, cmd_view, cmd_agents;

const cli_command_t *cli_find(const char *name);

/* Whether an option, by its long name, goes with an action. */
bool cli_action_takes(const cli_action_t *action, const char *option);

/* Returns p. If it is NULL, memory is out and the text at hand isn't whole: then the program ends
 * with BERTH_MISSING and one line, whatever the command returns. */
void *cli_checked(void *p);
bool cli_ran_out(void);

/* Prints "berth NAME: text" on standard error and returns the error's code. */
int cli_report(const char *program, const berth_error_t *err);

/* From here on a thread of its own waits for the signals that end berth, and ends it. METIS takes
 * SIGTERM for itself while it works; blocked in all threads, that never gets there. Call it before
 * there are other threads, and not where programs are started, which would inherit the mask. */
void cli_watch_signals(void);

/* From here on (until called with NULL) the first SIGINT or SIGTERM stops the watched run; the
 * command goes on and writes what there is. The second one ends the program. Needs
 * cli_watch_signals. */
void cli_stop_gently(berth_map_watch_t *watch);

/* The signal that stopped a run so, 0: none. */
int cli_stopped_by(void);

/* What a cli_command_t.list prints, as text for a help filter, which argp frees; NULL: no memory.
 */
char *cli_listing(void (*list)(FILE *to));

/* The command line as a file keeps it: "berth", the command's name and the words of argv, which are
 * borrowed before argp sorts it; argc + 1 of them. Free the array. NULL when memory is out. */
const char **cli_own_command(const cli_command_t *command, int argc, char **argv);

/* Prints a command line as one would type it, quoted where needed, on one line: control characters
 * and bytes that no terminal shows stand in bash's $'\\n'. */
void cli_print_command(FILE *to, const char *const *argv);

/* Prints what a line has room for of a call site's frame. Frames may hold any characters: those
 * that would break the line become '?'. */
void cli_print_frame(FILE *to, const char *frame);

#endif
