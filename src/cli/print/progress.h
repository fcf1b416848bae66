/* SPDX-License-Identifier: BSD-3-Clause */
/* What is going on, as one line on a terminal that later lines replace. */
#ifndef BERTH_CLI_PRINT_PROGRESS_H
#define BERTH_CLI_PRINT_PROGRESS_H

/* Shows "berth: WHAT NAME…" if standard error is a terminal; NULL for what takes the line away.
 * name may be NULL. */
void progress(const char *what, const char *name);

#endif
