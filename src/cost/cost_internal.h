/* SPDX-License-Identifier: BSD-3-Clause */
/* The evaluator as the files of this module share it. src/cost/README.md tells how it works. */
#ifndef BERTH_COST_INTERNAL_H
#define BERTH_COST_INTERNAL_H

#include <berth/cost.h>
#include <stdbool.h>
#include <stdint.h>

enum { SIDE_MAX = 3 };

/* The resources that a message crosses at an element on its way out or in. */
typedef struct side {
  int n;
  int resource[SIDE_MAX];
} side_t;

typedef struct cost_element {
  int parent, depth;
  int self;              /* the switch itself as a resource, -1 when it costs nothing */
  side_t out, in;        /* out: parent's down port, switch, up port; in: the mirror image */
  int down_out, down_in; /* the parent's down port alone, for ranks that share a PU; or -1 */
} cost_element_t;

/* Something that costs: a direction of a port, or a switch. */
typedef struct cost_resource {
  double capacity;
  int curve; /* number of the topology's curve; -1: a message takes size / capacity */
  int class; /* number of its class */
  berth_resource_t is;
} cost_resource_t;

/* Resources on which every message takes as long and which carry as much. */
typedef struct cost_class {
  double capacity;
  double seconds; /* what one unit of the column takes: 1 with a curve, else 1 / capacity */
  int column;     /* of a pair's values that says how long it takes */
  int curve;
} cost_class_t;

/* Resources of one class that the same messages cross: their costs are one number. */
typedef struct cost_slot {
  int class, column;
  int resource[2]; /* the second one may be -1 */
  double weight;   /* seconds of the class, for each of the resources */
} cost_slot_t;

/* A switch that has slots, the root, or a PU. Most switches without slots are left out of this
 * tree. What leaves the node crosses the slots [first, in), what enters it [self, end): those of
 * [self, in) are the switch itself. */
typedef struct cost_node {
  int parent, depth;
  int first, self, in, end;
} cost_node_t;

/* The pairs of a rank that sends in a phase are the next n_pairs of the phase. */
typedef struct cost_sender {
  int rank;
  int n_pairs;
} cost_sender_t;

typedef struct cost_phase {
  size_t first_pair, first_sender; /* the next phase's are the ends */
  double repeats;
  double leaf[2];  /* port, bound: the dearest port of a PU when no two ranks share one */
  double sum_unit; /* of the pairs' costs in model sum */
} cost_phase_t;

/* What a phase puts on a slot. Times and bytes are counts of units, so that they add up to the same
 * in any order. */
typedef struct cost_load {
  double cost;
  int64_t bytes, time;           /* of all ranks; time: the largest of a rank, for sum the total */
  int64_t rank_bytes, rank_time; /* of the rank at hand */
  int64_t rank, phase;           /* stamps: whose these numbers are */
} cost_load_t;

/* By how much one rank can take a resource of a class above bytes / capacity, in each model. */
typedef struct cost_spread {
  double over[2];   /* port: the sum of T - B / C; bound: the sum of T */
  bool some_faster; /* some pair's T is below B / C, as where sizes were binned */
} cost_spread_t;

/* Units of bytes that leave a switch, enter it, and come from its subtree and go back there. */
typedef struct cost_carried {
  int64_t out, in, turned;
} cost_carried_t;

struct berth_cost {
  bool ran_out; /* of memory, in an evaluation by flow */
  const berth_pattern_t *pattern;
  const berth_topo_t *topo;
  cost_element_t *element;
  cost_resource_t *resource;
  int n_resources;
  int *pu_element;

  cost_class_t *class;
  int n_classes, n_columns;
  int n_switch_columns; /* of them, so many at the start serve the slots of switches */
  cost_node_t *node;    /* switches first, then the PUs */
  int n_switches;       /* PU p is node n_switches + p */
  cost_slot_t *slot;
  int n_slots;
  int height;         /* the largest depth of a node */
  bool even_depth;    /* all PUs' nodes are equally deep */
  bool leaves_cost;   /* a PU's port has a slot */
  bool leaves_alike;  /* the ports of all PUs are of the same classes */
  double *path_price; /* [depth of the lowest common ancestor][column]; NULL when levels differ */

  size_t n_phases;
  cost_phase_t *phase; /* n_phases + 1, the last for its ends */
  cost_sender_t *sender;
  int *src, *dst; /* of each pair; pairs are by phase, source, destination; none to itself */
  int64_t *value; /* [pair][column] */
  double *unit;   /* [phase][column], powers of 2: bytes or seconds of a value of 1 */

  cost_spread_t *spread;   /* [phase][class]; NULL when nothing is pruned */
  int *node_size;          /* switches in the subtree of each */
  int *above;              /* the parent of each switch */
  cost_carried_t *carried; /* of each switch */
  int *next_in, *next_out; /* of each switch: the next from it upwards that isn't pruned, or 0 */
  bool turns_left;         /* a switch's own slot isn't pruned */
  int64_t stamp;
  cost_load_t *load;           /* of each slot */
  int *visited;                /* slots that the rank at hand crosses */
  int *touched, n_touched;     /* slots that the phase crosses */
  int64_t *below;              /* [depth][column and a count]: by lowest common ancestor */
  int64_t *sent;               /* [column and a count], of the rank at hand */
  int *node_of_rank;           /* under the placement at hand */
  uint32_t *pu_taken, n_taken; /* to see that no two ranks share a PU */

  struct cost_flow *flow; /* model flow's own, made when it is first asked for */
};

/* --- For models that look at every pair and its way. --------------------------------------------
 *
 * The pairs of phase k are those from cost_first_pair(c, k) up to cost_first_pair(c, k + 1); pair i
 * goes from c->src[i] to c->dst[i], which differ. Messages of a pair are merged. */
static inline size_t cost_first_pair(const berth_cost_t *c, size_t k)
{
  return c->phase[k].first_pair;
}

/* Bytes of a pair in one occurrence of its phase. */
static inline double cost_pair_bytes(const berth_cost_t *c, size_t k, size_t i)
{
  size_t n = (size_t)c->n_columns;
  return (double)c->value[i * n] * c->unit[k * n];
}

/* The time that a pair's messages take on a resource: the sum of count * t(size). */
static inline double cost_pair_time(const berth_cost_t *c, size_t k, size_t i, int resource)
{
  const cost_class_t *class = &c->class[c->resource[resource].class];
  size_t n = (size_t)c->n_columns, column = (size_t) class->column;
  return (double)c->value[i * n + column] * c->unit[k * n + column] * class->seconds;
}

/* The resources that a message crosses, in the order of docs/formats/cost-models.md: at most
 * 6 * depth + 1 of them in `path`; returns how many. */
int cost_path(const berth_cost_t *c, int src, int dst, const int *pu_of_rank, int *path);
enum { COST_PATH_MAX = 6 * BERTH_MAX_DEPTH + 1 };
/* ------------------------------------------------------------------------------------------------
 */

/* Laying out; parts of berth_cost_new. */
int cost_lay_out_topology(berth_cost_t *c, berth_error_t *err);
int cost_lay_out_pattern(berth_cost_t *c, berth_error_t *err);

int cost_lay_out_limits(berth_cost_t *c, berth_error_t *err);

/* Sorts out the switches that can't be the dearest of a phase, with c->node_of_rank of switches:
 * fills next_in, next_out and turns_left, and says whether any is left. Returns what the phase
 * costs at least; in model bound just that if none is left. */
double cost_prune(berth_cost_t *c, berth_model_t model, size_t k, bool *any_left);

/* What a pair costs in model sum, in units of the phase's sum_unit, on its way from node a to b:
 * PUs or, where c->path_price is there, the switches above them. */
int64_t cost_pair_sum(const berth_cost_t *c, size_t k, size_t i, int a, int b);
/* The cost of a phase in model sum; c->node_of_rank has such nodes. */
double cost_phase_sum(const berth_cost_t *c, size_t k);
void cost_place_for_sum(berth_cost_t *c, const int *pu_of_rank);

/* Fills c->node_of_rank for the placement; true when it has the PUs' nodes, false when it has those
 * above them and the phase's leaf costs stand for the PUs' ports. */
bool cost_place(berth_cost_t *c, const int *pu_of_rank, bool with_pus);

/* The cost of one occurrence of a phase under the placement of cost_place; leaves the cost and
 * bytes of every touched slot in c->load. */
double cost_phase(berth_cost_t *c, berth_model_t model, size_t k, bool with_pus);

/* The cost of a phase, as berth_cost_evaluate finds it, with the costs of all slots left in
 * c->load, those of PUs' ports, too; in models other than flow. */
double cost_price_phase(berth_cost_t *c, berth_model_t model, size_t k, const int *pu_of_rank);

/* The pairs whose messages cross resource r in a phase, dearest first. *out is the caller's to
 * free, also after a failure. */
int cost_list_pairs(const berth_cost_t *c, size_t phase, const int *pu_of_rank, int r,
                    berth_pair_load_t **out, size_t *n, berth_error_t *err);

#endif
