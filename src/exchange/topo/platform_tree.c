/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes a topology of a SimGrid platform's hops.
 * Its root is the first router. Children are in the order of the file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "base/order.h"
#include "exchange/topo/platform.h"

enum { OUT, IN }; /* directions: towards the root, away from it */

/* Two nodes with hops in both directions. */
typedef struct edge {
  int near, far;   /* each edge is listed twice, with either end as `near` */
  int there, back; /* hops: from near to far, and from far to near */
} edge_t;

typedef struct grower {
  platform_t *p;
  berth_topo_t *t;
  edge_t *edges;
  size_t n_edges, *first; /* by node: its first edge */
  name_table_t hosts;     /* named by PUs */
  name_table_t curves, types;
  int n_types[2]; /* number of types of switches and of hosts, for their names */
  berth_error_t *err;
} grower_t;

/* Joins two routers to a switch: one is left only by a route to the other, which nothing else leads
 * to and which doesn't lead back. They are the switch's two sides; the link between them is its
 * capacity. */
static int join_sides(platform_t *p, berth_error_t *err)
{
  size_t n = p->n_nodes;
  int *in = calloc(n + 1, sizeof *in), *out = calloc(n + 1, sizeof *out);
  if (!in || !out) {
    free(in);
    free(out);
    return no_memory_index(err);
  }
  for (size_t i = 0; i < p->n_hops; i++) {
    in[p->hops[i].to]++;
    out[p->hops[i].from]++;
  }
  for (size_t i = 0; i < p->n_hops; i++) {
    const platform_hop_t *h = &p->hops[i];
    platform_node_t *from = &p->nodes[h->from], *to = &p->nodes[h->to];
    if (out[h->from] != 1 || in[h->to] != 1 || from->is_host || to->is_host) continue;
    if (h->link[0] < 0 || h->link[1] >= 0 || p->links[h->link[0]].latency > 0) continue;
    if (from->inside >= 0 || from->capacity > 0) continue;
    to->inside = h->from;
    from->capacity = p->links[h->link[0]].bandwidth;
  }
  free(in);
  free(out);
  return 0;
}

ORDER_BY(compare_hops, edge_t, RISING(near) RISING(far) RISING(there))

/* Merges the two edges that each pair of hops makes. A pair must have a hop in each direction. */
static int merge_edges(grower_t *g)
{
  const platform_t *p = g->p;
  size_t n = 0;
  qsort(g->edges, g->n_edges, sizeof *g->edges, compare_hops);
  for (size_t i = 0; i < g->n_edges; i++) {
    edge_t *e = &g->edges[i], *last = n ? &g->edges[n - 1] : NULL;
    if (!last || last->near != e->near || last->far != e->far) {
      g->edges[n++] = *e;
      continue;
    }
    int *place = e->there >= 0 ? &last->there : &last->back,
        hop = e->there >= 0 ? e->there : e->back;
    if (*place >= 0)
      return platform_fail(p, p->hops[hop].line, g->err,
                           "found a second route from '%.60s' to '%.60s'",
                           p->nodes[p->hops[hop].from].id, p->nodes[p->hops[hop].to].id);
    *place = hop;
  }
  g->n_edges = n;
  for (size_t i = 0; i < n; i++)
    if (g->edges[i].back < 0)
      return platform_fail(p, p->hops[g->edges[i].there].line, g->err,
                           "found a route from '%.60s' to '%.60s', but none back",
                           p->nodes[g->edges[i].near].id, p->nodes[g->edges[i].far].id);
  return 0;
}

static int make_edges(grower_t *g)
{
  platform_t *p = g->p;
  g->edges = malloc((2 * p->n_hops + 1) * sizeof *g->edges);
  g->first = calloc(p->n_nodes + 2, sizeof *g->first);
  if (!g->edges || !g->first) return no_memory_index(g->err);
  for (size_t i = 0; i < p->n_hops; i++) {
    int from = p->hops[i].from, to = p->hops[i].to;
    if (p->nodes[to].inside == from) continue;
    if (p->nodes[from].inside >= 0) from = p->nodes[from].inside;
    g->edges[g->n_edges++] = (edge_t){from, to, (int)i, -1};
    g->edges[g->n_edges++] = (edge_t){to, from, -1, (int)i};
  }
  int rc = merge_edges(g);
  for (size_t i = 0; i < g->n_edges && !rc; i++) g->first[g->edges[i].near + 1]++;
  for (size_t i = 0; i < p->n_nodes; i++) g->first[i + 1] += g->first[i];
  return rc;
}

/* How many nodes are reached from the root; -1 when memory is out. */
static int count_reached(const grower_t *g, int root)
{
  int *queue = malloc((g->p->n_nodes + 1) * sizeof *queue), n = 0;
  bool *seen = calloc(g->p->n_nodes + 1, sizeof *seen);
  if (queue && seen) {
    queue[n++] = root;
    seen[root] = true;
  } else {
    n = no_memory_index(g->err);
  }
  for (int k = 0; k < n; k++)
    for (size_t i = g->first[queue[k]]; i < g->first[queue[k] + 1]; i++) {
      int far = g->edges[i].far;
      if (seen[far]) continue;
      seen[far] = true;
      queue[n++] = far;
    }
  free(queue);
  free(seen);
  return n;
}

/* The root; -1 if the routes aren't a tree: there must be one edge less than nodes, and the root
 * must reach all nodes. */
static int find_root(grower_t *g)
{
  const platform_t *p = g->p;
  int n = 0, root = -1;
  for (size_t i = 0; i < p->n_nodes; i++) {
    n += p->nodes[i].inside < 0;
    if (root < 0 && !p->nodes[i].is_host) root = (int)i;
  }
  if (root < 0 && n == 1) root = 0;
  if (root < 0) {
    platform_fail(p, 1, g->err,
                  "found %d hosts and no router, expected a tree of routes of one hop", n);
    return -1;
  }
  int reached = count_reached(g, root);
  if (reached < 0 || (reached == n && g->n_edges / 2 + 1 == (size_t)n))
    return reached < 0 ? -1 : root;
  if (reached < n)
    platform_fail(
        p, p->nodes[root].line, g->err,
        "found routes from '%.60s' to %d of %d hosts and routers, expected a tree of them",
        p->nodes[root].id, reached - 1, n - 1);
  else
    platform_fail(
        p, p->nodes[root].line, g->err,
        "found routes between %zu pairs of %d hosts and routers, expected a tree, %d pairs",
        g->n_edges / 2, n, n - 1);
  return -1;
}

/* A curve of latency + n / bandwidth, exact up to 2^30 bytes. -1 without a latency. */
static int curve_of(grower_t *g, const platform_link_t *link, int *curve)
{
  static const double size[] = {1, 1073741824};
  double bandwidth[2];
  char name[80];
  *curve = -1;
  if (link->latency == 0) return 0;
  snprintf(name, sizeof name, "%.12g s, %.15g B/s", link->latency, link->bandwidth);
  *curve = name_table_find(&g->curves, name);
  if (*curve >= 0) return 0;
  for (int i = 0; i < 2; i++) bandwidth[i] = size[i] / (link->latency + size[i] / link->bandwidth);
  const berth_curve_t c = {
      .name = name, .source = "SimGrid platform", .n = 2, .size = size, .bandwidth = bandwidth};
  *curve = berth_topo_add_curve(g->t, &c, g->err);
  const char *key = *curve < 0 ? NULL : arena_strdup(&g->p->arena, name);
  if (*curve < 0) return -1;
  return key && name_table_add(&g->curves, key, *curve) ? 0 : no_memory_index(g->err);
}

static int direction_of(grower_t *g, int link, berth_port_dir_t *out)
{
  *out = (berth_port_dir_t){.curve = -1};
  if (link < 0) return 0;
  out->capacity = g->p->links[link].bandwidth;
  return curve_of(g, &g->p->links[link], &out->curve);
}

typedef struct ports {
  int up[2], down[2]; /* links by direction, -1: none */
} ports_t;

/* The type with these ports and that capacity. */
static int type_of(grower_t *g, const ports_t *ports, double capacity, bool is_host)
{
  char key[200], name[32];
  berth_type_t type = {.name = name, .capacity = capacity};
  if (direction_of(g, ports->up[OUT], &type.up.out) ||
      direction_of(g, ports->up[IN], &type.up.in) ||
      direction_of(g, ports->down[OUT], &type.down.out) ||
      direction_of(g, ports->down[IN], &type.down.in))
    return -1;
  snprintf(key, sizeof key, "%d %.17g %d %.17g %d %.17g %d %.17g %d %.17g", is_host, capacity,
           type.up.out.curve, type.up.out.capacity, type.up.in.curve, type.up.in.capacity,
           type.down.out.curve, type.down.out.capacity, type.down.in.curve, type.down.in.capacity);
  int number = name_table_find(&g->types, key);
  if (number >= 0) return number;
  int k = ++g->n_types[is_host];
  snprintf(name, sizeof name, k > 1 ? "%s-%d" : "%s", is_host ? "host" : "switch", k);
  number = berth_topo_add_type(g->t, &type, g->err);
  const char *kept = arena_strdup(&g->p->arena, key);
  if (number < 0) return -1;
  return kept && name_table_add(&g->types, kept, number) ? number : no_memory_index(g->err);
}

static bool same_link(const platform_t *p, int a, int b)
{
  if (a < 0 || b < 0) return a == b || (a < 0 && b < 0);
  return p->links[a].bandwidth == p->links[b].bandwidth &&
         p->links[a].latency == p->links[b].latency;
}

static bool is_pu(const platform_t *p, int node) { return p->nodes[node].host != NULL; }

/* The links of an edge to a child, in one direction. Returns how many; of two, the parent's is
 * first. */
static int links_of(const grower_t *g, const edge_t *e, int direction, int link[2])
{
  const platform_hop_t *hop = &g->p->hops[direction == OUT ? e->back : e->there];
  int n = (hop->link[0] >= 0) + (hop->link[1] >= 0);
  link[0] = n == 2 && direction == OUT ? hop->link[1] : hop->link[0];
  link[1] = n == 2 && direction == OUT ? hop->link[0] : hop->link[1];
  return n;
}

/* Finds a node's `down` port: its PUs' links; and, if two links lead to a switch, the nearer one.
 * All of these must be equal. */
static int find_down(grower_t *g, int node, int parent, int down[2])
{
  const platform_t *p = g->p;
  for (int d = OUT; d <= IN; d++) {
    bool known = false;
    down[d] = -1;
    for (size_t i = g->first[node]; i < g->first[node + 1]; i++) {
      const edge_t *e = &g->edges[i];
      int link[2], n = e->far == parent ? 0 : links_of(g, e, d, link);
      if (e->far == parent || (n < 2 && !is_pu(p, e->far))) continue;
      if (n == 2 && is_pu(p, e->far))
        return platform_fail(p, p->hops[e->there].line, g->err,
                             "found two links to PU '%.60s', expected one", p->nodes[e->far].id);
      if (known && !same_link(p, down[d], link[0]))
        return platform_fail(p, p->hops[e->there].line, g->err,
                             "found links below '%.60s' that differ, expected all PUs' alike",
                             p->nodes[node].id);
      down[d] = n ? link[0] : -1;
      known = true;
    }
  }
  return 0;
}

/* Finds the `up` port of a switch, which this edge connects with a node that has that `down`
 * port. */
static int find_up(const grower_t *g, const edge_t *e, const int down[2], int up[2])
{
  for (int d = OUT; d <= IN; d++) {
    int link[2], n = links_of(g, e, d, link);
    up[d] = n == 2 ? link[1] : n == 1 && down[d] < 0 ? link[0] : -1;
    if (n == 2 || down[d] < 0 || (n == 1 && same_link(g->p, link[0], down[d]))) continue;
    return platform_fail(g->p, g->p->hops[e->there].line, g->err,
                         "found a link to '%.60s' that differs from those beside it, expected one "
                         "more, or all alike",
                         g->p->nodes[e->far].id);
  }
  return 0;
}

static int add_node(grower_t *g, int node, int parent, int above, const ports_t *ports);

static int add_children(grower_t *g, int node, int parent, int element, const int down[2])
{
  for (size_t i = g->first[node]; i < g->first[node + 1]; i++) {
    const edge_t *e = &g->edges[i];
    const platform_node_t *child = &g->p->nodes[e->far];
    ports_t ports = {{-1, -1}, {-1, -1}};
    if (e->far == parent) continue;
    if (child->is_host && g->first[e->far + 1] - g->first[e->far] > 1)
      return platform_fail(g->p, child->line, g->err, "found host '%.60s' on the way of others",
                           child->id);
    if (is_pu(g->p, e->far)) {
      if (berth_topo_add_pu(g->t, element, child->os_index, child->core, g->err) < 0) return -1;
    } else if (find_up(g, e, down, ports.up) || add_node(g, e->far, node, element, &ports)) {
      return -1;
    }
  }
  return 0;
}

/* Adds a node whose `up` port is known, and everything below. The depth limit bounds the
 * recursion. */
static int add_node(grower_t *g, int node, int parent, int above, const ports_t *ports)
{
  const platform_node_t *n = &g->p->nodes[node];
  ports_t own = *ports;
  bool is_host = n->is_host || name_table_find(&g->hosts, n->id) >= 0;
  if (find_down(g, node, parent, own.down)) return -1;
  int type = type_of(g, &own, n->capacity, is_host);
  const char *mark = strrchr(n->id, '#');
  bool is_marked = mark && mark[1] == 'e' && mark[2] && !mark[2 + strspn(mark + 2, "0123456789")];
  char *name = strndup(n->id, is_marked ? (size_t)(mark - n->id) : strlen(n->id));
  int e = !name ? no_memory_index(g->err)
          : type < 0
              ? -1
              : berth_topo_add_switch(g->t, above, type, name, is_host ? n->id : NULL, g->err);
  free(name);
  for (int k = 0; k < n->cores && e >= 0; k++)
    if (berth_topo_add_pu(g->t, e, k, k, g->err) < 0) return -1;
  return e < 0 ? -1 : add_children(g, node, parent, e, own.down);
}

static int index_hosts(grower_t *g)
{
  const platform_t *p = g->p;
  for (size_t i = 0; i < p->n_nodes; i++)
    if (p->nodes[i].host && name_table_find(&g->hosts, p->nodes[i].host) < 0 &&
        !name_table_add(&g->hosts, p->nodes[i].host, (int)i))
      return no_memory_index(g->err);
  return 0;
}

static int grow(grower_t *g)
{
  static const ports_t none = {{-1, -1}, {-1, -1}};
  int rc = join_sides(g->p, g->err);
  if (!rc) rc = make_edges(g);
  if (!rc) rc = index_hosts(g);
  int root = rc ? -1 : find_root(g);
  if (root < 0) return -1;
  if (add_node(g, root, -1, -1, &none) == 0 && berth_topo_finish(g->t, g->err) == 0) return 0;
  berth_error_t why = *g->err; /* errors of the topology's builder get their place in the file */
  if (strncmp(why.text, "found ", 6) == 0)
    berth_fail(g->err, why.code, "%s: %s", g->p->path, why.text);
  return -1;
}

berth_topo_t *platform_tree(platform_t *p, const char *name, berth_error_t *err)
{
  grower_t g = {.p = p, .t = berth_topo_new(name, err), .err = err};
  int rc = g.t ? grow(&g) : -1;
  free(g.edges);
  free(g.first);
  name_table_clear(&g.hosts);
  name_table_clear(&g.curves);
  name_table_clear(&g.types);
  if (!rc) return g.t;
  berth_topo_free(g.t);
  return NULL;
}
