/* SPDX-License-Identifier: BSD-3-Clause */
/* The program `berth`: one table of commands, one argp table of options for each, which drives
 * parsing, --help and the man page. Exit codes are enum berth_code. */
#ifndef BERTH_CLI_H
#define BERTH_CLI_H

#include <argp.h>
#include <berth/error.h>
#include <berth/map.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A first word of a command, and the options that go with it. */
typedef struct cli_action {
  const char *name;
  const char *help;    /* one line, no full stop; NULL: not listed, berth itself starts it */
  const char *options; /* their long names, separated by blanks */
} cli_action_t;

typedef struct cli_command {
  const char *name;
  const char *help; /* one line, no full stop */
  /* argv[0] is "berth NAME", for argp and messages; returns the exit code. */
  int (*run)(int argc, char **argv);
  const struct argp *argp;     /* what --help and the man page show */
  void (*list)(FILE *to);      /* what the library offers, as lines for both; or NULL */
  bool hidden;                 /* not listed: berth itself starts it */
  const cli_action_t *actions; /* ends with one without a name; NULL: there are none */
} cli_command_t;

/* All commands; the list ends with a NULL. */
extern const cli_command_t *const cli_commands[];
extern const cli_command_t cmd_trace, cmd_topo, cmd_map, cmd_cost, cmd_run, cmd_resolve,
    cmd_recover, cmd_manual, cmd_calibrate, cmd_search, cmd_show, cmd_snapshot, cmd_compare,
    cmd_explore, cmd_check, cmd_report, cmd_import, cmd_export, cmd_doctor, cmd_completion,
    cmd_write;

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

/* Parses a command line: BERTH_OK, or the code to end with. What is wrong was said. `flags` are
 * argp's. */
int cli_parse(const struct argp *argp, int argc, char **argv, unsigned flags, void *input);

/* From here on (until called with NULL) the first SIGINT or SIGTERM stops the watched run; the
 * command goes on and writes what there is. The second one ends the program. Needs
 * cli_watch_signals. */
void cli_stop_gently(berth_map_watch_t *watch);

/* The signal that stopped a run so, 0: none. */
int cli_stopped_by(void);

/* For argp parsers: a whole number from min to max, or a usage error that names the option. */
uint64_t cli_number(struct argp_state *state, const char *option, const char *arg, uint64_t min,
                    uint64_t max);

/* A number of bytes, as in 65536, 64K, 64KiB, 4MiB or 1G, from min to max (which are shown in KiB
 * and GiB), or a usage error. */
uint64_t cli_size(struct argp_state *state, const char *option, const char *arg, uint64_t min,
                  uint64_t max);

/* A percentage up to 100 as a share (1 for 100%), or a usage error; 0 only if `or_zero`. */
double cli_percent(struct argp_state *state, const char *option, const char *arg, bool or_zero);

/* A number of seconds, at least 0, or a usage error. */
double cli_seconds(struct argp_state *state, const char *option, const char *arg);

/* The command behind the options, as in `berth trace -o F -- mpirun -np 4 ./app`: call it at
 * ARGP_KEY_ARG, parse with ARGP_IN_ORDER; it takes the rest of argv. */
char **cli_take_command(struct argp_state *state);

/* What a cli_command_t.list prints, as text for a help filter, which argp frees; NULL: no memory.
 */
char *cli_listing(void (*list)(FILE *to));

/* Prints a command line as one would type it, quoted where needed, on one line: control characters
 * and bytes that no terminal shows stand in bash's $'\\n'. */
void cli_print_command(FILE *to, const char *const *argv);

/* Prints what a line has room for of a call site's frame. Frames may hold any characters: those
 * that would break the line become '?'. */
void cli_print_frame(FILE *to, const char *frame);

#endif
