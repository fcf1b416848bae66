/* SPDX-License-Identifier: BSD-3-Clause */
/* Rates and times as data sheets state them. */
#ifndef BERTH_TOPO_RATE_H
#define BERTH_TOPO_RATE_H

#include <stdbool.h>

#include "topo/discover/topo_defaults.h"

/* A link as stated. */
typedef struct topo_stated {
  double cables; /* at least 1 */
  double rate;   /* of one cable, in bytes per second; 0 if `ratio` says it */
  double ratio;  /* what the links below carry together, divided by what this one carries; or 0 */
  double latency_s; /* negative: not stated */
} topo_stated_t;

/* Reads "[Nx]RATE[,LATENCY]" or "A:B[,LATENCY]". Returns NULL, or what was expected in place of
 * what stands at *at. */
const char *topo_rate_link(const char *text, topo_stated_t *link, const char **at);

/* Reads a time, such as 1.5us: up to 1000 s. False if the text isn't one. */
bool topo_rate_time(const char *text, double *seconds);

/* Reads a factor: a decimal number above 0, up to a million. */
bool topo_rate_factor(const char *text, double *factor);

/* What a link carries whose rate is stated. A latency that isn't is a default: that of TCP over
 * Ethernet below 40 Gbit/s, else that of a fast network's link. */
void topo_rate_figure(const topo_stated_t *stated, topo_figure_t *link);

#endif
