/* SPDX-License-Identifier: BSD-3-Clause */
/* The form that a command prints its result in. */
#ifndef BERTH_CLI_OPTIONS_FORM_H
#define BERTH_CLI_OPTIONS_FORM_H

#include "cli/options/option.h"

typedef enum form { FORM_TEXT, FORM_JSON, FORM_CSV } form_t;

/* --json and --csv, which set a form_t. */
extern const option_table_t form_options;

#endif
