/* SPDX-License-Identifier: BSD-3-Clause */
/* Cost models: functions of a pattern, a topology and a placement. Estimates cover the
 * messages of the pattern; berth/collectives.h adds those of collective operations. Definitions:
 * docs/formats/cost-models.md.
 *
 * pu_of_rank[r] is the number of the PU of rank r; ranks may share PUs. Costs are seconds. If the
 * topology's capacities are distances, costs of model `sum` are in their unit. */
#ifndef BERTH_COST_H
#define BERTH_COST_H

#include <berth/error.h>
#include <berth/pattern.h>
#include <berth/topo.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum berth_model {
  BERTH_MODEL_PORT,  /* the paper's estimator (section 5, figure 4) */
  BERTH_MODEL_BOUND, /* per resource: the larger of its slowest rank and bytes / capacity */
  BERTH_MODEL_SUM,   /* time summed over all resources and ranks; hop-bytes if the bandwidth is
                        constant */
  BERTH_MODEL_FLOW,  /* messages as flows over time that share resources max-min fairly */
  BERTH_N_MODELS
} berth_model_t;

BERTH_API const char *berth_model_name(berth_model_t model);
BERTH_API int berth_model_find(const char *name,
                               berth_model_t *model); /* BERTH_OK or BERTH_USAGE */

/* Whether estimates include a collective operation's data. They include neighbourhood collectives,
 * whose messages a pattern has, too. */
BERTH_API int berth_cost_prices_operation(const char *op);

/* A pattern's operations over all occurrences of its phases, and those that estimates don't
 * include. A message is one call. A collective call counts once for each rank of its communicator.
 * Bytes are what ranks send or give. */
typedef struct berth_coverage {
  double calls, bytes;                   /* of all operations */
  double left_out_calls, left_out_bytes; /* collective and one-sided operations */
  double included_calls; /* those that berth/collectives.h and berth/one_sided.h included */
  double unknown_calls;  /* known only by name, without bytes and times, such as MPI-IO */
} berth_coverage_t;

BERTH_API berth_coverage_t berth_cost_coverage(const berth_pattern_t *p);

/* Whether the pattern has calls that estimates don't include. */
BERTH_API int berth_cost_leaves_out_operations(const berth_pattern_t *p);

/* A resource of an element: the parent's down port to it, its own up port, or the switch. */
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

/* A pair of ranks whose messages use a resource. */
typedef struct berth_pair_load {
  int src, dst;
  double messages, bytes, time_s; /* in one occurrence of the phase */
} berth_pair_load_t;

typedef struct berth_phase_cost {
  int id;
  int of_phase;     /* of rounds: as in berth_phase_t; -1: the phase is the program's */
  const char *name; /* borrowed from the pattern */
  double repeats;
  double cost_s;      /* of one occurrence */
  int has_bottleneck; /* 0: the phase's messages cross no resource */
  berth_resource_t bottleneck;
  double bottleneck_bytes; /* through the bottleneck, in one occurrence */
  size_t n_pairs;          /* pairs that use the bottleneck */
  size_t n_listed;         /* how many are in `pairs`: the slowest */
  berth_pair_load_t *pairs;
} berth_phase_cost_t;

/* A level of the tree: the links between depth - 1 and depth, and the switches at depth. Level 0 is
 * the root switch. Numbers are over all occurrences of all phases. */
typedef struct berth_level_cost {
  int depth;
  double cost_s;            /* of its most expensive resource; for `sum` of all its resources */
  double messages, bytes;   /* of the messages that cross a link or the root switch of this level */
  int has_busiest;          /* 0: nothing in this level has a cost */
  berth_resource_t busiest; /* the most expensive resource, in the phase where it costs most */
} berth_level_cost_t;

typedef struct berth_cost_result {
  double cost_s;   /* over all occurrences of all phases */
  size_t n_phases; /* in the order of berth_pattern_phases */
  berth_phase_cost_t *phases;
  size_t max_cost_phase; /* index of the phase with the largest repeats * cost_s */
  size_t n_levels;
  berth_level_cost_t *levels;
} berth_cost_result_t;

/* An evaluator: pattern and topology prepared for many evaluations. It borrows both. It has scratch
 * space, so only one thread may use it at a time. NULL with BERTH_BAD_INPUT if bandwidths are so
 * low that a phase's time overflows a double. */
typedef struct berth_cost berth_cost_t;
BERTH_API berth_cost_t *berth_cost_new(const berth_pattern_t *p, const berth_topo_t *t,
                                       berth_error_t *err);
BERTH_API void berth_cost_free(berth_cost_t *c);

/* The cost of a placement. It takes one pass over the pairs of ranks that exchange messages, and a
 * second one over some of them. Model flow takes a pass for each end of a flow; its cost is
 * infinite when memory is out. */
BERTH_API double berth_cost_evaluate(berth_cost_t *c, berth_model_t model, const int *pu_of_rank);

/* The error of the first evaluation so far that failed; costs are then meaningless. BERTH_MISSING:
 * memory was out; BERTH_BAD_INPUT: rules of a file say nothing of a call on a placement's hosts.
 * Call it after the evaluations. */
BERTH_API int berth_cost_ran_out(const berth_cost_t *c, berth_error_t *err);

/* Evaluates a placement and finds the reasons of its cost. Lists at most max_pairs pairs for each
 * bottleneck. The caller frees *out with berth_cost_result_clear. */
BERTH_API int berth_cost_explain(berth_cost_t *c, berth_model_t model, const int *pu_of_rank,
                                 size_t max_pairs, berth_cost_result_t *out, berth_error_t *err);
BERTH_API void berth_cost_result_clear(berth_cost_result_t *r);

/* What a call site's messages put on each level of the tree, over all phases and occurrences. Those
 * of collective calls are divided among the call sites of the same calls, by the bytes that ranks
 * gave there. */
typedef struct berth_site_traffic {
  int site;         /* its identity; -1: messages of no known call site */
  double *messages; /* by level, as in berth_cost_result_t.levels */
  double *bytes;
} berth_site_traffic_t;

/* The call sites whose messages cross a level, in the order of the pattern. The caller frees *out,
 * which is one allocation; it is NULL after a failure. */
BERTH_API int berth_cost_sites(berth_cost_t *c, const int *pu_of_rank, berth_site_traffic_t **out,
                               size_t *n, berth_error_t *err);

/* The cost and traffic of a resource in one occurrence of a phase. */
typedef struct berth_load {
  berth_resource_t resource;
  double cost_s; /* for `sum` the time of all messages; for `flow` how long it limited messages */
  double bytes;
} berth_load_t;

/* The loads of all resources that messages of a phase cross, by element and kind. `phase` is an
 * index in berth_pattern_phases. The caller frees *out; it is NULL after a failure. */
BERTH_API int berth_cost_loads(berth_cost_t *c, berth_model_t model, size_t phase,
                               const int *pu_of_rank, berth_load_t **out, size_t *n,
                               berth_error_t *err);

/* The pairs whose messages cross a resource in a phase, slowest first. The caller frees *out, also
 * after a failure. */
BERTH_API int berth_cost_pairs_on(const berth_cost_t *c, size_t phase, const int *pu_of_rank,
                                  berth_resource_t resource, berth_pair_load_t **out, size_t *n,
                                  berth_error_t *err);

/* How long one message takes from a PU to another one if nothing else is on the way, in seconds
 * under model `port`. BERTH_BAD_INPUT for a PU that the topology doesn't have, or more than
 * BERTH_MAX_AMOUNT bytes. */
BERTH_API int berth_message_time(const berth_topo_t *t, int from_pu, int to_pu, uint64_t bytes,
                                 double *seconds, berth_error_t *err);

/* Text for a resource, such as "uplink of subnet-a, own end". Returns buf. */
BERTH_API const char *berth_resource_text(const berth_topo_t *t, berth_resource_t r, char *buf,
                                          size_t size);

/* Costs of a placement with two ranks swapped or one rank moved, for searches that try millions of
 * changes. A try looks only at the pairs of the ranks that change places, and at the resources
 * whose traffic changes. Costs equal those of berth_cost_evaluate to the bit, but for phases whose
 * messages depend on hosts (berth_phase_t.by_hosts): swaps leave these out.
 *
 * In models `sum` and `bound`, a try takes constant time for each neighbour and level. Model `port`
 * depends on the order of all ranks on a resource. Its ranks are visited again if bytes alone can't
 * rule out that a changed resource is the most expensive one. */
typedef struct berth_swap berth_swap_t;

/* Starts from a placement, which is copied. Ranks may share PUs. The evaluator is borrowed and only
 * read: several threads may each have a berth_swap_t of one evaluator, as long as nothing else uses
 * it. BERTH_USAGE for models other than port, bound and sum. */
BERTH_API berth_swap_t *berth_swap_new(const berth_cost_t *c, berth_model_t model,
                                       const int *pu_of_rank, berth_error_t *err);
/* The same, for searches that may put several ranks on a PU: ranks may move to occupied PUs. */
BERTH_API berth_swap_t *berth_swap_new_shared(const berth_cost_t *c, berth_model_t model,
                                              const int *pu_of_rank, berth_error_t *err);
BERTH_API void berth_swap_free(berth_swap_t *s);

/* The committed placement (borrowed), and its cost. */
BERTH_API const int *berth_swap_placement(const berth_swap_t *s);
BERTH_API double berth_swap_cost(const berth_swap_t *s);

/* berth_swap_try: the cost with ranks a and b swapped; a may equal b. The other: the cost with a
 * rank on another PU, which must be free unless PUs may be shared. berth_swap_commit makes the
 * change. Infinity when memory is out or the PU isn't free. */
BERTH_API double berth_swap_try(berth_swap_t *s, int a, int b);
BERTH_API double berth_swap_try_move(berth_swap_t *s, int rank, int pu);

/* Makes the change of the last try. Does nothing without one, or if it returned infinity. After
 * BERTH_MISSING (memory), *s can't be used any more. */
BERTH_API int berth_swap_commit(berth_swap_t *s, berth_error_t *err);

#ifdef __cplusplus
}
#endif

#endif
