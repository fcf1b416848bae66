/* SPDX-License-Identifier: BSD-3-Clause */
/* Capacities of links above hosts, per direction. */
#ifndef BERTH_CALIB_NETWORK_CALIB_PORTS_H
#define BERTH_CALIB_NETWORK_CALIB_PORTS_H

#include "calib/calib_internal.h"

extern const double calib_alike; /* values that differ by less are equal */
void ports_add_others(
    berth_calib_t *c); /* other partners for ports that differ or may be limited by theirs */
void ports_add_doubts(berth_calib_t *c); /* more samples for views that disagree */
void ports_classify(berth_calib_t *c); /* groups similar ports; adds lines for those that differ */
void ports_sum_up(berth_calib_t *c);   /* sets line_t.several from similar ports */
const port_t *port_find(const berth_calib_t *c, int element,
                        int direction); /* NULL if there is none */
/* A port's rate by its best view; n is 0 if nothing is known. */
calib_stat_t port_rate(const berth_calib_t *c, const port_t *p);
/* A near pair of PUs to measure a direction of an element's link, with faster ports on its path. */
berth_calib_flow_t port_pair(const berth_calib_t *c, int element, int direction);
/* NULL if the port's value is sound, else the reason why not. */
const char *port_doubt(const berth_calib_t *c, const port_t *p);

/* A flow between the PUs of two elements, on the hosts with the fastest known ports. */
berth_calib_flow_t port_pair_flow(const berth_calib_t *c, int from, int to);

/* Whether flows through a port could show that it carries more than was seen. */
bool port_fan_has_room(const berth_calib_t *c, const port_t *p, const berth_calib_flow_t *flows,
                       size_t n);

#endif
