/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduces the routes of a SimGrid platform to hops between neighbours.
 *
 * Full routing lists the links between each pair of ends. If the machine is a tree, the ways from
 * one end to all others form this tree: they begin equally, and part at an unnamed router. The tree
 * is made of these ways, and all other routes are compared with it. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "base/order.h"
#include "base/text.h"
#include "exchange/topo/platform.h"

/* A node of the tree. */
typedef struct place {
  int node;
  int parent, depth;
  int first_child, next;  /* -1: none */
  platform_use_t in, out; /* from the parent, and to it; link -1: none */
} place_t;

typedef struct tree {
  platform_t *p;
  const platform_zone_t *zone;
  const platform_route_t *const *route; /* sorted by ends */
  size_t n_routes;
  place_t *place;
  size_t n, cap;
  int *place_of_node; /* by node that was there before; -1: none */
  size_t n_nodes;
  berth_error_t *err;
} tree_t;

ORDER_POINTERS_BY(by_ends, platform_route_t, RISING(from) RISING(to) RISING(line))

ORDER_POINTERS_BY(by_length, platform_route_t, RISING(n_uses) RISING(to))

/* The first of the sorted routes that isn't before these ends. */
static size_t first_route(const tree_t *t, int from, int to)
{
  LOWER_BOUND(low, 0, t->n_routes,
              t->route[middle]->from < from ||
                  (t->route[middle]->from == from && t->route[middle]->to < to));
  return low;
}

static const platform_route_t *find_route(const tree_t *t, int from, int to)
{
  size_t i = first_route(t, from, to);
  return i < t->n_routes && t->route[i]->from == from && t->route[i]->to == to ? t->route[i] : NULL;
}

static const char *name_of(const tree_t *t, int node) { return t->p->nodes[node].id; }

/* A route's links; NULL if it has none. */
static const platform_use_t *uses_of(const platform_t *p, const platform_route_t *r)
{
  return r->n_uses ? p->uses + r->first_use : NULL;
}

static bool same_use(const tree_t *t, const platform_use_t *a, const platform_use_t *b)
{
  return a->link == b->link &&
         (a->link < 0 || !t->p->links[a->link].is_duplex || a->down == b->down);
}

static int add_place(tree_t *t, const place_t *place)
{
  if (!ARRAY_GROW(&t->place, t->n, &t->cap)) return -1;
  t->place[t->n] = *place;
  t->place[t->n].first_child = t->place[t->n].next = -1;
  if (place->parent >= 0) {
    t->place[t->n].next = t->place[place->parent].first_child;
    t->place[place->parent].first_child = (int)t->n;
  }
  if ((size_t)place->node < t->n_nodes) t->place_of_node[place->node] = (int)t->n;
  return (int)t->n++;
}

/* Adds an unnamed router: where ways part or, with a capacity, for a link that both directions
 * share. */
static int add_router(platform_t *p, const platform_zone_t *zone, double capacity, long line,
                      berth_error_t *err)
{
  char *id = text_printf("%s~%zu", zone ? zone->id : "", p->n_nodes);
  platform_node_t node = {.id = id, .line = line, .zone = -1, .capacity = capacity};
  int number = id ? platform_add_node(p, &node, err) : (no_memory(err), -1);
  free(id);
  return number;
}

/* Whether both directions are one link that isn't duplex. */
static bool is_shared(const platform_t *p, const platform_use_t *in, const platform_use_t *out)
{
  return in->link >= 0 && in->link == out->link && !p->links[in->link].is_duplex;
}

/* Adds the hops between two neighbours, with the links of each direction. A link that both
 * directions share limits their total, so it becomes a switch. */
static int join(platform_t *p, const platform_zone_t *zone, int near, int far,
                const platform_use_t *in, const platform_use_t *out, long line, berth_error_t *err)
{
  int rc = BERTH_OK;
  bool shared = is_shared(p, in, out);
  if (in->link >= 0) rc = platform_use(p, in->link, in->down, line, err);
  if (!rc && out->link >= 0 && !shared) rc = platform_use(p, out->link, out->down, line, err);
  if (!rc && shared) {
    int router = add_router(p, zone, p->links[in->link].bandwidth, line, err);
    static const platform_use_t none = {.link = -1};
    if (router < 0) return err->code;
    rc = join(p, zone, near, router, &none, &none, line, err);
    near = router;
  }
  platform_hop_t there = {.from = near, .to = far, .link = {in->link, -1}, .line = line};
  platform_hop_t back = {.from = far, .to = near, .link = {out->link, -1}, .line = line};
  if (!rc) rc = platform_add_hop(p, &there, err);
  return rc ? rc : platform_add_hop(p, &back, err);
}

/* Goes one link further from a place: to an existing place, or to a new one for `node` (-1: a new
 * router). */
static int step(tree_t *t, int at, const place_t *on, const platform_route_t *route, int *reached)
{
  int child = t->place[at].first_child;
  place_t added = *on;
  while (child >= 0 && (on->in.link < 0 || !same_use(t, &t->place[child].in, &on->in)))
    child = t->place[child].next;
  *reached = child;
  if (child >= 0 && on->node >= 0)
    return platform_fail(t->p, route->line, t->err,
                         "found '%.60s' where other routes pass, expected it at an end of the tree",
                         name_of(t, on->node));
  if (child >= 0 && same_use(t, &t->place[child].out, &on->out)) return BERTH_OK;
  if (child >= 0)
    return platform_fail(t->p, route->line, t->err,
                         "found a route from '%.60s' to '%.60s' that doesn't go back where it came",
                         name_of(t, route->from), name_of(t, route->to));
  if (added.node < 0) added.node = add_router(t->p, t->zone, 0, route->line, t->err);
  if (added.node < 0) return t->err->code;
  added.parent = at;
  added.depth = t->place[at].depth + 1;
  *reached = add_place(t, &added);
  if (*reached < 0) return no_memory(t->err);
  return join(t->p, t->zone, t->place[at].node, added.node, &on->in, &on->out, route->line, t->err);
}

static int none_back(const platform_t *p, const platform_route_t *r, berth_error_t *err)
{
  return platform_fail(p, r->line, err, "found a route from '%.60s' to '%.60s', but none back",
                       p->nodes[r->from].id, p->nodes[r->to].id);
}

/* Adds the way from the root to an end. */
static int lay(tree_t *t, const platform_route_t *there)
{
  static const platform_use_t none = {.link = -1};
  const platform_route_t *back = find_route(t, there->to, there->from);
  if (!back) return none_back(t->p, there, t->err);
  if (there->n_uses != back->n_uses)
    return platform_fail(t->p, back->line, t->err,
                         "found %zu links from '%.60s' to '%.60s', expected %zu as on the way back",
                         back->n_uses, name_of(t, back->from), name_of(t, back->to), there->n_uses);
  size_t n = there->n_uses ? there->n_uses : 1;
  const platform_use_t *in = uses_of(t->p, there), *out = uses_of(t->p, back);
  int at = 0, rc = BERTH_OK;
  for (size_t k = 0; k < n && !rc; k++) {
    place_t on = {.node = k + 1 < n ? -1 : there->to, .in = none, .out = none};
    if (there->n_uses) on.in = in[k], on.out = out[n - 1 - k];
    rc = step(t, at, &on, there, &at);
  }
  return rc;
}

static int lay_all(tree_t *t, int root)
{
  size_t first = first_route(t, root, 0), n = 0;
  while (first + n < t->n_routes && t->route[first + n]->from == root) n++;
  const platform_route_t **shortest = malloc((n + 1) * sizeof *shortest);
  if (!shortest) return no_memory(t->err);
  memcpy(shortest, t->route + first, n * sizeof *shortest);
  if (n) qsort(shortest, n, sizeof *shortest, by_length);
  int rc = add_place(t, &(place_t){.node = root, .parent = -1}) < 0 ? no_memory(t->err) : BERTH_OK;
  for (size_t i = 0; i < n && !rc; i++) rc = lay(t, shortest[i]);
  free(shortest);
  return rc;
}

/* Whether a route is the way through the tree. */
static bool is_way(const tree_t *t, const platform_route_t *r)
{
  int a = t->place_of_node[r->from], b = t->place_of_node[r->to];
  const platform_use_t *use = uses_of(t->p, r);
  size_t start = 0, end = r->n_uses;
  while (a != b) {
    bool climbs = t->place[a].depth >= t->place[b].depth;
    const place_t *at = &t->place[climbs ? a : b];
    const platform_use_t *expected = climbs ? &at->out : &at->in;
    if (expected->link >= 0) {
      if (start == end || !same_use(t, expected, climbs ? &use[start] : &use[end - 1]))
        return false;
      start += climbs;
      end -= !climbs;
    }
    *(climbs ? &a : &b) = at->parent;
  }
  return start == end;
}

static int check_all(const tree_t *t, int root)
{
  for (size_t i = 0; i < t->n_routes; i++) {
    const platform_route_t *r = t->route[i];
    int lost = t->place_of_node[r->from] < 0 ? r->from : t->place_of_node[r->to] < 0 ? r->to : -1;
    if (lost >= 0)
      return platform_fail(
          t->p, r->line, t->err,
          "found no route from '%.60s' to '%.60s', expected one as from '%.60s' to others",
          name_of(t, root), name_of(t, lost), name_of(t, root));
    if (!is_way(t, r))
      return platform_fail(t->p, r->line, t->err,
                           "found a route from '%.60s' to '%.60s' that isn't the way between them "
                           "in the tree of the routes from '%.60s'",
                           name_of(t, r->from), name_of(t, r->to), name_of(t, root));
  }
  return BERTH_OK;
}

/* Makes one tree of these sorted routes. */
static int lay_tree(platform_t *p, const platform_zone_t *zone,
                    const platform_route_t *const *route, size_t n, int root, berth_error_t *err)
{
  tree_t t = {.p = p, .zone = zone, .route = route, .n_routes = n, .err = err};
  t.n_nodes = p->n_nodes;
  t.place_of_node = malloc((p->n_nodes + 1) * sizeof *t.place_of_node);
  int rc = t.place_of_node ? BERTH_OK : no_memory(err);
  for (size_t i = 0; i < p->n_nodes && !rc; i++) t.place_of_node[i] = -1;
  if (!rc) rc = lay_all(&t, root);
  if (!rc) rc = check_all(&t, root);
  free(t.place_of_node);
  free(t.place);
  return rc;
}

/* Adds a route that is a hop. */
static int lay_hop(platform_t *p, const platform_route_t *r, berth_error_t *err)
{
  platform_hop_t hop = {.from = r->from, .to = r->to, .link = {-1, -1}, .line = r->line};
  for (size_t i = 0; i < r->n_uses; i++) {
    const platform_use_t *use = &p->uses[r->first_use + i];
    hop.link[i] = use->link;
    int rc = platform_use(p, use->link, use->down, r->line, err);
    if (rc) return rc;
  }
  return platform_add_hop(p, &hop, err);
}

/* Whether the routes of two pairs of ends share a link. */
static int share_links(const platform_t *p, const platform_route_t *const *route, size_t n,
                       bool *share, berth_error_t *err)
{
  typedef struct ends {
    int low, high; /* both 0: none */
  } ends_t;
  ends_t *seen = calloc(p->n_links + 1, sizeof *seen);
  if (!seen) return no_memory(err);
  *share = false;
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < route[i]->n_uses; k++) {
      int from = route[i]->from, to = route[i]->to;
      ends_t own = {from < to ? from : to, from < to ? to : from};
      ends_t *ends = &seen[p->uses[route[i]->first_use + k].link];
      *share |= ends->high > 0 && (ends->low != own.low || ends->high != own.high);
      *ends = own;
    }
  free(seen);
  return BERTH_OK;
}

/* Adds the routes in both directions between two neighbours. */
static int lay_pair(platform_t *p, const platform_zone_t *zone, const platform_route_t *there,
                    const platform_route_t *back, berth_error_t *err)
{
  const platform_use_t *in = uses_of(p, there), *out = uses_of(p, back);
  size_t n = there->n_uses;
  bool shares = false;
  for (size_t k = 0; k < n && n == back->n_uses; k++)
    shares |= is_shared(p, &in[k], &out[n - 1 - k]);
  if (shares && n == 1) return join(p, zone, there->from, there->to, in, out, there->line, err);
  if (shares || n > 2 || back->n_uses > 2)
    return lay_tree(p, zone, (const platform_route_t *const[]){there, back}, 2, there->from, err);
  int rc = lay_hop(p, there, err);
  return rc ? rc : lay_hop(p, back, err);
}

/* Reduces the sorted routes of a zone. `root` is where a tree begins. */
static int lay_zone(platform_t *p, const platform_zone_t *zone,
                    const platform_route_t *const *route, size_t n, int root, berth_error_t *err)
{
  bool share = false;
  int rc = zone && zone->is_full ? share_links(p, route, n, &share, err) : BERTH_OK;
  if (rc || share) return rc ? rc : lay_tree(p, zone, route, n, root, err);
  tree_t all = {.route = route, .n_routes = n};
  for (size_t i = 0; i < n && !rc; i++) {
    const platform_route_t *r = route[i], *back = find_route(&all, r->to, r->from);
    if (!back && r->n_uses > 2)
      rc = none_back(p, r, err);
    else if (!back) /* it may lead into a switch or out of it */
      rc = lay_hop(p, r, err);
    else if (r->from < r->to) /* handles both routes of a pair at once */
      rc = lay_pair(p, zone, r, back, err);
  }
  return rc;
}

int platform_lay_routes(platform_t *p, berth_error_t *err)
{
  int rc = BERTH_OK;
  const platform_route_t **route = malloc((p->n_routes + 1) * sizeof *route);
  if (!route) return no_memory(err);
  for (int z = -1; z < (int)p->n_zones && !rc; z++) {
    size_t n = 0;
    for (size_t i = 0; i < p->n_routes; i++)
      if (p->routes[i].zone == z) route[n++] = &p->routes[i];
    if (!n) continue;
    int root = route[0]->from;
    qsort(route, n, sizeof *route, by_ends);
    for (size_t i = 0; i < n && !rc; i++)
      if (route[i]->from == route[i]->to)
        rc = platform_fail(p, route[i]->line, err, "found a route from '%.60s' to itself",
                           p->nodes[route[i]->from].id);
    for (size_t i = 1; i < n && !rc; i++)
      if (route[i - 1]->from == route[i]->from && route[i - 1]->to == route[i]->to)
        rc = platform_fail(p, route[i]->line, err, "found a second route from '%.60s' to '%.60s'",
                           p->nodes[route[i]->from].id, p->nodes[route[i]->to].id);
    if (!rc) rc = lay_zone(p, z < 0 ? NULL : &p->zones[z], route, n, root, err);
  }
  free(route);
  return rc;
}
