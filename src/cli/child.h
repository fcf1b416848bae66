/* SPDX-License-Identifier: BSD-3-Clause */
/* Starting other programs, and this one again. */
#ifndef BERTH_CLI_CHILD_H
#define BERTH_CLI_CHILD_H

#include <berth/error.h>

/* Starts argv (argv[0] is looked up in PATH) and waits for it. Interrupts of the terminal reach it
 * with us; SIGTERM and SIGHUP are passed on. *code is its exit code, 128 + n after signal n. Fails
 * with BERTH_MISSING when it cannot be started. */
int child_run(char *const *argv, int *code, berth_error_t *err);

/* Becomes argv; returns only when that fails. */
int child_exec(char *const *argv, berth_error_t *err);

/* The path of this program, for starting it again; the caller frees it. */
char *child_self(void);

#endif
