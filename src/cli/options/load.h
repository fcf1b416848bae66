/* SPDX-License-Identifier: BSD-3-Clause */
/* Loading the files that a command is given. An error names the option that the file was given for
 * (NULL: an argument) and, if the file is of another kind, which one was found and expected. */
#ifndef BERTH_CLI_OPTIONS_LOAD_H
#define BERTH_CLI_OPTIONS_LOAD_H

#include <berth/map.h>

typedef enum file_kind { FILE_PATTERN, FILE_TOPOLOGY, FILE_MAPPING, FILE_OTHER } file_kind_t;

/* Which kind of file it is, by its "format". FILE_OTHER for files without one, and for what isn't
 * a regular file. Of standard input ("-") the beginning is read, which the file's reader gets, too
 * (in_peek). */
file_kind_t load_kind(const char *path);

/* BERTH_BAD_INPUT with an error that names `berth topo make --like` if the file is hwloc XML, and
 * not what is expected. */
int load_refuse_hwloc(const char *option, const char *path, const char *expected,
                      berth_error_t *err);

/* The same of a file where a machine's description is expected: if it is one of berth's files. */
int load_refuse_known(const char *path, berth_error_t *err);

/* Reads a pattern; if it is truncated, and `truncated` allows that, a note on standard error says
 * how much is missing. NULL with the error filled otherwise. */
berth_pattern_t *load_pattern(const char *option, const char *path, int truncated,
                              berth_error_t *err);

/* Errors name what gave the path: the option, the environment or the project file. */
berth_topo_t *load_topology(const char *option, const char *path, berth_error_t *err);

/* As berth_mapping_load. */
int load_mapping(const char *option, const char *path, int ranks, const berth_topo_t *t, int shared,
                 berth_mapping_t *out, berth_error_t *err);

/* Puts the option before an error about the file that was given for it, and returns the code. An
 * error that doesn't begin with the path is about something else and stays. */
int load_name_option(berth_error_t *err, const char *option, const char *path);

#endif
