/* SPDX-License-Identifier: BSD-3-Clause */
/* Probes: what is measured again and again. */
#ifndef BERTH_CALIB_CALIB_PROBE_H
#define BERTH_CALIB_CALIB_PROBE_H

#include "calib/calib_internal.h"

/* Adds a probe and returns its number, -1 when memory is out (c->failed). The flows are copied. */
int probe_add(berth_calib_t *c, berth_calib_mode_t mode, size_t size, size_t n,
              const berth_calib_flow_t *flows, size_t need, double expected, const char *what);
/* Has a probe measured that often again before the next stage begins. */
void probe_look_again(berth_calib_t *c, int probe, size_t times);
/* Seconds per message of a probe's first flow, each sample at least `floor`; n is 0 when there are
 * no samples. */
calib_stat_t probe_time(const berth_calib_t *c, int probe, double floor);
/* Bytes per second of the flows first … first + n - 1 together; of all; of all since it was looked
 * at again. */
calib_stat_t probe_rate(const berth_calib_t *c, int probe, size_t first, size_t n);
calib_stat_t probe_total(const berth_calib_t *c, int probe);
/* The same of the samples near the best ones: others on a network only slow what is measured, so
 * samples are left out that are 5% below the second largest, or above it. */
calib_stat_t probe_best(const berth_calib_t *c, int probe, size_t first, size_t n);
calib_stat_t probe_total_again(const berth_calib_t *c, int probe);
/* How an experiment of a probe is to be done. */
void probe_shape(const berth_calib_t *c, const probe_t *p, berth_calib_experiment_t *out);

/* A size for several flows at once, from what a pair carries. */
size_t probe_several_size(double rate);

#endif
