/* SPDX-License-Identifier: BSD-3-Clause */
/* The evaluator's data, which the files of this module share. src/cost/README.md explains it. */
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
  int self;              /* the switch itself; -1: it costs nothing */
  side_t out, in;        /* out: parent's down port, switch, up port; in: the reverse */
  int down_out, down_in; /* the parent's down port, for ranks that share a PU; or -1 */
} cost_element_t;

/* A direction of a port, or a switch, that has a cost. */
typedef struct cost_resource {
  double capacity;
  int curve; /* number of the topology's curve; -1: a message takes size / capacity */
  int class; /* number of its class */
  berth_resource_t is;
} cost_resource_t;

/* Resources with equal times for all messages and equal capacities. */
typedef struct cost_class {
  double capacity;
  double seconds; /* of one unit of the column: 1 with a curve, else 1 / capacity */
  int column;     /* which of a pair's values holds the time */
  int curve;
} cost_class_t;

/* Resources of one class that the same messages cross, so that their costs are equal. */
typedef struct cost_slot {
  int class, column;
  int resource[2]; /* the second one may be -1 */
  double weight;   /* seconds of the class, times the number of resources */
} cost_slot_t;

/* A switch with slots, the root, or a PU. The tree omits most switches without slots. Messages that
 * leave the node cross the slots [first, in); messages that enter it cross [self, end). [self, in)
 * is the switch itself. */
typedef struct cost_node {
  int parent, depth;
  int first, self, in, end;
} cost_node_t;

/* A sender of a phase. Its pairs are the next n_pairs of the phase. */
typedef struct cost_sender {
  int rank;
  int n_pairs;
} cost_sender_t;

typedef struct cost_phase {
  size_t first_pair, first_sender; /* ends are those of the next phase */
  double repeats;
  double leaf[2];  /* port, bound: the most expensive port of a PU that isn't shared */
  double sum_unit; /* unit of the pairs' costs in model sum */
} cost_phase_t;

/* The load of a phase on a slot. Times and bytes are whole numbers of units, so that sums don't
 * depend on the order. */
typedef struct cost_load {
  double cost;
  int64_t bytes, time;           /* of all ranks; time: the maximum of a rank, for sum the total */
  int64_t rank_bytes, rank_time; /* of the current rank */
  int64_t rank, phase;           /* stamps: to which rank and phase these numbers belong */
} cost_load_t;

/* How far one rank can raise a resource's cost above bytes / capacity, by model. */
typedef struct cost_spread {
  double over[2];   /* port: the sum of T - B / C; bound: the sum of T */
  bool some_faster; /* some pair's T is below B / C, which binned sizes allow */
} cost_spread_t;

/* Units of bytes that leave a switch, enter it, and turn round in it. */
typedef struct cost_carried {
  int64_t out, in, turned;
} cost_carried_t;

struct berth_cost {
  berth_error_t failed; /* of the first evaluation that failed; code 0: none did */
  const berth_pattern_t *pattern;
  const berth_topo_t *topo;
  cost_element_t *element;
  cost_resource_t *resource;
  int n_resources;
  int *pu_element;

  cost_class_t *class;
  int n_classes, n_columns;
  int n_switch_columns; /* the first of them belong to slots of switches */
  cost_node_t *node;    /* switches first, then the PUs */
  int n_switches;       /* PU p is node n_switches + p */
  cost_slot_t *slot;
  int n_slots;
  int height;         /* the largest depth of a node */
  bool even_depth;    /* all PUs' nodes are equally deep */
  bool leaves_cost;   /* a PU's port has a slot */
  bool leaves_alike;  /* all PUs' ports have the same classes */
  double *path_price; /* [depth of the lowest common ancestor][column]; NULL if nodes of a depth
                         differ */

  size_t n_phases;
  cost_phase_t *phase; /* n_phases + 1; the last one holds the ends */
  cost_sender_t *sender;
  int *src, *dst; /* of each pair, by phase, source, destination; none from a rank to itself */
  int64_t *value; /* [pair][column] */
  double *unit;   /* [phase][column], powers of 2: bytes or seconds of one unit */

  cost_spread_t *spread;   /* [phase][class]; NULL: no pruning */
  int *node_size;          /* by switch: switches in its subtree */
  int *above;              /* by switch: its parent */
  cost_carried_t *carried; /* by switch */
  int *next_in, *next_out; /* by switch: the next one upwards that isn't pruned, or 0 */
  bool turns_left;         /* 1: some switch's own slot isn't pruned */
  int64_t stamp;
  cost_load_t *load;           /* by slot */
  int *visited;                /* slots that the current rank crosses */
  int *touched, n_touched;     /* slots that the phase crosses */
  int64_t *below;              /* [depth of the lowest common ancestor][column and a count] */
  int64_t *sent;               /* [column and a count] of the current rank */
  int *node_of_rank;           /* in the current placement */
  const int *pu_of_rank;       /* the same; borrowed */
  uint32_t *pu_taken, n_taken; /* finds ranks that share a PU */

  struct cost_flow *flow;   /* state of model flow, made at its first use */
  struct cost_dense *dense; /* NULL: no phase is dense */
  struct cost_hosts *hosts; /* NULL: no phase depends on hosts */
};

/* --- For models that look at every pair and its way. --------------------------------------------
 *
 * The pairs of phase k are numbers cost_first_pair(c, k) to before cost_first_pair(c, k + 1). Pair
 * i goes from c->src[i] to c->dst[i], which differ. A pair has all messages of its phase. */
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

/* The time of a pair's messages on a resource: the sum of count * t(size). */
static inline double cost_pair_time(const berth_cost_t *c, size_t k, size_t i, int resource)
{
  const cost_class_t *class = &c->class[c->resource[resource].class];
  size_t n = (size_t)c->n_columns, column = (size_t) class->column;
  return (double)c->value[i * n + column] * c->unit[k * n + column] * class->seconds;
}

/* Writes the resources that a message crosses to `path`, in the order of
 * docs/formats/cost-models.md, at most 6 * depth + 1. Returns how many. */
int cost_path(const berth_cost_t *c, int src, int dst, const int *pu_of_rank, int *path);
enum { COST_PATH_MAX = 6 * BERTH_MAX_DEPTH + 1 };
/* ------------------------------------------------------------------------------------------------
 */

/* Prepare the topology and the pattern: parts of berth_cost_new. */
int cost_lay_out_topology(berth_cost_t *c, berth_error_t *err);
int cost_lay_out_pattern(berth_cost_t *c, berth_error_t *err);

int cost_lay_out_limits(berth_cost_t *c, berth_error_t *err);

/* Rules out switches that can't be the most expensive of a phase; c->node_of_rank must have
 * switches. Fills next_in, next_out and turns_left. *any_left says whether any switch is left.
 * Returns a lower bound of the phase's cost; in model bound it is exact if none is left. */
double cost_prune(berth_cost_t *c, berth_model_t model, size_t k, bool *any_left);

/* The cost of a pair from node a to node b in model sum, in units of the phase's sum_unit. Nodes
 * are PUs; if c->path_price exists, they may be the switches above them. */
int64_t cost_pair_sum(const berth_cost_t *c, size_t k, size_t i, int a, int b);
/* The cost of a phase in model sum, for such nodes in c->node_of_rank. */
double cost_phase_sum(berth_cost_t *c, size_t k);
void cost_place_for_sum(berth_cost_t *c, const int *pu_of_rank);

/* Fills c->node_of_rank. Returns true if it has PUs. Returns false if it has the switches above
 * them; the phases' leaf costs then cover the PUs' ports. */
bool cost_place(berth_cost_t *c, const int *pu_of_rank, bool with_pus);

/* The cost of one occurrence of a phase after cost_place. c->load then has cost and bytes of all
 * touched slots. */
double cost_phase(berth_cost_t *c, berth_model_t model, size_t k, bool with_pus);

/* The cost of a phase as in berth_cost_evaluate, in any model but flow. c->load then has the costs
 * of all slots, PUs' ports included. */
double cost_price_phase(berth_cost_t *c, berth_model_t model, size_t k, const int *pu_of_rank);

/* Sorts pairs, slowest first. */
void cost_sort_pairs(berth_pair_load_t *pair, size_t n);

/* The pairs whose messages cross resource r in a phase, slowest first. The caller frees *out, also
 * after a failure. */
int cost_list_pairs(const berth_cost_t *c, size_t phase, const int *pu_of_rank, int r,
                    berth_pair_load_t **out, size_t *n, berth_error_t *err);

#endif
