/* SPDX-License-Identifier: BSD-3-Clause */
/* Estimates beside the default order's, for people and for scripts. */
#ifndef BERTH_CLI_PRINT_ESTIMATE_TEXT_H
#define BERTH_CLI_PRINT_ESTIMATE_TEXT_H

#include <berth/assess.h>
#include <stdio.h>

#include "base/json_out.h"
#include "cli/options/inputs.h"

/* What `gain over linear` goes on with: ", +3.1% of the run" or why it is unknown. */
void estimate_print_run_gain(FILE *to, const berth_estimate_t *e);

/* Of what the relative difference of two estimates is a gain, for people. */
const char *estimate_subject(const inputs_t *in, const berth_estimate_t *before,
                             const berth_estimate_t *after);

/* Members of an open object, run_gain and run_gain_limit: null where they are unknown. */
void estimate_put_run_gain(json_out_t *j, const berth_estimate_t *e);

/* What of the costs is for sharing cores, where there is something to tell; and that it is unknown
 * where the topology has the slow-down, but the pattern no times. linear may be unknown. */
void estimate_print_sharing(FILE *to, const inputs_t *in, const char *indent,
                            const estimates_t *estimates);
void estimate_print_unknown_sharing(FILE *to, const inputs_t *in);
/* A member of an open object: null where it is unknown. */
void estimate_put_sharing(json_out_t *j, const inputs_t *in, const char *key,
                          const berth_estimate_t *e);

#endif
