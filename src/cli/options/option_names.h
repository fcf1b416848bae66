/* SPDX-License-Identifier: BSD-3-Clause */
/* The program's options for the names that the library's texts have (base/field.h). */
#ifndef BERTH_CLI_OPTIONS_OPTION_NAMES_H
#define BERTH_CLI_OPTIONS_OPTION_NAMES_H

#include <stdio.h>

/* From here on the library's texts have options instead of fields; call it first. */
void options_name_fields(void);

/* Prints a line of a list: a name in a column of that width, and a help text of the library. */
void options_list_entry(FILE *to, int width, const char *name, const char *help);

#endif
