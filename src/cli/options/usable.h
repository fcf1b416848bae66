/* SPDX-License-Identifier: BSD-3-Clause */
/* What --hosts and --reserve leave of a machine, for mappings that are given. */
#ifndef BERTH_CLI_OPTIONS_USABLE_H
#define BERTH_CLI_OPTIONS_USABLE_H

#include <stdbool.h>

#include "cli/options/inputs.h"

/* Reads a mapping for the inputs (see load_mapping), of which several ranks may share a PU if
 * `shared` or where
 * --ranks-per-pu lets them. Fails with BERTH_BAD_INPUT where it has a rank on a core that --hosts
 * or
 * --reserve exclude. Free with berth_mapping_clear, whatever is returned. */
int usable_load(inputs_t *in, const char *option, const char *path, bool shared,
                berth_mapping_t *out, berth_error_t *err);

/* Gives inputs without --hosts, --reserve and --ranks-per-pu those that the mappings read so far
 * were made with, so that the default order gets the same PUs. If mappings were made with different
 * ones, a note on standard error says so, and the default order gets all PUs. */
void usable_adopt_scope(inputs_t *in);

#endif
