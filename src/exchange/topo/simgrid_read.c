/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads SimGrid's platform XML, if the platform is a tree.
 * Supported: zones of hosts, routers and flat clusters, nested by routes between gateways. Routes
 * are of one hop (Dijkstra, DijkstraCache, Floyd), or list all links between two ends (full
 * routing). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/in_file.h"
#include "base/no_memory.h"
#include "base/numeric.h"
#include "base/text.h"
#include "exchange/exchange_internal.h"
#include "exchange/text/xml.h"
#include "exchange/topo/platform.h"

typedef struct reader {
  xml_t xml;
  platform_t p;
  int zone; /* the open zone, -1: none */
  int node; /* the open host, -1: none */
  bool in_route, is_symmetrical;
} reader_t;

int simgrid_recognises(const char *text, size_t n)
{
  return memmem(text, n, "<platform", 9) != NULL;
}

static bool take_text(reader_t *r, const char **attributes, const char *name, const char **out)
{
  *out = xml_value(attributes, name, "");
  return **out || xml_fail(&r->xml, name, *out, "a value");
}

static bool take_whole(reader_t *r, const char *what, const char *text, uint64_t min, int *out)
{
  uint64_t value;
  bool is_number = text_to_u64(text, min, BERTH_MAX_PUS, &value);
  *out = is_number ? (int)value : 0;
  return is_number || xml_fail(&r->xml, what, text, "a whole number");
}

typedef struct unit {
  const char *name;
  double factor;
} unit_t;

static const unit_t time_units[] = {{"", 1},      {"s", 1},      {"ms", 1e-3}, {"us", 1e-6},
                                    {"ns", 1e-9}, {"ps", 1e-12}, {"m", 60},    {"h", 3600},
                                    {"d", 86400}, {"w", 604800}, {NULL, 0}};

/* Bytes per second of a bandwidth's unit; 0 if unknown. */
static double bandwidth_unit(const char *unit)
{
  static const char prefixes[] = "kMGTPEZY";
  double factor = 1;
  if (!*unit) return 1;
  const char *prefix = *unit == 'K' ? prefixes : strchr(prefixes, *unit);
  if (prefix) {
    bool binary = *++unit == 'i';
    factor = pow(binary ? 1024 : 1000, (double)(prefix - prefixes + 1));
    unit += binary;
  }
  return strcmp(unit, "Bps") == 0 ? factor : strcmp(unit, "bps") == 0 ? factor / 8 : 0;
}

static double time_unit(const char *unit)
{
  for (const unit_t *u = time_units; u->name; u++)
    if (strcmp(u->name, unit) == 0) return u->factor;
  return 0;
}

static bool take_bandwidth(reader_t *r, const char *what, const char *text, double *out)
{
  char *end;
  *out = strtod(text, &end);
  *out *= end > text ? bandwidth_unit(end) : 0;
  if (*out >= 1e-12 && *out <= 1e18) return true;
  return xml_fail(&r->xml, what, text, "a bandwidth such as 125MBps or 1Gbps, at most 1e18Bps");
}

static bool take_latency(reader_t *r, const char *what, const char *text, double *out)
{
  char *end;
  *out = strtod(text, &end);
  double unit = end > text ? time_unit(end) : 0;
  *out *= unit;
  if (unit > 0 && *out >= 0 && *out <= 1e6) return true;
  return xml_fail(&r->xml, what, text, "a time such as 10us");
}

static bool is_duplex(const char *policy)
{
  return strcmp(policy, "SPLITDUPLEX") == 0 || strcmp(policy, "FULLDUPLEX") == 0;
}

static void read_link(reader_t *r, const char **attributes)
{
  platform_link_t link = {0};
  const char *policy = xml_value(attributes, "sharing_policy", "SHARED");
  if (!take_text(r, attributes, "id", &link.id) ||
      !take_bandwidth(r, "bandwidth", xml_value(attributes, "bandwidth", ""), &link.bandwidth) ||
      !take_latency(r, "latency", xml_value(attributes, "latency", "0"), &link.latency))
    return;
  link.is_duplex = is_duplex(policy);
  link.is_free = strcmp(policy, "FATPIPE") == 0 && strcmp(link.id, SIMGRID_FREE) == 0;
  if (!link.is_duplex && !link.is_free && strcmp(policy, "SHARED") != 0)
    xml_fail(&r->xml, "sharing_policy", policy, "SHARED or SPLITDUPLEX");
  else if (platform_add_link(&r->p, &link, xml_line(&r->xml), r->xml.err) < 0)
    xml_stop(&r->xml, r->xml.err->code);
}

static void read_node(reader_t *r, const char **attributes, bool is_host)
{
  platform_node_t node = {.line = xml_line(&r->xml), .zone = r->zone, .is_host = is_host};
  if (!take_text(r, attributes, "id", &node.id)) return;
  if (is_host && !take_whole(r, "core", xml_value(attributes, "core", "1"), 1, &node.cores)) return;
  int number = platform_add_node(&r->p, &node, r->xml.err);
  if (number < 0) xml_stop(&r->xml, r->xml.err->code);
  if (is_host) r->node = number;
}

/* Reads what berth records about a PU. A topology has no other properties. */
static void read_property(reader_t *r, const char **attributes)
{
  const char *id = xml_value(attributes, "id", ""), *value = xml_value(attributes, "value", "");
  if (r->node < 0 || r->xml.rc) return;
  platform_node_t *node = &r->p.nodes[r->node];
  if (strcmp(id, "berth-pu") == 0) take_whole(r, id, value, 0, &node->os_index);
  if (strcmp(id, "berth-core") == 0) take_whole(r, id, value, 0, &node->core);
  if (strcmp(id, "berth-host") == 0 && !(node->host = arena_strdup(&r->p.arena, value)))
    xml_stop(&r->xml, no_memory(r->xml.err));
}

/* Whether a zone is another one or inside it. */
static bool is_inside(const reader_t *r, int zone, int of)
{
  while (zone >= 0 && zone != of) zone = r->p.zones[zone].parent;
  return zone == of;
}

/* Finds a host or router directly in a zone or, with `anywhere`, also in its zones. */
static bool find_node(reader_t *r, const char **attributes, const char *name, int zone,
                      bool anywhere, int *out)
{
  char expected[120];
  const char *id = xml_value(attributes, name, "");
  *out = name_table_find(&r->p.node_of_id, id);
  if (*out < 0) return xml_fail(&r->xml, name, id, "a host or router of this file");
  int of = r->p.nodes[*out].zone;
  if (of == zone || (anywhere && is_inside(r, of, zone))) return true;
  snprintf(expected, sizeof expected, "a host or router of zone '%.60s'",
           zone < 0 ? "" : r->p.zones[zone].id);
  return xml_fail(&r->xml, name, id, expected);
}

/* Finds an end of a route between zones: the gateway of a zone that is directly in the open one. */
static bool find_gateway(reader_t *r, const char **attributes, const char *zone_name,
                         const char *name, int *out)
{
  const char *id = xml_value(attributes, zone_name, "");
  int zone = name_table_find(&r->p.zone_of_id, id);
  if (zone >= 0 && r->p.zones[zone].parent == r->zone)
    return find_node(r, attributes, name, zone, true, out);
  return xml_fail(&r->xml, zone_name, id, "a zone in this one");
}

static void begin_route(reader_t *r, const char **attributes, bool of_zones)
{
  platform_route_t route = {.zone = r->zone, .line = xml_line(&r->xml)};
  r->is_symmetrical = strcasecmp(xml_value(attributes, "symmetrical", "YES"), "NO") != 0;
  if (of_zones ? !find_gateway(r, attributes, "src", "gw_src", &route.from) ||
                     !find_gateway(r, attributes, "dst", "gw_dst", &route.to)
               : !find_node(r, attributes, "src", r->zone, false, &route.from) ||
                     !find_node(r, attributes, "dst", r->zone, false, &route.to))
    return;
  r->in_route = true;
  xml_stop(&r->xml, platform_add_route(&r->p, &route, r->xml.err));
}

static void read_use(reader_t *r, const char **attributes)
{
  const char *id = xml_value(attributes, "id", "");
  const char *direction = xml_value(attributes, "direction", "NONE");
  int link = name_table_find(&r->p.link_of_id, id);
  if (link < 0 || !r->in_route) {
    xml_fail(&r->xml, "link_ctn", id, link < 0 ? "a link of this file" : "it in a route");
    return;
  }
  if (r->p.links[link].is_free) return;
  platform_use_t use = {link, r->p.links[link].is_duplex && strcmp(direction, "DOWN") == 0};
  xml_stop(&r->xml, platform_add_use(&r->p, &use, r->xml.err));
}

/* Adds the way back of symmetrical routes. */
static void end_route(reader_t *r)
{
  if (!r->in_route || r->xml.rc) return;
  r->in_route = false;
  if (!r->is_symmetrical) return;
  const platform_route_t there = r->p.routes[r->p.n_routes - 1];
  platform_route_t back = there;
  back.from = there.to;
  back.to = there.from;
  int rc = platform_add_route(&r->p, &back, r->xml.err);
  for (size_t k = there.n_uses; k-- > 0 && !rc;) {
    platform_use_t use = r->p.uses[there.first_use + k];
    use.down = r->p.links[use.link].is_duplex && !use.down;
    rc = platform_add_use(&r->p, &use, r->xml.err);
  }
  xml_stop(&r->xml, rc);
}

/* A cluster; each of its hosts has its own link to the cluster's router. */
typedef struct cluster {
  const char *id, *prefix, *suffix, *radical;
  double bandwidth, latency;
  int cores, zone, router;
} cluster_t;

static bool add_member(reader_t *r, const cluster_t *c, unsigned long long number)
{
  char *id = text_printf("%s%llu%s", c->prefix, number, c->suffix);
  platform_node_t node = {
      .id = id, .line = xml_line(&r->xml), .zone = c->zone, .is_host = true, .cores = c->cores};
  platform_link_t link = {
      .id = id, .bandwidth = c->bandwidth, .latency = c->latency, .is_duplex = true};
  int rc = id ? BERTH_OK : no_memory(r->xml.err);
  platform_hop_t hop = {.to = c->router, .link = {-1, -1}, .line = xml_line(&r->xml)};
  if (!rc && (hop.from = platform_add_node(&r->p, &node, r->xml.err)) < 0) rc = r->xml.err->code;
  if (!rc && (hop.link[0] = platform_add_link(&r->p, &link, xml_line(&r->xml), r->xml.err)) < 0)
    rc = r->xml.err->code;
  if (!rc && platform_add_hop(&r->p, &hop, r->xml.err)) rc = r->xml.err->code;
  platform_hop_t back = hop;
  back.from = hop.to;
  back.to = hop.from;
  if (!rc && platform_add_hop(&r->p, &back, r->xml.err)) rc = r->xml.err->code;
  free(id);
  xml_stop(&r->xml, rc);
  return !rc;
}

/* Reads numbers and ranges, separated by commas. */
static void add_members(reader_t *r, const cluster_t *c)
{
  const char *at = c->radical;
  for (;;) {
    char *end;
    unsigned long long first = strtoull(at, &end, 10), last = first;
    bool is_number = end > at && *at >= '0' && *at <= '9';
    if (is_number && *end == '-') {
      at = end + 1;
      last = strtoull(at, &end, 10);
      is_number = end > at && *at >= '0' && *at <= '9';
    }
    if (!is_number || last < first || last - first >= BERTH_MAX_PUS || (*end && *end != ',')) {
      xml_fail(&r->xml, "radical", c->radical, "numbers and ranges such as 0-15,20");
      return;
    }
    for (unsigned long long k = first; k <= last; k++)
      if (!add_member(r, c, k)) return;
    if (!*end) return;
    at = end + 1;
  }
}

/* Reads the backbone, which all traffic of a cluster crosses. Half of its latency counts on each
 * host's link. */
static bool read_backbone(reader_t *r, const char **attributes, cluster_t *c, double *capacity)
{
  const char *bandwidth = xml_value(attributes, "bb_bw", "");
  double latency = 0;
  *capacity = 0;
  if (!*bandwidth) return true;
  if (!take_bandwidth(r, "bb_bw", bandwidth, capacity) ||
      !take_latency(r, "bb_lat", xml_value(attributes, "bb_lat", "0"), &latency))
    return false;
  c->latency += latency / 2;
  const char *policy = xml_value(attributes, "bb_sharing_policy", "SHARED");
  if (strcmp(policy, "SHARED") != 0) xml_fail(&r->xml, "bb_sharing_policy", policy, "SHARED");
  return !r->xml.rc;
}

static bool check_cluster(reader_t *r, const char **attributes)
{
  static const char *const others[] = {"limiter_link", "loopback_bw"};
  const char *shape = xml_value(attributes, "topology", "FLAT");
  const char *policy = xml_value(attributes, "sharing_policy", "SPLITDUPLEX");
  if (strcmp(shape, "FLAT") != 0) xml_fail(&r->xml, "topology", shape, "FLAT, a tree");
  if (!is_duplex(policy)) xml_fail(&r->xml, "sharing_policy", policy, "SPLITDUPLEX");
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (*xml_value(attributes, others[i], ""))
      xml_fail(&r->xml, others[i], xml_value(attributes, others[i], ""), "none");
  return !r->xml.rc;
}

/* Opens a zone in the current one; -1 after a failure. */
static int open_zone(reader_t *r, const char *id, bool is_full)
{
  platform_zone_t zone = {.id = id, .parent = r->zone, .is_full = is_full};
  int number = platform_add_zone(&r->p, &zone, xml_line(&r->xml), r->xml.err);
  if (number < 0) xml_stop(&r->xml, r->xml.err->code);
  return number;
}

static void read_cluster(reader_t *r, const char **attributes)
{
  cluster_t c = {.prefix = xml_value(attributes, "prefix", ""),
                 .suffix = xml_value(attributes, "suffix", "")};
  platform_node_t router = {.line = xml_line(&r->xml)};
  if (!check_cluster(r, attributes) || !take_text(r, attributes, "id", &c.id) ||
      !take_text(r, attributes, "radical", &c.radical) ||
      !take_whole(r, "core", xml_value(attributes, "core", "1"), 1, &c.cores) ||
      !take_bandwidth(r, "bw", xml_value(attributes, "bw", ""), &c.bandwidth) ||
      !take_latency(r, "lat", xml_value(attributes, "lat", ""), &c.latency) ||
      !read_backbone(r, attributes, &c, &router.capacity))
    return;
  c.zone = open_zone(r, c.id, false);
  if (c.zone < 0) return;
  char *made = text_printf("%s%s_router%s", c.prefix, c.id, c.suffix);
  router.zone = c.zone;
  router.id = xml_value(attributes, "router_id", "");
  if (!*router.id) router.id = made;
  c.router = made ? platform_add_node(&r->p, &router, r->xml.err) : (no_memory(r->xml.err), -1);
  free(made);
  if (c.router < 0)
    xml_stop(&r->xml, r->xml.err->code);
  else
    add_members(r, &c);
}

static void read_zone(reader_t *r, const char **attributes)
{
  static const char *const taken[] = {"Full", "Dijkstra", "DijkstraCache", "Floyd"};
  const char *id, *routing = xml_value(attributes, "routing", "");
  if (!take_text(r, attributes, "id", &id)) return;
  if (r->zone < 0 && r->p.n_zones > 0) {
    xml_fail(&r->xml, "zone", id, "one zone around all others");
    return;
  }
  for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
    if (strcasecmp(routing, taken[i]) == 0) {
      r->zone = open_zone(r, id, i == 0);
      return;
    }
  xml_fail(&r->xml, "routing", routing, "Dijkstra, DijkstraCache, Floyd or Full");
}

static void XMLCALL on_start(void *data, const char *name, const char **attributes)
{
  static const char *const ignored[] = {"platform", "config", "trace_connect", "trace"};
  reader_t *r = data;
  for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
    if (strcmp(name, ignored[i]) == 0) return;
  if (strcmp(name, "zone") == 0 || strcmp(name, "AS") == 0)
    read_zone(r, attributes);
  else if (strcmp(name, "host") == 0 || strcmp(name, "router") == 0)
    read_node(r, attributes, *name == 'h');
  else if (strcmp(name, "prop") == 0)
    read_property(r, attributes);
  else if (strcmp(name, "link") == 0)
    read_link(r, attributes);
  else if (strcmp(name, "cluster") == 0)
    read_cluster(r, attributes);
  else if (strcmp(name, "route") == 0 || strcmp(name, "zoneRoute") == 0)
    begin_route(r, attributes, *name == 'z');
  else if (strcmp(name, "link_ctn") == 0)
    read_use(r, attributes);
  else
    xml_fail(&r->xml, "element", name, "zone, cluster, host, router, link, route or zoneRoute");
}

static void XMLCALL on_end(void *data, const char *name)
{
  reader_t *r = data;
  if (strcmp(name, "route") == 0 || strcmp(name, "zoneRoute") == 0) end_route(r);
  if (strcmp(name, "host") == 0) r->node = -1;
  if ((strcmp(name, "zone") == 0 || strcmp(name, "AS") == 0) && r->zone >= 0)
    r->zone = r->p.zones[r->zone].parent;
}

berth_topo_t *simgrid_read(const char *path, const char *name, berth_error_t *err)
{
  reader_t r = {.p = {.path = scan_name(path)}, .zone = -1, .node = -1};
  locale_t before = numeric_begin();
  int rc = xml_read(&r.xml, path, on_start, on_end, &r, err);
  if (!rc) rc = platform_lay_routes(&r.p, r.xml.err);
  berth_topo_t *t = rc ? NULL : platform_tree(&r.p, name, r.xml.err);
  numeric_end(before);
  platform_clear(&r.p);
  return t;
}
