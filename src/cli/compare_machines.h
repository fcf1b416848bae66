/* SPDX-License-Identifier: BSD-3-Clause */
/* `berth compare` with several topologies or --sweep: the best placement on each machine. */
#ifndef BERTH_CLI_COMPARE_MACHINES_H
#define BERTH_CLI_COMPARE_MACHINES_H

#include "cli/options/form.h"
#include "cli/options/inputs.h"

/* Places the ranks on each of the inputs' topologies, with the changes of --set and with each value
 * of `sweep` (TYPE.FIELD=VALUE,VALUE…; NULL: none), and prints what that costs. */
int compare_machines(const inputs_t *in, const char *sweep, form_t form, berth_error_t *err);

#endif
