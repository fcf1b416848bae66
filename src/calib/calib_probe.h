/* SPDX-License-Identifier: BSD-3-Clause */
/* Probes: repeated measurements. */
#ifndef BERTH_CALIB_CALIB_PROBE_H
#define BERTH_CALIB_CALIB_PROBE_H

#include "calib/calib_internal.h"

/* Adds a probe and copies the flows. Returns its number; -1 if memory is out (c->failed). */
int probe_add(berth_calib_t *c, berth_calib_mode_t mode, size_t size, size_t n,
              const berth_calib_flow_t *flows, size_t need, double expected, const char *what);
/* Requests that many more samples of a probe before the next stage begins. */
void probe_look_again(berth_calib_t *c, int probe, size_t times);
/* Seconds per message of a probe's first flow; smaller samples count as `floor`. n is 0 if there
 * are no samples. */
calib_stat_t probe_time(const berth_calib_t *c, int probe, double floor);
/* Bytes per second of flows: of `n` from `first` on together; of all; of all since the probe was
 * measured again. */
calib_stat_t probe_rate(const berth_calib_t *c, int probe, size_t first, size_t n);
calib_stat_t probe_total(const berth_calib_t *c, int probe);
/* The same, from the samples near the best ones. Other traffic on a network only slows flows. So
 * samples that differ by more than 5% from the second largest are left out. */
calib_stat_t probe_best(const berth_calib_t *c, int probe, size_t first, size_t n);
calib_stat_t probe_total_again(const berth_calib_t *c, int probe);
/* Fills in how to do an experiment of a probe. */
void probe_shape(const berth_calib_t *c, const probe_t *p, berth_calib_experiment_t *out);

/* A message size for several flows at once, from a pair's rate. */
size_t probe_several_size(double rate);

#endif
