/* SPDX-License-Identifier: BSD-3-Clause */
/* Standard output and standard error as the program's text reaches them: names in files can neither
 * control a terminal nor command a CI system. */
#ifndef BERTH_CLI_PRINT_CLEAN_STREAM_H
#define BERTH_CLI_PRINT_CLEAN_STREAM_H

#include <stdbool.h>
#include <stdio.h>

/* Makes stdout and stderr streams that clean what is printed to them, as text_clean does, except
 * for line ends and tabs. If a CI system runs the program (the environment has CI, GITHUB_ACTIONS,
 * TF_BUILD or TEAMCITY_VERSION), they also put a backslash into what such a system takes for a
 * command: "::" at the beginning of a line becomes ":\:", and "##[" or "##word[" becomes "##\[".
 *
 * Text only: files and JSON go to the descriptors through base/out_file.h, as they are. */
void clean_streams_install(void);

/* On a terminal, lines of stdout that are longer than it is wide are broken (fit.h). The current
 * line isn't: it is a command that somebody may copy. */
void clean_stream_keep_line(FILE *cleaned);

/* Puts an escape sequence behind what was printed to stdout so far. */
void clean_stream_mark(const char *escape);

/* Writes what was printed of a last line without an end. False if it can't be written. */
bool clean_streams_end(void);

/* A stream to the same descriptor as `cleaned` (stdout or stderr), which passes on every byte; what
 * was printed before is written first. The caller closes it. NULL: errno says why. */
FILE *clean_stream_raw(FILE *cleaned);

#endif
