/* SPDX-License-Identifier: BSD-3-Clause */
/* Default ports of machines without measurements. */
#ifndef BERTH_TOPO_DISCOVER_TOPO_DEFAULTS_H
#define BERTH_TOPO_DISCOVER_TOPO_DEFAULTS_H

#include <berth/topo.h>

/* What data cross between two levels. */
typedef enum topo_link {
  LINK_NETWORK,      /* between hosts: 10 Gbit/s Ethernet */
  LINK_INTERCONNECT, /* between memories of a host */
  LINK_MEMORY,
  LINK_L3,
  LINK_L2,
  LINK_CORE, /* between hardware threads */
  N_LINKS
} topo_link_t;

/* The type for that kind of element with those links. Adds it and its curves to t if needed. -1
 * with the error filled when memory is out. */
int topo_default_type(berth_topo_t *t, const char *kind, topo_link_t up, topo_link_t down,
                      berth_error_t *err);

/* A port of a network link, the same in both directions. All pairs together get `capacity` and one
 * pair gets `rate`, in bytes per second. The latency is a default. -1 with the error filled when
 * memory is out. */
int topo_link_port(berth_topo_t *t, double rate, double capacity, berth_port_t *port,
                   berth_error_t *err);

#endif
