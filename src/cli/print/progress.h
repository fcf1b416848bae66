/* SPDX-License-Identifier: BSD-3-Clause */
/* What is going on, as one line on a terminal that later lines replace. A terminal that takes no
 * escape sequences (base/terminal.h) gets lines of their own, at most one every 5 seconds. */
#ifndef BERTH_CLI_PRINT_PROGRESS_H
#define BERTH_CLI_PRINT_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

/* Shows "berth: WHAT NAME…" if standard error is a terminal; NULL for what takes the line away.
 * name may be NULL. */
void progress(const char *what, const char *name);

/* The same for work of `of` equal parts, of which so many are done: "berth: WHAT, 25% (250 of 1000)
 * NAME…". name may be NULL. */
void progress_parts(const char *what, size_t done, size_t of, const char *name);

/* From here on nothing is shown: for --quiet. */
void progress_hush(void);

/* Whether progress is shown: on a terminal, unless it is hushed. */
bool progress_is_shown(void);

#endif
