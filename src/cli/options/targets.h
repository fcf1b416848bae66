/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that a command is told to write: none of them may be another one, or an input. */
#ifndef BERTH_CLI_OPTIONS_TARGETS_H
#define BERTH_CLI_OPTIONS_TARGETS_H

#include <argp.h>
#include <berth/error.h>
#include <stdbool.h>
#include <stddef.h>

/* Whether a path stands for standard output: "-", or a name of its descriptor. */
bool target_is_stdout(const char *path);

/* Whether what is written to one path would be written over what the other one names, however they
 * are spelled. Devices and pipes are not written over. */
bool target_is_same(const char *a, const char *b);

/* BERTH_USAGE where an output would be written over a file that is read (NULL: none); and the same
 * for the words of a command, programs and files, also behind the = of an option. */
int targets_check_input(const char *output, const char *input, berth_error_t *err);
int targets_check_command(const char *output, size_t n, const char *const *words,
                          berth_error_t *err);

/* Ends in a usage error where one of the outputs would be written over another one, or over an
 * input. Paths may be NULL: not given. */
void targets_check(struct argp_state *state, size_t n_outputs, const char *const *outputs,
                   size_t n_inputs, const char *const *inputs);

#endif
