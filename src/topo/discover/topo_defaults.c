/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes element types with default links, for machines without measurements. */
#include "topo/discover/topo_defaults.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "topo/topo_internal.h"

const topo_figures_t topo_default_figures = {.link =
                                                 {
                                                     [LINK_NETWORK] = {15e-6, 1.15e9, 1.25e9},
                                                     [LINK_INTERCONNECT] = {0.8e-6, 5e9, 20e9},
                                                     [LINK_MEMORY] = {0.5e-6, 6e9, 20e9},
                                                     [LINK_L3] = {0.35e-6, 9e9, 40e9},
                                                     [LINK_L2] = {0.3e-6, 10e9, 40e9},
                                                     [LINK_CORE] = {0.25e-6, 10e9, 40e9},
                                                 },
                                             .memory_capacity = 40e9};

static const char *const curve_names[N_LINKS] = {[LINK_NETWORK] = "ethernet",
                                                 [LINK_INTERCONNECT] = "interconnect",
                                                 [LINK_MEMORY] = "memory",
                                                 [LINK_L3] = "l3",
                                                 [LINK_L2] = "l2",
                                                 [LINK_CORE] = "core"};

static double three_digits(double x)
{
  double unit = pow(10, floor(log10(x)) - 2);
  return round(x / unit) * unit;
}

enum { N_POINTS = 6 };

static bool has_points(const berth_curve_t *c, const double *size, const double *bandwidth)
{
  return c->n == N_POINTS && memcmp(c->size, size, N_POINTS * sizeof *size) == 0 &&
         memcmp(c->bandwidth, bandwidth, N_POINTS * sizeof *bandwidth) == 0;
}

/* The number of a curve with these figures. If there is another one of that name, its name gets a
 * number. */
static int add_curve(berth_topo_t *t, const char *name, const topo_figure_t *f, berth_error_t *err)
{
  static const double size[N_POINTS] = {1, 64, 1024, 8192, 65536, 1048576};
  char numbered[100];
  double bandwidth[N_POINTS];
  snprintf(numbered, sizeof numbered, "%.80s", name);
  for (int i = 0; i < N_POINTS; i++)
    bandwidth[i] = fmin(f->rate, three_digits(size[i] / (f->latency_s + size[i] / f->rate)));
  for (int k = 2, number; (number = name_table_find(&t->curve_of_name, numbered)) >= 0; k++) {
    if (has_points(&t->curves[number], size, bandwidth)) return number;
    snprintf(numbered, sizeof numbered, "%.80s-%d", name, k);
  }
  berth_curve_t curve = {.name = numbered,
                         .source = f->stated ? BERTH_STATED_SOURCE : BERTH_DEFAULT_SOURCE,
                         .n = N_POINTS,
                         .size = size,
                         .bandwidth = bandwidth};
  return berth_topo_add_curve(t, &curve, err);
}

static int make_port(berth_topo_t *t, const char *curve, const topo_figure_t *f, berth_port_t *port,
                     berth_error_t *err)
{
  berth_port_dir_t dir = {.curve = add_curve(t, curve, f, err), .capacity = f->capacity};
  *port = (berth_port_t){.out = dir, .in = dir};
  return dir.curve;
}

static int default_port(berth_topo_t *t, const topo_figures_t *figures, topo_link_t link,
                        berth_port_t *port, berth_error_t *err)
{
  return make_port(t, curve_names[link], &figures->link[link], port, err);
}

int topo_link_port(berth_topo_t *t, const topo_figure_t *link, berth_port_t *port,
                   berth_error_t *err)
{
  char name[80], rate[TEXT_NUMBER], latency[TEXT_NUMBER];
  int n = snprintf(name, sizeof name, "link of %s Gbit/s", text_number(link->rate * 8e-9, 4, rate));
  if (link->latency_s != TOPO_FABRIC_LATENCY_S)
    snprintf(name + n, sizeof name - (size_t)n, ", %s", text_seconds(link->latency_s, latency));
  return make_port(t, name, link, port, err);
}

static int same_links(const berth_type_t *a, const berth_type_t *b)
{
  return a->up.out.curve == b->up.out.curve && a->down.out.curve == b->down.out.curve;
}

int topo_default_type(berth_topo_t *t, const topo_figures_t *figures, const char *kind,
                      topo_link_t up, topo_link_t down, berth_error_t *err)
{
  char name[32];
  berth_type_t type = {.name = name,
                       .capacity = down == LINK_MEMORY ? figures->memory_capacity : 0};
  if (default_port(t, figures, up, &type.up, err) < 0 ||
      default_port(t, figures, down, &type.down, err) < 0)
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
  return strcmp(curve->source, BERTH_DEFAULT_SOURCE) == 0 ||
         strcmp(curve->source, BERTH_STATED_SOURCE) == 0;
}
