/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a pattern costs more on a machine than a baseline did, and what made it so; and whether
 * it keeps within budgets: docs/check.md. Messages alone are priced, so that neither the times of a
 * recording nor anything else that differs from run to run enters; where collective or one-sided
 * operations grew, and messages didn't get dearer, or where the run was divided into other phases,
 * there is no verdict.
 *
 * A baseline is a pattern with a berth_baseline_t: what it cost, by which model, on which topology,
 * with which rank where. Costs are seconds of the model. */
#ifndef BERTH_CHECK_H
#define BERTH_CHECK_H

#include <berth/cost.h>
#include <berth/error.h>
#include <berth/pattern.h>
#include <berth/topo.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Prices a finished pattern and makes it a baseline, without what differs from one recording to the
 * next (berth_pattern_drop_run). pu_of_rank has a PU of t for each rank; algorithm is what placed
 * them, "" when unknown. BERTH_BAD_INPUT for a PU that t doesn't have, BERTH_MISSING when memory is
 * out; p is then as it was, but for what berth_pattern_free frees. */
BERTH_API int berth_check_make_baseline(berth_pattern_t *p, const berth_topo_t *t,
                                        berth_model_t model, const int *pu_of_rank,
                                        const char *algorithm, berth_error_t *err);

/* Whether t has the PUs of the baseline's placement: BERTH_BAD_INPUT, of the file `name`, where it
 * doesn't. Where their hashes are equal that is a file that was changed by hand. */
BERTH_API int berth_check_placement(const berth_pattern_t *baseline, const berth_topo_t *t,
                                    const char *name, berth_error_t *err);

/* A limit that somebody set. */
typedef enum berth_budget_kind {
  BERTH_BUDGET_COST,  /* seconds of all phases and repeats */
  BERTH_BUDGET_PHASE, /* seconds of all repeats of a phase */
  BERTH_BUDGET_BYTES  /* bytes of all phases and repeats that pass through elements of that name, or
                         of a type of that name; a message counts once, however many it passes */
} berth_budget_kind_t;

typedef struct berth_budget {
  berth_budget_kind_t kind;
  const char *text; /* as it was given, borrowed */
  const char *name; /* of the phase (or its number) or of the elements: a part of `text`, of ... */
  size_t length;    /* ... so many bytes */
  double limit;
} berth_budget_t;

/* Reads "cost=2.5s", "phase:NAME=300ms" or "bytes:NAME=10GiB", which must outlive *out.
 * BERTH_USAGE when it is none of these. */
BERTH_API int berth_budget_parse(const char *text, berth_budget_t *out, berth_error_t *err);

typedef struct berth_check_options {
  size_t size; /* sizeof this struct, as the caller was compiled: berth_check_defaults sets it */
  berth_model_t model;
  const int *pu_of_rank;     /* PUs of the topology; NULL: as in the baseline */
  const char *baseline_name; /* for errors */
  double tolerance;          /* how much dearer isn't worse, as a share of the baseline */
  int each_phase;            /* a single phase that is dearer than that is worse, too */
  size_t n_budgets;
  const berth_budget_t *budgets;           /* borrowed, also by the result */
  size_t max_phases, max_pairs, max_sites; /* culprits that are listed: for all, port, pair */
} berth_check_options_t;

/* Defaults: model port, the baseline's placement, 0.5%, the whole alone, no budgets, 5 phases, 5
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
  BERTH_CHECKED_NOTHING, /* there was no baseline: budgets only */
  BERTH_CHECKED_WITHIN,  /* not worse, and not cheaper by more than the tolerance */
  BERTH_CHECKED_CHEAPER,
  BERTH_CHECKED_WORSE,
  BERTH_CHECKED_UNKNOWN /* no verdict */
} berth_checked_t;

BERTH_API const char *berth_checked_name(berth_checked_t verdict); /* "within", …, "no verdict" */

/* In all that follows, `was` is the baseline; with no baseline, or nothing of that kind in it, it
 * is 0. What is `const` is borrowed from the patterns. */

/* What a pair of ranks sends from one place of the program, in one occurrence of a phase. */
typedef struct berth_check_site {
  const berth_site_t *site; /* NULL for messages whose call site is unknown */
  double messages, was_messages, bytes, was_bytes;
} berth_check_site_t;

typedef struct berth_check_pair {
  int src, dst;
  double time_s, was_time_s; /* on the port */
  double messages, was_messages, bytes, was_bytes;
  size_t n_sites; /* where it sends more from; else what changed; else all that it sends from */
  size_t n_listed;
  berth_check_site_t *sites; /* by growth in bytes, then in messages */
} berth_check_pair_t;

/* A port, or a switch, in one occurrence of a phase. */
typedef struct berth_check_port {
  int known; /* 0 when nothing that costs anything is crossed */
  berth_resource_t resource;
  double cost_s, was_cost_s; /* as in berth_load_t */
  size_t n_pairs;            /* that take longer there than they did */
  size_t n_listed;
  berth_check_pair_t *pairs; /* by growth in time */
} berth_check_port_t;

typedef struct berth_check_phase {
  int id, was_id; /* -1 where it isn't in the pattern, or wasn't in the baseline */
  const char *name;
  double repeats, was_repeats;
  double cost_s, was_cost_s; /* of one occurrence */
  int worse;                 /* all its occurrences together are, by more than the tolerance */
  int explained;             /* `port` is filled: for the first that made it worse */
  berth_check_port_t port;   /* the bottleneck, or where more changed where it alone doesn't tell */
} berth_check_phase_t;

typedef struct berth_check_budget {
  const berth_budget_t *budget;
  int known; /* 0: there is no placement to price, so that nobody knows */
  double value;
  int broken;
  size_t n_phases;             /* of a broken one of a cost: what costs most */
  berth_check_phase_t *phases; /* the dearest first */
  size_t n_pairs;              /* of a broken one of bytes: pairs that send them */
  size_t n_listed;
  berth_check_pair_t *pairs; /* by bytes; numbers are of all phases and repeats, without times */
} berth_check_budget_t;

/* Collective calls of one operation on communicators of one size, or one-sided operations of one
 * kind: of all phases and repeats. No model prices them. Neighbourhood collectives are none of
 * them: they are in a pattern as messages. */
typedef struct berth_check_unpriced {
  const char *op;
  const char *sync; /* of one-sided operations, as in berth_rma_t; else NULL */
  int ranks;        /* of the communicators; 0 for one-sided operations */
  double calls, was_calls;
  double bytes, was_bytes; /* what all ranks gave together; of berth_coll_t.bytes each */
  int grew;                /* calls or bytes, by more than the tolerance */
} berth_check_unpriced_t;

typedef struct berth_check {
  berth_checked_t verdict;
  char reason[480]; /* of no verdict: what was found, what was expected, what to do; one line */
  int priced;       /* 0: there is no placement to price */
  double cost_s, was_cost_s;
  int total_worse;         /* these two alone make it worse */
  int moved;               /* ranks that are on other PUs than in the baseline */
  double was_cost_moved_s; /* what the baseline's pattern costs placed as the pattern is */
  size_t n_phases;         /* of both, matched by name, else by number; [0] grew most */
  berth_check_phase_t *phases;
  size_t n_budgets;
  berth_check_budget_t *budgets; /* in the order of the options */
  size_t n_unpriced;             /* of both, where they could be compared; first what grew */
  berth_check_unpriced_t *unpriced;
} berth_check_t;

/* Compares p on t with a baseline (NULL: none), and holds it against the budgets. Fails when an
 * input can't be used: with BERTH_BAD_INPUT for a baseline that is none, for PUs that t doesn't
 * have, and for budgets of phases or elements that aren't there, with BERTH_MISSING when memory is
 * out; *out is then empty. What is worse, broken, or without a verdict is in *out. The caller frees
 * that with berth_check_clear, and the inputs only after it. */
BERTH_API int berth_check_run(const berth_pattern_t *p, const berth_topo_t *t,
                              const berth_pattern_t *baseline, const berth_check_options_t *options,
                              berth_check_t *out, berth_error_t *err);
BERTH_API void berth_check_clear(berth_check_t *c);

/* BERTH_CHECK_FAILED when it is worse or a budget is broken, else BERTH_NO_VERDICT when there is
 * none, else BERTH_OK. */
BERTH_API int berth_check_code(const berth_check_t *c);

#ifdef __cplusplus
}
#endif

#endif
