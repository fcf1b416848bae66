/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the cheapest ways to cut boxes into equal boxes.
 * The cost of a cut is the mean traffic of two ranks on its two sides, times the distance between
 * the element's children. Cuts of lower levels count in the same way, so that upper levels leave
 * boxes that lower levels can cut well. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "map/geometry/divide.h"

/* Ways that cost at most this factor more than the cheapest are compared by the traffic that they
 * cut. */
static const double near_min = 1.1;

typedef struct split {
  int height, children; /* of the element; subtrees of siblings are assumed to be equal */
  box_t box;
  double cost; /* of this level and all below; infinite if the box can't be cut */
} split_t;

struct splits {
  const berth_topo_t *topo;
  const layout_t *layout;
  const int *room;
  split_t *known;
  size_t n, cap;
};

splits_t *splits_new(const berth_topo_t *t, const layout_t *l, const int *room)
{
  splits_t *s = malloc(sizeof *s);
  if (s) *s = (splits_t){.topo = t, .layout = l, .room = room};
  return s;
}

void splits_free(splits_t *s)
{
  if (s) free(s->known);
  free(s);
}

/* Seconds for a byte in a port's direction, as far as they depend only on the port. */
static double seconds_per_byte(const berth_port_dir_t *d)
{
  return d->capacity > 0 ? 1 / d->capacity : 0;
}

static double port_seconds(const berth_port_t *p)
{
  return seconds_per_byte(&p->out) + seconds_per_byte(&p->in);
}

/* The first child with places, -1 if none; *n is how many there are. */
static int first_child(const splits_t *s, int element, int *n)
{
  int first = -1, e = element + 1;
  *n = 0;
  for (int i = 0; i < berth_topo_element(s->topo, element)->n_children; i++) {
    if (s->room[e] > 0 && first < 0) first = e;
    *n += s->room[e] > 0;
    e += berth_topo_element(s->topo, e)->size;
  }
  return first;
}

/* The time of a byte between two PUs that meet at the element. */
static double distance(const splits_t *s, int element)
{
  double sum = 0;
  for (int e = element, n; e >= 0; e = first_child(s, e, &n)) {
    const berth_element_t *x = berth_topo_element(s->topo, e);
    if (x->type < 0) break;
    const berth_type_t *type = berth_topo_type(s->topo, x->type);
    sum += port_seconds(&type->down);
    if (e != element) sum += port_seconds(&type->up);
    if (type->capacity > 0) sum += (e == element ? 1 : 2) / type->capacity;
  }
  return sum > 0 ? sum : berth_topo_element(s->topo, element)->height;
}

static double cut_traffic(const layout_t *l, const box_t *box, const box_t *parts)
{
  double cut = 0, volume = (double)box->size[0] * box->size[1] * box->size[2];
  for (int k = 0; k < LAYOUT_AXES; k++) {
    bool whole = l->periodic[k] && box->size[k] == l->size[k];
    int cuts = parts->size[k] > 1 ? parts->size[k] - 1 + whole : 0;
    cut += l->link[k] * cuts * (volume / box->size[k]);
  }
  return cut;
}

static const split_t *find_known(const splits_t *s, const split_t *wanted)
{
  for (size_t i = 0; i < s->n; i++) {
    const split_t *k = &s->known[i];
    if (k->height == wanted->height && k->children == wanted->children &&
        memcmp(&k->box, &wanted->box, sizeof k->box) == 0)
      return k;
  }
  return NULL;
}

static double cheapest(splits_t *s, int element, int children, box_t box);

/* The cost below an element whose ranks are a box; 0 at a PU. A level that equal boxes don't fit
 * counts as slabs, the worst shape. */
static double cost_below(splits_t *s, int element, box_t box)
{
  int n, child = first_child(s, element, &n);
  while (n == 1) { /* a single child divides nothing */
    element = child;
    child = first_child(s, element, &n);
  }
  if (n == 0) return 0;
  double cost = cheapest(s, element, n, box);
  if (cost < INFINITY) return cost;
  int longest = 0;
  for (int k = 1; k < LAYOUT_AXES; k++)
    if (box.size[k] > box.size[longest]) longest = k;
  box_t slabs = {{1, 1, 1}};
  slabs.size[longest] = n;
  return distance(s, element) * cut_traffic(s->layout, &box, &slabs);
}

/* Finds the next way to write the number of children as a product whose factors divide the box's
 * sides. parts begin as 1, 0. */
static bool next_way(int children, const box_t *box, box_t *parts)
{
  int *x = &parts->size[0], *y = &parts->size[1], *z = &parts->size[2];
  for (;;) {
    if (++*y > children / *x) {
      *y = 1;
      if (++*x > children) return false;
    }
    if (children % (*x * *y)) continue;
    *z = children / (*x * *y);
    if (box->size[0] % *x == 0 && box->size[1] % *y == 0 && box->size[2] % *z == 0) return true;
  }
}

static const box_t before_first = {{1, 0, 0}};

static split_way_t price_way(splits_t *s, int element, int children, box_t box, box_t parts)
{
  box_t below;
  for (int k = 0; k < LAYOUT_AXES; k++) below.size[k] = box.size[k] / parts.size[k];
  int n, child = first_child(s, element, &n);
  split_way_t w = {.parts = parts, .distance = distance(s, element)};
  w.below = children * cost_below(s, child, below);
  w.cost = w.distance * cut_traffic(s->layout, &box, &parts) + w.below;
  return w;
}

static double cheapest(splits_t *s, int element, int children, box_t box)
{
  split_t found = {berth_topo_element(s->topo, element)->height, children, box, INFINITY};
  const split_t *known = find_known(s, &found);
  if (known) return known->cost;
  for (box_t parts = before_first; next_way(children, &box, &parts);) {
    split_way_t w = price_way(s, element, children, box, parts);
    if (w.cost < found.cost) found.cost = w.cost;
  }
  if (ARRAY_GROW(&s->known, s->n, &s->cap))
    s->known[s->n++] = found; /* without memory it is computed again */
  return found.cost;
}

int splits_find(splits_t *s, int element, int children, box_t box, split_way_t *ways)
{
  int n = 0;
  double max = near_min * cheapest(s, element, children, box);
  for (box_t parts = before_first; next_way(children, &box, &parts);) {
    split_way_t w = price_way(s, element, children, box, parts);
    if (w.cost > max || (n == SPLIT_WAYS && w.cost >= ways[n - 1].cost)) continue;
    int at = n < SPLIT_WAYS ? n++ : n - 1;
    for (; at > 0 && ways[at - 1].cost > w.cost; at--) ways[at] = ways[at - 1];
    ways[at] = w;
  }
  return n;
}
