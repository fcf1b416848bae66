/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds a SimGrid platform: nodes, links, zones and routes. */
#include "exchange/topo/platform.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/field.h"
#include "base/no_memory.h"

#define FAIL(line, ...) (platform_fail(p, line, err, __VA_ARGS__), -1)

int platform_fail(const platform_t *p, long line, berth_error_t *err, const char *format, ...)
{
  FIELD_ARGUMENTS(what, 400, format);
  return berth_fail(err, BERTH_BAD_INPUT, "%s:%ld: %s", p->path, line, what);
}

int platform_add_node(platform_t *p, const platform_node_t *node, berth_error_t *err)
{
  if (name_table_find(&p->node_of_id, node->id) >= 0)
    return FAIL(node->line, "found host or router '%.60s' a second time", node->id);
  if (p->n_nodes >= BERTH_MAX_ELEMENTS)
    return FAIL(node->line, "found more than %d hosts and routers", BERTH_MAX_ELEMENTS);
  if (!ARRAY_GROW(&p->nodes, p->n_nodes, &p->cap_nodes)) return no_memory_index(err);
  platform_node_t *n = &p->nodes[p->n_nodes];
  *n = *node;
  n->id = arena_strdup(&p->arena, node->id);
  n->inside = -1;
  if (!n->id || !name_table_add(&p->node_of_id, n->id, (int)p->n_nodes))
    return no_memory_index(err);
  return (int)p->n_nodes++;
}

int platform_add_link(platform_t *p, const platform_link_t *link, long line, berth_error_t *err)
{
  if (name_table_find(&p->link_of_id, link->id) >= 0)
    return FAIL(line, "found link '%.60s' a second time", link->id);
  if (!ARRAY_GROW(&p->links, p->n_links, &p->cap_links)) return no_memory_index(err);
  platform_link_t *l = &p->links[p->n_links];
  *l = *link;
  l->id = arena_strdup(&p->arena, link->id);
  if (!l->id || !name_table_add(&p->link_of_id, l->id, (int)p->n_links))
    return no_memory_index(err);
  return (int)p->n_links++;
}

int platform_add_zone(platform_t *p, const platform_zone_t *zone, long line, berth_error_t *err)
{
  if (name_table_find(&p->zone_of_id, zone->id) >= 0)
    return FAIL(line, "found zone '%.60s' a second time", zone->id);
  if (!ARRAY_GROW(&p->zones, p->n_zones, &p->cap_zones)) return no_memory_index(err);
  platform_zone_t *z = &p->zones[p->n_zones];
  *z = *zone;
  z->id = arena_strdup(&p->arena, zone->id);
  if (!z->id || !name_table_add(&p->zone_of_id, z->id, (int)p->n_zones))
    return no_memory_index(err);
  return (int)p->n_zones++;
}

int platform_add_route(platform_t *p, const platform_route_t *route, berth_error_t *err)
{
  if (!ARRAY_GROW(&p->routes, p->n_routes, &p->cap_routes)) return no_memory(err);
  p->routes[p->n_routes] = *route;
  p->routes[p->n_routes].first_use = p->n_uses;
  p->routes[p->n_routes++].n_uses = 0;
  return BERTH_OK;
}

int platform_add_use(platform_t *p, const platform_use_t *use, berth_error_t *err)
{
  if (!ARRAY_ADD(&p->uses, &p->n_uses, &p->cap_uses, *use)) return no_memory(err);
  p->routes[p->n_routes - 1].n_uses++;
  return BERTH_OK;
}

int platform_use(platform_t *p, int link, int direction, long line, berth_error_t *err)
{
  platform_link_t *l = &p->links[link];
  int which = l->is_duplex ? direction : 0;
  if (l->is_used[which])
    return platform_fail(p, line, err,
                         "found link '%.60s' on two hops, expected one of its own for each", l->id);
  l->is_used[which] = true;
  return BERTH_OK;
}

int platform_add_hop(platform_t *p, const platform_hop_t *hop, berth_error_t *err)
{
  if (!ARRAY_ADD(&p->hops, &p->n_hops, &p->cap_hops, *hop)) return no_memory(err);
  return BERTH_OK;
}

void platform_clear(platform_t *p)
{
  free(p->nodes);
  free(p->links);
  free(p->hops);
  free(p->zones);
  free(p->routes);
  free(p->uses);
  name_table_clear(&p->node_of_id);
  name_table_clear(&p->link_of_id);
  name_table_clear(&p->zone_of_id);
  arena_free(&p->arena);
}
