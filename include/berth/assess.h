/* SPDX-License-Identifier: BSD-3-Clause */
/* One estimated placement: its cost and interval, what sharing cores costs, and how it compares
 * with a reference such as the default order: ranks moved, gain of communication time, gain of run
 * time. */
#ifndef BERTH_ASSESS_H
#define BERTH_ASSESS_H

#include <berth/cost.h>
#include <berth/uncertainty.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How much is known of the gain of the whole run. */
typedef enum berth_run_gain {
  BERTH_RUN_GAIN_KNOWN,
  BERTH_RUN_GAIN_LIMIT,    /* an upper limit: estimates leave out some calls, which took an unknown
                              part of the time in MPI */
  BERTH_RUN_GAIN_NO_CALLS, /* some calls are known by name alone, without times (MPI-IO) */
  BERTH_RUN_GAIN_NO_TIMES, /* the pattern lacks the ranks' times */
  BERTH_RUN_GAIN_NO_UNIT,  /* costs are distances, not times */
  BERTH_RUN_GAIN_NO_REFERENCE /* there is no reference */
} berth_run_gain_t;

typedef struct berth_estimate {
  double cost_s;    /* communication and shared cores; negative: there is no such placement */
  double sharing_s; /* the part of it for computing on shared cores (berth/sharing.h) */
  berth_interval_t interval; /* of the communication; a single point unless intervals were asked for
                                and the topology states errors */
  /* Compared with the reference; of the reference itself, and without one, as for equal placements.
   */
  int same;                /* 1: every rank is on the same PU */
  int moved;               /* ranks on another PU, */
  int moved_hosts;         /* and on another host */
  double gain;             /* (reference's cost - cost) / reference's cost; 0 if that is 0 */
  berth_verdict_t verdict; /* BERTH_VERDICT_NONE: the intervals leave it open which is cheaper */
  berth_run_gain_t run_gain_kind;
  double
      run_gain; /* of the run time: known, or its limit; else 0. When communication gets cheaper,
                   the gain times the share of the run spent in MPI (the paper, section 7.1); less
                   time lost by sharing cores counts as a share of the longest rank's time. If
                   estimates leave out calls, at most all of the time in MPI belongs to these */
} berth_estimate_t;

typedef struct berth_assess_options {
  size_t size; /* sizeof this struct, as the caller was compiled: berth_assess_defaults sets it */
  berth_model_t model;
  const int *reference; /* a PU for each rank, borrowed; NULL: none */
  int intervals;        /* nonzero: evaluates with each measured number off by its error, too */
  int reasons;          /* nonzero: finds bottlenecks, levels and phases, too */
  size_t max_pairs;     /* pairs of ranks that are listed with a bottleneck */
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

/* Estimated placements, with what their estimates rest on. */
typedef struct berth_assessment berth_assessment_t;

/* Estimates n placements, pu_of_rank[i][r] being the PU of rank r. Everything is borrowed for the
 * call. Returns NULL as berth_cost_new does; with BERTH_USAGE for options of another size, with
 * BERTH_MISSING when memory is out. */
BERTH_API berth_assessment_t *berth_assessment_new(const berth_pattern_t *p, const berth_topo_t *t,
                                                   const berth_assess_options_t *options, size_t n,
                                                   const int *const *pu_of_rank,
                                                   berth_error_t *err);
BERTH_API void berth_assessment_free(berth_assessment_t *a);

/* The estimate of placement i; n is the reference, whose cost is negative if there is none. What
 * these functions return is borrowed from the assessment. */
BERTH_API const berth_estimate_t *berth_assessment_estimate(const berth_assessment_t *a, size_t i);
/* Why placement i < n costs what it does: of communication alone. NULL unless reasons were asked
 * for. */
BERTH_API const berth_cost_result_t *berth_assessment_reasons(const berth_assessment_t *a,
                                                              size_t i);
/* Intervals of the n placements and, as the last, of the reference, and how they compare. NULL
 * unless intervals were asked for and the topology states errors. */
BERTH_API const berth_uncertainty_t *berth_assessment_uncertainty(const berth_assessment_t *a);

/* The estimates alone: n placements, pu_of_rank[i][r] being the PU of rank r. out has room for n
 * estimates, and for one more, the reference's, if there is one. Fails as berth_assessment_new. */
BERTH_API int berth_assess(const berth_pattern_t *p, const berth_topo_t *t,
                           const berth_assess_options_t *options, size_t n,
                           const int *const *pu_of_rank, berth_estimate_t *out, berth_error_t *err);

#ifdef __cplusplus
}
#endif

#endif
