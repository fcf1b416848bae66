/* SPDX-License-Identifier: BSD-3-Clause */
/* What berth's collective library would find out about a machine's network. */
#ifndef BERTH_CLI_MACHINE_HALF_H
#define BERTH_CLI_MACHINE_HALF_H

#include <berth/topo.h>

/* berth_collectives_half of a message between the first two hosts; of no numbers if there is one
 * host. */
int machine_half(const berth_topo_t *t, double *half, berth_error_t *err);

#endif
