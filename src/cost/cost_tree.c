/* SPDX-License-Identifier: BSD-3-Clause */
/* Prepares the topology for evaluations: resources, and the tree of switches that have a cost.
 * Equal resources of a switch share a slot. */
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "cost/cost_internal.h"

enum { LOOK_BACK = 64 }; /* equal classes and curves are searched among the last ones only */

static bool curves_equal(const berth_curve_t *a, const berth_curve_t *b)
{
  size_t bytes = a->n * sizeof *a->size;
  return a->n == b->n && memcmp(a->size, b->size, bytes) == 0 &&
         memcmp(a->bandwidth, b->bandwidth, bytes) == 0;
}

static bool same_times(const berth_cost_t *c, int a, int b)
{
  if (a < 0 || b < 0) return a == b;
  return a == b || curves_equal(berth_topo_curve(c->topo, a), berth_topo_curve(c->topo, b));
}

/* Finds or adds a class. Columns are set later, when the messages are known. */
static int find_class(berth_cost_t *c, int curve, double capacity)
{
  int n = c->n_classes, first = n > LOOK_BACK ? n - LOOK_BACK : 0;
  for (int i = first; i < n; i++)
    if (c->class[i].capacity == capacity && same_times(c, c->class[i].curve, curve)) return i;
  c->class[n] = (cost_class_t){capacity, curve < 0 ? 1 / capacity : 1, 0, curve};
  return c->n_classes++;
}

/* The classes of a type's resources; -1: no cost. */
typedef struct type_classes {
  int up_out, up_in, down_out, down_in, self;
} type_classes_t;

static int direction_class(berth_cost_t *c, const berth_port_dir_t *dir)
{
  return dir->curve < 0 && dir->capacity <= 0 ? -1 : find_class(c, dir->curve, dir->capacity);
}

static void classify(berth_cost_t *c, type_classes_t *of_type)
{
  for (int k = 0; k < berth_topo_n_types(c->topo); k++) {
    const berth_type_t *t = berth_topo_type(c->topo, k);
    of_type[k].up_out = direction_class(c, &t->up.out);
    of_type[k].up_in = direction_class(c, &t->up.in);
    of_type[k].down_out = direction_class(c, &t->down.out);
    of_type[k].down_in = direction_class(c, &t->down.in);
    of_type[k].self = t->capacity > 0 ? find_class(c, -1, t->capacity) : -1;
  }
}

/* Adds a resource if it has a cost. Returns its number or -1. */
static int add_resource(berth_cost_t *c, int element, berth_resource_kind_t kind, int class)
{
  if (class < 0) return -1;
  const cost_class_t *k = &c->class[class];
  c->resource[c->n_resources] = (cost_resource_t){k->capacity, k->curve, class, {element, kind}};
  return c->n_resources++;
}

static void side_add(side_t *side, int resource)
{
  if (resource >= 0) side->resource[side->n++] = resource;
}

/* Numbers the resources of an element: the parent's down port to it and, for switches, the switch
 * and its up port. */
static void lay_out_element(berth_cost_t *c, const type_classes_t *of_type, int e)
{
  const berth_element_t *from = berth_topo_element(c->topo, e);
  cost_element_t *to = &c->element[e];
  *to = (cost_element_t){from->parent, from->depth, -1, {0}, {0}, -1, -1};
  const type_classes_t *own = from->type < 0 ? NULL : &of_type[from->type];
  if (own) to->self = add_resource(c, e, BERTH_SWITCH, own->self);
  if (from->parent < 0) return;
  const type_classes_t *above = &of_type[berth_topo_element(c->topo, from->parent)->type];
  to->down_out = add_resource(c, e, BERTH_DOWN_OUT, above->down_out);
  to->down_in = add_resource(c, e, BERTH_DOWN_IN, above->down_in);
  side_add(&to->out, to->down_out);
  side_add(&to->in, to->down_in);
  if (!own) return;
  side_add(&to->out, to->self);
  side_add(&to->in, to->self);
  side_add(&to->out, add_resource(c, e, BERTH_UP_OUT, own->up_out));
  side_add(&to->in, add_resource(c, e, BERTH_UP_IN, own->up_in));
}

static int lay_out_elements(berth_cost_t *c, berth_error_t *err)
{
  int elements = berth_topo_n_elements(c->topo), types = berth_topo_n_types(c->topo);
  size_t max = (size_t)elements * BERTH_N_RESOURCE_KINDS;
  type_classes_t *of_type = malloc((size_t)types * sizeof *of_type);
  c->class = malloc((size_t)types * BERTH_N_RESOURCE_KINDS * sizeof *c->class);
  c->element = malloc((size_t)elements * sizeof *c->element);
  c->resource = malloc(max * sizeof *c->resource);
  if (!of_type || !c->class || !c->element || !c->resource) {
    free(of_type);
    return no_memory(err);
  }
  classify(c, of_type);
  for (int e = 0; e < elements; e++) lay_out_element(c, of_type, e);
  free(of_type);
  cost_resource_t *fits = realloc(c->resource, ((size_t)c->n_resources + 1) * sizeof *fits);
  if (fits) c->resource = fits;
  return BERTH_OK;
}

/* Puts the resources of a side into slots from `first` on. Resources of a class share a slot; the
 * switch itself has its own. */
static void add_slots(berth_cost_t *c, const side_t *side, int self)
{
  int first = c->n_slots;
  for (int i = 0; i < side->n; i++) {
    int r = side->resource[i], class = c->resource[r].class;
    if (r == self) continue;
    if (c->n_slots > first && c->slot[first].class == class)
      c->slot[first].resource[1] = r;
    else
      c->slot[c->n_slots++] = (cost_slot_t){class, 0, {r, -1}, 0};
  }
}

static void add_node(berth_cost_t *c, int number, int parent, const cost_element_t *e)
{
  cost_node_t *n = &c->node[number];
  n->parent = parent;
  n->depth = parent < 0 ? 0 : c->node[parent].depth + 1;
  n->first = c->n_slots;
  add_slots(c, &e->out, e->self);
  n->self = c->n_slots;
  if (e->self >= 0)
    c->slot[c->n_slots++] = (cost_slot_t){c->resource[e->self].class, 0, {e->self, -1}, 0};
  n->in = c->n_slots;
  add_slots(c, &e->in, e->self);
  n->end = c->n_slots;
  if (n->depth > c->height) c->height = n->depth;
}

/* Makes the tree of switches that have a cost. of_element gets each element's node, or the next one
 * above. A switch without cost stays if the next one above has a cost as a switch: messages that
 * turn round below must not cross that. */
static void add_switches(berth_cost_t *c, int *of_element)
{
  for (int e = 0; e < berth_topo_n_elements(c->topo); e++) {
    const cost_element_t *from = &c->element[e];
    if (berth_topo_element(c->topo, e)->type < 0) continue;
    int parent = from->parent < 0 ? -1 : of_element[from->parent];
    of_element[e] = parent;
    bool free = from->out.n + from->in.n == 0 && from->self < 0;
    if (parent >= 0 && free && c->node[parent].self == c->node[parent].in) continue;
    of_element[e] = c->n_switches;
    add_node(c, c->n_switches++, parent, from);
  }
}

static void add_pus(berth_cost_t *c, const int *of_element)
{
  c->even_depth = c->leaves_alike = true;
  for (int p = 0; p < berth_topo_n_pus(c->topo); p++) {
    int e = c->pu_element[p] = berth_topo_pu(c->topo, p)->element;
    const cost_node_t *first = &c->node[c->n_switches], *n = first + p;
    add_node(c, c->n_switches + p, of_element[c->element[e].parent], &c->element[e]);
    c->leaves_cost |= n->first < n->end;
    c->even_depth &= n->depth == first->depth;
    c->leaves_alike &=
        n->in - n->first == first->in - first->first && n->end - n->in == first->end - first->in;
    for (int i = 0; c->leaves_alike && i < n->end - n->first; i++)
      c->leaves_alike &= c->slot[n->first + i].class == c->slot[first->first + i].class;
  }
}

static int lay_out_nodes(berth_cost_t *c, berth_error_t *err)
{
  size_t elements = (size_t)berth_topo_n_elements(c->topo), pus = (size_t)berth_topo_n_pus(c->topo);
  int *of_element = malloc(elements * sizeof *of_element);
  c->node = malloc(elements * sizeof *c->node);
  c->slot = malloc(((size_t)c->n_resources + 1) * sizeof *c->slot);
  c->pu_element = malloc(pus * sizeof *c->pu_element);
  if (!of_element || !c->node || !c->slot || !c->pu_element) {
    free(of_element);
    return no_memory(err);
  }
  add_switches(c, of_element);
  add_pus(c, of_element);
  free(of_element);
  c->above = malloc((size_t)c->n_switches * sizeof *c->above);
  if (!c->above) return no_memory(err);
  for (int i = 0; i < c->n_switches; i++) c->above[i] = c->node[i].parent;
  return BERTH_OK;
}

static int allocate_loads(berth_cost_t *c, berth_error_t *err)
{
  size_t slots = (size_t)c->n_slots + 1, pus = (size_t)berth_topo_n_pus(c->topo);
  c->load = calloc(slots, sizeof *c->load);
  c->visited = malloc(slots * sizeof *c->visited);
  c->touched = malloc(slots * sizeof *c->touched);
  c->node_of_rank = malloc((size_t)berth_pattern_ranks(c->pattern) * sizeof *c->node_of_rank);
  c->pu_taken = calloc(pus, sizeof *c->pu_taken);
  return c->load && c->visited && c->touched && c->node_of_rank && c->pu_taken ? BERTH_OK
                                                                               : no_memory(err);
}

int cost_lay_out_topology(berth_cost_t *c, berth_error_t *err)
{
  int rc = lay_out_elements(c, err);
  if (!rc) rc = lay_out_nodes(c, err);
  return rc ? rc : allocate_loads(c, err);
}

int cost_path(const berth_cost_t *c, int src, int dst, const int *pu_of_rank, int *path)
{
  if (src == dst) return 0;
  const cost_element_t *element = c->element;
  int a = c->pu_element[pu_of_rank[src]], b = c->pu_element[pu_of_rank[dst]], n = 0;
  if (a == b) {
    int shared = element[element[a].parent].self;
    if (element[a].down_out >= 0) path[n++] = element[a].down_out;
    if (shared >= 0) path[n++] = shared;
    if (element[a].down_in >= 0) path[n++] = element[a].down_in;
    return n;
  }
  while (a != b) {
    bool up_from_a = element[a].depth >= element[b].depth;
    const side_t *side = up_from_a ? &element[a].out : &element[b].in;
    for (int i = 0; i < side->n; i++) path[n++] = side->resource[i];
    if (up_from_a)
      a = element[a].parent;
    else
      b = element[b].parent;
  }
  if (element[a].self >= 0) path[n++] = element[a].self;
  return n;
}
