/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes a tree of a fabric, which may have several ways between two hosts (fat trees).
 *
 * Nodes have levels (topo_fabric_levels.c). Nodes that are connected through nodes of at most level
 * h form one part of height h: its members reach each other without a higher switch. Parts of
 * height h - 1 are children of the part of height h that contains them; a part with a single child
 * is that child. All cables from a part's switches of level h to level h + 1 are its link. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "topo/discover/topo_fabric.h"

typedef struct part {
  int node;             /* any of its nodes */
  int host;             /* the host's node if the part is a single host, else -1 */
  int child, last;      /* its first and last child, -1 for none */
  int sibling;          /* next child of the same parent, -1 for none */
  network_link_t link;  /* upwards */
  const char *top_name; /* smallest name among its highest switches */
  bool is_new;          /* made at the current height, so it may get more children */
} part_t;

typedef struct tree {
  fabric_t *f;
  int *leader; /* of each node: sets of connected nodes (fabric_find) */
  part_t *parts;
  size_t n, cap;
  int *top; /* the parts without a parent, in the order of their first hosts */
  size_t n_top;
  int *part_of;       /* of each leader: its part of the current height, -1 for none */
  network_link_t *up; /* of each leader: the cables that leave the current height upwards */
  berth_error_t *err;
} tree_t;

static int find(tree_t *t, int node) { return fabric_find(t->leader, node); }

static void add_link(network_link_t *link, double rate)
{
  link->capacity += rate;
  link->rate = link->rate > 0 ? fmin(link->rate, rate) : rate;
  link->latency_s = TOPO_FABRIC_LATENCY_S;
}

static void narrow_link(network_link_t *link, const network_link_t *by)
{
  if (by->capacity == 0) return;
  link->capacity = link->capacity > 0 ? fmin(link->capacity, by->capacity) : by->capacity;
  link->rate = link->rate > 0 ? fmin(link->rate, by->rate) : by->rate;
  link->latency_s = TOPO_FABRIC_LATENCY_S;
}

/* Unites nodes that are connected through nodes of at most this level. Sums up the cables that
 * leave it upwards. Hosts stay single until there are switches. */
static void unite(tree_t *t, int height)
{
  const fabric_t *f = t->f;
  for (size_t i = 0; i < f->n_arcs; i++) {
    int a = f->arcs[i].from, b = f->arcs[i].to, low = f->nodes[a].level, high = f->nodes[b].level;
    if (height > 0 && low >= 0 && high >= 0 && low <= height && high <= height)
      t->leader[find(t, a)] = find(t, b);
  }
  memset(t->up, 0, f->n_nodes * sizeof *t->up);
  for (size_t i = 0; i < f->n_nodes; i++) t->part_of[i] = -1;
  for (size_t i = 0; i < f->n_arcs; i++) {
    int low = f->nodes[f->arcs[i].from].level, high = f->nodes[f->arcs[i].to].level;
    if (low == height && (high > low || (low == 0 && high == 0)))
      add_link(&t->up[find(t, f->arcs[i].from)], f->arcs[i].rate);
  }
}

static int add_part(tree_t *t, const part_t *part)
{
  if (!ARRAY_GROW(&t->parts, t->n, &t->cap)) return -1;
  t->parts[t->n] = *part;
  return (int)t->n++;
}

static void hang_below(tree_t *t, int part, int child)
{
  part_t *p = &t->parts[part];
  if (p->last >= 0)
    t->parts[p->last].sibling = child;
  else
    p->child = child;
  p->last = child;
}

/* Adds a part above parts that are now connected. */
static int add_parent(tree_t *t, int leader, int first, int second)
{
  part_t part = {
      .node = leader, .host = -1, .child = -1, .last = -1, .sibling = -1, .is_new = true};
  int number = add_part(t, &part);
  if (number < 0) return -1;
  hang_below(t, number, first);
  hang_below(t, number, second);
  return number;
}

/* Joins the parts of t->top to parts of the next height. t->top keeps its order. */
static int join_parts(tree_t *t)
{
  size_t kept = 0;
  int *place = t->part_of; /* of each leader: the index of its part in top */
  for (size_t i = 0; i < t->n_top; i++) {
    int leader = find(t, t->parts[t->top[i]].node), at = place[leader];
    if (at < 0) {
      place[leader] = (int)kept;
      t->top[kept++] = t->top[i];
    } else if (t->parts[t->top[at]].is_new) {
      hang_below(t, t->top[at], t->top[i]);
    } else {
      int parent = add_parent(t, leader, t->top[at], t->top[i]);
      if (parent < 0) return no_memory(t->err);
      t->top[at] = parent;
    }
  }
  t->n_top = kept;
  return BERTH_OK;
}

/* Names the new parts, and sets or narrows all links. */
static void finish_height(tree_t *t, int height)
{
  for (size_t i = 0; i < t->n_top; i++)
    narrow_link(&t->parts[t->top[i]].link, &t->up[find(t, t->parts[t->top[i]].node)]);
  for (size_t i = 0; i < t->f->n_nodes; i++) {
    const fabric_node_t *node = &t->f->nodes[i];
    int at = node->level == height && height > 0 ? t->part_of[find(t, (int)i)] : -1;
    part_t *part = at < 0 ? NULL : &t->parts[t->top[at]];
    if (part && part->is_new &&
        (!part->top_name || strverscmp(node->description, part->top_name) < 0))
      part->top_name = node->description;
  }
  for (size_t i = 0; i < t->n_top; i++) t->parts[t->top[i]].is_new = false;
}

static int compare_hosts(const void *a, const void *b, void *nodes)
{
  const fabric_node_t *all = nodes;
  int order = strverscmp(all[*(const int *)a].description, all[*(const int *)b].description);
  return order ? order : strcmp(all[*(const int *)a].description, all[*(const int *)b].description);
}

/* The parts of height 0, sorted by name. */
static int add_hosts(tree_t *t)
{
  fabric_t *f = t->f;
  for (size_t i = 0; i < f->n_nodes; i++) {
    t->leader[i] = (int)i;
    if (f->nodes[i].level == 0) t->top[t->n_top++] = (int)i;
  }
  qsort_r(t->top, t->n_top, sizeof *t->top, compare_hosts, f->nodes);
  for (size_t i = 0; i < t->n_top; i++) {
    part_t host = {.node = t->top[i], .host = t->top[i], .child = -1, .last = -1, .sibling = -1};
    t->top[i] = add_part(t, &host);
    if (t->top[i] < 0) return no_memory(t->err);
  }
  return BERTH_OK;
}

/* Adds an element above hosts without a switch, and above a single host. */
static int close_tree(tree_t *t)
{
  int hosts = 0;
  for (size_t i = 0; i < t->n_top; i++) hosts += t->parts[t->top[i]].host >= 0;
  if (!hosts) return BERTH_OK;
  part_t part = {.node = 0, .host = -1, .child = -1, .last = -1, .sibling = -1};
  int number = add_part(t, &part);
  if (number < 0) return no_memory(t->err);
  for (size_t i = 0; i < t->n_top; i++) hang_below(t, number, t->top[i]);
  t->top[0] = number;
  t->n_top = 1;
  return BERTH_OK;
}

static int add_name(name_list_t *list, network_link_t **links, const char *name,
                    const network_link_t *link)
{
  size_t cap = list->cap;
  if (!array_reserve(&list->names, &list->cap, list->n + 1, sizeof *list->names)) return 0;
  if (cap != list->cap) {
    network_link_t *grown = realloc(*links, list->cap * sizeof *grown);
    if (!grown) return 0;
    *links = grown;
  }
  (*links)[list->n] = *link;
  list->names[list->n++] = name;
  return 1;
}

/* Adds a part and its hosts to the network's switches. -1 when memory is out. */
static int write_part(tree_t *t, const part_t *part, int parent)
{
  berth_network_t *net = t->f->net;
  network_switch_t w = {.name = part->top_name ? part->top_name : "network",
                        .link = parent < 0 ? (network_link_t){0} : part->link,
                        .first = net->hosts.n,
                        .parent = parent,
                        .child = -1,
                        .sibling = -1};
  for (int c = part->child; c >= 0; c = t->parts[c].sibling) {
    const part_t *child = &t->parts[c];
    if (child->host >= 0 && !add_name(&net->hosts, &net->host_links,
                                      t->f->nodes[child->host].description, &child->link))
      return -1;
  }
  w.n = net->hosts.n - w.first;
  if (!ARRAY_GROW(&net->switches, net->n, &net->cap)) return -1;
  int number = (int)net->n++, last = -1;
  net->switches[number] = w;
  for (int c = part->child; c >= 0; c = t->parts[c].sibling) {
    if (t->parts[c].host >= 0) continue;
    int below = write_part(t, &t->parts[c], number);
    if (below < 0) return -1;
    if (last >= 0)
      net->switches[last].sibling = below;
    else
      net->switches[number].child = below;
    last = below;
  }
  return number;
}

static int grow_tree(tree_t *t, int highest)
{
  int rc = add_hosts(t);
  for (int h = 0; h <= highest && !rc; h++) {
    unite(t, h);
    rc = join_parts(t);
    if (!rc) finish_height(t, h);
  }
  if (!rc) rc = close_tree(t);
  for (size_t i = 0; i < t->n_top && !rc; i++)
    if (write_part(t, &t->parts[t->top[i]], -1) < 0) rc = no_memory(t->err);
  return rc;
}

int fabric_make_tree(fabric_t *f, berth_error_t *err)
{
  size_t n = f->n_nodes + 1;
  tree_t t = {.f = f,
              .leader = malloc(n * sizeof *t.leader),
              .top = malloc(n * sizeof *t.top),
              .part_of = malloc(n * sizeof *t.part_of),
              .up = malloc(n * sizeof *t.up),
              .err = err};
  int highest = t.leader && t.top && t.part_of && t.up ? fabric_set_levels(f) : -1;
  int rc = highest < 0 ? no_memory(err) : BERTH_OK;
  if (highest >= BERTH_MAX_DEPTH)
    rc = berth_fail(err, BERTH_BAD_INPUT,
                    "%s: found a switch %d switches away from any host, expected less than %d",
                    f->net->path, highest, BERTH_MAX_DEPTH);
  if (!rc) rc = grow_tree(&t, highest);
  free(t.leader);
  free(t.top);
  free(t.part_of);
  free(t.up);
  free(t.parts);
  return rc;
}
