/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes a topology as a SimGrid platform.
 *
 * A PU becomes a host, a switch a router, and each direction of a port a link, so that links are
 * shared as in the topology. A switch with a capacity becomes two routers, for incoming and
 * outgoing traffic, with a link between them.
 *
 * A link's bandwidth is the capacity for all ranks together. If the port has a curve, the link's
 * latency is that curve's time of an empty message. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numeric.h"
#include "exchange/exchange_internal.h"

/* What has no cost is this much faster than the fastest port. SimGrid needs a link on each route.
 * With this one on the way, flows that compete elsewhere end earlier than without it (SimGrid
 * 3.32): by less than a percent with this factor, by ten percent from 10^4 on. */
static const double FREE = 16;

typedef struct writer {
  const berth_topo_t *t;
  out_file_t *out;
} writer_t;

static void put_escaped(out_file_t *out, const char *text)
{
  for (; *text; text++) {
    const char *entity = *text == '&'   ? "&amp;"
                         : *text == '<' ? "&lt;"
                         : *text == '>' ? "&gt;"
                         : *text == '"' ? "&quot;"
                                        : NULL;
    if (entity)
      out_text(out, entity);
    else
      out_write(out, text, 1);
  }
}

/* Writes 15 digits or, if they don't read back as the same value, 17. */
static void put_number(out_file_t *out, double value)
{
  char text[40];
  snprintf(text, sizeof text, "%.15g", value);
  if (strtod(text, NULL) != value) snprintf(text, sizeof text, "%.17g", value);
  out_text(out, text);
}

/* Writes a name: a host's own, "host#pu3" for a PU, "name#e7" for other switches. */
static void put_id(const writer_t *w, int element)
{
  const berth_element_t *e = berth_topo_element(w->t, element);
  const berth_host_t *host = e->host >= 0 ? berth_topo_host(w->t, e->host) : NULL;
  if (e->type < 0) {
    put_escaped(w->out, host->name);
    out_printf(w->out, "#pu%d", berth_topo_pu(w->t, e->first_pu)->os_index);
  } else if (host && host->element == element) {
    put_escaped(w->out, host->name);
  } else {
    put_escaped(w->out, berth_topo_element_name(w->t, element));
    out_printf(w->out, "#e%d", element);
  }
}

static double capacity_of(const berth_topo_t *t, int element)
{
  int type = berth_topo_element(t, element)->type;
  return type < 0 ? 0 : berth_topo_type(t, type)->capacity;
}

static double latency(const berth_topo_t *t, const berth_port_dir_t *dir)
{
  if (dir->curve < 0) return 0;
  const berth_curve_t *c = berth_topo_curve(t, dir->curve);
  double first = c->size[0] / c->bandwidth[0], last = c->size[c->n - 1] / c->bandwidth[c->n - 1];
  if (c->n == 1 || last <= first) return 0;
  return fmax(0, first - c->size[0] * (last - first) / (c->size[c->n - 1] - c->size[0]));
}

static double fastest(const berth_topo_t *t)
{
  double max = 0;
  for (int i = 0; i < berth_topo_n_types(t); i++) {
    const berth_type_t *type = berth_topo_type(t, i);
    max = fmax(max, fmax(type->capacity, fmax(type->up.out.capacity, type->up.in.capacity)));
    max = fmax(max, fmax(type->down.out.capacity, type->down.in.capacity));
  }
  return max > 0 ? max : 1e9;
}

static void put_link(const writer_t *w, int element, const char *which, const berth_port_dir_t *dir)
{
  if (dir->capacity == 0) return;
  out_text(w->out, "    <link id=\"");
  put_id(w, element);
  out_printf(w->out, "#%s\" bandwidth=\"", which);
  put_number(w->out, dir->capacity);
  out_printf(w->out, "Bps\" latency=\"%.12gs\" sharing_policy=\"SHARED\"/>\n", latency(w->t, dir));
}

static void put_node(const writer_t *w, int element)
{
  const berth_element_t *e = berth_topo_element(w->t, element);
  out_printf(w->out, "    <%s id=\"", e->type < 0 ? "host" : "router");
  put_id(w, element);
  if (e->type >= 0) {
    out_text(w->out, "\"/>\n");
    if (capacity_of(w->t, element) == 0) return;
    out_text(w->out, "    <router id=\"");
    put_id(w, element);
    out_text(w->out, "#out\"/>\n");
    return;
  }
  const berth_pu_t *pu = berth_topo_pu(w->t, e->first_pu);
  out_text(w->out, "\" speed=\"1Gf\"><prop id=\"berth-host\" value=\"");
  put_escaped(w->out, berth_topo_host(w->t, pu->host)->name);
  out_printf(
      w->out,
      "\"/><prop id=\"berth-pu\" value=\"%d\"/><prop id=\"berth-core\" value=\"%d\"/></host>\n",
      pu->os_index, pu->core);
}

/* The ports between an element and its parent: its own one (none for a PU), and its parent's. */
typedef struct ports {
  berth_port_t up, down;
} ports_t;

static ports_t ports_of(const berth_topo_t *t, int element)
{
  const berth_element_t *e = berth_topo_element(t, element);
  ports_t p = {.down = berth_topo_type(t, berth_topo_element(t, e->parent)->type)->down};
  if (e->type >= 0) p.up = berth_topo_type(t, e->type)->up;
  return p;
}

static void put_links(const writer_t *w, int element)
{
  const berth_port_dir_t across = {.curve = -1, .capacity = capacity_of(w->t, element)};
  put_link(w, element, "switch", &across);
  if (berth_topo_element(w->t, element)->parent < 0) return;
  ports_t p = ports_of(w->t, element);
  put_link(w, element, "up-out", &p.up.out);
  put_link(w, element, "down-out", &p.down.out);
  put_link(w, element, "up-in", &p.up.in);
  put_link(w, element, "down-in", &p.down.in);
}

static void put_end(const writer_t *w, const char *which, int element, bool out)
{
  out_printf(w->out, " %s=\"", which);
  put_id(w, element);
  out_printf(w->out, "%s\"", out && capacity_of(w->t, element) > 0 ? "#out" : "");
}

static void put_use(const writer_t *w, int element, const char *which, const berth_port_dir_t *dir)
{
  if (dir->capacity == 0) return;
  out_text(w->out, "<link_ctn id=\"");
  put_id(w, element);
  out_printf(w->out, "#%s\"/>", which);
}

/* Writes a route of one or two links; SimGrid refuses routes without links. */
static void put_route(const writer_t *w, int element, bool outwards)
{
  int parent = berth_topo_element(w->t, element)->parent;
  ports_t p = ports_of(w->t, element);
  out_text(w->out, "    <route");
  put_end(w, "src", outwards ? element : parent, true);
  put_end(w, "dst", outwards ? parent : element, false);
  out_text(w->out, " symmetrical=\"NO\">");
  if (outwards) {
    put_use(w, element, "up-out", &p.up.out);
    put_use(w, element, "down-out", &p.down.out);
  } else {
    put_use(w, element, "down-in", &p.down.in);
    put_use(w, element, "up-in", &p.up.in);
  }
  if (outwards ? p.up.out.capacity + p.down.out.capacity == 0
               : p.up.in.capacity + p.down.in.capacity == 0)
    out_text(w->out, "<link_ctn id=\"" SIMGRID_FREE "\"/>");
  out_text(w->out, "</route>\n");
}

static void put_routes(const writer_t *w, int element)
{
  if (capacity_of(w->t, element) > 0) {
    out_text(w->out, "    <route");
    put_end(w, "src", element, false);
    put_end(w, "dst", element, true);
    out_text(w->out, " symmetrical=\"NO\"><link_ctn id=\"");
    put_id(w, element);
    out_text(w->out, "#switch\"/></route>\n");
  }
  if (berth_topo_element(w->t, element)->parent < 0) return;
  put_route(w, element, true);
  put_route(w, element, false);
}

int simgrid_write(const berth_topo_t *t, const char *path, berth_error_t *err)
{
  for (int h = 0; h < berth_topo_n_hosts(t); h++)
    if (strchr(berth_topo_host(t, h)->name, '#'))
      return berth_fail(err, BERTH_BAD_INPUT, "found host \"%.60s\", expected no '#' in it",
                        berth_topo_host(t, h)->name);
  writer_t w = {t, out_open(path, err)};
  if (!w.out) return BERTH_MISSING;
  locale_t before = numeric_begin();
  int n = berth_topo_n_elements(t);
  out_text(w.out, "<?xml version=\"1.0\"?>\n"
                  "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                  "<platform version=\"4.1\">\n"
                  "  <zone id=\"berth\" routing=\"DijkstraCache\">\n");
  for (int e = 0; e < n; e++) put_node(&w, e);
  out_text(w.out, "    <link id=\"" SIMGRID_FREE "\" bandwidth=\"");
  put_number(w.out, FREE * fastest(t));
  out_text(w.out, "Bps\" latency=\"0s\" sharing_policy=\"FATPIPE\"/>\n");
  for (int e = 0; e < n; e++) put_links(&w, e);
  for (int e = 0; e < n; e++) put_routes(&w, e);
  out_text(w.out, "  </zone>\n</platform>\n");
  numeric_end(before);
  return out_commit(w.out, err);
}
