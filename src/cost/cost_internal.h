/* SPDX-License-Identifier: BSD-3-Clause */
/* The evaluator as cost.c and cost_explain.c share it. */
#ifndef BERTH_COST_INTERNAL_H
#define BERTH_COST_INTERNAL_H

#include <berth/cost.h>
#include <stdbool.h>

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
  int curve; /* row in the table of times; -1: a message takes size / capacity */
  berth_resource_t is;
} cost_resource_t;

typedef struct cost_message {
  int src, dst;
  int size_index; /* into the tables of times */
  double size, count, bytes;
} cost_message_t;

/* What a phase puts on a resource; `time` and `bytes` of the rank at hand, then of all so far. */
typedef struct load {
  double rank_time, rank_bytes;
  double cost, bytes;
  bool in_rank, in_phase; /* already in the lists of touched resources */
} load_t;

struct berth_cost {
  const berth_pattern_t *pattern;
  const berth_topo_t *topo;
  cost_element_t *element;
  cost_resource_t *resource;
  int n_resources;
  int *pu_element;
  size_t n_phases;
  size_t *phase_start; /* n_phases + 1 offsets into message */
  double *repeats;
  cost_message_t *message;
  int *curve_row; /* of each curve of the topology in `times`, -1: no resource has it */
  int n_rows;
  double *times; /* [row * n_sizes + size_index] */
  size_t n_sizes;
  load_t *load;
  int *rank_touched, *phase_touched;
  int n_rank_touched, n_phase_touched;
  struct cost_flow *flow; /* model flow's own, made when it is first asked for */
};

/* The resources that a message crosses, in the order of FORMATS: at most 6 * depth + 1 of them in
 * `path`; returns how many. */
int cost_path(const berth_cost_t *c, const cost_message_t *m, const int *pu_of_rank, int *path);
enum { COST_PATH_MAX = 6 * BERTH_MAX_DEPTH + 1 };

/* The time of one message on a resource. */
double cost_message_time(const berth_cost_t *c, const cost_message_t *m, int resource);

/* Leaves the phase's cost of every touched resource in load[].cost and returns the phase's cost;
 * cost_phase_clear makes everything zero again. */
double cost_phase(berth_cost_t *c, berth_model_t model, size_t phase, const int *pu_of_rank);
void cost_phase_clear(berth_cost_t *c);

/* Model flow (cost_flow.c). */
struct cost_flow;
void cost_flow_free(struct cost_flow *flow);
double cost_flow_evaluate(berth_cost_t *c, const int *pu_of_rank);
/* Prices one occurrence of a phase into *cost and leaves in load[] what cost_phase leaves there: as
 * the cost of a resource the time that it held a flow back. *bottleneck is the phase's, -1 when its
 * messages cross no resource. */
int cost_flow_explain(berth_cost_t *c, size_t phase, const int *pu_of_rank, double *cost,
                      int *bottleneck, berth_error_t *err);

#endif
