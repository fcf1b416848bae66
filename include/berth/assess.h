/* SPDX-License-Identifier: BSD-3-Clause */
/* Estimates of placements: cost and interval, the cost of sharing cores, and the comparison with a
 * reference such as the default order: moved ranks, gains of communication time and run time. */
#ifndef BERTH_ASSESS_H
#define BERTH_ASSESS_H

#include <berth/cost.h>
#include <berth/packing.h>
#include <berth/uncertainty.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is known about the gain of the run time. */
typedef enum berth_run_gain {
  BERTH_RUN_GAIN_KNOWN,
  BERTH_RUN_GAIN_LIMIT, /* an upper limit: the time of calls that estimates don't include is unknown
                         */
  BERTH_RUN_GAIN_NO_CALLS,    /* some calls have no times, only a name (MPI-IO) */
  BERTH_RUN_GAIN_NO_TIMES,    /* the pattern lacks the ranks' times */
  BERTH_RUN_GAIN_NO_UNIT,     /* costs are distances, not times */
  BERTH_RUN_GAIN_NO_REFERENCE /* there is no reference */
} berth_run_gain_t;

typedef struct berth_estimate {
  double cost_s;    /* communication with packing, and shared cores; negative: there is no such
                       placement */
  double packing_s; /* the part for packing (berth/packing.h) */
  double sharing_s; /* the part for shared cores (berth/sharing.h) */
  berth_interval_t interval; /* of communication without packing; a single point unless intervals
                                were requested and the topology states errors */
  /* Comparison with the reference. For the reference itself, and without one, all values are as for
   * equal placements. */
  int same;                /* 1: every rank is on the same PU */
  int moved;               /* ranks on another PU */
  int moved_hosts;         /* ranks on another host */
  double gain;             /* (reference's cost - cost) / reference's cost; 0 if that is 0 */
  berth_verdict_t verdict; /* BERTH_VERDICT_NONE: intervals overlap, so either may be cheaper */
  berth_run_gain_t run_gain_kind;
  double run_gain; /* gain of the run time, or its limit; else 0. If communication gets cheaper: the
                      gain times the share of the run spent in MPI (the paper, section 7.1). If
                      estimates leave out calls: at most, all of that share. Time saved by sharing
                      fewer cores counts as a share of the longest rank's time */
  /* The interval of a known gain of the run time. At one end all time in MPI changes by the gain of
   * communication, as in run_gain; at the other one only the estimated seconds do, because ranks
   * spend the rest in waiting for those that compute. If the topology states errors, each end is
   * moved by the interval of the ratio to the reference. -INFINITY: the ratio has no limit. */
  double run_gain_low, run_gain_high;
} berth_estimate_t;

typedef struct berth_assess_options {
  size_t size; /* sizeof this struct, as the caller was compiled: berth_assess_defaults sets it */
  berth_model_t model;
  const int *reference;    /* a PU for each rank, borrowed; NULL: none */
  int intervals;           /* 1: evaluate also with each measured number off by its error */
  int reasons;             /* 1: find bottlenecks, levels and phases, too */
  size_t max_pairs;        /* how many pairs of ranks to list with a bottleneck */
  berth_cost_t *evaluator; /* of the same pattern and topology, borrowed, for callers that ask
                              several times; NULL: a new one */
} berth_assess_options_t;

/* Defaults: model port, no reference, intervals, no reasons, 10 pairs. Fills the first `size` bytes
 * of *o, sizeof *o as the caller was compiled, so that the struct may grow. */
BERTH_API void berth_assess_options_init(berth_assess_options_t *o, size_t size);
static inline berth_assess_options_t berth_assess_defaults(void)
{
  berth_assess_options_t o;
  berth_assess_options_init(&o, sizeof o);
  return o;
}

/* Estimated placements, with reasons and intervals. */
typedef struct berth_assessment berth_assessment_t;

/* Estimates n placements; pu_of_rank[i][r] is the PU of rank r. Borrows everything for the call
 * only. NULL with the errors of berth_cost_new, BERTH_USAGE for options of another size, or
 * BERTH_MISSING when memory is out. */
BERTH_API berth_assessment_t *berth_assessment_new(const berth_pattern_t *p, const berth_topo_t *t,
                                                   const berth_assess_options_t *options, size_t n,
                                                   const int *const *pu_of_rank,
                                                   berth_error_t *err);
BERTH_API void berth_assessment_free(berth_assessment_t *a);

/* The estimate of placement i; i = n is the reference, whose cost is negative if there is none.
 * Results of these functions are borrowed from the assessment. */
BERTH_API const berth_estimate_t *berth_assessment_estimate(const berth_assessment_t *a, size_t i);
/* The estimated communication of placement i as a share of the time that a rank of the recorded run
 * spent in MPI, on average. For the placement that the run had, it is what the estimate explains of
 * that time; the rest is waiting for ranks that compute, and overhead. It may be above 1. -1: the
 * pattern has no times, costs are distances, or there is no such placement. */
BERTH_API double berth_assessment_explained(const berth_assessment_t *a, size_t i);
/* The reasons of the communication cost of placement i < n. NULL unless reasons were requested. */
BERTH_API const berth_cost_result_t *berth_assessment_reasons(const berth_assessment_t *a,
                                                              size_t i);
/* Intervals of the n placements and (as the last one) the reference. NULL unless intervals were
 * requested and the topology states errors. */
BERTH_API const berth_uncertainty_t *berth_assessment_uncertainty(const berth_assessment_t *a);

/* Packing in the pattern, for placements on the topology. */
BERTH_API const berth_packing_t *berth_assessment_packing(const berth_assessment_t *a);

/* How many placements are estimated, without the reference. */
BERTH_API size_t berth_assessment_n(const berth_assessment_t *a);

/* How placement i < n compares with the reference. */
typedef enum berth_assessed {
  BERTH_ASSESSED_BETTER,
  BERTH_ASSESSED_WORSE,
  BERTH_ASSESSED_EQUAL,     /* less than 0.05% of difference */
  BERTH_ASSESSED_UNCERTAIN, /* intervals overlap, so either may be cheaper */
  BERTH_ASSESSED_ALONE      /* there is no reference */
} berth_assessed_t;
BERTH_API berth_assessed_t berth_assessment_result(const berth_assessment_t *a, size_t i);

/* That as a part of a sentence for people: "12.2 times less communication time than in the default
 * order, the run 86% to 92% shorter". `reference` is what it calls the reference, as in "in the
 * default order". It is truncated if it doesn't fit into `size` bytes. Returns buf. */
BERTH_API const char *berth_assessment_sentence(const berth_assessment_t *a, size_t i,
                                                const char *reference, char *buf, size_t size);

/* Only the estimates of n placements; pu_of_rank[i][r] is the PU of rank r. `out` has room for n
 * estimates, and one more if there is a reference. Fails as berth_assessment_new. */
BERTH_API int berth_assess(const berth_pattern_t *p, const berth_topo_t *t,
                           const berth_assess_options_t *options, size_t n,
                           const int *const *pu_of_rank, berth_estimate_t *out, berth_error_t *err);

#ifdef __cplusplus
}
#endif

#endif
