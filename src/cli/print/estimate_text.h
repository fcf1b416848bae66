/* SPDX-License-Identifier: BSD-3-Clause */
/* Estimates beside the default order's, for people and for scripts. */
#ifndef BERTH_CLI_PRINT_ESTIMATE_TEXT_H
#define BERTH_CLI_PRINT_ESTIMATE_TEXT_H

#include <berth/assess.h>
#include <stdio.h>

#include "base/json_out.h"
#include "cli/options/inputs.h"

/* A line: how much less placement i takes than the default order, which is placement `linear` of
 * the assessment and fits. */
void estimate_print_gain(FILE *to, const inputs_t *in, const char *indent,
                         const berth_assessment_t *a, size_t i, size_t linear);

/* Members of an open object, run_gain and run_gain_limit: null where they are unknown. */
void estimate_put_run_gain(json_out_t *j, const berth_estimate_t *e);

/* What of the cost is for packing, if anything is. */
void estimate_print_packing(FILE *to, const inputs_t *in, const char *indent,
                            const berth_estimate_t *own);
/* A member of an open object: null if there is no such placement. */
void estimate_put_packing(json_out_t *j, const char *key, const berth_estimate_t *e);

/* What of the costs is for sharing cores, if anything is. linear may be unknown. */
void estimate_print_sharing(FILE *to, const inputs_t *in, const char *indent,
                            const berth_estimate_t *own, const berth_estimate_t *linear);
/* A member of an open object: null where it is unknown. */
void estimate_put_sharing(json_out_t *j, const inputs_t *in, const char *key,
                          const berth_estimate_t *e);

#endif
