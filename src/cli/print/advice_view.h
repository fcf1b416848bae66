/* SPDX-License-Identifier: BSD-3-Clause */
/* What other algorithms of collective operations would cost, for people and for scripts. */
#ifndef BERTH_CLI_PRINT_ADVICE_VIEW_H
#define BERTH_CLI_PRINT_ADVICE_VIEW_H

#include <berth/advice.h>

#include "base/json_out.h"
#include "cli/options/inputs.h"

/* Prints a line for each of the `max` most expensive groups of calls for which there is something
 * better. */
void advice_print(const berth_advice_t *a, const inputs_t *in, size_t max);

/* Writes the member `collectives` of docs/formats/cost.md. */
void advice_put(json_out_t *j, const berth_advice_t *a, const inputs_t *in, size_t max);

/* Says what was written to a file, and how a job is started with it. topo: in whose units costs
 * are; NULL: they are times. */
void advice_print_written(const berth_advice_t *a, const berth_topo_t *topo, const char *path);

#endif
