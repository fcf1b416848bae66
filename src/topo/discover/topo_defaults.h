/* SPDX-License-Identifier: BSD-3-Clause */
/* Ports of machines that nobody measured. */
#ifndef BERTH_TOPO_DISCOVER_TOPO_DEFAULTS_H
#define BERTH_TOPO_DISCOVER_TOPO_DEFAULTS_H

#include <berth/topo.h>

/* What data go through between two levels. */
typedef enum topo_link {
  LINK_NETWORK,      /* between hosts: 10 Gbit/s Ethernet */
  LINK_INTERCONNECT, /* between memories of a host */
  LINK_MEMORY,
  LINK_L3,
  LINK_L2,
  LINK_CORE, /* between hardware threads */
  N_LINKS
} topo_link_t;

/* The type of that kind of element with those links; it and its curves are added to t when they
 * aren't there yet. -1 with the error filled when memory is out. */
int topo_default_type(berth_topo_t *t, const char *kind, topo_link_t up, topo_link_t down,
                      berth_error_t *err);

/* The port, alike in both directions, of a network link that moves `capacity` bytes per second and
 * lets one pair have `rate` of it; nobody measured its latency. -1 with the error filled when
 * memory is out. */
int topo_link_port(berth_topo_t *t, double rate, double capacity, berth_port_t *port,
                   berth_error_t *err);

#endif
