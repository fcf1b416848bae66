/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes element types with default links, for machines without measurements. */
#include "topo/discover/topo_defaults.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "topo/topo_internal.h"

/* Round figures of common machines: a message of n bytes takes latency + n / rate. They order
 * levels correctly; they don't predict times of a particular machine. */
static const struct {
  const char *curve;
  double latency_s, rate, capacity;
} links[N_LINKS] = {
    [LINK_NETWORK] = {"ethernet", 15e-6, 1.15e9, 1.25e9},
    [LINK_INTERCONNECT] = {"interconnect", 0.8e-6, 5e9, 20e9},
    [LINK_MEMORY] = {"memory", 0.5e-6, 6e9, 20e9},
    [LINK_L3] = {"l3", 0.35e-6, 9e9, 40e9},
    [LINK_L2] = {"l2", 0.3e-6, 10e9, 40e9},
    [LINK_CORE] = {"core", 0.25e-6, 10e9, 40e9},
};

/* For all traffic of a host's memory together. */
static const double memory_capacity = 40e9;

/* For one link of a fast network: between switches, or a switch and a host. */
static const double fabric_latency_s = 0.5e-6;

static double three_digits(double x)
{
  double unit = pow(10, floor(log10(x)) - 2);
  return round(x / unit) * unit;
}

static int add_curve(berth_topo_t *t, const char *name, double latency_s, double rate,
                     berth_error_t *err)
{
  static const double size[] = {1, 64, 1024, 8192, 65536, 1048576};
  enum { N = sizeof size / sizeof *size };
  int number = name_table_find(&t->curve_of_name, name);
  if (number >= 0) return number;
  double bandwidth[N];
  for (int i = 0; i < N; i++)
    bandwidth[i] = fmin(rate, three_digits(size[i] / (latency_s + size[i] / rate)));
  berth_curve_t curve = {
      .name = name, .source = BERTH_DEFAULT_SOURCE, .n = N, .size = size, .bandwidth = bandwidth};
  return berth_topo_add_curve(t, &curve, err);
}

static int default_curve(berth_topo_t *t, topo_link_t link, berth_error_t *err)
{
  return add_curve(t, links[link].curve, links[link].latency_s, links[link].rate, err);
}

static int default_port(berth_topo_t *t, topo_link_t link, berth_port_t *port, berth_error_t *err)
{
  berth_port_dir_t dir = {.curve = default_curve(t, link, err), .capacity = links[link].capacity};
  *port = (berth_port_t){.out = dir, .in = dir};
  return dir.curve;
}

int topo_link_port(berth_topo_t *t, double rate, double capacity, berth_port_t *port,
                   berth_error_t *err)
{
  char name[48];
  snprintf(name, sizeof name, "link of %.4g Gbit/s", rate * 8e-9);
  berth_port_dir_t dir = {.curve = add_curve(t, name, fabric_latency_s, rate, err),
                          .capacity = capacity};
  *port = (berth_port_t){.out = dir, .in = dir};
  return dir.curve;
}

static int same_links(const berth_type_t *a, const berth_type_t *b)
{
  return a->up.out.curve == b->up.out.curve && a->down.out.curve == b->down.out.curve;
}

int topo_default_type(berth_topo_t *t, const char *kind, topo_link_t up, topo_link_t down,
                      berth_error_t *err)
{
  char name[32];
  berth_type_t type = {.name = name, .capacity = down == LINK_MEMORY ? memory_capacity : 0};
  if (default_port(t, up, &type.up, err) < 0 || default_port(t, down, &type.down, err) < 0)
    return -1;
  snprintf(name, sizeof name, "%.20s", kind);
  for (int k = 2;; k++) { /* a kind with other links becomes another type */
    int found = name_table_find(&t->type_of_name, name);
    if (found < 0) return berth_topo_add_type(t, &type, err);
    if (same_links(&t->types[found], &type)) return found;
    snprintf(name, sizeof name, "%.20s-%d", kind, k);
  }
}

int berth_curve_is_default(const berth_curve_t *curve)
{
  return strcmp(curve->source, BERTH_DEFAULT_SOURCE) == 0;
}
