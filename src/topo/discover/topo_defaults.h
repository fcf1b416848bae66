/* SPDX-License-Identifier: BSD-3-Clause */
/* Default ports of machines without measurements. */
#ifndef BERTH_TOPO_DISCOVER_TOPO_DEFAULTS_H
#define BERTH_TOPO_DISCOVER_TOPO_DEFAULTS_H

#include <berth/topo.h>
#include <stdbool.h>

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

/* What links carry: a message of n bytes takes latency_s + n / rate, in seconds and bytes per
 * second, and all messages together get `capacity`. */
typedef struct topo_figure {
  double latency_s, rate, capacity;
  bool stated; /* the latency or the rate is the user's */
} topo_figure_t;

typedef struct topo_figures {
  topo_figure_t link[N_LINKS];
  double memory_capacity; /* for all traffic of one memory */
} topo_figures_t;

/* Round figures of common machines. They order levels correctly; they don't predict times of a
 * particular machine. */
extern const topo_figures_t topo_default_figures;

/* The type for that kind of element with those links. Adds it and its curves to t if needed. -1
 * with the error filled when memory is out. */
int topo_default_type(berth_topo_t *t, const topo_figures_t *figures, const char *kind,
                      topo_link_t up, topo_link_t down, berth_error_t *err);

/* The latency of one link of a fast network: between switches, or a switch and a host. */
#define TOPO_FABRIC_LATENCY_S 0.5e-6

/* A port of a network link, the same in both directions. All pairs together get the figure's
 * `capacity` and one pair gets its `rate`. -1 with the error filled when memory is out. */
int topo_link_port(berth_topo_t *t, const topo_figure_t *link, berth_port_t *port,
                   berth_error_t *err);

#endif
