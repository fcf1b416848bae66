/* SPDX-License-Identifier: BSD-3-Clause */
/* What a whole run gains by a placement. */
#ifndef BERTH_CLI_RUN_GAIN_H
#define BERTH_CLI_RUN_GAIN_H

#include "cli/inputs.h"

/* How much is known of it. */
typedef enum {
  RUN_GAIN_KNOWN,
  RUN_GAIN_LIMIT,     /* operations that nobody prices took an unknown part of the time in MPI */
  RUN_GAIN_NO_TIMES,  /* the pattern doesn't tell the ranks' times */
  RUN_GAIN_NO_UNIT,   /* costs are distances, no times */
  RUN_GAIN_NO_LINEAR, /* one of both costs isn't there */
} run_gain_kind_t;

/* When communication gets cheaper (report, section 7.1): the relative difference times the share of
 * the run spent in MPI; and when less is lost by sharing cores, that as a share of the longest
 * rank's time. The share is of all calls, and costs are those of messages: with collective or
 * one-sided operations, of which a pattern has calls and bytes but no times, it is what the run
 * would gain at most (lose at most, below 0), if messages took all the time in MPI. */
typedef struct run_gain {
  run_gain_kind_t kind;
  double gain; /* of the first two kinds; else 0 */
} run_gain_t;

run_gain_t run_gain_find(const inputs_t *in, const total_t *before, const total_t *after);

/* What `gain over linear` goes on with: ", +3.1% of the run" or why it is unknown. */
void run_gain_print(FILE *to, const run_gain_t *g);

/* Of what the relative difference of two totals is a gain, for people. */
const char *run_gain_subject(const inputs_t *in, const total_t *before, const total_t *after);

/* Members of an open object, run_gain and run_gain_limit: null where they are unknown. */
void run_gain_put(json_out_t *j, const run_gain_t *g);

#endif
