/* SPDX-License-Identifier: BSD-3-Clause */
/* Links that several links below them share: how much a network is oversubscribed. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "topo/topo_internal.h"

/* What the link between an element and its parent carries upwards: the narrower one of its ends. 0:
 * no limit. */
static double link_of(const berth_topo_t *t, int element)
{
  const berth_element_t *e = &t->elements[element];
  double up = e->type < 0 ? 0 : t->types[e->type].up.out.capacity;
  double down = e->parent < 0 ? 0 : t->types[t->elements[e->parent].type].down.out.capacity;
  return up > 0 && down > 0 ? fmin(up, down) : fmax(up, down);
}

/* The rate of one cable of a link of which nobody measured more than the data sheet says. Curves
 * are latency + n / rate; their points have three digits. */
static double cable_of(const berth_topo_t *t, int element, double own)
{
  int number = t->types[t->elements[element].type].up.out.curve;
  const berth_curve_t *c = number < 0 ? NULL : &t->curves[number];
  if (!c || c->n < 2 || !berth_curve_is_default(c)) return 0;
  double last = c->size[c->n - 1], before = c->size[c->n - 2];
  double rate = (last - before) / (berth_curve_time(c, last) - berth_curve_time(c, before));
  double n = round(own / rate);
  return n >= 2 && n <= 40 && fabs(own / rate - n) < 0.01 * n ? own / n : 0;
}

/* Adds up what is below an element. False if a link has no limit, or the only child has the same.
 */
static bool add_below(const berth_topo_t *t, int element, berth_shared_link_t *s)
{
  const berth_element_t *e = &t->elements[element];
  for (int c = element + 1; c < element + e->size; c += t->elements[c].size) {
    double link = link_of(t, c);
    int type = t->elements[c].type;
    if (link <= 0) return false;
    s->below += link;
    s->child_type = s->children == 0 || s->child_type == type ? type : -1;
    s->children++;
  }
  return s->children > 1 || s->below != s->own;
}

static bool is_alike(const berth_topo_t *t, const berth_shared_link_t *a,
                     const berth_shared_link_t *b)
{
  return t->elements[a->element].type == t->elements[b->element].type &&
         a->children == b->children && a->child_type == b->child_type && a->own == b->own &&
         a->below == b->below;
}

/* The list of links that are shared in different ways is short, as types are. */
typedef struct shared_list {
  berth_shared_link_t *item;
  size_t n, cap;
} shared_list_t;

static bool add(const berth_topo_t *t, shared_list_t *list, berth_shared_link_t s)
{
  for (size_t i = list->n; i-- > 0;)
    if (is_alike(t, &list->item[i], &s)) {
      list->item[i].n++;
      return true;
    }
  s.cable = cable_of(t, s.element, s.own);
  return ARRAY_ADD(&list->item, &list->n, &list->cap, s);
}

int berth_topo_shared_links(const berth_topo_t *t, berth_shared_link_t **out, size_t *n,
                            berth_error_t *err)
{
  shared_list_t list = {0};
  *out = NULL;
  *n = 0;
  for (int i = 1; i < (int)t->n_elements; i++) {
    berth_shared_link_t s = {.element = i, .n = 1, .own = link_of(t, i)};
    if (t->elements[i].host >= 0 || s.own <= 0 || !add_below(t, i, &s)) continue;
    if (!add(t, &list, s)) {
      free(list.item);
      return no_memory(err);
    }
  }
  *out = list.item;
  *n = list.n;
  return BERTH_OK;
}
