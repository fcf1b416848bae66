/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that a command is told to write: none of them may be another one, or an input. */
#ifndef BERTH_CLI_TARGETS_H
#define BERTH_CLI_TARGETS_H

#include <stdbool.h>

/* Whether a path stands for standard output: "-", or a name of its descriptor. */
bool target_is_stdout(const char *path);

/* Whether what is written to one path would be written over what the other one names, however they
 * are spelled. Devices and pipes are not written over. */
bool target_is_same(const char *a, const char *b);

#endif
