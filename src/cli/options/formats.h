/* SPDX-License-Identifier: BSD-3-Clause */
/* What import and export of patterns and of topologies share. */
#ifndef BERTH_CLI_OPTIONS_FORMATS_H
#define BERTH_CLI_OPTIONS_FORMATS_H

#include <berth/error.h>
#include <stddef.h>

/* Fails where what is written would be written over one of the files that are read. */
int formats_check_target(const char *output, size_t n, const char *const *files,
                         berth_error_t *err);

/* Adds a name to a list of them for errors, "csv, matrix". */
void formats_add_name(char *names, size_t room, const char *name);

#endif
