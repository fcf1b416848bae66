/* SPDX-License-Identifier: BSD-3-Clause */
/* Trials of a measured topology: messages between random ranks, estimated and measured. They say
 * how far off models are on that machine, beyond the errors of its measured numbers.
 *
 * As in berth/calib.h, the caller executes one experiment after the other. Sizes are bytes, times
 * are seconds. One thread at a time may use an object. */
#ifndef BERTH_TRIALS_H
#define BERTH_TRIALS_H

#include <berth/calib.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct berth_trials berth_trials_t;

/* Trials on the PUs for which has_rank is nonzero. Both are borrowed and must outlive the trials.
 * NULL with the error filled if memory is out. Free with berth_trials_free. */
BERTH_API berth_trials_t *berth_trials_new(const berth_topo_t *t, const unsigned char *has_rank,
                                           berth_error_t *err);
BERTH_API void berth_trials_free(berth_trials_t *x);

/* Gives the next experiment, if `left_s` seconds are left for it. All its flows begin together,
 * send `count` messages each and end. Returns 1; 0 if no trial is left, there is no time for it,
 * fewer than four PUs have a rank, or memory is out. */
BERTH_API int berth_trials_next(berth_trials_t *x, double left_s, berth_calib_experiment_t *out);
/* Takes its result, as berth_calib_take does. */
BERTH_API int berth_trials_take(berth_trials_t *x, const double *seconds, berth_error_t *err);

/* How many trials were done, and the error of a model (berth_model_name) in them: nine of ten
 * measured times are within the estimated one × (1 ± error). -1 if fewer than
 * BERTH_MIN_TRIALS were done, or the model isn't held against them: only port and flow are. */
enum { BERTH_MIN_TRIALS = 6, BERTH_MIN_TRIAL_RANKS = 4 };
BERTH_API int berth_trials_done(const berth_trials_t *x);
BERTH_API double berth_trials_error(const berth_trials_t *x, const char *model);

#ifdef __cplusplus
}
#endif

#endif
