/* SPDX-License-Identifier: BSD-3-Clause */
/* What the collective library has measured, for people. */
#ifndef BERTH_CLI_PRINT_TUNING_VIEW_H
#define BERTH_CLI_PRINT_TUNING_VIEW_H

#include <berth/tuning.h>
#include <stdbool.h>

/* A line for each cell: what is done, how long it takes, and how long the library's own choice, the
 * MPI and the prediction do. `all`: a line for each choice, too. */
void tuning_print(const berth_tuning_t *t, bool all);

#endif
