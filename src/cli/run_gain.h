/* SPDX-License-Identifier: BSD-3-Clause */
/* What a whole run gains by a placement. */
#ifndef BERTH_CLI_RUN_GAIN_H
#define BERTH_CLI_RUN_GAIN_H

#include "cli/options/inputs.h"

/* How much is known of it. */
typedef enum {
  RUN_GAIN_KNOWN,
  RUN_GAIN_LIMIT,    /* no estimate includes some calls, which took an unknown part of MPI's time */
  RUN_GAIN_NO_CALLS, /* some calls are known by name alone, and their times aren't MPI's (MPI-IO) */
  RUN_GAIN_NO_TIMES, /* the pattern doesn't tell the ranks' times */
  RUN_GAIN_NO_UNIT,  /* costs are distances, no times */
  RUN_GAIN_NO_LINEAR, /* one of both costs isn't there */
} run_gain_kind_t;

/* When communication gets cheaper (the paper, section 7.1): the relative difference times the share
 * of the run spent in MPI; and when less is lost by sharing cores, that as a share of the longest
 * rank's time.
 *
 * That share is of all calls, estimates are of messages. If estimates leave out calls, the split of
 * the time in MPI between both is unknown. At most, all of it belongs to the calls that were left
 * out, and another placement saves all of it: the limit is the whole share. */
typedef struct run_gain {
  run_gain_kind_t kind;
  double gain; /* of the first two kinds; else 0 */
} run_gain_t;

/* `same`: both are one placement, which gains nothing whatever is left out. */
run_gain_t run_gain_find(const inputs_t *in, const total_t *before, const total_t *after,
                         bool same);

/* What `gain over linear` goes on with: ", +3.1% of the run" or why it is unknown. */
void run_gain_print(FILE *to, const run_gain_t *g);

/* Of what the relative difference of two totals is a gain, for people. */
const char *run_gain_subject(const inputs_t *in, const total_t *before, const total_t *after);

/* Members of an open object, run_gain and run_gain_limit: null where they are unknown. */
void run_gain_put(json_out_t *j, const run_gain_t *g);

#endif
