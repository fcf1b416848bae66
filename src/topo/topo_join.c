/* SPDX-License-Identifier: BSD-3-Clause */
/* Joins hosts of several topologies to one topology, below a network's switches or one switch. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "node/node_json.h"
#include "topo/discover/topo_defaults.h"
#include "topo/discover/topo_network.h"
#include "topo/topo_internal.h"
#include "topo/topo_measured.h"

/* The numbers that one source's curves and types got in the new topology. */
typedef struct graft {
  const berth_topo_t *from;
  int *curve, *type; /* -1: not added yet */
} graft_t;

typedef struct joiner {
  berth_topo_t *t;
  const berth_host_like_t *hosts;
  size_t n_hosts;
  graft_t *grafts;
  size_t n_grafts;
  int network; /* type of the switches above the hosts; -1 if their links are known */
  berth_error_t *err;
} joiner_t;

/* Whether two arrays of n bytes, or two NULLs, are equal. */
static int same_bytes(const void *a, const void *b, size_t n)
{
  return a && b ? memcmp(a, b, n) == 0 : !a && !b;
}

static int same_curve(const berth_curve_t *a, const berth_curve_t *b)
{
  size_t n = a->n;
  return n == b->n && strcmp(a->source, b->source) == 0 &&
         same_bytes(a->size, b->size, n * sizeof *a->size) &&
         same_bytes(a->bandwidth, b->bandwidth, n * sizeof *a->bandwidth) &&
         same_bytes(a->spread, b->spread, n * sizeof *a->spread) &&
         same_bytes(a->samples, b->samples, n * sizeof *a->samples) &&
         topo_same_origin(&a->origin, &b->origin);
}

/* The k-th name to try if something in the new topology already has this one. */
static const char *other_name(const char *name, int k, char **made)
{
  free(*made);
  *made = NULL;
  if (k == 1) return name;
  return asprintf(made, "%s-%d", name, k) < 0 ? (*made = NULL) : *made;
}

static int graft_curve(joiner_t *j, graft_t *g, int curve)
{
  if (curve < 0 || g->curve[curve] >= 0) return curve < 0 ? -1 : g->curve[curve];
  berth_curve_t copy = g->from->curves[curve];
  char *made = NULL;
  int found = -1;
  for (int k = 1; found < 0; k++) {
    copy.name = other_name(g->from->curves[curve].name, k, &made);
    if (!copy.name) break;
    found = name_table_find(&j->t->curve_of_name, copy.name);
    if (found < 0) {
      found = berth_topo_add_curve(j->t, &copy, j->err);
      break;
    }
    if (!same_curve(&j->t->curves[found], &copy)) found = -1;
  }
  free(made);
  return g->curve[curve] = found;
}

static int graft_port(joiner_t *j, graft_t *g, berth_port_t *port)
{
  int out = port->out.curve, in = port->in.curve;
  port->out.curve = graft_curve(j, g, out);
  port->in.curve = graft_curve(j, g, in);
  return (out >= 0 && port->out.curve < 0) || (in >= 0 && port->in.curve < 0) ? -1 : 0;
}

static int same_direction(const berth_port_dir_t *a, const berth_port_dir_t *b)
{
  return a->curve == b->curve && a->capacity == b->capacity && a->spread == b->spread &&
         a->samples == b->samples && topo_same_origin(&a->origin, &b->origin);
}

static int same_port(const berth_port_t *a, const berth_port_t *b)
{
  return same_direction(&a->out, &b->out) && same_direction(&a->in, &b->in) &&
         a->reverse == b->reverse;
}

static int same_type(const berth_type_t *a, const berth_type_t *b)
{
  return same_port(&a->up, &b->up) && same_port(&a->down, &b->down) && a->capacity == b->capacity &&
         a->spread == b->spread && a->samples == b->samples &&
         topo_same_origin(&a->origin, &b->origin) && topo_same_slowdown(a, b) &&
         node_same(a->node, b->node);
}

/* Finds or adds a type with these ports and this name, or a name that begins with it. */
static int find_or_add_type(joiner_t *j, berth_type_t *type, const char *name)
{
  char *made = NULL;
  int found = -1;
  for (int k = 1; found < 0; k++) {
    type->name = other_name(name, k, &made);
    if (!type->name) {
      no_memory_index(j->err);
      break;
    }
    found = name_table_find(&j->t->type_of_name, type->name);
    if (found < 0) {
      found = berth_topo_add_type(j->t, type, j->err);
      break;
    }
    if (!same_type(&j->t->types[found], type)) found = -1;
  }
  free(made);
  return found;
}

static int graft_type(joiner_t *j, graft_t *g, int type)
{
  if (g->type[type] >= 0) return g->type[type];
  berth_type_t copy = g->from->types[type];
  if (graft_port(j, g, &copy.up) || graft_port(j, g, &copy.down)) return -1;
  return g->type[type] = find_or_add_type(j, &copy, g->from->types[type].name);
}

/* The type of a host whose link to the network is known. Its parts are as in the source. */
static int linked_type(joiner_t *j, graft_t *g, int type, const network_link_t *link)
{
  if (!link || link->capacity == 0) return graft_type(j, g, type);
  berth_type_t copy = g->from->types[type];
  if (graft_port(j, g, &copy.down)) return -1;
  if (topo_link_port(j->t, link, &copy.up, j->err) < 0) return -1;
  return find_or_add_type(j, &copy, g->from->types[type].name);
}

/* The type of a network's switch (NULL: above several roots): with the port that the file states,
 * else the common one. A link that is stated is the lower switch's: its upper end costs nothing if
 * `links_below`. */
static int switch_type(joiner_t *j, const network_switch_t *w, bool links_below)
{
  bool linked = w && w->link.capacity > 0;
  if (j->network >= 0 && !linked && !links_below && !(w && w->type)) return j->network;
  const berth_port_t none = {.out.curve = -1, .in.curve = -1};
  berth_type_t type = {.up = none, .down = none};
  if (j->network >= 0) type = j->t->types[j->network];
  if (links_below) type.down = none;
  if (linked && topo_link_port(j->t, &w->link, &type.up, j->err) < 0) return -1;
  return find_or_add_type(j, &type, w && w->type ? w->type : "switch");
}

/* Adds a copy of a host below `parent`. Both topologies number depth first, so offsets from the
 * host's number are the same. */
static int graft_host(joiner_t *j, graft_t *g, int host, int parent, const char *name,
                      const network_link_t *link)
{
  const berth_topo_t *from = g->from;
  int top = from->hosts[host].element, end = top + from->elements[top].size;
  int new_top = (int)j->t->n_elements;
  for (int i = top; i < end; i++) {
    const berth_element_t *e = &from->elements[i];
    int below = i == top ? parent : new_top + e->parent - top, number;
    if (e->type < 0) {
      const berth_pu_t *pu = &from->pus[e->first_pu];
      number = berth_topo_add_pu(j->t, below, pu->os_index, pu->core, j->err);
    } else {
      int type = i == top ? linked_type(j, g, e->type, link) : graft_type(j, g, e->type);
      number = type < 0 ? -1
               : i == top
                   ? berth_topo_add_switch(j->t, below, type, name, name, j->err)
                   : berth_topo_add_switch(j->t, below, type, from->element_names[i], NULL, j->err);
    }
    if (number < 0) return -1;
  }
  return 0;
}

static int *unknown_numbers(size_t n)
{
  int *numbers = malloc((n + 1) * sizeof *numbers);
  for (size_t i = 0; numbers && i < n; i++) numbers[i] = -1;
  return numbers;
}

/* The graft of a source. There are few sources, and neighbours often have the same one. */
static graft_t *graft_of(joiner_t *j, const berth_topo_t *from)
{
  for (size_t i = j->n_grafts; i-- > 0;)
    if (j->grafts[i].from == from) return &j->grafts[i];
  graft_t *grown = realloc(j->grafts, (j->n_grafts + 1) * sizeof *grown);
  if (grown) j->grafts = grown;
  graft_t g = {from, unknown_numbers(from->n_curves), unknown_numbers(from->n_types)};
  if (!grown || !g.curve || !g.type) {
    free(g.curve);
    free(g.type);
    no_memory_index(j->err);
    return NULL;
  }
  j->grafts[j->n_grafts] = g;
  return &j->grafts[j->n_grafts++];
}

static int add_host(joiner_t *j, size_t k, int parent, const char *name, const network_link_t *link)
{
  graft_t *g = graft_of(j, j->hosts[k].topo);
  return g ? graft_host(j, g, j->hosts[k].host, parent, name, link) : -1;
}

/* Chooses the type of the switches: that above the first host in its source. If that host is a
 * root, it is a type with the host's own port. */
static int choose_network(joiner_t *j)
{
  const berth_host_like_t *first = &j->hosts[0];
  const berth_element_t *e = &first->topo->elements[first->topo->hosts[first->host].element];
  graft_t *g = graft_of(j, first->topo);
  if (!g) return -1;
  if (e->parent >= 0) {
    j->network = graft_type(j, g, first->topo->elements[e->parent].type);
    return j->network;
  }
  berth_type_t type = {.up = first->topo->types[e->type].up};
  if (graft_port(j, g, &type.up)) return -1;
  type.down = type.up;
  j->network = find_or_add_type(j, &type, "network");
  return j->network;
}

static int join_flat(joiner_t *j)
{
  int root = -1;
  if (j->n_hosts > 1) {
    root = berth_topo_add_switch(j->t, -1, j->network, "network", NULL, j->err);
    if (root < 0) return -1;
  }
  for (size_t k = 0; k < j->n_hosts; k++)
    if (add_host(j, k, root, j->hosts[k].name, NULL)) return -1;
  return 0;
}

/* Which part of a network's tree is used. */
typedef struct use {
  const berth_network_t *net;
  int *host_below; /* by host of the file: its index among the hosts to join, -1 for none */
  char *is_used;   /* by switch: whether a host to join is below it */
} use_t;

/* Whether the file states the link of a used switch below this one, or of a used root (NULL). */
static bool has_links_below(const use_t *use, const network_switch_t *w)
{
  const network_switch_t *all = use->net->switches;
  for (int c = w ? w->child : -1; c >= 0; c = all[c].sibling)
    if (use->is_used[c] && all[c].link.capacity > 0) return true;
  for (size_t c = 0; !w && c < use->net->n; c++)
    if (all[c].parent < 0 && use->is_used[c] && all[c].link.capacity > 0) return true;
  return false;
}

/* Adds a switch and the used ones below it. The depth limit bounds the recursion. */
static int join_switch(joiner_t *j, const use_t *use, int number, int parent)
{
  const network_switch_t *w = &use->net->switches[number];
  int type = switch_type(j, w, has_links_below(use, w));
  int e = type < 0 ? -1 : berth_topo_add_switch(j->t, parent, type, w->name, NULL, j->err);
  if (e < 0) return -1;
  for (size_t i = w->first; i < w->first + w->n; i++) {
    int k = use->host_below[i];
    const network_link_t *link = use->net->host_links ? &use->net->host_links[i] : NULL;
    if (k >= 0 && add_host(j, (size_t)k, e, use->net->hosts.names[i], link)) return -1;
  }
  for (int c = w->child; c >= 0; c = use->net->switches[c].sibling)
    if (use->is_used[c] && join_switch(j, use, c, e)) return -1;
  return 0;
}

/* Finds each host in the file, and marks the switches above it. */
static int mark_used(joiner_t *j, use_t *use)
{
  const berth_network_t *s = use->net;
  for (size_t k = 0; k < j->n_hosts; k++) {
    int i = network_find_host(s, j->hosts[k].name);
    if (i < 0) {
      berth_fail(j->err, BERTH_BAD_INPUT,
                 "%s: found no host \"%.60s\", expected every host on one of the switches", s->path,
                 j->hosts[k].name);
      return -1;
    }
    if (use->host_below[i] >= 0) {
      berth_fail(j->err, BERTH_BAD_INPUT, "found host \"%.60s\" twice, expected different hosts",
                 s->hosts.names[i]);
      return -1;
    }
    use->host_below[i] = (int)k;
    for (int w = s->switch_of_host[i]; w >= 0 && !use->is_used[w]; w = s->switches[w].parent)
      use->is_used[w] = 1;
  }
  return 0;
}

static int join_used(joiner_t *j, const use_t *use)
{
  const berth_network_t *s = use->net;
  int roots = 0, above = -1;
  for (size_t w = 0; w < s->n; w++) roots += s->switches[w].parent < 0 && use->is_used[w];
  if (roots > 1) {
    int type = switch_type(j, NULL, has_links_below(use, NULL));
    above = type < 0 ? -1 : berth_topo_add_switch(j->t, -1, type, "network", NULL, j->err);
    if (above < 0) return -1;
  }
  for (size_t w = 0; w < s->n; w++)
    if (s->switches[w].parent < 0 && use->is_used[w] && join_switch(j, use, (int)w, above))
      return -1;
  return 0;
}

static int join_network(joiner_t *j, const berth_network_t *net)
{
  use_t use = {net, unknown_numbers(net->hosts.n), calloc(net->n + 1, 1)};
  int rc = use.host_below && use.is_used ? mark_used(j, &use) : no_memory_index(j->err);
  if (!rc) rc = join_used(j, &use);
  free(use.host_below);
  free(use.is_used);
  return rc;
}

static void clear_grafts(joiner_t *j)
{
  for (size_t i = 0; i < j->n_grafts; i++) {
    free(j->grafts[i].curve);
    free(j->grafts[i].type);
  }
  free(j->grafts);
}

berth_topo_t *berth_topo_join(const char *name, size_t n, const berth_host_like_t *hosts,
                              const berth_network_t *net, berth_error_t *err)
{
  if (n == 0) {
    berth_fail(err, BERTH_BAD_INPUT, "found no hosts, expected at least one");
    return NULL;
  }
  joiner_t j = {
      .t = berth_topo_new(name, err), .hosts = hosts, .n_hosts = n, .network = -1, .err = err};
  int rc = j.t ? 0 : -1;
  for (size_t i = 0; i < n && !rc; i++)
    if (berth_topo_has_distances(hosts[i].topo)) berth_topo_set_distances(j.t);
  bool links_known = net && net->host_links;
  if (!rc && (n > 1 || net) && !links_known && choose_network(&j) < 0) rc = -1;
  if (!rc) rc = net ? join_network(&j, net) : join_flat(&j);
  clear_grafts(&j);
  if (!rc && berth_topo_finish(j.t, err) == BERTH_OK) return j.t;
  berth_topo_free(j.t);
  return NULL;
}
