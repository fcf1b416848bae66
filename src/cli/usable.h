/* SPDX-License-Identifier: BSD-3-Clause */
/* What --hosts and --reserve leave of a machine, for mappings that are given. */
#ifndef BERTH_CLI_USABLE_H
#define BERTH_CLI_USABLE_H

#include "cli/inputs.h"

/* Fails with BERTH_BAD_INPUT where the mapping, read from `path`, has a rank on a core that --hosts
 * or --reserve exclude. */
int usable_check(const inputs_t *in, const char *path, const berth_mapping_t *m,
                 berth_error_t *err);

#endif
