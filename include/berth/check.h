/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks whether a pattern costs more on a machine than a baseline, and why; and whether it stays
 * within budgets (docs/check.md).
 *
 * Only messages are estimated, so results don't depend on the times of a recording, or on anything
 * else that varies between runs. There is no verdict if operations that estimates don't include
 * grew and messages didn't get more expensive, or if the run was divided into other phases.
 *
 * A baseline is a pattern with a berth_baseline_t: its cost, the model, the topology, and the
 * placement. Costs are seconds of the model. */
#ifndef BERTH_CHECK_H
#define BERTH_CHECK_H

#include <berth/cost.h>
#include <berth/error.h>
#include <berth/pattern.h>
#include <berth/topo.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Estimates a finished pattern and makes it a baseline. One-sided operations are part of its cost
 * if they are included (berth/one_sided.h); include them by the same rules in what is compared with
 * it, and in the baseline itself after loading it. Removes what varies between recordings
 * (berth_pattern_drop_run). pu_of_rank has a PU of t for each rank; algorithm is the mapper, ""
 * when unknown. BERTH_BAD_INPUT for a PU that t lacks, BERTH_MISSING when memory is out. After a
 * failure p has its old contents. */
BERTH_API int berth_check_make_baseline(berth_pattern_t *p, const berth_topo_t *t,
                                        berth_model_t model, const int *pu_of_rank,
                                        const char *algorithm, berth_error_t *err);

/* Checks that t has the PUs of the baseline's placement. BERTH_BAD_INPUT, in the name of file
 * `name`, if it doesn't. If the hashes are equal, the file was changed by hand. */
BERTH_API int berth_check_placement(const berth_pattern_t *baseline, const berth_topo_t *t,
                                    const char *name, berth_error_t *err);

/* The kind of a limit. */
typedef enum berth_budget_kind {
  BERTH_BUDGET_COST,  /* seconds, over all phases and repeats */
  BERTH_BUDGET_PHASE, /* seconds, over all repeats of a phase */
  BERTH_BUDGET_BYTES  /* bytes over all phases and repeats that pass through elements of that name,
                         or of a type of that name; a message counts once, however many it passes */
} berth_budget_kind_t;

typedef struct berth_budget {
  berth_budget_kind_t kind;
  const char *text; /* as the user wrote it, borrowed */
  const char *name; /* of the phase (or its number) or of the elements: a part of `text`, ... */
  size_t length;    /* ... and its length in bytes */
  double limit;
} berth_budget_t;

/* Reads "cost=2.5s", "phase:NAME=300ms" or "bytes:NAME=10GiB". `text` must outlive *out.
 * BERTH_USAGE for other texts. */
BERTH_API int berth_budget_parse(const char *text, berth_budget_t *out, berth_error_t *err);

typedef struct berth_check_options {
  size_t size; /* sizeof this struct, as the caller was compiled: berth_check_defaults sets it */
  berth_model_t model;
  const int *pu_of_rank;     /* PUs of the topology; NULL: as in the baseline */
  const char *baseline_name; /* for errors */
  double tolerance;          /* by how much costs may rise, as a share of the baseline */
  int each_phase;            /* 1: the tolerance also applies to each single phase */
  size_t n_budgets;
  const berth_budget_t *budgets; /* borrowed, also by the result */
  size_t max_phases, max_pairs,
      max_sites; /* how many to list: phases, pairs of a port, sites of a pair */
} berth_check_options_t;

/* Defaults: model port, the baseline's placement, 0.5%, only the total, no budgets, 5 phases, 5
 * pairs, 3 sites. Fills the first `size` bytes of *o, sizeof *o as the caller was compiled, so that
 * the struct may grow. */
BERTH_API void berth_check_options_init(berth_check_options_t *o, size_t size);
static inline berth_check_options_t berth_check_defaults(void)
{
  berth_check_options_t o;
  berth_check_options_init(&o, sizeof o);
  return o;
}

typedef enum berth_checked {
  BERTH_CHECKED_NOTHING, /* no baseline, only budgets */
  BERTH_CHECKED_WITHIN,  /* the difference is within the tolerance */
  BERTH_CHECKED_CHEAPER,
  BERTH_CHECKED_WORSE,
  BERTH_CHECKED_UNKNOWN /* no verdict */
} berth_checked_t;

BERTH_API const char *berth_checked_name(berth_checked_t verdict); /* "within", …, "no verdict" */

/* In the structs below, `was` values are the baseline's. They are 0 without a baseline, or if it
 * has nothing of that kind. `const` data is borrowed from the patterns. */

/* What a pair of ranks sends from one call site in one occurrence of a phase. */
typedef struct berth_check_site {
  const berth_site_t *site; /* NULL if the call site is unknown */
  double messages, was_messages, bytes, was_bytes;
} berth_check_site_t;

typedef struct berth_check_pair {
  int src, dst;
  double time_s, was_time_s; /* on the port */
  double messages, was_messages, bytes, was_bytes;
  size_t n_sites; /* sites whose traffic grew; if none did, sites that changed; if none did, all */
  size_t n_listed;
  berth_check_site_t *sites; /* by growth in bytes, then in messages */
} berth_check_pair_t;

/* A port or a switch in one occurrence of a phase. */
typedef struct berth_check_port {
  int known; /* 0: messages cross nothing that has a cost */
  berth_resource_t resource;
  double cost_s, was_cost_s; /* as in berth_load_t */
  size_t n_pairs;            /* pairs that take longer there than in the baseline */
  size_t n_listed;
  berth_check_pair_t *pairs; /* by growth in time */
} berth_check_port_t;

typedef struct berth_check_phase {
  int id, was_id; /* -1 if the pattern, or the baseline, doesn't have it */
  const char *name;
  double repeats, was_repeats;
  double cost_s, was_cost_s; /* of one occurrence */
  int worse;                 /* the cost of all its occurrences rose by more than the tolerance */
  int explained;             /* `port` is filled: for the first phases that got worse */
  berth_check_port_t port;   /* the bottleneck, or the port that grew most if that explains more */
  const berth_site_t *site;  /* of explained rounds of collective calls and epochs: where ranks give
                                most bytes to them, borrowed from the pattern; NULL: nobody knows */
} berth_check_phase_t;

typedef struct berth_check_budget {
  const berth_budget_t *budget;
  int known; /* 0: without a placement the value is unknown */
  double value;
  int broken;
  size_t n_phases;             /* if a cost budget is exceeded: its phases */
  berth_check_phase_t *phases; /* the most expensive first */
  size_t n_pairs;              /* if a bytes budget is exceeded: pairs that send these bytes */
  size_t n_listed;
  berth_check_pair_t *pairs; /* by bytes, over all phases and repeats; without times */
} berth_check_budget_t;

/* Collective calls of one operation on communicators of one size, or one-sided operations of one
 * kind, over all phases and repeats. Estimates don't include them. Neighbourhood collectives aren't
 * among them: a pattern has their messages. */
typedef struct berth_check_unpriced {
  const char *op;
  const char *sync; /* of one-sided operations, as in berth_rma_t; else NULL */
  int ranks;        /* of the communicator; 0 for one-sided operations */
  double calls, was_calls;
  double bytes, was_bytes; /* given by all ranks together; berth_coll_t.bytes by each */
  int grew;                /* calls or bytes grew by more than the tolerance */
} berth_check_unpriced_t;

typedef struct berth_check {
  berth_checked_t verdict;
  char reason[480]; /* why there is no verdict: what was found, what was expected, what to do; one
                       line */
  int priced;       /* 0: there is no placement to estimate */
  double cost_s, was_cost_s;
  double packing_s, was_packing_s; /* the parts for packing (berth/packing.h), of no phase */
  int total_worse;                 /* the total alone is worse */
  int moved;                       /* ranks on other PUs than in the baseline */
  double was_cost_moved_s;         /* cost of the baseline's pattern in the pattern's placement */
  size_t n_phases; /* of both patterns, matched by name, else by number; [0] grew most */
  berth_check_phase_t *phases;
  size_t n_budgets;
  berth_check_budget_t *budgets; /* in the order of the options */
  size_t n_unpriced; /* of both patterns, if they can be compared; those that grew first */
  berth_check_unpriced_t *unpriced;
} berth_check_t;

/* Compares p on t with a baseline (NULL: none), and checks the budgets. *out says what got worse,
 * which budgets are exceeded, or why there is no verdict. Fails if an input can't be used, and
 * leaves *out empty: BERTH_BAD_INPUT if `baseline` isn't a baseline, for PUs that t lacks, and for
 * budgets of unknown phases or elements; BERTH_MISSING when memory is out. The caller frees *out
 * with berth_check_clear, and the inputs only after it. */
BERTH_API int berth_check_run(const berth_pattern_t *p, const berth_topo_t *t,
                              const berth_pattern_t *baseline, const berth_check_options_t *options,
                              berth_check_t *out, berth_error_t *err);
BERTH_API void berth_check_clear(berth_check_t *c);

/* The exit code: BERTH_CHECK_FAILED if the pattern is worse or a budget is exceeded; else
 * BERTH_NO_VERDICT if there is no verdict; else BERTH_OK. */
BERTH_API int berth_check_code(const berth_check_t *c);

#ifdef __cplusplus
}
#endif

#endif
