/* SPDX-License-Identifier: BSD-3-Clause */
/* What each direction of each link above hosts carries. */
#ifndef BERTH_CALIB_NETWORK_CALIB_PORTS_H
#define BERTH_CALIB_NETWORK_CALIB_PORTS_H

#include "calib/calib_internal.h"

extern const double calib_alike;         /* values that differ by less are one */
void ports_add_others(berth_calib_t *c); /* other partners where one differs or may be held back */
void ports_add_doubts(berth_calib_t *c); /* more samples where views don't agree */
void ports_classify(berth_calib_t *c);   /* which are alike; lines for those that differ */
void ports_sum_up(berth_calib_t *c);     /* what those that are alike carry: line_t.several */
const port_t *port_find(const berth_calib_t *c, int element, int direction); /* NULL for none */
/* What a port carries by its best view; n is 0 when nothing is known. */
calib_stat_t port_rate(const berth_calib_t *c, const port_t *p);
/* A pair of PUs to measure a direction of an element's link: near, with faster ports on its way. */
berth_calib_flow_t port_pair(const berth_calib_t *c, int element, int direction);
/* NULL when the port's value is sound, else why it isn't. */
const char *port_doubt(const berth_calib_t *c, const port_t *p);

/* A flow between the PUs of two elements, of hosts whose ports are the fastest of those that are
 * known. */
berth_calib_flow_t port_pair_flow(const berth_calib_t *c, int from, int to);

/* Whether flows through a port could show that it carries more than was seen. */
bool port_fan_has_room(const berth_calib_t *c, const port_t *p, const berth_calib_flow_t *flows,
                       size_t n);

#endif
