/* SPDX-License-Identifier: BSD-3-Clause */
/* The form that a command prints its result in. */
#ifndef BERTH_CLI_OPTIONS_FORM_H
#define BERTH_CLI_OPTIONS_FORM_H

#include <argp.h>

typedef enum form { FORM_TEXT, FORM_JSON, FORM_CSV } form_t;

/* --json and --csv, which set a form_t, its input: a child of a command's argp. */
extern const struct argp form_argp;

#endif
