/* SPDX-License-Identifier: BSD-3-Clause */
/* What a placement costs: models over (pattern, topology, pu_of_rank[]). Only point-to-point
 * messages are priced. Definitions: docs/formats/cost-models.md.
 *
 * pu_of_rank[r] is the number of the PU that rank r runs on; two ranks may share one. Costs are
 * seconds (with capacities that stand for distances, `sum` is in their unit). */
#ifndef BERTH_COST_H
#define BERTH_COST_H

#include <berth/error.h>
#include <berth/pattern.h>
#include <berth/topo.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum berth_model {
  BERTH_MODEL_PORT,  /* the estimator of the report (section 5, figure 4) */
  BERTH_MODEL_BOUND, /* per resource, the larger of its slowest rank and bytes / capacity */
  BERTH_MODEL_SUM,   /* total time over all resources and ranks; hop-bytes at constant bandwidth */
  BERTH_MODEL_FLOW,  /* messages as flows that share resources max-min fairly, in time */
  BERTH_N_MODELS
} berth_model_t;

BERTH_API const char *berth_model_name(berth_model_t model);
BERTH_API int berth_model_find(const char *name,
                               berth_model_t *model); /* BERTH_OK or BERTH_USAGE */

/* Whether a collective operation's data have a price: those of neighbourhood collectives, which are
 * in a pattern as the messages that they are, too. */
BERTH_API int berth_cost_prices_operation(const char *op);

/* A pattern's operations in all occurrences of its phases, and those that no estimate includes.
 * A message is one call, a collective call one for each rank of the communicator. Bytes are what
 * ranks send or give. */
typedef struct berth_coverage {
  double calls, bytes;                   /* all */
  double left_out_calls, left_out_bytes; /* collective and one-sided operations */
  double unknown_calls; /* known by name alone, such as MPI-IO: no bytes, no times */
} berth_coverage_t;

BERTH_API berth_coverage_t berth_cost_coverage(const berth_pattern_t *p);

/* Whether the pattern has calls that no estimate includes. */
BERTH_API int berth_cost_leaves_out_operations(const berth_pattern_t *p);

/* Which resource of an element: the parent's down port to it, its own up port, the switch. */
typedef enum berth_resource_kind {
  BERTH_DOWN_OUT,
  BERTH_DOWN_IN,
  BERTH_UP_OUT,
  BERTH_UP_IN,
  BERTH_SWITCH,
  BERTH_N_RESOURCE_KINDS
} berth_resource_kind_t;

typedef struct berth_resource {
  int element;
  berth_resource_kind_t kind;
} berth_resource_t;

/* A pair of ranks that loads a resource. */
typedef struct berth_pair_load {
  int src, dst;
  double messages, bytes, time_s; /* of one occurrence of the phase */
} berth_pair_load_t;

typedef struct berth_phase_cost {
  int id;
  const char *name; /* borrowed from the pattern */
  double repeats;
  double cost_s;      /* of one occurrence */
  int has_bottleneck; /* 0 when no message of the phase crosses a resource */
  berth_resource_t bottleneck;
  double bottleneck_bytes; /* through it, one occurrence */
  size_t n_pairs;          /* pairs that load the bottleneck */
  size_t n_listed;         /* of these, the first so many by time are in `pairs` */
  berth_pair_load_t *pairs;
} berth_phase_cost_t;

/* A level of the tree: the links between depth - 1 and depth, with the switches at depth. The level
 * of depth 0 is the root switch alone. All occurrences of all phases together. */
typedef struct berth_level_cost {
  int depth;
  double cost_s;            /* the largest cost of a resource there; for `sum` their total */
  double messages, bytes;   /* of the messages that cross a link or the root switch there */
  int has_busiest;          /* 0 when nothing there costs anything */
  berth_resource_t busiest; /* the dearest resource there in the phase where it is dearest */
} berth_level_cost_t;

typedef struct berth_cost_result {
  double cost_s;   /* all phases, all occurrences */
  size_t n_phases; /* as in berth_pattern_phases */
  berth_phase_cost_t *phases;
  size_t max_cost_phase; /* the phase with the largest repeats * cost_s */
  size_t n_levels;
  berth_level_cost_t *levels;
} berth_cost_result_t;

/* An evaluator: the pattern and topology laid out for many evaluations. It borrows both and keeps
 * scratch space, so it serves one thread at a time. BERTH_BAD_INPUT when bandwidths are so low that
 * the messages of a phase take longer than a double can say. */
typedef struct berth_cost berth_cost_t;
BERTH_API berth_cost_t *berth_cost_new(const berth_pattern_t *p, const berth_topo_t *t,
                                       berth_error_t *err);
BERTH_API void berth_cost_free(berth_cost_t *c);

/* The cost of a placement: a pass over the pairs of ranks that exchange messages, and a second one
 * over some of them. Flow takes a pass for every time that a flow ends, and is infinite when memory
 * is out. */
BERTH_API double berth_cost_evaluate(berth_cost_t *c, berth_model_t model, const int *pu_of_rank);

/* BERTH_MISSING with the error filled if memory was out in any evaluation so far: costs that came
 * of it say nothing. Look at it when the evaluations are done. */
BERTH_API int berth_cost_ran_out(const berth_cost_t *c, berth_error_t *err);

/* The same with its reasons; at most max_pairs pairs are listed for each bottleneck. The caller
 * frees *out with berth_cost_result_clear. */
BERTH_API int berth_cost_explain(berth_cost_t *c, berth_model_t model, const int *pu_of_rank,
                                 size_t max_pairs, berth_cost_result_t *out, berth_error_t *err);
BERTH_API void berth_cost_result_clear(berth_cost_result_t *r);

/* What a resource costs and carries in one occurrence of a phase. */
typedef struct berth_load {
  berth_resource_t resource;
  double cost_s; /* for `sum` all time on it; for `flow` how long it held messages back */
  double bytes;
} berth_load_t;

/* The loads of all resources that messages of a phase cross, by element and kind. The phase is
 * that place in berth_pattern_phases. *out is the caller's to free; NULL after a failure. */
BERTH_API int berth_cost_loads(berth_cost_t *c, berth_model_t model, size_t phase,
                               const int *pu_of_rank, berth_load_t **out, size_t *n,
                               berth_error_t *err);

/* The pairs whose messages cross a resource in a phase, those that take longest there first. *out
 * is the caller's to free, also after a failure. */
BERTH_API int berth_cost_pairs_on(const berth_cost_t *c, size_t phase, const int *pu_of_rank,
                                  berth_resource_t resource, berth_pair_load_t **out, size_t *n,
                                  berth_error_t *err);

/* Text for a resource: "uplink of subnet-a, own end". Returns buf. */
BERTH_API const char *berth_resource_text(const berth_topo_t *t, berth_resource_t r, char *buf,
                                          size_t size);

/* What a placement would cost with two ranks swapped, or with one rank moved: for searches that try
 * millions of small changes. A try looks at the pairs of the ranks that change places and at the
 * resources whose traffic changes; the costs are those of berth_cost_evaluate, to the bit.
 *
 * In models `sum` and `bound` a try takes constant time for each neighbour and level of the tree.
 * Model `port` depends on the order of all ranks on a resource: where bytes alone don't rule out
 * that a changed resource is the dearest, the ranks on it are gone through once more. */
typedef struct berth_swap berth_swap_t;

/* Starts from a placement, which is copied; two ranks may share a PU. The evaluator is borrowed and
 * only read: many of these may have one in common, each in a thread of its own, while nothing else
 * is evaluated with it. Models other than port, bound and sum give BERTH_USAGE. */
BERTH_API berth_swap_t *berth_swap_new(const berth_cost_t *c, berth_model_t model,
                                       const int *pu_of_rank, berth_error_t *err);
/* The same for searches that may put several ranks on a PU: moves go to taken PUs, too. */
BERTH_API berth_swap_t *berth_swap_new_shared(const berth_cost_t *c, berth_model_t model,
                                              const int *pu_of_rank, berth_error_t *err);
BERTH_API void berth_swap_free(berth_swap_t *s);

/* The placement as committed, borrowed, and its cost. */
BERTH_API const int *berth_swap_placement(const berth_swap_t *s);
BERTH_API double berth_swap_cost(const berth_swap_t *s);

/* The cost with ranks a and b swapped, which may be the same; with a rank on another PU, which must
 * be free unless PUs may be shared. Nothing changes but what berth_swap_commit does next. Infinity
 * when memory is out or the PU isn't free. */
BERTH_API double berth_swap_try(berth_swap_t *s, int a, int b);
BERTH_API double berth_swap_try_move(berth_swap_t *s, int rank, int pu);

/* Makes the last try's change; without one, or after a try that gave infinity, does nothing.
 * BERTH_MISSING when memory is out: then *s is of no use any more. */
BERTH_API int berth_swap_commit(berth_swap_t *s, berth_error_t *err);

#ifdef __cplusplus
}
#endif

#endif
