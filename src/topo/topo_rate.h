/* SPDX-License-Identifier: BSD-3-Clause */
/* Rates and times as data sheets state them. */
#ifndef BERTH_TOPO_RATE_H
#define BERTH_TOPO_RATE_H

#include <stdbool.h>
#include <stddef.h>

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

/* Reads a rate, such as 100Gbit/s, 12.5GB/s, 25GbE, HDR or DDR4-3200: bytes per second. False if
 * the n bytes aren't one. */
bool topo_rate_read(const char *text, size_t n, double *rate);

/* What such a link carries. A latency that isn't stated is a default: that of TCP over Ethernet
 * below 40 Gbit/s, else that of a fast network's link. Of a ratio, only the latency. */
void topo_rate_figure(const topo_stated_t *stated, topo_figure_t *link);

#endif
